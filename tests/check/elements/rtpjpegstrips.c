/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtpjpegstrippay and rtpjpegstripdepay with a real encoder and decoder, packet by packet. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "jpegstrips.h"
#include "rtpjpeg.h"

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/rtp/gstrtpbuffer.h>
#include <string.h>

#define WIDTH 160
#define HEIGHT 96
#define SIZE (WIDTH * HEIGHT * 3 / 2)
#define STRIPS 6 /* rows of 16 lines */
#define FPS 25
#define MAX_PACKETS 256

typedef struct {
  GstHarness *sender, *receiver, *decoder;
  guint number;
  GstBuffer *packets[MAX_PACKETS]; /* of the last picture */
  guint n;
} Call;

static void
call_init (Call *c, const gchar *sender, const gchar *receiver)
{
  memset (c, 0, sizeof *c);
  c->sender = gst_harness_new_parse (sender);
  c->receiver = gst_harness_new (receiver);
  c->decoder = gst_harness_new ("jpegdec"); /* puts out I420 as it is coded */
  gst_harness_set_src_caps_str (
      c->sender, "video/x-raw,format=I420,width=160,height=96,framerate=25/1,interlace-mode=progressive");
  gst_harness_set_src_caps_str (
      c->receiver, "application/x-rtp,media=video,payload=26,clock-rate=90000,encoding-name=JPEG");
  gst_harness_set_src_caps_str (c->decoder, "image/jpeg,parsed=true,width=160,height=96,framerate=0/1");
}

static void
forget_packets (Call *c)
{
  while (c->n > 0)
    gst_buffer_unref (c->packets[--c->n]);
}

static void
call_clear (Call *c)
{
  forget_packets (c);
  gst_harness_teardown (c->sender);
  gst_harness_teardown (c->receiver);
  gst_harness_teardown (c->decoder);
}

static GstClockTime
time_of (guint number)
{
  return gst_util_uint64_scale (number, GST_SECOND, FPS);
}

/* Waves, and lighter from picture to picture, six times. */
static GstBuffer *
picture (guint number)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, SIZE, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint i = WIDTH * HEIGHT; i < SIZE; i++)
    map.data[i] = (guint8)(90 + i % (WIDTH / 2) / 16 * 4 + 10 * (number % 6));
  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++)
      map.data[y * WIDTH + x] = (guint8)(40 + 20 * (number % 6) + ABS ((gint)((x + y) % 128) - 64) / 2);
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = time_of (number);
  GST_BUFFER_DURATION (buffer) = GST_SECOND / FPS;
  return buffer;
}

/* The next picture's packets. */
static void
code (Call *c)
{
  GstBuffer *packet;

  forget_packets (c);
  assert_equals_int (gst_harness_push (c->sender, picture (c->number++)), GST_FLOW_OK);
  while ((packet = gst_harness_try_pull (c->sender)) != NULL)
    c->packets[c->n++] = packet;
  fail_unless (c->n > 0);
}

/* All of them arrive but those of `lost`, a bit each. */
static void
arrive (Call *c, guint64 lost)
{
  for (guint i = 0; i < c->n; i++)
    if (i >= 64 || (lost & G_GUINT64_CONSTANT (1) << i) == 0)
      assert_equals_int (gst_harness_push (c->receiver, gst_buffer_ref (c->packets[i])), GST_FLOW_OK);
}

static void
send_picture (Call *c, guint64 lost)
{
  code (c);
  arrive (c, lost);
}

static RtpJpegHead
head_of (GstBuffer *packet, GstRTPBuffer *rtp)
{
  RtpJpegHead head;

  fail_unless (gst_rtp_buffer_map (packet, GST_MAP_READ, rtp));
  fail_unless (rtp_jpeg_parse (gst_rtp_buffer_get_payload (rtp), gst_rtp_buffer_get_payload_len (rtp), &head));
  return head;
}

