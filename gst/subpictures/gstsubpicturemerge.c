/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-subpicturemerge
 * @title: subpicturemerge
 *
 * Puts together what subpicturesplit has split, of as many parts as came; samples that are missing are made of their
 * neighbours.
 *
 * <!-- printed: for 8 -->
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! video/x-raw,format=I420,width=640,height=480 ! subpicturesplit name=s
 * pattern=lines s.src_0 ! queue ! m.sink_0 s.src_1 ! fakesink async=false subpicturemerge name=m pattern=lines !
 * videoconvert ! autovideosink
 * ]|
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstsubpicturemerge.h"

#include <stdio.h>

GST_DEBUG_CATEGORY_STATIC (subpicturemerge_debug);
#define GST_CAT_DEFAULT subpicturemerge_debug

#define DEFAULT_WAIT (100 * GST_MSECOND)
#define OUTLET_MORE GST_SECOND            /* that pictures of live streams may wait for the sink, beside `wait` */
#define PATIENCE (1 * G_TIME_SPAN_SECOND) /* with a stream that is not live and says nothing */

enum { PROP_0, PROP_PATTERN, PROP_WAIT, PROP_STATS };

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink_%u", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS (SUBPICTURE_CAPS));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (SUBPICTURE_CAPS));

G_DEFINE_TYPE_WITH_CODE (GstSubpictureMerge, gst_subpicture_merge, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (subpicturemerge_debug, "subpicturemerge", 0, "Pictures of parts"));
GST_ELEMENT_REGISTER_DEFINE (subpicturemerge, "subpicturemerge", GST_RANK_NONE, GST_TYPE_SUBPICTURE_MERGE);

/* What a flush leaves: pads keep their caps, and have ended if they had. */
static void
begin (GstSubpictureMerge *self)
{
  g_queue_clear_full (&self->waiting, (GDestroyNotify)subpicture_waiting_free);
  self->last = GST_CLOCK_TIME_NONE;
  self->ended = self->differ = FALSE;
  for (guint i = 0; i < SUBPICTURES_MAX; i++) {
    self->streams[i].newest = GST_CLOCK_TIME_NONE;
    self->streams[i].silent = FALSE;
  }
}

static void
forget (GstSubpictureMerge *self)
{
  begin (self);
  subpicture_outlet_reset (&self->outlet);
  gst_clear_caps (&self->caps);
  gst_clear_caps (&self->whole_caps);
  self->live = self->asked = FALSE;
  for (guint i = 0; i < SUBPICTURES_MAX; i++) {
    gst_clear_caps (&self->streams[i].caps);
    self->streams[i].ended = self->streams[i].flushing = FALSE;
  }
}

static void
refuse (GstSubpictureMerge *self)
{
  GST_ELEMENT_ERROR (self, STREAM, FORMAT,
      ("The parts differ in size or format. Each sink pad needs what the src pad of the same number of one "
       "subpicturesplit put out."),
      (NULL));
}

/* ---- latency: the slowest stream, and the wait for the others ---- */

static gboolean
query_upstream (GstSubpictureMerge *self, GstClockTime *min, GstClockTime *max)
{
  gboolean live = FALSE;

  *min = 0;
  *max = GST_CLOCK_TIME_NONE;
  for (guint i = 0; i < SUBPICTURES_MAX; i++) {
    GstQuery *upstream = gst_query_new_latency ();
    GstClockTime its_min, its_max;
    gboolean is_live;
    GstPad *pad;

    g_mutex_lock (&self->lock);
    pad = self->streams[i].pad != NULL ? gst_object_ref (self->streams[i].pad) : NULL;
    g_mutex_unlock (&self->lock);
    if (pad != NULL && gst_pad_peer_query (pad, upstream)) {
      gst_query_parse_latency (upstream, &is_live, &its_min, &its_max);
      live |= is_live;
      *min = is_live ? MAX (*min, its_min) : *min;
      *max = is_live ? MIN (*max, its_max) : *max;
    }
    g_clear_object (&pad);
    gst_query_unref (upstream);
  }
  g_mutex_lock (&self->lock);
  self->live = live;
  subpicture_outlet_wake (&self->outlet);
  g_mutex_unlock (&self->lock);
  return live;
}

