/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lossexcuse.h"
#include "cctest.h"

#define NEWEST 100000
#define NOW (100 * CC_SECOND)

static LossExcuse e;

START_TEST (test_a_range_and_the_same_again)
{
  loss_excuse_init (&e);
  ck_assert (loss_excuse_admit (&e, NEWEST - 30, NEWEST - 10, NEWEST, NOW));
  ck_assert (loss_excuse_admit (&e, NEWEST - 30, NEWEST - 10, NEWEST, NOW));
  ck_assert (loss_excuse_admit (&e, NEWEST - 30, NEWEST, NEWEST, NOW + LOSS_EXCUSE_SAME));
  ck_assert (!loss_excuse_admit (&e, NEWEST - 30, NEWEST, NEWEST, NOW + LOSS_EXCUSE_SAME + 1));
  ck_assert_uint_eq (e.granted, 3);
}
END_TEST

/* Told all the time, new numbers each time: a range a minute. */
START_TEST (test_others_are_rare)
{
  unsigned granted = 0;

  loss_excuse_init (&e);
  for (uint64_t s = 0; s < 600; s++)
    granted += loss_excuse_admit (&e, NEWEST + 100 * s, NEWEST + 100 * s + 99, NEWEST + 100 * s + 99, s * CC_SECOND);
  ck_assert_uint_eq (granted, 10);
  ck_assert_uint_eq (e.refused, 590);
}
END_TEST

/* Nor does the same range last for ever: it is another one after that. */
START_TEST (test_the_same_one_is_rare_as_well)
{
  unsigned granted = 0;

  loss_excuse_init (&e);
  for (uint64_t s = 0; s < 600; s += 5)
    granted += loss_excuse_admit (&e, NEWEST, NEWEST + 99, NEWEST + 99, s * CC_SECOND);
  ck_assert_uint_eq (granted, 10);
}
END_TEST

START_TEST (test_what_is_no_range)
{
  loss_excuse_init (&e);
  ck_assert (!loss_excuse_admit (&e, NEWEST - 10, NEWEST - 11, NEWEST, NOW));
  ck_assert (!loss_excuse_admit (&e, NEWEST - LOSS_EXCUSE_PACKETS, NEWEST, NEWEST, NOW));
  ck_assert (!loss_excuse_admit (&e, NEWEST + 1, NEWEST + 2, NEWEST, NOW));
  ck_assert (!loss_excuse_admit (&e, NEWEST - 2 * LOSS_EXCUSE_PACKETS, NEWEST - 2 * LOSS_EXCUSE_PACKETS, NEWEST, NOW));
  ck_assert (loss_excuse_admit (&e, NEWEST - LOSS_EXCUSE_PACKETS + 1, NEWEST, NEWEST, NOW));
  ck_assert_uint_eq (e.refused, 4);
}
END_TEST

CC_TEST_MAIN ("lossexcuse", test_a_range_and_the_same_again, test_others_are_rare, test_the_same_one_is_rare_as_well,
    test_what_is_no_range)
