/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The RTCP packets this end sends: SR or RR and SDES for each SSRC that reports, feedback in the name of the first of
   them, then BYE where one of ours has left. What does not fit stays due. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccrtcp.h"
#include "gstrtcpavpfmedia.h"
#include "gstrtcpavpfprivate.h"

#include <string.h>

#define MAX_BLOCKS 31
#define BLOCK_BYTES 24
#define SR_BYTES 28
#define SDES_BYTES(text) (4 + 4 + 2 + strlen (text) + 4)
#define EXTRA_ITEM_EVERY 3 /* RFC 3550 6.3.9: every third regular packet has one item more */

/* One packet under construction. */
typedef struct {
  GstRtcpAvpf *self;
  GstRTCPBuffer rtcp;
  GstClockTime now;
  guint64 ntp_now;
  guint32 ssrc; /* who gives feedback */
  GstCcReportBlock blocks[MAX_BLOCKS];
  guint n_blocks;
  RtcpRemb remb;
} Build;

/* ---- reports ---- */

static gboolean
to_block (AvpfSource *s, GstClockTime now, GstCcReportBlock *block)
{
  RtpReceptionReport report;

  if (s->packets == s->packets_in_rr || !rtp_reception_report (&s->reception, now, &report))
    return FALSE;
  s->packets_in_rr = s->packets;
  *block = (GstCcReportBlock){.ssrc = s->ssrc,
      .fraction_lost = report.fraction_lost,
      .packets_lost = report.cumulative_lost,
      .ext_highest_seq = report.highest_seq,
      .jitter = report.jitter,
      .lsr = report.lsr,
      .dlsr = report.dlsr};
  return TRUE;
}

/* Of the sources heard since the last report; where there are more than fit, in turn. */
static void
collect_blocks (Build *b, guint capacity)
{
  GstRtcpAvpf *self = b->self;
  guint i, at = self->blocks_from;

  for (i = 0; i < AVPF_MAX_SOURCES && b->n_blocks < MIN (capacity, MAX_BLOCKS); i++) {
    AvpfSource *s = self->table.sources[at];

    if (s != NULL && avpf_source_present (s) && to_block (s, b->now, &b->blocks[b->n_blocks]))
      b->n_blocks++;
    at = (at + 1) % AVPF_MAX_SOURCES;
  }
  self->blocks_from = at;
}

static const struct {
  const gchar *field;
  GstRTCPSDESType type;
} sdes_items[] = {{"name", GST_RTCP_SDES_NAME}, {"email", GST_RTCP_SDES_EMAIL}, {"phone", GST_RTCP_SDES_PHONE},
    {"location", GST_RTCP_SDES_LOC}, {"tool", GST_RTCP_SDES_TOOL}, {"note", GST_RTCP_SDES_NOTE}};

/* The next one that is set, in turn; FALSE where none is. */
static gboolean
extra_item (GstRtcpAvpf *self, GstCcSdesItem *item)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (sdes_items); i++) {
    guint at = (self->sdes_turn + i) % G_N_ELEMENTS (sdes_items);
    const gchar *text = gst_structure_get_string (self->settings.sdes, sdes_items[at].field);

    if (text == NULL || *text == '\0')
      continue;
    self->sdes_turn = at + 1;
    *item = (GstCcSdesItem){.type = sdes_items[at].type, .text = text};
    return TRUE;
  }
  return FALSE;
}

static void
add_report (Build *b, const AvpfLocal *local, gboolean full)
{
  GstCcSdesItem items[2] = {{.type = GST_RTCP_SDES_CNAME, .text = gst_rtcp_avpf_cname (b->self)}};
  GstCcSenderInfo info;
  guint n = 1;

  if (local->we_sent) {
    avpf_local_sender_info (local, b->ntp_now, b->now, &info);
    gst_cc_rtcp_add_sr (&b->rtcp, &info, b->blocks, b->n_blocks);
  } else {
    gst_cc_rtcp_add_rr (&b->rtcp, local->ssrc, b->blocks, b->n_blocks);
  }
  if (full && local->timing.regular_sent % EXTRA_ITEM_EVERY == EXTRA_ITEM_EVERY - 1 && extra_item (b->self, &items[1]))
    n = 2;
  if (!gst_cc_rtcp_add_sdes (&b->rtcp, local->ssrc, items, n))
    gst_cc_rtcp_add_sdes (&b->rtcp, local->ssrc, items, 1);
}

