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
#include "pictureerror.h"

#include <errno.h>
#include <math.h>

GST_DEBUG_CATEGORY_STATIC (gst_frame_measure_debug);
#define GST_CAT_DEFAULT gst_frame_measure_debug

#define DEFAULT_INTERVAL GST_SECOND
#define DEFAULT_REFERENCE_FRAMES 60
#define MAX_REFERENCE_FRAMES 1000
#define REFERENCE_WAIT (200 * GST_MSECOND) /* for an original whose thread is behind */
#define CLOCK_TOLERANCE (2 * LUMA_STAMP_TIME_UNIT)

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

/* When a picture is displayed, by each clock a stamp may carry. */
typedef struct {
  GstClockTime running; /* GST_CLOCK_TIME_NONE: the pipeline does not play */
  GstClockTime monotonic, realtime;
} Display;

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

static Display
display_time (GstFrameMeasure *self, GstBuffer *buffer)
{
  GstClockTime now = running_now (self), wait = wait_of_sink (self, buffer, now);

  return (Display){.running = GST_CLOCK_TIME_IS_VALID (now) ? now + wait : now,
      .monotonic = (GstClockTime)g_get_monotonic_time () * GST_USECOND + wait,
      .realtime = (GstClockTime)g_get_real_time () * GST_USECOND + wait};
}

static GstClockTime
displayed_at (const Display *display, LumaStampClock clock)
{
  return clock == LUMA_STAMP_RUNNING_TIME ? display->running
         : clock == LUMA_STAMP_MONOTONIC  ? display->monotonic
                                          : display->realtime;
}

/* ---- figures ---- */

/* Of one picture, for the file. */
typedef struct {
  LumaStamp stamp;
  gboolean stamped, damaged; /* it has a number; worked out from time stamps */
  FrameVerdict verdict;
  GstClockTime displayed, delay, gap; /* GST_CLOCK_TIME_NONE: unknown */
  gdouble psnr, ssim;                 /* NaN: not compared */
} Row;

static void
figures_init (GstFrameFigures *f, GstClockTime freeze_time)
{
  memset (f, 0, sizeof *f);
  frame_count_init (&f->frames);
  freeze_count_init (&f->freezes, freeze_time);
  delay_histogram_init (&f->delays);
  f->psnr.min = f->ssim.min = f->frame_rate = NAN;
}

/* 0: worked out. */
static GstClockTime
captured_as_read (const Row *row)
{
  return row->damaged ? 0 : row->stamp.time;
}

static void
take_delay (GstFrameFigures *f, Row *row)
{
  GstClockTime captured = row->stamp.time;

  if (row->displayed + CLOCK_TOLERANCE < captured) {
    f->clock_errors++;
    return;
  }
  row->delay = row->displayed > captured ? row->displayed - captured : 0;
  delay_histogram_add (&f->delays, row->delay);
}

static void
take_picture (GstFrameFigures *f, const Display *display, Row *row)
{
  f->pictures++;
  f->damaged += row->damaged;
  if (!row->stamped) {
    f->unreadable++;
    return;
  }
  row->verdict = frame_count_on_picture (&f->frames, row->stamp.number, captured_as_read (row));
  if (row->verdict == FRAME_REPEATED || !GST_CLOCK_TIME_IS_VALID (display->running))
    return;
  row->displayed = displayed_at (display, row->stamp.clock);
  row->gap = freeze_count_on_picture (&f->freezes, display->running);
  take_delay (f, row);
}

static void
score_add (GstFrameScore *score, gdouble value)
{
  if (isnan (value))
    return;
  score->min = score->n > 0 ? MIN (score->min, value) : value;
  score->sum += value;
  score->n++;
}

/* ---- comparing ---- */

static gboolean
same_size (GstFrameMeasure *self, const LumaPlane *picture, const LumaPlane *original)
{
  if (picture->width == original->width && picture->height == original->height)
    return TRUE;
  if (!self->warned_size)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("The reference has %d x %d pixels, the pictures %d x %d: they cannot be compared. Bring both to one size, "
         "with "
         "videoscale before framestamp.",
            original->width, original->height, picture->width, picture->height),
        (NULL));
  self->warned_size = TRUE;
  return FALSE;
}

static void
compare (GstFrameMeasure *self, const LumaPlane *picture, Row *row)
{
  LumaPlane *original =
      gst_frame_references_take (&self->references, row->stamp.number, captured_as_read (row), REFERENCE_WAIT);
  gboolean comparable = original != NULL && same_size (self, picture, original);

  if (comparable) {
    row->psnr = picture_error_psnr (picture, original, &self->rect);
    row->ssim = picture_error_ssim (picture, original, &self->rect);
  }
  g_free (original);
  g_mutex_lock (&self->lock);
  self->figures.unmatched += !comparable;
  score_add (&self->figures.psnr, row->psnr);
  score_add (&self->figures.ssim, row->ssim);
  g_mutex_unlock (&self->lock);
}

