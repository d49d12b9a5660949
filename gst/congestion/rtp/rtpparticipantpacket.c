/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The RTCP packets this end sends: SR or RR and SDES for each SSRC that reports, feedback in the name of the first of
   them, then BYE where one of ours has left. What does not fit stays due. */
#include "rtpparticipantprivate.h"

#include <string.h>

#define MAX_BLOCKS 31
#define BLOCK_BYTES 24
#define SR_BYTES 28
#define SDES_BYTES(text) (4 + 4 + 2 + strlen (text) + 4)
#define EXTRA_ITEM_EVERY 3 /* RFC 3550 6.3.9: every third regular packet has one item more */

/* 32.32 fixed point. */
uint64_t
rtp_participant_ntp (const RtpParticipant *p, CcTime now)
{
  return p->params.ntp_at_zero + ((now / CC_SECOND) << 32) + ((now % CC_SECOND) << 32) / CC_SECOND;
}

/* One packet under construction. */
typedef struct {
  RtpParticipant *p;
  RtcpWriter rtcp;
  CcTime now;
  uint64_t ntp_now;
  uint32_t ssrc; /* who gives feedback */
  RtcpReportBlock blocks[MAX_BLOCKS];
  unsigned n_blocks;
  RtcpRemb remb;
} Build;

static unsigned
min_of (unsigned a, unsigned b)
{
  return a < b ? a : b;
}

/* ---- reports ---- */

static bool
to_block (RtpSource *s, CcTime now, RtcpReportBlock *block)
{
  RtpReceptionReport report;

  if (s->packets == s->packets_in_rr || !rtp_reception_report (&s->reception, now, &report))
    return false;
  s->packets_in_rr = s->packets;
  *block = (RtcpReportBlock){.ssrc = s->ssrc,
      .fraction_lost = report.fraction_lost,
      .packets_lost = report.cumulative_lost,
      .ext_highest_seq = report.highest_seq,
      .jitter = report.jitter,
      .lsr = report.lsr,
      .dlsr = report.dlsr};
  return true;
}

/* Of the sources heard since the last report; where there are more than fit, in turn. */
static void
collect_blocks (Build *b, unsigned capacity)
{
  RtpParticipant *p = b->p;
  unsigned i, at = p->owed.blocks_from;

  for (i = 0; i < RTP_SOURCES_MAX && b->n_blocks < min_of (capacity, MAX_BLOCKS); i++) {
    RtpSource *s = p->sources.sources[at];

    if (s != NULL && rtp_source_present (s) && to_block (s, b->now, &b->blocks[b->n_blocks]))
      b->n_blocks++;
    at = (at + 1) % RTP_SOURCES_MAX;
  }
  p->owed.blocks_from = at;
}

/* The next one that is set, in turn; false where none is. */
static bool
extra_item (RtpParticipant *p, RtcpSdesItem *item)
{
  unsigned i;

  for (i = 0; i < RTP_SDES_ITEMS; i++) {
    unsigned at = (p->owed.sdes_turn + i) % RTP_SDES_ITEMS;
    const char *text = p->settings.sdes[at];

    if (text == NULL || *text == '\0')
      continue;
    p->owed.sdes_turn = at + 1;
    *item = (RtcpSdesItem){.type = (RtcpSdesType)(RTCP_SDES_NAME + at), .text = text};
    return true;
  }
  return false;
}

static void
add_report (Build *b, const RtpLocal *local, bool full)
{
  RtcpSdesItem items[2] = {{.type = RTCP_SDES_CNAME, .text = b->p->settings.cname}};
  RtcpSenderInfo info;
  unsigned n = 1;

  if (local->we_sent) {
    rtp_local_sender_info (local, b->ntp_now, b->now, &info);
    rtcp_add_sr (&b->rtcp, &info, b->blocks, b->n_blocks);
  } else {
    rtcp_add_rr (&b->rtcp, local->ssrc, b->blocks, b->n_blocks);
  }
  if (full && local->timing.regular_sent % EXTRA_ITEM_EVERY == EXTRA_ITEM_EVERY - 1 && extra_item (b->p, &items[1]))
    n = 2;
  if (!rtcp_add_sdes (&b->rtcp, local->ssrc, items, n))
    rtcp_add_sdes (&b->rtcp, local->ssrc, items, 1);
}

