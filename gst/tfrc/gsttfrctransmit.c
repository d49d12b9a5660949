/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrctransmit.h"

#include "gsttfrcrate.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_sink_debug);
#define GST_CAT_DEFAULT gst_tfrc_sink_debug

#define PUMP_PACKETS (2 * GST_TFRC_BATCH_SIZE) /* between two looks at clock and socket */
#define STATUS_INTERVAL (20 * CC_MSECOND)
#define RATE_EVENT_INTERVAL (200 * CC_MSECOND)
#define DRAIN_MARGIN (500 * CC_MSECOND)
#define LOG_INTERVAL CC_SECOND
/* Packets closer than this leave together, as the pacer's t_gran has it; also, a core that is due and does nothing must
   not spin. */
#define SLEEP_MIN (200 * CC_USECOND)
#define SHORT_SLEEP (2 * CC_MSECOND) /* packets need not wake a thread that wakes this soon anyway */
#define LATENESS_FIRST_BIN CC_USECOND

enum {
  WARNED_TOO_LARGE = 1 << 0,
  WARNED_REFUSED = 1 << 1,
  WARNED_UNREACHABLE = 1 << 2,
  WARNED_ERROR = 1 << 3,
  WARNED_UNPROTECTED = 1 << 4
};

CcTime
gst_tfrc_transmit_now (void)
{
  struct timespec ts;

  clock_gettime (CLOCK_MONOTONIC, &ts);
  return (CcTime)ts.tv_sec * CC_SECOND + (CcTime)ts.tv_nsec;
}

void
gst_tfrc_transmit_init (GstTfrcTransmit *t, GstElement *element, GstPad *pad)
{
  memset (t, 0, sizeof *t);
  t->element = element;
  t->pad = pad;
  t->wakeup_fd = -1;
  t->fd = -1;
  g_mutex_init (&t->lock);
  g_cond_init (&t->cond);
}

void
gst_tfrc_transmit_finalize (GstTfrcTransmit *t)
{
  g_clear_object (&t->shared.socket);
  g_mutex_clear (&t->lock);
  g_cond_clear (&t->cond);
}

static void
wake (GstTfrcTransmit *t)
{
  guint64 one = 1;

  t->shared.asleep = FALSE;
  if (t->wakeup_fd >= 0 && write (t->wakeup_fd, &one, sizeof one) < 0)
    GST_TRACE_OBJECT (t->element, "already woken");
}

gboolean
gst_tfrc_transmit_may_log (GstTfrcTransmit *t, CcTime now)
{
  if (t->logged_at != 0 && cc_time_since (now, t->logged_at) < LOG_INTERVAL)
    return FALSE;
  t->logged_at = now;
  return TRUE;
}

/* ---- the streaming thread's side, all under the lock ---- */

gboolean
gst_tfrc_transmit_queue (GstTfrcTransmit *t, const CcPacket *packets, guint n, guint malformed)
{
  gboolean failed;
  guint i;

  g_mutex_lock (&t->lock);
  failed = t->shared.failed;
  t->shared.malformed += malformed;
  for (i = 0; i < n; i++)
    if (t->shared.queue.packets == NULL || failed)
      gst_buffer_unref (packets[i].handle);
    else
      gst_tfrc_queue_push (&t->shared.queue, &packets[i]);
  if (t->shared.asleep && n > 0)
    wake (t);
  g_mutex_unlock (&t->lock);
  return !failed;
}

void
gst_tfrc_transmit_flush (GstTfrcTransmit *t)
{
  g_mutex_lock (&t->lock);
  gst_tfrc_queue_clear (&t->shared.queue);
  t->shared.flush = TRUE;
  wake (t);
  g_mutex_unlock (&t->lock);
}

gboolean
gst_tfrc_transmit_drain (GstTfrcTransmit *t)
{
  gboolean done;

  g_mutex_lock (&t->lock);
  t->shared.drain = TRUE;
  t->shared.drained = FALSE;
  wake (t);
  while (t->shared.queue.packets != NULL && !t->shared.drained && !t->shared.unlocked && !t->shared.failed)
    g_cond_wait (&t->cond, &t->lock);
  done = t->shared.queue.packets == NULL || t->shared.drained || t->shared.failed;
  t->shared.drain = FALSE;
  g_mutex_unlock (&t->lock);
  return done;
}

