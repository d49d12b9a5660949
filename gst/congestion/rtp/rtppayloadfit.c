/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtppayloadfit.h"

#include <string.h>

/* Frames until it is told: a second or less of video; one packet a frame (a quiet picture) makes each of them telling.
 */
#define ENOUGH_PACKETS 30
#define ENOUGH_BEGINS 5
#define MOST_PACKETS 1000 /* of frames that are larger than those of any call */

/* What payloaders make: slices, parameter sets, SEI, delimiters, prefix, STAP-A, FU-A. Data partitions, fillers and
   interleaved packets are left out: nobody sends them, and other formats' first bytes look like them. */
#define H264_TYPES                                                                                                     \
  (1u << 1 | 1u << 5 | 1u << 6 | 1u << 7 | 1u << 8 | 1u << 9 | 1u << 14 | 1u << 15 | 1u << 20 | 1u << 24 | 1u << 28)

static bool
fits_h264 (const uint8_t *p, size_t size, bool begins, bool ends)
{
  unsigned type = p[0] & 0x1f;

  if ((p[0] & 0x80) != 0 || size < 2 || (H264_TYPES >> type & 1) == 0)
    return false;
  if (type != 28)
    return true;
  /* FU header: S, E, a bit that is 0, the type of what is in it */
  if ((p[1] & 0x20) != 0 || (p[1] & 0xc0) == 0xc0 || (H264_TYPES >> (p[1] & 0x1f) & 1) == 0)
    return false;
  return !(begins && (p[1] & 0x80) == 0) && !(ends && (p[1] & 0x40) == 0);
}

/* Layer 0, a temporal layer, a type that H.265 table 7-1 does not reserve, or AP, FU, PACI. */
static bool
fits_h265 (const uint8_t *p, size_t size, bool begins, bool ends)
{
  unsigned type = p[0] >> 1 & 0x3f;

  (void)begins, (void)ends;
  if (size < 3 || (p[0] & 0x81) != 0 || (p[1] & 0xf8) != 0 || (p[1] & 0x07) == 0)
    return false;
  return type <= 9 || (type >= 16 && type <= 21) || (type >= 32 && type <= 40) || (type >= 48 && type <= 50);
}

/* Bytes of a 7- or 15-bit picture id. */
static size_t
picture_id_size (uint8_t first)
{
  return first & 0x80 ? 2 : 1;
}

/* Behind the descriptor; 0: none can be. */
static size_t
vp8_descriptor_size (const uint8_t *p, size_t size)
{
  size_t at = 1;

  if ((p[0] & 0x48) != 0)
    return 0;
  if ((p[0] & 0x80) == 0)
    return at;
  if (size < 3 || (p[1] & 0x0f) != 0)
    return 0;
  at = 2;
  at += p[1] & 0x80 ? picture_id_size (p[at]) : 0;
  return at + (p[1] & 0x40 ? 1 : 0) + (p[1] & 0x30 ? 1 : 0);
}

static bool
fits_vp8 (const uint8_t *p, size_t size, bool begins, bool ends)
{
  size_t at = vp8_descriptor_size (p, size);
  bool starts = (p[0] & 0x17) == 0x10; /* partition 0 */

  (void)ends;
  if (at == 0 || at >= size || (begins && !starts))
    return false;
  if (!starts)
    return true;
  if ((p[at] >> 1 & 0x07) > 3) /* RFC 6386 9.1: the version */
    return false;
  return (p[at] & 0x01) != 0 || (at + 6 <= size && p[at + 3] == 0x9d && p[at + 4] == 0x01 && p[at + 5] == 0x2a);
}

/* The scalability structure; behind it, or size where it is cut off. */
static size_t
vp9_after_structure (const uint8_t *p, size_t size, size_t at)
{
  uint8_t head = p[at++];
  unsigned pictures;

  at += head & 0x10 ? 4 * (size_t)((head >> 5) + 1) : 0;
  if ((head & 0x08) == 0 || at >= size)
    return at;
  for (pictures = p[at++]; pictures > 0 && at < size; pictures--)
    at += 1 + (p[at] >> 2 & 0x03);
  return at;
}

/* Behind the descriptor; at least size where it is cut off. */
static size_t
vp9_descriptor_size (const uint8_t *p, size_t size)
{
  size_t at = 1, references = 0;

  if (p[0] & 0x80)
    at += at < size ? picture_id_size (p[at]) : 1;
  if (p[0] & 0x20)
    at += p[0] & 0x10 ? 1 : 2;
  if ((p[0] & 0x50) == 0x50)
    do
      references++;
    while (at < size && (p[at++] & 0x01) != 0 && references < 3);
  if ((p[0] & 0x02) != 0 && at < size)
    at = vp9_after_structure (p, size, at);
  return at;
}

