/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpkeyunit.h"
#include "cctest.h"

#define STARTS(codec, ...)                                                                                             \
  rtp_key_unit_starts (codec, (const uint8_t[]){__VA_ARGS__}, sizeof (const uint8_t[]){__VA_ARGS__})

#define HAS_SETS(codec, ...)                                                                                           \
  rtp_key_unit_has_parameter_sets (codec, (const uint8_t[]){__VA_ARGS__}, sizeof (const uint8_t[]){__VA_ARGS__})

START_TEST (test_names)
{
  ck_assert_int_eq (rtp_codec_from_name ("H264"), RTP_CODEC_H264);
  ck_assert_int_eq (rtp_codec_from_name ("vp8"), RTP_CODEC_VP8);
  ck_assert_int_eq (rtp_codec_from_name ("JPEG"), RTP_CODEC_INTRA);
  ck_assert_int_eq (rtp_codec_from_name ("H2645"), RTP_CODEC_UNKNOWN);
  ck_assert_int_eq (rtp_codec_from_name ("H26"), RTP_CODEC_UNKNOWN);
  ck_assert_int_eq (rtp_codec_from_name (NULL), RTP_CODEC_UNKNOWN);
  ck_assert (rtp_codec_tells_key_units (RTP_CODEC_AV1));
  ck_assert (!rtp_codec_tells_key_units (RTP_CODEC_UNKNOWN));
}
END_TEST

/* Types: 5 IDR, 1 other slice, 7 SPS, 24 STAP-A, 28 FU-A (S bit 0x80). Behind a slice's header 0x80 is the first of its
   picture. */
START_TEST (test_h264)
{
  ck_assert (STARTS (RTP_CODEC_H264, 0x65, 0x88));
  ck_assert (!STARTS (RTP_CODEC_H264, 0x65, 0x48));
  ck_assert (!STARTS (RTP_CODEC_H264, 0x65));
  ck_assert (!STARTS (RTP_CODEC_H264, 0x61, 0x88));
  ck_assert (!STARTS (RTP_CODEC_H264, 0x67, 0x42));
  ck_assert (STARTS (RTP_CODEC_H264, 0x78, 0, 2, 0x67, 0x42, 0, 2, 0x65, 0x88));
  ck_assert (!STARTS (RTP_CODEC_H264, 0x78, 0, 2, 0x67, 0x42, 0, 2, 0x65, 0x48));
  ck_assert (!STARTS (RTP_CODEC_H264, 0x78, 0, 2, 0x67, 0x42, 0, 2, 0x61, 0x88));
  ck_assert (!STARTS (RTP_CODEC_H264, 0x78, 0, 9, 0x67, 0x42));
  ck_assert (STARTS (RTP_CODEC_H264, 0x7c, 0x85, 0x88));
  ck_assert (!STARTS (RTP_CODEC_H264, 0x7c, 0x85, 0x48));
  ck_assert (!STARTS (RTP_CODEC_H264, 0x7c, 0x05, 0x88));
  ck_assert (!STARTS (RTP_CODEC_H264, 0x7c, 0x81, 0x88));
  ck_assert (!STARTS (RTP_CODEC_H264, 0x7c, 0x85));
}
END_TEST

/* Header: type << 1, and a byte. 19 IDR_W_RADL, 21 CRA, 1 TRAIL_R, 32 VPS, 48 AP, 49 FU. */
START_TEST (test_h265)
{
  ck_assert (STARTS (RTP_CODEC_H265, 19 << 1, 1, 0x80));
  ck_assert (!STARTS (RTP_CODEC_H265, 19 << 1, 1, 0x40));
  ck_assert (STARTS (RTP_CODEC_H265, 21 << 1, 1, 0x80));
  ck_assert (!STARTS (RTP_CODEC_H265, 1 << 1, 1, 0x80));
  ck_assert (!STARTS (RTP_CODEC_H265, 32 << 1, 1, 0x80));
  ck_assert (STARTS (RTP_CODEC_H265, 48 << 1, 1, 0, 2, 32 << 1, 1, 0, 3, 19 << 1, 1, 0x80));
  ck_assert (STARTS (RTP_CODEC_H265, 49 << 1, 1, 0x80 | 19, 0x80));
  ck_assert (!STARTS (RTP_CODEC_H265, 49 << 1, 1, 0x80 | 19, 0x40));
  ck_assert (!STARTS (RTP_CODEC_H265, 49 << 1, 1, 19, 0x80));
  ck_assert (!STARTS (RTP_CODEC_H265, 49 << 1, 1));
}
END_TEST

