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

#include "gstccrandom.h"
#include "gstccrtcp.h"
#include "gstpaqmprivate.h"

#include <string.h>

GST_DEBUG_CATEGORY (paqmshaper_debug);

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink_%u", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate rtcp_src_template =
    GST_STATIC_PAD_TEMPLATE ("rtcp_src", GST_PAD_SRC, GST_PAD_REQUEST, GST_STATIC_CAPS ("application/x-rtcp"));

#define gst_paqm_shaper_parent_class parent_class
static void child_proxy_init (gpointer iface, gpointer data);
G_DEFINE_TYPE_WITH_CODE (GstPaqmShaper, gst_paqm_shaper, GST_TYPE_ELEMENT,
    G_IMPLEMENT_INTERFACE (GST_TYPE_CHILD_PROXY, child_proxy_init)
        GST_DEBUG_CATEGORY_INIT (paqmshaper_debug, "paqmshaper", 0, "Short queues and explicit rates for a thin link"))
GST_ELEMENT_REGISTER_DEFINE (paqmshaper, "paqmshaper", GST_RANK_NONE, GST_TYPE_PAQM_SHAPER)

GstClockTime
gst_paqm_shaper_now (GstPaqmShaper *self)
{
  return gst_clock_get_time (self->system_clock);
}

/* ---- sink pads as children, so that `sink_0::class=media` sets one's class ---- */

static GObject *
get_child_by_index (GstChildProxy *proxy, guint index)
{
  GObject *child;

  GST_OBJECT_LOCK (proxy);
  child = g_list_nth_data (GST_ELEMENT (proxy)->sinkpads, index);
  if (child != NULL)
    g_object_ref (child);
  GST_OBJECT_UNLOCK (proxy);
  return child;
}

static guint
get_children_count (GstChildProxy *proxy)
{
  guint n;

  GST_OBJECT_LOCK (proxy);
  n = GST_ELEMENT (proxy)->numsinkpads;
  GST_OBJECT_UNLOCK (proxy);
  return n;
}

static void
child_proxy_init (gpointer iface, gpointer data)
{
  ((GstChildProxyInterface *)iface)->get_child_by_index = get_child_by_index;
  ((GstChildProxyInterface *)iface)->get_children_count = get_children_count;
}

/* ---- the source pad ---- */

static gboolean
start (GstPaqmShaper *self)
{
  g_mutex_lock (&self->lock);
  self->srcresult = GST_FLOW_OK;
  g_mutex_unlock (&self->lock);
  return gst_pad_start_task (self->srcpad, gst_paqm_shaper_loop, self->srcpad, NULL);
}

static void
interrupt (GstPaqmShaper *self)
{
  g_mutex_lock (&self->lock);
  self->srcresult = GST_FLOW_FLUSHING;
  gst_paqm_shaper_wake_before (self, 0);
  g_mutex_unlock (&self->lock);
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

  g_mutex_lock (&self->lock);
  starts = self->srcresult == GST_FLOW_NOT_LINKED;
  g_mutex_unlock (&self->lock);
  if (starts)
    start (self);
}

static gboolean
src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE)
    on_reconfigure (GST_PAQM_SHAPER (parent));
  return gst_pad_event_default (pad, parent, event);
}

/* How long media waits at most, with the flows there are; 0: the capacity is not known. */
static GstClockTime
longest_wait (GstPaqmShaper *self)
{
  GstClockTime wait;
  PaqmStats p;
  gboolean fifo;

  g_mutex_lock (&self->lock);
  paqm_get_stats (self->paqm, &p);
  fifo = self->applied.discipline == GST_PAQM_DISCIPLINE_FIFO;
  if (fifo)
    wait = p.capacity_Bps > 0 ? cc_duration (self->applied.fifo_limit / p.capacity_Bps) : 0;
  else
    wait = p.c_Bps[PAQM_MEDIA] > 0 ? cc_duration (self->applied.limit[PAQM_MEDIA] / p.c_Bps[PAQM_MEDIA]) : 0;
  g_mutex_unlock (&self->lock);
  return wait;
}

