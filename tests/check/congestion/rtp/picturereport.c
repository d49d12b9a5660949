/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "picturereport.h"
#include "cctest.h"

#include <stdio.h>
#include <string.h>

#define PARSE(head, ...)                                                                                               \
  rtp_vp8_head_parse ((const uint8_t[]){__VA_ARGS__}, sizeof (const uint8_t[]){__VA_ARGS__}, head)

START_TEST (test_descriptors)
{
  RtpVp8Head h = {.id = 5};

  ck_assert (PARSE (&h, 0x90, 0x80, 0x85, 0x39, 0x00));
  ck_assert (h.has_id && h.starts && h.key);
  ck_assert_uint_eq (h.id, 0x539);
  ck_assert_uint_eq (h.id_bits, 15);
  ck_assert (PARSE (&h, 0x90, 0x80, 0x7f, 0x01));
  ck_assert (h.has_id && h.starts && !h.key);
  ck_assert_uint_eq (h.id, 127);
  ck_assert_uint_eq (h.id_bits, 7);
  ck_assert (PARSE (&h, 0x91, 0x80, 0x01, 0x00)); /* begin of another partition */
  ck_assert (!h.starts && !h.key);
  ck_assert (PARSE (&h, 0x90, 0xf0, 0x80, 0x01, 7, 0x20, 0x00)); /* TL0PICIDX, TID */
  ck_assert (h.starts && h.key);
  ck_assert_uint_eq (h.id, 1);
  ck_assert (PARSE (&h, 0x10, 0x00));
  ck_assert (!h.has_id && h.key);
  ck_assert (PARSE (&h, 0x10, 0x81, 0x05, 0x01)); /* not extended: the picture's first byte looks like fields */
  ck_assert (!h.has_id && !h.key);
  ck_assert (PARSE (&h, 0x90, 0x80, 0x05, 0x01));
  ck_assert_uint_eq (h.id, 5);
}
END_TEST

START_TEST (test_what_is_cut_off_leaves_the_result_alone)
{
  static const uint8_t whole[] = {0x90, 0xf0, 0x80, 0x01, 7, 0x20, 0x00};
  RtpVp8Head h = {.id = 77};

  for (size_t size = 0; size < sizeof whole; size++)
    ck_assert (!rtp_vp8_head_parse (whole, size, &h));
  ck_assert_uint_eq (h.id, 77);
}
END_TEST

typedef struct {
  PictureReport r;
  unsigned bits;
  char log[4096];
} Receiver;

static void
receiver_init (Receiver *x, unsigned bits)
{
  memset (x, 0, sizeof *x);
  picture_report_init (&x->r);
  x->bits = bits;
}

/* begin: 's' first packet, 'k' of a key picture, '-' another; end: the marker. Log: "+5" arrived, "-6" lost. */
static void
packet (Receiver *x, uint16_t seq, uint16_t id, char begin, bool end)
{
  PictureReportItem items[PICTURE_REPORT_MAX + 2];
  RtpVp8Head head = {.has_id = true, .id = id, .id_bits = x->bits, .starts = begin != '-', .key = begin == 'k'};
  size_t n = picture_report_on_packet (&x->r, seq, end, &head, items);

  for (size_t i = 0; i < n; i++)
    snprintf (
        x->log + strlen (x->log), sizeof x->log - strlen (x->log), "%c%u", items[i].arrived ? '+' : '-', items[i].id);
}

START_TEST (test_whole_pictures_are_told_at_their_end)
{
  Receiver x;

  receiver_init (&x, 15);
  packet (&x, 65534, 5, 's', true); /* before the first key picture */
  packet (&x, 65535, 6, 'k', false);
  ck_assert_str_eq (x.log, "");
  packet (&x, 0, 6, '-', true);
  packet (&x, 1, 7, 's', true);
  ck_assert_str_eq (x.log, "+6+7");
}
END_TEST

START_TEST (test_damaged_pictures_are_told_as_soon_as_it_shows)
{
  Receiver x;

  receiver_init (&x, 15);
  packet (&x, 0, 0, 'k', true);
  packet (&x, 1, 1, 's', false);
  packet (&x, 3, 1, '-', false); /* the middle is missing */
  ck_assert_str_eq (x.log, "+0-1");
  packet (&x, 4, 1, '-', true);
  packet (&x, 6, 2, '-', true); /* the begin */
  ck_assert_str_eq (x.log, "+0-1-2");
  packet (&x, 7, 3, 's', false);
  packet (&x, 9, 4, 's', true); /* the end */
  ck_assert_str_eq (x.log, "+0-1-2-3+4");
  packet (&x, 12, 7, 's', true); /* two pictures */
  ck_assert_str_eq (x.log, "+0-1-2-3+4-5-6+7");
  ck_assert_uint_eq (x.r.arrived, 3);
  ck_assert_uint_eq (x.r.lost, 5);
}
END_TEST

/* The sender left them out: no number is missing. */
START_TEST (test_pictures_that_were_never_sent_are_lost)
{
  Receiver x;

  receiver_init (&x, 15);
  packet (&x, 0, 0, 'k', true);
  packet (&x, 1, 3, 's', true);
  ck_assert_str_eq (x.log, "+0-1-2+3");
}
END_TEST

START_TEST (test_numbers_wrap)
{
  Receiver x;

  receiver_init (&x, 7);
  packet (&x, 0, 126, 'k', true);
  packet (&x, 1, 127, 's', true);
  packet (&x, 3, 1, 's', true);
  ck_assert_str_eq (x.log, "+126+127-0+1");
  receiver_init (&x, 15);
  packet (&x, 0, 32767, 'k', true);
  packet (&x, 1, 0, 's', true);
  ck_assert_str_eq (x.log, "+32767+0");
}
END_TEST

START_TEST (test_late_packets_and_jumps_are_no_losses)
{
  Receiver x;

  receiver_init (&x, 15);
  packet (&x, 10, 100, 'k', true);
  packet (&x, 12, 102, 's', true);
  packet (&x, 11, 101, 's', true);
  ck_assert_str_eq (x.log, "+100-101+102");
  packet (&x, 13, 9000, 's', true);
  ck_assert_str_eq (x.log, "+100-101+102+9000");
}
END_TEST

START_TEST (test_streams_without_numbers_are_counted)
{
  PictureReportItem items[PICTURE_REPORT_MAX + 2];
  RtpVp8Head head = {.starts = true, .key = true};
  PictureReport r;

  picture_report_init (&r);
  ck_assert_uint_eq (picture_report_on_packet (&r, 1, true, &head, items), 0);
  ck_assert_uint_eq (r.without_id, 1);
}
END_TEST

CC_TEST_MAIN ("picturereport", test_descriptors, test_what_is_cut_off_leaves_the_result_alone,
    test_whole_pictures_are_told_at_their_end, test_damaged_pictures_are_told_as_soon_as_it_shows,
    test_pictures_that_were_never_sent_are_lost, test_numbers_wrap, test_late_packets_and_jumps_are_no_losses,
    test_streams_without_numbers_are_counted)