/* Sequence parameter sets: 7 of H.264, 33 of H.265. */
START_TEST (test_parameter_sets)
{
  ck_assert (HAS_SETS (RTP_CODEC_H264, 0x67, 0x42));
  ck_assert (HAS_SETS (RTP_CODEC_H264, 0x78, 0, 1, 0x09, 0, 2, 0x67, 0x42));
  ck_assert (!HAS_SETS (RTP_CODEC_H264, 0x68, 0x42));
  ck_assert (!HAS_SETS (RTP_CODEC_H264, 0x65, 0x88));
  ck_assert (HAS_SETS (RTP_CODEC_H265, 33 << 1, 1));
  ck_assert (!HAS_SETS (RTP_CODEC_H265, 32 << 1, 1));
  ck_assert (!HAS_SETS (RTP_CODEC_VP8, 0x67, 0x42));
  ck_assert (rtp_codec_has_parameter_sets (RTP_CODEC_H264) && rtp_codec_has_parameter_sets (RTP_CODEC_H265));
  ck_assert (!rtp_codec_has_parameter_sets (RTP_CODEC_VP8) && !rtp_codec_has_parameter_sets (RTP_CODEC_INTRA));
}
END_TEST

/* Descriptor: 0x10 start of a partition, 0x80 extension; 15-bit picture id behind 0x80 of its first byte; P = bit 0 of
   the frame header, 0 in a key frame. */
START_TEST (test_vp8)
{
  ck_assert (STARTS (RTP_CODEC_VP8, 0x10, 0x50));
  ck_assert (!STARTS (RTP_CODEC_VP8, 0x10, 0x51));
  ck_assert (!STARTS (RTP_CODEC_VP8, 0x00, 0x50));
  ck_assert (!STARTS (RTP_CODEC_VP8, 0x11, 0x50));
  ck_assert (STARTS (RTP_CODEC_VP8, 0x90, 0x80, 0x81, 0x01, 0x50));
  ck_assert (!STARTS (RTP_CODEC_VP8, 0x90, 0x80, 0x81, 0x01, 0x51));
  ck_assert (STARTS (RTP_CODEC_VP8, 0x90, 0xe0, 0x01, 0x00, 0x00, 0x50));
  ck_assert (!STARTS (RTP_CODEC_VP8, 0x90, 0xe0, 0x01, 0x00));
  ck_assert (!STARTS (RTP_CODEC_VP8, 0x90));
}
END_TEST

/* I 0x80, P 0x40, L 0x20, B 0x08; spatial layer in bits 3 to 1 of the layer byte. */
START_TEST (test_vp9)
{
  ck_assert (STARTS (RTP_CODEC_VP9, 0x08, 0x82));
  ck_assert (STARTS (RTP_CODEC_VP9, 0x88, 0x81, 0x01, 0x82));
  ck_assert (!STARTS (RTP_CODEC_VP9, 0x48, 0x82));
  ck_assert (!STARTS (RTP_CODEC_VP9, 0x80, 0x01, 0x82));
  ck_assert (STARTS (RTP_CODEC_VP9, 0xa8, 0x01, 0x00, 0x82));
  ck_assert (!STARTS (RTP_CODEC_VP9, 0xa8, 0x01, 0x02, 0x82));
  ck_assert (!STARTS (RTP_CODEC_VP9, 0xa8, 0x01));
}
END_TEST

START_TEST (test_others)
{
  ck_assert (STARTS (RTP_CODEC_AV1, 0x18, 0x0a));
  ck_assert (!STARTS (RTP_CODEC_AV1, 0x10, 0x0a));
  ck_assert (STARTS (RTP_CODEC_INTRA, 0));
  ck_assert (!STARTS (RTP_CODEC_UNKNOWN, 0x65));
  ck_assert (!rtp_key_unit_starts (RTP_CODEC_INTRA, NULL, 0));
}
END_TEST

/* Every two-byte payload and every cut of it: no read beyond (for the sanitizers) and no crash. */
START_TEST (test_any_bytes)
{
  for (unsigned codec = RTP_CODEC_UNKNOWN; codec <= RTP_CODEC_INTRA; codec++)
    for (unsigned i = 0; i < 65536; i++) {
      uint8_t *p = malloc (2);

      p[0] = (uint8_t)(i >> 8);
      p[1] = (uint8_t)i;
      rtp_key_unit_starts ((RtpCodec)codec, p, 1);
      rtp_key_unit_starts ((RtpCodec)codec, p, 2);
      rtp_key_unit_has_parameter_sets ((RtpCodec)codec, p, 1);
      rtp_key_unit_has_parameter_sets ((RtpCodec)codec, p, 2);
      free (p);
    }
}
END_TEST

CC_TEST_MAIN ("rtpkeyunit", test_names, test_h264, test_h265, test_parameter_sets, test_vp8, test_vp9, test_others,
    test_any_bytes)
