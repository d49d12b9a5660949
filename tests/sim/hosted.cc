/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Congestion controllers made for GStreamer in simulated time: rtptfrcbwe, and gst-plugins-rs' rtpgccbwe where
   tests/quality/rivals/build has made it. Frames of equal size follow the estimate, as a perfect encoder would.

     sim-hosted ... [own | rival]   one of the two. Exit status 77: what was asked for is not there

   Does hosting work: does a run repeat to the bit, whatever the machine does meanwhile, and does the element do what
   its source says it does? Its figures stand here for that; comparisons are the quality lab's. */
#include "dumbbell.h"
#include "hostedclock.h"
#include "hostedsender.h"
#include "scenario.h"
#include <algorithm>
#include <glib.h>
#include <ns3/core-module.h>

using namespace sim;

static const char *const rival = "rtpgccbwe", *const own = "rtptfrcbwe";
static const unsigned payload_bytes = 1180; /* with header and extension 1200 */

/* Frames of the size the rate allows, every 1 / fps. */
class SteadySource : public RtpSource
{
public:
  SteadySource (double most_bps, double frame_rate) : max_bps (most_bps), fps (frame_rate)
  {
  }
  void
  start (RtpCarrier *to) override
  {
    carrier = to;
    frame ();
  }
  void
  stop () override
  {
    next.Cancel ();
  }
  void
  on_rate (const RateNews &news) override
  {
    rate_bps = news.bitrate;
  }
  void
  want_key_unit () override
  {
  }

private:
  void frame ();
  RtpCarrier *carrier = nullptr;
  ns3::EventId next;
  double max_bps, fps, rate_bps = 0, owed_bytes = 0;
  uint64_t number = 0;
  uint16_t seq = 0;
};

static RtpPacket
packet_of (uint16_t seq, uint32_t timestamp, unsigned payload, bool last)
{
  RtpPacket packet = {std::vector<uint8_t> (12 + payload), 0, 0, false, last};
  uint8_t *at = packet.bytes.data ();

  at[0] = 0x80;
  at[1] = 96 | (last ? 0x80 : 0);
  at[2] = seq >> 8;
  at[3] = seq;
  for (unsigned i = 0; i < 4; i++)
    at[4 + i] = timestamp >> (24 - 8 * i);
  return packet;
}

void
SteadySource::frame ()
{
  next = ns3::Simulator::Schedule (ns3::Seconds (1 / fps), &SteadySource::frame, this);
  owed_bytes += std::min (rate_bps, max_bps) / 8 / fps;
  unsigned bytes = (unsigned)owed_bytes, count = (bytes + payload_bytes - 1) / payload_bytes;
  owed_bytes -= bytes;
  std::vector<RtpPacket> packets;
  for (unsigned i = 0; i < count; i++)
    packets.push_back (packet_of (
        seq++, (uint32_t)(number * 90000 / fps), bytes * (i + 1) / count - bytes * i / count, i + 1 == count));
  number++;
  carrier->push_packets (std::move (packets));
}

/* Arrivals: when and what. */
class Arrivals : public RtpSink
{
public:
  void
  on_packet (const uint8_t *rtp, size_t size) override
  {
    for (uint64_t word :
        {(uint64_t)ns3::Simulator::Now ().GetNanoSeconds (), (uint64_t)(rtp[2] << 8 | rtp[3]), (uint64_t)size})
      digest = (digest ^ word) * UINT64_C (1099511628211);
  }
  uint64_t digest = UINT64_C (14695981039346656037);
};

struct Run {
  DumbbellSpec net;
  HostedElementSpec element;
  double media_max_bps = 1e9, end_s = 100;
};

struct Outcome {
  std::unique_ptr<Dumbbell> net;
  ns3::Ptr<HostedSenderApplication> sender;
  ns3::Ptr<TwccReceiverApplication> receiver;
  std::shared_ptr<Arrivals> arrivals;
};

static Outcome
simulate (const Run &run, uint32_t seed)
{
  Outcome out;
  HostedSenderConfig sender;
  TwccReceiverConfig receiver;

  g_random_set_seed (seed); /* rtptfrcbwe's chance */
  out.net = std::make_unique<Dumbbell> (run.net);
  unsigned pair = out.net->add_pair ();
  out.sender = ns3::CreateObject<HostedSenderApplication> ();
  out.receiver = ns3::CreateObject<TwccReceiverApplication> ();
  out.arrivals = std::make_shared<Arrivals> ();
  sender.element = run.element;
  sender.source = std::make_shared<SteadySource> (run.media_max_bps, 30);
  sender.peer = out.net->right_address (pair);
  receiver.sink = out.arrivals;
  receiver.clock_drift_ppm = 50;
  out.sender->configure (sender);
  out.receiver->configure (receiver);
  out.net->left (pair)->AddApplication (out.sender);
  out.net->right (pair)->AddApplication (out.receiver);
  out.sender->SetStopTime (ns3::Seconds (run.end_s));
  ns3::Simulator::Stop (ns3::Seconds (run.end_s));
  ns3::Simulator::Run ();
  return out;
}

static Run
run_of (const char *element, double bps, double delay_ms, double end_s)
{
  Run run;

  run.net.forward.bps = bps;
  run.net.forward.delay_ms = delay_ms;
  run.net.forward.queue.ms = 300;
  run.end_s = end_s;
  run.element.factory = element;
  return run;
}

static bool
missing (Report &report, const char *element)
{
  if (HostedElement::available (element))
    return false;
  report.skip (format ("SKIP: no %s; %s", element,
      element == rival ? "tests/quality/rivals/build makes it" : "GST_PLUGIN_PATH names no folder with it"));
  return true;
}

