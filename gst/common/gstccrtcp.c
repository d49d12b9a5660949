/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccrandom.h"
#include "gstccrtcp.h"

#define NTP_TO_UNIX_SECONDS G_GUINT64_CONSTANT (2208988800)

GstBuffer *
gst_cc_rtcp_open (RtcpWriter *writer, gsize capacity)
{
  guint8 *data = g_malloc (capacity);

  rtcp_writer_init (writer, data, capacity);
  return gst_buffer_new_wrapped (data, capacity);
}

void
gst_cc_rtcp_close (RtcpWriter *writer, GstBuffer *buffer)
{
  gst_buffer_set_size (buffer, (gssize)writer->size);
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
