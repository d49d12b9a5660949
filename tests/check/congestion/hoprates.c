/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hoprates.h"
#include "cctest.h"

#include <math.h>

#define LIFE (3 * CC_SECOND)
#define FLOOR 5000
#define CEILING 1e6

static HopRates h;

static void
setup (void)
{
  HopRatesParams params;

  hop_rates_params_init (&params);
  params.floor_Bps = FLOOR;
  params.ceiling_Bps = CEILING;
  params.life = LIFE;
  hop_rates_init (&h, &params);
}

START_TEST (test_least_of_the_latest)
{
  uint32_t hop = 0;

  setup ();
  ck_assert (isinf (hop_rates_minimum (&h, 0, NULL)));
  ck_assert_uint_eq (hop_rates_next_timeout (&h), CC_TIME_NONE);
  ck_assert (hop_rates_on_rate (&h, 1, 100000, 1, 0));
  ck_assert (hop_rates_on_rate (&h, 2, 50000, 1, 1));
  ck_assert (!hop_rates_on_rate (&h, 3, 70000, 1, 2));
  ck_assert_double_eq (hop_rates_minimum (&h, 2, &hop), 50000);
  ck_assert_uint_eq (hop, 2);
  /* the latest of a hop, higher or lower */
  ck_assert (hop_rates_on_rate (&h, 2, 90000, 2, 3));
  ck_assert_double_eq (hop_rates_minimum (&h, 3, &hop), 70000);
  ck_assert_uint_eq (hop, 3);
  ck_assert_uint_eq (hop_rates_count (&h, 3), 3);
}
END_TEST

START_TEST (test_silent_router_expires)
{
  setup ();
  hop_rates_on_rate (&h, 1, 100000, 1, 0);
  hop_rates_on_rate (&h, 2, 50000, 1, CC_SECOND);
  hop_rates_on_rate (&h, 1, 100000, 2, 2 * CC_SECOND);
  ck_assert_uint_eq (hop_rates_next_timeout (&h), CC_SECOND + LIFE);
  ck_assert_double_eq (hop_rates_minimum (&h, CC_SECOND + LIFE - 1, NULL), 50000);
  /* whether on_timeout () was called yet or not */
  ck_assert_double_eq (hop_rates_minimum (&h, CC_SECOND + LIFE, NULL), 100000);
  ck_assert (!hop_rates_on_timeout (&h, CC_SECOND + LIFE - 1));
  ck_assert (hop_rates_on_timeout (&h, CC_SECOND + LIFE));
  ck_assert_uint_eq (h.expired, 1);
  ck_assert_uint_eq (hop_rates_next_timeout (&h), 2 * CC_SECOND + LIFE);
  ck_assert (hop_rates_on_timeout (&h, 9 * CC_SECOND));
  ck_assert_uint_eq (hop_rates_next_timeout (&h), CC_TIME_NONE);
  ck_assert (isinf (hop_rates_minimum (&h, 9 * CC_SECOND, NULL)));
}
END_TEST

START_TEST (test_absurd_rates)
{
  setup ();
  hop_rates_on_rate (&h, 1, 0, 1, 0);
  ck_assert_double_eq (hop_rates_minimum (&h, 0, NULL), FLOOR);
  ck_assert_uint_eq (h.low, 1);
  hop_rates_on_rate (&h, 1, 1e12, 2, 0);
  ck_assert_double_eq (hop_rates_minimum (&h, 0, NULL), CEILING);
  ck_assert_uint_eq (h.high, 1);
  ck_assert (!hop_rates_on_rate (&h, 1, NAN, 3, 0));
  ck_assert (!hop_rates_on_rate (&h, 1, -1, 3, 0));
  ck_assert (!hop_rates_on_rate (&h, 1, HUGE_VAL, 3, 0));
  ck_assert_uint_eq (h.ignored, 3);
  ck_assert_uint_eq (h.taken, 2);
  ck_assert_double_eq (hop_rates_minimum (&h, 0, NULL), CEILING);
}
END_TEST

/* What has been said before changes nothing and keeps nobody alive. */
START_TEST (test_replayed)
{
  setup ();
  hop_rates_on_rate (&h, 1, 20000, 10, 0);
  hop_rates_on_rate (&h, 1, 80000, 20, CC_SECOND);
  ck_assert (!hop_rates_on_rate (&h, 1, 20000, 10, 2 * CC_SECOND));
  ck_assert (!hop_rates_on_rate (&h, 1, 80000, 20, 2 * CC_SECOND));
  ck_assert_uint_eq (h.replayed, 2);
  ck_assert_double_eq (hop_rates_minimum (&h, 2 * CC_SECOND, NULL), 80000);
  ck_assert_uint_eq (hop_rates_next_timeout (&h), CC_SECOND + LIFE);
  /* without order: the latest; and the order known stays known */
  ck_assert (hop_rates_on_rate (&h, 1, 60000, HOP_RATES_UNORDERED, 2 * CC_SECOND));
  ck_assert (!hop_rates_on_rate (&h, 1, 20000, 15, 2 * CC_SECOND));
  ck_assert_double_eq (hop_rates_minimum (&h, 2 * CC_SECOND, NULL), 60000);
}
END_TEST

/* Hops made up can neither hide the least nor take the rate below the floor. */
START_TEST (test_flood_of_hops)
{
  setup ();
  hop_rates_on_rate (&h, 1, 30000, 1, 0);
  for (uint32_t hop = 100; hop < 5000; hop++)
    hop_rates_on_rate (&h, hop, 900000, 1, 1);
  ck_assert_double_eq (hop_rates_minimum (&h, 1, NULL), 30000);
  ck_assert_uint_eq (hop_rates_count (&h, 1), HOP_RATES_MAX);
  ck_assert_uint_eq (h.displaced, 4900 - (HOP_RATES_MAX - 1));
  /* higher than all of a full table: no place for it */
  ck_assert (!hop_rates_on_rate (&h, 9999, 950000, 1, 1));
  hop_rates_on_rate (&h, 9999, 950000, 2, 1);
  ck_assert_uint_eq (h.taken, HOP_RATES_MAX);
  /* a real one among them has its place */
  ck_assert (hop_rates_on_rate (&h, 2, 20000, 1, 2));
  for (uint32_t hop = 100; hop < 5000; hop++)
    hop_rates_on_rate (&h, hop, 0, 2, 3);
  ck_assert_double_eq (hop_rates_minimum (&h, 3, NULL), FLOOR);
  ck_assert (isinf (hop_rates_minimum (&h, 3 + LIFE, NULL)));
}
END_TEST

START_TEST (test_params)
{
  HopRatesParams params = {.floor_Bps = 10, .ceiling_Bps = 5, .life = 1};

  hop_rates_init (&h, &params);
  ck_assert_double_eq (h.params.floor_Bps, 3750);
  ck_assert_double_eq (h.params.ceiling_Bps, 1.25e10);
  ck_assert_uint_eq (h.params.life, 10 * CC_SECOND);
  setup ();
  hop_rates_on_rate (&h, 1, 8000, 1, 0);
  params = h.params;
  params.floor_Bps = 9000;
  hop_rates_set_params (&h, &params);
  ck_assert_double_eq (hop_rates_minimum (&h, 0, NULL), 9000);
  hop_rates_reset (&h);
  ck_assert_uint_eq (hop_rates_count (&h, 0), 0);
}
END_TEST

CC_TEST_MAIN ("hoprates", test_least_of_the_latest, test_silent_router_expires, test_absurd_rates, test_replayed,
    test_flood_of_hops, test_params)
