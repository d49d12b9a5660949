/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* P-AQM on one bottleneck, beside the figures of Lie 2008: the inner loop alone (paper C), sources that come and go and
   a steady state (paper D), the stability of the outer loop and video beside TCP (paper F). FIFO, RED with ECN,
   FQ-CoDel and PIE are put in P-AQM's place where that tells something.

   Where we differ from the thesis: R is told in the packets (ERF) unless a line says ECF, TFRC stands for DCCP's CCID
   3, and video is a model of groups of pictures (paqmsource.h) instead of MPEG-4 traces. */
#include "ccflow.h"
#include "paqmmixes.h"
#include "paqmvideo.h"
#include "paqmsource.h"
#include "scenario.h"
#include "traffic.h"
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <ns3/core-module.h>

using namespace sim;

static void
run_until (double end_s)
{
  ns3::Simulator::Stop (ns3::Seconds (end_s));
  ns3::Simulator::Run ();
}

/* Paper C: one queue of 200 packets of 1500 bytes at 1 Gb/s, N* = 100 packets, Poisson arrivals. */

struct InnerOutcome {
  double delay_s, drop, use;
  double deviation_s, p999_s, peak; /* of the delay; part of the packets in the fullest of bins of 0.1 ms */
};

static double
peak_of (const SampleSeries &delays, double from_s)
{
  std::map<int, unsigned> bins;
  unsigned most = 0, all = 0;

  for (const auto &sample : delays.samples ())
    if (sample.at_s >= from_s) {
      most = std::max (most, ++bins[(int)(sample.value / 1e-4)]);
      all++;
    }
  return all > 0 ? (double)most / all : 0;
}

static const double paper_c_bps = 1e9, paper_c_packet = 1500;

/* Of papers B and C: one queue, 100 packets wanted, 200 at most, each ms anew. */
static DumbbellSpec
inner_spec (double K)
{
  DumbbellSpec spec;
  PaqmQueueSpec &queue = spec.forward.queue.paqm;

  spec.access_bps = 1e11;
  spec.forward.bps = paper_c_bps;
  spec.forward.queue.kind = QueueKind::paqm;
  queue.params.strikes = false;
  queue.params.burst = 1;
  queue.params.inner[PAQM_MEDIA].dT = CC_MSECOND;
  queue.params.inner[PAQM_MEDIA].K = K;
  queue.params.inner[PAQM_MEDIA].target_bytes = 100 * paper_c_packet;
  queue.params.limit_bytes[PAQM_MEDIA] = 200 * paper_c_packet;
  return spec;
}

/* That follows nobody. */
static PaqmSourceSpec
inner_source (const DumbbellSpec &spec, PaqmSourceKind kind, double load)
{
  PaqmSourceSpec source;

  source.kind = kind;
  source.follow = PaqmFollow::none;
  source.ask = false;
  source.packet_bytes = paper_c_packet - spec.forward.queue.paqm.link_bytes;
  source.initial_bps = source.max_bps = load * paper_c_bps * source.packet_bytes / paper_c_packet;
  return source;
}

static InnerOutcome
run_inner (double load, double K, double duration_s)
{
  DumbbellSpec spec = inner_spec (K);
  Dumbbell net (spec);
  InnerOutcome out;

  add_paqm_flow (net, net.add_pair (), inner_source (spec, PaqmSourceKind::poisson, load));
  run_until (duration_s);
  const auto &all = net.forward ().all;
  out.delay_s = all.queue_delay.mean (duration_s / 10);
  out.drop = (double)all.dropped / all.arrived;
  out.use = all.received.mean_bps (duration_s / 10, duration_s) / paper_c_bps;
  out.deviation_s = sqrt (all.queue_delay.variance (duration_s / 10));
  out.p999_s = all.queue_delay.percentile (0.999, duration_s / 10);
  out.peak = peak_of (all.queue_delay, duration_s / 10);
  ns3::Simulator::Destroy ();
  return out;
}

/* Pollaczek-Khinchin with constant service (paper C eq. 9) */
static double
md1_wait_s (double load)
{
  return load * 12e-6 / (2 * (1 - load));
}

/* The paper's gain is per bit/s of excess, ours per period (paper D eq. 1): at load 1 the excess within a period is
   some 4 %, 40 Mb/s, so that 90e-7 and 15e-7 are about 0.3 and 0.05. */
