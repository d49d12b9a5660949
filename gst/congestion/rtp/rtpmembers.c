/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpmembersprivate.h"

static void
advance (RtpMembers *m, CcTime now)
{
  if (now != CC_TIME_NONE && now > m->now)
    m->now = now;
  if (m->now >= m->mask_settles_at)
    m->counted_bits = m->admitted_bits;
}

static void
evict_candidate (RtpMembers *m, RtpMemberState state)
{
  uint32_t i = m->lists[state].oldest;
  const Member *e = &m->slots[i];
  bool early = cc_time_since (m->now, e->heard) < members_settling_time (m) && !members_is_masked (m, e);

  members_release (m, i);
  m->evicted++;
  if (state == RTP_MEMBER_STATE_RTCP && early)
    members_grow_mask (m, false);
}

/* Whose candidate gives way to a newcomer of that state. Each kind keeps a 32nd of the places, if it needs them. */
static RtpMemberState
loser (const RtpMembers *m, RtpMemberState state)
{
  RtpMemberState other = state == RTP_MEMBER_STATE_RTP ? RTP_MEMBER_STATE_RTCP : RTP_MEMBER_STATE_RTP;
  uint32_t reserve = m->capacity / 32;

  if (state == RTP_MEMBER_STATE_VALID)
    return m->lists[RTP_MEMBER_STATE_RTCP].count > reserve ? RTP_MEMBER_STATE_RTCP : RTP_MEMBER_STATE_RTP;
  if (m->lists[state].count == 0 || (m->lists[state].count < reserve && m->lists[other].count > reserve))
    return other;
  return state;
}

/* Members leave a sixteenth of the places, so there is one. */
static void
make_place (RtpMembers *m, RtpMemberState state)
{
  if (state == RTP_MEMBER_STATE_RTP && m->lists[state].count >= m->capacity / 8)
    evict_candidate (m, state);
  else if (members_has_place (m))
    return;
  else if (m->lists[RTP_MEMBER_STATE_LEFT].count > 0)
    members_release (m, m->lists[RTP_MEMBER_STATE_LEFT].oldest);
  else
    evict_candidate (m, loser (m, state));
}

static uint32_t
add (RtpMembers *m, uint32_t ssrc, uint64_t h, RtpMemberState state)
{
  members_sweep (m);
  make_place (m, state);
  return members_place (m, ssrc, h, state == RTP_MEMBER_STATE_VALID ? RTP_MEMBER_STATE_RTCP : state);
}

/* From candidate to member. */
static RtpMemberVerdict
admit (RtpMembers *m, uint32_t i, bool as_sender)
{
  Member *e = &m->slots[i];

  /* Not to be swept away meanwhile. */
  if (as_sender)
    members_move (m, i, RTP_MEMBER_STATE_RTP);
  if (!members_has_room (m)) {
    m->refused++;
    return RTP_MEMBER_REFUSED;
  }
  if (!as_sender && e->level < m->admitted_bits) {
    if (e->state != RTP_MEMBER_STATE_FREE)
      members_release (m, i);
    m->not_sampled++;
    return RTP_MEMBER_NOT_SAMPLED;
  }
  members_move (m, i, RTP_MEMBER_STATE_VALID);
  members_count (m, i);
  if (as_sender)
    members_begin_sending (m, i);
  m->joins++;
  return RTP_MEMBER_NEW;
}

/* Heard again from where it was. */
static void
touch (RtpMembers *m, uint32_t i, uint64_t address)
{
  Member *e = &m->slots[i];

  e->heard = m->now;
  if (e->address == 0)
    e->address = address;
  if (m->lists[e->state].newest != i)
    members_move (m, i, e->state);
}

/* RFC 3550 6.2.1 and 8.2: CANDIDATE where the packet is to be taken in. */
static RtpMemberVerdict
examine (RtpMembers *m, uint32_t i, uint64_t address)
{
  const Member *e = &m->slots[i];

  if (e->state == RTP_MEMBER_STATE_LEFT) {
    m->stragglers++;
    return RTP_MEMBER_STRAGGLER;
  }
  if (e->address != 0 && address != 0 && e->address != address) {
    m->conflicts++;
    return RTP_MEMBER_CONFLICT;
  }
  touch (m, i, address);
  return RTP_MEMBER_CANDIDATE;
}

static RtpMemberVerdict
hear_rtp (RtpMembers *m, uint32_t i)
{
  if (!member_sends (&m->slots[i])) {
    members_begin_sending (m, i);
    return RTP_MEMBER_BECAME_SENDER;
  }
  members_keep_sending (m, i);
  return RTP_MEMBER_KNOWN;
}

