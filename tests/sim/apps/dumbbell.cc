/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dumbbell.h"
#include <ns3/core-module.h>
#include <algorithm>

using namespace ns3;

namespace sim
{

Dumbbell::Dumbbell (const DumbbellSpec &s) : spec (s)
{
  left_side.link = spec.forward;
  right_side.link = spec.backward;
  if (right_side.link.delay_ms == 0)
    right_side.link.delay_ms = left_side.link.delay_ms;
  left_side.far_net = 2;
  right_side.far_net = 1;
  for (Side *side : {&left_side, &right_side}) {
    side->router = CreateObject<Node> ();
    InternetStackHelper ().Install (side->router);
    side->routes = HostRoutes::install (side->router);
  }
  connect_routers ();
}

Ptr<PointToPointNetDevice>
make_device (Ptr<Node> node, uint16_t mtu, const char *queue_limit)
{
  Ptr<PointToPointNetDevice> device = CreateObject<PointToPointNetDevice> ();
  Ptr<Queue<Packet>> queue =
      CreateObjectWithAttributes<DropTailQueue<Packet>> ("MaxSize", QueueSizeValue (QueueSize (queue_limit)));

  device->SetAddress (Mac48Address::Allocate ());
  device->SetMtu (mtu);
  node->AddDevice (device);
  device->SetQueue (queue);
  /* The queue disc learns from this when the device can take another packet. */
  Ptr<NetDeviceQueueInterface> interface = CreateObject<NetDeviceQueueInterface> ();
  interface->GetTxQueue (0)->ConnectQueueTraces (queue);
  device->AggregateObject (interface);
  return device;
}

void
set_default_route (Ptr<Node> node, Ipv4Address gateway, Ptr<NetDevice> device)
{
  Ptr<Ipv4> ipv4 = node->GetObject<Ipv4> ();

  Ipv4StaticRoutingHelper ().GetStaticRouting (ipv4)->SetDefaultRoute (gateway, ipv4->GetInterfaceForDevice (device));
}

Ipv4Address
add_address (Ptr<NetDevice> device, uint32_t address)
{
  Ptr<Ipv4> ipv4 = device->GetNode ()->GetObject<Ipv4> ();
  uint32_t interface = ipv4->AddInterface (device);

  ipv4->AddAddress (interface, Ipv4InterfaceAddress (Ipv4Address (address), Ipv4Mask ("255.255.255.0")));
  ipv4->SetMetric (interface, 1);
  ipv4->SetUp (interface);
  return Ipv4Address (address);
}

void
Dumbbell::connect_routers ()
{
  Ptr<JitterChannel> channel = CreateObject<JitterChannel> ();
  unsigned i = 0;

  for (Side *side : {&left_side, &right_side}) {
    bool limited = side->link.bps > 0;
    side->device = make_device (side->router, spec.mtu, limited ? "1p" : "5000p");
    side->device->SetDataRate (DataRate (limited ? side->link.bps : spec.access_bps));
    side->device->Attach (channel);
    channel->delay[i] = MicroSeconds (side->link.delay_ms * 1000);
    channel->std_s[i++] = side->link.jitter_std_ms / 1000;
    if (limited)
      install_queue (*side);
    side->device->TraceConnectWithoutContext ("PhyTxBegin", MakeCallback (&Dumbbell::on_transmit, this, side));
  }
  for (Side *side : {&left_side, &right_side})
    impair (side);
  add_address (left_side.device, 0x0a030001);
  add_address (right_side.device, 0x0a030002);
  set_default_route (left_side.router, Ipv4Address (0x0a030002), left_side.device);
  set_default_route (right_side.router, Ipv4Address (0x0a030001), right_side.device);
}

Ptr<LossModel>
make_loss (const LossSpec &spec)
{
  Ptr<LossModel> model = CreateObject<LossModel> ();

  model->spec = spec;
  return model;
}

void
Dumbbell::impair (Side *side)
{
  bool is_left = side == &left_side;

  for (const CapacityStep &step : side->link.schedule)
    Simulator::Schedule (Seconds (step.at_s), &Dumbbell::set_capacity, this, is_left, step.bps);
  if (side->link.loss.good_loss > 0 || side->link.loss.bad_loss > 0 || side->link.loss.police_bps > 0)
    (is_left ? right_side : left_side).device->SetReceiveErrorModel (make_loss (side->link.loss));
}

/* Bytes for a limit given in ms or bytes; 0 where it is given in packets. */
static uint32_t
limit_bytes (const QueueSpec &queue, double bps)
{
  if (queue.bytes)
    return queue.bytes;
  return queue.packets ? 0 : std::max (queue.ms / 1000 * bps / 8, 1600.0);
}

static Ptr<QueueDisc>
make_red (const QueueSpec &queue, double bps, double delay_ms)
{
  double limit = queue.packets ? queue.packets : limit_bytes (queue, bps) / 1000.0;
  double min = queue.red_min ? queue.red_min : std::max (limit / 4, 2.0);
  double max = queue.red_max ? queue.red_max : std::max (limit * 3 / 4, min + 2);

  Ptr<RedQueueDisc> red = CreateObjectWithAttributes<RedQueueDisc> ("MaxSize",
      QueueSizeValue (QueueSize (QueueSizeUnit::PACKETS, (uint32_t)limit)), "MinTh", DoubleValue (min), "MaxTh",
      DoubleValue (max), "MeanPktSize", UintegerValue (1000), "LinkBandwidth", DataRateValue (DataRate (bps)),
      "LinkDelay", TimeValue (MilliSeconds (delay_ms)), "Gentle", BooleanValue (true), "UseEcn",
      BooleanValue (queue.ecn));
  /* ns-3's ARED sets the thresholds by itself, as far as its target asks for: half of the limit. */
  if (queue.adaptive) {
    red->SetAttribute ("ARED", BooleanValue (true));
    red->SetAttribute ("TargetDelay", TimeValue (Seconds (limit / 2 * 1000 * 8 / bps)));
  }
  return red;
}

static Ptr<QueueDisc>
make_fq_codel (const QueueSpec &queue)
{
  Ptr<FqCoDelQueueDisc> disc =
      CreateObjectWithAttributes<FqCoDelQueueDisc> ("UseEcn", BooleanValue (queue.ecn || queue.l4s_ms > 0));

  if (queue.l4s_ms > 0) {
    disc->SetAttribute ("UseL4s", BooleanValue (true));
    disc->SetAttribute ("CeThreshold", TimeValue (Seconds (queue.l4s_ms / 1000)));
  }
  return disc;
}

Ptr<QueueDisc>
make_disc (const QueueSpec &queue, double bps, double delay_ms)
{
  Ptr<DropTailDisc> tail;

  switch (queue.kind) {
  case QueueKind::red:
    return make_red (queue, bps, delay_ms);
  case QueueKind::codel:
    return CreateObjectWithAttributes<CoDelQueueDisc> ("UseEcn", BooleanValue (queue.ecn));
  case QueueKind::fq_codel:
    return make_fq_codel (queue);
  case QueueKind::pie:
    return CreateObjectWithAttributes<PieQueueDisc> ("UseEcn", BooleanValue (queue.ecn));
  case QueueKind::paqm:
    return make_paqm (queue.paqm, bps);
  default:
    tail = CreateObject<DropTailDisc> ();
    tail->max_packets = queue.packets;
    tail->max_bytes = limit_bytes (queue, bps);
    return tail;
  }
}

void
set_disc_capacity (Ptr<QueueDisc> disc, const QueueSpec &queue, double bps)
{
  Ptr<DropTailDisc> tail = DynamicCast<DropTailDisc> (disc);
  Ptr<PaqmQueueDisc> paqm = DynamicCast<PaqmQueueDisc> (disc);

  if (tail)
    tail->max_bytes = limit_bytes (queue, bps);
  if (paqm)
    paqm->set_capacity (bps);
}

void
Dumbbell::install_queue (Side &side)
{
  Ptr<TrafficControlLayer> control = side.router->GetObject<TrafficControlLayer> ();

  side.disc = make_disc (side.link.queue, side.link.bps, side.link.delay_ms);
  control->SetRootQueueDiscOnDevice (side.device, side.disc);
  side.disc->TraceConnectWithoutContext ("Enqueue", MakeCallback (&Dumbbell::on_enqueue, this, &side));
  side.disc->TraceConnectWithoutContext ("DropBeforeEnqueue", MakeCallback (&Dumbbell::on_refused, this, &side));
  side.disc->TraceConnectWithoutContext ("DropAfterDequeue", MakeCallback (&Dumbbell::on_head_drop, this, &side));
  side.disc->TraceConnectWithoutContext ("Dequeue", MakeCallback (&Dumbbell::on_dequeue, this, &side));
}

void
Dumbbell::set_capacity (bool forward, double bps)
{
  Side &side = forward ? left_side : right_side;

  side.device->SetDataRate (DataRate (bps));
  side.link.bps = bps;
  set_disc_capacity (side.disc, side.link.queue, bps);
}

Ptr<PaqmQueueDisc>
Dumbbell::paqm_disc (bool forward) const
{
  return DynamicCast<PaqmQueueDisc> ((forward ? left_side : right_side).disc);
}

unsigned
Dumbbell::waiting (bool forward) const
{
  const Side &side = forward ? left_side : right_side;

  return side.disc ? side.disc->GetNPackets () : 0;
}

void
Dumbbell::attach_host (Side &side, unsigned pair, double delay_ms, double jitter_std_ms, Side &other)
{
  uint32_t net = 0x0a000000 | (uint32_t)other.far_net << 16 | pair << 8;
  Ptr<Node> host = CreateObject<Node> ();
  Ptr<JitterChannel> channel = CreateObject<JitterChannel> ();

  InternetStackHelper ().Install (host);
  Ptr<PointToPointNetDevice> at_host = make_device (host, spec.mtu, "5000p");
  Ptr<PointToPointNetDevice> at_router = make_device (side.router, spec.mtu, "5000p");
  channel->delay[0] = channel->delay[1] = MicroSeconds (delay_ms * 1000);
  channel->std_s[0] = jitter_std_ms / 1000;
  for (auto &device : {at_host, at_router}) {
    device->SetDataRate (DataRate (spec.access_bps));
    device->Attach (channel);
  }
  add_address (at_router, net | 1);
  side.addresses.push_back (add_address (at_host, net | 2));
  set_default_route (host, Ipv4Address (net | 1), at_host);
  side.routes->add (side.addresses.back (), at_router);
  other.routes->add (side.addresses.back (), other.device);
  side.hosts.push_back (host);
  side.probe.pair.emplace_back ();
  at_host->TraceConnectWithoutContext ("MacRx", MakeCallback (&Dumbbell::on_received, this, &other, pair));
}

unsigned
Dumbbell::add_pair (double delay_ms, double jitter_std_ms)
{
  unsigned pair = left_side.hosts.size ();

  NS_ABORT_MSG_IF (pair > 250, "The dumbbell has addresses for 250 pairs");
  attach_host (left_side, pair, delay_ms, jitter_std_ms, right_side);
  attach_host (right_side, pair, delay_ms, 0, left_side);
  access_delay_ms.push_back (delay_ms);
  return pair;
}

/* The router's interface to a host of its side. */
static uint32_t
interface_to (Ptr<Ipv4> router, Ipv4Address host)
{
  return router->GetInterfaceForAddress (Ipv4Address (host.Get () - 1));
}

void
Dumbbell::route_group (Ipv4Address group, unsigned sender, unsigned first, unsigned last)
{
  Ptr<Ipv4> from = left_side.router->GetObject<Ipv4> (), to = right_side.router->GetObject<Ipv4> ();
  Ipv4StaticRoutingHelper helper;
  std::vector<uint32_t> hosts;

  for (unsigned pair = first; pair <= last; pair++)
    hosts.push_back (interface_to (to, right_address (pair)));
  helper.GetStaticRouting (from)->AddMulticastRoute (Ipv4Address::GetAny (), group,
      interface_to (from, left_address (sender)), {(uint32_t)from->GetInterfaceForDevice (left_side.device)});
  helper.GetStaticRouting (to)->AddMulticastRoute (
      Ipv4Address::GetAny (), group, to->GetInterfaceForDevice (right_side.device), hosts);
}

int
Dumbbell::pair_of (const Side &side, Ptr<const QueueDiscItem> item) const
{
  Ptr<const Ipv4QueueDiscItem> ipv4 = DynamicCast<const Ipv4QueueDiscItem> (item);
  uint32_t to = ipv4 ? ipv4->GetHeader ().GetDestination ().Get () : 0;
  unsigned pair = to >> 8 & 0xff;

  return to >> 16 == (0x0a00u | side.far_net) && pair < side.hosts.size () ? (int)pair : -1;
}

void
Dumbbell::count (Side *side, Ptr<const QueueDiscItem> item, bool arrived, bool dropped)
{
  int pair = pair_of (*side, item);

  side->probe.all.arrived += arrived;
  side->probe.all.dropped += dropped;
  if (pair >= 0) {
    side->probe.pair[pair].arrived += arrived;
    side->probe.pair[pair].dropped += dropped;
  }
}

void
Dumbbell::on_enqueue (Side *side, Ptr<const QueueDiscItem> item)
{
  count (side, item, true, false);
}

void
Dumbbell::on_refused (Side *side, Ptr<const QueueDiscItem> item, const char *)
{
  count (side, item, true, true);
}

void
Dumbbell::on_head_drop (Side *side, Ptr<const QueueDiscItem> item, const char *)
{
  count (side, item, false, true);
  side->in_device.pop_back (); /* it was dequeued to be dropped */
}

void
Dumbbell::on_dequeue (Side *side, Ptr<const QueueDiscItem> item)
{
  side->in_device.push_back ({pair_of (*side, item), item->GetTimeStamp ().GetSeconds ()});
}

void
Dumbbell::on_transmit (Side *side, Ptr<const Packet> packet)
{
  double now = Simulator::Now ().GetSeconds ();

  side->probe.all.received.add (now, packet->GetSize ());
  if (side->in_device.empty ())
    return;
  auto [pair, arrived_at] = side->in_device.front ();
  side->in_device.pop_front ();
  side->probe.all.queue_delay.add (now, now - arrived_at);
  if (pair >= 0)
    side->probe.pair[pair].queue_delay.add (now, now - arrived_at);
}

void
Dumbbell::on_received (Side *from, unsigned pair, Ptr<const Packet> packet)
{
  static const uint32_t ppp_header = 2;

  from->probe.pair[pair].received.add (Simulator::Now ().GetSeconds (), packet->GetSize () - ppp_header);
}

unsigned
Dumbbell::pairs () const
{
  return left_side.hosts.size ();
}

Ptr<Node>
Dumbbell::left (unsigned pair) const
{
  return left_side.hosts.at (pair);
}

Ptr<Node>
Dumbbell::right (unsigned pair) const
{
  return right_side.hosts.at (pair);
}

Ipv4Address
Dumbbell::left_address (unsigned pair) const
{
  return left_side.addresses.at (pair);
}

Ipv4Address
Dumbbell::right_address (unsigned pair) const
{
  return right_side.addresses.at (pair);
}

HostPair
Dumbbell::hosts (unsigned pair) const
{
  return {left (pair), right (pair), right_address (pair)};
}

Ptr<Node>
Dumbbell::left_router () const
{
  return left_side.router;
}

Ptr<Node>
Dumbbell::right_router () const
{
  return right_side.router;
}

const Dumbbell::LinkProbe &
Dumbbell::forward () const
{
  return left_side.probe;
}

const Dumbbell::LinkProbe &
Dumbbell::backward () const
{
  return right_side.probe;
}

double
Dumbbell::base_rtt_s (unsigned pair) const
{
  return (left_side.link.delay_ms + right_side.link.delay_ms + 4 * access_delay_ms.at (pair)) / 1000;
}

double
Dumbbell::access_delay_s (unsigned pair) const
{
  return access_delay_ms.at (pair) / 1000;
}

void
sim_seed (uint64_t seed)
{
  RngSeedManager::SetSeed (1 + seed / 1000000);
  RngSeedManager::SetRun (1 + seed % 1000000);
}

} // namespace sim
