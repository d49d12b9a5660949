/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does mode=low-delay fill the path, keep its queue short, get out of the way when the path narrows, and live with
   others? The cases of RFC 8867 and what they leave out. The video is the model of RFC 8593 (fluctuating sizes and
   intervals, key frames on every abrupt change), its clocks drift apart by 50 ppm, feedback keeps to RFC 4585 timing
   and 5 % of the bandwidth. Use is of IP bytes received, over min (capacity, what the source can make), leaving out the
   settling time after start and each step. */
#include "ccflow.h"
#include "scenario.h"
#include "traffic.h"
#include <algorithm>
#include <cmath>
#include <ns3/core-module.h>

using namespace sim;

static const double settle_s = 5;

struct Run {
  DumbbellSpec net;
  VideoModel video;
  std::vector<uint32_t> trace; /* instead of the model: frame sizes at 1 Mb/s */
  struct FlowAt {
    double start_s, stop_s, access_ms;
    double weight = 1;
  };
  std::vector<FlowAt> flows = {{0, 1e6, 0, 1}};
  std::vector<TcpSpec> tcp;
  double end_s = 60, start_bps = 150e3, min_bps = 50e3;
  double udp_bps = 0, udp_from_s = 0, udp_to_s = 0;
  FeedbackKind feedback = FeedbackKind::tfrc;
  bool l4s = false; /* packets leave as ECT(1) */
  bool ect = false; /* as ECT(0): a mark is a loss */
};

struct Outcome {
  std::unique_ptr<Dumbbell> net;
  std::vector<CcFlow> flows;
  const Dumbbell::PairProbe &
  probe (unsigned i) const
  {
    return net->forward ().pair[i];
  }
};

static std::shared_ptr<MediaSource>
source_of (const Run &run)
{
  if (run.trace.empty ())
    return std::make_shared<VideoModelSource> (run.video);
  return std::make_shared<TraceSource> (run.trace, run.video.fps, true, run.video.min_bps, run.video.max_bps);
}

static CcFlowSpec
flow_spec (const Run &run, const Run::FlowAt &at, uint64_t seed)
{
  CcFlowSpec spec = cc_flow_spec (CC_MODE_LOW_DELAY, source_of (run));

  spec.sender.params.start_Bps = run.start_bps / 8;
  spec.sender.params.min_Bps = run.min_bps / 8;
  spec.sender.params.max_Bps = 1.1 * run.video.max_bps / 8;
  spec.receiver.params.path.start_Bps = run.start_bps / 8;
  spec.receiver.params.path.min_Bps = spec.sender.params.min_Bps;
  spec.receiver.params.path.max_Bps = spec.sender.params.max_Bps;
  /* At low frame rates a frame alone takes most of the default of 150 ms. */
  spec.sender.params.buffer.max_delay = std::max (spec.sender.params.buffer.max_delay, cc_duration (4 / run.video.fps));
  spec.sender.params.weight = spec.receiver.params.path.weight = at.weight;
  spec.receiver.clock_drift_ppm = 50;
  spec.receiver.kind = run.feedback;
  spec.sender.l4s = run.l4s;
  spec.sender.ect = run.ect;
  spec.sender.seed = seed;
  spec.receiver.seed = seed + 1;
  spec.start_s = at.start_s;
  spec.stop_s = std::min (at.stop_s, run.end_s);
  return spec;
}

static void
write_csv (Report &report, const std::string &name, const Run &run, const Outcome &out)
{
  for (size_t i = 0; i < out.flows.size (); i++) {
    Csv csv (report.options (), format ("lowdelay-%s-%zu", name.c_str (), i),
        "time_s,allowed_bps,received_bps,rtt_ms,p,queue_estimate_ms,queue_ms,backlog_ms,limit,owner");
    for (const CcSenderRow &row : out.flows[i].sender->rows ())
      csv.row ({row.at_s, row.rate_bps, out.probe (i).received.mean_bps (std::max (row.at_s - 0.2, 0.0), row.at_s),
          row.rtt * 1000, row.p, row.queue_delay * 1000, out.probe (i).queue_delay.last_before (row.at_s, 0) * 1000,
          row.backlog_delay * 1000, (double)row.limit, (double)row.owner});
  }
}

