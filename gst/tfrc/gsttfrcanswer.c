/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcanswer.h"

#include "gstccparticipant.h"
#include "gsttfrcgroup.h"
#include "rtcpsizeloss.h"
#include "gstpictureevent.h"

#include <math.h>
#include <string.h>

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_sink_debug);
#define GST_CAT_DEFAULT gst_tfrc_sink_debug

#define RECEIVE_SIZE 4096
#define RECEIVE_BURST 32
#define RTP_HEADER_WITH_STAMP 24
#define LOG_INTERVAL CC_SECOND

/* ---- what the participant tells ---- */

static void
push_upstream (GstTfrcAnswer *a, GstEvent *event)
{
  gst_pad_push_event (a->params.pad, event);
}

/* A decoder that has lost pictures may have lost the parameter sets as well: they are asked for whatever asks. */
static void
ask_for_key_unit (GstTfrcAnswer *a, const RtpEvent *event)
{
  RtpEvent full = *event;
  GstEvent *made;

  full.full = true;
  a->counts.key_unit_requests++;
  made = gst_cc_key_unit_event (&full, a->key_unit_count++);
  if (a->skipping)
    gst_structure_set (gst_event_writable_structure (made), GST_PICTURE_SKIPPED_FIELD, G_TYPE_BOOLEAN, TRUE, NULL);
  push_upstream (a, made);
}

static void
on_feedback (GstTfrcAnswer *a, const RtpFeedbackMessage *f)
{
  gst_tfrc_repair_note_feedback (&a->repair, f);
  if (f->type == RTCP_PSFB)
    gst_picture_event_push_fci (a->params.pad, f->media, f->fmt, f->fci, f->size);
}

/* Receivers name a packet by the number it had on the wire; upstream knows it by the one it came with. */
static void
ask_again (GstTfrcAnswer *a, const RtpEvent *event)
{
  guint16 seq;

  if (gst_tfrc_repair_answer (&a->repair, event, a->heard_at))
    return;
  if (gst_tfrc_numbers_ask (&a->numbers, event->ssrc, event->seq, &seq))
    push_upstream (a, gst_cc_resend_event (event, seq));
}

/* Upstream chooses another SSRC; until then its packets go on under the old one. */
static void
on_collision (GstTfrcAnswer *a, const RtpEvent *event)
{
  GST_INFO_OBJECT (a->params.element, "somebody else has SSRC %08x; asking upstream for another", event->ssrc);
  a->counts.collisions++;
  push_upstream (a, gst_cc_collision_event (event));
}

static void
on_bye (GstTfrcAnswer *a, const RtpEvent *event)
{
  GST_INFO_OBJECT (a->params.element, "receiver %08x has left", event->ssrc);
  a->counts.byes++;
  gst_tfrc_repair_note_bye (&a->repair, event->ssrc);
}

static void
tell (void *user, const RtpEvent *event)
{
  GstTfrcAnswer *a = user;

  switch (event->type) {
  case RTP_EVENT_KEY_UNIT:
    ask_for_key_unit (a, event);
    break;
  case RTP_EVENT_RESEND:
    ask_again (a, event);
    break;
  case RTP_EVENT_RATE:
    a->limit_stale = TRUE;
    break;
  case RTP_EVENT_MEDIA_COLLISION:
    on_collision (a, event);
    break;
  case RTP_EVENT_FEEDBACK:
    on_feedback (a, &event->feedback);
    break;
  case RTP_EVENT_BYE:
    on_bye (a, event);
    break;
  default:
    break;
  }
}

/* Of REMB, PATH and reports the steering knows more; what is left of RTP_EVENT_RATE is TMMBR. */
static void
apply_limit (GstTfrcAnswer *a, CcTime now)
{
  double limit_Bps;

  if (!a->limit_stale)
    return;
  a->limit_stale = FALSE;
  limit_Bps = rtp_media_limit_Bps (
      &a->session.core->media, a->params.sender->params.overhead_bytes + RTP_HEADER_WITH_STAMP, now);
  if (limit_Bps == a->tmmbr_Bps)
    return;
  a->tmmbr_Bps = limit_Bps;
  a->counts.tmmbr_bitrate = isfinite (limit_Bps) ? (guint64)(8 * limit_Bps) : 0;
  a->params.limit (a->params.user);
  cc_sender_on_timeout (a->params.sender, now);
  gst_tfrc_rate_news_hasten (a->params.news, now);
}

/* ---- packets that come ---- */

static gboolean
may_log (GstTfrcAnswer *a, CcTime now)
{
  if (a->logged_at != 0 && cc_time_since (now, a->logged_at) < LOG_INTERVAL)
    return FALSE;
  a->logged_at = now;
  return TRUE;
}

