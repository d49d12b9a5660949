/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a link does to packets besides queueing: random loss (independent or Gilbert-Elliott) and jitter without
   reordering (RFC 8868 4.5.2, NR-BPDV). And the drop-tail queue whose limit may change while packets wait. */
#ifndef SIM_IMPAIRED_LINK_H
#define SIM_IMPAIRED_LINK_H

#include <ns3/error-model.h>
#include <ns3/nstime.h>
#include <ns3/point-to-point-channel.h>
#include <ns3/queue-disc.h>
#include <ns3/random-variable-stream.h>
#include <vector>

namespace sim
{

/* Packets are lost with probability good_loss or bad_loss by state; independent loss is good_loss alone. A policer
   loses what goes beyond a token bucket, and queues nothing. */
struct LossSpec {
  double good_loss = 0, bad_loss = 0;
  double to_bad = 0, to_good = 1;                      /* state changes per packet */
  double from_s = 0, to_s = 1e9;                       /* of the loss; the policer is always there */
  double police_bps = 0;                               /* 0: no policer */
  double police_bytes = 0;                             /* depth of the bucket */
  std::vector<std::pair<double, double>> police_steps; /* at_s, bps */
};
/* Loss of this share of the packets, this many in a row in the mean (Gilbert-Elliott). */
LossSpec bursty_loss (double share, double mean_burst);

class LossModel : public ns3::ErrorModel
{
public:
  static ns3::TypeId GetTypeId ();
  LossModel ();
  LossSpec spec;

private:
  bool DoCorrupt (ns3::Ptr<ns3::Packet> packet) override;
  void DoReset () override;
  bool exceeds_bucket (uint32_t bytes);
  ns3::Ptr<ns3::UniformRandomVariable> random;
  bool bad = false;
  double tokens = -1; /* bytes; below 0: not yet filled */
  ns3::Time filled_at;
};

/* A point-to-point channel, device 0 the left end, that delays each packet by |clamp (N (0, std), 3 std)| more, never
   overtaking unless it may. */
class JitterChannel : public ns3::PointToPointChannel
{
public:
  static ns3::TypeId GetTypeId ();
  JitterChannel ();
  double std_s[2] = {0, 0}; /* of packets sent by device 0 and 1 */
  ns3::Time delay[2];
  bool reorder[2] = {false, false}; /* packets may overtake */

  bool TransmitStart (
      ns3::Ptr<const ns3::Packet> packet, ns3::Ptr<ns3::PointToPointNetDevice> source, ns3::Time tx_time) override;

private:
  ns3::Ptr<ns3::NormalRandomVariable> random;
  ns3::Time last_arrival[2];
};

/* Drop tail, limited in bytes or packets (0: no limit of that kind). */
class DropTailDisc : public ns3::QueueDisc
{
public:
  static ns3::TypeId GetTypeId ();
  DropTailDisc ();
  uint32_t max_bytes = 0, max_packets = 0;

private:
  bool DoEnqueue (ns3::Ptr<ns3::QueueDiscItem> item) override;
  ns3::Ptr<ns3::QueueDiscItem> DoDequeue () override;
  bool CheckConfig () override;
  void InitializeParams () override;
};

} // namespace sim
#endif
