/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a picture is shown that is there too late for its time. A sink that plays in time leaves it out, and tells the
   decoder to leave out the next ones as well; with a later time it is shown as soon as it can be. Those that waited
   behind it are there at once with it: they follow at twice their pace, as a sink has no time for all at once. */
#ifndef LATEPICTURE_H
#define LATEPICTURE_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  CcTime time;      /* of the last picture */
  CcDuration moved; /* it was by so much */
} LatePicture;

void late_picture_init (LatePicture *p);
/* By how much to move a picture of that time, which is decoded at `decoded`. latency: sinks show it so long after its
   time. Pictures in their order; a time before that of the last begins anew. */
CcDuration late_picture_move (LatePicture *p, CcTime time, CcTime decoded, CcDuration latency);

#ifdef __cplusplus
}
#endif
#endif
