/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flows over P-AQM that do not take any rate: those that limit themselves (Lie 2008, 6.1.1) and those that have steps
   (6.1.2). */
#ifndef SIM_PAQM_MIXES_H
#define SIM_PAQM_MIXES_H

#include "scenario.h"

std::vector<sim::Scenario> mix_scenarios ();

#endif
