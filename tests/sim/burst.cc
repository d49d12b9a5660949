/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Burst control against TCP: figures 4, 5/6 and 7/8 of Chodorek & Chodorek, "An analysis of TCP-tolerant real-time
   multimedia distribution in heterogeneous networks". Ten Mb/s, drop tail of 13 packets, SACK TCP with 1000-byte
   segments, video of constant rate over RTP with each frame sent at once or spread by the sender's burst control. */
#include "ccflow.h"
#include "scenario.h"
#include "traffic.h"
#include <ns3/applications-module.h>
#include <algorithm>
#include <cmath>
#include <ns3/core-module.h>

using namespace sim;

/* The chapter does not print the frame rate of its CBR model. Its losses without burst control tell: 50 % at 3 Mb/s and
   75 % at 6 Mb/s mean that of a frame's n and 2n packets the same n/2 get through, the 13 of the queue and the one or
   two served meanwhile: n = 30 packets of 1000 bytes, one frame each 80 ms. */
static const double frames_per_s = 12.5;
/* The rate of the chapter's worked example. Its period divides TCP's retransmission times. With it packets of 1500
   bytes at 3 Mb/s and of 5000 at 6 Mb/s are the first whose frames fit the queue, as in the chapter's figure 4. */
static const double example_fps = 25;

/* ns-2's TCP starts with two segments and stops at a window of 20 unless told otherwise: that is why the chapter loses
   nothing from 20 ms up, where 20 segments a round-trip are less than the link has free. Its retransmission timer is at
   least 1 s, RFC 2988. */
struct Tcp {
  unsigned window = 20, initial_window = 2, delayed_acks = 2; /* segments */
  double min_rto_s = 1, tick_s = 0.001, connect_s = 3;
  unsigned segment_bytes = 1000;
  bool sack = true, limited_transmit = true, prr = true;
};
static const double whole_s = 1, tcp_start_s = 1.001; /* the first flow of the first phase */

/* The chapter's sources know their frame period, ours learn it from the second frame on: the first second is left out.
 */
static const double settled_s = 1;

static const unsigned finite_queue = 13, infinite_queue = 5000; /* packets */

struct Run {
  double video_bps = 3e6, fps = frames_per_s; /* each */
  unsigned payload_bytes = 1000, videos = 1, tcps = 1;
  unsigned queue_packets = finite_queue;
  double delay_ms = 5;
  bool burst_control = true, tfrc = false; /* tfrc: instead of both */
  double duration_s = 300;
  double phase = 0;    /* of the TCP flows' start in the frame period */
  unsigned starts = 3; /* how many, spread over a frame period */
  double access_bps = 100e6;
  bool together = false; /* all videos capture at the same instants, and all TCPs start while such a frame arrives */
  Tcp tcp;
};

struct Outcome {
  double rtp_loss, all_loss; /* shares of packets */
  double rtp_bps;            /* goodput of each video, mean */
  double rtp_worst_bps;
  double tcp_bps;       /* goodput of all TCP flows together */
  double tcp_ip_bps;    /* their throughput: IP packets, as in figure 4 e, f */
  double tcp_worst_bps; /* in the worst phase */
  double delay_variance;
  double waiting_mean, waiting_variance; /* packets in the bottleneck's queue */
};

static DumbbellSpec
network (const Run &run)
{
  DumbbellSpec spec;

  spec.forward.bps = 10e6;
  spec.forward.delay_ms = run.delay_ms;
  spec.forward.queue.packets = run.queue_packets - 1; /* and one in the device: 13 wait, one is being sent */
  spec.access_bps = run.access_bps;
  spec.mtu = 9000;
  return spec;
}

/* Without burst control each frame leaves at the speed of the access link. */
class UnpacedVideo : public ns3::Application
{
public:
  Run run;
  ns3::Ipv4Address peer;
  uint64_t sent = 0;

private:
  void
  StartApplication () override
  {
    socket = ns3::Socket::CreateSocket (GetNode (), ns3::UdpSocketFactory::GetTypeId ());
    socket->Bind ();
    socket->Connect (ns3::InetSocketAddress (peer, 5004));
    frame ();
  }

  void
  StopApplication () override
  {
    next.Cancel ();
  }

  void
  frame ()
  {
    double bytes = run.video_bps / 8 / run.fps + owed;
    unsigned packets = bytes / run.payload_bytes;

    owed = bytes - packets * run.payload_bytes;
    for (unsigned i = 0; i < packets; i++)
      socket->Send (ns3::Create<ns3::Packet> (rtp_fixed_bytes + run.payload_bytes));
    sent += packets;
    next = ns3::Simulator::Schedule (ns3::Seconds (1 / run.fps), &UnpacedVideo::frame, this);
  }

  ns3::Ptr<ns3::Socket> socket;
  ns3::EventId next;
  double owed = 0;
};

