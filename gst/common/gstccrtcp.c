/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccrtcp.h"

#include <string.h>

#define NTP_TO_UNIX_SECONDS G_GUINT64_CONSTANT (2208988800)
#define FIR_ENTRY_SIZE 8

static void
add_report_blocks (GstRTCPPacket *packet, const GstCcReportBlock *blocks, guint n_blocks)
{
  guint i;

  for (i = 0; i < n_blocks; i++) {
    const GstCcReportBlock *b = &blocks[i];

    if (!gst_rtcp_packet_add_rb (packet, b->ssrc, b->fraction_lost, CLAMP (b->packets_lost, -0x800000, 0x7fffff),
            b->ext_highest_seq, b->jitter, b->lsr, b->dlsr))
      return;
  }
}

gboolean
gst_cc_rtcp_add_sr (GstRTCPBuffer *rtcp, const GstCcSenderInfo *info, const GstCcReportBlock *blocks, guint n_blocks)
{
  GstRTCPPacket packet;

  if (!gst_rtcp_buffer_add_packet (rtcp, GST_RTCP_TYPE_SR, &packet))
    return FALSE;
  gst_rtcp_packet_sr_set_sender_info (
      &packet, info->ssrc, info->ntp_time, info->rtp_time, info->packet_count, info->octet_count);
  add_report_blocks (&packet, blocks, n_blocks);
  return TRUE;
}

gboolean
gst_cc_rtcp_add_rr (GstRTCPBuffer *rtcp, guint32 ssrc, const GstCcReportBlock *blocks, guint n_blocks)
{
  GstRTCPPacket packet;

  if (!gst_rtcp_buffer_add_packet (rtcp, GST_RTCP_TYPE_RR, &packet))
    return FALSE;
  gst_rtcp_packet_rr_set_ssrc (&packet, ssrc);
  add_report_blocks (&packet, blocks, n_blocks);
  return TRUE;
}

gboolean
gst_cc_rtcp_add_cname (GstRTCPBuffer *rtcp, guint32 ssrc, const gchar *cname)
{
  GstRTCPPacket packet;

  if (!gst_rtcp_buffer_add_packet (rtcp, GST_RTCP_TYPE_SDES, &packet))
    return FALSE;
  if (gst_rtcp_packet_sdes_add_item (&packet, ssrc) && gst_rtcp_packet_sdes_add_entry (&packet, GST_RTCP_SDES_CNAME,
                                                           (guint8)MIN (strlen (cname), 255), (const guint8 *)cname))
    return TRUE;
  gst_rtcp_packet_remove (&packet);
  return FALSE;
}

gboolean
gst_cc_rtcp_add_bye (GstRTCPBuffer *rtcp, const guint32 *ssrcs, guint n_ssrcs)
{
  GstRTCPPacket packet;
  guint i;

  if (!gst_rtcp_buffer_add_packet (rtcp, GST_RTCP_TYPE_BYE, &packet))
    return FALSE;
  for (i = 0; i < n_ssrcs; i++)
    if (!gst_rtcp_packet_bye_add_ssrc (&packet, ssrcs[i])) {
      gst_rtcp_packet_remove (&packet);
      return FALSE;
    }
  return TRUE;
}

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

/* The packet as it lies in memory: GstRTCPBuffer's accessors trust the counts of the header, so every body is measured
   here first. */
typedef struct {
  GstRTCPPacket packet;
  gsize body; /* bytes behind the first word, padding taken off */
  const GstCcRtcpHandlers *handlers;
  gpointer user;
} Walk;

static gboolean
measure (Walk *w)
{
  const guint8 *data = w->packet.rtcp->map.data + w->packet.offset;
  gsize padding;

  w->body = 4 * (gsize)gst_rtcp_packet_get_length (&w->packet);
  if (!gst_rtcp_packet_get_padding (&w->packet))
    return TRUE;
  padding = data[4 + w->body - 1];
  if (padding == 0 || padding % 4 != 0 || padding > w->body)
    return FALSE;
  w->body -= padding;
  return TRUE;
}

