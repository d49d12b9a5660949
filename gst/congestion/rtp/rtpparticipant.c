/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The participant's life: settings, turns, packets that leave, the end. */
#include "rtpparticipantprivate.h"

#include <string.h>

#include "avpfaggregate.h"

#define HOUSEKEEPING_INTERVAL CC_SECOND
#define SILENCE CC_SECOND
#define SHORTEST_WAIT CC_MSECOND
#define LONGEST_WAIT (600 * CC_SECOND)
#define FEEDBACK_ROOM 300             /* bytes of a packet that reports leave free */
#define LONGEST_LEAVE (5 * CC_SECOND) /* a BYE that would have to wait longer is not sent */

void
rtp_settings_init (RtpSettings *s)
{
  memset (s, 0, sizeof *s);
  rtp_turns_params_init (&s->turns);
  s->attendance.max_members = 65536;
  s->max_feedback_delay = CC_TIME_NONE;
  s->feedback = RTP_FEEDBACK_TFRC | RTP_FEEDBACK_REMB | RTP_FEEDBACK_PATH | RTP_FEEDBACK_NACK | RTP_FEEDBACK_PLI |
                RTP_FEEDBACK_FIR;
  s->auto_pli = true;
  s->pli_interval = s->nack_latency = 500 * CC_MSECOND;
  s->repair_latency = 400 * CC_MSECOND;
  s->repair_rtx = true;
}

bool
rtp_participant_init (RtpParticipant *p, const RtpParticipantParams *params, const RtpSettings *settings, CcTime now)
{
  memset (p, 0, sizeof *p);
  p->params = *params;
  p->settings = *settings;
  p->settings.turns.group = settings->attendance.kind == RTP_SESSION_GROUP;
  rtp_locals_init (&p->locals, rtp_participant_next_secret (p));
  rtp_turns_init (&p->turns, &p->settings.turns, &params->random, &p->locals);
  rtp_sources_init (&p->sources, &params->memory);
  rtp_media_init (&p->media, &p->locals, &params->events);
  rtp_participant_owed_init (p);
  rtp_participant_repair_init (p);
  p->housekept_at = now;
  p->wake_at = CC_TIME_NONE;
  return rtp_attendance_init (
      &p->attendance, &settings->attendance, &params->memory, &params->secrets, &params->events, now);
}

void
rtp_participant_clear (RtpParticipant *p)
{
  rtp_sources_clear (&p->sources);
  rtp_participant_fec_clear (p);
  cc_memory_put (&p->params.memory, p->owed.twcc);
  p->owed.twcc = NULL;
  rtp_attendance_clear (&p->attendance);
}

/* ---- settings ---- */

void
rtp_participant_apply (RtpParticipant *p)
{
  p->settings.turns.group = p->attendance.peer.kind == RTP_SESSION_GROUP;
  p->turns.params = p->settings.turns;
  rtp_turns_apply (&p->turns);
  rtp_participant_apply_feedback (p);
  rtp_participant_apply_repair (p);
}

void
rtp_participant_set_kind (RtpParticipant *p, RtpSessionKind kind)
{
  rtp_peer_set_kind (&p->attendance.peer, kind);
  p->settings.attendance.kind = kind;
  p->settings.turns.group = kind == RTP_SESSION_GROUP;
  p->turns.params = p->settings.turns;
  rtp_turns_apply (&p->turns);
}

void
rtp_participant_set_peer (RtpParticipant *p, const RtpAddress *peer, CcTime now)
{
  p->settings.attendance.peer = *peer;
  rtp_attendance_set_peer (&p->attendance, peer, now);
  rtp_media_on_newcomer (&p->media, now);
  rtp_participant_check_media (p, now);
  rtp_participant_check_members (p, now);
}

void
rtp_participant_set_stream (RtpParticipant *p, const RtpStreamInfo *stream)
{
  unsigned i;

  p->stream = *stream;
  p->found_stamp_id = 0;
  for (i = 0; i < RTP_SOURCES_MAX; i++)
    if (p->sources.sources[i] != NULL) {
      p->sources.sources[i]->reception.clock_rate = stream->clock_rate;
      p->sources.sources[i]->key.params.repeat = rtp_codec_tells_key_units (stream->codec);
    }
}

/* ---- media of ours ---- */

/* Whoever sends after its BYE takes part anew. */
static void
come_back (RtpParticipant *p)
{
  unsigned i;

  p->leaving = (RtpLeaving){.said = false};
  for (i = 0; i < p->locals.n; i++)
    p->locals.locals[i].timing_runs = false;
}

