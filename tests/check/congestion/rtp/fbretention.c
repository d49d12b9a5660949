/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fbretention.h"
#include "cctest.h"

#define SSRC 0x11223344u

static FbRetention r;

static void
fresh (void)
{
  FbRetentionParams params;

  fb_retention_params_init (&params);
  fb_retention_init (&r, &params);
}

static void
hear (FbItem item, CcTime now)
{
  fb_retention_on_received (&r, &item, now);
}

static bool
covered (FbItem item, CcTime t0)
{
  return fb_retention_covers (&r, &item, t0);
}

static FbItem
slice (uint16_t first, uint16_t number, uint8_t picture_id)
{
  RtcpSli sli = {first, number, picture_id};

  return fb_item_sli (SSRC, &sli);
}

static FbItem
rpsi (uint8_t payload_type, uint16_t n_bits, uint8_t bits)
{
  RtcpRpsi picture = {.payload_type = payload_type, .n_bits = n_bits, .bits = {bits}};

  return fb_item_rpsi (SSRC, &picture);
}

/* RFC 4585 3.5.2 (5): heard in [t0 - 2 s, te]. */
START_TEST (test_for_two_seconds)
{
  const CcTime heard = 10 * CC_SECOND;

  fresh ();
  ck_assert (!covered (fb_item_pli (SSRC), heard));
  hear (fb_item_pli (SSRC), heard);
  ck_assert (covered (fb_item_pli (SSRC), heard - CC_MSECOND));
  ck_assert (covered (fb_item_pli (SSRC), heard + 2 * CC_SECOND));
  ck_assert (!covered (fb_item_pli (SSRC), heard + 2 * CC_SECOND + 1));
}
END_TEST

START_TEST (test_what_is_old_suppresses_nothing)
{
  FbItem mine = fb_item_nack (SSRC, 5);

  fresh ();
  hear (mine, CC_SECOND);
  ck_assert (!fb_retention_suppress (&r, &mine, 3 * CC_SECOND + 1));
  ck_assert (fb_retention_suppress (&r, &mine, 3 * CC_SECOND));
  ck_assert_uint_eq (r.suppressed, 1);
}
END_TEST

/* RFC 4585 3.2: at least 2 s. */
START_TEST (test_no_less_than_two_seconds)
{
  FbRetentionParams params = {.T_retention = CC_SECOND, .max_in_a_row = 1};

  fb_retention_init (&r, &params);
  ck_assert_uint_eq (r.params.T_retention, 2 * CC_SECOND);
  params.T_retention = 5 * CC_SECOND;
  fb_retention_init (&r, &params);
  hear (fb_item_pli (SSRC), CC_SECOND);
  ck_assert (covered (fb_item_pli (SSRC), 6 * CC_SECOND));
}
END_TEST

START_TEST (test_each_kind_for_itself)
{
  const FbItem items[] = {fb_item_nack (SSRC, 0), fb_item_fir (SSRC), slice (1, 1, 0), rpsi (96, 8, 1),
      fb_item_application (SSRC, (const uint8_t *)"abcd", 4)};
  const unsigned n = sizeof items / sizeof *items;

  for (unsigned heard = 0; heard < n; heard++) {
    fresh ();
    hear (items[heard], CC_SECOND);
    for (unsigned mine = 0; mine < n; mine++)
      ck_assert_int_eq (covered (items[mine], CC_SECOND), mine == heard);
  }
}
END_TEST

START_TEST (test_another_source_or_content_covers_nothing)
{
  fresh ();
  hear (fb_item_nack (SSRC, 7), CC_SECOND);
  hear (fb_item_pli (SSRC), CC_SECOND);
  hear (rpsi (96, 8, 1), CC_SECOND);
  hear (fb_item_application (SSRC, (const uint8_t *)"abcd", 4), CC_SECOND);
  ck_assert (!covered (fb_item_nack (SSRC, 8), CC_SECOND) && !covered (fb_item_nack (SSRC + 1, 7), CC_SECOND));
  ck_assert (!covered (fb_item_pli (SSRC + 1), CC_SECOND));
  ck_assert (!covered (rpsi (97, 8, 1), CC_SECOND) && !covered (rpsi (96, 9, 1), CC_SECOND));
  ck_assert (!covered (rpsi (96, 8, 2), CC_SECOND));
  ck_assert (!covered (fb_item_application (SSRC, (const uint8_t *)"abce", 4), CC_SECOND));
  ck_assert (!covered (fb_item_application (SSRC, (const uint8_t *)"abcd", 3), CC_SECOND));
}
END_TEST

/* A full intra picture is all that a PLI asks for; the other way round it is not (RFC 5104 4.3.1). */
START_TEST (test_fir_covers_pli)
{
  fresh ();
  hear (fb_item_fir (SSRC), CC_SECOND);
  ck_assert (covered (fb_item_pli (SSRC), CC_SECOND));
  fresh ();
  hear (fb_item_pli (SSRC), CC_SECOND);
  ck_assert (!covered (fb_item_fir (SSRC), CC_SECOND));
}
END_TEST

/* Macroblocks 10 to 19 of picture 5. */
START_TEST (test_a_slice_covers_what_is_inside)
{
  fresh ();
  hear (slice (10, 10, 5), CC_SECOND);
  ck_assert (covered (slice (10, 10, 5), CC_SECOND) && covered (slice (12, 8, 5), CC_SECOND));
  ck_assert (covered (slice (19, 1, 5), CC_SECOND));
  ck_assert (!covered (slice (9, 2, 5), CC_SECOND) && !covered (slice (19, 2, 5), CC_SECOND));
  ck_assert (!covered (slice (20, 1, 5), CC_SECOND) && !covered (slice (12, 1, 6), CC_SECOND));
}
END_TEST

