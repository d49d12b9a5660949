/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of the packets that NACKs ask for are sent again (RFC 4585 6.2.1, RFC 4588). Whoever reaches the RTCP port can
   ask for anything, so: only what was sent lately; a packet no more than once in a round trip, as a request that comes
   sooner was made before the answer could arrive (and several receivers may miss the same packet); and no more in the
   long run than a share of what is sent anyway. One for each SSRC that sends. */
#ifndef RESENDLIMIT_H
#define RESENDLIMIT_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RESEND_LIMIT_WINDOW 4096 /* packets back that may be asked for */
#define RESEND_LIMIT_ASKED 512   /* requests remembered */
#define RESEND_LIMIT_MAX_RTT (500 * CC_MSECOND)
/* In place of a round trip, for receivers by repairplan.h: they know when an answer can be there, and ask twice in a
   row where it matters, no closer than 20 ms. */
#define RESEND_LIMIT_PLANNED (15 * CC_MSECOND)

typedef struct {
  double share;            /* packets sent again for each packet sent, >= 0, default 1 */
  unsigned burst;          /* packets that may be sent again at once, default 128 */
  CcDuration min_interval; /* between two copies of a packet where no round-trip time is known, default 10 ms */
} ResendLimitParams;

typedef struct {
  uint16_t seq;
  CcTime at; /* CC_TIME_NONE: free */
} ResendAsked;

typedef struct {
  ResendLimitParams params;
  uint16_t highest;
  unsigned window; /* packets up to `highest` that were sent, at most RESEND_LIMIT_WINDOW; 0: none yet */
  double credit;   /* packets */
  ResendAsked asked[RESEND_LIMIT_ASKED];
  uint64_t granted;
  uint64_t unknown;  /* never sent, or too long ago */
  uint64_t repeated; /* asked for again before the answer can have come */
  uint64_t excess;   /* beyond the share */
} ResendLimit;

void resend_limit_params_init (ResendLimitParams *params);
void resend_limit_init (ResendLimit *r, const ResendLimitParams *params);
/* Packets may leave out of order; a number far from the last ones starts over. */
void resend_limit_on_sent (ResendLimit *r, uint16_t seq);
/* A packet is asked for; R: round-trip time, 0: unknown; beyond RESEND_LIMIT_MAX_RTT it is not believed. true: send it
 * again. */
bool resend_limit_on_request (ResendLimit *r, uint16_t seq, CcDuration R, CcTime now);
#ifdef __cplusplus
}
#endif
#endif
