/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One RFC 5348 flow with data always at hand beside 1, 4 and 8 TCP flows on one bottleneck: does it take a TCP's share
   in the long run, and is it smoother at every time scale of Saurin 2006, section 5.2.6? */
#include "ccflow.h"
#include "scenario.h"
#include "traffic.h"
#include <ns3/core-module.h>

using namespace sim;

static const double time_scales_s[] = {0.2, 0.4, 0.5, 0.8, 1, 2, 4, 5, 8, 10};

enum class Tested { tfrc, newreno };

struct Cell {
  TcpKind tcp;
  QueueKind queue;
  double rtt_ms;
  unsigned competitors;
};

static const uint32_t packet_bytes = 1492; /* IP; TCP: 1440 + 52 */
/* A fair share is this many packets per bare round-trip, so that windows, and with them the loss rates the equation is
   fed with, are alike in all cells: 9 Mb/s at 20 ms, 1.8 at 100 ms, 0.9 at 200 ms. */
static const double share_packets = 15;

static double
capacity_bps (const Cell &cell)
{
  return (cell.competitors + 1) * share_packets * packet_bytes * 8 / (cell.rtt_ms / 1000);
}

struct Outcome {
  double ratio;                 /* the flow under test / mean TCP */
  double use;                   /* of the capacity */
  double loss;                  /* of the TFRC flow's packets at the queue */
  std::vector<double> tfrc_cov; /* by time scale */
  std::vector<double> tcp_cov;  /* mean over the TCP flows */
  uint64_t openings;            /* of the TFRC flow's circuit (RFC 8083) */
};

static DumbbellSpec
network (const Cell &cell)
{
  DumbbellSpec spec;
  double bps = capacity_bps (cell);
  double bdp_packets = bps * cell.rtt_ms / 1000 / 8 / packet_bytes;

  spec.forward.bps = bps;
  spec.forward.delay_ms = cell.rtt_ms * 0.45;
  spec.forward.queue.kind = cell.queue;
  spec.forward.queue.packets = std::max (bdp_packets, 4.0);
  if (cell.queue == QueueKind::red) {
    /* A buffer of two BDP with thresholds at a quarter of and one and a quarter BDP, as in the TFRC papers. */
    spec.forward.queue.packets = std::max (2 * bdp_packets, 20.0);
    spec.forward.queue.red_min = std::max (bdp_packets / 4, 5.0);
    spec.forward.queue.red_max = std::max (bdp_packets * 5 / 4, 15.0);
  }
  return spec;
}

static std::vector<double>
covs (const RateSeries &series, double from_s, double to_s)
{
  std::vector<double> list;

  for (double scale : time_scales_s)
    list.push_back (cov_of (series.rates_bps (from_s, to_s, scale)));
  return list;
}

static void
build (Dumbbell &net, const Cell &cell)
{
  ns3::Ptr<ns3::UniformRandomVariable> random = ns3::CreateObject<ns3::UniformRandomVariable> ();

  double jitter_ms = 2 * packet_bytes * 8 / capacity_bps (cell) * 1000;

  /* Against phase effects: access delays differ (0.02..0.03 of the round-trip time), and packets are late by about two
     service times of the bottleneck. Without it a paced flow can fall in step with the departures and lose nothing. */
  for (unsigned i = 0; i <= cell.competitors; i++)
    net.add_pair (cell.rtt_ms * random->GetValue (0.02, 0.03), jitter_ms);
  for (unsigned i = 1; i <= cell.competitors; i++) {
    TcpSpec tcp;
    tcp.kind = cell.tcp;
    tcp.start_s = random->GetValue (0, 5);
    add_tcp (net, i, tcp);
  }
}

static CcFlow
add_tested (Dumbbell &net, Tested tested, uint64_t seed)
{
  CcFlowSpec tfrc = greedy_tfrc_spec (packet_bytes);
  TcpSpec tcp;

  tcp.start_s = tfrc.start_s = 2;
  tfrc.sender.seed = seed;
  if (tested == Tested::tfrc)
    return add_cc_flow (net, 0, tfrc);
  add_tcp (net, 0, tcp);
  return {};
}

