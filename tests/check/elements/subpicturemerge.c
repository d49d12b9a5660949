/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* subpicturesplit and subpicturemerge, part by part. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <string.h>

#define WIDTH 32
#define HEIGHT 16
#define SIZE (WIDTH * HEIGHT * 3 / 2)
#define FPS 25
#define PARTS 4

typedef struct {
  GstElement *split, *merge;
  GstHarness *in, *from[PARTS], *to[PARTS], *out;
  guint n, number;
  gboolean has_caps; /* of the parts: they are sent once, whatever is flushed */
} Path;

static const guint counts[] = {2, 2, 4};
static const gchar *const patterns[] = {"lines", "checkerboard", "quad"};

static void
path_init (Path *p, guint pattern)
{
  memset (p, 0, sizeof *p);
  p->n = counts[pattern];
  p->split = gst_element_factory_make ("subpicturesplit", NULL);
  p->merge = gst_element_factory_make ("subpicturemerge", NULL);
  gst_util_set_object_arg (G_OBJECT (p->split), "pattern", patterns[pattern]);
  gst_util_set_object_arg (G_OBJECT (p->merge), "pattern", patterns[pattern]);
  p->in = gst_harness_new_with_element (p->split, "sink", NULL);
  p->out = gst_harness_new_with_element (p->merge, NULL, "src");
  for (guint i = 0; i < p->n; i++) {
    gchar *src = g_strdup_printf ("src_%u", i), *sink = g_strdup_printf ("sink_%u", i);

    p->from[i] = gst_harness_new_with_element (p->split, NULL, src);
    p->to[i] = gst_harness_new_with_element (p->merge, sink, NULL);
    g_free (src);
    g_free (sink);
  }
  gst_harness_set_src_caps_str (p->in, "video/x-raw,format=I420,width=32,height=16,framerate=25/1");
}

static void
path_clear (Path *p)
{
  for (guint i = 0; i < p->n; i++) {
    gst_harness_teardown (p->from[i]);
    gst_harness_teardown (p->to[i]);
  }
  gst_harness_teardown (p->in);
  gst_harness_teardown (p->out);
  gst_object_unref (p->split);
  gst_object_unref (p->merge);
}

/* A slope, lighter from picture to picture. */
static GstBuffer *
picture (guint number)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, SIZE, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  memset (map.data, 128, SIZE);
  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++)
      map.data[y * WIDTH + x] = (guint8)(3 * x + 4 * y + number % 32);
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (number, GST_SECOND, FPS);
  GST_BUFFER_DURATION (buffer) = GST_SECOND / FPS;
  return buffer;
}

/* lost: a bit for each part that does not come. */
static void
push (Path *p, guint lost)
{
  assert_equals_int (gst_harness_push (p->in, picture (p->number++)), GST_FLOW_OK);
  for (guint i = 0; i < p->n; i++) {
    GstBuffer *part = gst_harness_pull (p->from[i]);
    GstCaps *caps = gst_pad_get_current_caps (p->from[i]->sinkpad);

    if (!p->has_caps)
      gst_harness_set_src_caps (p->to[i], gst_caps_ref (caps));
    gst_caps_unref (caps);
    if ((lost & 1u << i) == 0) {
      assert_equals_int (gst_harness_push (p->to[i], part), GST_FLOW_OK);
    } else {
      gst_buffer_unref (part);
    }
  }
  p->has_caps = TRUE;
}

/* The largest error of luma, but at the rim. */
static gint
error_of (GstBuffer *buffer, guint number)
{
  GstBuffer *meant = picture (number);
  GstMapInfo a, b;
  gint worst = 0;

  assert_equals_uint64 (GST_BUFFER_PTS (buffer), GST_BUFFER_PTS (meant));
  gst_buffer_map (buffer, &a, GST_MAP_READ);
  gst_buffer_map (meant, &b, GST_MAP_READ);
  assert_equals_int (a.size, b.size);
  for (guint y = 1; y < HEIGHT - 1; y++)
    for (guint x = 1; x < WIDTH - 1; x++)
      worst = MAX (worst, ABS (a.data[y * WIDTH + x] - b.data[y * WIDTH + x]));
  gst_buffer_unmap (buffer, &a);
  gst_buffer_unmap (meant, &b);
  gst_buffer_unref (meant);
  gst_buffer_unref (buffer);
  return worst;
}