static Outcome
simulate (Report &report, const std::string &name, const Run &run, uint64_t seed)
{
  Outcome out;

  out.net = std::make_unique<Dumbbell> (run.net);
  for (const Run::FlowAt &at : run.flows) {
    unsigned pair = out.net->add_pair (at.access_ms / 2);
    out.flows.push_back (add_cc_flow (*out.net, pair, flow_spec (run, at, seed * 100 + pair * 2)));
  }
  for (const TcpSpec &tcp : run.tcp)
    add_tcp (*out.net, out.net->add_pair (), tcp);
  if (run.udp_bps > 0)
    add_udp (*out.net, out.net->add_pair (), run.udp_bps, 1000, run.udp_from_s, run.udp_to_s);
  ns3::Simulator::Stop (ns3::Seconds (run.end_s));
  ns3::Simulator::Run ();
  write_csv (report, name, run, out);
  ns3::Simulator::Destroy ();
  return out;
}

static Outcome
simulate (Report &report, const std::string &name, const Run &run)
{
  return simulate (report, name, run, report.options ().seed);
}

struct Steady {
  double from_s, to_s, capacity_bps;
};

static std::vector<Steady>
steady_parts (const Run &run)
{
  std::vector<Steady> parts;
  double from = run.flows[0].start_s, bps = run.net.forward.bps;

  for (const CapacityStep &step : run.net.forward.schedule) {
    parts.push_back ({from + settle_s, step.at_s, bps});
    from = step.at_s;
    bps = step.bps;
  }
  parts.push_back ({from + settle_s, run.end_s, bps});
  return parts;
}

/* Of the steady parts: received over offered, and the queueing delays of all packets. */
static double
use_of (const Run &run, const Outcome &out, unsigned flow, std::vector<double> *queue_ms)
{
  double got = 0, offered = 0;

  for (const Steady &part : steady_parts (run)) {
    got += out.probe (flow).received.mean_bps (part.from_s, part.to_s) * (part.to_s - part.from_s);
    offered += std::min (part.capacity_bps, run.video.max_bps) * (part.to_s - part.from_s);
    for (const SampleSeries::Sample &sample : out.probe (flow).queue_delay.samples ())
      if (queue_ms && sample.at_s >= part.from_s && sample.at_s < part.to_s)
        queue_ms->push_back (sample.value * 1000);
  }
  return got / offered;
}

/* s after from_s until the queue stays below limit_ms. */
static double
queue_settles (const Outcome &out, double from_s, double to_s, double limit_ms)
{
  double last = from_s;

  for (const SampleSeries::Sample &sample : out.probe (0).queue_delay.samples ())
    if (sample.at_s >= from_s && sample.at_s < to_s && sample.value * 1000 > limit_ms)
      last = sample.at_s;
  return last - from_s;
}

/* s after from_s until the allowed rate reaches target_bps. */
static double
rate_reaches (const CcFlow &flow, double from_s, double target_bps)
{
  for (const CcSenderRow &row : flow.sender->rows ())
    if (row.at_s >= from_s && row.rate_bps >= target_bps)
      return row.at_s - from_s;
  return 60;
}

static double
loss_of (const Dumbbell::PairProbe &probe)
{
  return probe.arrived ? (double)probe.dropped / probe.arrived : 0;
}

/* From capture to whole, without the path's own delay. */
static void
add_frame_delays (const Run &run, const CcFlow &flow, std::vector<double> *ms)
{
  for (const FrameArrival &frame : flow.receiver->frames ())
    ms->push_back ((frame.completed_s - frame.captured_s) * 1000 - run.net.forward.delay_ms);
}

struct Budget {
  double use = 0.85, p95_ms = 60, loss = 0.01, drain_s = 0, startup_s = 0;
};

