/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One round of the RTCP thread: what has become due, and the packet that goes now. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "avpfaggregate.h"
#include "gstccaddress.h"
#include "gstccrtcp.h"
#include "gstrtcpavpfmedia.h"
#include "gstrtcpavpfprivate.h"

#define HOUSEKEEPING_INTERVAL GST_SECOND
#define SILENCE GST_SECOND
#define SHORTEST_WAIT GST_MSECOND
#define LONGEST_WAIT (600 * GST_SECOND)
#define FEEDBACK_ROOM 300              /* bytes of a packet that reports leave free */
#define LONGEST_LEAVE (5 * GST_SECOND) /* a BYE that would have to wait longer is not sent */

/* ---- packets that leave ---- */

static void
add_address (GstRtcpAvpfOutgoing *out, GSocketAddress *address)
{
  guint i;

  for (i = 0; i < out->n_addresses; i++)
    if (gst_cc_address_equal (out->addresses[i], address))
      return;
  out->addresses[out->n_addresses++] = g_object_ref (address);
}

/* To who takes part, and no more than what came from there allows. */
static gboolean
may_answer (GstRtcpAvpf *self, GSocketAddress *address, guint bytes)
{
  guint64 host = gst_rtcp_avpf_host_id (address);

  return rtp_peer_is (&self->peer, host) && rtp_answers_take (&self->answers, host, bytes);
}

static void
collect_addresses (GstRtcpAvpf *self, GstRtcpAvpfOutgoing *out)
{
  guint i, n = 0, bytes = (guint)gst_buffer_get_size (out->buffer);

  /* RTCP of a group goes where the application sends it: to the group */
  for (i = 0; i < AVPF_MAX_SOURCES && !self->multicast; i++) {
    AvpfSource *s = self->table.sources[i];

    if (s != NULL && s->valid && s->address != NULL)
      add_address (out, s->address);
  }
  for (i = 0; i < out->n_addresses; i++) {
    GSocketAddress *address = out->addresses[i];

    if (may_answer (self, address, bytes + gst_rtcp_avpf_udp_ip_bytes (address)))
      out->addresses[n++] = address;
    else
      g_object_unref (address);
  }
  out->withheld = n == 0 && out->n_addresses > 0;
  out->n_addresses = n;
}

static guint
outgoing_bytes (const GstRtcpAvpfOutgoing *out)
{
  guint bytes = 0, i;

  for (i = 0; i < out->n_addresses; i++)
    bytes += (guint)gst_buffer_get_size (out->buffer) + gst_rtcp_avpf_udp_ip_bytes (out->addresses[i]);
  return out->n_addresses > 0 ? bytes : (guint)gst_buffer_get_size (out->buffer) + RTCP_AVPF_IPV4_UDP_BYTES;
}

guint64
gst_rtcp_avpf_hash (const guint8 *data, gsize size)
{
  guint64 hash = G_GUINT64_CONSTANT (0xcbf29ce484222325);
  gsize i;

  for (i = 0; i < size; i++)
    hash = (hash ^ data[i]) * G_GUINT64_CONSTANT (0x100000001b3);
  return hash;
}

/* So that a packet of ours that comes back is known (a multicast group with loop). */
static void
remember (GstRtcpAvpf *self, GstBuffer *buffer)
{
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  self->sent_hashes[self->rtcp_sent % G_N_ELEMENTS (self->sent_hashes)] = gst_rtcp_avpf_hash (map.data, map.size);
  gst_buffer_unmap (buffer, &map);
}

/* Returns the bytes it takes, with UDP and IP headers. */
static guint
account (GstRtcpAvpf *self, GstRtcpAvpfOutgoing *out)
{
  guint bytes;

  collect_addresses (self, out);
  bytes = outgoing_bytes (out);
  remember (self, out->buffer);
  self->rtcp_sent++;
  self->rtcp_bytes_sent += bytes;
  return bytes;
}

/* ---- whose turn it is ---- */

