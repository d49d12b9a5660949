/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsrc used in wrong ways, and in right ones: what it says. Each takes seconds, so all play at once. */
#include "gstccsrtp.h"

#include <gio/gio.h>
#include <gst/check/gstcheck.h>
#include <gst/rtp/gstrtpbuffer.h>
#include <string.h>

#define PLAYED_S 8
#define KEY "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d"
#define KEY_BYTES 30
#define PACKET_BYTES 600 /* with a tag */

typedef struct {
  GstElement *pipeline, *src, *sender;
  GstBus *bus;
  GSocketAddress *to;
  GSocket *sockets[2];
  guint16 seqs[2];
} Call;

/* behind: what follows tfrcsrc; NULL: a fakesink. */
static void
call_open (Call *c, const gchar *properties, const gchar *behind)
{
  gchar *line = g_strdup_printf ("tfrcsrc name=src address=127.0.0.1 port=0 %s ! %s", properties,
      behind != NULL ? behind : "fakesink sync=false async=false");
  gint port;

  memset (c, 0, sizeof *c);
  c->pipeline = gst_parse_launch (line, NULL);
  fail_unless (c->pipeline != NULL, "%s", line);
  c->src = gst_bin_get_by_name (GST_BIN (c->pipeline), "src");
  c->bus = gst_element_get_bus (c->pipeline);
  fail_unless (gst_element_set_state (c->pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE);
  g_object_get (c->src, "port", &port, NULL);
  c->to = g_inet_socket_address_new_from_string ("127.0.0.1", (guint)port);
  g_free (line);
}

/* A real sender, of what is in front of udpsink. */
static void
call_send (Call *c, const gchar *what)
{
  gchar *line = g_strdup_printf ("%s ! udpsink sync=true host=127.0.0.1 port=%u", what,
      g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (c->to)));

  c->sender = gst_parse_launch (line, NULL);
  fail_unless (c->sender != NULL, "%s", line);
  gst_element_set_state (c->sender, GST_STATE_PLAYING);
  g_free (line);
}

static void
call_add_socket (Call *c, guint i, const gchar *from)
{
  GSocketAddress *local = g_inet_socket_address_new_from_string (from, 0);

  c->sockets[i] = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  fail_unless (g_socket_bind (c->sockets[i], local, FALSE, NULL));
  g_object_unref (local);
}

