/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The field of 256 elements with x^8 + x^4 + x^3 + x^2 + 1 (RFC 5510 8.1, RFC 8681 3.7.1): addition is XOR. */
#ifndef GF256_H
#define GF256_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

uint8_t gf256_multiply (uint8_t a, uint8_t b);
uint8_t gf256_inverse (uint8_t a); /* 0 has none: 0 */
/* to += by * from, byte by byte. */
void gf256_add_multiplied (uint8_t *to, const uint8_t *from, size_t n, uint8_t by);
void gf256_scale (uint8_t *data, size_t n, uint8_t by);

#ifdef __cplusplus
}
#endif
#endif
