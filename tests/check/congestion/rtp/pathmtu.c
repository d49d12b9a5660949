/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames of two full packets and a rest, over a path that takes what it takes. A report after each frame. */
#include "pathmtu.h"
#include "cctest.h"

#define FLOW 0x1000
#define FULL 1400
#define FRAME (33 * CC_MSECOND)

static PathMtu m;
static CcTime now;
static uint32_t highest, heard; /* numbers sent so far; the last one that arrived */
static int32_t lost;
static unsigned path;    /* bytes it takes */
static double at_random; /* loss besides */
static uint64_t seed;

static double
chance (void)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0;
}

static void
setup (void)
{
  path_mtu_init (&m);
  now = CC_SECOND;
  highest = heard = 65530; /* wraps soon */
  lost = 0;
  path = 1500;
  at_random = 0;
  seed = 1;
}

static void
report (void)
{
  path_mtu_on_report (&m, FLOW, heard, lost, now);
}

static void
send (unsigned bytes)
{
  highest++;
  path_mtu_on_sent (&m, FLOW, (uint16_t)highest, bytes);
  if (bytes <= path && chance () >= at_random) {
    /* what was missed in between is lost now */
    lost += (int32_t)(highest - heard - 1);
    heard = highest;
  }
}

/* The payloader obeys. */
static void
send_frame (unsigned bytes)
{
  unsigned limit = path_mtu_limit (&m, now), full = limit > 0 ? limit : FULL;

  for (; bytes > full; bytes -= full)
    send (full);
  send (bytes);
  now += FRAME;
}

/* Rests of 100 to 1400 bytes. */
static void
send_frames (unsigned n)
{
  for (unsigned i = 0; i < n; i++) {
    send_frame (2 * FULL + 100 + (i * 367) % 1300);
    report ();
  }
}

START_TEST (test_nothing_is_limited_that_arrives)
{
  setup ();
  send_frames (1000);
  ck_assert_uint_eq (path_mtu_limit (&m, now), 0);
}
END_TEST

/* Twelve lost ones are six frames; what the first report says may be of before as well. */
START_TEST (test_a_black_hole_is_seen_within_ten_frames)
{
  setup ();
  send_frames (30);
  path = 1000;
  send_frames (10);
  ck_assert_uint_gt (path_mtu_limit (&m, now), PATH_MTU_FLOOR);
  ck_assert_uint_le (path_mtu_limit (&m, now), 1000);
}
END_TEST

START_TEST (test_what_obeys_arrives)
{
  int32_t before;

  setup ();
  send_frames (30);
  path = 1000;
  send_frames (10);
  before = lost;
  send_frames (300);
  ck_assert_int_eq (lost, before);
  ck_assert_uint_eq (m.limited, 1);
}
END_TEST

/* From the start, and where reports are rare: 30 frames each. */
START_TEST (test_rare_reports_do)
{
  setup ();
  path = 1200;
  for (unsigned k = 0; k < 5; k++) {
    for (unsigned i = 0; i < 30; i++)
      send_frame (2 * FULL + 100 + (i * 367) % 1300);
    report ();
  }
  ck_assert_uint_gt (path_mtu_limit (&m, now), 1000);
  ck_assert_uint_le (path_mtu_limit (&m, now), 1200);
}
END_TEST

START_TEST (test_it_may_fall_again)
{
  setup ();
  path = 1300;
  send_frames (20);
  ck_assert_uint_gt (path_mtu_limit (&m, now), 0);
  path = 700;
  send_frames (40);
  ck_assert_uint_le (path_mtu_limit (&m, now), 700);
  ck_assert_uint_ge (path_mtu_limit (&m, now), PATH_MTU_FLOOR);
}
END_TEST

