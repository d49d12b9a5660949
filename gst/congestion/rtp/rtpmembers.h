/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who takes part in an RTP session, from two to a million: RFC 3550 6.2.1, 6.3.3 to 6.3.5, 8.2 and A.1. This
   participant is not in the table: add one to members (), and one to senders () while it sends.

   Memory is the caller's: at most RTP_MEMBERS_BYTES per member, index and places for newcomers included. A packet and
   a look at the timeouts are O(1), amortised where the table is full, and allocate nothing; init (), grow () and
   is_sound () are O(capacity). The index is keyed with chance, so that chosen SSRCs make no chains.

   A newcomer is a candidate until it is valid, and counts for nothing. Candidates use what places members leave,
   and a sixteenth at least; where there is none the one of its kind that is silent for longest gives way. No number of
   them displaces a member or makes memory grow.

   Above what memory holds the table is a sample (RFC 2762): only identifiers whose keyed hash begins with
   admitted_bits zeroes are admitted, and each counts for 2^bits. Senders are always admitted and count for one. The
   mask gets a bit more where members fill their places, or where candidates give way before they could be heard again;
   and fewer where half the places would do. Members known before candidates alone made it grow stay, and count for one.
   With fewer bits in the mask most of those it lets in have yet to be heard: members () goes by the old mask until they
   had three report intervals. So the size is not underestimated (RFC 2762 4) and needs no correction that would be
   wrong where the group shrinks at the same time. */
#ifndef RTPMEMBERS_H
#define RTPMEMBERS_H

#include <stddef.h>

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RTP_MEMBERS_BYTES 64    /* of memory per member that fits */
#define RTP_MEMBERS_MIN 64      /* least capacity */
#define RTP_MEMBERS_MAX 8388608 /* largest capacity */
#define RTP_MEMBERS_LEVELS 25

typedef struct {
  uint64_t key[2];         /* random, kept from others */
  unsigned min_sequential; /* RTP packets in sequence that make a member, 1-15, default 2 (A.1) */
  unsigned min_named;      /* RTCP packets with a CNAME that make a member, 1-15, default 2. 1 is RFC 3550 6.2.1 to the
                              letter, and lets anybody add members with a packet each; simulations use it */
  CcDuration bye_linger;   /* how long stragglers behind a BYE are known as such, default 2 s */
  uint32_t max_capacity;   /* what wanted_capacity () may ask for, default 65536 */
} RtpMembersParams;

typedef enum {
  RTP_MEMBER_UNKNOWN,       /* BYE of an SSRC that is no member */
  RTP_MEMBER_CANDIDATE,     /* on probation: do not count it, do not answer it */
  RTP_MEMBER_NEW,           /* has become a member; after RTP a sender too */
  RTP_MEMBER_KNOWN,         /* is one already */
  RTP_MEMBER_BECAME_SENDER, /* a member that begins to send RTP */
  RTP_MEMBER_LEFT,          /* BYE accepted */
  RTP_MEMBER_STRAGGLER,     /* behind its BYE: ignore the packet */
  RTP_MEMBER_CONFLICT,      /* from another address than the member's: a collision or loop, ignore the packet (8.2) */
  RTP_MEMBER_NOT_SAMPLED,   /* represented by others: take what the packet reports, keep no state */
  RTP_MEMBER_REFUSED        /* no place: all taken by senders */
} RtpMemberVerdict;

typedef enum {
  RTP_MEMBER_EVENT_NONE,
  RTP_MEMBER_EVENT_TIMED_OUT,   /* is no member any more */
  RTP_MEMBER_EVENT_SENDER_ENDED /* still a member (or sampled away), not a sender */
} RtpMemberEvent;

typedef enum {
  RTP_MEMBER_STATE_FREE, /* not in the table */
  RTP_MEMBER_STATE_RTP,  /* candidate heard by RTP first */
  RTP_MEMBER_STATE_RTCP, /* candidate heard by RTCP or as a CSRC first */
  RTP_MEMBER_STATE_VALID,
  RTP_MEMBER_STATE_LEFT, /* said BYE a moment ago */
  RTP_MEMBER_STATES
} RtpMemberState;

typedef struct {
  uint32_t oldest, newest, count;
} RtpMembersList;