static bool
fits_vp9 (const uint8_t *p, size_t size, bool begins, bool ends)
{
  bool starts = (p[0] & 0x08) != 0;
  size_t at = vp9_descriptor_size (p, size);

  if ((p[0] & 0x90) == 0x10 || at >= size) /* flexible mode has picture ids */
    return false;
  if ((begins && !starts) || (ends && (p[0] & 0x04) == 0))
    return false;
  return !starts || (p[at] & 0xc0) == 0x80; /* frame_marker */
}

/* Behind the length of the first OBU element, which the last of at most three has none of. */
static size_t
av1_first_element (const uint8_t *p, size_t size)
{
  size_t at = 1;

  if ((p[0] & 0x30) == 0x10)
    return at;
  while (at < size && (p[at] & 0x80) != 0 && at < 8)
    at++;
  return at + 1;
}

static bool
fits_av1 (const uint8_t *p, size_t size, bool begins, bool ends)
{
  size_t at = av1_first_element (p, size);
  unsigned type;

  if ((p[0] & 0x07) != 0 || (p[0] & 0x88) == 0x88 || at >= size)
    return false;
  if ((begins && (p[0] & 0x80) != 0) || (ends && (p[0] & 0x40) != 0))
    return false;
  if (p[0] & 0x80) /* goes on with an OBU */
    return true;
  type = p[at] >> 3 & 0x0f;
  return (p[at] & 0x81) == 0 && type >= 1 && type <= 8 && type != 2;
}

/* RFC 2435 3.1: types 0 and 1, with restart markers 64 and 65; neither Q nor a side is 0. */
static bool
fits_jpeg (const uint8_t *p, size_t size, bool begins, bool ends)
{
  bool first = size >= 8 && (p[1] | p[2] | p[3]) == 0;

  (void)ends;
  return size > 8 && p[0] <= 3 && (p[4] & 0xbe) == 0 && p[5] != 0 && p[6] != 0 && p[7] != 0 && begins == first;
}

static const struct {
  char name[8];
  bool (*fits) (const uint8_t *payload, size_t size, bool begins, bool ends);
} formats[RTP_PAYLOAD_FORMATS] = {
    {"H264", fits_h264},
    {"H265", fits_h265},
    {"VP8", fits_vp8},
    {"VP9", fits_vp9},
    {"AV1", fits_av1},
    {"JPEG", fits_jpeg},
};

int
rtp_payload_format (const char *encoding_name)
{
  for (int i = 0; encoding_name != NULL && i < RTP_PAYLOAD_FORMATS; i++)
    if (strcmp (encoding_name, formats[i].name) == 0)
      return i;
  return -1;
}

const char *
rtp_payload_format_name (int format)
{
  return format >= 0 && format < RTP_PAYLOAD_FORMATS ? formats[format].name : NULL;
}

bool
rtp_payload_fits (int format, const uint8_t *payload, size_t size, bool begins, bool ends)
{
  return size > 0 && format >= 0 && format < RTP_PAYLOAD_FORMATS && formats[format].fits (payload, size, begins, ends);
}

/* Whether the first one begins a frame nobody knows: it is left out of what frames begin with. */
void
rtp_payload_tally_add (RtpPayloadTally *t, const uint8_t *payload, size_t size, bool marker)
{
  bool begins = t->frame_ended;

  t->frame_ended = marker;
  if (size == 0 || rtp_payload_tally_is_full (t))
    return;
  t->packets++;
  t->begins += begins;
  for (int i = 0; i < RTP_PAYLOAD_FORMATS; i++) {
    bool fits = rtp_payload_fits (i, payload, size, begins, marker);

    t->fit[i] += fits;
    t->begins_fit[i] += fits && begins;
  }
}

bool
rtp_payload_tally_is_full (const RtpPayloadTally *t)
{
  return (t->packets >= ENOUGH_PACKETS && t->begins >= ENOUGH_BEGINS) || t->packets >= MOST_PACKETS;
}

bool
rtp_payload_tally_refutes (const RtpPayloadTally *t, int format)
{
  if (format < 0 || format >= RTP_PAYLOAD_FORMATS || !rtp_payload_tally_is_full (t))
    return false;
  return 2 * t->fit[format] < t->packets || 2 * t->begins_fit[format] < t->begins;
}

/* A packet in ten may have been lost, and the one behind it not be what it seems. */
static bool
allows (const RtpPayloadTally *t, int format)
{
  return 10 * t->fit[format] >= 9 * t->packets && 10 * t->begins_fit[format] >= 8 * t->begins;
}

int
rtp_payload_tally_guess (const RtpPayloadTally *t)
{
  int found = -1;

  for (int i = 0; i < RTP_PAYLOAD_FORMATS && rtp_payload_tally_is_full (t); i++)
    if (allows (t, i)) {
      if (found >= 0)
        return -1;
      found = i;
    }
  return found;
}
