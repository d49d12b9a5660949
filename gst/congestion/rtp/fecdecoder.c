/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fecdecoder.h"

#include <string.h>

#include "gf256.h"
#include "rtppacket.h"

#define REACH (FEC_HISTORY - 64) /* what is further behind no sum names any more */

void
fec_decoder_init (FecDecoder *d, uint32_t ssrc)
{
  d->ssrc = ssrc;
  d->started = false;
  d->newest = 0;
  d->n_equations = d->n_fresh = 0;
  d->sums = d->useless = d->refused = d->restored = 0;
  memset (d->used, 0, sizeof d->used);
  for (unsigned i = 0; i < FEC_HISTORY; i++)
    d->history[i].known = d->history[i].fresh = false;
}

/* ---- equations ---- */

/* e += by * from */
static void
add_equation (FecEquation *e, const FecEquation *from, uint8_t by)
{
  gf256_add_multiplied (e->coefficients, from->coefficients, FEC_UNKNOWNS, by);
  gf256_add_multiplied (e->data, from->data, from->size, by);
  if (from->size > e->size)
    e->size = from->size;
}

/* FEC_UNKNOWNS: it has none. */
static unsigned
first_unknown (const FecEquation *e)
{
  unsigned i = 0;

  while (i < FEC_UNKNOWNS && e->coefficients[i] == 0)
    i++;
  return i;
}

static bool
is_solved (const FecEquation *e)
{
  unsigned unknowns = 0;

  for (unsigned i = 0; i < FEC_UNKNOWNS; i++)
    unknowns += e->coefficients[i] != 0;
  return unknowns == 1;
}

static void
remove_equation (FecDecoder *d, unsigned i)
{
  d->n_equations--;
  if (i != d->n_equations)
    d->equations[i] = d->equations[d->n_equations];
}

/* It tells `column`, which is gone from all others then. */
static void
set_pivot (FecDecoder *d, unsigned i, unsigned column)
{
  FecEquation *e = &d->equations[i];
  uint8_t inverse = gf256_inverse (e->coefficients[column]);

  gf256_scale (e->coefficients, FEC_UNKNOWNS, inverse);
  gf256_scale (e->data, e->size, inverse);
  e->pivot = column;
  for (unsigned k = 0; k < d->n_equations; k++)
    if (k != i)
      add_equation (&d->equations[k], e, d->equations[k].coefficients[column]);
}

/* False: it tells nothing, and is gone. */
static bool
choose_pivot (FecDecoder *d, unsigned i)
{
  unsigned column = first_unknown (&d->equations[i]);

  if (column == FEC_UNKNOWNS) {
    remove_equation (d, i);
    return false;
  }
  set_pivot (d, i, column);
  return true;
}

/* ---- unknowns ---- */

static unsigned
find_unknown (const FecDecoder *d, uint32_t seq)
{
  unsigned i = 0;

  while (i < FEC_UNKNOWNS && !(d->used[i] && d->unknowns[i] == seq))
    i++;
  return i;
}

/* Nobody will say any more what it was: one equation is given for it. */
static void
forget_unknown (FecDecoder *d, unsigned column)
{
  d->used[column] = false;
  for (unsigned i = 0; i < d->n_equations; i++)
    if (d->equations[i].coefficients[column] != 0) {
      set_pivot (d, i, column);
      remove_equation (d, i);
      return;
    }
}

/* Of those in use; there is one. */
static unsigned
oldest_unknown (const FecDecoder *d)
{
  unsigned oldest = 0;

  while (oldest < FEC_UNKNOWNS - 1 && !d->used[oldest])
    oldest++;
  for (unsigned i = oldest + 1; i < FEC_UNKNOWNS; i++)
    if (d->used[i] && (int32_t)(d->unknowns[i] - d->unknowns[oldest]) < 0)
      oldest = i;
  return oldest;
}

/* There is room. */
static unsigned
add_unknown (FecDecoder *d, uint32_t seq)
{
  unsigned i = find_unknown (d, seq);

  if (i < FEC_UNKNOWNS)
    return i;
  for (i = 0; i < FEC_UNKNOWNS - 1 && d->used[i]; i++) {
  }
  d->used[i] = true;
  d->unknowns[i] = seq;
  return i;
}

