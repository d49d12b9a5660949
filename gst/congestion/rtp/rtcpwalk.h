/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One walk hands every item of a received RTCP packet, compound or of reduced size (RFC 5506), to its handler. What is
   handed over was measured first; who says it was not asked. */
#ifndef RTCPWALK_H
#define RTCPWALK_H

#include "rtcpccfb.h"
#include "rtcpfeedback.h"
#include "rtcppackets.h"
#include "rtcppicture.h"
#include "rtcptmmb.h"
#include "rtcptwcc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What one received message hands over at most: a packet of the MTU full of NACK entries has 17 x 297. */
#define RTCP_WALK_MAX_NACKS 5049
#define RTCP_WALK_MAX_SLICES 297
#define RTCP_WALK_MAX_TMMB 148

/* Every handler may be NULL. sender: the SSRC that speaks; media: the SSRC it speaks about. Text is as it came: it may
   be no UTF-8. Pointers are valid during the call. */
typedef struct {
  /* Who sent a packet, or is described in it (SDES), in front of what it says; not for BYE. */
  void (*speaks) (void *user, uint32_t ssrc);
  void (*sr) (void *user, const RtcpSenderInfo *info);
  void (*report_block) (void *user, uint32_t sender, const RtcpReportBlock *block);
  void (*cname) (void *user, uint32_t ssrc, const char *cname);
  void (*sdes) (void *user, uint32_t ssrc, RtcpSdesType type, const char *text); /* CNAME, too, to NOTE */
  void (*bye) (void *user, uint32_t ssrc);
  void (*bye_reason) (void *user, uint32_t ssrc, const char *reason); /* in front of bye, for its first SSRC */
  void (*app) (void *user, uint32_t ssrc, uint8_t subtype, const uint8_t name[4], const uint8_t *data, size_t size);
  void (*xr_block) (void *user, uint32_t sender, uint8_t type, uint8_t specific, const uint8_t *content,
      size_t size); /* RFC 3611 3 */
  void (*tfrc) (void *user, uint32_t sender, uint32_t media, const TfrcReport *report);
  void (*remb) (void *user, uint32_t sender, const RtcpRemb *remb);
  void (*path) (void *user, uint32_t sender, uint32_t media, const RtcpPath *path);
  void (*pli) (void *user, uint32_t sender, uint32_t media);
  void (*fir) (void *user, uint32_t sender, uint32_t media, uint8_t seq);
  void (*nack) (void *user, uint32_t sender, uint32_t media, const uint16_t *seqs, unsigned n);
  void (*sli) (void *user, uint32_t sender, uint32_t media, const RtcpSli *slices, unsigned n);
  void (*rpsi) (void *user, uint32_t sender, uint32_t media, const RtcpRpsi *rpsi);
  void (*afb) (void *user, uint32_t sender, uint32_t media, const uint8_t *fci, size_t size); /* neither of the above */
  /* Readers stand at the beginning; a copy of one reads on. */
  void (*ccfb) (void *user, uint32_t sender, const RtcpCcfbReader *report);
  void (*twcc) (void *user, uint32_t sender, uint32_t media, const RtcpTwccReader *report);
  void (*tmmbr) (void *user, uint32_t sender, const RtcpTmmb *entry);               /* for each entry */
  void (*tmmbn) (void *user, uint32_t sender, const RtcpTmmb *entries, unsigned n); /* whole, up to the MTU */
  void (*malformed) (void *user, unsigned packet_type); /* a packet of a known kind with an impossible body */
} RtcpHandlers;

/* false, with no handler called, where data is no RTCP; packets of unknown kinds are skipped. */
bool rtcp_walk (const uint8_t *data, size_t size, const RtcpHandlers *handlers, void *user);

/* The packets of a compound as they lie in memory (RFC 3550 6.1): the size of the one that begins at `at` (<=
   size); 0: there is none that is whole. */
size_t rtcp_packet_at (const uint8_t *data, size_t size, size_t at);

#ifdef __cplusplus
}
#endif
#endif
