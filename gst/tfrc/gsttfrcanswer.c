/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What receivers ask of a sending flow: packets once more, key units, a lower rate, another SSRC. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrctransmit.h"

#include <math.h>

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_sink_debug);
#define GST_CAT_DEFAULT gst_tfrc_sink_debug

#define CONFLICT_INTERVAL (5 * CC_SECOND) /* a report interval */
#define PEER 1                            /* packets come from one address only */
#define LIMIT_LIFE (25 * CC_SECOND)       /* five report intervals, RFC 3550 6.3.5, before there is a timing */
#define RTP_HEADER_BYTES 24               /* with the send time */

void
gst_tfrc_answer_init (GstTfrcTransmit *t)
{
  fir_commands_init (&t->fir);
  ssrc_conflict_init (&t->conflict);
  rtp_reporters_init (&t->reporters);
  t->tmmbr_Bps = INFINITY;
  t->tmmbr_rises_at = CC_TIME_NONE;
  t->n_asked = 0;
  memset (t->asked, 0, sizeof t->asked);
}

/* ---- packets sent again ---- */

/* 0: unknown. */
static CcDuration
round_trip (const GstTfrcTransmit *t)
{
  if (t->core.tfrc.R > 0)
    return t->core.tfrc.R;
  return GST_CLOCK_TIME_IS_VALID (t->stats.rr_rtt) ? t->stats.rr_rtt : 0;
}

/* Receivers name a packet by the number it had on the wire; upstream knows it by the one it came with. */
static void
ask_upstream (GstTfrcTransmit *t, GstTfrcSource *source, guint16 sent, CcTime now)
{
  guint16 seq;

  t->stats.nack++;
  if (source->resends || !gst_tfrc_numbering_original (&source->numbering, sent, &seq) ||
      !resend_limit_on_request (&source->resend, sent, round_trip (t), now)) {
    t->stats.resends_refused++;
    return;
  }
  t->stats.resends_granted++;
  t->asked[t->n_asked++ % GST_TFRC_RESEND_MEMORY] = (GstTfrcAsked){source->ssrc, seq};
  gst_pad_push_event (t->pad, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
                                  gst_structure_new ("GstRTPRetransmissionRequest", "seqnum", G_TYPE_UINT, (guint)seq,
                                      "ssrc", G_TYPE_UINT, (guint)source->ssrc, NULL)));
}

void
gst_tfrc_answer_nack (GstTfrcTransmit *t, guint32 ssrc, const guint16 *seqs, guint n, CcTime now)
{
  GstTfrcSource *source = gst_tfrc_transmit_find_source (t, ssrc);
  guint i;

  for (i = 0; i < n; i++)
    ask_upstream (t, source, seqs[i], now);
}

/* RFC 4588 5.3: which SSRC a packet belongs to is told by what was asked for. */
static GstTfrcSource *
original_source (GstTfrcTransmit *t, GstTfrcSource *source, guint16 osn)
{
  guint i;

  for (i = 1; !source->knows_which && i <= MIN (t->n_asked, GST_TFRC_RESEND_MEMORY); i++) {
    const GstTfrcAsked *a = &t->asked[(t->n_asked - i) % GST_TFRC_RESEND_MEMORY];

    if (a->seq == osn) {
      source->knows_which = TRUE;
      source->resends_of = a->ssrc;
    }
  }
  return source->knows_which ? gst_tfrc_transmit_find_source (t, source->resends_of) : NULL;
}

gboolean
gst_tfrc_answer_resent (GstTfrcTransmit *t, GstTfrcSource *source, guint16 *osn)
{
  GstTfrcSource *original;

  if (gst_tfrc_repair_is (t, source->ssrc)) {
    t->stats.resent++;
    return TRUE;
  }
  original = original_source (t, source, *osn);

  if (original == NULL || !gst_tfrc_numbering_sent (&original->numbering, *osn, osn)) {
    t->stats.resends_lost++;
    return FALSE;
  }
  t->stats.resent++;
  return TRUE;
}

/* ---- key units ---- */

/* RFC 5104 4.3.1.2: a repeated number is no new command. */
void
gst_tfrc_answer_fir (GstTfrcTransmit *t, guint32 sender, guint32 ssrc, guint8 seq, CcTime now)
{
  t->stats.fir++;
  if (!fir_commands_is_new (&t->fir, sender, ssrc, seq, now)) {
    t->stats.fir_repeated++;
    return;
  }
  fir_commands_on_obeyed (&t->fir, sender, ssrc, seq, now);
  if (key_answer_on_command (&t->key, round_trip (t), now))
    gst_tfrc_transmit_ask_for_key_unit (t);
}

/* ---- limits ---- */

static double
packet_rate (const GstTfrcTransmit *t)
{
  return t->core.sent_Bps / (t->core.mean_packet_bytes + t->core.params.overhead_bytes);
}

static CcDuration
limit_life (const GstTfrcTransmit *t)
{
  return t->avpf_running ? avpf_timing_member_timeout (&t->avpf) : LIMIT_LIFE;
}

