/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-newpred
 * @title: newpred
 *
 * Repairs VP8 without key pictures: vp8enc predicts from pictures that the receiver has, as its newpredreport says
 * (NEWPRED, reference picture selection; RFC 4586 7). The decoder needs to know nothing of it.
 *
 * <!-- printed: on A, beside newpred-receiver -->
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! vp8enc deadline=1 ! newpred ! ratecontrol ! rtpvp8pay ! tfrcsink host=B
 * port=5004
 * ]|
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstnewpred.h"

#include "encoderfinder.h"
#include "gstpictureevent.h"
#include "vp8encreferences.h"

#include <gst/video/video.h>

GST_DEBUG_CATEGORY_STATIC (newpred_debug);
#define GST_CAT_DEFAULT newpred_debug

#define DEFAULT_MODE REFERENCE_AUTO
#define FARTHEST 16 /* elements looked at for the payloader */

enum { PROP_0, PROP_MODE, PROP_STATS };

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-vp8"));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-vp8"));

GType
gst_newpred_mode_get_type (void)
{
  static const GEnumValue values[] = {
      {REFERENCE_AUTO, "nack, and ack while that would leave most pictures damaged", "auto"},
      {REFERENCE_NACK, "Predict from everything that is not known to be damaged: no cost without loss", "nack"},
      {REFERENCE_ACK, "Predict from what is known to have arrived: a loss damages no other picture", "ack"},
      {0, NULL, NULL}};
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstNewpredMode", values));
  return (GType)type;
}

G_DEFINE_TYPE_WITH_CODE (GstNewpred, gst_newpred, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (newpred_debug, "newpred", 0, "Choice of references"));
GST_ELEMENT_REGISTER_DEFINE (newpred, "newpred", GST_RANK_NONE, GST_TYPE_NEWPRED);

/* ---- the encoder's thread ---- */

static void
ask_for_key_picture (GstPad *out)
{
  gst_pad_send_event (out, gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, TRUE, 0));
}

