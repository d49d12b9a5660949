/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The simulation's clock in the units of the core and in seconds. */
#ifndef SIM_TIME_H
#define SIM_TIME_H

#include "cctime.h"
#include <ns3/simulator.h>

namespace sim
{

inline CcTime
time_now ()
{
  return ns3::Simulator::Now ().GetNanoSeconds ();
}

inline double
seconds_now ()
{
  return ns3::Simulator::Now ().GetSeconds ();
}

} // namespace sim
#endif
