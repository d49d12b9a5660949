/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the path rate starts, and the least and most it may be. What makes no sense is made to. */
#ifndef PATHRATEPARAMS_H
#define PATHRATEPARAMS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double start_Bps, min_Bps, max_Bps; /* wire bytes/s */
  double weight;                      /* so many calls it is to be (callweight.h); default 1 */
} PathRateParams;

void path_rate_params_init (PathRateParams *params);
/* 1 <= min <= max, 0 < start: those given, or what is next to them. */
PathRateParams path_rate_params_sane (const PathRateParams *params);
double path_rate_params_clamp (const PathRateParams *params, double rate_Bps);

#ifdef __cplusplus
}
#endif
#endif