/* A picture is about to be coded: the newest verdicts count. */
static GstPadProbeReturn
before_picture (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstNewpred *self = user;
  GstElement *encoder = NULL;
  GstPad *out = NULL;
  ReferencePlan plan;

  g_mutex_lock (&self->lock);
  plan = self->plan = reference_choice_plan (&self->choice);
  if (self->encoder != NULL) {
    encoder = gst_object_ref (self->encoder);
    out = gst_object_ref (self->out);
  }
  g_mutex_unlock (&self->lock);
  if (encoder == NULL)
    return GST_PAD_PROBE_OK;
  vp8enc_references_set (encoder, &plan);
  if (plan.key)
    ask_for_key_picture (out);
  gst_object_unref (encoder);
  gst_object_unref (out);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
after_picture (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstNewpred *self = user;
  gboolean key = !GST_BUFFER_FLAG_IS_SET (GST_PAD_PROBE_INFO_BUFFER (info), GST_BUFFER_FLAG_DELTA_UNIT);
  guint64 number;

  g_mutex_lock (&self->lock);
  number = reference_choice_on_picture (&self->choice, &self->plan, key);
  GST_LOG_OBJECT (self, "picture %" G_GUINT64_FORMAT "%s: from %x into %x", number, key ? ", key" : "", self->plan.from,
      self->plan.into);
  g_mutex_unlock (&self->lock);
  return GST_PAD_PROBE_OK;
}

/* ---- finding the encoder ---- */

static void
let_go (GstNewpred *self)
{
  GstStructure *found;
  GstElement *encoder;
  GstPad *in, *out;
  gulong in_probe, out_probe;

  g_mutex_lock (&self->lock);
  encoder = g_steal_pointer (&self->encoder);
  found = g_steal_pointer (&self->found);
  in = g_steal_pointer (&self->in);
  out = g_steal_pointer (&self->out);
  in_probe = self->in_probe;
  out_probe = self->out_probe;
  g_mutex_unlock (&self->lock);
  if (encoder == NULL)
    return;
  gst_pad_remove_probe (in, in_probe);
  gst_pad_remove_probe (out, out_probe);
  vp8enc_references_end (encoder, found);
  gst_object_unref (in);
  gst_object_unref (out);
  gst_object_unref (encoder);
}

static void
take (GstNewpred *self, GstElement *encoder)
{
  GstStructure *found = NULL;
  const gchar *caution = vp8enc_references_begin (encoder, &found);

  if (caution != NULL) {
    GST_ELEMENT_WARNING (self, STREAM, ENCODE, ("%s", caution), ("%s is left alone.", GST_ELEMENT_NAME (encoder)));
    return;
  }
  g_mutex_lock (&self->lock);
  reference_choice_init (&self->choice, self->mode);
  self->encoder = gst_object_ref (encoder);
  self->found = found;
  self->in = gst_element_get_static_pad (encoder, "sink");
  self->out = gst_element_get_static_pad (encoder, "src");
  self->in_probe =
      gst_pad_add_probe (self->in, GST_PAD_PROBE_TYPE_BUFFER, before_picture, gst_object_ref (self), gst_object_unref);
  self->out_probe =
      gst_pad_add_probe (self->out, GST_PAD_PROBE_TYPE_BUFFER, after_picture, gst_object_ref (self), gst_object_unref);
  g_mutex_unlock (&self->lock);
  GST_INFO_OBJECT (self, "references of %s", GST_ELEMENT_NAME (encoder));
}

/* At the start, and again with the first event of a stream, when everything is linked. */
static void
find_encoder (GstNewpred *self, gboolean last_time)
{
  GstElement *encoder = encoder_finder_search (self->sinkpad), *before;

  g_mutex_lock (&self->lock);
  before = self->encoder;
  g_mutex_unlock (&self->lock);
  if (encoder != before)
    let_go (self);
  if (encoder != NULL && encoder != before && vp8enc_references_can (encoder))
    take (self, encoder);
  else if (encoder != NULL && encoder != before)
    GST_ELEMENT_WARNING (self, STREAM, ENCODE,
        ("newpred chooses the references of vp8enc and knows no other encoder. Put it behind a vp8enc, or leave it "
         "out."),
        ("Found %s.", GST_ELEMENT_NAME (encoder)));
  else if (encoder == NULL && last_time)
    GST_ELEMENT_WARNING (self, STREAM, ENCODE,
        ("There is no encoder upstream whose references could be chosen. Put newpred behind a vp8enc."), (NULL));
  g_clear_object (&encoder);
}

/* ---- PictureIDs ---- */

static GstElement *
element_behind (GstPad *src_pad)
{
  GstPad *peer = gst_pad_get_peer (src_pad);
  GstElement *element;

  while (peer != NULL && GST_IS_GHOST_PAD (peer)) {
    GstPad *target = gst_ghost_pad_get_target (GST_GHOST_PAD (peer));

    gst_object_unref (peer);
    peer = target;
  }
  element = peer != NULL ? gst_pad_get_parent_element (peer) : NULL;
  g_clear_object (&peer);
  return element;
}

static GstElement *
find_payloader (GstNewpred *self)
{
  GstElement *element = element_behind (self->srcpad);

  for (guint i = 0; element != NULL && i < FARTHEST; i++) {
    GstPad *src;

    if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), "picture-id-offset") != NULL)
      return element;
    src = gst_element_get_static_pad (element, "src");
    gst_object_unref (element);
    element = src != NULL ? element_behind (src) : NULL;
    g_clear_object (&src);
  }
  g_clear_object (&element);
  return NULL;
}

/* Pictures are named by counting from the payloader's first number, so that has to be known. Setting it makes the
   payloader begin with it again; at a flush some do so by themselves, and some (GStreamer 1.24 on) go on. */
