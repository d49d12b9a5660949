/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-tfrcsrc
 * @title: tfrcsrc
 *
 * The receiving end of a flow: RTP in on one UDP port, feedback out of the same port, so that it passes the translators
 * the media passed.
 *
 * <!-- printed: on B, beside sender -->
 * |[
 * gst-launch-1.0 tfrcsrc port=5004 encoding-name=H264 ! rtph264depay ! avdec_h264 ! videoconvert ! autovideosink
 * ]|
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcarrival.h"
#include "gsttfrcgroup.h"
#include "gsttfrclisten.h"
#include "gsttfrcsrc.h"

#include "erfextension.h"
#include "gstccecn.h"

GST_DEBUG_CATEGORY (tfrcsrc_debug);
#define GST_CAT_DEFAULT tfrcsrc_debug

#define PAUSE_TAKES 200000 /* us, at most, on a busy machine */

static const struct {
  const gchar *encoding_name, *media;
  guint clock_rate;
} encodings[] = {
    {"H264", "video", 90000},
    {"H265", "video", 90000},
    {"VP8", "video", 90000},
    {"VP9", "video", 90000},
    {"AV1", "video", 90000},
    {"JPEG", "video", 90000},
    {"MP4V-ES", "video", 90000},
    {"OPUS", "audio", 48000},
    {"PCMU", "audio", 8000},
    {"PCMA", "audio", 8000},
};

static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));

#define gst_tfrc_src_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstTfrcSrc, gst_tfrc_src, GST_TYPE_BIN,
    GST_DEBUG_CATEGORY_INIT (tfrcsrc_debug, "tfrcsrc", 0, "RTP receiver with feedback"))
GST_ELEMENT_REGISTER_DEFINE (tfrcsrc, "tfrcsrc", GST_RANK_NONE, GST_TYPE_TFRC_SRC)

/* ---- caps ---- */

/* NULL where neither caps nor a known encoding name (or any with its clock rate) is set. */
static GstCaps *
stream_caps (GstTfrcSrc *self)
{
  const gchar *media = "video";
  guint clock_rate = self->clock_rate, i;
  GstCaps *caps;

  if (self->caps != NULL)
    return gst_caps_ref (self->caps);
  if (self->encoding_name == NULL)
    return NULL;
  for (i = 0; i < G_N_ELEMENTS (encodings); i++)
    if (g_str_equal (encodings[i].encoding_name, self->encoding_name)) {
      media = encodings[i].media;
      clock_rate = clock_rate != 0 ? clock_rate : encodings[i].clock_rate;
    }
  if (clock_rate == 0)
    return NULL;
  caps = gst_caps_new_simple ("application/x-rtp", "media", G_TYPE_STRING, media, "clock-rate", G_TYPE_INT,
      (gint)clock_rate, "encoding-name", G_TYPE_STRING, self->encoding_name, NULL);
  if (self->payload >= 0)
    gst_caps_set_simple (caps, "payload", G_TYPE_INT, self->payload, NULL);
  return caps;
}

static gboolean
configure_caps (GstTfrcSrc *self)
{
  GstCaps *caps;
  gchar *name;

  GST_OBJECT_LOCK (self);
  caps = stream_caps (self);
  name = g_strdup (self->encoding_name);
  GST_OBJECT_UNLOCK (self);
  if (caps == NULL && name == NULL)
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("Nothing says what arrives. Set encoding-name (H264, H265, VP8, VP9, AV1, JPEG, ...) or caps."), (NULL));
  else if (caps == NULL)
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("The clock rate of encoding-name=%s is not known. Set clock-rate too, or caps.", name), (NULL));
  if (caps != NULL)
    g_object_set (self->udpsrc, "caps", caps, NULL);
  g_free (name);
  if (caps == NULL)
    return FALSE;
  gst_caps_unref (caps);
  return TRUE;
}

/* ---- socket ---- */

/* In a group RTCP goes to the group, each to where it was heard of else. */
static void
configure_group (GstTfrcSrc *self, GSocketAddress *local)
{
  GstPad *pad = gst_element_get_static_pad (self->rtcpsink, "sink");

  if (self->group_probe != 0)
    gst_pad_remove_probe (pad, self->group_probe);
  self->group_probe = gst_tfrc_group_is (local) ? gst_tfrc_group_address_buffers (pad, local) : 0;
  gst_object_unref (pad);
}

