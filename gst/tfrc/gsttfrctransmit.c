/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrctransmit.h"

#include "ccsenderpackets.h"
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
/* Packets closer than this leave together, as the pacer's t_gran has it; also, a core that is due and does nothing must
   not spin. */
#define SLEEP_MIN (200 * CC_USECOND)
#define SHORT_SLEEP (2 * CC_MSECOND) /* packets need not wake a thread that wakes this soon anyway */

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
  t->fd = -1;
  gst_tfrc_mailbox_init (&t->mailbox);
}

void
gst_tfrc_transmit_finalize (GstTfrcTransmit *t)
{
  gst_tfrc_mailbox_clear (&t->mailbox);
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

/* min-bitrate holds against whatever receivers ask for. */
static void
apply_limits (gpointer user)
{
  GstTfrcTransmit *t = user;

  cc_sender_set_limits (&t->core, gst_tfrc_bytes_per_second (least_bitrate (&t->settings)),
      fmin (gst_tfrc_bytes_per_second (t->settings.max_bitrate), t->answer.tmmbr_Bps));
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
  params.weight = t->settings.path_weight;
  params.circuit.action = t->settings.circuit_action;
  params.ecn = gst_tfrc_ecn_wanted (t->settings.ecn);
  params.burst = t->settings.burst;
  params.random.next = gst_tfrc_random_bits;
  t->circuit_told = 0;
  cc_sender_init (&t->core, &params, t->ring, GST_TFRC_RING_SIZE, now);
  apply_limits (t);
  cc_sender_packet_feedback_params (&t->core, &packets);
  cc_packet_feedback_restart (t->packets, &packets);
}

static void
give_up_packet (GstTfrcTransmit *t, const CcPacket *packet, CcTime now)
{
  guint32 ssrc;
  guint16 seq;

  if (gst_tfrc_packet_number (packet->handle, &ssrc, &seq))
    gst_tfrc_numbers_give_up (&t->answer.numbers, ssrc, seq, now);
  gst_buffer_unref (packet->handle);
}

static void
push (gpointer user, const CcPacket *packet, CcTime now)
{
  GstTfrcTransmit *t = user;
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
    push (t, &waiting[i], now);
  g_free (waiting);
}

/* Not to RTCP: nobody would tell of its marks. */
static void
set_traffic_class (GstTfrcTransmit *t)
{
  t->traffic_class = gst_tfrc_socket_class (t->socket);
}

static void
apply_settings (GstTfrcTransmit *t, const GstTfrcSettings *settings, CcTime now)
{
  if (settings->repair == GST_TFRC_REPAIR_NONE)
    gst_tfrc_repair_end (&t->answer.repair, now);
  if (settings->mode != t->settings.mode)
    cc_sender_set_mode (&t->core, settings->mode, now);
  if (settings->max_delay != t->settings.max_delay)
    cc_sender_set_max_delay (&t->core, settings->max_delay);
  cc_sender_set_loss_tolerance (&t->core, settings->loss_tolerance / 100.0);
  cc_sender_set_weight (&t->core, settings->path_weight);
  cc_sender_set_circuit_action (&t->core, settings->circuit_action);
  cc_sender_set_ecn (&t->core, gst_tfrc_ecn_wanted (settings->ecn));
  cc_sender_set_burst (&t->core, &settings->burst);
  if (settings->stats_interval != t->settings.stats_interval)
    t->stats_at = cc_time_add (now, settings->stats_interval);
  t->settings = *settings;
  t->answer.steering.numbered = settings->twcc_extension_id > 0;
  t->core.params.probe = settings->rate_extension_id > 0;
  set_traffic_class (t);
  apply_limits (t);
  cc_sender_on_timeout (&t->core, now);
  gst_tfrc_rate_news_hasten (&t->news, now);
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
  gst_tfrc_session_say_bye (&t->answer.session, t->fd, now);
  t->drain_until = CC_TIME_NONE;
  gst_tfrc_mailbox_tell_drained (&t->mailbox);
}

static void
take_peer (GstTfrcTransmit *t, const GstTfrcMail *mail, CcTime now)
{
  if (mail->socket != NULL) {
    g_object_unref (t->socket);
    t->socket = mail->socket;
    t->fd = g_socket_get_fd (t->socket);
    set_traffic_class (t);
  }
  t->to = t->batch->to = mail->to;
  gst_tfrc_answer_set_peer (&t->answer, &t->to, now);
  restart_core (t, now);
}

static void
take_packets (GstTfrcTransmit *t, GstTfrcMail *mail, CcTime now)
{
  guint i, n = mail->n_packets;

  for (i = 0; i < mail->n_given_up; i++)
    while (mail->given_up[i].count-- > 0)
      gst_tfrc_numbers_give_up (&t->answer.numbers, mail->given_up[i].ssrc, mail->given_up[i].from++, now);
  t->mid_frame = n > 0 && !mail->packets[n - 1].frame_end && !mail->packets[n - 1].resent;
  for (i = 0; i < n; i++)
    push (t, &mail->packets[i], now);
}

/* Takes over what the other threads left. Returns FALSE when it is time to go. */
static gboolean
take_mail (GstTfrcTransmit *t, CcTime now)
{
  GstTfrcMail *mail = &t->mail;

  gst_tfrc_mailbox_take (&t->mailbox, mail);
  if (mail->flush)
    flush_core (t, now);
  if (mail->settings_changed)
    apply_settings (t, &mail->settings, now);
  if (mail->peer_changed)
    take_peer (t, mail, now);
  take_packets (t, mail, now);
  if (!mail->drain)
    t->drain_until = CC_TIME_NONE;
  else if (t->drain_until == CC_TIME_NONE)
    t->drain_until = gst_tfrc_drain_until (now, t->settings.max_delay);
  return !mail->quit;
}

static void
flush_batch (GstTfrcTransmit *t, CcTime now)
{
  t->blocked = !gst_tfrc_batch_flush (t->batch, t->fd);
  gst_tfrc_send_errors_tell (&t->errors, t->batch);
}

/* Its original's number, as that was sent. FALSE: nobody could make anything of it. */
static gboolean
find_osn (GstTfrcTransmit *t, const CcPacket *packet, guint32 ssrc, guint16 *osn)
{
  if (!gst_tfrc_packet_osn (packet->handle, osn) ||
      !(gst_tfrc_repair_is (&t->answer.repair, ssrc) || gst_tfrc_numbers_resent (&t->answer.numbers, ssrc, osn)))
    return FALSE;
  return TRUE;
}

static void
note_sent (GstTfrcTransmit *t, const GstTfrcHead *head, guint16 seq, const CcPacket *packet, CcTime now)
{
  cc_packet_feedback_on_sent (t->packets, head->ssrc, seq, packet->size_bytes, head->timestamp, now);
  gst_tfrc_answer_on_sent (&t->answer, packet, head, seq, now);
}

static void
add_packet (GstTfrcTransmit *t, const CcPacket *packet, const RtpRttSendts *stamp, CcTime now)
{
  GstTfrcRewrite rewrite = {.elements = {.id = t->settings.extension_id,
                                .stamp = *stamp,
                                .twcc_id = t->settings.twcc_extension_id,
                                .twcc_number = cc_packet_feedback_number (t->packets),
                                .rate_id = t->settings.rate_extension_id},
      .resent = packet->resent,
      .tos = gst_tfrc_ecn_class (t->traffic_class, cc_sender_next_ecn (&t->core))};
  GstTfrcHead head;
  guint32 ssrc;
  guint16 seq;

  if (gst_tfrc_packet_number (packet->handle, &ssrc, &seq)) {
    rewrite.renumber = gst_tfrc_numbers_offset (&t->answer.numbers, ssrc, seq, now);
    if (packet->resent && !find_osn (t, packet, ssrc, &rewrite.osn)) {
      give_up_packet (t, packet, now);
      return;
    }
  }
  if (gst_tfrc_batch_add (t->batch, packet->handle, &rewrite, &head))
    note_sent (t, &head, (guint16)(head.seq - rewrite.renumber), packet, now);
  else
    gst_tfrc_send_errors_tell (&t->errors, t->batch);
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
copy_counters (GstTfrcTransmit *t)
{
  GstTfrcStats *s = &t->stats;

  s->mode = t->core.mode;
  s->estimated_bitrate = t->news.estimated_bitrate;
  s->packets_sent = t->core.sent.packets;
  s->bytes_sent = t->core.sent.bytes;
  s->frames_sent = t->core.buffer.frames_sent;
  s->frames_dropped = t->core.buffer.frames_dropped;
  s->packets_dropped = t->core.packets_dropped;
  s->bad_reports = t->core.bad_reports;
  s->circuit_openings = t->core.circuit.openings;
  s->packet_reports = t->core.packet_reports;
  s->packet_reports_refused = t->packets->nonsense + cc_packet_feedback_unknown (t->packets);
  gst_tfrc_answer_count (&t->answer, &s->answered);
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
  gst_tfrc_mailbox_publish (&t->mailbox, &t->stats);
}

/* Upstream and the application learn where the rate stands. */
static void
check_status (GstTfrcTransmit *t, CcTime now)
{
  CcSenderStatus *status = &t->stats.status;

  cc_sender_status (&t->core, now, status);
  if (!gst_tfrc_rate_news_look (&t->news, status, now))
    return;
  publish (t);
  gst_tfrc_rate_news_tell (&t->news, &t->core, status, gst_tfrc_numbers_only (&t->answer.numbers), now);
}

static void
post_stats (GstTfrcTransmit *t, CcTime now)
{
  GstTfrcStats stats;

  t->stats_at = cc_time_add (now, t->settings.stats_interval);
  cc_sender_status (&t->core, now, &t->stats.status);
  publish (t);
  gst_tfrc_mailbox_get_stats (&t->mailbox, &stats);
  gst_element_post_message (
      t->element, gst_message_new_element (GST_OBJECT (t->element), gst_tfrc_stats_to_structure (&stats)));
}

static void
post_circuit (GstTfrcTransmit *t, CcTime now)
{
  GstMessage *message = gst_tfrc_circuit_news (t->element, &t->core, &t->circuit_told);

  if (message == NULL)
    return;
  gst_tfrc_rate_news_hasten (&t->news, now);
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
  const GstTfrcSendCounts counts = {.packets_sent = t->core.sent.packets,
      .frames_sent = t->core.buffer.frames_sent,
      .frames_dropped = t->core.buffer.frames_dropped,
      .rtcp_received = t->answer.counts.rtcp_received,
      .ssrc = gst_tfrc_numbers_only (&t->answer.numbers),
      .explained = t->batch->refused + gst_cc_srtp_counts (t->srtp).refused,
      .elsewhere = t->answer.elsewhere,
      .needs_feedback = t->core.mode != CC_MODE_BURST_CONTROL};

  gst_tfrc_send_advice_give (&t->advice, t->element, t->pad, &counts, now);
}

/* Packets are too large for the path, and pictures behind those that were refer to what did not arrive. */
static void
begin_anew (GstTfrcTransmit *t, CcTime now)
{
  send_buffer_clear (&t->core.buffer);
  gst_tfrc_answer_want_key_unit (&t->answer, now);
}

static void
run_timers (GstTfrcTransmit *t, CcTime now)
{
  if (cc_sender_next_timeout (&t->core) <= now)
    cc_sender_on_timeout (&t->core, now);
  if (cc_sender_take_key_unit_wanted (&t->core))
    gst_tfrc_answer_want_key_unit (&t->answer, now);
  if (!gst_tfrc_answer_run (&t->answer, t->fd, now))
    begin_anew (t, now);
  post_circuit (t, now);
  if (gst_tfrc_rate_news_is_due (&t->news, now))
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
  CcTime at = gst_tfrc_session_next (&t->answer.session);

  if (!more)
    core = MAX (core, cc_time_add (now, SLEEP_MIN));
  at = cc_time_min (at, cc_time_min (core, t->drain_until));
  return cc_time_min (at, cc_time_min (next_stats (t), t->news.event_at));
}

/* Before the sleep the figures are published and what came meanwhile is looked for, under the same lock. */
static gboolean
may_sleep (GstTfrcTransmit *t, CcTime deadline, CcTime now)
{
  copy_counters (t);
  return gst_tfrc_mailbox_may_sleep (
      &t->mailbox, &t->stats, t->drain_until != CC_TIME_NONE, deadline > now + SHORT_SLEEP);
}

static void
fail (GstTfrcTransmit *t)
{
  gst_tfrc_mailbox_tell_failed (&t->mailbox);
  GST_ELEMENT_ERROR (t->element, RESOURCE, WRITE,
      ("The socket was closed while in use. Keep a socket given by the socket property open until the element is in "
       "NULL."),
      (NULL));
}

static gpointer
run (gpointer user)
{
  GstTfrcTransmit *t = user;
  short events = 0;
  CcTime now;

  prctl (PR_SET_TIMERSLACK, 1, 0, 0, 0);
  while (now = gst_tfrc_transmit_now (), take_mail (t, now)) {
    CcTime deadline;
    gboolean more;

    gst_tfrc_lateness_note (&t->stats.lateness, now);
    if (events & POLLERR)
      gst_tfrc_answer_on_icmp (&t->answer, gst_tfrc_send_errors_take (&t->errors, t->batch, t->fd), now);
    if (events & POLLIN)
      gst_tfrc_answer_receive (&t->answer, t->fd, now);
    run_timers (t, now);
    more = pump (t, now);
    deadline = next_deadline (t, now, more);
    /* the rest of a frame need not wake this thread packet by packet */
    if (t->mid_frame)
      deadline = MIN (deadline, cc_time_add (now, SLEEP_MIN));
    t->stats.lateness.due =
        t->core.buffer.count > 0 && deadline > now ? cc_sender_next_timeout (&t->core) : CC_TIME_NONE;
    if (!may_sleep (t, deadline, now))
      deadline = now;
    if (!gst_tfrc_socket_wait (t->fd, t->mailbox.wakeup_fd, t->blocked, cc_time_since (deadline, now), &events)) {
      fail (t);
      break;
    }
  }
  flush_core (t, now);
  gst_tfrc_session_say_bye (&t->answer.session, t->fd, now);
  return NULL;
}

static void
begin_answer (GstTfrcTransmit *t, CcTime now)
{
  const GstTfrcAnswerParams params = {.element = t->element,
      .pad = t->pad,
      .settings = &t->settings,
      .sender = &t->core,
      .packets = t->packets,
      .news = &t->news,
      .push = push,
      .limit = apply_limits,
      .user = t};

  gst_tfrc_answer_begin (&t->answer, &params, t->srtp, &t->to, now);
}

static void
reset (GstTfrcTransmit *t, const GstTfrcSettings *settings, const GstTfrcAddress *to, CcTime now)
{
  memset (&t->stats, 0, sizeof t->stats);
  gst_tfrc_lateness_init (&t->stats.lateness);
  t->settings = *settings;
  t->to = *to;
  t->mail = (GstTfrcMail){.packets = g_new (CcPacket, GST_TFRC_QUEUE_SIZE)};
  t->ring = g_new (CcPacket, GST_TFRC_RING_SIZE);
  t->batch = g_new (GstTfrcBatch, 1);
  gst_tfrc_batch_init (t->batch);
  gst_tfrc_batch_set_srtp (t->batch, t->srtp);
  t->batch->to = *to;
  set_traffic_class (t);
  t->blocked = FALSE;
  t->drain_until = CC_TIME_NONE;
  t->stats_at = cc_time_add (now, settings->stats_interval);
  gst_tfrc_send_errors_init (&t->errors, t->element);
  gst_tfrc_send_advice_init (&t->advice, now);
  t->packets = g_new0 (CcPacketFeedback, 1);
  begin_answer (t, now);
  init_core (t, gst_tfrc_bytes_per_second (settings->start_bitrate), now);
  gst_tfrc_rate_news_init (&t->news, t->element, t->pad, &t->core, now);
  cc_sender_status (&t->core, now, &t->stats.status);
  copy_counters (t);
}

static void
release (GstTfrcTransmit *t)
{
  gst_tfrc_mailbox_close (&t->mailbox);
  g_clear_pointer (&t->mail.packets, g_free);
  g_clear_pointer (&t->ring, g_free);
  g_clear_pointer (&t->batch, gst_tfrc_batch_free);
  gst_tfrc_answer_clear (&t->answer);
  g_clear_pointer (&t->packets, g_free);
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
  reset (t, settings, to, gst_tfrc_transmit_now ());
  gst_tfrc_mailbox_open (&t->mailbox, wakeup_fd, &t->stats);
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
  gst_tfrc_mailbox_quit (&t->mailbox);
  g_thread_join (t->thread);
  t->thread = NULL;
  release (t);
}