static void
plan_rise (GstTfrcTransmit *t, CcTime now)
{
  guint i;

  t->tmmbr_rises_at = CC_TIME_NONE;
  for (i = 0; i < t->n_sources; i++) {
    const TmmbrSender *tmmbr = &t->sources[i].tmmbr;

    t->tmmbr_rises_at = cc_time_min (t->tmmbr_rises_at, tmmbr_sender_next_timeout (tmmbr, now));
    t->tmmbr_rises_at = cc_time_min (t->tmmbr_rises_at, tmmbr_sender_next_expiry (tmmbr, limit_life (t)));
  }
}

/* One rate for all SSRCs: the lowest. */
static void
apply_tmmbr (GstTfrcTransmit *t, CcTime now)
{
  double limit = INFINITY;
  guint i;

  for (i = 0; i < t->n_sources; i++)
    if (!t->sources[i].resends)
      limit = fmin (limit, tmmbr_sender_limit (&t->sources[i].tmmbr, packet_rate (t),
                               t->core.params.overhead_bytes + RTP_HEADER_BYTES, now) /
                               8);
  plan_rise (t, now);
  if (limit == t->tmmbr_Bps)
    return;
  t->tmmbr_Bps = limit;
  t->stats.tmmbr_bitrate = isfinite (limit) ? (guint64)(8 * limit) : 0;
  gst_tfrc_transmit_apply_limits (t);
  cc_sender_on_timeout (&t->core, now);
  t->status_at = now;
}

static void
want_tmmbn (GstTfrcTransmit *t, CcTime now)
{
  if (t->avpf_running)
    avpf_timing_request_feedback (&t->avpf, CC_TIME_NONE, now);
}

void
gst_tfrc_answer_tmmbr (GstTfrcTransmit *t, guint32 sender, const RtcpTmmb *entry, CcTime now)
{
  GstTfrcSource *source = gst_tfrc_transmit_find_source (t, entry->ssrc);

  t->stats.tmmbr++;
  tmmbr_sender_on_request (&source->tmmbr, sender, entry->bitrate_bps, entry->overhead_bytes, now);
  apply_tmmbr (t, now);
  want_tmmbn (t, now);
}

void
gst_tfrc_answer_add_tmmbn (GstTfrcTransmit *t, RtcpWriter *rtcp, CcTime now)
{
  RtcpTmmb entries[TMMBR_SET_TUPLES];
  gboolean owed = FALSE;
  guint i, n;

  for (i = 0; i < t->n_sources; i++) {
    GstTfrcSource *source = &t->sources[i];

    if (!source->tmmbr.owes_tmmbn)
      continue;
    owed = TRUE;
    n = tmmbr_sender_notification (
        &source->tmmbr, round_trip (t), t->avpf_running ? avpf_timing_dither_max (&t->avpf) : 0, now, entries);
    if (rtcp_add_tmmbn (rtcp, source->ssrc, entries, n))
      t->stats.tmmbn++;
  }
  if (owed)
    apply_tmmbr (t, now);
}

void
gst_tfrc_answer_timeout (GstTfrcTransmit *t, CcTime now)
{
  guint i;

  for (i = 0; i < t->n_sources; i++)
    if (tmmbr_sender_expire (&t->sources[i].tmmbr, limit_life (t), now))
      want_tmmbn (t, now);
  apply_tmmbr (t, now);
}

void
gst_tfrc_answer_heard (GstTfrcTransmit *t, guint32 sender, CcTime now)
{
  guint i;

  for (i = 0; i < t->n_sources; i++)
    tmmbr_sender_on_heard (&t->sources[i].tmmbr, sender, now);
}

/* RFC 5104 4.2.1.2: the limits of those who leave are lifted. */
void
gst_tfrc_answer_bye (GstTfrcTransmit *t, guint32 sender, CcTime now)
{
  guint i;

  for (i = 0; i < t->n_sources; i++)
    if (tmmbr_sender_remove (&t->sources[i].tmmbr, sender, now))
      want_tmmbn (t, now);
  apply_tmmbr (t, now);
}

/* ---- conflicts ---- */

/* RFC 3550 8.2. Upstream chooses another SSRC; until then its packets go on under the old one. */
void
gst_tfrc_answer_conflict (GstTfrcTransmit *t, guint32 ssrc, const gchar *cname, CcTime now)
{
  SsrcCname whose = g_strcmp0 (cname, t->cname) == 0 ? SSRC_CNAME_OWN : SSRC_CNAME_OTHER;

  if (ssrc_conflict_on_packet (&t->conflict, PEER, whose, CONFLICT_INTERVAL, now) != SSRC_CONFLICT_CHANGE)
    return;
  GST_INFO_OBJECT (t->element, "somebody else has SSRC %08x; asking upstream for another", ssrc);
  t->stats.collisions++;
  gst_tfrc_transmit_drop_source (t, ssrc, now);
  gst_pad_push_event (t->pad, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
                                  gst_structure_new ("GstRTPCollision", "ssrc", G_TYPE_UINT, (guint)ssrc, NULL)));
}