unsigned
rtp_participant_report_size (const RtpParticipant *p)
{
  unsigned n = min_of (rtp_sources_count (&p->sources), MAX_BLOCKS);

  return SR_BYTES + n * BLOCK_BYTES + (unsigned)SDES_BYTES (p->settings.cname);
}

/* ---- feedback ---- */

static void
add_key_request (Build *b, RtpSource *s)
{
  bool fir = rtp_participant_asks_by_fir (b->p, s), added;
  FbItem item = fir ? fb_item_fir (s->ssrc) : fb_item_pli (s->ssrc);

  if (s->key_t0 == CC_TIME_NONE)
    return;
  added = fir ? rtcp_add_fir (&b->rtcp, b->ssrc, s->ssrc, s->key.fir_seq) : rtcp_add_pli (&b->rtcp, b->ssrc, s->ssrc);
  if (!added)
    return;
  key_request_on_sent (&s->key, b->now);
  fb_retention_on_sent (&b->p->owed.retention, &item);
  s->key_t0 = CC_TIME_NONE;
}

static void
add_nack (Build *b, RtpSource *s)
{
  uint16_t seqs[NACK_REQUEST_MAX_MISSING];
  unsigned n, taken, i;

  if (s->nack == NULL || s->nack_t0 == CC_TIME_NONE)
    return;
  n = nack_request_take_due (s->nack, seqs, NACK_REQUEST_MAX_MISSING, b->now);
  s->nack_t0 = CC_TIME_NONE;
  if (n == 0 || !rtcp_add_nack (&b->rtcp, b->ssrc, s->ssrc, seqs, n, &taken))
    return;
  rtp_participant_repair_on_asked (b->p, s, seqs, taken, b->now);
  nack_request_on_sent (s->nack, seqs, taken, b->now);
  for (i = 0; i < taken; i++) {
    FbItem item = fb_item_nack (s->ssrc, seqs[i]);

    fb_retention_on_sent (&b->p->owed.retention, &item);
  }
}

static void
note_remb (Build *b, const RtpSource *s)
{
  uint64_t bps;

  if (b->remb.n_ssrcs == RTCP_FB_REMB_MAX_SSRCS)
    return;
  b->remb.ssrcs[b->remb.n_ssrcs++] = s->ssrc;
  bps = rtp_participant_bps (rtp_participant_allowed_rate (s, b->now));
  b->remb.bitrate_bps += bps < UINT64_MAX - b->remb.bitrate_bps ? bps : UINT64_MAX - b->remb.bitrate_bps;
}

/* What this end has found out itself; false: nothing new. */
static bool
add_end_to_end (Build *b, RtpSource *s)
{
  unsigned feedback = b->p->settings.feedback;
  CcReport report;
  RtcpPath path;

  if (s->stamped == s->stamped_in_feedback || !cc_receiver_report (&s->cc, b->now, &report))
    return false;
  s->stamped_in_feedback = s->stamped;
  if (feedback & RTP_FEEDBACK_TFRC)
    rtcp_add_tfrc (&b->rtcp, b->ssrc, s->ssrc, &report.tfrc);
  path = (RtcpPath){.kind = RTCP_PATH_END_TO_END,
      .rate_bps = rtp_participant_bps (report.path.rate_Bps),
      .capacity_bps = rtp_participant_bps (report.path.capacity_Bps),
      .queue_delay = report.path.queue_delay,
      .owner = report.path.owner,
      .ecn = report.path.ecn,
      .loss = report.path.loss,
      .excused = report.path.excused};
  if (feedback & RTP_FEEDBACK_PATH)
    rtcp_add_path (&b->rtcp, b->ssrc, s->ssrc, &path);
  return true;
}

