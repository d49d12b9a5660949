/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pathmtu.h"

#include <string.h>

/* A report tells how many are lost, not which: one by itself contradicts nothing where all sizes differ. */
#define LOSING 2
#define LOST 12

#define HEARD_LIFE (2 * CC_SECOND) /* what is missing is known a round trip after it was sent, as the word is */
#define BEHIND 64 /* packets: what the payloader made before it knew of a limit is on its way by then */

#define NO_EVIDENCE ((PathMtuEvidence){.lost_bytes = UINT32_MAX})

void
path_mtu_init (PathMtu *m)
{
  memset (m, 0, sizeof *m);
  m->evidence = NO_EVIDENCE;
  m->tell_at = CC_TIME_NONE;
}

/* ---- what is sent ---- */

static void
begin_stream (PathMtu *m, uint32_t ssrc, uint16_t seq)
{
  m->ssrc = ssrc;
  m->newest = (uint16_t)(seq - 1);
  m->window = 0;
  m->highest = 0; /* what was reported is of another stream */
  m->lost = 0;
  m->evidence = NO_EVIDENCE;
  m->tell_at = CC_TIME_NONE;
}

/* It was made before the limit was known, and is lost as well. */
static bool
is_late (const PathMtu *m, uint32_t bytes)
{
  return m->tell_at != CC_TIME_NONE && bytes > m->limit && (uint16_t)(m->newest - m->loss.last) <= BEHIND;
}

void
path_mtu_on_sent (PathMtu *m, uint32_t ssrc, uint16_t seq, uint32_t bytes)
{
  if (ssrc != m->ssrc || m->window == 0 || (uint16_t)(seq - m->newest) != 1)
    begin_stream (m, ssrc, seq);
  m->newest = seq;
  m->window += m->window < PATH_MTU_SENT;
  if (is_late (m, bytes))
    m->loss.last = seq;
  m->sizes[seq % PATH_MTU_SENT] = (uint16_t)(bytes < UINT16_MAX ? bytes : UINT16_MAX);
}

/* ---- what is reported ---- */

/* The sizes of n packets up to the number `highest`, the largest first. False: they are not known any more. */
static bool
sort_sizes (const PathMtu *m, uint32_t highest, unsigned n, uint16_t *sizes)
{
  unsigned behind = (uint16_t)(m->newest - highest), i, k;

  if (behind > m->window || n > m->window - behind)
    return false;
  for (i = 0; i < n; i++) {
    uint16_t size = m->sizes[(highest - i) % PATH_MTU_SENT];

    for (k = i; k > 0 && sizes[k - 1] < size; k--)
      sizes[k] = sizes[k - 1];
    sizes[k] = size;
  }
  return true;
}

static void
add (PathMtuEvidence *e, const PathMtuReport *r)
{
  if (e->losing == 0)
    e->before = (uint16_t)(r->first - 1);
  if (r->lost_bytes < e->lost_bytes)
    e->lost_bytes = r->lost_bytes;
  if (r->arrived_bytes > e->arrived_bytes)
    e->arrived_bytes = r->arrived_bytes;
  e->losing += r->lost > 0;
  e->lost += r->lost;
}

static bool
is_contradicted (const PathMtuEvidence *e)
{
  return e->arrived_bytes >= e->lost_bytes;
}

/* What contradicts what was before may be the first of what is now. */
static void
take_interval (PathMtu *m, const PathMtuReport *r)
{
  add (&m->evidence, r);
  if (!is_contradicted (&m->evidence))
    return;
  m->evidence = NO_EVIDENCE;
  add (&m->evidence, r);
  if (is_contradicted (&m->evidence))
    m->evidence = NO_EVIDENCE;
}

/* before: the number in front of the first that was lost for it. A limit that was not low enough has lost more since:
   the same accident, longer. */
static void
set_limit (PathMtu *m, uint32_t limit, uint16_t before, CcTime now)
{
  uint16_t first = m->tell_at != CC_TIME_NONE ? m->loss.first : (uint16_t)(before + 1);

  m->limit = limit > PATH_MTU_FLOOR ? limit : PATH_MTU_FLOOR;
  m->until = cc_time_add (now, PATH_MTU_LIFE);
  m->limited++;
  m->loss = (PathMtuLoss){m->ssrc, first, m->newest};
  m->tell_at = now;
  m->tell_until = cc_time_add (now, PATH_MTU_TELL_FOR);
  m->heard = 0;
  m->evidence = NO_EVIDENCE;
}

