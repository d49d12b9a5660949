/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A queue of ours, on a path that nobody else uses (crosstraffic.h). What is served while it stands is the capacity,
   gaps and all: a link that serves nothing for 20 to 100 ms, as mobile ones do all the time, has not become slow. The
   rate follows what is served, less what drains the queue, and is what was served as soon as the queue is gone. One
   that does not drain although less is sent than is served, for long enough to be rid of it twice, is not ours: a route
   that became longer looks like that. */
#ifndef BACKLOG_H
#define BACKLOG_H

#include "cctime.h"
#include "ratewish.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  bool stands;
  double drained, longest; /* s of queue that should have gone since it began; the longest wait */
  CcTime counted_at;
  double served_Bps, rate_Bps; /* what was served while it stood last; what to send while it stands */
} Backlog;

typedef enum {
  BACKLOG_NONE,
  BACKLOG_BEGINS,
  BACKLOG_STANDS,
  BACKLOG_OVER /* just now */,
  BACKLOG_NOT_OURS
} BacklogState;

typedef struct {
  double standing;   /* s of queue that is there to stay, without a frame's own serialization */
  double waited;     /* s that the newest packet did */
  double one_packet; /* s that one more makes */
  double served_Bps; /* what is served of late; 0: unknown */
  CcTime arrived_at; /* the newest packet */
} BacklogQueue;
/* To be called every 20 to 200 ms. */
BacklogState backlog_step (Backlog *b, BacklogQueue queue);
/* What that makes of R, which was rate_Bps. Pure. */
RateWish backlog_wish (const Backlog *b, BacklogState state, double rate_Bps);
/* Of what is served, to be rid of a queue of that many s within 0.4 s. */
double backlog_drain (double q);
/* Somebody else decides: BACKLOG_NONE. */
BacklogState backlog_forget (Backlog *b);

#ifdef __cplusplus
}
#endif
#endif
