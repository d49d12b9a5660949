/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the next packet may leave (RFC 5348 4.6, 8.3): nominal send times t_i spaced by size/rate, at most one packet
   early, at most one round-trip (or max_credit) of unused slots saved. */
#ifndef CCPACER_H
#define CCPACER_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  CcDuration t_gran;     /* precision of the host's timer; packets closer than this leave as a batch; default 250 us */
  CcDuration max_credit; /* unused slots saved at most, besides R; default 5 ms */
} CcPacerParams;

typedef struct {
  CcPacerParams params;
  CcTime t_i;       /* nominal time of the next packet */
  CcDuration t_ipi; /* spacing behind the last one */
  double rate_Bps;
  uint32_t last_bytes;
} CcPacer;

void cc_pacer_params_init (CcPacerParams *params);
void cc_pacer_init (CcPacer *p, const CcPacerParams *params, CcTime now);
/* Bytes/s, > 0. The pending slot is recomputed. */
void cc_pacer_set_rate (CcPacer *p, double rate_Bps);
/* When the next packet may leave, t_delta = min (t_ipi, t_gran, R)/2 early. Pure. */
CcTime cc_pacer_next (const CcPacer *p, CcDuration R);
bool cc_pacer_may_send (const CcPacer *p, CcDuration R, CcTime now);
void cc_pacer_on_sent (CcPacer *p, uint32_t bytes, CcDuration R, CcTime now);
#ifdef __cplusplus
}
#endif
#endif
