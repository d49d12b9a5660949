/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "nackrequest.h"
#include "ccrandom.h"
#include "cctest.h"

#define MS CC_MSECOND

static NackRequest n;
static uint16_t due[NACK_REQUEST_MAX_MISSING];

static void
fresh (void)
{
  NackRequestParams params;

  nack_request_params_init (&params);
  nack_request_init (&n, &params);
}

/* Packets from..to, one a millisecond; returns the time of the last one. */
static CcTime
receive (uint32_t from, uint32_t to, CcTime at)
{
  for (uint32_t seq = from; seq <= to; seq++, at += MS)
    nack_request_on_packet (&n, seq, at);
  return at - MS;
}

/* Asks for all that is due. */
static unsigned
ask (CcTime now)
{
  unsigned count = nack_request_take_due (&n, due, NACK_REQUEST_MAX_MISSING, now);

  nack_request_on_sent (&n, due, count, now);
  return count;
}

START_TEST (test_finds_what_is_missing)
{
  fresh ();
  nack_request_on_packet (&n, 0x1fffe, CC_SECOND);
  nack_request_on_packet (&n, 0x20001, CC_SECOND);
  ck_assert_ptr_null (nack_request_missing (&n, 0xfffe));
  ck_assert_uint_eq (nack_request_missing (&n, 0xffff)->seq, 0x1ffff);
  ck_assert_uint_eq (nack_request_missing (&n, 0)->seq, 0x20000);
  ck_assert_ptr_null (nack_request_missing (&n, 1));
}
END_TEST

START_TEST (test_nothing_is_asked_for_without_a_gap)
{
  fresh ();
  receive (65530, 65600, CC_SECOND);
  ck_assert_uint_eq (nack_request_next_timeout (&n), CC_TIME_NONE);
  ck_assert_uint_eq (ask (2 * CC_SECOND), 0);
}
END_TEST

/* 11 is missing; 12 shows it at 1.000 s, 13 and 14 make three: due with the third. */
START_TEST (test_three_later_packets)
{
  fresh ();
  receive (10, 10, CC_SECOND - MS);
  receive (12, 13, CC_SECOND);
  ck_assert_uint_eq (nack_request_take_due (&n, due, 8, CC_SECOND + MS), 0);
  ck_assert_uint_eq (nack_request_next_timeout (&n), CC_SECOND + 20 * MS);
  receive (14, 14, CC_SECOND + 2 * MS);
  ck_assert_uint_eq (nack_request_next_timeout (&n), CC_SECOND + 2 * MS);
  ck_assert_uint_eq (nack_request_take_due (&n, due, 8, CC_SECOND + 2 * MS), 1);
  ck_assert_uint_eq (due[0], 11);
}
END_TEST

/* The last packets before a pause: reorder_time, 20 ms, after the gap was seen. */
START_TEST (test_a_short_time_for_the_last)
{
  fresh ();
  receive (10, 10, CC_SECOND - MS);
  receive (12, 12, CC_SECOND);
  ck_assert_uint_eq (nack_request_take_due (&n, due, 8, CC_SECOND + 20 * MS - 1), 0);
  ck_assert_uint_eq (nack_request_take_due (&n, due, 8, CC_SECOND + 20 * MS), 1);
}
END_TEST

START_TEST (test_reordering_asks_for_nothing)
{
  fresh ();
  receive (10, 10, CC_SECOND);
  receive (12, 13, CC_SECOND + MS);
  receive (11, 11, CC_SECOND + 3 * MS);
  receive (14, 20, CC_SECOND + 4 * MS);
  ck_assert_uint_eq (nack_request_next_timeout (&n), CC_TIME_NONE);
  ck_assert_uint_eq (n.reordered, 1);
  ck_assert_uint_eq (n.recovered, 0);
}
END_TEST

/* RTT 80 ms and 10 ms for the answer: again 90 ms after the request, not after the loss; with an RTT of 1 ms, 20 ms. */
START_TEST (test_repeats_when_an_answer_could_be_here)
{
  CcTime now = CC_SECOND;

  fresh ();
  nack_request_set_rtt (&n, 80 * MS);
  receive (10, 10, now);
  now = receive (12, 14, now + MS) + 5 * MS;
  ck_assert_uint_eq (ask (now), 1);
  ck_assert_uint_eq (nack_request_next_timeout (&n), now + 90 * MS);
  ck_assert_uint_eq (ask (now + 90 * MS - 1), 0);
  ck_assert_uint_eq (ask (now + 90 * MS), 1);
  nack_request_set_rtt (&n, MS);
  ck_assert_uint_eq (nack_request_next_timeout (&n), now + 110 * MS);
  ck_assert_uint_eq (n.requested, 2);
}
END_TEST

