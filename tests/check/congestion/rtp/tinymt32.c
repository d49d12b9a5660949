/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tinymt32.h"
#include "cctest.h"

/* RFC 8682 2.3, the first ten for seed 1 */
START_TEST (test_the_rfcs_numbers)
{
  static const uint32_t expected[] = {2545341989u, 981918433u, 3715302833u, 2387538352u, 3591001365u, 3820442102u,
      2114400566u, 2196103051u, 2783359912u, 764534509u};
  TinyMt32 t;

  tinymt32_init (&t, 1);
  for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++)
    ck_assert_uint_eq (tinymt32_next (&t), expected[i]);
}
END_TEST

CC_TEST_MAIN ("tinymt32", test_the_rfcs_numbers)