struct Video {
  CcFlow flow;
  ns3::Ptr<UnpacedVideo> unpaced;
};

static Video
add_video (Dumbbell &net, unsigned pair, const Run &run, double start_s, uint64_t seed)
{
  Video video;

  if (run.burst_control || run.tfrc) {
    CcFlowSpec spec = cc_flow_spec (
        run.tfrc ? CC_MODE_RFC5348 : CC_MODE_BURST_CONTROL, std::make_shared<CbrSource> (run.video_bps, run.fps));
    spec.sender.params.max_Bps = 1e8;
    spec.sender.payload_bytes = run.payload_bytes;
    spec.sender.seed = seed + pair;
    spec.start_s = start_s;
    video.flow = add_cc_flow (net, pair, spec);
    return video;
  }
  video.unpaced = ns3::CreateObject<UnpacedVideo> ();
  video.unpaced->run = run;
  video.unpaced->peer = net.right_address (pair);
  video.unpaced->SetStartTime (ns3::Seconds (start_s));
  net.left (pair)->AddApplication (video.unpaced);
  ns3::PacketSinkHelper ("ns3::UdpSocketFactory", ns3::InetSocketAddress (ns3::Ipv4Address::GetAny (), 5004))
      .Install (net.right (pair));
  return video;
}

struct Counts {
  uint64_t arrived, dropped;
};

/* Per pair, the last one over all. */
static std::vector<Counts>
counts_of (const Dumbbell &net)
{
  std::vector<Counts> list;

  for (const auto &probe : net.forward ().pair)
    list.push_back ({probe.arrived, probe.dropped});
  list.push_back ({net.forward ().all.arrived, net.forward ().all.dropped});
  return list;
}

static std::vector<Counts>
count_settled (const Dumbbell &net, double duration_s)
{
  ns3::Simulator::Stop (ns3::Seconds (settled_s));
  ns3::Simulator::Run ();
  std::vector<Counts> before = counts_of (net);
  ns3::Simulator::Stop (ns3::Seconds (duration_s - settled_s));
  ns3::Simulator::Run ();
  std::vector<Counts> counts = counts_of (net);
  for (size_t i = 0; i < counts.size (); i++) {
    counts[i].arrived -= before[i].arrived;
    counts[i].dropped -= before[i].dropped;
  }
  return counts;
}

/* Each 1.3 ms, which no frame period is a multiple of. */
static void
watch_queue (const Dumbbell *net, SampleSeries *waiting)
{
  waiting->add (ns3::Simulator::Now ().GetSeconds (), net->waiting ());
  ns3::Simulator::Schedule (ns3::MicroSeconds (1300), &watch_queue, net, waiting);
}

static double
loss_of (const Counts &counts)
{
  return (double)counts.dropped / counts.arrived;
}

static double
video_start_s (const Run &run, unsigned i, ns3::Ptr<ns3::UniformRandomVariable> random)
{
  return i == 0 || run.together ? 0 : random->GetValue (0, 1 / run.fps);
}

/* What the frames of all videos take on their access links, each its own. */
static double
frame_arrives_s (const Run &run)
{
  unsigned packets = run.video_bps / 8 / run.fps / run.payload_bytes;

  return packets * (run.payload_bytes + rtp_fixed_bytes + udp_ip_bytes) * 8 / run.access_bps;
}

/* A script starts its sources at whole seconds: together with a frame where the frame period divides them. At its end
   the queue is full. */
static double
tcp_starts_s (const Run &run, unsigned i)
{
  return run.together ? whole_s + 0.9 * frame_arrives_s (run) : tcp_start_s + (run.phase + i * 0.37) / run.fps;
}

/* A sender of ours ends each frame with a shorter packet where it has to. */
static double
bytes_per_packet (const Run &run)
{
  double frame = run.video_bps / 8 / run.fps;

  return run.burst_control || run.tfrc ? frame / std::ceil (frame / run.payload_bytes) : run.payload_bytes;
}

static TcpSpec
chapter_tcp (const Run &run, unsigned number)
{
  TcpSpec tcp;

  tcp.segment_bytes = run.tcp.segment_bytes;
  tcp.min_rto_s = run.tcp.min_rto_s;
  tcp.tick_s = run.tcp.tick_s;
  tcp.connect_s = run.tcp.connect_s;
  tcp.sack = run.tcp.sack;
  tcp.limited_transmit = run.tcp.limited_transmit;
  tcp.prr = run.tcp.prr;
  tcp.delayed_acks = run.tcp.delayed_acks;
  tcp.initial_segments = run.tcp.initial_window;
  tcp.buffer_bytes = run.tcp.window * tcp.segment_bytes;
  tcp.start_s = tcp_starts_s (run, number);
  return tcp;
}

