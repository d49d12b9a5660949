/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One rate divided among the streams that share a path, by weight, where some have less to send than their part (RFC
   8699 5.3.1: what is above a flow's desired rate goes to the others).

   What a stream desires is twice what it sends, and a quarter of its part at least: it may come back at once so far,
   and within a few measurements to all of its part, while the sum never exceeds the rate. What nobody desires is
   everybody's, by weight. */
#ifndef RATESHARES_H
#define RATESHARES_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double weight;    /* > 0; others count as 0 and get nothing */
  double sent_Bps;  /* lately, of what the rate counts; < 0 or NaN: not known, as much as there is */
  double share_Bps; /* set by rate_shares_divide () */
} RateShare;

/* The shares' sum is rate_Bps where a weight is above 0. At most n rounds over n streams. A rate that is no number, or
   below 0, is 0. */
void rate_shares_divide (RateShare *streams, unsigned n, double rate_Bps);

/* What leaves beside the media that is shared, bytes per second. */
typedef struct {
  double media_Bps;   /* sent lately by the streams that share */
  double repairs_Bps; /* redundancy over them, which grows and shrinks with them (FEC) */
  double ahead_Bps;   /* what goes first whatever the rate: audio, packets sent again */
} RateTraffic;

/* What media may have of rate_Bps, so that all of it together fits: what goes first is taken off, and of the rest so
   much is redundancy as is now. A quarter of rate_Bps at least: too much of the other is not the media's end. */
double rate_shares_media (const RateTraffic *traffic, double rate_Bps);

#ifdef __cplusplus
}
#endif
#endif
