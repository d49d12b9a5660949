/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: a payload of RTP. What is taken is written and parsed again; its data have a place, and are split. */
#include "jpegstrips.h"
#include "rtpjpeg.h"
#include "fuzz.h"

#define SPANS 8

const FuzzSeed fuzz_seeds[] = {
    {"\0\0\0\0\1\x32\x2c\x24\1\2\3", 11},
    {"\0\0\1\2\x41\x32\x2c\x24\0\x16\xc0\2\1\2\xff\xd2\3", 17},
    {"\0\0\0\0\x40\x80\x2c\x24\0\x16\x80\0\0\0\0\0\7", 17},
    {NULL, 0},
};

static void
check_again (const RtpJpegHead *head)
{
  uint8_t out[RTP_JPEG_HEADER_BYTES];
  size_t n = rtp_jpeg_write (out, head);
  uint8_t *whole = fuzz_exact (NULL, n + head->size);
  RtpJpegHead back;

  memcpy (whole, out, n);
  memcpy (whole + n, head->data, head->size);
  FUZZ_CHECK (rtp_jpeg_parse (whole, n + head->size, &back));
  FUZZ_CHECK (back.offset == head->offset && back.type == head->type && back.Q == head->Q);
  FUZZ_CHECK (back.width == head->width && back.height == head->height && back.size == head->size);
  FUZZ_CHECK (back.interval == head->interval && back.F == head->F && back.L == head->L && back.count == head->count);
  free (whole);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  uint8_t *payload = fuzz_exact (data, size);
  RtpJpegChunk chunk = {0};
  JpegSpan spans[SPANS];
  RtpJpegHead head;
  bool complete;

  if (rtp_jpeg_parse (payload, size, &head)) {
    FUZZ_CHECK (head.size > 0 && head.data + head.size == payload + size && head.width <= RTP_JPEG_SIDE_MAX);
    if (head.Q < RTP_JPEG_Q_TABLES || head.offset > 0 || head.tables != NULL)
      check_again (&head);
    if (rtp_jpeg_chunk_place (&chunk, &head, true, &complete) == RTP_JPEG_BEGINS && complete) {
      unsigned n = jpeg_strips_split (head.data, head.size, head.count, spans, SPANS);

      FUZZ_CHECK (n <= SPANS);
      for (unsigned i = 0; i < n; i++)
        FUZZ_CHECK (spans[i].size > 0 && spans[i].begin + spans[i].size <= head.size);
    }
  }
  free (payload);
  return 0;
}