static Outcome
simulate (const Report &report, const Run &run)
{
  Dumbbell net (network (run));
  ns3::Ptr<ns3::UniformRandomVariable> random = ns3::CreateObject<ns3::UniformRandomVariable> ();
  std::vector<Video> videos;
  Outcome out = {};

  for (unsigned i = 0; i < run.videos + run.tcps; i++)
    net.add_pair (0.001);
  for (unsigned i = 0; i < run.videos; i++)
    videos.push_back (add_video (net, i, run, video_start_s (run, i, random), report.options ().seed));
  for (unsigned i = run.videos; i < run.videos + run.tcps; i++)
    add_tcp (net, i, chapter_tcp (run, i - run.videos));
  SampleSeries waiting;
  watch_queue (&net, &waiting);
  std::vector<Counts> counts = count_settled (net, run.duration_s);
  const auto &forward = net.forward ();
  Counts video = {};
  out.rtp_worst_bps = 1e12;
  for (unsigned i = 0; i < run.videos; i++) {
    double goodput =
        (counts[i].arrived - counts[i].dropped) * 8 * bytes_per_packet (run) / (run.duration_s - settled_s);
    video.arrived += counts[i].arrived;
    video.dropped += counts[i].dropped;
    out.rtp_bps += goodput / run.videos;
    out.rtp_worst_bps = std::min (out.rtp_worst_bps, goodput);
  }
  for (unsigned i = run.videos; i < run.videos + run.tcps; i++) {
    out.tcp_bps += tcp_goodput_bytes (net, i) * 8.0 / (run.duration_s - tcp_start_s);
    out.tcp_ip_bps += forward.pair[i].received.mean_bps (tcp_start_s, run.duration_s);
  }
  out.rtp_loss = loss_of (video);
  out.all_loss = loss_of (counts.back ());
  out.delay_variance = forward.pair[0].queue_delay.variance (settled_s);
  out.waiting_mean = waiting.mean (settled_s);
  out.waiting_variance = waiting.variance (settled_s);
  ns3::Simulator::Destroy ();
  return out;
}

static const char *columns = "video_bps,payload_bytes,videos,tcps,delay_ms,burst_control,rtp_loss,all_loss,rtp_bps,tcp_"
                             "bps,delay_variance,tcp_worst_bps,queue_packets,tcp_ip_bps,waiting_mean,waiting_variance";

/* Whether a burst hits a TCP's retransmissions hangs on when the TCP started: the timers are multiples of the frame
   period or nearly so. The chapter's one run of 300 s is three here of 20 s, whose starts are spread over a frame
   period. */
static Outcome
measure (const Report &report, Run run, bool burst_control, Csv &csv)
{
  unsigned phases = report.options ().quick ? std::min (2u, run.starts) : run.starts;
  Outcome out = {};

  run.burst_control = burst_control;
  run.duration_s = report.options ().quick ? 10 : 20;
  out.tcp_worst_bps = out.rtp_worst_bps = 1e12;
  for (unsigned i = 0; i < phases; i++) {
    run.phase = (double)i / phases;
    Outcome one = simulate (report, run);
    out.rtp_loss += one.rtp_loss / phases;
    out.all_loss += one.all_loss / phases;
    out.rtp_bps += one.rtp_bps / phases;
    out.tcp_bps += one.tcp_bps / phases;
    out.tcp_ip_bps += one.tcp_ip_bps / phases;
    out.delay_variance += one.delay_variance / phases;
    out.waiting_mean += one.waiting_mean / phases;
    out.waiting_variance += one.waiting_variance / phases;
    out.rtp_worst_bps = std::min (out.rtp_worst_bps, one.rtp_worst_bps);
    out.tcp_worst_bps = std::min (out.tcp_worst_bps, one.tcp_bps);
  }
  csv.row ({run.video_bps, (double)run.payload_bytes, (double)run.videos, (double)run.tcps, run.delay_ms,
      (double)burst_control, out.rtp_loss, out.all_loss, out.rtp_bps, out.tcp_bps, out.delay_variance,
      out.tcp_worst_bps, (double)run.queue_packets, out.tcp_ip_bps, out.waiting_mean, out.waiting_variance});
  return out;
}

static double
useful_ratio (const Outcome &with, const Outcome &without, const Run &run)
{
  return (with.rtp_bps * run.videos + with.tcp_bps) / (without.rtp_bps * run.videos + without.tcp_bps);
}

/* Figures 4 and 7 with starts at any time, and as a script of the chapter's simulator has them, whose one run is
   without chance: the frames of its worked example, TCP started with one of them, so that its first segments and, whole
   seconds later, their retransmissions meet a frame each. */
struct Setting {
  const char *suffix;
  double fps;
  bool together;
  unsigned starts, flows_payload_bytes;
};

static const Setting any_start = {"", frames_per_s, false, 3, 1000};
static const Setting one_start = {"-together", example_fps, true, 1, 188};

static void
set (Run &run, const Setting &setting)
{
  run.fps = setting.fps;
  run.together = setting.together;
  run.starts = setting.starts;
}

