/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "delayhistogram.h"

#include <math.h>

#define LEAST (100 * CC_USECOND)
#define STEP 1.01

void
delay_histogram_init (DelayHistogram *h)
{
  *h = (DelayHistogram){.min = CC_TIME_NONE};
}

static unsigned
bin_of (CcDuration delay)
{
  double bin = delay > LEAST ? log ((double)delay / LEAST) / log (STEP) : 0;

  return bin < DELAY_HISTOGRAM_BINS - 1 ? (unsigned)bin : DELAY_HISTOGRAM_BINS - 1;
}

void
delay_histogram_add (DelayHistogram *h, CcDuration delay)
{
  h->n++;
  h->sum += (double)delay;
  h->min = delay < h->min ? delay : h->min;
  h->max = delay > h->max ? delay : h->max;
  h->bins[bin_of (delay)]++;
}

CcDuration
delay_histogram_quantile (const DelayHistogram *h, double q)
{
  double wanted = fmax (q * (double)h->n, 1), middle;
  uint64_t sum = 0;
  unsigned i;

  if (h->n == 0)
    return CC_TIME_NONE;
  for (i = 0; i < DELAY_HISTOGRAM_BINS - 1; i++) {
    sum += h->bins[i];
    if ((double)sum >= wanted)
      break;
  }
  middle = LEAST * pow (STEP, i + 0.5);
  return (CcDuration)fmin (fmax (middle, (double)h->min), (double)h->max);
}

CcDuration
delay_histogram_mean (const DelayHistogram *h)
{
  return h->n > 0 ? (CcDuration)(h->sum / (double)h->n) : CC_TIME_NONE;
}