/* What the decoder makes of the next picture that came out, of this time. */
static void
decode (Call *c, guint number, guint8 raw_picture[SIZE])
{
  GstBuffer *jpeg = gst_harness_try_pull (c->receiver), *raw;

  fail_unless (jpeg != NULL, "no picture %u", number);
  assert_equals_uint64 (GST_BUFFER_PTS (jpeg), time_of (number));
  assert_equals_int (gst_harness_push (c->decoder, jpeg), GST_FLOW_OK);
  raw = gst_harness_pull (c->decoder);
  assert_equals_int (gst_buffer_extract (raw, 0, raw_picture, SIZE), SIZE);
  gst_buffer_unref (raw);
}

static void
nothing_came (Call *c)
{
  fail_unless (gst_harness_try_pull (c->receiver) == NULL);
}

static guint64
stat_of (Call *c, const gchar *name)
{
  GstElement *element = gst_harness_find_element (c->receiver, "rtpjpegstripdepay");
  GstStructure *stats;
  guint64 value;

  g_object_get (element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, name, &value));
  gst_structure_free (stats);
  gst_object_unref (element);
  return value;
}

/* The largest difference of a strip from what picture `number` shows there. */
static gint
error_of (const guint8 *luma, guint number, guint strip)
{
  GstBuffer *meant = picture (number);
  GstMapInfo map;
  gint worst = 0;

  gst_buffer_map (meant, &map, GST_MAP_READ);
  for (guint i = strip * 16 * WIDTH; i < (strip + 1) * 16 * WIDTH; i++)
    worst = MAX (worst, ABS (luma[i] - map.data[i]));
  gst_buffer_unmap (meant, &map);
  gst_buffer_unref (meant);
  return worst;
}

/* Picture `number`, but for the strips of `old`, which are the one before's. */
static void
shows (Call *c, guint number, guint old, gint tolerance)
{
  guint8 shown[SIZE];

  decode (c, number, shown);
  for (guint i = 0; i < STRIPS; i++) {
    guint of = old & 1u << i ? number - 1 : number;

    fail_unless (error_of (shown, of, i) <= tolerance, "picture %u, strip %u: %d", number, i, error_of (shown, of, i));
  }
}

#define STRIP_PAY "jpegenc quality=95 name=encoder ! rtpjpegstrippay mtu=500"
#define CLOSE 7 /* of quality 95; pictures are 20 apart */

/* A call whose first picture has come. */
static void
call_begin (Call *c, const gchar *sender)
{
  call_init (c, sender, "rtpjpegstripdepay");
  send_picture (c, 0);
  shows (c, 0, 0, CLOSE);
}

/* The strips that packet i holds, a bit each. */
static guint
strips_of (Call *c, guint i)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  RtpJpegHead head = head_of (c->packets[i], &rtp);
  JpegSpan spans[STRIPS];
  guint n = jpeg_strips_split (head.data, head.size, head.count, spans, STRIPS - head.count), found = 0;

  for (guint k = 0; k < n; k++)
    found |= 1u << (head.count + k);
  gst_rtp_buffer_unmap (&rtp);
  return found;
}

/* ---- sending ---- */

GST_START_TEST (test_packets_begin_and_end_with_strips)
{
  guint32 offset = 0;
  guint all = 0;
  Call c;

  call_init (&c, STRIP_PAY, "rtpjpegstripdepay");
  code (&c);
  fail_unless (c.n > 2 && c.n <= STRIPS, "%u packets", c.n);
  for (guint i = 0; i < c.n; i++) {
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
    RtpJpegHead head = head_of (c.packets[i], &rtp);

    fail_unless (head.F && head.L);
    assert_equals_int (head.type, 65);
    assert_equals_int (head.Q, 95);
    assert_equals_int (head.width, WIDTH);
    assert_equals_int (head.height, HEIGHT);
    assert_equals_int (head.interval, WIDTH / 16);
    assert_equals_int (head.offset, offset);
    assert_equals_int (gst_rtp_buffer_get_marker (&rtp), i + 1 == c.n);
    assert_equals_int (gst_rtp_buffer_get_payload_type (&rtp), 26);
    fail_unless (gst_rtp_buffer_get_packet_len (&rtp) <= 500);
    offset += (guint32)head.size;
    gst_rtp_buffer_unmap (&rtp);
    fail_unless ((all & strips_of (&c, i)) == 0);
    all |= strips_of (&c, i);
  }
  assert_equals_int (all, (1 << STRIPS) - 1);
  call_clear (&c);
}
GST_END_TEST;

