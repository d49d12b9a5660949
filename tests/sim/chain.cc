/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does the chain of bottlenecks under the quality lab do what its description says, and does it tell all of it? */
#include "chain.h"
#include "scenario.h"
#include "traffic.h"
#include <algorithm>
#include <fstream>
#include <map>
#include <ns3/core-module.h>
#include <unistd.h>

using namespace sim;

/* What the observer was told of one pair's forward packets. */
struct Told {
  unsigned sent = 0, queue = 0, random = 0, delivered = 0, overtaken = 0;
  uint64_t bytes = 0, newest = 0;
  double least_s = 1e9, most_s = 0; /* from the first queue to the far host */
  double queue_least_s = 1e9, queue_most_s = 0, last_s = 0;
};

static void
note (Told *told, const ChainEvent &e)
{
  double now = ns3::Simulator::Now ().GetSeconds ();

  told->sent += e.fate == ChainFate::sent;
  told->queue += e.fate == ChainFate::queue;
  told->random += e.fate == ChainFate::random;
  if (e.fate != ChainFate::delivered)
    return;
  told->delivered++;
  told->bytes += e.size;
  told->overtaken += e.number < told->newest;
  told->newest = std::max (told->newest, e.number);
  told->least_s = std::min (told->least_s, now - e.first_s);
  told->most_s = std::max (told->most_s, now - e.first_s);
  told->queue_least_s = std::min (told->queue_least_s, e.queue_delay_s);
  told->queue_most_s = std::max (told->queue_most_s, e.queue_delay_s);
  told->last_s = now;
}

static ChainHopSpec
hop_of (double bps, double delay_ms)
{
  ChainHopSpec hop;

  hop.forward.link.bps = bps;
  hop.forward.link.delay_ms = hop.backward.link.delay_ms = delay_ms;
  return hop;
}

/* UDP of bps over each pair for 10 s. */
static std::vector<Told>
simulate (const std::vector<ChainHopSpec> &hops, const std::vector<ChainPairSpec> &pairs, double bps, unsigned bytes)
{
  std::vector<Told> told (pairs.size ());
  Chain chain (hops);

  chain.on_event = [&] (const ChainEvent &e) {
    if (e.forward)
      note (&told[e.pair], e);
  };
  for (const ChainPairSpec &spec : pairs) {
    unsigned pair = chain.add_pair (spec);
    add_udp (chain.hosts (pair, true), bps, bytes, 0, 10);
  }
  ns3::Simulator::Stop (ns3::Seconds (12));
  ns3::Simulator::Run ();
  ns3::Simulator::Destroy ();
  return told;
}

/* RFC 8867 6.3's way through: one flow over all hops, others over one each. */
static void
hops (Report &report)
{
  std::vector<Told> told = simulate (
      {hop_of (1e6, 10), hop_of (4e6, 20), hop_of (0.75e6, 30)}, {{0, 2, 0.020}, {0, 0, 0}, {2, 2, 0}}, 0.3e6, 1250);

  /* Propagation: 60 ms of the hops, and half the access delay that comes behind the first queue; 1252 bytes take 10.0,
     2.5 and 13.4 ms. */
  report.check ("over all: least delay ms", told[0].least_s * 1000, 95.9, 96.0, "60 + 10 + 25.9");
  report.check ("over all: told once a hop", told[0].sent / 3.0 - told[0].delivered, 0, 0);
  report.check ("over the first", told[1].least_s * 1000, 20.0, 20.1, "10 + 10.0");
  report.check ("over the last", told[2].least_s * 1000, 43.3, 43.4, "30 + 13.4");
  /* 10 s at 30 packets/s each; both bottlenecks have room. */
  for (const Told &t : told)
    report.check ("delivered", t.delivered, 299, 301, "300");
}

