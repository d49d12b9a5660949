/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What RTCP says of the media this end sends, and what becomes of it: events upstream, TMMBN, statistics. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrateevent.h"
#include "gstrtcpavpfmedia.h"
#include "gstrtcpavpfprivate.h"

#include <gst/video/video.h>
#include <math.h>

#define KEY_UNIT_INTERVAL (100 * GST_MSECOND) /* and a round trip: a key unit that is on its way needs no second */
#define LONGEST_ROUND_TRIP (500 * GST_MSECOND)
#define RATE_WINDOW GST_SECOND
#define RTP_UDP_IP_BYTES 40
#define RATE_INTERVAL (20 * GST_MSECOND) /* between two rate events */
#define RATE_LIFE (10 * GST_SECOND)      /* of one that is not repeated */

static GstRtcpAvpfMediaAnswer *
find (GstRtcpAvpf *self, guint32 ssrc)
{
  guint i;

  for (i = 0; i < AVPF_MAX_LOCALS; i++)
    if (self->media->answers[i].in_use && self->media->answers[i].ssrc == ssrc)
      return &self->media->answers[i];
  return NULL;
}

static void
answer_init (GstRtcpAvpfMediaAnswer *a, guint32 ssrc, GstClockTime now)
{
  ResendLimitParams resend;
  guint i;

  resend_limit_params_init (&resend);
  memset (a, 0, sizeof *a);
  a->ssrc = ssrc;
  a->in_use = TRUE;
  resend_limit_init (&a->resend, &resend);
  tmmbr_sender_init (&a->tmmbr);
  a->reported_at = a->key_unit_at = a->rises_at = a->told_at = GST_CLOCK_TIME_NONE;
  a->window_at = now;
  for (i = 0; i < GST_RTCP_AVPF_MEDIA_REPORTS; i++)
    a->reports[i].at = GST_CLOCK_TIME_NONE;
}

static void
count_rate (GstRtcpAvpfMediaAnswer *a, GstClockTime now)
{
  if (now < a->window_at + RATE_WINDOW)
    return;
  a->packet_rate = (gdouble)a->packets_window * GST_SECOND / (gdouble)(now - a->window_at);
  a->packets_window = 0;
  a->window_at = now;
}

GstRtcpAvpfMediaAnswer *
gst_rtcp_avpf_media_answer (GstRtcpAvpf *self, guint32 ssrc, GstClockTime now)
{
  GstRtcpAvpfMediaAnswer *a = find (self, ssrc);
  guint i;

  for (i = 0; a == NULL; i++)
    if (!self->media->answers[i].in_use ||
        avpf_local_table_find (&self->locals, self->media->answers[i].ssrc) == NULL) {
      a = &self->media->answers[i];
      answer_init (a, ssrc, now);
    }
  count_rate (a, now);
  return a;
}

/* NULL where RTCP about that SSRC is none of our business. */
static GstRtcpAvpfMediaAnswer *
of_ours (GstRtcpAvpf *self, guint32 ssrc)
{
  return avpf_local_table_find (&self->locals, ssrc) != NULL ? find (self, ssrc) : NULL;
}

static void
push_upstream (GstRtcpAvpf *self, GstEvent *event)
{
  if (self->media->sinkpad != NULL)
    gst_rtcp_avpf_tell_event (self, self->media->sinkpad, event);
  else
    gst_event_unref (event);
}

/* ---- reports ---- */

/* Of more receivers than fit the one silent longest is forgotten. */
static GstRtcpAvpfMediaReport *
report_of (GstRtcpAvpfMediaAnswer *a, guint32 receiver, GstClockTime now)
{
  GstRtcpAvpfMediaReport *r = &a->reports[0];
  guint i;

  for (i = 0; i < GST_RTCP_AVPF_MEDIA_REPORTS; i++) {
    if (GST_CLOCK_TIME_IS_VALID (a->reports[i].at) && a->reports[i].receiver == receiver) {
      a->reports[i].at = now;
      return &a->reports[i];
    }
    /* a free one is older than any */
    if (a->reports[i].at + 1 < r->at + 1)
      r = &a->reports[i];
  }
  *r = (GstRtcpAvpfMediaReport){.receiver = receiver, .at = now};
  return r;
}