/* Whether it is live, which is asked anew when a stream starts. */
static void
ask_upstream (GstSubpictureMerge *self)
{
  GstClockTime min, max;
  gboolean asked;

  g_mutex_lock (&self->lock);
  asked = self->asked;
  self->asked = TRUE;
  g_mutex_unlock (&self->lock);
  if (!asked)
    query_upstream (self, &min, &max);
}

static gboolean
answer_latency (GstSubpictureMerge *self, GstQuery *query)
{
  GstClockTime min, max;
  gboolean live = query_upstream (self, &min, &max);

  g_mutex_lock (&self->lock);
  if (live)
    min += self->wait;
  max = live && GST_CLOCK_TIME_IS_VALID (max) ? max + self->wait : GST_CLOCK_TIME_NONE;
  g_mutex_unlock (&self->lock);
  gst_query_set_latency (query, live, min, max);
  return TRUE;
}

/* ---- a stream that is ahead, or faster than what is behind, waits ---- */

static gboolean
any_flushes (const GstSubpictureMerge *self)
{
  gboolean any = FALSE;

  for (guint i = 0; i < SUBPICTURES_MAX; i++)
    any |= self->streams[i].flushing;
  return any;
}

static gboolean
outlet_is_full (const GstSubpictureMerge *self)
{
  return subpicture_outlet_span (&self->outlet) > self->wait + (self->live ? OUTLET_MORE : 0);
}

/* A live stream waits for none: what it does not take is lost. */
static gboolean
is_ahead (GstSubpictureMerge *self, GstClockTime time)
{
  const SubpictureWaiting *w = g_queue_peek_head (&self->waiting);

  return !self->live && w != NULL && GST_CLOCK_TIME_IS_VALID (time) && time >= w->time + self->wait &&
         time > w->time + subpicture_tolerance (&w->part);
}

/* Those that the oldest picture lacks are not waited for until they come again. */
static void
give_up (GstSubpictureMerge *self)
{
  const SubpictureWaiting *w = g_queue_peek_head (&self->waiting);

  for (guint i = 0; w != NULL && i < SUBPICTURES_MAX; i++)
    self->streams[i].silent |= gst_subpicture_merge_is_lacked (&self->streams[i], w, i);
  gst_subpicture_merge_put_out_ready (self);
  subpicture_outlet_wake (&self->outlet);
}

static GstFlowReturn
await_turn (GstSubpictureMerge *self, GstPad *pad, SubpictureStream *s, GstClockTime time)
{
  gint64 until = 0;

  while (self->outlet.active && s->pad == pad && !s->flushing) {
    if (any_flushes (self) || outlet_is_full (self)) {
      g_cond_wait (&self->outlet.changed, &self->lock);
      until = 0;
    } else if (self->outlet.result != GST_FLOW_OK || !is_ahead (self, time)) {
      return self->outlet.result;
    } else if (until == 0) {
      until = g_get_monotonic_time () + PATIENCE;
    } else if (!g_cond_wait_until (&self->outlet.changed, &self->lock, until)) {
      give_up (self);
      until = 0;
    }
  }
  return GST_FLOW_FLUSHING;
}

