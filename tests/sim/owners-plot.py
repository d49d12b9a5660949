#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws docs/images/owners.png: what the low-delay law does as each owner of the queue, from sim-lowdelay --csv DIR.

usage: owners-plot.py DIR PNG
"""
import csv
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

SCENES = [("lowdelay-5.1-50ms-0", "alone: capacity 1.0, 2.5, 0.6, 1.0 Mb/s"),
          ("lowdelay-5.4-0", "the first of three of its kind, 3.5 Mb/s in all"),
          ("lowdelay-tcp-newreno-0", "beside a NewReno that fills the queue, 2 Mb/s"),
          ("lowdelay-loss-0.02-0", "2 % of the packets lost at random, 1 Mb/s")]
# numbers of rateowner.h
OWNERS = {1: ("start", "0.6"), 2: ("no limit in sight", "tab:olive"), 3: ("own queue", "tab:blue"),
          4: ("its own kind's", "tab:green"), 5: ("others'", "tab:red"), 8: ("loss", "tab:purple"),
          9: ("too little is sent", "tab:brown"), 12: ("max-bitrate", "black")}


def draw(axes, path, title):
    with open(path, newline="") as file:
        rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]
    time = [r["time_s"] for r in rows]
    queue = axes.twinx()
    queue.fill_between(time, [r["queue_ms"] for r in rows], color="0.85", lw=0)
    queue.set_ylim(0, 1000)
    queue.set_yticks([0, 300])
    queue.tick_params(labelsize=8, colors="0.4")
    axes.set_zorder(queue.get_zorder() + 1)
    axes.patch.set_visible(False)
    for number, (_, colour) in OWNERS.items():
        rate = [r["allowed_bps"] / 1e6 if r["owner"] == number else float("nan") for r in rows]
        axes.plot(time, rate, ".", ms=3, color=colour)
    axes.set_ylim(0, None)
    axes.set_xlim(time[0], time[-1])
    axes.set_title(title, fontsize=10)


def main(folder, target):
    figure, grid = plt.subplots(2, 2, figsize=(10, 6), dpi=100, constrained_layout=True)
    for axes, (name, title) in zip(grid.ravel(), SCENES):
        draw(axes, pathlib.Path(folder) / f"{name}.csv", title)
    for axes in grid[:, 0]:
        axes.set_ylabel("rate, Mb/s (grey: queue, ms)")
    for axes in grid[1]:
        axes.set_xlabel("s")
    marks = [plt.Line2D([], [], marker="o", ls="", color=colour, label=name) for name, colour in OWNERS.values()]
    figure.legend(handles=marks, loc="lower center", bbox_to_anchor=(0.5, -0.09), ncol=len(marks), fontsize=9, frameon=False, title="rate set by")
    figure.savefig(target, bbox_inches="tight")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
