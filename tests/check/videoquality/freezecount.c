/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "freezecount.h"

#include "cctest.h"

static FreezeCount f;
static CcTime now;

static void
setup (void)
{
  freeze_count_init (&f, FREEZE_COUNT_FIXED);
  now = 5 * CC_SECOND;
  ck_assert_uint_eq (freeze_count_on_picture (&f, now), CC_TIME_NONE);
}

static void
show_after (CcDuration gap)
{
  now += gap;
  ck_assert_uint_eq (freeze_count_on_picture (&f, now), gap);
}

static void
show_many (unsigned n, CcDuration gap)
{
  while (n-- > 0)
    show_after (gap);
}

/* d = 40 ms: max (120, 190) = 190 ms. */
START_TEST (test_fast_video)
{
  setup ();
  show_many (30, 40 * CC_MSECOND);
  show_after (189 * CC_MSECOND);
  ck_assert_uint_eq (f.w3c.n, 0);
  setup ();
  show_many (30, 40 * CC_MSECOND);
  show_after (190 * CC_MSECOND);
  ck_assert_uint_eq (f.w3c.n, 1);
  ck_assert_uint_eq (f.w3c.time, 190 * CC_MSECOND);
  ck_assert_uint_eq (f.fixed.n, 0);
  show_after (200 * CC_MSECOND); /* d = (29 x 40 + 190)/30 = 45 */
  ck_assert_uint_eq (f.w3c.n, 2);
  ck_assert_uint_eq (f.fixed.n, 1);
  ck_assert_uint_eq (f.fixed.time, 200 * CC_MSECOND);
  ck_assert_uint_eq (f.longest, 200 * CC_MSECOND);
}
END_TEST

/* d = 100 ms: max (300, 250) = 300 ms. What is slow anyway does not freeze by the W3C's rule, but by the other. */
START_TEST (test_slow_video)
{
  setup ();
  show_many (30, 100 * CC_MSECOND);
  show_after (299 * CC_MSECOND);
  ck_assert_uint_eq (f.w3c.n, 0);
  ck_assert_uint_eq (f.fixed.n, 1);
  setup ();
  show_many (30, 100 * CC_MSECOND);
  show_after (300 * CC_MSECOND);
  ck_assert_uint_eq (f.w3c.n, 1);
}
END_TEST

/* Of the gaps the last 30 count: 30 of 1 s, then 30 of 40 ms. */
START_TEST (test_forgets)
{
  setup ();
  show_many (30, CC_SECOND);
  ck_assert_uint_eq (f.w3c.n, 0);
  show_many (30, 40 * CC_MSECOND);
  show_after (190 * CC_MSECOND);
  ck_assert_uint_eq (f.w3c.n, 1);
}
END_TEST

START_TEST (test_time_back)
{
  setup ();
  show_after (40 * CC_MSECOND);
  ck_assert_uint_eq (freeze_count_on_picture (&f, now - CC_SECOND), 0);
  show_after (40 * CC_MSECOND);
  ck_assert_uint_eq (f.w3c.n + f.fixed.n, 0);
}
END_TEST

/* As after a seek: freezes are told from there on, and what lies between is none. */
START_TEST (test_time_anew)
{
  setup ();
  show_many (30, 40 * CC_MSECOND);
  now = 3 * CC_SECOND;
  ck_assert_uint_eq (freeze_count_on_picture (&f, now), CC_TIME_NONE);
  show_after (40 * CC_MSECOND);
  ck_assert_uint_eq (f.w3c.n + f.fixed.n, 0);
  show_after (200 * CC_MSECOND);
  ck_assert_uint_eq (f.w3c.n, 1);
  ck_assert_uint_eq (f.fixed.n, 1);
}
END_TEST

START_TEST (test_forget_gap)
{
  setup ();
  show_many (30, 40 * CC_MSECOND);
  freeze_count_forget_gap (&f);
  now += CC_SECOND;
  ck_assert_uint_eq (freeze_count_on_picture (&f, now), CC_TIME_NONE);
  show_after (40 * CC_MSECOND);
  ck_assert_uint_eq (f.w3c.n + f.fixed.n, 0);
  ck_assert_uint_eq (f.longest, 40 * CC_MSECOND);
}
END_TEST

CC_TEST_MAIN (
    "freezecount", test_fast_video, test_slow_video, test_forgets, test_time_back, test_time_anew, test_forget_gap)
