/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "jpegquantizers.h"

#include <string.h>

/* T.81 tables K.1 and K.2, in zigzag order */
static const uint8_t base[2][JPEG_BLOCK] = {
    {16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26, 24, 22, 22, 24, 49, 35, 37, 29, 40, 58, 51, 61,
        60, 57, 51, 56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87, 95, 98, 103, 104, 103, 62, 77, 113,
        121, 112, 100, 120, 92, 101, 103, 99},
    {17, 18, 18, 24, 21, 24, 47, 26, 26, 47, 99, 66, 56, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
        99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
        99, 99, 99, 99, 99, 99, 99}};

static int
clamp (int v, int lo, int hi)
{
  return v < lo ? lo : v > hi ? hi : v;
}

void
jpeg_quantizers_of (int quality, JpegQuantizers *quantizers)
{
  int q = clamp (quality, 1, 100), scale = q < 50 ? 5000 / q : 200 - 2 * q;

  for (int t = 0; t < 2; t++)
    for (int i = 0; i < JPEG_BLOCK; i++)
      quantizers->table[t][i] = (uint8_t)clamp ((base[t][i] * scale + 50) / 100, 1, 255);
}

int
jpeg_quantizers_find (const JpegQuantizers *quantizers)
{
  JpegQuantizers these;

  for (int q = 1; q <= JPEG_Q_MAX; q++) {
    jpeg_quantizers_of (q, &these);
    if (jpeg_quantizers_equal (&these, quantizers))
      return q;
  }
  return 0;
}

bool
jpeg_quantizers_equal (const JpegQuantizers *a, const JpegQuantizers *b)
{
  return memcmp (a, b, sizeof *a) == 0;
}