/* What routers have said; false: nothing. */
static bool
add_explicit_rate (Build *b, RtpSource *s)
{
  double rate_Bps = explicit_rate_current (&s->explicit_rate, b->now);
  RtcpPath path = {.kind = RTCP_PATH_ERF,
      .hop = explicit_rate_hop (&s->explicit_rate, b->now),
      .rate_bps = rtp_participant_bps (rate_Bps)};

  if (!(rate_Bps > 0))
    return false;
  if (b->p->settings.feedback & RTP_FEEDBACK_PATH)
    rtcp_add_path (&b->rtcp, b->ssrc, s->ssrc, &path);
  explicit_rate_told (&s->explicit_rate, b->now);
  return true;
}

static void
add_flow (Build *b, RtpSource *s)
{
  bool end_to_end = add_end_to_end (b, s), routers = add_explicit_rate (b, s);

  if (end_to_end || routers)
    note_remb (b, s);
}

/* Where TMMBN does not confirm a limit it is repeated, with regular packets (RFC 5104 4.2.1.2). */
static void
add_limit (Build *b, RtpSource *s, bool regular)
{
  uint64_t limit = s->limit_wanted;
  RtcpTmmb entry;

  if (s->tmmbr == NULL)
    return;
  if (limit == 0 && regular)
    limit = s->limit_asked;
  s->limit_wanted = 0;
  if (limit == 0 || !(b->p->settings.feedback & RTP_FEEDBACK_TMMBR))
    return;
  entry = (RtcpTmmb){.ssrc = s->ssrc,
      .bitrate_bps = limit,
      .overhead_bytes = (uint16_t)(s->cc.params.overhead_bytes + RTCP_TMMB_RTP_HEADER)};
  if (tmmbr_receiver_may_ask (s->tmmbr, b->ssrc, limit, entry.overhead_bytes) &&
      !rtcp_add_tmmbr (&b->rtcp, b->ssrc, &entry, 1))
    return;
  s->limit_asked = limit;
}

static void
add_queued (Build *b)
{
  const FbQueued *entry;
  FbItem item;

  while ((entry = fb_queue_peek (&b->p->owed.queue, b->now)) != NULL && rtcp_add_queued (&b->rtcp, b->ssrc, entry)) {
    if (fb_queue_item (entry, &item))
      fb_retention_on_sent (&b->p->owed.retention, &item);
    fb_queue_pop (&b->p->owed.queue);
  }
}

static void
add_twcc (Build *b)
{
  const RtpSource *s = rtp_sources_main (&b->p->sources);

  if (b->p->owed.twcc != NULL && (b->p->settings.feedback & RTP_FEEDBACK_TWCC))
    rtcp_add_twcc (&b->rtcp, b->ssrc, s != NULL ? s->ssrc : 0, b->p->owed.twcc, &b->p->owed.twcc_count);
}

static void
add_ccfb (Build *b)
{
  RtcpCcfbStream streams[RTP_SOURCES_MAX];
  unsigned i, n = 0;

  for (i = 0; i < RTP_SOURCES_MAX; i++) {
    const RtpSource *s = b->p->sources.sources[i];

    if (s != NULL && rtp_source_present (s) && s->arrivals != NULL)
      streams[n++] = (RtcpCcfbStream){.ssrc = s->ssrc, .history = s->arrivals};
  }
  if (n > 0 && (b->p->settings.feedback & RTP_FEEDBACK_CCFB))
    rtcp_add_ccfb (&b->rtcp, b->ssrc, streams, n, b->now, (uint32_t)(b->ntp_now >> 16));
}