static void
take_from_peer (GstTfrcAnswer *a, guint8 *data, gsize size, const GstTfrcAddress *from, CcTime now)
{
  guint64 bad = a->session.core->stats.bad_rtcp;

  a->steering.now = a->heard_at = now;
  a->session.core->media.round_trip = a->params.sender->tfrc.R;
  if (!gst_tfrc_session_receive (&a->session, data, size, from, now)) {
    if (a->session.core->stats.bad_rtcp > bad && may_log (a, now))
      GST_WARNING_OBJECT (a->params.element, "malformed RTCP of %" G_GSIZE_FORMAT " bytes; ignored", size);
    return;
  }
  gst_tfrc_repair_settle (&a->repair, now);
  apply_limit (a, now);
  a->counts.rtcp_received++;
  cc_sender_on_rtcp (a->params.sender, now);
  gst_tfrc_rate_news_hasten (a->params.news, now);
}

/* Perhaps the receiver by another of its addresses. */
static void
note_elsewhere (GstTfrcAnswer *a, const guint8 *data, gsize size, const GstTfrcAddress *from)
{
  RtpAddress address = gst_tfrc_address_read (from);

  if (rtcp_is_rtcp (data, size) && address.port == gst_tfrc_address_read (&a->session.to).port)
    a->elsewhere = address;
}

static void
take_from_other (GstTfrcAnswer *a, const guint8 *data, gsize size, const GstTfrcAddress *from, CcTime now)
{
  if (!gst_tfrc_rate_sources_match (&a->params.settings->rate_sources, from)) {
    a->counts.unknown_source++;
    note_elsewhere (a, data, size, from);
    if (may_log (a, now))
      GST_WARNING_OBJECT (a->params.element,
          "a packet came from an address that is neither the receiver's nor in rate-sources; ignored");
    return;
  }
  if (!gst_tfrc_steering_bound (&a->steering, data, size, from, now))
    return;
  a->counts.rate_messages++;
  gst_tfrc_rate_news_hasten (a->params.news, now);
}

static void
take_packet (GstTfrcAnswer *a, guint8 *data, gsize size, const GstTfrcAddress *from, CcTime now)
{
  guint64 elsewhere = a->session.core->media.elsewhere;

  /* of two ends nothing else comes here, and with a key it is told; to a group goes our media as well */
  gboolean all = a->session.srtp != NULL && !gst_tfrc_group_is_native (&a->session.to);

  if (!gst_tfrc_session_is_peer (&a->session, from))
    take_from_other (a, data, size, from, now);
  else if (all || rtcp_is_rtcp (data, size))
    take_from_peer (a, data, size, from, now);
  if (a->session.core->media.elsewhere > elsewhere && may_log (a, now))
    GST_WARNING_OBJECT (a->params.element, "feedback on an SSRC that is none of ours");
}

void
gst_tfrc_answer_receive (GstTfrcAnswer *a, int fd, CcTime now)
{
  guint i;

  for (i = 0; i < RECEIVE_BURST; i++) {
    _Alignas(guint64) guint8 data[RECEIVE_SIZE];
    GstTfrcAddress from = {.length = sizeof from.storage};
    gssize size = recvfrom (fd, data, sizeof data, MSG_DONTWAIT, (struct sockaddr *)&from.storage, &from.length);

    if (size < 0)
      return;
    take_packet (a, data, (gsize)size, &from, now);
  }
}

/* ---- its life ---- */

static void
begin_session (GstTfrcAnswer *a, GstCcSrtp *srtp, const GstTfrcAddress *to, CcTime now)
{
  /* no receiver's reports govern what all of a group have */
  const GstTfrcSessionParams params = {.element = a->params.element,
      .srtp = srtp,
      .to = *to,
      .cname = a->params.settings->cname,
      .events = {.tell = tell, .user = a},
      .rate_maker = gst_tfrc_group_is_native (to) ? NULL : &gst_tfrc_steering_handlers,
      .rate_maker_user = &a->steering};

  gst_tfrc_session_begin (&a->session, &params, now);
}

static void
begin_repair (GstTfrcAnswer *a)
{
  const GstTfrcRepairParams params = {.element = a->params.element,
      .session = &a->session,
      .sender = a->params.sender,
      .settings = a->params.settings,
      .push = a->params.push,
      .user = a->params.user};

  gst_tfrc_repair_init (&a->repair, &params);
}

void
gst_tfrc_answer_begin (
    GstTfrcAnswer *a, const GstTfrcAnswerParams *params, GstCcSrtp *srtp, const GstTfrcAddress *to, CcTime now)
{
  memset (a, 0, sizeof *a);
  a->params = *params;
  begin_session (a, srtp, to, now);
  gst_tfrc_steering_init (&a->steering, params->sender, params->packets);
  a->steering.core = a->session.core;
  a->steering.mtu = &a->mtu;
  a->steering.numbered = params->settings->twcc_extension_id > 0;
  gst_tfrc_numbers_init (&a->numbers);
  begin_repair (a);
  gst_tfrc_mtu_init (&a->mtu, params->element, params->pad);
  gst_tfrc_weight_init (&a->weight);
  a->tmmbr_Bps = INFINITY;
}