guint
gst_rtcp_avpf_report_size (GstRtcpAvpf *self)
{
  guint n = MIN (avpf_source_table_count (&self->table), MAX_BLOCKS);

  return SR_BYTES + n * BLOCK_BYTES + (guint)SDES_BYTES (gst_rtcp_avpf_cname (self));
}

/* ---- feedback ---- */

static void
add_key_request (Build *b, AvpfSource *s)
{
  gboolean fir = gst_rtcp_avpf_asks_by_fir (b->self, s), added;
  FbItem item = fir ? fb_item_fir (s->ssrc) : fb_item_pli (s->ssrc);

  if (!GST_CLOCK_TIME_IS_VALID (s->key_t0))
    return;
  added = fir ? gst_cc_rtcp_add_fir (&b->rtcp, b->ssrc, s->ssrc, s->key.fir_seq)
              : gst_cc_rtcp_add_pli (&b->rtcp, b->ssrc, s->ssrc);
  if (!added)
    return;
  key_request_on_sent (&s->key, b->now);
  fb_retention_on_sent (&b->self->retention, &item);
  s->key_t0 = GST_CLOCK_TIME_NONE;
}

static void
add_nack (Build *b, AvpfSource *s)
{
  guint16 seqs[NACK_REQUEST_MAX_MISSING];
  guint n, taken, i;

  if (s->nack == NULL || !GST_CLOCK_TIME_IS_VALID (s->nack_t0))
    return;
  n = nack_request_take_due (s->nack, seqs, G_N_ELEMENTS (seqs), b->now);
  s->nack_t0 = GST_CLOCK_TIME_NONE;
  if (n == 0 || !gst_cc_rtcp_add_nack (&b->rtcp, b->ssrc, s->ssrc, seqs, n, &taken))
    return;
  nack_request_on_sent (s->nack, seqs, taken, b->now);
  for (i = 0; i < taken; i++) {
    FbItem item = fb_item_nack (s->ssrc, seqs[i]);

    fb_retention_on_sent (&b->self->retention, &item);
  }
}

static void
note_remb (Build *b, const AvpfSource *s)
{
  if (b->remb.n_ssrcs == RTCP_FB_REMB_MAX_SSRCS)
    return;
  b->remb.ssrcs[b->remb.n_ssrcs++] = s->ssrc;
  b->remb.bitrate_bps += (uint64_t)(gst_rtcp_avpf_allowed_rate (s, b->now) * 8);
}

/* What this end has found out itself; FALSE: nothing new. */
static gboolean
add_end_to_end (Build *b, AvpfSource *s)
{
  AvpfFeedback feedback = b->self->settings.feedback;
  CcReport report;
  RtcpPath path;

  if (s->stamped == s->stamped_in_feedback || !cc_receiver_report (&s->cc, b->now, &report))
    return FALSE;
  s->stamped_in_feedback = s->stamped;
  if (feedback & AVPF_FEEDBACK_TFRC)
    gst_cc_rtcp_add_tfrc (&b->rtcp, b->ssrc, s->ssrc, &report.tfrc);
  path = (RtcpPath){.kind = RTCP_PATH_END_TO_END,
      .rate_bps = (uint64_t)(report.path.rate_Bps * 8),
      .capacity_bps = (uint64_t)(report.path.capacity_Bps * 8),
      .queue_delay = report.path.queue_delay,
      .owner = report.path.owner,
      .loss = report.path.loss,
      .excused = report.path.excused};
  if (feedback & AVPF_FEEDBACK_PATH)
    gst_cc_rtcp_add_path (&b->rtcp, b->ssrc, s->ssrc, &path);
  return TRUE;
}

