/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "erfextension.h"
#include "gstpaqmprivate.h"

#define DEFAULT_CAPACITY 0
#define DEFAULT_DISCIPLINE GST_PAQM_DISCIPLINE_PAQM
#define DEFAULT_MODE GST_PAQM_MODE_RTP
#define DEFAULT_TARGET_TIME (20 * GST_MSECOND)
#define DEFAULT_ELASTIC_TARGET_TIME (100 * GST_MSECOND)
#define DEFAULT_TARGET 35000
#define DEFAULT_ELASTIC_TARGET 350000
#define DEFAULT_LIMIT 100000
#define DEFAULT_ELASTIC_LIMIT 1000000
#define DEFAULT_FIFO_LIMIT 1000000
#define DEFAULT_BURST 2
#define DEFAULT_ALPHA 0.75
#define DEFAULT_BETA 0.35
#define DEFAULT_TAU2 (500 * GST_MSECOND)
#define DEFAULT_RTT (100 * GST_MSECOND)
#define DEFAULT_UTILISATION 0.95
#define DEFAULT_MIN_RATE 30000
#define DEFAULT_ECN GST_PAQM_ECN_ELASTIC
#define DEFAULT_SIGNALLING (GST_PAQM_SIGNAL_ERF_EXTENSION | GST_PAQM_SIGNAL_ERF | GST_PAQM_SIGNAL_REMB)
#define DEFAULT_ADD_EXTENSION FALSE
#define DEFAULT_FLOW_COUNTING GST_PAQM_COUNT_EXACT
#define DEFAULT_FLOW_LIFE (2 * GST_SECOND)
#define DEFAULT_STRIKES TRUE
#define DEFAULT_OVERHEAD (-1)
#define DEFAULT_LINK_OVERHEAD 0
#define DEFAULT_STATS_INTERVAL 0
#define MIN_STATS_INTERVAL (10 * GST_MSECOND)
#define BY_R (GST_PAQM_SIGNAL_ERF_EXTENSION | GST_PAQM_SIGNAL_ERF | GST_PAQM_SIGNAL_REMB | GST_PAQM_SIGNAL_TMMBR)

enum {
  PROP_0,
  PROP_CAPACITY,
  PROP_DISCIPLINE,
  PROP_MODE,
  PROP_MEDIA_TARGET,
  PROP_MEDIA_TARGET_TIME,
  PROP_MEDIA_LIMIT,
  PROP_ELASTIC_TARGET,
  PROP_ELASTIC_TARGET_TIME,
  PROP_ELASTIC_LIMIT,
  PROP_FIFO_LIMIT,
  PROP_BURST,
  PROP_ALPHA,
  PROP_BETA,
  PROP_TAU2,
  PROP_RTT,
  PROP_UTILISATION,
  PROP_MIN_RATE,
  PROP_ECN,
  PROP_SIGNALLING,
  PROP_EXTENSION_ID,
  PROP_ADD_EXTENSION,
  PROP_FLOW_COUNTING,
  PROP_FLOW_LIFE,
  PROP_STRIKES,
  PROP_OVERHEAD,
  PROP_LINK_OVERHEAD,
  PROP_STATS,
  PROP_STATS_INTERVAL
};

void
gst_paqm_settings_init (GstPaqmSettings *s)
{
  *s = (GstPaqmSettings){.capacity = DEFAULT_CAPACITY,
      .discipline = DEFAULT_DISCIPLINE,
      .mode = DEFAULT_MODE,
      .target = {DEFAULT_TARGET, DEFAULT_ELASTIC_TARGET},
      .target_time = {DEFAULT_TARGET_TIME, DEFAULT_ELASTIC_TARGET_TIME},
      .limit = {DEFAULT_LIMIT, DEFAULT_ELASTIC_LIMIT},
      .fifo_limit = DEFAULT_FIFO_LIMIT,
      .burst = DEFAULT_BURST,
      .alpha = DEFAULT_ALPHA,
      .beta = DEFAULT_BETA,
      .utilisation = DEFAULT_UTILISATION,
      .tau2 = DEFAULT_TAU2,
      .rtt = DEFAULT_RTT,
      .flow_life = DEFAULT_FLOW_LIFE,
      .min_rate = DEFAULT_MIN_RATE,
      .ecn = DEFAULT_ECN,
      .signalling = DEFAULT_SIGNALLING,
      .extension_id = ERF_EXTENSION_ID,
      .add_extension = DEFAULT_ADD_EXTENSION,
      .flow_counting = DEFAULT_FLOW_COUNTING,
      .strikes = DEFAULT_STRIKES,
      .overhead = DEFAULT_OVERHEAD,
      .link_overhead = DEFAULT_LINK_OVERHEAD,
      .stats_interval = DEFAULT_STATS_INTERVAL};
}