/* udpsrc, and who asks it for its URI, see by the address whether it is a group. */
static void
use_socket (GstTfrcSrc *self, GSocket *socket, GSocketAddress *local)
{
  gchar *address = g_inet_address_to_string (g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (local)));

  g_object_set (self->udpsrc, "address", address, "port",
      (gint)g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (local)), "socket", socket, NULL);
  g_object_set (self->rtcpsink, "socket", socket, NULL);
  configure_group (self, local);
  gst_tfrc_reply_use (&self->reply, socket);
  GST_OBJECT_LOCK (self);
  self->socket = socket;
  GST_OBJECT_UNLOCK (self);
  g_free (address);
}

static gboolean
open_socket (GstTfrcSrc *self, const gchar *address, gint port, const gchar *interface)
{
  GError *error = NULL;
  GSocketAddress *local = gst_tfrc_socket_number (address, (guint16)port, &error);
  GSocket *socket = local != NULL ? gst_tfrc_listen_open (local, interface, &error) : NULL;

  if (socket != NULL) {
    use_socket (self, socket, local);
  } else {
    GST_ELEMENT_ERROR (self, RESOURCE, OPEN_READ,
        ("Cannot receive on %s, UDP port %d. %s", address, port,
            gst_tfrc_listen_cure (error, local != NULL && gst_tfrc_group_is (local))),
        ("%s", error->message));
    g_error_free (error);
  }
  g_clear_object (&local);
  return socket != NULL;
}

static gboolean
configure_socket (GstTfrcSrc *self)
{
  gchar *address, *multicast_iface;
  gboolean ok;
  gint port;

  GST_OBJECT_LOCK (self);
  address = g_strdup (self->address);
  multicast_iface = g_strdup (self->multicast_iface);
  port = self->port;
  self->is_moved = FALSE;
  GST_OBJECT_UNLOCK (self);
  ok = open_socket (self, address, port, multicast_iface);
  GST_OBJECT_LOCK (self);
  self->is_moved |= !ok;
  GST_OBJECT_UNLOCK (self);
  g_free (address);
  g_free (multicast_iface);
  return ok;
}

static void
close_socket (GstTfrcSrc *self)
{
  GSocket *socket;

  GST_OBJECT_LOCK (self);
  socket = g_steal_pointer (&self->socket);
  GST_OBJECT_UNLOCK (self);
  if (socket == NULL)
    return;
  g_object_set (self->udpsrc, "socket", NULL, NULL);
  g_object_set (self->rtcpsink, "socket", NULL, NULL);
  gst_tfrc_reply_use (&self->reply, NULL);
  g_socket_close (socket, NULL);
  g_object_unref (socket);
}

static void
release (GstTfrcSrc *self)
{
  GstCcSrtp *srtp;

  close_socket (self);
  GST_OBJECT_LOCK (self);
  srtp = g_steal_pointer (&self->gate.srtp);
  GST_OBJECT_UNLOCK (self);
  gst_cc_srtp_free (srtp);
}

/* ---- children ---- */

static GstElement *
add_child (GstTfrcSrc *self, const gchar *factory, const gchar *name)
{
  GstElement *child = gst_element_factory_make (factory, name);

  if (child != NULL)
    gst_bin_add (GST_BIN (self), child);
  return child;
}

static void
attach_reply (GstTfrcSrc *self)
{
  GstPad *in = gst_element_get_static_pad (self->udpsrc, "src");
  GstPad *out = gst_element_get_static_pad (self->rtcpsink, "sink");

  gst_tfrc_reply_attach (&self->reply, in, out);
  gst_object_unref (in);
  gst_object_unref (out);
}

