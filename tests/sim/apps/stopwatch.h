/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the processor time of a run goes, s of all its threads. */
#ifndef SIM_STOPWATCH_H
#define SIM_STOPWATCH_H

#include <ctime>

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
    spent_s[part] += now_s () - since;
  }
  Stopwatch (const Stopwatch &) = delete;
  Stopwatch &operator= (const Stopwatch &) = delete;
  static double
  now_s ()
  {
    return (double)std::clock () / CLOCKS_PER_SEC;
  }
  static inline double spent_s[n_parts] = {};

private:
  Part part;
  double since = now_s ();
};

} // namespace sim
#endif
