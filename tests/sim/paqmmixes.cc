/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "paqmmixes.h"
#include "paqmsource.h"
#include "traffic.h"
#include <ns3/core-module.h>

using namespace sim;

/* As in paper F, figures 8 to 10. */
static const double target_bytes = 35000;

static DumbbellSpec
network (double bps, double utilisation)
{
  DumbbellSpec spec;
  PaqmParams &params = spec.forward.queue.paqm.params;

  spec.forward.bps = bps;
  spec.forward.delay_ms = 20;
  spec.forward.queue.kind = QueueKind::paqm;
  params.outer.utilisation = utilisation;
  params.inner[PAQM_MEDIA].target_bytes = target_bytes;
  params.outer.target_bytes = target_bytes / 10;
  params.limit_bytes[PAQM_MEDIA] = 3 * target_bytes;
  return spec;
}

static void
add_tcps (Dumbbell &net, unsigned flows)
{
  TcpSpec tcp;

  tcp.ecn = true;
  for (unsigned i = 0; i < flows; i++) {
    tcp.start_s = 0.1 * i;
    add_tcp (net, net.add_pair (2.5), tcp);
  }
}

static double
mean_bps (const Dumbbell &net, unsigned first, unsigned count, double from_s, double to_s)
{
  double sum = 0;

  for (unsigned i = first; i < first + count; i++)
    sum += net.forward ().pair[i].received.mean_bps (from_s, to_s) / count;
  return sum;
}

/* ---- who limits itself (6.1.1) ---- */

/* The thesis' 100 Mb/s, 100 media and 100 TCP flows, half of the media telephones: a tenth of it, the same shares. */
static void
run_split (Report &report, const std::string &name, double video_bps, double video_wanted_bps, double tcp_wanted_bps)
{
  static const unsigned telephones = 5, videos = 5, tcps = 10;
  static const double link_bps = 10e6, telephone_bps = 100e3, from_s = 20, to_s = 60;
  Dumbbell net (network (link_bps, 1));

  for (unsigned i = 0; i < telephones + videos; i++) {
    PaqmSourceSpec source;
    source.packet_bytes = i < telephones ? 250 : 1000;
    source.max_bps = i < telephones ? telephone_bps : video_bps;
    source.probe_s = 0.02;
    source.start_s = 0.05 * i;
    add_paqm_flow (net, net.add_pair (2.5), source);
  }
  add_tcps (net, tcps);
  ns3::Simulator::Stop (ns3::Seconds (to_s));
  ns3::Simulator::Run ();
  auto judge = [&] (const char *who, unsigned first, unsigned count, double wanted_bps) {
    report.check (name + who, mean_bps (net, first, count, from_s, to_s) / 1e3, 0.93 * wanted_bps / 1e3,
        1.05 * wanted_bps / 1e3, format ("%.0f", wanted_bps / 1e3));
  };
  judge ("a telephone, kb/s", 0, telephones, telephone_bps);
  judge ("a video, kb/s", telephones, videos, video_wanted_bps);
  judge ("a TCP, kb/s", telephones + videos, tcps, tcp_wanted_bps);
  ns3::Simulator::Destroy ();
}

static void
splits (Report &report)
{
  run_split (report, "videos of up to 2 Mb/s: ", 2e6, 900e3, 500e3);
  run_split (report, "videos of up to 600 kb/s: ", 600e3, 600e3, 650e3);
}

/* ---- who has steps (6.1.2) ---- */

struct StepsCase {
  std::string name;
  std::vector<double> bps;
  double margin, hold_s;
  double most_R_bps = 0; /* the router tells no more; 0: what it finds */
};

struct StepsOutcome {
  double loss, use, delay_95_s, switches; /* use: of what is for media; switches: of a flow, a minute */
};

static const double steps_from_s = 10, steps_to_s = 180;

/* 20 videos, five of them from half of the time on. hold_s: from that to twice that, so that not all go up at once. */
static std::vector<PaqmFlow>
add_steps (Dumbbell &net, const StepsCase &c)
{
  static const unsigned videos = 20, late = 5;
  auto random = ns3::CreateObject<ns3::UniformRandomVariable> ();
  std::vector<PaqmFlow> flows;

  for (unsigned i = 0; i < videos; i++) {
    PaqmSourceSpec source;
    source.kind = PaqmSourceKind::vbr;
    source.max_bps = 2e6;
    source.probe_s = 0.02;
    source.vbr.spread = 0.5;
    source.rungs = {c.bps, c.margin, c.hold_s * random->GetValue (1, 2)};
    source.initial_bps = c.bps.empty () ? 500e3 : c.bps[0];
    source.start_s = random->GetValue (0, 3) + (i < late ? (steps_from_s + steps_to_s) / 2 : 0);
    flows.push_back (add_paqm_flow (net, net.add_pair (2.5), source));
  }
  return flows;
}