static GstBuffer *
new_packet (Call *c, guint i, guint8 payload_type, guint8 filling)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (500, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_ssrc (&rtp, 100 + i);
  gst_rtp_buffer_set_seq (&rtp, c->seqs[i]++);
  gst_rtp_buffer_set_payload_type (&rtp, payload_type);
  gst_rtp_buffer_set_marker (&rtp, TRUE);
  gst_rtp_buffer_set_timestamp (&rtp, (guint32)(g_get_monotonic_time () * 9 / 100));
  memset (gst_rtp_buffer_get_payload (&rtp), filling, 500);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

static void
call_filled_packet (Call *c, guint i, guint8 payload_type, guint8 filling)
{
  GstBuffer *buffer = new_packet (c, i, payload_type, filling);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  g_socket_send_to (c->sockets[i], c->to, (gchar *)map.data, map.size, NULL, NULL);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
}

static void
call_packet (Call *c, guint i, guint8 payload_type)
{
  call_filled_packet (c, i, payload_type, 0x41); /* of H264 */
}

/* With the key KEY and its first byte changed by `change`. */
static GstCcSrtp *
new_end (guint8 change)
{
  GstCcSrtpParams params;
  guint8 bytes[KEY_BYTES];
  GstCcSrtp *end;
  guint i;

  for (i = 0; i < KEY_BYTES; i++)
    bytes[i] = (guint8)i;
  bytes[0] ^= change;
  gst_cc_srtp_params_init (&params);
  params.key = gst_buffer_new_memdup (bytes, sizeof bytes);
  end = gst_cc_srtp_new (&params, NULL);
  gst_cc_srtp_params_clear (&params);
  return end;
}

static void
call_protected_packet (Call *c, guint i, GstCcSrtp *srtp)
{
  GstBuffer *buffer = new_packet (c, i, 96, 0x41);
  guint8 data[PACKET_BYTES + GST_CC_SRTP_ROOM];
  gsize size = gst_buffer_extract (buffer, 0, data, PACKET_BYTES);

  fail_unless (gst_cc_srtp_protect_rtp (srtp, data, &size));
  g_socket_send_to (c->sockets[i], c->to, (gchar *)data, size, NULL, NULL);
  gst_buffer_unref (buffer);
}

/* Exactly one warning, with all these texts; NULL: none at all. */
static void
call_close (Call *c, const gchar *text, const gchar *too)
{
  GstMessage *message;
  guint n = 0, i;

  while ((message = gst_bus_pop_filtered (c->bus, GST_MESSAGE_WARNING)) != NULL) {
    GError *error;

    gst_message_parse_warning (message, &error, NULL);
    fail_unless (text != NULL && strstr (error->message, text) != NULL, "\"%s\" lacks \"%s\"", error->message, text);
    fail_unless (too == NULL || strstr (error->message, too) != NULL, "\"%s\" lacks \"%s\"", error->message, too);
    n++;
    g_error_free (error);
    gst_message_unref (message);
  }
  fail_unless (n == (text != NULL), "%u times \"%s\"", n, text);
  if (c->sender != NULL) {
    gst_element_set_state (c->sender, GST_STATE_NULL);
    gst_object_unref (c->sender);
  }
  gst_element_set_state (c->pipeline, GST_STATE_NULL);
  gst_object_unref (c->bus);
  gst_object_unref (c->src);
  gst_object_unref (c->pipeline);
  for (i = 0; i < G_N_ELEMENTS (c->sockets); i++)
    g_clear_object (&c->sockets[i]);
  g_object_unref (c->to);
}

#define PICTURES                                                                                                       \
  "videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420,width=320,height=240,framerate=30/1 ! "
#define H264_PACKETS PICTURES "x264enc tune=zerolatency speed-preset=ultrafast threads=1 bitrate=300 ! rtph264pay"
#define VP8_PACKETS PICTURES "vp8enc deadline=1 cpu-used=-16 threads=1 target-bitrate=300000 ! rtpvp8pay"
#define JPEG_PACKETS PICTURES "jpegenc ! rtpjpegpay"
#define PCMU_PACKETS "audiotestsrc is-live=true ! mulawenc ! rtppcmupay"

GST_START_TEST (test_silence)
{
  Call silent, junk, elsewhere, late, locked;
  guint i;

  call_open (&silent, "encoding-name=H264", NULL);
  call_open (&junk, "encoding-name=H264", NULL);
  call_add_socket (&junk, 0, "127.0.0.1");
  call_open (&elsewhere, "encoding-name=H264 peer-address=127.0.0.9", NULL);
  call_add_socket (&elsewhere, 0, "127.0.0.1");
  call_open (&late, "encoding-name=H264", NULL);
  call_add_socket (&late, 0, "127.0.0.1");
  call_open (&locked, gst_cc_srtp_is_available () ? "encoding-name=H264 srtp-key=" KEY : "encoding-name=H264", NULL);
  call_add_socket (&locked, 0, "127.0.0.1");
  for (i = 0; i < PLAYED_S * 20; i++) {
    g_socket_send_to (junk.sockets[0], junk.to, "what is this?", 13, NULL, NULL);
    call_packet (&elsewhere, 0, 96);
    call_packet (&locked, 0, 96);
    call_packet (&locked, 0, 96);
    if (i >= 60 && i < 80) /* in the fourth second, and then silence again */
      call_packet (&late, 0, 96);
    g_usleep (50000);
  }
  call_close (&silent, "No packet has arrived on UDP port", "Start the sender");
  call_close (&junk, "is no RTP", "Send with a payloader and tfrcsink");
  call_close (&elsewhere, "none from peer-address=127.0.0.9", "Set peer-address");
  call_close (&late, NULL, NULL);
  call_close (&locked, gst_cc_srtp_is_available () ? "not made with the key" : NULL, "srtp-key"); /* and that alone */
}
GST_END_TEST;

/* Who starts again with another key, or with the numbers it has had; and who does so for a moment. */
GST_START_TEST (test_the_key_opens_no_more)
{
  static const guint8 changes[] = {1, 0, 1};
  GstCcSrtp *first[G_N_ELEMENTS (changes)], *again[G_N_ELEMENTS (changes)];
  Call calls[G_N_ELEMENTS (changes)];
  guint i, k;

  for (k = 0; k < G_N_ELEMENTS (calls); k++) {
    call_open (&calls[k], "encoding-name=H264 srtp-key=" KEY, NULL);
    call_add_socket (&calls[k], 0, "127.0.0.1");
    calls[k].seqs[0] = 10000;
    first[k] = new_end (0);
    again[k] = new_end (changes[k]);
  }
  for (i = 0; i < PLAYED_S * 20; i++) {
    if (i == 20)
      calls[1].seqs[0] = 1000;
    for (k = 0; k < G_N_ELEMENTS (calls); k++)
      call_protected_packet (&calls[k], 0, i < 20 || (k == 2 && i >= 80) ? first[k] : again[k]);
    g_usleep (50000);
  }
  call_close (&calls[0], "none opens with the key any more", "wants that set here");
  call_close (&calls[1], "none opens with the key any more", "ssrc to chance");
  call_close (&calls[2], NULL, NULL);
  for (k = 0; k < G_N_ELEMENTS (calls); k++) {
    gst_cc_srtp_free (first[k]);
    gst_cc_srtp_free (again[k]);
  }
}
GST_END_TEST;

GST_START_TEST (test_two_senders)
{
  Call hosts, streams, named, handover, stray;
  Call *calls[] = {&hosts, &streams, &named, &handover, &stray};
  guint i, k;

  call_open (&hosts, "encoding-name=H264", NULL);
  call_open (&streams, "encoding-name=H264", NULL);
  call_open (&named, "encoding-name=H264 peer-address=127.0.0.1", NULL);
  call_open (&handover, "encoding-name=H264", NULL);
  call_open (&stray, "encoding-name=H264", NULL);
  for (k = 0; k < G_N_ELEMENTS (calls); k++) {
    call_add_socket (calls[k], 0, "127.0.0.1");
    call_add_socket (calls[k], 1, calls[k] == &streams ? "127.0.0.1" : "127.0.0.2");
  }
  for (i = 0; i < PLAYED_S * 20; i++) {
    for (k = 0; k < G_N_ELEMENTS (calls); k++) {
      if (calls[k] != &handover || i < 80)
        call_packet (calls[k], 0, 96);
      if (calls[k] == &stray ? i % 10 == 0 : calls[k] != &handover ? i > 10 : i > 60)
        call_packet (calls[k], 1, 96);
    }
    g_usleep (50000);
  }
  call_close (&hosts, "Two senders, 127.0.0.", "name the right one's host by peer-address");
  call_close (&streams, "Two senders, 127.0.0.1:", "Stop one");
  call_close (&named, NULL, NULL);
  call_close (&handover, NULL, NULL); /* the first one ends a second after the other began */
  call_close (&stray, NULL, NULL);
}
GST_END_TEST;

GST_START_TEST (test_what_arrives_is_another)
{
  Call vp8, h264, jpeg, pcmu, type, right, any, sealed;
  guint i;

  call_open (&vp8, "encoding-name=VP8", NULL);
  call_send (&vp8, H264_PACKETS);
  call_open (&h264, "encoding-name=H264", NULL);
  call_send (&h264, VP8_PACKETS);
  call_open (&jpeg, "caps=application/x-rtp,media=video,clock-rate=90000,encoding-name=VP8", NULL);
  call_send (&jpeg, JPEG_PACKETS);
  call_open (&pcmu, "encoding-name=OPUS", NULL);
  call_send (&pcmu, PCMU_PACKETS);
  call_open (&right, "encoding-name=H264 payload=96", NULL);
  call_send (&right, H264_PACKETS);
  call_open (&type, "encoding-name=H264 payload=97", NULL);
  call_add_socket (&type, 0, "127.0.0.1");
  call_open (&any, "encoding-name=X-OWN clock-rate=90000", NULL);
  call_add_socket (&any, 0, "127.0.0.1");
  call_open (&sealed, "encoding-name=H264", NULL);
  call_add_socket (&sealed, 0, "127.0.0.1");
  for (i = 0; i < 80; i++) {
    call_packet (&type, 0, 96);
    call_packet (&any, 0, 96);
    call_filled_packet (&sealed, 0, 96, 0xff);
    g_usleep (50000);
  }
  call_close (&vp8, "What arrives is not VP8, but looks like H264", "Set encoding-name");
  call_close (&h264, "What arrives is not H264, but looks like VP8", "Set encoding-name");
  call_close (&jpeg, "What arrives is not VP8, but looks like JPEG", "Set encoding-name");
  call_close (&pcmu, "What arrives is not OPUS, but looks like PCMU", "Set encoding-name");
  call_close (&type, "Packets of payload type 96 arrive", "Set payload=96");
  call_close (&right, NULL, NULL);
  call_close (&any, NULL, NULL);
  call_close (&sealed, "What arrives is not H264. Set encoding-name", "if it is encrypted, set srtp-key");
}
GST_END_TEST;

/* Of identity. */
#define COUNTED "identity name=passed ! "

static guint
call_passed (Call *c)
{
  GstElement *passed = gst_bin_get_by_name (GST_BIN (c->pipeline), "passed");
  GstStructure *stats;
  guint64 n;

  g_object_get (passed, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, "num-buffers", &n));
  gst_structure_free (stats);
  gst_object_unref (passed);
  return (guint)n;
}

