/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two hosts and the way traffic goes between them, whatever network lies there. */
#ifndef SIM_HOST_PAIR_H
#define SIM_HOST_PAIR_H

#include <ns3/ipv4-address.h>
#include <ns3/node.h>

namespace sim
{

struct HostPair {
  ns3::Ptr<ns3::Node> from, to;
  ns3::Ipv4Address to_address;
};

} // namespace sim
#endif
