/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "nackrequest.h"

#include <string.h>

#define WANTED UINT8_MAX /* NackMissing.later of what an application asks for */
#define FAR_BACK 32768   /* no packet is this late: the numbers have begun anew */

void
nack_request_params_init (NackRequestParams *params)
{
  *params = (NackRequestParams){.reorder_packets = 3,
      .reorder_time = 20 * CC_MSECOND,
      .min_interval = NACK_REQUEST_MIN_INTERVAL,
      .answer_delay = 10 * CC_MSECOND,
      .rtt = 100 * CC_MSECOND,
      .latency = 500 * CC_MSECOND,
      .max_tries = 5,
      .copies = 1,
      .max_others = 3,
      .watch_gaps = true};
}

void
nack_request_init (NackRequest *n, const NackRequestParams *params)
{
  *n = (NackRequest){.params = *params, .rtt = params->rtt, .next = CC_TIME_NONE};
  if (n->params.reorder_packets >= WANTED)
    n->params.reorder_packets = WANTED - 1;
}

static bool
asked (const NackMissing *m)
{
  return m->tries > 0 || m->others > 0;
}

static CcDuration
spacing (const NackRequest *n, const NackMissing *m)
{
  CcDuration answer = cc_time_add (n->rtt, n->params.answer_delay);

  if (n->params.copies > 1 && m->tries % n->params.copies != 0)
    return n->params.copy_spacing;
  return answer > n->params.min_interval ? answer : n->params.min_interval;
}

/* When m is to be asked for, whether or not that still helps. */
static CcTime
due_at (const NackRequest *n, const NackMissing *m)
{
  if (m->too_late || m->tries >= n->params.max_tries)
    return CC_TIME_NONE;
  if (asked (m))
    return cc_time_add (m->at, spacing (n, m));
  if (m->later == WANTED)
    return m->at;
  return cc_time_add (m->at, n->params.grace + (m->later >= n->params.reorder_packets ? 0 : n->params.reorder_time));
}

/* Would the answer to a request made at `at` be here in time? */
static bool
helps (const NackRequest *n, const NackMissing *m, CcTime at)
{
  return at != CC_TIME_NONE && cc_time_add (cc_time_add (at, n->rtcp_delay), n->rtt) <= m->deadline;
}

/* After every change, so that looking costs nothing. */
static void
refresh (NackRequest *n)
{
  CcTime next = CC_TIME_NONE;

  for (unsigned i = 0; i < n->n_missing; i++) {
    const NackMissing *m = &n->missing[i];
    CcTime due = due_at (n, m);

    next = cc_time_min (next, helps (n, m, due) ? due : m->deadline);
  }
  n->next = next;
}

void
nack_request_restart (NackRequest *n)
{
  n->started = false;
  n->given_up += n->n_missing;
  n->n_missing = 0;
  n->next = CC_TIME_NONE;
}

void
nack_request_set_rtt (NackRequest *n, CcDuration rtt)
{
  n->rtt = rtt;
  refresh (n);
}

void
nack_request_set_rtcp_delay (NackRequest *n, CcDuration delay)
{
  n->rtcp_delay = delay;
  refresh (n);
}

static bool
before (uint32_t a, uint32_t b)
{
  return (int32_t)(a - b) < 0;
}

/* The first entry that is not before seq; n_missing where there is none. From the end: the new ones are asked about. */
static unsigned
position (const NackRequest *n, uint32_t seq)
{
  unsigned i = n->n_missing;

  while (i > 0 && !before (n->missing[i - 1].seq, seq))
    i--;
  return i;
}

static NackMissing *
find (NackRequest *n, uint32_t seq)
{
  unsigned i = position (n, seq);

  return i < n->n_missing && n->missing[i].seq == seq ? &n->missing[i] : NULL;
}

static void
take_out (NackRequest *n, unsigned i, unsigned count)
{
  n->n_missing -= count;
  memmove (&n->missing[i], &n->missing[i + count], (n->n_missing - i) * sizeof *n->missing);
}

/* The oldest go. */
static void
make_room (NackRequest *n, unsigned count)
{
  unsigned room = NACK_REQUEST_MAX_MISSING - n->n_missing;

  if (room >= count)
    return;
  n->given_up += count - room;
  take_out (n, 0, count - room);
}

static NackMissing *
put_in (NackRequest *n, const NackMissing *entry)
{
  unsigned i;

  make_room (n, 1);
  i = position (n, entry->seq);
  memmove (&n->missing[i + 1], &n->missing[i], (n->n_missing - i) * sizeof *n->missing);
  n->n_missing++;
  n->missing[i] = *entry;
  return &n->missing[i];
}

static void
arrived (NackRequest *n, NackMissing *m)
{
  if (asked (m))
    n->recovered++;
  else
    n->reordered++;
  take_out (n, (unsigned)(m - n->missing), 1);
}

