/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ccpacketfeedback.h"
#include <string.h>

#define FIRST_NUMBER 65536
#define NO_NUMBER UINT64_MAX
#define RESOLUTION CC_MSECOND        /* of what reports say of time */
#define MAX_CATCH_UP (2 * CC_SECOND) /* the law runs period by period over no longer a silence */
#define WHOLE_FRAMES 8 /* reports in a row: of those made by time, each at a frame's end in two of three, 4 % */

void
cc_packet_feedback_params_init (CcPacketFeedbackParams *params)
{
  *params = (CcPacketFeedbackParams){.rto = TFRC_RTO_4R, .overhead_bytes = 28};
  path_rate_params_init (&params->path);
  tfrc_loss_history_params_init (&params->loss_history);
}

void
cc_packet_feedback_init (CcPacketFeedback *f, const CcPacketFeedbackParams *params)
{
  memset (f, 0, sizeof *f);
  f->params = *params;
  f->first = f->next = FIRST_NUMBER;
  tfrc_packet_report_init (&f->tfrc, &params->loss_history, params->rto);
  path_rate_init (&f->path, &params->path);
  path_mtu_init (&f->mtu);
  loss_excuse_init (&f->excuse);
  f->whole_frames = WHOLE_FRAMES; /* until one says otherwise: of sound alone one may be all that comes */
}

void
cc_packet_feedback_restart (CcPacketFeedback *f, const CcPacketFeedbackParams *params)
{
  uint64_t next = f->next;

  cc_packet_feedback_init (f, params);
  if (next > FIRST_NUMBER)
    f->first = f->next = next;
}

uint16_t
cc_packet_feedback_number (const CcPacketFeedback *f)
{
  return (uint16_t)f->next;
}

static CcSentPacket *
slot_of (CcPacketFeedback *f, uint64_t number)
{
  return &f->sent[number % TFRC_PACKET_REPORT_SLOTS];
}

static CcReportedStream *
find_stream (CcPacketFeedback *f, uint32_t ssrc)
{
  for (unsigned i = 0; i < f->n_streams; i++)
    if (f->streams[i].ssrc == ssrc)
      return &f->streams[i];
  return NULL;
}

static void
note_stream (CcPacketFeedback *f, uint32_t ssrc)
{
  if (find_stream (f, ssrc) != NULL)
    return;
  f->streams[f->next_stream] = (CcReportedStream){.ssrc = ssrc};
  f->next_stream = (f->next_stream + 1) % CC_PACKET_FEEDBACK_STREAMS;
  f->n_streams += f->n_streams < CC_PACKET_FEEDBACK_STREAMS;
}

void
cc_packet_feedback_on_sent (
    CcPacketFeedback *f, uint32_t ssrc, uint16_t seq, uint32_t size_bytes, uint32_t rtp_timestamp, CcTime now)
{
  note_stream (f, ssrc);
  *slot_of (f, f->next) = (CcSentPacket){.ssrc = ssrc, .seq = seq, .frame = rtp_timestamp};
  tfrc_packet_report_on_sent (&f->tfrc, f->next, size_bytes, now);
  f->next++;
}

static uint64_t
oldest (const CcPacketFeedback *f)
{
  return f->next - f->first > TFRC_PACKET_REPORT_SLOTS ? f->next - TFRC_PACKET_REPORT_SLOTS : f->first;
}

static CcTime
sent_at (const CcPacketFeedback *f, uint64_t number)
{
  return f->tfrc.sent[number % TFRC_PACKET_REPORT_SLOTS].sent_at;
}

static uint64_t
find_number (const CcPacketFeedback *f, uint16_t number)
{
  uint16_t behind = (uint16_t)(f->next - 1 - number);
  uint64_t found = f->next - 1 - behind;

  return found >= oldest (f) && found < f->next ? found : NO_NUMBER;
}

static void
begin_report (CcPacketFeedback *f)
{
  f->reports++;
  f->first_noted = NO_NUMBER;
  f->last_noted = 0;
}

static void
note (CcPacketFeedback *f, uint64_t number, bool received, CcTime arrived_at, ArrivalEcn ecn)
{
  CcSentPacket *packet = slot_of (f, number);

  packet->noted_in = f->reports;
  packet->received = received;
  packet->arrived_at = arrived_at;
  packet->ecn = ecn;
  if (number < f->first_noted)
    f->first_noted = number;
  if (number > f->last_noted)
    f->last_noted = number;
}

