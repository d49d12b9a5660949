/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which picture one is whose stamp is damaged: the time stamps of the stream go on where the decoder shows what it has
   after a loss. Pictures that are as far apart as those before are numbered on from the last stamp that was read. */
#ifndef STAMPTRACK_H
#define STAMPTRACK_H

#include "cctime.h"
#include "lumastamp.h"

typedef struct {
  bool known;
  LumaStamp stamp; /* the last one read */
  CcTime at;       /* its running time */
  double spacing;  /* ns from picture to picture, smoothed; 0: not known yet */
} StampTrack;

void stamp_track_init (StampTrack *t);
/* at: the picture's running time; CC_TIME_NONE: it has none. */
void stamp_track_on_stamp (StampTrack *t, const LumaStamp *stamp, CcTime at);
/* Of a picture at that running time; its time goes on with the running time. false: not told, as it is not a whole
   number of pictures behind the last stamp, to a quarter, or more than 10 s. Pure. */
bool stamp_track_guess (const StampTrack *t, CcTime at, LumaStamp *stamp);

#endif
