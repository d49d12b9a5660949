/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Many AvpfTimings that hear each other: what a whole session sends. */
#include "avpftiming.h"
#include "cctest.h"

#include <stdlib.h>
#include <string.h>

#define START (1000 * CC_SECOND)
#define SIZE 128
#define BW 250.0
/* T = Td x [0.5, 1.5) / (e - 1.5) */
#define LOW (0.5 / 1.21828182845904523536)

/* ck_assert for hot loops: check writes each assertion down. */
#define REQUIRE(condition)                                                                                             \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      ck_abort_msg ("%s", #condition);                                                                                 \
  } while (0)

static AvpfVerdict
step (AvpfTiming *t, CcTime *now)
{
  AvpfVerdict verdict;

  *now = avpf_timing_next_timeout (t);
  verdict = avpf_timing_on_timeout (t, *now);
  avpf_timing_on_sent (t, verdict, SIZE, *now);
  return verdict;
}

/* A session in which packets reach all at once. Each knows those it has heard of. */
enum { MOST = 12 };

typedef struct {
  AvpfTimingParams p;
  AvpfTiming t[MOST];
  bool in[MOST], heard[MOST][MOST];
  unsigned n;
  CcPcg32 pcg;
  CcRandom random;
  uint64_t bytes, timeouts, early;
} Session;

static void
tell_members (Session *s, unsigned i, CcTime now)
{
  unsigned members = 1;

  for (unsigned j = 0; j < s->n; j++)
    members += j != i && s->heard[i][j];
  avpf_timing_set_members (&s->t[i], members, 0, false, now);
}

static void
enter (Session *s, unsigned i, CcTime now)
{
  avpf_timing_init (&s->t[i], &s->p, now);
  s->in[i] = true;
  memset (s->heard[i], 0, sizeof s->heard[i]);
}

static void
session (Session *s, unsigned n, double bw, uint64_t seed)
{
  *s = (Session){.n = n};
  avpf_timing_params_init (&s->p);
  s->p.rtcp_bw_Bps = bw;
  s->p.sender_share = 0;
  s->p.initial_size = SIZE;
  s->p.group = n > 2;
  s->random = s->p.random = cc_pcg32_init (&s->pcg, seed);
  for (unsigned i = 0; i < n; i++)
    enter (s, i, START);
}

static void
spread (Session *s, unsigned from, bool bye, CcTime now)
{
  s->bytes += SIZE;
  for (unsigned i = 0; i < s->n; i++) {
    if (i == from || !s->in[i])
      continue;
    s->heard[i][from] = !bye;
    if (bye)
      avpf_timing_on_received_bye (&s->t[i], SIZE);
    else
      avpf_timing_on_received (&s->t[i], SIZE);
    tell_members (s, i, now);
  }
}

static unsigned
soonest (const Session *s)
{
  unsigned first = 0;

  for (unsigned i = 1; i < s->n; i++)
    if (avpf_timing_next_timeout (&s->t[i]) < avpf_timing_next_timeout (&s->t[first]))
      first = i;
  return first;
}

/* Runs the first timeout; true where a packet went. */
static bool
turn (Session *s, CcTime *now, unsigned *who, AvpfVerdict *verdict)
{
  CcTime then = *now;

  *who = soonest (s);
  *verdict = step (&s->t[*who], now);
  REQUIRE (*now >= then);
  s->timeouts++;
  s->early += *verdict == AVPF_SEND_EARLY;
  if (*verdict == AVPF_NOTHING)
    return false;
  spread (s, *who, false, *now);
  return true;
}

static void
want_feedback (Session *s, CcTime now, double share)
{
  for (unsigned i = 0; i < s->n; i++)
    if (s->in[i] && cc_random_uniform (&s->random, 0, 1) < share)
      avpf_timing_request_feedback (&s->t[i], 1000 * CC_SECOND, now);
}

/* 1000 hours of 25 bytes/s, a packet every 5.12 s. Feedback is wanted by all after every packet, or by a part of them
   at random times. RTCP may take what it has and a fiftieth more (5.1 % where 5 % are meant). */
START_TEST (test_share_of_a_session)
{
  static const struct {
    unsigned n;
    bool constant;
  } cases[] = {{2, true}, {2, false}, {MOST, true}, {MOST, false}};

  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    static Session s;
    CcTime now = START, loss = START, end = START + (CcTime)scaled (3600000) * CC_SECOND;
    double share;

    session (&s, cases[c].n, 25, 21 + c);
    while (now < end) {
      unsigned who;
      AvpfVerdict verdict;
      CcTime next = avpf_timing_next_timeout (&s.t[soonest (&s)]);
      if (!cases[c].constant && loss <= next) {
        want_feedback (&s, loss, 0.5);
        loss += cc_duration (cc_random_uniform (&s.random, 0, 60));
        continue;
      }
      if (turn (&s, &now, &who, &verdict) && cases[c].constant)
        want_feedback (&s, now, 1);
    }
    share = s.bytes / cc_seconds (now - START) / 25;
    ck_assert_msg (share <= 1.02, "case %zu: %g", c, share);
    ck_assert_msg (share >= 0.85, "case %zu: %g", c, share);
    ck_assert (s.early > s.bytes / SIZE / 10);
  }
}
END_TEST

