/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* newpred and newpredreport with the real encoder, payloader, depayloader and decoder, picture by picture: what is lost
   is chosen here, and the receiver's news comes as many pictures later as is said. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpictureevent.h"

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <string.h>

#define WIDTH 176
#define HEIGHT 144
#define FPS 30
#define SIZE (WIDTH * HEIGHT * 3 / 2)
#define ENCODER "vp8enc deadline=1 cpu-used=8 threads=1 end-usage=cbr target-bitrate=300000"

typedef struct {
  GstHarness *sender, *receiver, *truth; /* truth: a decoder that gets everything */
  GstElement *newpred;
  guint pictures, delay, keys, shown, wrong, last_wrong;
  GQueue news[64]; /* events that reach the encoder in so many pictures */
} Call;

static void
call_init (Call *call, const gchar *newpred, guint delay)
{
  gchar *sender = g_strdup_printf ("%s ! %s name=newpred ! rtpvp8pay mtu=300", ENCODER, newpred);

  memset (call, 0, sizeof *call);
  call->delay = delay;
  call->sender = gst_harness_new_parse (sender);
  call->receiver = gst_harness_new_parse ("newpredreport ! rtpvp8depay ! vp8dec");
  call->truth = gst_harness_new_parse ("rtpvp8depay ! vp8dec");
  call->newpred = gst_bin_get_by_name (GST_BIN (call->sender->element), "newpred");
  gst_harness_set_src_caps_str (call->sender,
      "video/x-raw,format=I420,width=" G_STRINGIFY (WIDTH) ",height=" G_STRINGIFY (HEIGHT) ",framerate=30/1");
  gst_harness_set_src_caps_str (
      call->receiver, "application/x-rtp,media=video,clock-rate=90000,encoding-name=VP8,payload=96");
  gst_harness_set_src_caps_str (
      call->truth, "application/x-rtp,media=video,clock-rate=90000,encoding-name=VP8,payload=96");
  for (guint i = 0; i < G_N_ELEMENTS (call->news); i++)
    g_queue_init (&call->news[i]);
  g_free (sender);
}

static void
call_clear (Call *call)
{
  for (guint i = 0; i < G_N_ELEMENTS (call->news); i++)
    g_queue_clear_full (&call->news[i], (GDestroyNotify)gst_event_unref);
  gst_object_unref (call->newpred);
  gst_harness_teardown (call->sender);
  gst_harness_teardown (call->receiver);
  gst_harness_teardown (call->truth);
}

static guint64
stat_of (Call *call, const gchar *name)
{
  GstStructure *stats;
  guint64 value = G_MAXUINT64;

  g_object_get (call->newpred, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, name, &value), "no %s", name);
  gst_structure_free (stats);
  return value;
}

/* A textured square that moves over a gradient. */
static GstBuffer *
raw_picture (guint number)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, SIZE, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  memset (map.data, 128, SIZE);
  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++) {
      guint dx = (x + 3 * number) % WIDTH, dy = (y + 2 * number) % HEIGHT;

      map.data[y * WIDTH + x] = (guint8)(dx < 64 && dy < 64 ? (dx * dy * 7) & 0xff : x + y / 2);
    }
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (number, GST_SECOND, FPS);
  GST_BUFFER_DURATION (buffer) = GST_SECOND / FPS;
  return buffer;
}

static gboolean
same (GstBuffer *a, GstBuffer *b)
{
  GstMapInfo map;
  gboolean is;

  gst_buffer_map (a, &map, GST_MAP_READ);
  is = gst_buffer_get_size (b) == map.size && gst_buffer_memcmp (b, 0, map.data, map.size) == 0;
  gst_buffer_unmap (a, &map);
  return is;
}

/* What the receiver says of pictures; the rest (its latency, its wish for more) is nothing of this. */
static void
collect_news (Call *call)
{
  GstEvent *event;

  while ((event = gst_harness_try_pull_upstream_event (call->receiver)) != NULL)
    if (gst_event_has_name (event, GST_PICTURE_EVENT_NAME))
      g_queue_push_tail (&call->news[(call->pictures + call->delay) % G_N_ELEMENTS (call->news)], event);
    else
      gst_event_unref (event);
}

static void
deliver_news (Call *call)
{
  GstEvent *event;

  while ((event = g_queue_pop_head (&call->news[call->pictures % G_N_ELEMENTS (call->news)])) != NULL)
    gst_harness_push_upstream_event (call->sender, event);
}

static void
compare (Call *call)
{
  GstBuffer *shown, *meant = gst_harness_try_pull (call->truth);

  while ((shown = gst_harness_try_pull (call->receiver)) != NULL) {
    gboolean right = meant != NULL && same (shown, meant);

    call->shown++;
    call->wrong += !right;
    if (!right)
      call->last_wrong = call->pictures;
    gst_buffer_unref (shown);
  }
  gst_clear_buffer (&meant);
}

