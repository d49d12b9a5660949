/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP of a sending flow: what its sources have sent, SR and BYE, and what arrives about them. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrctransmit.h"

#include <string.h>

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_sink_debug);
#define GST_CAT_DEFAULT gst_tfrc_sink_debug

#define RECEIVE_SIZE 4096
#define RECEIVE_BURST 32
#define SOURCE_FORGOTTEN (10 * CC_SECOND)
#define PATH_REPORT_FRESH (5 * CC_SECOND)
#define RTCP_SHARE 0.05
/* bytes/s: a slot every 250 ms. A sender has no use for more, and the timer would tick for nothing. */
#define RTCP_BANDWIDTH_MAX 1000
/* Sender reports more often than this tell nobody anything; the bandwidth is the receiver's. */
#define SR_INTERVAL (500 * CC_MSECOND)

GstTfrcSource *
gst_tfrc_transmit_find_source (GstTfrcTransmit *t, guint32 ssrc)
{
  guint i;

  for (i = 0; i < t->n_sources; i++)
    if (t->sources[i].ssrc == ssrc)
      return &t->sources[i];
  return NULL;
}

/* RFC 3550 6.4.1: NTP and RTP time of the same instant. */
static guint32
rtp_time_at (const GstTfrcTransmit *t, const GstTfrcSource *source, CcTime now)
{
  return source->rtp_time +
         (guint32)gst_util_uint64_scale (cc_time_since (now, source->captured_at), t->settings.clock_rate, GST_SECOND);
}

/* RFC 3550 6.4: RR of one of which nothing has left yet. */
static void
add_report (const GstTfrcTransmit *t, const GstTfrcSource *s, guint64 ntp_time, RtcpWriter *rtcp, CcTime now)
{
  RtcpSenderInfo info = {.ssrc = s->ssrc,
      .ntp_time = ntp_time,
      .rtp_time = rtp_time_at (t, s, now),
      .packet_count = s->packet_count,
      .octet_count = s->octet_count};

  if (s->packet_count > 0)
    rtcp_add_sr (rtcp, &info, NULL, 0);
  else
    rtcp_add_rr (rtcp, s->ssrc, NULL, 0);
}

static void
add_reports (const GstTfrcTransmit *t, RtcpWriter *rtcp, CcTime now)
{
  guint64 ntp_time = gst_cc_rtcp_ntp_now ();
  guint i;

  for (i = 0; i < t->n_sources; i++)
    add_report (t, &t->sources[i], ntp_time, rtcp, now);
  for (i = 0; i < t->n_sources; i++)
    rtcp_add_cname (rtcp, t->sources[i].ssrc, t->cname);
}

/* Returns the bytes on the wire, 0 where nothing went. */
static guint
send_compound (GstTfrcTransmit *t, const guint32 *leaving, guint n_leaving, CcTime now)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
  GstMapInfo map;
  gssize sent;
  guint size;

  add_reports (t, &rtcp, now);
  gst_tfrc_answer_add_tmmbn (t, &rtcp, now);
  if (n_leaving > 0)
    rtcp_add_bye (&rtcp, leaving, n_leaving);
  gst_cc_rtcp_close (&rtcp, buffer);
  buffer = gst_tfrc_srtp_protect_rtcp (t->srtp, buffer);
  if (buffer == NULL)
    return 0;
  gst_buffer_map (buffer, &map, GST_MAP_READ);
  size = (guint)map.size;
  sent = sendto (
      t->fd, map.data, map.size, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)&t->to.storage, t->to.length);
  /* an error that waited for an earlier packet */
  if (sent < 0)
    sent = sendto (
        t->fd, map.data, map.size, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)&t->to.storage, t->to.length);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
  if (sent < 0)
    return 0;
  t->stats.rtcp_sent++;
  return size + t->to.overhead;
}

static void
forget_source (GstTfrcTransmit *t, guint i, CcTime now)
{
  guint32 ssrc = t->sources[i].ssrc;

  send_compound (t, &ssrc, 1, now);
  t->sources[i] = t->sources[--t->n_sources];
}

static guint
oldest_source (const GstTfrcTransmit *t)
{
  guint i, oldest = 0;

  for (i = 1; i < t->n_sources; i++)
    if (t->sources[i].sent_at < t->sources[oldest].sent_at)
      oldest = i;
  return oldest;
}

