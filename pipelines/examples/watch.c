/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An application that reads the rate event itself: what an encoder of its own would follow instead of ratecontrol.
   meson devenv -C build pipelines/examples/example-watch [HOST [PORT]]; elsewhere: pkg-config gstreamer-congestion-1.0
 */
#include <gst/congestion/congestion.h>

#include <stdlib.h>

static GstPadProbeReturn
on_upstream_event (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstRateInfo rate;

  if (gst_rate_event_parse (GST_PAD_PROBE_INFO_EVENT (info), &rate))
    g_print ("an encoder may produce %u kbit/s, a frame at most %u bytes (limit: %s)\n", rate.bitrate / 1000,
        rate.frame_budget, rate.limit);
  return GST_PAD_PROBE_OK;
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
main (int argc, char **argv)
{
  GMainLoop *loop = g_main_loop_new (NULL, FALSE);
  GError *error = NULL;
  GstElement *pipeline, *sink;
  GstPad *pad;
  GstBus *bus;

  gst_init (&argc, &argv);
  pipeline =
      gst_parse_launch ("videotestsrc is-live=true ! video/x-raw,format=I420,width=640,height=480,framerate=30/1 ! "
                        "x264enc tune=zerolatency ! ratecontrol ! rtph264pay ! tfrcsink name=sink",
          &error);
  if (error != NULL) {
    g_printerr ("%s\n", error->message);
    return EXIT_FAILURE;
  }
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_object_set (sink, "host", argc > 1 ? argv[1] : "127.0.0.1", "port", argc > 2 ? atoi (argv[2]) : 5004, NULL);
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, on_upstream_event, NULL, NULL);
  gst_object_unref (pad);
  gst_object_unref (sink);
  bus = gst_element_get_bus (pipeline);
  gst_bus_add_watch (bus, on_message, loop);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_main_loop_run (loop);
  gst_bus_remove_watch (bus);
  gst_object_unref (bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  g_main_loop_unref (loop);
  return EXIT_SUCCESS;
}