/* Where a limit holds already, larger ones than it allows were on their way, or wait to be sent. */
static bool
is_news (const PathMtu *m, uint32_t lost_bytes, CcTime now)
{
  uint32_t limit = path_mtu_limit (m, now);

  return lost_bytes > PATH_MTU_FLOOR && (limit == 0 || lost_bytes <= limit);
}

static void
judge (PathMtu *m, CcTime now)
{
  const PathMtuEvidence *e = &m->evidence;

  if (e->losing >= LOSING && e->lost >= LOST && is_news (m, e->lost_bytes, now))
    set_limit (m, e->arrived_bytes, e->before, now);
}

/* Of so many lost ones, the smallest as if the largest were the lost ones: larger than what the system has heard of? */
static bool
is_as_heard (const PathMtu *m, uint32_t lost_bytes, CcTime now)
{
  return m->heard > 0 && now < m->heard_until && lost_bytes > m->heard && is_news (m, lost_bytes, now);
}

void
path_mtu_on_told (PathMtu *m, uint32_t limit, CcTime now)
{
  m->heard = limit;
  m->heard_until = cc_time_add (now, HEARD_LIFE);
  if (m->evidence.lost > 0 && is_as_heard (m, m->evidence.lost_bytes, now))
    set_limit (m, limit, m->evidence.before, now);
}

/* As if the largest of the n up to `highest` were the lost ones. */
static PathMtuReport
report_of (const PathMtu *m, uint32_t highest, const uint16_t *sizes, unsigned n, unsigned lost)
{
  return (PathMtuReport){.first = (uint16_t)(m->highest + 1),
      .last = (uint16_t)highest,
      .lost = lost,
      .lost_bytes = lost > 0 ? sizes[lost - 1] : UINT32_MAX,
      .arrived_bytes = lost < n ? sizes[lost] : 0};
}

static void
take_report (PathMtu *m, uint32_t highest, int32_t lost, CcTime now)
{
  uint32_t n = highest - m->highest;
  int64_t more = (int64_t)lost - m->lost;
  uint16_t sizes[PATH_MTU_SENT];
  PathMtuReport report;

  if (n == 0)
    return;
  if (more < 0 || more > n || !sort_sizes (m, highest, n, sizes)) {
    m->evidence = NO_EVIDENCE;
    return;
  }
  report = report_of (m, highest, sizes, n, (unsigned)more);
  if (more > 0 && is_as_heard (m, report.lost_bytes, now)) {
    set_limit (m, m->heard, (uint16_t)m->highest, now);
    return;
  }
  take_interval (m, &report);
  judge (m, now);
}

void
path_mtu_on_packets (PathMtu *m, const PathMtuReport *report, CcTime now)
{
  m->newest = report->last;
  if (report->lost > 0 && report->lost_bytes > m->limit && m->tell_at != CC_TIME_NONE)
    m->loss.last = report->last;
  take_interval (m, report);
  judge (m, now);
}

void
path_mtu_on_report (PathMtu *m, uint32_t ssrc, uint32_t highest, int32_t lost, CcTime now)
{
  if (ssrc != m->ssrc || m->window == 0)
    return;
  take_report (m, highest, lost, now);
  m->highest = highest;
  m->lost = lost;
}

uint32_t
path_mtu_limit (const PathMtu *m, CcTime now)
{
  return m->limit > 0 && now < m->until ? m->limit : 0;
}

bool
path_mtu_take_loss (PathMtu *m, CcTime now, PathMtuLoss *loss)
{
  if (m->tell_at == CC_TIME_NONE || now < m->tell_at)
    return false;
  *loss = m->loss;
  m->tell_at = cc_time_add (now, PATH_MTU_TELL_EVERY);
  if (m->tell_at > m->tell_until)
    m->tell_at = CC_TIME_NONE;
  return true;
}