static void
add_children (GstTfrcSrc *self)
{
  GstPad *pad;

  self->udpsrc = add_child (self, "udpsrc", "udpsrc");
  self->rtcpavpf = add_child (self, "rtcpavpf", "rtcpavpf");
  self->rtxreceive = add_child (self, "rtprtxreceive", "rtxreceive");
  self->jitterbuffer = add_child (self, "rtpjitterbuffer", "jitterbuffer");
  self->rtcpsink = add_child (self, "dynudpsink", "rtcpsink");
  if (self->udpsrc != NULL) {
    /* the socket has joined its group, and no other's packets come by it */
    g_object_set (self->udpsrc, "close-socket", FALSE, "auto-multicast", FALSE, NULL);
    gst_util_set_object_arg (G_OBJECT (self->udpsrc), "socket-timestamp", "realtime");
    pad = gst_element_get_static_pad (self->udpsrc, "src");
    gst_cc_ecn_mark_buffers (pad);
    gst_tfrc_arrival_mend (pad);
    gst_object_unref (pad);
  }
  if (self->rtxreceive != NULL)
    gst_tfrc_restore_attach (&self->restore, self->rtxreceive);
  if (self->rtcpavpf != NULL)
    g_object_set (self->rtcpavpf, "reduced-size", TRUE, NULL);
  if (self->rtcpavpf != NULL && self->jitterbuffer != NULL)
    gst_tfrc_playout_attach (self->rtcpavpf, self->jitterbuffer);
  if (self->udpsrc != NULL && self->rtcpavpf != NULL)
    gst_tfrc_srtp_gate_attach (&self->gate, GST_ELEMENT (self), self->udpsrc, self->rtcpavpf);
  /* feedback must leave while the bin pauses and after its media part stopped (BYE): its state is set by hand */
  if (self->rtcpsink != NULL) {
    g_object_set (self->rtcpsink, "sync", FALSE, "async", FALSE, "close-socket", FALSE, NULL);
    gst_element_set_locked_state (self->rtcpsink, TRUE);
  }
  if (self->udpsrc != NULL && self->rtcpsink != NULL)
    attach_reply (self);
}

static gboolean
have_children (GstTfrcSrc *self)
{
  if (self->udpsrc != NULL && self->rtcpavpf != NULL && self->rtxreceive != NULL && self->jitterbuffer != NULL &&
      self->rtcpsink != NULL)
    return TRUE;
  GST_ELEMENT_ERROR (self, CORE, MISSING_PLUGIN,
      ("The element %s is missing. Install the package gstreamer1.0-plugins-good, and see that the plugin rtcpavpf is "
       "in the same folder as tfrc.",
          self->rtcpavpf == NULL                           ? "rtcpavpf"
          : self->udpsrc == NULL || self->rtcpsink == NULL ? "udpsrc or dynudpsink"
          : self->rtxreceive == NULL                       ? "rtprtxreceive"
                                                           : "rtpjitterbuffer"),
      (NULL));
  return FALSE;
}

static void
set_target (GstTfrcSrc *self, GstElement *last)
{
  GstPad *pad = gst_element_get_static_pad (last, "src");

  gst_ghost_pad_set_target (GST_GHOST_PAD (self->ghost), pad);
  gst_object_unref (pad);
}

/* `gst-launch-1.0 -v` prints each property that is notified, and up to 1.24 cannot print a structure that is NULL. */
static void
set_feedback_map (GstElement *rtcpavpf, const GstStructure *map)
{
  GstStructure *old;

  g_object_get (rtcpavpf, "rtx-payload-type-map", &old, NULL);
  if (map != NULL || old != NULL)
    g_object_set (rtcpavpf, "rtx-payload-type-map", map, NULL);
  gst_clear_structure (&old);
}

/* rtcpavpf, which sees every gap first, decides when to ask; see gsttfrcrestore.h. */
static void
configure_retransmission (GstTfrcSrc *self, const GstStructure *map)
{
  gst_tfrc_restore_set_map (&self->restore, map);
  set_feedback_map (self->rtcpavpf, map);
  g_object_set (self->jitterbuffer, "do-retransmission", map != NULL, NULL);
  if (map == NULL)
    return;
  g_object_set (self->rtxreceive, "payload-type-map", map, NULL);
  g_object_set (self->rtcpavpf, "auto-nack", TRUE, NULL);
  /* frames differ in their number of packets: what has not come is missing only once something later has */
  g_object_set (self->jitterbuffer, "rtx-next-seqnum", FALSE, NULL);
}

/* Behind `last`, where the element is wanted. Returns the new last one. */
static GstElement *
append_child (GstElement *last, GstElement *child, gboolean wanted)
{
  gst_element_set_locked_state (child, !wanted);
  if (!wanted) {
    gst_element_set_state (child, GST_STATE_NULL);
    return last;
  }
  gst_element_link_pads (last, "src", child, "sink");
  return child;
}

/* Sound does not like its time to change. */
static gboolean
is_video (GstElement *udpsrc)
{
  GstCaps *caps;
  gboolean video;

  g_object_get (udpsrc, "caps", &caps, NULL);
  video = gst_caps_get_size (caps) > 0 &&
          g_strcmp0 (gst_structure_get_string (gst_caps_get_structure (caps, 0), "media"), "video") == 0;
  gst_caps_unref (caps);
  return video;
}

