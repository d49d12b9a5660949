/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-subpicturesplit
 * @title: subpicturesplit
 *
 * Splits each picture into two or four smaller ones, each a stream of its own (2D interlaced video). What is lost of
 * one is made up from the others by subpicturemerge.
 *
 * <!-- printed: for 8 -->
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! video/x-raw,format=I420,width=640,height=480 ! subpicturesplit name=s
 * pattern=lines s.src_0 ! queue ! m.sink_0 s.src_1 ! queue ! m.sink_1 subpicturemerge name=m pattern=lines !
 * videoconvert ! autovideosink
 * ]|
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstsubpicturesplit.h"

#include <stdio.h>

GST_DEBUG_CATEGORY_STATIC (subpicturesplit_debug);
#define GST_CAT_DEFAULT subpicturesplit_debug

enum { PROP_0, PROP_PATTERN };

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (SUBPICTURE_CAPS));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src_%u", GST_PAD_SRC, GST_PAD_REQUEST, GST_STATIC_CAPS (SUBPICTURE_CAPS));

G_DEFINE_TYPE_WITH_CODE (GstSubpictureSplit, gst_subpicture_split, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (subpicturesplit_debug, "subpicturesplit", 0, "Parts of pictures"));
GST_ELEMENT_REGISTER_DEFINE (subpicturesplit, "subpicturesplit", GST_RANK_NONE, GST_TYPE_SUBPICTURE_SPLIT);

/* ---- pads that came while it streams: the streaming thread tells them what the others know ---- */

typedef struct {
  GstSubpictureSplit *self;
  GstPad *pad;
  guint number;
  gboolean is_new;
} Newcomer;

static void
start_stream (GstSubpictureSplit *self, GstPad *pad, guint number)
{
  gchar *id = gst_pad_create_stream_id_printf (pad, GST_ELEMENT (self), "%u", number);

  gst_pad_push_event (pad, gst_event_new_stream_start (id));
  g_free (id);
}

static void
tell_caps (Newcomer *n, GstEvent *event)
{
  GstCaps *caps, *part;

  gst_event_parse_caps (event, &caps);
  part = subpicture_caps_of_part (n->self->pattern, caps);
  if (part != NULL)
    gst_pad_push_event (n->pad, gst_event_new_caps (part));
  gst_clear_caps (&part);
}

static gboolean
tell_event (GstPad *sinkpad, GstEvent **event, gpointer user)
{
  Newcomer *n = user;

  if (GST_EVENT_TYPE (*event) == GST_EVENT_EOS ||
      (!n->is_new && subpicture_pad_has_sent (n->pad, GST_EVENT_TYPE (*event))))
    return TRUE;
  if (GST_EVENT_TYPE (*event) == GST_EVENT_STREAM_START)
    start_stream (n->self, n->pad, n->number);
  else if (GST_EVENT_TYPE (*event) == GST_EVENT_CAPS)
    tell_caps (n, *event);
  else
    gst_pad_push_event (n->pad, gst_event_ref (*event));
  return TRUE;
}

static void
tell_newcomer (GstSubpictureSplit *self, GstPad *pad, guint number)
{
  Newcomer n = {self, pad, number, !subpicture_pad_has_sent (pad, GST_EVENT_STREAM_START)};

  gst_pad_sticky_events_foreach (self->sinkpad, tell_event, &n);
}

static GstPad *
get_part (GstSubpictureSplit *self, guint i)
{
  GstPad *pad;

  g_mutex_lock (&self->lock);
  pad = self->parts[i] != NULL ? gst_object_ref (self->parts[i]) : NULL;
  g_mutex_unlock (&self->lock);
  if (pad != NULL)
    tell_newcomer (self, pad, i);
  return pad;
}

/* A pad that was released meanwhile says nothing of the others. */
static GstFlowReturn
combine (GstSubpictureSplit *self, guint i, GstPad *pad, GstFlowReturn its)
{
  GstFlowReturn ret = GST_FLOW_OK;

  g_mutex_lock (&self->lock);
  if (self->parts[i] == pad)
    ret = gst_flow_combiner_update_pad_flow (self->flow, pad, its);
  g_mutex_unlock (&self->lock);
  return ret;
}

