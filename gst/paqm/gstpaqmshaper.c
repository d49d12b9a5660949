/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-paqmshaper
 * @title: paqmshaper
 *
 * Stands in front of a thin link and keeps its queue here, short: media (RTP) and elastic traffic wait apart, each
 * class has its flows' part of the link, and media sources are told what to send (P-AQM).
 *
 * <!-- printed: on C, beside plain-sender to C, beside plain-receiver -->
 * |[
 * gst-launch-1.0 udpsrc port=5004 caps="application/x-rtp" ! s. udpsrc port=5006 caps="application/x-rtp" ! s.
 * paqmshaper name=s capacity=2000000 ! udpsink host=B port=5004 sync=false async=false
 * ]|
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpaqmshaper.h"

#include <string.h>

GST_DEBUG_CATEGORY_STATIC (paqmshaper_debug);
#define GST_CAT_DEFAULT paqmshaper_debug

#define PROP_STATS GST_PAQM_SETTINGS_END

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink_%u", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate rtcp_src_template =
    GST_STATIC_PAD_TEMPLATE ("rtcp_src", GST_PAD_SRC, GST_PAD_REQUEST, GST_STATIC_CAPS ("application/x-rtcp"));

#define gst_paqm_shaper_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstPaqmShaper, gst_paqm_shaper, GST_TYPE_ELEMENT,
    G_IMPLEMENT_INTERFACE (GST_TYPE_CHILD_PROXY, gst_paqm_pad_child_proxy_init)
        GST_DEBUG_CATEGORY_INIT (paqmshaper_debug, "paqmshaper", 0, "Short queues and explicit rates for a thin link"))
GST_ELEMENT_REGISTER_DEFINE (paqmshaper, "paqmshaper", GST_RANK_NONE, GST_TYPE_PAQM_SHAPER)

/* With the lock: the settings become effective, and stay so; or the last good ones come back, and the reason is
   returned. */
static const gchar *
apply (GstPaqmShaper *self)
{
  const gchar *reason = gst_paqm_router_apply (&self->router, &self->settings);

  self->settings_changed = FALSE;
  if (reason != NULL)
    self->settings = self->router.settings;
  return reason;
}

static void
warn_refused (GstPaqmShaper *self, const gchar *reason)
{
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("These settings are refused: %s. The last good ones stay.", reason),
      ("alpha and beta that belong together are best set in one call; docs/paqm.md has their region"));
}

/* ---- the source pad ---- */

static void
loop (gpointer pad)
{
  GstPaqmShaper *self = GST_PAQM_SHAPER (GST_PAD_PARENT (pad));
  GstPaqmRound round;
  GstFlowReturn ret = gst_paqm_router_run (&self->router, &round);

  if (round.stats != NULL)
    gst_element_post_message (GST_ELEMENT (self), gst_message_new_element (GST_OBJECT (self), round.stats));
  if (round.waits_longer)
    gst_element_post_message (GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
  if (ret != GST_FLOW_OK)
    GST_DEBUG_OBJECT (self, "pauses: %s", gst_flow_get_name (ret));
  if (round.unheard) {
    GST_ELEMENT_FLOW_ERROR (self, ret);
    gst_pad_push_event (GST_PAD (pad), gst_event_new_eos ());
  }
}

static gboolean
start (GstPaqmShaper *self)
{
  g_mutex_lock (&self->router.lock);
  gst_paqm_outlet_open (&self->router.outlet);
  g_mutex_unlock (&self->router.lock);
  return gst_pad_start_task (self->srcpad, loop, self->srcpad, NULL);
}

static void
interrupt (GstPaqmShaper *self)
{
  g_mutex_lock (&self->router.lock);
  gst_paqm_outlet_close (&self->router.outlet);
  g_mutex_unlock (&self->router.lock);
}

static gboolean
src_activate_mode (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstPaqmShaper *self = GST_PAQM_SHAPER (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  if (active)
    return start (self);
  interrupt (self);
  return gst_pad_stop_task (pad);
}

/* A new peer: what the old one, or none, has said is over. */
static void
on_reconfigure (GstPaqmShaper *self)
{
  gboolean starts;

  g_mutex_lock (&self->router.lock);
  starts = gst_paqm_outlet_on_link (&self->router.outlet);
  g_mutex_unlock (&self->router.lock);
  if (starts)
    gst_pad_start_task (self->srcpad, loop, self->srcpad, NULL);
}

static gboolean
src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE)
    on_reconfigure (GST_PAQM_SHAPER (parent));
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
query_latency (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstPaqmShaper *self = GST_PAQM_SHAPER (parent);
  GstClockTime min, max, wait;
  gboolean live;

  if (!gst_pad_query_default (pad, parent, query))
    return FALSE;
  wait = gst_paqm_router_answer_wait (&self->router);
  gst_query_parse_latency (query, &live, &min, &max);
  if (GST_CLOCK_TIME_IS_VALID (max))
    max += wait;
  gst_query_set_latency (query, live, min + wait, max);
  return TRUE;
}

static gboolean
src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
    return query_latency (pad, parent, query);
  return gst_pad_query_default (pad, parent, query);
}

