/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Routes to single hosts in front of ns-3's own routing, found in the same time however many there are: ns-3 looks
   through all interfaces and all routes for each packet, which is most of the work of a router with 100 links.

     Ptr<HostRoutes> routes = HostRoutes::install (router);   with its internet stack, before any interface
     routes->add (address, device);                           of this router, towards the host

   What goes elsewhere, or comes from here, is routed as ever. */
#ifndef SIM_HOST_ROUTES_H
#define SIM_HOST_ROUTES_H

#include "ns3compat.h"
#include <ns3/ipv4-list-routing.h>
#include <ns3/ipv4-route.h>
#include <ns3/node.h>
#include <unordered_map>

namespace sim
{

class HostRoutes : public ns3::Ipv4ListRouting
{
public:
  static ns3::TypeId GetTypeId ();
  static ns3::Ptr<HostRoutes> install (ns3::Ptr<ns3::Node> router);
  void add (ns3::Ipv4Address host, ns3::Ptr<ns3::NetDevice> device);

  bool RouteInput (ns3::Ptr<const ns3::Packet> packet, const ns3::Ipv4Header &header,
      ns3::Ptr<const ns3::NetDevice> from, RouteCallback<UnicastForwardCallback> forward,
      RouteCallback<MulticastForwardCallback> multicast, RouteCallback<LocalDeliverCallback> deliver,
      RouteCallback<ErrorCallback> error) override;

private:
  void DoDispose () override;
  std::unordered_map<uint32_t, ns3::Ptr<ns3::Ipv4Route>> routes;
};

} // namespace sim
#endif
