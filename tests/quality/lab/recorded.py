# SPDX-License-Identifier: LGPL-2.1-or-later
"""Windows of recorded traces, which are not part of the project: `recorded:FILE@BEGIN+LENGTH`, s, of a file in
../shared/traces, or in the folder that QUALITY_TRACES names; and the table of a run over them.

A line of a file is a millisecond in which a packet may leave, as of mahimahi's; or a time in s and the rate from then
on. Rates are those of links that would carry any call: a window is scaled to a mean of 1.5 Mb/s."""
import hashlib
import os
import pathlib
import re

import numpy

from callkit import paths

from . import traces

MEAN = 1.5e6  # bit/s
NAME = re.compile(r"recorded:([^/@]+)@(\d+)\+(\d+)")

# name, key in results.csv, factor, format
COLUMNS = [("PSNR-Y, dB", "psnr", 1, "%.2f"), ("due after 150 ms, dB", "deadline-150ms psnr", 1, "%.2f"),
           ("use", "use", 1, "%.3f"), ("p95, ms", "delay_p95", 1000, "%.0f"), ("frozen, s", "frozen", 1, "%.1f")]


def folder():
    return pathlib.Path(os.environ.get("QUALITY_TRACES") or paths.TOP.parent / "shared/traces")


def is_window(name):
    return NAME.fullmatch(str(name)) is not None


def absent(name):
    """Whether it is a window of a recording that this machine has not."""
    return is_window(name) and not (folder() / NAME.fullmatch(str(name))[1]).exists()


def cut(ms, begin, length):
    """ms of the window, from its begin; it ends with a chance at `length`, so that it lasts for that when repeated."""
    found = [t - 1000 * begin for t in ms if 1000 * begin < t <= 1000 * (begin + length)]
    return found if found and found[-1] == 1000 * length else found + [1000 * length]


def chances(samples, begin, length):
    """ms at which a packet may leave, of a window of (s, rate)."""
    end, start = begin + length, samples[0][0]
    spans = [(max(a - start, begin), min(b - start, end), rate) for (a, rate), (b, _) in zip(samples, samples[1:])]
    spans = [(a, b, rate) for a, b, rate in spans if a < b and rate > 0]
    if not spans:
        return []
    scale = MEAN / traces.PACKET_BITS * length / sum(rate * (b - a) for a, b, rate in spans)
    found, owed = [], 1.0
    for a, b, rate in spans:
        due = a + owed / (scale * rate)
        while due <= b:
            found.append(int(1000 * due))
            due += 1 / (scale * rate)
        owed = (due - b) * scale * rate
    return found


def _ms(text, begin, length):
    lines = [line.split() for line in text.splitlines() if line.strip()]
    if lines and len(lines[0]) > 1:
        return chances([(float(s), float(rate)) for s, rate, *_ in lines], begin, length)
    return [int(ms) for ms, in lines]


def find(name):
    """The file of a window, made where it is missing."""
    source, begin, length = NAME.fullmatch(str(name)).groups()
    data = (folder() / source).read_bytes()
    made_of = hashlib.sha1(data).hexdigest()[:8]
    path = paths.CACHE / "traces" / f"{source}-{begin}-{length}-{made_of}.trace"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        begin, length = int(begin), int(length)
        traces.Trace(cut(_ms(data.decode(), begin, length), begin, length)).write(path)
    return path


def _means(rows, cell, key):
    values = [float(r[key]) for r in rows if r["cell"] == cell and r.get(key) not in (None, "", "nan")]
    return float(numpy.mean(values)) if values else None


def lines(runs):
    """A Markdown table of one or several runs' rows of one controller: means over the seeds, a line a cell, and of all
    cells."""
    cells = [c for c in dict.fromkeys(r["cell"] for r in runs[0]) if all(any(r["cell"] == c for r in rows) for rows in runs)]
    yield "| window | " + " | ".join(name for name, *_ in COLUMNS) + " |"
    yield "|---" * (len(COLUMNS) + 1) + "|"
    table = [[[_means(rows, cell, key) for rows in runs] for _, key, *_ in COLUMNS] for cell in cells]
    for cell, found in zip(cells, table):
        yield _line(cell, found)
    if cells:
        yield _line("mean", [[numpy.mean([found[c][r] for found in table if found[c][r] is not None])
                              for r in range(len(runs))] for c in range(len(COLUMNS))])


def _line(name, found):
    entries = [" / ".join("" if v is None else form % (factor * v) for v in values)
               for (_, _, factor, form), values in zip(COLUMNS, found)]
    return f"| {name} | " + " | ".join(entries) + " |"