static GstFlowReturn
await_turn_with (GstSubpictureMerge *self, GstPad *pad, SubpictureStream *s, GstBuffer *buffer, GstClockTime *time)
{
  GstFlowReturn flow = await_turn (self, pad, s, GST_CLOCK_TIME_NONE);

  if (flow != GST_FLOW_OK)
    return flow;
  *time = gst_segment_to_running_time (&s->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  s->silent = FALSE;
  /* others may wait for it to get there, while it waits for them */
  if (!self->live) {
    gst_subpicture_merge_go_on (s, *time);
    gst_subpicture_merge_put_out_ready (self);
    subpicture_outlet_wake (&self->outlet);
  }
  flow = await_turn (self, pad, s, *time);
  if (flow == GST_FLOW_OK)
    gst_subpicture_merge_go_on (s, *time);
  return flow;
}

static GstFlowReturn
chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstSubpictureMerge *self = GST_SUBPICTURE_MERGE (parent);
  guint number = GPOINTER_TO_UINT (gst_pad_get_element_private (pad));
  SubpictureStream *s = &self->streams[number];
  gboolean refused = FALSE;
  GstClockTime time = GST_CLOCK_TIME_NONE;
  GstFlowReturn flow;

  ask_upstream (self);
  g_mutex_lock (&self->lock);
  flow = await_turn_with (self, pad, s, buffer, &time);
  /* a decoder marks what it made of damaged references */
  if (flow == GST_FLOW_OK && s->caps != NULL && !self->differ &&
      !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_CORRUPTED))
    refused = self->differ = !gst_subpicture_merge_take_part (self, number, time, buffer);
  else
    gst_buffer_unref (buffer);
  gst_subpicture_merge_put_out_ready (self);
  subpicture_outlet_wake (&self->outlet);
  if (flow == GST_FLOW_OK && self->differ)
    flow = GST_FLOW_NOT_NEGOTIATED;
  g_mutex_unlock (&self->lock);
  if (refused)
    refuse (self);
  return flow;
}

/* ---- events ---- */

static gboolean
set_caps (GstSubpictureMerge *self, guint number, GstCaps *caps)
{
  GstCaps *whole = subpicture_caps_of_whole (self->pattern, caps);
  GstVideoInfo part, info;
  gboolean ok = whole != NULL && gst_video_info_from_caps (&part, caps) && gst_video_info_from_caps (&info, whole);

  g_mutex_lock (&self->lock);
  if (ok) {
    gst_caps_replace (&self->streams[number].caps, caps);
    self->streams[number].part = part;
  }
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&whole, gst_caps_unref);
  return ok;
}

/* One stream less to wait for. Without any there is nothing to end. */
static void
settle (GstSubpictureMerge *self)
{
  guint pads = 0, on = 0;

  for (guint i = 0; i < SUBPICTURES_MAX; i++) {
    pads += self->streams[i].pad != NULL;
    on += self->streams[i].pad != NULL && !self->streams[i].ended;
  }
  gst_subpicture_merge_put_out_ready (self);
  subpicture_outlet_wake (&self->outlet);
  if (pads == 0 || on > 0 || self->ended || any_flushes (self))
    return;
  while (!g_queue_is_empty (&self->waiting))
    gst_subpicture_merge_put_out (self, g_queue_pop_head (&self->waiting));
  subpicture_outlet_put_eos (&self->outlet);
  self->ended = TRUE;
}

static void
end_stream (GstSubpictureMerge *self, guint number)
{
  GstFlowReturn ret;
  gboolean unheard;

  g_mutex_lock (&self->lock);
  self->streams[number].ended = TRUE;
  settle (self);
  ret = self->outlet.result;
  unheard = subpicture_outlet_fails_unheard (&self->outlet);
  g_mutex_unlock (&self->lock);
  if (unheard)
    GST_ELEMENT_FLOW_ERROR (self, ret);
}

/* Of several that flush the first and the last count downstream. */
static gboolean
flush_start (GstSubpictureMerge *self, guint number, GstEvent *event)
{
  gboolean first;

  g_mutex_lock (&self->lock);
  first = !any_flushes (self);
  self->streams[number].flushing = TRUE;
  if (first)
    begin (self);
  subpicture_outlet_wake (&self->outlet);
  g_mutex_unlock (&self->lock);
  if (first)
    subpicture_outlet_flush_start (&self->outlet, event);
  else
    gst_event_unref (event);
  return TRUE;
}

static gboolean
flush_stop (GstSubpictureMerge *self, guint number, GstEvent *event)
{
  gboolean last;

  g_mutex_lock (&self->lock);
  last = self->streams[number].flushing;
  self->streams[number].flushing = self->streams[number].ended = FALSE;
  last = last && !any_flushes (self);
  subpicture_outlet_wake (&self->outlet);
  g_mutex_unlock (&self->lock);
  if (last)
    subpicture_outlet_flush_stop (&self->outlet, event);
  else
    gst_event_unref (event);
  return TRUE;
}