static const double high_gain = 0.3, low_gain = 0.05;

static void
judge_inner (Report &report, double K, double load, const InnerOutcome &out)
{
  std::string name = format ("K %.2f, load %.2f: ", K, load), md1 = format ("%.3f (M/D/1)", md1_wait_s (load) * 1e3);
  double wait_ms = out.delay_s * 1e3, excess = std::max (0.0, 1 - 1 / load) * 100;

  if (load <= 0.97)
    report.check (name + "delay, ms", wait_ms, 0.8 * md1_wait_s (load) * 1e3, 1.15 * md1_wait_s (load) * 1e3, md1);
  else if (load >= 1.1)
    report.check (name + "delay, ms", wait_ms, 1.08, 1.32, "1.2");
  else
    report.note (name + "delay, ms", wait_ms, load < 1 ? md1 : "to 1.2");
  if (load >= 1.1)
    report.check (name + "drop, %", out.drop * 100, excess - 0.5, excess + 0.5, format ("%.1f (excess)", excess));
  else if (load == 1 && K == high_gain)
    report.check (name + "drop, %", out.drop * 100, 0.4, 0.68, "0.57");
  else if (load == 1)
    report.check (name + "drop, %", out.drop * 100, 0.5, 0.85, "0.69");
  else
    report.note (name + "drop, %", out.drop * 100, load < 1 ? "near 0" : "little above excess");
}

static void
inner_loads (Report &report)
{
  bool quick = report.options ().quick;
  Csv csv (report.options (), "paqm-inner", "K,load,delay_s,drop,use");
  std::vector<double> loads = {0.95, 0.97, 0.99, 1.0, 1.01, 1.03, 1.05, 1.1, 1.25};

  if (quick)
    loads = {0.95, 1.0, 1.1};
  for (double K : {high_gain, low_gain})
    for (double load : loads) {
      if (quick && K == low_gain)
        continue;
      InnerOutcome out = run_inner (load, K, quick ? 0.5 : 3);
      csv.row ({K, load, out.delay_s, out.drop, out.use});
      judge_inner (report, K, load, out);
    }
}

/* Paper C's gain in units of 1e-7 as ours: it is multiplied by the excess, some 4 % at load 1, and what a load is
   above. More than 1 is refused here, as it answers more than the backlog. */
static double
paper_c_gain (double e7, double load)
{
  return std::min (high_gain / 90 * e7 * std::max (load - 1, 0.04) / 0.04, 1.0);
}

/* Paper C, figure 4. */
static void
inner_gains (Report &report)
{
  std::map<double, double> drop;
  double best = 0;

  for (double e7 : {3., 5., 15., 30., 60., 90., 150., 300.}) {
    drop[e7] = run_inner (1, paper_c_gain (e7, 1), report.options ().quick ? 0.5 : 5).drop * 100;
    report.note (format ("gain %.0fe-7: drop at load 1, %%", e7), drop[e7], "-");
    if (best == 0 || drop[e7] < drop[best])
      best = e7;
  }
  report.check ("gain of the least drop, e-7", best, 60, 300, "90");
  report.check ("drop at 90e-7, %", drop[90], 0.4, 0.75, "0.57");
  report.check ("drop at 15e-7 beyond that, %", drop[15] - drop[90], 0, 0.25, "0.12");
  report.check ("drop at 5e-7, %", drop[5], 0.7, 1.3, "1.0");
}

