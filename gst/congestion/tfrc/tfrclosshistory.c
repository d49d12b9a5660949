/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrclosshistory.h"

#include <math.h>
#include <string.h>

#define N TFRC_INTERVALS
#define THRESHOLD 0.25 /* RFC 5348 5.5 */

/* RFC 5348 5.4: i < n/2 ? 1 : 2 (n - i)/(n + 2) */
static const double w[N] = {1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2};

CcDuration
tfrc_loss_outage (CcDuration R)
{
  return TFRC_OUTAGE > 4 * R ? TFRC_OUTAGE : 4 * R;
}

void
tfrc_loss_history_params_init (TfrcLossHistoryParams *params)
{
  params->history_discounting = true;
}

void
tfrc_loss_history_init (TfrcLossHistory *h, const TfrcLossHistoryParams *params)
{
  memset (h, 0, sizeof *h);
  h->params = *params;
}

/* DF of RFC 5348 5.5: how much a long open interval discounts the ones before it. */
static double
open_discount (const TfrcLossHistory *h)
{
  double total = 0, weight = 0, mean;

  if (!h->params.history_discounting || h->n_intervals < 2)
    return 1;
  for (unsigned i = 1; i < h->n_intervals; i++) {
    total += h->intervals[i].length * w[i - 1] * h->intervals[i].discount;
    weight += w[i - 1] * h->intervals[i].discount;
  }
  mean = total / weight;
  return h->intervals[0].length > 2 * mean ? fmax (2 * mean / h->intervals[0].length, THRESHOLD) : 1;
}

double
tfrc_loss_history_p (const TfrcLossHistory *h)
{
  double DF = open_discount (h), T0, T1 = 0, W0 = 1, W1 = 0;

  if (h->n_intervals == 0)
    return 0;
  T0 = h->intervals[0].length;
  for (unsigned i = 1; i < h->n_intervals; i++) {
    const TfrcInterval *I = &h->intervals[i];
    if (i < h->n_intervals - 1) {
      T0 += I->length * w[i] * I->discount * DF;
      W0 += w[i] * I->discount * DF;
    }
    T1 += I->length * w[i - 1] * I->discount;
    W1 += w[i - 1] * I->discount;
  }
  return fmin (W1 > 0 ? fmin (W0 / T0, W1 / T1) : W0 / T0, 1);
}

void
tfrc_loss_history_set_first_interval (TfrcLossHistory *h, double packets)
{
  for (unsigned i = 0; i < h->n_intervals; i++)
    if (h->intervals[i].synthetic)
      h->intervals[i].length = packets >= 1 ? packets : 1;
}

static void
refresh_open_interval (TfrcLossHistory *h)
{
  if (h->n_intervals > 0)
    h->intervals[0].length = (double)(h->highest_seq - h->intervals[0].start_seq + 1);
}

static void
shift_in (TfrcLossHistory *h, const TfrcInterval *interval)
{
  if (h->n_intervals > N)
    h->n_intervals = N;
  memmove (&h->intervals[1], &h->intervals[0], h->n_intervals * sizeof *interval);
  h->intervals[0] = *interval;
  h->n_intervals++;
}

static void
add_synthetic_interval (TfrcLossHistory *h, uint64_t seq)
{
  TfrcInterval before = {.length = 1, .discount = 1, .synthetic = true};

  if (seq > h->first_seq)
    before.length = (double)(seq - h->first_seq);
  shift_in (h, &before);
}

/* A loss event begins at seq (RFC 5348 5.2). */
static void
begin_event (TfrcLossHistory *h, uint64_t seq, CcTime at)
{
  TfrcInterval open = {.discount = 1, .start_seq = seq, .start_at = at};

  if (h->loss_events++ == 0 && h->n_intervals == 0)
    add_synthetic_interval (h, seq);
  if (h->n_intervals > 0 && !h->intervals[0].synthetic)
    h->intervals[0].length = (double)(seq - h->intervals[0].start_seq);
  shift_in (h, &open);
  refresh_open_interval (h);
}

/* What a new event does to the older intervals, before they shift (RFC 5348 5.5). */
static void
apply_discount (TfrcLossHistory *h)
{
  double DF = open_discount (h);

  for (unsigned i = 1; i < h->n_intervals; i++)
    h->intervals[i].discount *= DF;
}

