/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "avpfaggregate.h"

static bool
may_ride (const AvpfReporter *local)
{
  return !local->chosen && avpf_timing_may_report (local->timing);
}

/* The one that would be sent next, n for none. */
static unsigned
next_rider (const AvpfReporter *locals, unsigned n)
{
  unsigned best = n;

  for (unsigned i = 0; i < n; i++)
    if (may_ride (&locals[i]) && (best == n || locals[i].timing->tn < locals[best].timing->tn))
      best = i;
  return best;
}

unsigned
avpf_aggregate_choose (AvpfReporter *locals, unsigned n, unsigned first, uint32_t header_size, uint32_t max_size)
{
  unsigned count = 1, i;
  uint64_t size;

  if (first >= n)
    return 0;
  for (i = 0; i < n; i++)
    locals[i].chosen = i == first;
  size = (uint64_t)header_size + locals[first].report_size;
  while ((i = next_rider (locals, n)) < n && size + locals[i].report_size <= max_size) {
    locals[i].chosen = true;
    size += locals[i].report_size;
    count++;
  }
  return count;
}

/* RFC 8108 5.3.2: the mean of the times at which the reports would have gone alone */
static CcTime
mean_time (const AvpfReporter *locals, unsigned n, unsigned first, CcTime now)
{
  double ahead = 0;
  unsigned count = 0;

  for (unsigned i = 0; i < n; i++) {
    if (!locals[i].chosen)
      continue;
    count++;
    if (i != first)
      ahead += cc_seconds (cc_time_since (avpf_timing_effective_time (locals[i].timing, now), now));
  }
  return count > 0 ? cc_time_add (now, cc_duration (ahead / count)) : now;
}

static unsigned
chosen (const AvpfReporter *locals, unsigned n)
{
  unsigned count = 0;

  for (unsigned i = 0; i < n; i++)
    count += locals[i].chosen;
  return count;
}

void
avpf_aggregate_on_sent (AvpfReporter *locals, unsigned n, unsigned first, uint32_t size_bytes, CcTime now)
{
  uint32_t div_size = avpf_aggregate_div_size (size_bytes, chosen (locals, n));
  CcTime tp = mean_time (locals, n, first, now);

  for (unsigned i = 0; i < n; i++) {
    if (!locals[i].chosen) {
      avpf_timing_on_received (locals[i].timing, div_size);
      continue;
    }
    /* a rider's report is a full one */
    if (i != first)
      locals[i].timing->full_due = true;
    avpf_timing_on_aggregated (locals[i].timing, div_size, tp, now);
  }
}

uint32_t
avpf_aggregate_div_size (uint32_t size_bytes, unsigned n)
{
  return n > 1 ? (size_bytes + n / 2) / n : size_bytes;
}

unsigned
avpf_aggregate_next (const AvpfReporter *locals, unsigned n)
{
  CcTime soonest = CC_TIME_NONE;
  unsigned best = n;

  for (unsigned i = 0; i < n; i++) {
    CcTime at = avpf_timing_next_timeout (locals[i].timing);
    if (at < soonest) {
      soonest = at;
      best = i;
    }
  }
  return best;
}
