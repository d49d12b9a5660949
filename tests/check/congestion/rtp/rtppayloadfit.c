/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtppayloadfit.h"
#include "cctest.h"

#include <string.h>

static int
format (const char *name)
{
  int found = rtp_payload_format (name);

  ck_assert_int_ge (found, 0);
  ck_assert_str_eq (rtp_payload_format_name (found), name);
  return found;
}

/* In the middle of a frame; with B at its begin, with E at its end. */
#define BYTES(...)                                                                                                     \
  (const uint8_t[]){__VA_ARGS__}, sizeof (const uint8_t[])                                                             \
  {                                                                                                                    \
    __VA_ARGS__                                                                                                        \
  }
#define FITS(name, ...) rtp_payload_fits (format (name), BYTES (__VA_ARGS__), false, false)
#define FITS_B(name, ...) rtp_payload_fits (format (name), BYTES (__VA_ARGS__), true, false)
#define FITS_E(name, ...) rtp_payload_fits (format (name), BYTES (__VA_ARGS__), false, true)

START_TEST (test_names)
{
  ck_assert_int_eq (rtp_payload_format ("H263"), -1);
  ck_assert_int_eq (rtp_payload_format (NULL), -1);
  ck_assert_ptr_null (rtp_payload_format_name (-1));
  ck_assert_ptr_null (rtp_payload_format_name (RTP_PAYLOAD_FORMATS));
  ck_assert (!rtp_payload_fits (-1, BYTES (1), false, false));
  ck_assert (!rtp_payload_fits (0, NULL, 0, false, false));
}
END_TEST

/* 5 IDR, 7 SPS, 24 STAP-A, 28 FU-A with S 0x80 and E 0x40. */
START_TEST (test_h264)
{
  ck_assert (FITS ("H264", 0x65, 0x88));
  ck_assert (FITS ("H264", 0x67, 0x42));
  ck_assert (FITS ("H264", 0x78, 0x00));
  ck_assert (!FITS ("H264", 0xe5, 0x88)); /* forbidden_zero_bit */
  ck_assert (!FITS ("H264", 0x10, 0x00)); /* type 16 */
  ck_assert (FITS_B ("H264", 0x7c, 0x85));
  ck_assert (!FITS_B ("H264", 0x7c, 0x05));
  ck_assert (FITS_E ("H264", 0x7c, 0x45));
  ck_assert (!FITS_E ("H264", 0x7c, 0x05));
  ck_assert (!FITS ("H264", 0x7c, 0xc5)); /* S and E */
  ck_assert (!FITS ("H264", 0x7c));
}
END_TEST

/* 19 IDR_W_RADL, 49 FU; the second byte: layer 0, temporal id 1. */
START_TEST (test_h265)
{
  ck_assert (FITS ("H265", 19 << 1, 1, 0));
  ck_assert (FITS ("H265", 49 << 1, 1, 0x93));
  ck_assert (!FITS ("H265", 19 << 1, 0, 0));
  ck_assert (!FITS ("H265", 19 << 1, 9, 0));
  ck_assert (!FITS ("H265", 45 << 1, 1, 0));
  ck_assert (!FITS ("H265", 19 << 1, 1));
}
END_TEST

/* 0x10 begins a partition; P = bit 0 of the frame header; a key frame has its start code. */
START_TEST (test_vp8)
{
  ck_assert (FITS_B ("VP8", 0x10, 0x51));
  ck_assert (FITS_B ("VP8", 0x10, 0x50, 0, 0, 0x9d, 0x01, 0x2a));
  ck_assert (!FITS_B ("VP8", 0x10, 0x50, 0, 0, 0x9d, 0x01, 0x2b));
  ck_assert (!FITS_B ("VP8", 0x10, 0x50, 0, 0, 0x9d));
  ck_assert (FITS_B ("VP8", 0x90, 0x80, 0x81, 0x01, 0x51));
  ck_assert (!FITS_B ("VP8", 0x90, 0x81, 0x81, 0x01, 0x51));
  ck_assert (!FITS_B ("VP8", 0x90, 0x80));
  ck_assert (FITS ("VP8", 0x00, 0xff));
  ck_assert (!FITS_B ("VP8", 0x00, 0xff));
  ck_assert (!FITS ("VP8", 0x40, 0xff));
  ck_assert (!FITS ("VP8", 0x08, 0xff));
  ck_assert (!FITS_B ("VP8", 0x10, 0x59)); /* version 4 */
}
END_TEST

