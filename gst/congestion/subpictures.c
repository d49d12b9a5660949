/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "subpictures.h"

#include <stdbool.h>

#define BESIDE 2 /* weights of neighbours: of the four beside, of the four at the corners */
#define CORNER 1

unsigned
subpictures_count (SubpicturesPattern pattern)
{
  return pattern == SUBPICTURES_QUAD ? 4 : 2;
}

void
subpictures_size (
    SubpicturesPattern pattern, unsigned width, unsigned height, unsigned *part_width, unsigned *part_height)
{
  *part_width = pattern == SUBPICTURES_LINES ? width : width / 2;
  *part_height = pattern == SUBPICTURES_CHECKERBOARD ? height : height / 2;
}

/* Which part holds a sample of the whole. */
static unsigned
part_of (SubpicturesPattern pattern, unsigned x, unsigned y)
{
  switch (pattern) {
  case SUBPICTURES_LINES:
    return y & 1;
  case SUBPICTURES_CHECKERBOARD:
    return (x + y) & 1;
  case SUBPICTURES_QUAD:
    break;
  }
  return (y & 1) << 1 | (x & 1);
}

/* Where a part's sample stands in the whole. */
static void
place_of (SubpicturesPattern pattern, unsigned part, unsigned i, unsigned j, unsigned *x, unsigned *y)
{
  switch (pattern) {
  case SUBPICTURES_LINES:
    *x = i;
    *y = 2 * j + part;
    return;
  case SUBPICTURES_CHECKERBOARD:
    *x = 2 * i + ((part + j) & 1);
    *y = j;
    return;
  case SUBPICTURES_QUAD:
    break;
  }
  *x = 2 * i + (part & 1);
  *y = 2 * j + (part >> 1);
}

void
subpictures_split (
    SubpicturesPattern pattern, const SubpicturesPlane *whole, unsigned part, const SubpicturesPlane *out)
{
  unsigned x, y;

  for (unsigned j = 0; j < out->height; j++)
    for (unsigned i = 0; i < out->width; i++) {
      place_of (pattern, part, i, j, &x, &y);
      out->data[j * out->stride + i] = whole->data[y * whole->stride + x];
    }
}

static void
put_back (SubpicturesPattern pattern, const SubpicturesPlane *part, unsigned number, const SubpicturesPlane *whole)
{
  unsigned x, y;

  for (unsigned j = 0; j < part->height; j++)
    for (unsigned i = 0; i < part->width; i++) {
      place_of (pattern, number, i, j, &x, &y);
      whole->data[y * whole->stride + x] = part->data[j * part->stride + i];
    }
}

static uint8_t
mean_of_neighbours (SubpicturesPattern pattern, unsigned there, const SubpicturesPlane *whole, unsigned x, unsigned y)
{
  unsigned sum = 0, weight = 0;

  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      unsigned nx = x + (unsigned)dx, ny = y + (unsigned)dy, w = dx == 0 || dy == 0 ? BESIDE : CORNER;

      if (nx >= whole->width || ny >= whole->height || (there & 1u << part_of (pattern, nx, ny)) == 0)
        continue;
      sum += w * whole->data[ny * whole->stride + nx];
      weight += w;
    }
  return weight > 0 ? (uint8_t)((sum + weight / 2) / weight) : 0;
}

static void
fill (SubpicturesPattern pattern, unsigned there, const SubpicturesPlane *whole)
{
  for (unsigned y = 0; y < whole->height; y++)
    for (unsigned x = 0; x < whole->width; x++)
      if ((there & 1u << part_of (pattern, x, y)) == 0)
        whole->data[y * whole->stride + x] = mean_of_neighbours (pattern, there, whole, x, y);
}

void
subpictures_merge (
    SubpicturesPattern pattern, const SubpicturesPlane parts[SUBPICTURES_MAX], const SubpicturesPlane *whole)
{
  unsigned n = subpictures_count (pattern), there = 0;

  for (unsigned i = 0; i < n; i++)
    if (parts[i].data != NULL) {
      put_back (pattern, &parts[i], i, whole);
      there |= 1u << i;
    }
  if (there != 0 && there != (1u << n) - 1)
    fill (pattern, there, whole);
}
