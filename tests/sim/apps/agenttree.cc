/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "agenttree.h"
#include <ns3/core-module.h>
#include <ns3/traffic-control-module.h>

using namespace ns3;

namespace sim
{

AgentTree::AgentTree (const std::vector<TreeLink> &links, int64_t stream)
{
  for (size_t i = 0; i <= links.size (); i++)
    nodes.push_back (CreateObject<Node> ());
  addresses.resize (nodes.size ());
  for (const Ptr<Node> &node : nodes)
    InternetStackHelper ().Install (node);
  for (size_t i = 0; i < links.size (); i++)
    join (i + 1, links[i], stream + 2 * (int64_t)i);
  route_group ();
  Ipv4GlobalRoutingHelper::PopulateRoutingTables ();
}

/* Addresses of a simulation that is over must not be taken for duplicates. */
AgentTree::~AgentTree ()
{
  Simulator::Destroy ();
  Ipv4AddressGenerator::Reset ();
}

unsigned
AgentTree::size () const
{
  return nodes.size ();
}

Ptr<Node>
AgentTree::node (unsigned index) const
{
  return nodes[index];
}

Ipv4Address
AgentTree::address (unsigned index) const
{
  return addresses[index];
}

Ipv4Address
AgentTree::group ()
{
  return Ipv4Address ("239.1.1.1");
}

uint64_t
AgentTree::queue_drops () const
{
  uint64_t sum = 0;

  for (const auto &queue : queues)
    sum += queue->GetTotalDroppedPackets ();
  return sum;
}

static Ptr<RateErrorModel>
make_errors (const TreeLink &link, int64_t stream)
{
  Ptr<RateErrorModel> model = CreateObject<RateErrorModel> ();

  model->SetUnit (link.packet_loss > 0 ? RateErrorModel::ERROR_UNIT_PACKET : RateErrorModel::ERROR_UNIT_BYTE);
  model->SetRate (link.packet_loss > 0 ? link.packet_loss : link.byte_error_rate);
  model->AssignStreams (stream);
  return model;
}

void
AgentTree::join (unsigned child, const TreeLink &link, int64_t stream)
{
  PointToPointHelper helper;

  helper.SetDeviceAttribute ("DataRate", DataRateValue (DataRate (link.bps)));
  helper.SetChannelAttribute ("Delay", TimeValue (MicroSeconds (link.delay_ms * 1000)));
  helper.SetQueue (
      "ns3::DropTailQueue<Packet>", "MaxSize", QueueSizeValue (QueueSize (QueueSizeUnit::PACKETS, link.queue_packets)));
  NetDeviceContainer devices = helper.Install (nodes[link.parent], nodes[child]);
  Ipv4AddressHelper network (Ipv4Address (0x0a000000 | child << 8), "255.255.255.0");
  Ipv4InterfaceContainer interfaces = network.Assign (devices);
  TrafficControlHelper ().Uninstall (devices);
  addresses[child] = interfaces.GetAddress (1);
  if (link.parent == 0 && child == 1)
    addresses[0] = interfaces.GetAddress (0);
  for (unsigned i = 0; i < 2; i++) {
    Ptr<PointToPointNetDevice> device = DynamicCast<PointToPointNetDevice> (devices.Get (i));
    queues.push_back (device->GetQueue ());
    bool lossy = link.byte_error_rate > 0 || link.packet_loss > 0;
    if (lossy && (i == 1 || link.lossy_up))
      device->SetReceiveErrorModel (make_errors (link, stream + i));
  }
}

/* What comes in by one link goes out by all others. Interface 0 is the loopback. */
void
AgentTree::route_group ()
{
  for (const Ptr<Node> &node : nodes) {
    Ptr<Ipv4> ipv4 = node->GetObject<Ipv4> ();
    Ptr<Ipv4StaticRouting> routing = Ipv4StaticRoutingHelper ().GetStaticRouting (ipv4);
    for (uint32_t in = 1; in < ipv4->GetNInterfaces (); in++) {
      std::vector<uint32_t> out;
      for (uint32_t i = 1; i < ipv4->GetNInterfaces (); i++)
        if (i != in)
          out.push_back (i);
      /* For what starts here, on a socket bound to the device. */
      routing->AddNetworkRouteTo (Ipv4Address ("224.0.0.0"), Ipv4Mask ("240.0.0.0"), in);
      if (!out.empty ())
        routing->AddMulticastRoute (Ipv4Address::GetAny (), group (), in, out);
    }
  }
}

std::vector<TreeLink>
agent_topology (unsigned agents, const TreeLink &link)
{
  /* From the fifth on, agents hang on A2, A3 and A4: two and one and one in T-8, four each in T-16. */
  static const unsigned parents_8[] = {0, 0, 0, 1, 1, 2, 3};
  static const unsigned parents_16[] = {0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
  std::vector<TreeLink> links (agents - 1, link);

  for (unsigned i = 0; i + 1 < agents; i++)
    links[i].parent = agents > 8 ? parents_16[i] : parents_8[i];
  return links;
}

} // namespace sim
