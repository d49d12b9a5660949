/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpavpfprivate.h"
#include "rtpextension.h"

#define DEFAULT_BANDWIDTH 0
#define DEFAULT_FEEDBACK (AVPF_FEEDBACK_TFRC | AVPF_FEEDBACK_REMB | AVPF_FEEDBACK_PATH)
#define DEFAULT_REDUCED_SIZE FALSE
#define DEFAULT_EXTENSION_ID 0
#define DEFAULT_AUTO_PLI TRUE
#define DEFAULT_PLI_INTERVAL (500 * GST_MSECOND)
#define DEFAULT_TRR_INT GST_SECOND
#define DEFAULT_USE_TIMESTAMPS TRUE
#define DEFAULT_STATS_INTERVAL 0
#define MIN_STATS_INTERVAL (10 * GST_MSECOND)

enum {
  PROP_0,
  PROP_BANDWIDTH,
  PROP_FEEDBACK,
  PROP_REDUCED_SIZE,
  PROP_EXTENSION_ID,
  PROP_AUTO_PLI,
  PROP_PLI_INTERVAL,
  PROP_TRR_INT,
  PROP_USE_TIMESTAMPS,
  PROP_SSRC,
  PROP_STATS,
  PROP_STATS_INTERVAL
};

GType
gst_rtcp_avpf_feedback_get_type (void)
{
  static const GFlagsValue values[] = {
      {AVPF_FEEDBACK_TFRC, "TFRC reports, once per round trip and at once on a new loss event", "tfrc"},
      {AVPF_FEEDBACK_REMB, "Path rate as REMB, which common senders obey", "remb"},
      {AVPF_FEEDBACK_PATH, "Path rate, capacity and queueing delay", "path"}, {0, NULL, NULL}};
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_flags_register_static ("GstRtcpAvpfFeedback", values));
  return type;
}

void
gst_rtcp_avpf_settings_init (GstRtcpAvpfSettings *s)
{
  *s = (GstRtcpAvpfSettings){.bandwidth = DEFAULT_BANDWIDTH,
      .feedback = DEFAULT_FEEDBACK,
      .reduced_size = DEFAULT_REDUCED_SIZE,
      .extension_id = DEFAULT_EXTENSION_ID,
      .auto_pli = DEFAULT_AUTO_PLI,
      .pli_interval = DEFAULT_PLI_INTERVAL,
      .trr_int = DEFAULT_TRR_INT,
      .use_timestamps = DEFAULT_USE_TIMESTAMPS,
      .stats_interval = DEFAULT_STATS_INTERVAL};
}

