/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpaqmstream.h"

static gboolean
collect (GstPad *pad, GstEvent **event, gpointer user)
{
  if (GST_EVENT_TYPE (*event) != GST_EVENT_STREAM_START && GST_EVENT_TYPE (*event) != GST_EVENT_EOS)
    g_ptr_array_add (user, gst_event_ref (*event));
  return TRUE;
}

GstPaqmStream *
gst_paqm_stream_new (GstPad *pad)
{
  GstPaqmStream *stream = g_new0 (GstPaqmStream, 1);
  GPtrArray *events = g_ptr_array_new ();

  gst_pad_sticky_events_foreach (pad, collect, events);
  stream->refs = 1;
  stream->n = events->len;
  stream->events = (GstEvent **)g_ptr_array_free (events, FALSE);
  return stream;
}

GstPaqmStream *
gst_paqm_stream_ref (GstPaqmStream *stream)
{
  g_atomic_int_inc (&stream->refs);
  return stream;
}

void
gst_paqm_stream_unref (GstPaqmStream *stream)
{
  guint i;

  if (stream == NULL || !g_atomic_int_dec_and_test (&stream->refs))
    return;
  for (i = 0; i < stream->n; i++)
    gst_event_unref (stream->events[i]);
  g_free (stream->events);
  g_free (stream);
}

static gboolean
says_the_same (GstEvent *a, GstEvent *b)
{
  GstCaps *caps_a, *caps_b;
  const GstSegment *segment_a, *segment_b;

  if (a == b)
    return TRUE;
  if (GST_EVENT_TYPE (a) == GST_EVENT_CAPS) {
    gst_event_parse_caps (a, &caps_a);
    gst_event_parse_caps (b, &caps_b);
    return gst_caps_is_strictly_equal (caps_a, caps_b);
  }
  if (GST_EVENT_TYPE (a) != GST_EVENT_SEGMENT)
    return FALSE;
  gst_event_parse_segment (a, &segment_a);
  gst_event_parse_segment (b, &segment_b);
  return gst_segment_is_equal (segment_a, segment_b);
}

/* Pads that take turns have the same caps and segment, mostly. */
void
gst_paqm_stream_push (const GstPaqmStream *stream, GstPad *srcpad)
{
  guint i;

  for (i = 0; i < stream->n; i++) {
    GstEventType type = GST_EVENT_TYPE (stream->events[i]);
    gboolean one_of_a_kind = type == GST_EVENT_CAPS || type == GST_EVENT_SEGMENT;
    GstEvent *before = one_of_a_kind ? gst_pad_get_sticky_event (srcpad, type, 0) : NULL;

    if (before == NULL || !says_the_same (before, stream->events[i]))
      gst_pad_push_event (srcpad, gst_event_ref (stream->events[i]));
    g_clear_pointer (&before, gst_event_unref);
  }
}

GstEvent *
gst_paqm_stream_start (guint64 element, const gchar *name)
{
  gchar *id = g_strdup_printf ("%016" G_GINT64_MODIFIER "x/%s", element, name);
  GstEvent *event = gst_event_new_stream_start (id);

  gst_event_set_group_id (event, gst_util_group_id_next ());
  g_free (id);
  return event;
}
