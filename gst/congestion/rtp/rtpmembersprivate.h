/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the parts of rtpmembers.h share: rtpmembersplaces.c (memory, index, lists and tallies), rtpmemberssample.c
   (the mask and the estimates) and rtpmembers.c (who is a member, and how long). */
#ifndef RTPMEMBERS_PRIVATE_H
#define RTPMEMBERS_PRIVATE_H

#include "rtpmembers.h"

#define NOBODY UINT32_MAX
#define MAX_BITS (RTP_MEMBERS_LEVELS - 1)

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

static inline bool
member_sends (const Member *e)
{
  return e->last_rtp != CC_TIME_NONE;
}

static inline uint32_t
members_places (const RtpMembers *m)
{
  return m->capacity - m->capacity / 16;
}

static inline uint32_t
members_in_table (const RtpMembers *m)
{
  return m->lists[RTP_MEMBER_STATE_VALID].count;
}

static inline double
members_sum (const uint32_t *tallies, unsigned level)
{
  double sum = 0;

  while (level < RTP_MEMBERS_LEVELS)
    sum += tallies[level++];
  return sum;
}

/* Keyed: not to be guessed. The bucket and the level are taken from different bits. */
uint64_t members_hash (const RtpMembers *m, uint32_t ssrc);
unsigned members_level (uint64_t h);
/* NOBODY where it is not in the table. */
uint32_t members_find (const RtpMembers *m, uint32_t ssrc, uint64_t h);
bool members_has_place (const RtpMembers *m);
/* A place for ssrc, as the newest of that state; there must be one. */
uint32_t members_place (RtpMembers *m, uint32_t ssrc, uint64_t h, RtpMemberState state);
/* Frees the place; a member is discounted first. */
void members_release (RtpMembers *m, uint32_t i);
/* Newest of the list of that state. Does not count. */
void members_move (RtpMembers *m, uint32_t i, RtpMemberState state);
/* A member from now on, and one that does not send. */
void members_count (RtpMembers *m, uint32_t i);
void members_discount (RtpMembers *m, uint32_t i);
void members_begin_sending (RtpMembers *m, uint32_t i);
void members_keep_sending (RtpMembers *m, uint32_t i);
void members_end_sending (RtpMembers *m, uint32_t i);

/* Three report intervals: whoever sends RTCP has been heard twice, one packet lost. */
CcDuration members_settling_time (const RtpMembers *m);
/* Not let in by the mask, and not of those that may stay nevertheless. */
bool members_is_masked (const RtpMembers *m, const Member *e);
void members_drop_masked (RtpMembers *m, uint32_t i);
/* After the mask grew those that do not match it go, a few a call. */
void members_sweep (RtpMembers *m);
/* for_members: they fill their places, so that those from before the mask had bits are sampled too; otherwise it is
   candidates that are too many. Ignored while a sweep is under way. */
void members_grow_mask (RtpMembers *m, bool for_members);
/* To what would do with half the places, once it has settled. */
void members_shrink_mask (RtpMembers *m);
/* Whether one more member fits, after growing the mask where that helps. */
bool members_has_room (RtpMembers *m);

#endif
