/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A video flow without pictures, for simulations of more flows than encoders can be run for: real frame sizes, recorded
   once at each quantizer (codedvideo.h), of which RA-SVBR takes the one that the rate told allows. They are RTP packets
   full of zeros, so that any carrier takes them as it takes those of CodedSource. */
#ifndef SIM_RECORDED_SOURCE_H
#define SIM_RECORDED_SOURCE_H

#include "codedvideo.h"
#include "rtpmedia.h"
#include <memory>
#include <ns3/event-id.h>

namespace sim
{

struct RecordedSourceSpec {
  double start_bps = 300e3; /* of coded frames, until a rate is told */
  double max_bps = 1e6;     /* of coded frames */
  size_t first_group = 0;   /* of the recording, where this flow begins */
};

class RecordedSource : public RtpSource
{
public:
  explicit RecordedSource (const RecordedSourceSpec &spec);
  void start (RtpCarrier *carrier) override;
  void stop () override;
  void on_rate (const RateNews &news) override;
  void want_key_unit () override; /* in vain: the recording has one every 12 frames */
  uint64_t frames () const;

private:
  void frame ();
  std::vector<RtpPacket> packets_of (uint32_t bytes, bool key) const;
  CodedVideo video;
  double rate_bps, backlog_packets = 0, started_s = 0;
  uint64_t count = 0;
  RtpCarrier *carrier = nullptr;
  ns3::EventId next;
};

/* Takes everything and shows nothing. */
class RecordedSink : public RtpSink
{
public:
  void on_packet (const uint8_t *rtp, size_t size) override;
  uint64_t packets = 0;
};

} // namespace sim
#endif