/* The clock of the reports was set, or another receiver speaks: what was measured on it is void. The rate stays. */
static void
forget_clock (CcPacketFeedback *f)
{
  PathRateParams params = f->path.params;

  params.start_Bps = f->path.rate_Bps;
  path_rate_init (&f->path, &params);
  f->tfrc.newest_arrival = 0;
  for (unsigned i = 0; i < TFRC_PACKET_REPORT_SLOTS; i++)
    f->tfrc.sent[i].arrived_at = 0;
}

static int64_t
limit (int64_t value, int64_t most)
{
  return value > most ? most : value < -most ? -most : value;
}

/* Both clocks run alike, but for 0.1 % and the time reports travel. */
static bool
clock_agrees (CcPacketFeedback *f, CcTime reported_at, CcTime now)
{
  int64_t offset = (int64_t)(reported_at - now);
  int64_t change = (int64_t)((uint64_t)offset - (uint64_t)f->offset);
  bool strange = change > (int64_t)CC_PACKET_FEEDBACK_TOLERANCE || change < -(int64_t)CC_PACKET_FEEDBACK_TOLERANCE;

  if (f->has_report && strange) {
    f->nonsense++;
    if (++f->strange < CC_PACKET_FEEDBACK_STRANGE)
      return false;
    forget_clock (f);
  }
  if (!f->has_report || strange)
    f->offset = offset;
  else
    f->offset += limit (change, (int64_t)(cc_time_since (now, f->last_report_now) / 1000));
  f->strange = 0;
  f->has_report = true;
  f->last_report_now = now;
  return true;
}

/* It lay at the receiver from its arrival to the report, so it cannot have left after `now` less that. */
static bool
is_possible (const CcPacketFeedback *f, uint64_t number, const CcSentPacket *packet, CcTime reported_at, CcTime now)
{
  if (!packet->received || packet->arrived_at == CC_TIME_NONE)
    return true;
  return packet->arrived_at <= reported_at &&
         sent_at (f, number) + (reported_at - packet->arrived_at) <= now + RESOLUTION;
}

static void
run_path_to (CcPacketFeedback *f, CcTime until)
{
  CcTime at;

  if (f->path.view.started && cc_time_since (until, f->path.clock.next_at) > MAX_CATCH_UP)
    path_rate_on_timeout (&f->path, until);
  while ((at = path_rate_next_timeout (&f->path)) <= until) {
    path_rate_on_timeout (&f->path, at);
    if (path_rate_next_timeout (&f->path) <= at)
      return;
  }
}

/* What no report told of, or arrived nobody knows when, is no loss. */
static void
pass_unknown (CcPacketFeedback *f, uint64_t number)
{
  if (number <= f->newest)
    return;
  if (f->newest > 0)
    f->unknown += number - f->newest - 1;
  f->newest = number;
}

static void
tell_path (CcPacketFeedback *f, uint64_t number, const CcSentPacket *packet, CcDuration R)
{
  const TfrcSentPacket *sent = &f->tfrc.sent[number % TFRC_PACKET_REPORT_SLOTS];
  PathPacket path = {.seq = number,
      .counted = number - f->unknown,
      .sent_at = sent->sent_at,
      .arrived_at = packet->arrived_at,
      .wire_bytes = sent->size_bytes + f->params.overhead_bytes,
      .frame = packet->frame,
      .R = R,
      .ecn = packet->ecn};

  /* one that was overtaken counts when its successor arrived */
  if (path.arrived_at < f->path.view.last.arrived_at)
    path.arrived_at = f->path.view.last.arrived_at;
  run_path_to (f, path.arrived_at);
  path_rate_on_packet (&f->path, &path);
  path_rate_on_timeout (&f->path, path.arrived_at);
}

/* What is lost counts once, however often that is told. */
static void
add_size (CcPacketFeedback *f, uint64_t number, CcSentPacket *packet, PathMtuReport *sizes)
{
  uint32_t bytes = f->tfrc.sent[number % TFRC_PACKET_REPORT_SLOTS].size_bytes;

  if (packet->received) {
    sizes->arrived_bytes = bytes > sizes->arrived_bytes ? bytes : sizes->arrived_bytes;
  } else if (!packet->sized) {
    packet->sized = true;
    sizes->lost++;
    sizes->lost_bytes = bytes < sizes->lost_bytes ? bytes : sizes->lost_bytes;
  }
}

