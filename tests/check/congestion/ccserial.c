/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ccserial.h"
#include "cctest.h"

START_TEST (test_counts_through_the_wrap)
{
  CcUnwrap u = {0};
  uint64_t first = cc_unwrap (&u, 65530, 16);

  for (uint32_t i = 1; i < 200000; i++)
    ck_assert_uint_eq (cc_unwrap (&u, (65530 + i) & 0xffff, 16), first + i);
}
END_TEST

START_TEST (test_older_values_go_back_and_do_not_move_the_newest)
{
  CcUnwrap u = {0};
  uint64_t first = cc_unwrap (&u, 3, 16);

  ck_assert_uint_eq (cc_unwrap (&u, 65535, 16), first - 4);
  ck_assert_uint_eq (u.newest, first);
  ck_assert_uint_eq (cc_unwrap (&u, 4, 16), first + 1);
}
END_TEST

START_TEST (test_32_bits)
{
  CcUnwrap u = {0};
  uint64_t first = cc_unwrap (&u, 0xfffffff0u, 32);

  ck_assert_uint_eq (cc_unwrap (&u, 0x10, 32), first + 0x20);
  ck_assert_uint_eq (cc_unwrap (&u, 0xfffffff1u, 32), first + 1);
}
END_TEST

CC_TEST_MAIN ("ccserial", CC_TEST_LONG (test_counts_through_the_wrap),
    test_older_values_go_back_and_do_not_move_the_newest, test_32_bits)
