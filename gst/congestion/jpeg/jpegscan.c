/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "jpegscan.h"

#include <string.h>

#define DC_CATEGORIES 11
#define AC_CATEGORIES 10
#define END_OF_BLOCK 0x00
#define SIXTEEN_ZEROES 0xf0

/* ---- reading ---- */

void
jpeg_scan_reader_init (JpegScanReader *r, const JpegHeader *header, const uint8_t *scan, size_t size)
{
  memset (r, 0, sizeof *r);
  r->header = header;
  jpeg_bits_begin (&r->bits, scan, size);
}

/* T.81 F.2.2.1: a number by its category and that many bits. */
static bool
read_number (JpegScanReader *r, unsigned category, int *number)
{
  int bits;

  *number = 0;
  if (category == 0)
    return true;
  bits = (int)jpeg_bits_peek (&r->bits, category);
  *number = bits < 1 << (category - 1) ? bits - (1 << category) + 1 : bits;
  return jpeg_bits_skip (&r->bits, category);
}

static bool
read_dc (JpegScanReader *r, unsigned component, int16_t *block)
{
  int category = jpeg_huffman_read (&r->header->dc[r->header->dc_of[component]], &r->bits), difference;

  if (category < 0 || category > DC_CATEGORIES || !read_number (r, (unsigned)category, &difference))
    return false;
  r->dc[component] += difference;
  block[0] = (int16_t)r->dc[component];
  return r->dc[component] >= -JPEG_COEFFICIENT_MAX - 1 && r->dc[component] <= JPEG_COEFFICIENT_MAX;
}

static bool
read_ac (JpegScanReader *r, unsigned component, int16_t *block)
{
  const JpegHuffman *table = &r->header->ac[r->header->ac_of[component]];

  for (unsigned k = 1; k < JPEG_BLOCK; k++) {
    int symbol = jpeg_huffman_read (table, &r->bits), number;
    unsigned category = (unsigned)symbol & 15;

    if (symbol < 0)
      return false;
    if (symbol == END_OF_BLOCK)
      return true;
    k += (unsigned)symbol >> 4;
    if (k >= JPEG_BLOCK || category > AC_CATEGORIES || (category == 0 && symbol != SIXTEEN_ZEROES) ||
        !read_number (r, category, &number))
      return false;
    block[k] = (int16_t)number;
  }
  return true;
}

/* Where an interval ends, its marker follows, numbered 0 to 7 over and over. */
static bool
pass_marker (JpegScanReader *r)
{
  const uint8_t *at;

  if (!jpeg_bits_at_end (&r->bits))
    return false;
  at = r->bits.at;
  while (r->bits.end - at > 2 && at[0] == 0xff && at[1] == 0xff)
    at++;
  if (r->bits.end - at < 2 || at[0] != 0xff || at[1] != 0xd0 + (r->restarts & 7))
    return false;
  r->restarts++;
  memset (r->dc, 0, sizeof r->dc);
  jpeg_bits_begin (&r->bits, at + 2, (size_t)(r->bits.end - at - 2));
  return true;
}

bool
jpeg_scan_read (JpegScanReader *r, JpegMcu *mcu)
{
  const JpegForm *form = &r->header->form;

  if (form->interval > 0 && r->mcus > 0 && r->mcus % form->interval == 0 && !pass_marker (r))
    return false;
  memset (mcu, 0, sizeof *mcu);
  for (unsigned b = 0; b < jpeg_form_mcu_blocks (form); b++) {
    unsigned component = jpeg_form_component (form, b);

    if (!read_dc (r, component, mcu->block[b]) || !read_ac (r, component, mcu->block[b]))
      return false;
  }
  r->mcus++;
  return true;
}

/* ---- writing ---- */

void
jpeg_scan_writer_init (JpegScanWriter *w, const JpegForm *form, uint8_t *out, size_t capacity)
{
  memset (w, 0, sizeof *w);
  w->form = form;
  w->bits.out = out;
  w->bits.capacity = capacity;
  for (unsigned i = 0; i < 2; i++) {
    jpeg_huffman_init_usual (&w->dc[i], false, i > 0);
    jpeg_huffman_init_usual (&w->ac[i], true, i > 0);
  }
}

static unsigned
category_of (int number)
{
  unsigned category = 0;

  for (unsigned size = (unsigned)(number < 0 ? -number : number); size > 0; size >>= 1)
    category++;
  return category;
}

static bool
write_number (JpegScanWriter *w, const JpegHuffman *table, unsigned zeroes, int number)
{
  unsigned category = category_of (number);

  if (category > 15 || !jpeg_huffman_write (table, &w->bits, (uint8_t)(zeroes << 4 | category)))
    return false;
  if (category > 0)
    jpeg_bits_write (&w->bits, (uint32_t)(number < 0 ? number - 1 : number), category);
  return true;
}