static void
send_early (GstRtcpAvpf *self, guint index, GstClockTime now, GstRtcpAvpfOutgoing *out)
{
  AvpfLocal *local = &self->locals.locals[index];
  GstRtcpAvpfPlan plan = {.first = index, .chosen = 1u << index, .reduced = self->settings.reduced_size};

  out->buffer = gst_rtcp_avpf_build (self, &plan, now);
  local->known = TRUE;
  avpf_timing_on_sent (&local->timing, AVPF_SEND_EARLY, account (self, out), now);
}

/* RFC 8108 5.3: the reports of our other SSRCs ride along. */
static void
send_regular (GstRtcpAvpf *self, guint index, GstClockTime now, GstRtcpAvpfOutgoing *out)
{
  AvpfLocalTable *locals = &self->locals;
  GstRtcpAvpfPlan plan = {.first = index, .regular = TRUE, .full = locals->locals[index].timing.full_due};
  AvpfReporter reporters[AVPF_MAX_LOCALS] = {{0}};
  guint i;

  for (i = 0; i < locals->n; i++)
    reporters[i] = (AvpfReporter){.timing = &locals->locals[i].timing, .report_size = gst_rtcp_avpf_report_size (self)};
  avpf_aggregate_choose (reporters, locals->n, index, RTCP_AVPF_IPV4_UDP_BYTES, RTCP_MTU - FEEDBACK_ROOM);
  for (i = 0; i < locals->n; i++)
    if (reporters[i].chosen) {
      plan.chosen |= 1u << i;
      locals->locals[i].known = TRUE;
    }
  out->buffer = gst_rtcp_avpf_build (self, &plan, now);
  avpf_aggregate_on_sent (reporters, locals->n, index, account (self, out), now);
}

/* RFC 4585 3.5.2 step 5: what others have said meanwhile needs no packet of ours. */
static void
settle (GstRtcpAvpf *self, AvpfTiming *timing, GstClockTime now)
{
  gst_rtcp_avpf_settle_feedback (self, now);
  if ((timing->te != CC_TIME_NONE || timing->feedback_stored) && !gst_rtcp_avpf_has_feedback (self, now))
    avpf_timing_cancel_feedback (timing);
}

static void
run_local (GstRtcpAvpf *self, guint index, GstClockTime now, GstRtcpAvpfOutgoing *out)
{
  AvpfTiming *timing = &self->locals.locals[index].timing;

  settle (self, timing, now);
  switch (avpf_timing_on_timeout (timing, now)) {
  case AVPF_SEND_EARLY:
    send_early (self, index, now, out);
    break;
  case AVPF_SEND_REGULAR:
    send_regular (self, index, now, out);
    break;
  default:
    break;
  }
}

/* One packet a round. */
static void
run_timing (GstRtcpAvpf *self, GstClockTime now, GstRtcpAvpfOutgoing *out)
{
  guint i;

  for (i = 0; i < self->locals.n && out->buffer == NULL; i++) {
    AvpfLocal *local = &self->locals.locals[i];

    if (local->timing_runs && avpf_timing_next_timeout (&local->timing) <= now)
      run_local (self, i, now, out);
  }
}

/* ---- leaving ---- */

static void
end_leave (GstRtcpAvpf *self)
{
  gst_clear_buffer (&self->bye);
  self->leaving = FALSE;
  self->bye_sent = TRUE;
}

AvpfLeave
gst_rtcp_avpf_leave (GstRtcpAvpf *self, GstClockTime now)
{
  AvpfLocal *local = &self->locals.locals[0];
  GstBuffer *bye = self->bye_sent ? NULL : gst_rtcp_avpf_build_bye (self, now);
  AvpfLeave how = AVPF_LEAVE_NOW;

  if (bye == NULL)
    return AVPF_LEAVE_SILENTLY;
  if (local->timing_runs)
    how = avpf_timing_leave (&local->timing, (guint32)gst_buffer_get_size (bye) + RTCP_AVPF_IPV4_UDP_BYTES, now);
  gst_clear_buffer (&self->bye);
  self->bye = bye;
  self->leaving = TRUE;
  self->leave_until = now + LONGEST_LEAVE;
  return how;
}

