/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-framemeasure
 * @title: framemeasure
 *
 * Reads the stamps of framestamp from the pictures that pass, which it does not touch: delay from capture to display,
 * pictures lost, repeated and out of order, freezes; with the originals on its reference pad PSNR and SSIM as well.
 *
 * <!-- printed: for 14, shows framemeasure-stats -->
 * |[
 * gst-launch-1.0 -m videotestsrc is-live=true num-buffers=300 ! framestamp ! tee name=t ! queue ! x264enc
 * tune=zerolatency bitrate=300 ! avdec_h264 ! framemeasure name=m ! fakesink t. ! queue ! m.reference
 * ]|
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstframemeasure.h"

#include "gststamptime.h"

#include <errno.h>

GST_DEBUG_CATEGORY_STATIC (gst_frame_measure_debug);
#define GST_CAT_DEFAULT gst_frame_measure_debug

#define DEFAULT_INTERVAL GST_SECOND
#define DEFAULT_REFERENCE_FRAMES 60
#define MAX_REFERENCE_FRAMES 1000
#define UNSTAMPED_TOLD 100 /* pictures: a call may begin with some that are damaged, but not with seconds of them */

enum {
  PROP_0,
  PROP_CORNER,
  PROP_BLOCK_SIZE,
  PROP_SYNC,
  PROP_FREEZE_TIME,
  PROP_INTERVAL,
  PROP_LOCATION,
  PROP_REFERENCE_FRAMES,
  PROP_STATS
};

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (GST_STAMP_CAPS));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (GST_STAMP_CAPS));
static GstStaticPadTemplate reference_template =
    GST_STATIC_PAD_TEMPLATE ("reference", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS (GST_STAMP_CAPS));

G_DEFINE_TYPE_WITH_CODE (GstFrameMeasure, gst_frame_measure, GST_TYPE_VIDEO_FILTER,
    GST_DEBUG_CATEGORY_INIT (gst_frame_measure_debug, "framemeasure", 0, "Measuring of stamped pictures"));
GST_ELEMENT_REGISTER_DEFINE (framemeasure, "framemeasure", GST_RANK_NONE, GST_TYPE_FRAME_MEASURE);

/* ---- times ---- */

static GstClockTime
running_now (GstFrameMeasure *self)
{
  GstClockTime now = gst_stamp_time_now (GST_ELEMENT (self));

  return GST_STATE (self) == GST_STATE_PLAYING ? now : GST_CLOCK_TIME_NONE;
}

/* A sink behind that synchronises holds it until running time and latency are over. */
static GstClockTime
wait_of_sink (GstFrameMeasure *self, GstBuffer *buffer, GstClockTime now)
{
  GstClockTime due = gst_stamp_time_of (GST_BASE_TRANSFORM (self), buffer), latency;
  gboolean sync;

  GST_OBJECT_LOCK (self);
  latency = self->latency;
  sync = self->sync;
  GST_OBJECT_UNLOCK (self);
  if (!sync || !GST_CLOCK_TIME_IS_VALID (due) || !GST_CLOCK_TIME_IS_VALID (now) || due + latency <= now)
    return 0;
  return due + latency - now;
}

static GstFrameDisplay
display_time (GstFrameMeasure *self, GstBuffer *buffer)
{
  GstClockTime now = running_now (self), wait = wait_of_sink (self, buffer, now);

  return (GstFrameDisplay){.running = GST_CLOCK_TIME_IS_VALID (now) ? now + wait : now,
      .monotonic = (GstClockTime)g_get_monotonic_time () * GST_USECOND + wait,
      .realtime = (GstClockTime)g_get_real_time () * GST_USECOND + wait};
}

/* ---- telling ---- */

static GstStructure *
take_stats (GstFrameMeasure *self)
{
  GstFrameFigures *copy = g_new (GstFrameFigures, 1);
  GstStructure *structure;

  g_mutex_lock (&self->lock);
  *copy = self->figures;
  g_mutex_unlock (&self->lock);
  structure = gst_frame_figures_to_structure (copy, running_now (self));
  g_free (copy);
  return structure;
}

