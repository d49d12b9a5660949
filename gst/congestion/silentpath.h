/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When nobody reports any more: the rate is halved with each expiry of RFC 5348's no-feedback timer; and what was had
   before is remembered, as it has been tried. After the silence the path may be another: half of it, what RFC 5348 4.4
   takes off before anything else, until no queue has come of that. */
#ifndef SILENTPATH_H
#define SILENTPATH_H

#include "cctime.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double scale;      /* of the rate; 1: somebody reports */
  double had_Bps;    /* the most of late, fading while reports come */
  CcTime resumed_at; /* when the last silence ended; CC_TIME_NONE: there was none */
} SilentPath;

void silent_path_init (SilentPath *s);
void silent_path_on_expiry (SilentPath *s);
/* T: since the report before. */
void silent_path_on_report (SilentPath *s, double rate_Bps, CcDuration T, CcTime now);
void silent_path_on_plain_report (SilentPath *s); /* says nothing of what is had */
/* Pure. */
bool silent_path_is_silent (const SilentPath *s);
bool silent_path_is_over_lately (const SilentPath *s, CcTime now);
double silent_path_had (const SilentPath *s, CcTime now); /* bytes/s that may be tried */

#ifdef __cplusplus
}
#endif
#endif
