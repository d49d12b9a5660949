# SPDX-License-Identifier: LGPL-2.1-or-later
"""Capacity traces in mahimahi's format: a line is the millisecond at which one IP packet of up to 1500 bytes may leave
(mahimahi's 1504 are those and its tunnel's header); the file starts over after its last line. And synthetic ones.

Synthetic capacities are exp(x) for an Ornstein-Uhlenbeck process x: log-normal, with an exponential autocorrelation.
What the kinds add, and their figures, stands in KINDS; a test measures the generated traces against them. The figures
are round numbers of the order that published LTE and Wi-Fi measurements report, not fitted to any recording."""
import dataclasses
import functools
import hashlib
import math
import os
import pathlib
import random
import re

from callkit import paths

PACKET_BITS = 8 * 1500
STEP = 0.02  # s between values of the process
TURN_PEAK = 2e6  # bit/s while it serves
TURNS_LAST = 60  # s


@dataclasses.dataclass(frozen=True)
class Kind:
    median: float  # bit/s
    sigma: float  # standard deviation of the logarithm
    memory: float  # s, after which the autocorrelation is 1/e
    outage_every: float  # mean s between outages, exponential
    outage_length: float  # mean s of an outage, exponential
    outage_share: float  # of the capacity that is left in one
    airtime: float  # s; capacity comes in bursts of this period, as where stations take turns; 0: smooth


KINDS = {
    # Slow fading and handovers: swings of a factor 2 to 3 within seconds, a gap of about half a second every 20 s.
    "cellular": Kind(2.5e6, 0.6, 2.0, 20.0, 0.5, 0.0, 0.0),
    # Fast driving: deeper, quicker, more gaps.
    "driving": Kind(1.5e6, 0.9, 0.8, 10.0, 1.0, 0.0, 0.0),
    # Contention: turns of 10 ms, a busy neighbour every 5 s that leaves a third.
    "wifi": Kind(8e6, 0.3, 0.5, 5.0, 1.0, 0.33, 0.01),
}


class Trace:
    def __init__(self, ms):
        if not ms or ms[-1] <= 0 or ms != sorted(ms):
            raise ValueError("a trace is a list of milliseconds that do not fall, the last above 0")
        self.ms = ms

    @staticmethod
    @functools.cache
    def read(name):
        path = find(name)
        try:
            return Trace([int(line) for line in path.read_text().splitlines() if line.strip()])
        except ValueError as error:
            raise ValueError(f"{path} is no trace of whole milliseconds, one a line: {error}") from None

    def write(self, path):
        part = pathlib.Path(f"{path}.{os.getpid()}.part")
        part.write_text("".join(f"{ms}\n" for ms in self.ms))
        part.rename(path)

    def digest(self):
        return hashlib.sha1(str(self.ms).encode()).hexdigest()[:12]

    def mean(self):
        """bit/s"""
        return len(self.ms) * PACKET_BITS / (self.ms[-1] / 1e3)

    def steps(self, duration, width):
        """[(s, bit/s)] means over `width` seconds, as the trace repeats."""
        counts = [0] * math.ceil(duration / width)
        begin, period = 0.0, self.ms[-1] / 1e3
        while begin < duration:
            for ms in self.ms:
                place = int((begin + ms / 1e3) / width)
                if place < len(counts):
                    counts[place] += 1
            begin += period
        return [(i * width, n * PACKET_BITS / width) for i, n in enumerate(counts)]


def _outages(kind, seconds, chance):
    """[(from, to)]"""
    found, t = [], chance.expovariate(1 / kind.outage_every)
    while t < seconds:
        length = chance.expovariate(1 / kind.outage_length)
        found.append((t, t + length))
        t += length + chance.expovariate(1 / kind.outage_every)
    return found


def rates(kind, seconds, seed):
    """bit/s every STEP seconds."""
    chance = random.Random(f"{seed} capacity")
    keep = math.exp(-STEP / kind.memory)
    x = chance.gauss(0, kind.sigma)
    gaps = _outages(kind, seconds, random.Random(f"{seed} outages"))
    found = []
    for i in range(round(seconds / STEP)):
        x = keep * x + chance.gauss(0, kind.sigma * math.sqrt(1 - keep * keep))
        out = any(a <= i * STEP < b for a, b in gaps)
        found.append(kind.median * math.exp(x) * (kind.outage_share if out else 1))
    return found


def generate(name, seed, seconds=300):
    kind, ms, credit = KINDS[name], [], 0.0
    capacity = rates(kind, seconds, seed)
    for t in range(1, round(1000 * seconds) + 1):
        credit += capacity[min(int((t - 1) / 1e3 / STEP), len(capacity) - 1)] / 1e3
        if kind.airtime and t % round(1e3 * kind.airtime):
            continue
        while credit >= PACKET_BITS:
            ms.append(t)
            credit -= PACKET_BITS
    if not ms or ms[-1] != round(1000 * seconds):  # the period, else the end of the last outage would be cut off
        ms.append(round(1000 * seconds))
    return Trace(ms)


def turns(period, gap):
    """A link that serves nothing for `gap` ms of each `period`, as where a station sleeps or others have their turn."""
    if not 0 < gap < period:
        raise ValueError(f"turns of {period} ms cannot have a gap of {gap}")
    apart = 1e3 * PACKET_BITS / TURN_PEAK
    one = [round(gap + (n + 1) * apart) for n in range(int((period - gap) / apart))]
    return Trace([begin + ms for begin in range(0, 1000 * TURNS_LAST // period * period, period) for ms in one])


def _kept(name, made_of, make):
    digest = hashlib.sha1(f"{made_of} {PACKET_BITS}".encode()).hexdigest()[:8]
    path = paths.CACHE / "traces" / f"{name}-{digest}.trace"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        make().write(path)
    return path


def find(name):
    """The file of a trace: a path, a window of a recorded one, KIND:SEED of a synthetic one or turns:PERIOD/GAP, made
    where it is missing."""
    from . import recorded  # which needs this
    if recorded.is_window(name):
        return recorded.find(name)
    taken = re.fullmatch(r"turns:(\d+)/(\d+)", str(name))
    if taken:
        period, gap = int(taken[1]), int(taken[2])
        return _kept(f"turns-{period}-{gap}", (TURN_PEAK, TURNS_LAST), lambda: turns(period, gap))
    match = re.fullmatch(r"([a-z]+):(\d+)", str(name))
    if not match:
        return pathlib.Path(name).resolve()
    if match[1] not in KINDS:
        raise ValueError(f"no kind of trace: {match[1]}; there are {', '.join(KINDS)}")
    return _kept(f"{match[1]}-{match[2]}", KINDS[match[1]], lambda: generate(match[1], int(match[2])))
