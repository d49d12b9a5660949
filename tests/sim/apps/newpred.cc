/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "newpred.h"
#include "rtcpfeedback.h"
#include <algorithm>
#include <ns3/simulator.h>

using namespace ns3;

namespace sim
{

/* Payload: frame 32, segment 8, reference 24 (all ones: none), time of sending in us 32. */
static const unsigned payload_bytes = 12, nack_bytes = 4;
static const uint32_t no_reference = 0xffffff;

static void
put32 (uint8_t *at, uint32_t value)
{
  for (int i = 0; i < 4; i++)
    at[i] = value >> (24 - 8 * i);
}

static uint32_t
get32 (const uint8_t *at)
{
  return (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
}

NS_OBJECT_ENSURE_REGISTERED (NewpredAgent);

TypeId
NewpredAgent::GetTypeId ()
{
  static TypeId id = TypeId ("sim::NewpredAgent").SetParent<AvpfAgent> ().AddConstructor<NewpredAgent> ();
  return id;
}

void
NewpredAgent::write_payload (uint16_t, uint8_t *payload, size_t size)
{
  NS_ABORT_UNLESS (size >= payload_bytes);
  wanted.resize (segments, none);
  uint32_t &asked = wanted[next_segment];
  uint32_t reference = asked != none ? asked : next_frame > 0 ? next_frame - 1 : no_reference;
  put32 (payload, next_frame);
  put32 (payload + 4, next_segment << 24 | (reference & 0xffffff));
  put32 (payload + 8, now () / CC_USECOND);
  asked = none;
  if (++next_segment == segments) {
    next_segment = 0;
    next_frame++;
  }
}

void
NewpredAgent::on_feedback (const RtpFeedbackMessage &message)
{
  if (message.type != RTCP_FB_PSFB || message.fmt != RTCP_FB_FMT_AFB || message.media != config.ssrc)
    return;
  wanted.resize (segments, none);
  for (size_t at = 0; at + nack_bytes <= message.size; at += nack_bytes)
    if (message.fci[at] < segments)
      wanted[message.fci[at]] = get32 (message.fci + at) & 0xffffff;
}

void
NewpredAgent::on_media (const ::RtpPacket &packet, uint32_t, uint32_t)
{
  const uint8_t *payload = packet.payload;

  if (packet.payload_bytes < payload_bytes)
    return;
  uint32_t word = get32 (payload + 4), reference = word & 0xffffff;
  uint64_t slot = (uint64_t)get32 (payload) * segments + (word >> 24);
  media_ssrc = packet.ssrc;
  transit_s = (uint32_t)(now () / CC_USECOND - get32 (payload + 8)) * 1e-6;
  if (state.empty ())
    next_slot = slot;
  state.resize (segments);
  for (; next_slot < slot; next_slot++)
    on_slot (next_slot / segments, next_slot % segments, false, none);
  on_slot (slot / segments, slot % segments, true, reference == no_reference ? none : reference);
  next_slot = slot + 1;
}

void
NewpredAgent::on_slot (uint32_t frame, unsigned segment, bool arrived, uint32_t reference)
{
  Segment &s = state[segment];
  /* The first frames may be lost before the sender is known: what the receiver starts with is taken as decoded. */
  bool has_reference =
      reference == none || s.last_good == none || (reference < s.decoded.size () && s.decoded[reference]);
  bool good = arrived && has_reference;

  s.decoded.resize (frame + 1);
  s.decoded[frame] = good;
  if (s.broken)
    on_broken (s);
  if (good) {
    s.repair.recovered_s = cc_seconds (now ());
    if (s.broken)
      repairs.push_back (s.repair);
    s.last_good = frame;
    s.broken = false;
    if (s.asked) {
      s.asked = false;
      ask ();
    }
  } else if (!s.broken) {
    s.broken = true;
    s.repair = {cc_seconds (now ()), -1, -1, 0};
  }
  if (segment + 1 == segments)
    on_frame_end ();
}

/* A slot of a segment that could not be decoded: the first one that a NACK has reached. */
void
NewpredAgent::on_broken (Segment &s)
{
  double now_s = cc_seconds (now ());

  if (s.repair.reported_s >= 0 && s.repair.answered_s < 0 &&
      now_s >= s.repair.reported_s + transit_s + feedback_transit_s)
    s.repair.answered_s = now_s;
}

/* What waits is said anew: of that frame, and no more of what has come. */
void
NewpredAgent::ask ()
{
  std::vector<uint8_t> fci;

  for (size_t i = 0; i < state.size (); i++)
    if (state[i].asked) {
      fci.resize (fci.size () + nack_bytes);
      put32 (fci.data () + fci.size () - nack_bytes, i << 24 | (state[i].last_good & 0xffffff));
    }
  say (RTCP_FB_FMT_AFB, media_ssrc, fci.data (), fci.size ());
}

void
NewpredAgent::on_frame_end ()
{
  bool had = false, wants = false;

  for (Segment &s : state) {
    had |= s.asked;
    s.asked = s.broken && s.last_good != none;
    wants |= s.asked;
  }
  if (had || wants)
    ask ();
}

void
NewpredAgent::on_said (const RtcpMessage &message)
{
  if (!message.is (RTCP_FB_PSFB, RTCP_FB_FMT_AFB))
    return;
  for (size_t at = 0; at + nack_bytes <= message.fci_size (); at += nack_bytes) {
    Segment &s = state[message.fci ()[at]];
    if (s.repair.reported_s < 0)
      s.repair.reported_s = cc_seconds (now ());
    s.asked = false;
  }
}

} // namespace sim
