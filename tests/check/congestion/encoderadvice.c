/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "encoderadvice.h"
#include "cctest.h"

static const EncoderAdvice full = {
    .rate_Bps = 100e3, .packet_bytes = 972, .overhead_bytes = 28, .frame_interval = 40 * CC_MSECOND};

START_TEST (test_headers_are_taken_off)
{
  EncoderAdvice a = full;

  ck_assert_double_eq_tol (encoder_advice_wire_factor (&a), 1000.0 / 972, 1e-9);
  ck_assert_double_eq_tol (encoder_advice_media (&a), 94.8e3, 1);
  ck_assert_double_eq_tol (encoder_advice_rate (&a), 0.97 * 94.8e3, 1);
}
END_TEST

/* Packets of 172 bytes, of which a third is headers, at a fifth of the rate: they will grow before they are more. */
START_TEST (test_small_packets_may_grow)
{
  EncoderAdvice a = full;

  a.packet_bytes = 172;
  ck_assert_double_eq_tol (encoder_advice_media (&a), 74e3, 1);
  a.sent_Bps = 20e3;
  ck_assert_double_eq_tol (encoder_advice_media (&a), 90e3, 1);
  a.sent_Bps = 100e3;
  ck_assert_double_eq_tol (encoder_advice_media (&a), 74e3, 1);
}
END_TEST

START_TEST (test_a_backlog_is_drained)
{
  EncoderAdvice a = full;
  double free = encoder_advice_rate (&a);

  a.queued_bytes = 0.04 * 94.8e3; /* a frame */
  ck_assert_double_eq_tol (encoder_advice_rate (&a), free, 1);
  a.queued_bytes += 10e3;
  ck_assert_double_eq_tol (encoder_advice_rate (&a), free - 20e3, 1);
  a.queued_bytes += 1e6;
  ck_assert_double_eq_tol (encoder_advice_rate (&a), free / 2, 1);
}
END_TEST

START_TEST (test_what_is_sent_again_is_paid_for)
{
  EncoderAdvice a = full;

  a.resent_Bps = 20e3;
  ck_assert_double_eq_tol (encoder_advice_media (&a), 0.8 * 94.8e3, 1);
  ck_assert_double_eq_tol (encoder_advice_rate (&a), 0.97 * 0.8 * 94.8e3, 1);
}
END_TEST

/* A byte of it for each four of media: before any has left. */
START_TEST (test_redundancy_is_paid_for)
{
  EncoderAdvice a = full;

  a.redundancy = 0.25;
  ck_assert_double_eq_tol (encoder_advice_media (&a), 0.8 * 94.8e3, 1);
  a.resent_Bps = 20e3;
  ck_assert_double_eq_tol (encoder_advice_media (&a), 0.8 * 0.8 * 94.8e3, 1);
  a.redundancy = 1e9;
  ck_assert_double_eq_tol (encoder_advice_media (&a), 0.25 * 94.8e3, 1);
}
END_TEST

CC_TEST_MAIN ("encoderadvice", test_headers_are_taken_off, test_small_packets_may_grow, test_a_backlog_is_drained,
    test_what_is_sent_again_is_paid_for, test_redundancy_is_paid_for)