static void
check_single (Report &report, const std::string &label, const Run &run, const Budget &budget)
{
  Outcome out = simulate (report, label, run);
  std::vector<double> queue_ms;
  double use = use_of (run, out, 0, &queue_ms);
  double offered = std::min (run.net.forward.bps, run.video.max_bps);

  report.check (label + ": use", use, budget.use, 1.1);
  report.note (label + ": queue delay p50 ms", percentile_of (queue_ms, 0.5));
  report.check (label + ": queue delay p95 ms", percentile_of (queue_ms, 0.95), 0, budget.p95_ms);
  report.check (label + ": packets lost in the queue", loss_of (out.probe (0)), 0, budget.loss);
  if (budget.drain_s > 0)
    report.check (label + ": queue below 100 ms after the drop, s",
        queue_settles (out, run.net.forward.schedule[1].at_s, run.net.forward.schedule[2].at_s, 100), 0,
        budget.drain_s);
  if (budget.startup_s > 0)
    report.check (
        label + ": to 80 % of capacity, s", rate_reaches (out.flows[0], 0, 0.8 * offered), 0, budget.startup_s);
  std::vector<double> frame_ms;
  add_frame_delays (run, out.flows[0], &frame_ms);
  report.note (label + ": frame delay p50 ms", percentile_of (frame_ms, 0.5));
  report.note (label + ": frame delay p95 ms", percentile_of (frame_ms, 0.95));
  report.note (label + ": frames skipped by the sender",
      (double)out.flows[0].sender->sender ().buffer.frames_dropped / out.flows[0].sender->frames_offered);
  report.note (label + ": jumps", out.flows[0].receiver->receiver ().path.jumps);
}

static Run
one_flow (double bps, double delay_ms, double end_s)
{
  Run run;

  run.net.forward.bps = bps;
  run.net.forward.delay_ms = delay_ms;
  run.net.forward.queue.ms = 300;
  run.end_s = end_s;
  return run;
}

static void
variable_capacity (Report &report)
{
  for (double delay_ms : {50., 100.}) {
    Run run = one_flow (1e6, delay_ms, 100);

    run.net.forward.schedule = {{40, 2.5e6}, {60, 0.6e6}, {80, 1e6}};
    check_single (report, format ("5.1-%gms", delay_ms), run, {0.85, 60, 0.01, 3, 5});
    if (report.options ().quick)
      break;
  }
}

/* The receiver tells of every packet and computes nothing. */
static void
packet_reports (Report &report)
{
  for (FeedbackKind kind : {FeedbackKind::ccfb, FeedbackKind::twcc}) {
    std::string name = kind == FeedbackKind::ccfb ? "ccfb" : "twcc";
    Run run = one_flow (1e6, 50, 100);

    run.feedback = kind;
    run.net.forward.schedule = {{40, 2.5e6}, {60, 0.6e6}, {80, 1e6}};
    check_single (report, "5.1-" + name, run, {0.85, 60, 0.01, 3, 5});
    run = one_flow (5e6, 20, 40);
    run.feedback = kind;
    run.start_bps = 1e6;
    run.video.max_bps = 20e6;
    check_single (report, "rate-5M-" + name, run, {0.82, 60, 0.01, 0, 5});
  }
}

/* Sizes +-20 %, every fifth second a key frame of six times the mean. */
static void
key_frames (Report &report)
{
  Run run = one_flow (1e6, 50, 60);

  for (unsigned i = 0; i < 450; i++)
    run.trace.push_back (i % 150 == 0 ? 25000 : 3300 + (i * 7919u) % 1650);
  check_single (report, "key-frames", run, {0.85, 60, 0.01, 0, 5});
}

static void
higher_rates (Report &report)
{
  for (double mbps : {5., 15.}) {
    Run run = one_flow (mbps * 1e6, 20, 40);

    run.start_bps = 1e6;
    run.video.max_bps = 20e6;
    check_single (report, format ("rate-%gM", mbps), run, {0.82, 60, 0.01, 0, 5});
  }
}

static void
tcp_leaves (Report &report)
{
  Run run = one_flow (2e6, 50, 90);

  run.flows = {{0, 1e6, 0}};
  run.tcp.resize (1);
  run.tcp[0].start_s = 10;
  run.tcp[0].max_bytes = 4000000; /* some 30 s */
  Outcome out = simulate (report, "tcp-leaves", run);
  const Dumbbell::PairProbe &probe = out.probe (0);
  report.check ("before the TCP: rate Mb/s", probe.received.mean_bps (5, 10) / 1e6, 1.2, 1.7);
  report.check ("beside it: rate Mb/s", probe.received.mean_bps (15, 50) / 1e6, 0.3, 1.5);
  report.check ("after it: rate Mb/s", probe.received.mean_bps (60, 90) / 1e6, 1.3, 1.7);
  report.check ("after it: queue delay p95 ms", probe.queue_delay.percentile (0.95, 60, 90) * 1000, 0, 60);
}