/* ---- sink pads ---- */

static GstFlowReturn
chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  return gst_paqm_router_receive (&GST_PAQM_SHAPER (parent)->router, GST_PAQM_PAD (pad), buffer);
}

static GstFlowReturn
chain_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  return gst_paqm_router_receive_list (&GST_PAQM_SHAPER (parent)->router, GST_PAQM_PAD (pad), list);
}

/* With the lock. */
static void
count_sinks (GstPaqmShaper *self, gint more, gint more_at_eos)
{
  self->sinks += more;
  self->sinks_at_eos += more_at_eos;
  gst_paqm_outlet_set_ended (&self->router.outlet, self->sinks > 0 && self->sinks_at_eos == self->sinks);
}

/* With the lock. */
static void
set_eos (GstPaqmShaper *self, GstPaqmPad *pad, gboolean eos)
{
  if (!eos)
    gst_paqm_outlet_begin_anew (&self->router.outlet);
  if (pad->eos == eos)
    return;
  pad->eos = eos;
  count_sinks (self, 0, eos ? 1 : -1);
}

static gboolean
on_eos (GstPaqmShaper *self, GstPaqmPad *pad)
{
  g_mutex_lock (&self->router.lock);
  set_eos (self, pad, TRUE);
  g_mutex_unlock (&self->router.lock);
  return TRUE;
}

/* A pad that is alone flushes what is behind the shaper; of several, only when that takes nothing more: else another
   one's packets are on their way. */
static gboolean
on_flush_start (GstPaqmShaper *self, GstPaqmPad *pad, GstEvent *event)
{
  g_mutex_lock (&self->router.lock);
  pad->flushes = self->sinks == 1 || gst_paqm_outlet_is_over (&self->router.outlet);
  g_mutex_unlock (&self->router.lock);
  if (!pad->flushes) {
    gst_event_unref (event);
    return TRUE;
  }
  gst_pad_push_event (self->srcpad, event);
  interrupt (self);
  gst_pad_pause_task (self->srcpad);
  return TRUE;
}

static gboolean
on_flush_stop (GstPaqmShaper *self, GstPaqmPad *pad, GstEvent *event)
{
  gboolean flushes;

  g_mutex_lock (&self->router.lock);
  flushes = pad->flushes;
  set_eos (self, pad, FALSE);
  pad->flushes = FALSE;
  if (flushes) {
    gst_paqm_router_clear (&self->router);
    gst_paqm_outlet_begin_anew (&self->router.outlet);
  }
  g_mutex_unlock (&self->router.lock);
  pad->stream_changed = TRUE;
  if (!flushes) {
    gst_event_unref (event);
    return TRUE;
  }
  gst_pad_push_event (self->srcpad, event);
  if (GST_PAD_MODE (self->srcpad) == GST_PAD_MODE_PUSH)
    start (self);
  return TRUE;
}

/* Sticky ones go ahead of the next packet. */
static gboolean
on_serialized (GstPaqmShaper *self, GstPaqmPad *pad, GstEvent *event)
{
  GstCaps *caps;

  if (!GST_EVENT_IS_STICKY (event))
    return gst_paqm_router_receive_event (&self->router, pad, event);
  pad->stream_changed = TRUE;
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    gst_paqm_pad_caps_read (&pad->caps, caps);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
    g_mutex_lock (&self->router.lock);
    set_eos (self, pad, FALSE);
    g_mutex_unlock (&self->router.lock);
  }
  gst_event_unref (event);
  return TRUE;
}