/* ---- telling ---- */

static void
write_time (FILE *file, GstClockTime time)
{
  if (GST_CLOCK_TIME_IS_VALID (time))
    fprintf (file, "%" G_GUINT64_FORMAT ".%06u", time / GST_SECOND, (guint)(time % GST_SECOND / GST_USECOND));
  fputc (',', file);
}

static void
write_score (FILE *file, gdouble score, gchar end)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isnan (score))
    fputs (g_ascii_formatd (text, sizeof text, "%.4f", score), file);
  fputc (end, file);
}

static void
write_row (FILE *file, const Row *row)
{
  static const gchar *const kinds[] = {"new", "repeated", "out-of-order", "restart"};

  if (!row->stamped) {
    fputs (",,,,,unreadable,,\n", file);
    return;
  }
  fprintf (file, "%u,", row->stamp.number);
  write_time (file, row->stamp.time);
  write_time (file, row->displayed);
  write_time (file, row->delay);
  write_time (file, row->gap);
  fprintf (file, "%s,", row->damaged ? "damaged" : kinds[row->verdict]);
  write_score (file, row->psnr, ',');
  write_score (file, row->ssim, '\n');
}

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

/* ---- pictures ---- */

/* Reads the stamp; where it is damaged, goes on from the last one. */
static void
read_stamp (GstFrameMeasure *self, const LumaPlane *plane, GstBuffer *buffer, Row *row)
{
  GstClockTime at = gst_stamp_time_of (GST_BASE_TRANSFORM (self), buffer);

  row->stamped = luma_stamp_read (plane, &self->rect, &row->stamp);
  if (row->stamped)
    stamp_track_on_stamp (&self->track, &row->stamp, at);
  else
    row->stamped = row->damaged = stamp_track_guess (&self->track, at, &row->stamp);
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

static GstFlowReturn
gst_frame_measure_transform_frame_ip (GstVideoFilter *filter, GstVideoFrame *frame)
{
  GstFrameMeasure *self = GST_FRAME_MEASURE (filter);
  Display display = display_time (self, frame->buffer);
  LumaPlane plane = gst_stamp_luma (frame);
  Row row = {.displayed = GST_CLOCK_TIME_NONE,
      .delay = GST_CLOCK_TIME_NONE,
      .gap = GST_CLOCK_TIME_NONE,
      .psnr = NAN,
      .ssim = NAN};

  read_stamp (self, &plane, frame->buffer, &row);
  g_mutex_lock (&self->lock);
  take_picture (&self->figures, &display, &row);
  g_mutex_unlock (&self->lock);
  if (row.stamped && row.verdict != FRAME_REPEATED && g_atomic_int_get (&self->has_reference))
    compare (self, &plane, &row);
  if (self->file != NULL)
    write_row (self->file, &row);
  follow_interval (self, display.running);
  return GST_FLOW_OK;
}

static void
get_place (GstFrameMeasure *self, GstStampPlace *place)
{
  GST_OBJECT_LOCK (self);
  *place = self->place;
  GST_OBJECT_UNLOCK (self);
}

static gboolean
gst_frame_measure_set_info (
    GstVideoFilter *filter, GstCaps *incaps, GstVideoInfo *in_info, GstCaps *outcaps, GstVideoInfo *out_info)
{
  GstFrameMeasure *self = GST_FRAME_MEASURE (filter);
  GstStampPlace place;

  get_place (self, &place);
  return gst_stamp_place_find (&place, GST_ELEMENT (self), in_info, &self->rect);
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

static gboolean
gst_frame_measure_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstFrameMeasure *self = GST_FRAME_MEASURE (trans);

  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    post_stats (self);
  else if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) /* a seek is no freeze */
    forget_gap (self);
  return GST_BASE_TRANSFORM_CLASS (gst_frame_measure_parent_class)->sink_event (trans, event);
}

static gboolean
open_file (GstFrameMeasure *self, const gchar *location)
{
  if (location == NULL || location[0] == 0)
    return TRUE;
  self->file = fopen (location, "w");
  if (self->file == NULL) {
    GST_ELEMENT_ERROR (self, RESOURCE, OPEN_WRITE,
        ("Cannot write %s: %s. Set location to a file in a folder that exists and may be written to.", location,
            g_strerror (errno)),
        (NULL));
    return FALSE;
  }
  fputs ("number,captured,displayed,delay,gap,kind,psnr_y,ssim\n", self->file);
  return TRUE;
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
  figures_init (&self->figures, freeze_time);
  g_mutex_unlock (&self->lock);
  gst_frame_references_open (&self->references, reference_frames);
  stamp_track_init (&self->track);
  self->interval_at = GST_CLOCK_TIME_NONE;
  self->interval_displayed = 0;
  self->warned_size = FALSE;
  ok = open_file (self, location);
  g_free (location);
  return ok;
}

