/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcbwe beside identity, and beside rtpgccbwe where tests/quality/rivals/build has made that: CPU per packet of
   PACKET_BYTES, of the element with its threads and the feed, for the same packets a second in 1, 4, 16 and 64 streams.
   Those that pace have 1.2 x what comes. Each figure is the median of runs that alternate, each in a process of its
   own.
     bench-bwe            the table
     bench-bwe SECONDS    of each run, default 1 */
#include "feed.h"

#include <gst/rtp/gstrtpbuffer.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 5
#define FPS 30
#define PACKETS 192 /* a frame interval, of all streams: 5760 a second */
#define PACE 1.2
#define SSRC 5000
#define DRAIN_TIME (3 * G_USEC_PER_SEC)

static const gchar *const subjects[] = {"identity", "rtptfrcbwe", "rtpgccbwe"}; /* the first is compared with */
static const guint streams[] = {1, 4, 16, 64};

typedef struct {
  gdouble ns_per_packet; /* 0: no such element */
  guint64 missing;
} Result;

typedef struct {
  GstElement *element;
  GstPad *in, *out;
  guint16 seq[64];
  guint64 pushed;
  gint left; /* atomic */
} Bench;

static GstFlowReturn
on_packet (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Bench *b = gst_pad_get_element_private (pad);

  gst_buffer_unref (buffer);
  g_atomic_int_inc (&b->left);
  return GST_FLOW_OK;
}

static void
link_pads (Bench *b)
{
  GstPad *sink = gst_element_get_static_pad (b->element, "sink"), *src = gst_element_get_static_pad (b->element, "src");

  b->in = gst_pad_new ("in", GST_PAD_SRC);
  b->out = gst_pad_new ("out", GST_PAD_SINK);
  gst_pad_set_element_private (b->out, b);
  gst_pad_set_chain_function (b->out, on_packet);
  gst_pad_set_active (b->in, TRUE);
  gst_pad_set_active (b->out, TRUE);
  if (gst_pad_link (b->in, sink) != GST_PAD_LINK_OK || gst_pad_link (src, b->out) != GST_PAD_LINK_OK)
    exit (1);
  gst_object_unref (sink);
  gst_object_unref (src);
}

static void
push_events (Bench *b)
{
  GstCaps *caps = gst_caps_from_string ("application/x-rtp,media=video,clock-rate=90000,encoding-name=VP8,payload=96");
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (b->in, gst_event_new_stream_start ("bench"));
  gst_pad_push_event (b->in, gst_event_new_caps (caps));
  gst_pad_push_event (b->in, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

static gboolean
bench_open (Bench *b, const gchar *factory)
{
  guint rate = (guint)(PACE * PACKETS * FPS * WIRE_BYTES * 8);

  b->element = gst_element_factory_make (factory, NULL);
  if (b->element == NULL)
    return FALSE;
  if (g_strcmp0 (factory, "identity") != 0)
    g_object_set (b->element, "max-bitrate", rate, "min-bitrate", rate, "estimated-bitrate", rate, NULL);
  if (g_strcmp0 (factory, "rtptfrcbwe") == 0)
    g_object_set (b->element, "max-delay", 10 * GST_SECOND, NULL);
  link_pads (b);
  gst_element_set_state (b->element, GST_STATE_PLAYING);
  push_events (b);
  return TRUE;
}

static void
push_packet (Bench *b, guint stream, guint32 timestamp, gboolean marker)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (PACKET_BYTES - 12, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_ssrc (&rtp, SSRC + stream);
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  gst_rtp_buffer_set_seq (&rtp, b->seq[stream]++);
  gst_rtp_buffer_set_timestamp (&rtp, timestamp);
  gst_rtp_buffer_set_marker (&rtp, marker);
  gst_rtp_buffer_unmap (&rtp);
  gst_pad_push (b->in, buffer);
  b->pushed++;
}

static void
feed (Bench *b, guint n, gdouble seconds)
{
  gint64 start = g_get_monotonic_time ();

  for (guint frame = 0; frame < FPS * seconds; frame++) {
    gint64 wait = start + (gint64)frame * G_USEC_PER_SEC / FPS - g_get_monotonic_time ();

    if (wait > 0)
      g_usleep (wait);
    for (guint i = 0; i < n; i++)
      for (guint j = 0; j < PACKETS / n; j++)
        push_packet (b, i, frame * 3000, j + 1 == PACKETS / n);
  }
}

static void
wait_until_left (Bench *b)
{
  gint64 end = g_get_monotonic_time () + DRAIN_TIME;

  while ((guint64)g_atomic_int_get (&b->left) < b->pushed && g_get_monotonic_time () < end)
    g_usleep (5000);
}

static gdouble
cpu_ns (void)
{
  struct timespec t;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static Result
measure (const gchar *factory, guint n, gdouble seconds)
{
  Bench b = {0};
  Result r = {0};
  guint64 before;
  gdouble cpu;

  keep_to_cpu (0);
  gst_init (NULL, NULL);
  if (!bench_open (&b, factory))
    return r;
  feed (&b, n, 0.3);
  before = b.pushed;
  cpu = cpu_ns ();
  feed (&b, n, seconds);
  wait_until_left (&b);
  r.ns_per_packet = (cpu_ns () - cpu) / (b.pushed - before);
  r.missing = b.pushed - MIN ((guint64)b.left, b.pushed);
  return r;
}

static Result
run (const gchar *factory, guint n, gdouble seconds)
{
  Result result = {0};
  int fds[2];
  pid_t pid;

  if (pipe (fds) != 0 || (pid = fork ()) < 0)
    exit (1);
  if (pid == 0) {
    result = measure (factory, n, seconds);
    _exit (write (fds[1], &result, sizeof result) == sizeof result ? 0 : 1);
  }
  close (fds[1]);
  if (read (fds[0], &result, sizeof result) != sizeof result)
    exit (1);
  close (fds[0]);
  waitpid (pid, NULL, 0);
  return result;
}

static int
by_value (const void *a, const void *b)
{
  gdouble x = *(const gdouble *)a, y = *(const gdouble *)b;

  return (x > y) - (x < y);
}

static gdouble
median (gdouble values[ROUNDS])
{
  qsort (values, ROUNDS, sizeof *values, by_value);
  return values[ROUNDS / 2];
}

static void
print_streams (guint n, gdouble seconds)
{
  gdouble ns[G_N_ELEMENTS (subjects)][ROUNDS], ratio[G_N_ELEMENTS (subjects)][ROUNDS];
  guint64 missing[G_N_ELEMENTS (subjects)] = {0};

  for (guint round = 0; round < ROUNDS; round++)
    for (guint i = 0; i < G_N_ELEMENTS (subjects); i++) {
      Result r = run (subjects[i], n, seconds);

      ns[i][round] = r.ns_per_packet;
      ratio[i][round] = r.ns_per_packet / ns[0][round];
      missing[i] += r.missing;
    }
  for (guint i = 0; i < G_N_ELEMENTS (subjects); i++)
    if (ns[i][0] > 0)
      g_print ("%2u streams  %-10s %6.0f ns/packet  x %.2f  %" G_GUINT64_FORMAT " did not leave\n", n, subjects[i],
          median (ns[i]), median (ratio[i]), missing[i]);
}

int
main (int argc, char **argv)
{
  gdouble seconds = argc > 1 ? atof (argv[1]) : 1;

  g_print ("%u packets/s of %u bytes, fed frame by frame\n", PACKETS * FPS, PACKET_BYTES);
  for (guint i = 0; i < G_N_ELEMENTS (streams); i++)
    print_streams (streams[i], seconds);
  return 0;
}