void
gst_rtcp_avpf_media_on_report_block (GstRtcpAvpf *self, guint32 sender, const RtcpReportBlock *block, GstClockTime now)
{
  GstRtcpAvpfMediaAnswer *a = of_ours (self, block->ssrc);
  GstRtcpAvpfMediaReport *r;
  GstClockTime round_trip;

  if (a == NULL)
    return;
  round_trip = rtcp_round_trip (block, gst_cc_rtcp_ntp_now ());
  a->report_blocks++;
  a->reported_at = now;
  r = report_of (a, sender, now);
  r->fraction_lost = block->fraction_lost / 256.0;
  r->packets_lost = block->packets_lost;
  if (self->media->clock_rate > 0)
    r->jitter = gst_util_uint64_scale (block->jitter, GST_SECOND, self->media->clock_rate);
  if (round_trip > 0)
    r->round_trip = a->round_trip = round_trip;
}

void
gst_rtcp_avpf_media_on_tfrc (
    GstRtcpAvpf *self, guint32 sender, guint32 media, const TfrcReport *report, GstClockTime now)
{
  GstRtcpAvpfMediaAnswer *a = of_ours (self, media);

  if (a != NULL)
    a->tfrc++;
}

/* ---- key units ---- */

static gboolean
want_key_unit (GstRtcpAvpf *self, GstRtcpAvpfMediaAnswer *a, gboolean all_headers, GstClockTime now)
{
  GstClockTime interval = MAX (KEY_UNIT_INTERVAL, MIN (a->round_trip, LONGEST_ROUND_TRIP));
  GstEvent *event;

  if (GST_CLOCK_TIME_IS_VALID (a->key_unit_at) && now < a->key_unit_at + interval) {
    a->key_unit_refused++;
    return FALSE;
  }
  a->key_unit_at = now;
  a->key_unit_requests++;
  event = gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, all_headers, self->media->key_unit_count++);
  gst_structure_set (gst_event_writable_structure (event), "ssrc", G_TYPE_UINT, a->ssrc, NULL);
  GST_INFO_OBJECT (self, "a receiver wants a key unit of %08x", a->ssrc);
  push_upstream (self, event);
  return TRUE;
}

void
gst_rtcp_avpf_media_on_pli (GstRtcpAvpf *self, guint32 sender, guint32 media, GstClockTime now)
{
  GstRtcpAvpfMediaAnswer *a = of_ours (self, media);

  if (a == NULL)
    return;
  a->pli++;
  want_key_unit (self, a, FALSE, now);
}

/* RFC 5104 4.3.1.2: a repeated number is no new command. */
void
gst_rtcp_avpf_media_on_fir (GstRtcpAvpf *self, guint32 sender, guint32 target, guint8 seq, GstClockTime now)
{
  GstRtcpAvpfMediaAnswer *a = of_ours (self, target);

  if (a == NULL)
    return;
  a->fir++;
  if (fir_commands_is_new (&self->media->fir, sender, target, seq, now) && want_key_unit (self, a, TRUE, now))
    fir_commands_on_obeyed (&self->media->fir, sender, target, seq, now);
}

/* ---- packets sent again ---- */

static void
want_packet (GstRtcpAvpf *self, GstRtcpAvpfMediaAnswer *a, guint16 seq, GstClockTime now)
{
  a->nack++;
  if (a->resends || !resend_limit_on_request (&a->resend, seq, a->round_trip, now))
    return;
  push_upstream (self, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
                           gst_structure_new ("GstRTPRetransmissionRequest", "seqnum", G_TYPE_UINT, (guint)seq, "ssrc",
                               G_TYPE_UINT, (guint)a->ssrc, NULL)));
}

void
gst_rtcp_avpf_media_on_nack (
    GstRtcpAvpf *self, guint32 sender, guint32 media, const guint16 *seqs, guint n, GstClockTime now)
{
  GstRtcpAvpfMediaAnswer *a = of_ours (self, media);
  guint i;

  for (i = 0; a != NULL && i < n; i++)
    want_packet (self, a, seqs[i], now);
}

/* ---- rates ---- */

static guint
bit_rate (gdouble bps)
{
  return bps >= G_MAXUINT ? G_MAXUINT : bps > 0 ? (guint)bps : 0;
}

/* 0: it says nothing. */
static GstClockTime
rate_ends_at (const GstRtcpAvpfMediaReport *r, guint k)
{
  return GST_CLOCK_TIME_IS_VALID (r->at) && r->rates[k].bps > 0 ? r->rates[k].at + RATE_LIFE : 0;
}