/* ---- what they mean to the core ---- */

static void
to_outer (const GstPaqmSettings *s, PaqmOuterParams *outer)
{
  outer->alpha = s->alpha;
  outer->beta = s->beta;
  outer->tau2 = s->tau2;
  outer->utilisation = s->utilisation;
  outer->floor_Bps = s->min_rate / 8.0;
  outer->target_bytes = s->target[PAQM_MEDIA] / 10.0;
  outer->follow_ecf = (s->signalling & GST_PAQM_SIGNAL_ECF) != 0 && (s->signalling & BY_R) == 0;
}

static void
to_params (const GstPaqmSettings *s, PaqmParams *params)
{
  guint i;

  paqm_params_init (params);
  params->discipline = s->discipline == GST_PAQM_DISCIPLINE_FIFO ? PAQM_DISCIPLINE_FIFO : PAQM_DISCIPLINE_PAQM;
  params->capacity_Bps = s->capacity / 8.0;
  for (i = 0; i < PAQM_CLASSES; i++) {
    params->inner[i].target_bytes = s->target[i];
    params->target_delay[i] = s->target_time[i];
    params->limit_bytes[i] = s->limit[i];
  }
  to_outer (s, &params->outer);
  params->fifo_limit_bytes = s->fifo_limit;
  params->burst = s->burst;
  params->tau1 = s->rtt;
  params->flow_life = s->flow_life;
  params->count = s->flow_counting == GST_PAQM_COUNT_ESTIMATE ? FLOW_COUNT_ESTIMATED : FLOW_COUNT_EXACT;
  params->ecn_elastic = (s->ecn & GST_PAQM_ECN_ELASTIC) != 0;
  params->ecn_media = (s->ecn & GST_PAQM_ECN_MEDIA) != 0;
  params->strikes = s->strikes;
}

const gchar *
gst_paqm_shaper_apply (GstPaqmShaper *self, GstClockTime now)
{
  const gchar *reason;
  PaqmParams params;

  to_params (&self->settings, &params);
  params.random = self->paqm->params.random;
  self->settings_changed = FALSE;
  reason = paqm_params_refusal (&params);
  if (reason != NULL) {
    self->settings = self->applied;
    return reason;
  }
  self->applied = self->settings;
  paqm_set_params (self->paqm, &params, now);
  link_slots_set_capacity (&self->slots, params.capacity_Bps, now);
  gst_paqm_shaper_wake_before (self, now);
  return NULL;
}

void
gst_paqm_shaper_warn_refused (GstPaqmShaper *self, const gchar *reason)
{
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("These settings are refused: %s. The last good ones stay.", reason),
      ("alpha and beta that belong together are best set in one call; docs/paqm.md has their region"));
}