static void
picture (Call *call, gboolean lost)
{
  GstBuffer *packet;
  guint packets = 0;

  deliver_news (call);
  assert_equals_int (gst_harness_push (call->sender, raw_picture (call->pictures)), GST_FLOW_OK);
  while ((packet = gst_harness_try_pull (call->sender)) != NULL) {
    packets++;
    gst_harness_push (call->truth, gst_buffer_copy_deep (packet));
    if (!lost)
      gst_harness_push (call->receiver, gst_buffer_copy_deep (packet));
    gst_buffer_unref (packet);
  }
  fail_unless (packets > 0);
  collect_news (call);
  compare (call);
  call->pictures++;
}

static void
run (Call *call, guint pictures)
{
  for (guint i = 0; i < pictures; i++)
    picture (call, FALSE);
}

GST_START_TEST (test_a_lost_picture_is_mended_to_the_bit_without_a_key_picture)
{
  Call call;

  call_init (&call, "newpred", 8);
  run (&call, 60);
  assert_equals_int (call.wrong, 0);
  picture (&call, TRUE);
  run (&call, 40);
  fail_unless (call.wrong > 0, "a lost picture should show");
  /* it shows with the next picture that comes, and its news takes 8 more */
  fail_unless (call.last_wrong <= 60 + 9, "still wrong at %u", call.last_wrong);
  assert_equals_uint64 (stat_of (&call, "key-pictures"), 1);
  assert_equals_uint64 (stat_of (&call, "repairs"), 1);
  assert_equals_uint64 (stat_of (&call, "lost"), 1);
  call_clear (&call);
}
GST_END_TEST;

GST_START_TEST (test_in_ack_mode_a_loss_shows_in_no_other_picture)
{
  Call call;

  call_init (&call, "newpred mode=ack", 8);
  run (&call, 30);
  for (guint i = 0; i < 10; i++) {
    picture (&call, TRUE);
    run (&call, 4);
  }
  assert_equals_int (call.wrong, 0);
  assert_equals_int (call.shown, call.pictures - 10);
  assert_equals_uint64 (stat_of (&call, "key-pictures"), 1);
  call_clear (&call);
}
GST_END_TEST;

GST_START_TEST (test_the_mode_may_be_changed_while_it_plays)
{
  Call call;
  gint mode;

  call_init (&call, "newpred mode=nack", 5);
  run (&call, 30);
  gst_util_set_object_arg (G_OBJECT (call.newpred), "mode", "ack");
  run (&call, 20);
  picture (&call, TRUE);
  run (&call, 20);
  assert_equals_int (call.wrong, 0);
  g_object_get (call.newpred, "mode", &mode, NULL);
  assert_equals_int (mode, 2);
  call_clear (&call);
}
GST_END_TEST;

/* ---- requests for key pictures ---- */

static gboolean
request (Call *call)
{
  guint64 keys = stat_of (call, "key-pictures");

  gst_harness_push_upstream_event (
      call->sender, gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, FALSE, 0));
  picture (call, FALSE);
  return stat_of (call, "key-pictures") > keys;
}

GST_START_TEST (test_who_says_nothing_of_pictures_gets_key_pictures)
{
  Call call;

  call_init (&call, "newpred", 63);
  run (&call, 20);
  fail_unless (request (&call));
  call_clear (&call);
}
GST_END_TEST;

GST_START_TEST (test_who_does_gets_references_and_a_key_picture_where_they_are_of_no_use)
{
  Call call;

  call_init (&call, "newpred", 5);
  run (&call, 40);
  fail_if (request (&call));
  fail_if (request (&call)); /* the answer is under way */
  run (&call, 10);
  fail_unless (request (&call)); /* it came, and was no help */
  assert_equals_uint64 (stat_of (&call, "requests-answered"), 2);
  assert_equals_uint64 (stat_of (&call, "requests-passed"), 1);
  call_clear (&call);
}
GST_END_TEST;

GST_START_TEST (test_pictures_that_the_sender_left_out_need_no_key_picture)
{
  Call call;

  call_init (&call, "newpred", 5);
  run (&call, 40);
  for (guint i = 0; i < 3; i++) {
    GstEvent *event = gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, TRUE, 0);

    gst_structure_set (gst_event_writable_structure (event), GST_PICTURE_SKIPPED_FIELD, G_TYPE_BOOLEAN, TRUE, NULL);
    picture (&call, TRUE);
    gst_harness_push_upstream_event (call.sender, event);
    picture (&call, FALSE);
    assert_equals_int (call.wrong, 0); /* at once */
    run (&call, 20);
  }
  assert_equals_uint64 (stat_of (&call, "key-pictures"), 1);
  call_clear (&call);
}
GST_END_TEST;