static void
link_children (GstTfrcSrc *self)
{
  GstElement *last = self->rtcpavpf;
  GstTfrcPlayout playout;
  GstStructure *map;
  guint latency;

  GST_OBJECT_LOCK (self);
  playout = self->playout;
  playout.by_rtx = gst_tfrc_repair_allows (self->repair, GST_TFRC_REPAIR_RTX) && self->rtx_map == NULL;
  playout.by_fec = gst_tfrc_repair_allows (self->repair, GST_TFRC_REPAIR_FEC) && self->rtx_map == NULL;
  latency = playout.latency_ms;
  map = self->rtx_map != NULL ? gst_structure_copy (self->rtx_map) : NULL;
  GST_OBJECT_UNLOCK (self);
  gst_ghost_pad_set_target (GST_GHOST_PAD (self->ghost), NULL); /* of the run before */
  gst_element_unlink (self->rtcpavpf, self->rtxreceive);
  gst_element_unlink (self->rtcpavpf, self->jitterbuffer);
  gst_element_unlink (self->rtxreceive, self->jitterbuffer);
  gst_element_link_pads (self->udpsrc, "src", self->rtcpavpf, "sink");
  gst_element_link_pads (self->rtcpavpf, "rtcp_src", self->rtcpsink, "sink");
  configure_retransmission (self, map);
  /* a jitter buffer plays one stream; without it an application may tell them apart */
  g_object_set (self->rtcpavpf, "single-stream", latency > 0, NULL);
  gst_tfrc_playout_configure (&playout, self->rtcpavpf, self->jitterbuffer);
  last = append_child (last, self->rtxreceive, map != NULL);
  last = append_child (last, self->jitterbuffer, latency > 0);
  set_target (self, last);
  gst_clear_structure (&map);
}

/* Where another address or port was set in READY. udpsrc takes a socket as it leaves NULL. */
static gboolean
move_socket (GstTfrcSrc *self)
{
  gboolean is_moved;

  GST_OBJECT_LOCK (self);
  is_moved = self->is_moved;
  GST_OBJECT_UNLOCK (self);
  if (!is_moved)
    return TRUE;
  gst_element_set_state (self->udpsrc, GST_STATE_NULL);
  close_socket (self);
  if (!configure_socket (self)) /* without one udpsrc would open its own */
    return FALSE;
  gst_element_set_state (self->udpsrc, GST_STATE_READY);
  return TRUE;
}

/* A new run: running time begins anew. */
static void
start_latency (GstTfrcSrc *self)
{
  GstTfrcPlayout playout;

  GST_OBJECT_LOCK (self);
  playout = self->playout;
  GST_OBJECT_UNLOCK (self);
  gst_tfrc_latency_start (&self->latency, playout.latency_ms > 0 && !playout.latency_set && is_video (self->udpsrc),
      playout.latency_ms, gst_tfrc_playout_longest (&playout));
}

/* No packet passes, and nobody uses the one before. */
static gboolean
configure_srtp (GstTfrcSrc *self)
{
  GstCcSrtp *srtp, *before;
  gboolean ok = gst_tfrc_srtp_start (GST_ELEMENT (self), &self->srtp_params, &srtp);

  g_object_set (self->rtcpavpf, "rtp-overhead", gst_cc_srtp_rtp_overhead (srtp), "rtcp-overhead",
      gst_cc_srtp_rtcp_overhead (srtp), NULL);
  GST_OBJECT_LOCK (self);
  before = self->gate.srtp;
  self->gate.srtp = srtp;
  GST_OBJECT_UNLOCK (self);
  gst_cc_srtp_free (before);
  return ok;
}

static gboolean
prepare (GstTfrcSrc *self)
{
  self->send_errors = 0;
  return have_children (self) && configure_srtp (self) && configure_socket (self);
}

/* With what has been set up to now. */
static gboolean
begin_run (GstTfrcSrc *self)
{
  if (!configure_caps (self) || !move_socket (self))
    return FALSE;
  if (gst_tfrc_srtp_is_changed (GST_ELEMENT (self), &self->srtp_params) && !configure_srtp (self))
    return FALSE;
  link_children (self);
  start_latency (self);
  gst_tfrc_receive_advice_prepare (&self->advice, self->ghost);
  gst_element_set_state (self->rtcpsink, GST_STATE_PLAYING);
  return TRUE;
}

/* A live source whose thread is still on its way out of what the pause interrupted, when it is to play again, ends
   there for good. One that was busy pushing does not come out, but waits within: which cannot be told, so not for long.
 */