/* All of one g_object_set () together. */
static void
dispatch_properties_changed (GObject *object, guint n, GParamSpec **pspecs)
{
  GstPaqmShaper *self = GST_PAQM_SHAPER (object);
  const gchar *reason = NULL;
  gboolean applied;

  g_mutex_lock (&self->lock);
  applied = self->running && self->settings_changed;
  if (applied)
    reason = gst_paqm_shaper_apply (self, gst_paqm_shaper_now (self));
  g_mutex_unlock (&self->lock);
  G_OBJECT_CLASS (g_type_class_peek (GST_TYPE_ELEMENT))->dispatch_properties_changed (object, n, pspecs);
  if (reason != NULL)
    gst_paqm_shaper_warn_refused (self, reason);
  else if (applied)
    gst_element_post_message (GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
}

/* ---- set and get ---- */

static gboolean
set_queue_property (GstPaqmSettings *s, guint id, const GValue *value)
{
  switch (id) {
  case PROP_CAPACITY:
    s->capacity = g_value_get_uint64 (value);
    break;
  case PROP_DISCIPLINE:
    s->discipline = (GstPaqmDiscipline)g_value_get_enum (value);
    break;
  case PROP_MODE:
    s->mode = (GstPaqmMode)g_value_get_enum (value);
    break;
  case PROP_MEDIA_TARGET:
  case PROP_ELASTIC_TARGET:
    s->target[id == PROP_MEDIA_TARGET ? PAQM_MEDIA : PAQM_ELASTIC] = g_value_get_uint (value);
    break;
  case PROP_MEDIA_TARGET_TIME:
  case PROP_ELASTIC_TARGET_TIME:
    s->target_time[id == PROP_MEDIA_TARGET_TIME ? PAQM_MEDIA : PAQM_ELASTIC] = g_value_get_uint64 (value);
    break;
  case PROP_MEDIA_LIMIT:
  case PROP_ELASTIC_LIMIT:
    s->limit[id == PROP_MEDIA_LIMIT ? PAQM_MEDIA : PAQM_ELASTIC] = g_value_get_uint (value);
    break;
  case PROP_FIFO_LIMIT:
    s->fifo_limit = g_value_get_uint (value);
    break;
  case PROP_BURST:
    s->burst = g_value_get_double (value);
    break;
  case PROP_OVERHEAD:
    s->overhead = g_value_get_int (value);
    break;
  case PROP_LINK_OVERHEAD:
    s->link_overhead = g_value_get_uint (value);
    break;
  default:
    return FALSE;
  }
  return TRUE;
}

static gboolean
set_loop_property (GstPaqmSettings *s, guint id, const GValue *value)
{
  switch (id) {
  case PROP_ALPHA:
    s->alpha = g_value_get_double (value);
    break;
  case PROP_BETA:
    s->beta = g_value_get_double (value);
    break;
  case PROP_TAU2:
    s->tau2 = g_value_get_uint64 (value);
    break;
  case PROP_RTT:
    s->rtt = g_value_get_uint64 (value);
    break;
  case PROP_UTILISATION:
    s->utilisation = g_value_get_double (value);
    break;
  case PROP_MIN_RATE:
    s->min_rate = g_value_get_uint64 (value);
    break;
  case PROP_FLOW_COUNTING:
    s->flow_counting = (GstPaqmCount)g_value_get_enum (value);
    break;
  case PROP_FLOW_LIFE:
    s->flow_life = g_value_get_uint64 (value);
    break;
  case PROP_STRIKES:
    s->strikes = g_value_get_boolean (value);
    break;
  default:
    return FALSE;
  }
  return TRUE;
}

static gboolean
set_signal_property (GstPaqmSettings *s, guint id, const GValue *value)
{
  GstClockTime interval;

  switch (id) {
  case PROP_ECN:
    s->ecn = (GstPaqmEcn)g_value_get_flags (value);
    break;
  case PROP_SIGNALLING:
    s->signalling = (GstPaqmSignalling)g_value_get_flags (value);
    break;
  case PROP_EXTENSION_ID:
    s->extension_id = g_value_get_uint (value);
    break;
  case PROP_ADD_EXTENSION:
    s->add_extension = g_value_get_boolean (value);
    break;
  case PROP_STATS_INTERVAL:
    interval = g_value_get_uint64 (value);
    s->stats_interval = interval != 0 ? MAX (interval, MIN_STATS_INTERVAL) : 0;
    break;
  default:
    return FALSE;
  }
  return TRUE;
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstPaqmShaper *self = GST_PAQM_SHAPER (object);

  g_mutex_lock (&self->lock);
  if (set_queue_property (&self->settings, id, value) || set_loop_property (&self->settings, id, value) ||
      set_signal_property (&self->settings, id, value))
    self->settings_changed = TRUE;
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  g_mutex_unlock (&self->lock);
}

static gboolean
get_queue_property (const GstPaqmSettings *s, guint id, GValue *value)
{
  switch (id) {
  case PROP_CAPACITY:
    g_value_set_uint64 (value, s->capacity);
    break;
  case PROP_DISCIPLINE:
    g_value_set_enum (value, s->discipline);
    break;
  case PROP_MODE:
    g_value_set_enum (value, s->mode);
    break;
  case PROP_MEDIA_TARGET:
  case PROP_ELASTIC_TARGET:
    g_value_set_uint (value, s->target[id == PROP_MEDIA_TARGET ? PAQM_MEDIA : PAQM_ELASTIC]);
    break;
  case PROP_MEDIA_TARGET_TIME:
  case PROP_ELASTIC_TARGET_TIME:
    g_value_set_uint64 (value, s->target_time[id == PROP_MEDIA_TARGET_TIME ? PAQM_MEDIA : PAQM_ELASTIC]);
    break;
  case PROP_MEDIA_LIMIT:
  case PROP_ELASTIC_LIMIT:
    g_value_set_uint (value, s->limit[id == PROP_MEDIA_LIMIT ? PAQM_MEDIA : PAQM_ELASTIC]);
    break;
  case PROP_FIFO_LIMIT:
    g_value_set_uint (value, s->fifo_limit);
    break;
  case PROP_BURST:
    g_value_set_double (value, s->burst);
    break;
  case PROP_OVERHEAD:
    g_value_set_int (value, s->overhead);
    break;
  case PROP_LINK_OVERHEAD:
    g_value_set_uint (value, s->link_overhead);
    break;
  default:
    return FALSE;
  }
  return TRUE;
}

static gboolean
get_loop_property (const GstPaqmSettings *s, guint id, GValue *value)
{
  switch (id) {
  case PROP_ALPHA:
    g_value_set_double (value, s->alpha);
    break;
  case PROP_BETA:
    g_value_set_double (value, s->beta);
    break;
  case PROP_TAU2:
    g_value_set_uint64 (value, s->tau2);
    break;
  case PROP_RTT:
    g_value_set_uint64 (value, s->rtt);
    break;
  case PROP_UTILISATION:
    g_value_set_double (value, s->utilisation);
    break;
  case PROP_MIN_RATE:
    g_value_set_uint64 (value, s->min_rate);
    break;
  case PROP_FLOW_COUNTING:
    g_value_set_enum (value, s->flow_counting);
    break;
  case PROP_FLOW_LIFE:
    g_value_set_uint64 (value, s->flow_life);
    break;
  case PROP_STRIKES:
    g_value_set_boolean (value, s->strikes);
    break;
  default:
    return FALSE;
  }
  return TRUE;
}

static gboolean
get_signal_property (const GstPaqmSettings *s, guint id, GValue *value)
{
  switch (id) {
  case PROP_ECN:
    g_value_set_flags (value, s->ecn);
    break;
  case PROP_SIGNALLING:
    g_value_set_flags (value, s->signalling);
    break;
  case PROP_EXTENSION_ID:
    g_value_set_uint (value, s->extension_id);
    break;
  case PROP_ADD_EXTENSION:
    g_value_set_boolean (value, s->add_extension);
    break;
  case PROP_STATS_INTERVAL:
    g_value_set_uint64 (value, s->stats_interval);
    break;
  default:
    return FALSE;
  }
  return TRUE;
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstPaqmShaper *self = GST_PAQM_SHAPER (object);

  g_mutex_lock (&self->lock);
  if (id == PROP_STATS)
    g_value_take_boxed (value, gst_paqm_shaper_take_stats (self));
  else if (!get_queue_property (&self->settings, id, value) && !get_loop_property (&self->settings, id, value) &&
           !get_signal_property (&self->settings, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  g_mutex_unlock (&self->lock);
}

/* ---- what there is ---- */

#define READY (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)
#define LIVE (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)
#define SHOWN (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

static void
install_link_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_CAPACITY,
      g_param_spec_uint64 ("capacity", "Capacity",
          "What the link carries in bit/s, headers counted; 0: packets go as downstream takes them, and it is measured "
          "from that",
          0, G_GUINT64_CONSTANT (1000000000000), DEFAULT_CAPACITY, LIVE));
  g_object_class_install_property (klass, PROP_DISCIPLINE,
      g_param_spec_enum (
          "discipline", "Discipline", "How packets wait", GST_TYPE_PAQM_DISCIPLINE, DEFAULT_DISCIPLINE, LIVE));
  g_object_class_install_property (klass, PROP_MODE,
      g_param_spec_enum ("mode", "Mode", "What a buffer is", GST_TYPE_PAQM_MODE, DEFAULT_MODE, READY));
  g_object_class_install_property (klass, PROP_OVERHEAD,
      g_param_spec_int ("overhead", "Overhead",
          "UDP and IP headers in bytes per packet, 0 to 1000; -1: 28, or 48 where the packet came over IPv6; in mode "
          "ip they are there to be counted",
          -1, 1000, DEFAULT_OVERHEAD, LIVE));
  g_object_class_install_property (klass, PROP_LINK_OVERHEAD,
      g_param_spec_uint ("link-overhead", "Link overhead",
          "What the link adds to a packet in bytes, 0 to 1000: 38 on Ethernet, where capacity counts it", 0, 1000,
          DEFAULT_LINK_OVERHEAD, LIVE));
}

static void
install_queue_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_MEDIA_TARGET,
      g_param_spec_uint ("media-target", "Media target",
          "Backlog of media to aim at in bytes, below media-limit; where "
          "media-target-time is 0",
          1, G_MAXINT, DEFAULT_TARGET, LIVE));
  g_object_class_install_property (klass, PROP_MEDIA_TARGET_TIME,
      g_param_spec_uint64 ("media-target-time", "Media target as time",
          "Wait of media to aim at in ns at media's part of the capacity, up to 10 s; 0: media-target holds", 0,
          10 * GST_SECOND, DEFAULT_TARGET_TIME, LIVE));
  g_object_class_install_property (klass, PROP_MEDIA_LIMIT,
      g_param_spec_uint (
          "media-limit", "Media limit", "Backlog of media at most in bytes", 1, G_MAXINT, DEFAULT_LIMIT, LIVE));
  g_object_class_install_property (klass, PROP_ELASTIC_TARGET,
      g_param_spec_uint ("elastic-target", "Elastic target",
          "Backlog of elastic packets to aim at in bytes, below elastic-limit; where elastic-target-time is 0", 1,
          G_MAXINT, DEFAULT_ELASTIC_TARGET, LIVE));
  g_object_class_install_property (klass, PROP_ELASTIC_TARGET_TIME,
      g_param_spec_uint64 ("elastic-target-time", "Elastic target as time",
          "Wait of elastic packets to aim at in ns at their part of the capacity, up to 10 s; 0: elastic-target holds",
          0, 10 * GST_SECOND, DEFAULT_ELASTIC_TARGET_TIME, LIVE));
  g_object_class_install_property (klass, PROP_ELASTIC_LIMIT,
      g_param_spec_uint ("elastic-limit", "Elastic limit", "Backlog of elastic packets at most in bytes", 1, G_MAXINT,
          DEFAULT_ELASTIC_LIMIT, LIVE));
  g_object_class_install_property (klass, PROP_FIFO_LIMIT,
      g_param_spec_uint ("fifo-limit", "FIFO limit", "Backlog of all in bytes at most, with discipline=fifo", 1,
          G_MAXINT, DEFAULT_FIFO_LIMIT, LIVE));
  g_object_class_install_property (klass, PROP_BURST,
      g_param_spec_double ("burst", "Burst",
          "Backlog in media targets, 1 to 100, that media which sends what it is told may have before it is dropped, "
          "0.8 of media-limit at most; what its share leaves unused is kept for it up to one less; 1: as published",
          1, 100, DEFAULT_BURST, LIVE));
  g_object_class_install_property (klass, PROP_ECN,
      g_param_spec_flags ("ecn", "ECN",
          "Whose packets are marked CE rather than dropped, where they allow it (mode ip)", GST_TYPE_PAQM_ECN,
          DEFAULT_ECN, LIVE));
}

