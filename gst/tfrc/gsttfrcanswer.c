/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between the socket, the participant and the rest of a sending flow: whose a packet is that comes, and what becomes of
   what the participant tells. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpictureevent.h"
#include "gsttfrctransmit.h"

#include <math.h>

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_sink_debug);
#define GST_CAT_DEFAULT gst_tfrc_sink_debug

#define RECEIVE_SIZE 4096
#define RECEIVE_BURST 32
#define RTP_HEADER_WITH_STAMP 24

/* ---- what the participant tells ---- */

static void
push_upstream (GstTfrcTransmit *t, GstEvent *event)
{
  gst_pad_push_event (t->pad, event);
}

/* A decoder that has lost pictures may have lost the parameter sets as well: they are asked for whatever asks. */
static void
ask_for_key_unit (GstTfrcTransmit *t, const RtpEvent *event)
{
  RtpEvent full = *event;
  GstEvent *made;

  full.full = true;
  t->stats.key_unit_requests++;
  made = gst_cc_key_unit_event (&full, t->key_unit_count++);
  if (t->skipping)
    gst_structure_set (gst_event_writable_structure (made), GST_PICTURE_SKIPPED_FIELD, G_TYPE_BOOLEAN, TRUE, NULL);
  push_upstream (t, made);
}

static void
on_feedback (GstTfrcTransmit *t, const RtpFeedbackMessage *f)
{
  gst_tfrc_repair_note_feedback (&t->repair, f);
  if (f->type == RTCP_PSFB)
    gst_picture_event_push_fci (t->pad, f->media, f->fmt, f->fci, f->size);
}

/* Receivers name a packet by the number it had on the wire; upstream knows it by the one it came with. */
static void
ask_again (GstTfrcTransmit *t, const RtpEvent *event)
{
  guint16 seq;

  if (gst_tfrc_repair_answer (t, event, t->heard_at))
    return;
  if (gst_tfrc_numbers_ask (&t->numbers, event->ssrc, event->seq, &seq))
    push_upstream (t, gst_cc_resend_event (event, seq));
}

/* Upstream chooses another SSRC; until then its packets go on under the old one. */
static void
on_collision (GstTfrcTransmit *t, const RtpEvent *event)
{
  GST_INFO_OBJECT (t->element, "somebody else has SSRC %08x; asking upstream for another", event->ssrc);
  t->stats.collisions++;
  push_upstream (t, gst_cc_collision_event (event));
}

static void
on_bye (GstTfrcTransmit *t, const RtpEvent *event)
{
  GST_INFO_OBJECT (t->element, "receiver %08x has left", event->ssrc);
  t->stats.byes++;
  gst_tfrc_repair_note_bye (&t->repair, event->ssrc);
}

static void
tell (void *user, const RtpEvent *event)
{
  GstTfrcTransmit *t = user;

  switch (event->type) {
  case RTP_EVENT_KEY_UNIT:
    ask_for_key_unit (t, event);
    break;
  case RTP_EVENT_RESEND:
    ask_again (t, event);
    break;
  case RTP_EVENT_RATE:
    t->limit_stale = TRUE;
    break;
  case RTP_EVENT_MEDIA_COLLISION:
    on_collision (t, event);
    break;
  case RTP_EVENT_FEEDBACK:
    on_feedback (t, &event->feedback);
    break;
  case RTP_EVENT_BYE:
    on_bye (t, event);
    break;
  default:
    break;
  }
}

/* Of REMB, PATH and reports the steering knows more; what is left of RTP_EVENT_RATE is TMMBR. */
static void
apply_limit (GstTfrcTransmit *t, CcTime now)
{
  double limit_Bps;

  if (!t->limit_stale)
    return;
  t->limit_stale = FALSE;
  limit_Bps = rtp_media_limit_Bps (&t->session.core->media, t->core.params.overhead_bytes + RTP_HEADER_WITH_STAMP, now);
  if (limit_Bps == t->tmmbr_Bps)
    return;
  t->tmmbr_Bps = limit_Bps;
  t->stats.tmmbr_bitrate = isfinite (limit_Bps) ? (guint64)(8 * limit_Bps) : 0;
  gst_tfrc_transmit_apply_limits (t);
  cc_sender_on_timeout (&t->core, now);
  gst_tfrc_rate_news_hasten (&t->news, now);
}

/* ---- packets that come ---- */

