/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpkeyunit.h"

static bool
same_name (const char *a, const char *b)
{
  for (; *a != '\0' && *b != '\0'; a++, b++) {
    char upper = *a >= 'a' && *a <= 'z' ? (char)(*a - 'a' + 'A') : *a;

    if (upper != *b)
      return false;
  }
  return *a == *b;
}

RtpCodec
rtp_codec_from_name (const char *encoding_name)
{
  static const struct {
    char name[8];
    RtpCodec codec;
  } table[] = {
      {"H264", RTP_CODEC_H264},
      {"H265", RTP_CODEC_H265},
      {"VP8", RTP_CODEC_VP8},
      {"VP9", RTP_CODEC_VP9},
      {"AV1", RTP_CODEC_AV1},
      {"JPEG", RTP_CODEC_INTRA},
      {"RAW", RTP_CODEC_INTRA},
  };

  for (size_t i = 0; encoding_name != NULL && i < sizeof table / sizeof *table; i++)
    if (same_name (encoding_name, table[i].name))
      return table[i].codec;
  return RTP_CODEC_UNKNOWN;
}

bool
rtp_codec_tells_key_units (RtpCodec codec)
{
  return codec != RTP_CODEC_UNKNOWN;
}

/* A NAL unit's first bytes tell whether it is one looked for. */
typedef bool (*NalTest) (const uint8_t *nal, size_t size);

/* Type 5, and first_mb_in_slice, an Exp-Golomb code, is 0: one bit that is set. */
static bool
h264_idr (const uint8_t *nal, size_t size)
{
  return size > 1 && (nal[0] & 0x1f) == 5 && (nal[1] & 0x80) != 0;
}

static bool
h264_sps (const uint8_t *nal, size_t size)
{
  return size > 0 && (nal[0] & 0x1f) == 7;
}

static unsigned
h265_type (uint8_t first)
{
  return first >> 1 & 0x3f;
}

/* H.265 table 7-1: 16 to 21 are intra random access points; first_slice_segment_in_pic_flag */
static bool
h265_irap (const uint8_t *nal, size_t size)
{
  return size > 2 && h265_type (nal[0]) >= 16 && h265_type (nal[0]) <= 21 && (nal[2] & 0x80) != 0;
}

static bool
h265_sps (const uint8_t *nal, size_t size)
{
  return size > 0 && h265_type (nal[0]) == 33;
}

/* Units with 16-bit lengths in front (STAP-A, AP). */
static bool
aggregate_has (const uint8_t *data, size_t size, NalTest test)
{
  while (size > 2) {
    size_t length = (size_t)data[0] << 8 | data[1];

    if (length == 0 || length > size - 2)
      return false;
    if (test (data + 2, length))
      return true;
    data += 2 + length;
    size -= 2 + length;
  }
  return false;
}

/* A NAL unit, those of a STAP-A, or the begin of one in a FU-A (S bit), whose header is in two places. */
static bool
h264_has (const uint8_t *p, size_t size, NalTest test)
{
  switch (p[0] & 0x1f) {
  case 24:
    return aggregate_has (p + 1, size - 1, test);
  case 28:
    return size > 2 && (p[1] & 0x80) != 0 && test ((const uint8_t[]){p[1] & 0x1f, p[2]}, 2);
  default:
    return test (p, size);
  }
}

/* The same with AP and FU. */
static bool
h265_has (const uint8_t *p, size_t size, NalTest test)
{
  switch (h265_type (p[0])) {
  case 48:
    return size > 2 && aggregate_has (p + 2, size - 2, test);
  case 49:
    return size > 3 && (p[2] & 0x80) != 0 && test ((const uint8_t[]){(uint8_t)((p[2] & 0x3f) << 1), p[1], p[3]}, 3);
  default:
    return test (p, size);
  }
}

/* Bytes of a 7- or 15-bit picture id at p. */
static size_t
picture_id_size (uint8_t first)
{
  return first & 0x80 ? 2 : 1;
}

/* RFC 7741 4.2, 4.3: start of partition 0, and the P bit of the frame header */
static bool
vp8_starts (const uint8_t *p, size_t size)
{
  size_t at = 1;

  if ((p[0] & 0x10) == 0 || (p[0] & 0x07) != 0)
    return false;
  if (p[0] & 0x80) {
    if (size < 2)
      return false;
    at = 2;
    if (p[1] & 0x80) {
      if (at >= size)
        return false;
      at += picture_id_size (p[at]);
    }
    at += (p[1] & 0x40 ? 1 : 0) + (p[1] & 0x30 ? 1 : 0);
  }
  return at < size && (p[at] & 0x01) == 0;
}

/* RFC 9628 4.2: begin of a frame, not inter-predicted, spatial layer 0 */
static bool
vp9_starts (const uint8_t *p, size_t size)
{
  size_t at = 1;

  if ((p[0] & 0x48) != 0x08)
    return false;
  if (p[0] & 0x80) {
    if (at >= size)
      return false;
    at += picture_id_size (p[at]);
  }
  if ((p[0] & 0x20) == 0)
    return true;
  return at < size && (p[at] >> 1 & 0x07) == 0;
}

bool
rtp_key_unit_starts (RtpCodec codec, const uint8_t *payload, size_t size)
{
  if (size == 0)
    return false;
  switch (codec) {
  case RTP_CODEC_H264:
    return h264_has (payload, size, h264_idr);
  case RTP_CODEC_H265:
    return h265_has (payload, size, h265_irap);
  case RTP_CODEC_VP8:
    return vp8_starts (payload, size);
  case RTP_CODEC_VP9:
    return vp9_starts (payload, size);
  case RTP_CODEC_AV1: /* N bit: first packet of a coded video sequence */
    return (payload[0] & 0x08) != 0;
  case RTP_CODEC_INTRA:
    return true;
  case RTP_CODEC_UNKNOWN:
    break;
  }
  return false;
}

bool
rtp_codec_has_parameter_sets (RtpCodec codec)
{
  return codec == RTP_CODEC_H264 || codec == RTP_CODEC_H265;
}

bool
rtp_key_unit_has_parameter_sets (RtpCodec codec, const uint8_t *payload, size_t size)
{
  if (size == 0)
    return false;
  return (codec == RTP_CODEC_H264 && h264_has (payload, size, h264_sps)) ||
         (codec == RTP_CODEC_H265 && h265_has (payload, size, h265_sps));
}