/* I 0x80, P 0x40, L 0x20, F 0x10, B 0x08, E 0x04, V 0x02; 0x82 begins a frame. */
START_TEST (test_vp9)
{
  ck_assert (FITS_B ("VP9", 0x0c, 0x82));
  ck_assert (!FITS_B ("VP9", 0x0c, 0x42));
  ck_assert (!FITS_B ("VP9", 0x04, 0x82));
  ck_assert (FITS ("VP9", 0x00, 0x42));
  ck_assert (!FITS_E ("VP9", 0x48, 0x82));
  ck_assert (FITS_B ("VP9", 0x8c, 0x81, 0x02, 0x82));
  ck_assert (FITS_B ("VP9", 0xac, 0x01, 0x20, 0x00, 0x82));
  ck_assert (FITS_B ("VP9", 0xdc, 0x01, 0x03, 0x02, 0x82)); /* two references */
  ck_assert (!FITS ("VP9", 0x1c, 0x82));                    /* flexible without picture ids */
  /* one layer, its size, one picture in the group */
  ck_assert (FITS_B ("VP9", 0x0a, 0x18, 1, 64, 0, 240, 1, 0x04, 0x01, 0x82));
  ck_assert (!FITS_B ("VP9", 0x0a, 0x18, 1, 64, 0, 240, 255, 0xff));
}
END_TEST

/* Z 0x80, Y 0x40, W 0x30, N 0x08; OBU header: type << 3. 1 sequence header, 6 frame. */
START_TEST (test_av1)
{
  ck_assert (FITS_B ("AV1", 0x18, 1 << 3, 0));
  ck_assert (FITS ("AV1", 0x20, 0x02, 6 << 3, 0));
  ck_assert (FITS ("AV1", 0x20, 0x82, 0x01, 6 << 3, 0));
  ck_assert (FITS ("AV1", 0x90, 0xff));
  ck_assert (!FITS_B ("AV1", 0x90, 0xff));
  ck_assert (!FITS_E ("AV1", 0x50, 6 << 3));
  ck_assert (!FITS ("AV1", 0x11, 6 << 3));
  ck_assert (!FITS ("AV1", 0x98, 6 << 3));
  ck_assert (!FITS ("AV1", 0x10, 2 << 3));
  ck_assert (!FITS ("AV1", 0x10, 0x80 | 6 << 3));
  ck_assert (!FITS ("AV1", 0x20, 0xff, 0xff));
}
END_TEST

START_TEST (test_jpeg)
{
  ck_assert (FITS_B ("JPEG", 0, 0, 0, 0, 1, 85, 40, 30, 0xff));
  ck_assert (FITS ("JPEG", 0, 0, 4, 0xb0, 65, 85, 40, 30, 0xff));
  ck_assert (!FITS ("JPEG", 0, 0, 0, 0, 1, 85, 40, 30, 0xff)); /* begins again */
  ck_assert (!FITS_B ("JPEG", 0, 0, 4, 0xb0, 1, 85, 40, 30, 0xff));
  ck_assert (!FITS_B ("JPEG", 0, 0, 0, 0, 2, 85, 40, 30, 0xff));
  ck_assert (!FITS_B ("JPEG", 0, 0, 0, 0, 1, 0, 40, 30, 0xff));
  ck_assert (!FITS_B ("JPEG", 0, 0, 0, 0, 1, 85, 40));
}
END_TEST

/* Each frame at a time of its own. */
static void
add (RtpPayloadTally *t, const uint8_t *payload, size_t size, bool marker)
{
  rtp_payload_tally_add (t, payload, size, marker, t->timestamp + (t->frame_ended ? 3000 : 0));
}

static const uint8_t h264[] = {0x41, 0x9a, 1}, vp8[] = {0x10, 0x51, 0}, junk[] = {0xff, 0xff, 0xff};

