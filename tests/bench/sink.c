/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsink against udpsink in the same run: CPU per packet at 1200 bytes for the same frames fed at the same pace, then
   how many packets a second tfrcsink paces. The receiver is a process of its own, so only the sender is counted. */
#include <gst/gst.h>
#include <gst/rtp/gstrtpbuffer.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define PACKET_BYTES 1200
#define CAPS                                                                                                           \
  "application/x-rtp,media=(string)video,clock-rate=(int)90000,encoding-name=(string)X-BENCH,payload=(int)96,"         \
  "ssrc=(uint)1234"

typedef struct {
  GstElement *sink;
  GstPad *feed;
  guint16 seq;
} Sender;

typedef struct {
  gdouble cpu_us_per_packet;
  gdouble packets_per_second;
  guint64 pacing_p50_ns, pacing_p99_ns;
  gboolean has_pacing;
} Result;

static gdouble
cpu_seconds (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static pid_t
start_receiver (const gchar *description)
{
  pid_t pid = fork ();

  if (pid == 0) {
    GMainLoop *loop = g_main_loop_new (NULL, FALSE);
    GstElement *pipeline;

    gst_init (NULL, NULL);
    pipeline = gst_parse_launch (description, NULL);
    if (pipeline == NULL)
      _exit (1);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    g_main_loop_run (loop);
    _exit (0);
  }
  g_usleep (700000);
  return pid;
}

static void
stop_receiver (pid_t pid)
{
  kill (pid, SIGKILL);
  waitpid (pid, NULL, 0);
}

static gboolean
sender_open (Sender *s, const gchar *factory, guint port, guint bitrate)
{
  GstPad *sinkpad;
  GstSegment segment;

  memset (s, 0, sizeof *s);
  s->sink = gst_element_factory_make (factory, NULL);
  if (s->sink == NULL)
    return FALSE;
  gst_object_ref_sink (s->sink);
  g_object_set (s->sink, "host", "127.0.0.1", "port", port, "sync", FALSE, "async", FALSE, NULL);
  if (bitrate)
    g_object_set (s->sink, "start-bitrate", bitrate, "max-bitrate", bitrate, "min-bitrate", bitrate, NULL);
  s->feed = gst_pad_new ("feed", GST_PAD_SRC);
  sinkpad = gst_element_get_static_pad (s->sink, "sink");
  gst_pad_set_active (s->feed, TRUE);
  gst_pad_link (s->feed, sinkpad);
  gst_object_unref (sinkpad);
  gst_element_set_state (s->sink, GST_STATE_PLAYING);
  gst_pad_push_event (s->feed, gst_event_new_stream_start ("bench"));
  gst_pad_push_event (s->feed, gst_event_new_caps (gst_caps_from_string (CAPS)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (s->feed, gst_event_new_segment (&segment));
  return TRUE;
}

static void
sender_close (Sender *s)
{
  gst_pad_set_active (s->feed, FALSE);
  gst_element_set_state (s->sink, GST_STATE_NULL);
  gst_object_unref (s->feed);
  gst_object_unref (s->sink);
}

static void
push_frame (Sender *s, guint packets, guint32 timestamp)
{
  for (guint i = 0; i < packets; i++) {
    GstBuffer *buffer = gst_rtp_buffer_new_allocate (PACKET_BYTES - 12, 0, 0);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

    gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp);
    gst_rtp_buffer_set_ssrc (&rtp, 1234);
    gst_rtp_buffer_set_payload_type (&rtp, 96);
    gst_rtp_buffer_set_seq (&rtp, s->seq++);
    gst_rtp_buffer_set_timestamp (&rtp, timestamp);
    gst_rtp_buffer_set_marker (&rtp, i + 1 == packets);
    gst_rtp_buffer_unmap (&rtp);
    gst_pad_push (s->feed, buffer);
  }
}

static void
read_stats (Sender *s, Result *result)
{
  GstStructure *stats = NULL;
  guint64 p50, p99;

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (s->sink), "stats") == NULL)
    return;
  g_object_get (s->sink, "stats", &stats, NULL);
  if (stats == NULL)
    return;
  if (gst_structure_get_uint64 (stats, "pacing-error-p50", &p50) &&
      gst_structure_get_uint64 (stats, "pacing-error-p99", &p99)) {
    result->pacing_p50_ns = p50;
    result->pacing_p99_ns = p99;
    result->has_pacing = TRUE;
  }
  gst_structure_free (stats);
}

