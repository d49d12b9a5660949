/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What does mode=low-delay do where packets are lost? Loss that nobody's queue causes is to cost no more rate than it
   has to; loss that a short queue, a policer or other traffic causes is congestion, and has to be answered. Video,
   clocks and feedback as in lowdelay.cc. Use: IP bytes that arrived over what the path lets through; loss: of the
   packets sent. The first 10 s are left out. */
#include "ccflow.h"
#include "scenario.h"
#include "traffic.h"
#include <cmath>
#include <ns3/core-module.h>

using namespace sim;

struct Cell {
  std::string name;
  DumbbellSpec net;
  unsigned flows = 1;
  double end_s = 90, start_bps = 150e3, min_bps = 50e3, max_bps = 3e6, fps = 30;
  std::vector<TcpSpec> tcp;
  FeedbackKind feedback = FeedbackKind::tfrc;
  double tolerance = -1;
  bool sound = false; /* a flow of 64 kb/s beside, 50 packets/s, with a law of its own */
  unsigned call = 0;  /* of several alike, each with a chance of its own */
};

struct Outcome {
  std::unique_ptr<Dumbbell> net;
  std::vector<CcFlow> flows;
  double end_s;
  double
  rate (unsigned pair, double from_s, double to_s) const
  {
    return net->forward ().pair[pair].received.mean_bps (from_s, to_s);
  }
  double
  queue_p95_ms (double from_s, double to_s) const
  {
    return net->forward ().pair[0].queue_delay.percentile (0.95, from_s, to_s) * 1000;
  }
  double
  loss (unsigned flow) const
  {
    return 1 - (double)flows[flow].receiver->packets / flows[flow].sender->packets_sent;
  }
};

static const double settle_s = 10;

static CcFlow
add_video (Dumbbell &net, const Cell &cell, uint64_t seed)
{
  VideoModel video;
  unsigned pair = net.add_pair ();

  video.min_bps = cell.min_bps;
  video.max_bps = cell.max_bps;
  video.fps = cell.fps;
  CcFlowSpec spec = cc_flow_spec (CC_MODE_LOW_DELAY, std::make_shared<VideoModelSource> (video));
  CcSenderParams &sender = spec.sender.params;
  sender.start_Bps = cell.start_bps / 8;
  sender.min_Bps = cell.min_bps / 8;
  sender.max_Bps = 1.1 * cell.max_bps / 8;
  if (cell.tolerance >= 0)
    sender.loss_tolerance = cell.tolerance;
  spec.receiver.params.path = {sender.start_Bps, sender.min_Bps, sender.max_Bps, 1};
  spec.receiver.clock_drift_ppm = 50;
  spec.receiver.kind = cell.feedback;
  spec.sender.seed = seed * 100 + pair * 2;
  spec.receiver.seed = spec.sender.seed + 1;
  spec.stop_s = cell.end_s;
  return add_cc_flow (net, pair, spec);
}

static Cell
sound_of (Cell cell)
{
  cell.min_bps = cell.max_bps = cell.start_bps = 64e3;
  cell.fps = 50;
  return cell;
}

static void
write_csv (Report &report, const Cell &cell, const Outcome &out)
{
  for (size_t i = 0; i < out.flows.size (); i++) {
    Csv csv (report.options (), format ("lossy-%s-%zu", cell.name.c_str (), i),
        "time_s,allowed_bps,received_bps,rtt_ms,p,queue_estimate_ms,queue_ms,backlog_ms,limit,owner");
    for (const CcSenderRow &row : out.flows[i].sender->rows ())
      csv.row ({row.at_s, row.rate_bps, out.rate (i, std::max (row.at_s - 0.2, 0.0), row.at_s), row.rtt * 1000, row.p,
          row.queue_delay * 1000, out.net->forward ().pair[i].queue_delay.last_before (row.at_s, 0) * 1000,
          row.backlog_delay * 1000, (double)row.limit, (double)row.owner});
  }
}

