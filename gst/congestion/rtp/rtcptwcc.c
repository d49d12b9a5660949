/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcptwcc.h"
#include "rtcpbytes.h"

#define REFERENCE_TICKS 256 /* of 250 us in 64 ms */
#define RUN_MAX 0x1fff
#define ONE_BIT_SYMBOLS 14
#define TWO_BIT_SYMBOLS 7

typedef enum { NOT_RECEIVED, SMALL_DELTA, LARGE_DELTA, RESERVED } Symbol;

typedef struct {
  uint64_t begin;
  unsigned count;
  uint8_t symbols[ARRIVAL_HISTORY_SLOTS];
  int16_t deltas[ARRIVAL_HISTORY_SLOTS];
  int64_t reference; /* 64 ms */
  bool any;
  uint16_t chunks[ARRIVAL_HISTORY_SLOTS];
  unsigned n_chunks;
} Message;

static int64_t
ticks (CcTime at)
{
  return (int64_t)(at / RTCP_TWCC_TICK);
}

/* Deltas are differences of rounded instants, so that rounding does not add up. */
static bool
take_arrival (Message *m, const Arrival *arrival, int64_t *previous)
{
  unsigned i = m->count;
  int64_t at = ticks (arrival->at), delta;

  if (!m->any) {
    m->any = true;
    m->reference = at / REFERENCE_TICKS;
    *previous = m->reference * REFERENCE_TICKS;
  }
  delta = at - *previous;
  if (delta < INT16_MIN || delta > INT16_MAX)
    return false;
  m->symbols[i] = delta >= 0 && delta <= UINT8_MAX ? SMALL_DELTA : LARGE_DELTA;
  m->deltas[i] = (int16_t)delta;
  *previous = at;
  return true;
}

/* Up to the end of the range or the first arrival no delta reaches. */
static void
collect (Message *m, const ArrivalHistory *history, const ArrivalRange *range)
{
  int64_t previous = 0;

  m->begin = range->begin;
  m->count = 0;
  m->any = false;
  m->reference = 0;
  while (m->count < range->count) {
    const Arrival *arrival = arrival_history_get (history, m->begin + m->count);

    if (arrival == NULL || arrival->at == CC_TIME_NONE || arrival->announced)
      m->symbols[m->count] = NOT_RECEIVED;
    else if (!take_arrival (m, arrival, &previous))
      return;
    m->count++;
  }
}

static unsigned
run_length (const Message *m, unsigned from)
{
  unsigned i = from;

  while (i < m->count && m->symbols[i] == m->symbols[from] && i - from < RUN_MAX)
    i++;
  return i - from;
}

static bool
fits_one_bit (const Message *m, unsigned from)
{
  for (unsigned i = from; i < m->count && i < from + ONE_BIT_SYMBOLS; i++)
    if (m->symbols[i] == LARGE_DELTA)
      return false;
  return true;
}

typedef struct {
  unsigned symbols; /* covered */
  unsigned bits;    /* per symbol; 0: run length */
} Chunk;

/* The one that covers most. */
static Chunk
choose_chunk (const Message *m, unsigned from)
{
  Chunk chunk = {fits_one_bit (m, from) ? ONE_BIT_SYMBOLS : TWO_BIT_SYMBOLS, fits_one_bit (m, from) ? 1 : 2};
  unsigned run = run_length (m, from);

  if (chunk.symbols > m->count - from)
    chunk.symbols = m->count - from;
  return run >= chunk.symbols ? (Chunk){run, 0} : chunk;
}

static uint16_t
chunk_bits (const Message *m, unsigned from, const Chunk *chunk)
{
  uint16_t bits = chunk->bits == 1 ? 0x8000 : 0xc000;
  unsigned shift = 14;

  if (chunk->bits == 0)
    return (uint16_t)((unsigned)m->symbols[from] << 13 | chunk->symbols);
  for (unsigned i = 0; i < chunk->symbols; i++) {
    shift -= chunk->bits;
    bits |= (uint16_t)((unsigned)m->symbols[from + i] << shift);
  }
  return bits;
}

/* How many of the symbols have room for their deltas. */
static unsigned
symbols_that_fit (const Message *m, unsigned from, unsigned n, size_t room, size_t *used)
{
  *used = 0;
  for (unsigned i = 0; i < n; i++) {
    if (*used + m->symbols[from + i] > room)
      return i;
    *used += m->symbols[from + i]; /* the symbol's value is the size of its delta */
  }
  return n;
}

/* Puts the symbols into chunks, and cuts the message to what fits. */
static void
fit (Message *m, size_t capacity)
{
  size_t room = capacity & ~(size_t)3, taken = RTCP_TWCC_HEADER_SIZE + 2, deltas;
  unsigned i = 0;

  m->n_chunks = 0;
  while (i < m->count && taken <= room) {
    Chunk chunk = choose_chunk (m, i);
    unsigned wanted = chunk.symbols;

    chunk.symbols = symbols_that_fit (m, i, wanted, room - taken, &deltas);
    if (chunk.symbols > 0)
      m->chunks[m->n_chunks++] = chunk_bits (m, i, &chunk);
    i += chunk.symbols;
    if (chunk.symbols < wanted)
      break;
    taken += deltas + 2;
  }
  m->count = i;
}

static uint8_t *
put_delta (uint8_t *at, Symbol symbol, int16_t delta)
{
  if (symbol == SMALL_DELTA)
    *at = (uint8_t)delta;
  else if (symbol == LARGE_DELTA)
    rtcp_put_u16 (at, (uint16_t)delta);
  return at + symbol;
}

