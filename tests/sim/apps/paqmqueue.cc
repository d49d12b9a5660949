/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "paqmqueue.h"
#include "simtime.h"
#include <algorithm>
#include <cmath>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>
#include <ns3/traffic-control-module.h>

using namespace ns3;

namespace sim
{

PaqmQueueSpec::PaqmQueueSpec ()
{
  paqm_params_init (&params);
}

TypeId
PaqmQueueDisc::GetTypeId ()
{
  static TypeId id = TypeId ("sim::PaqmQueueDisc").SetParent<QueueDisc> ().AddConstructor<PaqmQueueDisc> ();
  return id;
}

PaqmQueueDisc::PaqmQueueDisc ()
    : QueueDisc (QueueDiscSizePolicy::NO_LIMITS), random (CreateObject<UniformRandomVariable> ())
{
}

uint32_t
PaqmQueueDisc::draw (void *user)
{
  return static_cast<PaqmQueueDisc *> (user)->random->GetValue () * 4294967296.0;
}

void
PaqmQueueDisc::configure (const PaqmQueueSpec &s)
{
  static uint16_t hops;
  const char *refusal = paqm_params_refusal (&s.params);

  NS_ABORT_MSG_IF (refusal, (refusal ? refusal : ""));
  spec = s;
  if (spec.hop == 0)
    spec.hop = ++hops;
  if (spec.measure_capacity)
    spec.params.capacity_Bps = 0;
  spec.params.random = {draw, this};
  paqm_init (&paqm, &spec.params);
  if (spec.sample_s > 0)
    Simulator::Schedule (Seconds (spec.sample_s), &PaqmQueueDisc::sample, this);
}

void
PaqmQueueDisc::set_capacity (double bps)
{
  if (!spec.measure_capacity)
    paqm_set_capacity (&paqm, bps / 8, time_now ());
}

void
PaqmQueueDisc::subscribe (double delay_s, Listener listener)
{
  subscribers.push_back ({delay_s, listener});
}

const Paqm &
PaqmQueueDisc::core () const
{
  return paqm;
}

PaqmStats
PaqmQueueDisc::stats () const
{
  PaqmStats stats;

  paqm_get_stats (&paqm, &stats);
  return stats;
}

uint16_t
PaqmQueueDisc::hop () const
{
  return spec.hop;
}

const std::vector<PaqmRow> &
PaqmQueueDisc::rows () const
{
  return row_list;
}

/* Addresses and ports over 64 bits; Hash () has 32. */
static uint64_t
flow_of (Ptr<QueueDiscItem> item)
{
  return (uint64_t)item->Hash (0x9e3779b9) << 32 | item->Hash (0);
}

static uint16_t
destination_port (Ptr<const QueueDiscItem> item)
{
  UdpHeader udp;

  item->GetPacket ()->PeekHeader (udp);
  return udp.GetDestinationPort ();
}

PaqmArrival
PaqmQueueDisc::arrival_of (Ptr<QueueDiscItem> item) const
{
  Ptr<Ipv4QueueDiscItem> ipv4 = DynamicCast<Ipv4QueueDiscItem> (item);
  PaqmArrival a = {PAQM_ELASTIC, flow_of (item), item->GetSize () + spec.link_bytes, false, false};

  if (!ipv4)
    return a;
  if (ipv4->GetHeader ().GetProtocol () == UdpL4Protocol::PROT_NUMBER &&
      (spec.elastic_ports.empty () || !spec.elastic_ports.count (destination_port (item))))
    a.cls = PAQM_MEDIA;
  a.ect = ipv4->GetHeader ().GetEcn () != Ipv4Header::ECN_NotECT;
  a.l4s = ipv4->GetHeader ().GetEcn () == Ipv4Header::ECN_ECT1;
  return a;
}

bool
PaqmQueueDisc::DoEnqueue (Ptr<QueueDiscItem> item)
{
  PaqmArrival arrival = arrival_of (item);
  PaqmVerdict verdict = paqm_on_arrival (&paqm, &arrival, time_now ());

  arm ();
  if (verdict == PAQM_DROP) {
    drops[arrival.cls].add (Simulator::Now ().GetSeconds (), arrival.size_bytes);
    DropBeforeEnqueue (item, "P-AQM");
    return false;
  }
  if (verdict == PAQM_MARK)
    Mark (item, "P-AQM");
  return GetInternalQueue (paqm_queue (&paqm, arrival.cls))->Enqueue (item);
}

uint32_t
PaqmQueueDisc::head_bytes (int queue)
{
  Ptr<const QueueDiscItem> head = GetInternalQueue (queue)->Peek ();

  return head ? head->GetSize () + spec.link_bytes : 0;
}

Ptr<QueueDiscItem>
PaqmQueueDisc::DoDequeue ()
{
  uint32_t heads[PAQM_CLASSES] = {head_bytes (PAQM_MEDIA), head_bytes (PAQM_ELASTIC)};
  int queue = paqm_next (&paqm, heads);

  if (queue == DEFICIT_RR_NONE)
    return nullptr;
  Ptr<QueueDiscItem> item = GetInternalQueue (queue)->Dequeue ();
  paqm_on_departure (&paqm, queue, heads[queue], time_now ());
  delay[queue].add (Simulator::Now ().GetSeconds (), (Simulator::Now () - item->GetTimeStamp ()).GetSeconds ());
  if (spec.tell)
    signal (item->GetPacket ());
  return item;
}

void
PaqmQueueDisc::signal (Ptr<Packet> packet)
{
  PaqmFeedback feedback;
  ErfTag tag;

  if (!packet->PeekPacketTag (tag))
    return;
  if (tag.rtt_s > 0)
    paqm_on_rtt (&paqm, cc_duration (tag.rtt_s));
  paqm_get_feedback (&paqm, &feedback);
  if (!std::isfinite (feedback.R_Bps) || (tag.rate_Bps > 0 && tag.rate_Bps <= feedback.R_Bps))
    return;
  tag.rate_Bps = feedback.R_Bps;
  tag.hop = spec.hop;
  packet->ReplacePacketTag (tag);
}

void
PaqmQueueDisc::arm ()
{
  CcTime at = paqm_next_timeout (&paqm);

  if (at == timer_at)
    return;
  timer.Cancel ();
  timer_at = at;
  if (at != CC_TIME_NONE)
    timer = Simulator::Schedule (NanoSeconds (cc_time_since (at, time_now ())), &PaqmQueueDisc::tick, this);
}

void
PaqmQueueDisc::tick ()
{
  timer_at = CC_TIME_NONE;
  if (paqm_on_timeout (&paqm, time_now ()))
    tell ();
  arm ();
}

void
PaqmQueueDisc::tell ()
{
  PaqmFeedback feedback;

  paqm_get_feedback (&paqm, &feedback);
  R_bps.add (Simulator::Now ().GetSeconds (), feedback.R_Bps * 8);
  for (const Subscriber &subscriber : subscribers)
    Simulator::Schedule (Seconds (subscriber.delay_s),
        [listener = subscriber.listener, hop = spec.hop, feedback] { listener (hop, feedback); });
}

void
PaqmQueueDisc::sample ()
{
  PaqmStats s = stats ();
  PaqmFeedback feedback;

  paqm_get_feedback (&paqm, &feedback);
  row_list.push_back (
      {Simulator::Now ().GetSeconds (), std::isfinite (feedback.R_Bps) ? feedback.R_Bps * 8 : 0, s.rate_Bps[0] * 8,
          s.rate_Bps[1] * 8, s.backlog_bytes[0], s.backlog_bytes[1], s.survival[0], s.flows[0], s.flows[1]});
  Simulator::Schedule (Seconds (spec.sample_s), &PaqmQueueDisc::sample, this);
}

bool
PaqmQueueDisc::CheckConfig ()
{
  while (GetNInternalQueues () < PAQM_CLASSES)
    AddInternalQueue (
        CreateObjectWithAttributes<DropTailQueue<QueueDiscItem>> ("MaxSize", QueueSizeValue (QueueSize ("1000000p"))));
  return true;
}

void
PaqmQueueDisc::InitializeParams ()
{
}

Ptr<PaqmQueueDisc>
make_paqm (const PaqmQueueSpec &s, double bps)
{
  Ptr<PaqmQueueDisc> disc = CreateObject<PaqmQueueDisc> ();
  PaqmQueueSpec spec = s;

  if (!(spec.params.capacity_Bps > 0))
    spec.params.capacity_Bps = bps / 8;
  disc->configure (spec);
  return disc;
}

Ptr<PaqmQueueDisc>
install_paqm (Ptr<NetDevice> device, const PaqmQueueSpec &spec)
{
  DataRateValue rate;

  device->GetAttribute ("DataRate", rate);
  Ptr<PaqmQueueDisc> disc = make_paqm (spec, rate.Get ().GetBitRate ());
  device->GetNode ()->GetObject<TrafficControlLayer> ()->SetRootQueueDiscOnDevice (device, disc);
  return disc;
}

} // namespace sim
