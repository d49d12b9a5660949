/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: capacity and probation, then operations on a session's members and on the list of conflicts. After each the
   table is sound, members come and go only for reasons that are counted, and a verdict agrees with the state it
   leaves. */
#include "rtpmembers.h"
#include "fuzz.h"
#include "ssrcconflict.h"

#define PLACES 512

const FuzzSeed fuzz_seeds[] = {
    {"\x00\x22\x01\x00\x01\x00\x01\x00\x01\x01\x01\x00\x02\x09\x00\x02\x09\x00\x05\x01\x00\x06\xff\x06\x80", 24},
    {"\x10\x11\x08\x00\x00\xff\x08\x01\x00\xff\x06\x40\x08\x02\x00\xff\x04\x00\x07\x07\x06\xff\x06\xff", 24},
    {"\x00\x22\x0a\x00\x00\xff\x0a\x10\x00\xff\x06\x20\x0a\x00\x00\xff\x06\x20\x06\xff\x08\x30\x00\xff\x06\xff", 26},
    {"\x20\x21\x03\x05\x00\x03\x05\x00\x04\x15\x40\x09\x11\x00\x06\x10\x05\x15\x40\x09\x11\x10\x06\xff\x09\x11\x01",
        27},
    {"\x20\x22\x09\x01\x00\x06\x15\x09\x02\x00\x06\x15\x09\x03\x00\x06\x15\x09\x04\x00\x06\x15\x09\x05\x00\x06\x15\x09"
     "\x06\x00\x06\x15\x09\x07\x00\x06\x15\x09\x08\x00\x06\x15\x09\x09\x00\x06\x15\x09\x0a\x00\x06\x15",
        52},
    {"\x00\x11\x0c\x00\x00\x80\x08\x01\x00\xff\x0c\x02\x00\xff\x02\x05\x01\x06\x20", 19},
    {NULL, 0},
};

typedef struct {
  RtpMembers table;
  SsrcConflict conflict;
  CcTime now;
  uint8_t *memory;
} Session;

static uint8_t *
claim (uint32_t capacity)
{
  return fuzz_exact (NULL, rtp_members_memory (capacity));
}

static void
check_verdict (const Session *s, RtpMemberVerdict verdict, uint32_t ssrc)
{
  RtpMemberState state = rtp_members_state (&s->table, ssrc);

  switch (verdict) {
  case RTP_MEMBER_NEW:
  case RTP_MEMBER_KNOWN:
  case RTP_MEMBER_BECAME_SENDER:
    FUZZ_CHECK (state == RTP_MEMBER_STATE_VALID);
    break;
  case RTP_MEMBER_LEFT:
  case RTP_MEMBER_STRAGGLER:
    FUZZ_CHECK (state == RTP_MEMBER_STATE_LEFT);
    break;
  case RTP_MEMBER_CANDIDATE:
    FUZZ_CHECK (state == RTP_MEMBER_STATE_RTP || state == RTP_MEMBER_STATE_RTCP);
    break;
  case RTP_MEMBER_UNKNOWN:
  case RTP_MEMBER_NOT_SAMPLED:
    FUZZ_CHECK (state == RTP_MEMBER_STATE_FREE);
    break;
  default:
    FUZZ_CHECK (state != RTP_MEMBER_STATE_LEFT);
  }
}

static void
check (const Session *s)
{
  const RtpMembers *m = &s->table;

  FUZZ_CHECK (rtp_members_is_sound (m));
  FUZZ_CHECK (m->joins == rtp_members_in_table (m) + m->byes + m->timeouts + m->sampled_out);
  FUZZ_CHECK (rtp_members_members (m) >= rtp_members_in_table (m));
  FUZZ_CHECK (rtp_members_sampled_bits (m) > 0 || rtp_members_members (m) == rtp_members_in_table (m));
  FUZZ_CHECK (s->conflict.count <= SSRC_CONFLICT_ADDRESSES);
}

static void
grow (Session *s)
{
  uint32_t members = rtp_members_members (&s->table), capacity = rtp_members_wanted_capacity (&s->table);
  uint8_t *memory;

  FUZZ_CHECK (capacity == 0 || (capacity > s->table.capacity && capacity <= PLACES));
  if (capacity == 0)
    return;
  memory = claim (capacity);
  FUZZ_CHECK (rtp_members_grow (&s->table, memory, capacity));
  FUZZ_CHECK (rtp_members_members (&s->table) == members);
  free (s->memory);
  s->memory = memory;
}

