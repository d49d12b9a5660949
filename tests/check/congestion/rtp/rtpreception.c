/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpreception.h"
#include "cctest.h"

#define PERIOD (20 * CC_MSECOND)

/* A valid source whose base is `first`: the number before it is what probation takes. */
static RtpReception
valid_from (uint16_t first)
{
  RtpReception r;

  rtp_reception_init (&r, 90000);
  ck_assert_int_eq (rtp_reception_on_packet (&r, (uint16_t)(first - 1), 0, 0), RTP_RECEPTION_PROBATION);
  ck_assert_int_eq (rtp_reception_on_packet (&r, first, 1800, PERIOD), RTP_RECEPTION_NEWER);
  return r;
}

static RtpReceptionVerdict
receive (RtpReception *r, uint16_t seq)
{
  return rtp_reception_on_packet (r, seq, 0, CC_SECOND);
}

START_TEST (test_two_in_sequence_make_a_source)
{
  RtpReception r;
  RtpReceptionReport report;

  rtp_reception_init (&r, 90000);
  ck_assert_int_eq (receive (&r, 10), RTP_RECEPTION_PROBATION);
  ck_assert_int_eq (receive (&r, 12), RTP_RECEPTION_PROBATION);
  ck_assert (!rtp_reception_report (&r, CC_SECOND, &report));
  ck_assert_int_eq (receive (&r, 13), RTP_RECEPTION_NEWER);
  ck_assert (rtp_reception_report (&r, CC_SECOND, &report));
  ck_assert_uint_eq (report.highest_seq, 13);
}
END_TEST

/* RFC 3550 A.3: expected 11 (100 to 110), received 9: 2 lost; fraction 2 * 256 / 11 = 46. */
START_TEST (test_fraction_and_cumulative_loss)
{
  RtpReception r = valid_from (100);
  RtpReceptionReport report;

  for (uint16_t seq = 101; seq <= 110; seq++)
    if (seq != 104 && seq != 107)
      receive (&r, seq);
  ck_assert (rtp_reception_report (&r, CC_SECOND, &report));
  ck_assert_int_eq (report.cumulative_lost, 2);
  ck_assert_uint_eq (report.fraction_lost, 46);
  ck_assert_uint_eq (rtp_reception_missing (&r), 2);
  receive (&r, 111);
  ck_assert (rtp_reception_report (&r, CC_SECOND, &report));
  ck_assert_uint_eq (report.fraction_lost, 0);
  ck_assert_int_eq (report.cumulative_lost, 2);
}
END_TEST

/* Duplicates count as received, so the cumulative number may be negative but the fraction not (A.3). */
START_TEST (test_duplicates)
{
  RtpReception r = valid_from (100);
  RtpReceptionReport report;

  ck_assert_int_eq (receive (&r, 100), RTP_RECEPTION_DUPLICATE);
  receive (&r, 101);
  ck_assert_int_eq (receive (&r, 101), RTP_RECEPTION_DUPLICATE);
  ck_assert (rtp_reception_report (&r, CC_SECOND, &report));
  ck_assert_int_eq (report.cumulative_lost, -2);
  ck_assert_uint_eq (report.fraction_lost, 0);
  ck_assert_uint_eq (rtp_reception_missing (&r), 0);
  ck_assert_uint_eq (r.duplicates, 2);
}
END_TEST

/* 65534, 65535, 0, 1: one cycle, extended 65536 + 1. */
START_TEST (test_wrap)
{
  RtpReception r = valid_from (65534);
  RtpReceptionReport report;

  ck_assert_int_eq (receive (&r, 65535), RTP_RECEPTION_NEWER);
  ck_assert_int_eq (receive (&r, 0), RTP_RECEPTION_NEWER);
  ck_assert_int_eq (receive (&r, 1), RTP_RECEPTION_NEWER);
  ck_assert_int_eq (receive (&r, 65535), RTP_RECEPTION_DUPLICATE);
  ck_assert (rtp_reception_report (&r, CC_SECOND, &report));
  ck_assert_uint_eq (report.highest_seq, 65537);
}
END_TEST

/* The 2^32 packets in front are not sent one by one. */
START_TEST (test_extended_numbers_wrap)
{
  RtpReception r = valid_from (0);
  RtpReceptionReport report;

  r.cycles = 0xffff0000;
  r.max_seq = 0xfffd;
  r.received = 0xfffffffe;
  ck_assert (rtp_reception_report (&r, CC_SECOND, &report));
  ck_assert_uint_eq (report.highest_seq, 0xfffffffd);
  ck_assert_int_eq (report.cumulative_lost, 0);
  for (uint16_t i = 0; i < 100; i++)
    if (i % 10 != 5)
      receive (&r, (uint16_t)(0xfffe + i));
  ck_assert (rtp_reception_report (&r, CC_SECOND, &report));
  ck_assert_uint_eq (report.highest_seq, 97);
  ck_assert_int_eq (report.cumulative_lost, 10);
  ck_assert_uint_eq (report.fraction_lost, 25);
  ck_assert_uint_eq (rtp_reception_missing (&r), 10);
}
END_TEST

