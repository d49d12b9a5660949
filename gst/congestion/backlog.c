/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backlog.h"
#include <math.h>

#define STANDING 0.030 /* s, beyond a packet: what frames and short gaps make is less */
#define MEMORY 0.15    /* s: several of the gaps, and soon the capacity of now */
#define ENOUGH 3.0     /* pairs */
#define SHARE 0.98     /* of what is served, less what */
#define DRAIN_TIME 0.4 /* s: drains the queue within, */
#define LEAST 0.4      /* of it at least: who sends nothing sees nothing */

void
backlog_on_pair (Backlog *b, double bytes, double sent, double arrived, CcTime now)
{
  packet_pairs_add (&b->served, bytes, sent, arrived, now, MEMORY);
}

double
backlog_drain (double q)
{
  return fmin (fmax (SHARE - q / DRAIN_TIME, LEAST), SHARE);
}

BacklogState
backlog_step (Backlog *b, double standing, double waited, double one_packet, CcTime now)
{
  bool stood = b->stands;
  double served;

  packet_pairs_fade (&b->served, now, MEMORY);
  served = packet_pairs_rate (&b->served, ENOUGH);
  if (standing <= STANDING + one_packet) {
    b->stands = false;
    return stood ? BACKLOG_OVER : BACKLOG_NONE;
  }
  if (served == 0)
    return BACKLOG_NONE;
  b->stands = true;
  b->served_Bps = served;
  b->rate_Bps = served * backlog_drain (fmax (waited, standing));
  return stood ? BACKLOG_STANDS : BACKLOG_BEGINS;
}

void
backlog_forget (Backlog *b)
{
  b->stands = false;
}
