/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fecencoder.h"

#include <string.h>

#include "gf256.h"

void
fec_encoder_init (FecEncoder *e, CcDuration span, uint16_t key)
{
  e->span = span;
  e->newest = 0;
  e->count = 0;
  e->key = key;
}

void
fec_encoder_set_span (FecEncoder *e, CcDuration span)
{
  e->span = span;
}

static FecSymbol *
symbol_of (FecEncoder *e, uint32_t seq)
{
  return &e->symbols[seq % FEC_WINDOW];
}

void
fec_encoder_on_packet (FecEncoder *e, const uint8_t *packet, size_t size, uint16_t seq, CcTime now)
{
  FecSymbol *symbol;

  if (e->count == 0 || (uint16_t)(e->newest + 1) != seq) {
    e->count = 0;
    e->newest = (e->newest & ~0xffffu) | seq;
  } else {
    e->newest++;
  }
  symbol = symbol_of (e, e->newest);
  symbol->size = (uint16_t)fec_symbol_make (symbol->data, packet, size, seq);
  symbol->sent_at = now;
  e->count = symbol->size == 0 ? 0 : e->count < FEC_WINDOW ? e->count + 1 : FEC_WINDOW;
}

/* At least the newest. */
static void
forget_old (FecEncoder *e, CcTime now)
{
  while (e->count > 1 && cc_time_since (now, symbol_of (e, e->newest - e->count + 1)->sent_at) > e->span)
    e->count--;
}

static size_t
longest (FecEncoder *e)
{
  size_t most = 0;

  for (unsigned i = 0; i < e->count; i++)
    if (symbol_of (e, e->newest - i)->size > most)
      most = symbol_of (e, e->newest - i)->size;
  return most;
}

size_t
fec_encoder_size (FecEncoder *e, CcTime now)
{
  forget_old (e, now);
  return e->count > 0 ? FEC_HEAD_BYTES + longest (e) : 0;
}

size_t
fec_encoder_repair (FecEncoder *e, uint8_t *out, size_t capacity, CcTime now)
{
  uint8_t coefficients[FEC_WINDOW];
  FecHead head;
  size_t size;

  size = fec_encoder_size (e, now);
  if (size == 0 || capacity < size)
    return 0;
  head = (FecHead){.key = e->key++, .n = e->count, .first = e->newest - e->count + 1};
  fec_head_write (out, &head);
  fec_coefficients (coefficients, head.key, head.n);
  memset (out + FEC_HEAD_BYTES, 0, size - FEC_HEAD_BYTES);
  for (unsigned i = 0; i < head.n; i++) {
    const FecSymbol *symbol = symbol_of (e, head.first + i);

    gf256_add_multiplied (out + FEC_HEAD_BYTES, symbol->data, symbol->size, coefficients[i]);
  }
  return size;
}
