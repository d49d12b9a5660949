/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the next packet may leave (RFC 5348 4.6, 8.3): nominal send times t_i spaced by size/rate, at most one packet
   early, at most one round-trip time (and max_credit) of unused slots saved. Over any span T of continuous sending
   no more than rate x (T + max_credit + t_gran/2) bytes and one packet leave, and, while the host wakes within the
   credit, no less than rate x T. */
#ifndef CCPACER_H
#define CCPACER_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  CcDuration t_gran;     /* precision of the host's timer; packets closer than this leave as a batch; default 250 us */
  CcDuration max_credit; /* unused slots saved at most; R limits it further where known, to 2 t_gran; default 5 ms */
} CcPacerParams;

typedef struct {
  CcPacerParams params;
  CcTime t_i;       /* nominal time of the next packet: t_last + t_ipi */
  CcTime t_last;    /* nominal time of the last packet */
  double carry_ns;  /* [0, 1): what t_i lost by rounding down, added to the next */
  CcDuration t_ipi; /* spacing behind the last one */
  double rate_Bps;  /* 0: not set yet, no spacing */
  uint32_t last_bytes;
  bool even; /* no more than 2 t_gran of unused slots are saved: no two packets leave together */
} CcPacer;

void cc_pacer_params_init (CcPacerParams *params);
void cc_pacer_init (CcPacer *p, const CcPacerParams *params, CcTime now);
/* Bytes/s, > 0, else ignored. The pending slot is recomputed. */
void cc_pacer_set_rate (CcPacer *p, double rate_Bps);
void cc_pacer_set_even (CcPacer *p, bool even);
/* When the next packet may leave, t_delta = min (t_ipi, t_gran, R)/2 early; R 0: unknown, left out. Pure. */
CcTime cc_pacer_next (const CcPacer *p, CcDuration R);
bool cc_pacer_may_send (const CcPacer *p, CcDuration R, CcTime now);
/* Packets sent without asking leave one slot of debt at most. */
void cc_pacer_on_sent (CcPacer *p, uint32_t bytes, CcDuration R, CcTime now);
#ifdef __cplusplus
}
#endif
#endif