static Outcome
run_cell (const Options &options, const Cell &cell, Tested tested, double duration_s)
{
  Dumbbell net (network (cell));
  double from_s = duration_s / 5;
  Outcome out = {};

  build (net, cell);
  CcFlow flow = add_tested (net, tested, options.seed);
  ns3::Simulator::Stop (ns3::Seconds (duration_s));
  ns3::Simulator::Run ();
  const auto &pairs = net.forward ().pair;
  std::vector<double> tcp_bps;
  out.tcp_cov.resize (std::size (time_scales_s));
  for (unsigned i = 1; i <= cell.competitors; i++) {
    tcp_bps.push_back (pairs[i].received.mean_bps (from_s, duration_s));
    std::vector<double> cov = covs (pairs[i].received, from_s, duration_s);
    for (size_t k = 0; k < cov.size (); k++)
      out.tcp_cov[k] += cov[k] / cell.competitors;
  }
  double tfrc_bps = pairs[0].received.mean_bps (from_s, duration_s);
  out.ratio = tfrc_bps / mean_of (tcp_bps);
  out.use = net.forward ().all.received.mean_bps (from_s, duration_s) / capacity_bps (cell);
  out.loss = (double)pairs[0].dropped / std::max<uint64_t> (pairs[0].arrived, 1);
  out.tfrc_cov = covs (pairs[0].received, from_s, duration_s);
  out.openings = flow.sender ? flow.sender->sender ().circuit.openings : 0;
  ns3::Simulator::Destroy ();
  return out;
}

static void
report_cell (Report &report, const Cell &cell, Csv &csv)
{
  /* 15 windows of 10 s at least: of ten the deviation says nothing */
  double duration_s = std::max (1500 * cell.rtt_ms / 1000, 150.0);
  Outcome out = run_cell (report.options (), cell, Tested::tfrc, duration_s);
  std::string name = format ("%u TCP, %.0f ms", cell.competitors, cell.rtt_ms);
  double worst_short = 0, worst_long = 0;

  for (size_t k = 0; k < out.tfrc_cov.size (); k++) {
    double &worst = time_scales_s[k] <= 1 ? worst_short : worst_long;
    worst = std::max (worst, out.tfrc_cov[k] / out.tcp_cov[k]);
    csv.row ({(double)(cell.tcp == TcpKind::cubic), (double)(cell.queue == QueueKind::red), cell.rtt_ms,
        (double)cell.competitors, out.ratio, out.use, out.loss, time_scales_s[k], out.tfrc_cov[k], out.tcp_cov[k]});
  }
  if (cell.tcp == TcpKind::cubic) {
    /* The equation describes Reno. What a Reno gets here bounds what may be asked of TFRC. */
    double reno = run_cell (report.options (), cell, Tested::newreno, duration_s).ratio;
    report.target (name + ": TFRC / mean TCP", out.ratio, 0.5, 2, std::min (0.5, 0.6 * reno),
        std::max (2.0, 1.6 * reno), format ("0.5..2 (NewReno %.2f)", reno));
  } else {
    report.check (name + ": TFRC / mean TCP", out.ratio, 0.5, 2, "0.5..2");
  }
  report.check (name + ": circuit opens", out.openings, 0, 0);
  /* Two flows that fill a link are each other's complement: of equal deviation, hence CoV as 1 / share. And beyond 100
     round-trips the variation no longer depends on the control (Saurin 2006, 5.2.6), only the sample is small. */
  double worst = cell.competitors == 1 ? std::max (1.0, 1.2 / out.ratio) : 1;
  /* ns-3's TCPs differ by version: 4 Cubic over RED, seeds 1 to 24, 0.77 +- 0.13 with 3.37 and 0.85 +- 0.20 with 3.43,
     where five seeds are above 1 (seed 1: 1.03). */
  report.target (name + ": CoV / TCP's, worst of 0.2-1 s", worst_short, 0, 1, 0, 1.1 * worst, "< 1");
  report.target (name + ": CoV / TCP's, worst of 2-10 s", worst_long, 0, 1, 0, 1.5 * worst, "< 1");
}

static void
run_cells (Report &report, TcpKind tcp, QueueKind queue, double rtt_ms, const std::string &name)
{
  Csv csv (
      report.options (), "tcpfair-" + name, "cubic,red,rtt_ms,competitors,ratio,use,loss,scale_s,tfrc_cov,tcp_cov");

  for (unsigned competitors : {1u, 4u, 8u})
    if (!report.options ().quick || competitors == 4)
      report_cell (report, {tcp, queue, rtt_ms, competitors}, csv);
}

int
main (int argc, char **argv)
{
  std::vector<Scenario> scenarios;

  for (TcpKind tcp : {TcpKind::newreno, TcpKind::cubic})
    for (QueueKind queue : {QueueKind::droptail, QueueKind::red})
      for (double rtt_ms : {20.0, 100.0, 200.0}) {
        const char *tcp_name = tcp == TcpKind::cubic ? "cubic" : "newreno";
        const char *queue_name = queue == QueueKind::red ? "red" : "droptail";
        std::string name = format ("%s-%s-%g", tcp_name, queue_name, rtt_ms);
        scenarios.push_back ({name,
            format ("a fair and smoother share beside %s, %s, %g ms", tcp_name,
                queue == QueueKind::red ? "RED" : "drop tail of one BDP", rtt_ms),
            rtt_ms == 100 && (tcp == TcpKind::cubic) == (queue == QueueKind::red),
            [=] (Report &report) { run_cells (report, tcp, queue, rtt_ms, name); }});
      }
  return run_scenarios (argc, argv, scenarios);
}