GST_START_TEST (test_what_was_split_is_put_together)
{
  Path p;

  path_init (&p, (guint)__i__);
  for (guint i = 0; i < 5; i++) {
    push (&p, 0);
    assert_equals_int (error_of (gst_harness_pull (p.out), i), 0);
  }
  path_clear (&p);
}
GST_END_TEST;

/* It is put out as soon as the stream that lacks has gone on. */
GST_START_TEST (test_a_missing_part_is_made_of_the_others)
{
  GstStructure *stats;
  guint64 missing;
  Path p;

  path_init (&p, (guint)__i__);
  push (&p, 0);
  assert_equals_int (error_of (gst_harness_pull (p.out), 0), 0);
  push (&p, 2);
  fail_if (gst_harness_try_pull (p.out) != NULL);
  push (&p, 0);
  assert_equals_int (error_of (gst_harness_pull (p.out), 1), 0);
  assert_equals_int (error_of (gst_harness_pull (p.out), 2), 0);
  g_object_get (p.merge, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, "parts-missing", &missing));
  assert_equals_uint64 (missing, 1);
  gst_structure_free (stats);
  path_clear (&p);
}
GST_END_TEST;

static GstBuffer *
pull_soon (Path *p)
{
  GstBuffer *buffer = NULL;

  for (guint i = 0; i < 100 && buffer == NULL; i++) {
    g_usleep (10000);
    buffer = gst_harness_try_pull (p->out);
  }
  fail_unless (buffer != NULL);
  return buffer;
}

/* A stream that says that it has no picture has gone on to the next; one that has lost packets may show it yet. */
GST_START_TEST (test_a_gap_is_not_waited_for)
{
  GstEvent *lost = gst_event_new_gap (GST_SECOND / FPS, GST_SECOND / FPS);
  Path p;

  path_init (&p, 0);
  push (&p, 0);
  assert_equals_int (error_of (pull_soon (&p), 0), 0);
  push (&p, 2);
  gst_event_set_gap_flags (lost, GST_GAP_FLAG_MISSING_DATA);
  fail_unless (gst_harness_push_event (p.to[1], lost));
  g_usleep (20000);
  fail_if (gst_harness_try_pull (p.out) != NULL);
  fail_unless (gst_harness_push_event (p.to[1], gst_event_new_gap (GST_SECOND / FPS, GST_SECOND / FPS)));
  assert_equals_int (error_of (pull_soon (&p), 1), 0);
  /* the next one is waited for */
  push (&p, 2);
  g_usleep (20000);
  fail_if (gst_harness_try_pull (p.out) != NULL);
  path_clear (&p);
}
GST_END_TEST;

/* Others are waited for no longer than `wait`: 100 ms are three pictures. */
GST_START_TEST (test_a_stream_that_stands_still_does_not_stop_the_picture)
{
  Path p;

  path_init (&p, 2);
  push (&p, 0);
  gst_buffer_unref (gst_harness_pull (p.out));
  for (guint i = 0; i < 10; i++)
    push (&p, 8);
  for (guint i = 1; i <= 7; i++)
    assert_equals_int (error_of (gst_harness_pull (p.out), i), 0);
  g_object_set (p.merge, "wait", (guint64)0, NULL);
  push (&p, 8);
  for (guint i = 8; i <= 11; i++)
    assert_equals_int (error_of (gst_harness_pull (p.out), i), 0);
  path_clear (&p);
}
GST_END_TEST;

