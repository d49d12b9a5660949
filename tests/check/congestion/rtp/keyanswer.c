/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "keyanswer.h"
#include "cctest.h"

#define START (1000 * CC_SECOND)

static KeyAnswer k;

START_TEST (the_first_is_asked_for_at_once)
{
  key_answer_init (&k);
  ck_assert (!key_answer_on_timeout (&k, START));
  ck_assert (key_answer_on_pli (&k, 0, START));
  key_answer_init (&k);
  ck_assert (key_answer_on_command (&k, 0, START));
  ck_assert_uint_eq (k.asked, 1);
}
END_TEST

START_TEST (a_pli_too_soon_is_dropped)
{
  key_answer_init (&k);
  key_answer_on_pli (&k, 0, START);
  ck_assert (!key_answer_on_pli (&k, 0, START + KEY_ANSWER_INTERVAL - 1));
  ck_assert (k.due == CC_TIME_NONE);
  ck_assert_uint_eq (k.dropped, 1);
  ck_assert (key_answer_on_pli (&k, 0, START + KEY_ANSWER_INTERVAL));
}
END_TEST

/* RFC 5104 4.3.1.2: a command is obeyed, once for all that came meanwhile. */
START_TEST (a_command_too_soon_is_put_off)
{
  key_answer_init (&k);
  key_answer_on_pli (&k, 0, START);
  ck_assert (!key_answer_on_command (&k, 0, START + 1));
  ck_assert (!key_answer_on_command (&k, 0, START + 2));
  ck_assert (k.due == START + KEY_ANSWER_INTERVAL);
  ck_assert (!key_answer_on_timeout (&k, k.due - 1));
  ck_assert (key_answer_on_timeout (&k, START + KEY_ANSWER_INTERVAL));
  ck_assert (!key_answer_on_timeout (&k, START + 2 * KEY_ANSWER_INTERVAL));
  ck_assert_uint_eq (k.asked, 2);
}
END_TEST

START_TEST (one_that_is_asked_for_meanwhile_serves)
{
  key_answer_init (&k);
  key_answer_on_pli (&k, 0, START);
  key_answer_on_command (&k, 0, START + 1);
  ck_assert (key_answer_on_pli (&k, 0, START + KEY_ANSWER_INTERVAL));
  ck_assert (k.due == CC_TIME_NONE);
}
END_TEST

START_TEST (a_round_trip_apart)
{
  key_answer_init (&k);
  key_answer_on_pli (&k, 0, START);
  ck_assert (!key_answer_on_pli (&k, 400 * CC_MSECOND, START + 399 * CC_MSECOND));
  ck_assert (key_answer_on_pli (&k, 400 * CC_MSECOND, START + 400 * CC_MSECOND));
  ck_assert (key_answer_on_pli (&k, 60 * CC_SECOND, START + 400 * CC_MSECOND + KEY_ANSWER_MAX_RTT));
}
END_TEST

CC_TEST_MAIN ("keyanswer", the_first_is_asked_for_at_once, a_pli_too_soon_is_dropped, a_command_too_soon_is_put_off,
    one_that_is_asked_for_meanwhile_serves, a_round_trip_apart)
