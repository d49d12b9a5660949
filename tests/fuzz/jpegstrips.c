/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: an interval length, then a JPEG picture. What can be cut is cut, split at its markers, put together again, and
   cut back: the bytes are the same then. */
#include "jpegstrips.h"
#include "fuzz.h"

#define MCUS_MAX 4096 /* a picture that says it is large costs no more time */

const FuzzSeed fuzz_seeds[] = {
    {"\x02\xff\xd8\xff\xdb\x00\x43\x00\xff\xb7\xc8\xe9\xc8\xa7\xff\xe9\xd9\xe9\xff\xff\xff\xff\xff\xff\xff\xff"
     "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
     "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xdb\x00\x43\x01\xff"
     "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
     "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
     "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xc0\x00\x11\x08\x00\x18\x00\x28\x03\x01\x22\x00\x02\x11"
     "\x01\x03\x11\x01\xff\xda\x00\x0c\x03\x01\x00\x02\x11\x03\x11\x00\x3f\x00\x3b\x71\xfe\x7f\xcf\xa6\x68\xeb"
     "\xd7\xfc\xff\x00\x9f\x43\x47\xf3\x1f\xe7\xf0\xa3\x1c\xff\x00\x9f\xf3\x9f\xf3\xef\x40\x07\x1f\xcb\xfc\x8f"
     "\xf3\xdb\xae\x7a\x1f\xe7\xfc\xff\x00\x9f\xe5\xc1\xf5\xff\x00\x3d\xba\xff\x00\x9e\x7f\x0a\x3f\x2f\xf2\x7f"
     "\xc3\xfc\xfa\x80\x1f\x8f\xd7\xfc\xff\x00\x9f\xe7\x45\x1d\xff\x00\xcf\xf2\xed\x45\x00\x1f\xe7\xfc\xf4\xff"
     "\x00\x3c\xd1\xd7\xfc\xff\x00\x91\xfc\xfd\x3b\x0a\x28\xa0\x03\xb7\xff\x00\xaf\xa7\xd3\xfc\xf4\xa3\xf1\xfc"
     "\x38\xff\x00\x3f\x95\x14\x50\x01\xf5\xff\x00\x3c\xfe\x94\x51\x45\x02\x6e\xc7\xff\xd9",
        307},
    {NULL, 0},
};

typedef struct {
  uint8_t *bytes;
  size_t size;
  size_t *ends;
} Cut;

static Cut
cut (const JpegHeader *header, const uint8_t *scan, size_t size, const JpegForm *form)
{
  Cut c = {NULL, 0, (size_t *)malloc (jpeg_scan_intervals (form) * sizeof (size_t))};

  c.size = jpeg_scan_cut (header, scan, size, form, NULL, 0, c.ends);
  c.bytes = fuzz_exact (NULL, c.size);
  FUZZ_CHECK (jpeg_scan_cut (header, scan, size, form, c.bytes, c.size, c.ends) == c.size);
  return c;
}

static void
cut_clear (Cut *c)
{
  free (c->bytes);
  free (c->ends);
}

/* Split at its markers, put into strips, written: a picture whose scan is what was cut. */
static void
check_strips (const Cut *c, const JpegForm *form)
{
  unsigned n = jpeg_scan_intervals (form);
  JpegSpan *spans = (JpegSpan *)malloc (n * sizeof *spans);
  JpegStrip *strip = (JpegStrip *)malloc (n * sizeof *strip);
  JpegStrips s;
  uint8_t *out;
  size_t size;

  jpeg_strips_init (&s, strip, n);
  FUZZ_CHECK (jpeg_strips_split (c->bytes, c->size, 0, spans, n) == n);
  for (unsigned i = 0; i < n; i++) {
    FUZZ_CHECK (jpeg_scan_fits (form, jpeg_scan_mcus_of (form, i), c->bytes + spans[i].begin, spans[i].size));
    jpeg_strips_put (&s, i, c->bytes + spans[i].begin, spans[i].size, &form->quantizers);
  }
  size = jpeg_strips_write (&s, form, NULL, 0);
  out = fuzz_exact (NULL, size);
  FUZZ_CHECK (jpeg_strips_write (&s, form, out, size) == size);
  FUZZ_CHECK (memcmp (out + size - c->size - 2, c->bytes, c->size) == 0);
  free (out);
  free (strip);
  free (spans);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  uint8_t *picture = size > 0 ? fuzz_exact (data + 1, size - 1) : NULL;
  JpegHeader header, usual;
  JpegForm form;

  if (size > 0 && jpeg_header_parse (picture, size - 1, &header) == JPEG_OK &&
      jpeg_form_mcus (&header.form) <= MCUS_MAX) {
    Cut one, other;

    FUZZ_CHECK (header.scan <= size - 1);
    form = header.form;
    form.interval = data[0];
    one = cut (&header, picture + header.scan, size - 1 - header.scan, &form);
    if (one.size > 0) {
      check_strips (&one, &form);
      jpeg_header_init (&usual, &form);
      form.interval = 0;
      other = cut (&usual, one.bytes, one.size, &form);
      cut_clear (&one);
      jpeg_header_init (&usual, &form);
      form.interval = data[0];
      one = cut (&usual, other.bytes, other.size, &form);
      check_strips (&one, &form);
      cut_clear (&other);
    }
    cut_clear (&one);
  }
  free (picture);
  return 0;
}