static void
judge_payload (Report &report, const Run &run, const Outcome &without, const Outcome &with)
{
  bool small = run.payload_bytes <= 188, six = run.video_bps > 5e6;
  double least = small ? 0.8 : 0.3;
  std::string name = format ("%g Mb/s, %u B", run.video_bps / 1e6, run.payload_bytes);

  /* Half as many packets a frame, where frames take 40 ms. */
  report.target (name + " without: RTP loss", without.rtp_loss, least, 1,
      !run.together ? least
      : small       ? 0.7
                    : 0,
      1, small ? "> 0.8" : "0.5, 0.75");
  /* At 6 Mb/s in 150-byte packets the headers leave TCP 2.3 Mb/s, three segments a round-trip: where its window
     grows by one, more than five packets of video find no room until it has noticed. */
  report.target (name + " with: loss, RTP and TCP", with.all_loss, 0, 0.03, 0, small ? 0.045 : 0.03, "<= 0.03");
  report.check (name + " with: RTP goodput / rate", with.rtp_bps / run.video_bps, 0.96, 1.01, "1");
  report.note (
      name + " without: TCP Mb/s", without.tcp_bps / 1e6, six && run.payload_bytes <= 150 ? "0.006..0.009" : "-");
  report.note (name + " with: TCP Mb/s", with.tcp_bps / 1e6);
  report.target (name + " TCP with - without, Mb/s", (with.tcp_bps - without.tcp_bps) / 1e6, 0, 10, -10, 10, "> 0");
  report.target (name + " with: TCP throughput Mb/s", with.tcp_ip_bps / 1e6, 0.54, 10, six && small ? 0.4 : 0.54, 10,
      six && run.payload_bytes <= 150 ? "0.54..1.2" : "-");
  double useful = useful_ratio (with, without, run);
  if (small)
    report.note (name + " useful goodput, with / without", useful);
  else
    report.check (name + " useful goodput, with / without", useful, 1.05, 1e3, "> 1");
}

static void
payload_length (Report &report, const Setting &setting)
{
  Csv csv (report.options (), std::string ("burst-payload") + setting.suffix, columns);

  for (double video_bps : {3e6, 6e6})
    for (unsigned payload : {100, 150, 188, 500, 1000, 1400}) {
      if (report.options ().quick && payload != (video_bps > 5e6 ? 188 : 1000))
        continue;
      Run run;
      run.video_bps = video_bps;
      run.payload_bytes = payload;
      set (run, setting);
      Outcome without = measure (report, run, false, csv), with = measure (report, run, true, csv);
      judge_payload (report, run, without, with);
    }
}

/* Without burst control the chapter's videos are stable from these sizes on, whose frames fit the queue. */
static void
stable_lengths (Report &report)
{
  Csv csv (report.options (), "burst-stable", columns);

  for (bool six : {false, true}) {
    Run run;
    run.video_bps = six ? 6e6 : 3e6;
    run.payload_bytes = six ? 5000 : 1500;
    set (run, one_start);
    Outcome without = measure (report, run, false, csv);
    report.check (format ("%d Mb/s, %u B without: RTP loss", six ? 6 : 3, run.payload_bytes), without.rtp_loss, 0, 0.03,
        "stable from here on");
  }
}

/* Why a TCP without burst control may get nothing at all: its segments and, multiples of the frame period later, their
   retransmissions meet the bursts. The starts are spread over a frame period; the first comes 1 ms after a frame. */
static void
collapse (Report &report)
{
  Csv csv (report.options (), "burst-collapse", columns);

  for (double video_bps : {3e6, 6e6})
    for (unsigned payload : {100, 188}) {
      if (report.options ().quick && payload == 100)
        continue;
      Run run;
      run.video_bps = video_bps;
      run.payload_bytes = payload;
      run.fps = example_fps;
      Outcome without = measure (report, run, false, csv), with = measure (report, run, true, csv);
      std::string name = format ("%g Mb/s, %u B", video_bps / 1e6, payload);
      report.check (
          name + " without: TCP kb/s, worst start", without.tcp_worst_bps / 1e3, 0, 20, video_bps > 5e6 ? "6..9" : "-");
      report.note (name + " with: TCP kb/s, worst start", with.tcp_worst_bps / 1e3);
      report.target (name + " TCP with - without, mean of the starts, Mb/s", (with.tcp_bps - without.tcp_bps) / 1e6, 0,
          10, -10, 10, "> 0");
      report.target (name + " with: TCP throughput kb/s", with.tcp_ip_bps / 1e3, 540, 1e4, 400, 1e4,
          video_bps > 5e6 ? "540..1200" : "-");
    }
}

/* The chapter: TCP's throughput "is always larger" with burst control. What in its simulator may have made it so, one
   thing at a time, with and without. */
struct Cause {
  const char *name;
  void (*set) (Run &run);
};