/* The lowest of what receivers and routers ask for, bit/s of payload. Those that were not repeated end, the last of all
   once a report comes without it: what nobody reports on is no reason to send more. */
static gdouble
allowed (const GstRtcpAvpfMediaAnswer *a, GstClockTime now)
{
  gdouble headers = 8 * RTP_UDP_IP_BYTES * a->packet_rate, fresh = INFINITY, last = INFINITY;
  GstClockTime last_end = 0, end;
  guint i, k;

  for (i = 0; i < GST_RTCP_AVPF_MEDIA_REPORTS; i++)
    for (k = 0; k < GST_RTCP_AVPF_RATES; k++) {
      gdouble net = fmax ((gdouble)a->reports[i].rates[k].bps - headers, 0);

      end = rate_ends_at (&a->reports[i], k);
      if (end > now)
        fresh = fmin (fresh, net);
      if (end == last_end && end > 0)
        last = fmin (last, net);
      else if (end > last_end)
        last = net;
      last_end = MAX (last_end, end);
    }
  if (GST_CLOCK_TIME_IS_VALID (a->reported_at) && a->reported_at > last_end)
    last = INFINITY;
  return fmin (isfinite (fresh) ? fresh : last, tmmbr_sender_limit (&a->tmmbr, a->packet_rate, 0, now));
}

/* When the first of them ends, GST_CLOCK_TIME_NONE: none. */
static GstClockTime
first_end (const GstRtcpAvpfMediaAnswer *a, GstClockTime now)
{
  GstClockTime next = GST_CLOCK_TIME_NONE, end;
  guint i, k;

  for (i = 0; i < GST_RTCP_AVPF_MEDIA_REPORTS; i++)
    for (k = 0; k < GST_RTCP_AVPF_RATES; k++)
      if ((end = rate_ends_at (&a->reports[i], k)) > now)
        next = MIN (next, end);
  return next;
}

static void
push_rate (GstRtcpAvpf *self, GstRtcpAvpfMediaAnswer *a, gdouble net)
{
  GstRateInfo info = {.bitrate = bit_rate (net),
      .wire_bitrate = bit_rate (net + 8 * RTP_UDP_IP_BYTES * a->packet_rate),
      .rtt = a->round_trip > 0 ? a->round_trip : GST_CLOCK_TIME_NONE,
      .queue_delay = GST_CLOCK_TIME_NONE,
      .limit = "explicit-rate"};

  push_upstream (self, gst_rate_event_new (&info));
}

/* As the rate event that an encoder's keeper obeys; what changes faster waits a little. */
static void
tell_rate (GstRtcpAvpf *self, GstRtcpAvpfMediaAnswer *a, GstClockTime now)
{
  a->rises_at = MIN (tmmbr_sender_next_timeout (&a->tmmbr, now), first_end (a, now));
  if (a->resends)
    return;
  if (GST_CLOCK_TIME_IS_VALID (a->told_at) && now < a->told_at + RATE_INTERVAL) {
    a->rises_at = MIN (a->rises_at, a->told_at + RATE_INTERVAL);
    gst_rtcp_avpf_wake_before (self, a->rises_at);
    return;
  }
  a->told_at = now;
  gst_rtcp_avpf_wake_before (self, a->rises_at);
  push_rate (self, a, allowed (a, now));
}

static void
take_rate (
    GstRtcpAvpf *self, GstRtcpAvpfMediaAnswer *a, guint32 sender, GstRtcpAvpfRate kind, guint64 bps, GstClockTime now)
{
  GstRtcpAvpfMediaReport *r = report_of (a, sender, now);

  r->rates[kind].bps = bps;
  r->rates[kind].at = now;
  tell_rate (self, a, now);
}

void
gst_rtcp_avpf_media_on_remb (GstRtcpAvpf *self, guint32 sender, const RtcpRemb *remb, GstClockTime now)
{
  GstRtcpAvpfMediaAnswer *a;
  guint i;

  for (i = 0; i < remb->n_ssrcs; i++) {
    a = of_ours (self, remb->ssrcs[i]);
    if (a == NULL)
      continue;
    a->remb++;
    take_rate (self, a, sender, GST_RTCP_AVPF_RATE_REMB, remb->bitrate_bps, now);
  }
}

