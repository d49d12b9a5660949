/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A call of two webrtcbins on this machine, both ends in this process: what either sends is governed by rtptfrcbwe and
   obeyed by ratecontrol. A program of two machines does the same and carries descriptions and candidates between them.
   meson devenv -C build pipelines/examples/example-webrtc-call [SINK [SECONDS]] */
#include <gst/gst.h>
#include <gst/rtp/rtp.h>

#include <stdlib.h>

#define DESCRIPTION (g_type_from_name ("GstWebRTCSessionDescription"))

/* 1: rtptfrcbwe where webrtcbin asks for it. */
static GstElement *
on_request_aux_sender (GstElement *webrtc, GObject *transport, gpointer user_data)
{
  GstElement *bwe = gst_element_factory_make ("rtptfrcbwe", NULL);

  g_object_set (bwe, "max-bitrate", 2000000, NULL);
  return bwe;
}

/* 2: transport-wide numbers in what is sent (the caps ask the other end to report on them); 3: ratecontrol, which sets
   the encoder as the rate event says that comes up from rtptfrcbwe. */
static void
add_camera (GstBin *pipeline, GstElement *webrtc)
{
  GstElement *camera = gst_parse_bin_from_description (
      "videotestsrc is-live=true pattern=smpte horizontal-speed=5 ! video/x-raw,width=320,height=240,framerate=30/1 ! "
      "vp8enc deadline=1 end-usage=cbr error-resilient=partitions keyframe-max-dist=3000 ! ratecontrol ! "
      "rtpvp8pay name=pay pt=96 mtu=1200 picture-id-mode=15-bit ! "
      "capsfilter caps=\"application/x-rtp,media=video,encoding-name=VP8,payload=96,clock-rate=90000,"
      "rtcp-fb-nack-pli=true,rtcp-fb-transport-cc=true\"",
      TRUE, NULL);
  GstElement *pay = gst_bin_get_by_name (GST_BIN (camera), "pay");
  GstElement *extension = gst_element_factory_make ("rtphdrexttwcc", NULL);

  gst_rtp_header_extension_set_id (GST_RTP_HEADER_EXTENSION (extension), 1);
  g_signal_emit_by_name (pay, "add-extension", extension);
  gst_object_unref (pay);
  gst_bin_add (pipeline, camera);
  gst_element_link (camera, webrtc);
}

static void
on_pad_added (GstElement *webrtc, GstPad *pad, const gchar *sink)
{
  GstElement *pipeline = GST_ELEMENT (GST_OBJECT_PARENT (webrtc)), *screen, *queue;
  gchar *text;

  if (GST_PAD_DIRECTION (pad) != GST_PAD_SRC)
    return;
  text = g_strdup_printf ("queue name=entry ! decodebin ! videoconvert ! %s", sink);
  screen = gst_parse_bin_from_description (text, FALSE, NULL);
  g_free (text);
  queue = gst_bin_get_by_name (GST_BIN (screen), "entry");
  gst_element_add_pad (screen, gst_ghost_pad_new ("sink", queue->sinkpads->data));
  gst_object_unref (queue);
  gst_bin_add (GST_BIN (pipeline), screen);
  gst_element_sync_state_with_parent (screen);
  gst_element_link (webrtc, screen);
}

/* ---- who calls whom: what is a message between two machines is a function call here ---- */

typedef struct {
  GstElement *caller, *callee;
} Call;

static void
on_ice_candidate (GstElement *from, guint line, gchar *candidate, GstElement *to)
{
  g_signal_emit_by_name (to, "add-ice-candidate", line, candidate);
}

static gpointer
take_description (GstPromise *promise, const gchar *name)
{
  gpointer description = NULL;

  gst_structure_get (gst_promise_get_reply (promise), name, DESCRIPTION, &description, NULL);
  gst_promise_unref (promise);
  return description;
}

static void
on_answer (GstPromise *promise, gpointer user_data)
{
  Call *call = user_data;
  gpointer answer = take_description (promise, "answer");

  g_signal_emit_by_name (call->callee, "set-local-description", answer, NULL);
  g_signal_emit_by_name (call->caller, "set-remote-description", answer, NULL);
  g_boxed_free (DESCRIPTION, answer);
}

