/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tmmbrset.h"
#include <math.h>
#include <string.h>

#define MAX_CANDIDATES (2 * TMMBR_SET_TUPLES)

typedef struct {
  RtcpTmmb tuple;
  double intersection, max_pr; /* packets/s: limits from and to */
} Selected;

static bool
comes_before (const RtcpTmmb *a, const RtcpTmmb *b)
{
  return a->overhead_bytes != b->overhead_bytes ? a->overhead_bytes < b->overhead_bytes
                                                : a->bitrate_bps < b->bitrate_bps;
}

/* Steps 1 and 2: by overhead, of each the lowest bit rate. */
static unsigned
sort (const RtcpTmmb *tuples, unsigned n, RtcpTmmb *sorted)
{
  unsigned kept = 0;

  for (unsigned i = 0; i < n; i++) {
    unsigned at = i;

    for (; at > 0 && comes_before (&tuples[i], &sorted[at - 1]); at--)
      sorted[at] = sorted[at - 1];
    sorted[at] = tuples[i];
  }
  for (unsigned i = 0; i < n; i++)
    if (kept == 0 || sorted[kept - 1].overhead_bytes != sorted[i].overhead_bytes)
      sorted[kept++] = sorted[i];
  return kept;
}

/* Step 3; of equals the highest overhead, which comes last. */
static unsigned
find_lowest (const RtcpTmmb *sorted, unsigned n)
{
  unsigned lowest = 0;

  for (unsigned i = 1; i < n; i++)
    if (sorted[i].bitrate_bps <= sorted[lowest].bitrate_bps)
      lowest = i;
  return lowest;
}

static Selected
select_from (const RtcpTmmb *tuple, double intersection, double smaxpr)
{
  double most = smaxpr > 0 ? smaxpr : INFINITY;

  if (tuple->overhead_bytes > 0)
    most = fmin (most, (double)tuple->bitrate_bps / (8.0 * tuple->overhead_bytes));
  return (Selected){*tuple, intersection, most};
}

/* Step 6. Overheads rise along the list, so they differ. */
static double
packet_rate_where_equal (const RtcpTmmb *last, const RtcpTmmb *candidate)
{
  return ((double)candidate->bitrate_bps - (double)last->bitrate_bps) /
         (8.0 * (candidate->overhead_bytes - last->overhead_bytes));
}

/* Steps 6 to 8 */
static unsigned
consider (Selected *selected, unsigned n, const RtcpTmmb *candidate, double smaxpr)
{
  double pr = packet_rate_where_equal (&selected[n - 1].tuple, candidate);

  while (n > 1 && pr <= selected[n - 1].intersection) {
    n--;
    pr = packet_rate_where_equal (&selected[n - 1].tuple, candidate);
  }
  if (pr < selected[n - 1].max_pr)
    selected[n++] = select_from (candidate, pr, smaxpr);
  return n;
}

unsigned
tmmbr_bounding_set (const RtcpTmmb *tuples, unsigned n, double smaxpr, RtcpTmmb *set)
{
  RtcpTmmb sorted[MAX_CANDIDATES];
  Selected selected[MAX_CANDIDATES];
  unsigned first, n_selected = 1;

  if (n == 0)
    return 0;
  n = sort (tuples, n < MAX_CANDIDATES ? n : MAX_CANDIDATES, sorted);
  first = find_lowest (sorted, n);
  selected[0] = select_from (&sorted[first], 0, smaxpr);
  for (unsigned i = first + 1; i < n; i++)
    n_selected = consider (selected, n_selected, &sorted[i], smaxpr);
  for (unsigned i = 0; i < n_selected; i++)
    set[i] = selected[i].tuple;
  return n_selected;
}

double
tmmbr_net_rate (const RtcpTmmb *tuples, unsigned n, double packet_rate)
{
  double rate = INFINITY;

  for (unsigned i = 0; i < n; i++)
    rate = fmin (rate, (double)tuples[i].bitrate_bps - 8.0 * tuples[i].overhead_bytes * packet_rate);
  return fmax (rate, 0);
}

