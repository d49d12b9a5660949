/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-ratescale
 *
 * Stands in front of a video encoder and steps the size of its pictures, then their frame rate, down where the rate is
 * too low for them, and up again. The rate is what ratecontrol behind the encoder sets it to; the pictures are scaled
 * by videoscale and left out by videorate.
 *
 * <!-- printed: beside receiver -->
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! ratescale ! x264enc tune=zerolatency ! ratecontrol ! rtph264pay ! tfrcsink
 * host=B port=5004
 * ]|
 *
 * Without ratecontrol the rate is the property bitrate, here too low for the pattern's size.
 *
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=300 ! video/x-raw,width=1280,height=720 ! ratescale bitrate=200000 ! x264enc
 * bitrate=200 ! fakesink
 * ]|
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstratescale.h"

#include "encodedframe.h"
#include "gstrateevent.h"
#include "pictureformat.h"
#include "ratescalesettings.h"
#include "streamtime.h"

#include <string.h>

GST_DEBUG_CATEGORY_STATIC (rate_scale_debug);
#define GST_CAT_DEFAULT rate_scale_debug

#define ASKED_EVERY (100 * CC_MSECOND)

struct _GstRateScale {
  GstBin parent;
  GstElement *rate, *scale, *filter; /* NULL where the plug-in is missing */
  GstPad *sink, *src;

  /* Of the streaming thread alone. */
  GstCaps *source_caps;
  gboolean refused;   /* what comes is no picture */
  gboolean told_rate; /* that nobody says one */

  /* Guarded by the object lock. */
  RateScaleSettings settings;
  gboolean settings_changed;
  PictureFormat source;
  gboolean can_step; /* the source's pictures can be scaled */
  PictureStep step;
  StreamTime time;
  CcTime asked_at;
  guint bitrate; /* the last rate known */

  gint stepping; /* atomic: the filter is being set, and what it asks of upstream ends here */
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw(ANY); " ENCODED_VIDEO));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw(ANY); " ENCODED_VIDEO));

#define gst_rate_scale_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRateScale, gst_rate_scale, GST_TYPE_BIN,
    GST_DEBUG_CATEGORY_INIT (rate_scale_debug, "ratescale", 0, "size and frame rate by rate"));
GST_ELEMENT_REGISTER_DEFINE (ratescale, "ratescale", GST_RANK_NONE, GST_TYPE_RATE_SCALE);

typedef struct {
  guint bitrate; /* bit/s; 0: nobody says */
  gdouble made;  /* of that, by the encoder; 0: not known */
} EncoderSays;

static EncoderSays
ask_rate (GstRateScale *self)
{
  EncoderSays says = {0, 0};

  GST_OBJECT_LOCK (self);
  says.bitrate = self->settings.bitrate;
  GST_OBJECT_UNLOCK (self);
  if (says.bitrate == 0)
    says.bitrate = gst_encoder_rate_ask (self->src, &says.made);
  return says;
}

/* With the object lock. most: rungs, at least 1. */
static void
build_ladder (GstRateScale *self, gint most)
{
  PictureLadderParams params = self->settings.ladder;
  PictureLadder ladder;

  params.interlaced = self->source_caps && picture_format_is_interlaced (self->source_caps);
  if (!picture_ladder_build (&ladder, &self->source, &params))
    return;
  ladder.count = MIN (ladder.count, most);
  picture_step_set_ladder (&self->step, &ladder, self->bitrate, self->time.now);
}

static gboolean
is_taken_downstream (GstRateScale *self, GstCaps *caps)
{
  GstCaps *taken = gst_pad_peer_query_caps (self->src, caps);
  gboolean is = taken == NULL || !gst_caps_is_empty (taken);

  gst_clear_caps (&taken);
  return is;
}

static void
post_stats (GstRateScale *self)
{
  GstStructure *stats;

  g_object_get (self, "stats", &stats, NULL);
  gst_element_post_message (GST_ELEMENT (self), gst_message_new_element (GST_OBJECT (self), stats));
}