static void
on_offer (GstPromise *promise, gpointer user_data)
{
  Call *call = user_data;
  gpointer offer = take_description (promise, "offer");

  g_signal_emit_by_name (call->caller, "set-local-description", offer, NULL);
  g_signal_emit_by_name (call->callee, "set-remote-description", offer, NULL);
  g_boxed_free (DESCRIPTION, offer);
  g_signal_emit_by_name (call->callee, "create-answer", NULL, gst_promise_new_with_change_func (on_answer, call, NULL));
}

static void
on_negotiation_needed (GstElement *webrtc, Call *call)
{
  g_signal_emit_by_name (call->caller, "create-offer", NULL, gst_promise_new_with_change_func (on_offer, call, NULL));
}

static GstElement *
add_party (GstBin *pipeline, const gchar *name, const gchar *sink)
{
  GstElement *webrtc = gst_element_factory_make ("webrtcbin", name);

  gst_util_set_object_arg (G_OBJECT (webrtc), "bundle-policy", "max-bundle");
  gst_bin_add (pipeline, webrtc);
  g_signal_connect (webrtc, "request-aux-sender", G_CALLBACK (on_request_aux_sender), NULL);
  g_signal_connect (webrtc, "pad-added", G_CALLBACK (on_pad_added), (gpointer)sink);
  add_camera (pipeline, webrtc);
  return webrtc;
}

/* ---- what came of it ---- */

static void
tell (const GValue *value, gpointer user_data)
{
  GstElement *bwe = g_value_get_object (value);
  GstStructure *stats;
  guint64 sent = 0, rate = 0, rtt = 0;

  g_object_get (bwe, "stats", &stats, NULL);
  gst_structure_get (stats, "packets-sent", G_TYPE_UINT64, &sent, "wire-bitrate", G_TYPE_UINT64, &rate, "rtt",
      G_TYPE_UINT64, &rtt, NULL);
  g_print ("%u packets sent, rate %u kbit/s, round trip %.1f ms, limited by %s\n", (guint)sent, (guint)(rate / 1000),
      (double)rtt / GST_MSECOND, gst_structure_get_string (stats, "limit"));
  gst_structure_free (stats);
}

static gboolean
on_second (gpointer pipeline)
{
  GstIterator *each = gst_bin_iterate_all_by_element_factory_name (pipeline, "rtptfrcbwe");

  gst_iterator_foreach (each, tell, NULL);
  gst_iterator_free (each);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer loop)
{
  GError *error = NULL;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR)
    return TRUE;
  gst_message_parse_error (message, &error, NULL);
  g_printerr ("%s\n", error->message);
  g_error_free (error);
  g_main_loop_quit (loop);
  return TRUE;
}

int
main (int argc, char *argv[])
{
  const gchar *sink = argc > 1 ? argv[1] : "autovideosink";
  GMainLoop *loop = g_main_loop_new (NULL, FALSE);
  GstElement *pipeline;
  GstBus *bus;
  Call call;

  gst_init (&argc, &argv);
  pipeline = gst_pipeline_new (NULL);
  call.caller = add_party (GST_BIN (pipeline), "caller", sink);
  call.callee = add_party (GST_BIN (pipeline), "callee", sink);
  g_signal_connect (call.caller, "on-ice-candidate", G_CALLBACK (on_ice_candidate), call.callee);
  g_signal_connect (call.callee, "on-ice-candidate", G_CALLBACK (on_ice_candidate), call.caller);
  g_signal_connect (call.caller, "on-negotiation-needed", G_CALLBACK (on_negotiation_needed), &call);
  bus = gst_element_get_bus (pipeline);
  gst_bus_add_watch (bus, on_message, loop);
  gst_object_unref (bus);
  g_timeout_add_seconds (1, on_second, pipeline);
  if (argc > 2)
    g_timeout_add_seconds ((guint)atoi (argv[2]), (GSourceFunc)(GCallback)g_main_loop_quit, loop);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_main_loop_run (loop);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  g_main_loop_unref (loop);
  return 0;
}
