#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plots the series of sim-avpf (--out DIR) into DIR, one picture each; prints the name and the caption of each.

usage: avpf-plot.py DIR [svg | png]
"""
import csv
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

OURS, PUBLISHED = "C0", "0.55"
FACTORS = (("far", "published_far", "not sent by Af (table 5)"), ("near", "published_near", "not sent by An (table 6)"),
           ("failure", "published_failure", "failures (table 7)"),
           ("delay_s", "published_delay_s", "mean report delay, s (table 8)"))


def rows_of(directory, name):
    """The rows of avpf-NAME.csv as numbers; none where the scenario was not run."""
    path = directory / f"avpf-{name}.csv"
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def save(figure, directory, name, caption):
    file = f"avpf-{name}.{sys.argv[2] if len(sys.argv) > 2 else 'svg'}"
    figure.tight_layout()
    figure.savefig(directory / file, dpi=80)
    plt.close(figure)
    print(f"{file}\t{caption}")


def grid(axes, **settings):
    axes.set(**settings)
    axes.grid(alpha=0.3, linewidth=0.5)
    axes.set_axisbelow(True)


def bandwidth(bps):
    return f"{bps / 1e6:g} Mb/s" if bps >= 1e6 else f"{bps / 1e3:g} kb/s"


def unicast_shares(directory):
    for table, caption in (("table1", "Table 1: RTCP, two parties, no loss"),
                           ("table2", "Table 2: RTCP, two parties, 1 % lost")):
        rows = rows_of(directory, table)
        if not rows:
            continue
        figure, axes = plt.subplots(figsize=(7, 5))
        profiles = ("AVPF", "A1 AVP", "AVP")
        names = [f"{bandwidth(r['session_bps'])}, {int(r['senders'])} sending, {profiles[int(r['avp'])]}" for r in rows]
        places = range(len(rows))
        axes.barh([p - 0.2 for p in places], [r["a1"] for r in rows], 0.4, color=OURS, label="A1")
        axes.barh([p - 0.2 for p in places], [r["a2"] for r in rows], 0.4, [r["a1"] for r in rows], color="C1",
                  label="A2")
        axes.barh([p + 0.2 for p in places], [r["published_sum"] for r in rows], 0.4, color="0.8", label="published")
        axes.axvline(5, color="k", linewidth=0.8, linestyle="--")
        axes.set_yticks(list(places), names, fontsize="small")
        axes.invert_yaxis()
        grid(axes, xlabel="% of the session bandwidth")
        axes.legend(fontsize="small", loc="lower right")
        save(figure, directory, table, caption)


def multicast(directory):
    rows = rows_of(directory, "multicast")
    if not rows:
        return
    figure, axes = plt.subplots(figsize=(6, 4))
    for trouble, name in enumerate(("no loss", "byte errors", "congestion")):
        for mixed, marker in ((0, "o"), (1, "x")):
            mine = [r for r in rows if r["trouble"] == trouble and r["mixed"] == mixed]
            axes.plot([r["agents"] * 1.08 ** (trouble - 1) for r in mine], [r["share"] for r in mine], marker,
                      color=f"C{trouble}", markersize=5, fillstyle="none",
                      label=f"{name}, {'half of them AVP' if mixed else 'AVPF'}")
    axes.axhline(5.1, color="k", linewidth=0.8, linestyle="--")
    grid(axes, xlabel="members", ylabel="% of the session bandwidth", ylim=(0, 6), xscale="log")
    axes.set_xticks([4, 8, 16], ["4", "8", "16"])
    axes.minorticks_off()
    axes.legend(fontsize="x-small", loc="lower left")
    save(figure, directory, "multicast", "Section 4.2: RTCP of groups; 2 Mb/s, 200 kb/s and 20 kb/s, one or many send")


def waiting(directory):
    rows = rows_of(directory, "table3")
    if not rows:
        return
    figure, axes = plt.subplots(figsize=(6, 4))
    names = []
    for place, row in enumerate(rows):
        loss = f"{row['packet_loss']:g} lost" if row["packet_loss"] else "congestion"
        names.append(f"{bandwidth(row['session_bps'])}, {loss}, {'AVPF' if row['avpf'] else 'AVP'}")
        axes.plot(row["waiting_s"], place, "o", color=OURS, label="ours" if place == 0 else None)
        axes.plot(row["published_waiting_s"], place, "s", color=PUBLISHED, fillstyle="none",
                  label="published" if place == 0 else None)
    axes.set_yticks(range(len(rows)), names, fontsize="small")
    axes.invert_yaxis()
    grid(axes, xlabel="mean waiting time, s", xscale="log")
    axes.legend(fontsize="small")
    save(figure, directory, "table3", "Table 3: from the detection of a loss to its report, two parties")


def suppression(directory):
    rows = rows_of(directory, "table4")
    if not rows:
        return
    figure, axes = plt.subplots(figsize=(6, 4))
    names = [f"A{int(r['agent'])}, {'shared' if r['shared'] else 'distributed'}" for r in rows]
    for shift, prefix, alpha in ((-0.2, "", 1), (0.2, "published_", 0.45)):
        left = [0] * len(rows)
        for colour, what in (("C0", "sent"), ("C2", "suppressed"), ("C3", "discarded")):
            total = [r[prefix + "sent"] + r[prefix + "suppressed"] + r[prefix + "discarded"] for r in rows]
            part = [r[prefix + what] / max(t, 1) for r, t in zip(rows, total)]
            axes.barh([p + shift for p in range(len(rows))], part, 0.38, left, color=colour, alpha=alpha,
                      label=what if not prefix else None)
            left = [a + b for a, b in zip(left, part)]
    axes.set_yticks(range(len(rows)), names, fontsize="small")
    axes.invert_yaxis()
    grid(axes, xlabel="part of the losses detected (pale: published)")
    axes.legend(fontsize="small", ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1))
    save(figure, directory, "table4", "Table 4: what became of the reports, 16 members")


def dither(directory):
    rows = rows_of(directory, "table5")
    if not rows:
        return
    figure, panels = plt.subplots(2, 2, figsize=(9, 6.5), sharex=True)
    for axes, (ours, published, title) in zip(panels.flat, FACTORS):
        for scenario in (1, 2, 3):
            mine = [r for r in rows if r["scenario"] == scenario]
            if mine:
                axes.plot([r["l"] for r in mine], [r[ours] for r in mine], "o-", color=f"C{scenario}", markersize=3,
                          linewidth=1.2, label=f"scenario {scenario}")
                axes.plot([r["l"] for r in mine], [r[published] for r in mine], ":", color=f"C{scenario}")
        axes.axvline(0.5, color="k", linewidth=0.6)
        grid(axes, title=title, ylim=(0, None))
    for axes in panels[1]:
        axes.set_xlabel("l (dotted: published)")
    panels[0][0].legend(fontsize="small")
    save(figure, directory, "table5", "Tables 5 to 8: what the dither factor l does; the line is l = 0.5")


def newpred(directory):
    rows = rows_of(directory, "figure4")
    if not rows:
        return
    figure, axes = plt.subplots(figsize=(7, 5))
    for place, bps in enumerate(sorted({r["session_bps"] for r in rows})):
        mine = [r for r in rows if r["session_bps"] == bps and not r["literal"]]
        losses = sorted({r["packet_loss"] for r in mine})
        cells = [[r for r in mine if r["packet_loss"] == loss] for loss in losses]
        means = [1000 * sum(r["waiting_s"] for r in cell) / len(cell) for cell in cells]
        axes.plot(losses, means, "o-", color=f"C{place}", markersize=4, linewidth=1.2, label=bandwidth(bps))
        low, high = ([1000 * cell[0][key] for cell in cells] for key in ("published_low_s", "published_high_s"))
        if low[0] > 0:
            axes.fill_between(losses, low, high, color=f"C{place}", alpha=0.15)
        else:
            axes.plot(losses, high, ":", color=f"C{place}", linewidth=1)
    grid(axes, xlabel="packet loss rate", ylabel="mean waiting time, ms", xscale="log", yscale="log", ylim=(10, 2000))
    axes.legend(fontsize="small", ncols=2)
    save(figure, directory, "figure4", "Figure 4: NEWPRED, recovery less round-trip, mean of all delays; "
                                       "bands: published range, dotted: where only its upper end is given")


def tfrc(directory):
    rows = rows_of(directory, "tfrc")
    if not rows:
        return
    figure, axes = plt.subplots(figsize=(6, 4))
    for rtcp, name in enumerate(("compound", "reduced-size", "reduced-size, trr-int 1 s")):
        for limited, style in ((0, "o-"), (1, "s--")):
            mine = sorted((r for r in rows if r["rtcp"] == rtcp and r["limited"] == limited), key=lambda r: r["rtt_s"])
            if mine:
                axes.plot([1000 * r["rtt_s"] for r in mine], [1000 * r["p95_gap_s"] for r in mine], style,
                          color=f"C{rtcp}", markersize=9 - 3 * rtcp, fillstyle="none", linewidth=1,
                          label=f"{name}, {'full' if limited else 'free'} path")
    top = 1000 * max(r["rtt_s"] for r in rows)
    axes.plot([0, top], [0, top], "k:", linewidth=0.8, label="one report each RTT")
    grid(axes, xlabel="round-trip time, ms", ylabel="gap between reports, 95th percentile, ms")
    axes.legend(fontsize="x-small")
    save(figure, directory, "tfrc", "TFRC reports in a call at 1 Mb/s")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    directory = pathlib.Path(sys.argv[1])
    for plot in (unicast_shares, multicast, waiting, suppression, dither, newpred, tfrc):
        plot(directory)


if __name__ == "__main__":
    main()
