/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hostroutes.h"
#include <ns3/internet-module.h>

using namespace ns3;

namespace sim
{

TypeId
HostRoutes::GetTypeId ()
{
  static TypeId id = TypeId ("sim::HostRoutes").SetParent<Ipv4ListRouting> ().AddConstructor<HostRoutes> ();
  return id;
}

Ptr<HostRoutes>
HostRoutes::install (Ptr<Node> router)
{
  Ptr<HostRoutes> routes = CreateObject<HostRoutes> ();

  routes->AddRoutingProtocol (CreateObject<Ipv4StaticRouting> (), 0);
  router->GetObject<Ipv4> ()->SetRoutingProtocol (routes);
  return routes;
}

void
HostRoutes::add (Ipv4Address host, Ptr<NetDevice> device)
{
  Ptr<Ipv4Route> route = Create<Ipv4Route> ();

  route->SetDestination (host);
  route->SetGateway (Ipv4Address::GetZero ());
  route->SetOutputDevice (device);
  routes[host.Get ()] = route;
}

bool
HostRoutes::RouteInput (Ptr<const Packet> packet, const Ipv4Header &header, Ptr<const NetDevice> from,
    RouteCallback<UnicastForwardCallback> forward, RouteCallback<MulticastForwardCallback> multicast,
    RouteCallback<LocalDeliverCallback> deliver, RouteCallback<ErrorCallback> error)
{
  auto found = routes.find (header.GetDestination ().Get ());

  if (found == routes.end ())
    return Ipv4ListRouting::RouteInput (packet, header, from, forward, multicast, deliver, error);
  forward (found->second, packet, header);
  return true;
}

void
HostRoutes::DoDispose ()
{
  routes.clear ();
  Ipv4ListRouting::DoDispose ();
}

} // namespace sim
