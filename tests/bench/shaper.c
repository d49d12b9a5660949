/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* paqmshaper against queue and netsim in the same run, all on one core: CPU per packet of PACKET_BYTES at 1 Gb/s, fed
   in bursts of 1 ms, and what passes at most. Each figure is the median of runs that alternate; "nothing between" is
   the feed alone. What the element itself costs is the difference to that. bench-shaper                   the tables
     bench-shaper hold FACTORY FLOWS SECONDS   feeds one element, for a profiler */
#include "feed.h"

#include <gst/rtp/gstrtpbuffer.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 3
#define SECONDS 1.0
#define LOAD 1e9        /* bit/s on the wire */
#define FEED_BYTES 1200 /* on the wire */
#define HEAD_BYTES 24   /* RTP with an explicit-rate element */
#define RATE_ID 10
#define MOST_PACKETS 400000

typedef struct {
  const gchar *name, *description; /* NULL: nothing between */
  guint flows;
  gboolean lists;
} Subject;

/* Limits wide enough for a burst of 1 ms, 125 kB. */
#define SHAPER "paqmshaper name=e media-limit=4000000 elastic-limit=4000000 fifo-limit=4000000 strikes=true "
static const Subject subjects[] = {{"nothing between", NULL, 1, FALSE},
    {"queue", "queue name=e max-size-buffers=0 max-size-bytes=4000000 max-size-time=0", 1, FALSE},
    {"netsim", "netsim name=e max-kbps=1200000 max-bucket-size=4000000", 1, FALSE},
    {"paqmshaper, 1 flow", SHAPER "capacity=1200000000", 1, FALSE},
    {"paqmshaper, 10 000 flows", SHAPER "capacity=1200000000", 10000, FALSE},
    {"paqmshaper, fifo", SHAPER "capacity=1200000000 discipline=fifo", 1, FALSE},
    {"paqmshaper, measured", SHAPER "capacity=0", 1, FALSE}, {"nothing between, lists", NULL, 1, TRUE},
    {"queue, lists", "queue name=e max-size-buffers=0 max-size-bytes=4000000 max-size-time=0", 1, TRUE},
    {"paqmshaper, lists", SHAPER "capacity=1200000000", 1, TRUE}};

typedef struct {
  GstElement *pipeline, *sink;
  GstPad *feed;
  guint64 pushed, passed;
} Bench;

typedef struct {
  gdouble cpu_us, gbps;
  guint64 lost;
} Result;

static GstPadProbeReturn
count (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Bench *b = user;

  b->passed += GST_IS_BUFFER_LIST (GST_PAD_PROBE_INFO_DATA (info))
                   ? gst_buffer_list_length (GST_PAD_PROBE_INFO_BUFFER_LIST (info))
                   : 1;
  return GST_PAD_PROBE_OK;
}