void
gst_tfrc_transmit_set_unlocked (GstTfrcTransmit *t, gboolean unlocked)
{
  g_mutex_lock (&t->lock);
  t->shared.unlocked = unlocked;
  g_cond_broadcast (&t->cond);
  g_mutex_unlock (&t->lock);
}

void
gst_tfrc_transmit_set_settings (GstTfrcTransmit *t, const GstTfrcSettings *settings)
{
  g_mutex_lock (&t->lock);
  t->shared.settings = *settings;
  t->shared.settings_changed = TRUE;
  wake (t);
  g_mutex_unlock (&t->lock);
}

void
gst_tfrc_transmit_set_peer (GstTfrcTransmit *t, GSocket *socket, const GstTfrcAddress *to)
{
  g_mutex_lock (&t->lock);
  if (socket != NULL)
    g_set_object (&t->shared.socket, socket);
  t->shared.to = *to;
  t->shared.peer_changed = TRUE;
  wake (t);
  g_mutex_unlock (&t->lock);
}

void
gst_tfrc_transmit_get_stats (GstTfrcTransmit *t, GstTfrcStats *stats)
{
  g_mutex_lock (&t->lock);
  *stats = t->shared.stats;
  stats->malformed = t->shared.malformed;
  stats->overflowed = t->shared.queue.overflowed;
  g_mutex_unlock (&t->lock);
}

/* ---- the thread ---- */

/* Audio is a small part of what makes a queue, and an encoder that nobody governs: lowered for a queue that video
   makes, its rate would fall below what it sends, and packets be skipped while the path has room for them. */
static guint
least_bitrate (const GstTfrcSettings *settings)
{
  if (!settings->audio || settings->mode != CC_MODE_LOW_DELAY)
    return settings->min_bitrate;
  return MAX (settings->min_bitrate, MIN (settings->min_audio_bitrate, settings->max_bitrate));
}

static void
init_core (GstTfrcTransmit *t, double start_Bps, CcTime now)
{
  CcPacketFeedbackParams packets;
  CcSenderParams params;

  cc_sender_params_init (&params);
  params.mode = t->settings.mode;
  params.start_Bps = start_Bps;
  params.min_Bps = gst_tfrc_bytes_per_second (least_bitrate (&t->settings));
  params.max_Bps = gst_tfrc_bytes_per_second (t->settings.max_bitrate);
  params.overhead_bytes = t->to.overhead + gst_cc_srtp_rtp_overhead (t->srtp);
  params.probe = t->settings.rate_extension_id > 0;
  params.pays_resent = true;
  params.buffer.max_delay = t->settings.max_delay;
  params.loss_tolerance = t->settings.loss_tolerance / 100.0;
  params.circuit.action = t->settings.circuit_action;
  params.random.next = gst_tfrc_random_bits;
  t->circuit_told = 0;
  cc_sender_init (&t->core, &params, t->ring, GST_TFRC_RING_SIZE, now);
  gst_tfrc_transmit_apply_limits (t);
  cc_sender_packet_feedback_params (&t->core, &packets);
  cc_packet_feedback_restart (t->packets, &packets);
}

/* min-bitrate holds against whatever receivers ask for. */
void
gst_tfrc_transmit_apply_limits (GstTfrcTransmit *t)
{
  cc_sender_set_limits (&t->core, gst_tfrc_bytes_per_second (least_bitrate (&t->settings)),
      fmin (gst_tfrc_bytes_per_second (t->settings.max_bitrate), t->tmmbr_Bps));
}

static void
give_up_packet (GstTfrcTransmit *t, const CcPacket *packet, CcTime now)
{
  guint32 ssrc;
  guint16 seq;

  if (gst_tfrc_packet_number (packet->handle, &ssrc, &seq))
    gst_tfrc_numbers_give_up (&t->numbers, ssrc, seq, now);
  gst_buffer_unref (packet->handle);
}

void
gst_tfrc_transmit_push (GstTfrcTransmit *t, const CcPacket *packet, CcTime now)
{
  CcPacket discarded;

  while (!cc_sender_push (&t->core, packet, now)) {
    if (cc_sender_pull (&t->core, now, &discarded) != CC_SENDER_DISCARD) {
      give_up_packet (t, packet, now);
      t->stats.packets_dropped++;
      return;
    }
    give_up_packet (t, &discarded, now);
  }
}