static Outcome
simulate (Report &report, const Cell &cell)
{
  Outcome out;
  uint64_t seed = report.options ().seed + cell.call;

  out.end_s = cell.end_s;
  out.net = std::make_unique<Dumbbell> (cell.net);
  for (unsigned i = 0; i < cell.flows; i++)
    out.flows.push_back (add_video (*out.net, cell, seed));
  if (cell.sound)
    out.flows.push_back (add_video (*out.net, sound_of (cell), seed));
  for (const TcpSpec &tcp : cell.tcp)
    add_tcp (*out.net, out.net->add_pair (), tcp);
  ns3::Simulator::Stop (ns3::Seconds (cell.end_s));
  ns3::Simulator::Run ();
  write_csv (report, cell, out);
  ns3::Simulator::Destroy ();
  return out;
}

static Cell
cell_of (const std::string &name, double bps, double rtt_ms, double queue_ms)
{
  Cell cell;

  cell.name = name;
  cell.net.forward.bps = bps;
  cell.net.forward.delay_ms = rtt_ms / 2;
  cell.net.forward.queue.ms = queue_ms;
  return cell;
}

struct Budget {
  double use = 0.8, p95_ms = 60, loss = 1;
};

/* through: share of what the path would carry without loss that random loss lets through. */
static void
check_alone (Report &report, const Cell &cell, double bps, double through, const Budget &budget)
{
  Outcome out = simulate (report, cell);
  const std::string &name = cell.name;

  report.check (name + ": use", out.rate (0, settle_s, cell.end_s) / (bps * through), budget.use, 1.1);
  report.check (name + ": queue delay p95 ms", out.queue_p95_ms (settle_s, cell.end_s), 0, budget.p95_ms);
  report.check (name + ": loss", out.loss (0), 0, budget.loss);
  if (through >= 0.9)
    report.check (name + ": circuit opens", out.flows[0].sender->sender ().circuit.openings, 0, 0);
}

static void
random_loss (Report &report)
{
  for (double loss : {0.005, 0.01, 0.02, 0.05, 0.1, 0.2}) {
    Cell cell = cell_of (format ("random-%g", loss), 1e6, 100, 300);

    if (report.options ().quick && loss != 0.02)
      continue;
    cell.net.forward.loss.good_loss = loss;
    check_alone (report, cell, 1e6, 1 - loss, {0.65, 60, 1});
  }
  for (double rtt : {30., 300.}) {
    Cell cell = cell_of (format ("random-0.05-rtt-%g", rtt), 1e6, rtt, 300);

    cell.net.forward.loss.good_loss = 0.05;
    /* a test of the floor takes up to 4 s: with long round-trips they are much of a short run */
    check_alone (report, cell, 1e6, 0.95, {rtt > 100 && report.options ().quick ? 0.6 : 0.65, 60, 1});
  }
  for (double bps : {250e3, 4e6}) {
    Cell cell = cell_of (format ("random-0.05-%gM", bps / 1e6), bps, 100, 300);

    cell.max_bps = 6e6;
    cell.net.forward.loss.good_loss = 0.05;
    check_alone (report, cell, bps, 0.95, {0.5, 90, 1});
  }
}

/* s after from_s until the rate allowed reaches bps. */
static double
reaches (const CcFlow &flow, double from_s, double bps)
{
  for (const CcSenderRow &row : flow.sender->rows ())
    if (row.at_s >= from_s && row.rate_bps >= bps)
      return row.at_s - from_s;
  return 60;
}