static void
set_filter (GstRateScale *self, GstCaps *caps)
{
  GST_INFO_OBJECT (self, "%" GST_PTR_FORMAT, caps);
  g_atomic_int_set (&self->stepping, TRUE);
  g_object_set (self->filter, "caps", caps, NULL);
  g_atomic_int_set (&self->stepping, FALSE);
}

static void
tell_fixed (GstRateScale *self, GstCaps *caps)
{
  GstCaps *taken = gst_pad_peer_query_caps (self->src, NULL);

  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("What follows ratescale takes no other size or frame rate; the pictures stay as they are. Put caps that fix "
       "width, height or framerate in front of ratescale, not behind it."),
      ("wanted %" GST_PTR_FORMAT ", taken %" GST_PTR_FORMAT, caps, taken));
  gst_clear_caps (&taken);
}

/* FALSE: what follows does not take it, and the ladder ends above it. It takes the first rung, which is what comes. */
static gboolean
try_step (GstRateScale *self)
{
  const PictureFormat *format;
  gboolean taken;
  GstCaps *caps;
  gint rung;

  GST_OBJECT_LOCK (self);
  rung = self->step.rung;
  format = picture_step_format (&self->step);
  caps = picture_format_filter (format ? format : &self->source, &self->source, self->source_caps);
  GST_OBJECT_UNLOCK (self);
  taken = rung == 0 || is_taken_downstream (self, caps);
  if (taken)
    set_filter (self, caps);
  else if (rung == 1)
    tell_fixed (self, caps);
  GST_OBJECT_LOCK (self);
  if (!taken)
    build_ladder (self, rung);
  GST_OBJECT_UNLOCK (self);
  gst_caps_unref (caps);
  return taken;
}

/* From the next picture on. */
static void
take_step (GstRateScale *self)
{
  while (!try_step (self))
    GST_INFO_OBJECT (self, "what follows does not take this step");
  rate_scale_settings_notify (G_OBJECT (self));
  post_stats (self);
}

/* Once. */
static void
tell_no_rate (GstRateScale *self, guint bitrate)
{
  if (bitrate > 0 || self->told_rate)
    return;
  GST_ELEMENT_WARNING (self, RESOURCE, NOT_FOUND,
      ("Nobody tells ratescale the encoder's rate; the pictures stay as they are. Put ratecontrol behind the encoder, "
       "or "
       "set the property bitrate."),
      (NULL));
  self->told_rate = TRUE;
}

static gboolean
accept_format (GstRateScale *self, GstCaps *caps, PictureFormat *format)
{
  switch (picture_format_read (caps, format)) {
  case PICTURE_CAPS_RAW:
    return TRUE;
  case PICTURE_CAPS_MEMORY:
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("The pictures are in a memory that ratescale cannot scale; they stay as they are. Put the element that "
         "fetches "
         "them (gldownload, cudadownload, vapostproc) in front of ratescale."),
        ("%" GST_PTR_FORMAT, caps));
    return FALSE;
  case PICTURE_CAPS_ENCODED:
    break;
  }
  GST_ELEMENT_ERROR (self, STREAM, WRONG_TYPE,
      ("ratescale stands behind the encoder, where there are no pictures to scale. Put it in front: ... ! ratescale ! "
       "encoder ! ratecontrol ! ..."),
      ("%" GST_PTR_FORMAT, caps));
  self->refused = TRUE;
  return FALSE;
}

/* Of pictures without a frame rate videorate would guess one from the first two, leave out what comes sooner, and abort
   at the end of a stream without durations; while it averages it lets them all pass. No step of theirs leaves any out.
 */
static void
let_all_pass (GstRateScale *self, const PictureFormat *format)
{
  g_object_set (self->rate, "average-period", format->fps_num > 0 ? (guint64)0 : GST_SECOND, NULL);
}