#define OPUS_PACKETS                                                                                                   \
  "audiotestsrc is-live=true ! audioconvert ! audio/x-raw,rate=48000,channels=1 ! opusenc ! rtpopuspay"

GST_START_TEST (test_sound_and_pictures_are_swapped)
{
  Call pictures, sound, right;

  call_open (&pictures, "encoding-name=H264", "rtph264depay ! fakesink async=false");
  call_send (&pictures, OPUS_PACKETS);
  call_open (&sound, "encoding-name=OPUS", "rtpopusdepay ! fakesink async=false");
  call_send (&sound, H264_PACKETS);
  call_open (&right, "encoding-name=OPUS", "rtpopusdepay ! fakesink async=false");
  call_send (&right, OPUS_PACKETS);
  g_usleep (4 * G_USEC_PER_SEC);
  call_close (&pictures, "What arrives is not H264, but looks like OPUS", "Set encoding-name");
  call_close (&sound, "What arrives is not OPUS, but looks like H264", "Set encoding-name");
  call_close (&right, NULL, NULL);
}
GST_END_TEST;

/* A depayloader gets nothing of another codec, until what arrives is of its own; whatever else takes packets gets all.
 */
GST_START_TEST (test_another_codec_is_held_back)
{
  Call depay, relay;
  guint i, before = 0;

  call_open (&depay, "encoding-name=H264", COUNTED "rtph264depay ! fakesink async=false");
  call_open (&relay, "encoding-name=H264", COUNTED "fakesink async=false");
  call_add_socket (&depay, 0, "127.0.0.1");
  call_add_socket (&relay, 0, "127.0.0.1");
  for (i = 0; i < 110; i++) {
    if (i == 80) {
      fail_unless_equals_int (call_passed (&depay), 0);
      fail_unless (call_passed (&relay) >= 75);
    }
    before = i == 95 ? call_passed (&depay) : before;
    call_filled_packet (&depay, 0, 96, i < 80 ? 0x1d : 0x41); /* rtph264depay ends at 29, FU-B */
    call_filled_packet (&relay, 0, 96, 0x1d);
    g_usleep (40000);
  }
  g_usleep (200000);
  fail_unless (call_passed (&depay) > before + 5);
  call_close (&depay, "What arrives is not H264. Set encoding-name", "srtp-key");
  call_close (&relay, "What arrives is not H264. Set encoding-name", "srtp-key");
}
GST_END_TEST;

