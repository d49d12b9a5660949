/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "jpegheader.h"

#include <string.h>

enum { SOF0 = 0xc0, DHT = 0xc4, JPG = 0xc8, SOF15 = 0xcf, SOI = 0xd8, SOS = 0xda, DQT = 0xdb, DRI = 0xdd };

#define TABLES 4 /* of quantization */

/* What the segments have said so far. */
typedef struct {
  JpegHeader *h;
  uint8_t quantizers[TABLES][JPEG_BLOCK];
  bool has_quantizer[TABLES], has_frame;
  uint8_t id[3], quantizer_of[3];
} Parsing;

/* ---- the form ---- */

unsigned
jpeg_form_mcus_wide (const JpegForm *form)
{
  return (form->width + 15) / 16;
}

unsigned
jpeg_form_mcus (const JpegForm *form)
{
  unsigned high = form->sampling == JPEG_420 ? 16 : 8;

  return jpeg_form_mcus_wide (form) * ((form->height + high - 1) / high);
}

unsigned
jpeg_form_mcu_blocks (const JpegForm *form)
{
  return form->sampling == JPEG_420 ? 6 : 4;
}

unsigned
jpeg_form_component (const JpegForm *form, unsigned block)
{
  unsigned luminance = jpeg_form_mcu_blocks (form) - 2;

  return block < luminance ? 0 : block - luminance + 1;
}

/* ---- reading ---- */

static JpegProblem
read_quantizers (Parsing *p, const uint8_t *s, size_t n)
{
  for (; n > 0; s += 1 + JPEG_BLOCK, n -= 1 + JPEG_BLOCK) {
    if (n < 1 + JPEG_BLOCK || s[0] >= TABLES) /* 16 bits are not for baseline */
      return JPEG_TABLES;
    memcpy (p->quantizers[s[0]], s + 1, JPEG_BLOCK);
    p->has_quantizer[s[0]] = true;
    if (memchr (s + 1, 0, JPEG_BLOCK) != NULL)
      return JPEG_TABLES;
  }
  return JPEG_OK;
}

static JpegProblem
read_huffman (Parsing *p, const uint8_t *s, size_t n)
{
  while (n > 0) {
    unsigned ac = s[0] >> 4, number = s[0] & 15;
    size_t symbols = 0;

    if (n < 17 || ac > 1 || number > 1)
      return JPEG_TABLES;
    for (unsigned i = 1; i <= 16; i++)
      symbols += s[i];
    if (n - 17 < symbols || !jpeg_huffman_init (ac ? &p->h->ac[number] : &p->h->dc[number], s + 1, s + 17, symbols))
      return JPEG_TABLES;
    s += 17 + symbols;
    n -= 17 + symbols;
  }
  return JPEG_OK;
}

static JpegProblem
read_frame (Parsing *p, const uint8_t *s, size_t n)
{
  JpegForm *form = &p->h->form;

  if (n < 6 || (n - 6) / 3 < s[5])
    return JPEG_CUT_OFF;
  if (s[0] != 8 || p->has_frame)
    return JPEG_NOT_BASELINE;
  form->height = (unsigned)s[1] << 8 | s[2];
  form->width = (unsigned)s[3] << 8 | s[4];
  if (form->height == 0 || form->width == 0)
    return JPEG_CUT_OFF;
  if (s[5] != 3 || (s[7] != 0x21 && s[7] != 0x22) || s[10] != 0x11 || s[13] != 0x11)
    return JPEG_SAMPLING;
  form->sampling = s[7] == 0x22 ? JPEG_420 : JPEG_422;
  for (unsigned i = 0; i < 3; i++) {
    p->id[i] = s[6 + 3 * i];
    p->quantizer_of[i] = s[8 + 3 * i];
  }
  p->has_frame = true;
  return JPEG_OK;
}

static JpegProblem
read_interval (Parsing *p, const uint8_t *s, size_t n)
{
  if (n < 2)
    return JPEG_CUT_OFF;
  p->h->form.interval = (unsigned)s[0] << 8 | s[1];
  return JPEG_OK;
}

static JpegProblem
read_scan (Parsing *p, const uint8_t *s, size_t n)
{
  JpegHeader *h = p->h;

  if (n < 10 || !p->has_frame)
    return JPEG_CUT_OFF;
  if (s[0] != 3 || s[7] != 0 || s[8] != 63 || s[9] != 0)
    return JPEG_NOT_BASELINE;
  for (unsigned i = 0; i < 3; i++) {
    unsigned dc = s[2 + 2 * i] >> 4, ac = s[2 + 2 * i] & 15, q = p->quantizer_of[i];

    if (s[1 + 2 * i] != p->id[i])
      return JPEG_NOT_BASELINE;
    if (dc > 1 || ac > 1 || q >= TABLES || !p->has_quantizer[q])
      return JPEG_TABLES;
    if (i == 2 && memcmp (p->quantizers[q], h->form.quantizers.table[1], JPEG_BLOCK) != 0)
      return JPEG_TABLES;
    memcpy (h->form.quantizers.table[i > 0], p->quantizers[q], JPEG_BLOCK);
    h->dc_of[i] = (uint8_t)dc;
    h->ac_of[i] = (uint8_t)ac;
  }
  return JPEG_OK;
}

