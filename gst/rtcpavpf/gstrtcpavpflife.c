/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A participant after the other: each begins with nothing of the one before. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpavpfprivate.h"

static void
reset_media (GstRtcpAvpfMedia *m)
{
  gst_segment_init (&m->segment, GST_FORMAT_UNDEFINED);
  m->ended = FALSE;
  m->key_unit_count = 0;
}

void
gst_rtcp_avpf_reset (GstRtcpAvpf *self)
{
  gst_rtcp_avpf_core_begin (self, gst_rtcp_avpf_now (self));
  reset_media (&self->media);
  gst_rate_senders_init (&self->relays);
  self->eos = self->receiving_ended = self->rtcp_started = FALSE;
  self->behind_since = GST_CLOCK_TIME_NONE;
  self->stats_at = 0;
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
}

void
gst_rtcp_avpf_begin_again (GstRtcpAvpf *self)
{
  gboolean ended;

  g_mutex_lock (&self->lock);
  ended = self->eos;
  g_mutex_unlock (&self->lock);
  if (!ended)
    return;
  gst_pad_stop_task (self->rtcp_srcpad);
  g_mutex_lock (&self->lock);
  gst_rtcp_avpf_reset (self);
  g_mutex_unlock (&self->lock);
  gst_pad_push_event (self->rtcp_srcpad, gst_event_new_flush_start ());
  gst_pad_push_event (self->rtcp_srcpad, gst_event_new_flush_stop (TRUE));
  gst_rtcp_avpf_thread_start (self);
}
