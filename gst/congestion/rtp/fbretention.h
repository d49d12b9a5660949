/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Feedback messages of other members, kept for T_retention (RFC 4585 3.2, 3.5.2 (5)): what somebody else has said
   already need not be said again. Anyone who can send RTCP into the session can make us believe that: he silences one
   item for T_retention with one packet, and for max_in_a_row of our attempts by going on. After that the item is sent
   whatever was heard. The memory is fixed; under a flood the oldest is forgotten, and feedback is sent rather than not.
 */
#ifndef FBRETENTION_H
#define FBRETENTION_H

#include "cctime.h"
#include "rtcppicture.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FB_RETENTION_SETS 128
#define FB_RETENTION_WAYS 4
#define FB_RETENTION_SLICES 32

typedef enum { FB_NACK, FB_PLI, FB_FIR, FB_SLI, FB_RPSI, FB_APPLICATION } FbKind;

/* One thing that feedback can say. */
typedef struct {
  FbKind kind;
  uint32_t ssrc;   /* the media source it is about; FIR: the target in the FCI */
  uint64_t detail; /* the sequence number, the slice, a hash of the bits or bytes */
} FbItem;

FbItem fb_item_nack (uint32_t media_ssrc, uint16_t seq);
FbItem fb_item_pli (uint32_t media_ssrc);
FbItem fb_item_fir (uint32_t target_ssrc);
FbItem fb_item_sli (uint32_t media_ssrc, const RtcpSli *slice);
FbItem fb_item_rpsi (uint32_t media_ssrc, const RtcpRpsi *rpsi);
/* Application feedback: only the same bytes are the same. */
FbItem fb_item_application (uint32_t media_ssrc, const uint8_t *fci, size_t size);

typedef struct {
  CcDuration T_retention; /* at least and by default 2 s */
  unsigned max_in_a_row;  /* attempts of ours at one item that others may suppress in a row, default 4 */
} FbRetentionParams;

typedef struct {
  FbItem item;
  CcTime at;         /* CC_TIME_NONE: free */
  unsigned believed; /* attempts of ours it has suppressed in a row */
} FbHeard;

typedef struct {
  FbRetentionParams params;
  FbHeard heard[FB_RETENTION_SETS][FB_RETENTION_WAYS];
  FbHeard slices[FB_RETENTION_SLICES]; /* SLI is compared by range */
  uint64_t received, suppressed, disbelieved;
} FbRetention;

void fb_retention_params_init (FbRetentionParams *params);
void fb_retention_init (FbRetention *r, const FbRetentionParams *params);
/* Another member has said it. Never call it with our own feedback. */
void fb_retention_on_received (FbRetention *r, const FbItem *item, CcTime now);
/* Has somebody said the same or more since t0 - T_retention? t0: the event that mine is about. Changes nothing. A FIR
   covers a PLI, a slice the slices inside it. */
bool fb_retention_covers (const FbRetention *r, const FbItem *mine, CcTime t0);
/* The same question when mine is about to be sent (at te): true: leave it out, and that counts as one more in a row. */
bool fb_retention_suppress (FbRetention *r, const FbItem *mine, CcTime t0);
/* Mine has gone out: the row ends. Of PLI: FIR's, too. */
void fb_retention_on_sent (FbRetention *r, const FbItem *mine);
/* It has been answered (a key unit, the packet): what was heard of it before covers nothing any more. PLI: FIR is
   forgotten with it. */
void fb_retention_forget (FbRetention *r, const FbItem *item);

#ifdef __cplusplus
}
#endif
#endif
