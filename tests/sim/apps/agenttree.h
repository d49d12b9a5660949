/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tree of nodes on which every node may be an RTP participant (RFC 4586, figure 1): node 0 is A1, and so on. Packets
   to the group reach all other nodes along the links; two-party sessions may use unicast addresses instead. Queues are
   plain FIFOs with drop tail. */
#ifndef SIM_AGENT_TREE_H
#define SIM_AGENT_TREE_H

#include <cstdint>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>
#include <vector>

namespace sim
{

/* Both directions alike but for lossy_up. A packet is discarded on arrival where one of its bytes is in error, or with
   packet_loss. */
struct TreeLink {
  unsigned parent = 0;
  double bps = 10e6; /* on the wire: IP packet + 2 bytes PPP */
  double delay_ms = 5;
  double byte_error_rate = 0, packet_loss = 0;
  bool lossy_up = true;          /* false: no losses towards the parent */
  unsigned queue_packets = 1000; /* waiting behind the one being sent */
};

class AgentTree
{
public:
  /* links[i] joins node i + 1 to its parent, a lower number. stream: chance of the losses follows it and sim_seed ().
   */
  AgentTree (const std::vector<TreeLink> &links, int64_t stream);
  ~AgentTree ();
  AgentTree (const AgentTree &) = delete;
  AgentTree &operator= (const AgentTree &) = delete;

  unsigned size () const;
  ns3::Ptr<ns3::Node> node (unsigned index) const;
  ns3::Ipv4Address address (unsigned index) const; /* unicast */
  static ns3::Ipv4Address group ();
  uint64_t queue_drops () const;

private:
  void join (unsigned child, const TreeLink &link, int64_t stream);
  void route_group ();
  std::vector<ns3::Ptr<ns3::Node>> nodes;
  std::vector<ns3::Ipv4Address> addresses;
  std::vector<ns3::Ptr<ns3::Queue<ns3::Packet>>> queues;
};

/* The topologies T-2, T-4, T-8 and T-16 of figure 1, all links alike. */
std::vector<TreeLink> agent_topology (unsigned agents, const TreeLink &link);

} // namespace sim
#endif
