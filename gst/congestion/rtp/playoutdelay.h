/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long after its quickest packets a stream is played. A picture is late by what its packets took longer than the
   quickest: a large frame, jitter, a queue, the answer to a request. Of what was seen lately the delay is

     d = argmin d + E (share of the pictures that are later than d)

   where delay is worth the pictures that it brings in time. It rises at once, and falls in steps that nobody sees. */
#ifndef PLAYOUTDELAY_H
#define PLAYOUTDELAY_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PLAYOUT_DELAY_STEP (20 * CC_MSECOND)
#define PLAYOUT_DELAY_STEPS 64

typedef struct {
  CcDuration first;    /* until pictures have come, default 100 ms */
  CcDuration most;     /* default 400 ms */
  CcDuration exchange; /* E, default 1 s: 10 ms for a picture of a hundred */
  CcDuration memory;   /* default 10 s */
  CcDuration hold;     /* that it was not needed for before a step down, default 0.5 s */
} PlayoutDelayParams;

typedef struct {
  PlayoutDelayParams params;
  bool started;
  uint64_t picture;                     /* that comes */
  CcDuration lateness;                  /* its */
  double pictures[PLAYOUT_DELAY_STEPS]; /* of late; [k]: in time where d is k + 1 steps and not less */
  double all;                           /* their sum */
  CcTime counted_at, needed_at;
  CcDuration delay; /* d, in steps */
} PlayoutDelay;

void playout_delay_params_init (PlayoutDelayParams *params);
void playout_delay_init (PlayoutDelay *d, const PlayoutDelayParams *params);
/* A packet of a picture (any number that others do not have) can be decoded, as all before it, so much later than one
   that the path took no longer than the quickest. True: the delay has changed. */
bool playout_delay_on_packet (PlayoutDelay *d, uint64_t picture, CcDuration lateness, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
