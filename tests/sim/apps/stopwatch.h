/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the wall-clock time of a run goes. One thread. */
#ifndef SIM_STOPWATCH_H
#define SIM_STOPWATCH_H

#include <chrono>

namespace sim
{

class Stopwatch
{
public:
  enum Part { encode, decode, compare, n_parts };
  explicit Stopwatch (Part p) : part (p)
  {
  }
  ~Stopwatch ()
  {
    spent_s[part] += std::chrono::duration<double> (std::chrono::steady_clock::now () - since).count ();
  }
  Stopwatch (const Stopwatch &) = delete;
  Stopwatch &operator= (const Stopwatch &) = delete;
  static inline double spent_s[n_parts] = {};

private:
  Part part;
  std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now ();
};

} // namespace sim
#endif