static void
walk_report_blocks (Walk *w, guint32 sender)
{
  guint i, n = gst_rtcp_packet_get_rb_count (&w->packet);

  for (i = 0; i < n && w->handlers->report_block != NULL; i++) {
    GstCcReportBlock b;

    gst_rtcp_packet_get_rb (
        &w->packet, i, &b.ssrc, &b.fraction_lost, &b.packets_lost, &b.ext_highest_seq, &b.jitter, &b.lsr, &b.dlsr);
    w->handlers->report_block (w->user, sender, &b);
  }
}

static gboolean
walk_sr (Walk *w)
{
  GstCcSenderInfo info;

  if (w->body < 24 + 24 * (gsize)gst_rtcp_packet_get_rb_count (&w->packet))
    return FALSE;
  gst_rtcp_packet_sr_get_sender_info (
      &w->packet, &info.ssrc, &info.ntp_time, &info.rtp_time, &info.packet_count, &info.octet_count);
  if (w->handlers->sr != NULL)
    w->handlers->sr (w->user, &info);
  walk_report_blocks (w, info.ssrc);
  return TRUE;
}

static gboolean
walk_rr (Walk *w)
{
  if (w->body < 4 + 24 * (gsize)gst_rtcp_packet_get_rb_count (&w->packet))
    return FALSE;
  walk_report_blocks (w, gst_rtcp_packet_rr_get_ssrc (&w->packet));
  return TRUE;
}

/* One chunk: SSRC, items, a zero, padding to a word. Returns the bytes taken, 0 where it runs over the end. */
static gsize
walk_sdes_chunk (Walk *w, const guint8 *chunk, gsize size)
{
  gsize at = 4;

  while (at < size && chunk[at] != GST_RTCP_SDES_END) {
    gsize length;

    if (at + 2 > size || at + 2 + chunk[at + 1] > size)
      return 0;
    length = chunk[at + 1];
    if (chunk[at] == GST_RTCP_SDES_CNAME && w->handlers->cname != NULL) {
      gchar *cname = g_strndup ((const gchar *)chunk + at + 2, length);

      w->handlers->cname (w->user, GST_READ_UINT32_BE (chunk), cname);
      g_free (cname);
    }
    at += 2 + length;
  }
  return at < size ? GST_ROUND_UP_4 (at + 1) : 0;
}

static gboolean
walk_sdes (Walk *w)
{
  const guint8 *body = w->packet.rtcp->map.data + w->packet.offset + 4;
  guint i, n = gst_rtcp_packet_get_count (&w->packet);
  gsize at = 0;

  for (i = 0; i < n; i++) {
    gsize taken = at + 8 <= w->body ? walk_sdes_chunk (w, body + at, w->body - at) : 0;

    if (taken == 0)
      return FALSE;
    at += taken;
  }
  return TRUE;
}

static gboolean
walk_bye (Walk *w)
{
  guint i, n = gst_rtcp_packet_get_count (&w->packet);

  if (w->body < 4 * (gsize)n)
    return FALSE;
  for (i = 0; i < n && w->handlers->bye != NULL; i++)
    w->handlers->bye (w->user, gst_rtcp_packet_bye_get_nth_ssrc (&w->packet, i));
  return TRUE;
}

static gboolean
walk_fir (Walk *w, guint32 sender, const guint8 *fci, gsize size)
{
  gsize at;

  if (size == 0 || size % FIR_ENTRY_SIZE != 0)
    return FALSE;
  for (at = 0; at < size && w->handlers->fir != NULL; at += FIR_ENTRY_SIZE)
    w->handlers->fir (w->user, sender, GST_READ_UINT32_BE (fci + at), fci[at + 4]);
  return TRUE;
}

