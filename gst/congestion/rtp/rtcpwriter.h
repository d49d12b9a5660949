/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An RTCP compound packet under construction (RFC 3550 6, RFC 4585 6): one call adds one packet. Feedback messages'
   contents: rtcpfeedback.h, rtcpnack.h, rtcppicture.h, rtcpccfb.h, rtcptwcc.h, rtcptmmb.h. */
#ifndef RTCPWRITER_H
#define RTCPWRITER_H

#include "fbqueue.h"
#include "rtcpfeedback.h"
#include "rtcppackets.h"
#include "rtcppicture.h"
#include "rtcptmmb.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  uint8_t *data; /* the caller's */
  size_t capacity, size;
} RtcpWriter;

static inline void
rtcp_writer_init (RtcpWriter *w, uint8_t *data, size_t capacity)
{
  *w = (RtcpWriter){data, capacity, 0};
}

/* All: false where the packet does not fit any more; nothing is added then. */

/* Of the report blocks those that fit, 31 at most, go in. */
bool rtcp_add_sr (RtcpWriter *w, const RtcpSenderInfo *info, const RtcpReportBlock *blocks, unsigned n_blocks);
bool rtcp_add_rr (RtcpWriter *w, uint32_t ssrc, const RtcpReportBlock *blocks, unsigned n_blocks);
bool rtcp_add_cname (RtcpWriter *w, uint32_t ssrc, const char *cname);
bool rtcp_add_sdes (RtcpWriter *w, uint32_t ssrc, const RtcpSdesItem *items, unsigned n);
bool rtcp_add_bye (RtcpWriter *w, const uint32_t *ssrcs, unsigned n_ssrcs);
/* reason: UTF-8, at most 255 bytes; NULL or empty: none. */
bool rtcp_add_bye_with_reason (RtcpWriter *w, const uint32_t *ssrcs, unsigned n_ssrcs, const char *reason);
/* subtype: 5 bits; name: four ASCII characters; size: a multiple of 4. */
bool rtcp_add_app (RtcpWriter *w, uint32_t ssrc, uint8_t subtype, const char *name, const uint8_t *data, size_t size);

bool rtcp_add_tfrc (RtcpWriter *w, uint32_t sender_ssrc, uint32_t media_ssrc, const TfrcReport *report);
bool rtcp_add_remb (RtcpWriter *w, uint32_t sender_ssrc, const RtcpRemb *remb);
bool rtcp_add_path (RtcpWriter *w, uint32_t sender_ssrc, uint32_t media_ssrc, const RtcpPath *path);
bool rtcp_add_pli (RtcpWriter *w, uint32_t sender_ssrc, uint32_t media_ssrc);
/* seq: RFC 5104 4.3.1.1, one more for every new request. */
bool rtcp_add_fir (RtcpWriter *w, uint32_t sender_ssrc, uint32_t media_ssrc, uint8_t seq);
/* seqs: rising modulo 2^16. As many as fit go in; taken may be NULL. False: not one. */
bool rtcp_add_nack (
    RtcpWriter *w, uint32_t sender_ssrc, uint32_t media_ssrc, const uint16_t *seqs, unsigned n, unsigned *taken);
bool rtcp_add_sli (RtcpWriter *w, uint32_t sender_ssrc, uint32_t media_ssrc, const RtcpSli *slices, unsigned n);
bool rtcp_add_rpsi (RtcpWriter *w, uint32_t sender_ssrc, uint32_t media_ssrc, const RtcpRpsi *rpsi);
/* Application feedback as the application made it; size: a multiple of 4. */
bool rtcp_add_afb (RtcpWriter *w, uint32_t sender_ssrc, uint32_t media_ssrc, const uint8_t *fci, size_t size);
/* RFC 8888: a report block for each stream with new arrivals, as far as there is room; what is in the message counts as
   reported, and where arrival_history_range () still has something another message is due. rts: the middle 32 bits of
   the NTP time that `now` is. False: nothing new, or no room. */
bool rtcp_add_ccfb (
    RtcpWriter *w, uint32_t sender_ssrc, const RtcpCcfbStream *streams, unsigned n, CcTime now, uint32_t rts);
/* The same for transport-wide numbers. fb_pkt_count: of this message; one more where one was added. */
bool rtcp_add_twcc (
    RtcpWriter *w, uint32_t sender_ssrc, uint32_t media_ssrc, ArrivalHistory *history, uint8_t *fb_pkt_count);
bool rtcp_add_tmmbr (RtcpWriter *w, uint32_t sender_ssrc, const RtcpTmmb *entries, unsigned n);
/* n 0: nobody limits. */
bool rtcp_add_tmmbn (RtcpWriter *w, uint32_t sender_ssrc, const RtcpTmmb *entries, unsigned n);
/* What an application has queued, whatever its kind. */
bool rtcp_add_queued (RtcpWriter *w, uint32_t sender_ssrc, const FbQueued *queued);

#ifdef __cplusplus
}
#endif
#endif
