# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line of `tests/quality/table`: two controllers cell by cell, as a Markdown table."""
import argparse
import csv
import pathlib
import signal
import sys

import numpy

from . import cells, collect

WHAT = """Compares two controllers cell by cell, over the seeds that both have: means, as a Markdown table; bold where the
first loses to the second. PSNR and p95 of a third, the encoder told its share, stand behind theirs."""

# name, key in results.csv, factor, format, what is better: 1 more, -1 less, 0 neither
COLUMNS = [("PSNR-Y, dB", "psnr", 1, "%.1f", 1), ("MOS", "mos", 1, "%.2f", 1), ("use, %", "use", 100, "%.0f", 0),
           ("capture to display, ms: p50", "delay_p50", 1000, "%.0f", -1), ("p95", "delay_p95", 1000, "%.0f", -1),
           ("p99", "delay_p99", 1000, "%.0f", -1), ("freezes", "freezes", 1, "%.1f", -1),
           ("queue p95, ms", "queue_p95", 1000, "%.0f", -1), ("Jain", "jain", 1, "%.2f", 1),
           ("× a TCP's rate", "tcp_ratio", 1, "%.2f", 0)]
BESIDE = ("psnr", "delay_p95")  # what the third is shown in
# name, key, factor, format: medians of the differences by seed
PAIRED = [("gain, dB", "psnr", 1, "%+.1f"), ("longer p95, ms", "delay_p95", 1000, "%+.0f")]
KEPT = ["engine", "cell", "encoder", "clip", "controller", "seed"] + [key for _, key, *_ in COLUMNS] + [
    "loss_caused", "overhead", "vmaf", "ssim", "blank_start", "frozen", "freezes_200ms", "longest", "psnr_worst_flow"]


def read(files):
    """[row], each run once: the last file's."""
    rows = {}
    for name in files:
        with open(name, newline="") as file:
            reader = csv.DictReader(file)
            if not set(KEPT[:6]) <= set(reader.fieldnames or []):
                raise ValueError(f"{name} is no results.csv: it has no columns {', '.join(KEPT[:6])}")
            for row in reader:
                of = tuple(row[k] for k in KEPT[:6])
                lasts, before = row.get("duration"), rows.get(of, {}).get("duration")
                if lasts and before and lasts != before:
                    raise ValueError(f"{name}: {'/'.join(of)} lasts {lasts} s, in a file before {before} s")
                rows[of] = row
    return list(rows.values())


def number(text):
    return float(text) if text not in (None, "", "nan") else None


def cell_name(row, several):
    return ", ".join([row["cell"].removeprefix("rfc8867-")] + [row[k] for k in several])


class Runs(collect.Table):
    """Of rows of results.csv; encoder and clip are part of a cell's name where there are several."""

    def __init__(self, rows):
        several = [k for k in ("encoder", "clip") if len({row[k] for row in rows}) > 1]
        self.by_place = {}
        for row in rows:
            place = (cell_name(row, several),)
            self.by_place.setdefault(place, {}).setdefault(row["controller"], {})[row["seed"]] = row

    def values(self, place, controller, key):
        return {seed: number(row.get(key)) for seed, row in self.by_place[place].get(controller, {}).items()}

    def means(self, place, controllers, key):
        """One a controller, over the seeds that all of them have."""
        runs = [self.values(place, c, key) for c in controllers]
        seeds = [s for s in runs[0] if all(r.get(s) is not None for r in runs)]
        return [numpy.mean([r[s] for s in seeds]) for r in runs] if seeds else None

    def seeds(self, place, controllers):
        return len(set.intersection(*(set(self.by_place[place].get(c, {})) for c in controllers)))


def entry(runs, place, pair, column, told):
    _, key, factor, form, better = column
    means = runs.means(place, pair, key)
    if means is None:
        return ""
    ours, theirs = (form % (factor * m) for m in means)
    loses = better * (float(ours) - float(theirs)) < 0
    third = runs.means(place, [told, *pair], key) if key in BESIDE else None
    return (f"**{ours}**" if loses else ours) + f" / {theirs}" + (f" / {form % (factor * third[0])}" if third else "")


