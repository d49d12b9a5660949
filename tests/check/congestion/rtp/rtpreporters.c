/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpreporters.h"
#include "cctest.h"

static RtpReporters reporters;

START_TEST (a_number_sent_lately_is_a_proof)
{
  rtp_reporters_init (&reporters);
  ck_assert (!rtp_reporters_knows (&reporters, 1));
  rtp_reporters_on_block (&reporters, 1, 0x30000 + 100, 100, 0);
  ck_assert (rtp_reporters_knows (&reporters, 1));
  ck_assert (!rtp_reporters_knows (&reporters, 2));
  rtp_reporters_on_block (&reporters, 2, 65500, 10, 0);
  ck_assert (rtp_reporters_knows (&reporters, 2));
}
END_TEST

START_TEST (a_number_not_sent_yet_or_long_ago_is_none)
{
  rtp_reporters_init (&reporters);
  rtp_reporters_on_block (&reporters, 1, 101, 100, 0);
  rtp_reporters_on_block (&reporters, 2, 0, RTP_REPORTERS_BEHIND, 0);
  ck_assert_uint_eq (reporters.count, 0);
  rtp_reporters_on_block (&reporters, 2, 1, RTP_REPORTERS_BEHIND, 0);
  ck_assert_uint_eq (reporters.count, 1);
}
END_TEST

START_TEST (the_oldest_proof_gives_way)
{
  rtp_reporters_init (&reporters);
  for (unsigned i = 0; i < RTP_REPORTERS_PLACES; i++)
    rtp_reporters_on_block (&reporters, i, 7, 7, i);
  rtp_reporters_on_block (&reporters, 0, 7, 7, 100);
  rtp_reporters_on_block (&reporters, 99, 7, 7, 101);
  ck_assert (rtp_reporters_knows (&reporters, 0));
  ck_assert (rtp_reporters_knows (&reporters, 99));
  ck_assert (!rtp_reporters_knows (&reporters, 1));
  ck_assert_uint_eq (reporters.count, RTP_REPORTERS_PLACES);
}
END_TEST

CC_TEST_MAIN ("rtpreporters", a_number_sent_lately_is_a_proof, a_number_not_sent_yet_or_long_ago_is_none,
    the_oldest_proof_gives_way)
