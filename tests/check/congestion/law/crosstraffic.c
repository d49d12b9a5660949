/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "crosstraffic.h"
#include "cctest.h"

#define PACKET 1000.0

static double weight = 1;

/* A frame of four packets; first, within: s between arrivals. */
static void
frame (CrossTraffic *c, double first, double within, bool queued)
{
  for (unsigned i = 0; i < 4; i++)
    cross_traffic_on_pair (c, &(TrafficPair){i > 0, queued, i > 0, true, PACKET, i > 0 ? within : first}, weight);
}

static void
frames (CrossTraffic *c, unsigned n, double first, double within)
{
  for (unsigned i = 0; i < n; i++)
    frame (c, first, within, true);
}

START_TEST (test_alone_all_are_spaced_alike)
{
  CrossTraffic c = {0};

  frames (&c, 12, 0.008, 0.008); /* eleven of them are complete */
  ck_assert_int_eq (c.state, CROSS_TRAFFIC_UNKNOWN);
  frames (&c, 1, 0.008, 0.008);
  ck_assert_int_eq (c.state, CROSS_TRAFFIC_NONE);
}
END_TEST

/* A link that serves by fits and starts: a gap falls here and there. */
START_TEST (test_gaps_of_the_link_are_nobody)
{
  CrossTraffic c = {0};

  for (unsigned i = 0; i < 40; i++)
    frame (&c, i % 3 == 0 ? 0.060 : 0.0005, i % 3 == 1 ? 0.020 : 0.0005, true);
  ck_assert (cross_traffic_is_none (&c));
}
END_TEST

/* Whoever else is there is met in most frames; a gap, however long, in fewer. */
START_TEST (test_a_gap_in_a_third_of_the_frames_is_nobody)
{
  CrossTraffic c = {0};

  frames (&c, 13, 0.008, 0.008);
  for (unsigned i = 0; i < 60; i++) {
    frame (&c, i % 3 == 0 ? 0.200 : 0.008, 0.008, true);
    ck_assert (cross_traffic_is_none (&c));
  }
  for (unsigned i = 0; i < 40; i++)
    frame (&c, i % 3 == 0 ? 0.008 : 0.016, 0.008, true);
  ck_assert (cross_traffic_is_some (&c));
}
END_TEST

START_TEST (test_others_get_in_where_we_pause)
{
  CrossTraffic c = {0};

  frames (&c, 8, 0.020, 0.008);
  ck_assert_int_eq (c.state, CROSS_TRAFFIC_UNKNOWN);
  frames (&c, 32, 0.020, 0.008);
  ck_assert_int_eq (c.state, CROSS_TRAFFIC_SOME);
}
END_TEST

START_TEST (test_somebody_comes_and_leaves)
{
  CrossTraffic c = {0};

  frames (&c, 20, 0.008, 0.008);
  ck_assert (cross_traffic_is_none (&c));
  frames (&c, 2, 0.020, 0.008); /* not at once */
  ck_assert (cross_traffic_is_none (&c));
  frames (&c, 18, 0.020, 0.008);
  ck_assert (!cross_traffic_is_none (&c));
  frames (&c, 6, 0.008, 0.008);
  ck_assert (!cross_traffic_is_none (&c));
  frames (&c, 30, 0.008, 0.008);
  ck_assert (cross_traffic_is_none (&c));
}
END_TEST

/* Of two calls the larger one meets less of the other. */
START_TEST (test_a_smaller_call_is_somebody)
{
  CrossTraffic c = {0};

  frames (&c, 40, 0.0105, 0.008);
  ck_assert (!cross_traffic_is_none (&c));
}
END_TEST

/* One beside a call of weight 2 gets in half as much. */
START_TEST (test_less_of_somebody_shows_beside_a_heavier_call)
{
  CrossTraffic c = {0};

  weight = 1;
  frames (&c, 20, 0.008, 0.008);
  frames (&c, 40, 0.0095, 0.008);
  ck_assert (cross_traffic_is_none (&c));
  weight = 2;
  frames (&c, 2, 0.0095, 0.008);
  ck_assert (!cross_traffic_is_none (&c));
  frames (&c, 40, 0.008, 0.008);
  ck_assert (cross_traffic_is_none (&c));
}
END_TEST

/* Without a queue that reaches from frame to frame, and where packets are lost between, nothing is learned. */
START_TEST (test_what_says_nothing)
{
  CrossTraffic c = {0};

  for (unsigned i = 0; i < 40; i++)
    frame (&c, 0.008, 0.008, false);
  ck_assert (!cross_traffic_is_none (&c));
  for (unsigned i = 0; i < 160; i++)
    cross_traffic_on_pair (&c, &(TrafficPair){i % 4 > 0, true, i % 4 > 0, false, PACKET, 0.008}, weight);
  ck_assert (!cross_traffic_is_none (&c));
  for (unsigned i = 0; i < 160; i++) /* one packet a frame */
    cross_traffic_on_pair (&c, &(TrafficPair){false, true, false, true, PACKET, 0.008}, weight);
  ck_assert (!cross_traffic_is_none (&c));
}
END_TEST

CC_TEST_MAIN ("crosstraffic", test_alone_all_are_spaced_alike, test_gaps_of_the_link_are_nobody,
    test_a_gap_in_a_third_of_the_frames_is_nobody, test_others_get_in_where_we_pause, test_somebody_comes_and_leaves,
    test_a_smaller_call_is_somebody, test_what_says_nothing, test_less_of_somebody_shows_beside_a_heavier_call)