static void
frame_rates (Report &report)
{
  for (double fps : {10., 15., 25.}) {
    Run run = one_flow (1e6, 50, 60);

    run.video.fps = fps;
    check_single (report, format ("fps-%g", fps), run, {0.8, 100, 0.01, 0, 5});
  }
}

static void
round_trips (Report &report)
{
  for (double rtt_ms : {20., 200., 300.})
    check_single (report, format ("rtt-%g", rtt_ms), one_flow (1e6, rtt_ms / 2, 60), {0.85, 60, 0.01, 0, 5});
}

static void
low_rates (Report &report)
{
  for (double kbps : {100., 150., 200.}) {
    Run run = one_flow (kbps * 1e3, 50, 60);

    run.start_bps = 80e3;
    run.min_bps = 30e3;
    run.video.min_bps = 30e3;
    run.video.fps = 15;
    /* At 100 kb/s one packet is a queue of 80 ms. */
    check_single (report, format ("rate-%gk", kbps), run, {0.8, kbps < 200 ? 170. : 120., 0.02, 0, 0});
  }
}

static void
random_loss (Report &report)
{
  for (double loss : {0.01, 0.02}) {
    Run run = one_flow (1e6, 25, 60);

    run.net.forward.loss.good_loss = loss;
    Outcome out = simulate (report, format ("loss-%g", loss), run);
    const CcSender &sender = out.flows[0].sender->sender ();
    /* The loss event rate of independent losses is close to the loss rate where few packets go per round trip. */
    double equation = tfrc_throughput (sender.sent.packet_bytes, 0.06, loss, TFRC_RTO_4R) * 8;
    double allowed = std::min (equation, 1e6);
    report.check (format ("loss %g: share of min (equation, capacity)", loss),
        out.probe (0).received.mean_bps (10, 60) / allowed, 0.65, 1.1);
    report.note (format ("loss %g: rate kb/s", loss), out.probe (0).received.mean_bps (10, 60) / 1e3);
    report.note (format ("loss %g: p", loss), sender.tfrc.p);
    report.check (
        format ("loss %g: queue delay p95 ms", loss), out.probe (0).queue_delay.percentile (0.95, 10) * 1000, 0, 60);
  }
}

static void
jitter (Report &report)
{
  for (double std_ms : {5., 15., 30.}) {
    Run run = one_flow (1e6, 50, 60);

    run.net.forward.jitter_std_ms = std_ms;
    check_single (report, format ("jitter-%gms", std_ms), run, {std_ms > 15 ? 0.55 : 0.7, 60, 0.01, 0, 0});
  }
}

static void
long_tcp (Report &report)
{
  for (TcpKind kind : {TcpKind::newreno, TcpKind::cubic}) {
    std::string name = kind == TcpKind::cubic ? "cubic" : "newreno";
    Run run = one_flow (2e6, 50, 120);

    run.flows = {{5, 1e6, 0}};
    run.tcp.resize (1);
    run.tcp[0].kind = kind;
    Outcome out = simulate (report, "tcp-" + name, run);
    double ours = out.probe (0).received.mean_bps (30, 120), tcp = out.probe (1).received.mean_bps (30, 120);
    report.check ("against " + name + ": share of half the link", ours / 1e6, 0.6, 1.5);
    report.note ("against " + name + ": TCP Mb/s", tcp / 1e6);
    std::vector<double> rates = out.probe (0).received.rates_bps (30, 120, 5);
    report.check ("against " + name + ": lowest rate in 5 s kb/s",
        *std::min_element (rates.begin (), rates.end ()) / 1e3, 100, 2000);
    if (report.options ().quick)
      break;
  }
}