/* What routers have said; FALSE: nothing. */
static gboolean
add_explicit_rate (Build *b, AvpfSource *s)
{
  gdouble rate_Bps = explicit_rate_current (&s->explicit_rate, b->now);
  RtcpPath path = {.kind = RTCP_PATH_ERF, .hop = s->explicit_rate.hop, .rate_bps = (uint64_t)(rate_Bps * 8)};

  if (!(rate_Bps > 0))
    return FALSE;
  if (b->self->settings.feedback & AVPF_FEEDBACK_PATH)
    gst_cc_rtcp_add_path (&b->rtcp, b->ssrc, s->ssrc, &path);
  explicit_rate_told (&s->explicit_rate, b->now);
  return TRUE;
}

static void
add_flow (Build *b, AvpfSource *s)
{
  gboolean end_to_end = add_end_to_end (b, s), routers = add_explicit_rate (b, s);

  if (end_to_end || routers)
    note_remb (b, s);
}

/* Where TMMBN does not confirm a limit it is repeated, with regular packets (RFC 5104 4.2.1.2). */
static void
add_limit (Build *b, AvpfSource *s, gboolean regular)
{
  guint64 limit = s->limit_wanted;
  RtcpTmmb entry;

  if (s->tmmbr == NULL)
    return;
  if (limit == 0 && regular)
    limit = s->limit_asked;
  s->limit_wanted = 0;
  if (limit == 0 || !(b->self->settings.feedback & AVPF_FEEDBACK_TMMBR))
    return;
  entry = (RtcpTmmb){.ssrc = s->ssrc,
      .bitrate_bps = limit,
      .overhead_bytes = (uint16_t)(s->cc.params.overhead_bytes + RTCP_TMMB_RTP_HEADER)};
  if (tmmbr_receiver_may_ask (s->tmmbr, b->ssrc, limit, entry.overhead_bytes) &&
      !gst_cc_rtcp_add_tmmbr (&b->rtcp, b->ssrc, &entry, 1))
    return;
  s->limit_asked = limit;
}

static void
add_queued (Build *b)
{
  const FbQueued *entry;
  FbItem item;

  while (
      (entry = fb_queue_peek (&b->self->queue, b->now)) != NULL && gst_cc_rtcp_add_queued (&b->rtcp, b->ssrc, entry)) {
    if (fb_queue_item (entry, &item))
      fb_retention_on_sent (&b->self->retention, &item);
    fb_queue_pop (&b->self->queue);
  }
}

static void
add_twcc (Build *b)
{
  const AvpfSource *s = avpf_source_table_main (&b->self->table);

  if (b->self->twcc != NULL && (b->self->settings.feedback & AVPF_FEEDBACK_TWCC))
    gst_cc_rtcp_add_twcc (&b->rtcp, b->ssrc, s != NULL ? s->ssrc : 0, b->self->twcc, &b->self->twcc_count);
}

static void
add_ccfb (Build *b)
{
  GstCcCcfbStream streams[AVPF_MAX_SOURCES];
  guint i, n = 0;

  for (i = 0; i < AVPF_MAX_SOURCES; i++) {
    const AvpfSource *s = b->self->table.sources[i];

    if (s != NULL && avpf_source_present (s) && s->arrivals != NULL)
      streams[n++] = (GstCcCcfbStream){.ssrc = s->ssrc, .history = s->arrivals};
  }
  if (n > 0 && (b->self->settings.feedback & AVPF_FEEDBACK_CCFB))
    gst_cc_rtcp_add_ccfb (&b->rtcp, b->ssrc, streams, n, b->now, (guint32)(b->ntp_now >> 16));
}