/* ns between the nominal times of neighbours in a hole; 0 for a mark, which has its own time. */
static double
hole_spacing (const TfrcHole *hole)
{
  if (hole->after_seq <= hole->before_seq)
    return 0;
  return (double)cc_time_since (hole->after_at, hole->before_at) / (double)(hole->after_seq - hole->before_seq);
}

/* T_loss of RFC 5348 5.2. */
static CcTime
nominal_time (const TfrcHole *hole, uint64_t seq)
{
  return cc_time_add (hole->before_at, (CcDuration)(hole_spacing (hole) * (double)(seq - hole->before_seq)));
}

/* The first number of the hole, from `seq` on, that opens a new event; last_seq + 1 where all belong to the present
   one. In closed form: a hole may span thousands. */
static uint64_t
next_event_start (const TfrcLossHistory *h, const TfrcHole *hole, uint64_t seq, CcDuration R)
{
  double spacing = hole_spacing (hole), steps;
  CcTime end;

  if (h->n_intervals == 0 || h->intervals[0].synthetic)
    return seq;
  end = cc_time_add (h->intervals[0].start_at, R > 0 ? R : CC_TIME_NONE - 1);
  if (nominal_time (hole, seq) > end)
    return seq;
  if (spacing <= 0)
    return hole->last_seq + 1;
  steps = floor ((double)cc_time_since (end, hole->before_at) / spacing) + 1;
  if (steps > (double)(hole->last_seq - hole->before_seq))
    return hole->last_seq + 1;
  return hole->before_seq + (uint64_t)steps > seq ? hole->before_seq + (uint64_t)steps : seq + 1;
}

/* Leaves out events that n + 1 later ones of the same hole push out of the history again. */
static uint64_t
skip_forgotten_events (TfrcLossHistory *h, const TfrcHole *hole, uint64_t seq, CcDuration R)
{
  double spacing = hole_spacing (hole);
  uint64_t step, events;

  if (spacing <= 0 || R == 0 || (double)R / spacing > (double)(hole->last_seq - seq))
    return seq;
  step = (uint64_t)((double)R / spacing) + 1;
  events = (hole->last_seq - seq) / step;
  if (events <= N + 1)
    return seq;
  h->loss_events += events - (N + 1);
  return seq + (events - (N + 1)) * step;
}

/* Groups the lost packets of a hole, from `seq` on, into events. Returns how many began. */
static unsigned
group_losses (TfrcLossHistory *h, const TfrcHole *hole, uint64_t seq, CcDuration R, bool discount)
{
  unsigned events = 0;

  if (seq < hole->first_seq)
    seq = hole->first_seq;
  for (seq = next_event_start (h, hole, seq, R); seq <= hole->last_seq; seq = next_event_start (h, hole, seq + 1, R)) {
    if (discount)
      apply_discount (h);
    if (events++ == 1)
      seq = skip_forgotten_events (h, hole, seq, R);
    begin_event (h, seq, nominal_time (hole, seq));
    if (seq == hole->last_seq)
      break;
  }
  return events;
}

static unsigned
settle (TfrcLossHistory *h, TfrcHole *hole, CcDuration R)
{
  bool first = h->loss_events == 0;

  if (hole->lost)
    return TFRC_LOSS_NOTHING;
  hole->lost = true;
  if (!hole->mark)
    h->lost_packets += hole->last_seq - hole->first_seq + 1;
  if (group_losses (h, hole, hole->first_seq, R, true) == 0)
    return TFRC_LOSS_NOTHING;
  return TFRC_LOSS_NEW_EVENT | (first ? TFRC_LOSS_FIRST_EVENT : 0);
}

/* RFC 5348 5.1: seq is a higher number to every hole below it. The ones not yet lost come last. */
static unsigned
count_for_holes_below (TfrcLossHistory *h, uint64_t seq, bool ce, CcDuration R)
{
  unsigned first = h->n_holes, changes = TFRC_LOSS_NOTHING;

  while (first > 0 && !h->holes[first - 1].lost)
    first--;
  for (; first < h->n_holes && h->holes[first].last_seq < seq; first++)
    if (++h->holes[first].later >= TFRC_NDUPACK || ce)
      changes |= settle (h, &h->holes[first], R);
  return changes;
}

