/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpjpeg.h"

#include <string.h>

typedef struct {
  const uint8_t *at;
  size_t left;
} Input;

static const uint8_t *
take (Input *in, size_t size)
{
  const uint8_t *at = in->at;

  if (in->left < size)
    return NULL;
  in->at += size;
  in->left -= size;
  return at;
}

static bool
parse_main (Input *in, RtpJpegHead *head)
{
  const uint8_t *p = take (in, 8);

  if (p == NULL || p[0] != 0)
    return false;
  head->offset = (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
  head->type = p[4];
  head->Q = p[5];
  head->width = 8u * p[6];
  head->height = 8u * p[7];
  if (head->Q == 0 || (head->Q > 99 && head->Q < RTP_JPEG_Q_TABLES))
    return false;
  return head->type % RTP_JPEG_RESTART_TYPES <= 1 && head->type < 128 && head->width > 0 && head->height > 0;
}

static bool
parse_restart (Input *in, RtpJpegHead *head)
{
  const uint8_t *p = take (in, 4);

  if (p == NULL)
    return false;
  head->interval = (uint16_t)(p[0] << 8 | p[1]);
  head->F = (p[2] & 0x80) != 0;
  head->L = (p[2] & 0x40) != 0;
  head->count = (uint16_t)((p[2] & 0x3f) << 8 | p[3]);
  return head->interval > 0;
}

static bool
parse_tables (Input *in, RtpJpegHead *head)
{
  const uint8_t *p = take (in, 4);
  size_t length = p != NULL ? (size_t)p[2] << 8 | p[3] : 0;

  if (p == NULL || p[1] != 0 || (length != 0 && length != RTP_JPEG_TABLES_BYTES))
    return false;
  if (length == 0)
    return head->Q != RTP_JPEG_Q_ONCE;
  head->tables = take (in, length);
  return head->tables != NULL && memchr (head->tables, 0, length) == NULL;
}

bool
rtp_jpeg_parse (const uint8_t *payload, size_t size, RtpJpegHead *head)
{
  Input in = {payload, size};

  memset (head, 0, sizeof *head);
  if (!parse_main (&in, head) || (head->type >= RTP_JPEG_RESTART_TYPES && !parse_restart (&in, head)) ||
      (head->Q >= RTP_JPEG_Q_TABLES && head->offset == 0 && !parse_tables (&in, head)))
    return false;
  head->data = in.at;
  head->size = in.left;
  return in.left > 0;
}

size_t
rtp_jpeg_write (uint8_t out[RTP_JPEG_HEADER_BYTES], const RtpJpegHead *head)
{
  uint8_t main_header[] = {0, (uint8_t)(head->offset >> 16), (uint8_t)(head->offset >> 8), (uint8_t)head->offset,
      head->type, head->Q, (uint8_t)((head->width + 7) / 8), (uint8_t)((head->height + 7) / 8)};
  uint8_t restart[] = {(uint8_t)(head->interval >> 8), (uint8_t)head->interval,
      (uint8_t)(head->F << 7 | head->L << 6 | (head->count >> 8 & 0x3f)), (uint8_t)head->count};
  uint8_t tables[] = {0, 0, 0, RTP_JPEG_TABLES_BYTES}, *p = out;

  memcpy (p, main_header, sizeof main_header);
  p += sizeof main_header;
  if (head->type >= RTP_JPEG_RESTART_TYPES) {
    memcpy (p, restart, sizeof restart);
    p += sizeof restart;
  }
  if (head->Q >= RTP_JPEG_Q_TABLES && head->offset == 0) {
    memcpy (p, tables, sizeof tables);
    memcpy (p + sizeof tables, head->tables, RTP_JPEG_TABLES_BYTES);
    p += sizeof tables + RTP_JPEG_TABLES_BYTES;
  }
  return (size_t)(p - out);
}

/* Without chunks the picture is one, from offset 0 to the RTP marker (3.1.7). */
RtpJpegPlace
rtp_jpeg_chunk_place (RtpJpegChunk *c, const RtpJpegHead *head, bool marker, bool *complete)
{
  bool whole = head->interval == 0 || head->count == RTP_JPEG_WHOLE;
  bool begins = whole ? head->offset == 0 : head->F, ends = whole ? marker : head->L;
  unsigned first = whole ? 0 : head->count;
  bool goes_on = !begins && c->open && c->next == head->offset && c->first == first;

  *complete = ends && (begins || goes_on);
  *c = (RtpJpegChunk){(begins || goes_on) && !ends, head->offset + (uint32_t)head->size, first};
  return begins ? RTP_JPEG_BEGINS : goes_on ? RTP_JPEG_GOES_ON : RTP_JPEG_USELESS;
}

unsigned
rtp_jpeg_chunk_intervals (const size_t *ends, unsigned n, unsigned first, size_t room)
{
  size_t begin = first > 0 ? ends[first - 1] : 0;
  unsigned last = first;

  while (last + 1 < n && ends[last + 1] - begin <= room)
    last++;
  return last + 1 - first;
}
