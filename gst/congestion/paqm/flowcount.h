/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many flows are active (Lie 2008, appendix C get_active_udp_flows), in bounded memory and O(1) per packet. A flow
   is active until it has been silent for `life`.

     exact       a table of FLOW_COUNT_TABLE flows; while more than that are active the estimate stands in
     estimated   linear counting in two bitmaps of m bits, the running span of `life` and the one before it:
                 n = -m ln (bits clear in both/m). A flow that ends is counted for life to 2 life of silence

   Estimated, the standard error is sqrt (m (e^t - t - 1))/n, t = n/m: 0.55 % of few flows, 0.62 % of 10 000, 0.8 % of
   30 000. */
#ifndef FLOWCOUNT_H
#define FLOWCOUNT_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FLOW_COUNT_BITS 16384 /* m */
#define FLOW_COUNT_TABLE 512

typedef enum { FLOW_COUNT_EXACT, FLOW_COUNT_ESTIMATED } FlowCountMode;

typedef struct {
  FlowCountMode mode;
  CcDuration life; /* [10 ms, 60 s], default 2 s */
  uint64_t key;    /* random, kept from others where flow ids could be chosen by them; default 0 */
} FlowCountParams;

typedef struct {
  uint64_t id;
  CcTime at;
  uint16_t chain, newer, older; /* FLOW_COUNT_TABLE: none */
} FlowCountEntry;

/* The caller's memory, 18 kB; its fields are nobody else's. */
typedef struct {
  FlowCountParams params;
  uint64_t bits[2][FLOW_COUNT_BITS / 64];
  unsigned running;               /* which bitmap */
  CcTime span_at;                 /* the running span began; CC_TIME_NONE: no packet yet */
  uint32_t set_running, set_both; /* bits: of the running span, of both */
  CcTime missed_at;               /* last packet of a flow that found no place; CC_TIME_NONE: never */
  uint16_t heads[FLOW_COUNT_TABLE], newest, oldest, unused, in_table;
  FlowCountEntry table[FLOW_COUNT_TABLE];
  uint64_t missed; /* packets without a place */
} FlowCount;

void flow_count_params_init (FlowCountParams *params);
/* A life out of range is replaced by the default. */
void flow_count_init (FlowCount *f, const FlowCountParams *params);
/* Live: what is counted stays. Out of range: nothing is changed. */
void flow_count_set_life (FlowCount *f, CcDuration life);
/* A packet of that flow. Returns true where the flow was not counted before. */
bool flow_count_on_packet (FlowCount *f, uint64_t id, CcTime now);
/* Active at now. A whole number in exact mode, unless more are active than the table holds. */
double flow_count (FlowCount *f, CcTime now);
/* The same by the bitmaps alone. */
double flow_count_estimate (FlowCount *f, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
