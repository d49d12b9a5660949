#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plots the CSV files of the simulations (--csv DIR) into DIR: one SVG each and index.html.

usage: plot.py DIR
"""
import csv
import html
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def read(path):
    """Columns of a CSV file by name; files without rows give empty columns."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows:
        return {}
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


def save(figure, directory, name, caption, page):
    figure.tight_layout()
    figure.savefig(directory / f"{name}.svg")
    plt.close(figure)
    page.append((f"{name}.svg", caption))


def select(data, **wanted):
    """Rows of data where every named column has the wanted value."""
    keep = [i for i in range(len(next(iter(data.values()))))
            if all(data[key][i] == value for key, value in wanted.items())]
    return {name: [values[i] for i in keep] for name, values in data.items()}


def time_series(directory, page):
    for path in sorted(directory.glob("ultragrid-*.csv")):
        data = read(path)
        if "x_bps" not in data:
            continue
        figure, (rate, loss) = plt.subplots(2, 1, figsize=(8, 5), sharex=True, height_ratios=(3, 1))
        rate.plot(data["time_s"], [v / 1e3 for v in data["throughput_bps"]], label="throughput")
        rate.plot(data["time_s"], [v / 1e3 for v in data["x_bps"]], label="allowed rate X", linewidth=0.8)
        if any(data["other_bps"]):
            rate.plot(data["time_s"], [v / 1e3 for v in data["other_bps"]], label="other flows", linewidth=0.6)
        top = max(a + b for a, b in zip(data["throughput_bps"], data["other_bps"])) / 1e3
        rate.set_ylim(0, 1.4 * top)
        rate.set_ylabel("kbit/s")
        rate.legend(loc="upper right")
        loss.plot(data["time_s"], data["p"])
        loss.set_ylabel("loss event rate")
        loss.set_xlabel("s")
        save(figure, directory, path.stem, path.stem.replace("-", " "), page)


def variation(directory, page):
    figure, axes = plt.subplots(figsize=(6, 4))
    for path in sorted(directory.glob("ultragrid-cov-*.csv")):
        data = read(path)
        axes.plot(data["scale_s"], data["cov"], marker="o", label=path.stem.split("-")[-1] + " ms")
    if axes.lines:
        axes.set(xscale="log", xlabel="time scale, s", ylabel="coefficient of variation")
        axes.legend(title="round-trip time")
        save(figure, directory, "variation", "TFRC alone: variation of throughput (Saurin 2006, figure 5.17)", page)


def tcp_fairness(directory, page):
    files = sorted(directory.glob("tcpfair-*.csv"))
    if not files:
        return
    figure, (shares, smooth) = plt.subplots(1, 2, figsize=(11, 4.5))
    for path in files:
        data = read(path)
        if not data:
            continue
        name = path.stem.removeprefix("tcpfair-")
        line = {}
        for competitors, ratio in zip(data["competitors"], data["ratio"]):
            line[competitors] = ratio
        shares.plot(list(line), list(line.values()), marker="o", label=name)
        relative = [a / b for a, b in zip(data["tfrc_cov"], data["tcp_cov"])]
        smooth.scatter(data["scale_s"], relative, s=8, label=name)
    shares.axhspan(0.5, 2, alpha=0.1)
    shares.set(yscale="log", xlabel="TCP flows", ylabel="TFRC / mean TCP")
    shares.legend(fontsize=6)
    smooth.axhline(1, linewidth=0.8)
    smooth.set(xscale="log", xlabel="time scale, s", ylabel="CoV of TFRC / CoV of TCP")
    save(figure, directory, "tcpfair", "TFRC beside TCP: share and smoothness", page)


def burst(directory, page):
    axes_of = {"payload": ("payload_bytes", "RTP payload, bytes"), "delay": ("delay_ms", "propagation delay, ms"),
               "rate": ("video_bps", "video, bit/s")}
    for name, (column, label) in axes_of.items():
        path = directory / f"burst-{name}.csv"
        data = read(path) if path.exists() else {}
        if not data:
            continue
        figure, (loss, tcp) = plt.subplots(1, 2, figsize=(10, 4))
        videos = sorted(set(data["video_bps"])) if name != "rate" else [None]
        for video in videos:
            for control in (0, 1):
                wanted = {"burst_control": control} | ({"video_bps": video} if video else {})
                rows = select(data, **wanted)
                text = ("with" if control else "without") + (f", {video / 1e6:g} Mbit/s" if video else "")
                loss.plot(rows[column], rows["rtp_loss"], marker="o", label=text)
                tcp.plot(rows[column], [v / 1e6 for v in rows["tcp_bps"]], marker="o", label=text)
        for axes in (loss, tcp):
            axes.set(xscale="linear" if name == "rate" else "log", xlabel=label)
        loss.set_ylabel("RTP loss")
        tcp.set_ylabel("TCP goodput, Mbit/s")
        loss.legend(title="burst control")
        save(figure, directory, f"burst-{name}", f"burst control: {label}", page)


def encoders(directory, page):
    for path in sorted(directory.glob("encoder-*.csv")):
        data = read(path)
        figure, axes = plt.subplots(figsize=(8, 3.5))
        step = 10
        produced = [sum(data["frame_bytes"][i:i + step]) * 8 * step / len(data["frame_bytes"][i:i + step])
                    / max(data["time_s"][min(i + step, len(data["time_s"]) - 1)] - data["time_s"][i], 1e-9) / 1e3
                    for i in range(0, len(data["time_s"]) - step, step)]
        axes.plot(data["time_s"][:len(produced) * step:step], produced, label="produced")
        axes.plot(data["time_s"], [v / 1e3 for v in data["asked_bps"]], label="asked")
        axes.set(xlabel="s", ylabel="kbit/s")
        axes.legend()
        save(figure, directory, path.stem, path.stem.replace("-", " "), page)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    directory = pathlib.Path(sys.argv[1])
    page = []
    for plot in (tcp_fairness, variation, time_series, burst, encoders):
        plot(directory, page)
    figures = "\n".join(f'<figure><img src="{html.escape(file)}"><figcaption>{html.escape(caption)}</figcaption></figure>'
                        for file, caption in page)
    (directory / "index.html").write_text(f"<!DOCTYPE html><meta charset=utf-8><title>Simulations</title>\n{figures}\n")
    print(f"{len(page)} figures in {directory / 'index.html'}")


if __name__ == "__main__":
    main()
