/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtppacket.h"
#include "cctest.h"

#include <string.h>

/* Marker, payload type 96, one CSRC, an extension of one word with element 9 of a byte, two bytes of payload, padding
   of two. */
static const uint8_t whole[] = {
    0xb1, 0xe0, 0x12, 0x34, 0, 0, 0, 5, 1, 2, 3, 4, 9, 8, 7, 6, 0xbe, 0xde, 0, 1, 0x90, 0x55, 0, 0, 'h', 'i', 0, 2};

START_TEST (reads_what_there_is)
{
  RtpPacket p;
  size_t size;
  const uint8_t *element;

  ck_assert (rtp_packet_parse (&p, whole, sizeof whole));
  ck_assert (p.marker);
  ck_assert_uint_eq (p.payload_type, 96);
  ck_assert_uint_eq (p.seq, 0x1234);
  ck_assert_uint_eq (p.timestamp, 5);
  ck_assert_uint_eq (p.ssrc, 0x01020304);
  ck_assert_uint_eq (p.size, sizeof whole);
  ck_assert_uint_eq (p.n_csrcs, 1);
  ck_assert_uint_eq (rtp_packet_csrc (&p, 0), 0x09080706);
  ck_assert_uint_eq (p.payload_bytes, 2);
  ck_assert (memcmp (p.payload, "hi", 2) == 0);
  element = rtp_packet_element (&p, 9, &size);
  ck_assert (element != NULL && size == 1 && *element == 0x55);
  ck_assert (rtp_packet_element (&p, 8, &size) == NULL);
  ck_assert (rtp_packet_element (&p, 0, &size) == NULL);
}
END_TEST

/* Each length that the packet tells is measured against what is there. */
START_TEST (refuses_lengths_that_lie)
{
  RtpPacket p = {.size = 1};
  uint8_t bytes[sizeof whole];
  size_t size;

  for (size = 0; size < 24; size++)
    ck_assert (!rtp_packet_parse (&p, whole, size));
  memcpy (bytes, whole, sizeof bytes);
  bytes[19] = 3; /* words of extension */
  ck_assert (!rtp_packet_parse (&p, bytes, sizeof bytes));
  memcpy (bytes, whole, sizeof bytes);
  bytes[27] = 5; /* padding, of four bytes behind the extension */
  ck_assert (!rtp_packet_parse (&p, bytes, sizeof bytes));
  memcpy (bytes, whole, sizeof bytes);
  bytes[0] = 0x71; /* version 1 */
  ck_assert (!rtp_packet_parse (&p, bytes, sizeof bytes));
  ck_assert_uint_eq (p.size, 1);
}
END_TEST

CC_TEST_MAIN ("rtppacket", reads_what_there_is, refuses_lengths_that_lie)
