/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpaqmrouter.h"

#include "gstccrandom.h"
#include "gstpaqmintake.h"
#include "gstpaqmstats.h"

#define OVERHEAD_BYTES 28 /* UDP and IPv4 */

void
gst_paqm_router_init (GstPaqmRouter *r, GstPad *srcpad)
{
  g_mutex_init (&r->lock);
  r->clock = gst_system_clock_obtain ();
  r->key[0] = gst_cc_random64 ();
  r->key[1] = gst_cc_random64 ();
  gst_paqm_settings_init (&r->settings);
  gst_paqm_queues_init (&r->queues, gst_cc_random64 ());
  gst_paqm_teller_init (&r->teller, &r->lock, r->key[1]);
  r->outlet = (GstPaqmOutlet){
      .pad = srcpad, .clock = r->clock, .lock = &r->lock, .stream_id = r->key[1], .result = GST_FLOW_FLUSHING};
}

void
gst_paqm_router_finalize (GstPaqmRouter *r)
{
  gst_paqm_outlet_clear (&r->outlet);
  gst_paqm_teller_finalize (&r->teller);
  gst_paqm_queues_finalize (&r->queues);
  gst_object_unref (r->clock);
  g_mutex_clear (&r->lock);
}

void
gst_paqm_router_clear (GstPaqmRouter *r)
{
  gst_paqm_queues_clear (&r->queues);
  gst_paqm_outlet_clear (&r->outlet);
}

void
gst_paqm_router_reset (GstPaqmRouter *r)
{
  gst_paqm_queues_reset (&r->queues);
  gst_paqm_teller_reset (&r->teller);
  gst_paqm_outlet_reset (&r->outlet);
  r->stats_at = 0;
  r->answered_wait = GST_CLOCK_TIME_NONE;
  r->waits_longer = FALSE;
}

const gchar *
gst_paqm_router_apply (GstPaqmRouter *r, const GstPaqmSettings *settings)
{
  GstClockTime now = gst_clock_get_time (r->clock);
  const gchar *refusal = gst_paqm_queues_apply (&r->queues, settings, now);

  if (refusal != NULL)
    return refusal;
  r->settings = *settings;
  gst_paqm_outlet_wake_before (&r->outlet, now);
  return NULL;
}

GstStructure *
gst_paqm_router_get_stats (const GstPaqmRouter *r)
{
  return gst_paqm_stats_new (&r->queues, &r->teller);
}

/* With the lock. */
static void
tell (GstPaqmRouter *r, GstClockTime now)
{
  GstPaqmNews news = {.signalling = r->settings.signalling,
      .R_Bps = gst_paqm_queues_told_rate (&r->queues),
      .overhead_bytes = r->settings.overhead >= 0 ? (guint)r->settings.overhead : OVERHEAD_BYTES,
      .life = r->settings.flow_life,
      .at = now};

  paqm_get_feedback (r->queues.paqm, &news.feedback);
  gst_paqm_teller_tell (&r->teller, &news);
}

/* With the lock. Media's part of the link has become less, or its capacity known. A part that grows is nobody's loss: a
   latency told for each flow that comes and goes would make sinks jump to and fro. */
static void
note_wait (GstPaqmRouter *r)
{
  GstClockTime wait = gst_paqm_queues_longest_wait (&r->queues);

  if (!GST_CLOCK_TIME_IS_VALID (r->answered_wait) || wait <= r->answered_wait)
    return;
  r->answered_wait = wait;
  r->waits_longer = TRUE;
}

GstClockTime
gst_paqm_router_answer_wait (GstPaqmRouter *r)
{
  GstClockTime wait;

  g_mutex_lock (&r->lock);
  wait = r->answered_wait = gst_paqm_queues_longest_wait (&r->queues);
  g_mutex_unlock (&r->lock);
  return wait;
}

/* With the lock. */
static void
run_periods (GstPaqmRouter *r, GstClockTime now)
{
  gst_paqm_teller_set_ended (&r->teller, r->outlet.eos_sent);
  if (!gst_paqm_queues_run_periods (&r->queues, now))
    return;
  tell (r, now);
  note_wait (r);
}

/* ---- in ---- */

static GstFlowReturn
open_intake (GstPaqmRouter *r, GstPaqmPad *pad, GstPaqmIntake *in)
{
  GstFlowReturn ret;

  in->pad = pad;
  in->queues = &r->queues;
  in->teller = &r->teller;
  in->now = gst_clock_get_time (r->clock);
  gst_paqm_pad_update_stream (pad);
  g_mutex_lock (&r->lock);
  ret = r->outlet.result;
  gst_paqm_intake_open (in, &r->settings, r->key);
  g_mutex_unlock (&r->lock);
  return ret;
}

