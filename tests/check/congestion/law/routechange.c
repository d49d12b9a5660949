/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "routechange.h"
#include "cctest.h"

#define FRAME (33 * CC_MSECOND)

static RouteChange r;
static CcTime now;

static void
setup (void)
{
  route_change_init (&r);
  now = 1000 * CC_SECOND;
}

/* Frames for so long, the delay rising by `slope` s/s from q on with `jitter` above it, the rate falling by `fall` a
   second. True: a longer route is told of. */
static bool
frames (double seconds, double q, double slope, double jitter, double rate_Bps, double fall)
{
  CcTime begin = now;

  while (now < begin + cc_duration (seconds)) {
    double t = cc_seconds (now - begin);

    if (route_change_on_frame (&r, q + slope * t + jitter * (now / FRAME % 7) / 6, rate_Bps * (1 - fall * t), now))
      return true;
    now += FRAME;
  }
  return false;
}

/* A window of 0.2 s that steps and four that stand, after the one in which it came. */
START_TEST (test_a_step_that_stands_is_a_route)
{
  CcTime begin;

  for (unsigned i = 0; i < 7; i++) { /* wherever in a window it falls */
    setup ();
    ck_assert (!frames (10 + i * 0.033, 0.003, 0, 0.005, 100e3, 0));
    begin = now;
    ck_assert (frames (3, 0.05, 0, 0.005, 100e3, 0.2));
    ck_assert_double_eq_tol (cc_seconds (now - begin), 1.2, 0.25);
  }
  ck_assert_double_eq_tol (r.rate_Bps, 100e3, 5e3); /* a window of 0.2 s loses 4 % */
  ck_assert_int_eq (r.state, ROUTE_CALM);
}
END_TEST

START_TEST (test_a_queue_that_drains_is_none)
{
  setup ();
  frames (10, 0.003, 0, 0.005, 100e3, 0);
  ck_assert (!frames (3, 0.12, -0.02, 0.005, 100e3, 0.2)); /* 4 ms a window */
}
END_TEST

/* 35 ms in two frames: as frames of others may, and a slow start does. */
START_TEST (test_a_delay_that_comes_in_frames_is_none)
{
  setup ();
  frames (10, 0.003, 0, 0, 100e3, 0);
  frames (0.033, 0.025, 0, 0, 100e3, 0);
  ck_assert (!frames (5, 0.05, 0, 0, 100e3, 0.1));
  ck_assert_int_eq (r.state, ROUTE_CLIMBED);
}
END_TEST

/* One late frame some time before makes no step of it either. */
START_TEST (test_a_step_of_long_ago_is_none)
{
  setup ();
  frames (10, 0.003, 0, 0, 100e3, 0);
  frames (0.033, 0.05, 0, 0, 100e3, 0);
  frames (10, 0.003, 0, 0, 100e3, 0);
  frames (0.033, 0.025, 0, 0, 100e3, 0);
  ck_assert (!frames (5, 0.05, 0, 0, 100e3, 0.1));
  ck_assert_int_eq (r.state, ROUTE_CLIMBED);
}
END_TEST

START_TEST (test_a_queue_that_climbs_is_none)
{
  setup ();
  frames (10, 0.003, 0, 0.005, 100e3, 0);
  ck_assert (!frames (2, 0.04, 0.03, 0.005, 100e3, 0.2));
  ck_assert_int_eq (r.state, ROUTE_CLIMBED);
  /* and where it stands then, it is still what has climbed */
  ck_assert (!frames (5, 0.10, 0, 0.005, 80e3, 0.1));
}
END_TEST

/* Who does not back off cannot know. */
START_TEST (test_the_rate_has_to_fall)
{
  setup ();
  frames (10, 0.003, 0, 0.005, 100e3, 0);
  ck_assert (!frames (5, 0.05, 0, 0.005, 100e3, 0.01));
  ck_assert (frames (3, 0.05, 0, 0.005, 89e3, 0));
}
END_TEST

START_TEST (test_little_is_no_step)
{
  setup ();
  frames (10, 0.003, 0, 0.005, 100e3, 0);
  ck_assert (!frames (5, 0.034, 0, 0.005, 100e3, 0.1));
}
END_TEST

CC_TEST_MAIN ("routechange", test_a_step_that_stands_is_a_route, test_a_queue_that_drains_is_none,
    test_a_delay_that_comes_in_frames_is_none, test_a_step_of_long_ago_is_none, test_a_queue_that_climbs_is_none,
    test_the_rate_has_to_fall, test_little_is_no_step)
