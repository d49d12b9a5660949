/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ns-3 from 3.37 (Debian 12) on, under one name. */
#ifndef NS3_COMPAT_H
#define NS3_COMPAT_H

#include <ns3/event-id.h>
#include <ns3/version-defines.h>

namespace sim
{

#if NS3_VERSION_MINOR >= 42
/* How Ipv4RoutingProtocol::RouteInput () takes its callbacks. */
template <class Callback> using RouteCallback = const Callback &;

inline bool
is_pending (const ns3::EventId &event)
{
  return event.IsPending ();
}
#else
template <class Callback> using RouteCallback = Callback;

inline bool
is_pending (const ns3::EventId &event)
{
  return event.IsRunning ();
}
#endif

} // namespace sim
#endif
