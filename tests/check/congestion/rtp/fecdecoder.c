/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fecdecoder.h"
#include "ccrandom.h"
#include "cctest.h"
#include "fecencoder.h"
#include "fecstream.h"

#define MS CC_MSECOND
#define SPACING (10 * MS)

static FecEncoder encoder;
static FecDecoder decoder;
static CcPcg32 seeded;
static uint8_t sum[1500];
static size_t sum_size;
static bool got[4000];

static void
begin (void)
{
  memset (got, 0, sizeof got);
  fec_encoder_init (&encoder, 200 * MS, 4711);
  fec_decoder_init (&decoder, FEC_STREAM_SSRC);
}

static void
take (void)
{
  uint8_t out[1500], expected[FEC_STREAM_MAX];
  size_t size;

  while ((size = fec_decoder_take (&decoder, out, sizeof out)) > 0) {
    uint32_t number = rtcp_get_u16 (out + 2);

    ck_assert_uint_eq (fec_stream_packet (expected, number), size);
    ck_assert_mem_eq (out, expected, size);
    ck_assert (!got[number]);
    got[number] = true;
  }
}

static void
arrive (uint32_t number)
{
  uint8_t packet[FEC_STREAM_MAX];
  size_t size = fec_stream_packet (packet, number);

  got[number] = true;
  fec_decoder_on_packet (&decoder, packet, size);
  take ();
}

static void
leave (uint32_t number, bool lost)
{
  uint8_t packet[FEC_STREAM_MAX];
  size_t size = fec_stream_packet (packet, number);

  fec_encoder_on_packet (&encoder, packet, size, (uint16_t)number, number * SPACING);
  if (!lost)
    arrive (number);
}

static void
protect (uint32_t number, bool lost)
{
  sum_size = fec_encoder_repair (&encoder, sum, sizeof sum, number * SPACING);
  if (lost)
    return;
  fec_decoder_on_sum (&decoder, sum, sum_size);
  take ();
}

static unsigned
unknowns (void)
{
  unsigned n = 0;

  for (unsigned i = 0; i < FEC_UNKNOWNS; i++)
    n += decoder.used[i];
  return n;
}

/* As many sums as packets are missing, whichever they are. */
START_TEST (test_sums_stand_for_packets)
{
  begin ();
  for (uint32_t i = 0; i < 16; i++)
    leave (i, i == 3 || i == 4 || i == 5 || i == 15);
  for (unsigned k = 0; k < 3; k++)
    protect (15, false);
  ck_assert (!got[3] && !got[15]);
  protect (15, false);
  for (uint32_t i = 0; i < 16; i++)
    ck_assert (got[i]);
  protect (15, false);
  ck_assert_uint_eq (decoder.useless, 1);
  ck_assert_uint_eq (decoder.restored, 4);
  ck_assert_uint_eq (decoder.sums, 5);
  ck_assert_uint_eq ((uint16_t)decoder.newest, 15);
  ck_assert_uint_eq (unknowns (), 0);
}
END_TEST

/* A burst takes a frame and its sums: those of later ones mend it, though packets of theirs are lost too. */
START_TEST (test_later_sums_serve)
{
  begin ();
  for (uint32_t i = 0; i < 20; i++) {
    leave (i, (i >= 4 && i < 8) || i == 9);
    if (i % 2 == 1)
      protect (i, i < 8);
    ck_assert (got[4] == (i >= 17));
  }
  for (uint32_t i = 0; i < 20; i++)
    ck_assert (got[i]);
}
END_TEST

/* A packet that comes late, or was sent again, is worth a sum. */
START_TEST (test_late_packets_help)
{
  begin ();
  for (uint32_t i = 0; i < 10; i++)
    leave (i, i == 2 || i == 5);
  protect (9, false);
  ck_assert (!got[2]);
  arrive (5);
  ck_assert (got[2]);
  ck_assert_uint_eq (decoder.n_equations, 0);
  arrive (2);
  ck_assert_uint_eq (decoder.restored, 1);
}
END_TEST

/* The one that an equation was solved for came: it is solved for another one. */
START_TEST (test_a_late_packet_that_was_solved_for)
{
  static const uint32_t late[] = {2, 5, 7, 8};

  for (unsigned k = 0; k < 4; k++) {
    begin ();
    for (uint32_t i = 0; i < 10; i++)
      leave (i, i == 2 || i == 5 || i == 7 || i == 8);
    protect (9, false);
    protect (9, false);
    arrive (late[k]);
    ck_assert_uint_eq (unknowns (), 3);
    ck_assert_uint_eq (decoder.n_equations, 2);
    protect (9, false);
    for (uint32_t i = 0; i < 10; i++)
      ck_assert_msg (got[i], "%u late, %u missing", late[k], i);
    ck_assert_uint_eq (unknowns (), 0);
  }
}
END_TEST

START_TEST (test_a_packet_needs_its_room)
{
  uint8_t out[FEC_STREAM_MAX];
  size_t size = fec_stream_packet (out, 1);

  for (size_t less = 0; less < 2; less++) {
    begin ();
    for (uint32_t i = 0; i < 3; i++)
      leave (i, i == 1);
    sum_size = fec_encoder_repair (&encoder, sum, sizeof sum, 2 * SPACING);
    fec_decoder_on_sum (&decoder, sum, sum_size);
    ck_assert_uint_eq (fec_decoder_take (&decoder, out, size - less), less ? 0 : size);
  }
}
END_TEST

