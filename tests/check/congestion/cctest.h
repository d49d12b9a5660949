/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What core tests share: their main (), and shorter runs for machines that are slow on purpose (slowmachine.h). */
#ifndef CC_TEST_H
#define CC_TEST_H

#include "../slowmachine.h"

#include <check.h>

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
