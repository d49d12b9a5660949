/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccrtcp.h"

#include <string.h>

#define FIR_ENTRY_SIZE 8
#define FEEDBACK_HEADER_SIZE 12

static gboolean
add_feedback (GstRTCPBuffer *rtcp, GstRTCPType type, guint8 fmt, guint32 sender_ssrc, guint32 media_ssrc,
    const guint8 *fci, gsize fci_size)
{
  GstRTCPPacket packet;

  if (fci_size % 4 != 0 || !gst_rtcp_buffer_add_packet (rtcp, type, &packet))
    return FALSE;
  gst_rtcp_packet_fb_set_type (&packet, (GstRTCPFBType)fmt);
  gst_rtcp_packet_fb_set_sender_ssrc (&packet, sender_ssrc);
  gst_rtcp_packet_fb_set_media_ssrc (&packet, media_ssrc);
  if (!gst_rtcp_packet_fb_set_fci_length (&packet, (guint16)(fci_size / 4))) {
    gst_rtcp_packet_remove (&packet);
    return FALSE;
  }
  if (fci_size > 0)
    memcpy (gst_rtcp_packet_fb_get_fci (&packet), fci, fci_size);
  return TRUE;
}

gboolean
gst_cc_rtcp_add_tfrc (GstRTCPBuffer *rtcp, guint32 sender_ssrc, guint32 media_ssrc, const TfrcReport *report)
{
  guint8 fci[RTCP_FB_TFRC_SIZE];
  gsize size = rtcp_fb_tfrc_write (fci, sizeof fci, report);

  return size > 0 && add_feedback (rtcp, GST_RTCP_TYPE_RTPFB, RTCP_FB_FMT_TFRC, sender_ssrc, media_ssrc, fci, size);
}

gboolean
gst_cc_rtcp_add_remb (GstRTCPBuffer *rtcp, guint32 sender_ssrc, const RtcpRemb *remb)
{
  guint8 fci[8 + 4 * RTCP_FB_REMB_MAX_SSRCS];
  gsize size = rtcp_fb_remb_write (fci, sizeof fci, remb);

  return size > 0 && add_feedback (rtcp, GST_RTCP_TYPE_PSFB, RTCP_FB_FMT_AFB, sender_ssrc, 0, fci, size);
}

gboolean
gst_cc_rtcp_add_path (GstRTCPBuffer *rtcp, guint32 sender_ssrc, guint32 media_ssrc, const RtcpPath *path)
{
  guint8 fci[RTCP_FB_PATH_SIZE];
  gsize size = rtcp_fb_path_write (fci, sizeof fci, path);

  return size > 0 && add_feedback (rtcp, GST_RTCP_TYPE_PSFB, RTCP_FB_FMT_AFB, sender_ssrc, media_ssrc, fci, size);
}

gboolean
gst_cc_rtcp_add_pli (GstRTCPBuffer *rtcp, guint32 sender_ssrc, guint32 media_ssrc)
{
  return add_feedback (rtcp, GST_RTCP_TYPE_PSFB, GST_RTCP_PSFB_TYPE_PLI, sender_ssrc, media_ssrc, NULL, 0);
}

gboolean
gst_cc_rtcp_add_fir (GstRTCPBuffer *rtcp, guint32 sender_ssrc, guint32 media_ssrc, guint8 seq)
{
  guint8 fci[FIR_ENTRY_SIZE] = {0};

  GST_WRITE_UINT32_BE (fci, media_ssrc);
  fci[4] = seq;
  /* RFC 5104 4.3.1.2: the media SSRC of the header is unused, 0 */
  return add_feedback (rtcp, GST_RTCP_TYPE_PSFB, GST_RTCP_PSFB_TYPE_FIR, sender_ssrc, 0, fci, sizeof fci);
}

/* What the FCI of one more message may take. */
static gsize
room (const GstRTCPBuffer *rtcp)
{
  gsize used = rtcp->map.size + FEEDBACK_HEADER_SIZE;

  return rtcp->map.maxsize > used ? rtcp->map.maxsize - used : 0;
}

gboolean
gst_cc_rtcp_add_nack (
    GstRTCPBuffer *rtcp, guint32 sender_ssrc, guint32 media_ssrc, const guint16 *seqs, guint n, guint *taken)
{
  guint8 fci[GST_CC_RTCP_MTU];
  gsize done, size = rtcp_nack_write (fci, MIN (room (rtcp), sizeof fci), seqs, n, &done);

  if (size == 0 || !add_feedback (rtcp, GST_RTCP_TYPE_RTPFB, RTCP_FB_FMT_NACK, sender_ssrc, media_ssrc, fci, size))
    return FALSE;
  if (taken != NULL)
    *taken = (guint)done;
  return TRUE;
}

gboolean
gst_cc_rtcp_add_sli (GstRTCPBuffer *rtcp, guint32 sender_ssrc, guint32 media_ssrc, const RtcpSli *slices, guint n)
{
  guint8 fci[GST_CC_RTCP_MTU];
  gsize size = rtcp_sli_write (fci, sizeof fci, slices, n);

  return size > 0 && add_feedback (rtcp, GST_RTCP_TYPE_PSFB, RTCP_FB_FMT_SLI, sender_ssrc, media_ssrc, fci, size);
}