def paired(runs, place, pair, column):
    _, key, factor, form = column
    *found, seeds = runs.difference(place, *pair, key)
    if not seeds:
        return ""
    middle, low, high = (form % (factor * value) for value in found)
    return f"{middle} [{low}, {high}]" if seeds > 1 else middle


def lines(rows, pair, told):
    runs = Runs(rows)
    places = [p for p in runs.by_place if runs.seeds(p, pair)]
    shown = [c for c in COLUMNS if any(runs.means(p, pair, c[1]) for p in places)]
    names = ["case", "seeds"] + [name for name, *_ in shown + PAIRED]
    yield "| " + " | ".join(names) + " |"
    yield "|---" * len(names) + "|"
    for place in places:
        entries = [entry(runs, place, pair, column, told) for column in shown]
        entries += [paired(runs, place, pair, column) for column in PAIRED]
        yield f"| {place[0]} | {runs.seeds(place, pair)} | " + " | ".join(entries) + " |"


def draw(rows, shown, file):
    """p95 delay against PSNR: medians over the seeds with their 95 % intervals, a panel a cell."""
    from . import page  # matplotlib: not for a table alone
    runs, book = Runs([r for r in rows if r["controller"] in shown]), cells.Book()
    titles = {(cell_name(r, ()),): book.get(r["cell"]).title for r in rows if r["cell"] in book.tables}
    page.axes_plot(runs, list(runs.by_place), pathlib.Path(file), columns=4, titles=titles)


def summary(rows, pair):
    """How often the columns of PAIRED are above 0, as the table shows them, and their medians over the cells; of p95 also
    as a part of the second's."""
    runs = Runs(rows)
    both = [p for p in runs.by_place if all(runs.means(p, pair, key) for _, key, *_ in PAIRED)]
    if not both:
        return f"no cell has runs of both {pair[0]} and {pair[1]} with the same seed"
    gain, longer = ([factor * runs.difference(p, *pair, key)[0] for p in both] for _, key, factor, _ in PAIRED)
    above = [sum(float(form % value) > 0 for value in values) for values, (*_, form) in zip((gain, longer), PAIRED)]
    middle = [form % numpy.median(values) for values, (*_, form) in zip((gain, longer), PAIRED)]
    shares = [value / 1000 / runs.means(p, pair, "delay_p95")[1] for value, p in zip(longer, both)]
    return (f"{len(both)} cells: PSNR above in {above[0]}, {middle[0]} dB in the median cell; p95 longer in {above[1]}, "
            f"{middle[1]} ms and {100 * numpy.median(shares):+.0f} % in the median cell")


def main(arguments=None):
    p = argparse.ArgumentParser(prog="tests/quality/table", description=WHAT)
    p.add_argument("results", nargs="+", help="results.csv of tests/quality/run, or of docs/data")
    p.add_argument("--engine", choices=["sim", "real"], default="sim")
    p.add_argument("--pair", nargs=2, default=["low-delay", "gcc"], metavar=("OURS", "THEIRS"))
    p.add_argument("--told", default="oracle", help="default %(default)s")
    p.add_argument("--figure", metavar="PNG", help="draw p95 delay against PSNR of the three, a panel a cell")
    p.add_argument("--keep", metavar="FILE", help="write the runs and columns that matter here, to be kept")
    options = p.parse_args(arguments)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        rows = read(options.results)
    except (OSError, ValueError) as error:
        print(f"table: {error}", file=sys.stderr)
        return 2
    if options.keep:
        with open(options.keep, "w", newline="") as file:
            writer = csv.DictWriter(file, KEPT, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(sorted(rows, key=lambda r: [r[k] for k in KEPT[:5]] + [int(r["seed"])]))
    rows = [r for r in rows if r["engine"] == options.engine]
    print("\n".join(lines(rows, options.pair, options.told)))
    print(f"\n{summary(rows, options.pair)}")
    if options.figure:
        draw(rows, [*options.pair, options.told], options.figure)
    return 0


if __name__ == "__main__":
    sys.exit(main())