static void
expire (Session *s)
{
  uint32_t ssrc;
  RtpMemberEvent event;

  while ((event = rtp_members_expire (&s->table, s->now, &ssrc)) != RTP_MEMBER_EVENT_NONE) {
    FUZZ_CHECK (!rtp_members_is_sender (&s->table, ssrc));
    if (event == RTP_MEMBER_EVENT_TIMED_OUT)
      FUZZ_CHECK (rtp_members_state (&s->table, ssrc) == RTP_MEMBER_STATE_FREE);
  }
  FUZZ_CHECK (rtp_members_next_timeout (&s->table) > s->table.now);
}

/* Many at once, each heard `times` times. */
static void
crowd (Session *s, uint32_t first, unsigned times, unsigned count)
{
  while (times-- > 0)
    for (uint32_t i = 0; i < count; i++)
      check_verdict (s, rtp_members_on_rtcp (&s->table, first + i, true, 0, s->now), first + i);
}

static void
crowd_of_senders (Session *s, uint32_t first, unsigned count)
{
  for (uint32_t i = 0; i < count; i++)
    check_verdict (s, rtp_members_on_valid (&s->table, first + i, true, 0, s->now), first + i);
}

static void
hear (Session *s, FuzzInput *in, unsigned op)
{
  uint32_t ssrc = fuzz_take (in, 1), how = fuzz_take (in, 1);
  uint64_t address = how >> 6;
  RtpMembers *m = &s->table;

  if (op == 0 || op == 1)
    check_verdict (s, rtp_members_on_rtp (m, ssrc, (uint16_t)(how + s->now / CC_SECOND), address, s->now), ssrc);
  else if (op == 2)
    check_verdict (s, rtp_members_on_rtcp (m, ssrc, how & 1, address, s->now), ssrc);
  else if (op == 3)
    check_verdict (s, rtp_members_on_csrc (m, ssrc, address, s->now), ssrc);
  else if (op == 4)
    check_verdict (s, rtp_members_on_valid (m, ssrc, how & 1, address, s->now), ssrc);
  else
    check_verdict (s, rtp_members_on_bye (m, ssrc, address, s->now), ssrc);
}

static void
set_timeouts (Session *s, FuzzInput *in)
{
  CcDuration member = (1 + fuzz_take (in, 1)) * CC_SECOND;

  rtp_members_set_timeouts (&s->table, member, (1 + fuzz_take (in, 1)) * CC_SECOND);
}

static void
conflict (Session *s, FuzzInput *in)
{
  uint64_t address = fuzz_take (in, 1) % 16, collisions = s->conflict.collisions;
  CcTime before = s->conflict.changed_at;
  SsrcConflictVerdict verdict =
      ssrc_conflict_on_packet (&s->conflict, address, (SsrcCname)(fuzz_take (in, 1) % 3), CC_SECOND, s->now);

  FUZZ_CHECK ((verdict == SSRC_CONFLICT_CHANGE) == (s->conflict.collisions > collisions));
  if (verdict == SSRC_CONFLICT_CHANGE && before != CC_TIME_NONE)
    FUZZ_CHECK (s->now - before >= CC_SECOND);
}

static void
operate (Session *s, FuzzInput *in)
{
  unsigned op = fuzz_take (in, 1) % 13;

  switch (op) {
  case 6:
    s->now += fuzz_take (in, 1) * 50 * CC_MSECOND;
    expire (s);
    break;
  case 7:
    grow (s);
    break;
  case 8:
  case 10:
    crowd (s, fuzz_take (in, 2) << 8, op == 8 ? 2 : 1, fuzz_take (in, 1));
    break;
  case 12:
    crowd_of_senders (s, fuzz_take (in, 2) << 8, fuzz_take (in, 1));
    break;
  case 9:
    conflict (s, in);
    break;
  case 11:
    set_timeouts (s, in);
    break;
  default:
    hear (s, in, op);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput in = {data, data + size};
  Session s = {.now = CC_SECOND};
  RtpMembersParams params;
  uint32_t capacity = 64 + fuzz_take (&in, 1) / 4;
  unsigned probation = fuzz_take (&in, 1);

  rtp_members_params_init (&params);
  params.key[0] = capacity;
  params.min_sequential = probation >> 4;
  params.min_named = probation & 15;
  params.max_capacity = PLACES;
  s.memory = claim (capacity);
  rtp_members_init (&s.table, &params, s.memory, capacity, s.now);
  ssrc_conflict_init (&s.conflict);
  for (unsigned n = 0; in.at < in.end && n < 300; n++) {
    operate (&s, &in);
    check (&s);
  }
  free (s.memory);
  return 0;
}