/* How soon it is found: a call that begins on such a path, from what tfrcsink starts with. */
static void
first_seconds (Report &report)
{
  for (double rtt : {20., 100., 300.})
    for (double loss : {0., 0.005, 0.02, 0.05})
      for (double burst : {1., 4.}) {
        Cell cell = cell_of (format ("first-%g-rtt-%g-burst-%g", loss, rtt, burst), 1e6, rtt, 300);

        if (loss == 0 && burst > 1)
          continue;
        cell.net.forward.loss = bursty_loss (loss, burst);
        cell.start_bps = 300e3;
        cell.end_s = 30;
        Outcome out = simulate (report, cell);
        report.check (cell.name + ": use in its first 15 s", out.rate (0, 0, 15) / 1e6 / (1 - loss), 0.3, 1.1);
        report.check (cell.name + ": use in the next 15 s", out.rate (0, 15, 30) / 1e6 / (1 - loss), 0.5, 1.1);
        report.check (cell.name + ": to 80 % of capacity, s", reaches (out.flows[0], 0, 0.8e6), 0, loss > 0 ? 30 : 2.5);
        report.check (cell.name + ": queue delay p95 ms", out.queue_p95_ms (0, 30), 0, 100);
      }
}

/* What loss-tolerance makes of it, at 5 and 20 % of loss. */
static void
tolerance (Report &report)
{
  for (double loss : {0.05, 0.2})
    for (double tolerated : {0., 0.05, 0.1, 0.2}) {
      Cell cell = cell_of (format ("random-%g-tolerance-%g", loss, tolerated), 1e6, 100, 300);

      cell.tolerance = tolerated;
      cell.net.forward.loss.good_loss = loss;
      check_alone (report, cell, 1e6, 1 - loss, {0, 60, 1});
    }
}

static void
bursty (Report &report)
{
  for (double loss : {0.01, 0.02, 0.05, 0.1})
    for (double burst : {3., 5.}) {
      Cell cell = cell_of (format ("bursty-%g-%g", loss, burst), 1e6, 100, 300);

      if (report.options ().quick && (loss != 0.05 || burst != 3))
        continue;
      cell.net.forward.loss = bursty_loss (loss, burst);
      check_alone (report, cell, 1e6, 1 - loss, {0.65, 60, 1});
    }
}

static void
packet_reports (Report &report)
{
  for (FeedbackKind kind : {FeedbackKind::ccfb, FeedbackKind::twcc}) {
    Cell cell = cell_of (kind == FeedbackKind::ccfb ? "ccfb-0.05" : "twcc-0.05", 1e6, 100, 300);

    cell.feedback = kind;
    cell.net.forward.loss.good_loss = 0.05;
    check_alone (report, cell, 1e6, 0.95, {0.7, 60, 1});
  }
}

static void
short_queue (Report &report)
{
  for (double loss : {0., 0.02})
    for (double ms : {10., 20., 50.})
      for (double rtt : {30., 100.}) {
        Cell cell = cell_of (format ("queue-%g-rtt-%g-loss-%g", ms, rtt, loss), 2e6, rtt, ms);

        if (report.options ().quick && ms != 20)
          continue;
        cell.net.forward.loss.good_loss = loss;
        check_alone (report, cell, 2e6, 1 - loss, {0.3, 60, loss + 0.1});
      }
}

/* Of few frames a second each is as long as the queue is not: ten packets, 100 kB at the capacity. */
static void
long_frames (Report &report)
{
  for (double rtt : {3.5, 20.}) {
    Cell cell = cell_of (format ("long-frames-rtt-%g", rtt), 8e6, rtt, 15);

    cell.fps = 10;
    cell.max_bps = 8e6;
    check_alone (report, cell, 8e6, 1, {0.5, 18, 0.015});
  }
}

static Cell
policed (const std::string &name, double bps, double kbytes, double rtt_ms)
{
  Cell cell = cell_of (name, 0, rtt_ms, 300);

  cell.net.forward.loss.police_bps = bps;
  cell.net.forward.loss.police_bytes = kbytes * 1000;
  return cell;
}

static void
policer (Report &report)
{
  for (double loss : {0., 0.02})
    for (double kbytes : {5., 15., 60.})
      for (double rtt : {30., 100.}) {
        Cell cell = policed (format ("policer-%gkB-rtt-%g-loss-%g", kbytes, rtt, loss), 1e6, kbytes, rtt);

        if (report.options ().quick && kbytes != 15)
          continue;
        cell.net.forward.loss.good_loss = loss;
        check_alone (report, cell, 1e6, 1 - loss, {0.3, 60, loss + 0.1});
      }
}

