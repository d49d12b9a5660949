/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "flowcount.h"
#include "flowhash.h"

#include <math.h>
#include <string.h>

#define NONE FLOW_COUNT_TABLE
#define DEFAULT_LIFE (2 * CC_SECOND)
#define MIN_LIFE (10 * CC_MSECOND)
#define MAX_LIFE (60 * CC_SECOND)
#define EXPIRED_PER_PACKET 2

static bool
life_is_valid (CcDuration life)
{
  return life >= MIN_LIFE && life <= MAX_LIFE;
}

void
flow_count_params_init (FlowCountParams *params)
{
  *params = (FlowCountParams){.mode = FLOW_COUNT_EXACT, .life = DEFAULT_LIFE};
}

void
flow_count_init (FlowCount *f, const FlowCountParams *params)
{
  *f = (FlowCount){
      .params = *params, .span_at = CC_TIME_NONE, .missed_at = CC_TIME_NONE, .newest = NONE, .oldest = NONE};
  if (!life_is_valid (f->params.life))
    f->params.life = DEFAULT_LIFE;
  for (uint16_t i = 0; i < FLOW_COUNT_TABLE; i++) {
    f->heads[i] = NONE;
    f->table[i].chain = (uint16_t)(i + 1);
  }
}

void
flow_count_set_life (FlowCount *f, CcDuration life)
{
  if (life_is_valid (life))
    f->params.life = life;
}

/* The running span becomes the one before. */
static void
turn (FlowCount *f)
{
  f->running ^= 1;
  memset (f->bits[f->running], 0, sizeof f->bits[f->running]);
  f->set_both = f->set_running;
  f->set_running = 0;
}

static void
advance (FlowCount *f, CcTime now)
{
  CcDuration elapsed = cc_time_since (now, f->span_at), life = f->params.life;

  if (f->span_at == CC_TIME_NONE) {
    f->span_at = now;
  } else if (elapsed >= life) {
    turn (f);
    if (elapsed >= 2 * life)
      turn (f);
    f->span_at += elapsed / life * life;
  }
}

/* Returns true where it was clear in both. */
static bool
set_bit (FlowCount *f, uint64_t h)
{
  uint64_t place = h >> 32 & (FLOW_COUNT_BITS - 1), bit = (uint64_t)1 << (place & 63);
  uint64_t *running = &f->bits[f->running][place / 64];
  bool before = f->bits[f->running ^ 1][place / 64] & bit;

  if (*running & bit)
    return false;
  *running |= bit;
  f->set_running++;
  f->set_both += !before;
  return !before;
}

static uint16_t *
head_of (FlowCount *f, uint64_t id)
{
  return &f->heads[flow_hash_spread (id, f->params.key) & (FLOW_COUNT_TABLE - 1)];
}

static uint16_t
find (FlowCount *f, uint64_t id)
{
  uint16_t i = *head_of (f, id);

  while (i != NONE && f->table[i].id != id)
    i = f->table[i].chain;
  return i;
}

static void
list_remove (FlowCount *f, uint16_t i)
{
  const FlowCountEntry *e = &f->table[i];

  *(e->newer == NONE ? &f->newest : &f->table[e->newer].older) = e->older;
  *(e->older == NONE ? &f->oldest : &f->table[e->older].newer) = e->newer;
}

static void
list_add (FlowCount *f, uint16_t i, CcTime now)
{
  FlowCountEntry *e = &f->table[i];

  e->at = now;
  e->newer = NONE;
  e->older = f->newest;
  *(f->newest == NONE ? &f->oldest : &f->table[f->newest].newer) = i;
  f->newest = i;
}

static void
release (FlowCount *f, uint16_t i)
{
  uint16_t *link = head_of (f, f->table[i].id);

  while (*link != i)
    link = &f->table[*link].chain;
  *link = f->table[i].chain;
  list_remove (f, i);
  f->table[i].chain = f->unused;
  f->unused = i;
  f->in_table--;
}

static void
expire (FlowCount *f, CcTime now, unsigned at_most)
{
  while (f->oldest != NONE && at_most-- > 0 && cc_time_since (now, f->table[f->oldest].at) >= f->params.life)
    release (f, f->oldest);
}

static void
place (FlowCount *f, uint64_t id, CcTime now)
{
  uint16_t i = f->unused, *head = head_of (f, id);

  f->unused = f->table[i].chain;
  f->table[i].id = id;
  f->table[i].chain = *head;
  *head = i;
  list_add (f, i, now);
  f->in_table++;
}

static bool
note_exactly (FlowCount *f, uint64_t id, bool unseen, CcTime now)
{
  uint16_t i;

  expire (f, now, EXPIRED_PER_PACKET);
  i = find (f, id);
  if (i != NONE) {
    unseen = cc_time_since (now, f->table[i].at) >= f->params.life;
    list_remove (f, i);
    list_add (f, i, now);
    return unseen;
  }
  if (f->unused == NONE) {
    f->missed++;
    f->missed_at = now;
    return unseen;
  }
  place (f, id, now);
  return true;
}

bool
flow_count_on_packet (FlowCount *f, uint64_t id, CcTime now)
{
  bool unseen;

  advance (f, now);
  unseen = set_bit (f, flow_hash_spread (id, f->params.key));
  return f->params.mode == FLOW_COUNT_EXACT ? note_exactly (f, id, unseen, now) : unseen;
}

double
flow_count_estimate (FlowCount *f, CcTime now)
{
  advance (f, now);
  /* all set: as if half a bit were clear */
  return -FLOW_COUNT_BITS * log (fmax (FLOW_COUNT_BITS - (double)f->set_both, 0.5) / FLOW_COUNT_BITS);
}

double
flow_count (FlowCount *f, CcTime now)
{
  if (f->params.mode == FLOW_COUNT_ESTIMATED)
    return flow_count_estimate (f, now);
  expire (f, now, FLOW_COUNT_TABLE);
  if (f->missed_at != CC_TIME_NONE && cc_time_since (now, f->missed_at) < f->params.life)
    return fmax (flow_count_estimate (f, now), f->in_table);
  return f->in_table;
}