/* The same with members who come and go: each stays or stays away for 100 to 1100 intervals, says BYE or does not. A
   newcomer knows nobody and reports more often until it has heard them all; that and the BYEs are in the fiftieth. */
START_TEST (test_share_with_churn)
{
  static Session s;
  CcTime now = START, change[MOST], end = START + (CcTime)scaled (3600000) * CC_SECOND;
  double Td = MOST * SIZE / 25.0, share;
  unsigned changes = 0, who;

  session (&s, MOST, 25, 31);
  for (unsigned i = 0; i < MOST; i++)
    change[i] = START + cc_duration (cc_random_uniform (&s.random, 100, 1100) * Td);
  while (now < end) {
    AvpfVerdict verdict;
    unsigned i = 0;
    for (unsigned j = 1; j < MOST; j++)
      i = change[j] < change[i] ? j : i;
    if (change[i] > avpf_timing_next_timeout (&s.t[soonest (&s)])) {
      if (turn (&s, &now, &who, &verdict))
        want_feedback (&s, now, 0.2);
      continue;
    }
    changes++;
    now = change[i];
    change[i] += cc_duration (cc_random_uniform (&s.random, 100, 1100) * Td);
    if (!s.in[i]) {
      enter (&s, i, now);
      continue;
    }
    s.in[i] = false;
    if (avpf_timing_leave (&s.t[i], SIZE, now) == AVPF_LEAVE_NOW)
      spread (&s, i, true, now);
  }
  share = s.bytes / cc_seconds (now - START) / 25;
  ck_assert_msg (share <= 1.02, "%g", share);
  ck_assert_msg (share >= 0.85, "%g", share);
  ck_assert (slow_machine () || changes > 500);
}
END_TEST

/* Each packet makes everyone else want to answer. There are no more packets than the bandwidth allows for that, and no
   more than a few timeouts a packet; no timeout leaves its scheduler due at the same instant with nothing sent twice.
 */
START_TEST (test_no_livelock)
{
  static const unsigned sizes[] = {2, 3, MOST};
  static const AvpfReconsideration modes[] = {
      AVPF_RECONSIDER_UNCONDITIONAL, AVPF_RECONSIDER_CONDITIONAL, AVPF_RECONSIDER_NONE};

  for (int c = 0; c < 9; c++) {
    static Session s;
    CcTime now = START, end = START + (CcTime)scaled (2000) * CC_SECOND;
    int idle = 0;

    session (&s, sizes[c / 3], 1000, 41 + c);
    for (unsigned i = 0; i < s.n; i++)
      s.t[i].params.reconsideration = modes[c % 3];
    while (now < end) {
      unsigned who;
      AvpfVerdict verdict;
      CcTime then = now;
      bool sent = turn (&s, &now, &who, &verdict);
      if (sent)
        want_feedback (&s, now, 1);
      idle = now > then || sent ? 0 : idle + 1;
      REQUIRE (idle <= (int)s.n);
    }
    /* 1000/128 = 7.8 packets/s */
    ck_assert (s.bytes / SIZE <= 1.25 * 7.8125 * cc_seconds (now - START) + 3 * s.n);
    ck_assert (s.timeouts <= 4 * s.bytes / SIZE + 100);
  }
}
END_TEST

/* 400 leave at once and hear each other without delay. One may send at t only where LOW x members x C <= t, so that
   there have never been more than t/(LOW C) BYEs, C = 128/(0.75 x 250) s; and in the end all of them are out. */
START_TEST (test_mass_leave)
{
  enum { N = 400 };
  static AvpfTiming t[N];
  int n = scaled (N) > 50 ? scaled (N) : 50, byes = 0;
  AvpfTimingParams p;
  CcPcg32 pcg;
  double C = SIZE / (0.75 * BW);

  avpf_timing_params_init (&p);
  p.rtcp_bw_Bps = BW;
  p.group = true;
  p.random = cc_pcg32_init (&pcg, 51);
  for (int i = 0; i < n; i++) {
    avpf_timing_init (&t[i], &p, START);
    avpf_timing_set_members (&t[i], 1000, 1, true, START);
    ck_assert_int_eq (avpf_timing_leave (&t[i], SIZE, START), AVPF_LEAVE_BACKED_OFF);
  }
  while (byes < n) {
    int first = 0;
    CcTime now;
    for (int i = 1; i < n; i++)
      if (avpf_timing_next_timeout (&t[i]) < avpf_timing_next_timeout (&t[first]))
        first = i;
    if (step (&t[first], &now) != AVPF_SEND_BYE)
      continue;
    byes++;
    REQUIRE (byes <= cc_seconds (now - START) / (LOW * C) + 1e-6);
    for (int i = 0; i < n; i++)
      avpf_timing_on_received_bye (&t[i], SIZE);
  }
}
END_TEST

CC_TEST_MAIN ("avpfsession", test_share_of_a_session, test_share_with_churn, test_no_livelock, test_mass_leave)