/* RFC 4588: the number the packet had in the stream. */
START_TEST (test_a_retransmission_ends_it)
{
  fresh ();
  receive (10, 10, CC_SECOND);
  receive (12, 14, CC_SECOND);
  ck_assert_uint_eq (ask (CC_SECOND + 2 * MS), 1);
  ck_assert (nack_request_on_packet (&n, 11, CC_SECOND + 50 * MS));
  ck_assert_uint_eq (nack_request_next_timeout (&n), CC_TIME_NONE);
  ck_assert_uint_eq (n.recovered, 1);
  /* a second copy is nothing new */
  ck_assert (nack_request_on_packet (&n, 11, CC_SECOND + 60 * MS));
  ck_assert_uint_eq (n.recovered + n.reordered, 1);
}
END_TEST

/* Missed at 1.001 s, useless at 1.501 s. With an RTT of 100 ms and 50 ms to wait for RTCP nothing is asked for after
   1.351 s; what was asked for before may come until the end. */
START_TEST (test_no_request_that_comes_too_late)
{
  const CcTime missed = CC_SECOND + MS, deadline = missed + 500 * MS;

  fresh ();
  nack_request_set_rtcp_delay (&n, 50 * MS);
  receive (10, 10, CC_SECOND);
  receive (12, 14, missed);
  ck_assert_uint_eq (nack_request_take_due (&n, due, 8, deadline - 150 * MS), 1);
  ck_assert_uint_eq (nack_request_take_due (&n, due, 8, deadline - 150 * MS + 1), 0);
  ck_assert_uint_eq (nack_request_next_timeout (&n), deadline);
  ck_assert_uint_eq (n.given_up, 0);
  ck_assert_uint_eq (ask (deadline), 0);
  ck_assert_uint_eq (n.given_up, 1);
  ck_assert_uint_eq (nack_request_next_timeout (&n), CC_TIME_NONE);
}
END_TEST

/* 5 tries, 20 ms apart with no RTT to speak of; then only the deadline is waited for. */
START_TEST (test_gives_up_after_max_tries)
{
  CcTime now = CC_SECOND;

  fresh ();
  nack_request_set_rtt (&n, 0);
  receive (10, 10, now);
  receive (12, 14, now);
  for (unsigned i = 0; i < 5; i++) {
    now = nack_request_next_timeout (&n);
    ck_assert_uint_eq (ask (now), 1);
  }
  ck_assert_uint_eq (now, CC_SECOND + 2 * MS + 4 * 20 * MS);
  ck_assert_uint_eq (nack_request_next_timeout (&n), CC_SECOND + 500 * MS);
  ck_assert_uint_eq (ask (CC_SECOND + 500 * MS), 0);
  ck_assert_uint_eq (n.given_up, 1);
}
END_TEST

/* Two requests 30 ms apart, then none before an answer could be here, 110 ms after the second. */
START_TEST (test_copies)
{
  CcTime now = CC_SECOND + 2 * MS;

  fresh ();
  n.params.copies = 2;
  n.params.copy_spacing = 30 * MS;
  receive (10, 10, CC_SECOND - MS);
  receive (12, 14, CC_SECOND);
  ck_assert_uint_eq (ask (now), 1);
  ck_assert_uint_eq (ask (now + 30 * MS - 1), 0);
  ck_assert_uint_eq (ask (now + 30 * MS), 1);
  ck_assert_uint_eq (nack_request_next_timeout (&n), now + 140 * MS);
  ck_assert_uint_eq (ask (now + 140 * MS), 1);
  ck_assert_uint_eq (nack_request_next_timeout (&n), now + 170 * MS);
  /* what is given up says how many of them stayed without an answer */
  ck_assert_uint_eq (ask (CC_SECOND + 500 * MS), 0);
  ck_assert_uint_eq (n.given_up, 1);
  ck_assert_uint_eq (n.unanswered, 3);
}
END_TEST

START_TEST (test_numbers_wrap_and_rise)
{
  static const uint16_t expected[] = {65534, 65535, 0, 2};

  fresh ();
  receive (65533, 65533, CC_SECOND);
  receive (65537, 65537, CC_SECOND);
  receive (65539, 65541, CC_SECOND);
  ck_assert_uint_eq (nack_request_take_due (&n, due, 8, CC_SECOND + 2 * MS), 4);
  ck_assert_mem_eq (due, expected, sizeof expected);
  /* the extended number wraps too */
  fresh ();
  nack_request_on_packet (&n, UINT32_MAX, CC_SECOND);
  receive (1, 3, CC_SECOND);
  ck_assert_uint_eq (nack_request_take_due (&n, due, 8, CC_SECOND + 2 * MS), 1);
  ck_assert_uint_eq (due[0], 0);
}
END_TEST