static void
install_loop_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_ALPHA,
      g_param_spec_double ("alpha", "Alpha",
          "Part of the unused rate handed out per period, 0 to 2; refused with a reason where the loop would not "
          "settle",
          0, 2, DEFAULT_ALPHA, LIVE));
  g_object_class_install_property (klass, PROP_BETA,
      g_param_spec_double ("beta", "Beta",
          "Part of the backlog's deviation made up for per period, 0 to 2; below 0.5 with alpha 0.75", 0, 2,
          DEFAULT_BETA, LIVE));
  g_object_class_install_property (klass, PROP_TAU2,
      g_param_spec_uint64 ("tau2", "tau2",
          "How long media is measured per period in ns, 20 ms to 10 s; a group of pictures or two", 20 * GST_MSECOND,
          10 * GST_SECOND, DEFAULT_TAU2, LIVE));
  g_object_class_install_property (klass, PROP_RTT,
      g_param_spec_uint64 ("rtt", "Round-trip time",
          "Of the sources in ns, up to 5 s, where their packets do not tell (rtt-sendts): how long they take to follow",
          0, 5 * GST_SECOND, DEFAULT_RTT, LIVE));
  g_object_class_install_property (klass, PROP_UTILISATION,
      g_param_spec_double ("utilisation", "Utilisation",
          "Part of its capacity that media is told, 0.1 to 1; 1 for hundreds of flows", 0.1, 1, DEFAULT_UTILISATION,
          LIVE));
  g_object_class_install_property (klass, PROP_MIN_RATE,
      g_param_spec_uint64 ("min-rate", "Least rate", "Explicit rate at least in bit/s per flow, 1000 to 1e12", 1000,
          G_GUINT64_CONSTANT (1000000000000), DEFAULT_MIN_RATE, LIVE));
  g_object_class_install_property (klass, PROP_FLOW_COUNTING,
      g_param_spec_enum ("flow-counting", "Flow counting", "How flows are counted, by which the capacity is divided",
          GST_TYPE_PAQM_COUNT, DEFAULT_FLOW_COUNTING, LIVE));
  g_object_class_install_property (klass, PROP_FLOW_LIFE,
      g_param_spec_uint64 ("flow-life", "Flow life", "Silence after which a flow is not counted in ns, 10 ms to 60 s",
          10 * GST_MSECOND, 60 * GST_SECOND, DEFAULT_FLOW_LIFE, LIVE));
  g_object_class_install_property (klass, PROP_STRIKES,
      g_param_spec_boolean (
          "strikes", "Strikes", "Hold media flows that ignore the explicit rate down to it", DEFAULT_STRIKES, LIVE));
}

