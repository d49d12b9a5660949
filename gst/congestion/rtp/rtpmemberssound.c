/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For tests: whether lists, senders, tallies and places of rtpmembers.h agree. */
#include "rtpmembersprivate.h"

/* Linked both ways, in order, as long as it says, all in one state and found by their SSRC. */
static bool
list_is_sound (const RtpMembers *m, RtpMemberState state)
{
  const RtpMembersList *list = &m->lists[state];
  uint32_t n = 0, older = NOBODY;

  for (uint32_t i = list->oldest; i != NOBODY; older = i, i = m->slots[i].newer) {
    const Member *e = &m->slots[i];
    if (i >= m->fresh || n++ >= list->count || e->older != older || e->state != state)
      return false;
    if (older != NOBODY && m->slots[older].heard > e->heard)
      return false;
    if (members_find (m, e->ssrc, members_hash (m, e->ssrc)) != i)
      return false;
  }
  return list->newest == older && n == list->count;
}

static bool
senders_are_sound (const RtpMembers *m)
{
  uint32_t n = 0, older = NOBODY;

  for (uint32_t i = m->sending.oldest; i != NOBODY; older = i, i = m->slots[i].rtp_newer) {
    const Member *e = &m->slots[i];
    if (i >= m->fresh || n++ >= m->sending.count || e->rtp_older != older || e->state != RTP_MEMBER_STATE_VALID)
      return false;
    if (!member_sends (e) || (older != NOBODY && m->slots[older].last_rtp > e->last_rtp))
      return false;
  }
  return m->sending.newest == older && n == m->sending.count;
}

static bool
tallies_are_sound (const RtpMembers *m)
{
  double early = members_sum (m->early, 0), late = members_sum (m->late, 0);

  for (uint32_t i = m->lists[RTP_MEMBER_STATE_VALID].oldest; i != NOBODY; i = m->slots[i].newer)
    if (!member_sends (&m->slots[i]))
      *(m->slots[i].generation == m->generation ? &late : &early) -= 1;
  return early == 0 && late == 0;
}

bool
rtp_members_is_sound (const RtpMembers *m)
{
  uint32_t used = 0, unused = m->capacity - m->fresh;

  for (int state = RTP_MEMBER_STATE_RTP; state < RTP_MEMBER_STATES; state++) {
    if (!list_is_sound (m, (RtpMemberState)state))
      return false;
    used += m->lists[state].count;
  }
  for (uint32_t i = m->free; i != NOBODY && unused <= m->capacity; i = m->slots[i].next)
    unused++;
  return used + unused == m->capacity && senders_are_sound (m) && tallies_are_sound (m) &&
         members_in_table (m) <= members_places (m) && m->admitted_bits <= m->counted_bits &&
         rtp_members_senders (m) <= rtp_members_members (m);
}