static void
forget_old (FecDecoder *d)
{
  for (unsigned i = 0; i < FEC_UNKNOWNS; i++)
    if (d->used[i] && d->newest - d->unknowns[i] > REACH)
      forget_unknown (d, i);
}

/* ---- what is known ---- */

static FecKnown *
place_of (FecDecoder *d, uint32_t seq)
{
  return &d->history[seq % FEC_HISTORY];
}

static FecKnown *
find_known (FecDecoder *d, uint32_t seq)
{
  FecKnown *k = place_of (d, seq);

  return k->known && k->seq == seq ? k : NULL;
}

static uint32_t
extend (const FecDecoder *d, uint16_t seq)
{
  return d->newest + (uint32_t)(int16_t)(seq - (uint16_t)d->newest);
}

/* False: too far behind to matter. A leap begins anew. */
static bool
advance (FecDecoder *d, uint32_t seq)
{
  uint32_t ahead = seq - d->newest;

  if (d->started && ahead > UINT32_MAX / 2)
    return -ahead < REACH;
  if (!d->started || ahead > FEC_HISTORY)
    fec_decoder_init (d, d->ssrc);
  d->started = true;
  d->newest = seq;
  forget_old (d);
  return true;
}

static void
note_fresh (FecDecoder *d, const FecKnown *k, bool fresh)
{
  d->n_fresh += fresh;
  d->n_fresh -= k->fresh;
}

static FecKnown *
keep (FecDecoder *d, uint32_t seq, const uint8_t *symbol, size_t size, bool fresh)
{
  FecKnown *k = place_of (d, seq);

  note_fresh (d, k, fresh);
  k->known = true;
  k->fresh = fresh;
  k->seq = seq;
  k->size = (uint16_t)size;
  memcpy (k->data, symbol, size);
  return k;
}

/* What an equation with one unknown says is a packet, or nonsense. */
static void
take_solution (FecDecoder *d, unsigned i)
{
  const FecEquation *e = &d->equations[i];
  uint32_t seq = d->unknowns[e->pivot];
  const uint8_t *packet;
  size_t size;

  packet = fec_symbol_packet (e->data, e->size, d->ssrc, (uint16_t)seq, &size);
  d->used[e->pivot] = false;
  if (packet != NULL) {
    keep (d, seq, e->data, (size_t)(packet - e->data) + size, true);
    d->restored++;
  } else {
    d->refused++;
  }
  remove_equation (d, i);
}

static void
take_solutions (FecDecoder *d)
{
  for (unsigned i = 0; i < d->n_equations;)
    if (is_solved (&d->equations[i]))
      take_solution (d, i);
    else
      i++;
}

/* A symbol is known that equations did not know. */
static void
put_in (FecDecoder *d, unsigned column, const FecKnown *k)
{
  d->used[column] = false;
  for (unsigned i = 0; i < d->n_equations;) {
    FecEquation *e = &d->equations[i];
    uint8_t coefficient = e->coefficients[column];

    if (coefficient == 0) {
      i++;
      continue;
    }
    gf256_add_multiplied (e->data, k->data, k->size, coefficient);
    e->size = k->size > e->size ? k->size : e->size;
    e->coefficients[column] = 0;
    if (e->pivot != column || choose_pivot (d, i))
      i++;
  }
}

void
fec_decoder_on_packet (FecDecoder *d, const uint8_t *packet, size_t size)
{
  uint8_t symbol[FEC_SYMBOL_MAX];
  RtpPacket parsed;
  unsigned column;
  FecKnown *k;
  uint32_t seq;

  if (!rtp_packet_parse (&parsed, packet, size) || parsed.ssrc != d->ssrc)
    return;
  seq = extend (d, parsed.seq);
  size = fec_symbol_make (symbol, packet, size, parsed.seq);
  if (size == 0 || !advance (d, seq) || find_known (d, seq) != NULL)
    return;
  k = keep (d, seq, symbol, size, false);
  column = find_unknown (d, seq);
  if (column == FEC_UNKNOWNS)
    return;
  put_in (d, column, k);
  take_solutions (d);
}

