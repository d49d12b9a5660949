/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpaqmoutlet.h"

#define LONGEST_WAIT (600 * GST_SECOND)

/* What the thread does in one round. */
typedef struct {
  GstEvent *start;       /* stream-start; NULL: not now */
  GstPaqmStream *stream; /* its events go ahead; NULL: downstream knows them */
  GstPaqmBatch batch;
  gboolean eos;
} Round;

void
gst_paqm_outlet_clear (GstPaqmOutlet *o)
{
  gst_paqm_stream_unref (o->stream);
  o->stream = NULL;
}

void
gst_paqm_outlet_reset (GstPaqmOutlet *o)
{
  gst_paqm_outlet_clear (o);
  o->started = o->eos_sent = FALSE;
}

void
gst_paqm_outlet_wake_before (GstPaqmOutlet *o, GstClockTime at)
{
  if (gst_paqm_outlet_sleeps (o) && o->wait_until > at) {
    o->wait_until = at;
    gst_clock_id_unschedule (o->wait_id);
  }
}

void
gst_paqm_outlet_open (GstPaqmOutlet *o)
{
  o->result = GST_FLOW_OK;
}

void
gst_paqm_outlet_close (GstPaqmOutlet *o)
{
  o->result = GST_FLOW_FLUSHING;
  gst_paqm_outlet_wake_before (o, 0);
}

gboolean
gst_paqm_outlet_on_link (GstPaqmOutlet *o)
{
  o->relinked = TRUE;
  if (o->result != GST_FLOW_NOT_LINKED)
    return FALSE;
  gst_paqm_outlet_open (o);
  return TRUE;
}

void
gst_paqm_outlet_set_ended (GstPaqmOutlet *o, gboolean ended)
{
  o->ended = ended;
  gst_paqm_outlet_wake_before (o, 0);
}

void
gst_paqm_outlet_begin_anew (GstPaqmOutlet *o)
{
  if (o->eos_sent)
    o->eos_sent = o->started = FALSE;
}

/* The pad has ended until a stream-start has left: later than `eos_sent` tells, which is over with the first news. */
gboolean
gst_paqm_outlet_is_over (const GstPaqmOutlet *o)
{
  return o->result == GST_FLOW_OK ? GST_PAD_IS_EOS (o->pad) : o->result <= GST_FLOW_EOS;
}

/* ---- what goes now ---- */

static void
take_stream (GstPaqmOutlet *o, Round *r)
{
  GstPaqmStream *stream = r->batch.n > 0 ? r->batch.items[0].stream : NULL;

  if (!o->started && (stream != NULL || r->eos)) {
    r->start = gst_paqm_stream_start (o->stream_id, "src");
    o->started = TRUE;
  }
  if (stream == NULL || stream == o->stream)
    return;
  r->stream = gst_paqm_stream_ref (stream);
  gst_paqm_stream_unref (o->stream);
  o->stream = gst_paqm_stream_ref (stream);
}

/* FALSE: nothing goes. */
static gboolean
take_round (GstPaqmOutlet *o, GstPaqmQueues *queues, Round *r, GstClockTime now)
{
  r->start = NULL;
  r->stream = NULL;
  gst_paqm_queues_take (queues, &r->batch, now);
  r->eos = r->batch.n == 0 && o->ended && !o->eos_sent && gst_paqm_queues_are_empty (queues);
  o->eos_sent |= r->eos;
  take_stream (o, r);
  return r->batch.n > 0 || r->eos;
}

/* ---- without the lock ---- */

static GstFlowReturn
push_items (GstPad *pad, const GstPaqmBatch *batch)
{
  GstBufferList *list;
  guint i;

  if (batch->n == 0)
    return GST_FLOW_OK;
  if (gst_paqm_item_is_event (&batch->items[0])) {
    gst_pad_push_event (pad, GST_EVENT_CAST (batch->items[0].object));
    return GST_FLOW_OK;
  }
  if (batch->n == 1)
    return gst_pad_push (pad, GST_BUFFER_CAST (batch->items[0].object));
  list = gst_buffer_list_new_sized (batch->n);
  for (i = 0; i < batch->n; i++)
    gst_buffer_list_add (list, GST_BUFFER_CAST (batch->items[i].object));
  return gst_pad_push_list (pad, list);
}

static GstFlowReturn
push_round (GstPad *pad, Round *r)
{
  GstFlowReturn ret;
  guint i;

  if (r->start != NULL)
    gst_pad_push_event (pad, r->start);
  if (r->stream != NULL) {
    gst_paqm_stream_push (r->stream, pad);
    gst_paqm_stream_unref (r->stream);
  }
  ret = push_items (pad, &r->batch);
  for (i = 0; i < r->batch.n; i++)
    gst_paqm_stream_unref (r->batch.items[i].stream);
  if (r->eos)
    gst_pad_push_event (pad, gst_event_new_eos ());
  return ret;
}

/* ---- the thread ---- */

static void
sleep_until (GstPaqmOutlet *o, GstClockTime at)
{
  GstClockID id = o->wait_id = gst_clock_new_single_shot_id (o->clock, at);

  o->wait_until = at;
  g_mutex_unlock (o->lock);
  gst_clock_id_wait (id, NULL);
  g_mutex_lock (o->lock);
  o->wait_id = NULL;
  gst_clock_id_unref (id);
}

static void
after_push (GstPaqmOutlet *o, GstPaqmQueues *queues, const GstPaqmBatch *batch, GstFlowReturn ret)
{
  if (batch->queue >= 0)
    gst_paqm_queues_on_pushed (queues, batch, gst_clock_get_time (o->clock));
  if (ret == GST_FLOW_OK || o->result != GST_FLOW_OK || (ret == GST_FLOW_NOT_LINKED && o->relinked))
    return;
  o->result = ret;
  gst_paqm_queues_clear (queues);
  gst_paqm_outlet_clear (o);
}

void
gst_paqm_outlet_run (GstPaqmOutlet *o, GstPaqmQueues *queues, GstClockTime now, GstClockTime wake_at)
{
  GstFlowReturn ret;
  Round r;

  if (take_round (o, queues, &r, now)) {
    o->relinked = FALSE;
    g_mutex_unlock (o->lock);
    ret = push_round (o->pad, &r);
    g_mutex_lock (o->lock);
    after_push (o, queues, &r.batch, ret);
    return;
  }
  wake_at = MIN (MIN (wake_at, now + LONGEST_WAIT), gst_paqm_queues_next_timeout (queues, now));
  if (wake_at > now)
    sleep_until (o, wake_at);
}

gboolean
gst_paqm_outlet_fails_unheard (GstPaqmOutlet *o)
{
  gboolean fails = o->result == GST_FLOW_NOT_LINKED || o->result <= GST_FLOW_EOS;

  if (!fails || !o->ended || o->eos_sent)
    return FALSE;
  o->eos_sent = TRUE;
  return TRUE;
}
