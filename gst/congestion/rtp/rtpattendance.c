/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpattendance.h"

#include <string.h>

#define BYE_LINGER (200 * CC_MSECOND) /* a BYE somebody else made up must not silence us for long */
#define EXPIRY_GAP (100 * CC_MSECOND)
#define EXACT_CAPACITY 4096

static uint64_t
secret64 (const CcRandom *secrets)
{
  uint64_t high = secrets->next (secrets->user);

  return high << 32 | secrets->next (secrets->user);
}

/* Where there is no other memory the present one, which is no smaller, serves. */
static bool
init_members (RtpAttendance *a, CcTime now)
{
  void *memory = cc_memory_get (&a->memory, rtp_members_memory (RTP_MEMBERS_MIN));
  RtpMembersParams params;

  rtp_members_params_init (&params);
  params.key[0] = secret64 (&a->secrets);
  params.key[1] = secret64 (&a->secrets);
  params.bye_linger = BYE_LINGER;
  params.max_capacity = a->max_members;
  if (memory != NULL) {
    cc_memory_put (&a->memory, a->members_memory);
    a->members_memory = memory;
  }
  if (a->members_memory == NULL)
    return false;
  rtp_members_init (&a->members, &params, a->members_memory, RTP_MEMBERS_MIN, now);
  rtp_newcomers_init (&a->newcomers, now);
  ssrc_conflict_init (&a->conflict);
  return true;
}

bool
rtp_attendance_init (RtpAttendance *a, const RtpAttendanceParams *params, const CcMemory *memory,
    const CcRandom *secrets, const RtpEvents *events, CcTime now)
{
  memset (a, 0, sizeof *a);
  a->max_members = params->max_members;
  a->memory = *memory;
  a->secrets = *secrets;
  a->events = *events;
  a->expired_at = now;
  a->host_key[0] = secret64 (secrets);
  a->host_key[1] = secret64 (secrets);
  a->named = params->peer;
  rtp_peer_init (&a->peer, params->kind, rtp_attendance_host (a, &params->peer));
  rtp_answers_init (&a->answers);
  return init_members (a, now);
}

void
rtp_attendance_clear (RtpAttendance *a)
{
  cc_memory_put (&a->memory, a->members_memory);
  a->members_memory = NULL;
}

void
rtp_attendance_set_peer (RtpAttendance *a, const RtpAddress *peer, CcTime now)
{
  a->named = *peer;
  rtp_peer_init (&a->peer, a->peer.kind, rtp_attendance_host (a, peer));
  init_members (a, now);
  a->changed = true;
}

bool
rtp_attendance_may_be_peer (const RtpAttendance *a, const RtpAddress *from)
{
  return !rtp_attendance_is_named (a) || rtp_address_equal (&a->named, from);
}

uint64_t
rtp_attendance_host (const RtpAttendance *a, const RtpAddress *address)
{
  return rtp_address_host (address, a->host_key);
}

/* ---- members ---- */

/* Before they prove themselves strangers make no table larger, and where they fill it, it becomes a sample, of which
   each stands for many. Up to a quarter of a megabyte is better spent on telling them apart. */
static uint32_t
wanted_capacity (const RtpAttendance *a)
{
  const RtpMembers *m = &a->members;
  uint32_t capacity = rtp_members_wanted_capacity (m);
  uint32_t most = EXACT_CAPACITY < a->max_members ? EXACT_CAPACITY : a->max_members;
  uint32_t candidates = m->lists[RTP_MEMBER_STATE_RTP].count + m->lists[RTP_MEMBER_STATE_RTCP].count;

  if (capacity == 0 && m->capacity < most && rtp_members_in_table (m) + candidates >= m->capacity - m->capacity / 4)
    capacity = 2 * m->capacity;
  return capacity;
}

static void
make_room (RtpAttendance *a)
{
  uint32_t capacity = wanted_capacity (a);
  void *memory = capacity != 0 ? cc_memory_get (&a->memory, rtp_members_memory (capacity)) : NULL;

  if (memory == NULL)
    return;
  if (rtp_members_grow (&a->members, memory, capacity)) {
    cc_memory_put (&a->memory, a->members_memory);
    a->members_memory = memory;
  } else {
    cc_memory_put (&a->memory, memory);
  }
}

static void
on_verdict (RtpAttendance *a, uint32_t ssrc, RtpMemberVerdict verdict)
{
  if (verdict == RTP_MEMBER_NEW)
    rtp_events_tell_ssrc (&a->events, RTP_EVENT_VALIDATED, ssrc);
  if (verdict == RTP_MEMBER_NEW || verdict == RTP_MEMBER_CANDIDATE)
    make_room (a);
  if (verdict == RTP_MEMBER_NEW || verdict == RTP_MEMBER_BECAME_SENDER || verdict == RTP_MEMBER_LEFT)
    a->changed = true;
}

