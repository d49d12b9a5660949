/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What became of numbered pictures, counted as they are shown, in bounded memory. */
#ifndef FRAMECOUNT_H
#define FRAMECOUNT_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
  FRAME_NEW,
  FRAME_REPEATED,     /* shown before */
  FRAME_OUT_OF_ORDER, /* behind a later one */
  FRAME_RESTART       /* the numbers began anew, or jumped; new */
} FrameVerdict;

typedef struct {
  bool started;
  uint32_t first; /* since the last new beginning */
  uint32_t newest;
  uint64_t shown; /* bit i: newest - i was */
  uint32_t certain;
  uint64_t captured;                    /* of certain, the newest that was not worked out */
  uint64_t worked_out, worked_out_lost; /* since certain: shown by a number worked out; lost by these */
  /* lost: not shown between two that were, and not come out of order either; before the first nobody knows */
  uint64_t displayed, lost, repeated, out_of_order, restarts;
} FrameCount;

void frame_count_init (FrameCount *f);
/* number wraps; captured: its time, any unit, by which a sender that began anew is told from a late picture; 0: the
   number is not read but worked out, and tells no new beginning; where the next that is read shows that such numbers
   ran ahead, what was lost by them is set right. What comes out of order is displayed; as lost it counts no more where
   it is less than 64 behind. */
FrameVerdict frame_count_on_picture (FrameCount *f, uint32_t number, uint64_t captured);

#endif