/* Another source: its own size where the rate is enough, else at once what it is enough for. */
static void
on_caps (GstRateScale *self, GstCaps *caps)
{
  PictureFormat format;
  gboolean can = accept_format (self, caps, &format);
  EncoderSays says = ask_rate (self);

  gst_caps_replace (&self->source_caps, caps);
  let_all_pass (self, &format);
  GST_OBJECT_LOCK (self);
  self->source = format;
  self->can_step = can;
  self->bitrate = says.bitrate;
  build_ladder (self, can ? PICTURE_LADDER_MOST : 1);
  GST_OBJECT_UNLOCK (self);
  if (!self->refused)
    take_step (self);
}

/* With the object lock. Several times a second. */
static gboolean
is_time_to_ask (GstRateScale *self, GstBuffer *buffer)
{
  GstClockTime stamp = GST_BUFFER_PTS (buffer);

  stream_time_advance (&self->time, GST_CLOCK_TIME_IS_VALID (stamp) ? stamp : gst_util_get_timestamp ());
  if (!self->settings_changed && cc_time_since (self->time.now, self->asked_at) < ASKED_EVERY)
    return FALSE;
  self->asked_at = self->time.now;
  return TRUE;
}

/* With the object lock. TRUE where the pictures are to be others. */
static gboolean
judge (GstRateScale *self, EncoderSays says)
{
  gboolean changed = self->settings_changed;
  int rung = self->step.rung;

  self->bitrate = says.bitrate;
  self->settings_changed = FALSE;
  if (!changed)
    return picture_step_on_rate (&self->step, says.bitrate, says.made, self->time.now);
  picture_step_set_params (&self->step, &self->settings.step);
  build_ladder (self, self->can_step ? PICTURE_LADDER_MOST : 1);
  return self->step.rung != rung || self->step.rung > 0;
}

static void
on_picture (GstRateScale *self, GstBuffer *buffer)
{
  gboolean due, changed;
  EncoderSays says;

  GST_OBJECT_LOCK (self);
  due = is_time_to_ask (self, buffer);
  GST_OBJECT_UNLOCK (self);
  if (!due || self->source_caps == NULL)
    return;
  says = ask_rate (self);
  tell_no_rate (self, says.bitrate);
  GST_OBJECT_LOCK (self);
  changed = judge (self, says);
  GST_OBJECT_UNLOCK (self);
  if (changed)
    take_step (self);
}

static GstPadProbeReturn
on_data (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstRateScale *self = data;
  GstEvent *event;
  GstCaps *caps;

  if (!(info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM)) {
    if (!self->refused) {
      on_picture (self, GST_PAD_PROBE_INFO_BUFFER (info));
      return GST_PAD_PROBE_OK;
    }
    gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (info));
    GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_NOT_NEGOTIATED;
    return GST_PAD_PROBE_HANDLED;
  }
  event = GST_PAD_PROBE_INFO_EVENT (info);
  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (event, &caps);
  on_caps (self, caps);
  return self->refused ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