typedef struct {
  RtpMembersParams params;
  struct RtpMember *slots;
  uint32_t *buckets; /* one a place */
  uint32_t capacity, fresh, free;
  uint32_t sweep;                          /* slots before it match the mask; capacity: all */
  RtpMembersList lists[RTP_MEMBER_STATES]; /* in order of last heard; RTP_MEMBER_STATE_LEFT in order of BYE */
  RtpMembersList sending;                  /* in order of last RTP */
  CcDuration member_timeout, sender_timeout;
  CcTime now;
  unsigned admitted_bits, counted_bits; /* of the mask; counted_bits is higher while newly admitted ones are awaited */
  CcTime mask_settles_at;               /* CC_TIME_NONE: it has, and may shrink */
  bool keep_early;                      /* those from before the mask had bits count for one */
  uint32_t generation;                  /* of masks that began without bits */
  uint32_t early[RTP_MEMBERS_LEVELS];   /* members that do not send, by leading zeroes, from before that */
  uint32_t late[RTP_MEMBERS_LEVELS];    /* and since */
  uint64_t joins, byes, timeouts, sender_timeouts;
  uint64_t evicted;     /* candidates that gave way */
  uint64_t sampled_out; /* members dropped because the mask grew */
  uint64_t not_sampled; /* packets of SSRCs that the mask leaves out */
  uint64_t refused, conflicts, stragglers;
} RtpMembers;

void rtp_members_params_init (RtpMembersParams *params);
/* Bytes that a table of so many places (members and candidates) needs; capacity is clamped to RTP_MEMBERS_MIN and
   RTP_MEMBERS_MAX. */
size_t rtp_members_memory (uint32_t capacity);
/* memory: aligned to 8, rtp_members_memory (capacity) bytes. Timeouts start at 25 s and 10 s. */
void rtp_members_init (RtpMembers *m, const RtpMembersParams *params, void *memory, uint32_t capacity, CcTime now);
/* 0: the table is large enough. Otherwise the capacity to grow to when the caller can, a power of two. */
uint32_t rtp_members_wanted_capacity (const RtpMembers *m);
/* Moves into a larger memory; the old one is the caller's again. O(capacity): ask for at least twice as much. False,
   and nothing done, where capacity is no larger. */
bool rtp_members_grow (RtpMembers *m, void *memory, uint32_t capacity);

/* Silence after which a member is gone (6.3.5: five deterministic report intervals) and after which it is no sender
   (two intervals). A fifth of member_timeout is taken for the report interval. */
void rtp_members_set_timeouts (RtpMembers *m, CcDuration member_timeout, CcDuration sender_timeout);

/* address: any number that stands for the transport address a packet came from, 0: not known. A participant that sends
   RTP and RTCP from two ports needs the same for both, so take the host where that is possible. The first one known
   stays; a source that moved is accepted when the old address has been silent for member_timeout. */
RtpMemberVerdict rtp_members_on_rtp (RtpMembers *m, uint32_t ssrc, uint16_t seq, uint64_t address, CcTime now);
/* Once a packet and sender SSRC. named: with an SDES CNAME for it. */
RtpMemberVerdict rtp_members_on_rtcp (RtpMembers *m, uint32_t ssrc, bool named, uint64_t address, CcTime now);
/* For each CSRC of an RTP packet whose own verdict was NEW, KNOWN or BECAME_SENDER. A member after min_sequential. */
RtpMemberVerdict rtp_members_on_csrc (RtpMembers *m, uint32_t csrc, uint64_t address, CcTime now);
/* The caller knows it to be genuine (authenticated, signalled): no probation. sends: it has sent RTP. */
RtpMemberVerdict rtp_members_on_valid (RtpMembers *m, uint32_t ssrc, bool sends, uint64_t address, CcTime now);
/* For each SSRC of a BYE. UNKNOWN where it was no member. */
RtpMemberVerdict rtp_members_on_bye (RtpMembers *m, uint32_t ssrc, uint64_t address, CcTime now);

/* Call until it returns RTP_MEMBER_EVENT_NONE; *ssrc (may be NULL) is whom the event is about. */
RtpMemberEvent rtp_members_expire (RtpMembers *m, CcTime now, uint32_t *ssrc);
CcTime rtp_members_next_timeout (const RtpMembers *m); /* pure */

/* Estimates, this participant not included; exact while rtp_members_sampled_bits () is 0. members () >= senders (). */
uint32_t rtp_members_members (const RtpMembers *m);
uint32_t rtp_members_senders (const RtpMembers *m);
unsigned rtp_members_sampled_bits (const RtpMembers *m);
uint32_t rtp_members_in_table (const RtpMembers *m); /* valid ones */
RtpMemberState rtp_members_state (const RtpMembers *m, uint32_t ssrc);
bool rtp_members_is_sender (const RtpMembers *m, uint32_t ssrc);
/* Invariants, for tests: O(capacity). */
bool rtp_members_is_sound (const RtpMembers *m);

#ifdef __cplusplus
}
#endif
#endif