GST_START_TEST (test_eos_puts_out_what_waits)
{
  Path p;

  path_init (&p, 2);
  push (&p, 0);
  gst_buffer_unref (gst_harness_pull (p.out));
  push (&p, 8);
  for (guint i = 0; i < p.n; i++)
    gst_harness_push_event (p.to[i], gst_event_new_eos ());
  assert_equals_int (error_of (gst_harness_pull (p.out), 1), 0);
  fail_if (gst_harness_try_pull (p.out) != NULL);
  path_clear (&p);
}
GST_END_TEST;

GST_START_TEST (test_after_a_flush_it_begins_anew)
{
  GstSegment segment;
  Path p;

  path_init (&p, 0);
  push (&p, 2);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (guint i = 0; i < p.n; i++) {
    gst_harness_push_event (p.to[i], gst_event_new_flush_start ());
    gst_harness_push_event (p.to[i], gst_event_new_flush_stop (TRUE));
    gst_harness_push_event (p.to[i], gst_event_new_segment (&segment));
  }
  p.number = 0;
  push (&p, 0);
  assert_equals_int (error_of (gst_harness_pull (p.out), 0), 0);
  fail_if (gst_harness_try_pull (p.out) != NULL);
  path_clear (&p);
}
GST_END_TEST;

/* ---- the merger alone, of two parts ---- */

typedef struct {
  GstElement *merge;
  GstHarness *to[2];
} Pair;

static void
pair_init (Pair *p)
{
  p->merge = gst_element_factory_make ("subpicturemerge", NULL);
  gst_util_set_object_arg (G_OBJECT (p->merge), "pattern", "lines");
  p->to[0] = gst_harness_new_with_element (p->merge, "sink_0", "src");
  p->to[1] = gst_harness_new_with_element (p->merge, "sink_1", NULL);
}

static void
pair_clear (Pair *p)
{
  gst_harness_teardown (p->to[1]);
  gst_harness_teardown (p->to[0]);
  gst_object_unref (p->merge);
}

static void
pair_set_caps (Pair *p, guint i, gint width, gint height, gint fps)
{
  gst_harness_set_src_caps (
      p->to[i], gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, "I420", "width", G_TYPE_INT, width,
                    "height", G_TYPE_INT, height, "framerate", GST_TYPE_FRACTION, fps, 1, NULL));
}

static GstFlowReturn
pair_push (Pair *p, guint i, gint width, gint height, guint ms)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, (gsize)(width * height * 3 / 2), NULL);

  gst_buffer_memset (buffer, 0, 128, (gsize)(width * height * 3 / 2));
  GST_BUFFER_PTS (buffer) = ms * GST_MSECOND;
  return gst_harness_push (p->to[i], buffer);
}

static void
assert_comes (Pair *p, gint width, gint height, gint fps, guint ms)
{
  GstBuffer *buffer = gst_harness_pull (p->to[0]);
  GstCaps *caps = gst_pad_get_current_caps (p->to[0]->sinkpad);
  GstVideoInfo info;

  fail_unless (buffer != NULL && gst_video_info_from_caps (&info, caps));
  assert_equals_int (GST_VIDEO_INFO_WIDTH (&info), width);
  assert_equals_int (GST_VIDEO_INFO_HEIGHT (&info), height);
  assert_equals_int (GST_VIDEO_INFO_FPS_N (&info), fps);
  assert_equals_int (gst_buffer_get_size (buffer), width * height * 3 / 2);
  assert_equals_uint64 (GST_BUFFER_PTS (buffer), ms * GST_MSECOND);
  gst_caps_unref (caps);
  gst_buffer_unref (buffer);
}

static guint64
pair_stat (Pair *p, const gchar *name)
{
  GstStructure *stats;
  guint64 value;

  g_object_get (p->merge, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, name, &value));
  gst_structure_free (stats);
  return value;
}

static guint
count_errors (GstBus *bus)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR)) != NULL) {
    gst_message_unref (message);
    n++;
  }
  return n;
}

