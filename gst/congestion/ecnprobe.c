/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ecnprobe.h"

#define AGAINST 10        /* reports */
#define TRYING_MOST 1000u /* packets, without a report that tells */
#define MEMORY (20 * CC_SECOND)

void
ecn_probe_init (EcnProbe *p, ArrivalEcn wanted)
{
  *p = (EcnProbe){.wanted = wanted, .marked_at = CC_TIME_NONE};
  p->state = wanted == ARRIVAL_NOT_ECT ? ECN_PROBE_OFF : wanted == ARRIVAL_ECT_1 ? ECN_PROBE_TRYING : ECN_PROBE_CAPABLE;
}

ArrivalEcn
ecn_probe_next (EcnProbe *p)
{
  if (p->state == ECN_PROBE_CAPABLE)
    return p->wanted;
  if (p->state != ECN_PROBE_TRYING)
    return ARRIVAL_NOT_ECT;
  if (p->packets >= TRYING_MOST)
    p->state = ECN_PROBE_REFUSED;
  return p->packets++ % 2 == 0 ? p->wanted : ARRIVAL_NOT_ECT;
}

void
ecn_probe_on_report (EcnProbe *p, unsigned seen, CcTime now)
{
  unsigned good = ARRIVAL_ECN_BIT (p->wanted) | ARRIVAL_ECN_BIT (ARRIVAL_CE);

  if (p->state == ECN_PROBE_OFF || p->state == ECN_PROBE_REFUSED || (seen == 0 && p->wanted == ARRIVAL_ECT_0))
    return;
  if (seen & ARRIVAL_ECN_BIT (ARRIVAL_CE))
    p->marked_at = now;
  if ((seen & good) != 0 && (seen & ~(good | ARRIVAL_ECN_BIT (ARRIVAL_NOT_ECT))) == 0) {
    p->state = ECN_PROBE_CAPABLE;
    p->against = 0;
  } else if (++p->against >= AGAINST) {
    p->state = ECN_PROBE_REFUSED;
  }
}

bool
ecn_probe_is_l4s (const EcnProbe *p, CcTime now)
{
  return p->state == ECN_PROBE_CAPABLE && p->wanted == ARRIVAL_ECT_1 && p->marked_at != CC_TIME_NONE &&
         cc_time_since (now, p->marked_at) < MEMORY;
}

const char *
ecn_probe_state_name (EcnProbeState state)
{
  static const char *const names[] = {"off", "trying", "capable", "refused"};

  return (unsigned)state < sizeof names / sizeof *names ? names[state] : "off";
}
