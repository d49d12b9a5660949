/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which newcomers of a group count from their first RTCP packet on, as RFC 3550 6.2.1 has it. Where thousands join
   together all hangs on that: each packet keeps the others' back (6.3.6). A stranger makes a member with each packet,
   too, so of one host a few count at once, and further ones when they come again. Hosts are counted as Misra and Gries
   (1982) do it: one that brings more than a seventeenth of all newcomers is found, however many hosts there are. */
#ifndef RTPNEWCOMERS_H
#define RTPNEWCOMERS_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RTP_NEWCOMERS_AT_ONCE 8             /* of one host, as many as of a peer (RTP_PEER_SSRCS) ... */
#define RTP_NEWCOMERS_SPAN (25 * CC_SECOND) /* ... in such a span: five intervals, after which the silent are gone */
#define RTP_NEWCOMERS_PLACES 16

typedef struct {
  struct {
    uint64_t host;  /* as in rtpmembers.h */
    unsigned count; /* 0: free */
  } places[RTP_NEWCOMERS_PLACES];
  CcTime since; /* of the span */
} RtpNewcomers;

void rtp_newcomers_init (RtpNewcomers *n, CcTime now);
/* One of that host; 0, where it is not known, is a host like others. True: it counts at once. */
bool rtp_newcomers_take (RtpNewcomers *n, uint64_t host, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
