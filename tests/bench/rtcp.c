/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a packet costs that a session's members and its RTCP scheduler take in, by the number of members; and under a
   flood of invented SSRCs. RTP of one sender among them, as is usual; then RTP and RTCP of all in random order, the
   worst for the caches. Prints a table; has no opinion. */
#include "avpftiming.h"
#include "rtpmembers.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PACKETS 2000000
#define REAL 100
#define INTERVAL (5 * CC_SECOND)

typedef struct {
  RtpMembers members;
  AvpfTiming timing;
  CcPcg32 pcg;
  CcRandom random;
  void *memory;
  uint32_t *ssrcs; /* in the order they are heard */
  uint32_t count;
  CcTime now;
} Session;

typedef enum { RTP_OF_ONE, RTP, RTCP, FLOOD } Kind;

static double
ns_since (const struct timespec *start)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)(now.tv_sec - start->tv_sec) * 1e9 + (double)(now.tv_nsec - start->tv_nsec);
}

static void *
claim (size_t bytes)
{
  void *memory = malloc (bytes);

  if (memory == NULL) {
    fputs ("no memory\n", stderr);
    exit (1);
  }
  return memory;
}

static void
shuffle (Session *s)
{
  for (uint32_t i = s->count - 1; i > 0; i--) {
    uint32_t other = s->random.next (s->random.user) % (i + 1), swapped = s->ssrcs[i];
    s->ssrcs[i] = s->ssrcs[other];
    s->ssrcs[other] = swapped;
  }
}

static void
begin (Session *s, uint32_t count, uint32_t capacity)
{
  RtpMembersParams params;
  AvpfTimingParams timing;

  s->random = cc_pcg32_init (&s->pcg, 5);
  s->count = count;
  s->now = CC_SECOND;
  s->memory = claim (rtp_members_memory (capacity));
  s->ssrcs = claim (count * sizeof *s->ssrcs);
  rtp_members_params_init (&params);
  params.key[0] = 0x9e3779b97f4a7c15;
  rtp_members_init (&s->members, &params, s->memory, capacity, s->now);
  avpf_timing_params_init (&timing);
  timing.rtcp_bw_Bps = 6250;
  timing.group = true;
  timing.random = s->random;
  avpf_timing_init (&s->timing, &timing, s->now);
  for (uint32_t i = 0; i < count; i++) {
    s->ssrcs[i] = s->random.next (s->random.user);
    rtp_members_on_valid (&s->members, s->ssrcs[i], false, i, s->now);
  }
  shuffle (s);
}

static void
end (Session *s)
{
  free (s->memory);
  free (s->ssrcs);
}

static void
count_members (Session *s)
{
  while (rtp_members_next_timeout (&s->members) <= s->now &&
         rtp_members_expire (&s->members, s->now, NULL) != RTP_MEMBER_EVENT_NONE) {
  }
  avpf_timing_set_members (
      &s->timing, rtp_members_members (&s->members) + 1, rtp_members_senders (&s->members), false, s->now);
}

static void
take_in (Session *s, Kind kind, uint32_t i)
{
  uint32_t ssrc = kind == FLOOD ? i * 2654435761u : s->ssrcs[kind == RTP_OF_ONE ? 0 : i % s->count];

  if (kind == RTP_OF_ONE || kind == RTP)
    rtp_members_on_rtp (&s->members, ssrc, (uint16_t)i, 0, s->now);
  else {
    rtp_members_on_rtcp (&s->members, ssrc, true, 0, s->now);
    avpf_timing_on_received (&s->timing, 120);
  }
  count_members (s);
}

/* Each member is heard once an interval; so are those that the flood meets. */
static double
ns_per_packet (Session *s, Kind kind, uint32_t packets, CcDuration spacing)
{
  struct timespec start;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &start);
  for (uint32_t i = 0; i < packets; i++, s->now += spacing)
    take_in (s, kind, i);
  return ns_since (&start) / packets;
}

static void
print_group (uint32_t count, uint32_t capacity)
{
  Session s;
  double one, rtp, rtcp;

  begin (&s, count, capacity);
  one = ns_per_packet (&s, RTP_OF_ONE, PACKETS, CC_USECOND);
  rtp = ns_per_packet (&s, RTP, PACKETS, INTERVAL / count);
  rtcp = ns_per_packet (&s, RTCP, PACKETS, INTERVAL / count);
  printf ("%-10u %10u %12.0f %10.0f %10.0f %14.1f %12zu\n", count, rtp_members_in_table (&s.members), one, rtp, rtcp,
      (double)rtp_members_memory (capacity) / count, rtp_members_memory (capacity));
  end (&s);
}

/* 1e6 SSRCs in 10 s with a CNAME each; then the members again. */
static void
print_flood (uint32_t capacity)
{
  Session s;
  double flood;

  begin (&s, REAL, capacity);
  flood = ns_per_packet (&s, FLOOD, 1000000, 10 * CC_USECOND);
  printf ("flood, %6u places: %.0f ns per invented packet, %u of %u members kept, counted %u, %zu bytes\n", capacity,
      flood, rtp_members_in_table (&s.members), REAL, rtp_members_members (&s.members), rtp_members_memory (capacity));
  end (&s);
}

int
main (void)
{
  printf ("%-10s %10s %12s %10s %10s %14s %12s\n", "members", "in table", "ns/RTP of 1", "ns/RTP", "ns/RTCP",
      "bytes/member", "bytes");
  print_group (2, 64);
  print_group (60, 64);
  print_group (1000, 1000 * 16 / 15 + 1);
  print_group (10000, 10000 * 16 / 15 + 1);
  print_group (100000, 100000 * 16 / 15 + 1);
  print_group (1000000, 1000000 * 16 / 15 + 1);
  print_group (100000, 4096);
  print_flood (256);
  print_flood (65536);
  return 0;
}