static double
rtcp_bandwidth (const GstTfrcTransmit *t)
{
  return MIN (RTCP_SHARE * t->core.rate_Bps, RTCP_BANDWIDTH_MAX);
}

static void
start_avpf (GstTfrcTransmit *t, CcTime now)
{
  AvpfTimingParams params;

  avpf_timing_params_init (&params);
  params.rtcp_bw_Bps = rtcp_bandwidth (t);
  params.T_rr_interval = SR_INTERVAL;
  params.random = t->core.params.random;
  avpf_timing_init (&t->avpf, &params, now);
  avpf_timing_set_members (&t->avpf, 2, 1, TRUE, now);
  t->avpf_running = TRUE;
}

static void
source_init (GstTfrcSource *s, guint32 ssrc, CcTime now)
{
  ResendLimitParams resend;

  memset (s, 0, sizeof *s);
  s->ssrc = ssrc;
  s->captured_at = s->sent_at = now;
  resend_limit_params_init (&resend);
  resend_limit_init (&s->resend, &resend);
  tmmbr_sender_init (&s->tmmbr);
}

GstTfrcSource *
gst_tfrc_transmit_add_source (GstTfrcTransmit *t, guint32 ssrc, CcTime now)
{
  GstTfrcSource *s = gst_tfrc_transmit_find_source (t, ssrc);

  if (s != NULL)
    return s;
  if (t->n_sources == GST_TFRC_MAX_SOURCES)
    forget_source (t, oldest_source (t), now);
  s = &t->sources[t->n_sources++];
  source_init (s, ssrc, now);
  return s;
}

void
gst_tfrc_transmit_drop_source (GstTfrcTransmit *t, guint32 ssrc, CcTime now)
{
  GstTfrcSource *s = gst_tfrc_transmit_find_source (t, ssrc);

  if (s != NULL)
    forget_source (t, (guint)(s - t->sources), now);
  t->avpf_running = t->avpf_running && t->n_sources > 0;
}

void
gst_tfrc_transmit_note_sent (
    GstTfrcTransmit *t, const GstTfrcHead *head, guint16 seq, gsize size, const CcPacket *packet, CcTime now)
{
  GstTfrcSource *s = gst_tfrc_transmit_add_source (t, head->ssrc, now);

  cc_packet_feedback_on_sent (t->packets, head->ssrc, seq, packet->size_bytes, head->timestamp, now);
  s->packet_count++;
  s->octet_count += (guint32)(size - head->head_size);
  s->rtp_time = head->timestamp;
  s->captured_at = packet->captured_at;
  s->sent_at = now;
  s->resends = packet->resent;
  s->newest = seq;
  if (!t->avpf_running)
    start_avpf (t, now);
}

CcTime
gst_tfrc_transmit_rtcp_next (const GstTfrcTransmit *t)
{
  return t->avpf_running ? avpf_timing_next_timeout (&t->avpf) : CC_TIME_NONE;
}

void
gst_tfrc_transmit_rtcp_timeout (GstTfrcTransmit *t, CcTime now)
{
  AvpfVerdict verdict;
  guint i;

  if (gst_tfrc_transmit_rtcp_next (t) > now)
    return;
  avpf_timing_set_bandwidth (&t->avpf, rtcp_bandwidth (t));
  verdict = avpf_timing_on_timeout (&t->avpf, now);
  if (verdict == AVPF_NOTHING)
    return;
  for (i = t->n_sources; i-- > 0 && t->n_sources > 1;)
    if (cc_time_since (now, t->sources[i].sent_at) > SOURCE_FORGOTTEN)
      forget_source (t, i, now);
  avpf_timing_on_sent (&t->avpf, verdict, send_compound (t, NULL, 0, now), now);
}

void
gst_tfrc_transmit_send_bye (GstTfrcTransmit *t, CcTime now)
{
  guint32 ssrcs[GST_TFRC_MAX_SOURCES];
  guint i;

  if (!t->avpf_running)
    return;
  for (i = 0; i < t->n_sources; i++)
    ssrcs[i] = t->sources[i].ssrc;
  send_compound (t, ssrcs, t->n_sources, now);
  t->avpf_running = FALSE;
}