/* What comes out of each depayloader is, decoded, what the encoder made: nothing is lost by cutting. */
GST_START_TEST (test_nothing_is_lost_by_cutting)
{
  static const gchar *const depayloaders[] = {"rtpjpegstripdepay", "rtpjpegdepay"};
  static const gchar *const senders[] = {STRIP_PAY, "jpegenc quality=95 ! rtpjpegstrippay restart-interval=7",
      "jpegenc quality=95 ! rtpjpegstrippay mtu=80", "jpegenc quality=100 ! rtpjpegstrippay",
      "jpegenc quality=95 ! rtpjpegpay"};

  for (guint d = 0; d < G_N_ELEMENTS (depayloaders); d++)
    for (guint s = 0; s < G_N_ELEMENTS (senders); s++) {
      guint8 shown[SIZE], meant[SIZE];
      GstHarness *direct =
          gst_harness_new_parse (s == 3 ? "jpegenc quality=100 ! jpegdec" : "jpegenc quality=95 ! jpegdec");
      GstBuffer *raw;
      Call c;

      call_init (&c, senders[s], depayloaders[d]);
      gst_harness_set_src_caps_str (
          direct, "video/x-raw,format=I420,width=160,height=96,framerate=25/1,interlace-mode=progressive");
      gst_harness_push (direct, picture (0));
      raw = gst_harness_pull (direct);
      gst_buffer_extract (raw, 0, meant, sizeof meant);
      gst_buffer_unref (raw);
      send_picture (&c, 0);
      decode (&c, 0, shown);
      fail_unless (memcmp (shown, meant, sizeof shown) == 0, "%s ! %s", senders[s], depayloaders[d]);
      gst_harness_teardown (direct);
      call_clear (&c);
    }
}
GST_END_TEST;

GST_START_TEST (test_what_rtp_cannot_carry_is_refused_once)
{
  GstHarness *h = gst_harness_new_parse ("jpegenc ! rtpjpegstrippay");
  GstBus *bus = gst_bus_new ();
  GstMessage *message;

  gst_element_set_bus (h->element, bus);
  gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY8,width=160,height=96,framerate=25/1");
  for (guint i = 0; i < 2; i++)
    assert_equals_int (gst_harness_push (h, picture (i)), GST_FLOW_OK);
  assert_equals_int (gst_harness_buffers_in_queue (h), 0);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_message_unref (message);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}
GST_END_TEST;

/* ---- losing ---- */

GST_START_TEST (test_a_lost_packet_costs_its_strips)
{
  Call c;

  call_begin (&c, STRIP_PAY);
  for (guint i = 0; i + 1 < c.n; i++) { /* the first one among them */
    send_picture (&c, 0);
    shows (&c, c.number - 1, 0, CLOSE);
    code (&c);
    arrive (&c, 1u << i);
    shows (&c, c.number - 1, strips_of (&c, i), CLOSE);
  }
  assert_equals_uint64 (stat_of (&c, "filled"), c.n - 1);
  assert_equals_uint64 (stat_of (&c, "dropped"), 0);
  call_clear (&c);
}
GST_END_TEST;