static bool
write_ac (JpegScanWriter *w, const JpegHuffman *table, const int16_t *block)
{
  unsigned zeroes = 0;

  for (unsigned k = 1; k < JPEG_BLOCK; k++) {
    if (block[k] == 0) {
      zeroes++;
      continue;
    }
    for (; zeroes >= 16; zeroes -= 16)
      jpeg_huffman_write (table, &w->bits, SIXTEEN_ZEROES);
    if (!write_number (w, table, zeroes, block[k]))
      return false;
    zeroes = 0;
  }
  return zeroes == 0 || jpeg_huffman_write (table, &w->bits, END_OF_BLOCK);
}

bool
jpeg_scan_write (JpegScanWriter *w, const JpegMcu *mcu)
{
  for (unsigned b = 0; b < jpeg_form_mcu_blocks (w->form); b++) {
    unsigned component = jpeg_form_component (w->form, b);
    const int16_t *block = mcu->block[b];

    if (!write_number (w, &w->dc[component > 0], 0, block[0] - w->before[component]) ||
        !write_ac (w, &w->ac[component > 0], block))
      return false;
    w->before[component] = block[0];
  }
  return true;
}

void
jpeg_scan_restart (JpegScanWriter *w)
{
  jpeg_bits_flush (&w->bits);
  memset (w->before, 0, sizeof w->before);
}

/* ---- whole scans, whole intervals ---- */

unsigned
jpeg_scan_intervals (const JpegForm *form)
{
  return form->interval == 0 ? 1 : (jpeg_form_mcus (form) + form->interval - 1) / form->interval;
}

unsigned
jpeg_scan_mcus_of (const JpegForm *form, unsigned i)
{
  unsigned before = i * form->interval, left = jpeg_form_mcus (form) - before;

  return form->interval == 0 || left < form->interval ? left : form->interval;
}

size_t
jpeg_scan_cut (const JpegHeader *header, const uint8_t *scan, size_t size, const JpegForm *form, uint8_t *out,
    size_t capacity, size_t *ends)
{
  unsigned intervals = jpeg_scan_intervals (form);
  JpegScanReader reader;
  JpegScanWriter writer;
  JpegMcu mcu;

  jpeg_scan_reader_init (&reader, header, scan, size);
  jpeg_scan_writer_init (&writer, form, out, capacity);
  for (unsigned i = 0; i < intervals; i++) {
    for (unsigned n = jpeg_scan_mcus_of (form, i); n > 0; n--)
      if (!jpeg_scan_read (&reader, &mcu) || !jpeg_scan_write (&writer, &mcu))
        return 0;
    jpeg_scan_restart (&writer);
    if (i + 1 < intervals)
      jpeg_bits_put_marker (&writer.bits, (uint8_t)(0xd0 + (i & 7)));
    ends[i] = writer.bits.size;
  }
  return writer.bits.size;
}

static int
divide (int number, int by)
{
  return (number + (number < 0 ? -by : by) / 2) / by;
}

static void
requantize (const JpegForm *form, const JpegQuantizers *from, JpegMcu *mcu)
{
  for (unsigned b = 0; b < jpeg_form_mcu_blocks (form); b++) {
    unsigned t = jpeg_form_component (form, b) > 0;

    for (unsigned k = 0; k < JPEG_BLOCK; k++) {
      int v = divide (mcu->block[b][k] * from->table[t][k], form->quantizers.table[t][k]);

      v = v > JPEG_COEFFICIENT_MAX ? JPEG_COEFFICIENT_MAX : v < -JPEG_COEFFICIENT_MAX ? -JPEG_COEFFICIENT_MAX : v;
      mcu->block[b][k] = (int16_t)v;
    }
  }
}

/* An interval by itself has no markers. */
static void
begin_interval (JpegScanReader *r, JpegHeader *header, const JpegForm *form, const uint8_t *data, size_t size)
{
  jpeg_header_init (header, form);
  header->form.interval = 0;
  jpeg_scan_reader_init (r, header, data, size);
}

size_t
jpeg_scan_requantize (const JpegForm *form, const JpegQuantizers *from, unsigned n, const uint8_t *data, size_t size,
    uint8_t *out, size_t capacity)
{
  JpegHeader header;
  JpegScanReader reader;
  JpegScanWriter writer;
  JpegMcu mcu;

  begin_interval (&reader, &header, form, data, size);
  jpeg_scan_writer_init (&writer, form, out, capacity);
  for (; n > 0; n--) {
    if (!jpeg_scan_read (&reader, &mcu))
      return 0;
    requantize (form, from, &mcu);
    if (!jpeg_scan_write (&writer, &mcu))
      return 0;
  }
  jpeg_scan_restart (&writer);
  return writer.bits.size;
}

bool
jpeg_scan_fits (const JpegForm *form, unsigned n, const uint8_t *data, size_t size)
{
  JpegHeader header;
  JpegScanReader reader;
  JpegMcu mcu;

  begin_interval (&reader, &header, form, data, size);
  for (; n > 0; n--)
    if (!jpeg_scan_read (&reader, &mcu))
      return false;
  return jpeg_bits_at_end (&reader.bits) && reader.bits.at == reader.bits.end;
}