/* RFC 3550 A.1 */
static RtpMemberVerdict
probe_rtp (RtpMembers *m, uint32_t i, uint16_t seq)
{
  Member *e = &m->slots[i];

  e->run = e->run > 0 && seq == e->next_seq ? e->run + 1 : 1;
  e->next_seq = (uint16_t)(seq + 1);
  if (e->run < m->params.min_sequential)
    return RTP_MEMBER_CANDIDATE;
  e->run = 0;
  return admit (m, i, true);
}

RtpMemberVerdict
rtp_members_on_rtp (RtpMembers *m, uint32_t ssrc, uint16_t seq, uint64_t address, CcTime now)
{
  uint64_t h = members_hash (m, ssrc);
  RtpMemberVerdict verdict;
  uint32_t i;

  advance (m, now);
  i = members_find (m, ssrc, h);
  if (i == NOBODY)
    i = add (m, ssrc, h, RTP_MEMBER_STATE_RTP);
  verdict = examine (m, i, address);
  if (verdict != RTP_MEMBER_CANDIDATE)
    return verdict;
  return m->slots[i].state == RTP_MEMBER_STATE_VALID ? hear_rtp (m, i) : probe_rtp (m, i, seq);
}

/* The SSRC in a packet that says nothing of sending: NOBODY where it is none of the sample. */
static uint32_t
find_or_sample (RtpMembers *m, uint32_t ssrc)
{
  uint64_t h = members_hash (m, ssrc);
  uint32_t i = members_find (m, ssrc, h);

  if (i != NOBODY && members_is_masked (m, &m->slots[i])) {
    members_drop_masked (m, i);
    i = NOBODY;
  }
  if (i != NOBODY)
    return i;
  if (members_level (h) >= m->admitted_bits)
    return add (m, ssrc, h, RTP_MEMBER_STATE_RTCP);
  m->not_sampled++;
  return NOBODY;
}

static RtpMemberVerdict
probe_named (RtpMembers *m, uint32_t i)
{
  Member *e = &m->slots[i];

  if (++e->named < m->params.min_named)
    return RTP_MEMBER_CANDIDATE;
  e->named = 0;
  return admit (m, i, false);
}

RtpMemberVerdict
rtp_members_on_rtcp (RtpMembers *m, uint32_t ssrc, bool named, uint64_t address, CcTime now)
{
  RtpMemberVerdict verdict;
  uint32_t i;

  advance (m, now);
  i = find_or_sample (m, ssrc);
  if (i == NOBODY)
    return RTP_MEMBER_NOT_SAMPLED;
  verdict = examine (m, i, address);
  if (verdict != RTP_MEMBER_CANDIDATE)
    return verdict;
  if (m->slots[i].state == RTP_MEMBER_STATE_VALID)
    return RTP_MEMBER_KNOWN;
  return named ? probe_named (m, i) : RTP_MEMBER_CANDIDATE;
}

static RtpMemberVerdict
probe_csrc (RtpMembers *m, uint32_t i)
{
  Member *e = &m->slots[i];

  if (++e->run < m->params.min_sequential)
    return RTP_MEMBER_CANDIDATE;
  e->run = 0;
  return admit (m, i, false);
}

RtpMemberVerdict
rtp_members_on_csrc (RtpMembers *m, uint32_t csrc, uint64_t address, CcTime now)
{
  RtpMemberVerdict verdict;
  uint32_t i;

  advance (m, now);
  i = find_or_sample (m, csrc);
  if (i == NOBODY)
    return RTP_MEMBER_NOT_SAMPLED;
  verdict = examine (m, i, address);
  if (verdict != RTP_MEMBER_CANDIDATE)
    return verdict;
  return m->slots[i].state == RTP_MEMBER_STATE_VALID ? RTP_MEMBER_KNOWN : probe_csrc (m, i);
}

static RtpMemberVerdict
admit_unheard (RtpMembers *m, uint32_t ssrc, uint64_t h, bool as_sender, uint64_t address)
{
  uint32_t i;

  if (!as_sender && members_level (h) < m->admitted_bits) {
    m->not_sampled++;
    return RTP_MEMBER_NOT_SAMPLED;
  }
  if (!members_has_room (m)) {
    m->refused++;
    return RTP_MEMBER_REFUSED;
  }
  i = add (m, ssrc, h, RTP_MEMBER_STATE_VALID);
  m->slots[i].address = address;
  return admit (m, i, as_sender);
}

RtpMemberVerdict
rtp_members_on_valid (RtpMembers *m, uint32_t ssrc, bool as_sender, uint64_t address, CcTime now)
{
  uint64_t h = members_hash (m, ssrc);
  RtpMemberVerdict verdict;
  uint32_t i;

  advance (m, now);
  i = members_find (m, ssrc, h);
  if (i == NOBODY)
    return admit_unheard (m, ssrc, h, as_sender, address);
  verdict = examine (m, i, address);
  if (verdict != RTP_MEMBER_CANDIDATE)
    return verdict;
  if (m->slots[i].state != RTP_MEMBER_STATE_VALID)
    return admit (m, i, as_sender);
  return as_sender ? hear_rtp (m, i) : RTP_MEMBER_KNOWN;
}

