/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "referencechoice.h"

#include <math.h>
#include <string.h>

static ReferencePicture *
slot_of (ReferenceChoice *c, uint64_t picture)
{
  return &c->ring[picture % REFERENCE_PICTURES];
}

static bool
is_kept (const ReferenceChoice *c, uint64_t picture)
{
  return picture < c->next && c->next - picture <= REFERENCE_PICTURES;
}

void
reference_choice_init (ReferenceChoice *c, ReferenceMode mode)
{
  memset (c, 0, sizeof *c);
  c->mode = mode;
  c->in_force = mode == REFERENCE_ACK ? REFERENCE_ACK : REFERENCE_NACK;
  c->told = c->told_lost = c->answer = c->stored = REFERENCE_NO_PICTURE;
  for (unsigned b = 0; b < REFERENCE_BUFFERS; b++)
    c->buffers[b].picture = REFERENCE_NO_PICTURE;
}

void
reference_choice_want_key (ReferenceChoice *c)
{
  c->key_wanted = true;
}

PictureHealth
reference_choice_health (const ReferenceChoice *c, unsigned buffer)
{
  return c->buffers[buffer].picture == REFERENCE_NO_PICTURE ? PICTURE_BAD : c->buffers[buffer].health;
}

/* ---- what is known of pictures ---- */

static bool
was_passed_over (const ReferenceChoice *c, uint64_t picture)
{
  return c->told != REFERENCE_NO_PICTURE && picture < c->told;
}

/* Of a picture too old to be kept its children have taken over what was known. */
static PictureHealth
health_of_parents (const ReferenceChoice *c, const ReferencePicture *p)
{
  PictureHealth worst = PICTURE_GOOD;

  for (unsigned i = 0; i < p->n_parents; i++) {
    const ReferencePicture *parent = &c->ring[p->parents[i] % REFERENCE_PICTURES];

    if (!is_kept (c, p->parents[i]))
      continue;
    if (parent->health == PICTURE_BAD)
      return PICTURE_BAD;
    if (parent->health == PICTURE_PENDING)
      worst = PICTURE_PENDING;
  }
  return worst;
}

static PictureHealth
judge (const ReferenceChoice *c, uint64_t number)
{
  const ReferencePicture *p = &c->ring[number % REFERENCE_PICTURES];
  PictureHealth parents = health_of_parents (c, p);
  bool silence_is_consent = c->in_force == REFERENCE_NACK && was_passed_over (c, number);

  if (p->health == PICTURE_BAD || p->verdict == PICTURE_LOST || parents == PICTURE_BAD)
    return PICTURE_BAD;
  return p->verdict == PICTURE_ARRIVED || silence_is_consent ? parents : PICTURE_PENDING;
}

static void
judge_all (ReferenceChoice *c)
{
  uint64_t first = c->next > REFERENCE_PICTURES ? c->next - REFERENCE_PICTURES : 0;

  for (uint64_t i = first; i < c->next; i++)
    slot_of (c, i)->health = judge (c, i);
  for (unsigned b = 0; b < REFERENCE_BUFFERS; b++)
    if (is_kept (c, c->buffers[b].picture))
      c->buffers[b].health = slot_of (c, c->buffers[b].picture)->health;
}

/* ---- the mode ---- */

static double
share_lost (const ReferenceChoice *c)
{
  unsigned told = 0, lost = 0;

  for (uint64_t i = c->next > REFERENCE_PICTURES ? c->next - REFERENCE_PICTURES : 0; i < c->next; i++) {
    told += c->ring[i % REFERENCE_PICTURES].verdict != PICTURE_UNTOLD;
    lost += c->ring[i % REFERENCE_PICTURES].verdict == PICTURE_LOST;
  }
  return told > 0 ? (double)lost / told : 0;
}

static void
choose_mode (ReferenceChoice *c)
{
  bool mostly_whole = pow (1 - share_lost (c), c->delay + 1) > 0.5;

  c->in_force = c->mode != REFERENCE_AUTO ? c->mode : mostly_whole ? REFERENCE_NACK : REFERENCE_ACK;
}

/* ---- the plan ---- */