typedef struct {
  GstTfrcTransmit *t;
  CcTime now;
  const GstTfrcAddress *from;
} Receiving;

static gboolean
is_ours (Receiving *r, guint32 ssrc)
{
  if (gst_tfrc_transmit_find_source (r->t, ssrc) != NULL)
    return TRUE;
  r->t->stats.unknown_ssrc++;
  if (gst_tfrc_transmit_may_log (r->t, r->now))
    GST_WARNING_OBJECT (r->t->element, "feedback on SSRC %08x, which is none of ours", ssrc);
  return FALSE;
}

/* What is sent again travels beside the flow, and its rate and loss are not the flow's. */
static gboolean
is_the_flow (Receiving *r, guint32 ssrc)
{
  return is_ours (r, ssrc) && !gst_tfrc_transmit_find_source (r->t, ssrc)->resends;
}

static void
on_tfrc (gpointer user, guint32 sender, guint32 media, const TfrcReport *report)
{
  Receiving *r = user;

  if (!is_the_flow (r, media))
    return;
  r->t->stats.reports++;
  cc_sender_on_tfrc_report (&r->t->core, report, r->now);
}

/* Blocks on SSRCs of others find no packet. */
static void
on_ccfb (gpointer user, guint32 sender, const RtcpCcfbReader *report)
{
  Receiving *r = user;
  RtcpCcfbReader blocks = *report;
  RtcpCcfbBlock block;
  gboolean ours = FALSE;

  while (!ours && rtcp_ccfb_next (&blocks, &block))
    ours = is_ours (r, block.ssrc);
  if (ours)
    cc_sender_on_ccfb (&r->t->core, r->t->packets, report, r->now);
}

/* The numbers are the transport's: which of its SSRCs a message names does not matter. */
static void
on_twcc (gpointer user, guint32 sender, guint32 media, const RtcpTwccReader *report)
{
  Receiving *r = user;

  if (r->t->settings.twcc_extension_id > 0 && (media == 0 || is_ours (r, media)))
    cc_sender_on_twcc (&r->t->core, r->t->packets, report, r->now);
}

static void
on_path (gpointer user, guint32 sender, guint32 media, const RtcpPath *path)
{
  Receiving *r = user;
  PathReport report = {.rate_Bps = path->rate_bps / 8.0,
      .capacity_Bps = path->capacity_bps / 8.0,
      .queue_delay = path->queue_delay,
      .owner = path->owner,
      .loss = path->loss,
      .excused = path->excused};

  if (!is_the_flow (r, media))
    return;
  r->t->stats.path_reports++;
  if (path->kind == RTCP_PATH_END_TO_END) {
    r->t->path_teller = sender;
    if (r->t->router_teller == sender)
      r->t->router_teller = 0;
    cc_sender_on_path_report (&r->t->core, &report, r->now);
    return;
  }
  if (sender != r->t->path_teller)
    r->t->router_teller = sender;
  r->t->stats.explicit_rates++;
  r->t->stats.explicit_hop = path->hop;
  cc_sender_on_router_rate (&r->t->core, sender, report.rate_Bps, r->now);
}

static gboolean
names_ours (Receiving *r, const RtcpRemb *remb)
{
  unsigned i;

  for (i = 0; i < remb->n_ssrcs; i++)
    if (gst_tfrc_transmit_find_source (r->t, remb->ssrcs[i]) != NULL)
      return TRUE;
  return is_ours (r, remb->n_ssrcs > 0 ? remb->ssrcs[0] : 0);
}

static void
on_remb (gpointer user, guint32 sender, const RtcpRemb *remb)
{
  Receiving *r = user;
  const CcSender *core = &r->t->core;

  if (!names_ours (r, remb))
    return;
  r->t->stats.remb++;
  /* a relay's, which shows nothing of the receiver */
  if (sender == r->t->router_teller) {
    cc_sender_on_router_rate (&r->t->core, sender, remb->bitrate_bps / 8.0, r->now);
    return;
  }
  /* beside its path rate, and ERF where there is one, a receiver's REMB is no news */
  if (sender != r->t->path_teller || core->path_at == CC_TIME_NONE ||
      cc_time_since (r->now, core->path_at) > PATH_REPORT_FRESH)
    cc_sender_on_explicit_rate (&r->t->core, sender, remb->bitrate_bps / 8.0, r->now);
}

