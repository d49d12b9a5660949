/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccrandom.h"
#include "gstccrtcp.h"

#include <string.h>

#define LONGEST_ROUND_TRIP (10 * 65536) /* 1/65536 s */
#define NTP_TO_UNIX_SECONDS G_GUINT64_CONSTANT (2208988800)

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
gst_cc_rtcp_add_sdes (GstRTCPBuffer *rtcp, guint32 ssrc, const GstCcSdesItem *items, guint n)
{
  GstRTCPPacket packet;
  guint i;

  if (!gst_rtcp_buffer_add_packet (rtcp, GST_RTCP_TYPE_SDES, &packet))
    return FALSE;
  if (!gst_rtcp_packet_sdes_add_item (&packet, ssrc)) {
    gst_rtcp_packet_remove (&packet);
    return FALSE;
  }
  for (i = 0; i < n; i++)
    if (!gst_rtcp_packet_sdes_add_entry (
            &packet, items[i].type, (guint8)MIN (strlen (items[i].text), 255), (const guint8 *)items[i].text)) {
      gst_rtcp_packet_remove (&packet);
      return FALSE;
    }
  return TRUE;
}

gboolean
gst_cc_rtcp_add_cname (GstRTCPBuffer *rtcp, guint32 ssrc, const gchar *cname)
{
  GstCcSdesItem item = {GST_RTCP_SDES_CNAME, cname};

  return gst_cc_rtcp_add_sdes (rtcp, ssrc, &item, 1);
}

gboolean
gst_cc_rtcp_add_bye (GstRTCPBuffer *rtcp, const guint32 *ssrcs, guint n_ssrcs)
{
  return gst_cc_rtcp_add_bye_with_reason (rtcp, ssrcs, n_ssrcs, NULL);
}

/* RFC 3550 6.6: a length, the text, zeroes to a word. gst_rtcp_packet_bye_set_reason () does nothing in 1.22. packet is
   the last one. */
static gboolean
append_reason (GstRTCPPacket *packet, const gchar *reason)
{
  GstRTCPBuffer *rtcp = packet->rtcp;
  guint8 *header = rtcp->map.data + packet->offset, *at = rtcp->map.data + rtcp->map.size;
  gsize length = strlen (reason), size = GST_ROUND_UP_4 (1 + length);

  if (length > 255 || size > rtcp->map.maxsize - rtcp->map.size)
    return FALSE;
  memset (at, 0, size);
  at[0] = (guint8)length;
  memcpy (at + 1, reason, length);
  packet->length += (guint16)(size / 4);
  GST_WRITE_UINT16_BE (header + 2, packet->length);
  rtcp->map.size += size;
  return TRUE;
}

gboolean
gst_cc_rtcp_add_bye_with_reason (GstRTCPBuffer *rtcp, const guint32 *ssrcs, guint n_ssrcs, const gchar *reason)
{
  GstRTCPPacket packet;
  gboolean fits;

  if (!gst_rtcp_buffer_add_packet (rtcp, GST_RTCP_TYPE_BYE, &packet))
    return FALSE;
  fits = gst_rtcp_packet_bye_add_ssrcs (&packet, (guint32 *)ssrcs, n_ssrcs);
  if (fits && reason != NULL && reason[0] != 0)
    fits = append_reason (&packet, reason);
  if (!fits)
    gst_rtcp_packet_remove (&packet);
  return fits;
}

gboolean
gst_cc_rtcp_add_app (
    GstRTCPBuffer *rtcp, guint32 ssrc, guint8 subtype, const gchar *name, const guint8 *data, gsize size)
{
  GstRTCPPacket packet;

  if (subtype > 31 || strlen (name) != 4 || size % 4 != 0 || size > GST_CC_RTCP_MTU ||
      !gst_rtcp_buffer_add_packet (rtcp, GST_RTCP_TYPE_APP, &packet))
    return FALSE;
  gst_rtcp_packet_app_set_subtype (&packet, subtype);
  gst_rtcp_packet_app_set_ssrc (&packet, ssrc);
  gst_rtcp_packet_app_set_name (&packet, name);
  if (!gst_rtcp_packet_app_set_data_length (&packet, (guint16)(size / 4))) {
    gst_rtcp_packet_remove (&packet);
    return FALSE;
  }
  if (size > 0)
    memcpy (gst_rtcp_packet_app_get_data (&packet), data, size);
  return TRUE;
}

gchar *
gst_cc_rtcp_new_cname (void)
{
  guint32 bits[3];

  gst_cc_random_bytes (bits, sizeof bits);
  return g_base64_encode ((const guchar *)bits, sizeof bits);
}

guint64
gst_cc_rtcp_ntp_time (gint64 real_time_us)
{
  guint64 seconds = (guint64)real_time_us / G_USEC_PER_SEC, us = (guint64)real_time_us % G_USEC_PER_SEC;

  return ((seconds + NTP_TO_UNIX_SECONDS) << 32) | ((us << 32) / G_USEC_PER_SEC);
}

static gpointer
wall_ahead_of_monotonic (gpointer unused)
{
  static gint64 us;

  us = g_get_real_time () - g_get_monotonic_time ();
  return &us;
}

guint64
gst_cc_rtcp_ntp_now (void)
{
  static GOnce once = G_ONCE_INIT;
  const gint64 *ahead_us = g_once (&once, wall_ahead_of_monotonic, NULL);

  return gst_cc_rtcp_ntp_time (*ahead_us + g_get_monotonic_time ());
}

GstClockTime
gst_cc_rtcp_round_trip (const GstCcReportBlock *block, guint64 ntp_now)
{
  guint32 rtt = (guint32)(ntp_now >> 16) - block->lsr - block->dlsr;

  if (block->lsr == 0 || rtt >= LONGEST_ROUND_TRIP)
    return 0;
  return gst_util_uint64_scale (MAX (rtt, 1), GST_SECOND, 65536);
}