static const Cause causes[] = {
    {"as elsewhere", [] (Run &) {}},
    {"no SACK", [] (Run &run) { run.tcp.sack = false; }},
    {"a window of 1000 segments", [] (Run &run) { run.tcp.window = 1000; }},
    {"an ACK for each segment", [] (Run &run) { run.tcp.delayed_acks = 1; }},
    {"initial window 1", [] (Run &run) { run.tcp.initial_window = 1; }},
    {"RTO of at least 0.2 s", [] (Run &run) { run.tcp.min_rto_s = 0.2; }},
    {"RTO in ticks of 0.1 s", [] (Run &run) { run.tcp.tick_s = 0.1; }},
    {"an access link of 1 Gb/s", [] (Run &run) { run.access_bps = 1e9; }},
    {"10 frames/s", [] (Run &run) { run.fps = 10; }},
    {"no SACK, 10 frames/s", [] (Run &run) { run.tcp.sack = false, run.fps = 10; }},
    {"segments of 500 B, a window of 40", [] (Run &run) { run.tcp.segment_bytes = 500, run.tcp.window = 40; }},
    {"recovery by RFC 6582, without PRR", [] (Run &run) { run.tcp.prr = false; }},
    {"no limited transmit", [] (Run &run) { run.tcp.limited_transmit = false; }},
    {"ns-2's: no SACK, no PRR, ticks of 0.1 s",
        [] (Run &run) { run.tcp.sack = run.tcp.prr = run.tcp.limited_transmit = false, run.tcp.tick_s = 0.1; }},
    {"25 frames/s", [] (Run &run) { run.fps = example_fps; }},
    {"started with a frame", [] (Run &run) { run.together = true; }},
    {"25 frames/s, started with a frame", [] (Run &run) { set (run, one_start); }},
    {"no SACK, 25 frames/s", [] (Run &run) { run.tcp.sack = false, run.fps = example_fps; }},
};

static void
what_makes_tcp_lose (Report &report)
{
  Csv csv (report.options (), "burst-causes", columns);
  static const struct {
    double video_bps;
    unsigned payload;
  } cells[] = {{6e6, 1000}, {6e6, 150}};

  for (const auto &cell : cells)
    for (const Cause &cause : causes) {
      Run run;
      run.video_bps = cell.video_bps;
      run.payload_bytes = cell.payload;
      cause.set (run);
      Outcome without = measure (report, run, false, csv), with = measure (report, run, true, csv);
      std::string name = format ("%g Mb/s, %u B, %s: ", cell.video_bps / 1e6, cell.payload, cause.name);
      report.note (name + "TCP Mb/s without", without.tcp_bps / 1e6);
      report.note (name + "TCP Mb/s without, worst start", without.tcp_worst_bps / 1e6);
      report.note (name + "TCP Mb/s with", with.tcp_bps / 1e6);
      report.note (name + "RTP loss without", without.rtp_loss, cell.payload > 188 ? "0.75" : "> 0.8");
    }
}

static void
propagation_delay (Report &report)
{
  Csv csv (report.options (), "burst-delay", columns);

  for (double video_bps : {3e6, 6e6})
    for (double delay_ms : {1.0, 5.0, 20.0, 100.0, 1000.0}) {
      if (report.options ().quick && delay_ms != 5 && delay_ms != 20)
        continue;
      Run run;
      run.video_bps = video_bps;
      run.delay_ms = delay_ms;
      Outcome without = measure (report, run, false, csv), with = measure (report, run, true, csv);
      std::string name = format ("%g Mb/s, %g ms", video_bps / 1e6, delay_ms);
      /* At 1 ms a window of 20 segments exceeds pipe and queue together: TCP keeps the queue full in either case, so
         the video without burst control loses more and the variance says nothing. */
      bool overfull = delay_ms < 2;
      report.check (name + " without: RTP loss", without.rtp_loss, video_bps > 5e6 ? 0.65 : 0.4,
          overfull          ? 0.9
          : video_bps > 5e6 ? 0.85
                            : 0.6,
          video_bps > 5e6 ? "0.75" : "0.5");
      bool near = delay_ms < 20;
      report.target (name + " with: RTP loss", with.rtp_loss, 0, near ? 0.05 : 4e-6, 0, near ? 0.05 : 1e-3,
          near ? "< 0.05" : "4e-6");
      report.target (name + " delay variance, without / with", without.delay_variance / with.delay_variance, 10, 1e9,
          overfull ? 0
          : near   ? 1
                   : 5,
          1e9, near ? "10" : "10..100");
      report.target (name + " with: delay variance s2", with.delay_variance, 0, near ? 7e-6 : 2e-7, 0,
          near ? 2e-5 : 3e-6, near ? "2e-7..7e-6" : "< 2e-7");
      report.check (name + " useful goodput, with / without", useful_ratio (with, without, run), overfull ? 0.95 : 1.05,
          1e3, "> 1");
      report.note (name + " TCP Mb/s without", without.tcp_bps / 1e6, delay_ms < 100 ? "unstable" : "stable, low");
      report.note (name + " TCP Mb/s with", with.tcp_bps / 1e6, "stable");
      report.target (name + " TCP with - without, Mb/s", (with.tcp_bps - without.tcp_bps) / 1e6, 0, 10, -10, 10,
          delay_ms < 100 ? "> 0 (fig 6)" : ">= 0 (fig 6)");
    }
}

