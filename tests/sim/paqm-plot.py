#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plots the series of sim-paqm (--out DIR) into DIR, one picture each; prints the name and the caption of each.

usage: paqm-plot.py DIR [svg | png]
"""
import csv
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def rows_of(directory, name):
    path = directory / f"paqm-{name}.csv"
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def column(rows, name, scale=1.0):
    return [float(row[name]) * scale for row in rows]


def finish(axes, directory, name, caption, **settings):
    figure = axes.figure
    if not any(a.lines or a.patches for a in figure.axes):
        plt.close(figure)
        return
    axes.set(**settings)
    for each in figure.axes:
        each.grid(alpha=0.3, linewidth=0.5)
        if each.get_legend_handles_labels()[0]:
            each.legend(fontsize="small")
    figure.tight_layout()
    file = f"paqm-{name}.{sys.argv[2] if len(sys.argv) > 2 else 'svg'}"
    figure.savefig(directory / file, dpi=80)
    plt.close(figure)
    print(f"{file}\t{caption}")


def new(**settings):
    return plt.subplots(figsize=(6, 4), **settings)[1]


def inner(directory):
    rows = rows_of(directory, "inner")
    loads = sorted({float(row["load"]) for row in rows})
    for what, scale, ylabel in (("delay_s", 1e3, "queue delay, ms"), ("drop", 100, "dropped, %")):
        axes = new()
        for gain in sorted({row["K"] for row in rows}):
            mine = [row for row in rows if row["K"] == gain]
            axes.plot(column(mine, "load"), column(mine, what, scale), "o-", markersize=3, label=f"K = {gain}")
        if rows and what == "delay_s":
            below = [0.95 + 0.002 * i for i in range(24)]
            axes.plot(below, [load * 12e-3 / (2 * (1 - load)) for load in below], "k--", linewidth=0.8, label="M/D/1")
            axes.axhline(1.2, color="grey", linewidth=0.6)
        elif rows:
            axes.plot(loads, [max(0, 1 - 1 / load) * 100 for load in loads], "k--", linewidth=0.8, label="excess")
            axes.plot([1, 1], [0.57, 0.69], "rx", label="published at load 1")
        settings = {"ylim": (0, 1.5)} if what == "delay_s" else {"yscale": "symlog"}
        finish(axes, directory, f"inner-{what.split('_')[0]}",
               "Paper C, figures 2 and 3: the inner loop under Poisson load", xlabel="load", ylabel=ylabel,
               **settings)


def transient(directory):
    for name in ("ERF", "ECF", "ECF, CBR", "TFRC, RED", "TFRC, FIFO"):
        rows = rows_of(directory, f"transient-{name}")
        axes = new()
        for i in range(5 if rows else 0):
            axes.plot(column(rows, "time_s"), column(rows, f"bps{i}", 1e-6), linewidth=0.9)
        for phase in range(10 if rows else 0):
            share = min(20, 30 / (phase + 1 if phase < 5 else 10 - phase))
            axes.plot([10 * phase, 10 * phase + 10], [share, share], "k:", linewidth=0.8)
        finish(axes, directory, "transient-" + name.replace(", ", "-").lower(),
               f"Paper D, figures 6 and 7: five sources come and go, {name}; dotted: fair shares", xlabel="s",
               ylabel="Mb/s", ylim=(0, 22))


def stability(directory):
    for rtt in (100, 400):
        figure, panels = plt.subplots(5, 1, figsize=(6, 6), sharex=True)
        for axes, alpha in zip(panels, ("0.1", "0.5", "0.85", "1.3", "1.7")):
            rows = rows_of(directory, f"stability-{rtt}-{alpha}")
            if rows:
                axes.plot(column(rows, "time_s"), column(rows, "queue_bytes", 1e-3), linewidth=0.7,
                          label=f"α = {alpha}")
                axes.axhline(40, color="grey", linewidth=0.5)
            axes.set(ylim=(0, 120))
        finish(panels[-1], directory, f"stability-{rtt}",
               f"Paper F, figures 6 and 7: the queue in kB, RTT {rtt} ms, β = 0.4, N* = 40 kB", xlabel="s")


def steady(directory):
    for form in ("erf", "ecf"):
        rows = [row for row in rows_of(directory, f"steady-{form}") if row["source"] == "cbr"]
        axes = new()
        for flows in sorted({float(row["flows"]) for row in rows}):
            mine = [row for row in rows if float(row["flows"]) == flows]
            axes.errorbar(column(mine, "rtt_ms"), column(mine, "delay_s", 1e3), column(mine, "jitter_s", 1e3), fmt="o-",
                          markersize=3, capsize=2, label=f"{flows:.0f} sources")
        if rows:
            axes.axhline(28, color="grey", linewidth=0.6)
        finish(axes, directory, f"steady-{form}",
               f"Paper D, figure 8: queue delay and jitter of CBR sources, {form.upper()}; target 28 ms",
               xlabel="RTT, ms", ylabel="ms", ylim=(0, 45))


def video(directory):
    for name, over, xlabel, scale, caption in (
            ("video-rtt", "rtt_ms", "RTT, ms", 1, "Paper F, figure 8: video's queue delay and its deviation by RTT"),
            ("video-flows", "flows", "video flows", 1, "Paper F, figure 9: the same by the number of flows"),
            ("video-capacity", "bps", "Mb/s", 1e-6, "Paper F, figure 10: the same by capacity")):
        rows = rows_of(directory, name)
        axes = new()
        if rows:
            axes.errorbar(column(rows, over, scale), column(rows, "delay_s", 1e3), column(rows, "jitter_s", 1e3),
                          fmt="o-" if name != "video-capacity" else "o", markersize=4, capsize=3)
        finish(axes, directory, name, caption, xlabel=xlabel, ylabel="ms", ylim=(0, None),
               xscale="linear" if name == "video-flows" else "log")
    rows = rows_of(directory, "video-queues")
    axes = new()
    names = [row["queue"] for row in rows]
    if rows:
        axes.barh(names, column(rows, "p95_s", 1e3), color="#ccd", label="95 %")
        axes.barh(names, column(rows, "delay_s", 1e3), height=0.5, label="mean")
        axes.invert_yaxis()
    finish(axes, directory, "video-queues", "Video's delay in the queue, 20 beside 20 TCP, 16 Mb/s, RTT 50 ms",
           xlabel="ms")


def series(directory):
    rows = rows_of(directory, "video")
    axes = new()
    if rows:
        axes.plot(column(rows, "time_s"), column(rows, "media_bytes", 1e-3), linewidth=0.5, label="media queue, kB")
        axes.plot(column(rows, "time_s"), column(rows, "R_bps", 1e-4), linewidth=1, label="R, 10 kb/s")
    finish(axes, directory, "video", "20 VBR beside 20 TCP, 16 Mb/s, RTT 50 ms", xlabel="s", ylim=(0, 100))
    for which, caption in (("10", "as averaged"), ("11", "r of the last tau2")):
        axes = new()
        for gop in ("2", "10"):
            rows = rows_of(directory, f"gop-{gop}-{which}")
            if rows:
                axes.plot(column(rows, "time_s"), column(rows, "R_bps", 1e-3), linewidth=1, label=f"GOP of {gop} s")
        finish(axes, directory, f"gop-{which}", f"R for groups of pictures longer than tau2, {caption}", xlabel="s",
               ylabel="kb/s", ylim=(0, 1000))
    rows = rows_of(directory, "fifo")
    axes = new()
    if rows:
        axes.plot(column(rows, "time_s"), column(rows, "R_bps", 1e-6), linewidth=1, label="R of the P-AQM link")
        axes.plot(column(rows, "time_s"), column(rows, "call_bps", 1e-6), linewidth=1, label="the call")
    finish(axes, directory, "fifo", "A call over P-AQM, then FIFO, where four TCPs come and go", xlabel="s",
           ylabel="Mb/s", ylim=(0, None))


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    directory = pathlib.Path(sys.argv[1])
    for plot in (inner, transient, steady, stability, video, series):
        plot(directory)


if __name__ == "__main__":
    main()
