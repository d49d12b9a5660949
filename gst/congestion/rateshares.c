/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rateshares.h"

#include <math.h>
#include <stdbool.h>

#define ROOM 2.0         /* x what is sent */
#define LEAST_PART 0.25  /* of its part, kept for a stream that sends less */
#define LEAST_MEDIA 0.25 /* of the rate */

static double
weight_of (const RateShare *stream)
{
  return stream->weight > 0 && isfinite (stream->weight) ? stream->weight : 0;
}

static double
desired (const RateShare *stream, double part_Bps)
{
  if (!(stream->sent_Bps >= 0))
    return HUGE_VAL;
  return fmax (ROOM * stream->sent_Bps, LEAST_PART * part_Bps);
}

/* Of those that have no share yet: share_Bps < 0. */
static double
open_weights (const RateShare *streams, unsigned n)
{
  double weights = 0;

  for (unsigned i = 0; i < n; i++)
    weights += streams[i].share_Bps < 0 ? weight_of (&streams[i]) : 0;
  return weights;
}

/* Streams that cannot use their part of what is left get what they desire. Returns whether there was one. */
static bool
settle (RateShare *streams, unsigned n, double part_Bps, double *left_Bps)
{
  double per_weight = *left_Bps / open_weights (streams, n);
  bool settled = false;

  for (unsigned i = 0; i < n; i++) {
    double weight = weight_of (&streams[i]), want = desired (&streams[i], part_Bps * weight);

    if (streams[i].share_Bps >= 0 || want >= per_weight * weight)
      continue;
    streams[i].share_Bps = want;
    *left_Bps -= want;
    settled = true;
  }
  return settled;
}

void
rate_shares_divide (RateShare *streams, unsigned n, double rate_Bps)
{
  double left = rate_Bps > 0 ? rate_Bps : 0, weights, open;

  for (unsigned i = 0; i < n; i++)
    streams[i].share_Bps = weight_of (&streams[i]) > 0 ? -1 : 0;
  weights = open_weights (streams, n);
  if (weights == 0)
    return;
  while (open_weights (streams, n) > 0 && settle (streams, n, rate_Bps / weights, &left)) {
  }
  open = open_weights (streams, n);
  for (unsigned i = 0; i < n; i++) {
    if (streams[i].share_Bps < 0)
      streams[i].share_Bps = left * weight_of (&streams[i]) / open;
    else if (open == 0)
      streams[i].share_Bps += left * weight_of (&streams[i]) / weights;
  }
}

double
rate_shares_media (const RateTraffic *traffic, double rate_Bps)
{
  double media = fmax (traffic->media_Bps, 0), repairs = fmax (traffic->repairs_Bps, 0);
  double rest = rate_Bps - fmax (traffic->ahead_Bps, 0);

  if (!(rate_Bps > 0))
    return 0;
  if (media > 0)
    rest *= media / (media + repairs);
  return fmax (rest, LEAST_MEDIA * rate_Bps);
}