/* And what that costs where loss is congestion: in the first 20 s of a call, means over ten. */
static void
check_first_limit (Report &report, Cell cell, double bps)
{
  static const unsigned calls = 10;
  double use = 0, lost = 0, random = cell.net.forward.loss.good_loss;

  cell.start_bps = 300e3;
  cell.end_s = 20;
  for (cell.call = 0; cell.call < calls; cell.call++) {
    Outcome out = simulate (report, cell);
    use += out.rate (0, 0, cell.end_s) / bps / (1 - random) / calls;
    lost += out.loss (0) / calls;
  }
  report.check (cell.name + ": use in its first 20 s", use, 0.3, 1.1);
  report.check (cell.name + ": loss", lost, 0, random + 0.15);
}

static void
first_limits (Report &report)
{
  for (double rtt : {20., 100., 300.})
    for (double loss : {0., 0.02}) {
      for (double bps : {0.5e6, 1e6})
        for (double kbytes : {5., 15., 60.}) {
          std::string name = format ("first-policer-%gM-%gkB-rtt-%g-loss-%g", bps / 1e6, kbytes, rtt, loss);
          Cell cell = policed (name, bps, kbytes, rtt);

          cell.net.forward.loss.good_loss = loss;
          check_first_limit (report, cell, bps);
        }
      for (double packets : {3., 10.}) {
        std::string name = format ("first-queue-%g-rtt-%g-loss-%g", packets, rtt, loss);
        Cell cell = cell_of (name, 1e6, rtt, packets * 1200 * 8 / 1e6 * 1000);

        cell.net.forward.loss.good_loss = loss;
        check_first_limit (report, cell, 1e6);
      }
    }
}

static const char *
kind_name (TcpKind kind)
{
  return kind == TcpKind::cubic ? "cubic" : kind == TcpKind::bbr ? "bbr" : "newreno";
}

static void
check_beside_tcp (Report &report, Cell cell, TcpKind kind, double bps)
{
  cell.tcp.resize (1);
  cell.tcp[0].kind = kind;
  cell.end_s = 120;
  cell.name += std::string ("-") + kind_name (kind);
  Outcome out = simulate (report, cell);
  double ours = out.rate (0, 30, cell.end_s), tcp = out.rate (1, 30, cell.end_s);
  report.check (cell.name + ": ours, of half the link", ours / (bps / 2), 0.05, 2);
  report.note (cell.name + ": TCP, of half the link", tcp / (bps / 2));
  report.note (cell.name + ": loss of ours", out.loss (0));
  report.note (cell.name + ": queue delay p95 ms", out.queue_p95_ms (30, cell.end_s));
}

static void
beside_tcp (Report &report)
{
  for (double loss : {0., 0.005, 0.02, 0.05})
    for (TcpKind kind : {TcpKind::cubic, TcpKind::bbr}) {
      Cell cell = cell_of (format ("loss-%g", loss), 2e6, 100, 300);

      if (report.options ().quick && (loss != 0.02 || kind != TcpKind::cubic))
        continue;
      cell.net.forward.loss.good_loss = loss;
      check_beside_tcp (report, cell, kind, 2e6);
    }
}

static void
beside_tcp_short (Report &report)
{
  for (double ms : {20., 50.})
    for (TcpKind kind : {TcpKind::cubic, TcpKind::newreno})
      check_beside_tcp (report, cell_of (format ("short-%g", ms), 2e6, 50, ms), kind, 2e6);
  check_beside_tcp (report, policed ("policer-60kB", 2e6, 60, 50), TcpKind::cubic, 2e6);
  for (QueueKind kind : {QueueKind::codel, QueueKind::pie, QueueKind::red}) {
    Cell cell = cell_of (kind == QueueKind::codel ? "codel" : kind == QueueKind::pie ? "pie" : "red", 2e6, 50, 300);

    cell.net.forward.queue.kind = kind;
    check_beside_tcp (report, cell, TcpKind::cubic, 2e6);
  }
}

