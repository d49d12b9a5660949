/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rateowner.h"
#include "cctest.h"

START_TEST (test_every_owner_has_a_name_of_its_own)
{
  for (unsigned i = 0; i < RATE_OWNERS; i++)
    for (unsigned k = 0; k < i; k++)
      ck_assert_str_ne (rate_owner_name ((RateOwner)i), rate_owner_name ((RateOwner)k));
  ck_assert_str_eq (rate_owner_name (RATE_OWNER_CIRCUIT_BREAKER), "circuit-breaker");
}
END_TEST

START_TEST (test_numbers_of_the_wire)
{
  ck_assert_int_eq (rate_owner_from_wire (5), RATE_OWNER_OTHERS);
  ck_assert_int_eq (rate_owner_from_wire (RATE_OWNERS), RATE_OWNER_UNKNOWN);
  ck_assert_int_eq (rate_owner_from_wire (UINT32_MAX), RATE_OWNER_UNKNOWN);
  ck_assert_str_eq (rate_owner_name ((RateOwner)77), "unknown");
}
END_TEST

CC_TEST_MAIN ("rateowner", test_every_owner_has_a_name_of_its_own, test_numbers_of_the_wire)
