/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Time passes on a test clock for an element with one thread that always sleeps on it. */
#ifndef CLOCK_ADVANCE_H
#define CLOCK_ADVANCE_H

#include <gst/check/gsttestclock.h>

/* Every wait up to `until` is ended in turn. */
static inline void
clock_advance_to (GstTestClock *clock, GstClockTime until)
{
  for (;;) {
    GstClockTime at;
    GstClockID id;

    gst_test_clock_wait_for_next_pending_id (clock, &id);
    at = gst_clock_id_get_time (id);
    gst_clock_id_unref (id);
    if (at > until)
      break;
    if (at > gst_clock_get_time (GST_CLOCK (clock)))
      gst_test_clock_set_time (clock, at);
    id = gst_test_clock_process_next_clock_id (clock);
    if (id != NULL)
      gst_clock_id_unref (id);
  }
  if (until > gst_clock_get_time (GST_CLOCK (clock)))
    gst_test_clock_set_time (clock, until);
}

#endif
