/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A participant after the other: each begins with nothing of the one before. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpavpfprivate.h"

static void
begin (GstRtcpAvpf *self)
{
  gst_rtcp_avpf_core_begin (self, gst_rtcp_avpf_now (self));
  gst_rate_senders_init (&self->relays);
  self->media.key_unit_count = 0;
  self->rtcp_started = FALSE;
  self->behind_since = GST_CLOCK_TIME_NONE;
  self->stats_at = 0;
}

void
gst_rtcp_avpf_reset (GstRtcpAvpf *self)
{
  begin (self);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  gst_segment_init (&self->media.segment, GST_FORMAT_UNDEFINED);
  self->eos = self->receiving_ended = self->media.ended = FALSE;
}

/* TRUE, once: this end has left. Its thread does no more. */
static gboolean
take_end (GstRtcpAvpf *self)
{
  gboolean ended;

  g_mutex_lock (&self->lock);
  ended = self->eos;
  self->eos = FALSE;
  self->flushing |= ended;
  g_mutex_unlock (&self->lock);
  return ended;
}

/* The pads may have been deactivated meanwhile, when there was no thread to stop. */
static void
start_thread_if_active (GstRtcpAvpf *self)
{
  gst_rtcp_avpf_thread_start (self);
  if (gst_pad_is_active (self->rtcp_srcpad))
    return;
  gst_rtcp_avpf_thread_interrupt (self, FALSE);
  gst_pad_stop_task (self->rtcp_srcpad);
}

/* A sink that has had its EOS takes nothing before a flush. The time of the pipeline goes on. */
void
gst_rtcp_avpf_begin_again (GstRtcpAvpf *self)
{
  if (!take_end (self))
    return;
  gst_rtcp_avpf_say_bye (self);
  g_mutex_lock (&self->lock);
  begin (self);
  g_mutex_unlock (&self->lock);
  gst_pad_push_event (self->rtcp_srcpad, gst_event_new_flush_start ());
  gst_pad_push_event (self->rtcp_srcpad, gst_event_new_flush_stop (FALSE));
  start_thread_if_active (self);
}
