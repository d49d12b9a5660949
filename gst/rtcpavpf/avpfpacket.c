/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "avpfpacket.h"
#include "gstccrtcp.h"

#define MAX_BLOCKS 31

/* One packet under construction. */
typedef struct {
  GstRTCPBuffer *rtcp;
  AvpfSourceTable *table;
  const AvpfPacketParams *params;
  GstClockTime now;
  RtcpRemb remb;
} Build;

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

static void
add_report (Build *b)
{
  GstCcReportBlock blocks[MAX_BLOCKS];
  guint i, n = 0;

  for (i = 0; i < AVPF_MAX_SOURCES && n < MAX_BLOCKS; i++) {
    AvpfSource *s = b->table->sources[i];

    if (s != NULL && avpf_source_present (s) && to_block (s, b->now, &blocks[n]))
      n++;
  }
  gst_cc_rtcp_add_rr (b->rtcp, b->params->ssrc, blocks, n);
  gst_cc_rtcp_add_cname (b->rtcp, b->params->ssrc, b->params->cname);
}

static void
add_key_request (Build *b, AvpfSource *s)
{
  gboolean added;

  if (key_request_next_timeout (&s->key) > b->now)
    return;
  if (s->key.full)
    added = gst_cc_rtcp_add_fir (b->rtcp, b->params->ssrc, s->ssrc, s->key.fir_seq);
  else
    added = gst_cc_rtcp_add_pli (b->rtcp, b->params->ssrc, s->ssrc);
  if (added)
    key_request_on_sent (&s->key, b->now);
}

static void
note_remb (Build *b, const AvpfSource *s, const CcReport *report)
{
  if (b->remb.n_ssrcs == RTCP_FB_REMB_MAX_SSRCS)
    return;
  b->remb.ssrcs[b->remb.n_ssrcs++] = s->ssrc;
  b->remb.bitrate_bps += (uint64_t)(report->path.rate_Bps * 8);
}

static void
add_flow (Build *b, AvpfSource *s)
{
  CcReport report;
  RtcpPath path;

  if (s->stamped == s->stamped_in_feedback || !cc_receiver_report (&s->cc, b->now, &report))
    return;
  s->stamped_in_feedback = s->stamped;
  if (b->params->feedback & AVPF_FEEDBACK_TFRC)
    gst_cc_rtcp_add_tfrc (b->rtcp, b->params->ssrc, s->ssrc, &report.tfrc);
  path = (RtcpPath){.kind = RTCP_PATH_END_TO_END,
      .rate_bps = (uint64_t)(report.path.rate_Bps * 8),
      .capacity_bps = (uint64_t)(report.path.capacity_Bps * 8),
      .queue_delay = report.path.queue_delay};
  if (b->params->feedback & AVPF_FEEDBACK_PATH)
    gst_cc_rtcp_add_path (b->rtcp, b->params->ssrc, s->ssrc, &path);
  note_remb (b, s, &report);
}

static void
add_feedback (Build *b)
{
  guint i;

  for (i = 0; i < AVPF_MAX_SOURCES; i++) {
    AvpfSource *s = b->table->sources[i];

    if (s == NULL || !avpf_source_present (s))
      continue;
    add_key_request (b, s);
    add_flow (b, s);
  }
  /* a reader of PATH needs no REMB: in short packets it would be a second copy of the same rate */
  if (b->remb.n_ssrcs > 0 && (b->params->feedback & AVPF_FEEDBACK_REMB) &&
      !(b->params->reduced && (b->params->feedback & AVPF_FEEDBACK_PATH)))
    gst_cc_rtcp_add_remb (b->rtcp, b->params->ssrc, &b->remb);
}

GstBuffer *
avpf_packet_build (AvpfSourceTable *table, const AvpfPacketParams *params, GstClockTime now)
{
  GstBuffer *buffer = gst_rtcp_buffer_new (GST_CC_RTCP_MTU);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  Build b = {.rtcp = &rtcp, .table = table, .params = params, .now = now};

  gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp);
  if (!params->reduced)
    add_report (&b);
  add_feedback (&b);
  if (gst_rtcp_buffer_get_packet_count (&rtcp) == 0)
    add_report (&b);
  gst_rtcp_buffer_unmap (&rtcp);
  return buffer;
}

GstBuffer *
avpf_packet_build_bye (AvpfSourceTable *table, const AvpfPacketParams *params, GstClockTime now)
{
  GstBuffer *buffer = gst_rtcp_buffer_new (GST_CC_RTCP_MTU);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  Build b = {.rtcp = &rtcp, .table = table, .params = params, .now = now};

  gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp);
  add_report (&b);
  gst_cc_rtcp_add_bye (&rtcp, &params->ssrc, 1);
  gst_rtcp_buffer_unmap (&rtcp);
  return buffer;
}
