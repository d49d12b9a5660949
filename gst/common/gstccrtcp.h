/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP as both ends of a flow use it: one call adds one packet to a compound under construction, one walk hands every
   item of a received packet, compound or of reduced size (RFC 5506), to its handler. The frame is GstRTCPBuffer's, the
   feedback payloads are rtcpfeedback.h's. */
#ifndef GST_CC_RTCP_H
#define GST_CC_RTCP_H

#include <gst/gst.h>
#include <gst/rtp/gstrtcpbuffer.h>

#include "rtcpfeedback.h"

G_BEGIN_DECLS

#define GST_CC_RTCP_MTU 1200 /* bytes a compound is built in */

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

/* Builders: FALSE where the packet does not fit any more; nothing is added then. */
gboolean gst_cc_rtcp_add_sr (
    GstRTCPBuffer *rtcp, const GstCcSenderInfo *info, const GstCcReportBlock *blocks, guint n_blocks);
gboolean gst_cc_rtcp_add_rr (GstRTCPBuffer *rtcp, guint32 ssrc, const GstCcReportBlock *blocks, guint n_blocks);
gboolean gst_cc_rtcp_add_cname (GstRTCPBuffer *rtcp, guint32 ssrc, const gchar *cname);
gboolean gst_cc_rtcp_add_bye (GstRTCPBuffer *rtcp, const guint32 *ssrcs, guint n_ssrcs);
gboolean gst_cc_rtcp_add_tfrc (GstRTCPBuffer *rtcp, guint32 sender_ssrc, guint32 media_ssrc, const TfrcReport *report);
gboolean gst_cc_rtcp_add_remb (GstRTCPBuffer *rtcp, guint32 sender_ssrc, const RtcpRemb *remb);
gboolean gst_cc_rtcp_add_path (GstRTCPBuffer *rtcp, guint32 sender_ssrc, guint32 media_ssrc, const RtcpPath *path);
gboolean gst_cc_rtcp_add_pli (GstRTCPBuffer *rtcp, guint32 sender_ssrc, guint32 media_ssrc);
/* seq: RFC 5104 4.3.1.1, one more for every new request. */
gboolean gst_cc_rtcp_add_fir (GstRTCPBuffer *rtcp, guint32 sender_ssrc, guint32 media_ssrc, guint8 seq);

/* Every handler may be NULL. sender: the SSRC that speaks; media: the SSRC it speaks about. */
typedef struct {
  void (*sr) (gpointer user, const GstCcSenderInfo *info);
  void (*report_block) (gpointer user, guint32 sender, const GstCcReportBlock *block);
  void (*cname) (gpointer user, guint32 ssrc, const gchar *cname);
  void (*bye) (gpointer user, guint32 ssrc);
  void (*tfrc) (gpointer user, guint32 sender, guint32 media, const TfrcReport *report);
  void (*remb) (gpointer user, guint32 sender, const RtcpRemb *remb);
  void (*path) (gpointer user, guint32 sender, guint32 media, const RtcpPath *path);
  void (*pli) (gpointer user, guint32 sender, guint32 media);
  void (*fir) (gpointer user, guint32 sender, guint32 media, guint8 seq);
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

G_END_DECLS
#endif
