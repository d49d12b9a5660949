/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Percentiles of delays in bounded memory: bins of 1 % from 0.1 ms to 100 s, so that a percentile is right to 0.5 %. */
#ifndef DELAYHISTOGRAM_H
#define DELAYHISTOGRAM_H

#include "cctime.h"

#define DELAY_HISTOGRAM_BINS 1390 /* ln (10^6)/ln 1.01, and one */

typedef struct {
  uint64_t n;
  double sum; /* ns */
  CcDuration min, max;
  uint32_t bins[DELAY_HISTOGRAM_BINS];
} DelayHistogram;

void delay_histogram_init (DelayHistogram *h);
void delay_histogram_add (DelayHistogram *h, CcDuration delay); /* out of range: into the first or last bin */
/* The delay that a share q, 0 to 1, does not exceed, within [min, max]; CC_TIME_NONE: there are none. */
CcDuration delay_histogram_quantile (const DelayHistogram *h, double q);
CcDuration delay_histogram_mean (const DelayHistogram *h); /* CC_TIME_NONE: there are none */

#endif
