/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: operations on a sender and a receiver: packets, losses, reports that may say anything, time. Whatever comes,
   the rate stays within its limits, no timeout is due twice at one instant for ever, and what waits is sent on. */
#include "ccreceiver.h"
#include "ccsender.h"
#include "fuzz.h"

#include <math.h>

#define RING 256
#define MIN_BPS 4e3
#define MAX_BPS 1e6
#define MAX_DUE 100000
/* The initial no-feedback period. The slowest packet takes 1528/4000 s, a frame period is bounded below. */
#define MAX_STALL (2 * CC_SECOND)

const FuzzSeed fuzz_seeds[] = {
    {"\x00\x03\x84\x05\x01\x06\x21\x07\x00\x04\x84\x05\x01\x06\x21\x08\x05\x01\x06\x21\x07\x00\x02\x84", 24},
    {"\x00\x0f\xff\x05\x01\x06\x80\x06\x80\x06\x80\x07\x08\x00\x0f\xff\x05\x01\x06\x80\x07", 21},
    {"\x00\x0f\x04\x05\x01\x09\x00\x10\x00\x00\x20\x00\x01\x00\x00\x00\x00\x06\x20\x0a\x7f\x05\x01\x0b\x40\x05\x06\xff",
        28},
    {"\x0c\x01\x00\x0f\x04\x05\x01\x0d\x10\x80\x05\x06\x20\x05\x0c\x02\x00\x08\x04\x05\x06\xf0\x05", 23},
    {NULL, 0},
};

typedef struct {
  CcSender sender;
  CcReceiver receiver;
  CcPacket ring[RING];
  CcPcg32 pcg;
  CcTime now;
  double min_Bps, max_Bps;
  uint32_t timestamp;
  uint16_t seq;
  uint64_t pushed, out;
  unsigned lose; /* packets to come that are lost */
  ArrivalEcn ecn;
} Ends;

static double
any_number (FuzzInput *in)
{
  static const double odd[] = {0, -1, 1e-300, 1e300, 1, 0.5, 2, 1e9};
  unsigned kind = fuzz_take (in, 1);

  if (kind < 8)
    return odd[kind];
  if (kind == 8)
    return NAN;
  if (kind == 9)
    return INFINITY;
  return (kind & 1) != 0 ? fuzz_take (in, 2) * 16.0 : fuzz_take (in, 2) / 65536.0;
}

static void
arrive (Ends *e, const CcPacket *packet, const RtpRttSendts *stamp)
{
  CcArrival arrival = {.seq = e->seq++,
      .rtp_timestamp = packet->frame,
      .marker = packet->frame_end,
      .size_bytes = packet->size_bytes,
      .has_stamp = true,
      .stamp = *stamp,
      .ecn = e->ecn,
      .arrived_at = e->now + 10 * CC_MSECOND};

  if (e->lose > 0)
    e->lose--;
  else
    cc_receiver_on_packet (&e->receiver, &arrival);
}

static void
drain (Ends *e)
{
  CcSenderVerdict verdict;
  CcPacket packet;

  while ((verdict = cc_sender_pull (&e->sender, e->now, &packet)) != CC_SENDER_WAIT) {
    RtpRttSendts stamp;
    FUZZ_CHECK (e->out++ < e->pushed);
    if (verdict != CC_SENDER_SEND)
      continue;
    cc_sender_stamp (&e->sender, e->now, &stamp);
    arrive (e, &packet, &stamp);
  }
}

/* Everything due at this instant; must come to an end. */
static void
run_timers (Ends *e)
{
  unsigned due = 0;

  while (cc_sender_next_timeout (&e->sender) <= e->now) {
    FUZZ_CHECK (due++ < MAX_DUE);
    cc_sender_on_timeout (&e->sender, e->now);
    drain (e);
  }
  while (cc_receiver_next_timeout (&e->receiver) <= e->now) {
    FUZZ_CHECK (due++ < MAX_DUE);
    if (cc_receiver_on_timeout (&e->receiver, e->now)) {
      CcReport report;
      cc_receiver_report (&e->receiver, e->now, &report);
    }
  }
}

static void
push_frame (Ends *e, unsigned packets, unsigned size)
{
  e->timestamp += 3000;
  for (unsigned i = 0; i < packets; i++) {
    CcPacket packet = {.size_bytes = 12 + size * 5,
        .frame = e->timestamp,
        .captured_at = e->now,
        .frame_end = i + 1 == packets,
        .key_unit = size == 255};
    if (!cc_sender_push (&e->sender, &packet, e->now)) {
      drain (e);
      if (!cc_sender_push (&e->sender, &packet, e->now))
        continue;
    }
    e->pushed++;
  }
}

static void
report_truth (Ends *e)
{
  CcReport report;

  if (!cc_receiver_report (&e->receiver, e->now + 10 * CC_MSECOND, &report))
    return;
  FUZZ_CHECK (report.tfrc.p >= 0 && report.tfrc.p <= 1);
  FUZZ_CHECK (report.tfrc.X_recv >= 0 && isfinite (report.tfrc.X_recv));
  FUZZ_CHECK (report.path.rate_Bps >= 0 && isfinite (report.path.rate_Bps));
  FUZZ_CHECK (report.path.capacity_Bps >= 0 && isfinite (report.path.capacity_Bps));
  e->now += 20 * CC_MSECOND;
  run_timers (e);
  cc_sender_on_tfrc_report (&e->sender, &report.tfrc, e->now);
  cc_sender_on_path_report (&e->sender, &report.path, e->now);
}

