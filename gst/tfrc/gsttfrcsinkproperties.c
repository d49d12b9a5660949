/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a user of tfrcsink sets and reads. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcsink.h"

#include "callweight.h"
#include "erfextension.h"
#include "gstccextension.h"
#include "gsttfrcgroup.h"
#include "gsttfrcmode.h"

#define DEFAULT_START_BITRATE 300000
#define DEFAULT_MIN_BITRATE 30000
#define DEFAULT_MAX_BITRATE 20000000
/* Opus at its usual 64 kbit/s with headers every 20 ms, 29 kbit/s with IPv6, and a third more for what varies. */
#define DEFAULT_MIN_AUDIO_BITRATE 128000
#define DEFAULT_LOSS_TOLERANCE 20 /* percent */
#define MAX_LOSS_TOLERANCE 20
/* Chodorek & Chodorek: "near 1", and b = 1 is best */
#define DEFAULT_DUTY 0.95
#define MIN_DUTY 0.01
#define DEFAULT_BATCH 1
#define MAX_BATCH 1000
#define DEFAULT_MAX_DELAY (150 * GST_MSECOND)
#define MIN_STATS_INTERVAL (10 * GST_MSECOND)

enum {
  PROP_0,
  PROP_ENDPOINT,
  PROP_HOST = PROP_ENDPOINT + GST_TFRC_ENDPOINT_HOST,
  PROP_PORT = PROP_ENDPOINT + GST_TFRC_ENDPOINT_PORT,
  PROP_DSCP = PROP_ENDPOINT + GST_TFRC_ENDPOINT_DSCP,
  PROP_ENDPOINT_LAST = PROP_ENDPOINT + GST_TFRC_ENDPOINT_PROPERTIES - 1,
  PROP_MODE,
  PROP_START_BITRATE,
  PROP_MIN_BITRATE,
  PROP_MAX_BITRATE,
  PROP_MIN_AUDIO_BITRATE,
  PROP_MAX_DELAY,
  PROP_LOSS_TOLERANCE,
  PROP_PATH_WEIGHT,
  PROP_DUTY,
  PROP_BATCH,
  PROP_CIRCUIT_BREAKER,
  PROP_REPAIR,
  PROP_ECN,
  PROP_EXTENSION_ID,
  PROP_TWCC_EXTENSION_ID,
  PROP_RATE_EXTENSION_ID,
  PROP_RATE_SOURCES,
  PROP_CNAME,
  PROP_SRTP,
  PROP_SRTP_LAST = PROP_SRTP + GST_TFRC_SRTP_PROPERTIES - 1,
  PROP_ESTIMATED_BITRATE,
  PROP_STATS,
  PROP_STATS_INTERVAL
};

GstTfrcSettings
gst_tfrc_sink_settings (GstTfrcSink *self)
{
  GstTfrcSettings settings;

  GST_OBJECT_LOCK (self);
  settings = self->settings;
  if (self->endpoint.group)
    gst_tfrc_group_restrict (&settings);
  GST_OBJECT_UNLOCK (self);
  return settings;
}

static void
apply_settings (GstTfrcSink *self)
{
  GstTfrcSettings settings = gst_tfrc_sink_settings (self);

  gst_tfrc_mailbox_set_settings (&self->transmit.mailbox, &settings);
}

static gboolean
set_extension (GstTfrcSink *self, guint id, const GValue *value)
{
  switch (id) {
  case PROP_EXTENSION_ID:
    self->extension_id = self->stream_extension_id = self->settings.extension_id = g_value_get_uint (value);
    return TRUE;
  case PROP_TWCC_EXTENSION_ID:
    self->twcc_extension_id = self->stream_twcc_id = self->settings.twcc_extension_id = g_value_get_uint (value);
    return TRUE;
  case PROP_RATE_EXTENSION_ID:
    self->rate_extension_id = self->stream_rate_id = self->settings.rate_extension_id = g_value_get_uint (value);
    return TRUE;
  default:
    return FALSE;
  }
}

