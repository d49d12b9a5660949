/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This participant's own SSRC seen in somebody else's packets (RFC 3550 8.2): another one chose the same, or a
   translator sends our packets back to us. Either way we say BYE and choose another identifier, once; what comes from
   an address that made us do so before are our own packets again. */
#ifndef SSRCCONFLICT_H
#define SSRCCONFLICT_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SSRC_CONFLICT_ADDRESSES 8
#define SSRC_CONFLICT_INTERVALS 10 /* report intervals without a packet, and the address is forgotten */

typedef struct {
  struct {
    uint64_t address;
    CcTime seen;
  } addresses[SSRC_CONFLICT_ADDRESSES];
  unsigned count;
  CcTime changed_at;   /* CC_TIME_NONE: never */
  uint64_t collisions; /* that an identifier was given up for */
  uint64_t looped;     /* packets of our own that came back */
  uint64_t postponed;  /* packets that would have called for another identifier too soon */
} SsrcConflict;

typedef enum {
  SSRC_CNAME_NONE, /* RTP, or RTCP without an SDES CNAME for the SSRC */
  SSRC_CNAME_OWN,
  SSRC_CNAME_OTHER
} SsrcCname;

typedef enum {
  SSRC_CONFLICT_CHANGE, /* send a BYE for the SSRC (unless nothing was sent with it, 6.3.7), choose one that no member
                           has, and hand the packet on: it is from another participant now */
  SSRC_CONFLICT_LOOP,   /* our own packet: ignore it */
  SSRC_CONFLICT_WAIT    /* ignore it; a further one, later, will be answered */
} SsrcConflictVerdict;

void ssrc_conflict_init (SsrcConflict *c);
/* A packet (or CSRC, or SDES chunk) with our SSRC came from an address that is not ours. address: as in rtpmembers.h, 0
   (not known) being one like any other. At most one CHANGE per report_interval, or a forger could take every name from
   us; and never for a listed address but with another's CNAME. */
SsrcConflictVerdict ssrc_conflict_on_packet (
    SsrcConflict *c, uint64_t address, SsrcCname cname, CcDuration report_interval, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
