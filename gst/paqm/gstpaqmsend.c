/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets leave: as fast as the link is set to be, or, where its capacity is not known, as fast as downstream takes
   them. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpaqmprivate.h"

#define BATCH 32
#define LONGEST_WAIT (600 * GST_SECOND)

/* What the thread does in one round. */
typedef struct {
  GstEvent *start; /* stream-start; NULL: not now */
  GstPaqmStream *stream;
  gboolean stream_is_new, eos;
  GstPaqmItem items[BATCH]; /* packets, or one event; of one stream */
  guint n;
  gint queue; /* of the one packet whose departure is yet to be told; -1: none */
  GstStructure *stats;
} Round;

static gboolean
is_event (const GstPaqmItem *item)
{
  return item->size_bytes == 0;
}

static void
item_clear (GstPaqmItem *item)
{
  gst_mini_object_unref (item->object);
  gst_paqm_stream_unref (item->stream);
}

void
gst_paqm_shaper_clear_queues (GstPaqmShaper *self)
{
  GstPaqmItem *item;
  guint i;

  for (i = 0; i < PAQM_CLASSES; i++)
    while ((item = gst_cc_deque_pop_head_struct (self->fifo[i])) != NULL)
      item_clear (item);
  paqm_on_flush (self->paqm);
  link_slots_on_idle (&self->slots);
  gst_paqm_stream_unref (self->sent_stream);
  self->sent_stream = NULL;
}

void
gst_paqm_shaper_wake_before (GstPaqmShaper *self, GstClockTime at)
{
  if (self->wait_id != NULL && self->wait_until > at) {
    self->wait_until = at;
    gst_clock_id_unschedule (self->wait_id);
  }
}

void
gst_paqm_shaper_run_periods (GstPaqmShaper *self, GstClockTime now)
{
  if (paqm_next_timeout (self->paqm) > now || !paqm_on_timeout (self->paqm, now))
    return;
  self->tell_due = TRUE;
  g_cond_signal (&self->tell);
}

/* ---- what goes now ---- */

static gboolean
queues_empty (GstPaqmShaper *self)
{
  return gst_cc_deque_is_empty (self->fifo[PAQM_MEDIA]) && gst_cc_deque_is_empty (self->fifo[PAQM_ELASTIC]);
}

/* The FIFO whose head goes next; an event goes at once. */
static gint
next_queue (GstPaqmShaper *self)
{
  uint32_t heads[PAQM_CLASSES] = {0};
  gint i;

  for (i = 0; i < PAQM_CLASSES; i++) {
    GstPaqmItem *head = gst_cc_deque_peek_head_struct (self->fifo[i]);

    if (head != NULL && is_event (head))
      return i;
    heads[i] = head != NULL ? head->size_bytes : 0;
  }
  return paqm_next (self->paqm, heads);
}

static gboolean
is_measured (GstPaqmShaper *self)
{
  return self->applied.capacity == 0;
}

static void
take_item (GstPaqmShaper *self, gint queue, GstClockTime now, Round *r)
{
  GstPaqmItem *item = &r->items[r->n++];

  *item = *(GstPaqmItem *)gst_cc_deque_pop_head_struct (self->fifo[queue]);
  if (is_event (item))
    return;
  gst_paqm_delay_note (&self->delay[item->media ? PAQM_MEDIA : PAQM_ELASTIC], cc_time_since (now, item->at));
  link_slots_on_departure (&self->slots, item->size_bytes, now);
  if (is_measured (self))
    r->queue = queue;
  else
    paqm_on_departure (self->paqm, queue, item->size_bytes, now);
  if (queues_empty (self))
    link_slots_on_idle (&self->slots);
}

static void
take_items (GstPaqmShaper *self, GstClockTime now, Round *r)
{
  while (r->n < BATCH && r->queue < 0) {
    gint queue = next_queue (self);
    GstPaqmItem *head = queue >= 0 ? gst_cc_deque_peek_head_struct (self->fifo[queue]) : NULL;

    if (head == NULL || (r->n > 0 && (is_event (head) || head->stream != r->items[0].stream)))
      return;
    if (!is_event (head) && !link_slots_may_send (&self->slots, now))
      return;
    take_item (self, queue, now, r);
    if (is_event (&r->items[0]))
      return;
  }
}

GstEvent *
gst_paqm_shaper_new_stream_start (GstPaqmShaper *self, const gchar *name)
{
  gchar *id = g_strdup_printf ("%016" G_GINT64_MODIFIER "x/%s", self->key[1], name);
  GstEvent *event = gst_event_new_stream_start (id);

  gst_event_set_group_id (event, gst_util_group_id_next ());
  g_free (id);
  return event;
}

static void
take_stream (GstPaqmShaper *self, Round *r)
{
  GstPaqmStream *stream = r->n > 0 ? r->items[0].stream : NULL;

  if (!self->started && (stream != NULL || r->eos)) {
    r->start = gst_paqm_shaper_new_stream_start (self, "src");
    self->started = TRUE;
  }
  if (stream == NULL || stream == self->sent_stream)
    return;
  r->stream_is_new = TRUE;
  r->stream = gst_paqm_stream_ref (stream);
  gst_paqm_stream_unref (self->sent_stream);
  self->sent_stream = gst_paqm_stream_ref (stream);
}

static void
take_round (GstPaqmShaper *self, GstClockTime now, Round *r)
{
  *r = (Round){.queue = -1};
  gst_paqm_shaper_run_periods (self, now);
  take_items (self, now, r);
  if (r->n == 0 && queues_empty (self) && self->sinks > 0 && self->sinks_at_eos == self->sinks && !self->eos_sent)
    r->eos = self->eos_sent = TRUE;
  take_stream (self, r);
  if (self->applied.stats_interval != 0 && self->stats_at <= now) {
    self->stats_at = now + self->applied.stats_interval;
    r->stats = gst_paqm_shaper_take_stats (self);
  }
}