static gboolean
sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstSubpictureMerge *self = GST_SUBPICTURE_MERGE (parent);
  guint number = GPOINTER_TO_UINT (gst_pad_get_element_private (pad));
  gboolean ok = TRUE;
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_CAPS:
    gst_event_parse_caps (event, &caps);
    ok = set_caps (self, number, caps);
    break;
  case GST_EVENT_SEGMENT:
    g_mutex_lock (&self->lock);
    gst_event_copy_segment (event, &self->streams[number].segment);
    g_mutex_unlock (&self->lock);
    break;
  case GST_EVENT_GAP:
    g_mutex_lock (&self->lock);
    gst_subpicture_merge_take_gap (self, number, event);
    subpicture_outlet_wake (&self->outlet);
    g_mutex_unlock (&self->lock);
    break;
  case GST_EVENT_EOS:
    end_stream (self, number);
    break;
  case GST_EVENT_STREAM_START:
    g_mutex_lock (&self->lock);
    self->asked = FALSE;
    g_mutex_unlock (&self->lock);
    break;
  case GST_EVENT_FLUSH_START:
    return flush_start (self, number, event);
  case GST_EVENT_FLUSH_STOP:
    return flush_stop (self, number, event);
  default:
    break;
  }
  gst_event_unref (event);
  return ok;
}

/* ---- the src pad ---- */

static gboolean
src_activate_mode (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  return mode == GST_PAD_MODE_PUSH && subpicture_outlet_set_active (&GST_SUBPICTURE_MERGE (parent)->outlet, active);
}

static gboolean
src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE)
    subpicture_outlet_reconfigure (&GST_SUBPICTURE_MERGE (parent)->outlet);
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
    return answer_latency (GST_SUBPICTURE_MERGE (parent), query);
  return gst_pad_query_default (pad, parent, query);
}

/* ---- pads and states ---- */

static GstPad *
request_new_pad (GstElement *element, GstPadTemplate *templ, const gchar *wanted, const GstCaps *caps)
{
  GstSubpictureMerge *self = GST_SUBPICTURE_MERGE (element);
  guint number = 0;
  GstPad *pad = NULL;

  g_mutex_lock (&self->lock);
  if (wanted == NULL || sscanf (wanted, "sink_%u", &number) != 1)
    while (number < SUBPICTURES_MAX && self->streams[number].taken)
      number++;
  if (number < SUBPICTURES_MAX && !self->streams[number].taken) {
    gchar *name = g_strdup_printf ("sink_%u", number);

    pad = self->streams[number].pad = gst_pad_new_from_template (templ, name);
    self->streams[number].newest = GST_CLOCK_TIME_NONE;
    self->streams[number].taken = TRUE;
    self->streams[number].ended = self->streams[number].silent = self->asked = FALSE;
    gst_clear_caps (&self->streams[number].caps);
    gst_segment_init (&self->streams[number].segment, GST_FORMAT_TIME);
    g_free (name);
  }
  g_mutex_unlock (&self->lock);
  if (pad == NULL)
    return NULL;
  gst_pad_set_element_private (pad, GUINT_TO_POINTER (number));
  gst_pad_set_chain_function (pad, chain);
  gst_pad_set_event_function (pad, sink_event);
  gst_pad_set_query_function (pad, subpicture_sink_query);
  gst_pad_set_active (pad, TRUE);
  gst_element_add_pad (element, pad);
  return pad;
}

/* Its thread may wait in here for others. */
static void
release_pad (GstElement *element, GstPad *pad)
{
  GstSubpictureMerge *self = GST_SUBPICTURE_MERGE (element);
  guint number = GPOINTER_TO_UINT (gst_pad_get_element_private (pad));

  g_mutex_lock (&self->lock);
  self->streams[number].pad = NULL;
  g_mutex_unlock (&self->lock);
  flush_stop (self, number, gst_event_new_flush_stop (TRUE));
  g_mutex_lock (&self->lock);
  settle (self);
  g_mutex_unlock (&self->lock);
  gst_pad_set_active (pad, FALSE);
  gst_element_remove_pad (element, pad);
  g_mutex_lock (&self->lock);
  self->streams[number].taken = FALSE;
  g_mutex_unlock (&self->lock);
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstSubpictureMerge *self = GST_SUBPICTURE_MERGE (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    g_mutex_lock (&self->lock);
    forget (self);
    self->pictures = self->incomplete = self->missing = self->late = 0;
    g_mutex_unlock (&self->lock);
  }
  ret = GST_ELEMENT_CLASS (gst_subpicture_merge_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    g_mutex_lock (&self->lock);
    forget (self);
    g_mutex_unlock (&self->lock);
  }
  return ret;
}

