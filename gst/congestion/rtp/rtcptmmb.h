/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FCI of TMMBR and TMMBN (RFC 5104 4.2.1.1, 4.2.2.1), which share it: entries of an SSRC, a bit rate and an overhead.
   The media SSRC of the header is 0 in both. */
#ifndef RTCPTMMB_H
#define RTCPTMMB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RTCP_FB_FMT_TMMBR 3
#define RTCP_FB_FMT_TMMBN 4
#define RTCP_TMMB_ENTRY_SIZE 8
#define RTCP_TMMB_MAX_OVERHEAD 511
#define RTCP_TMMB_RTP_HEADER 12 /* counts as overhead, as UDP and IP do: the net rate is the payload's */

typedef struct {
  uint32_t ssrc;           /* TMMBR: the media sender asked; TMMBN: who asked, the owner */
  uint64_t bitrate_bps;    /* MxTBR, headers included; 17 bits of mantissa on the wire, rounded down */
  uint16_t overhead_bytes; /* per packet, 9 bits on the wire, saturates */
} RtcpTmmb;

/* Returns the bytes written; 0 where they do not fit or n is 0 (an empty TMMBN has no FCI). */
size_t rtcp_tmmb_write (uint8_t *fci, size_t capacity, const RtcpTmmb *entries, unsigned n);
/* How many entries there are; 0 for none, and for a size that is no multiple of theirs. */
unsigned rtcp_tmmb_count (size_t size);
/* Entry i < rtcp_tmmb_count (). A bit rate beyond 64 bits saturates. */
RtcpTmmb rtcp_tmmb_entry (const uint8_t *fci, unsigned i);
/* What arrives of this rate at the other end: 17 bits of mantissa. */
uint64_t rtcp_tmmb_rounded (uint64_t bitrate_bps);
#ifdef __cplusplus
}
#endif
#endif