static void
agree_on_numbers (GstNewpred *self)
{
  GstElement *payloader = find_payloader (self);
  gint mode = 0, offset = -1;

  self->numbered = TRUE;
  if (payloader == NULL) {
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("No payloader behind numbers the pictures, so the receiver cannot name them. Put rtpvp8pay behind newpred."),
        (NULL));
    return;
  }
  g_object_get (payloader, "picture-id-mode", &mode, "picture-id-offset", &offset, NULL);
  if (mode == 0)
    gst_util_set_object_arg (G_OBJECT (payloader), "picture-id-mode", "15-bit");
  offset = MAX (offset, 0);
  g_object_set (payloader, "picture-id-offset", offset, NULL);
  g_mutex_lock (&self->lock);
  self->id_bits = mode == 1 ? 7 : 15;
  self->id_offset = (guint)offset;
  g_mutex_unlock (&self->lock);
  gst_object_unref (payloader);
}

/* ---- the stream ---- */

static GstFlowReturn
chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstNewpred *self = GST_NEWPRED (parent);

  if (!self->numbered)
    agree_on_numbers (self);
  return gst_pad_push (self->srcpad, buffer);
}

static gboolean
sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstNewpred *self = GST_NEWPRED (parent);

  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_STREAM_START:
    find_encoder (self, TRUE);
    break;
  case GST_EVENT_FLUSH_STOP: /* the encoder begins anew, and so do the numbers */
    self->numbered = FALSE;
    g_mutex_lock (&self->lock);
    reference_choice_init (&self->choice, self->mode);
    g_mutex_unlock (&self->lock);
    break;
  case GST_EVENT_GAP: /* payloaders of GStreamer 1.24 on count it as a picture */
    gst_event_unref (event);
    return TRUE;
  default:
    break;
  }
  return gst_pad_event_default (pad, parent, event);
}

static void
on_verdict (GstNewpred *self, const GstPictureInfo *info)
{
  guint bits, mask;

  g_mutex_lock (&self->lock);
  bits = MIN (info->bits, self->id_bits);
  mask = (1u << bits) - 1;
  if (bits > 0)
    reference_choice_on_verdict (
        &self->choice, reference_choice_find (&self->choice, (info->id - self->id_offset) & mask, bits), info->arrived);
  g_mutex_unlock (&self->lock);
}

/* TRUE: references are the answer. A receiver that says nothing of pictures gets its key pictures. */
static gboolean
answer_request (GstNewpred *self)
{
  gboolean silent, warn, answered;

  g_mutex_lock (&self->lock);
  silent = self->choice.stats.arrived + self->choice.stats.lost == 0;
  answered = self->encoder != NULL && !reference_choice_on_picture_loss (&self->choice);
  answered ? self->held++ : self->passed++;
  warn = silent && self->choice.next > REFERENCE_PICTURES && !self->warned_silent;
  self->warned_silent |= warn;
  g_mutex_unlock (&self->lock);
  if (warn)
    GST_ELEMENT_WARNING (self, STREAM, ENCODE,
        ("The receiver asks for key pictures and says nothing of the others, so losses are repaired by key pictures. "
         "It "
         "needs \"tfrcsrc ! newpredreport ! rtpvp8depay\"."),
        (NULL));
  return answered;
}

/* tfrcsink has left out pictures that would have come too late. */
static gboolean
was_skipped (GstEvent *event)
{
  gboolean skipped = FALSE;

  return gst_structure_get_boolean (gst_event_get_structure (event), GST_PICTURE_SKIPPED_FIELD, &skipped) && skipped;
}

static gboolean
answer_skip (GstNewpred *self)
{
  gboolean answered;

  g_mutex_lock (&self->lock);
  answered = self->encoder != NULL && self->choice.stats.arrived > 0;
  if (answered)
    reference_choice_on_skipped (&self->choice);
  answered ? self->held++ : self->passed++;
  g_mutex_unlock (&self->lock);
  return answered;
}