/* Other numbers up to SOF15 are frames of other processes, and arithmetic coding. */
static JpegProblem
read_segment (Parsing *p, unsigned marker, const uint8_t *s, size_t n)
{
  switch (marker) {
  case DQT:
    return read_quantizers (p, s, n);
  case DHT:
    return read_huffman (p, s, n);
  case DRI:
    return read_interval (p, s, n);
  case SOF0:
    return read_frame (p, s, n);
  case SOS:
    return read_scan (p, s, n);
  case JPG:
    return JPEG_OK;
  default:
    return marker > SOF0 && marker <= SOF15 ? JPEG_NOT_BASELINE : JPEG_OK;
  }
}

void
jpeg_header_init (JpegHeader *header, const JpegForm *form)
{
  memset (header, 0, sizeof *header);
  header->form = *form;
  for (unsigned i = 0; i < 2; i++) {
    jpeg_huffman_init_usual (&header->dc[i], false, i > 0);
    jpeg_huffman_init_usual (&header->ac[i], true, i > 0);
  }
  for (unsigned i = 1; i < 3; i++)
    header->dc_of[i] = header->ac_of[i] = 1;
}

/* A picture without Huffman tables, as some cameras make them, means the usual ones. */
static void
begin (Parsing *p, JpegHeader *header)
{
  static const JpegForm none;

  memset (p, 0, sizeof *p);
  jpeg_header_init (header, &none);
  p->h = header;
}

JpegProblem
jpeg_header_parse (const uint8_t *data, size_t size, JpegHeader *header)
{
  size_t at = 2;
  Parsing p;

  begin (&p, header);
  if (size < 2 || data[0] != 0xff || data[1] != SOI)
    return JPEG_CUT_OFF;
  while (size - at >= 4 && data[at] == 0xff) {
    unsigned marker = data[at + 1];
    size_t length = (size_t)data[at + 2] << 8 | data[at + 3];
    JpegProblem problem;

    if (marker == 0xff) { /* markers may be filled up in front */
      at++;
      continue;
    }
    if (length < 2 || length > size - at - 2)
      return JPEG_CUT_OFF;
    problem = read_segment (&p, marker, data + at + 4, length - 2);
    at += 2 + length;
    header->scan = at;
    if (problem != JPEG_OK || marker == SOS)
      return problem;
  }
  return JPEG_CUT_OFF;
}

/* ---- writing ---- */

static uint8_t *
begin_segment (uint8_t *p, unsigned marker, size_t length)
{
  *p++ = 0xff;
  *p++ = (uint8_t)marker;
  *p++ = (uint8_t)((length + 2) >> 8);
  *p++ = (uint8_t)(length + 2);
  return p;
}

static uint8_t *
write_quantizers (uint8_t *p, const JpegQuantizers *q)
{
  for (unsigned i = 0; i < 2; i++) {
    p = begin_segment (p, DQT, 1 + JPEG_BLOCK);
    *p++ = (uint8_t)i;
    memcpy (p, q->table[i], JPEG_BLOCK);
    p += JPEG_BLOCK;
  }
  return p;
}

static uint8_t *
write_frame (uint8_t *p, const JpegForm *form)
{
  uint8_t frame[] = {8, (uint8_t)(form->height >> 8), (uint8_t)form->height, (uint8_t)(form->width >> 8),
      (uint8_t)form->width, 3, 1, form->sampling == JPEG_420 ? 0x22 : 0x21, 0, 2, 0x11, 1, 3, 0x11, 1};

  p = begin_segment (p, SOF0, sizeof frame);
  memcpy (p, frame, sizeof frame);
  return p + sizeof frame;
}

static uint8_t *
write_huffman (uint8_t *p)
{
  for (unsigned i = 0; i < 4; i++) {
    const JpegHuffmanSpec *spec = jpeg_huffman_usual (i & 1, i >> 1);

    p = begin_segment (p, DHT, 17 + spec->n_symbols);
    *p++ = (uint8_t)((i & 1) << 4 | i >> 1);
    memcpy (p, spec->counts, 16);
    memcpy (p + 16, spec->symbols, spec->n_symbols);
    p += 16 + spec->n_symbols;
  }
  return p;
}

size_t
jpeg_header_write (uint8_t out[JPEG_HEADER_BYTES], const JpegForm *form)
{
  static const uint8_t scan[] = {3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0};
  uint8_t *p = out;

  *p++ = 0xff;
  *p++ = SOI;
  p = write_quantizers (p, &form->quantizers);
  if (form->interval > 0) {
    p = begin_segment (p, DRI, 2);
    *p++ = (uint8_t)(form->interval >> 8);
    *p++ = (uint8_t)form->interval;
  }
  p = write_frame (p, form);
  p = write_huffman (p);
  p = begin_segment (p, SOS, sizeof scan);
  memcpy (p, scan, sizeof scan);
  return (size_t)(p + sizeof scan - out);
}
