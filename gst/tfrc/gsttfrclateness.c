/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrclateness.h"

#include <string.h>

#define FIRST_BIN CC_USECOND

void
gst_tfrc_lateness_init (GstTfrcLateness *l)
{
  memset (l, 0, sizeof *l);
  l->due = CC_TIME_NONE;
}

static guint
bin_of (CcDuration late)
{
  guint octave = 0;

  while (late >= 2 * FIRST_BIN && octave < GST_TFRC_LATENESS_BINS / 4 - 1) {
    late /= 2;
    octave++;
  }
  if (late < FIRST_BIN)
    return 0;
  return MIN (4 * octave + (guint)(4 * (late - FIRST_BIN) / FIRST_BIN), GST_TFRC_LATENESS_BINS - 1);
}

void
gst_tfrc_lateness_note (GstTfrcLateness *l, CcTime now)
{
  CcDuration late;

  if (l->due > now)
    return;
  late = now - l->due;
  l->bins[bin_of (late)]++;
  l->max = MAX (l->max, late);
  l->due = CC_TIME_NONE;
}

GstClockTime
gst_tfrc_lateness_quantile (const GstTfrcLateness *l, gdouble q)
{
  guint64 total = 0, sum = 0;
  guint i;

  for (i = 0; i < GST_TFRC_LATENESS_BINS; i++)
    total += l->bins[i];
  if (total == 0)
    return 0;
  for (i = 0; i < GST_TFRC_LATENESS_BINS - 1; i++) {
    sum += l->bins[i];
    if (sum >= q * total)
      break;
  }
  return MIN (((FIRST_BIN << (i / 4)) * (5 + i % 4)) / 4, l->max);
}