static gboolean
sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstPaqmShaper *self = GST_PAQM_SHAPER (parent);

  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_FLUSH_START:
    return on_flush_start (self, GST_PAQM_PAD (pad), event);
  case GST_EVENT_FLUSH_STOP:
    return on_flush_stop (self, GST_PAQM_PAD (pad), event);
  case GST_EVENT_EOS:
    gst_event_unref (event);
    return on_eos (self, GST_PAQM_PAD (pad));
  default:
    if (GST_EVENT_IS_SERIALIZED (event))
      return on_serialized (self, GST_PAQM_PAD (pad), event);
    return gst_pad_event_default (pad, parent, event);
  }
}

/* Buffers wait here and would keep a small pool of downstream's from working: no allocation query passes. */
static gboolean
sink_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION || GST_QUERY_TYPE (query) == GST_QUERY_DRAIN)
    return FALSE;
  return gst_pad_query_default (pad, parent, query);
}

/* What comes in goes out of src; nothing is linked to rtcp_src. */
static GstIterator *
iterate_internal_links (GstPad *pad, GstObject *parent)
{
  GstPaqmShaper *self = GST_PAQM_SHAPER (parent);
  GValue value = G_VALUE_INIT;
  GstIterator *it;

  if (GST_PAD_IS_SRC (pad))
    return gst_iterator_new_single (GST_TYPE_PAD, NULL);
  g_value_init (&value, GST_TYPE_PAD);
  g_value_set_object (&value, self->srcpad);
  it = gst_iterator_new_single (GST_TYPE_PAD, &value);
  g_value_unset (&value);
  return it;
}

static GstPad *
new_sink_pad (GstPaqmShaper *self, GstPadTemplate *templ, const gchar *wanted)
{
  guint64 number;
  gchar *name;
  GstPaqmPad *pad;

  g_mutex_lock (&self->router.lock);
  number = self->next_pad++;
  if (wanted != NULL && g_str_has_prefix (wanted, "sink_") &&
      g_ascii_string_to_unsigned (wanted + strlen ("sink_"), 10, 0, G_MAXUINT32, &number, NULL))
    self->next_pad = MAX (self->next_pad, number + 1);
  g_mutex_unlock (&self->router.lock);
  name = g_strdup_printf ("sink_%" G_GUINT64_FORMAT, number);
  pad = g_object_new (GST_TYPE_PAQM_PAD, "name", name, "direction", GST_PAD_SINK, "template", templ, NULL);
  g_free (name);
  pad->number = number;
  gst_pad_set_chain_function (GST_PAD (pad), chain);
  gst_pad_set_chain_list_function (GST_PAD (pad), chain_list);
  gst_pad_set_event_function (GST_PAD (pad), sink_event);
  gst_pad_set_query_function (GST_PAD (pad), sink_query);
  GST_PAD_SET_PROXY_CAPS (GST_PAD (pad));
  return GST_PAD (pad);
}

/* ---- pads that come and go ---- */

static GstPad *
request_new_pad (GstElement *element, GstPadTemplate *templ, const gchar *name, const GstCaps *caps)
{
  GstPaqmShaper *self = GST_PAQM_SHAPER (element);
  gboolean is_sink = GST_PAD_TEMPLATE_DIRECTION (templ) == GST_PAD_SINK, active, refused;
  GstPad *pad;

  g_mutex_lock (&self->router.lock);
  active = self->running;
  refused = !is_sink && self->router.teller.pad != NULL;
  g_mutex_unlock (&self->router.lock);
  if (refused)
    return NULL;
  pad = is_sink ? new_sink_pad (self, templ, name) : gst_paqm_teller_new_pad (&self->router.teller, templ);
  gst_pad_set_iterate_internal_links_function (pad, iterate_internal_links);
  if (active)
    gst_pad_set_active (pad, TRUE);
  if (!gst_element_add_pad (element, pad))
    return NULL;
  g_mutex_lock (&self->router.lock);
  if (is_sink)
    count_sinks (self, 1, 0);
  else
    self->router.teller.pad = pad;
  g_mutex_unlock (&self->router.lock);
  if (is_sink)
    gst_child_proxy_child_added (GST_CHILD_PROXY (self), G_OBJECT (pad), GST_PAD_NAME (pad));
  return pad;
}

static void
release_pad (GstElement *element, GstPad *pad)
{
  GstPaqmShaper *self = GST_PAQM_SHAPER (element);

  gst_pad_set_active (pad, FALSE);
  g_mutex_lock (&self->router.lock);
  if (pad == self->router.teller.pad)
    self->router.teller.pad = NULL;
  else
    count_sinks (self, -1, GST_PAQM_PAD (pad)->eos ? -1 : 0);
  g_mutex_unlock (&self->router.lock);
  if (GST_PAD_IS_SINK (pad))
    gst_child_proxy_child_removed (GST_CHILD_PROXY (self), G_OBJECT (pad), GST_PAD_NAME (pad));
  gst_element_remove_pad (element, pad);
}