/* ---- properties ---- */

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstSubpictureMerge *self = GST_SUBPICTURE_MERGE (object);
  gboolean latency = FALSE;

  g_mutex_lock (&self->lock);
  if (id == PROP_PATTERN) {
    self->pattern = (SubpicturesPattern)g_value_get_enum (value);
  } else if (id == PROP_WAIT) {
    latency = self->wait != g_value_get_uint64 (value);
    self->wait = g_value_get_uint64 (value);
  } else {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  g_mutex_unlock (&self->lock);
  if (latency)
    gst_element_post_message (GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstSubpictureMerge *self = GST_SUBPICTURE_MERGE (object);

  g_mutex_lock (&self->lock);
  if (id == PROP_PATTERN)
    g_value_set_enum (value, (gint)self->pattern);
  else if (id == PROP_WAIT)
    g_value_set_uint64 (value, self->wait);
  else if (id == PROP_STATS)
    g_value_take_boxed (value, gst_structure_new ("application/x-subpicturemerge-stats", "pictures", G_TYPE_UINT64,
                                   self->pictures, "incomplete", G_TYPE_UINT64, self->incomplete, "parts-missing",
                                   G_TYPE_UINT64, self->missing, "parts-late", G_TYPE_UINT64, self->late, NULL));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  g_mutex_unlock (&self->lock);
}

static void
finalize (GObject *object)
{
  GstSubpictureMerge *self = GST_SUBPICTURE_MERGE (object);

  forget (self);
  subpicture_outlet_finalize (&self->outlet);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (gst_subpicture_merge_parent_class)->finalize (object);
}

static void
gst_subpicture_merge_class_init (GstSubpictureMergeClass *klass)
{
  GObjectClass *gobject = G_OBJECT_CLASS (klass);
  GstElementClass *element = GST_ELEMENT_CLASS (klass);

  gobject->set_property = set_property;
  gobject->get_property = get_property;
  gobject->finalize = finalize;
  element->request_new_pad = request_new_pad;
  element->release_pad = release_pad;
  element->change_state = change_state;
  g_object_class_install_property (gobject, PROP_PATTERN, subpicture_pattern_pspec ());
  g_object_class_install_property (gobject, PROP_WAIT,
      g_param_spec_uint64 ("wait", "Wait",
          "ns by which other parts may be ahead of one that has not come (a stream that has gone on is not waited for)",
          0, GST_SECOND * 60, DEFAULT_WAIT,
          (GParamFlags)(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)));
  g_object_class_install_property (gobject, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics", "Pictures put out, parts that were missing or late",
          GST_TYPE_STRUCTURE, (GParamFlags)(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
  gst_element_class_add_static_pad_template (element, &sink_template);
  gst_element_class_add_static_pad_template (element, &src_template);
  gst_element_class_set_static_metadata (element, "Merge of pictures", "Filter/Video",
      "Puts together the parts that subpicturesplit made of a picture; what is missing is made of its neighbours",
      "GStreamer congestion control developers");
}

static void
gst_subpicture_merge_init (GstSubpictureMerge *self)
{
  g_mutex_init (&self->lock);
  g_queue_init (&self->waiting);
  self->pattern = SUBPICTURE_DEFAULT_PATTERN;
  self->wait = DEFAULT_WAIT;
  begin (self);
  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  subpicture_outlet_init (&self->outlet, self->srcpad, &self->lock);
  gst_pad_set_activatemode_function (self->srcpad, src_activate_mode);
  gst_pad_set_event_function (self->srcpad, src_event);
  gst_pad_set_query_function (self->srcpad, src_query);
  gst_pad_use_fixed_caps (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}
