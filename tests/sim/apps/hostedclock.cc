/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hostedclock.h"
#include <atomic>
#include <ctime>
#include <dlfcn.h>
#include <link.h>
#include <ns3/abort.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sim
{

struct Span {
  uintptr_t begin, end;
};

static const unsigned max_spans = 8;
static Span spans[max_spans];
static std::atomic<unsigned> span_count{0};
static std::atomic<uint64_t> now_ns{0}, readings{0};

static bool
hosted (const void *caller)
{
  uintptr_t at = (uintptr_t)caller;

  for (unsigned i = 0; i < span_count.load (std::memory_order_acquire); i++)
    if (at >= spans[i].begin && at < spans[i].end)
      return true;
  return false;
}

/* The object with `begin` in one of its segments, as the span of all of them. */
static int
find_object (struct dl_phdr_info *info, size_t, void *data)
{
  Span *span = static_cast<Span *> (data);
  uintptr_t low = UINTPTR_MAX, high = 0;
  bool inside = false;

  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD)
      continue;
    uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, end = begin + info->dlpi_phdr[i].p_memsz;
    inside |= span->begin >= begin && span->begin < end;
    low = begin < low ? begin : low;
    high = end > high ? end : high;
  }
  if (inside)
    *span = {low, high};
  return inside;
}

void
hosted_clock_set (uint64_t ns)
{
  now_ns = ns;
}

uint64_t
hosted_clock_readings ()
{
  return readings;
}

void
hosted_clock_add_library (const void *address)
{
  Span span = {(uintptr_t)address, 0};

  if (hosted (address))
    return;
  NS_ABORT_MSG_UNLESS (dl_iterate_phdr (find_object, &span), "no library has that address");
  NS_ABORT_MSG_IF (span_count == max_spans, "too many hosted libraries");
  spans[span_count] = span;
  span_count.fetch_add (1, std::memory_order_release);
}

static int
system_clock_gettime (clockid_t clock, struct timespec *time)
{
  using Function = int (*) (clockid_t, struct timespec *);
  static std::atomic<Function> function{nullptr};
  Function known = function.load (std::memory_order_relaxed);

  if (!known) {
    known = reinterpret_cast<Function> (dlsym (RTLD_NEXT, "clock_gettime"));
    function.store (known, std::memory_order_relaxed);
  }
  return known ? known (clock, time) : (int)syscall (SYS_clock_gettime, clock, time);
}

} // namespace sim

extern "C" __attribute__ ((visibility ("default"), noinline)) int
clock_gettime (clockid_t clock, struct timespec *time)
{
  static const uint64_t second = 1000000000;

  if (clock != CLOCK_MONOTONIC || !sim::hosted (__builtin_return_address (0)))
    return sim::system_clock_gettime (clock, time);
  uint64_t ns = sim::now_ns;
  sim::readings++;
  time->tv_sec = ns / second;
  time->tv_nsec = ns % second;
  return 0;
}