/* Another path: what is known of the old one goes, what waits to be sent stays. */
static void
restart_core (GstTfrcTransmit *t, CcTime now)
{
  guint i, n = t->core.buffer.count;
  CcPacket *waiting = g_new (CcPacket, n + 1);
  double start_Bps = MIN (t->core.rate_Bps, gst_tfrc_bytes_per_second (t->settings.start_bitrate));

  for (i = 0; i < n; i++)
    waiting[i] = t->core.buffer.ring[(t->core.buffer.head + i) % t->core.buffer.capacity];
  init_core (t, start_Bps, now);
  for (i = 0; i < n; i++)
    gst_tfrc_transmit_push (t, &waiting[i], now);
  g_free (waiting);
}

/* Not to RTCP: nobody would tell of its marks. */
static void
set_traffic_class (GstTfrcTransmit *t)
{
  t->batch->tos = t->settings.ecn ? gst_tfrc_socket_ect_class (t->socket) : -1;
}

static void
apply_settings (GstTfrcTransmit *t, const GstTfrcSettings *settings, CcTime now)
{
  if (settings->repair == GST_TFRC_REPAIR_NONE)
    gst_tfrc_repair_end (t, now);
  if (settings->mode != t->settings.mode)
    cc_sender_set_mode (&t->core, settings->mode, now);
  if (settings->max_delay != t->settings.max_delay)
    cc_sender_set_max_delay (&t->core, settings->max_delay);
  cc_sender_set_loss_tolerance (&t->core, settings->loss_tolerance / 100.0);
  cc_sender_set_circuit_action (&t->core, settings->circuit_action);
  if (settings->stats_interval != t->settings.stats_interval)
    t->stats_at = cc_time_add (now, settings->stats_interval);
  t->settings = *settings;
  t->steering.numbered = settings->twcc_extension_id > 0;
  t->core.params.probe = settings->rate_extension_id > 0;
  set_traffic_class (t);
  gst_tfrc_transmit_apply_limits (t);
  cc_sender_on_timeout (&t->core, now);
  t->status_at = now;
}

static void
flush_core (GstTfrcTransmit *t, CcTime now)
{
  CcPacket packet;

  send_buffer_clear (&t->core.buffer);
  while (cc_sender_pull (&t->core, now, &packet) != CC_SENDER_WAIT)
    give_up_packet (t, &packet, now);
  gst_tfrc_batch_clear (t->batch);
  t->blocked = FALSE;
}

static void
finish_drain (GstTfrcTransmit *t, CcTime now)
{
  flush_core (t, now);
  gst_tfrc_session_say_bye (&t->session, t->fd, now);
  t->drain_until = CC_TIME_NONE;
  g_mutex_lock (&t->lock);
  t->shared.drain = FALSE;
  t->shared.drained = TRUE;
  g_cond_broadcast (&t->cond);
  g_mutex_unlock (&t->lock);
}

/* Takes over what the other threads left. Returns FALSE when it is time to go. */
static gboolean
take_shared (GstTfrcTransmit *t, CcTime now)
{
  gboolean quit, flush, drain, settings_changed, peer_changed;
  GstTfrcGivenUp given_up[GST_TFRC_MAX_GIVEN_UP];
  guint n_given_up;
  GstTfrcSettings settings;
  CcPacket *queue = t->taken;
  GSocket *socket = NULL;
  guint i;

  g_mutex_lock (&t->lock);
  t->taken = t->shared.queue.packets;
  t->n_taken = t->shared.queue.n;
  t->shared.queue.packets = queue;
  t->shared.queue.n = 0;
  t->shared.asleep = FALSE;
  quit = t->shared.quit;
  flush = t->shared.flush;
  drain = t->shared.drain;
  settings_changed = t->shared.settings_changed;
  peer_changed = t->shared.peer_changed;
  t->shared.flush = t->shared.settings_changed = t->shared.peer_changed = FALSE;
  settings = t->shared.settings;
  n_given_up = t->shared.queue.n_given_up;
  if (n_given_up > 0)
    memcpy (given_up, t->shared.queue.given_up, n_given_up * sizeof given_up[0]);
  t->shared.queue.n_given_up = 0;
  if (peer_changed) {
    t->to = t->shared.to;
    socket = g_steal_pointer (&t->shared.socket);
  }
  g_mutex_unlock (&t->lock);

  if (flush)
    flush_core (t, now);
  if (settings_changed)
    apply_settings (t, &settings, now);
  if (socket != NULL) {
    g_object_unref (t->socket);
    t->socket = socket;
    t->fd = g_socket_get_fd (socket);
    set_traffic_class (t);
  }
  if (peer_changed) {
    t->batch->to = t->to;
    gst_tfrc_repair_end (t, now);
    gst_tfrc_session_set_peer (&t->session, &t->to, now);
    restart_core (t, now);
  }
  for (i = 0; i < n_given_up; i++)
    while (given_up[i].count-- > 0)
      gst_tfrc_numbers_give_up (&t->numbers, given_up[i].ssrc, given_up[i].from++, now);
  t->mid_frame = t->n_taken > 0 && !t->taken[t->n_taken - 1].frame_end && !t->taken[t->n_taken - 1].resent;
  for (i = 0; i < t->n_taken; i++)
    gst_tfrc_transmit_push (t, &t->taken[i], now);
  t->n_taken = 0;
  if (!drain)
    t->drain_until = CC_TIME_NONE;
  else if (t->drain_until == CC_TIME_NONE)
    t->drain_until = cc_time_add (now, t->settings.max_delay + DRAIN_MARGIN);
  return !quit;
}

