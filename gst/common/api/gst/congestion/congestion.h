/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an application reads of the congestion control plug-ins: the rate event, and the names of their statistics.
   There is nothing to link; `pkg-config --cflags gstreamer-congestion-1.0`.

   The rate event is a custom upstream event by which a sender (tfrcsink, rtptfrcbwe, rtcpavpf) tells what the network
   takes, whenever that changes meaningfully and at least every 200 ms. `ratecontrol` is its usual reader; any
   application can be one through a pad probe:

     static GstPadProbeReturn
     on_event (GstPad *pad, GstPadProbeInfo *probe, gpointer encoder)
     {
       GstRateInfo info;

       if (gst_rate_event_parse (GST_PAD_PROBE_INFO_EVENT (probe), &info))
         g_object_set (encoder, "bitrate", info.bitrate / 1000, NULL);
       return GST_PAD_PROBE_OK;
     } */
#ifndef GST_CONGESTION_H
#define GST_CONGESTION_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_RATE_EVENT_NAME "GstCongestionRate"
/* guint: of which stream the event tells, and the query below asks; where several share a rate (rtptfrcbwe) it is that
   one's part of it. Not there: of all that is sent. */
#define GST_RATE_EVENT_SSRC "ssrc"
/* A custom query by which a sender that has to skip many frames asks upstream whether anybody sets the encoder by the
   event; ratecontrol answers it, and so do rtcpavpf and tfrcsrc of a stream that is sent on as it came. Where nobody
   does, the sender warns. */
#define GST_RATE_READER_QUERY_NAME "GstCongestionRateReader"

/* A custom query downstream: what the encoder on the way is to produce in the mean, "bitrate" (guint, bit/s), and what
   it has put out over what it was asked for in the last 2 s, "made" (gdouble, 0: not known). ratecontrol answers it,
   ratescale asks. */
#define GST_ENCODER_RATE_QUERY_NAME "GstCongestionEncoderRate"

/* Structures of the property `stats` of each element and of its element messages, every `stats-interval`; the fields
   are listed in the elements' documents. Rates are bit/s, times ns. */
#define GST_TFRC_SINK_STATS_NAME "application/x-tfrcsink-stats"
#define GST_TFRC_SRC_STATS_NAME "application/x-tfrcsrc-stats"
#define GST_RTP_TFRC_BWE_STATS_NAME "application/x-rtptfrcbwe-stats"
#define GST_RTCP_AVPF_STATS_NAME "application/x-rtcpavpf-stats"
#define GST_RATE_CONTROL_STATS_NAME "application/x-ratecontrol-stats"
#define GST_RATE_SCALE_STATS_NAME "application/x-ratescale-stats"
#define GST_PAQM_SHAPER_STATS_NAME "application/x-paqmshaper-stats"

/* The fields of the event have the names of the members, with '-' for '_'. */
typedef struct {
  guint bitrate;            /* bit/s an encoder may produce; RTP, UDP and IP headers are taken off already */
  guint wire_bitrate;       /* bit/s on the wire, headers included */
  GstClockTime rtt;         /* GST_CLOCK_TIME_NONE: unknown */
  gdouble loss_event_rate;  /* [0, 1] */
  GstClockTime queue_delay; /* of the path; GST_CLOCK_TIME_NONE: unknown */
  guint backlog;            /* bytes waiting in the sending buffer */
  guint frame_budget;       /* bytes of the largest frame that would still arrive in time */
  const gchar *limit;       /* what limits: start, equation, delay, explicit-rate, receive-rate, no-feedback, min, max,
                               application. A static string after parsing */
  const gchar *owner;       /* whose rule that is: start, unmet, own, own-kind, others, l4s, marked, router, loss,
                               application, silence, min, max, circuit-breaker, unknown (docs/low-delay.md). Static
                               too; NULL: the event does not say */
  gboolean pause;           /* nothing is answered, so that a frame coded now would come late: an encoder whose rate
                               control counts frames better codes none, but for two a second that show when it is
                               over. FALSE as well where the event does not say */
  const gchar *sender;      /* path of the element that says so: one encoder may have several. Lives as long as the
                               event; NULL: the event does not say */
} GstRateInfo;

/* FALSE where event is no rate event or lacks a field; info is then untouched. */
static inline gboolean
gst_rate_event_parse (GstEvent *event, GstRateInfo *info)
{
  const GstStructure *s = GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_UPSTREAM ? gst_event_get_structure (event) : NULL;
  GstRateInfo parsed;

  if (s == NULL || !gst_structure_has_name (s, GST_RATE_EVENT_NAME) ||
      !gst_structure_get (s, "bitrate", G_TYPE_UINT, &parsed.bitrate, "wire-bitrate", G_TYPE_UINT, &parsed.wire_bitrate,
          "rtt", G_TYPE_UINT64, &parsed.rtt, "loss-event-rate", G_TYPE_DOUBLE, &parsed.loss_event_rate, "queue-delay",
          G_TYPE_UINT64, &parsed.queue_delay, "backlog", G_TYPE_UINT, &parsed.backlog, "frame-budget", G_TYPE_UINT,
          &parsed.frame_budget, NULL) ||
      gst_structure_get_string (s, "limit") == NULL)
    return FALSE;
  parsed.limit = g_intern_string (gst_structure_get_string (s, "limit"));
  parsed.owner = g_intern_string (gst_structure_get_string (s, "owner"));
  if (!gst_structure_get_boolean (s, "pause", &parsed.pause))
    parsed.pause = FALSE;
  parsed.sender = gst_structure_get_string (s, "sender");
  *info = parsed;
  return TRUE;
}

/* For an application that reads the event by a probe: whether this is that query, in a probe on
   GST_PAD_PROBE_TYPE_QUERY_UPSTREAM, which then returns GST_PAD_PROBE_HANDLED. */
static inline gboolean
gst_rate_reader_is_asked_for (GstQuery *query)
{
  const GstStructure *s = GST_QUERY_TYPE (query) == GST_QUERY_CUSTOM ? gst_query_get_structure (query) : NULL;

  return s != NULL && gst_structure_has_name (s, GST_RATE_READER_QUERY_NAME);
}

/* For an application that sets the encoder itself: answers such a query in a probe on
   GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM of the encoder's src pad, which then returns GST_PAD_PROBE_HANDLED. FALSE: it is
   another query. */
static inline gboolean
gst_encoder_rate_answer (GstQuery *query, guint bitrate, gdouble made)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_CUSTOM ||
      !gst_structure_has_name (gst_query_get_structure (query), GST_ENCODER_RATE_QUERY_NAME))
    return FALSE;
  gst_structure_set (
      gst_query_writable_structure (query), "bitrate", G_TYPE_UINT, bitrate, "made", G_TYPE_DOUBLE, made, NULL);
  return TRUE;
}

G_END_DECLS
#endif