static StepsOutcome
run_steps (const StepsCase &c, unsigned tcps)
{
  static const double link_bps = 16e6;
  DumbbellSpec spec = network (link_bps, 0.95);

  if (c.most_R_bps > 0)
    spec.forward.queue.paqm.params.outer.ceiling_Bps = c.most_R_bps / 8;
  Dumbbell net (spec);
  std::vector<PaqmFlow> flows = add_steps (net, c);
  StepsOutcome out = {};
  SampleSeries delay;

  add_tcps (net, tcps);
  ns3::Simulator::Stop (ns3::Seconds (steps_to_s));
  ns3::Simulator::Run ();
  for (size_t i = 0; i < flows.size (); i++) {
    const auto &pair = net.forward ().pair[i];
    for (const auto &sample : pair.queue_delay.samples ())
      delay.add (sample.at_s, sample.value);
    for (const auto &sample : flows[i].source->rates.samples ())
      out.switches += sample.at_s > steps_from_s;
    out.loss += flows[i].loss (steps_from_s, steps_to_s) / flows.size ();
  }
  out.switches *= 60 / (steps_to_s - steps_from_s) / flows.size ();
  out.delay_95_s = delay.percentile (0.95, steps_from_s, steps_to_s);
  out.use = mean_bps (net, 0, flows.size (), steps_from_s, steps_to_s) * flows.size () /
            (link_bps * (tcps ? 0.5 : 1)); /* with 15 to 20 videos: nearly that */
  ns3::Simulator::Destroy ();
  return out;
}

static StepsOutcome
report_steps (Report &report, const StepsCase &c, unsigned tcps)
{
  StepsOutcome out = run_steps (c, tcps);
  std::string name = format ("%s%s: ", c.name.c_str (), tcps ? ", 20 TCP" : "");

  report.note (name + "loss, %", out.loss * 100, "more than at any rate");
  report.note (name + "queue delay, 95 %, ms", out.delay_95_s * 1e3);
  report.note (name + "videos' part used", out.use, "less");
  report.note (name + "changes of a flow, a minute", out.switches, "fewer with hysteresis");
  return out;
}

/* "Only step up their rate if having a margin to the feedback rate seen over a significant time period": that lets them
   step less often and lose less, not nothing, as all hear of the same R and come down together. */
static const double margin = 1.1, hold_s = 4;
static const struct {
  const char *at_once, *held;
  std::vector<double> bps;
} kinds[] = {{"simulcast, at once", "simulcast, hysteresis", {200e3, 400e3, 800e3, 1600e3}},
    {"layers, at once", "layers, hysteresis", {200e3, 300e3, 500e3, 800e3, 1300e3}}};

static void
steps (Report &report)
{
  for (unsigned tcps : {0u, 20u}) {
    report_steps (report, {"any rate", {}, 1, 0}, tcps);
    for (const auto &kind : kinds) {
      StepsOutcome at_once = report_steps (report, {kind.at_once, kind.bps, 1, 0}, tcps);
      StepsOutcome held = report_steps (report, {kind.held, kind.bps, margin, hold_s}, tcps);
      std::string name = format ("%s / at once%s: ", kind.held, tcps ? ", 20 TCP" : "");
      /* Beside TCP R rises to twice an even share while they hold a step (steps_causes). */
      report.target (name + "loss", held.loss / at_once.loss, 0, 1, 0, tcps ? 100 : 1, "less");
      report.target (name + "changes", held.switches / at_once.switches, 0, 0.7, 0, tcps ? 10 : 0.7, "fewer");
    }
  }
}

/* Sources that take less than R let it rise beyond an even share, for all; where it does not, and all is even, a step
   is room that is there. */
static void
steps_causes (Report &report)
{
  static const double share_bps = 0.95 * 16e6 / 40;

  for (const auto &kind : kinds)
    report_steps (report, {format ("%s, R at most an even share", kind.held), kind.bps, margin, hold_s, share_bps}, 20);
}

std::vector<Scenario>
mix_scenarios ()
{
  return {{"splits", "telephones, videos and TCP over one link (6.1.1)", false, splits},
      {"steps", "videos that have steps, simulcast or layers, and hysteresis (6.1.2)", false, steps},
      {"steps-causes", "the same beside 20 TCP where R does not exceed an even share", false, steps_causes}};
}