void
tmmbr_sender_init (TmmbrSender *s)
{
  memset (s, 0, sizeof *s);
  s->rise_at = CC_TIME_NONE;
}

static RtcpTmmb *
find_tuple (RtcpTmmb *tuples, unsigned n, uint32_t owner)
{
  for (unsigned i = 0; i < n; i++)
    if (tuples[i].ssrc == owner)
      return &tuples[i];
  return NULL;
}

static bool
same_set (const RtcpTmmb *a, unsigned n_a, const RtcpTmmb *b, unsigned n_b)
{
  bool same = n_a == n_b;

  for (unsigned i = 0; same && i < n_a; i++)
    same = a[i].ssrc == b[i].ssrc && a[i].bitrate_bps == b[i].bitrate_bps && a[i].overhead_bytes == b[i].overhead_bytes;
  return same;
}

/* The bounding set of both, at most TMMBR_SET_TUPLES of it. */
static unsigned
merge (const RtcpTmmb *a, unsigned n_a, const RtcpTmmb *b, unsigned n_b, RtcpTmmb *out)
{
  RtcpTmmb all[MAX_CANDIDATES], set[MAX_CANDIDATES];
  unsigned n;

  memcpy (all, a, n_a * sizeof *a);
  memcpy (all + n_a, b, n_b * sizeof *b);
  n = tmmbr_bounding_set (all, n_a + n_b, 0, set);
  if (n > TMMBR_SET_TUPLES)
    n = TMMBR_SET_TUPLES;
  memcpy (out, set, n * sizeof *set);
  return n;
}

static void
let_rise (TmmbrSender *s, CcTime now)
{
  if (s->rise_at <= now)
    s->n_held = 0;
}

/* After a change of the tuples. What limited so far goes on to, where the new set would allow more. */
static bool
update_set (TmmbrSender *s, CcTime now)
{
  RtcpTmmb before[TMMBR_SET_TUPLES], both[TMMBR_SET_TUPLES];
  unsigned n_before = s->n_set, n_both;

  let_rise (s, now);
  memcpy (before, s->set, sizeof before);
  s->n_set = tmmbr_bounding_set (s->tuples, s->n_tuples, 0, s->set);
  if (same_set (before, n_before, s->set, s->n_set))
    return false;
  s->n_held = merge (before, n_before, s->held, s->n_held, s->held);
  n_both = merge (s->set, s->n_set, s->held, s->n_held, both);
  if (same_set (both, n_both, s->set, s->n_set))
    s->n_held = 0;
  s->rise_at = CC_TIME_NONE;
  return true;
}

/* One that is not in the set limits nobody. */
static RtcpTmmb *
make_room (TmmbrSender *s)
{
  if (s->n_tuples < TMMBR_SET_TUPLES)
    return &s->tuples[s->n_tuples++];
  for (unsigned i = 0; i < s->n_tuples; i++)
    if (find_tuple (s->set, s->n_set, s->tuples[i].ssrc) == NULL)
      return &s->tuples[i];
  return NULL;
}

void
tmmbr_sender_on_request (TmmbrSender *s, uint32_t owner, uint64_t bitrate_bps, uint16_t overhead_bytes, CcTime now)
{
  RtcpTmmb *tuple = find_tuple (s->tuples, s->n_tuples, owner);

  s->requests++;
  s->owes_tmmbn = true;
  if (tuple == NULL)
    tuple = make_room (s);
  if (tuple == NULL) {
    s->dropped++;
    return;
  }
  *tuple = (RtcpTmmb){owner, bitrate_bps, overhead_bytes};
  s->heard_at[tuple - s->tuples] = now;
  update_set (s, now);
}

void
tmmbr_sender_on_heard (TmmbrSender *s, uint32_t ssrc, CcTime now)
{
  const RtcpTmmb *tuple = find_tuple (s->tuples, s->n_tuples, ssrc);

  if (tuple != NULL)
    s->heard_at[tuple - s->tuples] = now;
}

/* The last takes its place. */
static void
drop (TmmbrSender *s, unsigned i)
{
  s->n_tuples--;
  s->tuples[i] = s->tuples[s->n_tuples];
  s->heard_at[i] = s->heard_at[s->n_tuples];
}

