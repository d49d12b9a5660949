/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loss detection, loss events and the loss event rate of a TFRC receiver (RFC 5348 5). Fed with arrivals it serves the
   receiver; fed with reported packets and their *send* times it serves a sender that learns of every packet (RFC 5348
   7, TWCC, RFC 8888).

   A packet is lost once any NDUPACK packets with higher numbers have arrived; one that turns up later takes the loss
   back and the events behind it are grouped anew. A congestion mark is a loss at once and makes every gap below it one.
   Lost packets get a nominal time between their neighbours' (5.2), also when the sender paused there. */
#ifndef TFRC_LOSS_HISTORY_H
#define TFRC_LOSS_HISTORY_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TFRC_NDUPACK 3
#define TFRC_INTERVALS 8 /* n of RFC 5348 5.4; n + 1 are stored, the open one first */
#define TFRC_MAX_HOLES                                                                                                 \
  64 /* ranges of missing packets remembered while they may still be filled; the oldest one gives                      \
        way, settled as lost */

#define TFRC_OUTAGE (400 * CC_MSECOND) /* without an arrival; no less than 4 R: no queue holds up everything */

typedef struct {
  bool history_discounting; /* 5.5; default true */
} TfrcLossHistoryParams;

typedef struct {
  uint64_t first_seq, last_seq; /* the missing range, both ends included; for a mark the packet itself */
  uint64_t before_seq, after_seq;
  CcTime before_at, after_at; /* the last arrival below it before any above, and the first above (5.2) */
  unsigned later;             /* packets with higher numbers that arrived since, up to NDUPACK */
  bool lost;                  /* NDUPACK reached, counted in an event */
  bool mark;                  /* a congestion mark: cannot be filled */
} TfrcHole;

typedef struct {
  double length;   /* packets; the synthetic one is fractional */
  double discount; /* DF_i */
  uint64_t start_seq;
  CcTime start_at; /* nominal time of the event's first loss */
  bool synthetic;  /* the one before the first event (6.3.1): never measured */
} TfrcInterval;

typedef struct {
  TfrcLossHistoryParams params;
  bool started;
  uint64_t first_seq, highest_seq;
  uint64_t last_seq; /* of the last arrival */
  CcTime last_at;
  TfrcHole holes[TFRC_MAX_HOLES]; /* by number */
  unsigned n_holes;
  TfrcInterval intervals[TFRC_INTERVALS + 1]; /* [0] is open */
  unsigned n_intervals;                       /* 0 before the first loss event */
  uint64_t lost_packets, loss_events, late_packets, marks, duplicates;
} TfrcLossHistory;

typedef enum {
  TFRC_LOSS_NOTHING = 0,
  TFRC_LOSS_NEW_EVENT = 1 << 0,   /* at least one new loss event */
  TFRC_LOSS_FIRST_EVENT = 1 << 1, /* the very first: call tfrc_loss_history_set_first_interval () */
  TFRC_LOSS_HOLE_FILLED = 1 << 2, /* a late packet took a loss back */
  TFRC_LOSS_DUPLICATE = 1 << 3    /* seen before, or older than all that is remembered: nothing changed */
} TfrcLossChange;

/* Of more than that between two arrivals: nothing came through, whatever was sent. What is missing is one loss then,
   and whoever numbers the packets leaves out the rest. By time, as 5.2 has it, 3 s were 50 loss events. */
CcDuration tfrc_loss_outage (CcDuration R);
void tfrc_loss_history_params_init (TfrcLossHistoryParams *params);
void tfrc_loss_history_init (TfrcLossHistory *h, const TfrcLossHistoryParams *params);

/* One packet. seq: unwrapped; at: arrival (or send) time; R: the sender's round-trip time, used to group losses into
   events, 0 while unknown (losses then join the running event); ce: ECN congestion mark. Duplicates are counted and
   change nothing. Returns TfrcLossChange bits. */
unsigned tfrc_loss_history_on_packet (TfrcLossHistory *h, uint64_t seq, CcTime at, CcDuration R, bool ce);

/* What is missing from first to last was lost for a reason that is no congestion: as if it had come after all. Marks
   stay. */
unsigned tfrc_loss_history_excuse (TfrcLossHistory *h, uint64_t first, uint64_t last, CcDuration R);

/* The synthetic interval before the first event (6.3.1), in packets, >= 1. Without a call it is the number of packets
   before the event. */
void tfrc_loss_history_set_first_interval (TfrcLossHistory *h, double packets);

/* p in [0, 1]; 0 before the first event. */
double tfrc_loss_history_p (const TfrcLossHistory *h);

#ifdef __cplusplus
}
#endif
#endif
