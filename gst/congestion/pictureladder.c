/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pictureladder.h"

#include <limits.h>

#define ASSUMED_FPS 30.0

static const struct {
  int num, den;
} sizes[] = {{1, 1}, {1, 2}, {3, 8}, {1, 4}, {3, 16}, {1, 8}};
static const int divisors[] = {1, 2, 3, 4, 6};

#define N_SIZES (int)(sizeof sizes / sizeof *sizes)
#define N_DIVISORS (int)(sizeof divisors / sizeof *divisors)

void
picture_ladder_params_init (PictureLadderParams *params)
{
  *params = (PictureLadderParams){.keep = PICTURE_KEEP_FRAME_RATE, .min_side = 180, .min_fps = 10};
}

static double
frame_rate (const PictureFormat *format)
{
  return format->fps_num > 0 && format->fps_den > 0 ? (double)format->fps_num / format->fps_den : ASSUMED_FPS;
}

double
picture_format_pixels (const PictureFormat *format)
{
  return (double)format->width * format->height * frame_rate (format);
}

static int
scaled_side (int side, int size, int multiple)
{
  int scaled = (int)((double)side * sizes[size].num / sizes[size].den / multiple + 0.5) * multiple;

  return size == 0 ? side : scaled < multiple ? multiple : scaled;
}

/* Most encoders code chroma of half the sides. */
static int
scaled_width (const PictureFormat *source, int size)
{
  return scaled_side (source->width, size, 2);
}

static int
scaled_height (const PictureFormat *source, int size, const PictureLadderParams *params)
{
  return scaled_side (source->height, size, params->interlaced ? 4 : 2);
}

static PictureFormat
scaled (const PictureFormat *source, int size, int divisor, const PictureLadderParams *params)
{
  PictureFormat f = *source;

  f.width = scaled_width (source, size);
  f.height = scaled_height (source, size, params);
  if (f.fps_den <= INT_MAX / divisors[divisor])
    f.fps_den *= divisors[divisor];
  return f;
}

static bool
keeps_floor (const PictureFormat *source, int size, const PictureLadderParams *params)
{
  return scaled_width (source, size) >= params->min_side && scaled_height (source, size, params) >= params->min_side;
}

/* The last size, and the last divisor, that keep the floor. */
static int
last_size (const PictureFormat *source, const PictureLadderParams *params)
{
  int last = 0;

  while (last + 1 < N_SIZES && keeps_floor (source, last + 1, params))
    last++;
  return last;
}

static int
last_divisor (const PictureFormat *source, const PictureLadderParams *params)
{
  int last = 0;

  if (source->fps_num <= 0 || source->fps_den <= 0)
    return 0;
  while (last + 1 < N_DIVISORS && frame_rate (source) / divisors[last + 1] >= params->min_fps)
    last++;
  return last;
}

/* Rounding may leave nothing to gain. */
static void
append (PictureLadder *ladder, PictureFormat rung)
{
  if (picture_format_pixels (&rung) < picture_format_pixels (&ladder->rungs[ladder->count - 1]))
    ladder->rungs[ladder->count++] = rung;
}

bool
picture_ladder_build (PictureLadder *ladder, const PictureFormat *source, const PictureLadderParams *params)
{
  int n_sizes, n_divisors, size = 0, divisor = 0;
  int *first, *then, first_end, then_end;

  ladder->count = 0;
  if (source->width <= 0 || source->height <= 0)
    return false;
  n_sizes = last_size (source, params);
  n_divisors = last_divisor (source, params);
  if (params->keep == PICTURE_KEEP_SIZE)
    first = &divisor, first_end = n_divisors, then = &size, then_end = n_sizes;
  else
    first = &size, first_end = n_sizes, then = &divisor, then_end = n_divisors;
  ladder->rungs[ladder->count++] = *source;
  while (ladder->count < PICTURE_LADDER_MOST && (*first < first_end || *then < then_end)) {
    (*(*first < first_end ? first : then))++;
    append (ladder, scaled (source, size, divisor, params));
  }
  return true;
}
