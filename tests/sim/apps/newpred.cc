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
NewpredAgent::on_feedback (unsigned type, unsigned format, uint32_t ssrc, const uint8_t *fci, size_t size)
{
  if (type != RTCP_FB_PSFB || format != RTCP_FB_FMT_AFB || ssrc != config.ssrc)
    return;
  wanted.resize (segments, none);
  for (; size >= nack_bytes; fci += nack_bytes, size -= nack_bytes)
    if (fci[0] < segments)
      wanted[fci[0]] = get32 (fci) & 0xffffff;
}

void
NewpredAgent::on_media (uint32_t ssrc, uint32_t, uint32_t, const uint8_t *payload, size_t size)
{
  if (size < payload_bytes)
    return;
  uint32_t word = get32 (payload + 4), reference = word & 0xffffff;
  uint64_t slot = (uint64_t)get32 (payload) * segments + (word >> 24);
  media_ssrc = ssrc;
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
  if (good) {
    s.repair.recovered_s = cc_seconds (now ());
    if (s.broken)
      repairs.push_back (s.repair);
    s.last_good = frame;
    s.broken = s.asked = false;
  } else if (!s.broken) {
    s.broken = true;
    s.repair = {cc_seconds (now ()), -1, 0};
  }
  if (segment + 1 == segments)
    on_frame_end ();
}

bool
NewpredAgent::any_asked () const
{
  return std::any_of (state.begin (), state.end (), [] (const Segment &s) { return s.asked; });
}

void
NewpredAgent::on_frame_end ()
{
  bool had = any_asked (), wants = false;

  for (Segment &s : state) {
    s.asked = s.broken && s.last_good != none;
    wants |= s.asked;
  }
  if (had && !wants)
    cancel_feedback ();
  if (!wants || request_feedback ())
    return;
  for (Segment &s : state)
    s.asked = false;
}

size_t
NewpredAgent::write_feedback (uint8_t *at, size_t capacity)
{
  size_t fci = 0;

  for (size_t i = 0; i < state.size () && 12 + fci + nack_bytes <= capacity; i++) {
    Segment &s = state[i];
    if (!s.asked)
      continue;
    if (s.repair.reported_s < 0)
      s.repair.reported_s = cc_seconds (now ());
    s.asked = false;
    put32 (at + 12 + fci, i << 24 | (s.last_good & 0xffffff));
    fci += nack_bytes;
  }
  return fci ? write_message (at, RTCP_FB_PSFB, RTCP_FB_FMT_AFB, media_ssrc, fci) : 0;
}

} // namespace sim