gboolean
gst_cc_rtcp_add_rpsi (GstRTCPBuffer *rtcp, guint32 sender_ssrc, guint32 media_ssrc, const RtcpRpsi *rpsi)
{
  guint8 fci[RTCP_RPSI_MAX_SIZE];
  gsize size = rtcp_rpsi_write (fci, sizeof fci, rpsi);

  return size > 0 && add_feedback (rtcp, GST_RTCP_TYPE_PSFB, RTCP_FB_FMT_RPSI, sender_ssrc, media_ssrc, fci, size);
}

gboolean
gst_cc_rtcp_add_afb (GstRTCPBuffer *rtcp, guint32 sender_ssrc, guint32 media_ssrc, const guint8 *fci, gsize size)
{
  return add_feedback (rtcp, GST_RTCP_TYPE_PSFB, RTCP_FB_FMT_AFB, sender_ssrc, media_ssrc, fci, size);
}

gboolean
gst_cc_rtcp_add_ccfb (
    GstRTCPBuffer *rtcp, guint32 sender_ssrc, const GstCcCcfbStream *streams, guint n, CcTime now, guint32 rts)
{
  /* the body begins where the SSRC of a media source stands in other messages */
  gsize capacity = MIN (room (rtcp), GST_CC_RTCP_MTU) + 4, size;
  guint8 body[GST_CC_RTCP_MTU + 4];
  RtcpCcfbWriter writer;
  ArrivalRange range;
  guint i;

  rtcp_ccfb_begin (&writer, body, capacity, now);
  for (i = 0; i < n; i++)
    if (arrival_history_range (streams[i].history, &range) &&
        !rtcp_ccfb_add (&writer, streams[i].ssrc, streams[i].history))
      break;
  if (writer.size == 0)
    return FALSE;
  size = rtcp_ccfb_end (&writer, rts);
  return add_feedback (
      rtcp, GST_RTCP_TYPE_RTPFB, RTCP_FB_FMT_CCFB, sender_ssrc, GST_READ_UINT32_BE (body), body + 4, size - 4);
}

gboolean
gst_cc_rtcp_add_twcc (
    GstRTCPBuffer *rtcp, guint32 sender_ssrc, guint32 media_ssrc, ArrivalHistory *history, guint8 *fb_pkt_count)
{
  guint8 fci[GST_CC_RTCP_MTU];
  gsize size = rtcp_twcc_write (fci, MIN (room (rtcp), sizeof fci), history, *fb_pkt_count);

  if (size == 0 || !add_feedback (rtcp, GST_RTCP_TYPE_RTPFB, RTCP_FB_FMT_TWCC, sender_ssrc, media_ssrc, fci, size))
    return FALSE;
  (*fb_pkt_count)++;
  return TRUE;
}

/* RFC 5104 4.2.1.2, 4.2.2.2: the media SSRC of the header is unused, 0. */
static gboolean
add_tmmb (GstRTCPBuffer *rtcp, guint8 fmt, guint32 sender_ssrc, const RtcpTmmb *entries, guint n)
{
  guint8 fci[GST_CC_RTCP_MTU];
  gsize size = rtcp_tmmb_write (fci, sizeof fci, entries, n);

  return (size > 0 || n == 0) && add_feedback (rtcp, GST_RTCP_TYPE_RTPFB, fmt, sender_ssrc, 0, fci, size);
}

gboolean
gst_cc_rtcp_add_tmmbr (GstRTCPBuffer *rtcp, guint32 sender_ssrc, const RtcpTmmb *entries, guint n)
{
  return n > 0 && add_tmmb (rtcp, RTCP_FB_FMT_TMMBR, sender_ssrc, entries, n);
}

gboolean
gst_cc_rtcp_add_tmmbn (GstRTCPBuffer *rtcp, guint32 sender_ssrc, const RtcpTmmb *entries, guint n)
{
  return add_tmmb (rtcp, RTCP_FB_FMT_TMMBN, sender_ssrc, entries, n);
}

gboolean
gst_cc_rtcp_add_queued (GstRTCPBuffer *rtcp, guint32 sender_ssrc, const FbQueued *queued)
{
  guint8 fmt = RTCP_FB_FMT_AFB;
  gchar name[5] = {0};

  switch (queued->kind) {
  case FB_QUEUE_APP:
    memcpy (name, queued->bytes, 4);
    return gst_cc_rtcp_add_app (rtcp, sender_ssrc, queued->subtype, name, queued->bytes + 4, queued->size - 4);
  case FB_QUEUE_SLI:
    fmt = RTCP_FB_FMT_SLI;
    break;
  case FB_QUEUE_RPSI:
    fmt = RTCP_FB_FMT_RPSI;
    break;
  default:
    break;
  }
  return add_feedback (rtcp, GST_RTCP_TYPE_PSFB, fmt, sender_ssrc, queued->media_ssrc, queued->bytes, queued->size);
}