static void
own_kind (Report &report)
{
  Run run = one_flow (3.5e6, 50, 120);

  run.flows = {{0, 1e6, 0}, {20, 1e6, 0}, {40, 1e6, 0}};
  Outcome out = simulate (report, "5.4", run);
  std::vector<double> shares;
  for (unsigned i = 0; i < 3; i++) {
    shares.push_back (out.probe (i).received.mean_bps (60, 119));
    report.note (format ("5.4: flow %u kb/s", i + 1), shares[i] / 1e3);
  }
  report.check ("5.4: Jain index", jain_of (shares), 0.9, 1);
  report.check ("5.4: use", (shares[0] + shares[1] + shares[2]) / 3.5e6, 0.85, 1.01);
  report.note ("5.4: queue delay p50 ms", out.net->forward ().all.queue_delay.percentile (0.5, 60) * 1000);
  report.check ("5.4: queue delay p95 ms", out.net->forward ().all.queue_delay.percentile (0.95, 60) * 1000, 0, 100);
  report.check ("5.4: packets lost in the queue", loss_of (out.net->forward ().all), 0, 0.01);
}

static void
round_trip_fairness (Report &report)
{
  double end_s = report.options ().quick ? 160 : 300;
  Run run = one_flow (4e6, 10, end_s);
  const double one_way_ms[] = {10, 25, 50, 100, 150};

  run.flows.clear ();
  for (unsigned i = 0; i < 5; i++)
    run.flows.push_back ({i * 10., 1e6, one_way_ms[i] - 10});
  Outcome out = simulate (report, "5.5", run);
  std::vector<double> shares;
  for (unsigned i = 0; i < 5; i++) {
    shares.push_back (out.probe (i).received.mean_bps (100, end_s - 1));
    report.note (format ("5.5: flow with %g ms kb/s", one_way_ms[i]), shares[i] / 1e3);
    report.note (format ("5.5: flow with %g ms jumps", one_way_ms[i]), out.flows[i].receiver->receiver ().path.jumps);
  }
  report.check ("5.5: Jain index", jain_of (shares), 0.9, 1);
  report.check ("5.5: queue delay p95 ms", out.net->forward ().all.queue_delay.percentile (0.95, 100) * 1000, 0, 100);
}

static void
two_flows (Report &report)
{
  Run run = one_flow (4e6, 50, 125);

  run.net.forward.schedule = {{25, 2e6}, {50, 3.5e6}, {75, 1e6}, {100, 2e6}};
  run.flows = {{0, 1e6, 0}, {0, 1e6, 0}};
  Outcome out = simulate (report, "5.2", run);
  double a = out.probe (0).received.mean_bps (10, 124), b = out.probe (1).received.mean_bps (10, 124);
  report.check ("5.2: Jain index", jain_of ({a, b}), 0.9, 1);
  /* Offered: min (capacity, two sources), steady parts alone. */
  double got = 0, offered = 0;
  for (const Steady &part : steady_parts (run)) {
    for (unsigned i = 0; i < 2; i++)
      got += out.probe (i).received.mean_bps (part.from_s, part.to_s) * (part.to_s - part.from_s);
    offered += std::min (part.capacity_bps, 2 * run.video.max_bps) * (part.to_s - part.from_s);
  }
  report.check ("5.2: use", got / offered, 0.85, 1.05);
  report.check ("5.2: queue delay p95 ms", out.net->forward ().all.queue_delay.percentile (0.95, 5) * 1000, 0, 100);
  report.check ("5.2: packets lost in the queue", loss_of (out.net->forward ().all), 0, 0.02);
}

/* fq_codel; what marks ECT(1) where it waits for 1 ms (RFC 9331), beside the same for packets that may not be marked.
 */
static Run
over_fq_codel (double bps, double delay_ms, bool l4s)
{
  Run run = one_flow (bps, delay_ms, 60);

  run.net.forward.queue.kind = QueueKind::fq_codel;
  run.net.forward.queue.l4s_ms = 1;
  run.l4s = l4s;
  run.start_bps = bps / 5;
  run.video.max_bps = 20e6;
  return run;
}

