/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccrtcpprivate.h"

/* RFC 3550 6.4.1 has multiples of four; peers count the one to three bytes behind the deltas of TWCC as well. */
static gboolean
may_pad_bytes (GstRTCPPacket *packet)
{
  return gst_rtcp_packet_get_type (packet) == GST_RTCP_TYPE_RTPFB &&
         gst_rtcp_packet_get_count (packet) == RTCP_FB_FMT_TWCC;
}

static gboolean
measure (GstCcRtcpWalk *w)
{
  const guint8 *data = w->packet.rtcp->map.data + w->packet.offset;
  gsize padding;

  w->body = 4 * (gsize)gst_rtcp_packet_get_length (&w->packet);
  if (!gst_rtcp_packet_get_padding (&w->packet))
    return TRUE;
  padding = data[4 + w->body - 1];
  if (padding == 0 || padding > w->body || (padding % 4 != 0 && !may_pad_bytes (&w->packet)))
    return FALSE;
  w->body -= padding;
  return TRUE;
}

static void
walk_report_blocks (GstCcRtcpWalk *w, guint32 sender)
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
walk_sr (GstCcRtcpWalk *w)
{
  GstCcSenderInfo info;

  if (w->body < 24 + 24 * (gsize)gst_rtcp_packet_get_rb_count (&w->packet))
    return FALSE;
  gst_rtcp_packet_sr_get_sender_info (
      &w->packet, &info.ssrc, &info.ntp_time, &info.rtp_time, &info.packet_count, &info.octet_count);
  gst_cc_rtcp_walk_speaks (w, info.ssrc);
  if (w->handlers->sr != NULL)
    w->handlers->sr (w->user, &info);
  walk_report_blocks (w, info.ssrc);
  return TRUE;
}

static gboolean
walk_rr (GstCcRtcpWalk *w)
{
  guint32 sender;

  if (w->body < 4 + 24 * (gsize)gst_rtcp_packet_get_rb_count (&w->packet))
    return FALSE;
  sender = gst_rtcp_packet_rr_get_ssrc (&w->packet);
  gst_cc_rtcp_walk_speaks (w, sender);
  walk_report_blocks (w, sender);
  return TRUE;
}

static void
hand_sdes_item (GstCcRtcpWalk *w, guint32 ssrc, GstRTCPSDESType type, const guint8 *text, gsize length)
{
  gchar *copy = g_strndup ((const gchar *)text, length);

  if (type == GST_RTCP_SDES_CNAME && w->handlers->cname != NULL)
    w->handlers->cname (w->user, ssrc, copy);
  if (w->handlers->sdes != NULL)
    w->handlers->sdes (w->user, ssrc, type, copy);
  g_free (copy);
}

/* One chunk: SSRC, items, a zero, padding to a word. Returns the bytes taken, 0 where it runs over the end. */
static gsize
walk_sdes_chunk (GstCcRtcpWalk *w, const guint8 *chunk, gsize size)
{
  guint32 ssrc = GST_READ_UINT32_BE (chunk);
  gsize at = 4;

  gst_cc_rtcp_walk_speaks (w, ssrc);
  while (at < size && chunk[at] != GST_RTCP_SDES_END) {
    gsize length;

    if (at + 2 > size || at + 2 + chunk[at + 1] > size)
      return 0;
    length = chunk[at + 1];
    if (chunk[at] <= GST_RTCP_SDES_NOTE)
      hand_sdes_item (w, ssrc, (GstRTCPSDESType)chunk[at], chunk + at + 2, length);
    at += 2 + length;
  }
  return at < size ? GST_ROUND_UP_4 (at + 1) : 0;
}

static gboolean
walk_sdes (GstCcRtcpWalk *w)
{
  const guint8 *body = gst_cc_rtcp_walk_body (w);
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

/* RFC 3550 6.6: behind the SSRCs an optional length and as many bytes of text. */
static gboolean
walk_bye_reason (GstCcRtcpWalk *w, const guint8 *at, gsize size, guint32 ssrc)
{
  gchar *reason;

  if (size == 0)
    return TRUE;
  if (1 + (gsize)at[0] > size)
    return FALSE;
  if (at[0] > 0 && w->handlers->bye_reason != NULL) {
    reason = g_strndup ((const gchar *)at + 1, at[0]);
    w->handlers->bye_reason (w->user, ssrc, reason);
    g_free (reason);
  }
  return TRUE;
}

static gboolean
walk_bye (GstCcRtcpWalk *w)
{
  const guint8 *body = gst_cc_rtcp_walk_body (w);
  guint i, n = gst_rtcp_packet_get_count (&w->packet);
  gsize ssrcs = 4 * (gsize)n;

  if (w->body < ssrcs)
    return FALSE;
  if (n > 0 && !walk_bye_reason (w, body + ssrcs, w->body - ssrcs, GST_READ_UINT32_BE (body)))
    return FALSE;
  for (i = 0; i < n && w->handlers->bye != NULL; i++)
    w->handlers->bye (w->user, GST_READ_UINT32_BE (body + 4 * i));
  return TRUE;
}

/* RFC 3550 6.7 */
static gboolean
walk_app (GstCcRtcpWalk *w)
{
  const guint8 *body = gst_cc_rtcp_walk_body (w);
  guint32 ssrc;

  if (w->body < 8)
    return FALSE;
  ssrc = GST_READ_UINT32_BE (body);
  gst_cc_rtcp_walk_speaks (w, ssrc);
  if (w->handlers->app != NULL)
    w->handlers->app (w->user, ssrc, gst_rtcp_packet_get_count (&w->packet), body + 4, body + 8, w->body - 8);
  return TRUE;
}

/* RFC 3611 2, 3: blocks of a type, a byte of its own, a length in words and as many words. */
static gboolean
walk_xr (GstCcRtcpWalk *w)
{
  const guint8 *body = gst_cc_rtcp_walk_body (w);
  guint32 ssrc;
  gsize at = 4, length;

  if (w->body < 4)
    return FALSE;
  ssrc = GST_READ_UINT32_BE (body);
  gst_cc_rtcp_walk_speaks (w, ssrc);
  for (; at + 4 <= w->body; at += 4 + length) {
    length = 4 * (gsize)GST_READ_UINT16_BE (body + at + 2);
    if (length > w->body - at - 4)
      return FALSE;
    if (w->handlers->xr_block != NULL)
      w->handlers->xr_block (w->user, ssrc, body[at], body[at + 1], body + at + 4, length);
  }
  return TRUE;
}

static gboolean
walk_packet (GstCcRtcpWalk *w, GstRTCPType type)
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
    return gst_cc_rtcp_walk_feedback (w, type);
  case GST_RTCP_TYPE_APP:
    return walk_app (w);
  case GST_RTCP_TYPE_XR:
    return walk_xr (w);
  default:
    return TRUE;
  }
}

gboolean
gst_cc_rtcp_walk (const guint8 *data, gsize size, const GstCcRtcpHandlers *handlers, gpointer user)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstBuffer *buffer;
  GstCcRtcpWalk w = {.handlers = handlers, .user = user};
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
