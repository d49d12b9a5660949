/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gf256.h"
#include "cctest.h"

/* x * x^7 = x^8 = x^4 + x^3 + x^2 + 1 */
START_TEST (test_the_polynomial)
{
  ck_assert_uint_eq (gf256_multiply (2, 0x80), 0x1d);
  ck_assert_uint_eq (gf256_multiply (0x80, 2), 0x1d);
}
END_TEST

/* Each element but 0 is a power of x, and there are 255. */
START_TEST (test_powers)
{
  uint8_t power = 1;
  unsigned order = 0;

  do {
    power = gf256_multiply (power, 2);
    order++;
  } while (power != 1);
  ck_assert_uint_eq (order, 255);
}
END_TEST

START_TEST (test_inverses)
{
  ck_assert_uint_eq (gf256_inverse (0), 0);
  for (unsigned a = 1; a < 256; a++)
    ck_assert_uint_eq (gf256_multiply ((uint8_t)a, gf256_inverse ((uint8_t)a)), 1);
}
END_TEST

static void
check_rows (size_t n, uint8_t by)
{
  uint8_t from[100], to[100], scaled[100];

  for (size_t i = 0; i < n; i++) {
    from[i] = scaled[i] = (uint8_t)(7 * i + 3);
    to[i] = (uint8_t)(i + 1);
  }
  gf256_add_multiplied (to, from, n, 0);
  gf256_add_multiplied (to, from, n, by);
  gf256_scale (scaled, n, by);
  for (size_t i = 0; i < n; i++) {
    ck_assert_uint_eq (scaled[i], gf256_multiply (from[i], by));
    ck_assert_uint_eq (to[i], (uint8_t)(i + 1) ^ scaled[i]);
  }
}

START_TEST (test_rows)
{
  for (unsigned by = 1; by < 256; by++) {
    check_rows (5, (uint8_t)by);
    check_rows (100, (uint8_t)by);
  }
}
END_TEST

CC_TEST_MAIN ("gf256", test_the_polynomial, test_powers, test_inverses, CC_TEST_LONG (test_rows))