static size_t
put_message (const Message *m, uint8_t *fci, uint8_t fb_pkt_count)
{
  uint8_t *at = fci + RTCP_TWCC_HEADER_SIZE;

  rtcp_put_u16 (fci, (uint16_t)m->begin);
  rtcp_put_u16 (fci + 2, (uint16_t)m->count);
  rtcp_put_u32 (fci + 4, (uint32_t)((uint64_t)m->reference << 8) | fb_pkt_count);
  for (unsigned i = 0; i < m->n_chunks; i++, at += 2)
    rtcp_put_u16 (at, m->chunks[i]);
  for (unsigned i = 0; i < m->count; i++)
    at = put_delta (at, m->symbols[i], m->deltas[i]);
  while ((at - fci) % 4 != 0)
    *at++ = 0;
  return (size_t)(at - fci);
}

size_t
rtcp_twcc_write (uint8_t *fci, size_t capacity, ArrivalHistory *history, uint8_t fb_pkt_count)
{
  ArrivalRange range;
  Message m;

  for (;;) {
    if (!arrival_history_range (history, &range))
      return 0;
    collect (&m, history, &range);
    if (m.any)
      break;
    arrival_history_reported (history, range.count); /* a tail whose arrivals are all told */
  }
  fit (&m, capacity);
  if (m.count == 0)
    return 0;
  arrival_history_reported (history, m.count);
  return put_message (&m, fci, fb_pkt_count);
}

static unsigned
chunk_length (uint16_t chunk)
{
  if (!(chunk & 0x8000))
    return chunk & RUN_MAX;
  return chunk & 0x4000 ? TWO_BIT_SYMBOLS : ONE_BIT_SYMBOLS;
}

static Symbol
symbol_at (uint16_t chunk, unsigned i)
{
  if (!(chunk & 0x8000))
    return (Symbol)(chunk >> 13 & 3);
  if (chunk & 0x4000)
    return (Symbol)(chunk >> (2 * (TWO_BIT_SYMBOLS - 1 - i)) & 3);
  return (Symbol)(chunk >> (ONE_BIT_SYMBOLS - 1 - i) & 1);
}

/* Bytes of the deltas of the chunk's first n symbols; false where one is reserved. */
static bool
measure_chunk (uint16_t chunk, unsigned n, size_t *deltas)
{
  if (!(chunk & 0x8000)) {
    *deltas += (size_t)n * symbol_at (chunk, 0);
    return symbol_at (chunk, 0) != RESERVED;
  }
  for (unsigned i = 0; i < n; i++) {
    if (symbol_at (chunk, i) == RESERVED)
      return false;
    *deltas += symbol_at (chunk, i);
  }
  return true;
}

bool
rtcp_twcc_open (RtcpTwccReader *r, const uint8_t *fci, size_t size)
{
  const uint8_t *at = fci + RTCP_TWCC_HEADER_SIZE, *end = fci + size;
  unsigned left;
  size_t deltas = 0;

  if (size < RTCP_TWCC_HEADER_SIZE)
    return false;
  left = rtcp_get_u16 (fci + 2);
  for (; left > 0; at += 2) {
    unsigned n;

    if (end - at < 2)
      return false;
    n = chunk_length (rtcp_get_u16 (at));
    n = n < left ? n : left;
    if (!measure_chunk (rtcp_get_u16 (at), n, &deltas))
      return false;
    left -= n;
  }
  if ((size_t)(end - at) < deltas)
    return false;
  *r = (RtcpTwccReader){.base_seq = rtcp_get_u16 (fci),
      .status_count = rtcp_get_u16 (fci + 2),
      .reference = rtcp_get_u32 (fci + 4) >> 8,
      .fb_pkt_count = fci[7],
      .chunk = fci + RTCP_TWCC_HEADER_SIZE,
      .delta = at};
  return true;
}

static int
next_delta (RtcpTwccReader *r, Symbol symbol)
{
  int delta = symbol == SMALL_DELTA ? *r->delta : (int16_t)rtcp_get_u16 (r->delta);

  r->delta += symbol;
  return delta;
}

/* Where a status is left, so is its chunk. */
static uint16_t
present_chunk (RtcpTwccReader *r)
{
  while (r->chunk_done == chunk_length (rtcp_get_u16 (r->chunk))) {
    r->chunk += 2;
    r->chunk_done = 0;
  }
  return rtcp_get_u16 (r->chunk);
}

unsigned
rtcp_twcc_skip (RtcpTwccReader *r, unsigned n)
{
  unsigned left = r->status_count - r->done;
  uint16_t chunk = left > 0 ? present_chunk (r) : 0;

  if (left == 0 || chunk & 0x8000 || symbol_at (chunk, 0) != NOT_RECEIVED)
    return 0;
  n = n < left ? n : left;
  left = chunk_length (chunk) - r->chunk_done;
  n = n < left ? n : left;
  r->chunk_done += n;
  r->done += n;
  return n;
}

bool
rtcp_twcc_next (RtcpTwccReader *r, RtcpTwccStatus *status)
{
  Symbol symbol;
  uint16_t chunk;

  if (r->done == r->status_count)
    return false;
  chunk = present_chunk (r);
  symbol = symbol_at (chunk, r->chunk_done++);
  *status = (RtcpTwccStatus){.seq = (uint16_t)(r->base_seq + r->done++), .received = symbol != NOT_RECEIVED};
  if (status->received)
    r->at += next_delta (r, symbol) * (int64_t)RTCP_TWCC_TICK;
  status->at = r->at;
  return true;
}

CcTime
rtcp_twcc_arrival (const RtcpTwccStatus *status, uint64_t reference)
{
  return (CcTime)((int64_t)(reference * RTCP_TWCC_REFERENCE) + status->at);
}
