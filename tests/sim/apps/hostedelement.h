/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A congestion controller made for GStreamer, in simulated time: an element that takes RTP packets on its pad "sink",
   hands them on at its own pace from its pad "src" (out of a task that sleeps on the system clock), learns of arrivals
   by the upstream event RTPTWCCPackets that rtpsession makes of transport-wide feedback, and tells its rate by the
   property "estimated-bitrate" (bit/s). gst-plugins-rs' rtpgccbwe is one.

   The simulation waits after every step until the element's task sleeps again: nothing depends on real time, and a run
   repeats to the bit. The element reads hosted_epoch_ns + simulated time wherever it looks. */
#ifndef SIM_HOSTED_ELEMENT_H
#define SIM_HOSTED_ELEMENT_H

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
  bool sleeps = true;         /* has a task that sleeps; without one packets leave while they are pushed */
  unsigned real_delay_us = 0; /* before each wake-up: must change nothing */
};

class HostedElement
{
public:
  using OnPacket = std::function<void (std::vector<uint8_t>)>;
  /* Is it installed, or built by tests/quality/rivals/build? */
  static bool available (const std::string &factory);
  /* on_packet: of each packet that leaves, at its simulated time. */
  HostedElement (const HostedElementSpec &spec, OnPacket on_packet);
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
  void begin_stream ();
  void set_time ();
  void settle ();
  void wake ();
  void deliver ();
  HostedElementSpec spec;
  OnPacket on_packet;
  std::unique_ptr<Host> host;
  ns3::EventId next_wake;
};

} // namespace sim
#endif
