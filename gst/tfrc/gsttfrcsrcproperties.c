/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a user of tfrcsrc sets and reads. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcsrc.h"

#include "erfextension.h"

/* Names, localhost's too, mostly resolve to an IPv6 address first. */
#define DEFAULT_ADDRESS "::"
#define DEFAULT_PORT 5004
#define DEFAULT_PAYLOAD (-1)
#define DEFAULT_CLOCK_RATE 0
#define DEFAULT_LATENCY 100

enum {
  PROP_0,
  PROP_ADDRESS,
  PROP_PORT,
  PROP_MULTICAST_IFACE,
  PROP_CAPS,
  PROP_ENCODING_NAME,
  PROP_CLOCK_RATE,
  PROP_PAYLOAD,
  PROP_LATENCY,
  PROP_REPAIR,
  PROP_REPAIR_LATENCY,
  PROP_RTX_MAP,
  PROP_BANDWIDTH,
  PROP_RTCP_FRACTION,
  PROP_TRR_INT,
  PROP_MAX_FEEDBACK_DELAY,
  PROP_REDUCED_SIZE,
  PROP_CNAME,
  PROP_SDES,
  PROP_AUTO_PLI,
  PROP_AUTO_NACK,
  PROP_PEER_ADDRESS,
  PROP_RATE_EXTENSION_ID,
  PROP_SRTP,
  PROP_SRTP_LAST = PROP_SRTP + GST_TFRC_SRTP_PROPERTIES - 1,
  PROP_STATS,
  PROP_STATS_INTERVAL
};

static GstStructure *
take_stats (GstTfrcSrc *self)
{
  GstStructure *s = NULL, *jitterbuffer = NULL;
  GstCcSrtpCounts srtp;
  guint64 send_errors;
  guint restored = 0;

  if (self->rtcpavpf != NULL)
    g_object_get (self->rtcpavpf, "stats", &s, NULL);
  if (s == NULL)
    s = gst_structure_new_empty ("application/x-rtcpavpf-stats");
  gst_structure_set_name (s, "application/x-tfrcsrc-stats");
  GST_OBJECT_LOCK (self);
  send_errors = self->send_errors;
  srtp = gst_cc_srtp_counts (self->gate.srtp);
  GST_OBJECT_UNLOCK (self);
  gst_tfrc_srtp_add_stats (s, &srtp);
  if (self->rtxreceive != NULL)
    g_object_get (self->rtxreceive, "num-rtx-assoc-packets", &restored, NULL);
  gst_structure_set (s, "send-errors", G_TYPE_UINT64, send_errors, "restored", G_TYPE_UINT64, (guint64)restored,
      "playout-delay", G_TYPE_UINT64, gst_tfrc_latency_now (&self->latency), NULL);
  if (self->jitterbuffer != NULL)
    g_object_get (self->jitterbuffer, "stats", &jitterbuffer, NULL);
  if (jitterbuffer != NULL) {
    gst_structure_set (s, "jitterbuffer", GST_TYPE_STRUCTURE, jitterbuffer, NULL);
    gst_structure_free (jitterbuffer);
  }
  return s;
}

static void
set_child_property (GstElement *child, const gchar *name, const GValue *value)
{
  if (child != NULL)
    g_object_set_property (G_OBJECT (child), name, value);
}

