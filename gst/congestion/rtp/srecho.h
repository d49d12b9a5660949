/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Round trips where somebody else writes our SRs (RFC 3550 6.4.1): when each left is noted by our own clock under the
   time it carries, which a report block returns. What clock that time is of, and whether it steps, does not matter. */
#ifndef SRECHO_H
#define SRECHO_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* SRs remembered: of 16 streams the last 4, each at least half a second apart */
#define SR_ECHO_PLACES 64

typedef struct {
  struct {
    uint32_t ssrc, middle; /* bits 16 to 47 of the NTP time */
    CcTime at;             /* CC_TIME_NONE: free */
  } places[SR_ECHO_PLACES];
  unsigned next;
} SrEcho;

void sr_echo_init (SrEcho *e);
void sr_echo_on_sent (SrEcho *e, uint32_t ssrc, uint64_t ntp_time, CcTime now);
/* Of a block on `ssrc`; dlsr in 1/65536 s. 0: no sample, as no SR is echoed or none that is known, or the delay told is
   longer than the time that passed; else 1 us at least. */
CcDuration sr_echo_round_trip (const SrEcho *e, uint32_t ssrc, uint32_t lsr, uint32_t dlsr, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
