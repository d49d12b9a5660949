/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ccflow.h"
#include <ns3/nstime.h>

using namespace ns3;

namespace sim
{

CcFlowSpec
cc_flow_spec (CcMode mode, std::shared_ptr<MediaSource> source)
{
  CcFlowSpec spec;

  cc_sender_params_init (&spec.sender.params);
  cc_receiver_params_init (&spec.receiver.params);
  spec.sender.params.mode = mode;
  spec.sender.params.overhead_bytes = udp_ip_bytes;
  spec.receiver.params.overhead_bytes = udp_ip_bytes;
  spec.sender.source = source;
  spec.sender.extension = mode != CC_MODE_BURST_CONTROL;
  if (mode == CC_MODE_BURST_CONTROL)
    spec.sender.params.circuit.action = CIRCUIT_OFF; /* its receiver here sends no RTCP at all: that is no dead path */
  if (mode == CC_MODE_LOW_DELAY) {
    spec.receiver.timing = FeedbackTiming::avpf;
    spec.receiver.path_report = true;
  }
  return spec;
}

CcFlowSpec
greedy_tfrc_spec (uint32_t packet_bytes)
{
  CcFlowSpec spec = cc_flow_spec (CC_MODE_RFC5348, std::make_shared<GreedySource> ());

  spec.sender.payload_bytes = packet_bytes - udp_ip_bytes - rtp_header_bytes;
  spec.sender.ring_packets = 16;
  spec.sender.params.min_Bps = 1;
  spec.sender.params.max_Bps = 1e9;
  spec.sender.params.buffer.max_delay = 3600 * CC_SECOND;
  /* The letter: no rate before the first round-trip sample, no floors for slow reports or frames. */
  spec.sender.params.tfrc.mss = packet_bytes - 40;
  spec.sender.params.tfrc.initial_Bps = 0;
  spec.sender.params.tfrc.min_rto = 0;
  spec.receiver.params.tfrc.min_window = 0;
  spec.receiver.params.report_gap = 0;
  return spec;
}

CcFlow
add_cc_flow (Dumbbell &dumbbell, unsigned pair, const CcFlowSpec &spec)
{
  CcFlow flow = {CreateObject<CcSenderApplication> (), CreateObject<CcReceiverApplication> ()};
  CcSenderConfig sender = spec.sender;

  sender.peer = spec.forward ? dumbbell.right_address (pair) : dumbbell.left_address (pair);
  flow.sender->configure (sender);
  flow.receiver->configure (spec.receiver);
  (spec.forward ? dumbbell.left (pair) : dumbbell.right (pair))->AddApplication (flow.sender);
  (spec.forward ? dumbbell.right (pair) : dumbbell.left (pair))->AddApplication (flow.receiver);
  flow.sender->SetStartTime (Seconds (spec.start_s));
  flow.sender->SetStopTime (Seconds (spec.stop_s));
  return flow;
}

} // namespace sim
