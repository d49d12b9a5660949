/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The packets of RTCP and what stands in them (RFC 3550 6.4 to 6.7); feedback has files of its own. */
#ifndef RTCPPACKETS_H
#define RTCPPACKETS_H

#include <stddef.h>

#include "arrivalhistory.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RTCP_MTU 1200 /* bytes a compound is built in */

typedef enum {
  RTCP_SR = 200,
  RTCP_RR = 201,
  RTCP_SDES = 202,
  RTCP_BYE = 203,
  RTCP_APP = 204,
  RTCP_RTPFB = 205, /* RFC 4585 6.2 */
  RTCP_PSFB = 206,  /* RFC 4585 6.3 */
  RTCP_XR = 207     /* RFC 3611 */
} RtcpType;

typedef enum {
  RTCP_SDES_END,
  RTCP_SDES_CNAME,
  RTCP_SDES_NAME,
  RTCP_SDES_EMAIL,
  RTCP_SDES_PHONE,
  RTCP_SDES_LOC,
  RTCP_SDES_TOOL,
  RTCP_SDES_NOTE
} RtcpSdesType;

/* FMT of PSFB messages without an FCI of interest (RFC 4585 6.3.1, RFC 5104 4.3.1). */
#define RTCP_FB_FMT_PLI 1
#define RTCP_FB_FMT_FIR 4
#define RTCP_FIR_ENTRY_BYTES 8

typedef struct {
  uint32_t ssrc;
  uint64_t ntp_time; /* 32.32 fixed point, 1900 */
  uint32_t rtp_time;
  uint32_t packet_count, octet_count; /* payload octets */
} RtcpSenderInfo;

typedef struct {
  uint32_t ssrc; /* the source reported on */
  uint8_t fraction_lost;
  int32_t packets_lost; /* 24 bits, signed */
  uint32_t ext_highest_seq;
  uint32_t jitter;    /* RTP timestamp units */
  uint32_t lsr, dlsr; /* middle 32 bits of NTP; 1/65536 s */
} RtcpReportBlock;

typedef struct {
  RtcpSdesType type; /* CNAME to NOTE */
  const char *text;  /* UTF-8; cut at 255 bytes */
} RtcpSdesItem;

/* What arrived of one SSRC. */
typedef struct {
  uint32_t ssrc;
  ArrivalHistory *history;
} RtcpCcfbStream;

/* RFC 5761 4: on a port shared with RTP, is this RTCP? */
static inline bool
rtcp_is_rtcp (const uint8_t *data, size_t size)
{
  return size >= 4 && (data[0] >> 6) == 2 && data[1] >= 192 && data[1] <= 223;
}

/* RFC 3550 6.4.1: the round trip that a report block on one of our SSRCs tells, A - LSR - DLSR. ntp_now: A, on the
   clock of our SRs. 0: no sample (no SR echoed, or an impossible one); else 1/65536 s at least. */
static inline CcDuration
rtcp_round_trip (const RtcpReportBlock *block, uint64_t ntp_now)
{
  const uint32_t longest = 10u << 16, rtt = (uint32_t)(ntp_now >> 16) - block->lsr - block->dlsr;

  if (block->lsr == 0 || rtt >= longest)
    return 0;
  return (uint64_t)(rtt > 1 ? rtt : 1) * CC_SECOND >> 16;
}

#ifdef __cplusplus
}
#endif
#endif
