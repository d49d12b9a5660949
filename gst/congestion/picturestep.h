/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which rung of a ladder of sizes and frame rates (pictureladder.h) a rate is enough for, and when to step. The measure
   is bits per pixel: rate over pixels a second. Each step costs a key frame, so it waits until the need has lasted; a
   rate that has fallen by much does not wait, and one that goes up and down makes the way up slow.

     STEADY   the rung has enough, and no rung above it would
     SHORT    the rung has too little: after `short_after`, or at once where that is `deep` too little, down
     OVERRUN  the encoder puts out more than it is asked for, at its coarsest: after `short_after`, down
     AMPLE    a rung above would have enough: after `ample_after`, longer where the last step up did not last, up

   A step goes to the highest rung that has enough, however many rungs away. What was overrun is not enough for these
   pictures: half as much again is asked for, and that falls back to `enough_bpp` over `forget_after`. `now` is the
   stream's own time. */
#ifndef PICTURESTEP_H
#define PICTURESTEP_H

#include "cctime.h"
#include "pictureladder.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double enough_bpp; /* bits per pixel with which a rung is taken, > 0; default 0.025, measured: docs/ratescale.md */
  double hysteresis; /* a rung is left below enough_bpp / hysteresis, >= 1; default 1.5 */
  double deep;       /* and at once below that / deep, >= 1; default 2 */
  double overrun;    /* of what was asked, above which the encoder does not keep the rate, >= 1; default 1.2 */
  CcDuration settle; /* after a step no overrun counts: its key frame; default 3 s */
  CcDuration forget_after; /* default 60 s */
  CcDuration short_after;  /* default 1 s */
  CcDuration ample_after;  /* default 5 s */
  CcDuration ample_most;   /* a step up taken back within twice the wait doubles the wait, to this; default 40 s */
} PictureStepParams;

typedef enum { PICTURE_STEP_STEADY, PICTURE_STEP_SHORT, PICTURE_STEP_OVERRUN, PICTURE_STEP_AMPLE } PictureStepState;

typedef struct {
  PictureStepParams params;
  PictureLadder ladder;
  PictureStepState state;
  CcTime since; /* in this state */
  int rung;
  CcDuration ample_wait;
  CcTime raised_at;   /* the last step up; CC_TIME_NONE: none */
  CcTime stepped_at;  /* the last step, or ladder */
  double learned_bpp; /* that these pictures need; 0: nothing learned */
  CcTime learned_at;
  uint64_t downs, ups;
} PictureStep;

void picture_step_params_init (PictureStepParams *params);
void picture_step_init (PictureStep *s, const PictureStepParams *params);
/* What comes from now on is judged by them. Values out of range are taken for the nearest in it. */
void picture_step_set_params (PictureStep *s, const PictureStepParams *params);
/* A source, or another ladder for it: the rung that bps is enough for holds at once. bps 0: not known, the source's own
   size. */
void picture_step_set_ladder (PictureStep *s, const PictureLadder *ladder, double bps, CcTime now);
/* The rate is bps, as far as is known; 0, negative or NaN: not known, nothing changes. made: what the encoder has put
   out of late, over what it was asked for; 0 or NaN: not known. True where the rung is another one now. Often enough:
   several times a second. */
bool picture_step_on_rate (PictureStep *s, double bps, double made, CcTime now);
/* Bits per pixel with which a rung is taken now. Pure. */
double picture_step_need_bpp (const PictureStep *s, CcTime now);
/* The rung in force; NULL before there is a ladder. Pure. */
const PictureFormat *picture_step_format (const PictureStep *s);
/* Least bit/s with which the source's own size is taken; 0 before there is a ladder. Pure. */
double picture_step_full_bps (const PictureStep *s);
const char *picture_step_state_name (PictureStepState state);

#ifdef __cplusplus
}
#endif
#endif