static void
post_stats (GstFrameMeasure *self)
{
  gst_element_post_message (GST_ELEMENT (self), gst_message_new_element (GST_OBJECT (self), take_stats (self)));
}

/* Once, while somebody still listens: when the element stops, most applications do not any more. */
static void
tell_file (GstFrameMeasure *self, gboolean complete)
{
  if (complete || self->told_file)
    return;
  GST_ELEMENT_WARNING (self, RESOURCE, WRITE,
      ("The file at location is not complete: %s. See that there is room on its disk.", g_strerror (errno)), (NULL));
  self->told_file = TRUE;
}

/* Once, by the time that so many have passed. */
static void
tell_unstamped (GstFrameMeasure *self, guint64 pictures)
{
  if (self->told_unstamped || self->figures.pictures < MAX (pictures, 1) ||
      self->figures.unreadable < self->figures.pictures)
    return;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("None of %u pictures has a stamp that can be read. Put framestamp in front of the encoder, "
       "with the same corner and block-size as here, and nothing between them that scales or crops.",
          (guint)self->figures.pictures),
      (NULL));
  self->told_unstamped = TRUE;
}

/* ---- pictures ---- */

/* Reads the stamp; where it is damaged, goes on from the last one. */
static void
read_stamp (GstFrameMeasure *self, const LumaPlane *plane, GstBuffer *buffer, GstFramePicture *p)
{
  GstClockTime at = gst_stamp_time_of (GST_BASE_TRANSFORM (self), buffer);

  p->stamped = luma_stamp_read (plane, &self->rect, &p->stamp);
  if (p->stamped)
    stamp_track_on_stamp (&self->track, &p->stamp, at);
  else
    p->stamped = p->damaged = stamp_track_guess (&self->track, at, &p->stamp);
}

static void
begin_interval (GstFrameMeasure *self, GstClockTime now)
{
  self->interval_at = now;
  self->interval_displayed = self->figures.frames.displayed;
}

static void
end_interval (GstFrameMeasure *self, GstClockTime now)
{
  g_mutex_lock (&self->lock);
  self->figures.frame_rate = (gdouble)(self->figures.frames.displayed - self->interval_displayed) * GST_SECOND /
                             (gdouble)(now - self->interval_at);
  g_mutex_unlock (&self->lock);
  begin_interval (self, now);
  tell_file (self, gst_frame_rows_flush (&self->rows));
  post_stats (self);
}

/* By the time pictures are displayed at: while none comes, nothing is posted. */
static void
follow_interval (GstFrameMeasure *self, GstClockTime now)
{
  GstClockTime interval;

  GST_OBJECT_LOCK (self);
  interval = self->interval;
  GST_OBJECT_UNLOCK (self);
  if (interval == 0)
    self->interval_at = GST_CLOCK_TIME_NONE;
  if (interval == 0 || !GST_CLOCK_TIME_IS_VALID (now))
    return;
  if (!GST_CLOCK_TIME_IS_VALID (self->interval_at) || now < self->interval_at)
    begin_interval (self, now);
  else if (now - self->interval_at >= interval)
    end_interval (self, now);
}

static void
compare (GstFrameMeasure *self, const LumaPlane *plane, GstFramePicture *p)
{
  gst_frame_originals_compare (&self->originals, plane, &self->rect, p);
  g_mutex_lock (&self->lock);
  gst_frame_figures_on_comparison (&self->figures, p);
  g_mutex_unlock (&self->lock);
}