/* ---- the stream begins anew ---- */

GST_START_TEST (test_after_a_flush_numbers_and_references_begin_anew)
{
  GstSegment segment;
  Call call;

  call_init (&call, "newpred", 5);
  run (&call, 30);
  fail_unless (gst_harness_push_event (call.sender, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (call.sender, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (call.sender, gst_event_new_segment (&segment)));
  for (guint i = 0; i < G_N_ELEMENTS (call.news); i++)
    g_queue_clear_full (&call.news[i], (GDestroyNotify)gst_event_unref);
  gst_harness_push_event (call.receiver, gst_event_new_flush_start ());
  gst_harness_push_event (call.receiver, gst_event_new_flush_stop (FALSE));
  gst_harness_push_event (call.receiver, gst_event_new_segment (&segment));
  assert_equals_uint64 (stat_of (&call, "pictures"), 0);
  run (&call, 30);
  fail_unless (stat_of (&call, "arrived") >= 20);
  assert_equals_uint64 (stat_of (&call, "ignored"), 0);
  assert_equals_uint64 (stat_of (&call, "key-pictures"), 1);
  call_clear (&call);
}
GST_END_TEST;

/* A payloader may count a gap as a picture; newpred would take each for the one before then. */
GST_START_TEST (test_a_gap_is_no_picture)
{
  Call call;

  call_init (&call, "newpred", 5);
  run (&call, 30);
  fail_unless (gst_harness_push_event (call.sender, gst_event_new_gap (GST_SECOND, GST_SECOND / FPS)));
  run (&call, 30);
  assert_equals_uint64 (stat_of (&call, "lost"), 0);
  assert_equals_uint64 (stat_of (&call, "ignored"), 0);
  fail_unless (stat_of (&call, "arrived") >= 50);
  call_clear (&call);
}
GST_END_TEST;

/* ---- the encoder ---- */

static gchar *
property_of (GstElement *element, const gchar *name)
{
  GValue value = G_VALUE_INIT;
  gchar *text;

  g_object_get_property (G_OBJECT (element), name, &value);
  text = gst_value_serialize (&value);
  g_value_unset (&value);
  return text;
}

GST_START_TEST (test_the_encoder_is_left_as_it_was_found)
{
  static const gchar *const names[] = {"keyframe-mode", "temporal-scalability-layer-flags"};
  GstElement *pipeline =
      gst_parse_launch ("videotestsrc ! video/x-raw,width=64,height=48 ! vp8enc name=encoder deadline=1 "
                        "temporal-scalability-layer-flags=<no-upd-golden> ! newpred ! rtpvp8pay ! fakesink",
          NULL);
  GstElement *encoder = gst_bin_get_by_name (GST_BIN (pipeline), "encoder");
  gchar *before[2], *within, *after;

  for (guint i = 0; i < 2; i++)
    before[i] = property_of (encoder, names[i]);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  assert_equals_int (gst_element_get_state (pipeline, NULL, NULL, 30 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
  for (guint i = 0; i < 2; i++) {
    within = property_of (encoder, names[i]);
    fail_if (g_str_equal (before[i], within), "%s is %s all the time", names[i], within);
    g_free (within);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  for (guint i = 0; i < 2; i++) {
    after = property_of (encoder, names[i]);
    assert_equals_string (after, before[i]);
    g_free (before[i]);
    g_free (after);
  }
  gst_object_unref (encoder);
  gst_object_unref (pipeline);
}
GST_END_TEST;

/* ---- mistakes ---- */

static void
expect_warning (const gchar *pipeline, const gchar *text)
{
  GstElement *element = gst_parse_launch (pipeline, NULL);
  GstMessage *message;
  GError *error = NULL;
  GstBus *bus;

  fail_unless (element != NULL);
  bus = gst_element_get_bus (element);
  gst_element_set_state (element, GST_STATE_PLAYING);
  message =
      gst_bus_timed_pop_filtered (bus, 30 * GST_SECOND, GST_MESSAGE_WARNING | GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING, "%s: no warning", pipeline);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, text) != NULL, "%s: %s", pipeline, error->message);
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
}

GST_START_TEST (test_mistakes_have_cures)
{
#define SOURCE "videotestsrc num-buffers=5 ! video/x-raw,width=64,height=48 ! "
  expect_warning (SOURCE "vp8enc deadline=1 lag-in-frames=5 ! newpred ! rtpvp8pay ! fakesink", "lag-in-frames=0");
  expect_warning (SOURCE "vp8enc deadline=1 ! newpred ! fakesink", "rtpvp8pay");
  expect_warning ("appsrc num-buffers=0 caps=video/x-vp8 ! newpred ! fakesink", "behind a vp8enc");
  expect_warning (SOURCE "vp8enc deadline=1 ! rtpvp8pay ! newpredreport ! fakesink", "picture-id-mode");
}
GST_END_TEST;

/* ---- on the wire ---- */

static GstPadProbeReturn
count_event (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstPictureInfo *seen = user;

  gst_picture_event_parse (GST_PAD_PROBE_INFO_EVENT (info), seen);
  return GST_PAD_PROBE_OK;
}

GST_START_TEST (test_rpsi_and_sli_carry_the_picture)
{
  static const GstPictureInfo infos[] = {
      {1, 96, 0x7fff, 15, TRUE}, {2, 97, 5, 15, TRUE}, {3, 127, 0x55, 7, TRUE}, {4, 96, 0x1234, 15, FALSE}};
  GstHarness *h = gst_harness_new ("identity");
  GstPad *pad = gst_element_get_static_pad (h->element, "sink");
  GstPictureInfo seen;

  gst_pad_add_probe (h->srcpad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, count_event, &seen, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (infos); i++) {
    guint8 fci[GST_PICTURE_FCI_SIZE];
    guint fmt, kept = infos[i].arrived ? infos[i].bits : 6;
    gsize size = gst_picture_info_to_fci (&infos[i], fci, &fmt);

    memset (&seen, 0, sizeof seen);
    gst_picture_event_push_fci (pad, infos[i].ssrc, fmt, fci, size);
    assert_equals_int (seen.ssrc, infos[i].ssrc);
    assert_equals_int (seen.arrived, infos[i].arrived);
    assert_equals_int (seen.bits, kept);
    assert_equals_int (seen.id, infos[i].id & ((1u << kept) - 1));
  }
  gst_object_unref (pad);
  gst_harness_teardown (h);
}
GST_END_TEST;

/* Both ends over the loopback device: what newpredreport says reaches newpred. */
GST_START_TEST (test_tfrcsink_and_tfrcsrc_carry_the_news)
{
  GstElement *receiver = gst_parse_launch (
      "tfrcsrc port=46123 address=127.0.0.1 encoding-name=VP8 ! newpredreport ! rtpvp8depay ! vp8dec ! fakesink", NULL);
  GstElement *sender =
      gst_parse_launch ("videotestsrc is-live=true ! video/x-raw,width=176,height=144,framerate=30/1 ! "
                        "vp8enc deadline=1 cpu-used=8 ! newpred name=newpred ! ratecontrol ! rtpvp8pay "
                        "! tfrcsink host=127.0.0.1 port=46123",
          NULL);
  Call call = {.newpred = gst_bin_get_by_name (GST_BIN (sender), "newpred")};

  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  for (guint i = 0; i < 300 && stat_of (&call, "arrived") < 20; i++)
    g_usleep (100 * 1000);
  fail_unless (stat_of (&call, "arrived") >= 20, "%u arrived", (guint)stat_of (&call, "arrived"));
  gst_element_set_state (sender, GST_STATE_NULL);
  gst_element_set_state (receiver, GST_STATE_NULL);
  gst_object_unref (call.newpred);
  gst_object_unref (sender);
  gst_object_unref (receiver);
}
GST_END_TEST;

static Suite *
newpred_suite (void)
{
  Suite *suite = suite_create ("newpred");
  TCase *tcase = tcase_create ("newpred");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_a_lost_picture_is_mended_to_the_bit_without_a_key_picture);
  tcase_add_test (tcase, test_in_ack_mode_a_loss_shows_in_no_other_picture);
  tcase_add_test (tcase, test_the_mode_may_be_changed_while_it_plays);
  tcase_add_test (tcase, test_who_says_nothing_of_pictures_gets_key_pictures);
  tcase_add_test (tcase, test_who_does_gets_references_and_a_key_picture_where_they_are_of_no_use);
  tcase_add_test (tcase, test_pictures_that_the_sender_left_out_need_no_key_picture);
  tcase_add_test (tcase, test_after_a_flush_numbers_and_references_begin_anew);
  tcase_add_test (tcase, test_a_gap_is_no_picture);
  tcase_add_test (tcase, test_the_encoder_is_left_as_it_was_found);
  tcase_add_test (tcase, test_mistakes_have_cures);
  tcase_add_test (tcase, test_rpsi_and_sli_carry_the_picture);
  tcase_add_test (tcase, test_tfrcsink_and_tfrcsrc_carry_the_news);
  return suite;
}

GST_CHECK_MAIN (newpred);
