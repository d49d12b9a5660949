# SPDX-License-Identifier: LGPL-2.1-or-later
"""Medians and how sure they are: percentile bootstrap, repeatable from a fixed seed."""
import numpy

DRAWS = 2000
SURE = 6  # seeds: of fewer the interval is their range, and all on one side of 0 is chance in more than one case of 20


def median(values, level=0.95, draws=DRAWS):
    """(median, low, high) without the missing ones; (None, None, None) of none."""
    values = numpy.array([v for v in values if v is not None and not numpy.isnan(v)], float)
    if not len(values):
        return None, None, None
    chance = numpy.random.default_rng(1)
    drawn = numpy.median(values[chance.integers(0, len(values), (draws, len(values)))], axis=1)
    low, high = numpy.percentile(drawn, (50 - 50 * level, 50 + 50 * level))
    return float(numpy.median(values)), float(low), float(high)


def paired(ours, theirs):
    """Median of the differences ours - theirs over the seeds both have; {seed: value} each."""
    common = [s for s in ours if s in theirs and ours[s] is not None and theirs[s] is not None]
    return median([ours[s] - theirs[s] for s in common]) + (len(common),)