void
gst_tfrc_answer_clear (GstTfrcAnswer *a)
{
  gst_tfrc_mtu_restart (&a->mtu);
  gst_tfrc_repair_clear (&a->repair);
  gst_tfrc_session_clear (&a->session);
}

void
gst_tfrc_answer_set_peer (GstTfrcAnswer *a, const GstTfrcAddress *to, CcTime now)
{
  a->elsewhere = (RtpAddress){RTP_ADDRESS_UNKNOWN};
  gst_tfrc_repair_end (&a->repair, now);
  gst_tfrc_session_set_peer (&a->session, to, now);
  gst_tfrc_mtu_restart (&a->mtu);
  gst_tfrc_weight_init (&a->weight);
}

static guint
added_bytes (const GstTfrcAnswer *a, const CcPacket *packet, gsize size)
{
  return (guint)(packet->size_bytes - size) + gst_cc_srtp_rtp_overhead (a->session.srtp) +
         a->params.sender->params.overhead_bytes;
}

void
gst_tfrc_answer_on_icmp (GstTfrcAnswer *a, guint ip_bytes, CcTime now)
{
  gst_tfrc_mtu_on_icmp (&a->mtu, ip_bytes, now);
}

/* Or the receiver takes them for congestion. */
static void
tell_size_losses (GstTfrcAnswer *a, CcTime now)
{
  guint8 fci[RTCP_SIZE_LOSS_SIZE];
  RtpAppFeedback message = {
      .type = RTCP_FB_PSFB, .fmt = RTCP_FB_FMT_AFB, .fci = fci, .size = sizeof fci, .max_delay = PATH_MTU_TELL_FOR};
  PathMtuLoss loss;

  if (!gst_tfrc_mtu_take_loss (&a->mtu, now, &loss))
    return;
  message.media = loss.ssrc;
  rtcp_size_loss_write (fci, sizeof fci, &(const RtcpSizeLoss){loss.first, loss.last});
  rtp_participant_queue_feedback (a->session.core, &message, now);
  gst_tfrc_session_wake (&a->session);
}

void
gst_tfrc_answer_on_sent (GstTfrcAnswer *a, const CcPacket *packet, const GstTfrcHead *head, guint16 seq, CcTime now)
{
  gsize size = gst_buffer_get_size (packet->handle);
  RtpPacket rtp = {
      .ssrc = head->ssrc, .timestamp = head->timestamp, .seq = seq, .payload_bytes = size - head->head_size};

  gst_tfrc_session_on_sent (
      &a->session, &rtp, a->params.settings->clock_rate, packet->resent, packet->captured_at, now);
  if (!packet->resent)
    gst_tfrc_mtu_on_sent (&a->mtu, head->ssrc, seq, (guint)size, added_bytes (a, packet, size));
  gst_tfrc_repair_on_sent (&a->repair, packet, head, seq, now);
}

/* Other modes ask no receiver for the path's rate. */
static double
weight_of (const GstTfrcSettings *settings)
{
  return settings->mode == CC_MODE_LOW_DELAY ? settings->path_weight : 1;
}

gboolean
gst_tfrc_answer_run (GstTfrcAnswer *a, int fd, CcTime now)
{
  gboolean fits;

  a->heard_at = now;
  gst_tfrc_session_run (&a->session, fd, a->params.sender->rate_Bps, now);
  apply_limit (a, now);
  fits = !gst_tfrc_mtu_run (&a->mtu, now);
  tell_size_losses (a, now);
  gst_tfrc_weight_run (&a->weight, &a->session, weight_of (a->params.settings), now);
  return fits;
}

/* Where nothing has left yet, upstream has one stream to make. */
void
gst_tfrc_answer_want_key_unit (GstTfrcAnswer *a, CcTime now)
{
  const RtpEvent anybody = {.type = RTP_EVENT_KEY_UNIT, .ssrc = 0};

  a->skipping = TRUE;
  if (!rtp_media_want_key_units (&a->session.core->media, now))
    ask_for_key_unit (a, &anybody);
  a->skipping = FALSE;
  a->session.next = MIN (a->session.next, rtp_media_next_timeout (&a->session.core->media));
}

void
gst_tfrc_answer_count (const GstTfrcAnswer *a, GstTfrcAnswerCounts *counts)
{
  const RtpParticipant *core = a->session.core;

  *counts = a->counts;
  counts->steering = a->steering.counts;
  rtp_media_counts (&core->media, &counts->media);
  counts->unknown_ssrc = core->media.elsewhere;
  counts->limits_unproven = core->media.unproven;
  counts->bad_rtcp = core->stats.bad_rtcp + a->steering.counts.malformed;
  counts->rtcp_sent = a->session.sent;
  counts->resends_unknown = a->numbers.unknown + a->repair.unknown;
  counts->resends_lost = a->numbers.lost;
  counts->resent = a->numbers.resent + a->repair.resent;
  counts->fec_sent = a->repair.sums;
  counts->path_mtu = a->mtu.told;
}