/* Where hardly anything is smaller: 576 bytes with headers every path takes. */
START_TEST (test_never_below_the_floor)
{
  setup ();
  path = 600;
  for (unsigned i = 0; i < 30; i++) {
    send_frame (2 * FULL + 60);
    report ();
  }
  ck_assert_uint_eq (path_mtu_limit (&m, now), PATH_MTU_FLOOR);
}
END_TEST

/* What small packets are lost by is no matter of their size. */
START_TEST (test_a_path_that_takes_nothing_is_another_matter)
{
  setup ();
  path = 300;
  for (unsigned i = 0; i < 300; i++) {
    send_frame (1300);
    send_frame (400);
    send_frame (200);
    report ();
  }
  ck_assert_uint_eq (path_mtu_limit (&m, now), 0);
}
END_TEST

START_TEST (test_a_limit_ends)
{
  setup ();
  path = 1000;
  send_frames (20);
  ck_assert_uint_gt (path_mtu_limit (&m, now), 0);
  ck_assert_uint_eq (path_mtu_limit (&m, m.until), 0);
  ck_assert_uint_le (m.until - now, PATH_MTU_LIFE);
  now = m.until;
  path = 1500;
  send_frames (100);
  ck_assert_uint_eq (path_mtu_limit (&m, now), 0);
}
END_TEST

/* While the path is as it was, it is found again each time. */
START_TEST (test_what_has_ended_is_found_again)
{
  setup ();
  path = 1000;
  send_frames (20);
  now = m.until;
  send_frames (20);
  ck_assert_uint_gt (path_mtu_limit (&m, now), 0);
  ck_assert_uint_eq (m.limited, 2);
}
END_TEST

/* An hour each. Beyond 10 % chance may do it, and makes packets small for ten minutes. */
START_TEST (test_random_loss_has_no_size)
{
  static const struct {
    double loss;
    unsigned limited; /* at most */
  } cases[] = {{0.001, 0}, {0.01, 0}, {0.03, 0}, {0.1, 0}, {0.2, 2}};

  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    setup ();
    at_random = cases[i].loss;
    send_frames ((unsigned)scaled (108000));
    ck_assert_msg (m.limited <= cases[i].limited, "%u at %g", (unsigned)m.limited, cases[i].loss);
  }
}
END_TEST

/* And does not hide one. */
START_TEST (test_a_black_hole_beside_random_loss)
{
  setup ();
  at_random = 0.02;
  send_frames (100);
  path = 1000;
  send_frames (90); /* 3 s */
  ck_assert_uint_gt (path_mtu_limit (&m, now), 0);
  ck_assert_uint_le (path_mtu_limit (&m, now), 1000);
}
END_TEST

/* A report that covers an outage of 15 packets of any size could mean that all but the four smallest are too large.
   Those behind it show that it does not. */
START_TEST (test_outages_have_no_size)
{
  setup ();
  for (unsigned k = 0; k < 20000; k++) {
    for (unsigned i = 0; i < 40; i++) {
      path = i < 15 ? 0 : 1500;
      send (501 + (unsigned)(chance () * 900));
      if (i >= 18 && i % 3 == 0)
        report ();
    }
  }
  ck_assert_uint_eq (m.limited, 0);
}
END_TEST

/* Every other large packet is one too many, as where a queue of bytes has room for small ones only. */
START_TEST (test_a_full_queue_lets_large_ones_through)
{
  setup ();
  for (unsigned i = 0; i < 2000; i++) {
    path = 300;
    send (FULL);
    path = 1500;
    send (FULL);
    send (200);
    report ();
  }
  ck_assert_uint_eq (m.limited, 0);
}
END_TEST

/* What was made before the payloader knew of a limit is lost still, while smaller ones arrive. */
START_TEST (test_what_was_on_its_way_changes_nothing)
{
  uint32_t limit;

  setup ();
  path = 1000;
  while (path_mtu_limit (&m, now) == 0)
    send_frames (1);
  limit = path_mtu_limit (&m, now);
  for (unsigned i = 0; i < 10; i++) {
    send (FULL);
    send (FULL);
    send (PATH_MTU_FLOOR + 1);
    report ();
  }
  ck_assert_uint_eq (path_mtu_limit (&m, now), limit);
}
END_TEST

