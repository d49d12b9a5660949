/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An end of a call, audio and video both ways in one pipeline; docs/two-way-call.md has it as lines for gst-launch-1.0.
   Test picture and tone stand for camera and microphone. Video is received at PORT, audio two ports above; so at the
   other end, at ITS-PORT.
   build/pipelines/examples/example-two-way-call [HOST [PORT [ITS-PORT [SCREEN SPEAKER]]]] */
#include <gst/gst.h>

#include <stdlib.h>

#define CAMERA                                                                                                         \
  "videotestsrc is-live=true pattern=smpte horizontal-speed=5 ! "                                                      \
  "video/x-raw,format=I420,width=640,height=480,framerate=30/1"
#define MICROPHONE "audiotestsrc is-live=true wave=ticks ! audioconvert ! audioresample"

static gint shown;

static GstElement *
new_call (const gchar *host, gint at, gint to, const gchar *screen, const gchar *speaker, GError **error)
{
  gchar *text = g_strdup_printf (CAMERA
      " ! queue ! x264enc tune=zerolatency speed-preset=veryfast ! ratecontrol ! rtph264pay ! "
      "tfrcsink name=video-out host=%s port=%d max-bitrate=2000000 " MICROPHONE
      " ! queue ! opusenc ! rtpopuspay ! tfrcsink host=%s port=%d "
      "tfrcsrc port=%d encoding-name=H264 ! rtph264depay ! avdec_h264 ! videoconvert ! %s name=screen "
      "tfrcsrc port=%d encoding-name=OPUS ! rtpopusdepay ! opusdec ! audioconvert ! %s",
      host, to, host, to + 2, at, screen, at + 2, speaker);
  GstElement *pipeline = gst_parse_launch (text, error);

  g_free (text);
  return pipeline;
}

static GstPadProbeReturn
on_picture (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  g_atomic_int_inc (&shown);
  return GST_PAD_PROBE_OK;
}

static gboolean
on_second (gpointer sink)
{
  GstStructure *stats;
  guint64 sent = 0, rate = 0, rtt = 0;

  g_object_get (sink, "stats", &stats, NULL);
  gst_structure_get (stats, "packets-sent", G_TYPE_UINT64, &sent, "wire-bitrate", G_TYPE_UINT64, &rate, "rtt",
      G_TYPE_UINT64, &rtt, NULL);
  g_print ("%u packets sent, rate %u kbit/s, round trip %.1f ms, %d pictures shown\n", (guint)sent,
      (guint)(rate / 1000), (double)rtt / GST_MSECOND, g_atomic_int_get (&shown));
  gst_structure_free (stats);
  return G_SOURCE_CONTINUE;
}

/* The latency is known once the encoders and decoders are: the pipeline is told to ask again. */
static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer pipeline)
{
  GError *error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_LATENCY)
    gst_bin_recalculate_latency (pipeline);
  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR)
    return TRUE;
  gst_message_parse_error (message, &error, NULL);
  g_printerr ("%s\n", error->message);
  exit (EXIT_FAILURE);
}

int
main (int argc, char *argv[])
{
  gint at = argc > 2 ? atoi (argv[2]) : 5004, to = argc > 3 ? atoi (argv[3]) : at;
  GstElement *pipeline, *sink, *screen;
  GError *error = NULL;
  GstPad *pad;
  GstBus *bus;

  gst_init (&argc, &argv);
  pipeline = new_call (argc > 1 ? argv[1] : "127.0.0.1", at, to, argc > 5 ? argv[4] : "autovideosink",
      argc > 5 ? argv[5] : "autoaudiosink", &error);
  if (error != NULL) {
    g_printerr ("%s\n", error->message);
    return EXIT_FAILURE;
  }
  screen = gst_bin_get_by_name (GST_BIN (pipeline), "screen");
  pad = gst_element_get_static_pad (screen, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_picture, NULL, NULL);
  gst_object_unref (pad);
  gst_object_unref (screen);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "video-out");
  g_timeout_add_seconds (1, on_second, sink);
  bus = gst_element_get_bus (pipeline);
  gst_bus_add_watch (bus, on_message, pipeline);
  gst_object_unref (bus);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_main_loop_run (g_main_loop_new (NULL, FALSE));
  return EXIT_SUCCESS;
}