/* One stream's new caps come before the other's, and before what is still to come of the old. */
GST_START_TEST (test_size_and_rate_may_change)
{
  GstBus *bus = gst_bus_new ();
  Pair p;

  pair_init (&p);
  gst_element_set_bus (p.merge, bus);
  for (guint i = 0; i < 2; i++)
    pair_set_caps (&p, i, 32, 8, 25);
  for (guint i = 0; i < 2; i++)
    pair_push (&p, i, 32, 8, 0);
  assert_comes (&p, 32, 16, 25, 0);
  pair_push (&p, 0, 32, 8, 40);
  pair_set_caps (&p, 0, 64, 16, 25);
  pair_push (&p, 0, 64, 16, 80);
  pair_push (&p, 1, 32, 8, 40);
  assert_comes (&p, 32, 16, 25, 40);
  pair_set_caps (&p, 1, 64, 16, 25);
  pair_push (&p, 1, 64, 16, 80);
  assert_comes (&p, 64, 32, 25, 80);
  for (guint i = 0; i < 2; i++)
    pair_set_caps (&p, i, 64, 16, 5);
  for (guint i = 0; i < 2; i++)
    pair_push (&p, i, 64, 16, 120 + 80 * i);
  assert_comes (&p, 64, 32, 5, 120);
  assert_equals_uint64 (pair_stat (&p, "incomplete"), 0);
  assert_equals_int (count_errors (bus), 0);
  gst_element_set_bus (p.merge, NULL);
  gst_object_unref (bus);
  pair_clear (&p);
}
GST_END_TEST;

GST_START_TEST (test_parts_that_differ_are_told_of_once)
{
  GstBus *bus = gst_bus_new ();
  Pair p;

  pair_init (&p);
  gst_element_set_bus (p.merge, bus);
  pair_set_caps (&p, 0, 32, 8, 25);
  pair_set_caps (&p, 1, 32, 16, 25);
  assert_equals_int (pair_push (&p, 0, 32, 8, 0), GST_FLOW_OK);
  assert_equals_int (count_errors (bus), 0);
  for (guint n = 0; n < 3; n++)
    assert_equals_int (pair_push (&p, 1, 32, 16, 40 * n), GST_FLOW_NOT_NEGOTIATED);
  assert_equals_int (count_errors (bus), 1);
  gst_element_set_bus (p.merge, NULL);
  gst_object_unref (bus);
  pair_clear (&p);
}
GST_END_TEST;

/* The other has ended: what waits for the released one, and EOS, go. */
GST_START_TEST (test_a_released_pad_is_not_waited_for)
{
  gboolean ended = FALSE;
  GstEvent *event;
  GstPad *pad;
  Pair p;

  pair_init (&p);
  for (guint i = 0; i < 2; i++)
    pair_set_caps (&p, i, 32, 8, 25);
  pair_push (&p, 0, 32, 8, 0);
  gst_harness_push_event (p.to[0], gst_event_new_eos ());
  assert_equals_uint64 (pair_stat (&p, "pictures"), 0);
  pad = gst_element_get_static_pad (p.merge, "sink_1");
  gst_element_release_request_pad (p.merge, pad);
  gst_object_unref (pad);
  assert_comes (&p, 32, 16, 25, 0);
  while (!ended && (event = gst_harness_pull_event (p.to[0])) != NULL) {
    ended = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
  fail_unless (ended);
  pair_clear (&p);
}
GST_END_TEST;

/* Upstream chooses of what it asked for, in its order. */
GST_START_TEST (test_caps_are_those_asked_for)
{
  static const gchar *const elements[] = {"subpicturesplit", "subpicturemerge"}, *const pads[] = {"sink", "sink_0"};

  for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
    GstHarness *h = gst_harness_new_with_padnames (elements[i], pads[i], NULL);
    GstCaps *filter = gst_caps_from_string ("video/x-raw, format = (string) { Y42B, GRAY8, I420 }, width = 32"), *caps;
    GstCaps *meant = gst_caps_from_string ("video/x-raw, format = (string) { GRAY8, I420 }, width = 32");

    caps = gst_pad_peer_query_caps (h->srcpad, filter);
    fail_unless (gst_caps_is_equal (caps, meant), "%s", elements[i]);
    gst_caps_unref (meant);
    gst_caps_unref (caps);
    gst_caps_unref (filter);
    gst_harness_teardown (h);
  }
}
GST_END_TEST;

