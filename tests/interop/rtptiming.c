/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtcpavpf beside GStreamer's rtpsession, in one run and in virtual time: the same stream, the same losses, the same
   session bandwidth (64 kbit/s, then 1 Mbit/s; profile AVPF, two members, no trr-int); what is asked for comes a
   millisecond after its NACK. Says for each how long a loss
   waits for its NACK, what share of the session bandwidth the receiver's RTCP takes, and where the next regular packet
   comes after an early one. The checks are on rtcpavpf; rtpsession's figures are printed only. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>
#include <gst/rtp/gstrtcpbuffer.h>
#include <gst/rtp/gstrtpbuffer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEDIA 0x1234abcd
#define START (100 * GST_SECOND)
#define PERIOD (20 * GST_MSECOND)
#define PAYLOAD_BYTES 120
#define UDP_IP_BYTES 28
#define PEER_REPORTS GST_SECOND
#define SETTLE (20 * GST_SECOND)
#define RTP_CAPS "application/x-rtp,media=video,clock-rate=90000,encoding-name=VP8,payload=96"
#define MOST_SAMPLES 100000
#define ROUNDS 200
#define MOST_WANTED 64

typedef struct {
  const char *name, *rtp_sink, *rtp_src, *rtcp_sink, *rtcp_src;
} Kind;

static const Kind kinds[] = {{"rtcpavpf", "sink", "src", "rtcp_sink", "rtcp_src"},
    {"rtpsession", "recv_rtp_sink", "recv_rtp_src", "recv_rtcp_sink", "send_rtcp_src"}};

/* bit/s of the session, and for how long: over a thousand intervals, so that a mean is within 1 % */
static const struct {
  guint bandwidth;
  GstClockTime span;
} cases[] = {{64000, 600 * GST_SECOND}, {1000000, 60 * GST_SECOND}};

typedef struct {
  guint bandwidth;
  GstTestClock *clock;
  GstHarness *rtp, *rtcp;
  guint16 seq;
  GstClockTime next_rtp, next_sr;
  guint mean_bytes;             /* of the element's packets so far */
  guint16 answers[MOST_WANTED]; /* asked for, to come */
  guint n_answers;
} Session;

/* What one run saw. */
typedef struct {
  double delay[MOST_SAMPLES]; /* s, from the loss to its NACK */
  guint n_delays, asked;
  guint64 bytes;
  guint regular, early;
  GstClockTime last_regular; /* before the early packet that is not yet followed by a regular one */
  gboolean early_since;
  double after_early, gap; /* s, summed */
  guint n_after_early, n_gaps;
  guint16 wanted[MOST_WANTED]; /* lost, not yet asked for */
  GstClockTime lost_at[MOST_WANTED];
  guint n_wanted;
} Seen;

static void
set_properties (GstElement *element, guint bandwidth)
{
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), "rtcp-min-interval") != NULL) {
    g_object_set (element, "bandwidth", (gdouble)bandwidth, "rtcp-min-interval", (guint64)0, NULL);
    gst_util_set_object_arg (G_OBJECT (element), "rtp-profile", "avpf");
  } else {
    gst_util_set_object_arg (G_OBJECT (element), "feedback", "nack");
    g_object_set (element, "bandwidth", bandwidth, "auto-pli", FALSE, "trr-int", (guint64)0, NULL);
  }
}

static void
session_start (Session *s, const Kind *kind, guint bandwidth)
{
  *s = (Session){
      .bandwidth = bandwidth, .clock = GST_TEST_CLOCK (gst_test_clock_new_with_start_time (START)), .seq = 1000};
  gst_system_clock_set_default (GST_CLOCK (s->clock));
  s->rtp = gst_harness_new_with_padnames (kind->name, kind->rtp_sink, kind->rtp_src);
  set_properties (s->rtp->element, bandwidth);
  s->rtcp = gst_harness_new_with_element (s->rtp->element, kind->rtcp_sink, kind->rtcp_src);
  gst_harness_use_systemclock (s->rtp);
  gst_harness_set_src_caps_str (s->rtp, RTP_CAPS);
  gst_harness_set_src_caps_str (s->rtcp, "application/x-rtcp");
  s->next_rtp = s->next_sr = START;
}

static void
session_end (Session *s)
{
  gst_harness_teardown (s->rtcp);
  gst_harness_teardown (s->rtp);
  gst_system_clock_set_default (NULL);
  gst_object_unref (s->clock);
}

static GstClockTime
now_of (Session *s)
{
  return gst_clock_get_time (GST_CLOCK (s->clock));
}