/* Application feedback is whoever's: what is neither REMB nor PATH is skipped. */
static gboolean
walk_application_feedback (Walk *w, guint32 sender, guint32 media, const guint8 *fci, gsize size)
{
  RtcpRemb remb;
  RtcpPath path;

  if (rtcp_fb_remb_parse (fci, size, &remb)) {
    if (w->handlers->remb != NULL)
      w->handlers->remb (w->user, sender, &remb);
  } else if (rtcp_fb_path_parse (fci, size, &path)) {
    if (w->handlers->path != NULL)
      w->handlers->path (w->user, sender, media, &path);
  }
  return TRUE;
}

static gboolean
walk_feedback (Walk *w, GstRTCPType type)
{
  const guint8 *body = w->packet.rtcp->map.data + w->packet.offset + 4, *fci = body + 8;
  guint fmt = gst_rtcp_packet_get_count (&w->packet);
  guint32 sender, media;
  gsize size;
  TfrcReport report;

  if (w->body < 8)
    return FALSE;
  sender = GST_READ_UINT32_BE (body);
  media = GST_READ_UINT32_BE (body + 4);
  size = w->body - 8;
  if (type == GST_RTCP_TYPE_RTPFB) {
    if (fmt != RTCP_FB_FMT_TFRC)
      return TRUE;
    if (!rtcp_fb_tfrc_parse (fci, size, &report))
      return FALSE;
    if (w->handlers->tfrc != NULL)
      w->handlers->tfrc (w->user, sender, media, &report);
    return TRUE;
  }
  if (fmt == GST_RTCP_PSFB_TYPE_FIR)
    return walk_fir (w, sender, fci, size);
  if (fmt == RTCP_FB_FMT_AFB)
    return walk_application_feedback (w, sender, media, fci, size);
  if (fmt == GST_RTCP_PSFB_TYPE_PLI && w->handlers->pli != NULL)
    w->handlers->pli (w->user, sender, media);
  return TRUE;
}

static gboolean
walk_packet (Walk *w, GstRTCPType type)
{
  if (!measure (w))
    return FALSE;
  switch (type) {
  case GST_RTCP_TYPE_SR:
    return walk_sr (w);
  case GST_RTCP_TYPE_RR:
    return walk_rr (w);
  case GST_RTCP_TYPE_SDES:
    return walk_sdes (w);
  case GST_RTCP_TYPE_BYE:
    return walk_bye (w);
  case GST_RTCP_TYPE_RTPFB:
  case GST_RTCP_TYPE_PSFB:
    return walk_feedback (w, type);
  default:
    return TRUE;
  }
}

gboolean
gst_cc_rtcp_walk (const guint8 *data, gsize size, const GstCcRtcpHandlers *handlers, gpointer user)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstBuffer *buffer;
  Walk w = {.handlers = handlers, .user = user};
  gboolean found, more;

  if (size > G_MAXUINT16 || !gst_rtcp_buffer_validate_data_reduced ((guint8 *)data, (guint)size))
    return FALSE;
  buffer = gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY, (gpointer)data, size, 0, size, NULL, NULL);
  gst_rtcp_buffer_map (buffer, GST_MAP_READ, &rtcp);
  found = more = gst_rtcp_buffer_get_first_packet (&rtcp, &w.packet);
  while (more) {
    GstRTCPType type = gst_rtcp_packet_get_type (&w.packet);

    if (!walk_packet (&w, type) && handlers->malformed != NULL)
      handlers->malformed (user, type);
    more = gst_rtcp_packet_move_to_next (&w.packet);
  }
  gst_rtcp_buffer_unmap (&rtcp);
  gst_buffer_unref (buffer);
  return found;
}

gchar *
gst_cc_rtcp_new_cname (void)
{
  guint32 bits[3] = {g_random_int (), g_random_int (), g_random_int ()};

  return g_base64_encode ((const guchar *)bits, sizeof bits);
}

guint64
gst_cc_rtcp_ntp_time (gint64 real_time_us)
{
  guint64 seconds = (guint64)real_time_us / G_USEC_PER_SEC, us = (guint64)real_time_us % G_USEC_PER_SEC;

  return ((seconds + NTP_TO_UNIX_SECONDS) << 32) | ((us << 32) / G_USEC_PER_SEC);
}
