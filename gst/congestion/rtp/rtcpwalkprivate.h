/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between the two halves of rtcp_walk (). */
#ifndef RTCPWALKPRIVATE_H
#define RTCPWALKPRIVATE_H

#include "rtcpbytes.h"
#include "rtcpwalk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One packet as it lies in memory. Its length is what the header says, and is there; its counts may lie, so that every
   body is measured before it is read. */
typedef struct {
  const uint8_t *packet;
  RtcpType type;
  unsigned count; /* report count, source count, subtype or FMT */
  size_t body;    /* bytes behind the first word, padding taken off */
  const RtcpHandlers *handlers;
  void *user;
} RtcpWalk;

static inline const uint8_t *
rtcp_walk_body (const RtcpWalk *w)
{
  return w->packet + 4;
}

static inline void
rtcp_walk_speaks (const RtcpWalk *w, uint32_t ssrc)
{
  if (w->handlers->speaks != NULL)
    w->handlers->speaks (w->user, ssrc);
}

/* A packet of type RTPFB or PSFB. false: malformed. */
bool rtcp_walk_feedback (RtcpWalk *w);

#ifdef __cplusplus
}
#endif
#endif
