/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path when it was last full: what came through. Flows that share it are all close to their part of it there, and
   their encoders follow late, so that growth is gentle about that rate. */
#ifndef FILLEDPATH_H
#define FILLEDPATH_H

#include "cctime.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double rate_Bps; /* what arrived when a queue was last met */
  CcTime at;
  bool is_met; /* ever */
} FilledPath;

/* A queue stands now. */
void filled_path_meet (FilledPath *f, double receive_Bps, CcTime now);

/* Pure. */
bool filled_path_is_near (const FilledPath *f, double rate_Bps);
double filled_path_since (const FilledPath *f, CcTime now); /* s; DBL_MAX: none was ever met */

#ifdef __cplusplus
}
#endif
#endif