static void
look_at_sizes (CcPacketFeedback *f, unsigned n, CcTime now)
{
  PathMtuReport sizes = {.lost_bytes = UINT32_MAX};

  if (n == 0)
    return;
  sizes.first = (uint16_t)f->status[0].seq;
  sizes.last = (uint16_t)f->status[n - 1].seq;
  for (unsigned i = 0; i < n; i++)
    add_size (f, f->status[i].seq, slot_of (f, f->status[i].seq), &sizes);
  path_mtu_on_packets (&f->mtu, &sizes, now);
}

/* Of the packets from first to last those that the loss history has numbers for. */
static void
excuse (CcPacketFeedback *f, uint64_t first, uint64_t last, CcDuration R)
{
  const TfrcSentPacket *sent = f->tfrc.sent;

  while (first < last && !sent[first % TFRC_PACKET_REPORT_SLOTS].covered)
    first++;
  while (first < last && !sent[last % TFRC_PACKET_REPORT_SLOTS].covered)
    last--;
  tfrc_loss_history_excuse (&f->tfrc.history, sent[first % TFRC_PACKET_REPORT_SLOTS].history_seq,
      sent[last % TFRC_PACKET_REPORT_SLOTS].history_seq, R);
  path_rate_excuse (&f->path, first - f->unknown, last - f->unknown);
}

static void
excuse_sizes (CcPacketFeedback *f, CcDuration R, CcTime now)
{
  uint64_t first, last;
  PathMtuLoss loss;

  if (!path_mtu_take_loss (&f->mtu, now, &loss))
    return;
  first = find_number (f, loss.first);
  last = find_number (f, loss.last);
  if (first != NO_NUMBER && last != NO_NUMBER && first <= last)
    excuse (f, first, last, R);
}

static void
excuse_runs (CcPacketFeedback *f, unsigned n, CcDuration R, CcTime now)
{
  SizeRun *run = &f->run;

  for (unsigned i = 0; i < n; i++) {
    uint64_t number = f->status[i].seq;
    uint32_t bytes = f->tfrc.sent[number % TFRC_PACKET_REPORT_SLOTS].size_bytes;

    if (size_run_on_packet (run, number, bytes, f->status[i].received) &&
        loss_excuse_admit (&f->excuse, run->first, run->last, f->newest, now))
      excuse (f, run->first, run->last, R);
  }
}

/* Numbers rise, so that losses of several streams are grouped as they were sent. Returns how many statuses there are.
 */
static unsigned
collect (CcPacketFeedback *f, CcTime reported_at, CcDuration R, CcTime now)
{
  unsigned n = 0;

  for (uint64_t i = f->first_noted; i <= f->last_noted; i++) {
    const CcSentPacket *packet = slot_of (f, i);

    if (packet->noted_in != f->reports)
      continue;
    if (!is_possible (f, i, packet, reported_at, now)) {
      f->nonsense++;
      continue;
    }
    f->status[n++] = (TfrcPacketStatus){.seq = i,
        .received = packet->received,
        .arrived_at = packet->arrived_at == CC_TIME_NONE ? reported_at : packet->arrived_at,
        .ce = ecn_marks_is_loss (&f->path.view.marks, packet->ecn)};
    if (!packet->received || packet->arrived_at != CC_TIME_NONE)
      pass_unknown (f, i);
    if (packet->received && packet->arrived_at != CC_TIME_NONE && !f->tfrc.sent[i % TFRC_PACKET_REPORT_SLOTS].received)
      tell_path (f, i, packet, R);
  }
  return n;
}

static bool
is_same_frame (CcPacketFeedback *f, uint64_t a, uint64_t b)
{
  return slot_of (f, a)->ssrc == slot_of (f, b)->ssrc && slot_of (f, a)->frame == slot_of (f, b)->frame;
}

static bool
is_remembered (const CcPacketFeedback *f, uint64_t number)
{
  return number >= oldest (f) && number < f->next && f->tfrc.sent[number % TFRC_PACKET_REPORT_SLOTS].used;
}

static uint64_t
last_arrival (CcPacketFeedback *f)
{
  for (uint64_t i = f->last_noted; i >= f->first_noted; i--)
    if (slot_of (f, i)->noted_in == f->reports && slot_of (f, i)->received)
      return i;
  return 0;
}

/* What the report before ended with, now that the packet behind that is known where others number them, too. */
static void
look_at_ends (CcPacketFeedback *f)
{
  uint64_t before = f->last_arrived, last = last_arrival (f);

  if (last <= before)
    return;
  f->last_arrived = last;
  if (before == 0 || !is_remembered (f, before) || !is_remembered (f, before + 1))
    return;
  if (is_same_frame (f, before, before + 1))
    f->whole_frames = 0;
  else if (f->whole_frames < WHOLE_FRAMES)
    f->whole_frames++;
}