static void
check_l4s (Report &report, const std::string &label, const Run &run)
{
  std::string name = label + (run.l4s ? "" : "-unmarked");
  Outcome out = simulate (report, name, run);
  size_t flows = run.flows.size ();
  std::vector<double> shares, queue_ms, frame_ms;
  double use = 0, marks = 0, p95_ms = 0;

  for (size_t i = 0; i < flows; i++) {
    queue_ms.clear ();
    use += use_of (run, out, i, &queue_ms);
    shares.push_back (out.probe (i).received.mean_bps (10, run.end_s - 1));
    marks += (double)out.flows[i].receiver->marks / out.flows[i].receiver->packets / flows;
    p95_ms = std::max (p95_ms, percentile_of (queue_ms, 0.95));
    add_frame_delays (run, out.flows[i], &frame_ms);
  }
  name += ": ";
  if (run.l4s) {
    report.check (name + "use", use, 0.85, 1.05);
    /* at 2 Mb/s a single packet takes 4.8 ms */
    report.target (name + "queue delay p95 ms, the worst flow", p95_ms, 0, 5, 0, run.net.forward.bps < 5e6 ? 10 : 5);
  } else {
    report.note (name + "use", use);
    report.note (name + "queue delay p95 ms, the worst flow", p95_ms);
  }
  report.note (name + "frame delay p95 ms", percentile_of (frame_ms, 0.95));
  report.note (name + "packets marked", marks);
  report.note (name + "packets lost in the queue", loss_of (out.net->forward ().all));
  if (flows > 1)
    report.check (name + "Jain index", jain_of (shares), 0.9, 1);
}

static void
l4s (Report &report)
{
  for (double mbps : {2., 5., 15.})
    for (bool marked : {true, false})
      if (!report.options ().quick || (marked && mbps == 5))
        check_l4s (report, format ("l4s-%gM", mbps), over_fq_codel (mbps * 1e6, 20, marked));
}

static void
l4s_three (Report &report)
{
  for (bool marked : {true, false}) {
    Run run = over_fq_codel (12e6, 20, marked);

    if (report.options ().quick && !marked)
      break;
    run.flows = {{0, 1e6, 0}, {0, 1e6, 0}, {0, 1e6, 0}};
    check_l4s (report, "l4s-three", run);
  }
}

/* A path that marks what it would drop keeps the queue short, whoever makes it. */
static Run
over_marking_codel (double bps, double end_s)
{
  Run run = one_flow (bps, 50, end_s);

  run.net.forward.queue.kind = QueueKind::codel;
  run.net.forward.queue.ecn = true;
  run.ect = true;
  return run;
}

static void
marks (Report &report)
{
  check_single (report, "marks-alone", over_marking_codel (1e6, 60), {0.8, 60, 0.01, 0, 5});
  for (unsigned others : {1, 4}) {
    Run run = over_marking_codel ((others + 1) * 1e6, 90);
    std::string name = others > 1 ? "marks-cubics" : "marks-cubic";

    run.flows = {{5, 1e6, 0}};
    run.tcp.resize (others);
    for (TcpSpec &tcp : run.tcp) {
      tcp.kind = TcpKind::cubic;
      tcp.ecn = true;
    }
    Outcome beside = simulate (report, name, run);
    report.check (name + ": of an equal share", beside.probe (0).received.mean_bps (30, 90) / 1e6, 0.3, 1.5);
  }
  Run run = over_marking_codel (3.5e6, 90);
  run.flows = {{0, 1e6, 0}, {10, 1e6, 0}, {20, 1e6, 0}};
  Outcome out = simulate (report, "marks-three", run);
  std::vector<double> shares;
  for (unsigned i = 0; i < 3; i++)
    shares.push_back (out.probe (i).received.mean_bps (40, 89));
  report.check ("marks-three: Jain index", jain_of (shares), 0.8, 1);
  report.check ("marks-three: use", (shares[0] + shares[1] + shares[2]) / 3.5e6, 0.7, 1.01);
  report.check (
      "marks-three: queue delay p95 ms", out.net->forward ().all.queue_delay.percentile (0.95, 40) * 1000, 0, 60);
}

