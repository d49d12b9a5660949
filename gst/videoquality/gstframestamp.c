/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-framestamp
 * @title: framestamp
 *
 * Writes a number and the time of capture into a corner of each picture, as blocks that survive encoders, so that
 * framemeasure at the other end of any path can tell what came of it.
 *
 * <!-- printed: for 14, shows framemeasure-stats -->
 * |[
 * gst-launch-1.0 -m videotestsrc is-live=true num-buffers=300 ! framestamp ! x264enc tune=zerolatency bitrate=300 !
 * avdec_h264 ! framemeasure ! fakesink
 * ]|
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstframestamp.h"

#include "gststamptime.h"

GST_DEBUG_CATEGORY_STATIC (gst_frame_stamp_debug);
#define GST_CAT_DEFAULT gst_frame_stamp_debug

#define DEFAULT_CLOCK LUMA_STAMP_MONOTONIC
#define MAX_AGE (2 * GST_SECOND)

enum { PROP_0, PROP_CORNER, PROP_BLOCK_SIZE, PROP_CLOCK };

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (GST_STAMP_CAPS));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (GST_STAMP_CAPS));

GType
gst_frame_stamp_clock_get_type (void)
{
  static const GEnumValue values[] = {
      {LUMA_STAMP_RUNNING_TIME, "Running time of the pipeline: framemeasure in the same one", "running-time"},
      {LUMA_STAMP_MONOTONIC, "This machine's monotonic clock: framemeasure in any process of it", "monotonic"},
      {LUMA_STAMP_REALTIME, "Time of day: framemeasure on any machine whose clock is set by the same source",
          "realtime"},
      {0, NULL, NULL}};
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstFrameStampClock", values));
  return (GType)type;
}

G_DEFINE_TYPE_WITH_CODE (GstFrameStamp, gst_frame_stamp, GST_TYPE_VIDEO_FILTER,
    GST_DEBUG_CATEGORY_INIT (gst_frame_stamp_debug, "framestamp", 0, "Stamps of pictures"));
GST_ELEMENT_REGISTER_DEFINE (framestamp, "framestamp", GST_RANK_NONE, GST_TYPE_FRAME_STAMP);

static gboolean
gst_frame_stamp_start (GstBaseTransform *trans)
{
  GST_FRAME_STAMP (trans)->number = 0;
  return TRUE;
}

static gboolean
gst_frame_stamp_set_info (
    GstVideoFilter *filter, GstCaps *incaps, GstVideoInfo *in_info, GstCaps *outcaps, GstVideoInfo *out_info)
{
  GstFrameStamp *self = GST_FRAME_STAMP (filter);

  return gst_stamp_place_find (&self->place, GST_ELEMENT (self), in_info, &self->rect);
}

/* How long before now the picture was captured, by its time stamp; 0 where that says nothing. */
static GstClockTime
picture_age (GstClockTime running_time, GstClockTime now)
{
  if (!GST_CLOCK_TIME_IS_VALID (running_time) || !GST_CLOCK_TIME_IS_VALID (now) || now < running_time)
    return 0;
  return now - running_time <= MAX_AGE ? now - running_time : 0;
}

static guint64
capture_time (GstFrameStamp *self, LumaStampClock clock, GstBuffer *buffer)
{
  GstClockTime running_time = gst_stamp_time_of (GST_BASE_TRANSFORM (self), buffer);
  GstClockTime now = gst_stamp_time_now (GST_ELEMENT (self)), wall;

  if (clock == LUMA_STAMP_RUNNING_TIME) {
    if (GST_CLOCK_TIME_IS_VALID (running_time))
      return running_time;
    return GST_CLOCK_TIME_IS_VALID (now) ? now : 0;
  }
  wall = (GstClockTime)(clock == LUMA_STAMP_MONOTONIC ? g_get_monotonic_time () : g_get_real_time ()) * GST_USECOND;
  return wall - picture_age (running_time, now);
}

static GstFlowReturn
gst_frame_stamp_transform_frame_ip (GstVideoFilter *filter, GstVideoFrame *frame)
{
  GstFrameStamp *self = GST_FRAME_STAMP (filter);
  LumaPlane plane = gst_stamp_luma (frame);
  LumaStamp stamp = {.number = self->number++};

  GST_OBJECT_LOCK (self);
  stamp.clock = self->clock;
  GST_OBJECT_UNLOCK (self);
  stamp.time = capture_time (self, stamp.clock, frame->buffer);
  luma_stamp_write (&plane, &self->rect, &stamp);
  gst_stamp_clear_chroma (frame, &self->rect);
  return GST_FLOW_OK;
}

static void
gst_frame_stamp_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstFrameStamp *self = GST_FRAME_STAMP (object);

  GST_OBJECT_LOCK (self);
  if (id == PROP_CORNER)
    self->place.corner = (LumaStampCorner)g_value_get_enum (value);
  else if (id == PROP_BLOCK_SIZE)
    self->place.block = g_value_get_uint (value);
  else if (id == PROP_CLOCK)
    self->clock = (LumaStampClock)g_value_get_enum (value);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_frame_stamp_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstFrameStamp *self = GST_FRAME_STAMP (object);

  GST_OBJECT_LOCK (self);
  if (id == PROP_CORNER)
    g_value_set_enum (value, self->place.corner);
  else if (id == PROP_BLOCK_SIZE)
    g_value_set_uint (value, self->place.block);
  else if (id == PROP_CLOCK)
    g_value_set_enum (value, self->clock);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_frame_stamp_class_init (GstFrameStampClass *klass)
{
  GObjectClass *gobject = G_OBJECT_CLASS (klass);
  GstElementClass *element = GST_ELEMENT_CLASS (klass);

  gobject->set_property = gst_frame_stamp_set_property;
  gobject->get_property = gst_frame_stamp_get_property;
  gst_stamp_place_install_properties (gobject, PROP_CORNER, PROP_BLOCK_SIZE);
  g_object_class_install_property (gobject, PROP_CLOCK,
      g_param_spec_enum ("clock", "Clock",
          "Whose time the stamp carries; framemeasure reads from the stamp which one it is", GST_TYPE_FRAME_STAMP_CLOCK,
          DEFAULT_CLOCK, (GParamFlags)(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)));
  gst_element_class_add_static_pad_template (element, &sink_template);
  gst_element_class_add_static_pad_template (element, &src_template);
  gst_element_class_set_static_metadata (element, "Frame stamp", "Filter/Effect/Video",
      "Writes a number and the capture time into a corner of each picture as blocks that survive encoders, for "
      "framemeasure at the other end of the path",
      "GStreamer congestion control developers");
  GST_BASE_TRANSFORM_CLASS (klass)->start = gst_frame_stamp_start;
  GST_VIDEO_FILTER_CLASS (klass)->set_info = gst_frame_stamp_set_info;
  GST_VIDEO_FILTER_CLASS (klass)->transform_frame_ip = gst_frame_stamp_transform_frame_ip;
  gst_type_mark_as_plugin_api (GST_TYPE_FRAME_STAMP_CLOCK, (GstPluginAPIFlags)0);
  gst_type_mark_as_plugin_api (GST_TYPE_STAMP_CORNER, (GstPluginAPIFlags)0);
}

static void
gst_frame_stamp_init (GstFrameStamp *self)
{
  self->place = (GstStampPlace){LUMA_STAMP_TOP_LEFT, GST_STAMP_BLOCK_DEFAULT};
  self->clock = DEFAULT_CLOCK;
  /* else late pictures are dropped before they are numbered */
  gst_base_transform_set_qos_enabled (GST_BASE_TRANSFORM (self), FALSE);
}