static GstBuffer *
new_packet (guint32 ssrc, guint16 seq)
{
  /* one-byte extension of three words: id 10, 6 bytes, unset */
  static const guint8 unset[8] = {RATE_ID << 4 | 5, 0x03, 0xff, 0xff, 0, 0, 0x10, 0};
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, FEED_BYTES - 28, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  memset (map.data, 0, HEAD_BYTES);
  map.data[0] = 0x90;
  map.data[1] = 96;
  GST_WRITE_UINT16_BE (map.data + 2, seq);
  GST_WRITE_UINT32_BE (map.data + 8, ssrc);
  GST_WRITE_UINT16_BE (map.data + 12, 0xbede);
  GST_WRITE_UINT16_BE (map.data + 14, 2);
  memcpy (map.data + 16, unset, sizeof unset);
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

static void
push_packets (Bench *b, const Subject *subject, guint n)
{
  GstBufferList *list = subject->lists ? gst_buffer_list_new_sized (n) : NULL;
  guint i;

  for (i = 0; i < n; i++, b->pushed++) {
    GstBuffer *buffer = new_packet ((guint32)(b->pushed % subject->flows), (guint16)b->pushed);

    if (list != NULL)
      gst_buffer_list_insert (list, -1, buffer);
    else
      gst_pad_push (b->feed, buffer);
  }
  if (list != NULL)
    gst_pad_push_list (b->feed, list);
}

static void
push_start (GstPad *pad)
{
  GstCaps *caps = gst_caps_from_string (FEED_CAPS);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_stream_start ("bench"));
  gst_pad_push_event (pad, gst_event_new_caps (caps));
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

static void
open_bench (Bench *b, const Subject *subject)
{
  GstElement *element = NULL;
  GstPad *to, *out;

  memset (b, 0, sizeof *b);
  b->pipeline = gst_pipeline_new (NULL);
  b->sink = gst_element_factory_make ("fakesink", NULL);
  g_object_set (b->sink, "sync", FALSE, "async", FALSE, NULL);
  gst_bin_add (GST_BIN (b->pipeline), b->sink);
  out = gst_element_get_static_pad (b->sink, "sink");
  gst_pad_add_probe (out, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, count, b, NULL);
  if (subject->description != NULL) {
    element = gst_parse_launch (subject->description, NULL);
    if (element == NULL) {
      g_printerr ("no element for %s: run it by tests/bench/run\n", subject->description);
      exit (77);
    }
    gst_bin_add (GST_BIN (b->pipeline), element);
    gst_element_link (element, b->sink);
    to = gst_element_get_static_pad (element, "sink");
    if (to == NULL)
      to = gst_element_request_pad_simple (element, "sink_%u");
  } else {
    to = gst_object_ref (out);
  }
  b->feed = gst_pad_new ("feed", GST_PAD_SRC);
  gst_pad_set_active (b->feed, TRUE);
  gst_pad_link (b->feed, to);
  gst_element_set_state (b->pipeline, GST_STATE_PLAYING);
  gst_element_get_state (b->pipeline, NULL, NULL, GST_SECOND);
  push_start (b->feed);
  gst_object_unref (to);
  gst_object_unref (out);
}

static void
close_bench (Bench *b)
{
  gst_element_set_state (b->pipeline, GST_STATE_NULL);
  gst_object_unref (b->feed);
  gst_object_unref (b->pipeline);
}

static void
feed_paced (Bench *b, const Subject *subject, gdouble seconds)
{
  const gdouble per_ms = LOAD / 8 / FEED_BYTES / 1000;
  struct timespec at;
  gdouble due = 0;
  guint ms;

  clock_gettime (CLOCK_MONOTONIC, &at);
  for (ms = 0; ms < seconds * 1000; ms++) {
    due += per_ms;
    push_packets (b, subject, (guint)due);
    due -= (guint)due;
    at.tv_nsec += 1000000;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
  }
}

static Result
measure (const Subject *subject, gdouble seconds)
{
  Result r = {0};
  gdouble cpu;
  Bench b;

  open_bench (&b, subject);
  feed_paced (&b, subject, 0.2);
  cpu = cpu_seconds ();
  r.lost = b.pushed;
  feed_paced (&b, subject, seconds);
  r.cpu_us = (cpu_seconds () - cpu) * 1e6 / (b.pushed - r.lost);
  g_usleep (50000);
  r.lost = b.pushed - b.passed;
  close_bench (&b);
  return r;
}

/* As fast as it goes, sharing a core with the feed: in bursts of 100 packets, behind each the other thread has its
 * turn.
 */
static Result
measure_most (const Subject *subject)
{
  Result r = {0};
  gint64 begun;
  Bench b;

  open_bench (&b, subject);
  begun = g_get_monotonic_time ();
  while (b.pushed < MOST_PACKETS) {
    push_packets (&b, subject, 100);
    while (*(volatile guint64 *)&b.passed + 2000 < b.pushed && g_get_monotonic_time () - begun < 20 * G_USEC_PER_SEC)
      g_usleep (100);
  }
  r.gbps = b.passed * 8e-3 * FEED_BYTES / (g_get_monotonic_time () - begun);
  g_usleep (50000);
  r.lost = b.pushed - b.passed;
  close_bench (&b);
  return r;
}

/* Where it is allowed: what else this machine does must not look like a slow element. */
static void
go_first (void)
{
  struct sched_param param = {.sched_priority = 20};

  if (sched_setscheduler (0, SCHED_FIFO, &param) != 0)
    g_print ("without real-time priority: only an idle machine tells\n");
}

static int
by_value (const void *a, const void *b)
{
  gdouble x = *(const gdouble *)a, y = *(const gdouble *)b;

  return (x > y) - (x < y);
}

static gdouble
median (gdouble *values)
{
  qsort (values, ROUNDS, sizeof *values, by_value);
  return values[ROUNDS / 2];
}

static void
print_load (void)
{
  gdouble cpu[G_N_ELEMENTS (subjects)][ROUNDS], alone, queue;
  guint64 lost[G_N_ELEMENTS (subjects)] = {0};
  guint i, round;

  for (round = 0; round < ROUNDS; round++)
    for (i = 0; i < G_N_ELEMENTS (subjects); i++) {
      Result r = measure (&subjects[i], SECONDS);

      cpu[i][round] = r.cpu_us;
      lost[i] += r.lost;
    }
  g_print ("1 Gb/s in packets of %d bytes (%.0f packets/s), one core\n", FEED_BYTES, LOAD / 8 / FEED_BYTES);
  alone = median (cpu[0]);
  queue = median (cpu[1]);
  for (i = 0; i < G_N_ELEMENTS (subjects); i++)
    g_print ("  %-26s %6.2f us/packet, itself %5.2f, x %.2f of queue's all, %" G_GUINT64_FORMAT " lost\n",
        subjects[i].name, median (cpu[i]), median (cpu[i]) - alone, median (cpu[i]) / queue, lost[i]);
}

static void
print_most (void)
{
  static const Subject most[] = {
      {"queue", "queue name=e max-size-buffers=0 max-size-bytes=4000000 max-size-time=0", 1, FALSE},
      {"paqmshaper", SHAPER "capacity=100000000000", 1, FALSE},
      {"paqmshaper, 10 000 flows", SHAPER "capacity=100000000000", 10000, FALSE}};
  gdouble gbps[ROUNDS];
  guint i, round;

  for (i = 0; i < G_N_ELEMENTS (most); i++) {
    guint64 lost = 0;

    for (round = 0; round < ROUNDS; round++) {
      Result r = measure_most (&most[i]);

      gbps[round] = r.gbps;
      lost += r.lost;
    }
    g_print ("at most, one core: %-26s %5.2f Gb/s, %" G_GUINT64_FORMAT " lost\n", most[i].name, median (gbps), lost);
  }
}

int
main (int argc, char **argv)
{
  gst_init (NULL, NULL);
  keep_to_cpu (0);
  go_first ();
  if (argc == 5 && strcmp (argv[1], "hold") == 0) {
    Subject subject = {"", argv[2], (guint)atoi (argv[3]), FALSE};
    Result r = measure (&subject, atof (argv[4]));

    g_print ("%.2f us/packet, %" G_GUINT64_FORMAT " lost\n", r.cpu_us, r.lost);
    return 0;
  }
  print_load ();
  print_most ();
  return 0;
}