/* Ends in turn every wait of the RTCP thread up to `until`; that thread waits from the first packet on. */
static void
advance_to (Session *s, GstClockTime until)
{
  while (now_of (s) < until) {
    GstClockID id;
    GstClockTime at;

    gst_test_clock_wait_for_next_pending_id (s->clock, &id);
    at = gst_clock_id_get_time (id);
    gst_clock_id_unref (id);
    if (at > until)
      break;
    if (at > now_of (s))
      gst_test_clock_set_time (s->clock, at);
    id = gst_test_clock_process_next_clock_id (s->clock);
    if (id != NULL)
      gst_clock_id_unref (id);
  }
  if (until > now_of (s))
    gst_test_clock_set_time (s->clock, until);
}

static void
push_rtp (Session *s, guint16 seq)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (PAYLOAD_BYTES, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_ssrc (&rtp, MEDIA);
  gst_rtp_buffer_set_seq (&rtp, seq);
  gst_rtp_buffer_set_timestamp (&rtp, (guint32)gst_util_uint64_scale (now_of (s), 90000, GST_SECOND));
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  memset (gst_rtp_buffer_get_payload (&rtp), 0, PAYLOAD_BYTES);
  gst_rtp_buffer_unmap (&rtp);
  GST_BUFFER_DTS (buffer) = GST_BUFFER_PTS (buffer) = now_of (s);
  gst_harness_push (s->rtp, buffer);
  buffer = gst_harness_try_pull (s->rtp);
  gst_clear_buffer (&buffer);
}

/* As large as the element's own packets, by a long name: then its half of RTCP's 5 % is 2.5 %. */
static void
push_sender_report (Session *s)
{
  static const guint8 name[256] = "a-sender-with-a-long-name";
  guint name_bytes = s->mean_bytes > 48 ? MIN (s->mean_bytes - 40, 255) : 8;
  GstBuffer *buffer = gst_rtcp_buffer_new (400);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;

  gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp);
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_SR, &packet);
  gst_rtcp_packet_sr_set_sender_info (&packet, MEDIA, now_of (s), 0, s->seq, PAYLOAD_BYTES * s->seq);
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_SDES, &packet);
  gst_rtcp_packet_sdes_add_item (&packet, MEDIA);
  gst_rtcp_packet_sdes_add_entry (&packet, GST_RTCP_SDES_CNAME, (guint8)name_bytes, name);
  gst_rtcp_buffer_unmap (&rtcp);
  gst_harness_push (s->rtcp, buffer);
}

static void
media_until (Session *s, GstClockTime until)
{
  while (MIN (s->next_rtp, s->next_sr) <= until) {
    advance_to (s, MIN (s->next_rtp, s->next_sr));
    if (s->next_rtp <= now_of (s)) {
      push_rtp (s, s->seq++);
      s->next_rtp += PERIOD;
    }
    if (s->next_sr <= now_of (s)) {
      push_sender_report (s);
      s->next_sr += PEER_REPORTS;
    }
  }
  advance_to (s, until);
}

/* A packet is lost, and what stands behind (a jitter buffer) asks for it. */
static void
lose (Session *s, Seen *seen)
{
  GstStructure *request;

  if (seen->n_wanted == MOST_WANTED)
    return;
  seen->wanted[seen->n_wanted] = s->seq;
  seen->lost_at[seen->n_wanted++] = now_of (s);
  seen->asked++;
  request = gst_structure_new ("GstRTPRetransmissionRequest", "seqnum", G_TYPE_UINT, (guint)s->seq++, "delay",
      G_TYPE_UINT, 0, "retry", G_TYPE_UINT, 0, "frequency", G_TYPE_UINT, 1000, "period", G_TYPE_UINT, 10000, "deadline",
      G_TYPE_UINT, 10000, "packet-spacing", G_TYPE_UINT64, (guint64)PERIOD, "avg-rtt", G_TYPE_UINT, 0, "ssrc",
      G_TYPE_UINT, MEDIA, NULL);
  gst_harness_push_upstream_event (s->rtp, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, request));
}

static gboolean
asks_for (GstRTCPPacket *packet, guint16 seq)
{
  const guint8 *fci = gst_rtcp_packet_fb_get_fci (packet);
  guint i, n = gst_rtcp_packet_fb_get_fci_length (packet);

  for (i = 0; i < n; i++) {
    guint16 ahead = (guint16)(seq - GST_READ_UINT16_BE (fci + 4 * i));

    if (ahead == 0 || (ahead <= 16 && (GST_READ_UINT16_BE (fci + 4 * i + 2) >> (ahead - 1)) & 1))
      return TRUE;
  }
  return FALSE;
}

static void
note_time (Seen *seen, gboolean early, GstClockTime at)
{
  if (early) {
    seen->early++;
    seen->early_since = TRUE;
    return;
  }
  seen->regular++;
  if (seen->last_regular != 0) {
    double since = (double)(at - seen->last_regular) / GST_SECOND;

    if (seen->early_since) {
      seen->after_early += since;
      seen->n_after_early++;
    } else {
      seen->gap += since;
      seen->n_gaps++;
    }
  }
  seen->last_regular = at;
  seen->early_since = FALSE;
}