/* Paper C, figures 8 to 11. */
static void
inner_delays (Report &report)
{
  static const double gains[] = {5, 15, 90};
  std::map<std::pair<double, double>, InnerOutcome> of;

  for (double load : {1., 1.01, 1.03, 1.5})
    for (double e7 : gains) {
      std::string name = format ("load %.2f, gain %.0fe-7: ", load, e7);
      InnerOutcome out = of[{load, e7}] = run_inner (load, paper_c_gain (e7, load), report.options ().quick ? 0.5 : 5);
      report.note (name + "delay, ms", out.delay_s * 1e3, "to 1.2");
      report.note (name + "its deviation, ms", out.deviation_s * 1e3, "-");
      report.note (name + "99.9 %, ms", out.p999_s * 1e3, load == 1.03 ? "1.4" : load == 1.5 ? "1.6" : "-");
      report.note (name + "in the fullest 0.1 ms, %", out.peak * 100, "-");
    }
  report.check ("load 1.00: fullest 0.1 ms, gain 5e-7 / 90e-7", of[{1, 5}].peak / of[{1, 90}].peak, 1.2, 20,
      "a peak / hardly one");
  report.check ("load 1.03: deviation, gain 90e-7 / 5e-7", of[{1.03, 90}].deviation_s / of[{1.03, 5}].deviation_s, 0, 1,
      "least at 90e-7");
  report.check ("load 1.03: 99.9 %, gain 90e-7, ms", of[{1.03, 90}].p999_s * 1e3, 1.2, 1.6, "1.4");
  report.check ("load 1.50: deviation, gain 15e-7 / 5e-7", of[{1.5, 15}].deviation_s / of[{1.5, 5}].deviation_s, 0, 1,
      "least at 15e-7");
  report.target ("load 1.50: deviation, gain 15e-7 / 90e-7", of[{1.5, 15}].deviation_s / of[{1.5, 90}].deviation_s, 0,
      1, 0, 1.4, "least at 15e-7");
  report.check ("load 1.50: 99.9 %, gain 15e-7, ms", of[{1.5, 15}].p999_s * 1e3, 1.2, 1.7, "1.6");
}

/* Paper B, figure 5 a: 1.5 times the capacity for 0.1 s of 0.2. */
static void
square_input (Report &report, const std::string &kind_name, PaqmSourceKind kind)
{
  static const double period_s = 0.2, settled_s = 0.02;
  static const unsigned bursts = 5;
  DumbbellSpec spec = inner_spec (high_gain);
  Dumbbell net (spec);
  unsigned pair = net.add_pair ();
  std::vector<double> means;

  for (unsigned i = 0; i < bursts; i++) {
    PaqmSourceSpec source = inner_source (spec, kind, 1.5);
    source.start_s = (i + 0.5) * period_s;
    source.stop_s = (i + 1) * period_s;
    add_paqm_flow (net, pair, source);
  }
  run_until ((bursts + 1) * period_s);
  const SampleSeries &delay = net.forward ().all.queue_delay;
  for (unsigned i = 0; i < bursts; i++)
    means.push_back (delay.mean ((i + 0.5) * period_s + settled_s, (i + 1) * period_s) / 12e-6);
  report.check ("square, " + kind_name + ": packets waiting, mean", mean_of (means), 90, 110, "100");
  report.note ("square, " + kind_name + ": most", delay.max (settled_s) / 12e-6, "200 of room");
  ns3::Simulator::Destroy ();
}

/* Paper B, figure 5 b: from nothing to twice the capacity in 0.2 s, in steps of a twentieth. */
static void
saw_tooth_input (Report &report)
{
  static const double rise_s = 0.2, start_s = 0.1;
  static const unsigned steps = 20;
  DumbbellSpec spec = inner_spec (high_gain);
  Dumbbell net (spec);
  unsigned pair = net.add_pair ();

  for (unsigned i = 0; i < steps; i++) {
    PaqmSourceSpec source = inner_source (spec, PaqmSourceKind::cbr, 2. / steps);
    source.start_s = start_s + rise_s * i / steps;
    source.stop_s = start_s + rise_s;
    add_paqm_flow (net, pair, source);
  }
  run_until (2 * rise_s);
  const SampleSeries &delay = net.forward ().all.queue_delay;
  double half_s = start_s + rise_s / 2;
  report.check ("saw-tooth: packets waiting below the capacity, mean", delay.mean (start_s, half_s) / 12e-6, 0, 5, "0");
  report.check ("saw-tooth: above it, mean", delay.mean (half_s + 0.02, start_s + rise_s) / 12e-6, 102, 180,
      "not as close to 100");
  report.check ("saw-tooth: most", delay.max () / 12e-6, 100, 190, "200 of room");
  ns3::Simulator::Destroy ();
}

