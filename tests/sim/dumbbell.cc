/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does the simulated network do what its description says? */
#include "ccflow.h"
#include "dumbbell.h"
#include "scenario.h"
#include "traffic.h"
#include <ns3/core-module.h>

using namespace sim;

static DumbbellSpec
ten_megabits (double delay_ms)
{
  DumbbellSpec spec;

  spec.forward.bps = 10e6;
  spec.forward.delay_ms = delay_ms;
  spec.forward.queue.ms = 100;
  return spec;
}

static void
run_until (double seconds)
{
  ns3::Simulator::Stop (ns3::Seconds (seconds));
  ns3::Simulator::Run ();
  ns3::Simulator::Destroy ();
}

/* 12 Mb/s into 10 Mb/s: the queue stands at its limit, one packet in six is lost. */
static void
overload (Report &report)
{
  Dumbbell net (ten_megabits (10));

  net.add_pair ();
  add_udp (net, 0, 12e6, 1250, 0, 10);
  run_until (11);
  const Dumbbell::PairProbe &probe = net.forward ().pair[0];
  /* 1250 B + 2 B PPP at 10 Mb/s; the limit of 125000 B holds 100 packets, 2 more are in the device. */
  report.check ("throughput Mb/s", probe.received.mean_bps (2, 9) / 1e6, 9.94, 10.0, "9.98 = 10 * 1250/1252");
  report.check ("loss", (double)probe.dropped / probe.arrived, 0.155, 0.17, "1/6");
  report.check ("largest queue delay ms", probe.queue_delay.max () * 1000, 99, 103, "100..102");
}

static void
capacity_step (Report &report)
{
  DumbbellSpec spec = ten_megabits (10);

  spec.forward.schedule = {{5, 2e6}, {10, 10e6}};
  Dumbbell net (spec);
  net.add_pair ();
  add_udp (net, 0, 12e6, 1250, 0, 15);
  run_until (16);
  const Dumbbell::PairProbe &probe = net.forward ().pair[0];
  report.check ("throughput at 2 Mb/s", probe.received.mean_bps (6, 9) / 1e6, 1.98, 2.0, "1.997");
  /* The limit shrank with the capacity: 25000 B = 20 packets, 2 in the device. */
  report.check ("largest delay once drained ms", probe.queue_delay.max (6, 10) * 1000, 99, 111, "100..110");
  report.check ("throughput back at 10 Mb/s", probe.received.mean_bps (11, 14) / 1e6, 9.94, 10.0, "9.98");
}

static void
impairments (Report &report)
{
  DumbbellSpec spec = ten_megabits (50);
  unsigned received = 0, overtaken = 0;

  spec.forward.loss.good_loss = 0.02;
  spec.forward.jitter_std_ms = 5;
  Dumbbell net (spec);
  net.add_pair ();
  add_udp (net, 0, 5e6, 1250, 0, 20);
  uint64_t newest = 0;
  net.right (0)->GetDevice (1)->TraceConnectWithoutContext (
      "MacRx", ns3::Callback<void, ns3::Ptr<const ns3::Packet>> ([&] (ns3::Ptr<const ns3::Packet> packet) {
        received++;
        overtaken += packet->GetUid () < newest;
        newest = std::max (newest, packet->GetUid ());
      }));
  run_until (21);
  report.check ("random loss", 1 - (double)received / net.forward ().all.arrived, 0.015, 0.025, "0.02");
  report.check ("packets overtaken", overtaken, 0, 0, "0 (NR-BPDV)");
}

static void
tcp (Report &report, TcpKind kind)
{
  Dumbbell net (ten_megabits (20));
  TcpSpec spec;

  spec.kind = kind;
  net.add_pair (5);
  add_tcp (net, 0, spec);
  run_until (20);
  report.check ("throughput Mb/s", net.forward ().pair[0].received.mean_bps (5, 20) / 1e6, 8.5, 10);
  report.check ("base rtt ms", net.base_rtt_s (0) * 1000, 60, 60);
}

static void
greedy_tfrc (Report &report)
{
  Dumbbell net (ten_megabits (45));

  net.add_pair (2.5);
  CcFlow flow = add_cc_flow (net, 0, greedy_tfrc_spec (1480));
  run_until (40);
  report.check ("throughput Mb/s", net.forward ().pair[0].received.mean_bps (20, 40) / 1e6, 8, 10);
  report.check ("round-trip time within base and full queue", cc_seconds (flow.sender->status ().rtt) * 1000, 100, 202);
  report.check ("wake-ups that asked for the past", flow.sender->stuck, 0, 0);
  report.check ("reports per second", flow.sender->feedback_packets / 40.0, 4, 20);
}

static void
video (Report &report, CcMode mode)
{
  Dumbbell net (ten_megabits (45));
  VideoModel model;

  net.add_pair (2.5);
  CcFlowSpec spec = cc_flow_spec (mode, std::make_shared<VideoModelSource> (model));
  CcFlow flow = add_cc_flow (net, 0, spec);
  run_until (30);
  report.check ("throughput Mb/s", net.forward ().pair[0].received.mean_bps (10, 30) / 1e6, 1.3, 1.8);
  report.check (
      "whole frames / frames offered", (double)flow.receiver->frames ().size () / flow.sender->frames_offered, 0.98, 1);
  report.check ("wake-ups that asked for the past", flow.sender->stuck, 0, 0);
}

int
main (int argc, char **argv)
{
  return run_scenarios (argc, argv,
      {{"overload", "drop tail in ms of capacity", true, overload},
          {"capacity-step", "rate and byte limit follow the schedule", true, capacity_step},
          {"impairments", "random loss at its rate, jitter without reordering", true, impairments},
          {"tcp-newreno", "one NewReno fills the link", true, [] (Report &r) { tcp (r, TcpKind::newreno); }},
          {"tcp-cubic", "one Cubic fills the link", true, [] (Report &r) { tcp (r, TcpKind::cubic); }},
          {"tcp-bbr", "one BBR fills the link", true, [] (Report &r) { tcp (r, TcpKind::bbr); }},
          {"greedy-tfrc", "TFRC with data at hand fills the link", true, greedy_tfrc},
          {"video-rfc5348", "video below the link's rate arrives whole", true,
              [] (Report &r) { video (r, CC_MODE_RFC5348); }},
          {"video-low-delay", "the same in low-delay mode", true, [] (Report &r) { video (r, CC_MODE_LOW_DELAY); }},
          {"video-burst-control", "the same without control", true,
              [] (Report &r) { video (r, CC_MODE_BURST_CONTROL); }}});
}
