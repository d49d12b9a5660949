/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender to whose receiver the law is unknown, but which reports every packet (RFC 8888, TWCC): the sender runs the
   law (ccpacketfeedback.h). While TFRC reports come these count for nothing. f: what was told of the packets that left
   with cc_packet_feedback_on_sent (). */
#ifndef CCSENDERPACKETS_H
#define CCSENDERPACKETS_H

#include "ccsender.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For a feedback of this sender: its limits and rates. */
void cc_sender_packet_feedback_params (const CcSender *s, CcPacketFeedbackParams *params);
void cc_sender_on_ccfb (CcSender *s, CcPacketFeedback *f, const RtcpCcfbReader *report, CcTime now);
void cc_sender_on_twcc (CcSender *s, CcPacketFeedback *f, const RtcpTwccReader *report, CcTime now);
void cc_sender_on_told (CcSender *s, CcPacketFeedback *f, const CcToldPacket *told, unsigned n, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
