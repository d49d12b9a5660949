/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Preloaded into one end of a call by tests/quality/accidents: the wall clock of that process alone is moved by the
   seconds that stand in the file CLOCK_STEP_FILE, which may change at any time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long
offset_seconds (void)
{
  static int fd = -2;
  char text[32] = "";

  if (fd == -2)
    fd = getenv ("CLOCK_STEP_FILE") ? open (getenv ("CLOCK_STEP_FILE"), O_RDONLY | O_CLOEXEC) : -1;
  return fd >= 0 && pread (fd, text, sizeof text - 1, 0) > 0 ? atol (text) : 0;
}

int
clock_gettime (clockid_t clock, struct timespec *at)
{
  int result = (int)syscall (SYS_clock_gettime, clock, at);

  if (clock == CLOCK_REALTIME)
    at->tv_sec += offset_seconds ();
  return result;
}

int
gettimeofday (struct timeval *at, void *zone)
{
  struct timespec now;

  clock_gettime (CLOCK_REALTIME, &now);
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return zone ? 0 : 0;
}