void
gst_rtcp_avpf_media_on_path (GstRtcpAvpf *self, guint32 sender, guint32 media, const RtcpPath *path, GstClockTime now)
{
  GstRtcpAvpfMediaAnswer *a = of_ours (self, media);

  if (a == NULL)
    return;
  a->path++;
  take_rate (self, a, sender, path->kind == RTCP_PATH_END_TO_END ? GST_RTCP_AVPF_RATE_PATH : GST_RTCP_AVPF_RATE_ROUTER,
      path->rate_bps, now);
}

void
gst_rtcp_avpf_media_on_tmmbr (GstRtcpAvpf *self, guint32 sender, const RtcpTmmb *entry, GstClockTime now)
{
  GstRtcpAvpfMediaAnswer *a = of_ours (self, entry->ssrc);

  if (a == NULL)
    return;
  tmmbr_sender_on_request (&a->tmmbr, sender, entry->bitrate_bps, entry->overhead_bytes, now);
  tell_rate (self, a, now);
  gst_rtcp_avpf_request_feedback (self, now);
}

gboolean
gst_rtcp_avpf_media_owes (GstRtcpAvpf *self, guint32 ssrc)
{
  GstRtcpAvpfMediaAnswer *a = of_ours (self, ssrc);

  return a != NULL && a->tmmbr.owes_tmmbn;
}

static CcDuration
dither_max (GstRtcpAvpf *self, guint32 ssrc)
{
  const AvpfLocal *local = avpf_local_table_find (&self->locals, ssrc);

  return local != NULL && local->timing_runs ? avpf_timing_dither_max (&local->timing) : 0;
}

gboolean
gst_rtcp_avpf_media_add_owed (GstRtcpAvpf *self, RtcpWriter *rtcp, guint32 ssrc, GstClockTime now)
{
  GstRtcpAvpfMediaAnswer *a = of_ours (self, ssrc);
  RtcpTmmb entries[TMMBR_SET_TUPLES];
  guint n;

  if (a == NULL || !a->tmmbr.owes_tmmbn)
    return FALSE;
  n = tmmbr_sender_notification (&a->tmmbr, a->round_trip, dither_max (self, ssrc), now, entries);
  tell_rate (self, a, now);
  return rtcp_add_tmmbn (rtcp, ssrc, entries, n);
}

void
gst_rtcp_avpf_media_on_timeout (GstRtcpAvpf *self, GstClockTime now)
{
  guint i;

  for (i = 0; i < AVPF_MAX_LOCALS; i++)
    if (self->media->answers[i].in_use && self->media->answers[i].rises_at <= now)
      tell_rate (self, &self->media->answers[i], now);
}

GstClockTime
gst_rtcp_avpf_media_next_timeout (GstRtcpAvpf *self)
{
  GstClockTime next = GST_CLOCK_TIME_NONE;
  guint i;

  for (i = 0; i < AVPF_MAX_LOCALS; i++)
    if (self->media->answers[i].in_use)
      next = MIN (next, self->media->answers[i].rises_at);
  return next;
}

/* TRUE where it had a say in the rate. */
static gboolean
forget_report (GstRtcpAvpfMediaAnswer *a, guint32 receiver)
{
  gboolean had = FALSE;
  guint i, k;

  for (i = 0; i < GST_RTCP_AVPF_MEDIA_REPORTS; i++) {
    GstRtcpAvpfMediaReport *r = &a->reports[i];

    if (GST_CLOCK_TIME_IS_VALID (r->at) && r->receiver == receiver) {
      for (k = 0; k < GST_RTCP_AVPF_RATES; k++)
        had |= r->rates[k].bps > 0;
      r->at = GST_CLOCK_TIME_NONE;
      return had;
    }
  }
  return FALSE;
}

void
gst_rtcp_avpf_media_on_gone (GstRtcpAvpf *self, guint32 ssrc, GstClockTime now)
{
  guint i;

  for (i = 0; i < AVPF_MAX_LOCALS; i++) {
    GstRtcpAvpfMediaAnswer *a = &self->media->answers[i];
    gboolean owes = a->in_use && tmmbr_sender_remove (&a->tmmbr, ssrc, now);

    if (a->in_use && (forget_report (a, ssrc) || owes))
      tell_rate (self, a, now);
    if (owes)
      gst_rtcp_avpf_request_feedback (self, now);
  }
}