/* Notes what the NACK asks for; TRUE where that includes what was lost less than 10 ms ago. */
static gboolean
note_nack (Session *s, Seen *seen, GstRTCPPacket *packet, GstClockTime at)
{
  gboolean prompt = FALSE;
  guint i, left = 0;

  for (i = 0; i < seen->n_wanted; i++) {
    if (!asks_for (packet, seen->wanted[i]) || seen->n_delays == MOST_SAMPLES) {
      seen->wanted[left] = seen->wanted[i];
      seen->lost_at[left++] = seen->lost_at[i];
      continue;
    }
    seen->delay[seen->n_delays++] = (double)(at - seen->lost_at[i]) / GST_SECOND;
    prompt = prompt || at - seen->lost_at[i] < 10 * GST_MSECOND;
    s->answers[s->n_answers++] = seen->wanted[i];
  }
  seen->n_wanted = left;
  return prompt;
}

/* Both send full compounds here: early is what leaves with the NACK within 10 ms of the loss. */
static void
note_packet (Session *s, Seen *seen, GstBuffer *buffer, GstClockTime at)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  gboolean more, early = FALSE;

  seen->bytes += gst_buffer_get_size (buffer) + UDP_IP_BYTES;
  gst_rtcp_buffer_map (buffer, GST_MAP_READ, &rtcp);
  for (more = gst_rtcp_buffer_get_first_packet (&rtcp, &packet); more; more = gst_rtcp_packet_move_to_next (&packet)) {
    if (gst_rtcp_packet_get_type (&packet) != GST_RTCP_TYPE_RTPFB ||
        gst_rtcp_packet_fb_get_type (&packet) != GST_RTCP_RTPFB_TYPE_NACK)
      continue;
    early = note_nack (s, seen, &packet, at) || early;
  }
  gst_rtcp_buffer_unmap (&rtcp);
  note_time (seen, early, at);
}

/* In steps of a millisecond, so that packets are seen when they leave. */
static void
watch_until (Session *s, Seen *seen, GstClockTime until)
{
  while (now_of (s) < until) {
    GstBuffer *buffer;

    media_until (s, MIN (until, now_of (s) + GST_MSECOND));
    while (s->n_answers > 0)
      push_rtp (s, s->answers[--s->n_answers]);
    while ((buffer = gst_harness_try_pull (s->rtcp)) != NULL) {
      note_packet (s, seen, buffer, now_of (s));
      s->mean_bytes = (7 * s->mean_bytes + (guint)gst_buffer_get_size (buffer) + 4) / 8;
      gst_buffer_unref (buffer);
    }
  }
}

static void
settle (Session *s, Seen *seen)
{
  watch_until (s, seen, START + SETTLE);
  memset (seen, 0, sizeof *seen);
}

