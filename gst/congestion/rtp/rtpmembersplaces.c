/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "flowhash.h"
#include "rtpmembersprivate.h"

#include <assert.h>
#include <string.h>

/* Fifteen of sixteen places are for members, each with a bucket. */
static_assert ((sizeof (Member) + sizeof (uint32_t)) * 16 <= RTP_MEMBERS_BYTES * 15, "a member costs too much");
static_assert (sizeof (Member) % sizeof (uint32_t) == 0, "the index follows the places");

void
rtp_members_params_init (RtpMembersParams *params)
{
  *params = (RtpMembersParams){.min_sequential = 2, .min_named = 2, .bye_linger = 2 * CC_SECOND, .max_capacity = 65536};
}

static uint32_t
clamp (uint32_t value, uint32_t low, uint32_t high)
{
  return value < low ? low : value > high ? high : value;
}

static uint32_t
clamp_capacity (uint32_t capacity)
{
  return clamp (capacity, RTP_MEMBERS_MIN, RTP_MEMBERS_MAX);
}

size_t
rtp_members_memory (uint32_t capacity)
{
  return clamp_capacity (capacity) * (sizeof (Member) + sizeof (uint32_t));
}

static void
use_memory (RtpMembers *m, void *memory, uint32_t capacity)
{
  m->slots = memory;
  m->capacity = capacity;
  m->buckets = (uint32_t *)(void *)(m->slots + capacity);
  memset (m->buckets, 0xff, capacity * sizeof *m->buckets);
}

static const RtpMembersList nobody = {NOBODY, NOBODY, 0};

void
rtp_members_init (RtpMembers *m, const RtpMembersParams *params, void *memory, uint32_t capacity, CcTime now)
{
  *m = (RtpMembers){.params = *params,
      .free = NOBODY,
      .sending = nobody,
      .member_timeout = 25 * CC_SECOND,
      .sender_timeout = 10 * CC_SECOND,
      .now = now,
      .mask_settles_at = CC_TIME_NONE};
  m->params.min_sequential = clamp (params->min_sequential, 1, 15);
  m->params.min_named = clamp (params->min_named, 1, 15);
  m->params.max_capacity = clamp_capacity (params->max_capacity);
  for (int state = 0; state < RTP_MEMBER_STATES; state++)
    m->lists[state] = nobody;
  use_memory (m, memory, clamp_capacity (capacity));
  m->sweep = m->capacity;
}

/* Not to be guessed without the key. */
uint64_t
members_hash (const RtpMembers *m, uint32_t ssrc)
{
  return flow_hash_ssrc (m->params.key, ssrc);
}

/* From other bits than the bucket, or a sample would crowd into a few buckets. */
unsigned
members_level (uint64_t h)
{
  unsigned level = 0;

  while (level < MAX_BITS && !(h >> (63 - level) & 1))
    level++;
  return level;
}

static uint32_t *
bucket_of (const RtpMembers *m, uint64_t h)
{
  return &m->buckets[(h & UINT32_MAX) * m->capacity >> 32];
}

uint32_t
members_find (const RtpMembers *m, uint32_t ssrc, uint64_t h)
{
  uint32_t i = *bucket_of (m, h);

  while (i != NOBODY && m->slots[i].ssrc != ssrc)
    i = m->slots[i].next;
  return i;
}

static void
index_in (RtpMembers *m, uint32_t i, uint64_t h)
{
  uint32_t *bucket = bucket_of (m, h);

  m->slots[i].next = *bucket;
  *bucket = i;
}

static void
index_out (RtpMembers *m, uint32_t i)
{
  uint32_t *link = bucket_of (m, members_hash (m, m->slots[i].ssrc));

  while (*link != i)
    link = &m->slots[*link].next;
  *link = m->slots[i].next;
}

static void
list_append (RtpMembers *m, uint32_t i)
{
  RtpMembersList *list = &m->lists[m->slots[i].state];

  m->slots[i].older = list->newest;
  m->slots[i].newer = NOBODY;
  *(list->newest == NOBODY ? &list->oldest : &m->slots[list->newest].newer) = i;
  list->newest = i;
  list->count++;
}

static void
list_remove (RtpMembers *m, uint32_t i)
{
  RtpMembersList *list = &m->lists[m->slots[i].state];
  const Member *e = &m->slots[i];

  *(e->older == NOBODY ? &list->oldest : &m->slots[e->older].newer) = e->newer;
  *(e->newer == NOBODY ? &list->newest : &m->slots[e->newer].older) = e->older;
  list->count--;
}

