/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcpccfb.h"
#include "rtcpbytes.h"

#define BLOCK_HEAD 8
#define RTS_SIZE 4
#define RECEIVED 0x8000
#define ATO_MASK 0x1fff
#define ATO_MAX 0x1ffd
#define ATO_SCALE 1024

static size_t
metrics_size (unsigned num_reports)
{
  return 4 * (((size_t)num_reports + 1) / 2);
}

void
rtcp_ccfb_begin (RtcpCcfbWriter *w, uint8_t *body, size_t capacity, CcTime now)
{
  *w = (RtcpCcfbWriter){.body = body, .capacity = capacity, .now = now};
}

/* RFC 8888 3.1: later than the report is as unknown as no time at all. */
uint16_t
rtcp_ccfb_ato (CcTime arrived_at, CcTime now)
{
  CcDuration ago = now - arrived_at;

  if (arrived_at > now)
    return RTCP_CCFB_ATO_UNKNOWN;
  if (ago > 8 * CC_SECOND || ago * ATO_SCALE > ATO_MAX * CC_SECOND)
    return RTCP_CCFB_ATO_OVER;
  return (uint16_t)(ago * ATO_SCALE / CC_SECOND);
}

static uint16_t
metric_of (const Arrival *arrival, CcTime now)
{
  if (arrival == NULL || arrival->at == CC_TIME_NONE)
    return 0;
  return (uint16_t)(RECEIVED | (unsigned)arrival->ecn << 13 | rtcp_ccfb_ato (arrival->at, now));
}

static unsigned
reports_that_fit (const RtcpCcfbWriter *w)
{
  size_t room = w->capacity - w->size - BLOCK_HEAD - RTS_SIZE;
  size_t n = room / 4 * 2;

  return n < RTCP_CCFB_MAX_REPORTS ? (unsigned)n : RTCP_CCFB_MAX_REPORTS;
}

static void
put_block (RtcpCcfbWriter *w, uint32_t ssrc, const ArrivalHistory *history, uint64_t begin, unsigned n)
{
  uint8_t *at = w->body + w->size;

  rtcp_put_u32 (at, ssrc);
  rtcp_put_u16 (at + 4, (uint16_t)begin);
  rtcp_put_u16 (at + 6, (uint16_t)n);
  at += BLOCK_HEAD;
  for (unsigned i = 0; i < n; i++)
    rtcp_put_u16 (at + 2 * i, metric_of (arrival_history_get (history, begin + i), w->now));
  if (n % 2 != 0)
    rtcp_put_u16 (at + 2 * n, 0);
  w->size += BLOCK_HEAD + metrics_size (n);
}

bool
rtcp_ccfb_add (RtcpCcfbWriter *w, uint32_t ssrc, ArrivalHistory *history)
{
  ArrivalRange range = {.begin = history->highest};
  unsigned n;

  if (!history->number.started)
    return true;
  if (w->size + BLOCK_HEAD + RTS_SIZE > w->capacity)
    return false;
  n = reports_that_fit (w);
  if (!arrival_history_range (history, &range))
    n = 0;
  else if (n == 0)
    return false;
  if (n > range.count)
    n = range.count;
  put_block (w, ssrc, history, range.begin, n);
  arrival_history_reported (history, n);
  return true;
}

size_t
rtcp_ccfb_end (RtcpCcfbWriter *w, uint32_t rts)
{
  if (w->size + RTS_SIZE > w->capacity)
    return 0;
  rtcp_put_u32 (w->body + w->size, rts);
  return w->size + RTS_SIZE;
}

/* The block at `at`, NULL where it runs over the end; else what follows it. */
static const uint8_t *
read_block (const uint8_t *at, const uint8_t *end, RtcpCcfbBlock *block)
{
  if ((size_t)(end - at) < BLOCK_HEAD)
    return NULL;
  block->ssrc = rtcp_get_u32 (at);
  block->begin_seq = rtcp_get_u16 (at + 4);
  block->num_reports = rtcp_get_u16 (at + 6);
  block->metrics = at + BLOCK_HEAD;
  if (block->num_reports > RTCP_CCFB_MAX_REPORTS || (size_t)(end - block->metrics) < metrics_size (block->num_reports))
    return NULL;
  return block->metrics + metrics_size (block->num_reports);
}

bool
rtcp_ccfb_open (RtcpCcfbReader *r, const uint8_t *body, size_t size)
{
  RtcpCcfbBlock block;
  const uint8_t *at = body, *end;

  if (size < RTS_SIZE || size % 4 != 0)
    return false;
  end = body + size - RTS_SIZE;
  while (at < end) {
    at = read_block (at, end, &block);
    if (at == NULL)
      return false;
  }
  *r = (RtcpCcfbReader){.at = body, .end = end, .rts = rtcp_get_u32 (end)};
  return true;
}

bool
rtcp_ccfb_next (RtcpCcfbReader *r, RtcpCcfbBlock *block)
{
  if (r->at >= r->end)
    return false;
  r->at = read_block (r->at, r->end, block);
  return true;
}

RtcpCcfbMetric
rtcp_ccfb_metric (const RtcpCcfbBlock *block, unsigned i)
{
  uint16_t bits = rtcp_get_u16 (block->metrics + 2 * i);

  if (!(bits & RECEIVED))
    return (RtcpCcfbMetric){.ato = RTCP_CCFB_ATO_UNKNOWN};
  return (RtcpCcfbMetric){.received = true, .ecn = bits >> 13 & 3, .ato = bits & ATO_MASK};
}

CcTime
rtcp_ccfb_arrival (const RtcpCcfbMetric *metric, CcTime reported_at)
{
  CcDuration ago = (metric->ato * CC_SECOND + ATO_SCALE - 1) / ATO_SCALE; /* told again it is the same */

  if (!metric->received || metric->ato > ATO_MAX || ago > reported_at)
    return CC_TIME_NONE;
  return reported_at - ago;
}
