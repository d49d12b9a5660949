/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Luma of an 8-bit picture where it lies, planar or packed. */
#ifndef LUMAPLANE_H
#define LUMAPLANE_H

#include <stdint.h>

typedef struct {
  uint8_t *data;
  int stride, step; /* bytes from row to row, from pixel to pixel */
  int width, height;
} LumaPlane;

typedef struct {
  int x, y, width, height; /* pixels; width 0: nothing */
} LumaRect;

static inline uint8_t *
luma_at (const LumaPlane *plane, int x, int y)
{
  return plane->data + (long)y * plane->stride + (long)x * plane->step;
}

#endif
