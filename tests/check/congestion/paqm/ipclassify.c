/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ipclassify.h"
#include "cctest.h"
#include "ccrandom.h"

#include <string.h>

static const uint64_t key[2] = {0x0123456789abcdef, 0xfedcba9876543210};

/* Checksum by hand: 0x4500 + 0x0034 + 0x1234 + 0x4000 + 0x4011 + 0x0a00 + 0x0001 + 0x0a00 + 0x0002 = 0xeb7c; its
   complement is 0x1483. */
static const uint8_t rtp4[52] = {0x45, 0x00, 0x00, 0x34, 0x12, 0x34, 0x40, 0x00, 0x40, 0x11, 0x14, 0x83, 10, 0, 0, 1,
    10, 0, 0, 2,                                                          /* 10.0.0.1 to 10.0.0.2 */
    0x13, 0x88, 0x13, 0x8a, 0x00, 0x20, 0, 0,                             /* UDP 5000 to 5002, 32 bytes */
    0x80, 96, 0x00, 0x01, 0, 0, 0, 0, 0x11, 0x22, 0x33, 0x44, 1, 2, 3, 4, /* RTP, PT 96 */
    5, 6, 7, 8, 9, 10, 11, 12};

static uint8_t packet[2048];
static size_t size;
static IpPacket p;

static void
put16 (size_t at, unsigned value)
{
  packet[at] = (uint8_t)(value >> 8);
  packet[at + 1] = (uint8_t)value;
}

static void
use_rtp4 (void)
{
  memset (packet, 0, sizeof packet);
  memcpy (packet, rtp4, sizeof rtp4);
  size = sizeof rtp4;
}