typedef struct {
  CcTime reported_at; /* receiver's clock */
  bool has_time;      /* the report says so itself */
  CcDuration R;
  double s;
  CcTime now;
} Report;

static bool
evaluate (CcPacketFeedback *f, const Report *r, CcPacketVerdict *verdict)
{
  unsigned n = collect (f, r->reported_at, r->R, r->now);

  look_at_sizes (f, n, r->now);
  if (!tfrc_packet_report_on_report (
          &f->tfrc, f->status, n, r->has_time ? r->reported_at : CC_TIME_NONE, r->R, r->s, r->now, &verdict->tfrc))
    return false;
  run_path_to (f, r->reported_at);
  excuse_sizes (f, r->R, r->now);
  excuse_runs (f, n, r->R, r->now);
  verdict->tfrc.p = tfrc_loss_history_p (&f->tfrc.history);
  path_rate_report (&f->path, &verdict->path);
  path_rate_reported (&f->path);
  look_at_ends (f);
  verdict->whole_frames = f->whole_frames >= WHOLE_FRAMES;
  return true;
}

static bool
is_believable (CcPacketFeedback *f, CcTime reported_at, CcTime now)
{
  return f->first_noted <= f->last_noted && clock_agrees (f, reported_at, now);
}

/* RTS: 16.16 s */
static CcTime
rts_time (uint64_t unwrapped)
{
  return (unwrapped >> 16) * CC_SECOND + ((unwrapped & 0xffff) * CC_SECOND >> 16);
}

/* Of a stream of ours, and the first on it in this report (RFC 8888 3.1 has one block a stream). */
static bool
is_new_block (CcPacketFeedback *f, const RtcpCcfbBlock *block)
{
  CcReportedStream *stream = find_stream (f, block->ssrc);
  bool is_new = stream != NULL && stream->block_in != f->reports;

  if (is_new)
    stream->block_in = f->reports;
  return is_new;
}

/* One look at each packet sent, however many numbers the block has. */
static void
note_block (CcPacketFeedback *f, const RtcpCcfbBlock *block, CcTime reported_at)
{
  for (unsigned i = 0; i < block->num_reports; i++)
    f->told += rtcp_ccfb_metric (block, i).received;
  if (!is_new_block (f, block))
    return;
  for (uint64_t number = oldest (f); number < f->next; number++) {
    const CcSentPacket *packet = slot_of (f, number);
    uint16_t i = (uint16_t)(packet->seq - block->begin_seq);
    RtcpCcfbMetric metric;

    if (packet->ssrc != block->ssrc || i >= block->num_reports)
      continue;
    metric = rtcp_ccfb_metric (block, i);
    note (f, number, metric.received, rtcp_ccfb_arrival (&metric, reported_at), (ArrivalEcn)metric.ecn);
    f->known += metric.received;
  }
}

bool
cc_packet_feedback_on_ccfb (
    CcPacketFeedback *f, const RtcpCcfbReader *report, CcDuration R, double s, CcTime now, CcPacketVerdict *verdict)
{
  RtcpCcfbReader reader = *report;
  CcUnwrap before = f->rts;
  Report r = {rts_time (cc_unwrap (&f->rts, reader.rts, 32)), true, R, s, now};
  RtcpCcfbBlock block;

  begin_report (f);
  while (rtcp_ccfb_next (&reader, &block))
    note_block (f, &block, r.reported_at);
  if (is_believable (f, r.reported_at, now))
    return evaluate (f, &r, verdict);
  f->rts = before; /* or it would lead the ones to come */
  return false;
}

/* Where a message is missing, "not received" may be what that one told. */
static bool
follows (CcPacketFeedback *f, uint8_t fb_pkt_count)
{
  bool gap = f->has_count && (uint8_t)(f->fb_pkt_count + 1) != fb_pkt_count;

  f->has_count = true;
  f->fb_pkt_count = fb_pkt_count;
  f->gaps += gap;
  return !gap;
}

/* How many numbers from this one on are of packets that nobody remembers. */
static unsigned
forgotten_from (const CcPacketFeedback *f, uint16_t number)
{
  uint16_t behind = (uint16_t)(f->next - 1 - number);
  uint64_t found = f->next - 1 - behind;

  return found < oldest (f) ? (unsigned)(oldest (f) - found) : 0;
}