/* Paper B, figure 6: a source of 1.5 times the capacity that is told, by factors as there or a rate, each 40 ms. */
static void
told_source (Report &report, PaqmFollow follow)
{
  static const double start_s = 0.1, period_s = 0.04;
  std::string name = follow == PaqmFollow::ecf ? "told a factor" : "told a rate";
  DumbbellSpec spec = inner_spec (high_gain);
  PaqmOuterParams &outer = spec.forward.queue.paqm.params.outer;
  PaqmSourceSpec source;
  double reached_s = -1;

  outer.tau2 = cc_duration (period_s);
  outer.utilisation = 1;
  outer.follow_ecf = follow == PaqmFollow::ecf;
  Dumbbell net (spec);
  source.kind = PaqmSourceKind::poisson;
  source.follow = follow;
  source.packet_bytes = paper_c_packet - spec.forward.queue.paqm.link_bytes;
  source.initial_bps = source.max_bps = 1.5 * paper_c_bps;
  source.start_s = start_s;
  PaqmFlow flow = add_paqm_flow (net, net.add_pair (), source);
  run_until (2);
  for (const auto &sample : flow.source->rates.samples ())
    if (sample.value <= 1.05 * paper_c_bps && reached_s < 0)
      reached_s = sample.at_s;
  report.target (name + ": at the capacity after, periods", (reached_s - start_s) / period_s, 0, 3, 0, 6, "2-3");
  report.check (name + ": use from then on", net.forward ().all.received.mean_bps (reached_s + 0.1, 2) / paper_c_bps,
      0.95, 1.001, "1");
  ns3::Simulator::Destroy ();
}

static void
inner_bursts (Report &report)
{
  square_input (report, "det.", PaqmSourceKind::cbr);
  if (!report.options ().quick)
    square_input (report, "n.e.d.", PaqmSourceKind::poisson);
  saw_tooth_input (report);
  for (PaqmFollow follow : {PaqmFollow::ecf, PaqmFollow::erf})
    told_source (report, follow);
}

/* Paper D, figure 5: 30 Mb/s, 10 ms to either side of the bottleneck, tau_a between the sources and it. */

static const double paper_d_bps = 30e6;
static const uint32_t paper_d_packet = 1500;

static PaqmQueueSpec
paper_d_queue (bool ecf)
{
  PaqmQueueSpec queue;
  PaqmParams &params = queue.params;

  params.inner[PAQM_MEDIA].K = 0.2;
  params.inner[PAQM_MEDIA].dT = 20 * CC_MSECOND; /* 50 packets */
  params.inner[PAQM_MEDIA].target_bytes = 100 * paper_d_packet;
  params.outer.target_bytes = 70 * paper_d_packet;
  params.limit_bytes[PAQM_MEDIA] = 400 * paper_d_packet;
  params.outer.utilisation = 1;
  params.outer.tau2 = CC_SECOND / 5; /* ECF_p of 0.16 to 0.52 s less the round-trip time */
  params.outer.follow_ecf = ecf;
  queue.sample_s = 0.05;
  queue.tell = !ecf;
  return queue;
}

static DumbbellSpec
paper_d_network (QueueKind kind, bool ecf)
{
  DumbbellSpec spec;

  spec.forward.bps = paper_d_bps;
  spec.forward.delay_ms = 10;
  spec.forward.queue.kind = kind;
  spec.forward.queue.packets = 400;
  spec.forward.queue.red_min = 50;
  spec.forward.queue.red_max = 150;
  spec.forward.queue.ecn = true;
  spec.forward.queue.paqm = paper_d_queue (ecf);
  return spec;
}

static const double change_s = 10;

static double
transient_share_bps (unsigned phase)
{
  unsigned active = phase < 5 ? phase + 1 : 10 - phase;

  return std::min (20e6, paper_d_bps / active);
}

/* When the last of the active flows has come to within 15 % of its share for good, s after the change; the whole phase
   where one never does. */
static double
settling_s (const std::vector<const RateSeries *> &flows, unsigned phase, double share_bps)
{
  double from_s = phase * change_s, settled = 0;
  static const double step_s = 0.5;

  for (const RateSeries *flow : flows)
    for (double at_s = from_s; at_s + 0.5 <= from_s + change_s; at_s += step_s)
      if (std::fabs (flow->mean_bps (at_s, at_s + step_s) / share_bps - 1) > 0.15)
        settled = std::max (settled, at_s + step_s - from_s);
  return settled;
}

