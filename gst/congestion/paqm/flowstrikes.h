/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeps media flows that ignore the explicit rate R down to it (the strikes of FRED, as Lie 2008 6.2 proposes), in
   bounded memory and O(1) per packet; one pass over the table per period.

   Who is watched: the heaviest flows, in sets of FLOW_STRIKES_WAYS places, by weight: bytes, fading over periods. Flows
   without a place get that of the lightest in their set, and its weight, once they have sent as many bytes as that is
   (Space-Saving of Metwally et al. 2005, where the first packet would do; here equal flows do not chase each other). So
   no flood of flow ids displaces who sends much more than the others of its set, nor who is struck.

   Who is struck: what a flow sends above (1 + margin) R is its excess; what it stays below that reduces it. A period
   above that rate is a strike; all are forgiven when the excess is used up. Struck is who has `strikes` of them and an
   excess above R x tolerance. A flow that sends no more than R per group of pictures never gets there while groups are
   no longer than `tolerance`.

   What happens to them: a token bucket of `keep` x R, until they have offered no more than (1 + margin) R for `behaved`
   periods. R counts as the larger of this period's and the last one's, as it takes a round trip to follow. */
#ifndef FLOWSTRIKES_H
#define FLOWSTRIKES_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FLOW_STRIKES_WAYS 8
#define FLOW_STRIKES_SETS 32
#define FLOW_STRIKES_ENTRIES (FLOW_STRIKES_WAYS * FLOW_STRIKES_SETS)

typedef struct {
  double margin;        /* [0, 10], default 0.25 */
  double keep;          /* (0, 1], default 0.95 */
  CcDuration tolerance; /* [0, 60 s], default 2 s: the longest group of pictures */
  unsigned strikes;     /* 1-255, default 4 */
  unsigned behaved;     /* 1-255, default 8 */
  uint64_t key;         /* random, kept from others where flow ids could be chosen by them; default 0 */
} FlowStrikesParams;

typedef struct {
  uint64_t flow;
  double weight; /* bytes, fading, what was inherited included; 0: free */
  double bytes;  /* offered in this period */
  double excess; /* bytes above (1 + margin) R */
  double tokens; /* bytes; of a struck flow */
  CcTime tokens_at;
  uint8_t strikes, good_periods;
  bool struck;
} FlowStrikesEntry;

/* The caller's memory, 15 kB; its fields are nobody else's. */
typedef struct {
  FlowStrikesParams params;
  FlowStrikesEntry entries[FLOW_STRIKES_ENTRIES]; /* FLOW_STRIKES_WAYS a set */
  double missed[FLOW_STRIKES_SETS];               /* bytes without a place */
  CcTime period_at;                               /* CC_TIME_NONE: no packet yet */
  double R, R_before;                             /* bytes/s; HUGE_VAL: none known */
  double heaviest_Bps;                            /* of those not struck, in the last period; 0: none */
  unsigned struck;                                /* flows, now */
  uint64_t struck_ever;                           /* times a flow was struck */
  uint64_t released;
  uint64_t dropped, dropped_bytes;
  uint64_t displaced; /* flows that lost their place */
  uint64_t unwatched; /* packets that passed without a place */
} FlowStrikes;

void flow_strikes_params_init (FlowStrikesParams *params);
/* params out of range are replaced by their defaults. */
void flow_strikes_init (FlowStrikes *s, const FlowStrikesParams *params);
/* Live: who is struck stays. */
void flow_strikes_set_params (FlowStrikes *s, const FlowStrikesParams *params);
/* A packet of that flow arrives. Returns false where it must be dropped. */
bool flow_strikes_on_packet (FlowStrikes *s, uint64_t flow, uint32_t bytes, CcTime now);
/* A period ends, R was told in it, wire bytes/s per flow. 0, negative, NaN or HUGE_VAL: none is known, nobody is judged
   and nothing dropped. Periods shorter than 10 ms run on.
   Either way heaviest_Bps is new. */
void flow_strikes_on_period (FlowStrikes *s, double R_Bps, CcTime now);
/* Pure. */
bool flow_strikes_is_struck (const FlowStrikes *s, uint64_t flow);

#ifdef __cplusplus
}
#endif
#endif
