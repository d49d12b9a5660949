/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtptfrcbwe.h"
#include "gsttfrcmtu.h"
#include "gsttfrcrate.h"

#include <gst/video/video.h>

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_bwe_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_bwe_debug

#define STATUS_INTERVAL (20 * CC_MSECOND)
#define EVENT_INTERVAL (200 * CC_MSECOND)

/* ---- what upstream and the application learn ---- */

static void
prepare_event (GstRtpTfrcBwe *self, const CcSenderStatus *status, CcTime now, GstRtpTfrcNews *news)
{
  news->info = gst_tfrc_rate_info (&self->core, status);
  news->n_shares = gst_rtp_tfrc_streams_share (&self->streams, status->media_Bps, now, news->shares);
  self->told_rate = news->info.bitrate;
  self->told_limit = status->limit;
  self->told_pause = status->pause;
  self->event_at = cc_time_add (now, EVENT_INTERVAL);
}

static void
read_status (GstRtpTfrcBwe *self, CcTime now, CcSenderStatus *status)
{
  double media;

  cc_sender_status (&self->core, now, status);
  media = gst_rtp_tfrc_streams_media (&self->streams, status->rate_Bps, status->media_Bps, now);
  status->encoder_Bps *= media / status->media_Bps;
  status->media_Bps = media;
}

static void
check_status (GstRtpTfrcBwe *self, CcTime now, GstRtpTfrcNews *news)
{
  CcSenderStatus status;
  guint encoder;

  read_status (self, now, &status);
  self->status_at = cc_time_add (now, STATUS_INTERVAL);
  encoder = CLAMP (gst_tfrc_bit_rate (status.encoder_Bps), 1, self->settings.max_bitrate);
  news->notify = gst_tfrc_rate_differs (encoder, self->estimated);
  if (news->notify)
    self->estimated = encoder;
  if (news->notify || now >= self->event_at || status.limit != self->told_limit || status.pause != self->told_pause ||
      gst_tfrc_rate_differs (gst_tfrc_bit_rate (status.media_Bps), self->told_rate))
    prepare_event (self, &status, now, news);
}

static GstStructure *
stats_structure (GstRtpTfrcBwe *self)
{
  const GstRtpTfrcCounts *c = &self->counts;
  CcSenderStatus status = {0};
  GstStructure *s;

  if (self->running)
    read_status (self, gst_clock_get_time (self->clock), &status);
  s = gst_structure_new (GST_RTP_TFRC_BWE_STATS_NAME, "limit", G_TYPE_STRING, cc_limit_name (status.limit), "owner",
      G_TYPE_STRING, rate_owner_name (status.owner), "estimated-bitrate", G_TYPE_UINT, self->estimated, "wire-bitrate",
      G_TYPE_UINT64, (guint64)(status.rate_Bps * 8), "bitrate", G_TYPE_UINT64, (guint64)(status.media_Bps * 8),
      "sent-bitrate", G_TYPE_UINT64, (guint64)(status.sent_Bps * 8), "rtt", G_TYPE_UINT64, (guint64)status.rtt,
      "loss-event-rate", G_TYPE_DOUBLE, status.p, "queue-delay", G_TYPE_UINT64, (guint64)status.queue_delay, "backlog",
      G_TYPE_UINT, status.backlog_bytes, "backlog-delay", G_TYPE_UINT64, (guint64)status.backlog_delay, "packets-sent",
      G_TYPE_UINT64, self->core.sent.packets, "frames-sent", G_TYPE_UINT64, self->core.buffer.frames_sent,
      "frames-dropped", G_TYPE_UINT64, self->core.buffer.frames_dropped, "packets-dropped", G_TYPE_UINT64,
      self->core.packets_dropped, "streams", G_TYPE_UINT, self->streams.n, "twcc-reports", G_TYPE_UINT64,
      c->twcc_reports, "twcc-refused", G_TYPE_UINT64, c->twcc_bad, "ccfb-reports", G_TYPE_UINT64, c->ccfb_reports,
      "tfrc-reports", G_TYPE_UINT64, c->tfrc_reports, "receiver-reports", G_TYPE_UINT64, c->receiver_reports, "remb",
      G_TYPE_UINT64, c->remb, "tmmbr", G_TYPE_UINT64, c->tmmbr, "nack", G_TYPE_UINT64, c->nack, "first-dropped",
      G_TYPE_UINT64, c->first_dropped, "malformed", G_TYPE_UINT64, c->malformed, "unknown-ssrc", G_TYPE_UINT64,
      c->unknown_ssrc, "rr-rtt", G_TYPE_UINT64, self->rr_rtt, "path-mtu", G_TYPE_UINT, self->told_mtu, NULL);
  gst_tfrc_circuit_add_stats (s, status.circuit, status.circuit_reason, self->core.circuit.openings);
  return s;
}