static void
remove_hole (TfrcLossHistory *h, unsigned i)
{
  h->n_holes--;
  memmove (&h->holes[i], &h->holes[i + 1], (h->n_holes - i) * sizeof *h->holes);
}

/* Index of the first hole whose end is not below seq. */
static unsigned
find_hole (const TfrcLossHistory *h, uint64_t seq)
{
  unsigned i = h->n_holes;

  while (i > 0 && h->holes[i - 1].last_seq >= seq)
    i--;
  return i;
}

static unsigned
insert_hole (TfrcLossHistory *h, const TfrcHole *hole, CcDuration R)
{
  unsigned changes = TFRC_LOSS_NOTHING, i;

  if (h->n_holes == TFRC_MAX_HOLES) {
    changes = settle (h, &h->holes[0], R);
    remove_hole (h, 0);
  }
  i = find_hole (h, hole->first_seq);
  memmove (&h->holes[i + 1], &h->holes[i], (h->n_holes - i) * sizeof *h->holes);
  h->holes[i] = *hole;
  h->n_holes++;
  return changes;
}

/* Takes back the events that begin at seq or later. Returns how many, their discounts oldest first. */
static unsigned
forget_events (TfrcLossHistory *h, uint64_t seq, double discounts[N + 1])
{
  unsigned n = 0;

  while (n < h->n_intervals && !h->intervals[n].synthetic && h->intervals[n].start_seq >= seq)
    n++;
  for (unsigned i = 0; i < n; i++)
    discounts[i] = h->intervals[n - 1 - i].discount;
  h->n_intervals -= n;
  h->loss_events -= n;
  memmove (&h->intervals[0], &h->intervals[n], h->n_intervals * sizeof *h->intervals);
  return n;
}

/* Groups the losses from seq on anew; each interval keeps the discount its place had. */
static void
regroup (TfrcLossHistory *h, uint64_t seq, CcDuration R)
{
  double discounts[N + 1];
  unsigned forgotten = forget_events (h, seq, discounts), kept = h->n_intervals, added;

  for (unsigned i = 0; i < h->n_holes; i++)
    if (h->holes[i].lost && h->holes[i].last_seq >= seq)
      group_losses (h, &h->holes[i], seq, R, false);
  added = h->n_intervals > kept ? h->n_intervals - kept : 0;
  for (unsigned i = 0; i < added && i < forgotten; i++)
    h->intervals[added - 1 - i].discount = discounts[i];
  if (h->n_intervals == 1 && h->intervals[0].synthetic)
    h->n_intervals = 0;
  refresh_open_interval (h);
}

/* Takes seq out of hole i, which may leave two. */
static unsigned
take_out (TfrcLossHistory *h, unsigned i, uint64_t seq, CcDuration R)
{
  TfrcHole *hole = &h->holes[i], upper = *hole;

  if (hole->first_seq == hole->last_seq) {
    remove_hole (h, i);
  } else if (seq == hole->first_seq) {
    hole->first_seq++;
  } else {
    hole->last_seq = seq - 1;
    upper.first_seq = seq + 1;
    if (upper.first_seq <= upper.last_seq)
      return insert_hole (h, &upper, R);
  }
  return TFRC_LOSS_NOTHING;
}

/* What the hole has of the range goes out of it, so that it may leave two. Returns the one to go on with. */
static unsigned
cut (TfrcLossHistory *h, unsigned i, uint64_t first, uint64_t last, CcDuration R)
{
  TfrcHole *hole = &h->holes[i], upper = *hole;

  if (hole->lost)
    h->lost_packets -=
        (last < hole->last_seq ? last : hole->last_seq) - (first > hole->first_seq ? first : hole->first_seq) + 1;
  upper.first_seq = last + 1;
  if (first <= hole->first_seq && last >= hole->last_seq) {
    remove_hole (h, i);
    return i;
  }
  if (first <= hole->first_seq) {
    hole->first_seq = last + 1;
  } else {
    hole->last_seq = first - 1;
    if (upper.first_seq <= upper.last_seq)
      insert_hole (h, &upper, R);
  }
  return i + 1;
}

