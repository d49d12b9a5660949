/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpnewcomers.h"
#include "cctest.h"

static RtpNewcomers newcomers;

static unsigned
taken_of (uint64_t host, unsigned tries, CcTime now)
{
  unsigned taken = 0;

  for (unsigned i = 0; i < tries; i++)
    taken += rtp_newcomers_take (&newcomers, host, now);
  return taken;
}

START_TEST (of_one_host_a_few)
{
  rtp_newcomers_init (&newcomers, CC_SECOND);
  ck_assert_uint_eq (taken_of (7, 1000, CC_SECOND), RTP_NEWCOMERS_AT_ONCE);
  ck_assert_uint_eq (taken_of (0, 1000, CC_SECOND), RTP_NEWCOMERS_AT_ONCE);
  ck_assert_uint_eq (taken_of (7, 1000, CC_SECOND + RTP_NEWCOMERS_SPAN - 1), 0);
  ck_assert_uint_eq (taken_of (7, 1000, CC_SECOND + RTP_NEWCOMERS_SPAN), RTP_NEWCOMERS_AT_ONCE);
}
END_TEST

START_TEST (of_many_hosts_all)
{
  rtp_newcomers_init (&newcomers, 0);
  for (unsigned round = 0; round < 3; round++)
    for (uint64_t host = 1; host <= 100000; host++)
      ck_assert (rtp_newcomers_take (&newcomers, host, 0));
}
END_TEST

/* A flood among thousands that join: every fourth packet is of one host. */
START_TEST (a_flood_among_them_is_found)
{
  unsigned flood = 0;

  rtp_newcomers_init (&newcomers, 0);
  for (uint64_t host = 1; host <= 30000; host++) {
    ck_assert (rtp_newcomers_take (&newcomers, host, 0));
    if (host % 3 == 0)
      flood += rtp_newcomers_take (&newcomers, 1000000, 0);
  }
  /* of 10 000, what the seventeenth of 40 000 takes off again, and the first few */
  ck_assert_uint_le (flood, 40000 / 17 + 2 * RTP_NEWCOMERS_AT_ONCE);
}
END_TEST

CC_TEST_MAIN ("rtpnewcomers", of_one_host_a_few, CC_TEST_LONG (of_many_hosts_all), a_flood_among_them_is_found)
