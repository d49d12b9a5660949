/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shorter runs for machines that are slow on purpose: tests of the core and of elements alike. */
#ifndef SLOW_MACHINE_H
#define SLOW_MACHINE_H

#include <stdbool.h>
#include <stdlib.h>

/* Under valgrind: CC_TEST_PERCENT of the runs are enough; tolerances widen with it. */
static inline bool
slow_machine (void)
{
  return getenv ("CC_TEST_PERCENT") != NULL;
}

static inline int
scaled (int runs)
{
  int n = slow_machine () ? runs * atoi (getenv ("CC_TEST_PERCENT")) / 100 : runs;

  return n > 0 ? n : 1;
}

/* Left out below a tenth of the runs: much traffic through code that shorter tests go through as well. */
static inline bool
long_tests (void)
{
  return !slow_machine () || atoi (getenv ("CC_TEST_PERCENT")) >= 10;
}

#endif
