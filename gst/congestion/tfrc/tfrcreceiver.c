/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrcreceiver.h"

#include <math.h>
#include <string.h>

#define R_MIN (100 * CC_USECOND)
#define R_MAX (10 * CC_SECOND)
#define S_PACKETS 64 /* packets the mean size looks back on */

void
tfrc_receiver_params_init (TfrcReceiverParams *params)
{
  tfrc_loss_history_params_init (&params->loss_history);
  params->rto = TFRC_RTO_4R;
  params->min_window = 0;
  params->reports_per_rtt = 1;
}

void
tfrc_receiver_init (TfrcReceiver *r, const TfrcReceiverParams *params)
{
  memset (r, 0, sizeof *r);
  r->params = *params;
  if (r->params.reports_per_rtt == 0)
    r->params.reports_per_rtt = 1;
  tfrc_loss_history_init (&r->history, &params->loss_history);
  r->timer_at = CC_TIME_NONE;
}

static CcDuration
window (const TfrcReceiver *r)
{
  CcDuration R = r->R_report > 0 ? r->R_report : r->R;

  return R > r->params.min_window ? R : r->params.min_window;
}

static void
count_bytes (TfrcReceiver *r, uint32_t bytes, CcTime at)
{
  TfrcReceiverSlot *slot = &r->slots[r->slot_head];
  CcDuration width = window (r) / (TFRC_RECEIVER_SLOTS / 2);

  if (slot->bytes == 0 || cc_time_since (at, slot->first_at) > width) {
    r->slot_head = (r->slot_head + 1) % TFRC_RECEIVER_SLOTS;
    slot = &r->slots[r->slot_head];
    *slot = (TfrcReceiverSlot){.first_at = at};
  }
  slot->last_at = at;
  slot->bytes += bytes;
  r->bytes_since_report += bytes;
}

/* The part of a slot's bytes that arrived after `from`, taken as spread evenly over it. */
static double
bytes_after (const TfrcReceiverSlot *slot, CcTime from)
{
  if (slot->last_at <= from)
    return 0;
  if (slot->first_at > from)
    return (double)slot->bytes;
  return (double)slot->bytes * (double)(slot->last_at - from) / (double)(slot->last_at - slot->first_at);
}

/* The widened window does not look back past the first packet, but never spans less than R. */
static CcDuration
measured_span (const TfrcReceiver *r, CcTime now)
{
  CcDuration span = window (r), age = cc_time_since (now, r->started_at);
  CcDuration R = r->R_report > 0 ? r->R_report : r->R;

  if (age >= span)
    return span;
  return age > R ? age : R;
}

/* RFC 5348 6.2 step 2: over the last R_{m-1}, or back to the last report where that is longer ago. */
static double
measure_X_recv (const TfrcReceiver *r, CcTime now)
{
  CcDuration span = measured_span (r, now), since_report = cc_time_since (now, r->last_report_at);
  double bytes = 0;

  if (span == 0)
    return 0;
  if (since_report >= span)
    return (double)r->bytes_since_report / cc_seconds (since_report);
  for (unsigned i = 0; i < TFRC_RECEIVER_SLOTS; i++)
    if (r->slots[i].bytes > 0)
      bytes += bytes_after (&r->slots[i], cc_time_since (now, span));
  return bytes / cc_seconds (span);
}

/* RFC 5348 6.3.1. */
static void
set_first_interval (TfrcReceiver *r, CcTime now)
{
  double X_recv = fmax (r->X_recv_max, measure_X_recv (r, now));

  if (r->R > 0)
    tfrc_loss_history_set_first_interval (
        &r->history, tfrc_first_interval (r->s, cc_seconds (r->R), X_recv, r->params.rto));
}

static CcDuration
clamp_R (CcDuration R)
{
  if (R == 0)
    return 0;
  return R < R_MIN ? R_MIN : R > R_MAX ? R_MAX : R;
}

static void
note_newest (TfrcReceiver *r, const TfrcPacket *packet)
{
  r->last_arrival = packet->arrived_at;
  r->last_t_i_us = packet->t_i_us;
  if (packet->R > 0)
    r->R = clamp_R (packet->R);
}

/* RFC 5348 6.2: X_recv covers the R up to the packet that ends a silence, as if the timer had gone on. */
static void
end_silence (TfrcReceiver *r, CcTime now)
{
  r->silent_expiry = false;
  r->report_due = true;
  r->last_report_at = cc_time_since (now, window (r));
}