/* RFC 8867 5.6 with a queue of 1 s: each overflow is a burst of loss over a long round trip, and ten times TCP's rate
   little (RFC 8083 4.3). What the reports have told is obeyed before the circuit opens. */
static void
long_queue (Report &report)
{
  Cell cell = cell_of ("long-queue", 2e6, 100, 1000);

  cell.tcp.resize (1);
  cell.tcp[0].kind = TcpKind::cubic;
  cell.end_s = 120;
  cell.max_bps = 1.5e6;
  Outcome out = simulate (report, cell);
  report.check ("long-queue: circuit opens", out.flows[0].sender->sender ().circuit.openings, 0, 0);
  report.check ("long-queue: ours, of half the link", out.rate (0, 30, cell.end_s) / 1e6, 0.5, 2);
}

static void
own_kind (Report &report)
{
  for (double loss : {0.02, 0.05}) {
    Cell cell = cell_of (format ("two-%g", loss), 2e6, 100, 300);

    cell.flows = 2;
    cell.net.forward.loss.good_loss = loss;
    cell.end_s = 120;
    Outcome out = simulate (report, cell);
    double a = out.rate (0, 30, cell.end_s), b = out.rate (1, 30, cell.end_s);
    report.check (cell.name + ": Jain index", jain_of ({a, b}), 0.8, 1);
    report.check (cell.name + ": use", (a + b) / (2e6 * (1 - loss)), 0.5, 1.05);
    report.check (cell.name + ": queue delay p95 ms", out.queue_p95_ms (30, cell.end_s), 0, 100);
  }
}

static void
in_mid_call (Report &report)
{
  for (double loss : {0.02, 0.05, 0.1}) {
    Cell cell = cell_of (format ("begins-%g", loss), 1e6, 100, 300);

    cell.net.forward.loss.good_loss = loss;
    cell.net.forward.loss.from_s = 20;
    cell.net.forward.loss.to_s = 60;
    Outcome out = simulate (report, cell);
    report.check (cell.name + ": use before", out.rate (0, 10, 20) / 1e6, 0.85, 1.1);
    report.check (cell.name + ": use in its first 10 s", out.rate (0, 20, 30) / 1e6 / (1 - loss), 0.4, 1.1);
    report.check (cell.name + ": use after that", out.rate (0, 30, 60) / 1e6 / (1 - loss), 0.7, 1.1);
    report.check (cell.name + ": use after it ended", out.rate (0, 62, 90) / 1e6, 0.7, 1.1);
    report.check (cell.name + ": queue delay p95 ms", out.queue_p95_ms (10, 90), 0, 60);
  }
}

/* s after from_s until a second's mean reaches bps. */
static double
arrives (const Outcome &out, double from_s, double bps)
{
  for (double at_s = from_s; at_s + 1 < out.end_s; at_s += 0.1)
    if (out.rate (0, at_s, at_s + 1) >= bps)
      return at_s - from_s;
  return out.end_s;
}

/* More than half is lost for so long that the circuit opens (RFC 8083 4.4). Its tries come every few seconds, so the
   end of the loss meets each of their phases. */
static void
hopeless (Report &report)
{
  for (double s : {45., 46.5, 48., 49.5}) {
    Cell cell = cell_of (format ("hopeless-%g", s), 1e6, 50, 300);
    double end_s = 20 + s;

    if (report.options ().quick && s != 45)
      continue;
    cell.net.forward.loss.good_loss = 0.6;
    cell.net.forward.loss.from_s = 20;
    cell.net.forward.loss.to_s = end_s;
    cell.end_s = end_s + 30;
    cell.start_bps = 300e3;
    cell.min_bps = 30e3;
    cell.max_bps = 1.5e6;
    Outcome out = simulate (report, cell);
    const CircuitBreaker &circuit = out.flows[0].sender->sender ().circuit;
    report.check (cell.name + ": the circuit opens", circuit.openings, 1, 8);
    report.check (cell.name + ": to 90 % after it, s", arrives (out, end_s, 0.9 * out.rate (0, 15, 20)), 0, 10);
    report.check (cell.name + ": queue delay p95 ms after it", out.queue_p95_ms (end_s, cell.end_s), 0, 100);
  }
}

