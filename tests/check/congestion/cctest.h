/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What core tests share: their main (), and shorter runs for machines that are slow on purpose. */
#ifndef CC_TEST_H
#define CC_TEST_H

#include <check.h>
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

#define CC_TEST_LONG(test) (long_tests () ? (test) : NULL)

#define CC_TEST_MAIN(name, ...)                                                                                        \
  int main (void)                                                                                                      \
  {                                                                                                                    \
    const TTest *tests[] = {__VA_ARGS__};                                                                              \
    Suite *suite = suite_create (name);                                                                                \
    TCase *tcase = tcase_create (name);                                                                                \
    SRunner *runner = srunner_create (suite);                                                                          \
    int failed;                                                                                                        \
    tcase_set_timeout (tcase, 60);                                                                                     \
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)                                                          \
      if (tests[i])                                                                                                    \
        tcase_add_test (tcase, tests[i]);                                                                              \
    suite_add_tcase (suite, tcase);                                                                                    \
    srunner_run_all (runner, CK_ENV);                                                                                  \
    failed = srunner_ntests_failed (runner);                                                                           \
    srunner_free (runner);                                                                                             \
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;                                                                       \
  }

#endif
