/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "series.h"
#include <algorithm>
#include <cmath>

namespace sim
{

RateSeries::RateSeries (double bin) : bin_s (bin)
{
}

void
RateSeries::add (double at_s, uint32_t bytes)
{
  size_t i = at_s / bin_s;

  if (bins.size () <= i)
    bins.resize (i + 1);
  bins[i] += bytes;
  sum += bytes;
}

uint64_t
RateSeries::total () const
{
  return sum;
}

double
RateSeries::bin () const
{
  return bin_s;
}

double
RateSeries::mean_bps (double from_s, double to_s) const
{
  size_t from = std::lround (from_s / bin_s), to = std::lround (to_s / bin_s);
  uint64_t bytes = 0;

  for (size_t i = from; i < std::min (to, bins.size ()); i++)
    bytes += bins[i];
  return to > from ? bytes * 8.0 / ((to - from) * bin_s) : 0;
}

std::vector<double>
RateSeries::rates_bps (double from_s, double to_s, double scale_s) const
{
  std::vector<double> rates;

  for (unsigned i = 0; from_s + (i + 1) * scale_s <= to_s + 1e-9; i++)
    rates.push_back (mean_bps (from_s + i * scale_s, from_s + (i + 1) * scale_s));
  return rates;
}

void
SampleSeries::add (double at_s, double value)
{
  list.push_back ({(float)at_s, (float)value});
}

size_t
SampleSeries::size () const
{
  return list.size ();
}

const std::vector<SampleSeries::Sample> &
SampleSeries::samples () const
{
  return list;
}

static std::vector<double>
between (const std::vector<SampleSeries::Sample> &list, double from_s, double to_s)
{
  std::vector<double> values;

  for (const auto &sample : list)
    if (sample.at_s >= from_s && sample.at_s < to_s)
      values.push_back (sample.value);
  return values;
}

double
SampleSeries::mean (double from_s, double to_s) const
{
  return mean_of (between (list, from_s, to_s));
}

double
SampleSeries::variance (double from_s, double to_s) const
{
  double deviation = deviation_of (between (list, from_s, to_s));

  return deviation * deviation;
}

double
SampleSeries::percentile (double q, double from_s, double to_s) const
{
  return percentile_of (between (list, from_s, to_s), q);
}

double
SampleSeries::max (double from_s, double to_s) const
{
  return percentile (1, from_s, to_s);
}

double
SampleSeries::last_before (double at_s, double otherwise) const
{
  auto after = std::upper_bound (
      list.begin (), list.end (), at_s, [] (double t, const Sample &sample) { return t < sample.at_s; });

  return after == list.begin () ? otherwise : (after - 1)->value;
}

double
mean_of (const std::vector<double> &values)
{
  double sum = 0;

  for (double v : values)
    sum += v;
  return values.empty () ? 0 : sum / values.size ();
}

double
deviation_of (const std::vector<double> &values)
{
  double mean = mean_of (values), sum = 0;

  for (double v : values)
    sum += (v - mean) * (v - mean);
  return values.size () < 2 ? 0 : std::sqrt (sum / (values.size () - 1));
}

double
cov_of (const std::vector<double> &values)
{
  double mean = mean_of (values);

  return mean > 0 ? deviation_of (values) / mean : 0;
}

double
percentile_of (std::vector<double> values, double q)
{
  if (values.empty ())
    return 0;
  size_t i = std::min (values.size () - 1, (size_t)(q * values.size ()));
  std::nth_element (values.begin (), values.begin () + i, values.end ());
  return values[i];
}

double
jain_of (const std::vector<double> &shares)
{
  double sum = 0, squares = 0;

  for (double x : shares) {
    sum += x;
    squares += x * x;
  }
  return squares > 0 ? sum * sum / (shares.size () * squares) : 1;
}

} // namespace sim
