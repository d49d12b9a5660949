/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ecnmarks.h"

#define MEMORY (20 * CC_SECOND)

void
ecn_marks_init (EcnMarks *m)
{
  *m = (EcnMarks){.marked_at = CC_TIME_NONE, .lost_at = CC_TIME_NONE};
}

bool
ecn_marks_is_loss (const EcnMarks *m, ArrivalEcn ecn)
{
  return ecn == ARRIVAL_CE && m->ect != ARRIVAL_ECT_1;
}

void
ecn_marks_on_packet (EcnMarks *m, ArrivalEcn ecn, CcTime now)
{
  bool marked = ecn == ARRIVAL_CE;

  m->seen |= ARRIVAL_ECN_BIT (ecn);
  if (ecn == ARRIVAL_ECT_1 || ecn == ARRIVAL_ECT_0)
    m->ect = ecn;
  if (m->ect == ARRIVAL_ECT_1 && ecn != ARRIVAL_NOT_ECT) {
    m->packets++;
    m->marked += marked;
  }
  if (marked)
    *(m->ect == ARRIVAL_ECT_1 ? &m->marked_at : &m->lost_at) = now;
}

void
ecn_marks_update (EcnMarks *m)
{
  m->fraction = m->packets > 0 ? m->marked / m->packets : 0;
  m->packets = m->marked = 0;
}

static bool
is_recent (CcTime at, CcTime now)
{
  return at != CC_TIME_NONE && cc_time_since (now, at) < MEMORY;
}

bool
ecn_marks_is_scalable (const EcnMarks *m, CcTime now)
{
  return is_recent (m->marked_at, now);
}

bool
ecn_marks_is_classic (const EcnMarks *m, CcTime now)
{
  return is_recent (m->lost_at, now);
}

void
ecn_marks_reported (EcnMarks *m)
{
  m->seen = 0;
}