static bool
lift (TmmbrSender *s, CcTime now)
{
  if (!update_set (s, now))
    return false;
  s->owes_tmmbn = true;
  return true;
}

bool
tmmbr_sender_remove (TmmbrSender *s, uint32_t owner, CcTime now)
{
  const RtcpTmmb *tuple = find_tuple (s->tuples, s->n_tuples, owner);

  if (tuple == NULL)
    return false;
  drop (s, (unsigned)(tuple - s->tuples));
  return lift (s, now);
}

bool
tmmbr_sender_remove_unheard (TmmbrSender *s, CcDuration timeout, CcTime now)
{
  unsigned i = 0, n = s->n_tuples;

  while (i < s->n_tuples)
    if (cc_time_since (now, s->heard_at[i]) >= timeout)
      drop (s, i);
    else
      i++;
  return s->n_tuples < n && lift (s, now);
}

bool
tmmbr_sender_remove_all (TmmbrSender *s, CcTime now)
{
  s->n_tuples = 0;
  return lift (s, now);
}

unsigned
tmmbr_sender_notification (TmmbrSender *s, CcDuration R, CcDuration T_dither_max, CcTime now, RtcpTmmb *entries)
{
  let_rise (s, now);
  s->owes_tmmbn = false;
  if (s->n_held > 0 && s->rise_at == CC_TIME_NONE)
    s->rise_at = cc_time_add (cc_time_add (now, cc_time_add (R, R)), T_dither_max);
  memcpy (entries, s->set, s->n_set * sizeof *entries);
  return s->n_set;
}

double
tmmbr_sender_limit (const TmmbrSender *s, double packet_rate, unsigned overhead_bytes, CcTime now)
{
  double net = tmmbr_net_rate (s->set, s->n_set, packet_rate);

  if (s->rise_at > now)
    net = fmin (net, tmmbr_net_rate (s->held, s->n_held, packet_rate));
  return net + 8.0 * overhead_bytes * packet_rate;
}

CcTime
tmmbr_sender_next_timeout (const TmmbrSender *s, CcTime now)
{
  return s->n_held > 0 && s->rise_at > now ? s->rise_at : CC_TIME_NONE;
}

void
tmmbr_receiver_init (TmmbrReceiver *r)
{
  memset (r, 0, sizeof *r);
}

void
tmmbr_receiver_on_notification (TmmbrReceiver *r, const RtcpTmmb *entries, unsigned n)
{
  r->notified = true;
  r->n_set = n < TMMBR_SET_TUPLES ? n : TMMBR_SET_TUPLES;
  if (r->n_set > 0)
    memcpy (r->set, entries, r->n_set * sizeof *entries);
}

static const RtcpTmmb *
own_tuple (const RtcpTmmb *set, unsigned n, uint32_t own_ssrc)
{
  for (unsigned i = 0; i < n; i++)
    if (set[i].ssrc == own_ssrc)
      return &set[i];
  return NULL;
}

bool
tmmbr_receiver_is_owner (const TmmbrReceiver *r, uint32_t own_ssrc)
{
  return own_tuple (r->set, r->n_set, own_ssrc) != NULL;
}

bool
tmmbr_receiver_may_ask (const TmmbrReceiver *r, uint32_t own_ssrc, uint64_t bitrate_bps, uint16_t overhead_bytes)
{
  const RtcpTmmb *own = own_tuple (r->set, r->n_set, own_ssrc);
  RtcpTmmb all[TMMBR_SET_TUPLES + 1], set[TMMBR_SET_TUPLES + 1];
  unsigned n;

  if (!r->notified)
    return true;
  if (own != NULL)
    return own->bitrate_bps != rtcp_tmmb_rounded (bitrate_bps) || own->overhead_bytes != overhead_bytes;
  memcpy (all, r->set, r->n_set * sizeof *all);
  all[r->n_set] = (RtcpTmmb){own_ssrc, rtcp_tmmb_rounded (bitrate_bps), overhead_bytes};
  n = tmmbr_bounding_set (all, r->n_set + 1, 0, set);
  return own_tuple (set, n, own_ssrc) != NULL;
}
