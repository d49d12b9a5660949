/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtppayloadfit.h"

#include <string.h>

/* Frames until it is told: a second or less of video; one packet a frame (a quiet picture) makes each of them telling.
 */
#define ENOUGH_PACKETS 30
#define ENOUGH_BEGINS 5
#define MOST_PACKETS 1000 /* of frames that are larger than those of any call */

/* What payloaders make: slices, parameter sets, SEI, delimiters, prefix, STAP-A, FU-A. Data partitions and interleaved
   packets are left out: nobody sends them, and other formats' first bytes look like them. */
#define H264_TYPES                                                                                                     \
  (1u << 1 | 1u << 5 | 1u << 6 | 1u << 7 | 1u << 8 | 1u << 9 | 1u << 14 | 1u << 15 | 1u << 20 | 1u << 24 | 1u << 28)
#define H264_FILLER 12 /* encoders of a constant rate send much of it; its nal_ref_idc is 0 (H.264 7.4.1) */

static bool
is_h264_unit (uint8_t head, unsigned type)
{
  return (H264_TYPES >> type & 1) != 0 || (type == H264_FILLER && (head & 0x60) == 0);
}

static bool
fits_h264 (const uint8_t *p, size_t size, bool begins, bool ends)
{
  unsigned type = p[0] & 0x1f;

  if ((p[0] & 0x80) != 0 || size < 2 || !is_h264_unit (p[0], type))
    return false;
  if (type != 28)
    return true;
  /* FU header: S, E, a bit that is 0, the type of what is in it */
  if ((p[1] & 0x20) != 0 || (p[1] & 0xc0) == 0xc0 || !is_h264_unit (p[0], p[1] & 0x1f))
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
  /* a temporal delimiter should not be sent, and nothing is in front of it */
  return (p[at] & 0x81) == 0 && type >= 1 && type <= 8 && (type != 2 || begins);
}

/* RFC 2435 3.1: types 0 and 1, with restart markers 64 and 65; Q is not 0. A side of more than 2040 is sent as 0. */
static bool
fits_jpeg (const uint8_t *p, size_t size, bool begins, bool ends)
{
  bool first = size >= 8 && (p[1] | p[2] | p[3]) == 0;

  (void)ends;
  return size > 8 && p[0] <= 3 && (p[4] & 0xbe) == 0 && p[5] != 0 && begins == first;
}

/* RFC 6716 3.1, 3.2: what a packet plays, in samples of 48 kHz; 0: none can be so. */
static unsigned
opus_samples (const uint8_t *p, size_t size)
{
  unsigned config = p[0] >> 3, code = p[0] & 0x03, frames = code == 0 ? 1 : 2, samples;

  if (config < 12)
    samples = (config & 0x03) == 0 ? 480 : 960 * (config & 0x03);
  else
    samples = config < 16 ? 480u << (config & 0x01) : 120u << (config & 0x03);
  if (code == 3)
    frames = size >= 2 ? p[1] & 0x3f : 0;
  if ((code == 0 && size > 1276) || (code == 1 && size % 2 == 0) || (code == 2 && size < 2))
    return 0;
  return frames * samples <= 5760 ? frames * samples : 0;
}

static bool
fits_opus (const uint8_t *p, size_t size, bool begins, bool ends)
{
  (void)begins, (void)ends;
  return opus_samples (p, size) > 0;
}

