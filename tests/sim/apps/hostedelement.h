/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A congestion controller made for GStreamer, in simulated time: an element that takes RTP packets on its pad "sink",
   hands them on at its own pace from its pad "src" (out of a task that sleeps on the system clock), learns of arrivals
   by the upstream event RTPTWCCPackets that rtpsession makes of transport-wide feedback, and tells its rate by the
   property "estimated-bitrate" (bit/s). gst-plugins-rs' rtpgccbwe is one, rtptfrcbwe another, which sends the rate
   event and asks for key units as well.

   The simulation waits after every step until the element's task sleeps again: nothing depends on real time, and a run
   repeats to the bit. The element reads hosted_epoch_ns + simulated time wherever it looks. Seed GLib's random numbers
   (g_random_set_seed) where it uses them. */
#ifndef SIM_HOSTED_ELEMENT_H
#define SIM_HOSTED_ELEMENT_H

#include "rtpmedia.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <ns3/event-id.h>
#include <string>
#include <vector>

namespace sim
{

static const uint64_t hosted_epoch_ns = 1000 * UINT64_C (1000000000);

/* What a feedback message says of one packet, as rtpsession tells it. */
struct PacketOutcome {
  uint16_t seq;
  bool known;       /* that it was sent: fills the next three */
  uint64_t sent_ns; /* hosted_epoch_ns + simulated time of leaving */
  uint32_t bytes;   /* of RTP payload */
  uint8_t payload_type;
  bool lost;
  uint64_t arrived_ns; /* on the receiver's clock, where not lost */
};

struct HostedElementSpec {
  std::string factory = "rtpgccbwe";
  double start_bps = 0, min_bps = 0, max_bps = 0; /* 0: the element's own */
  double max_delay_s = 0;                         /* 0: the element's own, or it has none */
  double weight = 1;                              /* where it has one (rtptfrcbwe) */
  std::string encoding_name;                      /* of the caps, as "H264"; empty: they do not tell */
  unsigned real_delay_us = 0;                     /* before each wake-up: must change nothing */
};

/* What the element has to say, at its simulated time. */
struct HostedElementUser {
  std::function<void (std::vector<uint8_t>)> on_packet; /* a packet leaves */
  std::function<void (const RateNews &)> on_rate;       /* bitrate alone, where the element sends no rate event */
  std::function<void ()> on_key_unit;                   /* it wants one */
};

class HostedElement
{
public:
  /* Is it installed, or built by tests/quality/rivals/build? */
  static bool available (const std::string &factory);
  HostedElement (const HostedElementSpec &spec, const HostedElementUser &user);
  ~HostedElement ();

  void push (const std::vector<uint8_t> &rtp_packet);
  void feedback (const std::vector<PacketOutcome> &outcomes);
  double estimate_bps () const;
  uint64_t wakes = 0; /* of its task */
  static uint64_t now_ns ();

private:
  struct Host;
  void create ();
  void connect ();
  void start ();
  void begin_stream ();
  void set_time ();
  uint64_t rest ();
  void settle ();
  void wake ();
  void deliver ();
  void tell_rate ();
  HostedElementSpec spec;
  HostedElementUser user;
  std::unique_ptr<Host> host;
  ns3::EventId next_wake;
  double told_bps = 0;
  bool sends_events = false;
};

} // namespace sim
#endif