/* ---- without the lock ---- */

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

/* Pads that take turns have the same caps and segment, mostly: what downstream knows is not said again. */
static void
push_stream (GstPaqmShaper *self, const GstPaqmStream *stream)
{
  guint i;

  for (i = 0; i < stream->n; i++) {
    GstEventType type = GST_EVENT_TYPE (stream->events[i]);
    gboolean one_of_a_kind = type == GST_EVENT_CAPS || type == GST_EVENT_SEGMENT;
    GstEvent *before = one_of_a_kind ? gst_pad_get_sticky_event (self->srcpad, type, 0) : NULL;

    if (before == NULL || !says_the_same (before, stream->events[i]))
      gst_pad_push_event (self->srcpad, gst_event_ref (stream->events[i]));
    g_clear_pointer (&before, gst_event_unref);
  }
}

static GstFlowReturn
push_items (GstPaqmShaper *self, Round *r)
{
  GstBufferList *list;
  guint i;

  if (r->n == 0)
    return GST_FLOW_OK;
  if (is_event (&r->items[0])) {
    gst_pad_push_event (self->srcpad, GST_EVENT_CAST (r->items[0].object));
    return GST_FLOW_OK;
  }
  if (r->n == 1)
    return gst_pad_push (self->srcpad, GST_BUFFER_CAST (r->items[0].object));
  list = gst_buffer_list_new_sized (r->n);
  for (i = 0; i < r->n; i++)
    gst_buffer_list_add (list, GST_BUFFER_CAST (r->items[i].object));
  return gst_pad_push_list (self->srcpad, list);
}

static GstFlowReturn
push_round (GstPaqmShaper *self, Round *r)
{
  GstFlowReturn ret;
  guint i;

  if (r->start != NULL)
    gst_pad_push_event (self->srcpad, r->start);
  if (r->stream_is_new) {
    push_stream (self, r->stream);
    gst_paqm_stream_unref (r->stream);
  }
  ret = push_items (self, r);
  for (i = 0; i < r->n; i++)
    gst_paqm_stream_unref (r->items[i].stream);
  if (r->eos)
    gst_pad_push_event (self->srcpad, gst_event_new_eos ());
  if (r->stats != NULL)
    gst_element_post_message (GST_ELEMENT (self), gst_message_new_element (GST_OBJECT (self), r->stats));
  return ret;
}

/* Where nobody upstream will come to hear of the error, as all have ended. */
static void
end_by_error (GstPaqmShaper *self, GstFlowReturn ret)
{
  GST_ELEMENT_FLOW_ERROR (self, ret);
  gst_pad_push_event (self->srcpad, gst_event_new_eos ());
}

/* ---- the thread ---- */

/* With the lock, which is free meanwhile. */
static void
sleep_until_due (GstPaqmShaper *self, GstClockTime now)
{
  GstClockTime next = MIN (now + LONGEST_WAIT, paqm_next_timeout (self->paqm));
  GstClockID id;

  if (!queues_empty (self))
    next = MIN (next, link_slots_next (&self->slots));
  if (self->applied.stats_interval != 0)
    next = MIN (next, self->stats_at);
  if (next <= now)
    return;
  id = self->wait_id = gst_clock_new_single_shot_id (self->system_clock, next);
  self->wait_until = next;
  g_mutex_unlock (&self->lock);
  gst_clock_id_wait (id, NULL);
  g_mutex_lock (&self->lock);
  self->wait_id = NULL;
  gst_clock_id_unref (id);
}

static gboolean
ended (GstPaqmShaper *self)
{
  return self->sinks > 0 && self->sinks_at_eos == self->sinks;
}

/* With the lock. */
static void
after_push (GstPaqmShaper *self, const Round *r, GstFlowReturn ret)
{
  if (r->queue >= 0)
    paqm_on_departure (self->paqm, r->queue, r->items[0].size_bytes, gst_paqm_shaper_now (self));
  if (ret == GST_FLOW_OK || self->srcresult != GST_FLOW_OK)
    return;
  GST_DEBUG_OBJECT (self, "downstream says %s", gst_flow_get_name (ret));
  self->srcresult = ret;
  gst_paqm_shaper_clear_queues (self);
}

void
gst_paqm_shaper_loop (gpointer pad)
{
  GstPaqmShaper *self = GST_PAQM_SHAPER (GST_PAD_PARENT (pad));
  GstClockTime now = gst_paqm_shaper_now (self);
  GstFlowReturn ret;
  gboolean nobody_hears;
  Round r;

  g_mutex_lock (&self->lock);
  ret = self->srcresult;
  if (ret == GST_FLOW_OK) {
    take_round (self, now, &r);
    if (r.n == 0 && !r.eos && r.start == NULL && r.stats == NULL) {
      sleep_until_due (self, now);
    } else {
      g_mutex_unlock (&self->lock);
      ret = push_round (self, &r);
      g_mutex_lock (&self->lock);
      after_push (self, &r, ret);
      ret = self->srcresult;
    }
  }
  nobody_hears = ret != GST_FLOW_FLUSHING && (ret == GST_FLOW_NOT_LINKED || ret <= GST_FLOW_EOS) && ended (self) &&
                 !self->eos_sent;
  if (nobody_hears)
    self->eos_sent = TRUE;
  g_mutex_unlock (&self->lock);
  if (ret != GST_FLOW_OK)
    gst_pad_pause_task (GST_PAD (pad));
  if (nobody_hears)
    end_by_error (self, ret);
}