static unsigned
buffers_of_health (const ReferenceChoice *c, PictureHealth health)
{
  unsigned mask = 0;

  for (unsigned b = 0; b < REFERENCE_BUFFERS; b++)
    if (reference_choice_health (c, b) == health)
      mask |= REFERENCE_BIT (b);
  return mask;
}

/* Before the first acknowledgement: as little as possible at stake. */
static unsigned
oldest_of (const ReferenceChoice *c, unsigned mask)
{
  unsigned oldest = 0;

  for (unsigned b = 0; b < REFERENCE_BUFFERS; b++)
    if ((mask & REFERENCE_BIT (b)) != 0 &&
        ((mask & REFERENCE_BIT (oldest)) == 0 || c->buffers[b].picture < c->buffers[oldest].picture))
      oldest = b;
  return mask & REFERENCE_BIT (oldest);
}

static unsigned
newest_of (const ReferenceChoice *c, unsigned mask)
{
  unsigned newest = 0;

  for (unsigned b = 0; b < REFERENCE_BUFFERS; b++)
    if ((mask & REFERENCE_BIT (b)) != 0 &&
        ((mask & REFERENCE_BIT (newest)) == 0 || c->buffers[b].picture >= c->buffers[newest].picture))
      newest = b;
  return mask & REFERENCE_BIT (newest);
}

static unsigned
plan_from (const ReferenceChoice *c)
{
  unsigned good = buffers_of_health (c, PICTURE_GOOD), pending = buffers_of_health (c, PICTURE_PENDING);

  if (c->in_force == REFERENCE_ACK)
    return good != 0 ? good : oldest_of (c, pending);
  return c->sure && good != 0 ? good : good | pending;
}

/* Buffers, of these, that may be overwritten: not the newest good picture, and none that may still be acknowledged. */
static unsigned
replaceable (const ReferenceChoice *c, unsigned mask)
{
  unsigned keep = newest_of (c, mask & buffers_of_health (c, PICTURE_GOOD)), may = 0;

  if (keep == 0)
    keep = oldest_of (c, mask & buffers_of_health (c, PICTURE_PENDING));
  for (unsigned b = 0; b < REFERENCE_BUFFERS; b++) {
    const ReferenceBuffer *buffer = &c->buffers[b];
    bool waits = reference_choice_health (c, b) == PICTURE_PENDING && !was_passed_over (c, buffer->picture);

    for (unsigned other = 0; waits && other < REFERENCE_BUFFERS; other++)
      if ((keep & REFERENCE_BIT (other)) != 0 && c->buffers[other].picture == buffer->picture)
        waits = false;
    if ((mask & ~keep & REFERENCE_BIT (b)) != 0 && !waits)
      may |= REFERENCE_BIT (b);
  }
  return may;
}

/* The two buffers under way hold pictures half a round trip apart, so that the newest good one is no older than one and
   a half. */
static bool
is_time_to_store (const ReferenceChoice *c)
{
  return c->stored == REFERENCE_NO_PICTURE || c->next - c->stored >= (c->delay + 1) / 2;
}

static unsigned
plan_into (const ReferenceChoice *c)
{
  unsigned spare = REFERENCE_BIT (REFERENCE_GOLDEN) | REFERENCE_BIT (REFERENCE_ALTREF);

  if (c->in_force == REFERENCE_ACK)
    return is_time_to_store (c) ? oldest_of (c, replaceable (c, REFERENCE_ALL)) : 0;
  return REFERENCE_BIT (REFERENCE_LAST) | oldest_of (c, replaceable (c, spare));
}

ReferencePlan
reference_choice_plan (const ReferenceChoice *c)
{
  ReferencePlan plan = {.from = plan_from (c)};

  plan.key = c->key_wanted || plan.from == 0;
  if (plan.key)
    plan.from = 0;
  plan.into = plan.key ? REFERENCE_ALL : plan_into (c);
  return plan;
}

/* ---- what happens ---- */

static void
note_parents (ReferenceChoice *c, ReferencePicture *p, unsigned from)
{
  for (unsigned b = 0; b < REFERENCE_BUFFERS; b++)
    if ((from & REFERENCE_BIT (b)) != 0)
      p->parents[p->n_parents++] = c->buffers[b].picture;
}

static void
begin_anew (ReferenceChoice *c)
{
  c->told = c->told_lost = c->answer = c->stored = REFERENCE_NO_PICTURE;
  c->key_wanted = false;
  c->stats.keys++;
}