/* Reports that cannot be, in place of every other one: numbers never sent, long ago, one back, counts beyond the
   packets, counts that fall. None of them is read beyond what was sent, and none is evidence. */
START_TEST (test_nonsense_is_no_evidence)
{
  setup ();
  path = 1000;
  for (unsigned i = 0; i < 500; i++) {
    const struct {
      uint32_t highest;
      int32_t lost;
    } odd[] = {{highest + 5000, lost}, {highest + 1, lost}, {highest - 1000000, lost}, {m.highest - 1, lost},
        {heard, -1}, {heard, INT32_MIN}, {heard, INT32_MAX}, {heard + 65536, lost}};

    send_frame (2 * FULL + 100 + (i * 367) % 800);
    if (i % 2 == 0)
      report ();
    else
      path_mtu_on_report (&m, FLOW, odd[i / 2 % 8].highest, odd[i / 2 % 8].lost, now);
    path_mtu_on_report (&m, FLOW + 1, heard, lost, now);
  }
  ck_assert_uint_eq (m.limited, 0);
}
END_TEST

START_TEST (test_a_stream_that_begins_anew)
{
  setup ();
  path = 1000;
  send_frames (20);
  ck_assert_uint_gt (path_mtu_limit (&m, now), 0); /* the path stays */
  highest = heard = 77;
  lost = 0;
  send_frames (100);
  ck_assert_uint_gt (path_mtu_limit (&m, now), 0);
  ck_assert_uint_eq (m.limited, 1);
}
END_TEST

/* Of numbers that were left out no size is known: here it would be that of small ones sent 512 numbers before, and
   what is lost would be larger. */
START_TEST (test_numbers_that_were_left_out)
{
  setup ();
  for (unsigned i = 0; i < PATH_MTU_SENT; i++)
    send (i % 2 ? 600 : FULL);
  report ();
  for (unsigned i = 0; i < 60; i++) {
    highest += 8; /* four of them were large */
    lost += 4;
    heard = highest;
    path_mtu_on_sent (&m, FLOW, (uint16_t)highest, 600);
    report ();
  }
  ck_assert_uint_eq (m.limited, 0);
}
END_TEST

/* What another stream has lost since it began is not lost since this one's last report. */
START_TEST (test_reports_of_a_stream_are_its_own)
{
  setup ();
  send_frames (4);
  for (uint32_t seq = highest - 20; seq != highest + 13; seq++)
    path_mtu_on_sent (&m, FLOW + 1, (uint16_t)seq, FULL);
  path_mtu_on_report (&m, FLOW + 1, highest + 12, 12, now);
  ck_assert_uint_eq (m.evidence.lost, 0);
}
END_TEST

/* All that was lost, and hardly more: also what the payloader had made before. */
START_TEST (test_what_was_lost_is_told)
{
  uint32_t before;
  PathMtuLoss loss;
  unsigned told = 0;

  setup ();
  send_frames (30);
  ck_assert (!path_mtu_take_loss (&m, now, &loss));
  before = highest;
  path = 1000;
  while (path_mtu_limit (&m, now) == 0)
    send_frames (1);
  ck_assert (path_mtu_take_loss (&m, now, &loss));
  ck_assert_uint_eq (loss.ssrc, FLOW);
  ck_assert_uint_le ((uint16_t)(loss.first - (uint16_t)before), 1);
  ck_assert_uint_eq (loss.last, (uint16_t)highest);
  ck_assert (!path_mtu_take_loss (&m, now, &loss)); /* soon again */
  send (FULL);
  send (FULL);
  send (300);
  for (CcTime until = now + 5 * CC_SECOND; now < until; now += FRAME)
    told += path_mtu_take_loss (&m, now, &loss);
  ck_assert_uint_eq (loss.last, (uint16_t)(highest - 1));
  ck_assert (told >= 3 && told <= PATH_MTU_TELL_FOR / PATH_MTU_TELL_EVERY + 1);
}
END_TEST

