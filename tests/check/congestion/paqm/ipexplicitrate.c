/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ipexplicitrate.h"
#include "cctest.h"
#include "rtpextension.h"

#include <math.h>
#include <string.h>

#define ID 10
#define RATE 125000.0 /* 1 Mb/s: 0b d0 90, see the test of erfextension */
#define HOP 0xcafe

static uint8_t packet[256], before[256];
static size_t size, udp;
static IpPacket p;

static void
put16 (size_t at, unsigned value)
{
  packet[at] = (uint8_t)(value >> 8);
  packet[at + 1] = (uint8_t)value;
}

static unsigned
get16 (size_t at)
{
  return (unsigned)packet[at] << 8 | packet[at + 1];
}

/* RFC 768, RFC 8200 8.1: pseudo header of addresses, protocol and length, then the datagram; 0 where it is right. */
static unsigned
udp_sum (void)
{
  size_t from = p.version == 6 ? 8 : 12, end = udp + get16 (udp + 4);
  uint32_t sum = 17 + get16 (udp + 4);

  for (size_t i = from; i < from + (p.version == 6 ? 32 : 8); i += 2)
    sum += get16 (i);
  for (size_t i = udp; i < end; i += 2)
    sum += get16 (i) & (i + 1 < end ? 0xffff : 0xff00);
  while (sum >> 16)
    sum = (sum & 0xffff) + (sum >> 16);
  return ~sum & 0xffff;
}

static void
classify (void)
{
  static const uint64_t key[2] = {1, 2};

  ck_assert (ip_classify (packet, size, key, &p));
}

/* RTP with this extension block and `payload` bytes behind it, and a right checksum. */
static void
use (int version, unsigned profile, const void *block, size_t block_size, size_t payload)
{
  size_t ip = version == 4 ? 20 : 40, datagram = 8 + 12 + 4 + block_size + payload;

  memset (packet, 0, sizeof packet);
  size = ip + datagram;
  udp = ip;
  packet[0] = version == 4 ? 0x45 : 0x60;
  put16 (version == 4 ? 2 : 4, (unsigned)(version == 4 ? size : datagram));
  packet[version == 4 ? 9 : 6] = 17;
  memset (packet + (version == 4 ? 12 : 8), 0x5a, version == 4 ? 8 : 32);
  put16 (udp, 5000);
  put16 (udp + 2, 5002);
  put16 (udp + 4, (unsigned)datagram);
  packet[udp + 8] = 0x90; /* V = 2, X */
  packet[udp + 9] = 96;
  put16 (udp + 20, profile);
  put16 (udp + 22, (unsigned)block_size / 4);
  memcpy (packet + udp + 24, block, block_size);
  memset (packet + udp + 24 + block_size, 0xa5, payload);
  classify ();
  put16 (udp + 6, udp_sum ());
  classify ();
  memcpy (before, packet, sizeof packet);
}

/* One-byte form: head a5 (id 10, 6 bytes), at an odd place; then padding. */
static const uint8_t one_byte[8] = {0xa5, 0xff, 0xff, 0xff, 0, 0, 0x10, 0};
/* Two-byte form: id and length in front, so at an even place, and nothing behind it. */
static const uint8_t two_byte[8] = {10, 6, 0xff, 0xff, 0xff, 0, 0, 0x10};

/* The element is at `at` of the block; nothing else changes but the checksum, which stays right. */
static void
check_lowered (size_t at)
{
  size_t element = udp + 24 + at;

  ck_assert_int_eq (ip_explicit_rate_peek (packet, &p, ID, RATE), ERF_LOWERED);
  ck_assert_mem_eq (packet, before, sizeof packet);
  ck_assert_int_eq (ip_explicit_rate_lower (packet, &p, ID, RATE, HOP), ERF_LOWERED);
  ck_assert_mem_eq (packet + element, "\x0b\xd0\x90\xca\xfe\x10", 6);
  ck_assert_uint_eq (udp_sum (), 0);
  ck_assert_uint_ne (get16 (udp + 6), (unsigned)before[udp + 6] << 8 | before[udp + 7]);
  memcpy (before + element, packet + element, 6);
  memcpy (before + udp + 6, packet + udp + 6, 2);
  ck_assert_mem_eq (packet, before, sizeof packet);
}

START_TEST (test_lowers_in_place)
{
  for (int version = 4; version <= 6; version += 2) {
    use (version, 0xbede, one_byte, 8, 21); /* the datagram's last byte stands alone */
    check_lowered (1);
    use (version, 0x1000, two_byte, 8, 0); /* the element ends the packet */
    check_lowered (2);
  }
}
END_TEST