/* A mobile link serves in turns: every 150 or 300 ms one packet takes 50 ms, ten times as long as the others. */
static void
serving_gaps (Report &report)
{
  for (double every_s : {0.15, 0.3}) {
    Run run = one_flow (2e6, 40, 60);
    std::string name = format ("gaps-%gms", every_s * 1000);

    run.net.forward.queue.ms = 0;
    run.net.forward.queue.bytes = 150000;
    for (double at_s = 1; at_s < run.end_s; at_s += every_s) {
      run.net.forward.schedule.push_back ({at_s, 0.2e6});
      run.net.forward.schedule.push_back ({at_s + 0.02, 2e6});
    }
    Outcome out = simulate (report, name, run);
    std::vector<double> frame_ms;
    add_frame_delays (run, out.flows[0], &frame_ms);
    report.note (name + ": use", out.probe (0).received.mean_bps (10, run.end_s) / 2e6);
    report.check (name + ": queue delay p95 ms", out.probe (0).queue_delay.percentile (0.95, 10) * 1000, 0, 150);
    report.note (name + ": frame delay p95 ms", percentile_of (frame_ms, 0.95));
  }
}

/* Calls of unequal weight share one queue: what each has over its weight. */
struct Weighed {
  std::vector<double> shares;
  double use = 0, p95_ms = 0;
};

static Weighed
weigh (Report &report, const std::string &name, const Run &run, uint64_t seed)
{
  Outcome out = simulate (report, name, run, seed);
  double from_s = run.flows.back ().start_s + 30;
  Weighed w;

  for (size_t i = 0; i < run.flows.size (); i++) {
    double bps = out.probe (i).received.mean_bps (from_s, run.end_s - 1);
    w.shares.push_back (bps / run.flows[i].weight);
    w.use += bps / run.net.forward.bps;
  }
  w.p95_ms = out.net->forward ().all.queue_delay.percentile (0.95, from_s) * 1000;
  return w;
}

/* Over ten seeds: within 15 % of its weight, or worst at least. */
static void
check_weights (Report &report, const std::string &name, const Run &run, double worst, double jain)
{
  const unsigned seeds = 10;
  double log_ratio = 0, jains = 0, use = 0, p95_ms = 0;

  for (unsigned k = 0; k < seeds; k++) {
    Weighed w = weigh (report, format ("%s-%u", name.c_str (), k), run, report.options ().seed + k);

    log_ratio += std::log (w.shares.front () / w.shares.back ()) / seeds;
    jains += jain_of (w.shares) / seeds;
    use += w.use / seeds;
    p95_ms += w.p95_ms / seeds;
  }
  report.target (name + ": share over weight, first/last", std::exp (log_ratio), 0.85, 1.15, 1 / worst, worst);
  report.check (name + ": Jain index of share over weight", jains, jain, 1);
  report.check (name + ": use", use, 0.87, 1.01);
  report.check (name + ": queue delay p95 ms", p95_ms, 0, 100);
}

/* One after the other, 5 s apart, with a path of 1 Mb/s for each call and sources that can make more. */
static Run
weighted_calls (const std::vector<double> &weights, double rtt_ms)
{
  Run run = one_flow (1e6 * weights.size (), rtt_ms / 2, 120);

  run.video.max_bps = 6e6;
  run.flows.clear ();
  for (double weight : weights)
    run.flows.push_back ({5. * run.flows.size (), 1e6, 0, weight});
  return run;
}

/* The first one has been alone before, and has all of the path when the other one comes: so both orders count. */
static void
priorities (Report &report)
{
  for (double rtt_ms : {100., 20., 300.}) {
    check_weights (report, format ("1-2-rtt-%g", rtt_ms), weighted_calls ({1, 2}, rtt_ms), 1.15, 0.985);
    if (report.options ().quick)
      return;
    check_weights (report, format ("2-1-rtt-%g", rtt_ms), weighted_calls ({2, 1}, rtt_ms), 1.15, 0.985);
    check_weights (report, format ("2-1-1-rtt-%g", rtt_ms), weighted_calls ({2, 1, 1}, rtt_ms), 1.15, 0.985);
    check_weights (report, format ("3-1-rtt-%g", rtt_ms), weighted_calls ({3, 1}, rtt_ms), 1.25, 0.98);
    check_weights (report, format ("4-1-rtt-%g", rtt_ms), weighted_calls ({4, 1}, rtt_ms), 1.4, 0.97);
  }
  for (double rtt_ms : {100., 20., 300.})
    check_weights (report, format ("1-1-rtt-%g", rtt_ms), weighted_calls ({1, 1}, rtt_ms), 1.15, 0.98);
}

