/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcplayout.h"

/* A burst at a round trip of 100 ms shows after 60 ms, and its packets come 140 ms after they were asked for, more or
   less by 40. ITU-T G.114 plans no conversation with more. */
#define DEFAULT_REPAIR_LATENCY 400 /* ms */

/* The jitter buffer itself tells the pipeline of its new latency. */
static void
on_repair_wait (GstElement *rtcpavpf, GParamSpec *pspec, GstElement *jitterbuffer)
{
  GstClockTime wait;

  (void)pspec;
  g_object_get (rtcpavpf, "repair-wait", &wait, NULL);
  g_object_set (jitterbuffer, "latency", (guint)((wait + GST_MSECOND - 1) / GST_MSECOND), NULL);
}

void
gst_tfrc_playout_attach (GstElement *rtcpavpf, GstElement *jitterbuffer)
{
  g_signal_connect_object (rtcpavpf, "notify::repair-wait", G_CALLBACK (on_repair_wait), jitterbuffer, 0);
}

guint
gst_tfrc_playout_longest (const GstTfrcPlayout *p)
{
  if (p->repair_latency_ms >= 0)
    return (guint)p->repair_latency_ms;
  return p->latency_set ? p->latency_ms : DEFAULT_REPAIR_LATENCY;
}

/* rtcpavpf's flags, by their names: its header is another plug-in's. */
static const gchar *
repair_by (const GstTfrcPlayout *p)
{
  return p->by_rtx && p->by_fec ? "rtx+fec" : p->by_rtx ? "rtx" : "fec";
}

void
gst_tfrc_playout_configure (const GstTfrcPlayout *p, GstElement *rtcpavpf, GstElement *jitterbuffer)
{
  gboolean repair = (p->by_rtx || p->by_fec) && p->latency_ms > 0;

  gst_util_set_object_arg (G_OBJECT (rtcpavpf), "repair-by", repair_by (p));
  g_object_set (rtcpavpf, "repair", repair, "repair-latency", gst_tfrc_playout_longest (p) * GST_MSECOND, NULL);
  if (p->latency_ms == 0)
    return;
  g_object_set (rtcpavpf, "nack-latency", p->latency_ms * GST_MSECOND, NULL);
  g_object_set (jitterbuffer, "latency", p->latency_ms, NULL);
}
