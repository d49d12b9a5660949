/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpaqmsettings.h"

#include "erfextension.h"

#include <stddef.h>

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

void
gst_paqm_settings_to_params (const GstPaqmSettings *s, PaqmParams *params)
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

/* ---- set and get ---- */

#define PLACE(field) offsetof (GstPaqmSettings, field)
static const gsize places[] = {[PROP_CAPACITY] = PLACE (capacity),
    [PROP_DISCIPLINE] = PLACE (discipline),
    [PROP_MODE] = PLACE (mode),
    [PROP_MEDIA_TARGET] = PLACE (target[PAQM_MEDIA]),
    [PROP_MEDIA_TARGET_TIME] = PLACE (target_time[PAQM_MEDIA]),
    [PROP_MEDIA_LIMIT] = PLACE (limit[PAQM_MEDIA]),
    [PROP_ELASTIC_TARGET] = PLACE (target[PAQM_ELASTIC]),
    [PROP_ELASTIC_TARGET_TIME] = PLACE (target_time[PAQM_ELASTIC]),
    [PROP_ELASTIC_LIMIT] = PLACE (limit[PAQM_ELASTIC]),
    [PROP_FIFO_LIMIT] = PLACE (fifo_limit),
    [PROP_BURST] = PLACE (burst),
    [PROP_ALPHA] = PLACE (alpha),
    [PROP_BETA] = PLACE (beta),
    [PROP_TAU2] = PLACE (tau2),
    [PROP_RTT] = PLACE (rtt),
    [PROP_UTILISATION] = PLACE (utilisation),
    [PROP_MIN_RATE] = PLACE (min_rate),
    [PROP_ECN] = PLACE (ecn),
    [PROP_SIGNALLING] = PLACE (signalling),
    [PROP_EXTENSION_ID] = PLACE (extension_id),
    [PROP_ADD_EXTENSION] = PLACE (add_extension),
    [PROP_FLOW_COUNTING] = PLACE (flow_counting),
    [PROP_FLOW_LIFE] = PLACE (flow_life),
    [PROP_STRIKES] = PLACE (strikes),
    [PROP_OVERHEAD] = PLACE (overhead),
    [PROP_LINK_OVERHEAD] = PLACE (link_overhead),
    [PROP_STATS_INTERVAL] = PLACE (stats_interval)};
G_STATIC_ASSERT (G_N_ELEMENTS (places) <= GST_PAQM_SETTINGS_END);

static gboolean
is_setting (guint id)
{
  return id > PROP_0 && id < G_N_ELEMENTS (places);
}

/* A property is of its field's type; enumerations and flags are unsigned. */
gboolean
gst_paqm_settings_set (GstPaqmSettings *settings, guint id, const GValue *value)
{
  gpointer place;

  if (!is_setting (id))
    return FALSE;
  place = (guint8 *)settings + places[id];
  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
  case G_TYPE_UINT64:
    *(guint64 *)place = g_value_get_uint64 (value);
    break;
  case G_TYPE_DOUBLE:
    *(gdouble *)place = g_value_get_double (value);
    break;
  case G_TYPE_UINT:
    *(guint *)place = g_value_get_uint (value);
    break;
  case G_TYPE_INT:
    *(gint *)place = g_value_get_int (value);
    break;
  case G_TYPE_BOOLEAN:
    *(gboolean *)place = g_value_get_boolean (value);
    break;
  case G_TYPE_ENUM:
    *(guint *)place = (guint)g_value_get_enum (value);
    break;
  default:
    *(guint *)place = g_value_get_flags (value);
  }
  if (settings->stats_interval != 0)
    settings->stats_interval = MAX (settings->stats_interval, MIN_STATS_INTERVAL);
  return TRUE;
}

gboolean
gst_paqm_settings_get (const GstPaqmSettings *settings, guint id, GValue *value)
{
  gconstpointer place;

  if (!is_setting (id))
    return FALSE;
  place = (const guint8 *)settings + places[id];
  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
  case G_TYPE_UINT64:
    g_value_set_uint64 (value, *(const guint64 *)place);
    break;
  case G_TYPE_DOUBLE:
    g_value_set_double (value, *(const gdouble *)place);
    break;
  case G_TYPE_UINT:
    g_value_set_uint (value, *(const guint *)place);
    break;
  case G_TYPE_INT:
    g_value_set_int (value, *(const gint *)place);
    break;
  case G_TYPE_BOOLEAN:
    g_value_set_boolean (value, *(const gboolean *)place);
    break;
  case G_TYPE_ENUM:
    g_value_set_enum (value, (gint) * (const guint *)place);
    break;
  default:
    g_value_set_flags (value, *(const guint *)place);
  }
  return TRUE;
}

/* ---- what there is ---- */

#define READY (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)
#define LIVE (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)

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
  g_object_class_install_property (klass, PROP_STATS_INTERVAL,
      g_param_spec_uint64 ("stats-interval", "Statistics interval",
          "Post stats as an element message every so many ns, 10 ms at least; 0: never", 0, G_MAXINT64,
          DEFAULT_STATS_INTERVAL, LIVE));
}

void
gst_paqm_settings_install (GObjectClass *klass)
{
  install_link_properties (klass);
  install_queue_properties (klass);
  install_loop_properties (klass);
  install_signal_properties (klass);
}