static void
reset_flow (GstSubpictureSplit *self)
{
  g_mutex_lock (&self->lock);
  gst_flow_combiner_reset (self->flow);
  g_mutex_unlock (&self->lock);
}

/* ---- pictures ---- */

static GstBuffer *
make_part (GstSubpictureSplit *self, GstVideoFrame *whole, guint number)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&self->part), NULL);
  GstVideoFrame part;

  if (!gst_video_frame_map (&part, &self->part, buffer, GST_MAP_WRITE)) {
    gst_buffer_unref (buffer);
    return NULL;
  }
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES (whole); plane++) {
    SubpicturesPlane from = subpicture_plane (whole, plane), to = subpicture_plane (&part, plane);

    subpictures_split (self->pattern, &from, number, &to);
  }
  gst_video_frame_unmap (&part);
  gst_buffer_copy_into (buffer, whole->buffer, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  return buffer;
}

static GstFlowReturn
chain (GstPad *sinkpad, GstObject *parent, GstBuffer *buffer)
{
  GstSubpictureSplit *self = GST_SUBPICTURE_SPLIT (parent);
  GstFlowReturn ret = GST_FLOW_OK;
  GstVideoFrame whole;

  if (!gst_video_frame_map (&whole, &self->whole, buffer, GST_MAP_READ)) {
    gst_buffer_unref (buffer);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  for (guint i = 0; i < subpictures_count (self->pattern) && ret == GST_FLOW_OK; i++) {
    GstPad *pad = get_part (self, i);
    GstBuffer *part = pad != NULL ? make_part (self, &whole, i) : NULL;

    if (part != NULL)
      ret = combine (self, i, pad, gst_pad_push (pad, part));
    g_clear_object (&pad);
  }
  gst_video_frame_unmap (&whole);
  gst_buffer_unref (buffer);
  return ret;
}

/* ---- events ---- */

static gboolean
set_caps (GstSubpictureSplit *self, GstCaps *whole)
{
  GstCaps *part = subpicture_caps_of_part (self->pattern, whole);
  gboolean ok =
      part != NULL && gst_video_info_from_caps (&self->whole, whole) && gst_video_info_from_caps (&self->part, part);

  if (!ok)
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("A picture can be split where its width and height are multiples of 4. Put \"videoscale ! "
         "video/x-raw,width=...,height=...\" in front."),
        ("%" GST_PTR_FORMAT, whole));
  for (guint i = 0; ok && i < SUBPICTURES_MAX; i++) {
    GstPad *pad = get_part (self, i);

    if (pad != NULL)
      gst_pad_push_event (pad, gst_event_new_caps (part));
    g_clear_object (&pad);
  }
  g_clear_pointer (&part, gst_caps_unref);
  return ok;
}

static void
start_streams (GstSubpictureSplit *self)
{
  for (guint i = 0; i < SUBPICTURES_MAX; i++) {
    GstPad *pad = get_part (self, i);

    if (pad != NULL)
      start_stream (self, pad, i);
    g_clear_object (&pad);
  }
}

/* To pads that know what goes before it. */
static gboolean
forward (GstSubpictureSplit *self, GstEvent *event)
{
  gboolean ok = FALSE, any = FALSE;

  for (guint i = 0; i < SUBPICTURES_MAX; i++) {
    GstPad *pad = get_part (self, i);

    any |= pad != NULL;
    if (pad != NULL)
      ok |= gst_pad_push_event (pad, gst_event_ref (event));
    g_clear_object (&pad);
  }
  return ok || !any;
}