static double
share (const Seen *seen, GstClockTime span, guint bandwidth)
{
  return 100.0 * seen->bytes * 8 / ((double)span / GST_SECOND) / bandwidth;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static double
quantile (Seen *seen, double q)
{
  if (seen->n_delays == 0)
    return -1;
  qsort (seen->delay, seen->n_delays, sizeof seen->delay[0], compare);
  return seen->delay[(guint)(q * (seen->n_delays - 1))];
}

static double
mean_delay (const Seen *seen)
{
  double sum = 0;
  guint i;

  for (i = 0; i < seen->n_delays; i++)
    sum += seen->delay[i];
  return seen->n_delays > 0 ? sum / seen->n_delays : -1;
}

/* A loss every `every` on average, 0: none. */
static void
run (const Kind *kind, guint bandwidth, GstClockTime every, GstClockTime span, Seen *seen)
{
  Session s;
  GRand *chance = g_rand_new_with_seed (1);
  GstClockTime end = START + SETTLE + span;

  session_start (&s, kind, bandwidth);
  settle (&s, seen);
  while (now_of (&s) < end) {
    GstClockTime next = end;

    if (every != 0)
      next = MIN (end, now_of (&s) + (GstClockTime)(every * g_rand_double_range (chance, 0.5, 1.5)));
    watch_until (&s, seen, next);
    if (next < end)
      lose (&s, seen);
  }
  session_end (&s);
  g_rand_free (chance);
}

/* Until one regular packet more has left. */
static void
watch_a_regular_one (Session *s, Seen *seen)
{
  guint regular = seen->regular;

  while (seen->regular == regular)
    watch_until (s, seen, now_of (s) + GST_MSECOND);
}

/* A loss so soon after every other regular packet. */
static void
run_after_regular (const Kind *kind, guint bandwidth, GstClockTime after, guint rounds, Seen *seen)
{
  Session s;

  session_start (&s, kind, bandwidth);
  settle (&s, seen);
  for (; rounds > 0; rounds--) {
    watch_a_regular_one (&s, seen);
    watch_until (&s, seen, now_of (&s) + after);
    lose (&s, seen);
    watch_a_regular_one (&s, seen);
  }
  session_end (&s);
}

typedef struct {
  double interval, share_plain, share_sparse, share_constant, mean_ms, p95_ms, constant_mean_ms, after_early;
  guint asked, answered;
} Figures;

static void
measure (const Kind *kind, guint bandwidth, GstClockTime span, Figures *f)
{
  Seen *seen = g_new0 (Seen, 1);

  run (kind, bandwidth, 0, span, seen);
  f->interval = seen->gap / MAX (seen->n_gaps, 1);
  f->share_plain = share (seen, span, bandwidth);
  memset (seen, 0, sizeof *seen);
  run (kind, bandwidth, 3 * GST_SECOND, span, seen);
  f->share_sparse = share (seen, span, bandwidth);
  f->asked = seen->asked;
  f->answered = seen->n_delays;
  f->mean_ms = 1000 * mean_delay (seen);
  f->p95_ms = 1000 * quantile (seen, 0.95);
  memset (seen, 0, sizeof *seen);
  run (kind, bandwidth, 200 * GST_MSECOND, span, seen);
  f->share_constant = share (seen, span, bandwidth);
  f->constant_mean_ms = 1000 * mean_delay (seen);
  memset (seen, 0, sizeof *seen);
  run_after_regular (kind, bandwidth, (GstClockTime)(f->interval / 10 * GST_SECOND), ROUNDS, seen);
  f->after_early = seen->n_after_early > 0 ? seen->after_early / seen->n_after_early / f->interval : -1;
  g_free (seen);
}

static void
print_row (const char *what, const char *format, double a, double b)
{
  printf ("| %-58s | ", what);
  printf (format, a);
  printf (" | ");
  printf (format, b);
  printf (" |\n");
}

static int
check (gboolean holds, const char *what)
{
  if (!holds)
    printf ("FAIL: %s\n", what);
  return holds ? 0 : 1;
}

/* Returns how many checks failed. */
static int
compare_at (guint bandwidth, GstClockTime span)
{
  Figures f[G_N_ELEMENTS (kinds)] = {{0}};
  guint i;

  for (i = 0; i < G_N_ELEMENTS (kinds); i++)
    measure (&kinds[i], bandwidth, span, &f[i]);
  printf (
      "| %4u kbit/s, two members, virtual time%20s | rtcpavpf | rtpsession |\n|---|---|---|\n", bandwidth / 1000, "");
  print_row ("mean interval of regular packets, no feedback, s", "%.3f", f[0].interval, f[1].interval);
  print_row ("RTCP of this end without feedback, % (its half: 2.5)", "%.2f", f[0].share_plain, f[1].share_plain);
  print_row ("... a loss every 3 s, %", "%.2f", f[0].share_sparse, f[1].share_sparse);
  print_row ("... a loss every 0.2 s, %", "%.2f", f[0].share_constant, f[1].share_constant);
  print_row ("loss to NACK, a loss every 3 s, mean, ms", "%.0f", f[0].mean_ms, f[1].mean_ms);
  print_row ("loss to NACK, 95 %, ms", "%.0f", f[0].p95_ms, f[1].p95_ms);
  print_row ("loss to NACK, a loss every 0.2 s, mean, ms", "%.0f", f[0].constant_mean_ms, f[1].constant_mean_ms);
  print_row ("losses reported, of all, %", "%.1f", 100.0 * f[0].answered / MAX (f[0].asked, 1),
      100.0 * f[1].answered / MAX (f[1].asked, 1));
  print_row ("next regular packet after an early one, intervals from tp", "%.2f", f[0].after_early, f[1].after_early);
  return check (f[0].share_plain < 2.6 && f[0].share_sparse < 2.6 && f[0].share_constant < 2.6,
             "the half of 5 % is 2.5; 0.1 is for the size of the early packets") +
         check (f[0].answered + 1 >= f[0].asked, "a loss was not reported") +
         /* RFC 4585 3.5.2 (6): tp + 2 T_rr, T_rr's mean being 1/1.218 of the realised interval: 1.64 at least */
         check (f[0].after_early >= 1.64, "an early packet has to cost the next regular one");
}

int
main (void)
{
  GstElementFactory *rival;
  int failed = 0;
  guint i;

  gst_init (NULL, NULL);
  rival = gst_element_factory_find ("rtpsession");
  if (rival == NULL) {
    printf ("rtpsession is not installed (gstreamer1.0-plugins-good)\n");
    return 77;
  }
  gst_object_unref (rival);
  for (i = 0; i < G_N_ELEMENTS (cases); i++)
    failed += compare_at (cases[i].bandwidth, cases[i].span);
  return failed > 0;
}
