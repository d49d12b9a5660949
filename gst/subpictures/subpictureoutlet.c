/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "subpictureoutlet.h"
#include "subpictureplanes.h"

void
subpicture_outlet_init (SubpictureOutlet *o, GstPad *pad, GMutex *lock)
{
  o->pad = pad;
  o->lock = lock;
  o->result = GST_FLOW_FLUSHING;
  g_cond_init (&o->changed);
  g_queue_init (&o->items);
}

void
subpicture_outlet_finalize (SubpictureOutlet *o)
{
  subpicture_outlet_reset (o);
  g_cond_clear (&o->changed);
}

void
subpicture_outlet_wake (SubpictureOutlet *o)
{
  g_cond_broadcast (&o->changed);
}

/* ---- what is put in ---- */

/* Nothing goes any more; a flush is over some time. */
static gboolean
has_failed (const SubpictureOutlet *o)
{
  return o->result != GST_FLOW_OK && o->result != GST_FLOW_FLUSHING;
}

static void
put (SubpictureOutlet *o, gpointer item)
{
  g_queue_push_tail (&o->items, item);
  subpicture_outlet_wake (o);
}

static void
put_stream_start (SubpictureOutlet *o)
{
  gchar *id;

  if (o->started)
    return;
  id = g_strdup_printf ("subpicturemerge-%08x%08x", g_random_int (), g_random_int ());
  put (o, gst_event_new_stream_start (id));
  o->started = TRUE;
  g_free (id);
}

static void
put_segment (SubpictureOutlet *o)
{
  GstSegment segment;

  if (o->has_segment)
    return;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  put (o, gst_event_new_segment (&segment));
  o->has_segment = TRUE;
}

void
subpicture_outlet_put (SubpictureOutlet *o, GstCaps *caps, GstBuffer *buffer)
{
  if (has_failed (o)) {
    gst_buffer_unref (buffer);
    return;
  }
  put_stream_start (o);
  if (o->caps == NULL || !gst_caps_is_equal (o->caps, caps)) {
    put (o, gst_event_new_caps (caps));
    gst_caps_replace (&o->caps, caps);
  }
  put_segment (o);
  put (o, buffer);
}

void
subpicture_outlet_put_eos (SubpictureOutlet *o)
{
  o->ended = TRUE;
  if (has_failed (o))
    return;
  put_stream_start (o);
  put (o, gst_event_new_eos ());
}

GstClockTime
subpicture_outlet_span (const SubpictureOutlet *o)
{
  const GstBuffer *oldest = NULL, *newest = NULL;

  for (const GList *l = o->items.head; l != NULL && oldest == NULL; l = l->next)
    oldest = GST_IS_BUFFER (l->data) ? l->data : NULL;
  for (const GList *l = o->items.tail; l != NULL && newest == NULL; l = l->prev)
    newest = GST_IS_BUFFER (l->data) ? l->data : NULL;
  return oldest != NULL ? GST_BUFFER_PTS (newest) - GST_BUFFER_PTS (oldest) : 0;
}

/* ---- what is dropped ---- */

/* What had not left goes again. */
static void
drop (SubpictureOutlet *o)
{
  g_queue_clear_full (&o->items, (GDestroyNotify)gst_mini_object_unref);
  gst_clear_caps (&o->caps);
  o->caps = gst_pad_get_current_caps (o->pad);
  o->started = subpicture_pad_has_sent (o->pad, GST_EVENT_STREAM_START);
  o->has_segment = subpicture_pad_has_sent (o->pad, GST_EVENT_SEGMENT);
}

void
subpicture_outlet_reset (SubpictureOutlet *o)
{
  g_queue_clear_full (&o->items, (GDestroyNotify)gst_mini_object_unref);
  gst_clear_caps (&o->caps);
  o->started = o->has_segment = o->ended = FALSE;
}

gboolean
subpicture_outlet_fails_unheard (SubpictureOutlet *o)
{
  gboolean fails = o->result == GST_FLOW_NOT_LINKED || o->result < GST_FLOW_EOS;

  if (!fails || !o->ended)
    return FALSE;
  o->ended = FALSE;
  return TRUE;
}

/* ---- the thread ---- */

static gpointer
take (SubpictureOutlet *o)
{
  gpointer item = NULL;

  g_mutex_lock (o->lock);
  while (o->result == GST_FLOW_OK && (item = g_queue_pop_head (&o->items)) == NULL)
    g_cond_wait (&o->changed, o->lock);
  subpicture_outlet_wake (o);
  g_mutex_unlock (o->lock);
  return item;
}

static GstFlowReturn
push (SubpictureOutlet *o, gpointer item)
{
  if (item == NULL)
    return GST_FLOW_OK;
  if (GST_IS_BUFFER (item))
    return gst_pad_push (o->pad, GST_BUFFER (item));
  gst_pad_push_event (o->pad, GST_EVENT (item));
  return GST_FLOW_OK;
}

static void
loop (gpointer user)
{
  SubpictureOutlet *o = user;
  GstFlowReturn ret = push (o, take (o));
  gboolean unheard;

  g_mutex_lock (o->lock);
  if (ret != GST_FLOW_OK && o->result == GST_FLOW_OK) {
    o->result = ret;
    drop (o);
    subpicture_outlet_wake (o);
  }
  ret = o->result;
  if (ret != GST_FLOW_OK)
    gst_pad_pause_task (o->pad); /* with the lock: whoever starts it does so after this */
  unheard = subpicture_outlet_fails_unheard (o);
  g_mutex_unlock (o->lock);
  if (unheard) {
    GST_ELEMENT_FLOW_ERROR (GST_PAD_PARENT (o->pad), ret);
    gst_pad_push_event (o->pad, gst_event_new_eos ());
  }
}

static gboolean
start (SubpictureOutlet *o)
{
  g_mutex_lock (o->lock);
  o->active = TRUE;
  o->result = GST_FLOW_OK;
  subpicture_outlet_wake (o);
  g_mutex_unlock (o->lock);
  return gst_pad_start_task (o->pad, loop, o, NULL);
}

gboolean
subpicture_outlet_set_active (SubpictureOutlet *o, gboolean active)
{
  if (active)
    return start (o);
  g_mutex_lock (o->lock);
  o->active = FALSE;
  o->result = GST_FLOW_FLUSHING;
  subpicture_outlet_wake (o);
  g_mutex_unlock (o->lock);
  return gst_pad_stop_task (o->pad);
}

void
subpicture_outlet_reconfigure (SubpictureOutlet *o)
{
  gboolean starts;

  g_mutex_lock (o->lock);
  starts = o->result == GST_FLOW_NOT_LINKED;
  g_mutex_unlock (o->lock);
  if (starts)
    start (o);
}

void
subpicture_outlet_flush_start (SubpictureOutlet *o, GstEvent *event)
{
  g_mutex_lock (o->lock);
  o->result = GST_FLOW_FLUSHING;
  subpicture_outlet_wake (o);
  g_mutex_unlock (o->lock);
  gst_pad_push_event (o->pad, event);
  gst_pad_pause_task (o->pad);
  g_mutex_lock (o->lock);
  drop (o);
  o->has_segment = o->ended = FALSE;
  g_mutex_unlock (o->lock);
}

void
subpicture_outlet_flush_stop (SubpictureOutlet *o, GstEvent *event)
{
  gst_pad_push_event (o->pad, event);
  if (GST_PAD_MODE (o->pad) == GST_PAD_MODE_PUSH)
    start (o);
}