/* The larger one has been there before. */
static void
check_calls (Report &report, const std::string &name, const Run &run)
{
  Weighed w = weigh (report, name, run, report.options ().seed);

  report.note (
      name + ": the first, over an equal share", w.shares.front () * w.shares.size () / (w.use * run.net.forward.bps));
  report.check (name + ": Jain index", jain_of (w.shares), 0.8, 1);
  report.check (name + ": use", w.use, 0.85, 1.01);
  report.check (name + ": queue delay p95 ms", w.p95_ms, 0, 100);
}

/* One run of each: what is judged over seeds brings its own. */
static void
equal_calls (Report &report)
{
  for (double rtt_ms : {100., 20., 300.})
    check_calls (report, format ("two-1M-rtt-%g", rtt_ms), weighted_calls ({1, 1}, rtt_ms));
  Run run = weighted_calls ({1, 1, 1}, 100);
  run.net.forward.bps = 15e6;
  run.video.max_bps = 20e6;
  run.end_s = 80;
  check_calls (report, "three-5M-rtt-100", run);
}

/* Cameras of one kind keep step for minutes: one's frame always meets the other's, and the other never meets it. */
static void
steady_clocks (Report &report)
{
  for (double rtt_ms : {100., 20., 300.}) {
    for (double apart_ms : {0., 10., 15., 25.}) {
      Run run = weighted_calls ({1, 1}, rtt_ms);

      run.video.scale_t = 0;
      run.flows.back ().start_s += apart_ms / 1000;
      check_weights (report, format ("steady-%gms-rtt-%g", apart_ms, rtt_ms), run, 3, 0.8);
    }
  }
}

static const std::vector<Scenario> scenarios = {
    {"variable-capacity", "RFC 8867 5.1: one flow, capacity 1.0, 2.5, 0.6, 1.0 Mb/s", true, variable_capacity},
    {"packet-reports", "RFC 8888 and TWCC do where the receiver knows nothing of the law", true, packet_reports},
    {"frame-rates", "the law does not depend on the frame rate", false, frame_rates},
    {"key-frames", "a key frame of six times the mean becomes no queue", true, key_frames},
    {"higher-rates", "megabits as well", false, higher_rates},
    {"tcp-leaves", "when the others are gone, so is the queue", true, tcp_leaves},
    {"round-trips", "nor on the round-trip time", false, round_trips},
    {"low-rates", "one or two packets a frame suffice", false, low_rates},
    {"random-loss", "loss that is not congestion costs no more than the equation says", true, random_loss},
    {"jitter", "RFC 8868 4.5.2 jitter, 5 to 30 ms", true, jitter},
    {"long-tcp", "RFC 8867 5.6: a long TCP does not starve us", true, long_tcp},
    {"own-kind", "RFC 8867 5.4: three flows share 3.5 Mb/s", true, own_kind},
    {"two-flows", "RFC 8867 5.2: two flows, capacity 4, 2, 3.5, 1, 2 Mb/s", false, two_flows},
    {"priorities", "RFC 8867 6.1: what a call has goes by its weight", true, priorities},
    {"equal-calls", "two and three calls of one weight, one Mb/s and five for each", false, equal_calls},
    {"steady-clocks", "frames that always meet each other alike", false, steady_clocks},
    {"l4s", "a path that marks at once has a queue of a few ms", true, l4s},
    {"l4s-three", "three flows as well", true, l4s_three},
    {"marks", "a path that marks what it would drop: alone, beside TCPs that are marked too, three flows", false,
        marks},
    {"serving-gaps", "gaps of a link that serves in turns are no lack of capacity", false, serving_gaps},
    {"round-trip-fairness", "RFC 8867 5.5: five flows, 10 to 150 ms", true, round_trip_fairness},
};

int
main (int argc, char **argv)
{
  return run_scenarios (argc, argv, scenarios);
}