/* With the marker lost, a picture leaves when the next one begins, under its own time. */
GST_START_TEST (test_the_last_packet_is_lost)
{
  guint old;
  Call c;

  call_begin (&c, STRIP_PAY);
  code (&c);
  old = strips_of (&c, c.n - 1);
  arrive (&c, 1u << (c.n - 1));
  nothing_came (&c);
  send_picture (&c, 0);
  shows (&c, 1, old, CLOSE);
  shows (&c, 2, 0, CLOSE);
  code (&c);
  arrive (&c, 1u << (c.n - 1));
  gst_harness_push_event (c.receiver, gst_event_new_eos ());
  shows (&c, 3, old, CLOSE);
  call_clear (&c);
}
GST_END_TEST;

/* A strip that stands in is in its own steps, whatever the pictures' are. */
GST_START_TEST (test_quality_changes_between_pictures)
{
  GstElement *encoder;
  guint lost;
  Call c;

  call_begin (&c, STRIP_PAY);
  encoder = gst_bin_get_by_name (GST_BIN (c.sender->element), "encoder");
  g_object_set (encoder, "quality", 60, NULL);
  code (&c);
  lost = strips_of (&c, 0);
  arrive (&c, 1);
  shows (&c, 1, lost, 18);
  call_clear (&c);
  gst_object_unref (encoder);
}
GST_END_TEST;

/* No picture has holes: the first leaves when each strip has come once. */
GST_START_TEST (test_nothing_leaves_before_every_strip_has_come)
{
  Call c;

  call_init (&c, STRIP_PAY, "rtpjpegstripdepay");
  send_picture (&c, 1);
  send_picture (&c, 1);
  nothing_came (&c);
  code (&c);
  arrive (&c, ~(guint64)(1 | 1u << (c.n - 1))); /* the first and the last */
  fail_unless (gst_harness_buffers_in_queue (c.receiver) == 1);
  assert_equals_uint64 (stat_of (&c, "dropped"), 2);
  call_clear (&c);
}
GST_END_TEST;

/* A picture of which nothing came is none; the one before goes on being shown. */
GST_START_TEST (test_a_picture_that_is_lost_altogether)
{
  Call c;

  call_begin (&c, STRIP_PAY);
  send_picture (&c, ~G_GUINT64_CONSTANT (0));
  nothing_came (&c);
  send_picture (&c, 0);
  shows (&c, 2, 0, CLOSE);
  assert_equals_uint64 (stat_of (&c, "pictures"), 2);
  call_clear (&c);
}
GST_END_TEST;

/* Strips that take several packets are whole or not there. */
GST_START_TEST (test_strips_of_several_packets)
{
  Call c;

  call_begin (&c, "jpegenc quality=95 ! rtpjpegstrippay mtu=100 restart-interval=10");
  fail_unless (c.n > 2 * STRIPS);
  code (&c);
  arrive (&c, 1 << 1); /* the second packet of the first strip */
  shows (&c, 1, 1, CLOSE);
  call_clear (&c);
}
GST_END_TEST;

/* Tables that come with the first packet and belong to one picture only: without them the others are of no use. */
GST_START_TEST (test_tables_of_their_own_are_lost)
{
  Call c;

  call_begin (&c, "jpegenc quality=100 ! rtpjpegstrippay");
  send_picture (&c, 1);
  nothing_came (&c);
  send_picture (&c, 0);
  shows (&c, 2, 0, CLOSE);
  call_clear (&c);
}
GST_END_TEST;

/* rtpjpegpay's packets are no chunks: all of a picture or nothing. */
GST_START_TEST (test_whole_pictures)
{
  Call c;

  call_begin (&c, "jpegenc quality=95 ! rtpjpegpay mtu=400");
  for (guint i = 0; i < 3; i++) {
    send_picture (&c, i < 2 ? 1u << i : 1u << (c.n - 1));
    nothing_came (&c);
    send_picture (&c, 0);
    shows (&c, c.number - 1, 0, CLOSE);
  }
  assert_equals_uint64 (stat_of (&c, "filled"), 0);
  call_clear (&c);
}
GST_END_TEST;

