/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpmembers.h"

#include <assert.h>
#include <string.h>

#define NOBODY UINT32_MAX
#define MAX_BITS (RTP_MEMBERS_LEVELS - 1)
#define SWEEP_STEP 8

struct RtpMember {
  CcTime heard;    /* last; of one that left: when it did */
  CcTime last_rtp; /* CC_TIME_NONE: no sender */
  uint64_t address;
  uint32_t ssrc;
  uint32_t older, newer;         /* in the list of its state */
  uint32_t rtp_older, rtp_newer; /* among senders */
  uint32_t next;                 /* in its bucket, or the next free one */
  uint32_t generation;           /* in which it became a member */
  uint16_t next_seq;
  uint8_t state : 3;
  uint8_t level : 5; /* leading zeroes of its hash, MAX_BITS at most */
  uint8_t run : 4;   /* RTP packets in sequence, or packets it was a CSRC of */
  uint8_t named : 4; /* RTCP packets with a CNAME */
};

typedef struct RtpMember Member;

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

#define ROTATE(x, bits) ((x) << (bits) | (x) >> (64 - (bits)))

static void
sip_round (uint64_t v[4])
{
  v[0] += v[1];
  v[2] += v[3];
  v[1] = ROTATE (v[1], 13) ^ v[0];
  v[3] = ROTATE (v[3], 16) ^ v[2];
  v[0] = ROTATE (v[0], 32);
  v[2] += v[1];
  v[0] += v[3];
  v[1] = ROTATE (v[1], 17) ^ v[2];
  v[3] = ROTATE (v[3], 21) ^ v[0];
  v[2] = ROTATE (v[2], 32);
}

