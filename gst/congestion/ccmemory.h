/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory is an argument: the host hands in where it comes from. It is asked for when somebody new is heard or a table
   grows, never per packet. */
#ifndef CC_MEMORY_H
#define CC_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  void *(*get) (void *user, size_t size); /* aligned for anything; NULL: there is none */
  void (*put) (void *user, void *memory); /* what get gave; NULL is let be */
  void *user;
} CcMemory;

static inline void *
cc_memory_get (const CcMemory *m, size_t size)
{
  return m->get (m->user, size);
}

static inline void
cc_memory_put (const CcMemory *m, void *memory)
{
  m->put (m->user, memory);
}

#ifdef __cplusplus
}
#endif
#endif