uint64_t
reference_choice_on_picture (ReferenceChoice *c, const ReferencePlan *plan, bool key)
{
  uint64_t number = c->next++;
  ReferencePicture *p = slot_of (c, number);
  unsigned into = key ? REFERENCE_ALL : plan->into;

  memset (p, 0, sizeof *p);
  c->stats.pictures++;
  if (key)
    begin_anew (c);
  else
    note_parents (c, p, plan->from);
  if (!key && reference_choice_health (c, REFERENCE_LAST) == PICTURE_BAD && c->in_force == REFERENCE_NACK)
    c->stats.repairs++;
  if (c->asked)
    c->answer = number;
  c->sure = c->asked = false;
  if (into != 0)
    c->stored = number;
  for (unsigned b = 0; b < REFERENCE_BUFFERS; b++)
    if ((into & REFERENCE_BIT (b)) != 0)
      c->buffers[b] = (ReferenceBuffer){.picture = number};
  judge_all (c);
  return number;
}

uint64_t
reference_choice_find (const ReferenceChoice *c, uint32_t low, unsigned bits)
{
  uint64_t mask = ((uint64_t)1 << bits) - 1, back;

  if (c->next == 0)
    return REFERENCE_NO_PICTURE;
  back = (c->next - 1 - low) & mask;
  return back < c->next && is_kept (c, c->next - 1 - back) ? c->next - 1 - back : REFERENCE_NO_PICTURE;
}

void
reference_choice_on_verdict (ReferenceChoice *c, uint64_t picture, bool arrived)
{
  if (!is_kept (c, picture) || slot_of (c, picture)->verdict != PICTURE_UNTOLD) {
    c->stats.ignored++;
    return;
  }
  slot_of (c, picture)->verdict = arrived ? PICTURE_ARRIVED : PICTURE_LOST;
  arrived ? c->stats.arrived++ : c->stats.lost++;
  if (!arrived && (c->told_lost == REFERENCE_NO_PICTURE || picture > c->told_lost))
    c->told_lost = picture;
  if (c->told == REFERENCE_NO_PICTURE || picture > c->told) {
    c->told = picture;
    c->delay = (unsigned)(c->next - 1 - picture);
  }
  choose_mode (c);
  judge_all (c);
}

/* What was taken for granted is not any more. */
static void
doubt_the_silent (ReferenceChoice *c)
{
  uint64_t first = c->next > REFERENCE_PICTURES ? c->next - REFERENCE_PICTURES : 0;

  for (uint64_t i = first; i < c->next && was_passed_over (c, i); i++)
    if (slot_of (c, i)->verdict == PICTURE_UNTOLD)
      slot_of (c, i)->verdict = PICTURE_LOST;
  judge_all (c);
}

typedef enum { ANSWER_NONE, ANSWER_UNDER_WAY, ANSWER_ARRIVED } Answer;

/* To the indication before this one; a loss after it is another matter. */
static Answer
answer_before (const ReferenceChoice *c)
{
  const ReferencePicture *p = &c->ring[c->answer % REFERENCE_PICTURES];

  if (c->answer == REFERENCE_NO_PICTURE || !is_kept (c, c->answer) ||
      (c->told_lost != REFERENCE_NO_PICTURE && c->told_lost >= c->answer))
    return ANSWER_NONE;
  return p->verdict == PICTURE_UNTOLD && !was_passed_over (c, c->answer) ? ANSWER_UNDER_WAY : ANSWER_ARRIVED;
}

bool
reference_choice_on_picture_loss (ReferenceChoice *c)
{
  Answer before = answer_before (c);

  if (c->asked || before == ANSWER_UNDER_WAY)
    return false;
  if (c->told == REFERENCE_NO_PICTURE || before == ANSWER_ARRIVED)
    return true;
  doubt_the_silent (c);
  if (buffers_of_health (c, PICTURE_GOOD) == 0)
    return true;
  c->sure = c->asked = true;
  return false;
}

void
reference_choice_on_skipped (ReferenceChoice *c)
{
  c->sure = true;
}

void
reference_choice_set_mode (ReferenceChoice *c, ReferenceMode mode)
{
  c->mode = mode;
  choose_mode (c);
  judge_all (c);
}
