# SPDX-License-Identifier: LGPL-2.1-or-later
"""The figures of the founding documents beside ours, as docs/data/founding keeps them, and whether they are met."""
import collections
import csv
import math
import pathlib
import re
import statistics

import simreport

TOP = pathlib.Path(__file__).resolve().parents[2]
DATA = TOP / "docs/data/founding"
FIELDS = ("scenario", "row", "published", "low", "high", "worst_low", "worst_high", "values")
DRAWN = re.compile(r"TCP Mb/s$")  # rows of a picture, kept although nothing was published

Row = collections.namedtuple("Row", FIELDS)
Cause = collections.namedtuple("Cause", ("program", "rows", "what", "short", "cause"))


def causes():
    """Of docs/data/founding/causes.csv: whose rows they explain, what these rows are, why they miss. Those with a
    `short` sentence are misses that matter."""
    with open(DATA / "causes.csv", newline="", encoding="utf-8") as file:
        return [Cause(**dict(c, rows=re.compile(c["rows"]))) for c in csv.DictReader(file)]


def cause_of(known, program, row):
    """None where none is known."""
    return next((c for c in known if c.program == program and c.rows.search(f"{row.scenario}: {row.row}")), None)


def same_name(what):
    """A row's name without what differs between seeds."""
    return re.sub(r" \(sd [^)]*\)|, new / known \d+|, \d+ kept", "", what)


def number(value):
    return "" if value is None else f"{value:.6g}"


# ---- from runs, to files ----


def collected(chosen, program, scenario):
    """Its title and rows, of all seeds that have run; None where none has."""
    contents = []
    for seed in range(chosen.seed, chosen.seed + 100):
        content = simreport.content_of(chosen, program, scenario, seed)
        if content:
            contents.append(content)
    if not contents:
        return None
    rows = []
    for i, first in enumerate(contents[0]["rows"]):
        name = same_name(first["what"])
        values = [c["rows"][i]["ours"] for c in contents
                  if i < len(c["rows"]) and same_name(c["rows"][i]["what"]) == name]
        if first["published"] == "-" and not first["bounds"] and not DRAWN.search(name):
            continue
        rows.append(Row(scenario, name, first["published"], *map(number, first["bounds"] or [None] * 4),
                        " ".join(number(v) for v in values if v is not None)))
    return contents[0]["title"], rows


def read_program(program):
    """{scenario: title}, [rows]"""
    path = DATA / f"{program}.csv"
    if not path.exists():
        return {}, []
    with open(path, newline="", encoding="utf-8") as file:
        rows = [Row(**row) for row in csv.DictReader(file)]
    titles = {row.scenario: row.published for row in rows if row.row == "title"}
    return titles, [row for row in rows if row.row != "title"]


def write_program(program, order, titles, rows):
    DATA.mkdir(parents=True, exist_ok=True)
    with open(DATA / f"{program}.csv", "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(FIELDS)
        for scenario in order:
            if scenario in titles:
                out.writerow((scenario, "title", titles[scenario]) + ("",) * 5)
            out.writerows(row for row in rows if row.scenario == scenario)


def take(chosen, scenarios, all_scenarios):
    """What has run replaces what was there before; what has not stays, in the program's order, while it has it."""
    for program in dict.fromkeys(name for name, _ in scenarios):
        titles, rows = read_program(program)
        order = [scenario for name, scenario in all_scenarios if name == program]
        for scenario in (scenario for name, scenario in scenarios if name == program):
            found = collected(chosen, program, scenario)
            if found:
                titles[scenario] = found[0]
                rows = [row for row in rows if row.scenario != scenario] + found[1]
        write_program(program, order, titles, rows)


# ---- what a row says ----


def values_of(row):
    return [float(v) for v in row.values.split()]


def mean_of(row):
    """Mean and half of its 95 % interval, 0 with a single seed."""
    values = values_of(row)
    if not values:
        return math.nan, 0
    half = 0
    if len(values) > 1:
        half = (simreport.T_95[min(len(values) - 2, len(simreport.T_95) - 1)] * statistics.stdev(values)
                / len(values) ** 0.5)
    return statistics.mean(values), half


def bounds_of(row):
    """low, high; None where it has no budget."""
    if not (row.low or row.high or row.worst_low or row.worst_high):
        return None
    return float(row.low or "-inf"), float(row.high or "inf")


def met(row):
    """Whether the mean is within its budget; None where it has none."""
    bounds = bounds_of(row)
    return None if bounds is None else bounds[0] <= mean_of(row)[0] <= bounds[1]


def excess(row):
    """By how much it misses, as a part of its budget where that is not 0."""
    low, high = bounds_of(row)
    mean, _ = mean_of(row)
    limit = low if mean < low else high
    return abs(mean - limit) / (abs(limit) or 1)


def ours(row):
    mean, half = mean_of(row)
    if math.isnan(mean):
        return "-"
    return f"{mean:.4g} ± {half:.2g}" if half > 5e-4 * abs(mean) else f"{mean:.4g}"


def budget(row):
    bounds = bounds_of(row)
    if bounds is None:
        return ""
    low, high = bounds
    if high >= 1e6:
        return f"≥ {low:g}"
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def counts(rows):
    """Rows, met, missed."""
    judged = [met(row) for row in rows]
    return len(rows), judged.count(True), judged.count(False)