/* The path takes so much from now on. */
static PathMtuLoss
lose_above (uint32_t bytes)
{
  uint64_t limited = m.limited;
  PathMtuLoss loss;

  path = bytes;
  while (m.limited == limited)
    send_frames (1);
  ck_assert (path_mtu_take_loss (&m, now, &loss));
  return loss;
}

/* The first guess may be too high: reports count what is lost, and do not say which. */
START_TEST (test_a_lower_limit_soon_is_the_same_accident)
{
  PathMtuLoss first, longer, next;

  setup ();
  send_frames (30);
  first = lose_above (1300);
  longer = lose_above (900);
  ck_assert_uint_eq (longer.first, first.first);
  ck_assert_uint_eq (longer.last, (uint16_t)highest);
  now += 2 * PATH_MTU_TELL_FOR;
  ck_assert (path_mtu_take_loss (&m, now, &longer));
  next = lose_above (600); /* another one */
  ck_assert_uint_ne (next.first, first.first);
}
END_TEST

/* Twelve lost ones are not waited for. */
START_TEST (test_where_the_system_has_heard)
{
  PathMtuLoss loss;

  setup ();
  send_frames (30);
  path_mtu_on_told (&m, 1000, now); /* nothing is missing */
  send_frames (100);
  ck_assert_uint_eq (path_mtu_limit (&m, now), 0);
  path = 1000;
  while (lost == 0)
    send_frames (1);
  path_mtu_on_told (&m, FULL, now); /* what is missing would have come through */
  ck_assert_uint_eq (path_mtu_limit (&m, now), 0);
  path_mtu_on_told (&m, 1000, now);
  ck_assert_uint_eq (path_mtu_limit (&m, now), 1000);
  ck_assert (path_mtu_take_loss (&m, now, &loss));
  ck_assert_uint_le (lost, 8);
}
END_TEST

/* The word comes first; and the system sends fragments by then, so that the report tells of large ones that came. */
START_TEST (test_what_was_heard_explains_what_is_missing)
{
  setup ();
  send_frames (30);
  path_mtu_on_told (&m, 1000, now);
  path = 1000;
  send_frame (FULL + 200);
  path = 1500;
  send_frame (2 * FULL + 200);
  report ();
  ck_assert_uint_eq (path_mtu_limit (&m, now), 1000);
}
END_TEST

/* Whoever forges ICMP and sees a loss may say 68, as RFC 791 lets him. */
START_TEST (test_what_is_told_has_a_floor)
{
  setup ();
  send_frames (3);
  path = 1000;
  send_frames (2);
  path_mtu_on_told (&m, 68, now);
  ck_assert_uint_ge (path_mtu_limit (&m, now), PATH_MTU_FLOOR);
}
END_TEST

CC_TEST_MAIN ("pathmtu", test_nothing_is_limited_that_arrives, test_a_black_hole_is_seen_within_ten_frames,
    test_what_obeys_arrives, test_rare_reports_do, test_it_may_fall_again, test_never_below_the_floor,
    test_a_path_that_takes_nothing_is_another_matter, test_a_limit_ends, test_what_has_ended_is_found_again,
    test_random_loss_has_no_size, test_a_black_hole_beside_random_loss, test_outages_have_no_size,
    test_a_full_queue_lets_large_ones_through, test_what_was_on_its_way_changes_nothing, test_nonsense_is_no_evidence,
    test_a_stream_that_begins_anew, test_numbers_that_were_left_out, test_reports_of_a_stream_are_its_own,
    test_what_was_lost_is_told, test_a_lower_limit_soon_is_the_same_accident, test_where_the_system_has_heard,
    test_what_was_heard_explains_what_is_missing, test_what_is_told_has_a_floor)
