/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* P-AQM for one link (Lie 2008, papers D and F): decides about packets that the caller holds in two FIFOs, media and
   elastic. Which is kept, marked or dropped, which queue sends next, and what rate each media flow should have.

     paqm_on_arrival ()   for each packet: put it into the FIFO paqm_queue () names, mark it CE first, or drop it
     paqm_next ()         the link is free: which FIFO's head to send; paqm_on_departure () once it is on its way
     paqm_next_timeout (), paqm_on_timeout ()   the loops' periods; true where there is new feedback to signal

   The link is divided by flows (paper D eq. 7). As long as the elastic ones leave more than half of their part unused,
   a trickle of DNS or a login, media is told to use what is beyond twice their rate; they still have their turns.

   Sizes are wire bytes (UDP and IP headers counted), rates wire bytes/s. All calls are O(1) in packets and flows. */
#ifndef PAQM_H
#define PAQM_H

#include "deficitrr.h"
#include "flowcount.h"
#include "flowstrikes.h"
#include "linkcapacity.h"
#include "paqminner.h"
#include "paqmouter.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  PAQM_MEDIA,  /* RTP, anything that follows explicit rates or cannot retransmit */
  PAQM_ELASTIC /* TCP and everything else */
} PaqmClass;
#define PAQM_CLASSES 2

typedef enum {
  PAQM_DISCIPLINE_PAQM,
  PAQM_DISCIPLINE_FIFO /* one queue with tail drop at fifo_limit_bytes: nothing marked, no feedback */
} PaqmDiscipline;

typedef struct {
  PaqmDiscipline discipline;           /* default PAQM_DISCIPLINE_PAQM */
  double capacity_Bps;                 /* of the link; 0 (default): measured from departures */
  PaqmInnerParams inner[PAQM_CLASSES]; /* N* by default 35 kB media, 350 kB elastic; one dT, that of media, for both */
  PaqmOuterParams outer;
  CcDuration target_delay[PAQM_CLASSES]; /* above 0: N* is that long at the queue's part of the link, the outer loop's a
                                            tenth of it, instead of target_bytes; default 0 */
  double burst; /* [1, 100], default 2: media that follows R may queue as many N*, 0.8 of its limit at most, before
                   it is dropped (paqminner.h); 1: none, the paper's law */
  uint32_t limit_bytes[PAQM_CLASSES]; /* tail drop; default 100 kB media, 1 MB elastic */
  uint32_t fifo_limit_bytes;          /* default 1 MB */
  CcDuration tau1;                    /* until RTT samples come, [0, 5 s], default 100 ms */
  CcDuration flow_life;               /* silence after which a flow is not counted, [10 ms, 60 s], default 2 s */
  FlowCountMode count;                /* default FLOW_COUNT_EXACT */
  FlowStrikesParams strike;           /* keys are drawn from `random` */
  bool ecn_elastic;                   /* mark ECT instead of dropping; default true */
  bool ecn_media; /* default false; ECT(1) there by the inner loop about the outer one's target (RFC 9331) */
  bool strikes;   /* keep media flows that ignore R down to it; default true */
  bool unstable;  /* for experiments: alpha and beta outside the stable region are taken, up to 2; default false */
  CcRandom random;
} PaqmParams;

typedef struct {
  PaqmClass cls;
  uint64_t flow; /* hash over 64 bits of what makes a flow: addresses and ports, or SSRC */
  uint32_t size_bytes;
  bool ect; /* ECT(0), ECT(1) or CE */
  bool l4s; /* ECT(1) */
} PaqmArrival;

typedef enum {
  PAQM_ENQUEUE,
  PAQM_MARK, /* set CE, enqueue */
  PAQM_DROP
} PaqmVerdict;

typedef struct {
  uint64_t period; /* counts up with each new feedback */
  double R_Bps;    /* ERF: explicit rate per media flow; HUGE_VAL: none known, or FIFO */
  PaqmEcf ecf;
  bool valid; /* ecf is */
} PaqmFeedback;