void
gst_rtcp_avpf_media_on_newcomer (GstRtcpAvpf *self, GstClockTime now)
{
  guint i, k;

  for (i = 0; i < AVPF_MAX_LOCALS; i++) {
    GstRtcpAvpfMediaAnswer *a = &self->media->answers[i];

    if (!a->in_use)
      continue;
    for (k = 0; k < GST_RTCP_AVPF_MEDIA_REPORTS; k++)
      a->reports[k].at = GST_CLOCK_TIME_NONE;
    if (tmmbr_sender_expire (&a->tmmbr, 0, now))
      gst_rtcp_avpf_request_feedback (self, now);
    tell_rate (self, a, now);
  }
}

/* ---- conflicts ---- */

gboolean
gst_rtcp_avpf_media_on_conflict (GstRtcpAvpf *self, guint32 ssrc, guint32 fresh, GstClockTime now)
{
  if (avpf_local_table_find (&self->locals, ssrc) == NULL)
    return FALSE;
  if (avpf_local_table_on_conflict (&self->locals, ssrc, fresh))
    push_upstream (self, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
                             gst_structure_new ("GstRTPCollision", "ssrc", G_TYPE_UINT, (guint)ssrc, NULL)));
  gst_rtcp_avpf_update_members (self, now);
  return TRUE;
}

/* ---- statistics ---- */

static void
append (GValue *list, GstStructure *structure)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value, structure);
  gst_value_array_append_and_take_value (list, &value);
}

static void
append_reports (const GstRtcpAvpfMediaAnswer *a, GstStructure *structure, GstClockTime now)
{
  GValue list = G_VALUE_INIT;
  guint i;

  g_value_init (&list, GST_TYPE_ARRAY);
  for (i = 0; i < GST_RTCP_AVPF_MEDIA_REPORTS; i++) {
    const GstRtcpAvpfMediaReport *r = &a->reports[i];

    if (!GST_CLOCK_TIME_IS_VALID (r->at))
      continue;
    append (&list, gst_structure_new ("application/x-rtcpavpf-report", "receiver", G_TYPE_UINT, r->receiver, "age",
                       G_TYPE_UINT64, (guint64)(now - r->at), "fraction-lost", G_TYPE_DOUBLE, r->fraction_lost,
                       "packets-lost", G_TYPE_INT, r->packets_lost, "jitter", G_TYPE_UINT64, (guint64)r->jitter,
                       "round-trip", G_TYPE_UINT64, (guint64)r->round_trip, NULL));
  }
  gst_structure_take_value (structure, "reports", &list);
}

static void
append_answer (const GstRtcpAvpfMediaAnswer *a, GstStructure *structure, GstClockTime now)
{
  gst_structure_set (structure, "round-trip", G_TYPE_UINT64, (guint64)a->round_trip, "report-blocks", G_TYPE_UINT64,
      a->report_blocks, "pli", G_TYPE_UINT64, a->pli, "fir", G_TYPE_UINT64, a->fir, "key-unit-requests", G_TYPE_UINT64,
      a->key_unit_requests, "key-units-refused", G_TYPE_UINT64, a->key_unit_refused, "nack", G_TYPE_UINT64, a->nack,
      "resends-granted", G_TYPE_UINT64, a->resend.granted, "resends-unknown", G_TYPE_UINT64, a->resend.unknown,
      "resends-repeated", G_TYPE_UINT64, a->resend.repeated, "resends-excess", G_TYPE_UINT64, a->resend.excess, "tmmbr",
      G_TYPE_UINT64, a->tmmbr.requests, "tfrc", G_TYPE_UINT64, a->tfrc, "path", G_TYPE_UINT64, a->path, "remb",
      G_TYPE_UINT64, a->remb, NULL);
  append_reports (a, structure, now);
}

void
gst_rtcp_avpf_media_append_stats (GstRtcpAvpf *self, GstStructure *structure, GstClockTime now)
{
  GValue list = G_VALUE_INIT;
  guint i;

  g_value_init (&list, GST_TYPE_ARRAY);
  for (i = 0; i < self->locals.n; i++) {
    const AvpfLocal *l = &self->locals.locals[i];
    GstStructure *s = gst_structure_new ("application/x-rtcpavpf-local-stats", "ssrc", G_TYPE_UINT, l->ssrc, "media",
        G_TYPE_BOOLEAN, l->media, "sender", G_TYPE_BOOLEAN, l->we_sent, "packets-sent", G_TYPE_UINT, l->packet_count,
        "octets-sent", G_TYPE_UINT, l->octet_count, NULL);

    if (find (self, l->ssrc) != NULL)
      append_answer (find (self, l->ssrc), s, now);
    append (&list, s);
  }
  gst_structure_take_value (structure, "local", &list);
}