static GstFlowReturn
gst_frame_measure_transform_frame_ip (GstVideoFilter *filter, GstVideoFrame *frame)
{
  GstFrameMeasure *self = GST_FRAME_MEASURE (filter);
  GstFrameDisplay display = display_time (self, frame->buffer);
  LumaPlane plane = gst_stamp_luma (frame);
  GstFramePicture p;

  gst_frame_picture_init (&p);
  read_stamp (self, &plane, frame->buffer, &p);
  g_mutex_lock (&self->lock);
  gst_frame_figures_on_picture (&self->figures, &display, &p);
  g_mutex_unlock (&self->lock);
  if (p.stamped && p.verdict != FRAME_REPEATED && gst_frame_originals_are_there (&self->originals))
    compare (self, &plane, &p);
  gst_frame_rows_write (&self->rows, &p);
  tell_unstamped (self, UNSTAMPED_TOLD);
  follow_interval (self, display.running);
  return GST_FLOW_OK;
}

static gboolean
gst_frame_measure_set_info (
    GstVideoFilter *filter, GstCaps *incaps, GstVideoInfo *in_info, GstCaps *outcaps, GstVideoInfo *out_info)
{
  GstFrameMeasure *self = GST_FRAME_MEASURE (filter);

  return gst_stamp_place_find (&self->place, GST_ELEMENT (self), in_info, &self->rect);
}

static gboolean
gst_frame_measure_src_event (GstBaseTransform *trans, GstEvent *event)
{
  GstFrameMeasure *self = GST_FRAME_MEASURE (trans);

  if (GST_EVENT_TYPE (event) == GST_EVENT_LATENCY) {
    GST_OBJECT_LOCK (self);
    gst_event_parse_latency (event, &self->latency);
    GST_OBJECT_UNLOCK (self);
  }
  return GST_BASE_TRANSFORM_CLASS (gst_frame_measure_parent_class)->src_event (trans, event);
}

static void
forget_gap (GstFrameMeasure *self)
{
  g_mutex_lock (&self->lock);
  freeze_count_forget_gap (&self->figures.freezes);
  g_mutex_unlock (&self->lock);
}

static void
on_eos (GstFrameMeasure *self)
{
  tell_unstamped (self, 0);
  tell_file (self, gst_frame_rows_flush (&self->rows));
  post_stats (self);
}

static gboolean
gst_frame_measure_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstFrameMeasure *self = GST_FRAME_MEASURE (trans);

  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    on_eos (self);
  else if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) /* a seek is no freeze */
    forget_gap (self);
  return GST_BASE_TRANSFORM_CLASS (gst_frame_measure_parent_class)->sink_event (trans, event);
}

static gboolean
open_file (GstFrameMeasure *self, const gchar *location)
{
  if (gst_frame_rows_open (&self->rows, location))
    return TRUE;
  GST_ELEMENT_ERROR (self, RESOURCE, OPEN_WRITE,
      ("Cannot write %s: %s. Set location to a file in a folder that exists and may be written to.", location,
          g_strerror (errno)),
      (NULL));
  return FALSE;
}

static gboolean
gst_frame_measure_start (GstBaseTransform *trans)
{
  GstFrameMeasure *self = GST_FRAME_MEASURE (trans);
  GstClockTime freeze_time;
  guint reference_frames;
  gchar *location;
  gboolean ok;

  GST_OBJECT_LOCK (self);
  freeze_time = self->freeze_time;
  reference_frames = self->reference_frames;
  location = g_strdup (self->location);
  self->latency = 0;
  GST_OBJECT_UNLOCK (self);
  g_mutex_lock (&self->lock);
  gst_frame_figures_init (&self->figures, freeze_time);
  g_mutex_unlock (&self->lock);
  gst_frame_originals_open (&self->originals, reference_frames);
  stamp_track_init (&self->track);
  self->interval_at = GST_CLOCK_TIME_NONE;
  self->interval_displayed = 0;
  self->told_unstamped = self->told_file = FALSE;
  ok = open_file (self, location);
  g_free (location);
  return ok;
}

static gboolean
gst_frame_measure_stop (GstBaseTransform *trans)
{
  GstFrameMeasure *self = GST_FRAME_MEASURE (trans);

  tell_file (self, gst_frame_rows_close (&self->rows));
  return TRUE;
}

