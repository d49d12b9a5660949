/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "arrivalhistory.h"
#include <string.h>

#define NO_NUMBER UINT64_MAX

static Arrival *
slot_of (ArrivalHistory *h, uint64_t number)
{
  return &h->ring[number % ARRIVAL_HISTORY_SLOTS];
}

static void
forget_all (ArrivalHistory *h)
{
  for (unsigned i = 0; i < ARRIVAL_HISTORY_SLOTS; i++)
    h->ring[i] = (Arrival){.at = CC_TIME_NONE};
  h->number = (CcUnwrap){0};
  h->first = h->highest = h->next = 0;
  h->late = h->resume = NO_NUMBER;
  h->has_jumped = false;
}

void
arrival_history_init (ArrivalHistory *h, unsigned overlap)
{
  memset (h, 0, sizeof *h);
  h->overlap = overlap < ARRIVAL_HISTORY_SLOTS / 2 ? overlap : ARRIVAL_HISTORY_SLOTS / 2;
  forget_all (h);
}

static uint64_t
lowest (const ArrivalHistory *h)
{
  uint64_t low = h->highest + 1 - ARRIVAL_HISTORY_SLOTS; /* numbers start a cycle up */

  return low > h->first ? low : h->first;
}

static void
give_up_below (ArrivalHistory *h, uint64_t low)
{
  if (h->next < low) {
    h->overrun += low - h->next;
    h->next = low;
  }
  if (h->late < low)
    h->late = low < h->next ? low : NO_NUMBER;
  if (h->resume < low)
    h->resume = low;
}

static void
advance (ArrivalHistory *h, uint64_t number)
{
  uint64_t steps = number - h->highest;

  for (uint64_t i = 1; i <= steps && i <= ARRIVAL_HISTORY_SLOTS; i++)
    *slot_of (h, number + 1 - i) = (Arrival){.at = CC_TIME_NONE};
  h->highest = number;
  give_up_below (h, lowest (h));
}

static void
begin (ArrivalHistory *h, uint16_t number)
{
  forget_all (h);
  h->first = h->highest = h->next = cc_unwrap (&h->number, number, 16);
}

/* RFC 3550 A.1: a jump is believed when the packet that follows goes on from there. */
static bool
goes_on_from_jump (ArrivalHistory *h, uint16_t number)
{
  bool goes_on = h->has_jumped && number == h->jumped_to;

  h->has_jumped = true;
  h->jumped_to = (uint16_t)(number + 1);
  return goes_on;
}

static bool
has_jumped (const ArrivalHistory *h, uint16_t number)
{
  int step = (int16_t)(uint16_t)(number - (uint16_t)h->highest);

  return h->number.started && (step > ARRIVAL_HISTORY_MAX_JUMP || step < -ARRIVAL_HISTORY_MAX_JUMP);
}

static ArrivalVerdict
note_duplicate (ArrivalHistory *h, Arrival *arrival, ArrivalEcn ecn)
{
  h->duplicates++;
  if (ecn == ARRIVAL_CE)
    arrival->ecn = ARRIVAL_CE;
  return ARRIVAL_DUPLICATE;
}

static ArrivalVerdict
note_arrival (ArrivalHistory *h, uint64_t number, ArrivalEcn ecn, CcTime arrived_at)
{
  Arrival *arrival = slot_of (h, number);

  if (number > h->highest)
    advance (h, number);
  if (number + ARRIVAL_HISTORY_SLOTS <= h->highest) {
    h->too_late++;
    return ARRIVAL_LATE;
  }
  if (arrival->at != CC_TIME_NONE)
    return note_duplicate (h, arrival, ecn);
  if (number < h->first)
    h->first = number;
  if (number < h->next && number < h->late)
    h->late = number;
  *arrival = (Arrival){.at = arrived_at == CC_TIME_NONE ? CC_TIME_NONE - 1 : arrived_at, .ecn = (uint8_t)(ecn & 3)};
  return ARRIVAL_NEW;
}

ArrivalVerdict
arrival_history_on_packet (ArrivalHistory *h, uint16_t number, ArrivalEcn ecn, CcTime arrived_at)
{
  ArrivalVerdict verdict = ARRIVAL_NEW;

  h->packets++;
  if (!h->number.started) {
    begin (h, number);
  } else if (has_jumped (h, number)) {
    h->jumps++;
    if (!goes_on_from_jump (h, number))
      return ARRIVAL_JUMP;
    h->restarts++;
    begin (h, number);
    verdict = ARRIVAL_RESTART;
  }
  h->has_jumped = false;
  if (verdict == ARRIVAL_RESTART) {
    note_arrival (h, h->highest, ecn, arrived_at);
    return verdict;
  }
  return note_arrival (h, cc_unwrap (&h->number, number, 16), ecn, arrived_at);
}

static uint64_t
range_begin (const ArrivalHistory *h)
{
  uint64_t low = lowest (h), first = h->next > h->overlap ? h->next - h->overlap : 0;

  if (h->resume != NO_NUMBER)
    return h->resume;
  if (h->late < first)
    first = h->late;
  return first > low ? first : low;
}

bool
arrival_history_range (const ArrivalHistory *h, ArrivalRange *range)
{
  if (!h->number.started || (h->next > h->highest && h->late == NO_NUMBER))
    return false;
  range->begin = range_begin (h);
  range->count = (unsigned)(h->highest + 1 - range->begin);
  return true;
}

/* The next arrival below `next` that no report has. */
static uint64_t
find_late (const ArrivalHistory *h, uint64_t from)
{
  for (uint64_t i = from; i < h->next; i++) {
    const Arrival *arrival = arrival_history_get (h, i);
    if (arrival != NULL && arrival->at != CC_TIME_NONE && !arrival->announced)
      return i;
  }
  return NO_NUMBER;
}

void
arrival_history_reported (ArrivalHistory *h, unsigned taken)
{
  ArrivalRange range;
  uint64_t end;

  if (!arrival_history_range (h, &range))
    return;
  end = range.begin + (taken < range.count ? taken : range.count);
  for (uint64_t i = range.begin; i < end; i++)
    slot_of (h, i)->announced = slot_of (h, i)->at != CC_TIME_NONE;
  if (end > h->next)
    h->next = end;
  h->resume = end <= h->highest ? end : NO_NUMBER;
  if (h->late != NO_NUMBER)
    h->late = find_late (h, h->late);
}

const Arrival *
arrival_history_get (const ArrivalHistory *h, uint64_t number)
{
  if (!h->number.started || number > h->highest || number < lowest (h))
    return NULL;
  return &h->ring[number % ARRIVAL_HISTORY_SLOTS];
}
