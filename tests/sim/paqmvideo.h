/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Video over P-AQM: beside TCP (paper F, figures 8 to 10), and where not everything is as in the paper. */
#ifndef SIM_PAQM_VIDEO_H
#define SIM_PAQM_VIDEO_H

#include "scenario.h"

std::vector<sim::Scenario> video_scenarios ();

#endif
