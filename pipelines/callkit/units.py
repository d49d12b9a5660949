# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rates, times, shares and capacity schedules as people write them."""
import math
import re


def rate(text):
    """'1.5M', '600k', '250000' -> bit/s"""
    match = re.fullmatch(r"([0-9.]+)([kMG]?)", str(text).strip())
    if not match:
        raise ValueError(f"no rate: {text}")
    return float(match[1]) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[match[2]]


def duration(text):
    """'50ms', '0.3s', '20min', '60' -> s"""
    match = re.fullmatch(r"([0-9.]+)(us|ms|s|min|)", str(text).strip())
    if not match:
        raise ValueError(f"no duration: {text}")
    return float(match[1]) * {"us": 1e-6, "ms": 1e-3, "s": 1, "": 1, "min": 60}[match[2]]


def share(text):
    """'1%', '0.01' -> 0.01"""
    text = str(text).strip()
    value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    if not 0 <= value <= 1:
        raise ValueError(f"no share of 0..1 or 0..100%: {text}")
    return value


def size(text):
    """'352x288' -> (352, 288)"""
    match = re.fullmatch(r"(\d+)x(\d+)", text)
    if not match or int(match[1]) % 8 or int(match[2]) % 2:
        raise ValueError(f"no size (width divisible by 8, height by 2): {text}")
    return int(match[1]), int(match[2])


def show_rate(bps):
    return f"{bps / 1e6:.2f}M" if bps >= 1e6 else f"{bps / 1e3:.0f}k"


def words_of_rate(bps):
    """For people who read no other figure beside it."""
    return f"{bps / 1e6:g} Mbit/s" if bps >= 1e6 else f"{bps / 1e3:g} kbit/s"


class Schedule:
    """'0:1.0M,40:2.5M' or one rate: bit/s by seconds since the start."""

    def __init__(self, text):
        self.steps = []
        for item in str(text).split(","):
            at, _, value = item.rpartition(":")
            self.steps.append((duration(at) if at else 0.0, rate(value)))
        if self.steps[0][0] != 0 or self.steps != sorted(self.steps, key=lambda step: step[0]):
            raise ValueError(f"a schedule starts at 0 and goes forward: {text}")

    def __str__(self):
        return ",".join(f"{at:g}:{bps:.0f}" for at, bps in self.steps)

    def at(self, t):
        return [bps for at, bps in self.steps if at <= max(t, 0)][-1]

    def phases(self, end):
        """[(from, to, bit/s)] up to `end`"""
        bounds = [at for at, _ in self.steps if at < end] + [end]
        return [(bounds[i], bounds[i + 1], self.steps[i][1]) for i in range(len(bounds) - 1)]


def trace_schedule(path, duration, step=0.5):
    """The capacity of a trace in mahimahi's format (a line for each chance to send 1500 bytes, in ms; it repeats), as a
    Schedule of steps."""
    with open(path) as file:
        chances = [float(line) / 1e3 for line in file if line.strip()]
    laps = int(duration / chances[-1]) + 1
    bits = [0.0] * max(math.ceil(duration / step), 1)
    for at in (lap * chances[-1] + chance for lap in range(laps) for chance in chances):
        if at < duration:
            bits[min(int(at / step), len(bits) - 1)] += 8 * 1500
    return Schedule(",".join(f"{n * step:g}:{b / step:.0f}" for n, b in enumerate(bits)))
