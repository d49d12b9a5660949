/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ThreadSanitizer sees what it has instrumented, and GLib's locks are GLib's own (futexes): all that they guard would
   be a race. Loaded in front of GLib this says of each lock that it is one. Without ThreadSanitizer it says nothing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <glib.h>

#undef g_once_init_enter
#undef g_once_init_leave

#define WEAK __attribute__ ((weak))

void __tsan_acquire (void *address) WEAK;
void __tsan_release (void *address) WEAK;

static void
acquire (const volatile void *address)
{
  if (__tsan_acquire != NULL)
    __tsan_acquire ((void *)address);
}

static void
release (const volatile void *address)
{
  if (__tsan_release != NULL)
    __tsan_release ((void *)address);
}

/* The function behind this one of the same name. */
#define REAL(name)                                                                                                     \
  static __typeof__ (name) *real;                                                                                      \
                                                                                                                       \
  if (real == NULL)                                                                                                    \
  real = (__typeof__ (real))dlsym (RTLD_NEXT, #name)

#define LOCK(name, type)                                                                                               \
  void name (type *lock)                                                                                               \
  {                                                                                                                    \
    REAL (name);                                                                                                       \
    real (lock);                                                                                                       \
    acquire (lock);                                                                                                    \
  }
#define TRY(name, type)                                                                                                \
  gboolean name (type *lock)                                                                                           \
  {                                                                                                                    \
    gboolean got;                                                                                                      \
    REAL (name);                                                                                                       \
    got = real (lock);                                                                                                 \
    if (got)                                                                                                           \
      acquire (lock);                                                                                                  \
    return got;                                                                                                        \
  }
#define UNLOCK(name, type)                                                                                             \
  void name (type *lock)                                                                                               \
  {                                                                                                                    \
    REAL (name);                                                                                                       \
    release (lock);                                                                                                    \
    real (lock);                                                                                                       \
  }

LOCK (g_mutex_lock, GMutex)
TRY (g_mutex_trylock, GMutex)
UNLOCK (g_mutex_unlock, GMutex)
LOCK (g_rec_mutex_lock, GRecMutex)
TRY (g_rec_mutex_trylock, GRecMutex)
UNLOCK (g_rec_mutex_unlock, GRecMutex)
LOCK (g_rw_lock_reader_lock, GRWLock)
UNLOCK (g_rw_lock_reader_unlock, GRWLock)
LOCK (g_rw_lock_writer_lock, GRWLock)
UNLOCK (g_rw_lock_writer_unlock, GRWLock)

void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  REAL (g_cond_wait);
  release (mutex);
  real (cond, mutex);
  acquire (mutex);
}

gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end)
{
  gboolean signalled;
  REAL (g_cond_wait_until);
  release (mutex);
  signalled = real (cond, mutex, end);
  acquire (mutex);
  return signalled;
}

gboolean
g_once_init_enter (volatile void *location)
{
  gboolean first;
  REAL (g_once_init_enter);
  first = real (location);
  acquire (location);
  return first;
}

void
g_once_init_leave (volatile void *location, gsize result)
{
  REAL (g_once_init_leave);
  release (location);
  real (location, result);
}
