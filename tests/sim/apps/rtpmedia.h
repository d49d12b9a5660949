/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where real media meets a simulated sender: a source makes pictures into RTP packets at simulated times and is told
   the rate, a carrier takes the packets across the network, a sink gets what arrives. Packets are the payloader's,
   whole RTP packets; a carrier may add header extensions and renumber them. Times are seconds of simulated time. */
#ifndef SIM_RTP_MEDIA_H
#define SIM_RTP_MEDIA_H

#include "cctime.h"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace sim
{

struct RtpPacket {
  std::vector<uint8_t> bytes;
  uint64_t frame; /* number of the picture */
  double captured_s;
  bool key_unit, frame_end;
  CcTime again_at = CC_TIME_NONE; /* sent again last */
};

class RtpCarrier
{
public:
  virtual ~RtpCarrier () = default;
  virtual void push_packets (std::vector<RtpPacket> packets) = 0; /* all of one picture */
};

/* What the network allows; the fields of the rate event of tfrcsink. */
struct RateNews {
  double bitrate = 0;         /* bit/s of encoded frames, headers taken off */
  double wire_bitrate = 0;    /* bit/s of IP packets */
  double rtt_s = -1;          /* -1: unknown */
  double loss_event_rate = 0; /* [0, 1] */
  double queue_delay_s = -1;
  uint32_t backlog = 0;                  /* bytes that wait at the sender */
  uint32_t frame_budget = (uint32_t)1e9; /* bytes */
  bool pause = false;                    /* nothing is answered: better to code none */
  const char *limit = "explicit-rate";   /* what limits: cc_limit_name () */
  const char *owner = "router";          /* whose rule that is: rate_owner_name () */
};

/* What callkit's codecs.encoder_rate () leaves of a wire rate for frames: packets of an RTP payload and header of 1200
   bytes, each with all of its headers. */
inline RateNews
plain_rate (double wire_bps, double fps)
{
  double frame = wire_bps / 8 / fps, packets = std::ceil (frame / (1200 + 28));
  RateNews news;

  news.wire_bitrate = wire_bps;
  news.bitrate = std::max (8 * fps * (frame - packets * 40), 8 * fps);
  news.rtt_s = 0.1;
  news.queue_delay_s = 0;
  news.frame_budget = news.bitrate / 8 * 0.2;
  return news;
}

class RtpSource
{
public:
  virtual ~RtpSource () = default;
  virtual void start (RtpCarrier *carrier) = 0; /* pictures begin now */
  virtual void stop () = 0;
  virtual void on_rate (const RateNews &news) = 0;
  virtual void want_key_unit () = 0;
};

class RtpSink
{
public:
  virtual ~RtpSink () = default;
  /* A packet as it comes from the network, in whatever order. */
  virtual void on_packet (const uint8_t *rtp, size_t size) = 0;
  /* How long a missing packet is waited for from now on. */
  virtual void
  set_latency (double)
  {
  }
  std::function<void ()> key_unit_wanted; /* a decoder asks; set by the receiver, may stay empty */
};

} // namespace sim
#endif
