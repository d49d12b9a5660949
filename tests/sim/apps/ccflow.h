/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One controlled flow over a pair of the dumbbell, with the defaults of its mode. */
#ifndef SIM_CC_FLOW_H
#define SIM_CC_FLOW_H

#include "ccreceiverapplication.h"
#include "ccsenderapplication.h"
#include "dumbbell.h"

namespace sim
{

struct CcFlowSpec {
  CcSenderConfig sender;
  CcReceiverConfig receiver;
  double start_s = 0, stop_s = 1e6;
  bool forward = true; /* left to right */
};

/* Defaults of a mode: rfc5348 reports at once, one report per round-trip; low-delay reports the path by AVPF timing. */
CcFlowSpec cc_flow_spec (CcMode mode, std::shared_ptr<MediaSource> source);
/* RFC 5348 with packets always at hand: IP packets of packet_bytes. */
CcFlowSpec greedy_tfrc_spec (uint32_t packet_bytes);

struct CcFlow {
  ns3::Ptr<CcSenderApplication> sender;
  ns3::Ptr<CcReceiverApplication> receiver;
};
CcFlow add_cc_flow (Dumbbell &dumbbell, unsigned pair, const CcFlowSpec &spec);

} // namespace sim
#endif
