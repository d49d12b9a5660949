/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Simulated time for a library that reads the clock by itself. This program's clock_gettime () answers CLOCK_MONOTONIC
   with simulated time where the caller's code lies in a hosted library (Rust's std::time::Instant is such a caller),
   and is the system's for everybody else: encoders, GLib, ns-3 and the C library keep real time.

   Link with -Wl,--export-dynamic-symbol=clock_gettime. */
#ifndef SIM_HOSTED_CLOCK_H
#define SIM_HOSTED_CLOCK_H

#include <cstdint>

namespace sim
{

/* What hosted libraries read from now on, ns. */
void hosted_clock_set (uint64_t ns);
/* The library that holds this address, for good. At most 8. */
void hosted_clock_add_library (const void *address);
uint64_t hosted_clock_readings (); /* so far: 0 says that nobody asks */

} // namespace sim
#endif
