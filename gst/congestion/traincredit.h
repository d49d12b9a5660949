/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* At what rate the next packet follows the last one in low-delay mode. A frame leaves fast enough for the spacing at
   arrival to show the capacity, and no faster than makes a queue of 8 ms by its end, as long as there is credit; that
   is refilled at the rate. What has piled up beyond about a frame leaves at the rate, in short trains, or at the
   capacity known where no queue stands: a key frame must not become a queue. Rates are wire bytes/s. */
#ifndef TRAINCREDIT_H
#define TRAINCREDIT_H

#include "cctime.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double credit_bytes; /* what may still leave at the gain; debt where negative */
  CcTime credit_at;
} TrainCredit;

typedef struct {
  double rate_Bps;
  double gain;               /* x it, of a train where the capacity is not known */
  bool told;                 /* the next two are: the last report is fresh */
  double capacity_Bps;       /* 0: unknown */
  CcDuration queue_delay;    /* of the path */
  bool shared_out;           /* by a router: no trains are needed to find a share */
  bool even;                 /* the path marks a train as soon as it queues */
  bool carried;              /* the path is known to carry the rate */
  double most_Bps;           /* what somebody has set as the most; 0: nobody has */
  CcDuration frame_interval; /* between two frames */
  double queued_bytes;       /* waiting to leave */
  double packet_bytes;       /* mean, wire */
  double last_bytes;         /* the packet that left last */
} TrainPath;

void train_credit_init (TrainCredit *t, CcTime now);
void train_credit_refill (TrainCredit *t, const TrainPath *path, CcTime now);
void train_credit_on_sent (TrainCredit *t, const TrainPath *path, uint32_t wire_bytes);
/* Pure, all four. What is saved at most, bytes. */
double train_credit_most (const TrainPath *path);
/* Frames have left beyond the rate, by more than the packet that left last: those behind them wait until it is paid. */
bool train_credit_is_owed (const TrainCredit *t, double last_bytes);
/* Of a packet for which there is credit; of the next one. */
double train_credit_frame_rate (const TrainPath *path);
double train_credit_rate (const TrainCredit *t, const TrainPath *path);

#ifdef __cplusplus
}
#endif
#endif