/* ---- the merger and those that wait ---- */

/* What downstream does with its first picture: hold the thread that brings it. */
typedef struct {
  GMutex lock;
  GCond changed;
  gboolean open;
} Gate;

static GstPadProbeReturn
wait_at_gate (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Gate *gate = user;

  g_mutex_lock (&gate->lock);
  while (!gate->open)
    g_cond_wait (&gate->changed, &gate->lock);
  g_mutex_unlock (&gate->lock);
  return GST_PAD_PROBE_OK;
}

static void
gate_init (Gate *gate, GstElement *merge)
{
  GstPad *pad = gst_element_get_static_pad (merge, "src");

  g_mutex_init (&gate->lock);
  g_cond_init (&gate->changed);
  gate->open = FALSE;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, wait_at_gate, gate, NULL);
  gst_object_unref (pad);
}

static void
gate_open (Gate *gate)
{
  g_mutex_lock (&gate->lock);
  gate->open = TRUE;
  g_cond_broadcast (&gate->changed);
  g_mutex_unlock (&gate->lock);
}

static void
gate_clear (Gate *gate)
{
  g_cond_clear (&gate->changed);
  g_mutex_clear (&gate->lock);
}

/* A sink that synchronises holds a picture for longer than `wait`, and neither stream for it. */
GST_START_TEST (test_a_sink_that_holds_a_picture_holds_no_stream)
{
  Gate gate;
  Pair p;

  pair_init (&p);
  gate_init (&gate, p.merge);
  for (guint i = 0; i < 2; i++)
    pair_set_caps (&p, i, 32, 8, 25);
  for (guint n = 0; n < 10; n++)
    for (guint i = 0; i < 2; i++)
      assert_equals_int (pair_push (&p, i, 32, 8, 40 * n), GST_FLOW_OK);
  gate_open (&gate);
  for (guint n = 0; n < 10; n++)
    assert_comes (&p, 32, 16, 25, 40 * n);
  assert_equals_uint64 (pair_stat (&p, "incomplete"), 0);
  pair_clear (&p);
  gate_clear (&gate);
}
GST_END_TEST;

static gboolean
is_not_live (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, FALSE, 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}

typedef struct {
  Pair pair;
  guint number, parts;
  gint pushed;
  GstFlowReturn last;
  GThread *thread;
} Runner;

static gpointer
run (gpointer user)
{
  Runner *r = user;

  for (guint n = 0; n < r->parts && r->last == GST_FLOW_OK; n++) {
    r->last = pair_push (&r->pair, r->number, 32, 8, 40 * n);
    g_atomic_int_inc (&r->pushed);
  }
  return NULL;
}

/* Stream 0 comes in a thread of its own, and is as far as it gets. */
static void
runner_start (Runner *r, guint parts, gint pushed)
{
  memset (r, 0, sizeof *r);
  r->parts = parts;
  pair_init (&r->pair);
  for (guint i = 0; i < 2; i++) {
    gst_pad_set_query_function (r->pair.to[i]->srcpad, is_not_live);
    pair_set_caps (&r->pair, i, 32, 8, 25);
  }
  r->thread = g_thread_new ("stream", run, r);
  while (g_atomic_int_get (&r->pushed) < pushed)
    g_usleep (1000);
  g_usleep (20000);
  assert_equals_int (g_atomic_int_get (&r->pushed), pushed);
}