static void
warn (GstTfrcTransmit *t, guint kind, const gchar *text, const gchar *debug)
{
  if (t->warned & kind)
    return;
  t->warned |= kind;
  GST_ELEMENT_WARNING (t->element, RESOURCE, WRITE, ("%s", text), ("%s", debug));
}

static void
tell_errors (GstTfrcTransmit *t, CcTime now)
{
  const GstTfrcBatch *b = t->batch;

  if (b->too_large > 0)
    warn (t, WARNED_TOO_LARGE, "Packets are too large for UDP and cannot be sent: set mtu=1200 on the payloader.",
        "EMSGSIZE");
  if (b->refused > 0)
    warn (t, WARNED_REFUSED,
        "The receiver's port is closed: nothing listens there. Sending goes on; start the receiver or correct host and "
        "port.",
        "ECONNREFUSED");
  if (b->unreachable > 0)
    warn (t, WARNED_UNREACHABLE,
        "The receiver cannot be reached at the moment. Sending goes on; check the network connection and the host "
        "property.",
        g_strerror (b->last_errno));
  if (b->errors > 0)
    warn (t, WARNED_ERROR,
        "The system refuses packets. Sending goes on; a firewall or a full device queue may be the cause.",
        g_strerror (b->last_errno));
}

static void
flush_batch (GstTfrcTransmit *t, CcTime now)
{
  guint64 failed = t->batch->too_large + t->batch->refused + t->batch->unreachable + t->batch->errors;

  t->blocked = !gst_tfrc_batch_flush (t->batch, t->fd);
  if (failed != t->batch->too_large + t->batch->refused + t->batch->unreachable + t->batch->errors)
    tell_errors (t, now);
}

/* Reads the number of the original in a packet that is sent again. */
static gboolean
read_osn (GstBuffer *buffer, guint16 *osn)
{
  guint8 data[GST_TFRC_HEAD_MAX];
  GstTfrcHead head;

  if (!gst_tfrc_head_parse (
          data, gst_buffer_extract (buffer, 0, data, sizeof data), gst_buffer_get_size (buffer), &head))
    return FALSE;
  if (gst_buffer_extract (buffer, head.head_size, data, GST_TFRC_OSN_SIZE) != GST_TFRC_OSN_SIZE)
    return FALSE;
  *osn = GST_READ_UINT16_BE (data);
  return TRUE;
}

/* Its original's number, as that was sent. FALSE: nobody could make anything of it. */
static gboolean
find_osn (GstTfrcTransmit *t, const CcPacket *packet, guint32 ssrc, guint16 *osn)
{
  if (!read_osn (packet->handle, osn) ||
      !(gst_tfrc_repair_is (t, ssrc) || gst_tfrc_numbers_resent (&t->numbers, ssrc, osn)))
    return FALSE;
  t->stats.resent++;
  return TRUE;
}

static void
note_sent (GstTfrcTransmit *t, const GstTfrcHead *head, guint16 seq, gsize size, const CcPacket *packet, CcTime now)
{
  RtpPacket rtp = {
      .ssrc = head->ssrc, .timestamp = head->timestamp, .seq = seq, .payload_bytes = size - head->head_size};

  cc_packet_feedback_on_sent (t->packets, head->ssrc, seq, packet->size_bytes, head->timestamp, now);
  gst_tfrc_session_on_sent (&t->session, &rtp, t->settings.clock_rate, packet->resent, packet->captured_at, now);
  gst_tfrc_repair_on_sent (t, packet->handle, head, seq);
}

