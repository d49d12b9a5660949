/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpavpfprivate.h"

#include <gst/net/gstnetaddressmeta.h>
#include <string.h>

#define HOUSEKEEPING_INTERVAL GST_SECOND
#define SILENCE GST_SECOND
#define SHORTEST_WAIT GST_MSECOND
#define LONGEST_WAIT (600 * GST_SECOND)
#define HELD_UP (50 * GST_MSECOND) /* no scheduler's usual delay */
#define CAUGHT_UP (5 * GST_MSECOND)
#define CATCH_UP_TIME (25 * GST_MSECOND)

GstClockTime
gst_rtcp_avpf_now (GstRtcpAvpf *self)
{
  return gst_clock_get_time (self->system_clock);
}

void
gst_rtcp_avpf_wake_before (GstRtcpAvpf *self, GstClockTime when)
{
  if (self->wait_id != NULL && when < self->wait_until)
    gst_clock_id_unschedule (self->wait_id);
}

/* What one round sends: the same packet to every address media comes from. */
typedef struct {
  GstBuffer *buffer;
  GSocketAddress *addresses[AVPF_MAX_SOURCES];
  guint n_addresses;
  GstStructure *stats;
} Outgoing;

static gboolean
same_address (GSocketAddress *a, GSocketAddress *b)
{
  guint8 bytes_a[128], bytes_b[128];
  gssize size = g_socket_address_get_native_size (a);

  return a == b || (size > 0 && size <= (gssize)sizeof bytes_a && size == g_socket_address_get_native_size (b) &&
                       g_socket_address_to_native (a, bytes_a, sizeof bytes_a, NULL) &&
                       g_socket_address_to_native (b, bytes_b, sizeof bytes_b, NULL) &&
                       memcmp (bytes_a, bytes_b, (gsize)size) == 0);
}

static void
add_address (Outgoing *out, GSocketAddress *address)
{
  guint i;

  for (i = 0; i < out->n_addresses; i++)
    if (same_address (out->addresses[i], address))
      return;
  out->addresses[out->n_addresses++] = g_object_ref (address);
}

static void
collect_addresses (GstRtcpAvpf *self, Outgoing *out)
{
  guint i;

  for (i = 0; i < AVPF_MAX_SOURCES; i++) {
    AvpfSource *s = self->table.sources[i];

    if (s != NULL && s->valid && s->address != NULL)
      add_address (out, s->address);
  }
}

static guint
outgoing_bytes (const Outgoing *out)
{
  guint bytes = 0, i;

  for (i = 0; i < out->n_addresses; i++)
    bytes += (guint)gst_buffer_get_size (out->buffer) +
             (g_socket_address_get_family (out->addresses[i]) == G_SOCKET_FAMILY_IPV6 ? RTCP_AVPF_IPV6_UDP_BYTES
                                                                                      : RTCP_AVPF_IPV4_UDP_BYTES);
  return out->n_addresses > 0 ? bytes : (guint)gst_buffer_get_size (out->buffer) + RTCP_AVPF_IPV4_UDP_BYTES;
}

static AvpfPacketParams
packet_params (GstRtcpAvpf *self, const AvpfLocal *local, gboolean early)
{
  return (AvpfPacketParams){.ssrc = local->ssrc,
      .cname = self->cname,
      .feedback = self->settings.feedback,
      .reduced = early && self->settings.reduced_size};
}

static guint
account (GstRtcpAvpf *self, Outgoing *out)
{
  guint bytes;

  collect_addresses (self, out);
  bytes = outgoing_bytes (out);
  self->rtcp_sent++;
  self->rtcp_bytes_sent += bytes;
  return bytes;
}

static void
run_sources (GstRtcpAvpf *self, GstClockTime now)
{
  guint i;

  for (i = 0; i < AVPF_MAX_SOURCES; i++) {
    AvpfSource *s = self->table.sources[i];
    gboolean wanted;

    if (s == NULL || !avpf_source_present (s))
      continue;
    wanted = cc_receiver_next_timeout (&s->cc) <= now && cc_receiver_on_timeout (&s->cc, now);
    if (wanted || key_request_next_timeout (&s->key) <= now)
      gst_rtcp_avpf_request_feedback (self, now);
  }
}

static void
keep_house (GstRtcpAvpf *self, GstClockTime now)
{
  if (now > self->housekept_at)
    self->receive_bps = (gdouble)self->wire_bytes * 8 / cc_seconds (now - self->housekept_at);
  self->wire_bytes = 0;
  self->housekept_at = now;
  avpf_source_table_expire (&self->table, gst_rtcp_avpf_member_timeout (self), now);
  avpf_source_table_cancel_requests (&self->table, SILENCE, now);
  gst_rtcp_avpf_update_members (self, now);
  gst_rtcp_avpf_update_bandwidth (self);
}

/* From the arrival of the first source on. */
static GstClockTime
housekeeping_at (GstRtcpAvpf *self)
{
  guint i;

  for (i = 0; i < AVPF_MAX_SOURCES; i++)
    if (self->table.sources[i] != NULL)
      return self->housekept_at + HOUSEKEEPING_INTERVAL;
  return GST_CLOCK_TIME_NONE;
}

static void
run_local (GstRtcpAvpf *self, AvpfLocal *local, GstClockTime now, Outgoing *out)
{
  AvpfVerdict verdict = avpf_timing_on_timeout (&local->timing, now);
  AvpfPacketParams params;

  if (verdict == AVPF_NOTHING)
    return;
  params = packet_params (self, local, verdict == AVPF_SEND_EARLY);
  out->buffer = avpf_packet_build (&self->table, &params, now);
  avpf_timing_on_sent (&local->timing, verdict, account (self, out), now);
}

