/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fircommands.h"
#include "cctest.h"

static FirCommands f;

static bool
obey (uint32_t requester, uint32_t target, uint8_t seq, CcTime now)
{
  if (!fir_commands_is_new (&f, requester, target, seq, now))
    return false;
  fir_commands_on_obeyed (&f, requester, target, seq, now);
  return true;
}

START_TEST (test_repetition_is_not_new)
{
  fir_commands_init (&f);
  ck_assert (obey (1, 10, 7, 0));
  ck_assert (!obey (1, 10, 7, 1));
  ck_assert (!obey (1, 10, 7, 2));
  ck_assert (obey (1, 10, 8, 3));
  ck_assert_uint_eq (f.repeated, 2);
}
END_TEST

/* 4.3.1.1: modulo 256 */
START_TEST (test_number_wraps)
{
  fir_commands_init (&f);
  ck_assert (obey (1, 10, 255, 0));
  ck_assert (obey (1, 10, 0, 1));
  ck_assert (!obey (1, 10, 0, 2));
}
END_TEST

START_TEST (test_pairs_count_their_own)
{
  fir_commands_init (&f);
  ck_assert (obey (1, 10, 7, 0));
  ck_assert (obey (2, 10, 7, 0));
  ck_assert (obey (1, 11, 7, 0));
  ck_assert (!obey (2, 10, 7, 1));
}
END_TEST

/* What was refused for coming too soon is new when repeated. */
START_TEST (test_refused_stays_new)
{
  fir_commands_init (&f);
  ck_assert (obey (1, 10, 7, 0));
  ck_assert (fir_commands_is_new (&f, 1, 10, 8, 1));
  ck_assert (fir_commands_is_new (&f, 1, 10, 8, 2));
  fir_commands_on_obeyed (&f, 1, 10, 8, 2);
  ck_assert (!fir_commands_is_new (&f, 1, 10, 8, 3));
}
END_TEST

/* One pair goes on talking: it is the silent ones that are forgotten. */
START_TEST (test_longest_silent_is_forgotten)
{
  fir_commands_init (&f);
  ck_assert (obey (1, 10, 7, 0));
  for (unsigned i = 0; i < 3 * FIR_COMMANDS_PAIRS; i++) {
    ck_assert (!obey (1, 10, 7, 2 * i + 1));
    ck_assert (obey (100 + i, 10, 7, 2 * i + 2));
  }
  ck_assert (obey (100, 10, 7, 1000));
}
END_TEST

CC_TEST_MAIN ("fircommands", test_repetition_is_not_new, test_number_wraps, test_pairs_count_their_own,
    test_refused_stays_new, test_longest_silent_is_forgotten)