static void
take_from_peer (GstTfrcTransmit *t, guint8 *data, gsize size, const GstTfrcAddress *from, CcTime now)
{
  guint64 bad = t->session.core->stats.bad_rtcp;

  t->steering.now = t->heard_at = now;
  t->session.core->media.round_trip = t->core.tfrc.R;
  if (!gst_tfrc_session_receive (&t->session, data, size, from, now)) {
    if (t->session.core->stats.bad_rtcp > bad && gst_tfrc_transmit_may_log (t, now))
      GST_WARNING_OBJECT (t->element, "malformed RTCP of %" G_GSIZE_FORMAT " bytes; ignored", size);
    return;
  }
  gst_tfrc_repair_settle (t, now);
  apply_limit (t, now);
  t->stats.rtcp_received++;
  cc_sender_on_rtcp (&t->core);
  gst_tfrc_rate_news_hasten (&t->news, now);
}

static void
take_from_other (GstTfrcTransmit *t, const guint8 *data, gsize size, const GstTfrcAddress *from, CcTime now)
{
  if (!gst_tfrc_rate_sources_match (&t->settings.rate_sources, from)) {
    t->stats.unknown_source++;
    if (gst_tfrc_transmit_may_log (t, now))
      GST_WARNING_OBJECT (
          t->element, "a packet came from an address that is neither the receiver's nor in rate-sources; ignored");
    return;
  }
  if (!gst_tfrc_steering_bound (&t->steering, data, size, from, now))
    return;
  t->stats.rate_messages++;
  gst_tfrc_rate_news_hasten (&t->news, now);
}

static void
take_packet (GstTfrcTransmit *t, guint8 *data, gsize size, const GstTfrcAddress *from, CcTime now)
{
  guint64 elsewhere = t->session.core->media.elsewhere;

  if (!gst_tfrc_session_is_peer (&t->session, from))
    take_from_other (t, data, size, from, now);
  else if (rtcp_is_rtcp (data, size) || t->srtp != NULL)
    take_from_peer (t, data, size, from, now);
  if (t->session.core->media.elsewhere > elsewhere && gst_tfrc_transmit_may_log (t, now))
    GST_WARNING_OBJECT (t->element, "feedback on an SSRC that is none of ours");
}

void
gst_tfrc_answer_receive (GstTfrcTransmit *t, CcTime now)
{
  guint i;

  for (i = 0; i < RECEIVE_BURST; i++) {
    _Alignas(guint64) guint8 data[RECEIVE_SIZE];
    GstTfrcAddress from = {.length = sizeof from.storage};
    gssize size = recvfrom (t->fd, data, sizeof data, MSG_DONTWAIT, (struct sockaddr *)&from.storage, &from.length);

    if (size < 0)
      return;
    take_packet (t, data, (gsize)size, &from, now);
  }
}

/* ---- its life ---- */

void
gst_tfrc_answer_begin (GstTfrcTransmit *t, CcTime now)
{
  const GstTfrcSessionParams params = {.element = t->element,
      .srtp = t->srtp,
      .to = t->to,
      .cname = t->settings.cname,
      .events = {.tell = tell, .user = t},
      .rate_maker = &gst_tfrc_steering_handlers,
      .rate_maker_user = &t->steering};

  gst_tfrc_session_begin (&t->session, &params, now);
  gst_tfrc_steering_init (&t->steering, &t->core, t->packets);
  t->steering.core = t->session.core;
  t->steering.numbered = t->settings.twcc_extension_id > 0;
  t->tmmbr_Bps = INFINITY;
  t->limit_stale = FALSE;
}

void
gst_tfrc_answer_run (GstTfrcTransmit *t, CcTime now)
{
  t->heard_at = now;
  gst_tfrc_session_run (&t->session, t->fd, t->core.rate_Bps, now);
  apply_limit (t, now);
}

/* Where nothing has left yet, upstream has one stream to make. */
void
gst_tfrc_answer_want_key_unit (GstTfrcTransmit *t, CcTime now)
{
  const RtpEvent anybody = {.type = RTP_EVENT_KEY_UNIT, .ssrc = 0};

  t->skipping = TRUE;
  if (!rtp_media_want_key_units (&t->session.core->media, now))
    ask_for_key_unit (t, &anybody);
  t->skipping = FALSE;
  t->session.next = MIN (t->session.next, rtp_media_next_timeout (&t->session.core->media));
}