/* Requests first, then what is newer in the next packet anyway. */
static void
add_feedback (Build *b, gboolean regular, gboolean reduced)
{
  GstRtcpAvpf *self = b->self;
  guint i;

  for (i = 0; i < AVPF_MAX_SOURCES; i++) {
    AvpfSource *s = self->table.sources[i];

    if (s == NULL || !avpf_source_present (s))
      continue;
    add_key_request (b, s);
    add_flow (b, s);
    add_nack (b, s);
    add_limit (b, s, regular);
  }
  add_queued (b);
  /* a reader of PATH needs no REMB: in short packets it would be a second copy of the same rate */
  if (b->remb.n_ssrcs > 0 && (self->settings.feedback & AVPF_FEEDBACK_REMB) &&
      !(reduced && (self->settings.feedback & AVPF_FEEDBACK_PATH)))
    gst_cc_rtcp_add_remb (&b->rtcp, b->ssrc, &b->remb);
  for (i = 0; i < self->locals.n; i++)
    if (gst_rtcp_avpf_media_owes (self, self->locals.locals[i].ssrc))
      gst_rtcp_avpf_media_add_owed (self, &b->rtcp, self->locals.locals[i].ssrc, b->now);
  add_twcc (b);
  add_ccfb (b);
  self->packet_report_at = b->now;
  self->packet_report_told = self->report_wanted = FALSE;
}

/* ---- packets ---- */

static GstBuffer *
begin (GstRtcpAvpf *self, Build *b, GstClockTime now)
{
  GstBuffer *buffer = gst_rtcp_buffer_new (GST_CC_RTCP_MTU);

  *b = (Build){.self = self, .rtcp = GST_RTCP_BUFFER_INIT, .now = now};
  b->ntp_now = gst_cc_rtcp_ntp_now ();
  gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &b->rtcp);
  return buffer;
}

/* Those of `chosen`, whose last bit is the first local. */
static void
add_reports (Build *b, guint chosen, guint first, gboolean full)
{
  AvpfLocalTable *locals = &b->self->locals;
  guint i, n = 0;

  for (i = 0; i < locals->n; i++)
    n += (chosen >> i) & 1;
  collect_blocks (b, n > 1 ? GST_CC_RTCP_MTU / 2 / BLOCK_BYTES / n : MAX_BLOCKS);
  add_report (b, &locals->locals[first], full);
  for (i = 0; i < locals->n; i++)
    if (i != first && (chosen >> i & 1))
      add_report (b, &locals->locals[i], full);
}

GstBuffer *
gst_rtcp_avpf_build (GstRtcpAvpf *self, const GstRtcpAvpfPlan *plan, GstClockTime now)
{
  AvpfLocalTable *locals = &self->locals;
  GstBuffer *buffer;
  Build b;

  buffer = begin (self, &b, now);
  b.ssrc = locals->locals[plan->first].ssrc;
  if (!plan->reduced)
    add_reports (&b, plan->chosen, plan->first, plan->full);
  add_feedback (&b, plan->regular, plan->reduced);
  if (gst_rtcp_buffer_get_packet_count (&b.rtcp) == 0)
    add_reports (&b, plan->chosen, plan->first, FALSE);
  if (locals->n_leaving > 0 && gst_cc_rtcp_add_bye (&b.rtcp, locals->leaving, locals->n_leaving))
    locals->n_leaving = 0;
  gst_rtcp_buffer_unmap (&b.rtcp);
  return buffer;
}

GstBuffer *
gst_rtcp_avpf_build_bye (GstRtcpAvpf *self, GstClockTime now)
{
  AvpfLocalTable *locals = &self->locals;
  guint32 ssrcs[2 * AVPF_MAX_LOCALS];
  guint i, n = 0;
  GstBuffer *buffer;
  Build b;

  for (i = 0; i < locals->n; i++)
    if (locals->locals[i].known)
      ssrcs[n++] = locals->locals[i].ssrc;
  for (i = 0; i < locals->n_leaving; i++)
    ssrcs[n++] = locals->leaving[i];
  if (n == 0)
    return NULL;
  buffer = begin (self, &b, now);
  add_reports (&b, 1, 0, FALSE);
  gst_cc_rtcp_add_bye (&b.rtcp, ssrcs, n);
  gst_rtcp_buffer_unmap (&b.rtcp);
  return buffer;
}