static gboolean
query_latency (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstClockTime min, max, wait = longest_wait (GST_PAQM_SHAPER (parent));
  gboolean live;

  if (!gst_pad_query_default (pad, parent, query))
    return FALSE;
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

/* With the lock. */
static void
set_eos (GstPaqmShaper *self, GstPaqmPad *pad, gboolean eos)
{
  if (pad->eos == eos)
    return;
  pad->eos = eos;
  self->sinks_at_eos += eos ? 1 : -1;
  if (!eos && self->eos_sent)
    self->eos_sent = self->started = FALSE;
  gst_paqm_shaper_wake_before (self, 0);
}

static gboolean
on_eos (GstPaqmShaper *self, GstPaqmPad *pad)
{
  g_mutex_lock (&self->lock);
  set_eos (self, pad, TRUE);
  g_mutex_unlock (&self->lock);
  return TRUE;
}

/* Only a pad that is alone flushes what is behind the shaper; of several, one's packets are on their way already. */
static gboolean
on_flush_start (GstPaqmShaper *self, GstPaqmPad *pad, GstEvent *event)
{
  g_mutex_lock (&self->lock);
  pad->flushes = self->sinks == 1;
  g_mutex_unlock (&self->lock);
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

  g_mutex_lock (&self->lock);
  flushes = pad->flushes;
  set_eos (self, pad, FALSE);
  pad->flushes = FALSE;
  if (flushes) {
    gst_paqm_shaper_clear_queues (self);
    self->eos_sent = FALSE;
  }
  g_mutex_unlock (&self->lock);
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
    return gst_paqm_shaper_queue_event (self, pad, event);
  pad->stream_changed = TRUE;
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    gst_paqm_pad_caps_read (&pad->caps, caps);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
    g_mutex_lock (&self->lock);
    set_eos (self, pad, FALSE);
    g_mutex_unlock (&self->lock);
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

  g_mutex_lock (&self->lock);
  number = self->next_pad++;
  if (wanted != NULL && g_str_has_prefix (wanted, "sink_") &&
      g_ascii_string_to_unsigned (wanted + strlen ("sink_"), 10, 0, G_MAXUINT32, &number, NULL))
    self->next_pad = MAX (self->next_pad, number + 1);
  g_mutex_unlock (&self->lock);
  name = g_strdup_printf ("sink_%" G_GUINT64_FORMAT, number);
  pad = g_object_new (GST_TYPE_PAQM_PAD, "name", name, "direction", GST_PAD_SINK, "template", templ, NULL);
  g_free (name);
  pad->number = number;
  gst_pad_set_chain_function (GST_PAD (pad), gst_paqm_shaper_chain);
  gst_pad_set_chain_list_function (GST_PAD (pad), gst_paqm_shaper_chain_list);
  gst_pad_set_event_function (GST_PAD (pad), sink_event);
  gst_pad_set_query_function (GST_PAD (pad), sink_query);
  GST_PAD_SET_PROXY_CAPS (GST_PAD (pad));
  return GST_PAD (pad);
}

/* ---- element ---- */

static GstPad *
request_new_pad (GstElement *element, GstPadTemplate *templ, const gchar *name, const GstCaps *caps)
{
  GstPaqmShaper *self = GST_PAQM_SHAPER (element);
  gboolean is_sink = GST_PAD_TEMPLATE_DIRECTION (templ) == GST_PAD_SINK, active, refused;
  GstPad *pad;

  g_mutex_lock (&self->lock);
  active = self->running;
  refused = !is_sink && self->rtcp_srcpad != NULL;
  g_mutex_unlock (&self->lock);
  if (refused)
    return NULL;
  pad = is_sink ? new_sink_pad (self, templ, name) : gst_paqm_shaper_new_rtcp_pad (self, templ);
  gst_pad_set_iterate_internal_links_function (pad, iterate_internal_links);
  if (active)
    gst_pad_set_active (pad, TRUE);
  if (!gst_element_add_pad (element, pad))
    return NULL;
  g_mutex_lock (&self->lock);
  if (is_sink)
    self->sinks++;
  else
    self->rtcp_srcpad = pad;
  g_mutex_unlock (&self->lock);
  if (is_sink)
    gst_child_proxy_child_added (GST_CHILD_PROXY (self), G_OBJECT (pad), GST_PAD_NAME (pad));
  return pad;
}

static void
release_pad (GstElement *element, GstPad *pad)
{
  GstPaqmShaper *self = GST_PAQM_SHAPER (element);

  gst_pad_set_active (pad, FALSE);
  g_mutex_lock (&self->lock);
  if (pad == self->rtcp_srcpad) {
    self->rtcp_srcpad = NULL;
  } else {
    if (GST_PAQM_PAD (pad)->eos)
      self->sinks_at_eos--;
    self->sinks--;
    gst_paqm_shaper_wake_before (self, 0);
  }
  g_mutex_unlock (&self->lock);
  if (GST_PAD_IS_SINK (pad))
    gst_child_proxy_child_removed (GST_CHILD_PROXY (self), G_OBJECT (pad), GST_PAD_NAME (pad));
  gst_element_remove_pad (element, pad);
}

/* With the lock: as if nothing had ever passed. Returns why the settings are not taken, NULL: they are. */
static const gchar *
reset (GstPaqmShaper *self)
{
  GstClockTime now = gst_paqm_shaper_now (self);
  PaqmParams params = self->paqm->params;

  gst_paqm_shaper_clear_queues (self);
  paqm_init (self->paqm, &params);
  link_slots_init (&self->slots, params.capacity_Bps);
  paqm_sources_clear (self->sources);
  memset (self->delay, 0, sizeof self->delay);
  self->ip_bytes = self->link_bytes = self->tagged = self->rtcp_sent = 0;
  self->stats_at = 0;
  self->started = self->eos_sent = self->tell_due = FALSE;
  return gst_paqm_shaper_apply (self, now);
}

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
  self->sinks_at_eos = 0;
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstPaqmShaper *self = GST_PAQM_SHAPER (element);
  const gchar *reason = NULL;
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    g_mutex_lock (&self->lock);
    forget_eos (self);
    reason = reset (self);
    self->running = TRUE;
    g_mutex_unlock (&self->lock);
    if (reason != NULL)
      gst_paqm_shaper_warn_refused (self, reason);
  }
  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    g_mutex_lock (&self->lock);
    self->running = FALSE;
    gst_paqm_shaper_clear_queues (self);
    g_mutex_unlock (&self->lock);
  }
  return ret;
}