static void
wait_for_pause (GstTfrcSrc *self)
{
  GstPad *pad = gst_element_get_static_pad (self->udpsrc, "src");
  gint64 until = g_get_monotonic_time () + PAUSE_TAKES;

  while (gst_pad_get_task_state (pad) == GST_TASK_STARTED && g_get_monotonic_time () < until)
    g_usleep (PAUSE_TAKES / 100);
  gst_object_unref (pad);
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstTfrcSrc *self = GST_TFRC_SRC (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY && !prepare (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !begin_run (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    gst_tfrc_receive_advice_pause (&self->advice);
  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING && ret != GST_STATE_CHANGE_FAILURE)
    gst_tfrc_receive_advice_play (&self->advice);
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED && ret != GST_STATE_CHANGE_FAILURE)
    wait_for_pause (self);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY ||
      (transition == GST_STATE_CHANGE_READY_TO_PAUSED && ret == GST_STATE_CHANGE_FAILURE))
    gst_element_set_state (self->rtcpsink, GST_STATE_NULL);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL ||
      (transition == GST_STATE_CHANGE_NULL_TO_READY && ret == GST_STATE_CHANGE_FAILURE))
    release (self);
  return ret;
}

/* A network that is away for a moment must not end the reception: feedback that could not leave is only counted. */
static void
handle_message (GstBin *bin, GstMessage *message)
{
  GstTfrcSrc *self = GST_TFRC_SRC (bin);

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR && GST_MESSAGE_SRC (message) == GST_OBJECT (self->rtcpsink)) {
    GST_OBJECT_LOCK (self);
    self->send_errors++;
    GST_OBJECT_UNLOCK (self);
    GST_INFO_OBJECT (self, "feedback could not be sent: %" GST_PTR_FORMAT, message);
    gst_message_unref (message);
    return;
  }
  GST_BIN_CLASS (parent_class)->handle_message (bin, message);
}

/* ---- element ---- */

static gboolean
query_src (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (!gst_pad_query_default (pad, parent, query))
    return FALSE;
  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
    gst_tfrc_latency_answer (&GST_TFRC_SRC (parent)->latency, query);
  return TRUE;
}

static void
finalize (GObject *object)
{
  GstTfrcSrc *self = GST_TFRC_SRC (object);

  gst_tfrc_receive_advice_finalize (&self->advice);
  gst_tfrc_latency_clear (&self->latency);
  g_clear_object (&self->socket);
  gst_tfrc_reply_clear (&self->reply);
  gst_clear_caps (&self->caps);
  gst_clear_structure (&self->rtx_map);
  gst_cc_srtp_params_clear (&self->srtp_params);
  g_clear_pointer (&self->gate.srtp, gst_cc_srtp_free);
  g_free (self->address);
  g_free (self->multicast_iface);
  g_free (self->encoding_name);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_tfrc_src_init (GstTfrcSrc *self)
{
  GstPadTemplate *templ = gst_static_pad_template_get (&src_template);

  gst_tfrc_src_init_properties (self);
  gst_cc_srtp_params_init (&self->srtp_params);
  /* the RTCP sender inside must not make the pipeline wait for its end of stream */
  gst_bin_set_suppressed_flags (GST_BIN (self), GST_ELEMENT_FLAG_SOURCE | GST_ELEMENT_FLAG_SINK);
  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SOURCE);
  add_children (self);
  gst_tfrc_receive_advice_init (&self->advice, GST_ELEMENT (self), self->udpsrc, self->rtcpavpf, &self->restore);
  self->ghost = gst_ghost_pad_new_no_target_from_template ("src", templ);
  gst_pad_set_query_function (self->ghost, query_src);
  if (self->jitterbuffer != NULL)
    gst_tfrc_latency_init (&self->latency, GST_ELEMENT (self), self->jitterbuffer, self->ghost);
  gst_element_add_pad (GST_ELEMENT (self), self->ghost);
  gst_object_unref (templ);
}

static void
gst_tfrc_src_class_init (GstTfrcSrcClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->finalize = finalize;
  element_class->change_state = change_state;
  GST_BIN_CLASS (klass)->handle_message = handle_message;
  gst_tfrc_src_install_properties (object_class);

  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "RTP receiver with feedback", "Source/Network/RTP",
      "Receives RTP over UDP and sends TFRC and path rate feedback from the same port",
      "GStreamer congestion control developers");
}