GstStructure *
gst_rtp_tfrc_stats (GstRtpTfrcBwe *self)
{
  GstStructure *s;

  g_mutex_lock (&self->lock);
  s = stats_structure (self);
  g_mutex_unlock (&self->lock);
  return s;
}

/* By either kind of report; 0: there is none. */
static guint
path_mtu (GstRtpTfrcBwe *self, CcTime now)
{
  guint limit = path_mtu_limit (&self->packets->mtu, now);
  guint other = self->blocks != NULL ? path_mtu_limit (&self->blocks->mtu, now) : 0;

  return limit == 0 || (other > 0 && other < limit) ? other : limit;
}

/* Pictures behind those that were too large refer to what did not arrive. */
static void
check_mtu (GstRtpTfrcBwe *self, CcTime now, GstRtpTfrcNews *news)
{
  guint limit = path_mtu (self, now);

  if (limit == self->told_mtu)
    return;
  self->told_mtu = limit;
  news->mtu = TRUE;
  news->key_unit |= limit > 0;
}

void
gst_rtp_tfrc_run_timers (GstRtpTfrcBwe *self, CcTime now, GstRtpTfrcNews *news)
{
  if (cc_sender_next_timeout (&self->core) <= now)
    cc_sender_on_timeout (&self->core, now);
  news->key_unit |= cc_sender_take_key_unit_wanted (&self->core);
  check_mtu (self, now, news);
  news->circuit = gst_tfrc_circuit_news (GST_ELEMENT (self), &self->core, &self->circuit_told);
  if (news->circuit != NULL)
    self->status_at = now;
  if (MIN (self->status_at, self->event_at) <= now)
    check_status (self, now, news);
  gst_rtp_tfrc_look_for_mistakes (self, now, news);
  if (self->settings.stats_interval > 0 && self->stats_at <= now) {
    self->stats_at = cc_time_add (now, self->settings.stats_interval);
    news->message = gst_message_new_element (GST_OBJECT (self), stats_structure (self));
  }
}

gboolean
gst_rtp_tfrc_has_news (const GstRtpTfrcNews *news)
{
  return news->notify || news->key_unit || news->mtu || news->message != NULL || news->circuit != NULL ||
         news->info.limit != NULL || news->mistake != GST_TFRC_SEND_ADVICE_NONE;
}

/* One event for each stream, or for all while none is known: rtpfunnel takes it to the stream whose SSRC it names. */
static void
push_rate_events (GstRtpTfrcBwe *self, GstRtpTfrcNews *news)
{
  guint i;

  if (news->n_shares == 0) {
    gst_pad_push_event (self->sinkpad, gst_rate_event_new (&news->info, GST_ELEMENT (self)));
    return;
  }
  for (i = 0; i < news->n_shares; i++) {
    GstEvent *event;

    news->info.bitrate = (guint)news->shares[i].bitrate;
    event = gst_rate_event_new (&news->info, GST_ELEMENT (self));
    gst_structure_set (gst_event_writable_structure (event), "ssrc", G_TYPE_UINT, (guint)news->shares[i].ssrc, NULL);
    gst_pad_push_event (self->sinkpad, event);
  }
}

void
gst_rtp_tfrc_tell (GstRtpTfrcBwe *self, GstRtpTfrcNews *news)
{
  if (news->mtu)
    gst_tfrc_mtu_limit_upstream (self->sinkpad, self->told_mtu);
  if (news->key_unit) {
    GST_INFO_OBJECT (self, "asking upstream for a key unit");
    gst_pad_push_event (
        self->sinkpad, gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, TRUE, self->key_unit_count++));
  }
  if (news->info.limit != NULL)
    push_rate_events (self, news);
  if (news->notify)
    g_object_notify (G_OBJECT (self), "estimated-bitrate");
  gst_rtp_tfrc_tell_mistake (self, news);
  if (news->circuit != NULL)
    gst_element_post_message (GST_ELEMENT (self), news->circuit);
  if (news->message != NULL)
    gst_element_post_message (GST_ELEMENT (self), news->message);
}