static void
add_packet (GstTfrcTransmit *t, const CcPacket *packet, const RtpRttSendts *stamp, CcTime now)
{
  GstTfrcRewrite rewrite = {.elements = {.id = t->settings.extension_id,
                                .stamp = *stamp,
                                .twcc_id = t->settings.twcc_extension_id,
                                .twcc_number = cc_packet_feedback_number (t->packets),
                                .rate_id = t->settings.rate_extension_id},
      .resent = packet->resent};
  gsize size = gst_buffer_get_size (packet->handle);
  GstTfrcHead head;
  guint32 ssrc;
  guint16 seq;

  if (gst_tfrc_packet_number (packet->handle, &ssrc, &seq)) {
    rewrite.renumber = gst_tfrc_numbers_offset (&t->numbers, ssrc, seq, now);
    if (packet->resent && !find_osn (t, packet, ssrc, &rewrite.osn)) {
      give_up_packet (t, packet, now);
      return;
    }
  }
  if (gst_tfrc_batch_add (t->batch, packet->handle, &rewrite, &head))
    note_sent (t, &head, (guint16)(head.seq - rewrite.renumber), size, packet, now);
  else if (t->batch->unprotected > 0)
    warn (t, WARNED_UNPROTECTED,
        "Packets have numbers that their SSRC has used with this key before, which would give the key away; they are "
        "dropped. Leave the payloader's ssrc to chance, or set another srtp-key.",
        "SRTP");
}

/* TRUE: there may be more that can leave at once. */
static gboolean
pump (GstTfrcTransmit *t, CcTime now)
{
  RtpRttSendts stamp;
  CcPacket packet;
  guint n;

  if (t->blocked)
    flush_batch (t, now);
  cc_sender_stamp (&t->core, now, &stamp);
  for (n = 0; n < PUMP_PACKETS && !t->blocked; n++) {
    CcSenderVerdict verdict = cc_sender_pull (&t->core, now, &packet);

    if (verdict == CC_SENDER_WAIT)
      break;
    if (verdict == CC_SENDER_DISCARD)
      give_up_packet (t, &packet, now);
    else
      add_packet (t, &packet, &stamp, now);
    if (gst_tfrc_batch_is_full (t->batch))
      flush_batch (t, now);
  }
  if (t->batch->count > 0 && !t->blocked)
    flush_batch (t, now);
  return n == PUMP_PACKETS;
}

static void
push_rate_event (GstTfrcTransmit *t, const CcSenderStatus *status, CcTime now)
{
  GstRateInfo info = gst_tfrc_rate_info (&t->core, status);

  t->reported_bitrate = info.bitrate;
  t->reported_limit = status->limit;
  t->rate_event_at = cc_time_add (now, RATE_EVENT_INTERVAL);
  gst_pad_push_event (t->pad, gst_rate_event_new (&info));
}

static void
copy_counters (GstTfrcTransmit *t)
{
  const RtpParticipant *core = t->session.core;
  GstTfrcStats *s = &t->stats;

  s->mode = t->core.mode;
  s->packets_sent = t->core.packets_sent;
  s->bytes_sent = t->core.bytes_sent;
  s->frames_sent = t->core.buffer.frames_sent;
  s->frames_dropped = t->core.buffer.frames_dropped;
  s->packets_dropped = t->core.packets_dropped;
  s->bad_reports = t->core.bad_reports;
  s->circuit_openings = t->core.circuit.openings;
  s->packet_reports = t->core.packet_reports;
  s->packet_reports_refused = t->packets->nonsense + cc_packet_feedback_unknown (t->packets);
  s->steering = t->steering.counts;
  rtp_media_counts (&core->media, &s->media);
  s->unknown_ssrc = core->media.elsewhere;
  s->limits_unproven = core->media.unproven;
  s->bad_rtcp = core->stats.bad_rtcp + t->steering.counts.malformed;
  s->rtcp_sent = t->session.sent;
  s->resends_lost = t->numbers.lost;
  s->resends_unknown = t->numbers.unknown + t->repair.unknown;
  s->unstamped = t->batch->unstamped;
  s->unprotected = t->batch->unprotected;
  s->srtp = gst_cc_srtp_counts (t->srtp);
  s->too_large = t->batch->too_large;
  s->refused = t->batch->refused;
  s->unreachable = t->batch->unreachable;
  s->send_errors = t->batch->errors;
}