static gboolean
src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstNewpred *self = GST_NEWPRED (parent);
  GstPictureInfo info;
  gboolean done = FALSE;

  if (gst_picture_event_parse (event, &info)) {
    on_verdict (self, &info);
    done = TRUE;
  } else if (gst_video_event_is_force_key_unit (event)) {
    done = was_skipped (event) ? answer_skip (self) : answer_request (self);
  }
  if (!done)
    return gst_pad_event_default (pad, parent, event);
  gst_event_unref (event);
  return TRUE;
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstNewpred *self = GST_NEWPRED (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    self->numbered = FALSE;
    g_mutex_lock (&self->lock);
    self->warned_silent = FALSE;
    self->id_bits = 0;
    self->held = self->passed = 0;
    reference_choice_init (&self->choice, self->mode);
    g_mutex_unlock (&self->lock);
    find_encoder (self, FALSE);
  }
  ret = GST_ELEMENT_CLASS (gst_newpred_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    let_go (self);
  return ret;
}

/* ---- properties ---- */

static GstStructure *
make_stats (GstNewpred *self)
{
  const ReferenceStats *s = &self->choice.stats;

  return gst_structure_new (GST_NEWPRED_STATS_NAME, "pictures", G_TYPE_UINT64, s->pictures, "key-pictures",
      G_TYPE_UINT64, s->keys, "arrived", G_TYPE_UINT64, s->arrived, "lost", G_TYPE_UINT64, s->lost, "repairs",
      G_TYPE_UINT64, s->repairs, "ignored", G_TYPE_UINT64, s->ignored, "requests-answered", G_TYPE_UINT64, self->held,
      "requests-passed", G_TYPE_UINT64, self->passed, "delay", G_TYPE_UINT, self->choice.delay, "mode", G_TYPE_STRING,
      self->choice.in_force == REFERENCE_ACK ? "ack" : "nack", NULL);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstNewpred *self = GST_NEWPRED (object);

  if (id != PROP_MODE) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    return;
  }
  g_mutex_lock (&self->lock);
  self->mode = (ReferenceMode)g_value_get_enum (value);
  reference_choice_set_mode (&self->choice, self->mode);
  g_mutex_unlock (&self->lock);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstNewpred *self = GST_NEWPRED (object);

  g_mutex_lock (&self->lock);
  if (id == PROP_MODE)
    g_value_set_enum (value, (gint)self->mode);
  else if (id == PROP_STATS)
    g_value_take_boxed (value, make_stats (self));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  g_mutex_unlock (&self->lock);
}

static void
finalize (GObject *object)
{
  g_mutex_clear (&GST_NEWPRED (object)->lock);
  G_OBJECT_CLASS (gst_newpred_parent_class)->finalize (object);
}

static void
gst_newpred_class_init (GstNewpredClass *klass)
{
  GObjectClass *gobject = G_OBJECT_CLASS (klass);
  GstElementClass *element = GST_ELEMENT_CLASS (klass);

  gobject->set_property = set_property;
  gobject->get_property = get_property;
  gobject->finalize = finalize;
  element->change_state = change_state;
  g_object_class_install_property (gobject, PROP_MODE,
      g_param_spec_enum ("mode", "Mode", "Which pictures the next one may be predicted from", GST_TYPE_NEWPRED_MODE,
          DEFAULT_MODE, (GParamFlags)(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)));
  g_object_class_install_property (gobject, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics", "Pictures coded, told of, repaired; requests for key pictures",
          GST_TYPE_STRUCTURE, (GParamFlags)(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
  gst_element_class_add_static_pad_template (element, &sink_template);
  gst_element_class_add_static_pad_template (element, &src_template);
  gst_element_class_set_static_metadata (element, "Choice of references", "Filter/Network/Video",
      "Lets vp8enc predict from pictures that the receiver has, so that losses need no key pictures; the receiver "
      "needs "
      "newpredreport",
      "GStreamer congestion control developers");
  gst_type_mark_as_plugin_api (GST_TYPE_NEWPRED_MODE, (GstPluginAPIFlags)0);
}

static void
gst_newpred_init (GstNewpred *self)
{
  g_mutex_init (&self->lock);
  self->mode = DEFAULT_MODE;
  reference_choice_init (&self->choice, self->mode);
  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_chain_function (self->sinkpad, chain);
  gst_pad_set_event_function (self->sinkpad, sink_event);
  gst_pad_set_event_function (self->srcpad, src_event);
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  GST_PAD_SET_PROXY_ALLOCATION (self->sinkpad);
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}