/* Capacity drops on a link that loses packets anyhow. */
static void
capacity_drop (Report &report)
{
  for (double loss : {0.02, 0.05}) {
    Cell cell = cell_of (format ("drop-%g", loss), 2e6, 100, 300);

    cell.net.forward.loss.good_loss = loss;
    cell.net.forward.schedule = {{40, 0.6e6}, {70, 2e6}};
    cell.end_s = 100;
    Outcome out = simulate (report, cell);
    double settled = 40;
    for (const SampleSeries::Sample &sample : out.net->forward ().pair[0].queue_delay.samples ())
      if (sample.at_s >= 40 && sample.at_s < 70 && sample.value > 0.1)
        settled = sample.at_s;
    report.check (cell.name + ": use before", out.rate (0, 15, 40) / 2e6 / (1 - loss), 0.7, 1.1);
    report.check (cell.name + ": queue below 100 ms after the drop, s", settled - 40, 0, 3);
    report.check (cell.name + ": use after the drop", out.rate (0, 45, 70) / 0.6e6 / (1 - loss), 0.7, 1.1);
    report.check (cell.name + ": to 90 % after the rise, s", reaches (out.flows[0], 70, 1.8e6), 0, 15);
  }
}

/* The least that the circuit breaker let be sent from then on; most_bps where it never said. */
static double
least_of_breaker (const CcFlow &flow, double from_s, double most_bps)
{
  for (const CcSenderRow &row : flow.sender->rows ())
    if (row.at_s >= from_s && row.limit == CC_LIMIT_CIRCUIT_BREAKER)
      most_bps = std::min (most_bps, row.rate_bps);
  return most_bps;
}

/* A call with sound: both find a queue that overflows, and each the other's. */
static void
call_drop (Report &report)
{
  for (double loss : {0., 0.02, 0.05}) {
    Cell cell = cell_of (format ("call-drop-%g", loss), 2e6, 60, 300);

    cell.sound = true;
    cell.start_bps = 300e3;
    cell.net.forward.loss.good_loss = loss;
    cell.net.forward.loss.from_s = 15;
    cell.net.forward.schedule = {{20, 0.6e6}, {40, 2e6}};
    cell.end_s = 60;
    Outcome out = simulate (report, cell);
    double video_bps = (0.6e6 - 80e3) * (1 - loss);
    report.check (cell.name + ": use from 1 s on after the drop", out.rate (0, 21, 25) / video_bps, 0.6, 1.1);
    report.check (cell.name + ": use from 5 s on", out.rate (0, 25, 40) / video_bps, 0.75, 1.1);
    report.check (cell.name + ": to 80 % after the rise, s", reaches (out.flows[0], 40, 1.6e6), 0, 6);
  }
}

/* Next to nothing is left for a moment, and much is lost. Nothing is afterwards. Means over ten calls. */
static void
short_dip (Report &report)
{
  static const unsigned calls = 10;
  static const double over_s = 20.5, bps = 1e6, video_bps = bps - 80e3;

  for (double rtt : {60., 150., 300.})
    for (double ms : {150., 300.}) {
      Cell cell = cell_of (format ("short-dip-rtt-%g-queue-%g", rtt, ms), 2.5e6, rtt, ms);
      double use = 0;

      cell.sound = true;
      cell.net.forward.schedule = {{20, 60e3}, {over_s, bps}};
      cell.end_s = 30;
      for (cell.call = 0; cell.call < calls; cell.call++)
        use += simulate (report, cell).rate (0, over_s + 3, cell.end_s) / video_bps / calls;
      report.check (cell.name + ": use from 3 s on after it", use, 0.72, 1.1);
    }
}

/* Little is left for some seconds, and so much lost that the circuit breaker bounds the rate after it (RFC 8083 4.3).
   60 pictures a second make small packets of that rate, which must not lower the bound. Means over ten calls. */