/* To the next that may tell something. */
static bool
next_status (const CcPacketFeedback *f, RtcpTwccReader *reader, RtcpTwccStatus *status)
{
  while (rtcp_twcc_skip (reader, forgotten_from (f, (uint16_t)(reader->base_seq + reader->done))) > 0) {
  }
  return rtcp_twcc_next (reader, status);
}

/* Returns the newest arrival, 0: none. */
static CcTime
note_statuses (CcPacketFeedback *f, RtcpTwccReader *reader, uint64_t reference, bool all)
{
  RtcpTwccStatus status;
  CcTime newest = 0;

  while (next_status (f, reader, &status)) {
    CcTime at = status.received ? rtcp_twcc_arrival (&status, reference) : CC_TIME_NONE;
    uint64_t number = find_number (f, status.seq);

    f->told += status.received;
    if (number == NO_NUMBER || (!status.received && !all))
      continue;
    f->known += status.received;
    note (f, number, status.received, at, ARRIVAL_NOT_ECT);
    if (status.received && at > newest)
      newest = at;
  }
  return newest;
}

bool
cc_packet_feedback_on_twcc (
    CcPacketFeedback *f, const RtcpTwccReader *report, CcDuration R, double s, CcTime now, CcPacketVerdict *verdict)
{
  RtcpTwccReader reader = *report;
  CcUnwrap before = f->reference;
  uint64_t reference = cc_unwrap (&f->reference, reader.reference, 24);
  Report r = {0, false, R, s, now};

  begin_report (f);
  r.reported_at = note_statuses (f, &reader, reference, follows (f, reader.fb_pkt_count));
  if (r.reported_at > 0 && is_believable (f, r.reported_at, now))
    return evaluate (f, &r, verdict);
  f->reference = before;
  return false;
}

static CcTime
newest_sent_at (const CcPacketFeedback *f)
{
  return f->tfrc.sent[(f->next - 1) % TFRC_PACKET_REPORT_SLOTS].sent_at;
}

/* Packets between the newest told of so far and this one were never told of: they are left out. A number from behind
   that was sent later is a new one: who numbers them has begun anew. */
static uint64_t
skip_to (CcPacketFeedback *f, uint16_t number, CcTime sent_at)
{
  uint16_t ahead = (uint16_t)(number - (uint16_t)f->next);

  if (f->next == f->first)
    f->first = f->next = FIRST_NUMBER + number;
  else if (ahead < TFRC_PACKET_REPORT_SLOTS)
    while ((uint16_t)f->next != number) {
      *slot_of (f, f->next) = (CcSentPacket){0};
      f->tfrc.sent[f->next++ % TFRC_PACKET_REPORT_SLOTS] = (TfrcSentPacket){0};
    }
  else if (ahead < UINT16_MAX / 2 || sent_at > newest_sent_at (f))
    f->first = f->next += ahead;
  return find_number (f, number);
}

static bool
note_told (CcPacketFeedback *f, const CcToldPacket *told, CcTime now)
{
  uint64_t number = NO_NUMBER;

  f->told += told->received;
  if (told->sent_at == CC_TIME_NONE || told->sent_at > now)
    return false;
  number = skip_to (f, told->number, told->sent_at);
  if (number == NO_NUMBER && (uint16_t)f->next == told->number) {
    number = f->next;
    cc_packet_feedback_on_sent (f, 0, told->number, told->size_bytes, told->frame, told->sent_at);
  }
  if (number == NO_NUMBER || !f->tfrc.sent[number % TFRC_PACKET_REPORT_SLOTS].used)
    return false;
  f->known += told->received;
  note (f, number, told->received, told->received ? told->arrived_at : CC_TIME_NONE, ARRIVAL_NOT_ECT);
  return told->received && told->arrived_at != CC_TIME_NONE;
}

bool
cc_packet_feedback_on_told (CcPacketFeedback *f, const CcToldPacket *told, unsigned n, CcDuration R, double s,
    CcTime now, CcPacketVerdict *verdict)
{
  Report r = {0, false, R, s, now};

  begin_report (f);
  for (unsigned i = 0; i < n; i++)
    if (note_told (f, &told[i], now) && told[i].arrived_at > r.reported_at)
      r.reported_at = told[i].arrived_at;
  return r.reported_at > 0 && is_believable (f, r.reported_at, now) && evaluate (f, &r, verdict);
}

uint64_t
cc_packet_feedback_unknown (const CcPacketFeedback *f)
{
  return f->told - f->known;
}