/* Another member's request at 1.010 s stands for ours: ours would go 110 ms later. */
START_TEST (test_a_request_of_another_counts)
{
  fresh ();
  receive (10, 10, CC_SECOND);
  receive (12, 14, CC_SECOND);
  nack_request_on_asked_by_other (&n, 11, CC_SECOND + 10 * MS);
  ck_assert_uint_eq (ask (CC_SECOND + 10 * MS), 0);
  ck_assert_uint_eq (nack_request_next_timeout (&n), CC_SECOND + 120 * MS);
  ck_assert_uint_eq (n.suppressed, 1);
  nack_request_on_asked_by_other (&n, 999, CC_SECOND + 10 * MS);
  ck_assert_uint_eq (n.suppressed, 1);
  ck_assert (nack_request_on_packet (&n, 11, CC_SECOND + 60 * MS));
  ck_assert_uint_eq (n.recovered, 1);
}
END_TEST

/* Somebody who asks every 50 ms for what is never answered: three of them count, the third at 1.110 s. */
START_TEST (test_others_cannot_silence_us)
{
  CcTime asked = CC_TIME_NONE;

  fresh ();
  receive (10, 10, CC_SECOND);
  receive (12, 14, CC_SECOND);
  for (CcTime now = CC_SECOND + 10 * MS; now < CC_SECOND + 400 * MS; now += 10 * MS) {
    if ((now - CC_SECOND) % (50 * MS) == 10 * MS)
      nack_request_on_asked_by_other (&n, 11, now);
    if (ask (now) > 0 && asked == CC_TIME_NONE)
      asked = now;
  }
  ck_assert_uint_eq (asked, CC_SECOND + 220 * MS);
}
END_TEST

/* max_others is per request of ours: three of theirs before the first, three before the second. */
START_TEST (test_others_count_anew_after_ours)
{
  fresh ();
  receive (10, 10, CC_SECOND);
  receive (12, 14, CC_SECOND);
  for (unsigned i = 0; i < 5; i++)
    nack_request_on_asked_by_other (&n, 11, CC_SECOND + 3 * MS);
  ck_assert_uint_eq (n.suppressed, 3);
  ck_assert_uint_eq (ask (CC_SECOND + 113 * MS), 1);
  for (unsigned i = 0; i < 5; i++)
    nack_request_on_asked_by_other (&n, 11, CC_SECOND + 120 * MS);
  ck_assert_uint_eq (n.suppressed, 6);
  ck_assert_uint_eq (nack_request_next_timeout (&n), CC_SECOND + 230 * MS);
}
END_TEST

/* What the jitter buffer names goes at once, before any reordering tolerance, and repeats like the rest. */
START_TEST (test_a_wanted_packet_goes_at_once)
{
  fresh ();
  ck_assert (!nack_request_want (&n, 11, CC_TIME_NONE, CC_SECOND));
  receive (10, 10, CC_SECOND);
  receive (12, 12, CC_SECOND);
  ck_assert (nack_request_want (&n, 11, CC_TIME_NONE, CC_SECOND + MS));
  ck_assert_uint_eq (ask (CC_SECOND + MS), 1);
  /* again: no sooner than an answer could be here */
  ck_assert (nack_request_want (&n, 11, CC_TIME_NONE, CC_SECOND + 2 * MS));
  ck_assert_uint_eq (nack_request_next_timeout (&n), CC_SECOND + 111 * MS);
  /* the one that should have come next: 13 turns out not to be missing twice */
  ck_assert (nack_request_want (&n, 13, CC_SECOND + 300 * MS, CC_SECOND + 2 * MS));
  ck_assert_uint_eq (ask (CC_SECOND + 2 * MS), 1);
  receive (15, 17, CC_SECOND + 3 * MS);
  ck_assert_uint_eq (n.n_missing, 3);
  ck_assert_uint_eq (ask (CC_SECOND + 6 * MS), 1);
  ck_assert_uint_eq (due[0], 14);
}
END_TEST

/* 13, wanted before anything later came, does not hide 11 and 12 from being counted. */
START_TEST (test_wanted_ones_do_not_hide_others)
{
  fresh ();
  receive (10, 10, CC_SECOND);
  nack_request_want (&n, 13, CC_TIME_NONE, CC_SECOND);
  receive (14, 16, CC_SECOND);
  ck_assert_uint_eq (nack_request_take_due (&n, due, 8, CC_SECOND + 2 * MS), 3);
  ck_assert (due[0] == 11 && due[1] == 12 && due[2] == 13);
}
END_TEST

