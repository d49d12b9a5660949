/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "impairedlink.h"
#include <algorithm>
#include <cmath>
#include <ns3/drop-tail-queue.h>
#include <ns3/point-to-point-net-device.h>
#include <ns3/simulator.h>

using namespace ns3;

namespace sim
{

NS_OBJECT_ENSURE_REGISTERED (LossModel);
NS_OBJECT_ENSURE_REGISTERED (JitterChannel);
NS_OBJECT_ENSURE_REGISTERED (DropTailDisc);

TypeId
LossModel::GetTypeId ()
{
  static TypeId id = TypeId ("sim::LossModel").SetParent<ErrorModel> ().AddConstructor<LossModel> ();
  return id;
}

LossModel::LossModel () : random (CreateObject<UniformRandomVariable> ())
{
}

LossSpec
bursty_loss (double share, double mean_burst)
{
  LossSpec spec;

  spec.bad_loss = 1;
  spec.to_good = 1 / mean_burst;
  spec.to_bad = spec.to_good * share / (1 - share);
  return spec;
}

bool
LossModel::exceeds_bucket (uint32_t bytes)
{
  Time now = Simulator::Now ();
  double bps = spec.police_bps;

  for (const auto &step : spec.police_steps)
    if (now.GetSeconds () >= step.first)
      bps = step.second;
  tokens = tokens < 0 ? spec.police_bytes : tokens + bps / 8 * (now - filled_at).GetSeconds ();
  tokens = std::min (tokens, spec.police_bytes);
  filled_at = now;
  if (bytes > tokens)
    return true;
  tokens -= bytes;
  return false;
}

bool
LossModel::DoCorrupt (Ptr<Packet> packet)
{
  double now = Simulator::Now ().GetSeconds ();

  if (spec.police_bps > 0 && exceeds_bucket (packet->GetSize ()))
    return true;
  if (now < spec.from_s || now >= spec.to_s)
    return false;
  if (random->GetValue () < (bad ? spec.to_good : spec.to_bad))
    bad = !bad;
  return random->GetValue () < (bad ? spec.bad_loss : spec.good_loss);
}

void
LossModel::DoReset ()
{
  bad = false;
  tokens = -1;
}

TypeId
JitterChannel::GetTypeId ()
{
  static TypeId id = TypeId ("sim::JitterChannel").SetParent<PointToPointChannel> ().AddConstructor<JitterChannel> ();
  return id;
}

JitterChannel::JitterChannel () : random (CreateObject<NormalRandomVariable> ())
{
}

bool
JitterChannel::TransmitStart (Ptr<const Packet> packet, Ptr<PointToPointNetDevice> source, Time tx_time)
{
  unsigned from = source == GetSource (0) ? 0 : 1;
  double z = std::min (std::fabs (random->GetValue (0, 1)), 3.0) * std_s[from];
  Time arrival = Simulator::Now () + tx_time + delay[from] + Seconds (z);

  /* RFC 8868 4.5.2: j (n) = max (j (n), j (n-1) + serialisation (n-1)), so the spacing is at least the packet's own. */
  if (!reorder[from])
    arrival = std::max (arrival, last_arrival[from] + (std_s[from] > 0 ? tx_time : Time (0)));
  last_arrival[from] = arrival;
  Ptr<PointToPointNetDevice> to = GetDestination (from);
  Simulator::ScheduleWithContext (
      to->GetNode ()->GetId (), arrival - Simulator::Now (), &PointToPointNetDevice::Receive, to, packet->Copy ());
  return true;
}

TypeId
DropTailDisc::GetTypeId ()
{
  static TypeId id = TypeId ("sim::DropTailDisc").SetParent<QueueDisc> ().AddConstructor<DropTailDisc> ();
  return id;
}

DropTailDisc::DropTailDisc () : QueueDisc (QueueDiscSizePolicy::NO_LIMITS)
{
}

bool
DropTailDisc::DoEnqueue (Ptr<QueueDiscItem> item)
{
  Ptr<InternalQueue> queue = GetInternalQueue (0);

  if ((max_bytes && queue->GetNBytes () + item->GetSize () > max_bytes) ||
      (max_packets && queue->GetNPackets () + 1 > max_packets)) {
    DropBeforeEnqueue (item, "full");
    return false;
  }
  return queue->Enqueue (item);
}

Ptr<QueueDiscItem>
DropTailDisc::DoDequeue ()
{
  return GetInternalQueue (0)->Dequeue ();
}

bool
DropTailDisc::CheckConfig ()
{
  if (GetNInternalQueues () == 0)
    AddInternalQueue (
        CreateObjectWithAttributes<DropTailQueue<QueueDiscItem>> ("MaxSize", QueueSizeValue (QueueSize ("1000000p"))));
  return true;
}

void
DropTailDisc::InitializeParams ()
{
}

} // namespace sim