static void
sending_append (RtpMembers *m, uint32_t i)
{
  RtpMembersList *list = &m->sending;

  m->slots[i].rtp_older = list->newest;
  m->slots[i].rtp_newer = NOBODY;
  *(list->newest == NOBODY ? &list->oldest : &m->slots[list->newest].rtp_newer) = i;
  list->newest = i;
  list->count++;
}

static void
sending_remove (RtpMembers *m, uint32_t i)
{
  RtpMembersList *list = &m->sending;
  const Member *e = &m->slots[i];

  *(e->rtp_older == NOBODY ? &list->oldest : &m->slots[e->rtp_older].rtp_newer) = e->rtp_newer;
  *(e->rtp_newer == NOBODY ? &list->newest : &m->slots[e->rtp_newer].rtp_older) = e->rtp_older;
  list->count--;
}

void
members_move (RtpMembers *m, uint32_t i, RtpMemberState state)
{
  list_remove (m, i);
  m->slots[i].state = state;
  list_append (m, i);
}

/* Where a member that does not send is counted. */
static uint32_t *
tally (RtpMembers *m, const Member *e)
{
  return &(e->generation == m->generation ? m->late : m->early)[e->level];
}

void
members_count (RtpMembers *m, uint32_t i)
{
  m->slots[i].generation = m->generation;
  ++*tally (m, &m->slots[i]);
}

void
members_begin_sending (RtpMembers *m, uint32_t i)
{
  --*tally (m, &m->slots[i]);
  m->slots[i].last_rtp = m->now;
  sending_append (m, i);
}

void
members_keep_sending (RtpMembers *m, uint32_t i)
{
  m->slots[i].last_rtp = m->now;
  if (m->sending.newest == i)
    return;
  sending_remove (m, i);
  sending_append (m, i);
}

void
members_end_sending (RtpMembers *m, uint32_t i)
{
  sending_remove (m, i);
  m->slots[i].last_rtp = CC_TIME_NONE;
  ++*tally (m, &m->slots[i]);
}

/* No member any more. */
void
members_discount (RtpMembers *m, uint32_t i)
{
  if (member_sends (&m->slots[i]))
    members_end_sending (m, i);
  --*tally (m, &m->slots[i]);
}

void
members_release (RtpMembers *m, uint32_t i)
{
  if (m->slots[i].state == RTP_MEMBER_STATE_VALID)
    members_discount (m, i);
  index_out (m, i);
  list_remove (m, i);
  m->slots[i].state = RTP_MEMBER_STATE_FREE;
  m->slots[i].next = m->free;
  m->free = i;
}

bool
members_has_place (const RtpMembers *m)
{
  return m->free != NOBODY || m->fresh < m->capacity;
}

static uint32_t
take_place (RtpMembers *m)
{
  uint32_t i = m->free;

  if (i == NOBODY)
    return m->fresh++;
  m->free = m->slots[i].next;
  return i;
}

uint32_t
members_place (RtpMembers *m, uint32_t ssrc, uint64_t h, RtpMemberState state)
{
  uint32_t i = take_place (m);

  m->slots[i] =
      (Member){.ssrc = ssrc, .heard = m->now, .last_rtp = CC_TIME_NONE, .level = members_level (h), .state = state};
  index_in (m, i, h);
  list_append (m, i);
  return i;
}

bool
rtp_members_grow (RtpMembers *m, void *memory, uint32_t capacity)
{
  const Member *old = m->slots;
  bool swept = m->sweep == m->capacity;

  capacity = clamp_capacity (capacity);
  if (capacity <= m->capacity)
    return false;
  use_memory (m, memory, capacity);
  memcpy (m->slots, old, m->fresh * sizeof *old);
  for (uint32_t i = 0; i < m->fresh; i++)
    if (m->slots[i].state != RTP_MEMBER_STATE_FREE)
      index_in (m, i, members_hash (m, m->slots[i].ssrc));
  if (swept)
    m->sweep = capacity;
  return true;
}

uint32_t
rtp_members_senders (const RtpMembers *m)
{
  return m->sending.count;
}

uint32_t
rtp_members_in_table (const RtpMembers *m)
{
  return members_in_table (m);
}

RtpMemberState
rtp_members_state (const RtpMembers *m, uint32_t ssrc)
{
  uint32_t i = members_find (m, ssrc, members_hash (m, ssrc));

  return i == NOBODY ? RTP_MEMBER_STATE_FREE : (RtpMemberState)m->slots[i].state;
}

bool
rtp_members_is_sender (const RtpMembers *m, uint32_t ssrc)
{
  uint32_t i = members_find (m, ssrc, members_hash (m, ssrc));

  return i != NOBODY && member_sends (&m->slots[i]);
}
