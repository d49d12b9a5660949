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

enum { PROP_0, PROP_PATTERN, PROP_WAIT, PROP_STATS };

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink_%u", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS (SUBPICTURE_CAPS));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (SUBPICTURE_CAPS));

G_DEFINE_TYPE_WITH_CODE (GstSubpictureMerge, gst_subpicture_merge, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (subpicturemerge_debug, "subpicturemerge", 0, "Pictures of parts"));
GST_ELEMENT_REGISTER_DEFINE (subpicturemerge, "subpicturemerge", GST_RANK_NONE, GST_TYPE_SUBPICTURE_MERGE);

/* What had not left when all was dropped goes again. */
static void
check_output (GstSubpictureMerge *self)
{
  GstCaps *sent = gst_pad_get_current_caps (self->srcpad);
  GstCaps *whole = self->caps != NULL ? subpicture_caps_of_whole (self->pattern, self->caps) : NULL;

  self->started = sent != NULL;
  if (sent == NULL || whole == NULL || !gst_caps_is_equal (sent, whole))
    gst_clear_caps (&self->caps);
  gst_clear_caps (&sent);
  gst_clear_caps (&whole);
}

/* What a flush leaves: pads keep their caps. */
static void
begin (GstSubpictureMerge *self)
{
  g_queue_clear_full (&self->waiting, (GDestroyNotify)subpicture_waiting_free);
  g_queue_clear_full (&self->outbox, (GDestroyNotify)gst_mini_object_unref);
  self->last = GST_CLOCK_TIME_NONE;
  self->flow = GST_FLOW_OK;
  self->ended = self->differ = self->has_segment = FALSE;
  for (guint i = 0; i < SUBPICTURES_MAX; i++) {
    self->streams[i].newest = GST_CLOCK_TIME_NONE;
    self->streams[i].ended = FALSE;
  }
}

static void
forget (GstSubpictureMerge *self)
{
  begin (self);
  gst_clear_caps (&self->caps);
  self->started = FALSE;
  for (guint i = 0; i < SUBPICTURES_MAX; i++)
    gst_clear_caps (&self->streams[i].caps);
}

/* ---- what leaves: written down with the lock, pushed without it by one thread at a time ---- */

static void
deliver (GstSubpictureMerge *self)
{
  GstMiniObject *item;
  GstFlowReturn flow;

  g_mutex_lock (&self->lock);
  while (!self->pushing && (item = g_queue_pop_head (&self->outbox)) != NULL) {
    self->pushing = TRUE;
    g_mutex_unlock (&self->lock);
    flow = GST_FLOW_OK;
    if (GST_IS_EVENT (item))
      gst_pad_push_event (self->srcpad, GST_EVENT (item));
    else
      flow = gst_pad_push (self->srcpad, GST_BUFFER (item));
    g_mutex_lock (&self->lock);
    self->pushing = FALSE;
    if (flow != GST_FLOW_OK)
      self->flow = flow;
  }
  g_mutex_unlock (&self->lock);
}

/* ---- what is put out ---- */

static void
start_output (GstSubpictureMerge *self)
{
  gchar *id;

  if (self->started)
    return;
  id = g_strdup_printf ("subpicturemerge-%08x%08x", g_random_int (), g_random_int ());
  g_queue_push_tail (&self->outbox, gst_event_new_stream_start (id));
  self->started = TRUE;
  g_free (id);
}

static void
start_segment (GstSubpictureMerge *self)
{
  GstSegment segment;

  if (self->has_segment)
    return;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  g_queue_push_tail (&self->outbox, gst_event_new_segment (&segment));
  self->has_segment = TRUE;
}

static gboolean
streams_agree (const GstSubpictureMerge *self)
{
  const GstCaps *first = NULL;

  for (guint i = 0; i < SUBPICTURES_MAX; i++) {
    const SubpictureStream *s = &self->streams[i];

    if (s->pad == NULL || s->ended || s->caps == NULL)
      continue;
    if (first != NULL && !gst_caps_is_equal (first, s->caps))
      return FALSE;
    first = s->caps;
  }
  return TRUE;
}

