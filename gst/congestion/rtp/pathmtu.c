/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pathmtu.h"

#include <string.h>

/* A report tells how many are lost, not which: one by itself contradicts nothing where all sizes differ. */
#define LOSING 2
#define LOST 12

#define NO_EVIDENCE ((PathMtuEvidence){.lost_bytes = UINT32_MAX})

void
path_mtu_init (PathMtu *m)
{
  memset (m, 0, sizeof *m);
  m->evidence = NO_EVIDENCE;
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
}

void
path_mtu_on_sent (PathMtu *m, uint32_t ssrc, uint16_t seq, uint32_t bytes)
{
  if (ssrc != m->ssrc || m->window == 0 || (uint16_t)(seq - m->newest) != 1)
    begin_stream (m, ssrc, seq);
  m->newest = seq;
  m->window += m->window < PATH_MTU_SENT;
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

/* As if the largest were the lost ones. */
static void
add (PathMtuEvidence *e, const uint16_t *sizes, unsigned n, unsigned lost)
{
  if (lost > 0 && sizes[lost - 1] < e->lost_bytes)
    e->lost_bytes = sizes[lost - 1];
  if (lost < n && sizes[lost] > e->arrived_bytes)
    e->arrived_bytes = sizes[lost];
  e->losing += lost > 0;
  e->lost += lost;
}

static bool
is_contradicted (const PathMtuEvidence *e)
{
  return e->arrived_bytes >= e->lost_bytes;
}

/* What contradicts what was before may be the first of what is now. */
static void
take_interval (PathMtu *m, const uint16_t *sizes, unsigned n, unsigned lost)
{
  add (&m->evidence, sizes, n, lost);
  if (!is_contradicted (&m->evidence))
    return;
  m->evidence = NO_EVIDENCE;
  add (&m->evidence, sizes, n, lost);
  if (is_contradicted (&m->evidence))
    m->evidence = NO_EVIDENCE;
}

/* Larger ones than a limit allows were on their way, or wait to be sent. */
static void
judge (PathMtu *m, CcTime now)
{
  const PathMtuEvidence *e = &m->evidence;
  uint32_t limit = path_mtu_limit (m, now);

  if (e->losing < LOSING || e->lost < LOST || e->lost_bytes <= PATH_MTU_FLOOR || (limit > 0 && e->lost_bytes > limit))
    return;
  m->limit = e->arrived_bytes > PATH_MTU_FLOOR ? e->arrived_bytes : PATH_MTU_FLOOR;
  m->until = cc_time_add (now, PATH_MTU_LIFE);
  m->limited++;
  m->evidence = NO_EVIDENCE;
}

static void
take_report (PathMtu *m, uint32_t highest, int32_t lost, CcTime now)
{
  uint32_t n = highest - m->highest;
  int64_t more = (int64_t)lost - m->lost;
  uint16_t sizes[PATH_MTU_SENT];

  if (n == 0)
    return;
  if (more < 0 || more > n || !sort_sizes (m, highest, n, sizes)) {
    m->evidence = NO_EVIDENCE;
    return;
  }
  take_interval (m, sizes, n, (unsigned)more);
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