/* The UDP datagram of rtp4 behind an IPv6 header and what extension headers there are. */
static void
use_rtp6 (const void *extensions, size_t n, uint8_t first)
{
  memset (packet, 0, sizeof packet);
  packet[0] = 0x60;
  packet[6] = n > 0 ? first : 17;
  packet[7] = 64;
  memcpy (packet + 8, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\2", 32);
  if (n > 0)
    memcpy (packet + 40, extensions, n);
  memcpy (packet + 40 + n, rtp4 + 20, 32);
  size = 72 + n;
  put16 (4, (unsigned)n + 32);
}

static void
classify (void)
{
  ck_assert (ip_classify (packet, size, key, &p));
}

static uint64_t
flow (void)
{
  classify ();
  return p.flow;
}

static void
assert_elastic (void)
{
  classify ();
  ck_assert (!p.media);
  ck_assert_int_eq (p.payload, IP_PAYLOAD_OTHER);
  ck_assert_uint_eq (p.payload_offset, 0);
}

static uint16_t
checksum (const uint8_t *header)
{
  uint32_t sum = 0;

  for (size_t i = 0; i < (header[0] & 15u) * 4; i += 2)
    sum += i == 10 ? 0 : (uint32_t)(header[i] << 8 | header[i + 1]);
  while (sum >> 16)
    sum = (sum & 0xffff) + (sum >> 16);
  return (uint16_t)~sum;
}

START_TEST (test_rtp_over_ipv4)
{
  use_rtp4 ();
  classify ();
  ck_assert (p.media);
  ck_assert_int_eq (p.payload, IP_PAYLOAD_RTP);
  ck_assert_uint_eq (p.version, 4);
  ck_assert_uint_eq (p.protocol, 17);
  ck_assert_int_eq (p.ecn, IP_ECN_NOT_ECT);
  ck_assert_uint_eq (p.ssrc, 0x11223344);
  ck_assert_uint_eq (p.src_port, 5000);
  ck_assert_uint_eq (p.dst_port, 5002);
  ck_assert_uint_eq (p.payload_offset, 28);
  ck_assert_uint_eq (p.payload_size, 24);
  ck_assert (!p.fragment);
  /* options are skipped: a word of them, no-operation */
  memmove (packet + 24, packet + 20, 32);
  memset (packet + 20, 1, 4);
  packet[0] = 0x46;
  size += 4;
  put16 (2, (unsigned)size);
  classify ();
  ck_assert (p.media);
  ck_assert_uint_eq (p.payload_offset, 32);
}
END_TEST

START_TEST (test_rtp_over_ipv6)
{
  use_rtp6 (NULL, 0, 0);
  packet[1] = 0x20;
  classify ();
  ck_assert (p.media);
  ck_assert_uint_eq (p.version, 6);
  ck_assert_int_eq (p.ecn, IP_ECN_ECT0);
  ck_assert_uint_eq (p.ssrc, 0x11223344);
  ck_assert_uint_eq (p.payload_offset, 48);
  /* hop-by-hop (8 bytes), routing (16), authentication (4 words), destination (8), an atomic fragment, then UDP */
  use_rtp6 ("\x2b\0\1\4\0\0\0\0"
            "\x33\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
            "\x3c\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
            "\x2c\0\1\4\0\0\0\0"
            "\x11\0\0\0\0\0\0\7",
      56, 0);
  classify ();
  ck_assert (p.media);
  ck_assert (!p.fragment);
  ck_assert_uint_eq (p.payload_offset, 40 + 56 + 8);
}
END_TEST

/* The second byte decides: RFC 5761 4. */
START_TEST (test_payload_types)
{
  use_rtp4 ();
  put16 (30, 1); /* as RTCP: two words */
  for (unsigned byte = 0; byte < 256; byte++) {
    unsigned pt = byte & 0x7f;
    packet[29] = (uint8_t)byte;
    classify ();
    if (byte >= 192 && byte <= 223)
      ck_assert_int_eq (p.payload, IP_PAYLOAD_RTCP);
    else
      ck_assert_int_eq (p.payload, pt >= 64 && pt <= 95 ? IP_PAYLOAD_OTHER : IP_PAYLOAD_RTP);
    ck_assert (p.media == (p.payload != IP_PAYLOAD_OTHER));
  }
}
END_TEST

START_TEST (test_not_rtp)
{
  for (unsigned version = 0; version < 4; version++) {
    use_rtp4 ();
    packet[28] = (uint8_t)(version << 6);
    classify ();
    ck_assert (p.media == (version == 2));
  }
  /* CSRCs and an extension have to fit in: 24 bytes are 12 and 3 CSRCs, or 2 and an extension without words */
  for (unsigned first = 0; first < 64; first++) {
    unsigned cc = first & 15, X = first >> 4 & 1;
    use_rtp4 ();
    packet[28] = (uint8_t)(0x80 | first);
    memset (packet + 40, 0, 12);
    classify ();
    ck_assert (p.media == (12 + 4 * cc + 4 * X <= 24));
  }
  use_rtp4 ();
  packet[28] = 0x90;
  memcpy (packet + 40, "\xbe\xde\0\2", 4);
  classify ();
  ck_assert (p.media);
  packet[43] = 3;
  assert_elastic ();
  /* DNS, and answers */
  use_rtp4 ();
  put16 (22, 53);
  assert_elastic ();
  use_rtp4 ();
  put16 (20, 53);
  assert_elastic ();
  /* RTCP of more words than there are */
  use_rtp4 ();
  packet[29] = 200;
  put16 (30, 5);
  classify ();
  ck_assert_int_eq (p.payload, IP_PAYLOAD_RTCP);
  put16 (30, 6);
  assert_elastic ();
}
END_TEST

START_TEST (test_other_protocols_are_elastic)
{
  for (unsigned protocol = 0; protocol < 256; protocol++) {
    bool ports = protocol == 6 || protocol == 17 || protocol == 33 || protocol == 132 || protocol == 136;
    use_rtp4 ();
    packet[9] = (uint8_t)protocol;
    classify ();
    ck_assert (p.media == (protocol == 17));
    ck_assert_uint_eq (p.protocol, protocol);
    ck_assert_uint_eq (p.src_port, ports ? 5000 : 0);
  }
}
END_TEST

/* Whatever is missing, it is elastic, and of the same flow while the ports are there. */
START_TEST (test_cut_short)
{
  uint64_t whole;

  use_rtp4 ();
  packet[9] = 6;
  whole = flow ();
  for (size = 0; size < sizeof rtp4; size++) {
    ck_assert (ip_classify (packet, size, key, &p) == (size >= 20));
    ck_assert (!p.media);
    if (size >= 24)
      ck_assert_uint_eq (p.flow, whole);
    if (size < 20)
      ck_assert_uint_eq (p.flow, 0);
  }
  use_rtp4 ();
  for (size = 20; size < sizeof rtp4; size++)
    assert_elastic ();
  use_rtp6 ("\x11\0\1\4\0\0\0\0", 8, 60);
  for (size = 0; size < 80; size++) {
    ck_assert (ip_classify (packet, size, key, &p) == (size >= 40));
    ck_assert (!p.media);
  }
}
END_TEST

START_TEST (test_malformed)
{
  /* header length below 5 words, or beyond the end */
  use_rtp4 ();
  packet[0] = 0x44;
  ck_assert (!ip_classify (packet, size, key, &p));
  packet[0] = 0x4f;
  ck_assert (!ip_classify (packet, size, key, &p));
  ck_assert_uint_eq (p.version, 0);
  /* versions there are none of */
  packet[0] = 0x55;
  ck_assert (!ip_classify (packet, size, key, &p));
  /* total length within the header */
  use_rtp4 ();
  put16 (2, 10);
  assert_elastic ();
  /* UDP length: too small, too large */
  use_rtp4 ();
  put16 (24, 7);
  assert_elastic ();
  put16 (24, 33);
  assert_elastic ();
  /* the datagram is there, but not all of the packet */
  use_rtp4 ();
  put16 (2, 60);
  assert_elastic ();
  /* bytes behind the datagram are not its own */
  use_rtp4 ();
  size += 20;
  classify ();
  ck_assert_uint_eq (p.payload_size, 24);
}
END_TEST

START_TEST (test_fragments)
{
  uint64_t first;

  use_rtp4 ();
  put16 (6, 0x2000);
  first = flow ();
  ck_assert (p.fragment && !p.media);
  ck_assert_uint_eq (p.src_port, 0);
  /* of one flow, whatever their bytes */
  put16 (6, 0x00b9);
  memset (packet + 20, 0xa5, 32);
  ck_assert_uint_eq (flow (), first);
  ck_assert (p.fragment && !p.media);
  /* don't fragment is no fragment */
  use_rtp4 ();
  put16 (6, 0x4000);
  classify ();
  ck_assert (!p.fragment && p.media);
  /* IPv6: more to come; an offset */
  use_rtp6 ("\x11\0\0\1\0\0\0\7", 8, 44);
  first = flow ();
  ck_assert (p.fragment && !p.media);
  ck_assert_uint_eq (p.protocol, 17);
  use_rtp6 ("\x11\0\5\0\0\0\0\7", 8, 44);
  ck_assert_uint_eq (flow (), first);
}
END_TEST

/* Eight headers are walked, not nine, and none that runs past the end. */
START_TEST (test_many_ipv6_headers)
{
  uint8_t headers[72] = {0};

  for (int i = 0; i < 9; i++)
    headers[8 * i] = 60;
  headers[56] = 17;
  use_rtp6 (headers, 64, 60);
  classify ();
  ck_assert (p.media);
  headers[56] = 60;
  headers[64] = 17;
  use_rtp6 (headers, 72, 60);
  assert_elastic ();
  ck_assert_uint_eq (p.src_port, 0);
  use_rtp6 ("\x11\xff\1\4\0\0\0\0", 8, 60);
  assert_elastic ();
  /* no next header, ESP: what follows is nobody's business */
  use_rtp6 (NULL, 0, 0);
  packet[6] = 59;
  assert_elastic ();
  packet[6] = 50;
  assert_elastic ();
}
END_TEST

START_TEST (test_flow_ids)
{
  const uint64_t other[2] = {0x0123456789abcdef, 0xfedcba9876543211};
  uint64_t rtp, changed;

  use_rtp4 ();
  rtp = flow ();
  ck_assert (ip_classify (packet, size, other, &p));
  ck_assert_uint_ne (p.flow, rtp);
  /* addresses, ports beyond the last bit and SSRC make it, nothing else */
  for (size_t at = 0; at < sizeof rtp4; at++) {
    bool matters = (at >= 12 && at < 24) || (at >= 36 && at < 40);
    use_rtp4 ();
    packet[at] ^= 2;
    if (!ip_classify (packet, size, key, &p) || !p.media)
      continue;
    ck_assert (matters == (p.flow != rtp));
  }
  /* the source's RTCP, on the port or the next one */
  use_rtp4 ();
  packet[29] = 200;
  put16 (30, 5);
  memcpy (packet + 32, rtp4 + 36, 4);
  ck_assert_uint_eq (flow (), rtp);
  put16 (20, 5001);
  put16 (22, 5003);
  ck_assert_uint_eq (flow (), rtp);
  /* TCP: ports to the last bit */
  use_rtp4 ();
  packet[9] = 6;
  changed = flow ();
  put16 (20, 5001);
  ck_assert_uint_ne (flow (), changed);
}
END_TEST

/* RFC 1624: as if summed anew, for every type of service and 100 headers; the bytes beside stay. */
START_TEST (test_ce_over_ipv4)
{
  CcPcg32 pcg;
  CcRandom random = cc_pcg32_init (&pcg, 5);
  uint8_t before[64];

  for (unsigned i = 0; i < 256 * 100; i++) {
    unsigned ecn = i & 3;
    use_rtp4 ();
    packet[0] = (uint8_t)(0x45 + i / 256 % 4);
    packet[1] = (uint8_t)i;
    for (int at = 4; at < 36; at++)
      packet[at] = (uint8_t)random.next (random.user);
    put16 (10, checksum (packet));
    memcpy (before, packet, sizeof rtp4);
    ck_assert (ip_set_ce (packet, size) == (ecn != 0));
    ck_assert_uint_eq (packet[1], ecn ? i % 256 | 3 : i % 256);
    ck_assert_uint_eq (packet[10] << 8 | packet[11], checksum (packet));
    before[1] = packet[1];
    memcpy (before + 10, packet + 10, 2);
    ck_assert_mem_eq (packet, before, sizeof rtp4);
  }
  /* a wrong checksum stays wrong by as much: the receiver finds out, not us */
  use_rtp4 ();
  packet[1] = 2;
  put16 (10, checksum (packet) ^ 0x0100);
  ck_assert (ip_set_ce (packet, size));
  ck_assert_uint_ne (packet[10] << 8 | packet[11], checksum (packet));
}
END_TEST

/* 0x1483 for type of service 0; with ECT(0), 0x1481; CE is one more in the sum: 0x1480. */
START_TEST (test_ce_golden_bytes)
{
  use_rtp4 ();
  ck_assert_uint_eq (checksum (packet), 0x1483);
  ck_assert (!ip_set_ce (packet, size));
  ck_assert_mem_eq (packet, rtp4, sizeof rtp4);
  packet[1] = 2;
  put16 (10, 0x1481);
  ck_assert (ip_set_ce (packet, size));
  ck_assert_mem_eq (packet, "\x45\x03", 2);
  ck_assert_mem_eq (packet + 10, "\x14\x80", 2);
  ck_assert (ip_set_ce (packet, size));
  ck_assert_mem_eq (packet + 10, "\x14\x80", 2);
  classify ();
  ck_assert_int_eq (p.ecn, IP_ECN_CE);
  /* not a whole header */
  packet[1] = 2;
  ck_assert (!ip_set_ce (packet, 19));
  ck_assert (!ip_set_ce (packet, 0));
  ck_assert_uint_eq (packet[1], 2);
}
END_TEST

/* The traffic class spans two bytes: version 4, class 8, flow label 20. */
START_TEST (test_ce_over_ipv6)
{
  for (unsigned traffic_class = 0; traffic_class < 256; traffic_class++) {
    uint8_t before[72];
    unsigned expected = traffic_class & 3 ? traffic_class | 3 : traffic_class;
    use_rtp6 (NULL, 0, 0);
    packet[0] = (uint8_t)(0x60 | traffic_class >> 4);
    packet[1] = (uint8_t)(traffic_class << 4 | 0x0b);
    memcpy (before, packet, size);
    ck_assert (ip_set_ce (packet, size) == ((traffic_class & 3) != 0));
    before[1] = (uint8_t)(expected << 4 | 0x0b);
    ck_assert_mem_eq (packet, before, size);
    classify ();
    ck_assert_uint_eq (p.ecn, expected & 3);
  }
  packet[1] = 0x20;
  ck_assert (!ip_set_ce (packet, 39));
}
END_TEST

CC_TEST_MAIN ("ipclassify", test_rtp_over_ipv4, test_rtp_over_ipv6, test_payload_types, test_not_rtp,
    test_other_protocols_are_elastic, test_cut_short, test_malformed, test_fragments, test_many_ipv6_headers,
    test_flow_ids, CC_TEST_LONG (test_ce_over_ipv4), test_ce_golden_bytes, test_ce_over_ipv6)