unsigned
tfrc_loss_history_excuse (TfrcLossHistory *h, uint64_t first, uint64_t last, CcDuration R)
{
  bool lost = false;
  unsigned i = 0;

  while (i < h->n_holes) {
    const TfrcHole *hole = &h->holes[i];

    if (hole->mark || hole->last_seq < first || hole->first_seq > last) {
      i++;
      continue;
    }
    lost |= hole->lost;
    i = cut (h, i, first, last, R);
  }
  if (!lost)
    return TFRC_LOSS_NOTHING;
  regroup (h, first, R);
  return TFRC_LOSS_HOLE_FILLED;
}

static bool
starts_an_event (const TfrcLossHistory *h, uint64_t seq)
{
  for (unsigned i = 0; i < h->n_intervals; i++)
    if (!h->intervals[i].synthetic && h->intervals[i].start_seq == seq)
      return true;
  return false;
}

/* A mark is a loss that nothing fills (RFC 5348 5.1). */
static unsigned
add_mark (TfrcLossHistory *h, uint64_t seq, CcTime at, bool lost, CcDuration R)
{
  TfrcHole mark = {seq, seq, seq, seq, at, at, TFRC_NDUPACK, lost, true};
  unsigned changes = insert_hole (h, &mark, R);

  h->marks++;
  return changes | settle (h, &h->holes[find_hole (h, seq)], R);
}

/* A late mark keeps the nominal time its packet had as a loss: at its arrival it would draw every younger event into
   its own. */
static unsigned
on_late_packet (TfrcLossHistory *h, uint64_t seq, CcDuration R, bool ce)
{
  unsigned i = find_hole (h, seq), changes;
  CcTime at;
  bool lost;

  if (i == h->n_holes || h->holes[i].first_seq > seq || h->holes[i].mark) {
    h->duplicates++;
    return TFRC_LOSS_DUPLICATE;
  }
  lost = h->holes[i].lost;
  at = nominal_time (&h->holes[i], seq);
  h->late_packets++;
  h->lost_packets -= lost;
  changes = take_out (h, i, seq, R) | count_for_holes_below (h, seq, ce, R);
  if (ce)
    return changes | add_mark (h, seq, at, lost, R);
  if (!lost)
    return changes;
  if (starts_an_event (h, seq))
    regroup (h, seq, R);
  return changes | TFRC_LOSS_HOLE_FILLED;
}

static unsigned
on_newest_packet (TfrcLossHistory *h, uint64_t seq, CcTime at, CcDuration R, bool ce)
{
  TfrcHole hole = {.first_seq = h->highest_seq + 1, .last_seq = seq - 1, .after_seq = seq, .after_at = at};
  unsigned changes = TFRC_LOSS_NOTHING;

  hole.before_seq = h->last_seq;
  hole.before_at = h->last_at;
  h->highest_seq = seq;
  refresh_open_interval (h);
  if (hole.first_seq < seq)
    changes = insert_hole (h, &hole, R);
  changes |= count_for_holes_below (h, seq, ce, R);
  return ce ? changes | add_mark (h, seq, at, false, R) : changes;
}

static unsigned
on_first_packet (TfrcLossHistory *h, uint64_t seq, CcTime at, CcDuration R, bool ce)
{
  h->started = true;
  h->first_seq = h->highest_seq = seq;
  return ce ? add_mark (h, seq, at, false, R) : TFRC_LOSS_NOTHING;
}

unsigned
tfrc_loss_history_on_packet (TfrcLossHistory *h, uint64_t seq, CcTime at, CcDuration R, bool ce)
{
  unsigned changes;

  if (!h->started)
    changes = on_first_packet (h, seq, at, R, ce);
  else if (seq > h->highest_seq)
    changes = on_newest_packet (h, seq, at, R, ce);
  else
    changes = on_late_packet (h, seq, R, ce);
  if (changes & TFRC_LOSS_DUPLICATE)
    return changes;
  h->last_seq = seq;
  h->last_at = at;
  return changes;
}
