/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lumastamp.h"

#include <string.h>

#define SYNC 0x65
#define VERSION 0
#define BLACK 16
#define WHITE 235
#define CRC_START 0xffff
#define CRC_POLYNOMIAL 0x1021
#define CRC_AT 12
#define BLOCK_MIN 4
#define BLOCK_MAX 64
#define ALIGNMENT 16
#define LEAST_CONTRAST 16 /* levels between the sync's black and white */

static uint16_t
crc16 (const uint8_t *bytes, int n)
{
  unsigned crc = CRC_START;

  for (int i = 0; i < n; i++) {
    crc ^= (unsigned)bytes[i] << 8;
    for (int bit = 0; bit < 8; bit++)
      crc = crc & 0x8000 ? crc << 1 ^ CRC_POLYNOMIAL : crc << 1;
  }
  return (uint16_t)crc;
}

static void
put (uint8_t *bytes, int n, uint64_t value)
{
  while (n-- > 0) {
    bytes[n] = (uint8_t)value;
    value >>= 8;
  }
}

static uint64_t
get (const uint8_t *bytes, int n)
{
  uint64_t value = 0;

  for (int i = 0; i < n; i++)
    value = value << 8 | bytes[i];
  return value;
}

void
luma_stamp_encode (const LumaStamp *stamp, uint8_t bytes[LUMA_STAMP_BYTES])
{
  bytes[0] = SYNC;
  bytes[1] = (uint8_t)(VERSION << 2 | stamp->clock);
  put (bytes + 2, 4, stamp->number);
  put (bytes + 6, 6, stamp->time / LUMA_STAMP_TIME_UNIT);
  put (bytes + CRC_AT, 2, crc16 (bytes, CRC_AT));
}

bool
luma_stamp_decode (const uint8_t bytes[LUMA_STAMP_BYTES], LumaStamp *stamp)
{
  if (bytes[0] != SYNC || bytes[1] >> 2 != VERSION || (bytes[1] & 3) > LUMA_STAMP_REALTIME)
    return false;
  if (get (bytes + CRC_AT, 2) != crc16 (bytes, CRC_AT))
    return false;
  stamp->clock = (LumaStampClock)(bytes[1] & 3);
  stamp->number = (uint32_t)get (bytes + 2, 4);
  stamp->time = get (bytes + 6, 6) * LUMA_STAMP_TIME_UNIT;
  return true;
}

bool
luma_stamp_place (int width, int height, int block, LumaStampCorner corner, LumaRect *rect)
{
  int w = LUMA_STAMP_COLUMNS * block, h = LUMA_STAMP_ROWS * block;
  bool right = corner == LUMA_STAMP_TOP_RIGHT || corner == LUMA_STAMP_BOTTOM_RIGHT;
  bool bottom = corner == LUMA_STAMP_BOTTOM_LEFT || corner == LUMA_STAMP_BOTTOM_RIGHT;

  if (block < BLOCK_MIN || block > BLOCK_MAX || width < w || height < h)
    return false;
  *rect = (LumaRect){
      right ? (width - w) / ALIGNMENT * ALIGNMENT : 0, bottom ? (height - h) / ALIGNMENT * ALIGNMENT : 0, w, h};
  return true;
}

static void
fill_block (const LumaPlane *plane, int x, int y, int block, uint8_t level)
{
  for (int row = 0; row < block; row++)
    for (int column = 0; column < block; column++)
      *luma_at (plane, x + column, y + row) = level;
}

void
luma_stamp_write (const LumaPlane *plane, const LumaRect *rect, const LumaStamp *stamp)
{
  int block = rect->width / LUMA_STAMP_COLUMNS;
  uint8_t bytes[LUMA_STAMP_BYTES];

  luma_stamp_encode (stamp, bytes);
  for (int i = 0; i < 8 * LUMA_STAMP_BYTES; i++)
    fill_block (plane, rect->x + i % LUMA_STAMP_COLUMNS * block, rect->y + i / LUMA_STAMP_COLUMNS * block, block,
        bytes[i / 8] >> (7 - i % 8) & 1 ? WHITE : BLACK);
}

/* Mean of the inner half each way, where neighbours do not reach. */
static double
block_level (const LumaPlane *plane, int x, int y, int block)
{
  int margin = block / 4, sum = 0, n = 0;

  for (int row = margin; row < block - margin; row++)
    for (int column = margin; column < block - margin; column++, n++)
      sum += *luma_at (plane, x + column, y + row);
  return (double)sum / n;
}

static void
sync_levels (const double *levels, double *black, double *white)
{
  *black = *white = 0;
  for (int i = 0; i < 8; i++)
    *(SYNC >> (7 - i) & 1 ? white : black) += levels[i] / 4;
}

static bool
decode_levels (const double *levels, double threshold, LumaStamp *stamp)
{
  uint8_t bytes[LUMA_STAMP_BYTES];

  memset (bytes, 0, sizeof bytes);
  for (int i = 0; i < 8 * LUMA_STAMP_BYTES; i++)
    if (levels[i] > threshold)
      bytes[i / 8] |= (uint8_t)(0x80 >> i % 8);
  return luma_stamp_decode (bytes, stamp);
}

bool
luma_stamp_read (const LumaPlane *plane, const LumaRect *rect, LumaStamp *stamp)
{
  static const double weights[] = {0.5, 0.35, 0.65};
  int block = rect->width / LUMA_STAMP_COLUMNS;
  double levels[8 * LUMA_STAMP_BYTES], black, white;

  for (int i = 0; i < 8 * LUMA_STAMP_BYTES; i++)
    levels[i] =
        block_level (plane, rect->x + i % LUMA_STAMP_COLUMNS * block, rect->y + i / LUMA_STAMP_COLUMNS * block, block);
  sync_levels (levels, &black, &white);
  if (white - black < LEAST_CONTRAST)
    return false;
  for (unsigned i = 0; i < sizeof weights / sizeof *weights; i++)
    if (decode_levels (levels, black + weights[i] * (white - black), stamp))
      return true;
  return false;
}
