/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "recordedsource.h"
#include "rtpwire.h"
#include "simtime.h"
#include <algorithm>
#include <cmath>
#include <ns3/simulator.h>

namespace sim
{

static const unsigned recorded_payload = 1200 - rtp_fixed_bytes; /* of a packet, as payloaders with mtu=1200 fill it */

static CodedVideoSpec
recorded_spec (const RecordedSourceSpec &spec)
{
  CodedVideoSpec video;

  video.max_bps = spec.max_bps;
  video.interval = RASVBR_PER_FRAME;
  video.coupling = RASVBR_BACKLOG;
  video.packet_bytes = recorded_payload;
  return video;
}

RecordedSource::RecordedSource (const RecordedSourceSpec &spec)
    : video (recorded_spec (spec), spec.first_group), rate_bps (spec.start_bps)
{
}

void
RecordedSource::start (RtpCarrier *c)
{
  carrier = c;
  started_s = seconds_now ();
  frame ();
}

void
RecordedSource::stop ()
{
  next.Cancel ();
}

void
RecordedSource::on_rate (const RateNews &news)
{
  rate_bps = news.bitrate;
  backlog_packets = (double)news.backlog / recorded_payload;
}

void
RecordedSource::want_key_unit ()
{
}

uint64_t
RecordedSource::frames () const
{
  return count;
}

void
RecordedSource::frame ()
{
  bool key = video.key ();
  uint32_t bytes = video.next (rate_bps, backlog_packets);
  std::vector<RtpPacket> packets = packets_of (bytes, key);

  count++;
  next = ns3::Simulator::Schedule (
      ns3::Seconds (started_s + count / video.source ().fps) - ns3::Simulator::Now (), &RecordedSource::frame, this);
  carrier->push_packets (std::move (packets));
}

std::vector<RtpPacket>
RecordedSource::packets_of (uint32_t bytes, bool key) const
{
  unsigned parts = std::max (1u, (bytes + recorded_payload - 1) / recorded_payload);
  uint32_t timestamp = (uint32_t)std::llround (90000 * count / video.source ().fps);
  std::vector<RtpPacket> packets (parts);

  for (unsigned i = 0; i < parts; i++) {
    uint32_t part = (uint64_t)bytes * (i + 1) / parts - (uint64_t)bytes * i / parts;
    bool last = i + 1 == parts;
    packets[i] = {std::vector<uint8_t> (rtp_fixed_bytes + part), count, seconds_now (), key, last};
    packets[i].bytes[0] = 0x80;
    packets[i].bytes[1] = (last ? 0x80 : 0) | 96;
    for (unsigned byte = 0; byte < 4; byte++)
      packets[i].bytes[4 + byte] = timestamp >> (24 - 8 * byte);
  }
  return packets;
}

void
RecordedSink::on_packet (const uint8_t *rtp, size_t size)
{
  packets++;
}

} // namespace sim
