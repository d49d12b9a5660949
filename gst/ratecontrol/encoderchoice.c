/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "encoderchoice.h"

#include "encoderquantizer.h"

#include <gst/congestion/congestion.h>
#include <gst/video/video.h>

gboolean
encoder_choice_is_controlled (const EncoderRow *row)
{
  return row && row->knob != ENCODER_KNOB_AT_START;
}

static const EncoderRow *
choose_row (const EncoderChoice *choice, const EncoderRow *known, guint unit)
{
  const gchar *property = choice->property;

  if (property && !encoder_knob_is_usable (choice->knob))
    return NULL;
  if (property && !(encoder_choice_is_controlled (known) && g_str_equal (known->property, property)))
    return encoder_knob_row (
        known, choice->encoder, property, unit ? unit : encoder_knob_unit (choice->encoder, property));
  if (known && unit > 0 && known->knob == ENCODER_KNOB_BITRATE)
    return encoder_knob_row (known, choice->encoder, known->property, unit);
  return known;
}

EncoderChoice
encoder_choice_make (GstElement *encoder, const gchar *property, guint unit)
{
  const EncoderRow *known = encoder_table_find (encoder);
  EncoderChoice choice = {encoder, NULL, g_strdup (property), ENCODER_KNOB_FINE};

  if (property && !(known && g_str_equal (known->property, property)))
    choice.knob = encoder_knob_check (encoder, property);
  choice.row = choose_row (&choice, known, unit);
  return choice;
}

void
encoder_choice_clear (EncoderChoice *choice)
{
  g_clear_pointer (&choice->property, g_free);
}

static void
tell_late (const EncoderChoice *choice, GstElement *teller, const gchar *late)
{
  if (late[0])
    GST_ELEMENT_WARNING (teller, LIBRARY, SETTINGS,
        ("The encoder %s runs already, and what a call needs cannot be set any more: %s. Set it when the encoder is "
         "made, or link it to ratecontrol before it is started.",
            GST_OBJECT_NAME (choice->encoder), late),
        (NULL));
}

gchar *
encoder_choice_prepare (const EncoderChoice *choice, GstElement *teller, guint *start)
{
  gboolean untouched = encoder_row_rate_is_default (choice->row, choice->encoder);
  EncoderConfigured done = encoder_row_configure (choice->row, choice->encoder);

  tell_late (choice, teller, done.late->str);
  g_string_free (done.late, TRUE);
  *start = untouched ? *start : 0;
  if (*start > 0) {
    if (choice->row->knob != ENCODER_KNOB_QUALITY)
      encoder_row_set (choice->row, choice->encoder, *start);
    g_string_append_printf (done.set, "%s" ENCODER_START_SETTING "=%u", done.set->len ? " " : "", *start);
  }
  if (done.set->len > 0)
    GST_INFO_OBJECT (
        teller, "prepared %" GST_PTR_FORMAT " for changes while it runs: %s", choice->encoder, done.set->str);
  return g_string_free (done.set, FALSE);
}

gboolean
encoder_choice_may_prepare (GstElement *encoder)
{
  gboolean may;

  GST_OBJECT_LOCK (encoder);
  may = GST_STATE (encoder) <= GST_STATE_READY;
  GST_OBJECT_UNLOCK (encoder);
  return may;
}