/* One packet a round. */
static void
run_timing (GstRtcpAvpf *self, GstClockTime now, Outgoing *out)
{
  guint i;

  for (i = 0; i < self->locals.n && out->buffer == NULL; i++) {
    AvpfLocal *local = &self->locals.locals[i];

    if (local->timing_runs && avpf_timing_next_timeout (&local->timing) <= now)
      run_local (self, local, now, out);
  }
}

static void
run (GstRtcpAvpf *self, GstClockTime now, Outgoing *out)
{
  if (housekeeping_at (self) <= now)
    keep_house (self, now);
  run_sources (self, now);
  run_timing (self, now, out);
  if (self->settings.stats_interval != 0 && self->stats_at <= now) {
    self->stats_at = now + self->settings.stats_interval;
    out->stats = gst_rtcp_avpf_take_stats (self);
  }
}

static void
earliest (GstClockTime *next, GstClockTime now, GstClockTime when)
{
  if (when > now)
    *next = MIN (*next, when);
}

/* Timeouts that lie behind have led to a request; the packet that answers it re-arms them. */
static GstClockTime
next_timeout (GstRtcpAvpf *self, GstClockTime now)
{
  GstClockTime next = now + LONGEST_WAIT;
  guint i;

  if (gst_rtcp_avpf_timing_runs (self))
    next = MAX (gst_rtcp_avpf_timing_next (self), now + SHORTEST_WAIT);
  earliest (&next, now, housekeeping_at (self));
  if (self->settings.stats_interval != 0)
    earliest (&next, now, self->stats_at);
  for (i = 0; i < AVPF_MAX_SOURCES; i++)
    if (self->table.sources[i] != NULL && avpf_source_present (self->table.sources[i]))
      earliest (&next, now, avpf_source_next_timeout (self->table.sources[i]));
  return next;
}

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
  gchar *id = g_strdup_printf ("%s/rtcp/%08x", self->cname, g_random_int ());
  GstEvent *stream_start = gst_event_new_stream_start (id);

  gst_event_set_group_id (stream_start, gst_util_group_id_next ());
  gst_pad_push_event (self->rtcp_srcpad, stream_start);
  gst_pad_push_event (self->rtcp_srcpad, gst_event_new_caps (caps));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (self->rtcp_srcpad, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
  g_free (id);
}

static void
push_copy (GstRtcpAvpf *self, GstBuffer *buffer, GSocketAddress *address)
{
  GstBuffer *copy = gst_buffer_copy (buffer);
  GstFlowReturn flow;

  if (address != NULL)
    gst_buffer_add_net_address_meta (copy, address);
  flow = gst_pad_push (self->rtcp_srcpad, copy);
  if (flow != GST_FLOW_OK)
    GST_LOG_OBJECT (self, "RTCP went nowhere: %s", gst_flow_get_name (flow));
}

static void
send_out (GstRtcpAvpf *self, Outgoing *out)
{
  guint i;

  if (out->buffer != NULL) {
    if (!self->rtcp_started)
      start_rtcp_stream (self);
    self->rtcp_started = TRUE;
    for (i = 0; i < out->n_addresses; i++)
      push_copy (self, out->buffer, out->addresses[i]);
    if (out->n_addresses == 0)
      push_copy (self, out->buffer, NULL);
  }
  if (out->stats != NULL)
    gst_element_post_message (GST_ELEMENT (self), gst_message_new_element (GST_OBJECT (self), out->stats));
  for (i = 0; i < out->n_addresses; i++)
    g_object_unref (out->addresses[i]);
  gst_clear_buffer (&out->buffer);
}

/* BYE is for those who were told of us before (RFC 3550 6.3.7). Called with the lock. */
static void
build_bye (GstRtcpAvpf *self, Outgoing *out)
{
  AvpfPacketParams params = packet_params (self, &self->locals.locals[0], FALSE);

  if (self->bye_sent || self->rtcp_sent == 0)
    return;
  out->buffer = avpf_packet_build_bye (&self->table, &params, gst_rtcp_avpf_now (self));
  account (self, out);
  self->bye_sent = TRUE;
}

static void
rtcp_loop (gpointer user)
{
  GstRtcpAvpf *self = user;
  Outgoing out = {0};
  GstClockTime now;
  gboolean end, waits;

  g_mutex_lock (&self->lock);
  now = gst_rtcp_avpf_now (self);
  end = self->eos;
  waits = catches_up (self, now);
  if (end)
    build_bye (self, &out);
  else if (!self->flushing && !waits)
    run (self, now, &out);
  if (!end && !self->flushing && out.buffer == NULL && out.stats == NULL)
    wait_until (self, waits ? now + CAUGHT_UP : next_timeout (self, now));
  if (end || self->flushing)
    gst_pad_pause_task (self->rtcp_srcpad);
  g_mutex_unlock (&self->lock);
  send_out (self, &out);
  if (end) {
    if (!self->rtcp_started)
      start_rtcp_stream (self);
    gst_pad_push_event (self->rtcp_srcpad, gst_event_new_eos ());
  }
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
  Outgoing out = {0};

  gst_rtcp_avpf_thread_interrupt (self, FALSE);
  gst_pad_stop_task (self->rtcp_srcpad);
  g_mutex_lock (&self->lock);
  build_bye (self, &out);
  g_mutex_unlock (&self->lock);
  send_out (self, &out);
}