/* SipHash-1-3 of the four bytes (Aumasson, Bernstein 2012): not to be guessed without the key. */
static uint64_t
hash (const RtpMembers *m, uint32_t ssrc)
{
  const uint64_t *key = m->params.key, block = (uint64_t)4 << 56 | ssrc;
  uint64_t v[4] = {key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
      key[1] ^ 0x7465646279746573 ^ block};

  sip_round (v);
  v[0] ^= block;
  v[2] ^= 0xff;
  for (int i = 0; i < 3; i++)
    sip_round (v);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* From other bits than the bucket, or a sample would crowd into a few buckets. */
static unsigned
level_of (uint64_t h)
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

static uint32_t
find_in (const RtpMembers *m, uint32_t ssrc, uint64_t h)
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
  uint32_t *link = bucket_of (m, hash (m, m->slots[i].ssrc));

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

static void
move_to_state (RtpMembers *m, uint32_t i, RtpMemberState state)
{
  list_remove (m, i);
  m->slots[i].state = state;
  list_append (m, i);
}

static bool
sends (const Member *e)
{
  return e->last_rtp != CC_TIME_NONE;
}

/* Where a member that does not send is counted. */
static uint32_t *
tally (RtpMembers *m, const Member *e)
{
  return &(e->generation == m->generation ? m->late : m->early)[e->level];
}

static void
begin_sending (RtpMembers *m, uint32_t i)
{
  --*tally (m, &m->slots[i]);
  m->slots[i].last_rtp = m->now;
  sending_append (m, i);
}

static void
end_sending (RtpMembers *m, uint32_t i)
{
  sending_remove (m, i);
  m->slots[i].last_rtp = CC_TIME_NONE;
  ++*tally (m, &m->slots[i]);
}

/* No member any more. */
static void
discount (RtpMembers *m, uint32_t i)
{
  if (sends (&m->slots[i]))
    end_sending (m, i);
  --*tally (m, &m->slots[i]);
}

static void
release (RtpMembers *m, uint32_t i)
{
  if (m->slots[i].state == RTP_MEMBER_STATE_VALID)
    discount (m, i);
  index_out (m, i);
  list_remove (m, i);
  m->slots[i].state = RTP_MEMBER_STATE_FREE;
  m->slots[i].next = m->free;
  m->free = i;
}

static uint32_t
places_for_members (const RtpMembers *m)
{
  return m->capacity - m->capacity / 16;
}

static uint32_t
in_table (const RtpMembers *m)
{
  return m->lists[RTP_MEMBER_STATE_VALID].count;
}

/* Three report intervals: whoever sends RTCP has been heard twice, one packet lost. */
static CcDuration
settling_time (const RtpMembers *m)
{
  return m->member_timeout / 5 * 3;
}

static bool
has_place (const RtpMembers *m)
{
  return m->free != NOBODY || m->fresh < m->capacity;
}

/* Not let in by the mask, and not of those that may stay nevertheless. */
static bool
is_masked (const RtpMembers *m, const Member *e)
{
  if (e->level >= m->admitted_bits || e->state == RTP_MEMBER_STATE_RTP || e->state == RTP_MEMBER_STATE_LEFT)
    return false;
  if (e->state == RTP_MEMBER_STATE_RTCP)
    return true;
  return !sends (e) && !(m->keep_early && e->generation != m->generation);
}

static void
drop_masked (RtpMembers *m, uint32_t i)
{
  m->sampled_out += m->slots[i].state == RTP_MEMBER_STATE_VALID;
  release (m, i);
}

/* After the mask grew those that do not match it go a few at a time. */
static void
sweep (RtpMembers *m)
{
  for (int i = 0; i < SWEEP_STEP && m->sweep < m->fresh; i++, m->sweep++) {
    const Member *e = &m->slots[m->sweep];
    if (e->state != RTP_MEMBER_STATE_FREE && is_masked (m, e))
      drop_masked (m, m->sweep);
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
static void
grow_mask (RtpMembers *m, bool for_members)
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
  m->mask_settles_at = cc_time_add (m->now, settling_time (m));
}

static double
sum_from (const uint32_t *tallies, unsigned level)
{
  double sum = 0;

  while (level < RTP_MEMBERS_LEVELS)
    sum += tallies[level++];
  return sum;
}

/* Those that do not send, counted and represented; with admitted bits in the mask, how many of them the table holds. */
static double
receivers (const RtpMembers *m, unsigned bits)
{
  double sampled = sum_from (m->late, m->counted_bits), kept = 0;

  if (m->keep_early)
    kept = sum_from (m->early, 0);
  else
    sampled += sum_from (m->early, m->counted_bits);
  return kept + sampled * (1u << m->counted_bits) / (1u << bits);
}

/* With half of the places. */
static bool
would_do (const RtpMembers *m, unsigned bits)
{
  double places = (double)places_for_members (m) - m->sending.count;
  double candidates = m->lists[RTP_MEMBER_STATE_RTCP].count * (double)(1u << (m->admitted_bits - bits));

  return receivers (m, bits) + candidates <= places / 2;
}

static void
shrink_mask (RtpMembers *m)
{
  unsigned bits = m->admitted_bits;

  if (m->mask_settles_at != CC_TIME_NONE || m->sweep < m->capacity)
    return;
  while (bits > 0 && would_do (m, bits - 1))
    bits--;
  if (bits == m->admitted_bits)
    return;
  m->admitted_bits = bits;
  m->mask_settles_at = cc_time_add (m->now, settling_time (m));
}

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
  bool early = cc_time_since (m->now, e->heard) < settling_time (m) && !is_masked (m, e);

  release (m, i);
  m->evicted++;
  if (state == RTP_MEMBER_STATE_RTCP && early)
    grow_mask (m, false);
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
  else if (has_place (m))
    return;
  else if (m->lists[RTP_MEMBER_STATE_LEFT].count > 0)
    release (m, m->lists[RTP_MEMBER_STATE_LEFT].oldest);
  else
    evict_candidate (m, loser (m, state));
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

static uint32_t
add (RtpMembers *m, uint32_t ssrc, uint64_t h, RtpMemberState state)
{
  uint32_t i;

  sweep (m);
  make_place (m, state);
  i = take_place (m);
  m->slots[i] = (Member){.ssrc = ssrc,
      .heard = m->now,
      .last_rtp = CC_TIME_NONE,
      .level = level_of (h),
      .state = state == RTP_MEMBER_STATE_VALID ? RTP_MEMBER_STATE_RTCP : state};
  index_in (m, i, h);
  list_append (m, i);
  return i;
}

static bool
is_full (const RtpMembers *m)
{
  return in_table (m) >= places_for_members (m);
}

/* Where senders take nearly all places a smaller sample would say nothing. */
static bool
is_worth_sampling (const RtpMembers *m)
{
  return m->admitted_bits < MAX_BITS && in_table (m) - m->sending.count > places_for_members (m) / 8;
}

/* Every other member goes, so the sweep finds the first soon. */
static bool
has_room (RtpMembers *m)
{
  while (is_full (m)) {
    if (m->sweep == m->capacity && !is_worth_sampling (m))
      return false;
    grow_mask (m, true);
    sweep (m);
  }
  return true;
}

/* From candidate to member. */
static RtpMemberVerdict
admit (RtpMembers *m, uint32_t i, bool as_sender)
{
  Member *e = &m->slots[i];

  /* Not to be swept away meanwhile. */
  if (as_sender)
    move_to_state (m, i, RTP_MEMBER_STATE_RTP);
  if (!has_room (m)) {
    m->refused++;
    return RTP_MEMBER_REFUSED;
  }
  if (!as_sender && e->level < m->admitted_bits) {
    if (e->state != RTP_MEMBER_STATE_FREE)
      release (m, i);
    m->not_sampled++;
    return RTP_MEMBER_NOT_SAMPLED;
  }
  move_to_state (m, i, RTP_MEMBER_STATE_VALID);
  e->generation = m->generation;
  ++*tally (m, e);
  if (as_sender)
    begin_sending (m, i);
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
    move_to_state (m, i, e->state);
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
  if (!sends (&m->slots[i])) {
    begin_sending (m, i);
    return RTP_MEMBER_BECAME_SENDER;
  }
  m->slots[i].last_rtp = m->now;
  if (m->sending.newest != i) {
    sending_remove (m, i);
    sending_append (m, i);
  }
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
  uint64_t h = hash (m, ssrc);
  RtpMemberVerdict verdict;
  uint32_t i;

  advance (m, now);
  i = find_in (m, ssrc, h);
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
  uint64_t h = hash (m, ssrc);
  uint32_t i = find_in (m, ssrc, h);

  if (i != NOBODY && is_masked (m, &m->slots[i])) {
    drop_masked (m, i);
    i = NOBODY;
  }
  if (i != NOBODY)
    return i;
  if (level_of (h) >= m->admitted_bits)
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

  if (!as_sender && level_of (h) < m->admitted_bits) {
    m->not_sampled++;
    return RTP_MEMBER_NOT_SAMPLED;
  }
  if (!has_room (m)) {
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
  uint64_t h = hash (m, ssrc);
  RtpMemberVerdict verdict;
  uint32_t i;

  advance (m, now);
  i = find_in (m, ssrc, h);
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
    release (m, i);
    return RTP_MEMBER_UNKNOWN;
  }
  discount (m, i);
  move_to_state (m, i, RTP_MEMBER_STATE_LEFT);
  m->byes++;
  return RTP_MEMBER_LEFT;
}

RtpMemberVerdict
rtp_members_on_bye (RtpMembers *m, uint32_t ssrc, uint64_t address, CcTime now)
{
  RtpMemberVerdict verdict;
  uint32_t i;

  advance (m, now);
  i = find_in (m, ssrc, hash (m, ssrc));
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
    release (m, m->lists[RTP_MEMBER_STATE_LEFT].oldest);
  while (is_due (m, RTP_MEMBER_STATE_RTP, m->member_timeout))
    release (m, m->lists[RTP_MEMBER_STATE_RTP].oldest);
  while (is_due (m, RTP_MEMBER_STATE_RTCP, m->member_timeout))
    release (m, m->lists[RTP_MEMBER_STATE_RTCP].oldest);
}

static void
lapse (RtpMembers *m, uint32_t i)
{
  end_sending (m, i);
  m->sender_timeouts++;
  if (is_masked (m, &m->slots[i]))
    drop_masked (m, i);
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
    release (m, member);
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
  shrink_mask (m);
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
      index_in (m, i, hash (m, m->slots[i].ssrc));
  if (swept)
    m->sweep = capacity;
  return true;
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

uint32_t
rtp_members_members (const RtpMembers *m)
{
  double sum = m->sending.count;

  if (m->counted_bits == 0)
    return in_table (m);
  sum += receivers (m, 0);
  if (sum < in_table (m))
    return in_table (m);
  return sum < UINT32_MAX / 2 ? (uint32_t)sum : UINT32_MAX / 2;
}

uint32_t
rtp_members_senders (const RtpMembers *m)
{
  return m->sending.count;
}

unsigned
rtp_members_sampled_bits (const RtpMembers *m)
{
  return m->counted_bits;
}

uint32_t
rtp_members_in_table (const RtpMembers *m)
{
  return in_table (m);
}

RtpMemberState
rtp_members_state (const RtpMembers *m, uint32_t ssrc)
{
  uint32_t i = find_in (m, ssrc, hash (m, ssrc));

  return i == NOBODY ? RTP_MEMBER_STATE_FREE : (RtpMemberState)m->slots[i].state;
}

bool
rtp_members_is_sender (const RtpMembers *m, uint32_t ssrc)
{
  uint32_t i = find_in (m, ssrc, hash (m, ssrc));

  return i != NOBODY && sends (&m->slots[i]);
}

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
    if (find_in (m, e->ssrc, hash (m, e->ssrc)) != i)
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
    if (!sends (e) || (older != NOBODY && m->slots[older].last_rtp > e->last_rtp))
      return false;
  }
  return m->sending.newest == older && n == m->sending.count;
}

static bool
tallies_are_sound (const RtpMembers *m)
{
  double early = sum_from (m->early, 0), late = sum_from (m->late, 0);

  for (uint32_t i = m->lists[RTP_MEMBER_STATE_VALID].oldest; i != NOBODY; i = m->slots[i].newer)
    if (!sends (&m->slots[i]))
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
         in_table (m) <= places_for_members (m) && m->admitted_bits <= m->counted_bits &&
         rtp_members_senders (m) <= rtp_members_members (m);
}