static void
tell_circuit (Receiving *r, const RtcpReportBlock *block, GstClockTime rtt)
{
  GstTfrcSource *source = gst_tfrc_transmit_find_source (r->t, block->ssrc);
  CircuitReport report = {.fraction_lost = block->fraction_lost / 256.0, .Tr = rtt};
  gboolean progress;

  if (!gst_tfrc_circuit_take_block (&source->reported, block, source->packet_count, &progress))
    return;
  report.progress = progress;
  cc_sender_on_report_block (&r->t->core, &report, r->now);
}

static void
on_report_block (gpointer user, guint32 sender, const RtcpReportBlock *block)
{
  Receiving *r = user;
  GstTfrcStats *stats = &r->t->stats;
  GstClockTime rtt;

  if (!is_the_flow (r, block->ssrc))
    return;
  rtp_reporters_on_block (&r->t->reporters, sender, block->ext_highest_seq,
      gst_tfrc_transmit_find_source (r->t, block->ssrc)->newest, r->now);
  rtt = rtcp_round_trip (block, gst_cc_rtcp_ntp_now ());
  stats->rr_fraction_lost = block->fraction_lost / 256.0;
  stats->rr_packets_lost = block->packets_lost;
  stats->rr_jitter = gst_util_uint64_scale (block->jitter, GST_SECOND, r->t->settings.clock_rate);
  if (rtt != 0)
    stats->rr_rtt = rtt;
  cc_sender_on_receiver_report (&r->t->core, stats->rr_fraction_lost, rtt, r->now);
  tell_circuit (r, block, rtt);
}

static void
on_pli (gpointer user, guint32 sender, guint32 media)
{
  Receiving *r = user;

  if (!is_ours (r, media))
    return;
  r->t->stats.pli++;
  if (key_answer_on_pli (&r->t->key, r->t->core.tfrc.R, r->now))
    gst_tfrc_transmit_ask_for_key_unit (r->t);
}

static void
on_fir (gpointer user, guint32 sender, guint32 media, guint8 seq)
{
  Receiving *r = user;

  if (is_ours (r, media))
    gst_tfrc_answer_fir (r->t, sender, media, seq, r->now);
}

static void
on_nack (gpointer user, guint32 sender, guint32 media, const guint16 *seqs, guint n)
{
  Receiving *r = user;

  if (is_ours (r, media) && !gst_tfrc_repair_answer (r->t, sender, media, seqs, n, r->now))
    gst_tfrc_answer_nack (r->t, media, seqs, n, r->now);
}

static void
on_afb (gpointer user, guint32 sender, guint32 media, const guint8 *fci, gsize size)
{
  Receiving *r = user;

  gst_tfrc_repair_on_feedback (r->t, sender, media, fci, size, r->now);
}

static void
on_tmmbr (gpointer user, guint32 sender, const RtcpTmmb *entry)
{
  Receiving *r = user;

  if (!is_ours (r, entry->ssrc))
    return;
  if (rtp_reporters_knows (&r->t->reporters, sender))
    gst_tfrc_answer_tmmbr (r->t, sender, entry, r->now);
  else
    r->t->stats.limits_unproven++;
}

static void
on_cname (gpointer user, guint32 ssrc, const gchar *cname)
{
  Receiving *r = user;

  if (gst_tfrc_transmit_find_source (r->t, ssrc) != NULL)
    gst_tfrc_answer_conflict (r->t, ssrc, cname, r->now);
}

static void
on_bye (gpointer user, guint32 ssrc)
{
  Receiving *r = user;

  r->t->stats.byes++;
  GST_INFO_OBJECT (r->t->element, "receiver %08x has left", ssrc);
  gst_tfrc_answer_bye (r->t, ssrc, r->now);
  gst_tfrc_repair_on_bye (r->t, ssrc, r->now);
}

static void
on_speaks (gpointer user, guint32 ssrc)
{
  Receiving *r = user;

  gst_tfrc_answer_heard (r->t, ssrc, r->now);
}

static void
on_malformed (gpointer user, guint packet_type)
{
  Receiving *r = user;

  r->t->stats.bad_rtcp++;
}