static gboolean
set_setting (GstTfrcSettings *settings, guint id, const GValue *value)
{
  switch (id) {
  case PROP_MODE:
    settings->mode = (CcMode)g_value_get_enum (value);
    return TRUE;
  case PROP_START_BITRATE:
    settings->start_bitrate = g_value_get_uint (value);
    return TRUE;
  case PROP_MIN_BITRATE:
    settings->min_bitrate = g_value_get_uint (value);
    return TRUE;
  case PROP_MAX_BITRATE:
    settings->max_bitrate = g_value_get_uint (value);
    return TRUE;
  case PROP_MIN_AUDIO_BITRATE:
    settings->min_audio_bitrate = g_value_get_uint (value);
    return TRUE;
  case PROP_MAX_DELAY:
    settings->max_delay = g_value_get_uint64 (value);
    return TRUE;
  case PROP_LOSS_TOLERANCE:
    settings->loss_tolerance = g_value_get_uint (value);
    return TRUE;
  case PROP_PATH_WEIGHT:
    settings->path_weight = g_value_get_double (value);
    return TRUE;
  case PROP_DUTY:
    settings->burst.duty = g_value_get_double (value);
    return TRUE;
  case PROP_BATCH:
    settings->burst.batch = g_value_get_uint (value);
    return TRUE;
  case PROP_CIRCUIT_BREAKER:
    settings->circuit_action = (CircuitAction)g_value_get_enum (value);
    return TRUE;
  case PROP_REPAIR:
    settings->repair = (GstTfrcRepairMode)g_value_get_enum (value);
    return TRUE;
  case PROP_ECN:
    settings->ecn = (GstTfrcEcn)g_value_get_enum (value);
    return TRUE;
  case PROP_CNAME:
    g_strlcpy (
        settings->cname, g_value_get_string (value) != NULL ? g_value_get_string (value) : "", sizeof settings->cname);
    return TRUE;
  case PROP_STATS_INTERVAL:
    settings->stats_interval = g_value_get_uint64 (value);
    if (settings->stats_interval > 0)
      settings->stats_interval = MAX (settings->stats_interval, MIN_STATS_INTERVAL);
    return TRUE;
  default:
    return FALSE;
  }
}

void
gst_tfrc_sink_tell_refused (GstTfrcSink *self)
{
  gchar *why;

  GST_OBJECT_LOCK (self);
  why = g_steal_pointer (&self->refused_rate_sources);
  GST_OBJECT_UNLOCK (self);
  if (why != NULL)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("rate-sources cannot be used: %s. Give up to 16 numeric addresses, as in \"10.0.0.1, 10.1.0.0/16, "
         "[2001:db8::1]:5004\".",
            why),
        (NULL));
  g_free (why);
}

/* What cannot be read leaves the list as it was. */
static void
set_rate_sources (GstTfrcSink *self, const gchar *text)
{
  GstTfrcRateSources sources;
  GError *error = NULL;

  if (!gst_tfrc_rate_sources_parse (&sources, text, &error)) {
    GST_OBJECT_LOCK (self);
    g_free (self->refused_rate_sources);
    self->refused_rate_sources = g_strdup (error->message);
    GST_OBJECT_UNLOCK (self);
    if (GST_ELEMENT_BUS (self) != NULL)
      gst_tfrc_sink_tell_refused (self);
    g_clear_error (&error);
    return;
  }
  GST_OBJECT_LOCK (self);
  g_free (self->rate_sources);
  self->rate_sources = g_strdup (text);
  self->settings.rate_sources = sources;
  GST_OBJECT_UNLOCK (self);
  apply_settings (self);
}

/* Whoever comes last says what holds: under one lock, as moves may come from several threads. */
static void
tell_peer (GstTfrcSink *self)
{
  GST_OBJECT_LOCK (self);
  if (self->endpoint.socket != NULL)
    gst_tfrc_mailbox_set_peer (&self->transmit.mailbox, self->endpoint.socket, &self->endpoint.to);
  GST_OBJECT_UNLOCK (self);
}

static void
change_peer (GstElement *element, gpointer wish)
{
  GstTfrcSink *self = GST_TFRC_SINK (element);

  if (gst_tfrc_endpoint_move (&self->endpoint, GPOINTER_TO_UINT (wish)))
    tell_peer (self);
}

