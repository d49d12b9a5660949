/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scenarios of sim-avpf in which feedback serves an application: NEWPRED and TFRC. */
#ifndef SIM_AVPF_USES_H
#define SIM_AVPF_USES_H

#include "scenario.h"

/* RFC 4586 7.2.1: table 9 and figure 4. */
void run_newpred (sim::Report &report);
/* Of it, what is lost by few packets of a hundred. */
void run_few_losses (sim::Report &report);
/* Reports per round-trip time of a call, with and without reduced-size packets. */
void run_tfrc_feedback (sim::Report &report);

/* One number for each run of a program. */
static inline uint64_t
seed_of (const sim::Report &report, unsigned run)
{
  return report.options ().seed * 1000 + run;
}

#endif