/* The other buffer of the chapter: 5000 packets, where nothing is lost and a frame sent at once is queue. */
static void
infinite_buffer (Report &report)
{
  Csv csv (report.options (), "burst-infinite", columns);

  for (double video_bps : {3e6, 6e6})
    for (unsigned tcps : {0, 1}) {
      Run run;
      run.video_bps = video_bps;
      run.tcps = tcps;
      run.queue_packets = infinite_queue;
      Outcome without = measure (report, run, false, csv), with = measure (report, run, true, csv);
      std::string name = format ("%g Mb/s, %u TCP", video_bps / 1e6, tcps);
      report.check (name + " with: loss, RTP and TCP", with.all_loss, 0, 0, "0");
      /* Alone the video finds the queue empty. A TCP of 20 segments a round-trip keeps its own queue in either case. */
      if (tcps == 0)
        report.check (name + " with: delay variance s2", with.delay_variance, 0, 2e-7, "hundreds of times smaller");
      else
        report.target (name + " delay variance, without / with", without.delay_variance / with.delay_variance, 10, 1e12,
            3, 1e12, "usually at least 10");
    }
  if (report.options ().quick)
    return;
  for (unsigned tcps : {5, 10}) {
    Run run;
    run.video_bps = 1e6;
    run.videos = 5;
    run.tcps = tcps;
    run.queue_packets = infinite_queue;
    Outcome with = measure (report, run, true, csv);
    report.check (
        format ("5 video, %u TCP with: RTP goodput / rate", tcps), with.rtp_bps / run.video_bps, 0.99, 1.01, "1");
  }
}

static void
many_flows (Report &report, const Setting &setting)
{
  Csv csv (report.options (), std::string ("burst-flows") + setting.suffix, columns);

  for (unsigned videos : {1, 5, 8, 10})
    for (unsigned tcps : {1, 5, 10}) {
      if (report.options ().quick && !(videos == 5 && tcps == 5))
        continue;
      Run run;
      run.video_bps = 1e6;
      run.videos = videos;
      run.tcps = tcps;
      run.payload_bytes = setting.flows_payload_bytes;
      set (run, setting);
      Outcome without = measure (report, run, false, csv), with = measure (report, run, true, csv);
      std::string name = format ("%u video, %u TCP", videos, tcps);
      /* Ten TCPs cannot have less than a segment or two each in a queue of 13: what they push out is loss to all. */
      report.target (name + " with: RTP goodput / rate", with.rtp_bps / run.video_bps, 0.97, 1.05,
          videos < 10 ? 0.8 : 0.6, 1.05, videos < 10 ? "1" : "~1");
      report.check (name + " RTP goodput with / without", with.rtp_bps / without.rtp_bps, 1.1, 1e3, "> 1");
      report.check (name + " with: link use", (with.rtp_bps * videos * 1.042 + with.tcp_bps * 1.054) / 10e6, 0.7, 1.02,
          "TCP uses the rest");
      report.note (name + " without: RTP goodput / rate", without.rtp_bps / run.video_bps, "degraded");
      report.target (name + " TCP with - without, Mb/s", (with.tcp_bps - without.tcp_bps) / 1e6, 0, 10, -10, 10,
          "TCP degraded without");
      report.note (name + " TCP Mb/s with", with.tcp_bps / 1e6);
      report.note (name + " TCP Mb/s without", without.tcp_bps / 1e6);
    }
}

/* Figure 9, of another paper of theirs: TFRC carries the video where half of the link is enough. */
static void
video_over_tfrc (Report &report)
{
  Csv csv (report.options (), "burst-tfrc", columns);

  for (double rate = 1e6; rate < 9.5e6; rate += 1e6) {
    if (report.options ().quick && rate != 4e6 && rate != 8e6)
      continue;
    Run run;
    run.video_bps = rate;
    run.tfrc = true;
    Outcome out = measure (report, run, false, csv);
    std::string name = format ("%g Mb/s", rate / 1e6);
    double fair = 5e6 / 1.042;
    report.target (name + ": RTP goodput / the lesser of rate and half of the link",
        out.rtp_bps / std::min (rate, fair), 0.9, 1.3, 0.3, 2, "1, then held down");
    report.note (name + ": TCP goodput Mb/s", out.tcp_bps / 1e6);
  }
}

/* Figures 10 to 12: how full the bottleneck's queue is. Their legends tell with from without TCP only, so the buffer is
   the one of both: 5000 packets. One start: nothing here hangs on it. */
