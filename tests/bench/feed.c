/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include "feed.h"

#include <gst/rtp/gstrtpbuffer.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define DRAIN_TIME (3 * G_USEC_PER_SEC)

gdouble
cpu_seconds (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

void
keep_to_cpu (guint cpu)
{
  cpu_set_t set;

  if (sysconf (_SC_NPROCESSORS_ONLN) < 2)
    return;
  CPU_ZERO (&set);
  CPU_SET (cpu, &set);
  sched_setaffinity (0, sizeof set, &set);
}

static gboolean
has_property (GstElement *element, const gchar *name)
{
  return g_object_class_find_property (G_OBJECT_GET_CLASS (element), name) != NULL;
}

static void
push_events (Feed *feed)
{
  GstCaps *caps = gst_caps_from_string (FEED_CAPS);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (feed->pad, gst_event_new_stream_start ("bench"));
  gst_pad_push_event (feed->pad, gst_event_new_caps (caps));
  gst_pad_push_event (feed->pad, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

gboolean
feed_open (Feed *feed, const gchar *factory, const gchar *mode, guint port, guint bitrate)
{
  GstPad *sinkpad;

  memset (feed, 0, sizeof *feed);
  feed->sink = gst_element_factory_make (factory, NULL);
  if (feed->sink == NULL)
    return FALSE;
  gst_object_ref_sink (feed->sink);
  g_object_set (feed->sink, "sync", FALSE, "async", FALSE, NULL);
  if (has_property (feed->sink, "host"))
    g_object_set (feed->sink, "host", "127.0.0.1", "port", port, NULL);
  if (bitrate > 0) {
    g_object_set (feed->sink, "start-bitrate", bitrate, "max-bitrate", bitrate, "min-bitrate", bitrate, "max-delay",
        10 * GST_SECOND, NULL);
    gst_util_set_object_arg (G_OBJECT (feed->sink), "mode", mode);
  }
  feed->pad = gst_pad_new ("feed", GST_PAD_SRC);
  sinkpad = gst_element_get_static_pad (feed->sink, "sink");
  gst_pad_set_active (feed->pad, TRUE);
  gst_pad_link (feed->pad, sinkpad);
  gst_object_unref (sinkpad);
  gst_element_set_state (feed->sink, GST_STATE_PLAYING);
  push_events (feed);
  return TRUE;
}

void
feed_by_clock (Feed *feed, GstClockTime spacing)
{
  GstClock *clock = gst_system_clock_obtain ();

  gst_element_set_clock (feed->sink, clock);
  gst_element_set_base_time (feed->sink, gst_clock_get_time (clock));
  gst_object_unref (clock);
  g_object_set (feed->sink, "sync", TRUE, NULL);
  feed->spacing = spacing;
}

void
feed_close (Feed *feed)
{
  gst_pad_set_active (feed->pad, FALSE);
  gst_element_set_state (feed->sink, GST_STATE_NULL);
  gst_object_unref (feed->pad);
  gst_object_unref (feed->sink);
}

static GstBuffer *
new_packet (Feed *feed, guint32 timestamp, gboolean marker)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (PACKET_BYTES - 12, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_ssrc (&rtp, 1234);
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  gst_rtp_buffer_set_seq (&rtp, feed->seq++);
  gst_rtp_buffer_set_timestamp (&rtp, timestamp);
  gst_rtp_buffer_set_marker (&rtp, marker);
  gst_rtp_buffer_unmap (&rtp);
  if (feed->spacing > 0)
    GST_BUFFER_PTS (buffer) = feed->stamped++ * feed->spacing;
  return buffer;
}

void
feed_frame (Feed *feed, guint packets, guint32 timestamp)
{
  GstBufferList *list = feed->lists ? gst_buffer_list_new_sized (packets) : NULL;

  for (guint i = 0; i < packets; i++) {
    GstBuffer *buffer = new_packet (feed, timestamp, i + 1 == packets);

    if (list != NULL)
      gst_buffer_list_insert (list, -1, buffer);
    else
      gst_pad_push (feed->pad, buffer);
  }
  if (list != NULL)
    gst_pad_push_list (feed->pad, list);
  feed->pushed += packets;
}

guint64
feed_stat (const Feed *feed, const gchar *name)
{
  GstStructure *stats = NULL;
  guint64 value = 0;

  if (!has_property (feed->sink, "mode"))
    return 0;
  g_object_get (feed->sink, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, name, &value);
  gst_structure_free (stats);
  return value;
}

static void
wait_until_left (Feed *feed)
{
  gint64 end = g_get_monotonic_time () + DRAIN_TIME;

  if (!has_property (feed->sink, "mode"))
    return;
  while (feed_stat (feed, "packets-sent") + feed_stat (feed, "packets-overflowed") < feed->pushed &&
         g_get_monotonic_time () < end)
    g_usleep (5000);
}

void
feed_run (Feed *feed, guint packets, guint fps, gdouble seconds)
{
  gint64 start = g_get_monotonic_time ();
  guint frames = (guint)(fps * seconds);

  for (guint i = 0; i < frames; i++) {
    gint64 wait = start + (gint64)i * G_USEC_PER_SEC / fps - g_get_monotonic_time ();

    if (wait > 0)
      g_usleep (wait);
    feed_frame (feed, packets, i * (90000 / fps));
  }
  wait_until_left (feed);
}
