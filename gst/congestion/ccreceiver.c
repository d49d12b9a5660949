/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ccreceiver.h"

#define MOST_BESIDE 1000 /* packets: more of them between two of the flow are none of its sender's */

void
cc_receiver_params_init (CcReceiverParams *params)
{
  *params = (CcReceiverParams){.overhead_bytes = 28, .report_gap = CC_RECEIVER_GAP};
  tfrc_receiver_params_init (&params->tfrc);
  path_rate_params_init (&params->path);
}

void
cc_receiver_init (CcReceiver *r, const CcReceiverParams *params)
{
  *r = (CcReceiver){
      .params = *params, .last_report_at = CC_TIME_NONE, .arrived_at = CC_TIME_NONE, .weight_at = CC_TIME_NONE};
  tfrc_receiver_init (&r->tfrc, &params->tfrc);
  loss_excuse_init (&r->excuse);
  path_rate_init (&r->path, &params->path);
}

static void
restart (CcReceiver *r)
{
  CcReceiverParams params = r->params;
  uint64_t packets = r->packets, restarts = r->restarts + 1;
  LossExcuse excuse = r->excuse;

  cc_receiver_init (r, &params);
  r->excuse = excuse; /* or each restart would be worth another */
  r->packets = packets;
  r->restarts = restarts;
}

static bool
has_restarted (const CcReceiver *r, const CcArrival *arrival)
{
  int16_t step = (int16_t)(uint16_t)(arrival->seq - (uint16_t)r->seq.newest);

  if (!r->seq.started)
    return false;
  if (step > CC_RECEIVER_MAX_JUMP || step < -CC_RECEIVER_MAX_JUMP)
    return true;
  return step > 0 && r->rtt_known && arrival->stamp.rtt == 0;
}

static void
leave_out (CcReceiver *r, uint64_t packets, uint64_t next)
{
  r->outage_lost += packets;
  r->numbered_from = next;
}

/* The number of a packet without what an outage took: nothing came through, whatever was sent. That is one loss. */
static uint64_t
number (CcReceiver *r, const CcArrival *arrival)
{
  uint64_t newest = r->seq.newest, seq = cc_unwrap (&r->seq, arrival->seq, 16);
  bool outage = r->arrived_at != CC_TIME_NONE &&
                cc_time_since (arrival->arrived_at, r->arrived_at) > tfrc_loss_outage (r->tfrc.R);

  if (outage && seq > newest + 2)
    leave_out (r, seq - newest - 2, seq);
  r->arrived_at = arrival->arrived_at;
  return seq - r->outage_lost;
}

static CcDuration
gap (const CcReceiver *r)
{
  CcDuration least = r->params.report_gap;

  if (r->urgent && least > CC_RECEIVER_URGENT_GAP)
    return CC_RECEIVER_URGENT_GAP;
  return least > 0 && r->tfrc.R > least ? r->tfrc.R : least;
}

/* When feedback may go, CC_TIME_NONE where none is wanted. */
static CcTime
wanted_at (const CcReceiver *r)
{
  if (!r->urgent && !tfrc_receiver_report_due (&r->tfrc))
    return CC_TIME_NONE;
  return r->last_report_at == CC_TIME_NONE ? 0 : cc_time_add (r->last_report_at, gap (r));
}

static bool
tell_wanted (CcReceiver *r, CcTime now)
{
  if (wanted_at (r) > now)
    return false;
  r->told = true;
  return true;
}

void
cc_receiver_on_beside (CcReceiver *r, uint32_t size_bytes)
{
  if (r->beside_packets >= MOST_BESIDE)
    return;
  r->beside_bytes += size_bytes;
  r->beside_packets++;
}