/* Lost once three later ones are here, not before; told once; a late one is no loss. */
START_TEST (test_loss_is_told_after_three_later_packets)
{
  RtpReception r = valid_from (100);

  receive (&r, 102);
  ck_assert (!r.loss);
  receive (&r, 103);
  ck_assert (!r.loss);
  receive (&r, 104);
  ck_assert (r.loss);
  ck_assert_uint_eq (r.lost_seq, 101);
  receive (&r, 105);
  ck_assert (!r.loss);
  receive (&r, 107);
  receive (&r, 106);
  receive (&r, 108);
  receive (&r, 109);
  receive (&r, 110);
  ck_assert (!r.loss);
  ck_assert_uint_eq (r.lost, 1);
}
END_TEST

/* 2^32 and two numbers since the first are not two, which are fewer than it takes to know a loss. */
START_TEST (test_losses_are_told_where_extended_numbers_wrap)
{
  RtpReception r = valid_from (0);

  r.cycles = 0xffff0000;
  r.max_seq = 0xfffd;
  r.window = UINT64_MAX; /* all have come */
  receive (&r, 0xfffe);
  receive (&r, 0);
  receive (&r, 1);
  ck_assert (!r.loss);
  receive (&r, 2);
  ck_assert (r.loss);
  ck_assert_uint_eq (r.lost_seq, 0xffffffff);
  ck_assert_uint_eq (r.lost, 1);
}
END_TEST

/* 101 to 180 missing when 181 comes: those three or more below, 101 to 178, are lost at once; 179, 180 with the next
   two. */
START_TEST (test_long_gap)
{
  RtpReception r = valid_from (100);

  receive (&r, 181);
  ck_assert (r.loss);
  ck_assert_uint_eq (r.lost_seq, 178);
  ck_assert_uint_eq (r.lost, 78);
  receive (&r, 182);
  receive (&r, 183);
  ck_assert_uint_eq (r.lost, 80);
}
END_TEST

/* A.1: one packet far off is not believed, its successor is. */
START_TEST (test_restart_of_the_sender)
{
  RtpReception r = valid_from (100);
  RtpReceptionReport report;

  ck_assert_int_eq (receive (&r, 40000), RTP_RECEPTION_JUMP);
  ck_assert_int_eq (receive (&r, 101), RTP_RECEPTION_NEWER);
  ck_assert_int_eq (receive (&r, 40001), RTP_RECEPTION_JUMP);
  ck_assert_int_eq (receive (&r, 40002), RTP_RECEPTION_RESTART);
  ck_assert_uint_eq (r.restarts, 1);
  ck_assert (rtp_reception_report (&r, CC_SECOND, &report));
  ck_assert_uint_eq (report.highest_seq, 40002);
  ck_assert_int_eq (report.cumulative_lost, 0);
}
END_TEST

/* A.8: packets 1800 ticks apart, every second 90 ticks late, so |D| = 90 each time: J tends to 90. One late by 90 after
   a steady run gives J = 90 / 16 = 5.6. */
START_TEST (test_jitter)
{
  RtpReception r = valid_from (1);
  RtpReceptionReport report;

  for (unsigned i = 2; i < 10; i++)
    rtp_reception_on_packet (&r, (uint16_t)i, 1800 * i, i * PERIOD);
  ck_assert_double_eq_tol (r.jitter, 0, 1e-9);
  rtp_reception_on_packet (&r, 10, 18000, 10 * PERIOD + CC_MSECOND);
  ck_assert_double_eq_tol (r.jitter, 90.0 / 16, 1e-9);
  for (unsigned i = 11; i < 400; i++)
    rtp_reception_on_packet (&r, (uint16_t)i, 1800 * i, i * PERIOD + (i % 2 == 0 ? CC_MSECOND : 0));
  ck_assert (rtp_reception_report (&r, CC_SECOND, &report));
  ck_assert_uint_ge (report.jitter, 89);
  ck_assert_uint_le (report.jitter, 90);
}
END_TEST

/* LSR: the middle 32 bits. DLSR: 1.5 s = 98304 / 65536. */
START_TEST (test_sender_report_echo)
{
  RtpReception r = valid_from (1);
  RtpReceptionReport report;

  ck_assert (rtp_reception_report (&r, CC_SECOND, &report));
  ck_assert_uint_eq (report.lsr, 0);
  ck_assert_uint_eq (report.dlsr, 0);
  rtp_reception_on_sender_report (&r, 0x0123456789abcdefULL, CC_SECOND);
  ck_assert (rtp_reception_report (&r, 2 * CC_SECOND + CC_SECOND / 2, &report));
  ck_assert_uint_eq (report.lsr, 0x456789abu);
  ck_assert_uint_eq (report.dlsr, 98304);
  ck_assert (rtp_reception_report (&r, 400000 * CC_SECOND, &report));
  ck_assert_uint_eq (report.dlsr, 0xffffffffu);
}
END_TEST

CC_TEST_MAIN ("rtpreception", test_two_in_sequence_make_a_source, test_fraction_and_cumulative_loss, test_duplicates,
    test_wrap, test_extended_numbers_wrap, test_losses_are_told_where_extended_numbers_wrap,
    test_loss_is_told_after_three_later_packets, test_long_gap, test_restart_of_the_sender, test_jitter,
    test_sender_report_echo)