static void
report_transient (Report &report, const Dumbbell &net, const std::string &name, PaqmFollow follow)
{
  Csv csv (report.options (), "paqm-transient-" + name, "time_s,bps0,bps1,bps2,bps3,bps4");
  double worst_share = 0;
  std::vector<double> settled;

  for (double at_s = 0; at_s < 10 * change_s; at_s += 0.5) {
    std::vector<double> row = {at_s};
    for (unsigned i = 0; i < 5; i++)
      row.push_back (net.forward ().pair[i].received.mean_bps (at_s, at_s + 0.5));
    csv.row (row);
  }
  for (unsigned phase = 0; phase < 10; phase++) {
    double share = transient_share_bps (phase), from_s = phase * change_s;
    std::vector<const RateSeries *> flows;
    for (unsigned i = phase < 5 ? 0 : phase - 5; i < (phase < 5 ? phase + 1 : 5); i++)
      flows.push_back (&net.forward ().pair[i].received);
    for (const RateSeries *flow : flows)
      worst_share =
          std::max (worst_share, std::fabs (flow->mean_bps (from_s + change_s / 2, from_s + change_s) / share - 1));
    settled.push_back (settling_s (flows, phase, share));
  }
  double slowest = *std::max_element (settled.begin (), settled.end ());
  if (follow == PaqmFollow::none) {
    report.note (name + ": share, farthest from fair", worst_share, "sluggish (fig. 7)");
    report.note (name + ": within 15 % after, s, mean", mean_of (settled), "sluggish (fig. 7)");
    return;
  }
  /* ECF's rates draw together by decreases in proportion and even increases only, while what is averaged calls for few
     of either. */
  bool erf = follow == PaqmFollow::erf;
  report.target (name + ": share, farthest from fair", worst_share, 0, 0.1, 0, erf ? 0.1 : 0.6, "20/15/10/7.5/6 Mb/s");
  report.target (name + ": within 15 % after, s, mean", mean_of (settled), 0, 3, 0, erf ? 3 : 8,
      erf ? "fast (fig. 6)" : "fast; CBR a bit slow");
  report.target (name + ": within 15 % after, s, slowest", slowest, 0, 6, 0, erf ? 6 : 10, "fast (fig. 6)");
}

/* Flow i starts at 10 i s and stops at 60 + 10 i s. */
static void
run_transient (
    Report &report, const std::string &name, QueueKind kind, PaqmFollow follow, PaqmSourceKind source_kind, bool tfrc)
{
  DumbbellSpec spec = paper_d_network (kind, follow == PaqmFollow::ecf);

  Dumbbell net (spec);
  for (unsigned i = 0; i < 5; i++) {
    unsigned pair = net.add_pair (10);
    if (tfrc) {
      CcFlowSpec flow = greedy_tfrc_spec (paper_d_packet);
      flow.start_s = change_s * i;
      flow.stop_s = 60 + change_s * i;
      flow.sender.params.max_Bps = 20e6 / 8;
      flow.sender.seed = report.options ().seed * 100 + i;
      add_cc_flow (net, pair, flow);
      continue;
    }
    PaqmSourceSpec source;
    source.kind = source_kind;
    source.follow = follow;
    source.packet_bytes = paper_d_packet;
    source.initial_bps = source.max_bps = 20e6;
    source.start_s = change_s * i;
    source.stop_s = 60 + change_s * i;
    add_paqm_flow (net, pair, source);
  }
  run_until (10 * change_s);
  report_transient (report, net, name, follow);
  ns3::Simulator::Destroy ();
}

static void
transient (Report &report)
{
  run_transient (report, "ERF", QueueKind::paqm, PaqmFollow::erf, PaqmSourceKind::cbr, false);
  if (report.options ().quick)
    return;
  run_transient (report, "ECF", QueueKind::paqm, PaqmFollow::ecf, PaqmSourceKind::poisson, false);
  run_transient (report, "ECF, CBR", QueueKind::paqm, PaqmFollow::ecf, PaqmSourceKind::cbr, false);
  run_transient (report, "TFRC, RED", QueueKind::red, PaqmFollow::none, PaqmSourceKind::cbr, true);
  run_transient (report, "TFRC, FIFO", QueueKind::droptail, PaqmFollow::none, PaqmSourceKind::cbr, true);
}

/* Paper F, figures 6 and 7: ten CBR flows of 2 Mb/s and 400-byte packets over 16 Mb/s. */

struct StabilityOutcome {
  double swing_bytes; /* p95 - p5 of the queue in the last 40 % of the run */
  double settled_s;   /* the queue left N* +- 8 kB for the last time */
};