static void
install_signal_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_SIGNALLING,
      g_param_spec_flags ("signalling", "Signalling",
          "How media sources are told their rate; all but erf-extension need rtcp_src", GST_TYPE_PAQM_SIGNALLING,
          DEFAULT_SIGNALLING, LIVE));
  g_object_class_install_property (klass, PROP_EXTENSION_ID,
      g_param_spec_uint ("extension-id", "Extension id",
          "Header extension id of " ERF_EXTENSION_URI " where caps have no extmap for it, 1 to 255; 0: none", 0, 255,
          ERF_EXTENSION_ID, LIVE));
  g_object_class_install_property (klass, PROP_ADD_EXTENSION,
      g_param_spec_boolean ("add-extension", "Add extension",
          "Put the explicit rate into packets whose sender has not asked for it", DEFAULT_ADD_EXTENSION, LIVE));
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed (
          "stats", "Statistics", "Rates in bit/s, times in ns, backlogs in bytes", GST_TYPE_STRUCTURE, SHOWN));
  g_object_class_install_property (klass, PROP_STATS_INTERVAL,
      g_param_spec_uint64 ("stats-interval", "Statistics interval",
          "Post stats as an element message every so many ns, 10 ms at least; 0: never", 0, G_MAXINT64,
          DEFAULT_STATS_INTERVAL, LIVE));
}

void
gst_paqm_shaper_install_properties (GObjectClass *klass)
{
  klass->set_property = set_property;
  klass->get_property = get_property;
  klass->dispatch_properties_changed = dispatch_properties_changed;
  install_link_properties (klass);
  install_queue_properties (klass);
  install_loop_properties (klass);
  install_signal_properties (klass);
}