static void
note_packet (TfrcReceiver *r, const TfrcPacket *packet)
{
  r->packets++;
  r->bytes += packet->size_bytes + packet->beside_bytes;
  r->s += (packet->size_bytes - r->s) / (r->packets < S_PACKETS ? (double)r->packets : S_PACKETS);
  r->data_since_report = true;
  if (!r->started) {
    r->started = true;
    r->started_at = r->last_report_at = packet->arrived_at;
    r->report_due = true;
    return;
  }
  if (r->silent_expiry)
    end_silence (r, packet->arrived_at);
  count_bytes (r, packet->size_bytes + packet->beside_bytes, packet->arrived_at);
}

/* RFC 5348 6.1 */
static void
note_losses (TfrcReceiver *r, unsigned changes, CcTime now)
{
  double p_prev = r->p;

  if (changes & TFRC_LOSS_FIRST_EVENT)
    set_first_interval (r, now);
  if (!(changes & (TFRC_LOSS_NEW_EVENT | TFRC_LOSS_HOLE_FILLED)))
    return;
  r->p = tfrc_loss_history_p (&r->history);
  if (r->p > p_prev || (changes & TFRC_LOSS_HOLE_FILLED && r->p < p_prev))
    r->report_due = true;
}

bool
tfrc_receiver_on_packet (TfrcReceiver *r, const TfrcPacket *packet)
{
  bool newest = !r->started || packet->seq > r->history.highest_seq;
  bool without_R = r->R == 0;
  CcDuration R = newest && packet->R > 0 ? clamp_R (packet->R) : r->R;
  unsigned changes = tfrc_loss_history_on_packet (&r->history, packet->seq, packet->arrived_at, R, packet->ce);

  if (changes & TFRC_LOSS_DUPLICATE)
    return r->report_due;
  if (newest)
    note_newest (r, packet);
  note_packet (r, packet);
  note_losses (r, changes, packet->arrived_at);
  /* RFC 5348 6.3: a report per packet while R is unknown; the first R starts the timer through its report. */
  if (without_R)
    r->report_due = true;
  return r->report_due;
}

bool
tfrc_receiver_excuse (TfrcReceiver *r, uint64_t first, uint64_t last, CcTime now)
{
  unsigned changes = tfrc_loss_history_excuse (&r->history, first, last, r->R);

  note_losses (r, changes, now);
  return changes != TFRC_LOSS_NOTHING;
}

CcTime
tfrc_receiver_next_timeout (const TfrcReceiver *r)
{
  return r->timer_at;
}

static void
arm_timer (TfrcReceiver *r, CcTime now)
{
  r->timer_at = r->R > 0 ? cc_time_add (now, r->R / r->params.reports_per_rtt) : CC_TIME_NONE;
}

bool
tfrc_receiver_on_timeout (TfrcReceiver *r, CcTime now)
{
  if (r->timer_at == CC_TIME_NONE || now < r->timer_at)
    return r->report_due;
  if (r->data_since_report) {
    r->report_due = true;
    arm_timer (r, now);
  } else {
    r->silent_expiry = true;
    r->timer_at = CC_TIME_NONE;
  }
  return r->report_due;
}

bool
tfrc_receiver_report_due (const TfrcReceiver *r)
{
  return r->report_due;
}

static void
begin_report_interval (TfrcReceiver *r, CcTime now)
{
  r->last_report_at = now;
  r->R_report = r->R;
  r->bytes_since_report = 0;
  r->silent_expiry = false;
  r->data_since_report = false;
  r->report_due = false;
  arm_timer (r, now);
}

bool
tfrc_receiver_report (TfrcReceiver *r, CcTime now, TfrcReport *report)
{
  if (!r->started)
    return false;
  if (r->data_since_report) {
    r->p = r->p_reported = tfrc_loss_history_p (&r->history);
    r->X_recv = measure_X_recv (r, now);
    r->X_recv_max = fmax (r->X_recv_max, r->X_recv);
    begin_report_interval (r, now);
  }
  r->reports++;
  report->t_i_us = r->last_t_i_us;
  report->t_delay = cc_time_since (now, r->last_arrival);
  report->X_recv = r->X_recv;
  report->p = r->p_reported;
  return true;
}