GST_START_TEST (test_of_streams_that_are_not_live_the_first_waits)
{
  Runner r;

  runner_start (&r, 10, 3);
  for (guint n = 0; n < 10; n++)
    pair_push (&r.pair, 1, 32, 8, 40 * n);
  for (guint n = 0; n < 10; n++)
    assert_comes (&r.pair, 32, 16, 25, 40 * n);
  assert_equals_uint64 (pair_stat (&r.pair, "incomplete"), 0);
  g_thread_join (r.thread);
  pair_clear (&r.pair);
}
GST_END_TEST;

static void
wake_by_eos (Runner *r)
{
  gst_harness_push_event (r->pair.to[1], gst_event_new_eos ());
}

static void
wake_by_release (Runner *r)
{
  GstPad *pad = gst_element_get_static_pad (r->pair.merge, "sink_1");

  gst_element_release_request_pad (r->pair.merge, pad);
  gst_object_unref (pad);
}

static void
wake_by_patience (Runner *r)
{
}

static void
wake_by_flush (Runner *r)
{
  gst_harness_push_event (r->pair.to[0], gst_event_new_flush_start ());
}

static void
wake_by_state (Runner *r)
{
  gst_element_set_state (r->pair.merge, GST_STATE_NULL);
}

static void
wake_by_its_own_release (Runner *r)
{
  GstPad *pad = gst_element_get_static_pad (r->pair.merge, "sink_0");

  gst_element_release_request_pad (r->pair.merge, pad);
  gst_object_unref (pad);
}

static const struct {
  void (*wake) (Runner *r);
  GstFlowReturn last;
} wakers[] = {{wake_by_eos, GST_FLOW_OK}, {wake_by_release, GST_FLOW_OK}, {wake_by_patience, GST_FLOW_OK},
    {wake_by_flush, GST_FLOW_FLUSHING}, {wake_by_state, GST_FLOW_FLUSHING},
    {wake_by_its_own_release, GST_FLOW_FLUSHING}};

GST_START_TEST (test_who_waits_is_woken)
{
  Runner r;

  runner_start (&r, 4, 3);
  wakers[__i__].wake (&r);
  g_thread_join (r.thread);
  assert_equals_int (r.last, wakers[__i__].last);
  pair_clear (&r.pair);
}
GST_END_TEST;

/* ---- the splitter alone ---- */

GST_START_TEST (test_a_part_may_be_asked_for_while_it_streams)
{
  static const GstEventType meant[] = {GST_EVENT_STREAM_START, GST_EVENT_CAPS, GST_EVENT_SEGMENT};
  GstElement *split = gst_element_factory_make ("subpicturesplit", NULL);
  GstHarness *h = gst_harness_new_with_element (split, "sink", "src_0"), *late;
  GstCaps *caps, *others;

  gst_harness_set_src_caps_str (h, "video/x-raw,format=I420,width=32,height=16,framerate=25/1");
  assert_equals_int (gst_harness_push (h, picture (0)), GST_FLOW_OK);
  late = gst_harness_new_with_element (split, NULL, "src_1");
  assert_equals_int (gst_harness_push (h, picture (1)), GST_FLOW_OK);
  for (guint i = 0; i < G_N_ELEMENTS (meant); i++) {
    GstEvent *event = gst_harness_try_pull_event (late);

    fail_unless (event != NULL && GST_EVENT_TYPE (event) == meant[i], "%u", i);
    gst_event_unref (event);
  }
  caps = gst_pad_get_current_caps (late->sinkpad);
  others = gst_pad_get_current_caps (h->sinkpad);
  fail_unless (gst_caps_is_equal (caps, others));
  assert_equals_int (gst_harness_buffers_received (late), 1);
  gst_caps_unref (caps);
  gst_caps_unref (others);
  gst_harness_teardown (late);
  gst_harness_teardown (h);
  gst_object_unref (split);
}
GST_END_TEST;

/* From within its push, as an application's thread might at that moment. */
static GstPadProbeReturn
release_part (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstElement *split = gst_pad_get_parent_element (pad);

  gst_element_release_request_pad (split, pad);
  gst_object_unref (split);
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_FLUSHING;
  gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_HANDLED;
}