/* Four attempts in a row, then ours goes out, then four again. */
START_TEST (test_others_are_not_believed_for_ever)
{
  FbItem mine = fb_item_pli (SSRC);
  char sent[21] = {0};

  fresh ();
  for (unsigned i = 0; i < 20; i++) {
    CcTime now = CC_SECOND + i * 500 * CC_MSECOND;

    hear (mine, now);
    sent[i] = fb_retention_suppress (&r, &mine, now) ? '-' : 'x';
    if (sent[i] == 'x')
      fb_retention_on_sent (&r, &mine);
  }
  ck_assert_str_eq (sent, "----x----x----x----x");
  ck_assert_uint_eq (r.suppressed, 16);
  ck_assert_uint_eq (r.disbelieved, 4);
}
END_TEST

/* Slices of ever other sizes around mine, and FIR and PLI by turns: still four. */
START_TEST (test_other_words_do_not_help)
{
  FbItem mine = slice (100, 1, 0), pli = fb_item_pli (SSRC);
  unsigned suppressed = 0;

  fresh ();
  for (uint16_t i = 0; i < 10; i++) {
    CcTime now = CC_SECOND + i * 100 * CC_MSECOND;

    hear (slice ((uint16_t)(99 - i), (uint16_t)(i + 2), 0), now);
    if (!fb_retention_suppress (&r, &mine, now))
      break;
    suppressed++;
  }
  ck_assert_uint_eq (suppressed, 4);
  for (unsigned i = 0; i < 10; i++) {
    hear (i % 2 == 0 ? fb_item_fir (SSRC) : pli, CC_SECOND);
    if (!fb_retention_suppress (&r, &pli, CC_SECOND))
      break;
    suppressed++;
  }
  ck_assert_uint_eq (suppressed, 8);
}
END_TEST

/* A silence of more than T_retention ends a row, too; looking does not lengthen it. */
START_TEST (test_a_row_ends_with_silence)
{
  FbItem mine = fb_item_nack (SSRC, 5);
  CcTime now = CC_SECOND;

  fresh ();
  hear (mine, now);
  for (unsigned i = 0; i < 10; i++)
    ck_assert (fb_retention_covers (&r, &mine, now));
  for (unsigned i = 0; i < 4; i++)
    ck_assert (fb_retention_suppress (&r, &mine, now));
  ck_assert (!fb_retention_suppress (&r, &mine, now));
  now += 2 * CC_SECOND + 1;
  hear (mine, now);
  ck_assert (fb_retention_suppress (&r, &mine, now));
}
END_TEST

/* The PLI of before the key unit says nothing about a loss behind it. */
START_TEST (test_what_is_answered_is_forgotten)
{
  FbItem pli = fb_item_pli (SSRC), other = fb_item_pli (SSRC + 1);

  fresh ();
  hear (fb_item_fir (SSRC), CC_SECOND);
  hear (pli, CC_SECOND);
  hear (other, CC_SECOND);
  fb_retention_forget (&r, &pli);
  ck_assert (!covered (pli, CC_SECOND) && !covered (fb_item_fir (SSRC), CC_SECOND));
  ck_assert (covered (other, CC_SECOND));
}
END_TEST

/* 128 sets of 4: 512 numbers in a row have a place each, across the wrap. */
START_TEST (test_keeps_512_numbers_in_a_row)
{
  fresh ();
  for (uint32_t i = 0; i < 512; i++)
    hear (fb_item_nack (SSRC, (uint16_t)(65300 + i)), CC_SECOND + i);
  for (uint32_t i = 0; i < 512; i++)
    ck_assert (covered (fb_item_nack (SSRC, (uint16_t)(65300 + i)), CC_SECOND));
  ck_assert (!covered (fb_item_nack (SSRC, 65299), CC_SECOND));
}
END_TEST

/* A flood pushes the oldest out: what it leaves is the newest of each set, and nothing else is claimed to be heard. */
START_TEST (test_a_flood_forgets_the_oldest)
{
  unsigned kept = 0;

  fresh ();
  hear (fb_item_pli (SSRC), CC_SECOND);
  for (uint32_t i = 0; i < 100000; i++)
    hear (fb_item_nack (i, (uint16_t)(7 * i)), CC_SECOND + i);
  hear (fb_item_pli (SSRC + 2), CC_SECOND + 100000);
  ck_assert (!covered (fb_item_pli (SSRC), CC_SECOND));
  ck_assert (covered (fb_item_pli (SSRC + 2), CC_SECOND));
  for (uint32_t i = 0; i < 100000; i++)
    kept += covered (fb_item_nack (i, (uint16_t)(7 * i)), CC_SECOND);
  ck_assert_uint_eq (kept, 511);
  for (uint16_t i = 1; i <= 40; i++)
    hear (slice (i, 1, 0), CC_SECOND + i);
  ck_assert (!covered (slice (8, 1, 0), CC_SECOND) && covered (slice (9, 1, 0), CC_SECOND));
}
END_TEST

CC_TEST_MAIN ("fbretention", test_for_two_seconds, test_what_is_old_suppresses_nothing, test_no_less_than_two_seconds,
    test_each_kind_for_itself, test_another_source_or_content_covers_nothing, test_fir_covers_pli,
    test_a_slice_covers_what_is_inside, test_others_are_not_believed_for_ever, test_other_words_do_not_help,
    test_a_row_ends_with_silence, test_what_is_answered_is_forgotten, test_keeps_512_numbers_in_a_row,
    test_a_flood_forgets_the_oldest)