/* A thread that sets a property is not made to wait for the network. */
static void
begin_change_of_peer (GstTfrcSink *self)
{
  guint wish;

  if (gst_tfrc_endpoint_must_ask (&self->endpoint, &wish))
    gst_element_call_async (GST_ELEMENT (self), change_peer, GUINT_TO_POINTER (wish), NULL);
  else
    change_peer (GST_ELEMENT (self), GUINT_TO_POINTER (wish));
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstTfrcSink *self = GST_TFRC_SINK (object);
  gboolean known;

  if (id == PROP_RATE_SOURCES) {
    set_rate_sources (self, g_value_get_string (value));
    return;
  }
  GST_OBJECT_LOCK (self);
  known = gst_tfrc_endpoint_set_property (&self->endpoint, id - PROP_ENDPOINT, value) ||
          set_extension (self, id, value) || set_setting (&self->settings, id, value) ||
          gst_tfrc_srtp_set_property (&self->srtp_params, id - PROP_SRTP, value);
  GST_OBJECT_UNLOCK (self);
  if (!known) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    return;
  }
  if (id == PROP_HOST || id == PROP_PORT) {
    begin_change_of_peer (self);
    return;
  }
  gst_tfrc_srtp_tell_late (GST_ELEMENT (self), &self->srtp_params, id - PROP_SRTP, self->srtp != NULL);
  if (id == PROP_DSCP)
    gst_tfrc_endpoint_apply_dscp (&self->endpoint);
  apply_settings (self);
  if (id == PROP_MODE && gst_tfrc_sink_settings (self).mode != (CcMode)g_value_get_enum (value))
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("A multicast group is sent to with mode=burst-control alone, which stays. Change mode and host in NULL."),
        (NULL));
}

static gboolean
get_extension (const GstTfrcSink *self, guint id, GValue *value)
{
  switch (id) {
  case PROP_EXTENSION_ID:
    g_value_set_uint (value, self->extension_id);
    return TRUE;
  case PROP_TWCC_EXTENSION_ID:
    g_value_set_uint (value, self->twcc_extension_id);
    return TRUE;
  case PROP_RATE_EXTENSION_ID:
    g_value_set_uint (value, self->rate_extension_id);
    return TRUE;
  case PROP_RATE_SOURCES:
    g_value_set_string (value, self->rate_sources);
    return TRUE;
  default:
    return FALSE;
  }
}