GST_START_TEST (test_a_released_part_does_not_stop_the_others)
{
  GstElement *split = gst_element_factory_make ("subpicturesplit", NULL);
  GstHarness *h = gst_harness_new_with_element (split, "sink", "src_0");
  GstPad *pad = gst_element_request_pad_simple (split, "src_1");

  gst_harness_set_src_caps_str (h, "video/x-raw,format=I420,width=32,height=16,framerate=25/1");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, release_part, NULL, NULL);
  for (guint i = 0; i < 3; i++)
    assert_equals_int (gst_harness_push (h, picture (i)), GST_FLOW_OK);
  assert_equals_int (gst_harness_buffers_received (h), 3);
  assert_equals_int (split->numsrcpads, 1);
  gst_object_unref (pad);
  gst_harness_teardown (h);
  gst_object_unref (split);
}
GST_END_TEST;

GST_START_TEST (test_mistakes_have_cures)
{
  static const struct {
    const gchar *pipeline, *text;
  } mistakes[] = {
      {"videotestsrc num-buffers=2 ! video/x-raw,format=I420,width=30,height=16 ! subpicturesplit name=s s.src_0 ! "
       "fakesink",
          "multiples of 4"},
      {"videotestsrc num-buffers=2 ! video/x-raw,format=I420,width=32,height=16 ! m.sink_0 videotestsrc num-buffers=2 "
       "! "
       "video/x-raw,format=I420,width=16,height=16 ! m.sink_1 subpicturemerge name=m ! fakesink",
          "differ in size"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (mistakes); i++) {
    GstElement *pipeline = gst_parse_launch (mistakes[i].pipeline, NULL);
    GstBus *bus = gst_element_get_bus (pipeline);
    GError *error = NULL;
    GstMessage *message;

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    message = gst_bus_timed_pop_filtered (bus, 30 * GST_SECOND, GST_MESSAGE_ERROR);
    fail_unless (message != NULL, "%s: no error", mistakes[i].pipeline);
    gst_message_parse_error (message, &error, NULL);
    fail_unless (strstr (error->message, mistakes[i].text) != NULL, "%s", error->message);
    g_error_free (error);
    gst_message_unref (message);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (bus);
    gst_object_unref (pipeline);
  }
}
GST_END_TEST;

static Suite *
subpicturemerge_suite (void)
{
  Suite *suite = suite_create ("subpicturemerge");
  TCase *tcase = tcase_create ("subpicturemerge");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_what_was_split_is_put_together, 0, G_N_ELEMENTS (patterns));
  tcase_add_loop_test (tcase, test_a_missing_part_is_made_of_the_others, 0, G_N_ELEMENTS (patterns));
  tcase_add_test (tcase, test_a_gap_is_not_waited_for);
  tcase_add_test (tcase, test_a_stream_that_stands_still_does_not_stop_the_picture);
  tcase_add_test (tcase, test_eos_puts_out_what_waits);
  tcase_add_test (tcase, test_after_a_flush_it_begins_anew);
  tcase_add_test (tcase, test_size_and_rate_may_change);
  tcase_add_test (tcase, test_parts_that_differ_are_told_of_once);
  tcase_add_test (tcase, test_a_released_pad_is_not_waited_for);
  tcase_add_test (tcase, test_caps_are_those_asked_for);
  tcase_add_test (tcase, test_a_sink_that_holds_a_picture_holds_no_stream);
  tcase_add_test (tcase, test_of_streams_that_are_not_live_the_first_waits);
  tcase_add_loop_test (tcase, test_who_waits_is_woken, 0, G_N_ELEMENTS (wakers));
  tcase_add_test (tcase, test_a_part_may_be_asked_for_while_it_streams);
  tcase_add_test (tcase, test_a_released_part_does_not_stop_the_others);
  tcase_add_test (tcase, test_mistakes_have_cures);
  return suite;
}

GST_CHECK_MAIN (subpicturemerge);