/* ---- element ---- */

/* Pads forget that they ended when they are activated anew. */
static void
forget_eos (GstPaqmShaper *self)
{
  GList *l;

  GST_OBJECT_LOCK (self);
  for (l = GST_ELEMENT (self)->sinkpads; l != NULL; l = l->next) {
    GST_PAQM_PAD (l->data)->eos = FALSE;
    GST_PAQM_PAD (l->data)->stream_changed = TRUE;
  }
  GST_OBJECT_UNLOCK (self);
  count_sinks (self, 0, -(gint)self->sinks_at_eos);
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstPaqmShaper *self = GST_PAQM_SHAPER (element);
  const gchar *reason = NULL;
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    g_mutex_lock (&self->router.lock);
    forget_eos (self);
    gst_paqm_router_reset (&self->router);
    reason = apply (self);
    self->running = TRUE;
    g_mutex_unlock (&self->router.lock);
    if (reason != NULL)
      warn_refused (self, reason);
  }
  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    g_mutex_lock (&self->router.lock);
    self->running = FALSE;
    gst_paqm_router_clear (&self->router);
    g_mutex_unlock (&self->router.lock);
  }
  return ret;
}

static void
finalize (GObject *object)
{
  GstPaqmShaper *self = GST_PAQM_SHAPER (object);

  gst_paqm_router_finalize (&self->router);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_paqm_shaper_init (GstPaqmShaper *self)
{
  gst_paqm_settings_init (&self->settings);
  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_activatemode_function (self->srcpad, src_activate_mode);
  gst_pad_set_event_function (self->srcpad, src_event);
  gst_pad_set_query_function (self->srcpad, src_query);
  gst_paqm_router_init (&self->router, self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}

/* ---- properties ---- */

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstPaqmShaper *self = GST_PAQM_SHAPER (object);

  g_mutex_lock (&self->router.lock);
  if (gst_paqm_settings_set (&self->settings, id, value))
    self->settings_changed = TRUE;
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  g_mutex_unlock (&self->router.lock);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstPaqmShaper *self = GST_PAQM_SHAPER (object);

  g_mutex_lock (&self->router.lock);
  if (id == PROP_STATS)
    g_value_take_boxed (value, gst_paqm_router_get_stats (&self->router));
  else if (!gst_paqm_settings_get (&self->settings, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  g_mutex_unlock (&self->router.lock);
}

/* All of one g_object_set () together. */
static void
dispatch_properties_changed (GObject *object, guint n, GParamSpec **pspecs)
{
  GstPaqmShaper *self = GST_PAQM_SHAPER (object);
  const gchar *reason = NULL;
  gboolean applied;

  g_mutex_lock (&self->router.lock);
  applied = self->running && self->settings_changed;
  if (applied)
    reason = apply (self);
  g_mutex_unlock (&self->router.lock);
  G_OBJECT_CLASS (parent_class)->dispatch_properties_changed (object, n, pspecs);
  if (reason != NULL)
    warn_refused (self, reason);
  else if (applied)
    gst_element_post_message (GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
}

static void
gst_paqm_shaper_class_init (GstPaqmShaperClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->finalize = finalize;
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->dispatch_properties_changed = dispatch_properties_changed;
  element_class->change_state = change_state;
  element_class->request_new_pad = request_new_pad;
  element_class->release_pad = release_pad;
  gst_paqm_settings_install (object_class);
  g_object_class_install_property (object_class, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics", "Rates in bit/s, times in ns, backlogs in bytes", GST_TYPE_STRUCTURE,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));

  gst_element_class_add_static_pad_template_with_gtype (element_class, &sink_template, GST_TYPE_PAQM_PAD);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_add_static_pad_template (element_class, &rtcp_src_template);
  gst_element_class_set_static_metadata (element_class, "P-AQM shaper", "Filter/Network/RTP",
      "Keeps the queue in front of a thin link short and tells media sources their rate",
      "GStreamer congestion control developers");
  gst_type_mark_as_plugin_api (GST_TYPE_PAQM_CLASS, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_PAQM_COUNT, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_PAQM_DISCIPLINE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_PAQM_ECN, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_PAQM_MODE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_PAQM_PAD, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_PAQM_SIGNALLING, 0);
}
