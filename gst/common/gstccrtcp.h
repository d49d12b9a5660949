/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP as both ends of a flow use it: one call adds one packet to a compound under construction, one walk hands every
   item of a received packet, compound or of reduced size (RFC 5506), to its handler. The frame is GstRTCPBuffer's, the
   feedback payloads are the core's (rtcpfeedback.h, rtcpnack.h, rtcppicture.h, rtcpccfb.h,
   rtcptwcc.h, rtcptmmb.h). */
#ifndef GST_CC_RTCP_H
#define GST_CC_RTCP_H

#include <gst/gst.h>
#include <gst/rtp/gstrtcpbuffer.h>

#include "rtcpccfb.h"
#include "fbqueue.h"
#include "rtcpfeedback.h"
#include "rtcpnack.h"
#include "rtcppicture.h"
#include "rtcptmmb.h"
#include "rtcptwcc.h"

G_BEGIN_DECLS

#define GST_CC_RTCP_MTU 1200 /* bytes a compound is built in */
/* What one received message hands over at most: a packet of the MTU full of NACK entries has 17 x 297. */
#define GST_CC_RTCP_MAX_NACKS 5049
#define GST_CC_RTCP_MAX_SLICES 297
#define GST_CC_RTCP_MAX_TMMB 148

typedef struct {
  guint32 ssrc;
  guint64 ntp_time; /* 32.32 fixed point, 1900 */
  guint32 rtp_time;
  guint32 packet_count, octet_count; /* payload octets */
} GstCcSenderInfo;

typedef struct {
  guint32 ssrc; /* the source reported on */
  guint8 fraction_lost;
  gint32 packets_lost; /* 24 bits, signed */
  guint32 ext_highest_seq;
  guint32 jitter;    /* RTP timestamp units */
  guint32 lsr, dlsr; /* middle 32 bits of NTP; 1/65536 s */
} GstCcReportBlock;

typedef struct {
  GstRTCPSDESType type; /* CNAME to NOTE */
  const gchar *text;    /* UTF-8; cut at 255 bytes */
} GstCcSdesItem;

/* What arrived of one SSRC. */
typedef struct {
  guint32 ssrc;
  ArrivalHistory *history;
} GstCcCcfbStream;

/* Builders: FALSE where the packet does not fit any more; nothing is added then. */
gboolean gst_cc_rtcp_add_sr (
    GstRTCPBuffer *rtcp, const GstCcSenderInfo *info, const GstCcReportBlock *blocks, guint n_blocks);
gboolean gst_cc_rtcp_add_rr (GstRTCPBuffer *rtcp, guint32 ssrc, const GstCcReportBlock *blocks, guint n_blocks);
gboolean gst_cc_rtcp_add_cname (GstRTCPBuffer *rtcp, guint32 ssrc, const gchar *cname);
gboolean gst_cc_rtcp_add_sdes (GstRTCPBuffer *rtcp, guint32 ssrc, const GstCcSdesItem *items, guint n);
gboolean gst_cc_rtcp_add_bye (GstRTCPBuffer *rtcp, const guint32 *ssrcs, guint n_ssrcs);
/* reason: UTF-8, at most 255 bytes; NULL or empty: none. */
gboolean gst_cc_rtcp_add_bye_with_reason (
    GstRTCPBuffer *rtcp, const guint32 *ssrcs, guint n_ssrcs, const gchar *reason);
/* subtype: 5 bits; name: four ASCII characters; size: a multiple of 4. */
gboolean gst_cc_rtcp_add_app (
    GstRTCPBuffer *rtcp, guint32 ssrc, guint8 subtype, const gchar *name, const guint8 *data, gsize size);
gboolean gst_cc_rtcp_add_tfrc (GstRTCPBuffer *rtcp, guint32 sender_ssrc, guint32 media_ssrc, const TfrcReport *report);
gboolean gst_cc_rtcp_add_remb (GstRTCPBuffer *rtcp, guint32 sender_ssrc, const RtcpRemb *remb);
gboolean gst_cc_rtcp_add_path (GstRTCPBuffer *rtcp, guint32 sender_ssrc, guint32 media_ssrc, const RtcpPath *path);
gboolean gst_cc_rtcp_add_pli (GstRTCPBuffer *rtcp, guint32 sender_ssrc, guint32 media_ssrc);
/* seq: RFC 5104 4.3.1.1, one more for every new request. */
gboolean gst_cc_rtcp_add_fir (GstRTCPBuffer *rtcp, guint32 sender_ssrc, guint32 media_ssrc, guint8 seq);
/* seqs: rising modulo 2^16. As many as fit go in; taken may be NULL. FALSE: not one. */
gboolean gst_cc_rtcp_add_nack (
    GstRTCPBuffer *rtcp, guint32 sender_ssrc, guint32 media_ssrc, const guint16 *seqs, guint n, guint *taken);
gboolean gst_cc_rtcp_add_sli (
    GstRTCPBuffer *rtcp, guint32 sender_ssrc, guint32 media_ssrc, const RtcpSli *slices, guint n);
gboolean gst_cc_rtcp_add_rpsi (GstRTCPBuffer *rtcp, guint32 sender_ssrc, guint32 media_ssrc, const RtcpRpsi *rpsi);
/* Application feedback as the application made it; size: a multiple of 4. */
gboolean gst_cc_rtcp_add_afb (
    GstRTCPBuffer *rtcp, guint32 sender_ssrc, guint32 media_ssrc, const guint8 *fci, gsize size);