void
gst_rtcp_avpf_settings_clear (GstRtcpAvpfSettings *s)
{
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (object);

  g_mutex_lock (&self->lock);
  switch (id) {
  case PROP_BANDWIDTH:
    self->settings.bandwidth = g_value_get_uint (value);
    break;
  case PROP_FEEDBACK:
    self->settings.feedback = (AvpfFeedback)g_value_get_flags (value);
    break;
  case PROP_REDUCED_SIZE:
    self->settings.reduced_size = g_value_get_boolean (value);
    break;
  case PROP_EXTENSION_ID:
    self->settings.extension_id = g_value_get_uint (value);
    break;
  case PROP_AUTO_PLI:
    self->settings.auto_pli = g_value_get_boolean (value);
    break;
  case PROP_PLI_INTERVAL:
    self->settings.pli_interval = g_value_get_uint64 (value);
    break;
  case PROP_TRR_INT:
    self->settings.trr_int = g_value_get_uint64 (value);
    break;
  case PROP_USE_TIMESTAMPS:
    self->settings.use_timestamps = g_value_get_boolean (value);
    break;
  case PROP_STATS_INTERVAL:
    self->settings.stats_interval = g_value_get_uint64 (value);
    if (self->settings.stats_interval != 0)
      self->settings.stats_interval = MAX (self->settings.stats_interval, MIN_STATS_INTERVAL);
    gst_rtcp_avpf_wake_before (self, 0);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  g_mutex_unlock (&self->lock);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (object);

  g_mutex_lock (&self->lock);
  switch (id) {
  case PROP_BANDWIDTH:
    g_value_set_uint (value, self->settings.bandwidth);
    break;
  case PROP_FEEDBACK:
    g_value_set_flags (value, self->settings.feedback);
    break;
  case PROP_REDUCED_SIZE:
    g_value_set_boolean (value, self->settings.reduced_size);
    break;
  case PROP_EXTENSION_ID:
    g_value_set_uint (value, self->settings.extension_id);
    break;
  case PROP_AUTO_PLI:
    g_value_set_boolean (value, self->settings.auto_pli);
    break;
  case PROP_PLI_INTERVAL:
    g_value_set_uint64 (value, self->settings.pli_interval);
    break;
  case PROP_TRR_INT:
    g_value_set_uint64 (value, self->settings.trr_int);
    break;
  case PROP_USE_TIMESTAMPS:
    g_value_set_boolean (value, self->settings.use_timestamps);
    break;
  case PROP_SSRC:
    g_value_set_uint (value, self->locals.locals[0].ssrc);
    break;
  case PROP_STATS:
    g_value_take_boxed (value, gst_rtcp_avpf_take_stats (self));
    break;
  case PROP_STATS_INTERVAL:
    g_value_set_uint64 (value, self->settings.stats_interval);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  g_mutex_unlock (&self->lock);
}

void
gst_rtcp_avpf_install_properties (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  klass->set_property = set_property;
  klass->get_property = get_property;
  g_object_class_install_property (klass, PROP_BANDWIDTH,
      g_param_spec_uint ("bandwidth", "Bandwidth",
          "Session bandwidth in bit/s, of which RTCP takes 5 %, but never more than 500 kbit/s; 0: the rate that is "
          "received, 500 kbit/s at least",
          0, G_MAXUINT, DEFAULT_BANDWIDTH, flags | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, PROP_FEEDBACK,
      g_param_spec_flags ("feedback", "Feedback",
          "What to report to senders that stamp their packets with the send time, besides receiver reports",
          GST_TYPE_RTCP_AVPF_FEEDBACK, DEFAULT_FEEDBACK, flags | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, PROP_REDUCED_SIZE,
      g_param_spec_boolean ("reduced-size", "Reduced size",
          "Send early feedback without receiver report and name (RFC 5506); the sender has to agree",
          DEFAULT_REDUCED_SIZE, flags | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, PROP_EXTENSION_ID,
      g_param_spec_uint ("extension-id", "Extension id",
          "Header extension id of " RTP_EXT_RTT_SENDTS_URI
          " where caps have no extmap for it; 0: find it by its size, trying 9 first",
          0, 255, DEFAULT_EXTENSION_ID, flags | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (klass, PROP_AUTO_PLI,
      g_param_spec_boolean ("auto-pli", "Automatic PLI",
          "Ask for a key unit on loss of video packets and when joining between two of them, without a decoder's "
          "request",
          DEFAULT_AUTO_PLI, flags | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, PROP_PLI_INTERVAL,
      g_param_spec_uint64 ("pli-interval", "PLI interval",
          "Least time between two key unit requests to a source in ns (and never below two round trips)", 0,
          3600 * GST_SECOND, DEFAULT_PLI_INTERVAL, flags | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (klass, PROP_TRR_INT,
      g_param_spec_uint64 ("trr-int", "T_rr_interval",
          "Least mean time between regular RTCP packets that carry no feedback in ns (trr-int of RFC 4585); 0: as "
          "often as "
          "the bandwidth allows",
          0, G_MAXINT64, DEFAULT_TRR_INT, flags | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (klass, PROP_USE_TIMESTAMPS,
      g_param_spec_boolean ("use-timestamps", "Use timestamps",
          "Take the arrival time from the buffer's DTS (udpsrc socket-timestamp=realtime puts the kernel's there); "
          "FALSE: "
          "the time the buffer gets here",
          DEFAULT_USE_TIMESTAMPS, flags | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, PROP_SSRC,
      g_param_spec_uint ("ssrc", "SSRC", "SSRC of the RTCP sent; new at every start", 0, G_MAXUINT, 0,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "State of timing and reception; times in ns, rates in bit/s, x-recv in bytes/s", GST_TYPE_STRUCTURE,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, PROP_STATS_INTERVAL,
      g_param_spec_uint64 ("stats-interval", "Statistics interval",
          "Post stats as an element message every so many ns, 10 ms at least; 0: never", 0, G_MAXINT64,
          DEFAULT_STATS_INTERVAL, flags | GST_PARAM_MUTABLE_PLAYING));
}