typedef struct {
  double capacity_Bps;           /* 0: not yet measured */
  double c_Bps[PAQM_CLASSES];    /* parts by flows, before utilisation */
  double lent_Bps;               /* of the elastic part to media */
  double rate_Bps[PAQM_CLASSES]; /* inner loop's r */
  double survival[PAQM_CLASSES]; /* u* */
  double unmarked;               /* u* of media that is ECT(1) */
  double flows[PAQM_CLASSES];
  double backlog_bytes[PAQM_CLASSES];
  double r_hat_Bps, r_long_Bps, N_hat; /* outer loop */
  CcDuration tau1;
  uint64_t arrived[PAQM_CLASSES], arrived_bytes[PAQM_CLASSES];
  uint64_t sent[PAQM_CLASSES], sent_bytes[PAQM_CLASSES];
  uint64_t marked[PAQM_CLASSES], dropped[PAQM_CLASSES]; /* by u* */
  uint64_t tail_dropped[PAQM_CLASSES];
  uint64_t strike_dropped;
  unsigned struck; /* flows, now */
  uint64_t ignored_rtts;
} PaqmStats;

/* The caller's memory, 52 kB; its fields are nobody else's. */
typedef struct {
  PaqmParams params;
  PaqmInner inner[PAQM_CLASSES];
  PaqmOuter outer;
  DeficitRr rr;
  FlowCount count[PAQM_CLASSES];
  FlowStrikes strikes;
  LinkCapacity link;
  double elastic_peak;  /* bytes/s, of the inner loop's r; fading */
  double heaviest_peak; /* bytes/s, of media flows, by outer periods; fading */
  CcTime heaviest_at;
  CcTime tick_at;    /* next inner period; CC_TIME_NONE: idle */
  CcTime arrived_at; /* last packet */
  double tau1;       /* s, mean of the samples; 0: none */
  uint64_t feedbacks;
  PaqmStats stats;
} Paqm;

void paqm_params_init (PaqmParams *params);
/* NULL where the parameters will do; else the reason against them, a static line: alpha and beta outside the stable
   region, targets beyond the limits, and what else is out of range. */
const char *paqm_params_refusal (const PaqmParams *params);
/* Refused parameters are replaced by their defaults. */
void paqm_init (Paqm *p, const PaqmParams *params);
/* Live: what is queued, measured and counted stays. Returns false and changes nothing where they are refused. */
bool paqm_set_params (Paqm *p, const PaqmParams *params, CcTime now);
/* params.capacity_Bps, live. 0, negative or NaN: measured from now on. */
void paqm_set_capacity (Paqm *p, double capacity_Bps, CcTime now);

/* The FIFO that packets of a class go into: its own, or 0 for all where the discipline is FIFO. */
int paqm_queue (const Paqm *p, PaqmClass cls);
PaqmVerdict paqm_on_arrival (Paqm *p, const PaqmArrival *arrival, CcTime now);
/* head_bytes: size of each FIFO's first packet, 0: empty. Returns the FIFO to send from or DEFICIT_RR_NONE. Asking
   again with the same heads gives the same answer. */
int paqm_next (Paqm *p, const uint32_t head_bytes[PAQM_CLASSES]);
/* The head of `queue` (a FIFO, not a class) went to the link at now; it was of `size_bytes`. */
void paqm_on_departure (Paqm *p, int queue, uint32_t size_bytes, CcTime now);
/* The caller has thrown away what it held (flush). */
void paqm_on_flush (Paqm *p);
/* A round-trip time as a media flow's packet tells it. 0 and above 5 s are ignored and counted. */
void paqm_on_rtt (Paqm *p, CcDuration rtt);

CcTime paqm_next_timeout (const Paqm *p); /* pure; CC_TIME_NONE: nothing to do until a packet arrives */
/* Returns true where paqm_get_feedback () has something new to signal. */
bool paqm_on_timeout (Paqm *p, CcTime now);

/* At any time; R_Bps already allows for flows that have joined since the last period. */
void paqm_get_feedback (const Paqm *p, PaqmFeedback *feedback);
void paqm_get_stats (const Paqm *p, PaqmStats *stats);

#ifdef __cplusplus
}
#endif
#endif
