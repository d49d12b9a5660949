/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sizerun.h"

#define PARTS 2

static void
on_loss (SizeRun *r, uint64_t number, uint32_t bytes)
{
  if (r->lost == 0 || bytes <= r->arrived_bytes) /* another run */
    *r = (SizeRun){
        .newest = number, .clean = r->lost == 0 ? r->clean : 0, .first = number, .lost_bytes = bytes, .parted = true};
  r->parts += r->parted;
  r->parted = false;
  r->last = number;
  r->lost++;
  if (bytes < r->lost_bytes)
    r->lost_bytes = bytes;
}

static bool
is_of_size (const SizeRun *r)
{
  return r->clean >= SIZE_RUN_CLEAN && r->lost >= SIZE_RUN_LOST && r->parts >= PARTS;
}

static bool
end (SizeRun *r)
{
  bool told = is_of_size (r);

  r->clean = r->lost = 0;
  return told;
}

bool
size_run_on_packet (SizeRun *r, uint64_t number, uint32_t bytes, bool received)
{
  if (number <= r->newest)
    return false;
  r->newest = number;
  if (!received) {
    on_loss (r, number, bytes);
    return false;
  }
  if (r->lost == 0) {
    r->clean += r->clean < SIZE_RUN_CLEAN;
    return false;
  }
  if (bytes >= r->lost_bytes)
    return end (r);
  r->parted = true;
  r->arrived_bytes = bytes > r->arrived_bytes ? bytes : r->arrived_bytes;
  return false;
}