static void
repeats (Report &report, const char *element)
{
  uint64_t digest[2];

  if (missing (report, element))
    return;
  for (unsigned i = 0; i < 2; i++) {
    Run run = run_of (element, 1e6, 50, report.options ().quick ? 10 : 60);
    run.element.real_delay_us = i * 300;
    run.net.forward.schedule = {{run.end_s / 2, 0.5e6}};
    uint64_t before = hosted_clock_readings ();
    Outcome out = simulate (run, report.options ().seed);
    digest[i] = out.arrivals->digest;
    if (element == rival) /* the other asks GStreamer's clock alone */
      report.check ("its clock was read, times per packet",
          (double)(hosted_clock_readings () - before) / out.sender->packets_sent, 1, 1000);
    report.check ("packets", out.receiver->packets, 100, 1e9);
    out.sender->Dispose ();
    ns3::Simulator::Destroy ();
  }
  report.check ("the second run, with 0.3 ms of real time at each step, the same", digest[0] == digest[1], 1, 1);
}

static void
write_csv (Report &report, const std::string &name, const Run &run, const Outcome &out)
{
  Csv csv (report.options (), "hosted-" + name, "time_s,estimate_bps,received_bps,queue_ms,pacing_ms");
  const Dumbbell::PairProbe &probe = out.net->forward ().pair[0];

  for (double t = 0.5; t <= run.end_s; t += 0.5)
    csv.row ({t, out.sender->estimate.last_before (t, 0), probe.received.mean_bps (t - 0.5, t),
        probe.queue_delay.mean (t - 0.5, t) * 1000, out.sender->pacing.mean (t - 0.5, t) * 1000});
}

/* RFC 8867 5.1, five seconds after each step not counted. */
static void
variable_capacity (Report &report, const char *element)
{
  Run run = run_of (element, 1e6, 50, report.options ().quick ? 40 : 100);
  struct Part {
    double from_s, to_s, bps;
  };
  std::vector<Part> parts = {{5, 40, 1e6}, {45, 60, 2.5e6}, {65, 80, 0.6e6}, {85, 100, 1e6}};

  if (missing (report, element))
    return;
  run.net.forward.schedule = {{40, 2.5e6}, {60, 0.6e6}, {80, 1e6}};
  run.element.start_bps = 300e3;
  run.element.min_bps = 50e3;
  run.element.max_bps = 5e6;
  Outcome out = simulate (run, report.options ().seed);
  const Dumbbell::PairProbe &probe = out.net->forward ().pair[0];
  for (const Part &part : parts) {
    if (part.to_s > run.end_s)
      continue;
    report.check (format ("%g to %g s: use of %g Mb/s", part.from_s, part.to_s, part.bps / 1e6),
        probe.received.mean_bps (part.from_s, part.to_s) / part.bps, 0.2, 1.01);
    report.note ("  queue delay p50 ms", probe.queue_delay.percentile (0.5, part.from_s, part.to_s) * 1000);
    report.note ("  queue delay p95 ms", probe.queue_delay.percentile (0.95, part.from_s, part.to_s) * 1000);
  }
  report.note ("packets lost in the queue", (double)probe.dropped / probe.arrived);
  report.note ("reports a second", out.receiver->report_at.size () / run.end_s);
  report.note ("reports, share of the rate", (double)out.sender->feedback_bytes / out.sender->bytes_sent);
  report.note ("pacing delay p95 ms", out.sender->pacing.percentile (0.95) * 1000);
  if (element == rival) /* paces by a tick each 5 ms */
    report.check ("wakes of its task a second", (double)out.sender->wakes () / run.end_s, 195, 205, "200");
  write_csv (report, std::string ("5.1-") + element, run, out);
  out.sender->Dispose ();
  ns3::Simulator::Destroy ();
}

/* Nothing but the estimate's own growth stands above a sender that has less to send: 8 % a second at most from the
   start rate, 1.08^60 = 101 fold, so the default limit of 8.192 Mb/s is met within a minute. */
static void
application_limited (Report &report)
{
  Run run = run_of (rival, 10e6, 50, report.options ().quick ? 20 : 60);

  if (missing (report, rival))
    return;
  run.media_max_bps = 300e3;
  run.element.start_bps = 300e3;
  Outcome out = simulate (run, report.options ().seed);
  double end_bps = out.sender->estimate_bps ();
  report.note ("sent Mb/s", out.sender->bytes_sent * 8 / run.end_s / 1e6);
  report.check ("estimate at the end Mb/s", end_bps / 1e6, report.options ().quick ? 0.6 : 8, 8.192, "grows unasked");
  write_csv (report, "application-limited", run, out);
  out.sender->Dispose ();
  ns3::Simulator::Destroy ();
}

int
main (int argc, char **argv)
{
  return run_scenarios (argc, argv,
      {{"own-repeats", "rtptfrcbwe: a run repeats to the bit, however slow the machine", true,
           [] (Report &report) { repeats (report, own); }},
          {"own-capacity", "RFC 8867 5.1 with rtptfrcbwe: 1.0, 2.5, 0.6, 1.0 Mb/s", true,
              [] (Report &report) { variable_capacity (report, own); }},
          {"rival-repeats", "rtpgccbwe: a run repeats to the bit, however slow the machine", true,
              [] (Report &report) { repeats (report, rival); }},
          {"rival-capacity", "RFC 8867 5.1 with rtpgccbwe: 1.0, 2.5, 0.6, 1.0 Mb/s", true,
              [] (Report &report) { variable_capacity (report, rival); }},
          {"rival-limited", "rtpgccbwe's estimate grows while little is sent", true, application_limited}});
}
