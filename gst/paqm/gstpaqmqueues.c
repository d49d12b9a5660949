/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpaqmqueues.h"

#include <string.h>

#define DELAY_GAIN (1.0 / 64)

void
gst_paqm_queues_init (GstPaqmQueues *q, guint64 seed)
{
  PaqmParams params;
  guint i;

  *q = (GstPaqmQueues){.paqm = g_new0 (Paqm, 1)};
  for (i = 0; i < PAQM_CLASSES; i++)
    q->fifo[i] = gst_cc_deque_new_for_struct (sizeof (GstPaqmItem), 64);
  paqm_params_init (&params);
  params.random = cc_pcg32_init (&q->pcg, seed);
  paqm_init (q->paqm, &params);
  link_slots_init (&q->slots, params.capacity_Bps);
}

void
gst_paqm_queues_clear (GstPaqmQueues *q)
{
  GstPaqmItem *item;
  guint i;

  for (i = 0; i < PAQM_CLASSES; i++)
    while ((item = gst_cc_deque_pop_head_struct (q->fifo[i])) != NULL) {
      gst_mini_object_unref (item->object);
      gst_paqm_stream_unref (item->stream);
    }
  paqm_on_flush (q->paqm);
  link_slots_on_idle (&q->slots);
}

void
gst_paqm_queues_finalize (GstPaqmQueues *q)
{
  guint i;

  gst_paqm_queues_clear (q);
  for (i = 0; i < PAQM_CLASSES; i++)
    gst_cc_deque_free (q->fifo[i]);
  g_free (q->paqm);
}

void
gst_paqm_queues_reset (GstPaqmQueues *q)
{
  PaqmParams params = q->paqm->params;

  gst_paqm_queues_clear (q);
  paqm_init (q->paqm, &params);
  link_slots_init (&q->slots, params.capacity_Bps);
  memset (q->delay, 0, sizeof q->delay);
  q->ip_bytes = q->link_bytes = 0;
}

const gchar *
gst_paqm_queues_apply (GstPaqmQueues *q, const GstPaqmSettings *settings, GstClockTime now)
{
  const gchar *refusal;
  PaqmParams params;

  gst_paqm_settings_to_params (settings, &params);
  params.random = q->paqm->params.random;
  refusal = paqm_params_refusal (&params);
  if (refusal != NULL)
    return refusal;
  paqm_set_params (q->paqm, &params, now);
  link_slots_set_capacity (&q->slots, params.capacity_Bps, now);
  return NULL;
}

/* ---- in ---- */

PaqmVerdict
gst_paqm_queues_judge (GstPaqmQueues *q, const PaqmArrival *arrival, const GstPaqmPacket *packet, GstClockTime now)
{
  if (packet->rtt > 0)
    paqm_on_rtt (q->paqm, packet->rtt);
  if (arrival->cls == PAQM_MEDIA) {
    q->ip_bytes += packet->size_bytes;
    q->link_bytes += arrival->size_bytes;
  }
  return paqm_on_arrival (q->paqm, arrival, now);
}

void
gst_paqm_queues_put (GstPaqmQueues *q, PaqmClass cls, const GstPaqmItem *item)
{
  gst_cc_deque_push_tail_struct (q->fifo[paqm_queue (q->paqm, cls)], (gpointer)item);
}

/* ---- out ---- */

gboolean
gst_paqm_queues_are_empty (const GstPaqmQueues *q)
{
  return gst_cc_deque_is_empty (q->fifo[PAQM_MEDIA]) && gst_cc_deque_is_empty (q->fifo[PAQM_ELASTIC]);
}

/* The FIFO whose head goes next; an event goes at once. */
static gint
next_queue (GstPaqmQueues *q)
{
  uint32_t heads[PAQM_CLASSES] = {0};
  gint i;

  for (i = 0; i < PAQM_CLASSES; i++) {
    GstPaqmItem *head = gst_cc_deque_peek_head_struct (q->fifo[i]);

    if (head != NULL && gst_paqm_item_is_event (head))
      return i;
    heads[i] = head != NULL ? head->size_bytes : 0;
  }
  return paqm_next (q->paqm, heads);
}

