/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccaddress.h"
#include "gstrtcpavpfprivate.h"

#include <gst/net/gstnetaddressmeta.h>

#define HELD_UP (50 * GST_MSECOND) /* no scheduler's usual delay */
#define CAUGHT_UP (5 * GST_MSECOND)
#define CATCH_UP_TIME (25 * GST_MSECOND)

void
gst_rtcp_avpf_note_age (GstRtcpAvpf *self, GstClockTime age, GstClockTime now)
{
  if (age < CAUGHT_UP)
    self->behind_since = GST_CLOCK_TIME_NONE;
  else if (age > HELD_UP && !GST_CLOCK_TIME_IS_VALID (self->behind_since))
    self->behind_since = now;
}

/* A report of a process that was held up must not take what waits in the socket for what never came. */
static gboolean
catches_up (GstRtcpAvpf *self, GstClockTime now)
{
  if (GST_CLOCK_TIME_IS_VALID (self->behind_since) && now >= self->behind_since + CATCH_UP_TIME)
    self->behind_since = GST_CLOCK_TIME_NONE;
  return GST_CLOCK_TIME_IS_VALID (self->behind_since);
}

static void
wait_until (GstRtcpAvpf *self, GstClockTime when)
{
  GstClockTime now;

  self->wait_id = gst_clock_new_single_shot_id (self->system_clock, when);
  self->wait_until = when;
  self->core->wake_at = self->core->turns.wake_at = CC_TIME_NONE;
  g_mutex_unlock (&self->lock);
  gst_clock_id_wait (self->wait_id, NULL);
  g_mutex_lock (&self->lock);
  now = gst_rtcp_avpf_now (self);
  if (self->settings.use_timestamps && now > when + HELD_UP)
    gst_rtcp_avpf_note_age (self, now - when, now);
  gst_clock_id_unref (self->wait_id);
  self->wait_id = NULL;
}

static void
start_rtcp_stream (GstRtcpAvpf *self)
{
  GstSegment segment;
  GstCaps *caps = gst_caps_new_empty_simple ("application/x-rtcp");
  gchar *id = g_strdup_printf ("%s/rtcp/%08x", gst_rtcp_avpf_cname (self), g_random_int ());
  GstEvent *stream_start = gst_event_new_stream_start (id);

  gst_event_set_group_id (stream_start, gst_util_group_id_next ());
  gst_pad_push_event (self->rtcp_srcpad, stream_start);
  gst_pad_push_event (self->rtcp_srcpad, gst_event_new_caps (caps));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (self->rtcp_srcpad, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
  g_free (id);
}

/* One round's packet and statistics. */
typedef struct {
  RtpOutgoing packet;
  GstStructure *stats;
} Outgoing;

static void
push_packet (GstRtcpAvpf *self, const RtpOutgoing *out, const RtpAddress *to)
{
  GstBuffer *buffer = gst_buffer_new_memdup (out->bytes, out->size);
  GSocketAddress *address = to != NULL ? gst_cc_address_new (to) : NULL;
  GstFlowReturn flow;

  if (address != NULL)
    gst_buffer_add_net_address_meta (buffer, address);
  g_clear_object (&address);
  flow = gst_pad_push (self->rtcp_srcpad, buffer);
  if (flow != GST_FLOW_OK)
    GST_LOG_OBJECT (self, "RTCP went nowhere: %s", gst_flow_get_name (flow));
}

static void
send_out (GstRtcpAvpf *self, Outgoing *out)
{
  const RtpOutgoing *packet = &out->packet;
  guint i;

  if (packet->size > 0) {
    if (!self->rtcp_started)
      start_rtcp_stream (self);
    self->rtcp_started = TRUE;
    for (i = 0; i < packet->n_addresses; i++)
      push_packet (self, packet, &packet->addresses[i]);
    if (packet->n_addresses == 0 && !packet->withheld)
      push_packet (self, packet, NULL);
  }
  if (out->stats != NULL)
    gst_element_post_message (GST_ELEMENT (self), gst_message_new_element (GST_OBJECT (self), out->stats));
}

static void
push_eos (GstRtcpAvpf *self)
{
  if (!self->rtcp_started)
    start_rtcp_stream (self);
  gst_pad_push_event (self->rtcp_srcpad, gst_event_new_eos ());
}

static void
take_stats_if_due (GstRtcpAvpf *self, GstClockTime now, Outgoing *out)
{
  GstClockTime interval = self->settings.stats_interval;

  if (interval == 0 || self->stats_at > now)
    return;
  self->stats_at = now + interval;
  out->stats = gst_rtcp_avpf_take_stats (self);
}

static GstClockTime
next_timeout (GstRtcpAvpf *self, GstClockTime now)
{
  GstClockTime next = rtp_participant_next_timeout (self->core, now);

  return self->settings.stats_interval != 0 && self->stats_at > now ? MIN (next, self->stats_at) : next;
}

/* Returns TRUE where the thread has come to its end. */
static gboolean
run_round (GstRtcpAvpf *self, Outgoing *out)
{
  GstClockTime now = gst_rtcp_avpf_now (self);
  gboolean waits = catches_up (self, now);

  if (self->flushing)
    return FALSE;
  if (self->eos && rtp_participant_run_leave (self->core, now, &out->packet))
    return TRUE;
  if (!self->eos && !waits) {
    rtp_participant_run (self->core, now, &out->packet);
    take_stats_if_due (self, now, out);
  }
  /* what was told is handed on first */
  if (out->packet.size > 0 || out->stats != NULL || !g_queue_is_empty (&self->outbox))
    return FALSE;
  if (self->eos)
    wait_until (self, rtp_participant_leave_next (self->core, now));
  else
    wait_until (self, waits ? now + CAUGHT_UP : next_timeout (self, now));
  return FALSE;
}

static void
rtcp_loop (gpointer user)
{
  GstRtcpAvpf *self = user;
  Outgoing out = {.packet.size = 0};
  gboolean end;

  g_mutex_lock (&self->lock);
  end = run_round (self, &out);
  if (end || self->flushing)
    gst_pad_pause_task (self->rtcp_srcpad);
  g_mutex_unlock (&self->lock);
  send_out (self, &out);
  gst_rtcp_avpf_deliver (self);
  if (end)
    push_eos (self);
}

gboolean
gst_rtcp_avpf_thread_start (GstRtcpAvpf *self)
{
  g_mutex_lock (&self->lock);
  self->flushing = FALSE;
  g_mutex_unlock (&self->lock);
  return gst_pad_start_task (self->rtcp_srcpad, rtcp_loop, self, NULL);
}

void
gst_rtcp_avpf_thread_interrupt (GstRtcpAvpf *self, gboolean eos)
{
  g_mutex_lock (&self->lock);
  if (eos)
    self->eos = TRUE;
  else
    self->flushing = TRUE;
  gst_rtcp_avpf_wake_before (self, 0);
  g_mutex_unlock (&self->lock);
}

void
gst_rtcp_avpf_say_bye (GstRtcpAvpf *self)
{
  Outgoing out = {.packet.size = 0};

  gst_rtcp_avpf_thread_interrupt (self, FALSE);
  gst_pad_stop_task (self->rtcp_srcpad);
  g_mutex_lock (&self->lock);
  /* RFC 3550 6.3.7: who would have to wait may leave silently instead */
  if (rtp_participant_leave (self->core, gst_rtcp_avpf_now (self)) == AVPF_LEAVE_NOW)
    rtp_participant_take_bye (self->core, &out.packet);
  g_mutex_unlock (&self->lock);
  send_out (self, &out);
}