/* Frames of `packets` packets, `fps` a second, for `seconds`. */
static Result
run (const gchar *factory, const gchar *receiver, guint port, guint bitrate, guint packets, guint fps, guint seconds)
{
  Result result = {0};
  Sender s;
  pid_t pid = start_receiver (receiver);
  gint64 start, next;
  gdouble cpu;
  guint frames = fps * seconds;

  gst_init (NULL, NULL);
  if (!sender_open (&s, factory, port, bitrate)) {
    g_printerr ("no element %s\n", factory);
    exit (77);
  }
  push_frame (&s, packets, 0);
  g_usleep (300000);
  start = next = g_get_monotonic_time ();
  cpu = cpu_seconds ();
  for (guint i = 1; i <= frames; i++) {
    push_frame (&s, packets, i * (90000 / fps));
    next += G_USEC_PER_SEC / fps;
    if (next > g_get_monotonic_time ())
      g_usleep (next - g_get_monotonic_time ());
  }
  read_stats (&s, &result);
  result.cpu_us_per_packet = (cpu_seconds () - cpu) * 1e6 / ((gdouble)frames * packets);
  result.packets_per_second = (gdouble)frames * packets * 1e6 / (g_get_monotonic_time () - start);
  sender_close (&s);
  stop_receiver (pid);
  return result;
}

static Result
in_own_process (
    const gchar *factory, const gchar *receiver, guint port, guint bitrate, guint packets, guint fps, guint seconds)
{
  Result result = {0};
  int fds[2];
  pid_t pid;

  if (pipe (fds) != 0)
    exit (1);
  pid = fork ();
  if (pid == 0) {
    result = run (factory, receiver, port, bitrate, packets, fps, seconds);
    if (write (fds[1], &result, sizeof result) != sizeof result)
      _exit (1);
    _exit (0);
  }
  close (fds[1]);
  if (read (fds[0], &result, sizeof result) != sizeof result)
    exit (77);
  close (fds[0]);
  waitpid (pid, NULL, 0);
  return result;
}

int
main (void)
{
  const gchar *udp = "udpsrc port=45004 buffer-size=8000000 ! fakesink sync=false async=false";
  const gchar *tfrc =
      "tfrcsrc port=45006 latency=0 caps=\"" CAPS "\" bandwidth=1000000000 ! fakesink sync=false async=false";
  const guint loads[][2] = {{4, 100}, {10, 500}, {40, 500}};

  g_print ("%-26s %10s %10s %7s %14s %14s\n", "packets/s (frame x fps)", "udpsink us", "tfrcsink us", "ratio",
      "pacing p50 us", "pacing p99 us");
  for (guint i = 0; i < G_N_ELEMENTS (loads); i++) {
    Result a = in_own_process ("udpsink", udp, 45004, 0, loads[i][0], loads[i][1], 4);
    Result b = in_own_process ("tfrcsink", tfrc, 45006, 2000000000, loads[i][0], loads[i][1], 4);

    g_print ("%8.0f (%2u x %3u)%9s %10.2f %10.2f %7.2f %14.1f %14.1f\n", b.packets_per_second, loads[i][0], loads[i][1],
        "", a.cpu_us_per_packet, b.cpu_us_per_packet, b.cpu_us_per_packet / a.cpu_us_per_packet, b.pacing_p50_ns / 1e3,
        b.pacing_p99_ns / 1e3);
  }
  {
    Result a = in_own_process ("udpsink", udp, 45004, 0, 250, 1000, 4);
    Result b = in_own_process ("tfrcsink", tfrc, 45006, 4000000000u, 250, 1000, 4);

    g_print ("%-26s %10.0f %10.0f packets/s fed and sent, %.2f and %.2f us of CPU each\n", "as fast as it goes",
        a.packets_per_second, b.packets_per_second, a.cpu_us_per_packet, b.cpu_us_per_packet);
  }
  return 0;
}