static gboolean
sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstSubpictureSplit *self = GST_SUBPICTURE_SPLIT (parent);
  gboolean ok = TRUE;
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_CAPS:
    gst_event_parse_caps (event, &caps);
    ok = set_caps (self, caps);
    break;
  case GST_EVENT_STREAM_START:
    start_streams (self);
    break;
  case GST_EVENT_FLUSH_STOP:
    reset_flow (self);
    return gst_pad_event_default (pad, parent, event);
  default:
    if (!GST_EVENT_IS_SERIALIZED (event))
      return gst_pad_event_default (pad, parent, event);
    ok = forward (self, event);
  }
  gst_event_unref (event);
  return ok;
}

/* ---- pads ---- */

static GstPad *
request_new_pad (GstElement *element, GstPadTemplate *templ, const gchar *wanted, const GstCaps *caps)
{
  GstSubpictureSplit *self = GST_SUBPICTURE_SPLIT (element);
  guint number = 0;
  GstPad *pad = NULL;
  gchar *name;

  g_mutex_lock (&self->lock);
  if (wanted == NULL || sscanf (wanted, "src_%u", &number) != 1)
    while (number < SUBPICTURES_MAX && self->taken[number])
      number++;
  if (number < SUBPICTURES_MAX && !self->taken[number]) {
    name = g_strdup_printf ("src_%u", number);
    pad = gst_pad_new_from_template (templ, name);
    gst_pad_set_active (pad, TRUE);
    self->taken[number] = TRUE;
    self->parts[number] = pad;
    gst_flow_combiner_add_pad (self->flow, pad);
    g_free (name);
  }
  g_mutex_unlock (&self->lock);
  if (pad != NULL)
    gst_element_add_pad (element, pad);
  return pad;
}

static void
release_pad (GstElement *element, GstPad *pad)
{
  GstSubpictureSplit *self = GST_SUBPICTURE_SPLIT (element);
  guint number = 0;

  g_mutex_lock (&self->lock);
  while (number < SUBPICTURES_MAX && self->parts[number] != pad)
    number++;
  if (number < SUBPICTURES_MAX)
    self->parts[number] = NULL;
  gst_flow_combiner_remove_pad (self->flow, pad);
  g_mutex_unlock (&self->lock);
  gst_pad_set_active (pad, FALSE);
  gst_element_remove_pad (element, pad);
  g_mutex_lock (&self->lock);
  if (number < SUBPICTURES_MAX)
    self->taken[number] = FALSE;
  g_mutex_unlock (&self->lock);
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    reset_flow (GST_SUBPICTURE_SPLIT (element));
  return GST_ELEMENT_CLASS (gst_subpicture_split_parent_class)->change_state (element, transition);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_PATTERN)
    GST_SUBPICTURE_SPLIT (object)->pattern = (SubpicturesPattern)g_value_get_enum (value);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_PATTERN)
    g_value_set_enum (value, (gint)GST_SUBPICTURE_SPLIT (object)->pattern);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
finalize (GObject *object)
{
  GstSubpictureSplit *self = GST_SUBPICTURE_SPLIT (object);

  gst_flow_combiner_free (self->flow);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (gst_subpicture_split_parent_class)->finalize (object);
}

static void
gst_subpicture_split_class_init (GstSubpictureSplitClass *klass)
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
  gst_element_class_add_static_pad_template (element, &sink_template);
  gst_element_class_add_static_pad_template (element, &src_template);
  gst_element_class_set_static_metadata (element, "Split of pictures", "Filter/Video",
      "Splits each picture into two or four smaller ones, streams of their own; what is lost of one is made up from "
      "the "
      "others by subpicturemerge",
      "GStreamer congestion control developers");
  gst_type_mark_as_plugin_api (GST_TYPE_SUBPICTURE_PATTERN, (GstPluginAPIFlags)0);
}

static void
gst_subpicture_split_init (GstSubpictureSplit *self)
{
  g_mutex_init (&self->lock);
  self->pattern = SUBPICTURE_DEFAULT_PATTERN;
  self->flow = gst_flow_combiner_new ();
  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, chain);
  gst_pad_set_event_function (self->sinkpad, sink_event);
  gst_pad_set_query_function (self->sinkpad, subpicture_sink_query);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);
}