static void
publish (GstTfrcTransmit *t)
{
  copy_counters (t);
  g_mutex_lock (&t->lock);
  t->shared.stats = t->stats;
  g_mutex_unlock (&t->lock);
}

/* Upstream and the application learn where the rate stands. */
static void
check_status (GstTfrcTransmit *t, CcTime now)
{
  CcSenderStatus *status = &t->stats.status;
  guint estimated = t->stats.estimated_bitrate;
  gboolean notify;

  cc_sender_status (&t->core, now, status);
  notify = gst_tfrc_rate_differs (gst_tfrc_bit_rate (status->rate_Bps), estimated);
  if (notify)
    t->stats.estimated_bitrate = gst_tfrc_bit_rate (status->rate_Bps);
  t->status_at = cc_time_add (now, STATUS_INTERVAL);
  if (notify || now >= t->rate_event_at || status->limit != t->reported_limit ||
      gst_tfrc_rate_differs (gst_tfrc_bit_rate (status->media_Bps), t->reported_bitrate)) {
    publish (t);
    push_rate_event (t, status, now);
  }
  if (notify)
    g_object_notify (G_OBJECT (t->element), "estimated-bitrate");
}

static void
post_stats (GstTfrcTransmit *t, CcTime now)
{
  GstTfrcStats stats;

  t->stats_at = cc_time_add (now, t->settings.stats_interval);
  cc_sender_status (&t->core, now, &t->stats.status);
  publish (t);
  gst_tfrc_transmit_get_stats (t, &stats);
  gst_element_post_message (
      t->element, gst_message_new_element (GST_OBJECT (t->element), gst_tfrc_stats_to_structure (&stats)));
}

static void
post_circuit (GstTfrcTransmit *t, CcTime now)
{
  GstMessage *message = gst_tfrc_circuit_news (t->element, &t->core, &t->circuit_told);

  if (message == NULL)
    return;
  t->status_at = now;
  publish (t);
  gst_element_post_message (t->element, message);
}

static CcTime
next_stats (const GstTfrcTransmit *t)
{
  return t->settings.stats_interval > 0 ? t->stats_at : CC_TIME_NONE;
}

static void
give_advice (GstTfrcTransmit *t, CcTime now)
{
  const GstTfrcSendCounts counts = {.packets_sent = t->core.packets_sent,
      .frames_sent = t->core.buffer.frames_sent,
      .frames_dropped = t->core.buffer.frames_dropped,
      .rtcp_received = t->stats.rtcp_received,
      .explained = t->batch->refused > 0 || gst_cc_srtp_counts (t->srtp).refused > 0,
      .needs_feedback = t->core.mode != CC_MODE_BURST_CONTROL};

  gst_tfrc_send_advice_give (&t->advice, t->element, t->pad, &counts, now);
}

static void
run_timers (GstTfrcTransmit *t, CcTime now)
{
  if (cc_sender_next_timeout (&t->core) <= now)
    cc_sender_on_timeout (&t->core, now);
  if (cc_sender_take_key_unit_wanted (&t->core))
    gst_tfrc_answer_want_key_unit (t, now);
  gst_tfrc_answer_run (t, now);
  post_circuit (t, now);
  if (MIN (t->status_at, t->rate_event_at) <= now)
    check_status (t, now);
  give_advice (t, now);
  if (next_stats (t) <= now)
    post_stats (t, now);
  if (t->drain_until != CC_TIME_NONE && (t->drain_until <= now || (t->core.buffer.count == 0 && t->batch->count == 0)))
    finish_drain (t, now);
}

static CcTime
next_deadline (const GstTfrcTransmit *t, CcTime now, gboolean more)
{
  CcTime core = t->blocked ? CC_TIME_NONE : cc_sender_next_timeout (&t->core);
  CcTime at = gst_tfrc_session_next (&t->session);

  if (!more)
    core = MAX (core, cc_time_add (now, SLEEP_MIN));
  at = cc_time_min (at, cc_time_min (core, t->drain_until));
  return cc_time_min (at, cc_time_min (next_stats (t), t->rate_event_at));
}