/* 20 is wanted ahead of the rest and stays behind it. */
START_TEST (test_wanted_ones_keep_their_place)
{
  static const uint16_t expected[] = {11, 12, 13, 20};

  fresh ();
  receive (10, 10, CC_SECOND);
  nack_request_want (&n, 20, CC_TIME_NONE, CC_SECOND);
  receive (14, 16, CC_SECOND);
  ck_assert_uint_eq (nack_request_take_due (&n, due, 8, CC_SECOND + 2 * MS), 4);
  ck_assert_mem_eq (due, expected, sizeof expected);
}
END_TEST

/* Its own deadline: 300 ms, in place of 500 ms after the wish. */
START_TEST (test_a_wish_has_its_deadline)
{
  fresh ();
  receive (10, 10, CC_SECOND);
  ck_assert (nack_request_want (&n, 11, CC_SECOND + 300 * MS, CC_SECOND));
  ck_assert_uint_eq (nack_request_take_due (&n, due, 8, CC_SECOND + 200 * MS), 1);
  ck_assert_uint_eq (nack_request_take_due (&n, due, 8, CC_SECOND + 200 * MS + 1), 0);
  ck_assert_uint_eq (nack_request_next_timeout (&n), CC_SECOND + 300 * MS);
}
END_TEST

/* Two places for three numbers: the third stays due. */
START_TEST (test_takes_as_many_as_fit)
{
  fresh ();
  receive (10, 10, CC_SECOND);
  receive (14, 16, CC_SECOND);
  due[2] = 4711;
  ck_assert_uint_eq (nack_request_take_due (&n, due, 2, CC_SECOND + 2 * MS), 2);
  ck_assert_uint_eq (due[2], 4711);
  nack_request_on_sent (&n, due, 2, CC_SECOND + 2 * MS);
  ck_assert_uint_eq (nack_request_take_due (&n, due, 2, CC_SECOND + 2 * MS), 1);
  ck_assert_uint_eq (due[0], 13);
}
END_TEST

START_TEST (test_only_what_is_wanted)
{
  NackRequestParams params;

  nack_request_params_init (&params);
  params.watch_gaps = false;
  nack_request_init (&n, &params);
  receive (10, 10, CC_SECOND);
  receive (20, 30, CC_SECOND);
  ck_assert_uint_eq (n.n_missing, 0);
  ck_assert (nack_request_want (&n, 15, CC_TIME_NONE, CC_SECOND));
  ck_assert_uint_eq (ask (CC_SECOND), 1);
}
END_TEST

/* 512 missing are asked for, 513 are not. */
START_TEST (test_a_gap_too_large_is_hopeless)
{
  fresh ();
  receive (1000, 1000, CC_SECOND);
  ck_assert (nack_request_on_packet (&n, 1513, CC_SECOND));
  ck_assert_uint_eq (n.n_missing, 512);
  fresh ();
  receive (1000, 1000, CC_SECOND);
  receive (1002, 1002, CC_SECOND);
  ck_assert (!nack_request_on_packet (&n, 1002 + 514, CC_SECOND));
  ck_assert_uint_eq (n.hopeless, 1);
  ck_assert_uint_eq (n.given_up, 1);
  ck_assert_uint_eq (n.n_missing, 0);
  /* from there on as ever */
  receive (1518, 1520, CC_SECOND);
  ck_assert_uint_eq (ask (CC_SECOND + 2 * MS), 1);
  ck_assert_uint_eq (due[0], 1517);
}
END_TEST

/* Every second packet lost: 600 missing, the oldest 88 go. */
START_TEST (test_the_oldest_make_room)
{
  fresh ();
  for (uint32_t seq = 0; seq <= 1200; seq += 2)
    nack_request_on_packet (&n, seq, CC_SECOND);
  ck_assert_uint_eq (n.n_missing, 512);
  ck_assert_uint_eq (n.given_up, 88);
  ck_assert_uint_eq (n.missing[0].seq, 2 * 88 + 1);
  ck_assert_uint_eq (n.missing[511].seq, 1199);
  for (unsigned i = 1; i < 512; i++)
    ck_assert_uint_eq (n.missing[i].seq, n.missing[i - 1].seq + 2);
}
END_TEST