/* With the lock. */
static void
close_intake (GstPaqmRouter *r, GstClockTime now)
{
  run_periods (r, now);
  if (gst_paqm_outlet_sleeps (&r->outlet))
    gst_paqm_outlet_wake_before (&r->outlet, gst_paqm_queues_next_departure (&r->queues, now));
}

GstFlowReturn
gst_paqm_router_receive (GstPaqmRouter *r, GstPaqmPad *pad, GstBuffer *buffer)
{
  GstFlowReturn ret;
  GstPaqmPacket packet;
  GstPaqmIntake in;

  ret = open_intake (r, pad, &in);
  if (ret == GST_FLOW_OK) {
    buffer = gst_paqm_intake_prepare (&in, buffer, &packet);
    g_mutex_lock (&r->lock);
    ret = r->outlet.result;
    if (ret == GST_FLOW_OK) {
      buffer = gst_paqm_intake_admit (&in, buffer, &packet);
      close_intake (r, in.now);
    }
    g_mutex_unlock (&r->lock);
  }
  gst_clear_buffer (&buffer);
  return ret;
}

typedef struct {
  GstPaqmRouter *router;
  GstPaqmIntake in;
  GstFlowReturn ret;
} ListIntake;

/* Takes the buffer out of the list, so that it may be written to. */
static gboolean
on_list_buffer (GstBuffer **place, guint index, gpointer user)
{
  ListIntake *l = user;
  GstBuffer *buffer = *place;
  GstPaqmPacket packet;

  *place = NULL;
  buffer = gst_paqm_intake_prepare (&l->in, buffer, &packet);
  g_mutex_lock (&l->router->lock);
  l->ret = l->router->outlet.result;
  if (l->ret == GST_FLOW_OK)
    buffer = gst_paqm_intake_admit (&l->in, buffer, &packet);
  g_mutex_unlock (&l->router->lock);
  gst_clear_buffer (&buffer);
  return l->ret == GST_FLOW_OK;
}

GstFlowReturn
gst_paqm_router_receive_list (GstPaqmRouter *r, GstPaqmPad *pad, GstBufferList *list)
{
  ListIntake l;

  l.router = r;
  l.ret = open_intake (r, pad, &l.in);
  if (l.ret == GST_FLOW_OK) {
    list = gst_buffer_list_make_writable (list);
    gst_buffer_list_foreach (list, on_list_buffer, &l);
    g_mutex_lock (&r->lock);
    close_intake (r, l.in.now);
    g_mutex_unlock (&r->lock);
  }
  gst_buffer_list_unref (list);
  return l.ret;
}

gboolean
gst_paqm_router_receive_event (GstPaqmRouter *r, GstPaqmPad *pad, GstEvent *event)
{
  GstPaqmIntake in;

  if (open_intake (r, pad, &in) != GST_FLOW_OK) {
    gst_event_unref (event);
    return FALSE;
  }
  g_mutex_lock (&r->lock);
  gst_paqm_intake_admit_event (&in, event);
  gst_paqm_outlet_wake_before (&r->outlet, in.now);
  g_mutex_unlock (&r->lock);
  return TRUE;
}

/* ---- out ---- */

/* With the lock. */
static GstClockTime
stats_due (const GstPaqmRouter *r)
{
  return r->settings.stats_interval != 0 ? r->stats_at : GST_CLOCK_TIME_NONE;
}

/* With the lock. NULL: not due. */
static GstStructure *
take_stats (GstPaqmRouter *r, GstClockTime now)
{
  if (stats_due (r) > now)
    return NULL;
  r->stats_at = now + r->settings.stats_interval;
  return gst_paqm_router_get_stats (r);
}

GstFlowReturn
gst_paqm_router_run (GstPaqmRouter *r, GstPaqmRound *round)
{
  GstClockTime now = gst_clock_get_time (r->clock);
  GstFlowReturn ret;

  *round = (GstPaqmRound){0};
  g_mutex_lock (&r->lock);
  if (r->outlet.result == GST_FLOW_OK) {
    run_periods (r, now);
    gst_paqm_outlet_run (&r->outlet, &r->queues, now, stats_due (r));
    round->stats = take_stats (r, now);
  }
  ret = r->outlet.result;
  if (ret != GST_FLOW_OK)
    gst_pad_pause_task (r->outlet.pad); /* with the lock: who opens the outlet starts the thread after this */
  round->unheard = gst_paqm_outlet_fails_unheard (&r->outlet);
  round->waits_longer = r->waits_longer;
  r->waits_longer = FALSE;
  gst_paqm_teller_set_ended (&r->teller, r->outlet.eos_sent);
  g_mutex_unlock (&r->lock);
  return ret;
}
