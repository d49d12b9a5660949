/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Feedback that an application supplies (SLI, RPSI, application feedback, APP packets) until the scheduler lets it go,
   first come, first served. What has waited longer than it is useful is dropped and counted. */
#ifndef FBQUEUE_H
#define FBQUEUE_H

#include "cctime.h"
#include "fbretention.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FB_QUEUE_SIZE 16
#define FB_QUEUE_MAX_BYTES 256

typedef enum { FB_QUEUE_SLI, FB_QUEUE_RPSI, FB_QUEUE_AFB, FB_QUEUE_APP } FbQueueKind;

typedef struct {
  FbQueueKind kind;
  uint8_t subtype;                   /* APP: 5 bits */
  uint32_t media_ssrc;               /* APP: unused */
  CcTime t0;                         /* when it was queued */
  CcTime deadline;                   /* CC_TIME_NONE: always useful */
  unsigned size;                     /* of bytes, a multiple of 4 */
  uint8_t bytes[FB_QUEUE_MAX_BYTES]; /* the FCI; APP: name and data */
} FbQueued;

typedef struct {
  unsigned n;
  FbQueued entries[FB_QUEUE_SIZE]; /* the oldest first */
  uint64_t expired, refused;
} FbQueue;

void fb_queue_init (FbQueue *q);
/* max_delay: how long it stays useful; CC_TIME_NONE: for ever. false, and counted, where the queue is full, bytes are
   no FCI of that kind, or are too many. One slice at a time for SLI. */
bool fb_queue_push (FbQueue *q, FbQueueKind kind, uint8_t subtype, uint32_t media_ssrc, const uint8_t *bytes,
    unsigned size, CcDuration max_delay, CcTime now);
/* Those of that kind about that source; subtype: of APP. */
void fb_queue_withdraw (FbQueue *q, FbQueueKind kind, uint8_t subtype, uint32_t media_ssrc);
/* The oldest still useful at now, NULL where there is none. Valid until the next call that changes the queue. */
const FbQueued *fb_queue_peek (FbQueue *q, CcTime now);
void fb_queue_pop (FbQueue *q);
/* When the first of them gets useless; CC_TIME_NONE: never. Pure. */
CcTime fb_queue_next_timeout (const FbQueue *q);
/* What it says, for suppression. false: APP, which is nobody else's to say. */
bool fb_queue_item (const FbQueued *entry, FbItem *item);

#ifdef __cplusplus
}
#endif
#endif