START_TEST (test_a_restart_forgets)
{
  fresh ();
  receive (70000, 70000, CC_SECOND);
  receive (70002, 70002, CC_SECOND);
  /* numbers that begin anew say so themselves where they are far enough */
  receive (5000, 5003, CC_SECOND);
  ck_assert_uint_eq (nack_request_next_timeout (&n), CC_TIME_NONE);
  nack_request_restart (&n);
  receive (4000, 4000, CC_SECOND);
  receive (4002, 4004, CC_SECOND);
  ck_assert_uint_eq (ask (CC_SECOND + 2 * MS), 1);
  ck_assert_uint_eq (due[0], 4001);
}
END_TEST

#define STREAM 20000

/* A packet a millisecond, RTT 50 ms, one in ten lost, retransmissions too: 1/(1 - 0.1) = 1.11 requests for each loss
   (of 2000: standard deviation 0.008), five in a row fail one time in 10^5, and no answer is asked for twice. */
START_TEST (test_a_lossy_path)
{
  static CcTime answer[STREAM];
  static bool here[STREAM];
  unsigned lost = 0, requests = 0, duplicates = 0, absent = 0;
  CcPcg32 pcg;
  CcRandom chance = cc_pcg32_init (&pcg, 1);

  fresh ();
  nack_request_set_rtt (&n, 50 * MS);
  for (uint32_t t = 0; t < STREAM + 1000; t++) {
    CcTime now = CC_SECOND + t * MS;
    unsigned count;

    for (uint32_t seq = t > 600 ? t - 600 : 0; seq < t && seq < STREAM; seq++) {
      if (answer[seq] != now)
        continue;
      duplicates += here[seq];
      here[seq] = true;
      nack_request_on_packet (&n, seq, now);
    }
    if (t < STREAM && (t == 0 || t == STREAM - 1 || cc_random_uniform (&chance, 0, 1) > 0.1)) {
      here[t] = true;
      nack_request_on_packet (&n, t, now);
    } else {
      lost += t < STREAM;
    }
    count = ask (now);
    requests += count;
    for (unsigned i = 0; i < count; i++)
      if (cc_random_uniform (&chance, 0, 1) > 0.1)
        answer[due[i]] = now + 50 * MS;
  }
  for (uint32_t seq = 0; seq < STREAM; seq++)
    absent += !here[seq];
  ck_assert_uint_eq (duplicates, 0);
  ck_assert_double_eq_tol ((double)requests / lost, 1 / 0.9, 0.03);
  ck_assert_uint_le (absent, 1);
  ck_assert_uint_eq (n.recovered + absent, lost);
  ck_assert_uint_eq (n.given_up, absent);
}
END_TEST

/* next_timeout () never asks to be called for what take_due () has no answer to. */
/* It may come by itself; what is missed from then on is asked for. */
START_TEST (test_refused)
{
  fresh ();
  receive (10, 10, CC_SECOND);
  receive (12, 14, CC_SECOND);
  ck_assert_uint_eq (nack_request_take_due (&n, due, 8, CC_SECOND + 10 * MS), 1);
  nack_request_refuse (&n, CC_SECOND + 10 * MS);
  receive (16, 18, CC_SECOND + 10 * MS);
  ck_assert_uint_eq (nack_request_take_due (&n, due, 8, CC_SECOND + 20 * MS), 1);
  ck_assert_uint_eq (due[0], 15);
  receive (11, 11, CC_SECOND + 20 * MS);
  ck_assert_uint_eq (n.reordered, 1);
}
END_TEST

START_TEST (test_no_busy_wait)
{
  fresh ();
  receive (10, 10, CC_SECOND);
  receive (12, 14, CC_SECOND);
  for (CcTime now = CC_SECOND; now < 2 * CC_SECOND; now += 7 * MS) {
    unsigned count = nack_request_take_due (&n, due, 8, now);

    ck_assert (count > 0 || nack_request_next_timeout (&n) > now);
  }
}
END_TEST

CC_TEST_MAIN ("nackrequest", test_finds_what_is_missing, test_nothing_is_asked_for_without_a_gap,
    test_three_later_packets, test_a_short_time_for_the_last, test_reordering_asks_for_nothing,
    test_repeats_when_an_answer_could_be_here, test_a_retransmission_ends_it, test_no_request_that_comes_too_late,
    test_gives_up_after_max_tries, test_copies, test_numbers_wrap_and_rise, test_a_request_of_another_counts,
    test_others_cannot_silence_us, test_others_count_anew_after_ours, test_a_wanted_packet_goes_at_once,
    test_wanted_ones_do_not_hide_others, test_wanted_ones_keep_their_place, test_a_wish_has_its_deadline,
    test_takes_as_many_as_fit, test_only_what_is_wanted, test_a_gap_too_large_is_hopeless, test_the_oldest_make_room,
    test_a_restart_forgets, test_a_lossy_path, test_refused, test_no_busy_wait)