/* Another size counts at once; streams that differ in less do not take turns in what the src pad says. */
static void
set_output_caps (GstSubpictureMerge *self, const SubpictureWaiting *w)
{
  GstCaps *whole;

  if (self->caps != NULL && (gst_caps_is_equal (self->caps, w->caps) ||
                                (subpicture_parts_fit (&self->part, &w->part) && !streams_agree (self))))
    return;
  gst_caps_replace (&self->caps, w->caps);
  whole = subpicture_caps_of_whole (self->pattern, w->caps);
  gst_video_info_from_caps (&self->whole, whole);
  g_queue_push_tail (&self->outbox, gst_event_new_caps (whole));
  gst_caps_unref (whole);
}

static void
put_out (GstSubpictureMerge *self, SubpictureWaiting *w)
{
  guint missing = subpictures_count (self->pattern) - subpicture_waiting_parts (w);

  self->pictures++;
  self->incomplete += missing > 0;
  self->missing += missing;
  start_output (self);
  set_output_caps (self, w);
  start_segment (self);
  self->last = w->time;
  self->part = w->part;
  g_queue_push_tail (&self->outbox, subpicture_waiting_merge (w, self->pattern, &self->whole));
  subpicture_waiting_free (w);
}

/* Nothing more comes of it: each stream has gone on, or one has gone on for too long. */
static gboolean
is_ready (const GstSubpictureMerge *self, const SubpictureWaiting *w)
{
  gboolean all = TRUE, overdue = FALSE;

  for (guint i = 0; i < subpictures_count (self->pattern); i++) {
    const SubpictureStream *s = &self->streams[i];
    gboolean came = GST_CLOCK_TIME_IS_VALID (s->newest);

    overdue |= came && s->newest >= w->time + self->wait;
    if (w->parts[i] == NULL && s->pad != NULL && !s->ended &&
        !(came && s->newest > w->time + subpicture_tolerance (&w->part)))
      all = FALSE;
  }
  return all || overdue;
}

static void
put_out_ready (GstSubpictureMerge *self)
{
  SubpictureWaiting *w;

  while ((w = g_queue_peek_head (&self->waiting)) != NULL && is_ready (self, w))
    put_out (self, g_queue_pop_head (&self->waiting));
}

/* ---- parts that come ---- */

static SubpictureWaiting *
picture_at (GstSubpictureMerge *self, GstClockTime time, guint number)
{
  SubpictureStream *s = &self->streams[number];
  SubpictureWaiting *made;

  for (GList *l = self->waiting.head; l != NULL; l = l->next) {
    SubpictureWaiting *w = l->data;
    GstClockTime apart = w->time > time ? w->time - time : time - w->time;

    if (apart <= subpicture_tolerance (&w->part) && w->parts[number] == NULL)
      return w;
  }
  made = subpicture_waiting_new (time, s->caps, &s->part);
  g_queue_insert_sorted (&self->waiting, made, subpicture_waiting_by_time, NULL);
  return made;
}