/* RFC 8888: a report block for each stream with new arrivals, as far as there is room; what is in the message counts as
   reported, and where arrival_history_range () still has something another message is due. rts: the middle 32 bits of
   the NTP time that `now` is. FALSE: nothing new, or no room. */
gboolean gst_cc_rtcp_add_ccfb (
    GstRTCPBuffer *rtcp, guint32 sender_ssrc, const GstCcCcfbStream *streams, guint n, CcTime now, guint32 rts);
/* The same for transport-wide numbers. fb_pkt_count: of this message; one more where one was added. */
gboolean gst_cc_rtcp_add_twcc (
    GstRTCPBuffer *rtcp, guint32 sender_ssrc, guint32 media_ssrc, ArrivalHistory *history, guint8 *fb_pkt_count);
gboolean gst_cc_rtcp_add_tmmbr (GstRTCPBuffer *rtcp, guint32 sender_ssrc, const RtcpTmmb *entries, guint n);
/* n 0: nobody limits. */
gboolean gst_cc_rtcp_add_tmmbn (GstRTCPBuffer *rtcp, guint32 sender_ssrc, const RtcpTmmb *entries, guint n);
/* What an application has queued, whatever its kind. */
gboolean gst_cc_rtcp_add_queued (GstRTCPBuffer *rtcp, guint32 sender_ssrc, const FbQueued *queued);

/* Every handler may be NULL. sender: the SSRC that speaks; media: the SSRC it speaks about. Text is as it came: it may
   be no UTF-8. Pointers are valid during the call. */
typedef struct {
  /* Who sent a packet, or is described in it (SDES), in front of what it says; not for BYE. */
  void (*speaks) (gpointer user, guint32 ssrc);
  void (*sr) (gpointer user, const GstCcSenderInfo *info);
  void (*report_block) (gpointer user, guint32 sender, const GstCcReportBlock *block);
  void (*cname) (gpointer user, guint32 ssrc, const gchar *cname);
  void (*sdes) (gpointer user, guint32 ssrc, GstRTCPSDESType type, const gchar *text); /* CNAME, too, to NOTE */
  void (*bye) (gpointer user, guint32 ssrc);
  void (*bye_reason) (gpointer user, guint32 ssrc, const gchar *reason); /* in front of bye, for its first SSRC */
  void (*app) (gpointer user, guint32 ssrc, guint8 subtype, const guint8 name[4], const guint8 *data, gsize size);
  void (*xr_block) (
      gpointer user, guint32 sender, guint8 type, guint8 specific, const guint8 *content, gsize size); /* RFC 3611 3 */
  void (*tfrc) (gpointer user, guint32 sender, guint32 media, const TfrcReport *report);
  void (*remb) (gpointer user, guint32 sender, const RtcpRemb *remb);
  void (*path) (gpointer user, guint32 sender, guint32 media, const RtcpPath *path);
  void (*pli) (gpointer user, guint32 sender, guint32 media);
  void (*fir) (gpointer user, guint32 sender, guint32 media, guint8 seq);
  void (*nack) (gpointer user, guint32 sender, guint32 media, const guint16 *seqs, guint n);
  void (*sli) (gpointer user, guint32 sender, guint32 media, const RtcpSli *slices, guint n);
  void (*rpsi) (gpointer user, guint32 sender, guint32 media, const RtcpRpsi *rpsi);
  void (*afb) (gpointer user, guint32 sender, guint32 media, const guint8 *fci, gsize size); /* neither of the above */
  /* Readers stand at the beginning; a copy of one reads on. */
  void (*ccfb) (gpointer user, guint32 sender, const RtcpCcfbReader *report);
  void (*twcc) (gpointer user, guint32 sender, guint32 media, const RtcpTwccReader *report);
  void (*tmmbr) (gpointer user, guint32 sender, const RtcpTmmb *entry);            /* for each entry */
  void (*tmmbn) (gpointer user, guint32 sender, const RtcpTmmb *entries, guint n); /* whole, up to the MTU */
  void (*malformed) (gpointer user, guint packet_type); /* a packet of a known kind with an impossible body */
} GstCcRtcpHandlers;

/* FALSE, with no handler called, where data is no RTCP; packets of unknown kinds are skipped. */
gboolean gst_cc_rtcp_walk (const guint8 *data, gsize size, const GstCcRtcpHandlers *handlers, gpointer user);

/* RFC 5761 4: on a port shared with RTP, is this RTCP? */
static inline gboolean
gst_cc_rtcp_is_rtcp (const guint8 *data, gsize size)
{
  return size >= 4 && (data[0] >> 6) == 2 && data[1] >= 192 && data[1] <= 223;
}

/* A per-session canonical name (RFC 7022 4.2): 96 random bits in base64. Free with g_free (). */
gchar *gst_cc_rtcp_new_cname (void);

/* Wall clock time in us since 1970 (g_get_real_time ()) to NTP 32.32. */
guint64 gst_cc_rtcp_ntp_time (gint64 real_time_us);

/* The same now: the wall clock when this was first asked for, and the monotonic clock since, so that a step of the wall
   clock is no round trip (RFC 3550 6.4.1 asks no more of SRs than that their times go on evenly). */
guint64 gst_cc_rtcp_ntp_now (void);

/* RFC 3550 6.4.1: the round trip that a report block on one of our SSRCs tells, A - LSR - DLSR. ntp_now: A, on the
   clock of our SRs. 0: no sample (no SR echoed, or an impossible one); else 1/65536 s at least. */
GstClockTime gst_cc_rtcp_round_trip (const GstCcReportBlock *block, guint64 ntp_now);

G_END_DECLS
#endif