static void
note_delay (GstPaqmDelay *delay, GstClockTime waited)
{
  gdouble seconds = cc_seconds (waited);

  delay->mean += (delay->packets++ == 0 ? 1 : DELAY_GAIN) * (seconds - delay->mean);
  delay->sum += seconds;
  delay->most = MAX (delay->most, waited);
}

static gboolean
is_measured (const GstPaqmQueues *q)
{
  return q->paqm->params.capacity_Bps == 0;
}

static void
take_item (GstPaqmQueues *q, gint queue, GstPaqmBatch *batch, GstClockTime now)
{
  GstPaqmItem *item = &batch->items[batch->n++];

  *item = *(GstPaqmItem *)gst_cc_deque_pop_head_struct (q->fifo[queue]);
  if (gst_paqm_item_is_event (item))
    return;
  note_delay (&q->delay[item->media ? PAQM_MEDIA : PAQM_ELASTIC], cc_time_since (now, item->at));
  link_slots_on_departure (&q->slots, item->size_bytes, now);
  if (is_measured (q))
    batch->queue = queue;
  else
    paqm_on_departure (q->paqm, queue, item->size_bytes, now);
  if (gst_paqm_queues_are_empty (q))
    link_slots_on_idle (&q->slots);
}

void
gst_paqm_queues_take (GstPaqmQueues *q, GstPaqmBatch *batch, GstClockTime now)
{
  batch->n = 0;
  batch->queue = -1;
  while (batch->n < GST_PAQM_BATCH && batch->queue < 0) {
    gint queue = next_queue (q);
    GstPaqmItem *head = queue >= 0 ? gst_cc_deque_peek_head_struct (q->fifo[queue]) : NULL;

    if (head == NULL || (batch->n > 0 && (gst_paqm_item_is_event (head) || head->stream != batch->items[0].stream)))
      return;
    if (!gst_paqm_item_is_event (head) && !link_slots_may_send (&q->slots, now))
      return;
    take_item (q, queue, batch, now);
    if (gst_paqm_item_is_event (&batch->items[0]))
      return;
  }
}

void
gst_paqm_queues_on_pushed (GstPaqmQueues *q, const GstPaqmBatch *batch, GstClockTime now)
{
  paqm_on_departure (q->paqm, batch->queue, batch->items[0].size_bytes, now);
}

/* ---- time ---- */

gboolean
gst_paqm_queues_run_periods (GstPaqmQueues *q, GstClockTime now)
{
  return paqm_next_timeout (q->paqm) <= now && paqm_on_timeout (q->paqm, now);
}

GstClockTime
gst_paqm_queues_next_departure (const GstPaqmQueues *q, GstClockTime now)
{
  return link_slots_may_send (&q->slots, now) ? now : link_slots_next (&q->slots);
}

GstClockTime
gst_paqm_queues_next_timeout (const GstPaqmQueues *q, GstClockTime now)
{
  GstClockTime period = paqm_next_timeout (q->paqm);

  return gst_paqm_queues_are_empty (q) ? period : MIN (period, gst_paqm_queues_next_departure (q, now));
}

/* ---- what is known ---- */

gdouble
gst_paqm_queues_told_rate (const GstPaqmQueues *q)
{
  PaqmFeedback feedback;

  paqm_get_feedback (q->paqm, &feedback);
  return q->link_bytes > q->ip_bytes ? feedback.R_Bps * q->ip_bytes / q->link_bytes : feedback.R_Bps;
}

GstClockTime
gst_paqm_queues_longest_wait (const GstPaqmQueues *q)
{
  const PaqmParams *params = &q->paqm->params;
  gboolean fifo = params->discipline == PAQM_DISCIPLINE_FIFO;
  guint limit_bytes = fifo ? params->fifo_limit_bytes : params->limit_bytes[PAQM_MEDIA];
  gdouble rate_Bps;
  PaqmStats stats;

  paqm_get_stats (q->paqm, &stats);
  rate_Bps = fifo ? stats.capacity_Bps : stats.c_Bps[PAQM_MEDIA];
  return rate_Bps > 0 ? cc_duration (limit_bytes / rate_Bps) : 0;
}
