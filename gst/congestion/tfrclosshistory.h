/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loss detection, loss events and the loss event rate of a TFRC receiver (RFC 5348 5). Fed with arrivals it serves the
   receiver; fed with reported packets and their *send* times it serves a sender that learns of every packet (RFC 5348
   7, TWCC, RFC 8888). */
#ifndef TFRC_LOSS_HISTORY_H
#define TFRC_LOSS_HISTORY_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TFRC_NDUPACK 3
#define TFRC_INTERVALS 8  /* n of RFC 5348 5.4; n + 1 are stored, the open one first */
#define TFRC_MAX_HOLES 64 /* ranges of missing packets remembered while they may still be filled */

typedef struct {
  bool history_discounting; /* 5.5; default true */
} TfrcLossHistoryParams;

typedef struct {
  uint64_t first_seq, last_seq; /* the missing range, both ends included */
  uint64_t before_seq, after_seq;
  CcTime before_at, after_at; /* arrivals just below and above it */
  unsigned later;             /* packets with higher numbers that arrived since, up to NDUPACK */
  bool lost;                  /* NDUPACK reached, counted in an event */
} TfrcHole;

typedef struct {
  double length;   /* packets; the first one is synthetic and fractional */
  double discount; /* DF_i */
  uint64_t start_seq;
  CcTime start_at; /* nominal time of the event's first loss */
} TfrcInterval;

typedef struct {
  TfrcLossHistoryParams params;
  bool started;
  uint64_t highest_seq;
  CcTime highest_at;
  TfrcHole holes[TFRC_MAX_HOLES];
  unsigned n_holes;
  TfrcInterval intervals[TFRC_INTERVALS + 1]; /* [0] is open */
  unsigned n_intervals;                       /* 0 before the first loss event */
  double discount;                            /* DF of the open interval */
  uint64_t lost_packets, loss_events, late_packets, duplicates;
} TfrcLossHistory;

typedef enum {
  TFRC_LOSS_NOTHING = 0,
  TFRC_LOSS_NEW_EVENT = 1 << 0,   /* at least one new loss event */
  TFRC_LOSS_FIRST_EVENT = 1 << 1, /* the very first: call tfrc_loss_history_set_first_interval () */
  TFRC_LOSS_HOLE_FILLED = 1 << 2  /* a late packet took a loss back */
} TfrcLossChange;

void tfrc_loss_history_params_init (TfrcLossHistoryParams *params);
void tfrc_loss_history_init (TfrcLossHistory *h, const TfrcLossHistoryParams *params);

/* One packet. seq: unwrapped; at: arrival (or send) time; R: the sender's round-trip time, used to group losses into
   events; ce: ECN congestion mark. Duplicates are counted and change nothing. Returns TfrcLossChange bits. */
unsigned tfrc_loss_history_on_packet (TfrcLossHistory *h, uint64_t seq, CcTime at, CcDuration R, bool ce);

/* The synthetic interval before the first event (6.3.1), in packets, >= 1. */
void tfrc_loss_history_set_first_interval (TfrcLossHistory *h, double packets);

/* p in [0, 1]; 0 before the first event. */
double tfrc_loss_history_p (const TfrcLossHistory *h);

#ifdef __cplusplus
}
#endif
#endif
