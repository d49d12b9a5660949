/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "silentpath.h"
#include "cctest.h"

#define T0 (100 * CC_SECOND)

static SilentPath s;

START_TEST (test_halves_until_somebody_reports)
{
  silent_path_init (&s);
  ck_assert (!silent_path_is_silent (&s));
  for (unsigned i = 0; i < 3; i++)
    silent_path_on_expiry (&s);
  ck_assert (silent_path_is_silent (&s));
  ck_assert_double_eq (s.scale, 0.125);
  for (unsigned i = 0; i < 1000; i++)
    silent_path_on_expiry (&s);
  ck_assert_double_gt (s.scale, 0);
  silent_path_on_plain_report (&s);
  ck_assert_double_eq (s.scale, 1);
}
END_TEST

/* Half of what was had at first, all of it half a second later; the rate of the silence itself is not what was had. */
START_TEST (test_half_of_what_was_had)
{
  silent_path_init (&s);
  silent_path_on_report (&s, 100e3, 0, T0);
  ck_assert_double_eq (silent_path_had (&s, T0), 100e3);
  silent_path_on_expiry (&s);
  silent_path_on_report (&s, 500e3, 2 * CC_SECOND, T0 + 2 * CC_SECOND);
  ck_assert_double_eq (silent_path_had (&s, T0 + 2 * CC_SECOND), 50e3);
  ck_assert (silent_path_is_over_lately (&s, T0 + 2 * CC_SECOND));
  ck_assert_double_eq (silent_path_had (&s, T0 + 2500 * CC_MSECOND), 100e3);
  ck_assert (!silent_path_is_over_lately (&s, T0 + 2500 * CC_MSECOND));
}
END_TEST

START_TEST (test_fades)
{
  silent_path_init (&s);
  silent_path_on_report (&s, 100e3, 0, T0);
  for (unsigned i = 1; i <= 400; i++)
    silent_path_on_report (&s, 10e3, CC_SECOND / 10, T0 + i * CC_SECOND / 10);
  ck_assert_double_eq_tol (silent_path_had (&s, T0 + 41 * CC_SECOND), 10e3, 500);
}
END_TEST

CC_TEST_MAIN ("silentpath", test_halves_until_somebody_reports, test_half_of_what_was_had, test_fades)