/* Requests first, then what is newer in the next packet anyway. */
static void
add_feedback (Build *b, bool regular, bool reduced)
{
  RtpParticipant *p = b->p;
  unsigned i;

  for (i = 0; i < RTP_SOURCES_MAX; i++) {
    RtpSource *s = p->sources.sources[i];

    if (s == NULL || !rtp_source_present (s))
      continue;
    add_key_request (b, s);
    /* what is not due would keep the next request waiting */
    if (regular || s->cc.told || !rtp_participant_repair_comes_first (p))
      add_flow (b, s);
    add_nack (b, s);
    add_limit (b, s, regular);
  }
  rtp_participant_add_repair_offer (p, &b->rtcp, b->ssrc, b->now);
  rtp_participant_add_fec_request (p, &b->rtcp, b->ssrc, b->now);
  add_queued (b);
  /* a reader of PATH needs no REMB: in short packets, and where the peer is known to be one, it would be a second copy
     of the same rate */
  if (b->remb.n_ssrcs > 0 && (p->settings.feedback & RTP_FEEDBACK_REMB) &&
      !((reduced || p->repair.agreed) && (p->settings.feedback & RTP_FEEDBACK_PATH)))
    rtcp_add_remb (&b->rtcp, b->ssrc, &b->remb);
  for (i = 0; i < p->locals.n; i++)
    if (rtp_media_owes (&p->media, p->locals.locals[i].ssrc))
      rtp_media_add_owed (&p->media, &b->rtcp, p->locals.locals[i].ssrc, b->now);
  add_twcc (b);
  add_ccfb (b);
  p->owed.packet_report_at = b->now;
  p->owed.packet_report_told = p->owed.report_wanted = false;
}

/* ---- packets ---- */

static void
begin (RtpParticipant *p, Build *b, uint8_t packet[RTCP_MTU], CcTime now)
{
  *b = (Build){.p = p, .now = now, .ntp_now = rtp_participant_ntp (p, now)};
  rtcp_writer_init (&b->rtcp, packet, RTCP_MTU);
}

/* Those of `chosen`, whose last bit is the first local. */
static void
add_reports (Build *b, unsigned chosen, unsigned first, bool full)
{
  RtpLocals *locals = &b->p->locals;
  unsigned i, n = 0;

  for (i = 0; i < locals->n; i++)
    n += (chosen >> i) & 1;
  collect_blocks (b, n > 1 ? RTCP_MTU / 2 / BLOCK_BYTES / n : MAX_BLOCKS);
  add_report (b, &locals->locals[first], full);
  for (i = 0; i < locals->n; i++)
    if (i != first && (chosen >> i & 1))
      add_report (b, &locals->locals[i], full);
}

size_t
rtp_participant_build (RtpParticipant *p, const RtpPlan *plan, uint8_t packet[RTCP_MTU], CcTime now)
{
  RtpLocals *locals = &p->locals;
  Build b;

  begin (p, &b, packet, now);
  b.ssrc = locals->locals[plan->first].ssrc;
  if (!plan->reduced)
    add_reports (&b, plan->chosen, plan->first, plan->full);
  add_feedback (&b, plan->regular, plan->reduced);
  if (b.rtcp.size == 0)
    add_reports (&b, plan->chosen, plan->first, false);
  if (locals->n_leaving > 0 && rtcp_add_bye (&b.rtcp, locals->leaving, locals->n_leaving))
    locals->n_leaving = 0;
  return b.rtcp.size;
}

size_t
rtp_participant_build_bye (RtpParticipant *p, uint8_t packet[RTCP_MTU], CcTime now)
{
  RtpLocals *locals = &p->locals;
  uint32_t ssrcs[2 * RTP_LOCALS_MAX];
  unsigned i, n = 0;
  Build b;

  for (i = 0; i < locals->n; i++)
    if (locals->locals[i].known)
      ssrcs[n++] = locals->locals[i].ssrc;
  for (i = 0; i < locals->n_leaving; i++)
    ssrcs[n++] = locals->leaving[i];
  if (n == 0)
    return 0;
  begin (p, &b, packet, now);
  add_reports (&b, 1, 0, false);
  rtcp_add_bye (&b.rtcp, ssrcs, n);
  return b.rtcp.size;
}
