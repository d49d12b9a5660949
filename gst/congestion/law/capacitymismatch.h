/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* e of the law (pathlaw.h): how much less R is than c, or more, and whose doing that is. In this order, each bounds
   what those before it say:

     room         eta c/R - 1 where packets arrive spread, growth where there is room (pathgrowth.h)
     no queue     a path as slow as that would have one: without, nothing shrinks
     slope        the queue grows by the part of the path that comes in too much
     single       packets that come alone among larger flows meet a queue whatever they do: they grow a little
     loss         has the last word */
#ifndef CAPACITYMISMATCH_H
#define CAPACITYMISMATCH_H

#include "pathgrowth.h"
#include "queueowner.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the owner of the queue makes of it. */
typedef struct {
  GrowthRow growth;
  bool answers_queue;
  double slope;      /* 1/s, x what comes in too much; all of it where most of the path is ours */
  double single;     /* e at least, where single packets are served as they come */
  double unhindered; /* e at least, while no queue stands; 0 while hardly one does */
  double queue_s;    /* so much is none: q* */
} MismatchRow;

typedef struct {
  double e; /* [-0.5, 0.5] */
  RateOwner owner;
} CapacityMismatch;

/* y: the part of the queue that is ours to drain; loss_e: the most that loss lets e be. Pure. */
CapacityMismatch capacity_mismatch (
    const PathView *v, OwnerKind kind, const MismatchRow *row, double y, double loss_e, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