/* Before the sleep the figures are published and what came meanwhile is looked for, under the same lock. */
static gboolean
may_sleep (GstTfrcTransmit *t, CcTime deadline, CcTime now)
{
  gboolean idle;

  copy_counters (t);
  g_mutex_lock (&t->lock);
  t->shared.stats = t->stats;
  idle = t->shared.queue.n == 0 && !t->shared.quit && !t->shared.flush && !t->shared.settings_changed &&
         !t->shared.peer_changed && (!t->shared.drain || t->drain_until != CC_TIME_NONE);
  t->shared.asleep = idle && deadline > now + SHORT_SLEEP;
  g_mutex_unlock (&t->lock);
  return idle;
}

static void
fail (GstTfrcTransmit *t)
{
  g_mutex_lock (&t->lock);
  t->shared.failed = TRUE;
  g_cond_broadcast (&t->cond);
  g_mutex_unlock (&t->lock);
  GST_ELEMENT_ERROR (t->element, RESOURCE, WRITE,
      ("The socket was closed while in use. Keep a socket given by the socket property open until the element is in "
       "NULL."),
      (NULL));
}

static void
take_errors (GstTfrcTransmit *t, CcTime now)
{
  guint i;
  int error;

  for (i = 0; i < GST_TFRC_BATCH_SIZE && (error = gst_tfrc_socket_take_error (t->fd)) != 0; i++) {
    t->batch->last_errno = error;
    if (error == ECONNREFUSED)
      t->batch->refused++;
    else if (error == EHOSTUNREACH || error == ENETUNREACH)
      t->batch->unreachable++;
  }
  tell_errors (t, now);
}

/* FALSE: the socket is gone. */
static gboolean
wait_for_events (GstTfrcTransmit *t, CcTime deadline, CcTime now, short *events)
{
  struct pollfd fds[2] = {{t->fd, (short)(POLLIN | (t->blocked ? POLLOUT : 0)), 0}, {t->wakeup_fd, POLLIN, 0}};
  CcDuration span = deadline > now ? deadline - now : 0;
  struct timespec timeout = {(time_t)(span / CC_SECOND), (long)(span % CC_SECOND)};
  guint64 count;

  *events = 0;
  if (ppoll (fds, 2, deadline == CC_TIME_NONE ? NULL : &timeout, NULL) <= 0)
    return TRUE;
  if ((fds[1].revents & POLLIN) && read (t->wakeup_fd, &count, sizeof count) < 0)
    GST_TRACE_OBJECT (t->element, "no wake-up to take");
  *events = fds[0].revents;
  return !(*events & POLLNVAL);
}

static guint
lateness_bin (CcDuration late)
{
  guint octave = 0;

  while (late >= 2 * LATENESS_FIRST_BIN && octave < GST_TFRC_LATENESS_BINS / 4 - 1) {
    late /= 2;
    octave++;
  }
  if (late < LATENESS_FIRST_BIN)
    return 0;
  return MIN (4 * octave + (guint)(4 * (late - LATENESS_FIRST_BIN) / LATENESS_FIRST_BIN), GST_TFRC_LATENESS_BINS - 1);
}

static void
note_lateness (GstTfrcTransmit *t, CcTime now)
{
  CcDuration late;

  if (t->due > now)
    return;
  late = now - t->due;
  t->stats.lateness[lateness_bin (late)]++;
  t->stats.lateness_max = MAX (t->stats.lateness_max, late);
  t->due = CC_TIME_NONE;
}

static gpointer
run (gpointer user)
{
  GstTfrcTransmit *t = user;
  short events = 0;
  CcTime now;

  prctl (PR_SET_TIMERSLACK, 1, 0, 0, 0);
  while (now = gst_tfrc_transmit_now (), take_shared (t, now)) {
    CcTime deadline;
    gboolean more;

    note_lateness (t, now);
    if (events & POLLERR)
      take_errors (t, now);
    if (events & POLLIN)
      gst_tfrc_answer_receive (t, now);
    run_timers (t, now);
    more = pump (t, now);
    deadline = next_deadline (t, now, more);
    /* the rest of a frame need not wake this thread packet by packet */
    if (t->mid_frame)
      deadline = MIN (deadline, cc_time_add (now, SLEEP_MIN));
    t->due = t->core.buffer.count > 0 && deadline > now ? cc_sender_next_timeout (&t->core) : CC_TIME_NONE;
    if (!may_sleep (t, deadline, now))
      deadline = now;
    if (!wait_for_events (t, deadline, now, &events)) {
      fail (t);
      break;
    }
  }
  flush_core (t, now);
  gst_tfrc_session_say_bye (&t->session, t->fd, now);
  return NULL;
}

