/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers as RTCP has them: in network byte order, and bit rates as {exponent 6 | mantissa} (RFC 5104 4.2.1.1). */
#ifndef RTCPBYTES_H
#define RTCPBYTES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline void
rtcp_put_u16 (uint8_t *at, uint16_t value)
{
  at[0] = (uint8_t)(value >> 8);
  at[1] = (uint8_t)value;
}

static inline uint16_t
rtcp_get_u16 (const uint8_t *at)
{
  return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t
rtcp_get_u24 (const uint8_t *at)
{
  return (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
}

static inline void
rtcp_put_u32 (uint8_t *at, uint32_t value)
{
  rtcp_put_u16 (at, (uint16_t)(value >> 16));
  rtcp_put_u16 (at + 2, (uint16_t)value);
}

static inline uint32_t
rtcp_get_u32 (const uint8_t *at)
{
  return (uint32_t)rtcp_get_u16 (at) << 16 | rtcp_get_u16 (at + 2);
}

/* {exponent 6 | mantissa}, value = mantissa x 2^exponent, rounded down with the smallest exponent that does. */
static inline uint32_t
rtcp_pack_rate (uint64_t value, unsigned mantissa_bits)
{
  unsigned exponent = 0;

  while (value >> exponent >= (uint64_t)1 << mantissa_bits)
    exponent++;
  return (uint32_t)(exponent << mantissa_bits | (uint32_t)(value >> exponent));
}

/* Saturates where the value does not fit 64 bits. */
static inline uint64_t
rtcp_unpack_rate (uint32_t packed, unsigned mantissa_bits)
{
  uint64_t mantissa = packed & (((uint32_t)1 << mantissa_bits) - 1);
  unsigned exponent = packed >> mantissa_bits & 0x3f;

  return mantissa > UINT64_MAX >> exponent ? UINT64_MAX : mantissa << exponent;
}

#ifdef __cplusplus
}
#endif
#endif
