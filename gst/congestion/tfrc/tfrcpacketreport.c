/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrcpacketreport.h"

#include <math.h>
#include <string.h>

void
tfrc_packet_report_init (TfrcPacketReport *r, const TfrcLossHistoryParams *params, TfrcRto rto)
{
  memset (r, 0, sizeof *r);
  r->rto = rto;
  tfrc_loss_history_init (&r->history, params);
}

static TfrcSentPacket *
slot_of (TfrcPacketReport *r, uint64_t seq)
{
  return &r->sent[seq % TFRC_PACKET_REPORT_SLOTS];
}

static bool
remembers (const TfrcPacketReport *r, uint64_t seq)
{
  const TfrcSentPacket *packet = &r->sent[seq % TFRC_PACKET_REPORT_SLOTS];

  return packet->used && packet->seq == seq;
}

void
tfrc_packet_report_on_sent (TfrcPacketReport *r, uint64_t seq, uint32_t size_bytes, CcTime now)
{
  *slot_of (r, seq) = (TfrcSentPacket){.seq = seq, .sent_at = now, .size_bytes = size_bytes, .used = true};
}

/* Numbers the packet for the loss history; what reports passed over has no number. */
static void
cover (TfrcPacketReport *r, TfrcSentPacket *packet)
{
  if (packet->covered || (r->any_covered && packet->seq <= r->highest_covered))
    return;
  if (r->any_covered)
    r->unknown += packet->seq - r->highest_covered - 1;
  r->any_covered = packet->covered = true;
  r->highest_covered = packet->seq;
  packet->history_seq = packet->seq - r->unknown;
}

/* The first packet behind an outage. Those that it took lose the numbers they had; one that comes after all counts for
   nothing. */
static void
leave_out_outage (TfrcPacketReport *r, TfrcSentPacket *packet, CcTime arrived_at, CcDuration R)
{
  const TfrcSentPacket *last = slot_of (r, r->highest_received);
  uint64_t taken;

  if (!r->any_received || packet->seq != r->highest_covered || !remembers (r, r->highest_received) || !last->covered ||
      packet->history_seq <= last->history_seq + 2 ||
      cc_time_since (arrived_at, r->newest_arrival) <= tfrc_loss_outage (R))
    return;
  for (uint64_t seq = last->seq + 1; seq < packet->seq; seq++)
    slot_of (r, seq)->covered = false;
  taken = packet->history_seq - last->history_seq - 2;
  packet->history_seq -= taken;
  r->unknown += taken;
}

static void
note_arrival (TfrcPacketReport *r, const TfrcSentPacket *packet)
{
  if (packet->arrived_at > r->newest_arrival)
    r->newest_arrival = packet->arrived_at;
  if (r->any_received && packet->seq < r->highest_received)
    return;
  r->any_received = true;
  r->highest_received = packet->seq;
  r->echo_sent_at = packet->sent_at;
  r->echo_arrived_at = packet->arrived_at;
}

/* Returns whether the packet is newly known to have arrived. */
static bool
take_status (TfrcPacketReport *r, const TfrcPacketStatus *status, CcDuration R, unsigned *changes)
{
  TfrcSentPacket *packet = slot_of (r, status->seq);

  if (!remembers (r, status->seq)) {
    r->ignored++;
    return false;
  }
  cover (r, packet);
  if (!status->received || packet->received)
    return false;
  leave_out_outage (r, packet, status->arrived_at, R);
  packet->received = true;
  packet->arrived_at = status->arrived_at;
  note_arrival (r, packet);
  if (packet->covered)
    *changes |= tfrc_loss_history_on_packet (&r->history, packet->history_seq, packet->sent_at, R, status->ce);
  return true;
}

/* RFC 5348 6.2 step 2 in the receiver's time: over the last R, or back to the report before where that is longer. */
static double
measure_X_recv (TfrcPacketReport *r, CcTime previous_arrival, CcDuration R)
{
  CcDuration span = previous_arrival > 0 ? cc_time_since (r->newest_arrival, previous_arrival) : 0;
  uint64_t bytes = 0;

  if (span < R)
    span = R;
  if (span == 0)
    return 0;
  for (uint64_t i = 0; i < TFRC_PACKET_REPORT_SLOTS && i <= r->highest_received; i++) {
    const TfrcSentPacket *packet = slot_of (r, r->highest_received - i);
    if (!remembers (r, r->highest_received - i))
      break;
    if (!packet->received)
      continue;
    if (cc_time_since (r->newest_arrival, packet->arrived_at) >= 2 * span)
      break; /* reordered by more than a whole span: of no weight */
    if (cc_time_since (r->newest_arrival, packet->arrived_at) < span)
      bytes += packet->size_bytes;
  }
  return (double)bytes / cc_seconds (span);
}

/* RFC 5348 6.3.1 */
static void
set_first_interval (TfrcPacketReport *r, CcDuration R, double s)
{
  if (R > 0 && s > 0)
    tfrc_loss_history_set_first_interval (&r->history, tfrc_first_interval (s, cc_seconds (R), r->X_recv_max, r->rto));
}

bool
tfrc_packet_report_on_report (TfrcPacketReport *r, const TfrcPacketStatus *status, unsigned n, CcTime reported_at,
    CcDuration R, double s, CcTime now, TfrcFeedback *feedback)
{
  CcTime previous_arrival = r->newest_arrival;
  unsigned changes = TFRC_LOSS_NOTHING;
  bool arrived = false;

  for (unsigned i = 0; i < n; i++)
    arrived |= take_status (r, &status[i], R, &changes);
  if (!arrived)
    return false;
  r->X_recv = measure_X_recv (r, previous_arrival, R);
  r->X_recv_max = fmax (r->X_recv_max, r->X_recv);
  if (changes & TFRC_LOSS_FIRST_EVENT)
    set_first_interval (r, R, s);
  if (reported_at == CC_TIME_NONE)
    reported_at = r->newest_arrival;
  feedback->received_at = now;
  feedback->t_recvdata = r->echo_sent_at;
  feedback->t_delay = cc_time_since (reported_at, r->echo_arrived_at);
  feedback->X_recv = r->X_recv;
  feedback->p = tfrc_loss_history_p (&r->history);
  return true;
}