static const RtcpHandlers handlers = {
    .speaks = on_speaks,
    .report_block = on_report_block,
    .cname = on_cname,
    .bye = on_bye,
    .tfrc = on_tfrc,
    .remb = on_remb,
    .path = on_path,
    .ccfb = on_ccfb,
    .twcc = on_twcc,
    .pli = on_pli,
    .fir = on_fir,
    .nack = on_nack,
    .afb = on_afb,
    .tmmbr = on_tmmbr,
    .malformed = on_malformed,
};

/* ---- from routers and relays: rates, as upper bounds, and nothing else ---- */

static void
bound (Receiving *r, guint32 sender, double rate_Bps)
{
  guint32 teller = gst_tfrc_rate_sources_teller (r->t->teller_key, r->from, sender);

  cc_sender_on_rate_bound (&r->t->core, teller, rate_Bps, r->now);
}

static void
on_bound_path (gpointer user, guint32 sender, guint32 media, const RtcpPath *path)
{
  Receiving *r = user;

  if (path->kind == RTCP_PATH_END_TO_END || !is_the_flow (r, media))
    return;
  r->t->stats.explicit_rates++;
  r->t->stats.explicit_hop = path->hop;
  bound (r, sender, path->rate_bps / 8.0);
}

static void
on_bound_remb (gpointer user, guint32 sender, const RtcpRemb *remb)
{
  Receiving *r = user;

  if (!names_ours (r, remb))
    return;
  r->t->stats.remb++;
  bound (r, sender, remb->bitrate_bps / 8.0);
}

/* Counted as REMB is; a TMMBN would go to the receiver, which did not ask. */
static void
on_bound_tmmbr (gpointer user, guint32 sender, const RtcpTmmb *entry)
{
  Receiving *r = user;

  if (!is_the_flow (r, entry->ssrc))
    return;
  r->t->stats.tmmbr++;
  bound (r, sender, entry->bitrate_bps / 8.0);
}

static const RtcpHandlers bound_handlers = {
    .path = on_bound_path,
    .remb = on_bound_remb,
    .tmmbr = on_bound_tmmbr,
    .malformed = on_malformed,
};

static gboolean
walk (Receiving *r, const guint8 *data, gsize size, const RtcpHandlers *with)
{
  GstTfrcTransmit *t = r->t;

  if (!rtcp_is_rtcp (data, size))
    return FALSE;
  if (rtcp_walk (data, size, with, r))
    return TRUE;
  t->stats.bad_rtcp++;
  if (gst_tfrc_transmit_may_log (t, r->now))
    GST_WARNING_OBJECT (t->element, "malformed RTCP of %" G_GSIZE_FORMAT " bytes; ignored", size);
  return FALSE;
}

static void
take_other_packet (Receiving *r, const guint8 *data, gsize size)
{
  GstTfrcTransmit *t = r->t;

  if (!gst_tfrc_rate_sources_match (&t->settings.rate_sources, r->from)) {
    t->stats.unknown_source++;
    if (gst_tfrc_transmit_may_log (t, r->now))
      GST_WARNING_OBJECT (
          t->element, "a packet came from an address that is neither the receiver's nor in rate-sources; ignored");
    return;
  }
  if (!walk (r, data, size, &bound_handlers))
    return;
  t->stats.rate_messages++;
  t->status_at = r->now;
}

static void
take_packet (GstTfrcTransmit *t, guint8 *data, gsize size, const GstTfrcAddress *from, CcTime now)
{
  Receiving r = {.t = t, .now = now, .from = from};

  if (!gst_tfrc_address_equal (from, &t->to)) {
    take_other_packet (&r, data, size);
    return;
  }
  if (!gst_tfrc_srtp_open_rtcp (t->element, t->srtp, data, &size))
    return;
  if (!walk (&r, data, size, &handlers))
    return;
  t->stats.rtcp_received++;
  cc_sender_on_rtcp (&t->core);
  if (t->avpf_running)
    avpf_timing_on_received (&t->avpf, (guint)size + gst_cc_srtp_rtcp_overhead (t->srtp) + t->to.overhead);
  t->status_at = now;
}

void
gst_tfrc_transmit_receive (GstTfrcTransmit *t, CcTime now)
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