START_TEST (test_never_raises)
{
  use (4, 0xbede, one_byte, 8, 20);
  ck_assert_int_eq (ip_explicit_rate_lower (packet, &p, ID, RATE, HOP), ERF_LOWERED);
  memcpy (before, packet, sizeof packet);
  ck_assert_int_eq (ip_explicit_rate_lower (packet, &p, ID, 2 * RATE, 1), ERF_KEPT);
  ck_assert_int_eq (ip_explicit_rate_lower (packet, &p, ID, RATE, 1), ERF_KEPT);
  ck_assert_int_eq (ip_explicit_rate_lower (packet, &p, ID, HUGE_VAL, 1), ERF_KEPT);
  ck_assert_int_eq (ip_explicit_rate_lower (packet, &p, ID, NAN, 1), ERF_KEPT);
  ck_assert_mem_eq (packet, before, sizeof packet);
  ck_assert_int_eq (ip_explicit_rate_lower (packet, &p, ID, RATE / 2, 1), ERF_LOWERED);
  ck_assert_uint_eq (udp_sum (), 0);
}
END_TEST

START_TEST (test_no_checksum_stays_none)
{
  use (4, 0xbede, one_byte, 8, 20);
  put16 (udp + 6, 0);
  ck_assert_int_eq (ip_explicit_rate_lower (packet, &p, ID, RATE, HOP), ERF_LOWERED);
  ck_assert_uint_eq (get16 (udp + 6), 0);
}
END_TEST

START_TEST (test_wrong_checksum_stays_wrong)
{
  use (4, 0xbede, one_byte, 8, 20);
  put16 (udp + 6, get16 (udp + 6) ^ 0x0100);
  ck_assert_int_eq (ip_explicit_rate_lower (packet, &p, ID, RATE, HOP), ERF_LOWERED);
  ck_assert_uint_ne (udp_sum (), 0);
}
END_TEST

static void
check_absent (void)
{
  memcpy (before, packet, sizeof packet);
  ck_assert_int_eq (ip_explicit_rate_peek (packet, &p, ID, RATE), ERF_ABSENT);
  ck_assert_int_eq (ip_explicit_rate_lower (packet, &p, ID, RATE, HOP), ERF_ABSENT);
  ck_assert_mem_eq (packet, before, sizeof packet);
}

START_TEST (test_leaves_others_alone)
{
  use (4, 0xbede, "\xb5\xff\xff\xff\0\0\x10\0", 8, 20); /* id 11 */
  check_absent ();
  use (4, 0xbede, "\xa4\xff\xff\xff\0\0\0\0", 8, 20); /* 5 bytes */
  check_absent ();
  use (4, 0xbede, "\xa5\xff\xff\xff\0\0\x20\0", 8, 20); /* kind 2 */
  check_absent ();
  use (4, 0xbede, "\xa5\xff\xff\xff\0\0\x10\xaf", 8, 20); /* then one that runs past the block */
  check_absent ();
  use (4, 0xbede, one_byte, 8, 20);
  packet[udp + 8] = 0x80; /* no X */
  classify ();
  check_absent ();
  use (4, 0xbede, one_byte, 8, 20);
  put16 (6, 0x2000); /* a fragment */
  classify ();
  check_absent ();
  use (4, 0xbede, one_byte, 8, 20);
  packet[9] = 6; /* TCP */
  classify ();
  check_absent ();
  use (4, 0xbede, one_byte, 8, 20);
  size -= 1; /* cut short */
  classify ();
  check_absent ();
}
END_TEST

START_TEST (test_finds_other_elements)
{
  static const uint8_t stamped[8] = {0x36, 0x00, 0xc3, 0x50, 0x12, 0x34, 0x56, 0x78};
  RtpRttSendts stamp;
  const uint8_t *element;
  size_t n;

  use (6, 0xbede, stamped, 8, 20);
  element = ip_rtp_element (packet, &p, 3, &n);
  ck_assert_ptr_nonnull (element);
  ck_assert (rtp_ext_rtt_sendts_parse (element, n, &stamp));
  ck_assert_uint_eq (stamp.rtt, 50 * CC_MSECOND);
  ck_assert_ptr_null (ip_rtp_element (packet, &p, 4, &n));
}
END_TEST

CC_TEST_MAIN ("ipexplicitrate", test_lowers_in_place, test_never_raises, test_no_checksum_stays_none,
    test_wrong_checksum_stays_wrong, test_leaves_others_alone, test_finds_other_elements)
