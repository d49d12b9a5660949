/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table to test, and short names for what is done to it. */
#ifndef RTP_MEMBERS_TEST_H
#define RTP_MEMBERS_TEST_H

#include "ccrandom.h"
#include "cctest.h"
#include "rtpmembers.h"

#define START (1000 * CC_SECOND)
#define T (5 * CC_SECOND) /* report interval: the default member_timeout is 5 T, sender_timeout 2 T */
#define LARGEST 8192

static uint64_t memory[LARGEST * RTP_MEMBERS_BYTES / 8];
static RtpMembers table;
static RtpMembersParams params;
static CcPcg32 pcg;
static CcRandom source;

static inline void
begin (uint32_t capacity)
{
  rtp_members_params_init (&params);
  params.key[0] = 0x0123456789abcdef;
  params.key[1] = 0xfedcba9876543210;
  ck_assert_uint_le (rtp_members_memory (capacity), sizeof memory);
  rtp_members_init (&table, &params, memory, capacity, START);
  source = cc_pcg32_init (&pcg, 7);
}

/* In long loops: an assertion of the test library costs a system call. */
#define HOLDS(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      ck_abort_msg ("%s", #condition);                                                                                 \
  } while (0)

static inline uint32_t
chance (uint32_t below)
{
  return source.next (source.user) % below;
}

static inline RtpMemberVerdict
rtp (uint32_t ssrc, uint16_t seq, CcTime now)
{
  return rtp_members_on_rtp (&table, ssrc, seq, 0, now);
}

static inline RtpMemberVerdict
named (uint32_t ssrc, CcTime now)
{
  return rtp_members_on_rtcp (&table, ssrc, true, 0, now);
}

static inline RtpMemberVerdict
valid (uint32_t ssrc, bool sends, CcTime now)
{
  return rtp_members_on_valid (&table, ssrc, sends, 0, now);
}

static inline unsigned
expire (CcTime now)
{
  unsigned events = 0;

  while (rtp_members_expire (&table, now, NULL) != RTP_MEMBER_EVENT_NONE)
    events++;
  return events;
}

static inline void
check_count (uint32_t members, uint32_t senders)
{
  ck_assert_uint_eq (rtp_members_members (&table), members);
  ck_assert_uint_eq (rtp_members_senders (&table), senders);
  ck_assert (rtp_members_is_sound (&table));
}

#endif