static void
reset (GstTfrcTransmit *t, const GstTfrcSettings *settings, const GstTfrcAddress *to, CcTime now)
{
  g_clear_object (&t->shared.socket);
  memset (&t->shared, 0, sizeof t->shared);
  memset (&t->stats, 0, sizeof t->stats);
  t->shared.settings = t->settings = *settings;
  t->shared.to = t->to = *to;
  t->shared.queue.packets = g_new (CcPacket, GST_TFRC_QUEUE_SIZE);
  t->taken = g_new (CcPacket, GST_TFRC_QUEUE_SIZE);
  t->ring = g_new (CcPacket, GST_TFRC_RING_SIZE);
  t->batch = g_new (GstTfrcBatch, 1);
  gst_tfrc_batch_init (t->batch);
  gst_tfrc_batch_set_srtp (t->batch, t->srtp);
  t->batch->to = *to;
  set_traffic_class (t);
  t->n_taken = t->warned = t->key_unit_count = t->reported_bitrate = 0;
  t->blocked = FALSE;
  t->due = t->drain_until = CC_TIME_NONE;
  t->status_at = t->rate_event_at = now;
  t->stats_at = cc_time_add (now, settings->stats_interval);
  t->logged_at = 0;
  gst_tfrc_send_advice_init (&t->advice, now);
  t->packets = g_new0 (CcPacketFeedback, 1);
  gst_tfrc_numbers_init (&t->numbers);
  gst_tfrc_repair_init (&t->repair);
  gst_tfrc_answer_begin (t, now);
  init_core (t, gst_tfrc_bytes_per_second (settings->start_bitrate), now);
  t->stats.estimated_bitrate = gst_tfrc_bit_rate (t->core.rate_Bps);
  cc_sender_status (&t->core, now, &t->stats.status);
  copy_counters (t);
  t->shared.stats = t->stats;
}

/* Properties may still be set: whatever another thread touches goes under the lock. */
static void
release (GstTfrcTransmit *t)
{
  g_mutex_lock (&t->lock);
  gst_tfrc_queue_clear (&t->shared.queue);
  g_clear_pointer (&t->shared.queue.packets, g_free);
  t->shared.drained = TRUE;
  g_clear_object (&t->shared.socket);
  close (t->wakeup_fd);
  t->wakeup_fd = -1;
  g_cond_broadcast (&t->cond);
  g_mutex_unlock (&t->lock);
  g_clear_pointer (&t->taken, g_free);
  g_clear_pointer (&t->ring, g_free);
  g_clear_pointer (&t->batch, gst_tfrc_batch_free);
  gst_tfrc_session_clear (&t->session);
  g_clear_pointer (&t->packets, g_free);
  gst_tfrc_repair_clear (&t->repair);
  g_clear_object (&t->socket);
  t->fd = -1;
}

gboolean
gst_tfrc_transmit_start (
    GstTfrcTransmit *t, GSocket *socket, const GstTfrcAddress *to, const GstTfrcSettings *settings, GError **error)
{
  int wakeup_fd = eventfd (0, EFD_NONBLOCK | EFD_CLOEXEC);

  if (wakeup_fd < 0) {
    g_set_error_literal (error, G_IO_ERROR, g_io_error_from_errno (errno), g_strerror (errno));
    return FALSE;
  }
  t->socket = g_object_ref (socket);
  t->fd = g_socket_get_fd (socket);
  g_mutex_lock (&t->lock);
  t->wakeup_fd = wakeup_fd;
  reset (t, settings, to, gst_tfrc_transmit_now ());
  g_mutex_unlock (&t->lock);
  t->thread = g_thread_try_new ("tfrcsink:pace", run, t, error);
  if (t->thread == NULL)
    release (t);
  return t->thread != NULL;
}

void
gst_tfrc_transmit_stop (GstTfrcTransmit *t)
{
  if (t->thread == NULL)
    return;
  g_mutex_lock (&t->lock);
  t->shared.quit = TRUE;
  wake (t);
  g_mutex_unlock (&t->lock);
  g_thread_join (t->thread);
  t->thread = NULL;
  release (t);
}
