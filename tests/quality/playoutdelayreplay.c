/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The playout delay over pictures of a call: stdin has a row a picture, when it was there and its lateness, in s; out
   comes the delay that it is shown after, in s.

   playoutdelay-replay EXCHANGE(s) MEMORY(s) HOLD(s) < pictures */
#include "playoutdelay.h"

#include <stdio.h>
#include <stdlib.h>

static CcDuration
duration (const char *seconds)
{
  return (CcDuration)(atof (seconds) * 1e9);
}

int
main (int argc, char **argv)
{
  PlayoutDelayParams params;
  PlayoutDelay delay;
  double at, lateness;

  if (argc != 4)
    return 2;
  playout_delay_params_init (&params);
  params.exchange = duration (argv[1]);
  params.memory = duration (argv[2]);
  params.hold = duration (argv[3]);
  playout_delay_init (&delay, &params);
  for (uint64_t picture = 0; scanf ("%lf %lf", &at, &lateness) == 2; picture++) {
    playout_delay_on_packet (&delay, picture, (CcDuration)(lateness * 1e9), (CcTime)(at * 1e9));
    printf ("%.3f\n", cc_seconds (delay.delay));
  }
  return 0;
}