static DumbbellSpec
paper_f_network (double alpha, double rtt_ms)
{
  DumbbellSpec spec;
  PaqmQueueSpec &queue = spec.forward.queue.paqm;

  spec.forward.bps = 16e6;
  spec.forward.delay_ms = rtt_ms * 0.4;
  spec.forward.queue.kind = QueueKind::paqm;
  queue.params.unstable = queue.params.outer.paper_window = true;
  queue.params.burst = 1;
  queue.params.outer.alpha = alpha;
  queue.params.outer.beta = 0.4;
  queue.params.outer.utilisation = 1;
  queue.params.outer.target_bytes = 40000;
  queue.params.inner[PAQM_MEDIA].target_bytes = 100000;
  queue.params.limit_bytes[PAQM_MEDIA] = 200000;
  queue.sample_s = 0.02;
  return spec;
}

static StabilityOutcome
run_stability (Report &report, double alpha, double rtt_ms, double duration_s)
{
  PaqmSourceSpec source;
  StabilityOutcome out = {};
  std::vector<double> late;

  Dumbbell net (paper_f_network (alpha, rtt_ms));
  source.packet_bytes = 400;
  source.initial_bps = source.max_bps = 2e6;
  for (unsigned i = 0; i < 10; i++)
    add_paqm_flow (net, net.add_pair (rtt_ms * 0.05), source);
  run_until (duration_s);
  Csv csv (report.options (), format ("paqm-stability-%.0f-%g", rtt_ms, alpha), "time_s,queue_bytes,R_bps");
  for (const PaqmRow &row : net.paqm_disc ()->rows ()) {
    csv.row ({row.at_s, row.media_bytes, row.R_bps});
    if (std::fabs (row.media_bytes - 40000) > 8000)
      out.settled_s = row.at_s;
    if (row.at_s >= duration_s * 0.6)
      late.push_back (row.media_bytes);
  }
  out.swing_bytes = percentile_of (late, 0.95) - percentile_of (late, 0.05);
  ns3::Simulator::Destroy ();
  return out;
}

struct StabilityCase {
  double alpha;
  const char *published;
};

/* Unstable: the queue swings by more than half of N* to the end. Marginal: it comes to rest, but later than at 0.85;
   how much it swings in the end is a packet or two in either. At 1.7 the fluid model is unstable as it measures d late;
   here the next period measures what this one told, and by x' = (1 - alpha) x - beta q/d, q' = q + d x' the oscillation
   fades by 0.89 a period (0.85: 0.39, 0.5: 0.71, 1.3: 0.72, 0.1: 0.95). */
static void
judge_stability (
    Report &report, const std::string &name, const StabilityCase &c, const StabilityOutcome &out, double best_s)
{
  double swing = out.swing_bytes / 40000;
  bool unstable = c.alpha == 0.1 || c.alpha == 1.7;

  if (unstable)
    report.target (name + "late swing / N*", swing, 0.5, 10, c.alpha == 0.1 ? 0.5 : 0, 10, c.published);
  else
    report.check (name + "late swing / N*", swing, 0, c.alpha == 0.85 ? 0.3 : 1, c.published);
  report.note (name + "within 8 kB of N* after, s", out.settled_s, c.published);
  if (!unstable && c.alpha != 0.85)
    report.target (name + "at rest after / 0.85's", out.settled_s / best_s, 1.2, 1e3, 0.5, 1e3, "marginal: later");
}

static void
stability (Report &report)
{
  static const StabilityCase cases[] = {
      {0.85, "stable"}, {0.1, "unstable"}, {0.5, "marginal"}, {1.3, "marginal"}, {1.7, "unstable"}};
  bool quick = report.options ().quick;

  for (double rtt_ms : {100.0, 400.0}) {
    double periods_s = (rtt_ms / 1000 + 0.5) * 60, best_s = 0;
    for (const StabilityCase &c : cases) {
      if (quick && (rtt_ms == 400 || (c.alpha != 0.85 && c.alpha != 0.1)))
        continue;
      StabilityOutcome out = run_stability (report, c.alpha, rtt_ms, quick ? 12 : periods_s);
      best_s = c.alpha == 0.85 ? out.settled_s : best_s;
      judge_stability (report, format ("RTT %.0f ms, alpha %.2f: ", rtt_ms, c.alpha), c, out, best_s);
    }
  }
}

/* Paper D, figure 8: the queue, losses and fairness in the steady state. */

struct SteadySpec {
  unsigned flows;
  double rtt_ms;
  QueueKind kind;
  PaqmFollow follow;
  PaqmSourceKind source;
  bool tfrc;
  double duration_s;
};