/* Before anything arrives, and once more where it is started once more. */
GST_START_TEST (test_the_depayloader_takes_another)
{
  Call wrong, slow, other, right, open;

  call_open (&wrong, "encoding-name=VP8", "rtph264depay name=mine ! fakesink");
  call_open (&slow, "encoding-name=H264 clock-rate=48000", "rtph264depay name=mine ! fakesink");
  call_open (&other, "encoding-name=H264", "rtpvp8depay name=mine ! fakesink"); /* which has a list of names */
  call_open (&right, "encoding-name=H264", "queue ! rtph264depay ! fakesink");
  call_open (&open, "encoding-name=H264", "queue ! fakesink");
  call_close (&right, NULL, NULL);
  call_close (&open, NULL, NULL);
  call_close (&other, "encoding-name=H264 is set, but mine behind takes VP8. Set", "Set encoding-name");
  call_close (&slow, "clock-rate=48000 is set, but mine behind takes 90000", "Set clock-rate");
  gst_element_set_state (wrong.pipeline, GST_STATE_READY);
  gst_message_unref (gst_bus_timed_pop_filtered (wrong.bus, GST_SECOND, GST_MESSAGE_WARNING));
  gst_element_set_state (wrong.pipeline, GST_STATE_PLAYING);
  call_close (&wrong, "encoding-name=VP8 is set, but mine behind takes H264", "Set encoding-name");
}
GST_END_TEST;

static Suite *
tfrcreceiveadvice_suite (void)
{
  Suite *s = suite_create ("tfrcreceiveadvice");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_silence);
  if (gst_cc_srtp_is_available ())
    tcase_add_test (tc, test_the_key_opens_no_more);
  tcase_add_test (tc, test_two_senders);
  tcase_add_test (tc, test_what_arrives_is_another);
  tcase_add_test (tc, test_sound_and_pictures_are_swapped);
  tcase_add_test (tc, test_another_codec_is_held_back);
  tcase_add_test (tc, test_the_depayloader_takes_another);
  return s;
}

GST_CHECK_MAIN (tfrcreceiveadvice);