bool
cc_receiver_on_packet (CcReceiver *r, const CcArrival *arrival)
{
  TfrcPacket tfrc;
  PathPacket path;
  uint64_t seq;

  r->packets++;
  if (!arrival->has_stamp)
    return false;
  if (has_restarted (r, arrival))
    restart (r);
  seq = number (r, arrival);
  tfrc = (TfrcPacket){.seq = seq,
      .size_bytes = arrival->size_bytes,
      .beside_bytes = r->beside_bytes,
      .arrived_at = arrival->arrived_at,
      .R = arrival->stamp.rtt,
      .t_i_us = arrival->stamp.sent_at_us,
      .ce = ecn_marks_is_loss (&r->path.view.marks, arrival->ecn)};
  path = (PathPacket){.seq = seq,
      .counted = seq,
      .sent_at = cc_unwrap (&r->stamp, arrival->stamp.sent_at_us, 32) * CC_USECOND,
      .arrived_at = arrival->arrived_at,
      .wire_bytes = arrival->size_bytes + r->params.overhead_bytes,
      .beside_bytes = r->beside_bytes + r->beside_packets * r->params.overhead_bytes,
      .frame = arrival->rtp_timestamp,
      .R = arrival->stamp.rtt,
      .ecn = arrival->ecn};
  r->beside_bytes = r->beside_packets = 0;
  r->stamped = true;
  r->rtt_known |= arrival->stamp.rtt > 0;
  tfrc_receiver_on_packet (&r->tfrc, &tfrc);
  path_rate_on_packet (&r->path, &path);
  return cc_receiver_on_timeout (r, arrival->arrived_at);
}

bool
cc_receiver_excuse (CcReceiver *r, uint16_t first, uint16_t last, CcTime now)
{
  uint64_t newest = r->seq.newest, from = newest + (uint64_t)(int64_t)(int16_t)(uint16_t)(first - (uint16_t)newest);
  uint64_t to = from + (uint16_t)(last - first);

  if (!r->seq.started || !loss_excuse_admit (&r->excuse, from, to, newest, now))
    return false;
  from = from < r->numbered_from ? r->numbered_from : from;
  to = to > newest ? newest : to;
  if (from > to || !tfrc_receiver_excuse (&r->tfrc, from - r->outage_lost, to - r->outage_lost, now))
    return false;
  path_rate_excuse (&r->path, from - r->outage_lost, to - r->outage_lost);
  r->urgent = true;
  return tell_wanted (r, now);
}

void
cc_receiver_on_explicit_rate (CcReceiver *r, double rate_Bps, CcTime now)
{
  path_rate_on_explicit_rate (&r->path, rate_Bps, now);
}

void
cc_receiver_on_weight (CcReceiver *r, double weight, CcTime now)
{
  r->weight_at = now;
  path_rate_set_weight (&r->path, weight);
}

static void
forget_weight (CcReceiver *r, CcTime now)
{
  if (r->weight_at == CC_TIME_NONE || cc_time_since (now, r->weight_at) < CC_RECEIVER_WEIGHT_LIFE)
    return;
  r->weight_at = CC_TIME_NONE;
  path_rate_set_weight (&r->path, r->params.path.weight);
}

bool
cc_receiver_queue_stands (const CcReceiver *r, CcTime now)
{
  return path_view_queue_stands (&r->path.view, now);
}

CcTime
cc_receiver_next_timeout (const CcReceiver *r)
{
  CcTime at = cc_time_min (tfrc_receiver_next_timeout (&r->tfrc), path_rate_next_timeout (&r->path));

  return r->told ? at : cc_time_min (at, wanted_at (r));
}

bool
cc_receiver_on_timeout (CcReceiver *r, CcTime now)
{
  forget_weight (r, now);
  tfrc_receiver_on_timeout (&r->tfrc, now);
  if (path_rate_on_timeout (&r->path, now))
    r->urgent = true;
  return tell_wanted (r, now);
}

bool
cc_receiver_report (CcReceiver *r, CcTime now, CcReport *report)
{
  CcReport fresh = {0};

  if (!r->stamped || !tfrc_receiver_report (&r->tfrc, now, &fresh.tfrc))
    return false;
  path_rate_report (&r->path, &fresh.path);
  path_rate_reported (&r->path);
  r->urgent = false;
  r->told = false;
  r->last_report_at = now;
  *report = fresh;
  return true;
}
