/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The traffic of a job of the quality lab beside its video flows. */
#ifndef SIM_LAB_TRAFFIC_H
#define SIM_LAB_TRAFFIC_H

#include "labjob.h"

namespace sim
{

/* Any kind but video. Before Simulator::Run (). */
void add_lab_traffic (const LabFlow &flow, const HostPair &hosts);

} // namespace sim
#endif
