/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccrtcpprivate.h"

#define HEADER_SIZE 4
#define REPORT_BLOCK_SIZE 24

static gsize
packet_size (const guint8 *packet)
{
  return 4 * ((gsize)GST_READ_UINT16_BE (packet + 2) + 1);
}

/* RFC 3550 A.2 as RFC 5506 4.2.1 relaxes it: every version is 2 and the lengths add up; the first packet may be of any
   kind. gst_rtcp_buffer_validate_data_reduced () would refuse a whole compound for TWCC padded by single bytes, and
   GstRTCPBuffer's walk ends at a packet of a kind it does not know. */
static gboolean
is_compound (const guint8 *data, gsize size)
{
  gsize at = 0;

  if (!gst_cc_rtcp_is_rtcp (data, size))
    return FALSE;
  while (size - at >= HEADER_SIZE && data[at] >> 6 == 2 && packet_size (data + at) <= size - at)
    at += packet_size (data + at);
  return at == size;
}

/* RFC 3550 6.4.1 has multiples of four; peers count the one to three bytes behind the deltas of TWCC as well. */
static gboolean
may_pad_bytes (const GstCcRtcpWalk *w)
{
  return w->type == GST_RTCP_TYPE_RTPFB && w->count == RTCP_FB_FMT_TWCC;
}

/* Takes the padding off. */
static gboolean
measure (GstCcRtcpWalk *w, const guint8 *packet)
{
  gsize size = packet_size (packet), padding;

  w->packet = packet;
  w->type = (GstRTCPType)packet[1];
  w->count = packet[0] & 0x1f;
  w->body = size - HEADER_SIZE;
  if (!(packet[0] & 0x20))
    return TRUE;
  padding = packet[size - 1];
  if (padding == 0 || padding > w->body || (padding % 4 != 0 && !may_pad_bytes (w)))
    return FALSE;
  w->body -= padding;
  return TRUE;
}

/* RFC 3550 6.4.1 */
static void
walk_report_blocks (GstCcRtcpWalk *w, guint32 sender, const guint8 *at)
{
  guint i;

  for (i = 0; i < w->count && w->handlers->report_block != NULL; i++, at += REPORT_BLOCK_SIZE) {
    GstCcReportBlock b = {.ssrc = GST_READ_UINT32_BE (at),
        .fraction_lost = at[4],
        .packets_lost = (gint32)GST_READ_UINT24_BE (at + 5),
        .ext_highest_seq = GST_READ_UINT32_BE (at + 8),
        .jitter = GST_READ_UINT32_BE (at + 12),
        .lsr = GST_READ_UINT32_BE (at + 16),
        .dlsr = GST_READ_UINT32_BE (at + 20)};

    if (b.packets_lost >= 0x800000)
      b.packets_lost -= 0x1000000;
    w->handlers->report_block (w->user, sender, &b);
  }
}

static gboolean
walk_sr (GstCcRtcpWalk *w)
{
  const guint8 *body = gst_cc_rtcp_walk_body (w);
  GstCcSenderInfo info;

  if (w->body < 24 + REPORT_BLOCK_SIZE * (gsize)w->count)
    return FALSE;
  info = (GstCcSenderInfo){.ssrc = GST_READ_UINT32_BE (body),
      .ntp_time = (guint64)GST_READ_UINT32_BE (body + 4) << 32 | GST_READ_UINT32_BE (body + 8),
      .rtp_time = GST_READ_UINT32_BE (body + 12),
      .packet_count = GST_READ_UINT32_BE (body + 16),
      .octet_count = GST_READ_UINT32_BE (body + 20)};
  gst_cc_rtcp_walk_speaks (w, info.ssrc);
  if (w->handlers->sr != NULL)
    w->handlers->sr (w->user, &info);
  walk_report_blocks (w, info.ssrc, body + 24);
  return TRUE;
}

static gboolean
walk_rr (GstCcRtcpWalk *w)
{
  const guint8 *body = gst_cc_rtcp_walk_body (w);
  guint32 sender;

  if (w->body < 4 + REPORT_BLOCK_SIZE * (gsize)w->count)
    return FALSE;
  sender = GST_READ_UINT32_BE (body);
  gst_cc_rtcp_walk_speaks (w, sender);
  walk_report_blocks (w, sender, body + 4);
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
  gsize at = 0;
  guint i;

  for (i = 0; i < w->count; i++) {
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
  gsize ssrcs = 4 * (gsize)w->count;
  guint i;

  if (w->body < ssrcs)
    return FALSE;
  if (w->count > 0 && !walk_bye_reason (w, body + ssrcs, w->body - ssrcs, GST_READ_UINT32_BE (body)))
    return FALSE;
  for (i = 0; i < w->count && w->handlers->bye != NULL; i++)
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
    w->handlers->app (w->user, ssrc, (guint8)w->count, body + 4, body + 8, w->body - 8);
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
walk_packet (GstCcRtcpWalk *w)
{
  switch (w->type) {
  case GST_RTCP_TYPE_SR:
    return walk_sr (w);
  case GST_RTCP_TYPE_RR:
    return walk_rr (w);
  case GST_RTCP_TYPE_SDES:
    return walk_sdes (w);
  case GST_RTCP_TYPE_BYE:
    return walk_bye (w);
  case GST_RTCP_TYPE_APP:
    return walk_app (w);
  case GST_RTCP_TYPE_RTPFB:
  case GST_RTCP_TYPE_PSFB:
    return gst_cc_rtcp_walk_feedback (w);
  case GST_RTCP_TYPE_XR:
    return walk_xr (w);
  default:
    return TRUE;
  }
}

gboolean
gst_cc_rtcp_walk (const guint8 *data, gsize size, const GstCcRtcpHandlers *handlers, gpointer user)
{
  GstCcRtcpWalk w = {.handlers = handlers, .user = user};
  gsize at;

  if (!is_compound (data, size))
    return FALSE;
  for (at = 0; at < size; at += packet_size (data + at))
    if (!(measure (&w, data + at) && walk_packet (&w)) && handlers->malformed != NULL)
      handlers->malformed (user, w.type);
  return TRUE;
}
