#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plots the series of sim-recon (--out DIR) into DIR, one picture each; prints the name and the caption of each.

usage: recon-plot.py DIR [svg | png]
"""
import csv
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

C = 128 / (0.05 * 28800 / 8)  # s between reports of the group
MODES = (("none", "C3"), ("conditional", "C1"), ("unconditional", "C0"), ("RFC 3550", "C2"))


def curve(directory, name):
    """Times and values of recon-NAME.csv, or None where the scenario was not run."""
    path = directory / f"recon-{name}.csv"
    if not path.exists():
        return None
    with open(path, newline="") as file:
        rows = [(float(row["time_s"]), float(row["value"])) for row in csv.DictReader(file)]
    return [at for at, _ in rows], [value for _, value in rows]


def draw(axes, directory, name, **style):
    data = curve(directory, name)
    if data and data[0]:
        axes.plot(*data, drawstyle="steps-post", linewidth=1.1, **style)


def finish(axes, directory, name, caption, xlabel="s", ylabel="packets sent", **settings):
    if not axes.lines:
        plt.close(axes.figure)
        return
    axes.set(xlabel=xlabel, ylabel=ylabel, **settings)
    axes.grid(alpha=0.3, linewidth=0.5)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize="small")
    axes.figure.tight_layout()
    file = f"recon-{name}.{sys.argv[2] if len(sys.argv) > 2 else 'svg'}"
    axes.figure.savefig(directory / file, dpi=80)
    plt.close(axes.figure)
    print(f"{file}\t{caption}")


def new():
    return plt.subplots(figsize=(6, 4))[1]


def ideal(axes, users, end, capped):
    times = [1.25 * (end / 1.25) ** (i / 200) for i in range(201)]
    axes.plot(times, [min(users, t / C) if capped else t / C for t in times], "k--", linewidth=0.8, label="ideal, t/C")


def step_join(directory):
    for what, ylabel, caption in (("learned", "members known to one user", "Figure 1: learning curve"),
                                  ("sent", "packets sent", "Figure 2: packets sent")):
        axes = new()
        data = curve(directory, f"step-{what}-conditional")
        for mode, colour in MODES:
            draw(axes, directory, f"step-{what}-{mode}", label=mode, color=colour)
        if data:
            users = max(data[1]) if what == "learned" else None
            ideal(axes, users or 0, data[0][-1], what == "learned")
            start = [t for t in data[0] if t > 20] or [20]
            if what == "learned":
                axes.plot([start[0], users * C / 2], [2 * start[0] / C, users], "k:", linewidth=0.8,
                          label="bound t/((1-α)C)")
        finish(axes, directory, f"step-{what}", f"{caption}, step join, delay 0-600 ms", ylabel=ylabel,
               xscale="log", yscale="log", xlim=(1, None))


def transients(directory):
    axes = new()
    for kind in ("fixed", "exponential", "uniform"):
        draw(axes, directory, f"delay-sent-{kind}", label=kind)
    finish(axes, directory, "delay", "Figure 3: delay distributions of mean 300 ms, conditional",
           xlim=(1.2, 2.2))
    for number, mode in ((4, "conditional"), (5, "unconditional")):
        axes = new()
        for rate, label in ((0, "step"), (5000, "5000/s"), (2500, "2500/s"), (500, "500/s")):
            draw(axes, directory, f"linear-sent-{mode}-{rate}", label=label)
        finish(axes, directory, f"linear-{mode}", f"Figure {number}: linear joins of 2500, {mode}, fixed 300 ms",
               xscale="log", yscale="log", xlim=(1, 1000))
    axes = new()
    draw(axes, directory, "ode-simulated", label="simulated, conditional")
    draw(axes, directory, "ode-solved", label="solved")
    draw(axes, directory, "ode-followed", label="solved, what is put off followed")
    finish(axes, directory, "ode", "Figure 7: learning curve, simulated and by the differential equation",
           ylabel="members known to one user")


def spike(number, mode, tau):
    """Cumulative packets tau after (1-α)T_min by (13), (16) or (19): N = 100 000, D = 300 ms, m = 28.1/s."""
    users, window, before = 1e5, 2.5, 0.3 + 128 * 8 / 28800
    if number == 8:
        if tau < before:
            return users / window * tau
        return users / window * before + users / (2 * window ** 2) * (tau ** 2 - before ** 2)
    return users / (2 * window ** 2) * tau ** 2


def equations(directory):
    t_stop = 1.55 + 1.55 / (0.5 * C * 28.125 - 1)
    for number, mode in ((8, "conditional"), (9, "unconditional")):
        axes = new()
        draw(axes, directory, f"equations-sent-{mode}", label="simulated")
        if not axes.lines:
            plt.close(axes.figure)
            continue
        taus = [(t_stop - 1.25) * i / 100 for i in range(101)]
        values = [spike(number, mode, tau) for tau in taus]
        axes.plot([1.25 + t for t in taus] + [2], values + values[-1:], "k--", linewidth=0.9,
                  label="equations (11) to (20)")
        axes.axvline(t_stop, color="grey", linewidth=0.6)
        finish(axes, directory, f"equations-{mode}",
               f"Figure {number}: 100 000 users, {mode}, fixed 300 ms; the line is t_stop = {t_stop:.2f} s",
               xlim=(1.2, 2))
    axes = new()
    draw(axes, directory, "equations-buffer", label="buffer of 100 kB")
    draw(axes, directory, "equations-endless", label="no loss")
    finish(axes, directory, "equations-plateau", "The plateau of 100 000 users (21), with and without losses",
           xscale="log", yscale="log")


def leaving(directory):
    axes = new()
    for part in (50, 100):
        draw(axes, directory, f"leave-byes-{part}-backoff", label=f"{part} %, back-off")
        draw(axes, directory, f"leave-byes-{part}-none", label=f"{part} %, all at once", linestyle=":")
    finish(axes, directory, "leave-byes", "BYEs where half or all of a group leave at once",
           xlabel="s after leaving", ylabel="BYEs sent", xscale="symlog", yscale="log")
    axes = new()
    draw(axes, directory, "leave-reports-reverse", label="reverse reconsideration")
    draw(axes, directory, "leave-reports-without", label="without")
    finish(axes, directory, "leave-reports", "Reports of those who stay where nine of ten leave: part of the rate 1/C",
           xlabel="s after leaving", ylabel="reports sent x C")


def million(directory):
    axes = new()
    draw(axes, directory, "million-leave", label="all in a table: join, half leave at 2 NC")
    draw(axes, directory, "table-learned", label="the join, estimated by a sample (RFC 2762)")
    finish(axes, directory, "million", "The largest group, a million: what one of them knows", ylabel="members known",
           xlabel="s")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    directory = pathlib.Path(sys.argv[1])
    for plot in (step_join, transients, equations, leaving, million):
        plot(directory)


if __name__ == "__main__":
    main()