/* RFC 3550 6.3.4, 6.2.1 */
static RtpMemberVerdict
leave (RtpMembers *m, uint32_t i)
{
  if (m->slots[i].state != RTP_MEMBER_STATE_VALID) {
    members_release (m, i);
    return RTP_MEMBER_UNKNOWN;
  }
  members_discount (m, i);
  members_move (m, i, RTP_MEMBER_STATE_LEFT);
  m->byes++;
  return RTP_MEMBER_LEFT;
}

RtpMemberVerdict
rtp_members_on_bye (RtpMembers *m, uint32_t ssrc, uint64_t address, CcTime now)
{
  RtpMemberVerdict verdict;
  uint32_t i;

  advance (m, now);
  i = members_find (m, ssrc, members_hash (m, ssrc));
  if (i == NOBODY)
    return RTP_MEMBER_UNKNOWN;
  verdict = examine (m, i, address);
  if (verdict != RTP_MEMBER_CANDIDATE)
    return verdict;
  return leave (m, i);
}

static bool
is_due (const RtpMembers *m, RtpMemberState state, CcDuration timeout)
{
  uint32_t i = m->lists[state].oldest;

  return i != NOBODY && cc_time_since (m->now, m->slots[i].heard) >= timeout;
}

/* RFC 3550 6.2.1: five intervals for those not yet valid too. */
static void
expire_uncounted (RtpMembers *m)
{
  while (is_due (m, RTP_MEMBER_STATE_LEFT, m->params.bye_linger))
    members_release (m, m->lists[RTP_MEMBER_STATE_LEFT].oldest);
  while (is_due (m, RTP_MEMBER_STATE_RTP, m->member_timeout))
    members_release (m, m->lists[RTP_MEMBER_STATE_RTP].oldest);
  while (is_due (m, RTP_MEMBER_STATE_RTCP, m->member_timeout))
    members_release (m, m->lists[RTP_MEMBER_STATE_RTCP].oldest);
}

static void
lapse (RtpMembers *m, uint32_t i)
{
  members_end_sending (m, i);
  m->sender_timeouts++;
  if (members_is_masked (m, &m->slots[i]))
    members_drop_masked (m, i);
}

/* RFC 3550 6.3.5 */
RtpMemberEvent
rtp_members_expire (RtpMembers *m, CcTime now, uint32_t *ssrc)
{
  uint32_t sender = m->sending.oldest, member = m->lists[RTP_MEMBER_STATE_VALID].oldest, unwanted;

  advance (m, now);
  ssrc = ssrc != NULL ? ssrc : &unwanted;
  expire_uncounted (m);
  if (is_due (m, RTP_MEMBER_STATE_VALID, m->member_timeout)) {
    *ssrc = m->slots[member].ssrc;
    members_release (m, member);
    m->timeouts++;
    return RTP_MEMBER_EVENT_TIMED_OUT;
  }
  if (sender != NOBODY && cc_time_since (m->now, m->slots[sender].last_rtp) >= m->sender_timeout) {
    *ssrc = m->slots[sender].ssrc;
    lapse (m, sender);
    return RTP_MEMBER_EVENT_SENDER_ENDED;
  }
  if (m->now >= m->mask_settles_at)
    m->mask_settles_at = CC_TIME_NONE;
  members_shrink_mask (m);
  return RTP_MEMBER_EVENT_NONE;
}

static CcTime
due_at (const RtpMembers *m, RtpMemberState state, CcDuration timeout)
{
  uint32_t i = m->lists[state].oldest;

  return i == NOBODY ? CC_TIME_NONE : cc_time_add (m->slots[i].heard, timeout);
}

CcTime
rtp_members_next_timeout (const RtpMembers *m)
{
  CcTime at = due_at (m, RTP_MEMBER_STATE_VALID, m->member_timeout);

  at = cc_time_min (at, due_at (m, RTP_MEMBER_STATE_LEFT, m->params.bye_linger));
  at = cc_time_min (at, due_at (m, RTP_MEMBER_STATE_RTP, m->member_timeout));
  at = cc_time_min (at, due_at (m, RTP_MEMBER_STATE_RTCP, m->member_timeout));
  if (m->sending.oldest != NOBODY)
    at = cc_time_min (at, cc_time_add (m->slots[m->sending.oldest].last_rtp, m->sender_timeout));
  return cc_time_min (at, m->mask_settles_at);
}

void
rtp_members_set_timeouts (RtpMembers *m, CcDuration member_timeout, CcDuration sender_timeout)
{
  m->member_timeout = member_timeout;
  m->sender_timeout = sender_timeout;
}
