/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtppayloadjudge.h"
#include "cctest.h"
#include "payloadstreams.h"

#include <string.h>

typedef struct {
  RtpPayloadJudge j;
  uint32_t timestamp;
  unsigned passed, deadly; /* deadly: passed, and rtph264depay ends at it */
} Receiver;

static Receiver
receiver (const char *encoding_name, bool sound)
{
  Receiver r = {0};

  rtp_payload_judge_init (&r.j, encoding_name, sound);
  return r;
}

/* Of successive numbers too (the finalizer of MurmurHash3). */
static uint8_t
noise_byte (uint32_t i)
{
  i = (i ^ i >> 16) * 0x85ebca6bu;
  i = (i ^ i >> 13) * 0xc2b2ae35u;
  return (uint8_t)(i ^ i >> 16);
}

static bool
receive (Receiver *r, const StreamPacket *p, bool encrypted, unsigned noise)
{
  uint8_t payload[1500] = {0};
  bool passes;

  memcpy (payload, p->head, sizeof p->head);
  for (size_t i = 0; encrypted && i < sizeof p->head; i++)
    payload[i] = noise_byte (noise * HEAD_BYTES + (uint32_t)i);
  r->timestamp += p->step;
  passes = rtp_payload_judge_add (&r->j, payload, p->size, p->marker, r->timestamp);
  r->passed += passes;
  r->deadly += passes && ((payload[0] & 0x1f) == 29 || ((payload[0] & 0x1f) >= 25 && (payload[0] & 0x1f) <= 27));
  return passes;
}

static void
receive_all (Receiver *r, const StreamPacket *stream, unsigned from)
{
  for (unsigned i = from; i < STREAM_PACKETS; i++)
    receive (r, &stream[i], false, 0);
}

static const struct {
  const char *name;
  const StreamPacket *stream;
} streams[] = {{"H264", h264_fragments}, {"H264", h264_aggregates}, {"H264", h264_fillers}, {"VP8", vp8_numbered},
    {"JPEG", jpeg}, {"OPUS", opus_music}, {"OPUS", opus_speech}};
#define STREAMS (sizeof streams / sizeof streams[0])

static bool
is_sound (unsigned i)
{
  return strcmp (streams[i].name, "OPUS") == 0;
}

/* From the first packet on or by a late join, each with every tenth lost, or one damaged. */
START_TEST (test_what_was_said_passes)
{
  for (unsigned i = 0; i < STREAMS; i++)
    for (unsigned late = 0; late < 8; late++) {
      Receiver r = receiver (streams[i].name, is_sound (i)), lossy = r, damaged = r;

      receive_all (&r, streams[i].stream, late);
      ck_assert_uint_eq (r.passed, STREAM_PACKETS - late);
      for (unsigned k = late; k < STREAM_PACKETS; k++) {
        receive (&damaged, &streams[i].stream[k], k == 9, 1);
        if (k % 10 == late)
          lossy.timestamp += streams[i].stream[k].step;
        else
          ck_assert (receive (&lossy, &streams[i].stream[k], false, 0));
      }
      ck_assert_int_ne (r.j.verdict, RTP_PAYLOAD_WRONG);
      ck_assert_int_ne (lossy.j.verdict, RTP_PAYLOAD_WRONG);
      ck_assert_int_ne (damaged.j.verdict, RTP_PAYLOAD_WRONG);
      ck_assert_uint_ge (damaged.passed, STREAM_PACKETS - late - 1);
    }
}
END_TEST

/* Each said to be each other. */
START_TEST (test_another_is_recognised)
{
  for (unsigned i = 0; i < STREAMS; i++)
    for (unsigned k = 0; k < STREAMS; k++) {
      Receiver r = receiver (streams[k].name, is_sound (k));

      if (strcmp (streams[i].name, streams[k].name) == 0)
        continue;
      for (unsigned round = 0; round < 3; round++) /* fillers: until enough frames have begun */
        receive_all (&r, streams[i].stream, 0);
      ck_assert_msg (r.j.verdict == RTP_PAYLOAD_WRONG, "%s (%u) for %s", streams[i].name, i, streams[k].name);
      ck_assert_str_eq (rtp_payload_format_name (rtp_payload_tally_guess (&r.j.tally)), streams[i].name);
      if (is_sound (k))
        ck_assert_uint_eq (r.passed, 3 * STREAM_PACKETS);
    }
}
END_TEST

/* Nothing at which a depayloader ends goes on, in the first packets neither. */
START_TEST (test_encrypted)
{
  for (unsigned seed = 0; seed < 50; seed++)
    for (unsigned i = 0; i < STREAMS; i++)
      if (!is_sound (i)) {
        Receiver r = receiver (streams[i].name, false);

        for (unsigned k = 0; k < 3 * STREAM_PACKETS; k++)
          receive (&r, &streams[i].stream[k % STREAM_PACKETS], true, seed * 1000 + k);
        ck_assert_int_eq (r.j.verdict, RTP_PAYLOAD_WRONG);
        ck_assert_int_eq (rtp_payload_tally_guess (&r.j.tally), -1);
        ck_assert (strcmp (streams[i].name, "H264") != 0 || r.deadly == 0);
      }
}
END_TEST

/* The sender is mended: a dozen packets later its media go on. */
START_TEST (test_what_was_wrong_recovers)
{
  Receiver r = receiver ("H264", false);
  unsigned before;

  receive_all (&r, vp8_numbered, 0);
  ck_assert_int_eq (r.j.verdict, RTP_PAYLOAD_WRONG);
  ck_assert_uint_eq (r.passed, 0);
  receive_all (&r, h264_fragments, 0);
  ck_assert_int_ne (r.j.verdict, RTP_PAYLOAD_WRONG);
  ck_assert_uint_ge (r.passed, STREAM_PACKETS - 20);
  before = r.passed;
  receive_all (&r, h264_fragments, 0);
  ck_assert_uint_eq (r.passed, before + STREAM_PACKETS);
  ck_assert_int_eq (r.j.verdict, RTP_PAYLOAD_AS_SAID);
}
END_TEST

/* Of sound without a pattern it is known only that pictures are none. */
START_TEST (test_other_encodings)
{
  Receiver sound = receiver ("PCMU", true), pictures = receiver ("PCMU", true), own = receiver ("X-OWN", false);

  receive_all (&sound, opus_speech, 0);
  ck_assert_int_eq (sound.j.verdict, RTP_PAYLOAD_AS_SAID);
  receive_all (&pictures, h264_fragments, 0);
  ck_assert_int_eq (pictures.j.verdict, RTP_PAYLOAD_WRONG);
  ck_assert_uint_eq (pictures.passed, STREAM_PACKETS);
  receive_all (&own, h264_fragments, 0);
  ck_assert_int_eq (own.j.verdict, RTP_PAYLOAD_AS_SAID);
}
END_TEST

CC_TEST_MAIN ("rtppayloadjudge", test_what_was_said_passes, test_another_is_recognised, test_encrypted,
    test_what_was_wrong_recovers, test_other_encodings)
