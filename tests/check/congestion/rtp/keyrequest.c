/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "keyrequest.h"
#include "cctest.h"

static KeyRequest
fresh (bool repeat)
{
  KeyRequestParams params;
  KeyRequest k;

  key_request_params_init (&params);
  params.repeat = repeat;
  key_request_init (&k, &params);
  return k;
}

START_TEST (test_the_first_goes_at_once)
{
  KeyRequest k = fresh (true);

  ck_assert_uint_eq (key_request_next_timeout (&k), CC_TIME_NONE);
  key_request_want (&k, false);
  ck_assert_uint_eq (key_request_next_timeout (&k), 0);
  key_request_on_sent (&k, CC_SECOND);
  ck_assert_uint_eq (k.sent, 1);
}
END_TEST

/* 500 ms, then doubled for each that is not answered, eight times at most. */
START_TEST (test_repeats_until_a_key_unit_comes)
{
  static const CcDuration spacing_ms[] = {500, 1000, 2000, 4000, 4000};
  KeyRequest k = fresh (true);
  CcTime now = CC_SECOND;

  key_request_want (&k, false);
  key_request_on_sent (&k, now);
  for (unsigned i = 0; i < 5; i++) {
    ck_assert_uint_eq (key_request_next_timeout (&k), now + spacing_ms[i] * CC_MSECOND);
    now = key_request_next_timeout (&k);
    key_request_on_sent (&k, now);
  }
  key_request_on_key_unit (&k, 7);
  ck_assert_uint_eq (key_request_next_timeout (&k), CC_TIME_NONE);
  ck_assert_uint_eq (k.answered, 1);
}
END_TEST

START_TEST (test_never_closer_than_the_bound)
{
  KeyRequest k = fresh (true);

  key_request_want (&k, false);
  key_request_on_sent (&k, CC_SECOND);
  key_request_on_key_unit (&k, 7);
  key_request_want (&k, false);
  ck_assert_uint_eq (key_request_next_timeout (&k), CC_SECOND + 500 * CC_MSECOND);
  /* max (500 ms, 2 RTT) */
  key_request_set_rtt (&k, 400 * CC_MSECOND);
  ck_assert_uint_eq (key_request_next_timeout (&k), CC_SECOND + 800 * CC_MSECOND);
}
END_TEST

START_TEST (test_one_each_where_answers_cannot_be_seen)
{
  KeyRequest k = fresh (false);

  key_request_want (&k, false);
  key_request_on_sent (&k, CC_SECOND);
  ck_assert_uint_eq (key_request_next_timeout (&k), CC_TIME_NONE);
}
END_TEST

START_TEST (test_a_later_key_unit_mends_a_loss)
{
  KeyRequest k = fresh (true);

  key_request_on_key_unit (&k, 100);
  key_request_on_loss (&k, 90);
  ck_assert (!k.wanted);
  key_request_on_loss (&k, 97); /* may have been its parameter sets */
  ck_assert (k.wanted);
  key_request_on_key_unit (&k, 120);
  ck_assert (!k.wanted);
  key_request_on_loss (&k, 121);
  ck_assert (k.wanted);
  key_request_on_key_unit (&k, 110); /* came late: older than the loss */
  ck_assert (k.wanted);
}
END_TEST

/* Who is silent is not asked; who goes on without a key unit is. */
START_TEST (test_silence_puts_it_off)
{
  KeyRequest k = fresh (true);

  key_request_want (&k, false);
  key_request_set_silent (&k, true);
  ck_assert_uint_eq (key_request_next_timeout (&k), CC_TIME_NONE);
  key_request_set_silent (&k, false);
  ck_assert_uint_eq (key_request_next_timeout (&k), 0);
}
END_TEST

/* RFC 5104 4.3.1.1: the command number changes with the request, not with its repetition. */
START_TEST (test_fir_number)
{
  KeyRequest k = fresh (true);
  uint8_t first;

  key_request_want (&k, true);
  first = k.fir_seq;
  ck_assert (k.full);
  key_request_on_sent (&k, CC_SECOND);
  key_request_want (&k, true);
  ck_assert_uint_eq (k.fir_seq, first);
  key_request_on_key_unit (&k, 1);
  key_request_want (&k, false);
  ck_assert_uint_eq (k.fir_seq, (uint8_t)(first + 1));
  ck_assert (!k.full);
}
END_TEST

/* Another member's request delays ours like one of our own (500 ms), which is not counted as sent. */
START_TEST (test_another_member_has_asked)
{
  KeyRequest k = fresh (true);

  key_request_want (&k, false);
  key_request_on_asked_by_other (&k, CC_SECOND);
  ck_assert_uint_eq (key_request_next_timeout (&k), CC_SECOND + 500 * CC_MSECOND);
  ck_assert_uint_eq (k.sent, 0);
}
END_TEST

CC_TEST_MAIN ("keyrequest", test_the_first_goes_at_once, test_repeats_until_a_key_unit_comes,
    test_never_closer_than_the_bound, test_one_each_where_answers_cannot_be_seen, test_a_later_key_unit_mends_a_loss,
    test_silence_puts_it_off, test_fir_number, test_another_member_has_asked)