/* A sum over more unknowns than there is room for is of no use, and does no harm. */
START_TEST (test_a_sum_over_too_much)
{
  begin ();
  fec_encoder_set_span (&encoder, 2 * CC_SECOND);
  leave (0, false);
  for (uint32_t i = 1; i <= FEC_UNKNOWNS; i++)
    leave (i, true);
  protect (FEC_UNKNOWNS, false);
  ck_assert_uint_eq (decoder.refused, 0);
  begin ();
  fec_encoder_set_span (&encoder, 2 * CC_SECOND);
  leave (0, false);
  for (uint32_t i = 1; i <= FEC_UNKNOWNS + 1; i++)
    leave (i, true);
  protect (FEC_UNKNOWNS + 1, false);
  ck_assert_uint_eq (decoder.refused, 1);
  ck_assert_uint_eq (decoder.n_equations, 0);
  fec_encoder_set_span (&encoder, 30 * MS);
  for (uint32_t i = 70; i < 80; i++)
    leave (i, false);
  leave (80, true);
  protect (80, false);
  ck_assert (got[80]);
}
END_TEST

/* The oldest unknowns are given up for newer ones, with the equations they are in; here their columns are not the
   first, as the first one's packet came. */
START_TEST (test_the_oldest_unknowns_are_given_up)
{
  begin ();
  fec_encoder_set_span (&encoder, 2 * CC_SECOND);
  leave (0, false);
  for (uint32_t i = 1; i < 4; i++)
    leave (i, true);
  protect (3, false);
  arrive (1);
  for (uint32_t i = 4; i < 65; i++)
    leave (i, true);
  protect (64, false);
  ck_assert_uint_eq (unknowns (), 63);
  ck_assert_uint_eq (decoder.n_equations, 2);
  for (uint32_t i = 65; i < 69; i++)
    leave (i, true);
  fec_encoder_set_span (&encoder, 30 * MS); /* sums over the last four */
  for (unsigned k = 0; k < 4; k++)
    protect (68, false);
  for (uint32_t i = 65; i < 69; i++)
    ck_assert (got[i]);
  ck_assert_uint_eq (decoder.refused, 0);
  ck_assert_uint_eq (decoder.n_equations, 0);
  ck_assert_uint_eq (unknowns (), 60); /* 5 to 64 */
  arrive (5);
  ck_assert_uint_eq (unknowns (), 59);
}
END_TEST

/* What no sum reaches any more does not keep what is behind it from being mended. */
START_TEST (test_what_is_given_up)
{
  begin ();
  leave (0, false);
  for (uint32_t i = 1; i < 40; i++)
    leave (i, true);
  protect (39, false);
  for (uint32_t i = 40; i < 400; i++)
    leave (i, false);
  ck_assert_uint_eq (decoder.n_equations, 0);
  leave (400, true);
  protect (400, false);
  ck_assert (got[400] && !got[20]);
}
END_TEST

/* Random losses, bursts and sums, over the end of what is remembered: no packet comes out wrong or twice, and where
   sums are twice what is lost all but a few come out. */
START_TEST (test_any_losses)
{
  CcRandom random = cc_pcg32_init (&seeded, 3);
  unsigned missing = 0, lost = 0, n = 3000;
  bool burst = false;

  begin ();
  for (uint32_t i = 0; i < n; i++) {
    burst = cc_random_uniform (&random, 0, 1) < (burst ? 0.6 : 0.05);
    lost += burst;
    leave (i, burst);
    if (i % 3 == 2)
      protect (i, cc_random_uniform (&random, 0, 1) < 0.1);
  }
  for (uint32_t i = 0; i < n; i++)
    missing += !got[i];
  ck_assert_uint_gt (lost, 250);
  ck_assert_msg (missing < lost / 10, "%u of %u missing", missing, lost);
  ck_assert_uint_eq (decoder.refused, 0);
}
END_TEST

/* Of another code, or of who makes it up: packets of no other stream and of no other number come out, and sums that are
   right are understood all the same once what the wrong ones were about has passed. */
START_TEST (test_nonsense_is_refused)
{
  CcRandom random = cc_pcg32_init (&seeded, 5);
  uint8_t out[1500];

  begin ();
  fec_decoder_on_sum (&decoder, sum, 100);
  ck_assert_uint_eq (decoder.refused, 1);
  for (uint32_t i = 0; i < 300; i++) {
    uint8_t packet[FEC_STREAM_MAX];
    size_t size = fec_stream_packet (packet, i);

    fec_encoder_on_packet (&encoder, packet, size, (uint16_t)i, i * SPACING);
    if (i % 7 != 0)
      fec_decoder_on_packet (&decoder, packet, size);
    protect (i, true);
    for (size_t k = 0; k < sum_size; k++)
      if (cc_random_uniform (&random, 0, 1) < 0.1)
        sum[k] ^= (uint8_t)(1 + i % 200);
    fec_decoder_on_sum (&decoder, sum, sum_size);
    for (size_t k = 0; k < sizeof sum; k++)
      sum[k] = (uint8_t)(cc_random_uniform (&random, 0, 256));
    fec_decoder_on_sum (&decoder, sum, 9 + i);
    while ((size = fec_decoder_take (&decoder, out, sizeof out)) > 0) {
      ck_assert_uint_eq (rtcp_get_u32 (out + 8), FEC_STREAM_SSRC);
      ck_assert_uint_le (rtcp_get_u16 (out + 2), i + FEC_WINDOW);
    }
  }
  ck_assert_uint_gt (decoder.refused, 200);
  for (uint32_t i = 300; i < 700; i++) {
    leave (i, i == 690);
    if (i > 690)
      protect (i, false);
  }
  ck_assert (got[690]);
}
END_TEST

CC_TEST_MAIN ("fecdecoder", test_sums_stand_for_packets, test_later_sums_serve, test_late_packets_help,
    test_a_late_packet_that_was_solved_for, test_a_packet_needs_its_room, test_a_sum_over_too_much,
    test_the_oldest_unknowns_are_given_up, test_what_is_given_up, test_any_losses, test_nonsense_is_refused)