static GstStateChangeReturn
gst_frame_measure_change_state (GstElement *element, GstStateChange transition)
{
  GstFrameMeasure *self = GST_FRAME_MEASURE (element);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_frame_originals_close (&self->originals);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING) /* a pause is no freeze */
    forget_gap (self);
  return GST_ELEMENT_CLASS (gst_frame_measure_parent_class)->change_state (element, transition);
}

/* ---- originals ---- */

static GstPad *
gst_frame_measure_request_new_pad (GstElement *element, GstPadTemplate *templ, const gchar *name, const GstCaps *caps)
{
  return gst_frame_originals_request_pad (&GST_FRAME_MEASURE (element)->originals, templ);
}

static void
gst_frame_measure_release_pad (GstElement *element, GstPad *pad)
{
  gst_frame_originals_release_pad (&GST_FRAME_MEASURE (element)->originals);
}

/* ---- properties ---- */

static void
gst_frame_measure_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstFrameMeasure *self = GST_FRAME_MEASURE (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
  case PROP_CORNER:
    self->place.corner = (LumaStampCorner)g_value_get_enum (value);
    break;
  case PROP_BLOCK_SIZE:
    self->place.block = g_value_get_uint (value);
    break;
  case PROP_SYNC:
    self->sync = g_value_get_boolean (value);
    break;
  case PROP_FREEZE_TIME:
    self->freeze_time = g_value_get_uint64 (value);
    break;
  case PROP_INTERVAL:
    self->interval = g_value_get_uint64 (value);
    break;
  case PROP_LOCATION:
    g_free (self->location);
    self->location = g_value_dup_string (value);
    break;
  case PROP_REFERENCE_FRAMES:
    self->reference_frames = g_value_get_uint (value);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_frame_measure_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstFrameMeasure *self = GST_FRAME_MEASURE (object);

  if (id == PROP_STATS) {
    g_value_take_boxed (value, take_stats (self));
    return;
  }
  GST_OBJECT_LOCK (self);
  switch (id) {
  case PROP_CORNER:
    g_value_set_enum (value, self->place.corner);
    break;
  case PROP_BLOCK_SIZE:
    g_value_set_uint (value, self->place.block);
    break;
  case PROP_SYNC:
    g_value_set_boolean (value, self->sync);
    break;
  case PROP_FREEZE_TIME:
    g_value_set_uint64 (value, self->freeze_time);
    break;
  case PROP_INTERVAL:
    g_value_set_uint64 (value, self->interval);
    break;
  case PROP_LOCATION:
    g_value_set_string (value, self->location);
    break;
  case PROP_REFERENCE_FRAMES:
    g_value_set_uint (value, self->reference_frames);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_frame_measure_finalize (GObject *object)
{
  GstFrameMeasure *self = GST_FRAME_MEASURE (object);

  gst_frame_originals_clear (&self->originals);
  g_mutex_clear (&self->lock);
  g_free (self->location);
  G_OBJECT_CLASS (gst_frame_measure_parent_class)->finalize (object);
}

#define LIVE (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)
#define FIXED (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)

static void
install_properties (GObjectClass *gobject)
{
  gst_stamp_place_install_properties (gobject, PROP_CORNER, PROP_BLOCK_SIZE);
  g_object_class_install_property (gobject, PROP_SYNC,
      g_param_spec_boolean ("sync", "Sync",
          "Whether the sink behind has sync=true: then pictures are displayed when their running time and the "
          "pipeline's latency are over, else as they pass",
          FALSE, (GParamFlags)LIVE));
  g_object_class_install_property (gobject, PROP_FREEZE_TIME,
      g_param_spec_uint64 ("freeze-time", "Freeze time",
          "Gap in ns between two pictures from which on it counts in freezes-fixed; freezes-w3c has the rule of the "
          "W3C's getStats, at least max (3 d, d + 150 ms) with d the mean of the last 30 gaps",
          GST_MSECOND, G_MAXUINT64 / 2, FREEZE_COUNT_FIXED, (GParamFlags)FIXED));
  g_object_class_install_property (gobject, PROP_INTERVAL,
      g_param_spec_uint64 ("interval", "Interval",
          "Time in ns between element messages application/x-framemeasure-stats, posted as pictures pass and at the "
          "end of the stream (0: at the end only)",
          0, G_MAXUINT64 / 2, DEFAULT_INTERVAL, (GParamFlags)LIVE));
  g_object_class_install_property (gobject, PROP_LOCATION,
      g_param_spec_string ("location", "Location",
          "CSV file with a line for each picture: number,captured,displayed,delay,gap,kind,psnr_y,ssim; times in s "
          "(NULL: none)",
          NULL, (GParamFlags)FIXED));
  g_object_class_install_property (gobject, PROP_REFERENCE_FRAMES,
      g_param_spec_uint ("reference-frames", "Reference frames",
          "Originals kept for comparison, width x height bytes each; as many as are captured in the time the path "
          "takes",
          1, MAX_REFERENCE_FRAMES, DEFAULT_REFERENCE_FRAMES, (GParamFlags)FIXED));
  g_object_class_install_property (gobject, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Since PAUSED: pictures displayed, lost, repeated, out-of-order, damaged, unreadable; delay-p50, -p95, -p99 "
          "and "
          "freeze "
          "times in ns; psnr-y in dB and ssim, means and least",
          GST_TYPE_STRUCTURE, (GParamFlags)(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

static void
gst_frame_measure_class_init (GstFrameMeasureClass *klass)
{
  GObjectClass *gobject = G_OBJECT_CLASS (klass);
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans = GST_BASE_TRANSFORM_CLASS (klass);

  gobject->set_property = gst_frame_measure_set_property;
  gobject->get_property = gst_frame_measure_get_property;
  gobject->finalize = gst_frame_measure_finalize;
  install_properties (gobject);
  gst_element_class_add_static_pad_template (element, &sink_template);
  gst_element_class_add_static_pad_template (element, &src_template);
  gst_element_class_add_static_pad_template (element, &reference_template);
  gst_element_class_set_static_metadata (element, "Frame measure", "Filter/Analyzer/Video",
      "Reads framestamp's stamps from pictures that pass: delay from capture to display, pictures lost and repeated, "
      "freezes; with the originals on the pad reference PSNR and SSIM",
      "GStreamer congestion control developers");
  element->change_state = gst_frame_measure_change_state;
  element->request_new_pad = gst_frame_measure_request_new_pad;
  element->release_pad = gst_frame_measure_release_pad;
  trans->start = gst_frame_measure_start;
  trans->stop = gst_frame_measure_stop;
  trans->src_event = gst_frame_measure_src_event;
  trans->sink_event = gst_frame_measure_sink_event;
  trans->transform_ip_on_passthrough = TRUE;
  GST_VIDEO_FILTER_CLASS (klass)->set_info = gst_frame_measure_set_info;
  GST_VIDEO_FILTER_CLASS (klass)->transform_frame_ip = gst_frame_measure_transform_frame_ip;
}

static void
gst_frame_measure_init (GstFrameMeasure *self)
{
  self->place = (GstStampPlace){LUMA_STAMP_TOP_LEFT, GST_STAMP_BLOCK_DEFAULT};
  self->freeze_time = FREEZE_COUNT_FIXED;
  self->interval = DEFAULT_INTERVAL;
  self->reference_frames = DEFAULT_REFERENCE_FRAMES;
  g_mutex_init (&self->lock);
  gst_frame_originals_init (&self->originals, GST_ELEMENT (self), &self->place);
  gst_frame_figures_init (&self->figures, FREEZE_COUNT_FIXED);
  gst_base_transform_set_passthrough (GST_BASE_TRANSFORM (self), TRUE);
  /* else late pictures are dropped before they are counted */
  gst_base_transform_set_qos_enabled (GST_BASE_TRANSFORM (self), FALSE);
}