void
rtp_participant_on_sent (
    RtpParticipant *p, const RtpPacket *packet, uint32_t clock_rate, bool resends, CcTime due_at, CcTime now)
{
  RtpLocalPacket local = {.ssrc = packet->ssrc,
      .rtp_time = packet->timestamp,
      .payload_bytes = (uint32_t)packet->payload_bytes,
      .clock_rate = clock_rate,
      .due_at = due_at};
  bool changed;

  if (p->leaving.said)
    come_back (p);
  p->media.clock_rate = clock_rate;
  if (rtp_locals_on_rtp (&p->locals, &local, now, &changed) == NULL)
    return;
  if (changed || !rtp_turns_run (&p->turns))
    rtp_participant_update_members (p, now);
  rtp_media_on_sent (&p->media, packet->ssrc, packet->seq, resends, now);
}

/* Its own turn comes at once: what others ask the first of ours for may not wait for it. */
void
rtp_participant_announce_resends (RtpParticipant *p, uint32_t ssrc, CcTime now)
{
  RtpLocal *local = rtp_locals_add (&p->locals, ssrc);

  if (local == NULL)
    return;
  rtp_media_expect_resends (&p->media, ssrc, now);
  rtp_participant_update_members (p, now);
  if (!local->known && local->timing_runs) {
    p->owed.report_wanted = true;
    avpf_timing_request_feedback (&local->timing, CC_TIME_NONE, now);
  }
  rtp_participant_wake_before (p, rtp_turns_next_timeout (&p->turns));
}

void
rtp_participant_end_stream (RtpParticipant *p, uint32_t ssrc, CcTime now)
{
  if (rtp_locals_find (&p->locals, ssrc) == NULL)
    return;
  rtp_locals_remove (&p->locals, ssrc, rtp_participant_fresh_ssrc (p));
  rtp_participant_update_members (p, now);
  if (p->locals.n_leaving > 0)
    rtp_participant_request_feedback (p, now);
}

void
rtp_participant_end_media (RtpParticipant *p, CcTime now)
{
  rtp_locals_remove_media (&p->locals, rtp_participant_next_secret (p));
  rtp_participant_update_members (p, now);
}

/* ---- packets that leave ---- */

static void
add_address (RtpOutgoing *out, const RtpAddress *address)
{
  unsigned i;

  for (i = 0; i < out->n_addresses; i++)
    if (rtp_address_equal (&out->addresses[i], address))
      return;
  out->addresses[out->n_addresses++] = *address;
}

/* On the wire. */
static unsigned
bytes_to (const RtpParticipant *p, const RtpOutgoing *out, const RtpAddress *to)
{
  return (unsigned)out->size + rtp_address_overhead_bytes (to) + p->settings.rtcp_overhead_bytes;
}

/* Who has sent no RTP may wait for RTCP before it does (RFC 8083 4.5). */
static void
add_speaker (RtpParticipant *p, RtpOutgoing *out)
{
  const RtpAddress *from = &p->attendance.speaks_from;

  if (from->family != RTP_ADDRESS_UNKNOWN && rtp_attendance_may_answer (&p->attendance, from, bytes_to (p, out, from)))
    add_address (out, from);
}

/* RTCP of a group goes where the host sends it: to the group. */
static void
collect_addresses (RtpParticipant *p, RtpOutgoing *out)
{
  unsigned i, n = 0;

  for (i = 0; i < RTP_SOURCES_MAX && !p->settings.multicast; i++) {
    const RtpSource *s = p->sources.sources[i];

    if (s != NULL && s->valid && s->address.family != RTP_ADDRESS_UNKNOWN)
      add_address (out, &s->address);
  }
  for (i = 0; i < out->n_addresses; i++) {
    unsigned bytes = bytes_to (p, out, &out->addresses[i]);

    if (rtp_attendance_may_answer (&p->attendance, &out->addresses[i], bytes))
      out->addresses[n++] = out->addresses[i];
  }
  out->withheld = n == 0 && out->n_addresses > 0;
  if (out->n_addresses == 0 && p->attendance.peer.kind == RTP_SESSION_UNICAST)
    add_speaker (p, out);
  else
    out->n_addresses = n;
}

static unsigned
outgoing_bytes (const RtpParticipant *p, const RtpOutgoing *out)
{
  unsigned bytes = 0, i;

  for (i = 0; i < out->n_addresses; i++)
    bytes += bytes_to (p, out, &out->addresses[i]);
  return out->n_addresses > 0 ? bytes : bytes_to (p, out, &p->attendance.named);
}

uint64_t
rtp_participant_hash (const uint8_t *data, size_t size)
{
  uint64_t hash = 0xcbf29ce484222325;
  size_t i;

  for (i = 0; i < size; i++)
    hash = (hash ^ data[i]) * 0x100000001b3;
  return hash;
}

