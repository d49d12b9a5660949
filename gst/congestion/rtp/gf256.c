/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gf256.h"

#define POLYNOMIAL 0x11du
#define ELEMENTS 256
#define FEW_BYTES 32 /* for more a table pays */

uint8_t
gf256_multiply (uint8_t a, uint8_t b)
{
  unsigned power = a, sum = 0;

  for (unsigned rest = b; rest != 0; rest >>= 1) {
    if (rest & 1)
      sum ^= power;
    power <<= 1;
    if (power & ELEMENTS)
      power ^= POLYNOMIAL;
  }
  return (uint8_t)sum;
}

/* a^254 = 1/a. */
uint8_t
gf256_inverse (uint8_t a)
{
  uint8_t power = a, product = 1;

  for (unsigned i = 1; i < 8; i++) {
    power = gf256_multiply (power, power);
    product = gf256_multiply (product, power);
  }
  return product;
}

/* Each product is the sum of those of a smaller one and of one bit. */
static void
make_table (uint8_t table[ELEMENTS], uint8_t by)
{
  table[0] = 0;
  for (unsigned bit = 1; bit < ELEMENTS; bit <<= 1) {
    uint8_t product = gf256_multiply (by, (uint8_t)bit);

    for (unsigned i = 0; i < bit; i++)
      table[bit + i] = table[i] ^ product;
  }
}

void
gf256_add_multiplied (uint8_t *to, const uint8_t *from, size_t n, uint8_t by)
{
  uint8_t table[ELEMENTS];

  if (by == 0)
    return;
  if (n < FEW_BYTES) {
    for (size_t i = 0; i < n; i++)
      to[i] ^= gf256_multiply (by, from[i]);
    return;
  }
  make_table (table, by);
  for (size_t i = 0; i < n; i++)
    to[i] ^= table[from[i]];
}

void
gf256_scale (uint8_t *data, size_t n, uint8_t by)
{
  uint8_t table[ELEMENTS];

  make_table (table, by);
  for (size_t i = 0; i < n; i++)
    data[i] = table[data[i]];
}