static void
call_dip (Report &report)
{
  static const unsigned calls = 10;
  static const double over_s = 24, bps = 1e6, video_bps = bps - 80e3;
  Cell cell = cell_of ("call-dip", 2.5e6, 300, 300);
  double least_bps = 0, at_first = 0, later = 0;

  cell.sound = true;
  cell.start_bps = 300e3;
  cell.fps = 60;
  cell.net.forward.schedule = {{20, 150e3}, {over_s, bps}};
  cell.end_s = 45;
  for (cell.call = 0; cell.call < calls; cell.call++) {
    Outcome out = simulate (report, cell);
    least_bps += least_of_breaker (out.flows[0], over_s, bps) / calls;
    at_first += out.rate (0, over_s + 1, over_s + 4) / video_bps / calls;
    later += out.rate (0, over_s + 5, cell.end_s) / video_bps / calls;
  }
  report.check ("call-dip: the least that the circuit breaker lets, kb/s", least_bps / 1e3, 220, 800);
  report.check ("call-dip: use from 1 s on after it", at_first, 0.2, 1.1);
  report.check ("call-dip: use from 5 s on", later, 0.87, 1.1);
}

/* A policer that lets less through from 40 s on. */
static void
policer_drop (Report &report)
{
  Cell cell = policed ("policer-drop", 2e6, 15, 100);

  cell.net.forward.loss.police_steps = {{40, 0.6e6}, {70, 2e6}};
  cell.end_s = 100;
  Outcome out = simulate (report, cell);
  report.check ("policer-drop: use before", out.rate (0, 15, 40) / 2e6, 0.4, 1.1);
  report.check ("policer-drop: use after the drop", out.rate (0, 45, 70) / 0.6e6, 0.4, 1.1);
  report.note ("policer-drop: use after the rise", out.rate (0, 72, cell.end_s) / 2e6);
  report.check (
      "policer-drop: sent after the drop, of what comes through",
      [&] {
        double sum = 0, n = 0;
        for (const CcSenderRow &row : out.flows[0].sender->rows ())
          if (row.at_s > 43 && row.at_s < 70)
            sum += row.rate_bps, n++;
        return sum / n / 0.6e6;
      }(),
      0, 1.3);
}

static const std::vector<Scenario> scenarios = {
    {"random", "loss that no queue causes costs little rate", true, random_loss},
    {"first-seconds", "and is found soon", false, first_seconds},
    {"first-limits", "but no limit is taken for such a path", false, first_limits},
    {"tolerance", "how much is tolerated is the user's to say", false, tolerance},
    {"bursty", "the same in bursts", true, bursty},
    {"packet-reports", "the same where the receiver tells of every packet", false, packet_reports},
    {"short-queue", "a queue too short to show delay is found by its loss", true, short_queue},
    {"long-frames", "ten large frames a second fit a queue of ten packets", true, long_frames},
    {"policer", "so is a policer", true, policer},
    {"beside-tcp", "a TCP on a path with loss keeps its share", true, beside_tcp},
    {"beside-tcp-short", "nor is it starved where queues are short", false, beside_tcp_short},
    {"long-queue", "nor does a TCP in a queue of 1 s open the circuit", false, long_queue},
    {"own-kind", "two flows share a path with loss", false, own_kind},
    {"in-mid-call", "loss may begin and end", false, in_mid_call},
    {"hopeless", "what was hopeless is soon seen to be so no more", false, hopeless},
    {"capacity-drop", "loss does not hide that the path narrows", false, capacity_drop},
    {"call-drop", "nor in a call with sound", false, call_drop},
    {"short-dip", "losses that are over are not tested", false, short_dip},
    {"call-dip", "what the circuit breaker lets does not shrink with the packets", false, call_dip},
    {"policer-drop", "nor that a policer does", false, policer_drop},
};

int
main (int argc, char **argv)
{
  return run_scenarios (argc, argv, scenarios);
}
