/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "longwait.h"
#include "cctest.h"

#define NOW (10 * CC_SECOND)

START_TEST (test_lasts)
{
  LongWait w;

  long_wait_init (&w);
  ck_assert (!long_wait_lasts (&w, NOW));
  long_wait_on_packet (&w, 0.040, 0, NOW);
  ck_assert (!long_wait_lasts (&w, NOW + 29 * CC_MSECOND));
  ck_assert (long_wait_lasts (&w, NOW + 30 * CC_MSECOND));
}
END_TEST

START_TEST (test_one_that_came_soon_ends_it)
{
  LongWait w;

  long_wait_init (&w);
  long_wait_on_packet (&w, 0.040, 0, NOW);
  long_wait_on_packet (&w, 0.030, 0, NOW + 20 * CC_MSECOND);
  ck_assert (!long_wait_lasts (&w, NOW + 40 * CC_MSECOND));
}
END_TEST

START_TEST (test_what_is_no_queue_is_added)
{
  LongWait w;

  long_wait_init (&w);
  long_wait_on_packet (&w, 0.040, 0.008, NOW);
  ck_assert (!long_wait_lasts (&w, NOW + CC_SECOND));
}
END_TEST

CC_TEST_MAIN ("longwait", test_lasts, test_one_that_came_soon_ends_it, test_what_is_no_queue_is_added)