static void
judge_occupancy (Report &report, const Run &run, const std::string &name, const char *mean_published, Csv &csv)
{
  Outcome without = measure (report, run, false, csv), with = measure (report, run, true, csv);

  report.note (name + ": packets waiting, with / without", with.waiting_mean / without.waiting_mean, mean_published);
  report.target (name + ": variance, with / without", with.waiting_variance / without.waiting_variance, 0, 1, 0, 1e3,
      "always smaller");
}

static void
occupancy (Report &report)
{
  Csv csv (report.options (), "burst-occupancy", columns);
  bool quick = report.options ().quick;
  Run common;

  common.starts = 1;
  common.queue_packets = infinite_queue;
  for (double video_bps : {3e6, 6e6})
    for (unsigned tcps : {0, 1})
      for (unsigned payload : {100, 188, 1000, 1400, 8000}) {
        Run run = common;
        if (quick && payload != 188)
          continue;
        run.video_bps = video_bps;
        run.tcps = tcps;
        run.payload_bytes = payload;
        judge_occupancy (report, run, format ("%g Mb/s, %u TCP, %u B", video_bps / 1e6, tcps, payload),
            tcps == 0 ? (payload < 1000 ? "1/hundreds (fig 10)" : "-") : "close to 1 (fig 10)", csv);
      }
  for (double delay_ms : {1.0, 20.0, 100.0, 1000.0}) {
    Run run = common;
    if (quick)
      break;
    run.delay_ms = delay_ms;
    judge_occupancy (report, run, format ("3 Mb/s, 1 TCP, %g ms", delay_ms),
        delay_ms < 50 ? "comparable (fig 10 c, d)" : "smaller (fig 10 c, d)", csv);
  }
  for (unsigned payload : {188, 1000})
    for (double rate : {1e6, 3e6, 5e6, 7e6, 9e6}) {
      Run run = common;
      if (quick)
        break;
      run.video_bps = rate;
      run.payload_bytes = payload;
      judge_occupancy (report, run, format ("%u B, 1 TCP, %g Mb/s", payload, rate / 1e6), "comparable (fig 12)", csv);
    }
}

/* Layered multicast (topology T3): layers of 1 Mb/s each from one host, captured at the same instants, to receivers at
   delays of their own. The bottleneck carries one copy, whoever listens. */
struct Multicast {
  unsigned layers = 3, receivers = 1, payload_bytes = 1000;
  double duty_step = 0.1; /* of each layer less than the one below */
  bool tcp = true;
  std::vector<ns3::Ptr<CcReceiverApplication>> heard = {}; /* layer by layer */
};

static const double top_duty = 0.95, layer_bps = 1e6;

static CcSenderConfig
layer_sender (const Report &report, const Multicast &m, unsigned layer)
{
  CcFlowSpec spec = cc_flow_spec (CC_MODE_BURST_CONTROL, std::make_shared<CbrSource> (layer_bps, example_fps));

  spec.sender.params.max_Bps = 1e8;
  spec.sender.params.burst.duty = top_duty - layer * m.duty_step;
  spec.sender.payload_bytes = m.payload_bytes;
  spec.sender.seed = report.options ().seed + layer;
  spec.sender.port = 5004 + 2 * layer;
  spec.sender.peer = ns3::Ipv4Address (0xefff0001 + layer); /* 239.255.0.1 and following */
  return spec.sender;
}

static void
add_layer (Dumbbell &net, const Report &report, Multicast &m, unsigned layer)
{
  CcSenderConfig config = layer_sender (report, m, layer);

  net.route_group (config.peer, 0, 0, m.receivers - 1);
  for (unsigned i = 0; i < m.receivers; i++) {
    CcReceiverConfig receiver = cc_flow_spec (CC_MODE_BURST_CONTROL, config.source).receiver;
    receiver.port = config.port;
    m.heard.push_back (ns3::CreateObject<CcReceiverApplication> ());
    m.heard.back ()->configure (receiver);
    net.right (i)->AddApplication (m.heard.back ());
  }
  ns3::Ptr<CcSenderApplication> sender = ns3::CreateObject<CcSenderApplication> ();
  sender->configure (config);
  net.left (0)->AddApplication (sender);
}

struct MulticastOutcome {
  double least; /* of the receivers' goodput / rate, over all layers */
  double tcp_bps, waiting_variance;
};