/* ---- sums ---- */

/* Columns for what of these packets is unknown and has none, at the cost of unknowns in front of them. */
static bool
make_room (FecDecoder *d, uint32_t first, unsigned n)
{
  unsigned needed = 0, taken = 0;

  for (unsigned i = 0; i < n; i++)
    needed += find_known (d, first + i) == NULL && find_unknown (d, first + i) == FEC_UNKNOWNS;
  for (unsigned i = 0; i < FEC_UNKNOWNS; i++)
    taken += d->used[i];
  for (; taken + needed > FEC_UNKNOWNS; taken--) {
    unsigned oldest = oldest_unknown (d);

    if (taken == 0 || (int32_t)(d->unknowns[oldest] - first) >= 0)
      return false;
    forget_unknown (d, oldest);
  }
  return true;
}

/* The sum without what is known. */
static bool
read_sum (FecDecoder *d, const FecHead *head, uint32_t first, FecEquation *e)
{
  uint8_t coefficients[FEC_WINDOW];

  fec_coefficients (coefficients, head->key, head->n);
  for (unsigned i = 0; i < head->n; i++) {
    const FecKnown *k = find_known (d, first + i);

    if (k == NULL)
      e->coefficients[add_unknown (d, first + i)] = coefficients[i];
    else if (k->size <= e->size)
      gf256_add_multiplied (e->data, k->data, k->size, coefficients[i]);
    else
      return false;
  }
  return true;
}

/* Without what the others tell. */
static void
reduce (const FecDecoder *d, FecEquation *e)
{
  for (unsigned i = 0; i < d->n_equations; i++)
    add_equation (e, &d->equations[i], e->coefficients[d->equations[i].pivot]);
}

static bool
is_within_reach (const FecDecoder *d, uint32_t first, uint32_t last)
{
  return (int32_t)(d->newest - first) < REACH && (int32_t)(last - d->newest) <= FEC_WINDOW;
}

/* Into d->incoming. */
static bool
take_sum (FecDecoder *d, const uint8_t *payload, size_t size)
{
  FecEquation *e = &d->incoming;
  uint32_t first, last;
  FecHead head;

  if (!d->started || !fec_head_parse (&head, payload, size))
    return false;
  first = extend (d, (uint16_t)head.first);
  last = first + head.n - 1;
  if (!is_within_reach (d, first, last))
    return false;
  if ((int32_t)(last - d->newest) > 0)
    advance (d, last);
  memset (e, 0, sizeof *e);
  e->size = size - FEC_HEAD_BYTES;
  memcpy (e->data, payload + FEC_HEAD_BYTES, e->size);
  return make_room (d, first, head.n) && read_sum (d, &head, first, e);
}

/* There are no more equations than unknowns, so there is room for one more until it is reduced. */
void
fec_decoder_on_sum (FecDecoder *d, const uint8_t *payload, size_t size)
{
  d->sums++;
  if (!take_sum (d, payload, size)) {
    d->refused++;
    return;
  }
  reduce (d, &d->incoming);
  if (first_unknown (&d->incoming) == FEC_UNKNOWNS) {
    d->useless++;
    return;
  }
  d->equations[d->n_equations++] = d->incoming;
  choose_pivot (d, d->n_equations - 1);
  take_solutions (d);
}

size_t
fec_decoder_take (FecDecoder *d, uint8_t *out, size_t capacity)
{
  for (uint32_t back = FEC_HISTORY; d->n_fresh > 0 && back-- > 0;) {
    FecKnown *k = place_of (d, d->newest - back);
    const uint8_t *packet;
    size_t size;

    if (!k->fresh)
      continue;
    k->fresh = false;
    d->n_fresh--;
    packet = fec_symbol_packet (k->data, k->size, d->ssrc, (uint16_t)k->seq, &size);
    if (packet == NULL || size > capacity)
      continue;
    memcpy (out, packet, size);
    return size;
  }
  return 0;
}
