/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measurements over simulated time and the figures made of them. Times in s from the start of the simulation. */
#ifndef SIM_SERIES_H
#define SIM_SERIES_H

#include <cstdint>
#include <string>
#include <vector>

namespace sim
{

/* Bytes by time: throughput at any multiple of the bin. */
class RateSeries
{
public:
  explicit RateSeries (double bin_s = 0.05);
  void add (double at_s, uint32_t bytes);
  uint64_t total () const;
  double mean_bps (double from_s, double to_s) const;                               /* bit/s */
  std::vector<double> rates_bps (double from_s, double to_s, double scale_s) const; /* whole intervals only */
  double bin () const;

private:
  double bin_s;
  uint64_t sum = 0;
  std::vector<uint64_t> bins;
};

/* One value per event. */
class SampleSeries
{
public:
  void add (double at_s, double value);
  size_t size () const;
  double mean (double from_s = 0, double to_s = 1e9) const;
  double variance (double from_s = 0, double to_s = 1e9) const;
  double percentile (double q, double from_s = 0, double to_s = 1e9) const; /* q in [0, 1]; 0 where empty */
  double max (double from_s = 0, double to_s = 1e9) const;
  double last_before (double at_s, double otherwise) const;
  struct Sample {
    float at_s, value;
  };
  const std::vector<Sample> &samples () const;

private:
  std::vector<Sample> list;
};

double mean_of (const std::vector<double> &values);
double deviation_of (const std::vector<double> &values);
/* Coefficient of variation: deviation / mean. */
double cov_of (const std::vector<double> &values);
double percentile_of (std::vector<double> values, double q);
/* Jain's index of the shares. */
double jain_of (const std::vector<double> &shares);

} // namespace sim
#endif
