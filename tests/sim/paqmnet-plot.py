#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plots the series of sim-paqmnet (--out DIR) into DIR, one picture each; prints the name and the caption of each.

usage: paqmnet-plot.py DIR [svg | png]
"""
import csv
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

COLOURS = dict(zip("ABCDEFGH", plt.rcParams["axes.prop_cycle"].by_key()["color"])) | {"TCP": "black"}


def rows_of(directory, name):
    path = directory / f"paqmnet-{name}.csv"
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def finish(axes, directory, name, caption, legend="best", **settings):
    figure = axes.figure
    if not axes.lines:
        plt.close(figure)
        return
    axes.set(**settings)
    axes.grid(alpha=0.3, linewidth=0.5)
    axes.legend(fontsize="small", loc=legend)
    figure.tight_layout()
    file = f"paqmnet-{name}.{sys.argv[2] if len(sys.argv) > 2 else 'svg'}"
    figure.savefig(directory / file, dpi=80)
    plt.close(figure)
    print(f"{file}\t{caption}")


def new():
    return plt.subplots(figsize=(6, 4))[1]


def draw(axes, rows, value="value", **style):
    if rows:
        axes.plot([float(row["time_s"]) for row in rows], [float(row[value]) for row in rows], linewidth=0.9, **style)


def videos(directory):
    kinds = (("erf", "P-AQM, ERF"), ("ecf-gop", "P-AQM, ECF"), ("tfrc-red-ecn", "TFRC, RED/ECN"))
    axes = new()
    for name, label in kinds:
        draw(axes, rows_of(directory, f"{name}-delay"), label=label)
    finish(axes, directory, "delay", "Paper E, figure 5: the first flow's frames, from capture until whole at the "
           "receiver", xlabel="s", ylabel="ms", yscale="log")
    axes = new()
    for name, label in kinds[:2]:
        draw(axes, rows_of(directory, f"{name}-R"), label=label)
    finish(axes, directory, "R", "What each flow is told, 64 flows start within 16 s", xlabel="s", ylabel="R, kb/s")
    axes = new()
    rows = rows_of(directory, "erf-rates")
    for flow in sorted({row["flow"] for row in rows}, key=int):
        draw(axes, [row for row in rows if row["flow"] == flow], label=f"flow {flow}")
    finish(axes, directory, "rates", "Paper E, figure 8: rates of three flows over 0.4 s, ERF", xlabel="s",
           ylabel="kb/s")


def mixed(directory):
    rows = [row for name in ("erf", "ecf", "tfrc-red-ecn", "udp") for row in rows_of(directory, f"mixed-{name}")]
    for number, value, playout in ((12, "psnr_150", "150 ms"), (13, "psnr_2s", "2 s")):
        axes = new()
        for regime in dict.fromkeys(row["regime"] for row in rows):
            own = [row for row in rows if row["regime"] == regime]
            axes.plot([float(row["videos"]) for row in own], [float(row[value]) for row in own], "o-", label=regime)
        own = [row for row in rows if row["regime"] == "erf"]
        if own:
            axes.plot([float(row["videos"]) for row in own], [float(row["reference"]) for row in own], "k--",
                      label="reference")
        finish(axes, directory, f"mixed-{value}", f"Paper E, figure {number}: PSNR beside TCP and web traffic, playout "
               f"{playout}", "lower left", xscale="log", xlabel="videos", ylabel="dB", ylim=(2, None))


def gfc2(directory):
    figures = {"cbr-erf-95": "15", "cbr-erf-100": "15", "cbr-ecf-95": "14", "cbr-tfrc": "16", "vbr-ecf": "17",
               "vbr-erf": "18", "vbr-tfrc": "19"}
    for name, number in figures.items():
        axes = new()
        rows = rows_of(directory, name)
        named = set()
        curves = []
        for row in rows:
            if not curves or row["flow"] != curves[-1][0]["flow"] or float(row["time_s"]) < float(
                    curves[-1][-1]["time_s"]):
                curves.append([])
            curves[-1].append(row)
        for curve in curves:
            group = curve[0]["flow"]
            draw(axes, curve, color=COLOURS[group], label=None if group in named else group)
            axes.axhline(float(curve[0]["share"]), color=COLOURS[group], linestyle="--", linewidth=0.5)
            named.add(group)
        finish(axes, directory, f"gfc2-{name}", f"Paper F, figure {number}: GFC-2, {name}; dashed: max-min",
               legend="upper right", xlabel="s", ylabel="Mb/s")
    axes = new()
    for name in figures:
        draw(axes, rows_of(directory, f"{name}-delay"), label=name)
    finish(axes, directory, "gfc2-delay", "Paper F, figure 20: delay of the longest B flow", xlabel="s", ylabel="ms")


def parking(directory):
    for name in ("erf", "tfrc-red-ecn"):
        axes = new()
        named = set()
        curve = []
        for row in rows_of(directory, f"parking-{name}") + [None]:
            if curve and (row is None or float(row["time_s"]) < float(curve[-1]["time_s"])):
                group = curve[0]["flow"]
                draw(axes, curve, color="C0" if group == "long" else "C1", label=None if group in named else group)
                named.add(group)
                curve = []
            curve.append(row)
        finish(axes, directory, f"parking-{name}", f"Three links of 10 Mb/s, {name}: two flows over all, two over each",
               xlabel="s", ylabel="Mb/s")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    directory = pathlib.Path(sys.argv[1])
    for plot in (videos, mixed, gfc2, parking):
        plot(directory)


if __name__ == "__main__":
    main()
