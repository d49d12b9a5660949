/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ccsenderpackets.h"

void
cc_sender_packet_feedback_params (const CcSender *s, CcPacketFeedbackParams *params)
{
  cc_packet_feedback_params_init (params);
  params->path = (PathRateParams){.start_Bps = s->params.start_Bps,
      .min_Bps = s->params.min_Bps,
      .max_Bps = s->params.max_Bps,
      .weight = s->params.weight};
  params->rto = s->params.tfrc.rto;
  params->overhead_bytes = s->params.overhead_bytes;
}

static void
limit_path_rate (const CcSender *s, CcPacketFeedback *f)
{
  f->path.params.min_Bps = s->params.min_Bps;
  f->path.params.max_Bps = s->params.max_Bps;
  path_rate_set_weight (&f->path, s->params.weight);
}

void
cc_sender_on_ccfb (CcSender *s, CcPacketFeedback *f, const RtcpCcfbReader *report, CcTime now)
{
  CcPacketVerdict verdict;

  limit_path_rate (s, f);
  if (cc_packet_feedback_on_ccfb (f, report, s->tfrc.R, s->tfrc.s, now, &verdict))
    cc_sender_on_packet_verdict (s, &verdict, now);
}

void
cc_sender_on_twcc (CcSender *s, CcPacketFeedback *f, const RtcpTwccReader *report, CcTime now)
{
  CcPacketVerdict verdict;

  limit_path_rate (s, f);
  if (cc_packet_feedback_on_twcc (f, report, s->tfrc.R, s->tfrc.s, now, &verdict))
    cc_sender_on_packet_verdict (s, &verdict, now);
}

void
cc_sender_on_told (CcSender *s, CcPacketFeedback *f, const CcToldPacket *told, unsigned n, CcTime now)
{
  CcPacketVerdict verdict;

  limit_path_rate (s, f);
  if (cc_packet_feedback_on_told (f, told, n, s->tfrc.R, s->tfrc.s, now, &verdict))
    cc_sender_on_packet_verdict (s, &verdict, now);
}