/* Returns the bytes it takes, with UDP and IP headers. A packet of ours that comes back is to be known (a multicast
   group with loop). */
static unsigned
account (RtpParticipant *p, RtpOutgoing *out)
{
  unsigned bytes;

  collect_addresses (p, out);
  bytes = outgoing_bytes (p, out);
  p->sent_hashes[p->stats.rtcp_sent % RTP_SENT_HASHES] = rtp_participant_hash (out->bytes, out->size);
  p->stats.rtcp_sent++;
  p->stats.rtcp_bytes_sent += bytes;
  return bytes;
}

static void
send_early (RtpParticipant *p, unsigned index, CcTime now, RtpOutgoing *out)
{
  RtpLocal *local = &p->locals.locals[index];
  RtpPlan plan = {.first = index, .chosen = 1u << index, .reduced = p->settings.reduced_size};

  out->size = rtp_participant_build (p, &plan, out->bytes, now);
  local->known = true;
  avpf_timing_on_sent (&local->timing, AVPF_SEND_EARLY, account (p, out), now);
}

/* RFC 8108 5.3: the reports of our other SSRCs ride along. */
static void
send_regular (RtpParticipant *p, unsigned index, CcTime now, RtpOutgoing *out)
{
  RtpLocals *locals = &p->locals;
  RtpPlan plan = {.first = index, .regular = true, .full = locals->locals[index].timing.full_due};
  AvpfReporter reporters[RTP_LOCALS_MAX] = {{0}};
  unsigned i;

  for (i = 0; i < locals->n; i++)
    reporters[i] = (AvpfReporter){.timing = &locals->locals[i].timing, .report_size = rtp_participant_report_size (p)};
  avpf_aggregate_choose (reporters, locals->n, index, RTP_IPV4_UDP_BYTES, RTCP_MTU - FEEDBACK_ROOM);
  for (i = 0; i < locals->n; i++)
    if (reporters[i].chosen) {
      plan.chosen |= 1u << i;
      locals->locals[i].known = true;
    }
  out->size = rtp_participant_build (p, &plan, out->bytes, now);
  avpf_aggregate_on_sent (reporters, locals->n, index, account (p, out), now);
}

/* ---- turns ---- */

/* RFC 4585 3.5.2 step 5: what others have said meanwhile needs no packet of ours. */
static void
settle (RtpParticipant *p, AvpfTiming *timing, CcTime now)
{
  rtp_participant_settle_feedback (p, now);
  if ((timing->te != CC_TIME_NONE || timing->feedback_stored) && !rtp_participant_has_feedback (p, now))
    avpf_timing_cancel_feedback (timing);
}

void
rtp_participant_settle (RtpParticipant *p, CcTime now)
{
  AvpfTiming *timing = &p->locals.locals[0].timing;

  if (rtp_turns_run (&p->turns) && (timing->te != CC_TIME_NONE || timing->feedback_stored))
    settle (p, timing, now);
}

static void
run_local (RtpParticipant *p, unsigned index, CcTime now, RtpOutgoing *out)
{
  AvpfTiming *timing = &p->locals.locals[index].timing;

  settle (p, timing, now);
  switch (avpf_timing_on_timeout (timing, now)) {
  case AVPF_SEND_EARLY:
    send_early (p, index, now, out);
    break;
  case AVPF_SEND_REGULAR:
    send_regular (p, index, now, out);
    break;
  default:
    break;
  }
}

/* One packet a round. */
static void
run_turns (RtpParticipant *p, CcTime now, RtpOutgoing *out)
{
  unsigned i;

  for (i = 0; i < p->locals.n && out->size == 0; i++) {
    RtpLocal *local = &p->locals.locals[i];

    if (local->timing_runs && avpf_timing_next_timeout (&local->timing) <= now)
      run_local (p, i, now, out);
  }
}

static void
keep_house (RtpParticipant *p, CcTime now)
{
  if (now > p->housekept_at) {
    double seconds = cc_seconds (now - p->housekept_at);

    p->turns.received_bps = (double)p->received_bytes * 8 / seconds;
    p->requests_per_s = (double)(p->turns.requests - p->housekept_requests) / seconds;
  }
  p->received_bytes = 0;
  p->housekept_requests = p->turns.requests;
  p->housekept_at = now;
  rtp_sources_expire (&p->sources, rtp_turns_member_timeout (&p->turns), now);
  rtp_sources_hold_requests (&p->sources, SILENCE, now);
  rtp_locals_expire (&p->locals, now);
  rtp_media_remove_unheard (&p->media, rtp_turns_member_timeout (&p->turns), now);
  rtp_participant_check_media (p, now);
  rtp_participant_update_members (p, now);
  rtp_turns_set_received (&p->turns, p->turns.received_bps);
}

