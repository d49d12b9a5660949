# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rates, times, shares and capacity schedules as people write them."""
import argparse
import math
import re

NUMBER = r"(\d+\.?\d*|\.\d+)"
LEAST_RATE = 10e3  # bit/s: a packet takes a second
LEAST_SIDE, LARGEST_SIDE = 16, 16382  # pixels: a macroblock, and what VP8's header holds
LONGEST = 5  # s, of what a network does to a packet


class Unfit(argparse.ArgumentTypeError, ValueError):
    """Both, so that a command line shows the words, and not the name of the function that said them."""


def rate(text):
    """'1.5M', '600k', '250000' -> bit/s"""
    match = re.fullmatch(NUMBER + "([kMG]?)", str(text).strip())
    if not match:
        raise Unfit(f"no rate: {text} (600k, 1.5M; without a unit bit/s)")
    return float(match[1]) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[match[2]]


def duration(text):
    """'50ms', '0.3s', '20min', '60' -> s"""
    match = re.fullmatch(NUMBER + "(us|ms|s|min|)", str(text).strip())
    if not match:
        raise Unfit(f"no duration: {text} (50ms, 20min; without a unit s)")
    return float(match[1]) * {"us": 1e-6, "ms": 1e-3, "s": 1, "": 1, "min": 60}[match[2]]


def span(text):
    """A duration that something lasts."""
    seconds = duration(text)
    if not seconds:
        raise Unfit(f"{text} is no time at all (50ms, 20min; without a unit s)")
    return seconds


def share(text):
    """'1%', '0.01' -> 0.01"""
    match = re.fullmatch(NUMBER + "(%?)", str(text).strip())
    value = float(match[1]) / (100 if match[2] else 1) if match else -1
    if not 0 <= value <= 1:
        raise Unfit(f"no share of 0..1 or 0..100%: {text}")
    return value


def port(text):
    """'5004' -> 5004"""
    if not re.fullmatch(r"\d{1,5}", text) or not 1 <= int(text) <= 65535:
        raise Unfit(f"no port: {text} (1 to 65535)")
    return int(text)


def path_rate(text):
    """A rate that a video can have."""
    bps = rate(text)
    if bps < LEAST_RATE:
        raise Unfit(f"{text} is {bps:g} bit/s, too little for any video: {words_of_rate(LEAST_RATE)} at least "
                    "(600k is 600 kbit/s, 1.5M 1.5 Mbit/s)")
    return bps


def path_time(text):
    """A time that a network can take."""
    seconds = duration(text)
    if seconds > LONGEST:
        raise Unfit(f"{text} is {seconds:g} s: {LONGEST} s at most (50ms is 50 milliseconds; without a unit it is s)")
    return seconds


def path_schedule(text):
    """The text of a Schedule of rates that a video can have."""
    Schedule(text)
    for item in text.split(","):
        path_rate(item.rpartition(":")[2])
    return text


def size(text):
    """'352x288' -> (352, 288)"""
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    width, height = (int(n) for n in match.groups()) if match else (0, 0)
    if width % 8 or height % 2 or not LEAST_SIDE <= min(width, height) <= max(width, height) <= LARGEST_SIDE:
        raise Unfit(f"no size: {text} (352x288; each {LEAST_SIDE} to {LARGEST_SIDE}, a width divisible by 8, an even height)")
    return width, height


def show_rate(bps):
    return f"{bps / 1e6:.2f}M" if bps >= 1e6 else f"{bps / 1e3:.0f}k"


def words_of_rate(bps):
    """For people who read no other figure beside it."""
    return f"{bps / 1e6:g} Mbit/s" if bps >= 1e6 else f"{bps / 1e3:g} kbit/s"


def size_text(text):
    size(text)
    return text


def _whole(text, least, most, what):
    if not re.fullmatch(r"\d{1,10}", text) or not least <= int(text) <= most:
        raise Unfit(f"no {what}: {text} ({least} to {most})")
    return int(text)


def frame_rate(text):
    return _whole(text, 1, 240, "number of frames a second")


def seed(text):
    return _whole(text, 1, 2 ** 31 - 1, "seed")


def path_loss(text):
    value = share(text)
    if value == 1:
        raise Unfit(f"{text} of the packets lost are all of them: nothing arrives")
    return value


def burst(text):
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if value != 0 and not 1 <= value <= 1000:
        raise Unfit(f"no mean number of packets lost in a row: {text} (1 to 1000; 0: by chance)")
    return value


class Schedule:
    """'0:1.0M,40:2.5M' or one rate: bit/s by seconds since the start."""

    def __init__(self, text):
        self.steps = []
        for item in str(text).split(","):
            at, _, value = item.rpartition(":")
            self.steps.append((duration(at) if at else 0.0, rate(value)))
        times = [at for at, _ in self.steps]
        if times[0] != 0 or times != sorted(set(times)):
            raise Unfit(f"a schedule starts at 0 and goes forward: {text} (0:1M,20:400k)")

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
        try:
            chances = [float(line) / 1e3 for line in file if line.strip()]
        except ValueError:
            chances = []
    if not chances or chances != sorted(chances) or chances[-1] <= 0:
        raise ValueError(f"{path} is no trace: a line for each packet that may leave, in ms, none before the one above it")
    laps = int(duration / chances[-1]) + 1
    bits = [0.0] * max(math.ceil(duration / step), 1)
    for at in (lap * chances[-1] + chance for lap in range(laps) for chance in chances):
        if at < duration:
            bits[min(int(at / step), len(bits) - 1)] += 8 * 1500
    return Schedule(",".join(f"{n * step:g}:{b / step:.0f}" for n, b in enumerate(bits)))
