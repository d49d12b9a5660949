/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpaddress.h"
#include "cctest.h"

static const uint64_t key[2] = {1, 2}, other_key[2] = {1, 3};
static const RtpAddress unknown = {.family = RTP_ADDRESS_UNKNOWN};
static const RtpAddress ipv4 = {.family = RTP_ADDRESS_IPV4, .bytes = {192, 0, 2, 1}, .port = 5004};
static const RtpAddress mapped = {
    .family = RTP_ADDRESS_IPV6, .bytes = {[10] = 0xff, [11] = 0xff, [12] = 192, [14] = 2, [15] = 1}, .port = 5004};
static const RtpAddress ipv6 = {.family = RTP_ADDRESS_IPV6, .bytes = {0xfe, 0x80, [15] = 1}, .scope = 2, .port = 5004};

START_TEST (a_host_is_one_whatever_the_port)
{
  RtpAddress moved = ipv4;

  ck_assert (rtp_address_equal (&ipv4, &moved));
  moved.port++;
  ck_assert (!rtp_address_equal (&ipv4, &moved) && rtp_address_same_host (&ipv4, &moved));
  ck_assert (rtp_address_host (&ipv4, key) == rtp_address_host (&moved, key));
  moved.bytes[3]++;
  ck_assert (!rtp_address_same_host (&ipv4, &moved));
  ck_assert (rtp_address_host (&ipv4, key) != rtp_address_host (&moved, key));
  moved = ipv6;
  moved.scope++;
  ck_assert (!rtp_address_equal (&ipv6, &moved));
}
END_TEST

START_TEST (an_ipv4_address_is_the_same_one_mapped)
{
  ck_assert (rtp_address_host (&ipv4, key) == rtp_address_host (&mapped, key));
  ck_assert (rtp_address_host (&ipv4, key) != rtp_address_host (&ipv6, key));
}
END_TEST

/* A number that others can work out would let them find an address that has the peer's. */
START_TEST (the_number_is_keyed)
{
  ck_assert (rtp_address_host (&ipv4, key) != rtp_address_host (&ipv4, other_key));
}
END_TEST

START_TEST (what_is_unknown_may_be_anybody)
{
  ck_assert_uint_eq (rtp_address_host (&unknown, key), 0);
  ck_assert (rtp_address_host (&ipv4, key) != 0);
  ck_assert (rtp_address_same_host (&unknown, &ipv4) && rtp_address_same_host (&ipv6, &unknown));
  ck_assert (!rtp_address_equal (&unknown, &ipv4) && rtp_address_equal (&unknown, &unknown));
}
END_TEST

START_TEST (headers_by_family)
{
  ck_assert_uint_eq (rtp_address_overhead_bytes (&unknown), 28);
  ck_assert_uint_eq (rtp_address_overhead_bytes (&ipv4), 28);
  ck_assert_uint_eq (rtp_address_overhead_bytes (&ipv6), 48);
}
END_TEST

CC_TEST_MAIN ("rtpaddress", a_host_is_one_whatever_the_port, an_ipv4_address_is_the_same_one_mapped,
    the_number_is_keyed, what_is_unknown_may_be_anybody, headers_by_family)