/* FALSE: another part of the picture has another size. */
static gboolean
take_part (GstSubpictureMerge *self, guint number, GstBuffer *buffer)
{
  SubpictureStream *s = &self->streams[number];
  GstClockTime time = gst_segment_to_running_time (&s->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  SubpictureWaiting *w;

  if (!GST_CLOCK_TIME_IS_VALID (time) ||
      (GST_CLOCK_TIME_IS_VALID (self->last) && time <= self->last + subpicture_tolerance (&self->part))) {
    self->late++;
    gst_buffer_unref (buffer);
    return TRUE;
  }
  if (!GST_CLOCK_TIME_IS_VALID (s->newest) || time > s->newest)
    s->newest = time;
  w = picture_at (self, time, number);
  if (!subpicture_parts_fit (&w->part, &s->part)) {
    gst_buffer_unref (buffer);
    return FALSE;
  }
  w->duration = GST_BUFFER_DURATION (buffer);
  w->parts[number] = buffer;
  return TRUE;
}

static void
refuse (GstSubpictureMerge *self)
{
  GST_ELEMENT_ERROR (self, STREAM, FORMAT,
      ("The parts differ in size or format. Each sink pad needs what the src pad of the same number of one "
       "subpicturesplit put out."),
      (NULL));
}

static GstFlowReturn
chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstSubpictureMerge *self = GST_SUBPICTURE_MERGE (parent);
  guint number = GPOINTER_TO_UINT (gst_pad_get_element_private (pad));
  gboolean refused = FALSE;
  GstFlowReturn flow;

  g_mutex_lock (&self->lock);
  /* a decoder marks what it made of damaged references */
  if (self->streams[number].caps != NULL && !self->differ &&
      !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_CORRUPTED))
    refused = self->differ = !take_part (self, number, buffer);
  else
    gst_buffer_unref (buffer);
  put_out_ready (self);
  g_mutex_unlock (&self->lock);
  if (refused)
    refuse (self);
  deliver (self);
  g_mutex_lock (&self->lock);
  flow = self->differ ? GST_FLOW_NOT_NEGOTIATED : self->flow;
  g_mutex_unlock (&self->lock);
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
  put_out_ready (self);
  if (pads == 0 || on > 0 || self->ended)
    return;
  while (!g_queue_is_empty (&self->waiting))
    put_out (self, g_queue_pop_head (&self->waiting));
  start_output (self);
  g_queue_push_tail (&self->outbox, gst_event_new_eos ());
  self->ended = TRUE;
}

static void
end_stream (GstSubpictureMerge *self, guint number)
{
  g_mutex_lock (&self->lock);
  self->streams[number].ended = TRUE;
  settle (self);
  g_mutex_unlock (&self->lock);
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
  case GST_EVENT_EOS:
    end_stream (self, number);
    break;
  case GST_EVENT_FLUSH_START:
    return gst_pad_push_event (self->srcpad, event);
  case GST_EVENT_FLUSH_STOP:
    g_mutex_lock (&self->lock);
    begin (self);
    check_output (self);
    g_mutex_unlock (&self->lock);
    return gst_pad_push_event (self->srcpad, event);
  default:
    break;
  }
  gst_event_unref (event);
  deliver (self);
  return ok;
}

/* ---- latency: the slowest stream, and the wait for the others ---- */

static gboolean
answer_latency (GstSubpictureMerge *self, GstQuery *query)
{
  GstClockTime min = 0, max = GST_CLOCK_TIME_NONE;
  gboolean live = FALSE;

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
      min = is_live ? MAX (min, its_min) : min;
      max = is_live ? MIN (max, its_max) : max;
    }
    g_clear_object (&pad);
    gst_query_unref (upstream);
  }
  g_mutex_lock (&self->lock);
  if (live)
    min += self->wait;
  max = live && GST_CLOCK_TIME_IS_VALID (max) ? max + self->wait : GST_CLOCK_TIME_NONE;
  g_mutex_unlock (&self->lock);
  gst_query_set_latency (query, live, min, max);
  return TRUE;
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
    while (number < SUBPICTURES_MAX && self->streams[number].pad != NULL)
      number++;
  if (number < SUBPICTURES_MAX && self->streams[number].pad == NULL) {
    gchar *name = g_strdup_printf ("sink_%u", number);

    pad = self->streams[number].pad = gst_pad_new_from_template (templ, name);
    self->streams[number].newest = GST_CLOCK_TIME_NONE;
    self->streams[number].ended = FALSE;
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

static void
release_pad (GstElement *element, GstPad *pad)
{
  GstSubpictureMerge *self = GST_SUBPICTURE_MERGE (element);

  gst_pad_set_active (pad, FALSE);
  g_mutex_lock (&self->lock);
  self->streams[GPOINTER_TO_UINT (gst_pad_get_element_private (pad))].pad = NULL;
  settle (self);
  g_mutex_unlock (&self->lock);
  deliver (self);
  gst_element_remove_pad (element, pad);
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
  g_queue_init (&self->outbox);
  self->pattern = SUBPICTURE_DEFAULT_PATTERN;
  self->wait = DEFAULT_WAIT;
  begin (self);
  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_query_function (self->srcpad, src_query);
  gst_pad_use_fixed_caps (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}