struct SteadyOutcome {
  double delay_s, jitter_s, loss, use, fair_low, fair_high;
};

static void
add_steady_flow (Dumbbell &net, const SteadySpec &steady, unsigned i, uint64_t seed)
{
  unsigned pair = net.add_pair ((steady.rtt_ms / 2 - 10) / 2, 0.2);
  double fair_bps = paper_d_bps / steady.flows;

  if (steady.tfrc) {
    CcFlowSpec flow = greedy_tfrc_spec (paper_d_packet);
    flow.start_s = 0.01 * i;
    flow.sender.seed = seed * 1000 + i;
    add_cc_flow (net, pair, flow);
    return;
  }
  PaqmSourceSpec source;
  source.kind = steady.source;
  source.follow = steady.follow;
  source.packet_bytes = paper_d_packet;
  source.initial_bps = 0.5 * fair_bps;
  source.max_bps = 20e6;
  source.start_s = 0.01 * i;
  add_paqm_flow (net, pair, source);
}

static SteadyOutcome
run_steady (const Options &options, const SteadySpec &steady)
{
  double from_s = std::min (10.0, steady.duration_s / 2), to_s = steady.duration_s;
  DumbbellSpec spec = paper_d_network (steady.kind, steady.follow == PaqmFollow::ecf);
  SteadyOutcome out = {};
  std::vector<double> shares;
  uint64_t arrived, dropped;

  spec.forward.queue.paqm.elastic_ports = {5004};
  Dumbbell net (spec);
  for (unsigned i = 0; i < steady.flows; i++)
    add_steady_flow (net, steady, i, options.seed);
  const auto &all = net.forward ().all;
  ns3::Simulator::Schedule (ns3::Seconds (from_s), [&] { arrived = all.arrived, dropped = all.dropped; });
  run_until (to_s);
  out.delay_s = all.queue_delay.mean (from_s, to_s);
  out.jitter_s = std::sqrt (all.queue_delay.variance (from_s, to_s));
  out.loss = (double)(all.dropped - dropped) / (all.arrived - arrived);
  out.use = all.received.mean_bps (from_s, to_s) / paper_d_bps;
  for (const auto &pair : net.forward ().pair)
    shares.push_back (pair.received.mean_bps (from_s, to_s) * steady.flows / paper_d_bps);
  out.fair_low = *std::min_element (shares.begin (), shares.end ());
  out.fair_high = *std::max_element (shares.begin (), shares.end ());
  ns3::Simulator::Destroy ();
  return out;
}

static void
judge_steady (Report &report, const SteadySpec &steady, const SteadyOutcome &out)
{
  std::string name = format ("%u, %.0f ms: ", steady.flows, steady.rtt_ms);
  bool hardest = steady.flows == 100 && steady.rtt_ms == 240;
  double loss = steady.rtt_ms == 60 ? 0.01 : steady.rtt_ms == 100 ? 0.1 : 0.7;

  report.target (name + "delay, ms", out.delay_s * 1e3, 22, 34, 14, 36, hardest ? "18.7" : "28");
  report.target (name + "jitter, ms", out.jitter_s * 1e3, 0, hardest ? 9.6 : 5, 0, 15, hardest ? "9.6" : "2-5");
  report.target (name + "loss, %", out.loss * 100, 0, loss, 0, 1.5, format ("%.2f", loss));
  report.check (name + "use, %", out.use * 100, 97, 100.5, "99.8-100");
}

static void
judge_fairness (Report &report, const SteadySpec &steady, const SteadyOutcome &out)
{
  std::string name = format ("%u Poisson, %.0f ms: ", steady.flows, steady.rtt_ms);

  report.target (name + "fairness, least", out.fair_low, 0.98, 1, 0.95, 1, "0.98");
  report.target (name + "fairness, most", out.fair_high, 1, 1.02, 1, 1.05, "1.02");
  report.note (name + "delay, ms", out.delay_s * 1e3);
  report.note (name + "jitter, ms", out.jitter_s * 1e3);
  report.note (name + "loss, %", out.loss * 100);
}

