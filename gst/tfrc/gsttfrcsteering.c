/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcsteering.h"

#include "ccsenderpackets.h"
#include "gstccrandom.h"

#include <string.h>

#define PATH_REPORT_FRESH (5 * CC_SECOND)

void
gst_tfrc_steering_init (GstTfrcSteering *s, CcSender *sender, CcPacketFeedback *packets)
{
  guint i;

  memset (s, 0, sizeof *s);
  s->sender = sender;
  s->packets = packets;
  s->counts.rr_rtt = s->counts.rr_jitter = GST_CLOCK_TIME_NONE;
  for (i = 0; i < G_N_ELEMENTS (s->teller_key); i++)
    s->teller_key[i] = gst_cc_random64 ();
}

/* ---- of the receiver ---- */

static void
on_tfrc (gpointer user, guint32 sender, guint32 media, const TfrcReport *report)
{
  GstTfrcSteering *s = user;

  s->counts.reports++;
  cc_sender_on_tfrc_report (s->sender, report, s->now);
}

static void
on_ccfb (gpointer user, guint32 sender, const RtcpCcfbReader *report)
{
  GstTfrcSteering *s = user;

  cc_sender_on_ccfb (s->sender, s->packets, report, s->now);
}

static void
on_twcc (gpointer user, guint32 sender, guint32 media, const RtcpTwccReader *report)
{
  GstTfrcSteering *s = user;

  if (s->numbered)
    cc_sender_on_twcc (s->sender, s->packets, report, s->now);
}

static void
on_router (GstTfrcSteering *s, guint32 sender, const RtcpPath *path)
{
  if (sender != s->path_teller)
    s->router_teller = sender;
  s->counts.explicit_rates++;
  s->counts.explicit_hop = path->hop;
  cc_sender_on_router_rate (s->sender, sender, path->rate_bps / 8.0, s->now);
}

static void
on_path (gpointer user, guint32 sender, guint32 media, const RtcpPath *path)
{
  GstTfrcSteering *s = user;
  PathReport report = {.rate_Bps = path->rate_bps / 8.0,
      .capacity_Bps = path->capacity_bps / 8.0,
      .queue_delay = path->queue_delay,
      .owner = path->owner,
      .ecn = path->ecn,
      .loss = path->loss,
      .excused = path->excused};

  s->counts.path_reports++;
  if (path->kind != RTCP_PATH_END_TO_END) {
    on_router (s, sender, path);
    return;
  }
  s->path_teller = sender;
  if (s->router_teller == sender)
    s->router_teller = 0;
  cc_sender_on_path_report (s->sender, &report, s->now);
}

static void
on_remb (gpointer user, guint32 sender, const RtcpRemb *remb)
{
  GstTfrcSteering *s = user;
  const CcSender *core = s->sender;

  s->counts.remb++;
  /* a relay's, which shows nothing of the receiver */
  if (sender == s->router_teller) {
    cc_sender_on_router_rate (s->sender, sender, remb->bitrate_bps / 8.0, s->now);
    return;
  }
  /* beside its path rate, and ERF where there is one, a receiver's REMB is no news */
  if (sender != s->path_teller || core->path.at == CC_TIME_NONE ||
      cc_time_since (s->now, core->path.at) > PATH_REPORT_FRESH)
    cc_sender_on_explicit_rate (s->sender, sender, remb->bitrate_bps / 8.0, s->now);
}

static GstTfrcReported *
reported_of (GstTfrcSteering *s, guint32 ssrc)
{
  guint i;

  for (i = 0; i < MIN (s->n_reported, GST_TFRC_STEERING_REPORTED); i++)
    if (s->reported[i].ssrc == ssrc)
      return &s->reported[i].reported;
  i = s->n_reported++ % GST_TFRC_STEERING_REPORTED;
  s->reported[i].ssrc = ssrc;
  s->reported[i].reported = (GstTfrcReported){0};
  return &s->reported[i].reported;
}