/* What is ripe has only ripe ones in front of it; what an application wants is anywhere. */
static bool
ripen (NackRequest *n, uint32_t seq, CcTime now)
{
  unsigned enough = n->params.reorder_packets;
  bool changed = false;

  for (unsigned i = position (n, seq); i > 0; i--) {
    NackMissing *m = &n->missing[i - 1];

    if (m->later == WANTED)
      continue;
    if (m->later >= enough)
      break;
    m->later++;
    if (m->later >= enough && !asked (m)) {
      m->at = now;
      changed = true;
    }
  }
  return changed;
}

static bool
open_gap (NackRequest *n, uint32_t seq, CcTime now)
{
  uint32_t gap = seq - n->highest - 1;

  if (gap > NACK_REQUEST_MAX_MISSING) {
    n->hopeless++;
    nack_request_restart (n);
    return false;
  }
  if (n->params.watch_gaps)
    make_room (n, gap);
  for (uint32_t missing = n->highest + 1; n->params.watch_gaps && missing != seq; missing++) {
    NackMissing entry = {.seq = missing, .at = now, .deadline = cc_time_add (now, n->params.latency)};

    if (find (n, missing) == NULL)
      put_in (n, &entry);
  }
  return true;
}

bool
nack_request_on_packet (NackRequest *n, uint32_t seq, CcTime now)
{
  bool mendable = true, changed = false;
  NackMissing *m;

  if (n->started && before (seq, n->highest - FAR_BACK))
    nack_request_restart (n);
  if (!n->started)
    n->highest = seq;
  m = find (n, seq);
  if (m != NULL)
    arrived (n, m);
  if (before (n->highest, seq)) {
    changed = seq != n->highest + 1;
    mendable = open_gap (n, seq, now);
    n->highest = seq;
  }
  n->started = true;
  changed |= ripen (n, seq, now);
  if (changed || m != NULL)
    refresh (n);
  return mendable;
}

static uint32_t
nearest (const NackRequest *n, uint16_t seq)
{
  return n->highest + (uint32_t)(int16_t)(seq - (uint16_t)n->highest);
}

const NackMissing *
nack_request_missing (const NackRequest *n, uint16_t seq)
{
  for (unsigned i = 0; i < n->n_missing; i++)
    if ((uint16_t)n->missing[i].seq == seq)
      return &n->missing[i];
  return NULL;
}

bool
nack_request_want (NackRequest *n, uint16_t seq, CcTime deadline, CcTime now)
{
  uint32_t extended = nearest (n, seq);
  NackMissing *m, entry = {.seq = extended, .at = now};

  if (!n->started)
    return false;
  m = find (n, extended);
  if (m == NULL)
    m = put_in (n, &entry);
  m->deadline = deadline != CC_TIME_NONE ? deadline : cc_time_add (now, n->params.latency);
  if (!asked (m))
    m->at = now;
  m->later = WANTED;
  refresh (n);
  return true;
}

void
nack_request_on_asked_by_other (NackRequest *n, uint16_t seq, CcTime now)
{
  NackMissing *m = find (n, nearest (n, seq));

  if (m == NULL || m->others >= n->params.max_others)
    return;
  m->others++;
  m->at = now;
  n->suppressed++;
  refresh (n);
}

CcTime
nack_request_next_timeout (const NackRequest *n)
{
  return n->next;
}

static void
give_up (NackRequest *n, CcTime now)
{
  unsigned kept = 0;

  for (unsigned i = 0; i < n->n_missing; i++)
    if (n->missing[i].deadline > now)
      n->missing[kept++] = n->missing[i];
    else
      n->unanswered += n->missing[i].tries;
  n->given_up += n->n_missing - kept;
  n->n_missing = kept;
}

unsigned
nack_request_take_due (NackRequest *n, uint16_t *seqs, unsigned capacity, CcTime now)
{
  unsigned count = 0;

  give_up (n, now);
  for (unsigned i = 0; i < n->n_missing; i++) {
    NackMissing *m = &n->missing[i];

    if (due_at (n, m) > now)
      continue;
    m->too_late = !helps (n, m, now);
    if (!m->too_late && count < capacity)
      seqs[count++] = (uint16_t)m->seq;
  }
  refresh (n);
  return count;
}

void
nack_request_refuse (NackRequest *n, CcTime now)
{
  for (unsigned i = 0; i < n->n_missing; i++)
    if (due_at (n, &n->missing[i]) <= now)
      n->missing[i].too_late = true;
  refresh (n);
}

void
nack_request_on_sent (NackRequest *n, const uint16_t *seqs, unsigned count, CcTime now)
{
  for (unsigned i = 0; i < count; i++) {
    NackMissing *m = find (n, nearest (n, seqs[i]));

    if (m == NULL)
      continue;
    m->tries = (uint16_t)(m->tries < UINT16_MAX ? m->tries + 1 : UINT16_MAX);
    m->others = 0;
    m->at = now;
    n->requested++;
  }
  refresh (n);
}