/* A source that negotiates anew at each step would start anew. */
static GstPadProbeReturn
on_upstream (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstRateScale *self = data;
  gboolean ends =
      GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_RECONFIGURE && g_atomic_int_get (&self->stepping);

  return ends ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

static gboolean
is_encoder (GstPad *peer)
{
  GstElement *element = gst_pad_get_parent_element (peer);
  const gchar *klass = element ? gst_element_get_metadata (element, GST_ELEMENT_METADATA_KLASS) : NULL;
  gboolean is = klass && strstr (klass, "Encoder");

  g_clear_object (&element);
  return is;
}

/* Behind an encoder both pads can be linked, to be told that it is the wrong place; no other source is offered that. */
static gboolean
offers_encoded (GstRateScale *self, GstPad *pad)
{
  GstPad *peer = gst_pad_get_peer (self->sink);
  gboolean offers = peer ? is_encoder (peer) : pad == self->sink;

  g_clear_object (&peer);
  return offers;
}

static gboolean
pad_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstCaps *filter, *result, *all;
  gboolean ok = gst_pad_query_default (pad, parent, query);

  if (!ok || GST_QUERY_TYPE (query) != GST_QUERY_CAPS || !offers_encoded (GST_RATE_SCALE (parent), pad))
    return ok;
  gst_query_parse_caps (query, &filter);
  gst_query_parse_caps_result (query, &result);
  all = gst_caps_merge (gst_caps_ref (result), gst_caps_from_string (ENCODED_VIDEO));
  result = filter ? gst_caps_intersect_full (filter, all, GST_CAPS_INTERSECT_FIRST) : gst_caps_ref (all);
  gst_query_set_caps_result (query, result);
  gst_caps_unref (result);
  gst_caps_unref (all);
  return TRUE;
}

static gboolean
is_stepped (GstRateScale *self)
{
  GstCaps *caps;
  gboolean is;

  if (self->filter == NULL)
    return FALSE;
  g_object_get (self->filter, "caps", &caps, NULL);
  is = !gst_caps_is_any (caps);
  gst_caps_unref (caps);
  return is;
}

static gboolean
free_what_steps (GstCapsFeatures *features, GstStructure *s, gpointer data)
{
  gst_structure_remove_fields (s, "width", "height", "pixel-aspect-ratio", "framerate", NULL);
  return TRUE;
}

/* Of any size and frame rate: what the source asks comes before the caps that move the filter. */
static GstCaps *
caps_of_any_step (GstRateScale *self)
{
  GstPad *scale = gst_element_get_static_pad (self->scale, "sink");
  GstCaps *scaled = gst_pad_get_pad_template_caps (scale);
  GstCaps *taken = gst_caps_make_writable (gst_pad_peer_query_caps (self->src, NULL)), *both;

  gst_caps_map_in_place (taken, free_what_steps, NULL);
  both = gst_caps_intersect_full (taken, scaled, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (taken);
  gst_caps_unref (scaled);
  gst_object_unref (scale);
  return both;
}

static gboolean
sink_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  gboolean accepts = GST_QUERY_TYPE (query) == GST_QUERY_ACCEPT_CAPS;
  GstCaps *all, *asked, *result;

  if ((!accepts && GST_QUERY_TYPE (query) != GST_QUERY_CAPS) || !is_stepped (GST_RATE_SCALE (parent)))
    return pad_query (pad, parent, query);
  all = caps_of_any_step (GST_RATE_SCALE (parent));
  if (accepts) {
    gst_query_parse_accept_caps (query, &asked);
    gst_query_set_accept_caps_result (query, gst_caps_can_intersect (asked, all));
  } else {
    gst_query_parse_caps (query, &asked);
    result = asked ? gst_caps_intersect_full (asked, all, GST_CAPS_INTERSECT_FIRST) : gst_caps_ref (all);
    gst_query_set_caps_result (query, result);
    gst_caps_unref (result);
  }
  gst_caps_unref (all);
  return TRUE;
}

/* No data flows. */
static void
begin (GstRateScale *self)
{
  GstCaps *any = gst_caps_new_any ();

  if (self->filter)
    g_object_set (self->filter, "caps", any, NULL);
  gst_caps_unref (any);
  gst_clear_caps (&self->source_caps);
  self->refused = self->told_rate = FALSE;
  GST_OBJECT_LOCK (self);
  self->source = (PictureFormat){0, 0, 0, 1};
  self->can_step = FALSE;
  self->time = (StreamTime){.started = false};
  self->asked_at = 0;
  self->bitrate = 0;
  self->settings_changed = FALSE;
  picture_step_init (&self->step, &self->settings.step);
  GST_OBJECT_UNLOCK (self);
}

