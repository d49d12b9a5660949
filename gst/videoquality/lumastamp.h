/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A number and a time as black and white blocks inside a picture, to survive lossy codecs: 112 bits in 16 columns and 7
   rows, from the upper left, most significant first:

     sync 8 (01100101), version 6 (0), clock 2, number 32, time 48 (units of 0.1 ms), CRC-16 of all before it 16

   A bit is a square block, black (16) 0, white (235) 1. What is black is told from the sync's own blocks, so that
   levels may shift. The CRC is CCITT's (x^16 + x^12 + x^5 + 1, from ffff): of pictures without a stamp one in 10^7 has
   one. */
#ifndef LUMASTAMP_H
#define LUMASTAMP_H

#include "lumaplane.h"

#include <stdbool.h>

#define LUMA_STAMP_COLUMNS 16
#define LUMA_STAMP_ROWS 7
#define LUMA_STAMP_BYTES 14
#define LUMA_STAMP_TIME_UNIT 100000u /* ns */

typedef enum { LUMA_STAMP_RUNNING_TIME, LUMA_STAMP_MONOTONIC, LUMA_STAMP_REALTIME } LumaStampClock;

typedef enum {
  LUMA_STAMP_TOP_LEFT,
  LUMA_STAMP_TOP_RIGHT,
  LUMA_STAMP_BOTTOM_LEFT,
  LUMA_STAMP_BOTTOM_RIGHT
} LumaStampCorner;

typedef struct {
  uint32_t number;
  uint64_t time; /* ns, rounded down to 0.1 ms */
  LumaStampClock clock;
} LumaStamp;

/* Where it stands: in the corner, a multiple of 16 pixels from the upper left of the picture, as codecs' blocks are.
   block: pixels of a block's side, 4 to 64. false: does not fit. */
bool luma_stamp_place (int width, int height, int block, LumaStampCorner corner, LumaRect *rect);

void luma_stamp_encode (const LumaStamp *stamp, uint8_t bytes[LUMA_STAMP_BYTES]);
bool luma_stamp_decode (const uint8_t bytes[LUMA_STAMP_BYTES], LumaStamp *stamp); /* false: damaged, or none */

/* rect: of luma_stamp_place (). */
void luma_stamp_write (const LumaPlane *plane, const LumaRect *rect, const LumaStamp *stamp);
bool luma_stamp_read (const LumaPlane *plane, const LumaRect *rect, LumaStamp *stamp);

#endif