static const struct {
  char name[8];
  bool (*fits) (const uint8_t *payload, size_t size, bool begins, bool ends);
  bool sure;
} formats[RTP_PAYLOAD_FORMATS] = {
    {"H264", fits_h264, true},
    {"H265", fits_h265, false},
    {"VP8", fits_vp8, true},
    {"VP9", fits_vp9, true},
    {"AV1", fits_av1, false},
    {"JPEG", fits_jpeg, true},
    [RTP_PAYLOAD_OPUS] = {"OPUS", fits_opus, false},
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

bool
rtp_payload_is_sure (int format)
{
  return format >= 0 && format < RTP_PAYLOAD_FORMATS && formats[format].sure;
}

bool
rtp_payload_may_be (int format, const uint8_t *payload, size_t size)
{
  return rtp_payload_fits (format, payload, size, false, false) ||
         rtp_payload_fits (format, payload, size, true, false);
}

/* Opus has next to no bits that are always 0: it is known by a time that goes on by what was played. */
static bool
is_in_time (RtpPayloadTally *t, const uint8_t *payload, size_t size, uint32_t timestamp)
{
  uint32_t step = timestamp - t->timestamp, played = t->opus_samples;
  bool first = t->packets == 0;

  t->repeats += !first && step == 0;
  t->opus_steps += !first && (int32_t)step > 0 && played != 0 && step % played == 0;
  t->timestamp = timestamp;
  t->opus_samples = opus_samples (payload, size);
  return first || step == played;
}

/* Whether the first one begins a frame nobody knows: it is left out of what frames begin with. */
void
rtp_payload_tally_add (RtpPayloadTally *t, const uint8_t *payload, size_t size, bool marker, uint32_t timestamp)
{
  bool begins = t->frame_ended, in_time;

  t->frame_ended = marker;
  if (size == 0 || rtp_payload_tally_is_full (t))
    return;
  in_time = is_in_time (t, payload, size, timestamp);
  t->packets++;
  t->begins += begins;
  for (int i = 0; i < RTP_PAYLOAD_FORMATS; i++) {
    bool fits = rtp_payload_fits (i, payload, size, begins, marker) && (i != RTP_PAYLOAD_OPUS || in_time);

    t->fit[i] += fits;
    t->begins_fit[i] += fits && begins;
  }
}

/* More of them than a network makes of sound: pictures of more than one packet. */
static bool
shares_times (const RtpPayloadTally *t)
{
  return 10 * t->repeats > t->packets;
}

bool
rtp_payload_tally_is_full (const RtpPayloadTally *t)
{
  return (t->packets >= ENOUGH_PACKETS && (t->begins >= ENOUGH_BEGINS || !shares_times (t))) ||
         t->packets >= MOST_PACKETS;
}

/* A packet in ten may have been lost, and the one behind it not be what it seems. Sound has no frames of packets. */
static bool
allows (const RtpPayloadTally *t, int format)
{
  return 10 * t->fit[format] >= 9 * t->packets &&
         (format == RTP_PAYLOAD_OPUS || 10 * t->begins_fit[format] >= 8 * t->begins);
}

/* Speech in Opus has first bytes of H264's. No picture's time goes on as Opus does. */
int
rtp_payload_tally_guess (const RtpPayloadTally *t)
{
  int found = -1;

  if (!rtp_payload_tally_is_full (t))
    return -1;
  if (allows (t, RTP_PAYLOAD_OPUS))
    return RTP_PAYLOAD_OPUS;
  for (int i = 0; i < RTP_PAYLOAD_OPUS; i++)
    if (allows (t, i)) {
      if (found >= 0)
        return -1;
      found = i;
    }
  return found;
}

static bool
is_a_picture (const RtpPayloadTally *t)
{
  int guess = rtp_payload_tally_guess (t);

  return guess >= 0 && guess != RTP_PAYLOAD_OPUS;
}

bool
rtp_payload_tally_is_video (const RtpPayloadTally *t)
{
  return is_a_picture (t) && shares_times (t);
}

bool
rtp_payload_tally_refutes (const RtpPayloadTally *t, int format)
{
  if (format < 0 || format >= RTP_PAYLOAD_FORMATS || !rtp_payload_tally_is_full (t))
    return false;
  if (format == RTP_PAYLOAD_OPUS) /* silence leaves packets out, losses take some */
    return rtp_payload_tally_is_video (t) || (is_a_picture (t) && 2 * t->opus_steps < t->packets);
  return 2 * t->fit[format] < t->packets || 2 * t->begins_fit[format] < t->begins || allows (t, RTP_PAYLOAD_OPUS);
}