static gboolean
get_setting (const GstTfrcSettings *settings, guint id, GValue *value)
{
  switch (id) {
  case PROP_MODE:
    g_value_set_enum (value, settings->mode);
    return TRUE;
  case PROP_START_BITRATE:
    g_value_set_uint (value, settings->start_bitrate);
    return TRUE;
  case PROP_MIN_BITRATE:
    g_value_set_uint (value, settings->min_bitrate);
    return TRUE;
  case PROP_MAX_BITRATE:
    g_value_set_uint (value, settings->max_bitrate);
    return TRUE;
  case PROP_MIN_AUDIO_BITRATE:
    g_value_set_uint (value, settings->min_audio_bitrate);
    return TRUE;
  case PROP_MAX_DELAY:
    g_value_set_uint64 (value, settings->max_delay);
    return TRUE;
  case PROP_LOSS_TOLERANCE:
    g_value_set_uint (value, settings->loss_tolerance);
    return TRUE;
  case PROP_PATH_WEIGHT:
    g_value_set_double (value, settings->path_weight);
    return TRUE;
  case PROP_DUTY:
    g_value_set_double (value, settings->burst.duty);
    return TRUE;
  case PROP_BATCH:
    g_value_set_uint (value, settings->burst.batch);
    return TRUE;
  case PROP_CIRCUIT_BREAKER:
    g_value_set_enum (value, settings->circuit_action);
    return TRUE;
  case PROP_REPAIR:
    g_value_set_enum (value, settings->repair);
    return TRUE;
  case PROP_ECN:
    g_value_set_enum (value, settings->ecn);
    return TRUE;
  case PROP_CNAME:
    g_value_set_string (value, settings->cname[0] != 0 ? settings->cname : NULL);
    return TRUE;
  case PROP_STATS_INTERVAL:
    g_value_set_uint64 (value, settings->stats_interval);
    return TRUE;
  default:
    return FALSE;
  }
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstTfrcSink *self = GST_TFRC_SINK (object);
  GstTfrcStats stats;
  gboolean known;

  if (id == PROP_ESTIMATED_BITRATE || id == PROP_STATS) {
    gst_tfrc_mailbox_get_stats (&self->transmit.mailbox, &stats);
    if (id == PROP_STATS)
      g_value_take_boxed (value, gst_tfrc_stats_to_structure (&stats));
    else
      g_value_set_uint (value, stats.estimated_bitrate);
    return;
  }
  GST_OBJECT_LOCK (self);
  known = gst_tfrc_endpoint_get_property (&self->endpoint, id - PROP_ENDPOINT, value) ||
          get_extension (self, id, value) || get_setting (&self->settings, id, value) ||
          gst_tfrc_srtp_get_property (&self->srtp_params, id - PROP_SRTP, value);
  GST_OBJECT_UNLOCK (self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

#define LIVE (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)
#define FIXED (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)
#define READ_ONLY (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

static void
install_endpoint_properties (GObjectClass *gobject)
{
  gst_tfrc_endpoint_install_properties (gobject, PROP_ENDPOINT);
  g_object_class_install_property (gobject, PROP_ECN, gst_tfrc_ecn_param_spec (LIVE));
  g_object_class_install_property (gobject, PROP_EXTENSION_ID,
      g_param_spec_uint ("extension-id", "Extension id",
          "RTP header extension id of the send time where the caps have no extmap for it (0: none written)", 0, 255,
          GST_CC_EXTENSION_ID_DEFAULT, FIXED));
  g_object_class_install_property (gobject, PROP_TWCC_EXTENSION_ID,
      g_param_spec_uint ("twcc-extension-id", "TWCC extension id",
          "RTP header extension id of the transport-wide number where the caps have no extmap for it (0: none written)",
          0, 255, 0, FIXED));
  g_object_class_install_property (gobject, PROP_RATE_EXTENSION_ID,
      g_param_spec_uint ("explicit-rate-extension-id", "Explicit rate extension id",
          "RTP header extension id in which routers are asked for an explicit rate where the caps have no extmap for "
          "it "
          "(routers expect 10; 0: none asked)",
          0, 255, 0, FIXED));
  g_object_class_install_property (gobject, PROP_RATE_SOURCES,
      g_param_spec_string ("rate-sources", "Rate sources",
          "Addresses from which routers and relays may lower the rate (explicit rates, REMB, TMMBR), beside the "
          "receiver's: ADDRESS, ADDRESS/BITS, ADDRESS:PORT or [IPV6/BITS]:PORT, up to 16, separated by commas (NULL: "
          "none)",
          NULL, LIVE));
  g_object_class_install_property (gobject, PROP_CNAME,
      g_param_spec_string ("cname", "CNAME",
          "Canonical name in RTCP, the same for all streams of a participant that belong together, at most 255 bytes "
          "(NULL: a random one at every start)",
          NULL, FIXED));
  gst_tfrc_srtp_install_properties (gobject, PROP_SRTP);
}

static void
install_rate_properties (GObjectClass *gobject)
{
  g_object_class_install_property (gobject, PROP_MODE, gst_tfrc_mode_param_spec (LIVE));
  g_object_class_install_property (gobject, PROP_START_BITRATE,
      g_param_spec_uint ("start-bitrate", "Start bitrate",
          "Rate before the first report, bit/s on the wire; a change counts from the next start or change of host",
          1000, G_MAXUINT, DEFAULT_START_BITRATE, FIXED));
  g_object_class_install_property (gobject, PROP_MIN_BITRATE,
      g_param_spec_uint ("min-bitrate", "Minimum bitrate", "Rate never gone below, bit/s on the wire", 1000, G_MAXUINT,
          DEFAULT_MIN_BITRATE, LIVE));
  g_object_class_install_property (gobject, PROP_MAX_BITRATE,
      g_param_spec_uint ("max-bitrate", "Maximum bitrate",
          "Rate never exceeded, bit/s on the wire (where it is below min-bitrate, min-bitrate holds)", 1000, G_MAXUINT,
          DEFAULT_MAX_BITRATE, LIVE));
  g_object_class_install_property (gobject, PROP_MIN_AUDIO_BITRATE,
      g_param_spec_uint ("min-audio-bitrate", "Minimum bitrate of audio",
          "mode=low-delay: min-bitrate where the caps say media=audio and that is lower, within max-bitrate: audio "
          "beside "
          "video on a path is sent as it comes, and video gives way",
          1000, G_MAXUINT, DEFAULT_MIN_AUDIO_BITRATE, LIVE));
  g_object_class_install_property (gobject, PROP_MAX_DELAY,
      g_param_spec_uint64 ("max-delay", "Maximum delay",
          "From capture to arrival, ns: a frame that would come later gives way to the one behind it", GST_MSECOND,
          10 * GST_SECOND, DEFAULT_MAX_DELAY, LIVE));
  g_object_class_install_property (gobject, PROP_LOSS_TOLERANCE,
      g_param_spec_uint ("loss-tolerance", "Loss tolerance",
          "mode=low-delay: up to how many percent of the packets may be lost without lowering the rate where the "
          "receiver finds that no congestion loses them (0: every loss counts as TCP would count it)",
          0, MAX_LOSS_TOLERANCE, DEFAULT_LOSS_TOLERANCE, LIVE));
  g_object_class_install_property (gobject, PROP_PATH_WEIGHT,
      g_param_spec_double ("path-weight", "Weight on the path",
          "mode=low-delay: how many times as much of the path as a call of weight 1 of this kind beside it has. The "
          "receiver is told",
          1, CALL_WEIGHT_MOST, 1, LIVE));
  g_object_class_install_property (gobject, PROP_DUTY,
      g_param_spec_double ("duty", "Duty",
          "mode=burst-control: the part of the frame period that the packets of a frame are spread over. Streams of a "
          "host that have unequal ones do not send in step",
          MIN_DUTY, 1, DEFAULT_DUTY, LIVE));
  g_object_class_install_property (gobject, PROP_BATCH,
      g_param_spec_uint ("batch", "Batch", "mode=burst-control: packets that leave together, at each step", 1,
          MAX_BATCH, DEFAULT_BATCH, LIVE));
  g_object_class_install_property (gobject, PROP_CIRCUIT_BREAKER, gst_tfrc_circuit_param_spec ());
  g_object_class_install_property (gobject, PROP_REPAIR,
      gst_tfrc_repair_param_spec ("How packets that were lost reach a receiver after all: a tfrcsrc that offers to "
                                  "take them once more (RFC 4588) gets those it asks for, and the redundancy it asks "
                                  "for (RFC 8681); others get nothing they do not know",
          LIVE));
}

static void
install_report_properties (GObjectClass *gobject)
{
  g_object_class_install_property (gobject, PROP_ESTIMATED_BITRATE,
      g_param_spec_uint ("estimated-bitrate", "Estimated bitrate",
          "Rate the path takes, bit/s on the wire, within min-bitrate and max-bitrate; notifies changes above 2 %", 0,
          G_MAXUINT, 0, READ_ONLY));
  g_object_class_install_property (gobject, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Structure application/x-tfrcsink-stats: rates in bit/s, times in ns, counters", GST_TYPE_STRUCTURE,
          READ_ONLY));
  g_object_class_install_property (gobject, PROP_STATS_INTERVAL,
      g_param_spec_uint64 ("stats-interval", "Statistics interval",
          "Time between element messages with the statistics, ns (0: none; 10 ms at least)", 0, G_MAXUINT64 / 4, 0,
          LIVE));
}

void
gst_tfrc_sink_install_properties (GObjectClass *gobject)
{
  gobject->set_property = set_property;
  gobject->get_property = get_property;
  install_endpoint_properties (gobject);
  install_rate_properties (gobject);
  install_report_properties (gobject);
}

void
gst_tfrc_sink_init_properties (GstTfrcSink *self)
{
  gst_tfrc_endpoint_init (&self->endpoint, GST_ELEMENT (self));
  self->extension_id = self->stream_extension_id = GST_CC_EXTENSION_ID_DEFAULT;
  self->settings = (GstTfrcSettings){.mode = CC_MODE_LOW_DELAY,
      .start_bitrate = DEFAULT_START_BITRATE,
      .min_bitrate = DEFAULT_MIN_BITRATE,
      .max_bitrate = DEFAULT_MAX_BITRATE,
      .min_audio_bitrate = DEFAULT_MIN_AUDIO_BITRATE,
      .max_delay = DEFAULT_MAX_DELAY,
      .loss_tolerance = DEFAULT_LOSS_TOLERANCE,
      .path_weight = 1,
      .extension_id = GST_CC_EXTENSION_ID_DEFAULT,
      .clock_rate = GST_TFRC_CLOCK_RATE};
  burst_control_params_init (&self->settings.burst);
}