static void
report_anything (Ends *e, FuzzInput *in)
{
  TfrcReport report = {.t_i_us = fuzz_take (in, 4), .t_delay = fuzz_take (in, 2) * (CcDuration)fuzz_take (in, 3)};

  if (report.t_i_us < 256) {
    RtpRttSendts stamp;
    cc_sender_stamp (&e->sender, e->now, &stamp);
    report.t_i_us = stamp.sent_at_us - report.t_i_us * 1000;
  }
  report.X_recv = any_number (in);
  report.p = any_number (in);
  cc_sender_on_tfrc_report (&e->sender, &report, e->now);
}

static void
arrive_anything (Ends *e, FuzzInput *in)
{
  CcArrival arrival = {.seq = (uint16_t)fuzz_take (in, 2),
      .rtp_timestamp = fuzz_take (in, 4),
      .size_bytes = fuzz_take (in, 2),
      .arrived_at = e->now};
  unsigned flags = fuzz_take (in, 1);

  arrival.marker = flags & 1;
  arrival.has_stamp = flags & 2;
  arrival.ecn = (ArrivalEcn)(flags >> 2 & 3);
  arrival.stamp.rtt = (CcDuration)fuzz_take (in, 3) * CC_USECOND;
  arrival.stamp.sent_at_us = fuzz_take (in, 4);
  cc_receiver_on_packet (&e->receiver, &arrival);
}

static void
set_limits (Ends *e, unsigned how)
{
  e->min_Bps = MIN_BPS * (1 + how % 8);
  e->max_Bps = e->min_Bps * (1 + how / 8);
  cc_sender_set_limits (&e->sender, e->min_Bps, e->max_Bps);
}

static void
operate (Ends *e, FuzzInput *in)
{
  unsigned op = fuzz_take (in, 1) % 18, arg;

  switch (op) {
  case 0:
    arg = fuzz_take (in, 1);
    push_frame (e, arg % 32, fuzz_take (in, 1));
    break;
  case 1:
  case 5:
    drain (e);
    break;
  case 2:
    e->now =
        cc_sender_next_timeout (&e->sender) < e->now + 10 * CC_SECOND ? cc_sender_next_timeout (&e->sender) : e->now;
    break;
  case 3:
  case 6:
    e->now += fuzz_take (in, 1) * CC_MSECOND;
    break;
  case 4:
  case 7:
    report_truth (e);
    break;
  case 8:
    e->lose = fuzz_take (in, 1) % 16;
    break;
  case 9:
    report_anything (e, in);
    break;
  case 10:
    cc_sender_on_explicit_rate (&e->sender, fuzz_take (in, 1), any_number (in), e->now);
    break;
  case 16:
    cc_sender_on_router_rate (&e->sender, fuzz_take (in, 1), any_number (in), e->now);
    break;
  case 11: {
    PathReport report = {.rate_Bps = any_number (in), .capacity_Bps = any_number (in), .receive_Bps = any_number (in)};
    report.queue_delay = fuzz_take (in, 3) * (CcDuration)1000;
    report.loss = any_number (in);
    report.excused = any_number (in);
    cc_sender_on_path_report (&e->sender, &report, e->now);
    break;
  }
  case 12:
    cc_sender_set_mode (&e->sender, (CcMode)(fuzz_take (in, 1) % 3), e->now);
    break;
  case 13:
    set_limits (e, fuzz_take (in, 1));
    break;
  case 14:
    arrive_anything (e, in);
    break;
  case 15:
    arg = fuzz_take (in, 1);
    cc_sender_on_receiver_report (&e->sender, arg / 256.0, fuzz_take (in, 2) * CC_MSECOND, e->now);
    break;
  default:
    e->ecn = (ArrivalEcn)((e->ecn + 1) % 4);
    cc_sender_set_max_delay (&e->sender, fuzz_take (in, 1) * 4 * CC_MSECOND);
  }
}

static void
check (Ends *e)
{
  CcSenderStatus status;

  cc_sender_status (&e->sender, e->now, &status);
  FUZZ_CHECK (status.rate_Bps >= e->min_Bps && status.rate_Bps <= e->max_Bps);
  FUZZ_CHECK (status.media_Bps >= 0 && status.media_Bps <= status.rate_Bps);
  FUZZ_CHECK (status.p >= 0 && status.p <= 1);
  FUZZ_CHECK (status.sent_Bps >= 0 && isfinite (status.sent_Bps));
  FUZZ_CHECK ((unsigned)status.limit <= CC_LIMIT_CIRCUIT_BREAKER);
  if (e->pushed > e->out)
    FUZZ_CHECK (cc_sender_next_timeout (&e->sender) <= e->now + MAX_STALL);
  cc_sender_take_key_unit_wanted (&e->sender);
}

static void
start (Ends *e)
{
  CcSenderParams params;
  CcReceiverParams receiver_params;

  memset (e, 0, sizeof *e);
  e->now = 1000 * CC_SECOND;
  e->min_Bps = MIN_BPS;
  e->max_Bps = MAX_BPS;
  cc_sender_params_init (&params);
  params.min_Bps = MIN_BPS;
  params.max_Bps = MAX_BPS;
  params.random = cc_pcg32_init (&e->pcg, 1);
  cc_sender_init (&e->sender, &params, e->ring, RING, e->now);
  cc_receiver_params_init (&receiver_params);
  cc_receiver_init (&e->receiver, &receiver_params);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static Ends e;
  FuzzInput in = {data, data + size};

  start (&e);
  while (in.at < in.end) {
    operate (&e, &in);
    run_timers (&e);
    drain (&e);
    check (&e);
  }
  return 0;
}
