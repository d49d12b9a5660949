/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Payloads (FCI) of RTCP feedback messages (RFC 4585); the frame around them is rtcpwriter.h's. Writers return the
   bytes written, 0 where the capacity does not do. Parsers leave the result untouched where they return false. */
#ifndef RTCPFEEDBACK_H
#define RTCPFEEDBACK_H

#include "rateowner.h"
#include "tfrcreport.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RTCP_FB_RTPFB 205
#define RTCP_FB_PSFB 206
#define RTCP_FB_FMT_TFRC 2 /* draft-ietf-avt-tfrc-profile; RTPFB */
#define RTCP_FB_FMT_AFB 15 /* application feedback; PSFB */

#define RTCP_FB_TFRC_SIZE 16
size_t rtcp_fb_tfrc_write (uint8_t *fci, size_t capacity, const TfrcReport *report);
bool rtcp_fb_tfrc_parse (const uint8_t *fci, size_t size, TfrcReport *report);

/* REMB: total bit/s over the listed SSRCs. Rates that do not fit saturate. */
#define RTCP_FB_REMB_MAX_SSRCS 32
typedef struct {
  uint64_t bitrate_bps;
  unsigned n_ssrcs;
  uint32_t ssrcs[RTCP_FB_REMB_MAX_SSRCS];
} RtcpRemb;
size_t rtcp_fb_remb_write (uint8_t *fci, size_t capacity, const RtcpRemb *remb);
bool rtcp_fb_remb_parse (const uint8_t *fci, size_t size, RtcpRemb *remb);

/* PATH: our own AFB block, the path rate with what it was made from (docs/wire-formats.md). A P-AQM router's explicit
   rate will use the same block with another kind and the hop's identity. */
typedef enum { RTCP_PATH_END_TO_END = 0, RTCP_PATH_ERF = 1, RTCP_PATH_ECF = 2 } RtcpPathKind;
typedef struct {
  RtcpPathKind kind;
  uint32_t hop;           /* the router; 0 in END_TO_END */
  RateOwner owner;        /* END_TO_END only: who set the rate */
  unsigned ecn;           /* ARRIVAL_ECN_BIT of what has come since the last one; the same */
  uint64_t rate_bps;      /* wire bit/s, UDP and IP headers included */
  uint64_t capacity_bps;  /* 0: unknown */
  CcDuration queue_delay; /* us on the wire */
  double loss, excused;   /* shares of the packets sent, in 1/4096: lost lately; lost and no congestion. 0 in kinds
                             other than END_TO_END */
} RtcpPath;
#define RTCP_FB_PATH_SIZE 24
size_t rtcp_fb_path_write (uint8_t *fci, size_t capacity, const RtcpPath *path);
bool rtcp_fb_path_parse (const uint8_t *fci, size_t size, RtcpPath *path);
#ifdef __cplusplus
}
#endif
#endif