bool
rtp_attendance_on_rtp (RtpAttendance *a, uint64_t host, const RtpPacket *packet, CcTime now)
{
  uint64_t newcomers = a->peer.newcomers;

  if (!rtp_peer_on_rtp (&a->peer, host, packet->ssrc, packet->seq, now))
    return false;
  if (a->peer.newcomers == newcomers)
    return true;
  init_members (a, now);
  a->changed = true;
  rtp_events_tell_ssrc (&a->events, RTP_EVENT_NEWCOMER, packet->ssrc);
  return true;
}

/* Who contributes to a stream counts in a group alone: of two ends neither shares its RTCP with them. */
void
rtp_attendance_count_rtp (RtpAttendance *a, RtpLocals *locals, const RtpPacket *packet, CcTime now)
{
  RtpMemberVerdict verdict = rtp_members_on_rtp (&a->members, packet->ssrc, packet->seq, 0, now);
  unsigned i;

  on_verdict (a, packet->ssrc, verdict);
  if (a->peer.kind != RTP_SESSION_GROUP ||
      (verdict != RTP_MEMBER_NEW && verdict != RTP_MEMBER_KNOWN && verdict != RTP_MEMBER_BECAME_SENDER))
    return;
  for (i = 0; i < packet->n_csrcs; i++) {
    uint32_t csrc = rtp_packet_csrc (packet, i);

    if (rtp_locals_find (locals, csrc) == NULL)
      on_verdict (a, csrc, rtp_members_on_csrc (&a->members, csrc, 0, now));
  }
}

RtpMemberVerdict
rtp_attendance_on_rtcp (RtpAttendance *a, uint32_t ssrc, bool named, uint64_t host, CcTime now)
{
  RtpMemberVerdict verdict = rtp_members_on_rtcp (&a->members, ssrc, named, host, now);

  on_verdict (a, ssrc, verdict);
  if (verdict == RTP_MEMBER_CANDIDATE && named && a->peer.kind == RTP_SESSION_GROUP &&
      rtp_newcomers_take (&a->newcomers, host, now))
    on_verdict (a, ssrc, rtp_members_on_valid (&a->members, ssrc, false, host, now));
  return verdict;
}

void
rtp_attendance_on_member (RtpAttendance *a, const RtpAddress *from, CcTime now)
{
  uint64_t host = rtp_attendance_host (a, from);

  rtp_peer_on_member (&a->peer, host, now);
  if (host != 0 && rtp_peer_is (&a->peer, host))
    a->speaks_from = *from;
}

bool
rtp_attendance_on_bye (RtpAttendance *a, uint32_t ssrc, uint64_t host, CcTime now, bool *left)
{
  RtpMemberVerdict verdict = rtp_members_on_bye (&a->members, ssrc, host, now);

  *left = verdict == RTP_MEMBER_LEFT;
  if (verdict == RTP_MEMBER_CONFLICT)
    return false;
  if (*left)
    rtp_events_tell_ssrc (&a->events, RTP_EVENT_BYE, ssrc);
  on_verdict (a, ssrc, verdict);
  return true;
}

bool
rtp_attendance_may_answer (RtpAttendance *a, const RtpAddress *address, unsigned bytes)
{
  uint64_t host = rtp_attendance_host (a, address);

  return rtp_peer_is (&a->peer, host) && rtp_answers_take (&a->answers, host, bytes);
}

unsigned
rtp_attendance_members (const RtpAttendance *a)
{
  return rtp_peer_members (&a->peer, rtp_members_members (&a->members));
}

/* Not at once each time: they may be many. */
CcTime
rtp_attendance_next_timeout (const RtpAttendance *a)
{
  return cc_time_max (rtp_members_next_timeout (&a->members), a->expired_at + EXPIRY_GAP);
}

bool
rtp_attendance_expire (
    RtpAttendance *a, CcDuration member_timeout, CcDuration sender_timeout, CcTime now, uint32_t *gone)
{
  RtpMemberEvent event;

  a->expired_at = now;
  a->changed = true;
  rtp_members_set_timeouts (&a->members, member_timeout, sender_timeout);
  while ((event = rtp_members_expire (&a->members, now, gone)) != RTP_MEMBER_EVENT_NONE)
    if (event == RTP_MEMBER_EVENT_TIMED_OUT) {
      rtp_events_tell_ssrc (&a->events, RTP_EVENT_TIMEOUT, *gone);
      return true;
    }
  return false;
}