/* The sum of what waited in both queues, each at its own limit of 100 ms. */
static void
queues (Report &report)
{
  std::vector<ChainHopSpec> two = {hop_of (2e6, 10), hop_of (1e6, 10)};

  two[0].forward.link.queue.ms = two[1].forward.link.queue.ms = 100;
  Told told = simulate (two, {{0, 1, 0}}, 3e6, 1250)[0];
  /* 12500 bytes of limit hold 10 packets, one more is in the device: 11 of 10.0 ms, and 21 of 5.0 ms, at most. */
  report.check ("greatest delay in both ms", told.queue_most_s * 1000, 200, 216, "100..105 + 100..110");
  report.check ("all accounted for", 3e6 / 8 / 1250 * 10 - told.queue - told.delivered, -1, 1, "0");
  report.check ("delivered Mb/s", told.bytes * 8 / told.last_s / 1e6, 0.97, 1.0, "0.998 while it sends");
}

static std::string
write_trace (const std::vector<int> &ms)
{
  std::string path = format ("/tmp/sim-chain-%d.trace", (int)getpid ());
  std::ofstream file (path);

  for (int at : ms)
    file << at << "\n";
  return path;
}

static Told
over_trace (const std::vector<int> &ms, double bps, unsigned bytes)
{
  std::string path = write_trace (ms);
  std::vector<ChainHopSpec> one = {hop_of (1e6, 10)};

  one[0].forward.chances_s = read_chances (path);
  unlink (path.c_str ());
  return simulate (one, {{0, 0, 0}}, bps, bytes)[0];
}

/* A chance each 12 ms is 1 Mb/s, where the queue never empties; two at once and then none is the same in the mean. */
static void
chances (Report &report)
{
  Told steady = over_trace ({12}, 2e6, 1500), bursty = over_trace ({24, 24}, 2e6, 1500);
  Told small = over_trace ({12}, 2e6, 300), sparse = over_trace ({12}, 0.11e6, 1500);

  report.check ("packets of 1500: Mb/s", steady.bytes * 8 / steady.last_s / 1e6, 0.98, 1.0, "1");
  report.check ("two at once: Mb/s", bursty.bytes * 8 / bursty.last_s / 1e6, 0.98, 1.0, "1");
  report.check ("packets of 300, five a chance: Mb/s", small.bytes * 8 / small.last_s / 1e6, 0.98, 1.0, "1");
  /* A lone packet waits for the next chance and is through with it: 0..12 ms, each 1.1 ms later, and the 10 ms. */
  report.check ("lone packets: least delay ms", sparse.least_s * 1000, 10, 11.2, "10..11.1");
  report.check ("lone packets: greatest delay ms", sparse.most_s * 1000, 21, 22.1, "22");
}

static void
impairments (Report &report)
{
  std::vector<ChainHopSpec> one = {hop_of (10e6, 20)};
  double bps = 4e6; /* 4000 packets */

  one[0].forward.link.loss.good_loss = 0.02;
  one[0].forward.link.jitter_std_ms = 5;
  Told ordered = simulate (one, {{0, 0, 0}}, bps, 1250)[0];
  one[0].forward.reorder = true;
  Told mixed = simulate (one, {{0, 0, 0}}, bps, 1250)[0];
  /* Three standard deviations of 4000 at 2 %: 0.7 %. */
  report.check ("random loss", ordered.random / 4000.0, 0.013, 0.027, "0.02");
  report.check ("all accounted for", 4000.0 - ordered.random - ordered.delivered, -1, 1, "0");
  report.check ("overtaken", ordered.overtaken, 0, 0, "0");
  report.check ("overtaken where they may", mixed.overtaken / 4000.0, 0.2, 0.8);
  report.check ("latest, ms", mixed.most_s * 1000, 30, 36.1, "21 + 15");
}

int
main (int argc, char **argv)
{
  return run_scenarios (argc, argv,
      {{"hops", "flows enter and leave where they should, delays add up", true, hops},
          {"queues", "each hop has its queue, its delays and drops are told", true, queues},
          {"chances", "a link of a trace sends when it says", true, chances},
          {"impairments", "loss, jitter with and without reordering", true, impairments}});
}