static MulticastOutcome
simulate_multicast (const Report &report, Multicast m)
{
  Run run;
  run.video_bps = layer_bps;
  run.fps = example_fps;
  run.payload_bytes = m.payload_bytes;
  Dumbbell net (network (run));
  auto random = ns3::CreateObject<ns3::UniformRandomVariable> ();
  double end_s = report.options ().quick ? 10 : 30;
  SampleSeries waiting;
  MulticastOutcome out = {1e9, 0, 0};

  for (unsigned i = 0; i < m.receivers; i++)
    net.add_pair (i == 0 ? 0.001 : random->GetValue (0, 20));
  unsigned beside = net.add_pair (0.001);
  for (unsigned layer = 0; layer < m.layers; layer++)
    add_layer (net, report, m, layer);
  if (m.tcp)
    add_tcp (net, beside, chapter_tcp (run, 0));
  watch_queue (&net, &waiting);
  ns3::Simulator::Stop (ns3::Seconds (end_s));
  ns3::Simulator::Run ();
  for (const auto &receiver : m.heard) {
    double part = receiver->packets * bytes_per_packet (run) * 8 / (layer_bps * end_s);
    out.least = std::min (out.least, part);
  }
  out.tcp_bps = m.tcp ? tcp_goodput_bytes (net, beside) * 8.0 / (end_s - tcp_start_s) : 0;
  out.waiting_variance = waiting.variance (settled_s);
  ns3::Simulator::Destroy ();
  return out;
}

static void
multicast (Report &report)
{
  Multicast common;
  MulticastOutcome one = simulate_multicast (report, common);

  for (unsigned receivers : {5, 10, 30}) {
    if (report.options ().quick && receivers != 10)
      continue;
    Multicast m = common;
    m.receivers = receivers;
    MulticastOutcome out = simulate_multicast (report, m);
    std::string name = format ("%u receivers: ", receivers);
    report.check (name + "goodput / rate, the worst layer of the worst receiver", out.least, 0.95, 1.01, "1");
    report.check (name + "the same / with one receiver", out.least / one.least, 0.99, 1.01, "the same graphs");
    report.check (name + "TCP / beside one receiver", out.tcp_bps / one.tcp_bps, 0.99, 1.01, "the same graphs");
  }
  Multicast m = {5, 1, 188, 0, false};
  MulticastOutcome equal = simulate_multicast (report, m);
  m.duty_step = 0.04;
  MulticastOutcome unequal = simulate_multicast (report, m);
  report.check ("5 layers of small packets: variance of the queue, unequal duty / equal",
      unequal.waiting_variance / equal.waiting_variance, 0, 0.8, "avoids synchronization");
  report.check ("the same: goodput / rate, the worst", unequal.least, 0.97, 1.01, "1");
}

static void
video_rate (Report &report)
{
  Csv csv (report.options (), "burst-rate", columns);

  for (double rate = 1e6; rate < 9.5e6; rate += 1e6) {
    if (report.options ().quick && rate != 4e6)
      continue;
    Run run;
    run.video_bps = rate;
    Outcome without = measure (report, run, false, csv), with = measure (report, run, true, csv);
    std::string name = format ("%g Mb/s", rate / 1e6);
    double free_bps = 10e6 - with.rtp_bps * 1.042;
    report.check (name + " with: RTP goodput / rate", with.rtp_bps / rate, 0.95, 1.01, "1");
    report.check (name + " with: TCP / free capacity", with.tcp_bps * 1.054 / free_bps, 0.5, 1.05, "most of the rest");
    report.check (
        name + " without: RTP goodput / rate", without.rtp_bps / rate, 0, rate < 2e6 ? 1.01 : 0.8, "collapse");
    report.note (name + " without: TCP / free capacity", without.tcp_bps * 1.054 / free_bps, "collapse");
  }
}

int
main (int argc, char **argv)
{
  return run_scenarios (argc, argv,
      {{"payload", "RTP payload length (figure 4): collapse without, at most 3 % loss with burst control", true,
           [] (Report &report) { payload_length (report, any_start); }},
          {"payload-together", "the same (figure 4), 25 frames/s, TCP started while a frame arrives", true,
              [] (Report &report) {
                payload_length (report, one_start);
                stable_lengths (report);
              }},
          {"collapse",
              "TCP in the worst phase (figure 4 e, f): nothing without, a share with burst control; and in the mean",
              true, collapse},
          {"causes", "what TCP without burst control hangs on", false, what_makes_tcp_lose},
          {"delay", "propagation delay (figures 5 and 6)", true, propagation_delay},
          {"infinite", "a buffer that loses nothing: the queue's delay varies less", true, infinite_buffer},
          {"flows", "i TCP beside j videos of 1 Mb/s (figure 7)", true,
              [] (Report &report) { many_flows (report, any_start); }},
          {"flows-together",
              "the same (figure 7) in packets of 188 B, 25 frames/s, all TCP started while a frame arrives", true,
              [] (Report &report) { many_flows (report, one_start); }},
          {"multicast", "layers from one host to 5, 10 and 30 receivers (topology T3), of equal and unequal duty", true,
              multicast},
          {"rate", "one video of 1 to 9 Mb/s beside one TCP (figure 8)", true, video_rate},
          {"tfrc", "the same over TFRC (figure 9)", true, video_over_tfrc},
          {"occupancy", "mean and variance of the queue (figures 10 to 12)", true, occupancy}});
}
