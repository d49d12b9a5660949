/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fecdose.h"
#include "cctest.h"

#define BYTES 1000
#define ROOM 100000

static FecDose dose;

static void
begin (double share)
{
  fec_dose_init (&dose);
  fec_dose_set_share (&dose, share);
}

static unsigned
frames (unsigned n, unsigned packets, FecDosePacket packet)
{
  unsigned sums = 0;

  for (unsigned f = 0; f < n; f++)
    for (unsigned i = 0; i < packets; i++) {
      packet.frame_end = i == packets - 1;
      packet.room_bytes = ROOM;
      packet.sum_bytes = BYTES;
      sums += fec_dose_on_packet (&dose, &packet);
    }
  return sums;
}

START_TEST (test_nothing_wanted_nothing_sent)
{
  fec_dose_init (&dose);
  ck_assert_uint_eq (frames (100, 4, (FecDosePacket){.key_unit = true, .rate_Bps = 2e5, .sent_Bps = 1e4}), 0);
  begin (0.25);
  ck_assert_uint_eq (frames (100, 4, (FecDosePacket){0}), 100);
  fec_dose_set_share (&dose, 0);
  ck_assert_uint_eq (frames (100, 4, (FecDosePacket){0}), 0);
}
END_TEST

/* Behind a frame, less than one a frame now and then, some of a large frame in between. */
START_TEST (test_when)
{
  FecDosePacket packet = {.sum_bytes = BYTES, .room_bytes = ROOM};

  begin (1 / 16.0);
  ck_assert_uint_eq (frames (3, 4, packet), 0);
  ck_assert_uint_eq (frames (1, 4, packet), 1);
  begin (0.5);
  for (unsigned i = 0; i < 3; i++)
    ck_assert_uint_eq (fec_dose_on_packet (&dose, &packet), 0);
  ck_assert_uint_eq (fec_dose_on_packet (&dose, &packet), 2);
}
END_TEST

START_TEST (test_not_all_packets_count_the_same)
{
  begin (0.25);
  ck_assert_uint_eq (frames (10, 4, (FecDosePacket){.key_unit = true}), 20);
  ck_assert_uint_eq (frames (10, 4, (FecDosePacket){.discardable = true}), 5);
}
END_TEST

/* A fifth of the rate is unused: a tenth more; and never more than twice what is wanted. */
START_TEST (test_unused_rate)
{
  begin (0.25);
  ck_assert_uint_eq (frames (100, 4, (FecDosePacket){.rate_Bps = 1.2e5, .sent_Bps = 1e5}), 140);
  ck_assert_uint_eq (frames (100, 4, (FecDosePacket){.rate_Bps = 1e6, .sent_Bps = 1e5}), 200);
  ck_assert_uint_eq (frames (100, 4, (FecDosePacket){.rate_Bps = 1e5, .sent_Bps = 2e5}), 100);
}
END_TEST

/* A key unit of 100 packets: what it has more follows one by one, as far as the window reaches. */
START_TEST (test_what_is_extra_is_bounded)
{
  begin (1);
  ck_assert_uint_ge (frames (1, 100, (FecDosePacket){.key_unit = true}), 100);
  ck_assert_uint_eq (frames (50, 1, (FecDosePacket){0}), 50 + 15);
}
END_TEST

/* What was wanted before and not sent yet is of no use when sums are wanted again. */
START_TEST (test_no_debt_is_left)
{
  FecDosePacket key = {.key_unit = true};

  begin (0.75);
  ck_assert_uint_eq (fec_dose_on_packet (&dose, &key), 0);
  fec_dose_set_share (&dose, 0);
  fec_dose_set_share (&dose, 0.75);
  ck_assert_uint_eq (frames (1, 1, (FecDosePacket){0}), 0);
}
END_TEST

START_TEST (test_what_is_wanted_is_clamped)
{
  begin (-1);
  ck_assert_double_eq (dose.share, 0);
  begin (1e9);
  ck_assert_double_eq (dose.share, 1);
}
END_TEST

/* Sums wait for room, and for no longer than a window. */
START_TEST (test_frames_that_wait_go_first)
{
  FecDosePacket packet = {.frame_end = true, .sum_bytes = BYTES, .room_bytes = BYTES - 1};

  begin (0.5);
  for (unsigned i = 0; i < 8; i++)
    ck_assert_uint_eq (fec_dose_on_packet (&dose, &packet), 0);
  packet.room_bytes = 2 * BYTES;
  ck_assert_uint_eq (fec_dose_on_packet (&dose, &packet), 2);
  packet.room_bytes = ROOM;
  ck_assert_uint_eq (fec_dose_on_packet (&dose, &packet), 3);
  packet.room_bytes = 0;
  for (unsigned i = 0; i < 1000; i++)
    ck_assert_uint_eq (fec_dose_on_packet (&dose, &packet), 0);
  packet.room_bytes = ROOM;
  ck_assert_uint_le (fec_dose_on_packet (&dose, &packet), 16);
}
END_TEST

/* Sums are as long as the longest packet they are over. */
START_TEST (test_what_it_takes_of_the_rate)
{
  FecDosePacket packet = {.size_bytes = BYTES / 2, .sum_bytes = BYTES};

  begin (0.25);
  ck_assert_double_eq (fec_dose_redundancy (&dose), 0.25);
  fec_dose_on_packet (&dose, &packet);
  ck_assert_double_eq (fec_dose_redundancy (&dose), 0.5);
  fec_dose_set_share (&dose, 0);
  ck_assert_double_eq (fec_dose_redundancy (&dose), 0);
}
END_TEST

/* A call whose packets have become small has room for sums as small, and does not pay for long ones that never leave.
 */
START_TEST (test_what_follows_small_packets_is_small)
{
  FecDosePacket packet = {.frame_end = true, .size_bytes = BYTES, .sum_bytes = BYTES, .room_bytes = ROOM};

  begin (0.5);
  for (unsigned i = 0; i < 100; i++)
    fec_dose_on_packet (&dose, &packet);
  packet.size_bytes = packet.sum_bytes = packet.room_bytes = BYTES / 10;
  ck_assert_uint_eq (fec_dose_on_packet (&dose, &packet) + fec_dose_on_packet (&dose, &packet), 1);
  for (unsigned i = 0; i < 100; i++)
    fec_dose_on_packet (&dose, &packet);
  ck_assert_double_eq_tol (fec_dose_redundancy (&dose), 0.5, 0.02);
}
END_TEST

CC_TEST_MAIN ("fecdose", test_nothing_wanted_nothing_sent, test_when, test_not_all_packets_count_the_same,
    test_unused_rate, test_what_is_extra_is_bounded, test_no_debt_is_left, test_what_is_wanted_is_clamped,
    test_frames_that_wait_go_first, test_what_it_takes_of_the_rate, test_what_follows_small_packets_is_small)