static void
finalize (GObject *object)
{
  GstPaqmShaper *self = GST_PAQM_SHAPER (object);

  gst_paqm_shaper_clear_queues (self);
  gst_cc_deque_free (self->fifo[PAQM_MEDIA]);
  gst_cc_deque_free (self->fifo[PAQM_ELASTIC]);
  paqm_sources_free (self->sources);
  g_free (self->paqm);
  g_free (self->cname);
  gst_object_unref (self->system_clock);
  g_cond_clear (&self->tell);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static guint64
draw (void)
{
  return gst_cc_random64 ();
}

static void
init_core (GstPaqmShaper *self)
{
  PaqmParams params;

  paqm_params_init (&params);
  params.random = cc_pcg32_init (&self->pcg, draw ());
  self->paqm = g_new0 (Paqm, 1);
  paqm_init (self->paqm, &params);
  link_slots_init (&self->slots, 0);
}

static void
gst_paqm_shaper_init (GstPaqmShaper *self)
{
  guint i;

  g_mutex_init (&self->lock);
  g_cond_init (&self->tell);
  self->system_clock = gst_system_clock_obtain ();
  self->key[0] = draw ();
  self->key[1] = draw ();
  self->hop = (guint16)g_random_int_range (1, G_MAXUINT16 + 1);
  self->ssrc = gst_cc_random32 ();
  self->cname = gst_cc_rtcp_new_cname ();
  self->sources = paqm_sources_new ();
  self->srcresult = GST_FLOW_FLUSHING;
  for (i = 0; i < PAQM_CLASSES; i++)
    self->fifo[i] = gst_cc_deque_new_for_struct (sizeof (GstPaqmItem), 64);
  gst_paqm_settings_init (&self->settings);
  self->applied = self->settings;
  init_core (self);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_activatemode_function (self->srcpad, src_activate_mode);
  gst_pad_set_event_function (self->srcpad, src_event);
  gst_pad_set_query_function (self->srcpad, src_query);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}

static void
gst_paqm_shaper_class_init (GstPaqmShaperClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->finalize = finalize;
  element_class->change_state = change_state;
  element_class->request_new_pad = request_new_pad;
  element_class->release_pad = release_pad;
  gst_paqm_shaper_install_properties (object_class);

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
