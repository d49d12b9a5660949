/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A target is a file with LLVMFuzzerTestOneInput () and a few valid inputs to start from. libFuzzer can drive it as it
   is; replay.c drives it under any compiler. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const void *data;
  size_t size;
} FuzzSeed;

extern const FuzzSeed fuzz_seeds[]; /* ends with a NULL */
int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#define FUZZ_CHECK(condition)                                                                                          \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf (stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                                   \
      abort ();                                                                                                        \
    }                                                                                                                  \
  } while (0)

/* The input as a stream of numbers; zeroes behind its end. */
typedef struct {
  const uint8_t *at, *end;
} FuzzInput;

static inline uint32_t
fuzz_take (FuzzInput *in, unsigned bytes)
{
  uint32_t value = 0;

  while (bytes-- > 0)
    value = value << 8 | (in->at < in->end ? *in->at++ : 0);
  return value;
}

/* An allocation of just that size, so that a sanitizer sees the first byte read or written past it. */
static inline uint8_t *
fuzz_exact (const uint8_t *data, size_t size)
{
  uint8_t *copy = malloc (size > 0 ? size : 1);

  FUZZ_CHECK (copy != NULL);
  if (data != NULL && size > 0)
    memcpy (copy, data, size);
  return copy;
}

#endif