START_TEST (test_a_tally_refutes_and_guesses)
{
  RtpPayloadTally t = {0};

  for (int i = 0; i < 29; i++)
    add (&t, h264, sizeof h264, true);
  ck_assert (!rtp_payload_tally_is_full (&t) && !rtp_payload_tally_refutes (&t, format ("VP8")));
  ck_assert_int_eq (rtp_payload_tally_guess (&t), -1);
  add (&t, h264, sizeof h264, true);
  ck_assert (rtp_payload_tally_is_full (&t));
  ck_assert (rtp_payload_tally_refutes (&t, format ("VP8")));
  ck_assert (!rtp_payload_tally_refutes (&t, format ("H264")));
  ck_assert (!rtp_payload_tally_refutes (&t, -1));
  ck_assert_int_eq (rtp_payload_tally_guess (&t), format ("H264"));
}
END_TEST

/* A tenth of other packets, as of another stream or a damaged one, does not change what it is. */
START_TEST (test_some_other_packets_do_not_matter)
{
  RtpPayloadTally t = {0};

  for (int i = 0; i < 30; i++)
    if (i % 15 == 7)
      add (&t, junk, sizeof junk, true);
    else
      add (&t, vp8, sizeof vp8, true);
  ck_assert (!rtp_payload_tally_refutes (&t, format ("VP8")));
  ck_assert_int_eq (rtp_payload_tally_guess (&t), format ("VP8"));
}
END_TEST

/* What is encrypted fits nothing. */
START_TEST (test_noise_is_nothing)
{
  RtpPayloadTally t = {0};

  for (int i = 0; i < 60; i++)
    add (&t, junk, i % 4 == 0 ? 0 : sizeof junk, true);
  for (int i = 0; i < RTP_PAYLOAD_OPUS; i++)
    ck_assert (rtp_payload_tally_refutes (&t, i));
  ck_assert_int_eq (rtp_payload_tally_guess (&t), -1);
}
END_TEST

/* Within a frame many packets look like those of other formats: what frames begin with is needed, or very many. */
START_TEST (test_large_frames)
{
  static const uint8_t middle[] = {0x00, 0x55, 0x55};
  RtpPayloadTally t = {0};

  for (int i = 0; i < 400; i++)
    add (&t, i % 100 == 0 ? vp8 : middle, 3, i % 100 == 99);
  ck_assert (!rtp_payload_tally_is_full (&t));
  for (int i = 0; i < 200; i++)
    add (&t, i % 100 == 0 ? vp8 : middle, 3, i % 100 == 99);
  ck_assert (rtp_payload_tally_is_full (&t));
  ck_assert_int_eq (rtp_payload_tally_guess (&t), format ("VP8"));
  t = (RtpPayloadTally){0};
  for (int i = 0; i < 1000; i++)
    add (&t, middle, sizeof middle, false);
  ck_assert (rtp_payload_tally_is_full (&t));
}
END_TEST

/* What frames begin with tells where their middles do not: 0x00 may go on with VP8, and is JPEG's. */
START_TEST (test_begins_refute)
{
  static const uint8_t first[] = {0, 0, 0, 0, 1, 85, 40, 30, 0xff}, middle[] = {0, 0, 4, 0xb0, 1, 85, 40, 30, 0xff};
  RtpPayloadTally t = {0};

  for (int i = 0; i < 60; i++)
    add (&t, i % 10 == 0 ? first : middle, 9, i % 10 == 9);
  ck_assert_uint_gt (t.fit[format ("VP8")], t.packets / 2);
  ck_assert (rtp_payload_tally_refutes (&t, format ("VP8")));
  ck_assert_int_eq (rtp_payload_tally_guess (&t), format ("JPEG"));
}
END_TEST

/* Of any size, under the sanitizers: nothing behind the end is read. */
START_TEST (test_any_bytes)
{
  for (int f = 0; f < RTP_PAYLOAD_FORMATS; f++)
    for (unsigned i = 0; i < 65536; i++)
      for (size_t size = 1; size <= 3; size++) {
        uint8_t *p = malloc (size);

        memset (p, (int)(i & 0xff), size);
        p[0] = (uint8_t)(i >> 8);
        rtp_payload_fits (f, p, size, i % 3 == 0, i % 5 == 0);
        free (p);
      }
}
END_TEST

CC_TEST_MAIN ("rtppayloadfit", test_names, test_h264, test_h265, test_vp8, test_vp9, test_av1, test_jpeg,
    test_a_tally_refutes_and_guesses, test_some_other_packets_do_not_matter, test_noise_is_nothing, test_large_frames,
    test_begins_refute, test_any_bytes)