void
gst_rtcp_avpf_take_bye (GstRtcpAvpf *self, GstRtcpAvpfOutgoing *out)
{
  if (self->bye == NULL)
    return;
  out->buffer = gst_buffer_ref (self->bye);
  account (self, out);
  end_leave (self);
}

gboolean
gst_rtcp_avpf_run_leave (GstRtcpAvpf *self, GstClockTime now, GstRtcpAvpfOutgoing *out)
{
  AvpfTiming *timing = &self->locals.locals[0].timing;

  if (!self->leaving && !self->bye_sent) {
    AvpfLeave how = gst_rtcp_avpf_leave (self, now);

    if (how == AVPF_LEAVE_NOW)
      gst_rtcp_avpf_take_bye (self, out);
    if (how != AVPF_LEAVE_BACKED_OFF)
      end_leave (self);
  }
  if (self->leaving && avpf_timing_next_timeout (timing) <= now &&
      avpf_timing_on_timeout (timing, now) == AVPF_SEND_BYE)
    gst_rtcp_avpf_take_bye (self, out);
  if (self->leaving && now >= self->leave_until)
    end_leave (self);
  return !self->leaving;
}

GstClockTime
gst_rtcp_avpf_leave_next (GstRtcpAvpf *self, GstClockTime now)
{
  return MAX (MIN (avpf_timing_next_timeout (&self->locals.locals[0].timing), self->leave_until), now + SHORTEST_WAIT);
}

/* ---- the round ---- */

static void
keep_house (GstRtcpAvpf *self, GstClockTime now)
{
  if (now > self->housekept_at) {
    gdouble seconds = cc_seconds (now - self->housekept_at);

    self->receive_bps = (gdouble)self->wire_bytes * 8 / seconds;
    self->requests_per_s = (gdouble)(self->requests - self->housekept_requests) / seconds;
  }
  self->wire_bytes = 0;
  self->housekept_requests = self->requests;
  self->housekept_at = now;
  avpf_source_table_expire (&self->table, gst_rtcp_avpf_member_timeout (self), now);
  avpf_source_table_cancel_requests (&self->table, SILENCE, now);
  avpf_local_table_expire (&self->locals, now);
  gst_rtcp_avpf_update_members (self, now);
  gst_rtcp_avpf_update_bandwidth (self);
}

/* From the first packet of anybody on. */
static GstClockTime
housekeeping_at (GstRtcpAvpf *self)
{
  guint i;

  if (gst_rtcp_avpf_timing_runs (self))
    return self->housekept_at + HOUSEKEEPING_INTERVAL;
  for (i = 0; i < AVPF_MAX_SOURCES; i++)
    if (self->table.sources[i] != NULL)
      return self->housekept_at + HOUSEKEEPING_INTERVAL;
  return GST_CLOCK_TIME_NONE;
}

void
gst_rtcp_avpf_run (GstRtcpAvpf *self, GstClockTime now, GstRtcpAvpfOutgoing *out)
{
  if (housekeeping_at (self) <= now)
    keep_house (self, now);
  if (gst_rtcp_avpf_members_next (self) <= now)
    gst_rtcp_avpf_members_expire (self, now);
  if (gst_rtcp_avpf_media_next_timeout (self) <= now)
    gst_rtcp_avpf_media_on_timeout (self, now);
  gst_rtcp_avpf_check_feedback (self, now);
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

GstClockTime
gst_rtcp_avpf_next_timeout (GstRtcpAvpf *self, GstClockTime now)
{
  GstClockTime next = now + LONGEST_WAIT;

  if (gst_rtcp_avpf_timing_runs (self))
    next = MAX (gst_rtcp_avpf_timing_next (self), now + SHORTEST_WAIT);
  earliest (&next, now, housekeeping_at (self));
  earliest (&next, now, gst_rtcp_avpf_members_next (self));
  earliest (&next, now, gst_rtcp_avpf_media_next_timeout (self));
  earliest (&next, now, gst_rtcp_avpf_feedback_next (self, now));
  if (self->settings.stats_interval != 0)
    earliest (&next, now, self->stats_at);
  return next;
}