/* The paper's delays and losses are of CBR sources, its fairness of Poisson sources too. */
static void
steady (Report &report, PaqmFollow follow)
{
  bool quick = report.options ().quick;
  Csv csv (report.options (), format ("paqm-steady-%s", follow == PaqmFollow::ecf ? "ecf" : "erf"),
      "source,flows,rtt_ms,delay_s,jitter_s,loss,use,fair_low,fair_high");

  for (PaqmSourceKind source : {PaqmSourceKind::cbr, PaqmSourceKind::poisson})
    for (unsigned flows : {10u, 30u, 100u})
      for (double rtt_ms : {60.0, 100.0, 240.0}) {
        bool poisson = source == PaqmSourceKind::poisson;
        if (quick ? poisson || flows != 30 || rtt_ms != 100 : poisson && (flows != 30 || rtt_ms == 100))
          continue;
        SteadySpec spec = {flows, rtt_ms, QueueKind::paqm, follow, source, false,
            quick     ? 20.0
            : poisson ? 100.0
                      : 60.0};
        SteadyOutcome out = run_steady (report.options (), spec);
        csv.row ({(double)flows, rtt_ms, out.delay_s, out.jitter_s, out.loss, out.use, out.fair_low, out.fair_high},
            poisson ? "poisson" : "cbr");
        if (poisson)
          judge_fairness (report, spec, out);
        else
          judge_steady (report, spec, out);
      }
}

static void
steady_tfrc (Report &report)
{
  static const struct {
    QueueKind kind;
    const char *name;
  } queues[] = {{QueueKind::droptail, "FIFO"}, {QueueKind::red, "RED"}, {QueueKind::fq_codel, "FQ-CoDel"},
      {QueueKind::pie, "PIE"}, {QueueKind::paqm, "P-AQM"}};
  Csv csv (report.options (), "paqm-steady-tfrc", "queue,rtt_ms,delay_s,jitter_s,loss,use,fair_low,fair_high");

  for (double rtt_ms : {60.0, 240.0})
    for (const auto &queue : queues) {
      SteadyOutcome out = run_steady (report.options (),
          {30, rtt_ms, queue.kind, PaqmFollow::none, PaqmSourceKind::cbr, true, report.options ().quick ? 15.0 : 60.0});
      std::string name = format ("%s, 30, %.0f ms: ", queue.name, rtt_ms);
      bool red = queue.kind == QueueKind::red;
      csv.row ({rtt_ms, out.delay_s, out.jitter_s, out.loss, out.use, out.fair_low, out.fair_high}, queue.name);
      report.note (name + "delay, ms", out.delay_s * 1e3, red ? "above 40 (fig. 8)" : "-");
      report.note (name + "jitter, ms", out.jitter_s * 1e3);
      report.note (name + "loss, %", out.loss * 100);
      report.note (name + "fairness, least", out.fair_low, !red ? "-" : rtt_ms == 60 ? "0.89" : "0.78");
      report.note (name + "fairness, most", out.fair_high, !red ? "-" : rtt_ms == 60 ? "1.14" : "1.3");
      report.note (name + "use, %", out.use * 100, red ? "92-100" : "-");
    }
}

int
main (int argc, char **argv)
{
  std::vector<Scenario> scenarios = {
      {"inner", "L1: the inner loop holds a queue under Poisson load at N* (paper C)", true, inner_loads},
      {"inner-bursts", "one queue met by bursts and a rising load (paper B, figures 5 and 6)", true, inner_bursts},
      {"inner-gains", "L1: at full load a middle gain drops least (paper C, figure 4)", false, inner_gains},
      {"inner-delays", "L1: how delays spread by gain and load (paper C, figures 8 to 11)", false, inner_delays},
      {"transient", "L2: five sources come and go (paper D, figures 6 and 7)", true, transient},
      {"steady-erf", "L3: the steady state of 10 to 100 Poisson sources (paper D, figure 8)", true,
          [] (Report &report) { steady (report, PaqmFollow::erf); }},
      {"steady-ecf", "L3: the same, told by how much to change (ECF)", false,
          [] (Report &report) { steady (report, PaqmFollow::ecf); }},
      {"steady-tfrc", "L3: TFRC in their place, over other queues", false, steady_tfrc},
      {"stability", "L6: alpha makes the outer loop stable or not (paper F, figures 6 and 7)", true, stability}};

  for (const auto &more : {video_scenarios (), mix_scenarios ()})
    scenarios.insert (scenarios.end (), more.begin (), more.end ());
  return run_scenarios (argc, argv, scenarios);
}
