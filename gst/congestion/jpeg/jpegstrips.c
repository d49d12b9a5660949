/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "jpegstrips.h"

#include <string.h>

/* ---- intervals and the markers between them ---- */

/* Bytes from data up to the next marker; size: there is none; more: what looks like one is cut off. */
static size_t
next_marker (const uint8_t *data, size_t size)
{
  size_t at = 0;

  while (at < size && (data[at] != 0xff || (at + 1 < size && data[at + 1] == 0)))
    at++;
  return at < size && at + 1 == size ? size + 1 : at;
}

unsigned
jpeg_strips_split (const uint8_t *data, size_t size, unsigned first, JpegSpan *spans, unsigned max)
{
  size_t begin = 0;
  unsigned n = 0;

  if (size >= 2 && data[0] == 0xff && data[1] == 0xd0 + ((first - 1) & 7))
    begin = 2;
  while (begin < size) {
    size_t length = next_marker (data + begin, size - begin), end = begin + length;

    if (length == 0 || end > size || n == max)
      return 0;
    spans[n] = (JpegSpan){begin, length};
    if (end == size || (data[end + 1] == 0xd9 && end + 2 == size))
      return n + 1;
    if (data[end + 1] != 0xd0 + ((first + n) & 7))
      return 0;
    begin = end + 2;
    n++;
  }
  return n;
}

/* ---- the picture ---- */

void
jpeg_strips_init (JpegStrips *s, JpegStrip *strip, unsigned n)
{
  *s = (JpegStrips){strip, n, 0, 0};
  memset (strip, 0, n * sizeof *strip);
}

uint8_t *
jpeg_strips_put (JpegStrips *s, unsigned number, uint8_t *data, size_t size, const JpegQuantizers *quantizers)
{
  JpegStrip *strip = &s->strip[number];
  uint8_t *before = strip->data;

  s->known += before == NULL;
  s->fresh += !strip->fresh;
  *strip = (JpegStrip){data, size, *quantizers, true};
  return before;
}

bool
jpeg_strips_ready (const JpegStrips *s)
{
  return s->fresh > 0 && s->known == s->n;
}

static size_t
append (uint8_t *out, size_t capacity, size_t at, const uint8_t *data, size_t size)
{
  if (at < capacity)
    memcpy (out + at, data, size < capacity - at ? size : capacity - at);
  return at + size;
}

static size_t
append_strip (const JpegStrips *s, const JpegForm *form, unsigned i, uint8_t *out, size_t capacity, size_t at)
{
  const JpegStrip *strip = &s->strip[i];
  size_t room = at < capacity ? capacity - at : 0;

  if (jpeg_quantizers_equal (&strip->quantizers, &form->quantizers))
    return append (out, capacity, at, strip->data, strip->size);
  return at + jpeg_scan_requantize (form, &strip->quantizers, jpeg_scan_mcus_of (form, i), strip->data, strip->size,
                  room > 0 ? out + at : out, room);
}

size_t
jpeg_strips_write (const JpegStrips *s, const JpegForm *form, uint8_t *out, size_t capacity)
{
  uint8_t header[JPEG_HEADER_BYTES], marker[2] = {0xff, 0};
  size_t at = append (out, capacity, 0, header, jpeg_header_write (header, form));

  for (unsigned i = 0; i < s->n; i++) {
    at = append_strip (s, form, i, out, capacity, at);
    marker[1] = i + 1 < s->n ? (uint8_t)(0xd0 + (i & 7)) : 0xd9;
    at = append (out, capacity, at, marker, sizeof marker);
  }
  return at;
}

void
jpeg_strips_next (JpegStrips *s)
{
  for (unsigned i = 0; i < s->n; i++)
    s->strip[i].fresh = false;
  s->fresh = 0;
}