static void
tell_circuit (GstTfrcSteering *s, const RtcpReportBlock *block, GstClockTime rtt)
{
  const RtpLocal *local = rtp_locals_find (&s->core->locals, block->ssrc);
  CircuitReport report = {.fraction_lost = block->fraction_lost / 256.0, .Tr = rtt};
  guint64 packets;

  if (!gst_tfrc_circuit_take_block (reported_of (s, block->ssrc), block, local->packet_count, &packets))
    return;
  report.packets = packets;
  cc_sender_on_report_block (s->sender, &report, s->now);
}

static void
on_report_block (gpointer user, guint32 sender, const RtcpReportBlock *block)
{
  GstTfrcSteering *s = user;
  GstTfrcSteeringCounts *c = &s->counts;
  GstClockTime rtt = rtcp_round_trip (block, rtp_participant_ntp (s->core, s->now));

  c->rr_fraction_lost = block->fraction_lost / 256.0;
  c->rr_packets_lost = block->packets_lost;
  if (s->core->media.clock_rate > 0)
    c->rr_jitter = gst_util_uint64_scale (block->jitter, GST_SECOND, s->core->media.clock_rate);
  if (rtt != 0)
    c->rr_rtt = rtt;
  cc_sender_on_receiver_report (s->sender, c->rr_fraction_lost, rtt, s->now);
  tell_circuit (s, block, rtt);
  gst_tfrc_mtu_on_report (s->mtu, block->ssrc, block->ext_highest_seq, block->packets_lost, s->now);
}

const RtcpHandlers gst_tfrc_steering_handlers = {.report_block = on_report_block,
    .tfrc = on_tfrc,
    .remb = on_remb,
    .path = on_path,
    .ccfb = on_ccfb,
    .twcc = on_twcc};

/* ---- of routers and relays: rates, as upper bounds, and nothing else ---- */

static void
bound (GstTfrcSteering *s, guint32 sender, guint64 rate_bps)
{
  guint32 teller = gst_tfrc_rate_sources_teller (s->teller_key, s->from, sender);

  cc_sender_on_rate_bound (s->sender, teller, rate_bps / 8.0, s->now);
}

static void
on_bound_path (gpointer user, guint32 sender, guint32 media, const RtcpPath *path)
{
  GstTfrcSteering *s = user;

  if (path->kind == RTCP_PATH_END_TO_END || !rtp_media_is_flow (&s->core->media, media))
    return;
  s->counts.explicit_rates++;
  s->counts.explicit_hop = path->hop;
  bound (s, sender, path->rate_bps);
}

static void
on_bound_remb (gpointer user, guint32 sender, const RtcpRemb *remb)
{
  GstTfrcSteering *s = user;

  if (!rtp_media_is_named (&s->core->media, remb))
    return;
  s->counts.remb++;
  bound (s, sender, remb->bitrate_bps);
}

/* Counted as REMB is; a TMMBN would go to the receiver, which did not ask. */
static void
on_bound_tmmbr (gpointer user, guint32 sender, const RtcpTmmb *entry)
{
  GstTfrcSteering *s = user;

  if (!rtp_media_is_flow (&s->core->media, entry->ssrc))
    return;
  s->counts.tmmbr++;
  bound (s, sender, entry->bitrate_bps);
}

static void
on_malformed (gpointer user, guint packet_type)
{
  GstTfrcSteering *s = user;

  s->counts.malformed++;
}

static const RtcpHandlers bounds = {
    .path = on_bound_path, .remb = on_bound_remb, .tmmbr = on_bound_tmmbr, .malformed = on_malformed};

gboolean
gst_tfrc_steering_bound (GstTfrcSteering *s, const guint8 *data, gsize size, const GstTfrcAddress *from, CcTime now)
{
  s->now = now;
  s->from = from;
  if (rtcp_walk (data, size, &bounds, s))
    return TRUE;
  s->counts.malformed++;
  return FALSE;
}