/* From the first packet of anybody on. */
static CcTime
housekeeping_at (const RtpParticipant *p)
{
  unsigned i;

  if (rtp_turns_run (&p->turns))
    return p->housekept_at + HOUSEKEEPING_INTERVAL;
  for (i = 0; i < RTP_SOURCES_MAX; i++)
    if (p->sources.sources[i] != NULL)
      return p->housekept_at + HOUSEKEEPING_INTERVAL;
  return CC_TIME_NONE;
}

static void
expire_members (RtpParticipant *p, CcTime now)
{
  CcDuration member = rtp_turns_member_timeout (&p->turns), sender = rtp_turns_sender_timeout (&p->turns);
  uint32_t ssrc;

  while (rtp_attendance_expire (&p->attendance, member, sender, now, &ssrc))
    rtp_participant_on_gone (p, ssrc, now);
  rtp_participant_update_members (p, now);
}

void
rtp_participant_run (RtpParticipant *p, CcTime now, RtpOutgoing *out)
{
  out->size = out->n_addresses = 0;
  out->withheld = false;
  if (housekeeping_at (p) <= now)
    keep_house (p, now);
  if (rtp_attendance_next_timeout (&p->attendance) <= now)
    expire_members (p, now);
  if (rtp_media_next_timeout (&p->media) <= now)
    rtp_media_on_timeout (&p->media, now);
  rtp_participant_check_feedback (p, now);
  run_turns (p, now, out);
}

static void
earliest (CcTime *next, CcTime now, CcTime when)
{
  if (when > now)
    *next = cc_time_min (*next, when);
}

CcTime
rtp_participant_next_timeout (const RtpParticipant *p, CcTime now)
{
  CcTime next = now + LONGEST_WAIT;

  if (rtp_turns_run (&p->turns))
    next = cc_time_max (rtp_turns_next_timeout (&p->turns), now + SHORTEST_WAIT);
  earliest (&next, now, housekeeping_at (p));
  earliest (&next, now, rtp_attendance_next_timeout (&p->attendance));
  earliest (&next, now, rtp_media_next_timeout (&p->media));
  earliest (&next, now, rtp_participant_feedback_next (p, now));
  return next;
}

/* ---- leaving ---- */

static void
end_leave (RtpParticipant *p)
{
  p->leaving.size = 0;
  p->leaving.begun = false;
  p->leaving.said = true;
}

AvpfLeave
rtp_participant_leave (RtpParticipant *p, CcTime now)
{
  RtpLocal *local = &p->locals.locals[0];
  RtpLeaving *l = &p->leaving;

  l->size = l->said ? 0 : rtp_participant_build_bye (p, l->bye, now);
  if (l->size == 0)
    return AVPF_LEAVE_SILENTLY;
  l->begun = true;
  l->until = now + LONGEST_LEAVE;
  if (!local->timing_runs)
    return AVPF_LEAVE_NOW;
  return avpf_timing_leave (
      &local->timing, (uint32_t)l->size + p->settings.rtcp_overhead_bytes + RTP_IPV4_UDP_BYTES, now);
}

void
rtp_participant_take_bye (RtpParticipant *p, RtpOutgoing *out)
{
  out->size = p->leaving.size;
  out->n_addresses = 0;
  out->withheld = false;
  if (out->size == 0)
    return;
  memcpy (out->bytes, p->leaving.bye, out->size);
  account (p, out);
  end_leave (p);
}

bool
rtp_participant_run_leave (RtpParticipant *p, CcTime now, RtpOutgoing *out)
{
  AvpfTiming *timing = &p->locals.locals[0].timing;

  out->size = out->n_addresses = 0;
  if (!p->leaving.begun && !p->leaving.said) {
    AvpfLeave how = rtp_participant_leave (p, now);

    if (how == AVPF_LEAVE_NOW)
      rtp_participant_take_bye (p, out);
    if (how != AVPF_LEAVE_BACKED_OFF)
      end_leave (p);
  }
  if (p->leaving.begun && avpf_timing_next_timeout (timing) <= now &&
      avpf_timing_on_timeout (timing, now) == AVPF_SEND_BYE)
    rtp_participant_take_bye (p, out);
  if (p->leaving.begun && now >= p->leaving.until)
    end_leave (p);
  return !p->leaving.begun;
}

CcTime
rtp_participant_leave_next (const RtpParticipant *p, CcTime now)
{
  CcTime next = cc_time_min (avpf_timing_next_timeout (&p->locals.locals[0].timing), p->leaving.until);

  return cc_time_max (next, now + SHORTEST_WAIT);
}
