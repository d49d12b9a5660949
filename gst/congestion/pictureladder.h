/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sizes and frame rates that a picture may be stepped through where its rate is too low for the source's: a ladder
   from the source down, each rung with fewer pixels a second than the one above it. Sizes are 1, 1/2, 3/8, 1/4, 3/16
   and 1/8 of both sides: with 3/4 the measured picture was better than both its neighbours in one cell of twenty-one
   (docs/ratescale.md). Frame rates are whole parts of the source's, which alone drop pictures evenly. */
#ifndef PICTURELADDER_H
#define PICTURELADDER_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PICTURE_LADDER_MOST 12 /* rungs */

typedef enum {
  PICTURE_KEEP_FRAME_RATE, /* the size gives way first, to its floor: motion */
  PICTURE_KEEP_SIZE        /* the frame rate gives way first, to its floor: text, slides */
} PictureKeep;

typedef struct {
  int width, height;    /* pixels */
  int fps_num, fps_den; /* pictures/s; 0/1: not known, taken for 30 and not stepped */
} PictureFormat;

typedef struct {
  PictureKeep keep; /* default PICTURE_KEEP_FRAME_RATE */
  int min_side;     /* pixels of the shorter side, >= 16; default 180. A source below it keeps its size */
  double min_fps;   /* pictures/s, > 0; default 10. A source below it keeps its frame rate */
  bool interlaced;  /* the picture is two fields, each of which has chroma of half its lines; default false */
} PictureLadderParams;

/* rungs[0] is the source. */
typedef struct {
  int count;
  PictureFormat rungs[PICTURE_LADDER_MOST];
} PictureLadder;

void picture_ladder_params_init (PictureLadderParams *params);
/* False, and no rung, where the source's sides are not positive. Sides of a rung
   below it are even, the height of interlaced ones a multiple of four. */
bool picture_ladder_build (PictureLadder *ladder, const PictureFormat *source, const PictureLadderParams *params);
/* Pixels a second. Pure. */
double picture_format_pixels (const PictureFormat *format);

#ifdef __cplusplus
}
#endif
#endif