static GstStateChangeReturn
gst_rate_scale_change_state (GstElement *element, GstStateChange transition)
{
  GstRateScale *self = GST_RATE_SCALE (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY && self->filter == NULL) {
    GST_ELEMENT_ERROR (self, CORE, MISSING_PLUGIN,
        ("ratescale needs videorate, videoscale and capsfilter. Install GStreamer's base plug-ins."), (NULL));
    return GST_STATE_CHANGE_FAILURE;
  }
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    begin (self);
  result = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    begin (self);
  return result;
}

static void
gst_rate_scale_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRateScale *self = GST_RATE_SCALE (object);

  GST_OBJECT_LOCK (self);
  if (!rate_scale_settings_set (&self->settings, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  self->settings_changed |= id != PROP_RATE_SCALE_BITRATE;
  GST_OBJECT_UNLOCK (self);
}

static void
gst_rate_scale_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRateScale *self = GST_RATE_SCALE (object);
  RateScaleNow now;

  GST_OBJECT_LOCK (self);
  now = (RateScaleNow){&self->step, &self->source, self->bitrate};
  if (!rate_scale_settings_get (&self->settings, &now, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_rate_scale_finalize (GObject *object)
{
  gst_clear_caps (&GST_RATE_SCALE (object)->source_caps);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_rate_scale_class_init (GstRateScaleClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = gst_rate_scale_set_property;
  object_class->get_property = gst_rate_scale_get_property;
  object_class->finalize = gst_rate_scale_finalize;
  rate_scale_settings_install (object_class);
  element_class->change_state = gst_rate_scale_change_state;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Size and frame rate by rate", "Filter/Converter/Video/Scaler",
      "Steps the size and the frame rate of pictures down where their encoder's rate is too low for them",
      "GStreamer congestion control developers");
}

/* The ghost pads have targets only where all three elements are there. */
static void
fill (GstRateScale *self)
{
  GstElement *elements[] = {gst_element_factory_make ("videorate", NULL), gst_element_factory_make ("videoscale", NULL),
      gst_element_factory_make ("capsfilter", NULL)};
  gboolean complete = elements[0] && elements[1] && elements[2];
  GstPad *first, *end;

  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    if (elements[i] && (!complete || !gst_bin_add (GST_BIN (self), elements[i])))
      gst_object_unref (elements[i]);
  if (!complete)
    return;
  self->rate = elements[0];
  self->scale = elements[1];
  self->filter = elements[2];
  g_object_set (self->rate, "drop-only", TRUE, NULL);
  g_object_set (self->scale, "add-borders", FALSE, NULL);
  gst_element_link_many (self->rate, self->scale, self->filter, NULL);
  first = gst_element_get_static_pad (self->rate, "sink");
  end = gst_element_get_static_pad (self->filter, "src");
  gst_ghost_pad_set_target (GST_GHOST_PAD (self->sink), first);
  gst_ghost_pad_set_target (GST_GHOST_PAD (self->src), end);
  gst_object_unref (first);
  gst_object_unref (end);
}

static GstPad *
add_pad (GstRateScale *self, GstStaticPadTemplate *description)
{
  GstPadTemplate *template = gst_static_pad_template_get (description);
  GstPad *pad = gst_ghost_pad_new_no_target_from_template (GST_PAD_TEMPLATE_NAME_TEMPLATE (template), template);

  gst_object_unref (template);
  gst_element_add_pad (GST_ELEMENT (self), pad);
  return pad;
}

static void
gst_rate_scale_init (GstRateScale *self)
{
  rate_scale_settings_init (&self->settings);
  self->sink = add_pad (self, &sink_template);
  self->src = add_pad (self, &src_template);
  gst_pad_set_query_function (self->sink, sink_query);
  gst_pad_set_query_function (self->src, pad_query);
  fill (self);
  gst_pad_add_probe (self->sink, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_data, self, NULL);
  gst_pad_add_probe (self->sink, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, on_upstream, self, NULL);
  begin (self);
}