gboolean
encoder_choice_tell_knob (const EncoderChoice *choice, GstElement *teller)
{
  static const gchar *const mistakes[] = {[ENCODER_KNOB_MISSING] = "has no property %s; its rate is not controlled",
      [ENCODER_KNOB_NO_NUMBER] = "has a property %s that is no number; its rate is not controlled",
      [ENCODER_KNOB_READ_ONLY] = "has a property %s that is only read; its rate is not controlled",
      [ENCODER_KNOB_NOT_LIVE] = "says that its property %s is not changed while it plays; it is set all the same"};
  gchar *text, *others;

  if (choice->knob == ENCODER_KNOB_FINE)
    return FALSE;
  others = encoder_knob_candidates (choice->encoder);
  text = g_strdup_printf (mistakes[choice->knob], choice->property);
  GST_ELEMENT_WARNING (teller, LIBRARY, SETTINGS,
      ("The encoder %s %s. Set bitrate-property to one that takes a rate while it plays (it has: %s), and "
       "bitrate-unit "
       "to the bit/s that 1 of it stands for.",
          GST_OBJECT_NAME (choice->encoder), text, others[0] ? others : "none that looks like it"),
      (NULL));
  g_free (text);
  g_free (others);
  return TRUE;
}

static gboolean
is_420 (const GstVideoInfo *info)
{
  const GstVideoFormatInfo *format = info->finfo;

  return GST_VIDEO_FORMAT_INFO_N_COMPONENTS (format) >= 3 && GST_VIDEO_FORMAT_INFO_W_SUB (format, 1) == 1 &&
         GST_VIDEO_FORMAT_INFO_H_SUB (format, 1) == 1 && GST_VIDEO_FORMAT_INFO_DEPTH (format, 0) == 8;
}

static void
tell_raw_format (GstElement *encoder, GstElement *teller)
{
  GstPad *pad = gst_element_get_static_pad (encoder, "sink");
  GstCaps *caps = pad ? gst_pad_get_current_caps (pad) : NULL;
  GstVideoInfo info;

  if (caps && gst_structure_has_name (gst_caps_get_structure (caps, 0), "video/x-raw") &&
      gst_video_info_from_caps (&info, caps) && !is_420 (&info))
    GST_ELEMENT_WARNING (teller, STREAM, FORMAT,
        ("The encoder is fed %s; many receivers decode only 8-bit 4:2:0. Put \"videoconvert ! "
         "video/x-raw,format=I420\" "
         "before %s.",
            GST_VIDEO_INFO_NAME (&info), GST_OBJECT_NAME (encoder)),
        (NULL));
  gst_clear_caps (&caps);
  g_clear_object (&pad);
}

void
encoder_choice_tell (const EncoderChoice *choice, GstElement *teller, gboolean wants_quantizer)
{
  const EncoderRow *row = choice->row;
  const gchar *caution = row ? encoder_row_caution (row, choice->encoder) : NULL;

  if (choice->encoder == NULL)
    GST_ELEMENT_WARNING (teller, RESOURCE, NOT_FOUND,
        ("No video encoder found upstream; the rate is not controlled. Put ratecontrol behind the encoder, or name it "
         "by the property encoder."),
        (NULL));
  else if (encoder_choice_tell_knob (choice, teller))
    GST_INFO_OBJECT (teller, "bitrate-property is wrong");
  else if (row == NULL)
    GST_ELEMENT_WARNING (teller, LIBRARY, SETTINGS,
        ("The encoder %s is not known; the rate is not controlled. Name the property that takes its rate by "
         "bitrate-property, with bitrate-unit.",
            GST_OBJECT_NAME (choice->encoder)),
        ("Or use x264enc, vp8enc, vp9enc, openh264enc, jpegenc or another listed in the documentation of ratecontrol, "
         "or "
         "set this encoder from the application by the event " GST_RATE_EVENT_NAME "."));
  else if (caution)
    GST_ELEMENT_WARNING (teller, LIBRARY, SETTINGS, ("The encoder will not follow the network. %s.", caution), (NULL));
  else if (wants_quantizer && encoder_quantizer_find (row) == NULL)
    GST_ELEMENT_WARNING (teller, LIBRARY, SETTINGS,
        ("The encoder %s takes no quantizer while it runs; its bitrate is set. Use vp8enc, vp9enc or jpegenc with "
         "mode=quantizer, or mode=bitrate.",
            GST_OBJECT_NAME (choice->encoder)),
        (NULL));
  if (row)
    tell_raw_format (choice->encoder, teller);
}
