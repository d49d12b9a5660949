/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpreception.h"

#define WINDOW_BITS 64
#define NO_BAD_SEQ 0x10001u /* no 16-bit number equals it */

void
rtp_reception_init (RtpReception *r, uint32_t clock_rate)
{
  *r = (RtpReception){.clock_rate = clock_rate, .bad_seq = NO_BAD_SEQ};
}

uint32_t
rtp_reception_highest (const RtpReception *r)
{
  return (uint32_t)(r->cycles + r->max_seq);
}

/* RFC 3550 A.1 init_seq () */
static void
begin (RtpReception *r, uint16_t seq)
{
  r->max_seq = seq;
  r->cycles = 0;
  r->base_seq = seq;
  r->bad_seq = NO_BAD_SEQ;
  r->received = 0;
  r->expected_prior = r->received_prior = 0;
  r->window = 1;
  r->has_transit = false;
  r->jitter = 0;
}

static RtpReceptionVerdict
on_probation (RtpReception *r, uint16_t seq)
{
  if (!r->started || seq != (uint16_t)(r->max_seq + 1)) {
    r->started = true;
    r->sequential = 1;
    r->max_seq = seq;
    return RTP_RECEPTION_PROBATION;
  }
  r->max_seq = seq;
  if (++r->sequential < RTP_RECEPTION_MIN_SEQUENTIAL)
    return RTP_RECEPTION_PROBATION;
  begin (r, seq);
  r->valid = true;
  r->received = 1;
  return RTP_RECEPTION_NEWER;
}

/* The numbers that are NDUPACK or more below the highest for the first time, and still missing. */
static void
note_losses (RtpReception *r, unsigned advance)
{
  unsigned last = RTP_RECEPTION_NDUPACK - 1 + advance;
  uint64_t since_base = r->cycles + r->max_seq - r->base_seq;

  for (unsigned n = RTP_RECEPTION_NDUPACK; n <= last && n < since_base; n++) {
    bool missing = n >= WINDOW_BITS || !(r->window >> n & 1);

    if (!missing)
      continue;
    if (!r->loss)
      r->lost_seq = rtp_reception_highest (r) - n;
    r->loss = true;
    r->lost++;
  }
}

static RtpReceptionVerdict
advance_to (RtpReception *r, uint16_t seq, unsigned advance)
{
  if (seq < r->max_seq)
    r->cycles += 1u << 16;
  r->max_seq = seq;
  r->bad_seq = NO_BAD_SEQ;
  r->window = advance < WINDOW_BITS ? r->window << advance | 1 : 1;
  note_losses (r, advance);
  return RTP_RECEPTION_NEWER;
}

static RtpReceptionVerdict
on_older (RtpReception *r, unsigned age)
{
  if (age < WINDOW_BITS) {
    if (r->window >> age & 1) {
      r->duplicates++;
      return RTP_RECEPTION_DUPLICATE;
    }
    r->window |= (uint64_t)1 << age;
  }
  r->older++;
  return RTP_RECEPTION_OLDER;
}

/* Two packets in sequence far from the rest: the other side started over (A.1). */
static RtpReceptionVerdict
on_jump (RtpReception *r, uint16_t seq)
{
  if (seq != r->bad_seq) {
    r->bad_seq = (uint16_t)(seq + 1);
    return RTP_RECEPTION_JUMP;
  }
  begin (r, seq);
  r->restarts++;
  return RTP_RECEPTION_RESTART;
}

static RtpReceptionVerdict
judge (RtpReception *r, uint16_t seq)
{
  uint16_t delta = (uint16_t)(seq - r->max_seq);

  if (delta != 0 && delta < RTP_RECEPTION_MAX_DROPOUT)
    return advance_to (r, seq, delta);
  if (delta != 0 && delta <= 65536 - RTP_RECEPTION_MAX_MISORDER)
    return on_jump (r, seq);
  return on_older (r, (uint16_t)-delta);
}

/* RFC 3550 A.8, in real numbers */
static void
update_jitter (RtpReception *r, uint32_t rtp_timestamp, CcTime arrived_at)
{
  uint64_t seconds = arrived_at / CC_SECOND;
  uint64_t rest = arrived_at % CC_SECOND;
  uint32_t arrival = (uint32_t)(seconds * r->clock_rate + rest * r->clock_rate / CC_SECOND);
  uint32_t transit = arrival - rtp_timestamp;
  int32_t d = (int32_t)(transit - r->transit);

  if (r->has_transit)
    r->jitter += ((d < 0 ? -(double)d : (double)d) - r->jitter) / 16;
  r->transit = transit;
  r->has_transit = true;
}

RtpReceptionVerdict
rtp_reception_on_packet (RtpReception *r, uint16_t seq, uint32_t rtp_timestamp, CcTime arrived_at)
{
  RtpReceptionVerdict verdict;

  r->loss = false;
  if (!r->valid)
    return on_probation (r, seq);
  verdict = judge (r, seq);
  if (verdict == RTP_RECEPTION_JUMP)
    return verdict;
  r->received++;
  if (r->clock_rate != 0)
    update_jitter (r, rtp_timestamp, arrived_at);
  return verdict;
}

void
rtp_reception_on_sender_report (RtpReception *r, uint64_t ntp, CcTime arrived_at)
{
  r->lsr = (uint32_t)(ntp >> 16);
  r->sr_at = arrived_at;
}

static int64_t
expected (const RtpReception *r)
{
  return r->valid ? (int64_t)(r->cycles + r->max_seq - r->base_seq + 1) : 0;
}

uint64_t
rtp_reception_missing (const RtpReception *r)
{
  int64_t lost = expected (r) - (int64_t)r->received;

  return lost > 0 ? (uint64_t)lost : 0;
}

static uint8_t
fraction_lost (RtpReception *r)
{
  int64_t expected_interval = expected (r) - r->expected_prior;
  int64_t received_interval = (int64_t)r->received - r->received_prior;
  int64_t lost_interval = expected_interval - received_interval;
  int64_t fraction;

  r->expected_prior += expected_interval;
  r->received_prior += received_interval;
  if (expected_interval <= 0 || lost_interval <= 0)
    return 0;
  fraction = (lost_interval << 8) / expected_interval;
  return fraction > 255 ? 255 : (uint8_t)fraction;
}

static int32_t
clamp_24 (int64_t value)
{
  if (value > 0x7fffff)
    return 0x7fffff;
  return value < -0x800000 ? -0x800000 : (int32_t)value;
}

/* A span in 1/65536 s, saturating. */
static uint32_t
short_ntp (CcDuration d)
{
  uint64_t seconds = d / CC_SECOND;

  if (seconds > 0xffff)
    return 0xffffffffu;
  return (uint32_t)(seconds << 16 | (d % CC_SECOND << 16) / CC_SECOND);
}

bool
rtp_reception_report (RtpReception *r, CcTime now, RtpReceptionReport *report)
{
  if (!r->valid)
    return false;
  report->cumulative_lost = clamp_24 (expected (r) - (int64_t)r->received);
  report->fraction_lost = fraction_lost (r);
  report->highest_seq = rtp_reception_highest (r);
  report->jitter = (uint32_t)r->jitter;
  report->lsr = r->lsr;
  report->dlsr = r->lsr != 0 ? short_ntp (cc_time_since (now, r->sr_at)) : 0;
  return true;
}
