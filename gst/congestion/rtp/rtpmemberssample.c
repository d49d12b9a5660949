/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpmembersprivate.h"

#define SWEEP_STEP 8

/* Three report intervals: whoever sends RTCP has been heard twice, one packet lost. */
CcDuration
members_settling_time (const RtpMembers *m)
{
  return m->member_timeout / 5 * 3;
}

/* Not let in by the mask, and not of those that may stay nevertheless. */
bool
members_is_masked (const RtpMembers *m, const Member *e)
{
  if (e->level >= m->admitted_bits || e->state == RTP_MEMBER_STATE_RTP || e->state == RTP_MEMBER_STATE_LEFT)
    return false;
  if (e->state == RTP_MEMBER_STATE_RTCP)
    return true;
  return !member_sends (e) && !(m->keep_early && e->generation != m->generation);
}

void
members_drop_masked (RtpMembers *m, uint32_t i)
{
  m->sampled_out += m->slots[i].state == RTP_MEMBER_STATE_VALID;
  members_release (m, i);
}

/* After the mask grew those that do not match it go a few at a time. */
void
members_sweep (RtpMembers *m)
{
  for (int i = 0; i < SWEEP_STEP && m->sweep < m->fresh; i++, m->sweep++) {
    const Member *e = &m->slots[m->sweep];
    if (e->state != RTP_MEMBER_STATE_FREE && members_is_masked (m, e))
      members_drop_masked (m, m->sweep);
  }
  if (m->sweep >= m->fresh)
    m->sweep = m->capacity;
}

static void
begin_sampling (RtpMembers *m)
{
  m->generation++;
  m->keep_early = true;
  for (int level = 0; level < RTP_MEMBERS_LEVELS; level++) {
    m->early[level] += m->late[level];
    m->late[level] = 0;
  }
}

/* RFC 2762 3 */
void
members_grow_mask (RtpMembers *m, bool for_members)
{
  if (m->sweep < m->capacity || m->admitted_bits == MAX_BITS)
    return;
  if (m->counted_bits == 0)
    begin_sampling (m);
  if (for_members)
    m->keep_early = false;
  m->admitted_bits++;
  if (m->counted_bits < m->admitted_bits)
    m->counted_bits = m->admitted_bits;
  m->sweep = 0;
  m->mask_settles_at = cc_time_add (m->now, members_settling_time (m));
}

/* Those that do not send, counted and represented; with admitted bits in the mask, how many of them the table holds. */
static double
receivers (const RtpMembers *m, unsigned bits)
{
  double sampled = members_sum (m->late, m->counted_bits), kept = 0;

  if (m->keep_early)
    kept = members_sum (m->early, 0);
  else
    sampled += members_sum (m->early, m->counted_bits);
  return kept + sampled * (1u << m->counted_bits) / (1u << bits);
}

/* With half of the places. */
static bool
would_do (const RtpMembers *m, unsigned bits)
{
  double places = (double)members_places (m) - m->sending.count;
  double candidates = m->lists[RTP_MEMBER_STATE_RTCP].count * (double)(1u << (m->admitted_bits - bits));

  return receivers (m, bits) + candidates <= places / 2;
}

void
members_shrink_mask (RtpMembers *m)
{
  unsigned bits = m->admitted_bits;

  if (m->mask_settles_at != CC_TIME_NONE || m->sweep < m->capacity)
    return;
  while (bits > 0 && would_do (m, bits - 1))
    bits--;
  if (bits == m->admitted_bits)
    return;
  m->admitted_bits = bits;
  m->mask_settles_at = cc_time_add (m->now, members_settling_time (m));
}

static bool
is_full (const RtpMembers *m)
{
  return members_in_table (m) >= members_places (m);
}

/* Where senders take nearly all places a smaller sample would say nothing. */
static bool
is_worth_sampling (const RtpMembers *m)
{
  return m->admitted_bits < MAX_BITS && members_in_table (m) - m->sending.count > members_places (m) / 8;
}

/* Every other member goes, so the sweep finds the first soon. */
bool
members_has_room (RtpMembers *m)
{
  while (is_full (m)) {
    if (m->sweep == m->capacity && !is_worth_sampling (m))
      return false;
    members_grow_mask (m, true);
    members_sweep (m);
  }
  return true;
}

uint32_t
rtp_members_members (const RtpMembers *m)
{
  double sum = m->sending.count;

  if (m->counted_bits == 0)
    return members_in_table (m);
  sum += receivers (m, 0);
  if (sum < members_in_table (m))
    return members_in_table (m);
  return sum < UINT32_MAX / 2 ? (uint32_t)sum : UINT32_MAX / 2;
}

unsigned
rtp_members_sampled_bits (const RtpMembers *m)
{
  return m->counted_bits;
}

/* So that half the places are free. */
uint32_t
rtp_members_wanted_capacity (const RtpMembers *m)
{
  double places = rtp_members_members (m) * 2. * 16 / 15;
  uint32_t capacity = RTP_MEMBERS_MIN;

  if (places <= m->capacity)
    return 0;
  while (capacity < places && capacity < m->params.max_capacity)
    capacity *= 2;
  if (capacity > m->params.max_capacity)
    capacity = m->params.max_capacity;
  return capacity > m->capacity ? capacity : 0;
}
