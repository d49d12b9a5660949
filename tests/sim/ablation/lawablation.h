/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A number of the law as the environment has it: LAW_NUMBERS="NAME=VALUE,NAME=VALUE". For tests/sim/ablate only. */
#ifndef LAWABLATION_H
#define LAWABLATION_H

#include <math.h>

double law_number_of (const char *name, double value);

#define law_number(name, value)                                                                                        \
  (__extension__({                                                                                                     \
    static double number_ = NAN;                                                                                       \
    if (isnan (number_))                                                                                               \
      number_ = law_number_of (name, value);                                                                           \
    number_;                                                                                                           \
  }))

#endif