/* ---- what comes is not what it should be ---- */

GST_START_TEST (test_damaged_strips_count_as_lost)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  RtpJpegHead head;
  guint damaged;
  Call c;

  call_begin (&c, STRIP_PAY);
  code (&c);
  damaged = strips_of (&c, 1);
  c.packets[1] = gst_buffer_make_writable (c.packets[1]);
  fail_unless (gst_rtp_buffer_map (c.packets[1], GST_MAP_READWRITE, &rtp));
  rtp_jpeg_parse (gst_rtp_buffer_get_payload (&rtp), gst_rtp_buffer_get_payload_len (&rtp), &head);
  memset ((guint8 *)head.data + 10, 0x55, head.size - 20);
  gst_rtp_buffer_unmap (&rtp);
  arrive (&c, 0);
  shows (&c, 1, damaged, CLOSE);
  fail_unless (stat_of (&c, "strips-wrong") > 0);
  call_clear (&c);
}
GST_END_TEST;

GST_START_TEST (test_rubbish_is_passed_over)
{
  Call c;

  call_begin (&c, STRIP_PAY);
  for (guint size = 0; size < 30; size++) {
    GstBuffer *packet = gst_rtp_buffer_new_allocate (size, 0, 0);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

    gst_rtp_buffer_map (packet, GST_MAP_READWRITE, &rtp);
    gst_rtp_buffer_set_seq (&rtp, (guint16)(7000 + size));
    gst_rtp_buffer_set_payload_type (&rtp, 26);
    memset (gst_rtp_buffer_get_payload (&rtp), 0, size);
    gst_rtp_buffer_unmap (&rtp);
    gst_harness_push (c.receiver, packet);
  }
  assert_equals_uint64 (stat_of (&c, "packets-refused"), 30);
  nothing_came (&c);
  send_picture (&c, 0);
  shows (&c, 1, 0, CLOSE);
  call_clear (&c);
}
GST_END_TEST;

GST_START_TEST (test_a_flush_forgets_the_strips)
{
  GstSegment segment;
  Call c;

  call_begin (&c, STRIP_PAY);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (c.receiver, gst_event_new_flush_start ());
  gst_harness_push_event (c.receiver, gst_event_new_flush_stop (TRUE));
  gst_harness_push_event (c.receiver, gst_event_new_segment (&segment));
  send_picture (&c, 1);
  nothing_came (&c);
  send_picture (&c, 0);
  shows (&c, 2, 0, CLOSE);
  call_clear (&c);
}
GST_END_TEST;

static Suite *
rtpjpegstrips_suite (void)
{
  Suite *suite = suite_create ("rtpjpegstrips");
  TCase *tcase = tcase_create ("rtpjpegstrips");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_packets_begin_and_end_with_strips);
  tcase_add_test (tcase, test_nothing_is_lost_by_cutting);
  tcase_add_test (tcase, test_what_rtp_cannot_carry_is_refused_once);
  tcase_add_test (tcase, test_a_lost_packet_costs_its_strips);
  tcase_add_test (tcase, test_the_last_packet_is_lost);
  tcase_add_test (tcase, test_quality_changes_between_pictures);
  tcase_add_test (tcase, test_nothing_leaves_before_every_strip_has_come);
  tcase_add_test (tcase, test_a_picture_that_is_lost_altogether);
  tcase_add_test (tcase, test_strips_of_several_packets);
  tcase_add_test (tcase, test_tables_of_their_own_are_lost);
  tcase_add_test (tcase, test_whole_pictures);
  tcase_add_test (tcase, test_damaged_strips_count_as_lost);
  tcase_add_test (tcase, test_rubbish_is_passed_over);
  tcase_add_test (tcase, test_a_flush_forgets_the_strips);
  return suite;
}

GST_CHECK_MAIN (rtpjpegstrips);