static gboolean
gst_frame_measure_stop (GstBaseTransform *trans)
{
  GstFrameMeasure *self = GST_FRAME_MEASURE (trans);
  FILE *file = g_steal_pointer (&self->file);
  gboolean failed;

  if (file == NULL)
    return TRUE;
  failed = ferror (file) != 0;
  if (fclose (file) != 0 || failed)
    GST_ELEMENT_WARNING (self, RESOURCE, WRITE,
        ("The file at location is not complete: %s. See that there is room on its disk.", g_strerror (errno)), (NULL));
  return TRUE;
}

static GstStateChangeReturn
gst_frame_measure_change_state (GstElement *element, GstStateChange transition)
{
  GstFrameMeasure *self = GST_FRAME_MEASURE (element);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_frame_references_close (&self->references);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING) /* a pause is no freeze */
    forget_gap (self);
  return GST_ELEMENT_CLASS (gst_frame_measure_parent_class)->change_state (element, transition);
}

/* ---- originals ---- */

static GstFlowReturn
reference_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstFrameMeasure *self = GST_FRAME_MEASURE (parent);
  GstVideoFrame frame;
  LumaPlane plane;
  LumaStamp stamp;

  if (GST_VIDEO_INFO_FORMAT (&self->reference_info) == GST_VIDEO_FORMAT_UNKNOWN ||
      !gst_video_frame_map (&frame, &self->reference_info, buffer, GST_MAP_READ)) {
    gst_buffer_unref (buffer);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  plane = gst_stamp_luma (&frame);
  if (luma_stamp_read (&plane, &self->reference_rect, &stamp))
    gst_frame_references_put (&self->references, &stamp, &plane);
  else
    GST_DEBUG_OBJECT (pad, "a picture without a stamp");
  gst_video_frame_unmap (&frame);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
reference_caps (GstFrameMeasure *self, GstEvent *event)
{
  GstStampPlace place;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  get_place (self, &place);
  return gst_video_info_from_caps (&self->reference_info, caps) &&
         gst_stamp_place_find (&place, GST_ELEMENT (self), &self->reference_info, &self->reference_rect);
}

/* It ends here: nothing of it goes on. */
static gboolean
reference_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstFrameMeasure *self = GST_FRAME_MEASURE (parent);
  gboolean ok = TRUE;

  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_CAPS:
    ok = reference_caps (self, event);
    break;
  case GST_EVENT_STREAM_START:
  case GST_EVENT_FLUSH_STOP:
    gst_frame_references_begin (&self->references);
    break;
  case GST_EVENT_EOS:
    gst_frame_references_end (&self->references);
    break;
  default:
    break;
  }
  gst_event_unref (event);
  return ok;
}

static gboolean
reference_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_CAPS || GST_QUERY_TYPE (query) == GST_QUERY_ACCEPT_CAPS)
    return gst_pad_query_default (pad, parent, query);
  return FALSE;
}

static GstPad *
gst_frame_measure_request_new_pad (GstElement *element, GstPadTemplate *templ, const gchar *name, const GstCaps *caps)
{
  GstFrameMeasure *self = GST_FRAME_MEASURE (element);
  GstPad *pad = gst_pad_new_from_template (templ, "reference");
  gboolean taken;

  GST_OBJECT_LOCK (self);
  taken = self->reference_pad != NULL;
  if (!taken)
    self->reference_pad = pad;
  GST_OBJECT_UNLOCK (self);
  if (taken) {
    gst_object_unref (gst_object_ref_sink (pad));
    return NULL;
  }
  gst_video_info_init (&self->reference_info);
  gst_frame_references_begin (&self->references);
  gst_pad_set_chain_function (pad, reference_chain);
  gst_pad_set_event_function (pad, reference_event);
  gst_pad_set_query_function (pad, reference_query);
  gst_pad_set_active (pad, TRUE);
  gst_element_add_pad (element, pad);
  g_atomic_int_set (&self->has_reference, TRUE);
  return pad;
}

static void
gst_frame_measure_release_pad (GstElement *element, GstPad *pad)
{
  GstFrameMeasure *self = GST_FRAME_MEASURE (element);

  g_atomic_int_set (&self->has_reference, FALSE);
  gst_frame_references_end (&self->references);
  gst_pad_set_active (pad, FALSE);
  GST_OBJECT_LOCK (self);
  self->reference_pad = NULL;
  GST_OBJECT_UNLOCK (self);
  gst_element_remove_pad (element, pad);
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

  gst_frame_references_clear (&self->references);
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
  gst_frame_references_init (&self->references);
  figures_init (&self->figures, FREEZE_COUNT_FIXED);
  gst_base_transform_set_passthrough (GST_BASE_TRANSFORM (self), TRUE);
  /* else late pictures are dropped before they are counted */
  gst_base_transform_set_qos_enabled (GST_BASE_TRANSFORM (self), FALSE);
}