/* Those that are rtcpavpf's own. */
static gboolean
is_feedback_property (guint id)
{
  return (id >= PROP_BANDWIDTH && id <= PROP_RATE_EXTENSION_ID) || id == PROP_STATS_INTERVAL;
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstTfrcSrc *self = GST_TFRC_SRC (object);

  if (is_feedback_property (id)) {
    set_child_property (self->rtcpavpf, pspec->name, value);
    return;
  }
  GST_OBJECT_LOCK (self);
  self->is_moved |= id == PROP_ADDRESS || id == PROP_PORT || id == PROP_MULTICAST_IFACE;
  switch (id) {
  case PROP_ADDRESS:
    g_free (self->address);
    self->address = g_value_dup_string (value);
    if (self->address == NULL)
      self->address = g_strdup (DEFAULT_ADDRESS);
    break;
  case PROP_PORT:
    self->port = g_value_get_int (value);
    break;
  case PROP_MULTICAST_IFACE:
    g_free (self->multicast_iface);
    self->multicast_iface = g_value_dup_string (value);
    break;
  case PROP_CAPS:
    gst_clear_caps (&self->caps);
    self->caps = g_value_dup_boxed (value);
    break;
  case PROP_ENCODING_NAME:
    g_free (self->encoding_name);
    self->encoding_name = g_value_get_string (value) != NULL ? g_ascii_strup (g_value_get_string (value), -1) : NULL;
    break;
  case PROP_CLOCK_RATE:
    self->clock_rate = g_value_get_uint (value);
    break;
  case PROP_PAYLOAD:
    self->payload = g_value_get_int (value);
    break;
  case PROP_LATENCY:
    self->playout.latency_ms = g_value_get_uint (value);
    self->playout.latency_set = TRUE;
    break;
  case PROP_REPAIR:
    self->repair = (GstTfrcRepairMode)g_value_get_enum (value);
    break;
  case PROP_REPAIR_LATENCY:
    self->playout.repair_latency_ms = g_value_get_int (value);
    break;
  case PROP_RTX_MAP:
    gst_clear_structure (&self->rtx_map);
    self->rtx_map = g_value_dup_boxed (value);
    break;
  default:
    if (!gst_tfrc_srtp_set_property (&self->srtp_params, id - PROP_SRTP, value))
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
  gst_tfrc_srtp_tell_late (GST_ELEMENT (self), &self->srtp_params, id - PROP_SRTP, self->gate.srtp != NULL);
}

/* The port in use, where 0 let the system choose. */
static gint
current_port (GstTfrcSrc *self)
{
  GSocketAddress *local = self->socket != NULL ? g_socket_get_local_address (self->socket, NULL) : NULL;
  gint port = self->port;

  if (local != NULL)
    port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (local));
  g_clear_object (&local);
  return port;
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstTfrcSrc *self = GST_TFRC_SRC (object);

  if (id == PROP_STATS) {
    g_value_take_boxed (value, take_stats (self));
    return;
  }
  if (is_feedback_property (id)) {
    if (self->rtcpavpf != NULL)
      g_object_get_property (G_OBJECT (self->rtcpavpf), pspec->name, value);
    return;
  }
  GST_OBJECT_LOCK (self);
  switch (id) {
  case PROP_ADDRESS:
    g_value_set_string (value, self->address);
    break;
  case PROP_PORT:
    g_value_set_int (value, current_port (self));
    break;
  case PROP_MULTICAST_IFACE:
    g_value_set_string (value, self->multicast_iface);
    break;
  case PROP_CAPS:
    g_value_set_boxed (value, self->caps);
    break;
  case PROP_ENCODING_NAME:
    g_value_set_string (value, self->encoding_name);
    break;
  case PROP_CLOCK_RATE:
    g_value_set_uint (value, self->clock_rate);
    break;
  case PROP_PAYLOAD:
    g_value_set_int (value, self->payload);
    break;
  case PROP_LATENCY:
    g_value_set_uint (value, self->playout.latency_ms);
    break;
  case PROP_REPAIR:
    g_value_set_enum (value, self->repair);
    break;
  case PROP_REPAIR_LATENCY:
    g_value_set_int (value, self->playout.repair_latency_ms);
    break;
  case PROP_RTX_MAP:
    g_value_set_boxed (value, self->rtx_map);
    break;
  default:
    if (!gst_tfrc_srtp_get_property (&self->srtp_params, id - PROP_SRTP, value))
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

/* rtcpavpf's own, of the same names, types and defaults; the others are reached as children: rtcpavpf::group=group. */
static void
install_feedback_properties (GObjectClass *klass)
{
  const GParamFlags live = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;
  const GParamFlags ready = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  g_object_class_install_property (klass, PROP_BANDWIDTH,
      g_param_spec_uint ("bandwidth", "Bandwidth",
          "Session bandwidth in bit/s, of which RTCP takes rtcp-fraction, but never more than 500 kbit/s; 0: the rate "
          "that is received, 500 kbit/s at least",
          0, G_MAXUINT, 0, live));
  g_object_class_install_property (klass, PROP_RTCP_FRACTION,
      g_param_spec_double ("rtcp-fraction", "RTCP fraction",
          "What RTCP of all participants may take of the bandwidth, 0 to 1; 0: no RTCP", 0, 1, 0.05, live));
  g_object_class_install_property (klass, PROP_TRR_INT,
      g_param_spec_uint64 ("trr-int", "T_rr_interval",
          "Least mean time between regular RTCP packets that carry no feedback in ns (trr-int of RFC 4585, which SDP "
          "gives in ms); 0: as often as the bandwidth allows",
          0, G_MAXINT64, GST_SECOND, live));
  g_object_class_install_property (klass, PROP_MAX_FEEDBACK_DELAY,
      g_param_spec_uint64 ("max-feedback-delay", "Longest delay of feedback",
          "How late requests for packets and key units are still of use in ns; -1: always", 0, G_MAXUINT64,
          GST_CLOCK_TIME_NONE, live));
  g_object_class_install_property (klass, PROP_REDUCED_SIZE,
      g_param_spec_boolean ("reduced-size", "Reduced size",
          "Send early feedback without receiver report and name (RFC 5506); FALSE for senders that insist on them, as "
          "Farstream's",
          TRUE, live));
  g_object_class_install_property (
      klass, PROP_CNAME, g_param_spec_string ("cname", "CNAME", "Name of this end; NULL: a random one", NULL, ready));
  g_object_class_install_property (klass, PROP_SDES,
      g_param_spec_boxed ("sdes", "SDES",
          "What is told of this end: cname, name, email, phone, location, tool, note as strings", GST_TYPE_STRUCTURE,
          ready));
  g_object_class_install_property (klass, PROP_AUTO_PLI,
      g_param_spec_boolean ("auto-pli", "Automatic PLI",
          "Ask for a key unit on loss of video packets and when joining between two of them, without a decoder's "
          "request",
          TRUE, live));
  g_object_class_install_property (klass, PROP_AUTO_NACK,
      g_param_spec_boolean ("auto-nack", "Automatic NACK",
          "Ask for packets again that are missing, as long as they can still come within the latency", FALSE, live));
  g_object_class_install_property (klass, PROP_PEER_ADDRESS,
      g_param_spec_string ("peer-address", "Peer's address",
          "IP address of the sender: packets from elsewhere are ignored; NULL: whoever sends first is the peer until "
          "it is silent",
          NULL, ready));
  g_object_class_install_property (klass, PROP_RATE_EXTENSION_ID,
      g_param_spec_uint ("explicit-rate-extension-id", "Explicit rate extension id",
          "Header extension id of " ERF_EXTENSION_URI " where caps have no extmap for it; 0: not read", 0, 255,
          ERF_EXTENSION_ID, ready));
}

void
gst_tfrc_src_install_properties (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  klass->set_property = set_property;
  klass->get_property = get_property;
  g_object_class_install_property (klass, PROP_ADDRESS,
      g_param_spec_string ("address", "Address",
          "IP address to receive on: :: any, 0.0.0.0 any IPv4, or a multicast group", DEFAULT_ADDRESS, flags));
  g_object_class_install_property (klass, PROP_PORT,
      g_param_spec_int ("port", "Port", "UDP port of RTP and RTCP both; 0: a free one, which reading then tells", 0,
          65535, DEFAULT_PORT, flags));
  g_object_class_install_property (klass, PROP_MULTICAST_IFACE,
      g_param_spec_string ("multicast-iface", "Multicast interface",
          "Network interface by which a multicast group is joined and answered (NULL: as routes have it)", NULL,
          flags));
  g_object_class_install_property (klass, PROP_CAPS,
      g_param_spec_boxed (
          "caps", "Caps", "Caps of the stream (application/x-rtp); overrides encoding-name", GST_TYPE_CAPS, flags));
  g_object_class_install_property (klass, PROP_ENCODING_NAME,
      g_param_spec_string ("encoding-name", "Encoding name",
          "What arrives: H264, H265, VP8, VP9, AV1, JPEG, MP4V-ES, OPUS, PCMU, PCMA, or any other with clock-rate",
          NULL, flags));
  g_object_class_install_property (klass, PROP_CLOCK_RATE,
      g_param_spec_uint ("clock-rate", "Clock rate", "RTP clock in Hz; 0: the encoding's usual one", 0, G_MAXINT,
          DEFAULT_CLOCK_RATE, flags));
  g_object_class_install_property (klass, PROP_PAYLOAD,
      g_param_spec_int (
          "payload", "Payload type", "RTP payload type, 0 to 127; -1: any", -1, 127, DEFAULT_PAYLOAD, flags));
  g_object_class_install_property (klass, PROP_LATENCY,
      g_param_spec_uint ("latency", "Latency",
          "Time in ms that packets may come late and still be put in order; 0: pass them on as they come. Live sinks "
          "are "
          "told this much, or, of video where it is not set, as much as nearly all pictures need",
          0, G_MAXINT, DEFAULT_LATENCY, flags));
  g_object_class_install_property (klass, PROP_REPAIR,
      gst_tfrc_repair_param_spec ("How packets that were lost come after all: a tfrcsink that takes the offer sends "
                                  "them again (RFC 4588), or as much redundancy as it is asked for (RFC 8681); other "
                                  "senders are asked for nothing",
          flags));
  g_object_class_install_property (klass, PROP_REPAIR_LATENCY,
      g_param_spec_int ("repair-latency", "Repair latency",
          "How far the wait for missing packets may grow beyond latency in ms, where packets are lost and the round "
          "trip asks for it; -1: not where latency was set, else to 400 ms",
          -1, G_MAXINT, -1, flags));
  g_object_class_install_property (klass, PROP_RTX_MAP,
      g_param_spec_boxed ("rtx-payload-type-map", "Payload types of retransmissions",
          "Map of payload types to those of their retransmissions (RFC 4588), as rtprtxsend's payload-type-map at the "
          "other end: what is missing is asked for again, as long as it can still come within the latency, and put in "
          "its place. It switches auto-nack on. NULL: no retransmission",
          GST_TYPE_STRUCTURE, flags));
  install_feedback_properties (klass);
  gst_tfrc_srtp_install_properties (klass, PROP_SRTP);
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Those of rtcpavpf, feedback that could not be sent, packets that came again, and those of the jitter buffer",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, PROP_STATS_INTERVAL,
      g_param_spec_uint64 ("stats-interval", "Statistics interval",
          "The rtcpavpf inside posts its stats as an element message every so many ns, 10 ms at least; 0: never", 0,
          G_MAXINT64, 0, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
}

void
gst_tfrc_src_init_properties (GstTfrcSrc *self)
{
  self->address = g_strdup (DEFAULT_ADDRESS);
  self->port = DEFAULT_PORT;
  self->payload = DEFAULT_PAYLOAD;
  self->clock_rate = DEFAULT_CLOCK_RATE;
  self->playout = (GstTfrcPlayout){.latency_ms = DEFAULT_LATENCY, .repair_latency_ms = -1};
}
