# SPDX-License-Identifier: LGPL-2.1-or-later
"""report.html of a run: one self-contained page."""
import base64
import html
import io
import os
import pathlib
import platform
import re
import subprocess
import textwrap
import time

import matplotlib

matplotlib.use("Agg")
import numpy  # noqa: E402
from matplotlib import pyplot  # noqa: E402

from callkit import paths  # noqa: E402

from . import collect, controllers, jobs, statistics, viewer, vmaf  # noqa: E402

STYLE = """body{font:14px/1.45 sans-serif;margin:2em auto;max-width:82em;color:#222}
table{border-collapse:collapse;margin:.6em 0}
td,th{padding:.15em .6em;text-align:right;border-bottom:1px solid #ddd;white-space:nowrap}td:first-child,th:first-child
{text-align:left}img{max-width:100%}figure{display:inline-block;margin:.3em}figcaption{font-size:85%;color:#555}
.bad{color:#b00;font-weight:bold}.good{color:#060}small{color:#666}td.text{text-align:left;white-space:normal}"""
COLOURS = {"low-delay": "tab:blue", "low-delay+norepair": "tab:cyan", "rfc5348": "tab:green", "oracle": "black",
           "gcc": "tab:red", "gcc+rtx": "salmon", "fixed-best": "tab:brown", "rtptfrcbwe": "tab:olive", "farstream": "tab:purple",
           "chromium": "tab:orange", "chromium+norepair": "navajowhite", "webrtcsink": "tab:red", "webrtcsink+norepair": "salmon",
           "webrtcsink+rtptfrcbwe": "tab:olive"}
NAMES = {"low-delay": "this project, low-delay", "low-delay+norepair": "this project, nothing sent again",
         "low-delay+byrtx": "this project, no redundancy", "low-delay+byfec": "this project, redundancy alone",
         "low-delay+window": "this project, shown in time",
         "rfc5348": "this project, RFC 5348", "rfc5348+norepair": "RFC 5348, nothing sent again", "oracle": "told the capacity",
         "gcc": "Google's (rtpgccbwe)", "gcc+rtx": "Google's, packets sent again", "rtptfrcbwe": "this project, in rtpbin", "farstream": "Farstream's TFRC",
         "chromium": "Chromium's sender", "chromium+norepair": "Chromium's, nothing sent again", "chromium+fec": "Chromium's, with FEC",
         "webrtcsink": "webrtcsink (rtpgccbwe)", "webrtcsink+norepair": "webrtcsink, nothing sent again",
         "webrtcsink+rtptfrcbwe": "webrtcsink with rtptfrcbwe", "fixed-best": "best fixed rate in hindsight"}
WIDTH = 10.0  # inches of a figure: README's width at 100 dots an inch
MARK_COLOURS = ("#b2182b", "#ef8a62", "#fddbc7", "#92c5de", "#2166ac")  # 1, bad, to 5, excellent
SPARE = ("0.5", "tab:pink", "0.7", "0.3")
TITLE = 30  # letters of a panel's title in a line
LEAST_DELAY, LEAST_QUALITY = 40, 2  # ms, dB: the shortest axes
# (key, heading, factor, digits)
COLUMNS = (("psnr", "PSNR-Y dB", 1, 2), ("psnr_p5", "worst 5 %", 1, 1), ("mos", "MOS", 1, 2), ("ssim", "SSIM", 1, 4), ("vmaf", "VMAF", 1, 1),
           ("delay_p50", "delay p50 ms", 1e3, 0), ("delay_p95", "p95", 1e3, 0), ("delay_p99", "p99", 1e3, 0),
           ("freezes", "freezes", 1, 1), ("frozen", "frozen s", 1, 1), ("freezes_200ms", "over 200 ms", 1, 1),
           ("stale", "stale %", 100, 1), ("blank_start", "blank start ms", 1e3, 0), ("use", "use %", 100, 0),
           ("goodput", "goodput kb/s", 1e-3, 0), ("loss_caused", "loss caused %", 100, 2),
           ("queue_p95", "queue p95 ms", 1e3, 0), ("start_90", "start to 90 % s", 1, 1),
           ("back_90", "back to 90 % s", 1, 1), ("drained", "drained s", 1, 1),
           ("overhead", "overhead %", 100, 1), ("jain", "Jain", 1, 3), ("tcp_ratio", "x TCP", 1, 2),
           ("harm", "harm %", 100, 0), ("harm_queue", "to its queue %", 100, 0),
           ("cpu_sender", "CPU send %", 100, 0), ("cpu_receiver", "CPU recv %", 100, 0))


def colour(name, order=()):
    return COLOURS.get(name) or SPARE[list(order).index(name) % len(SPARE) if name in order else 0]


def png(figure, keep=None, dpi=80):
    """The picture as HTML; `keep`: a file for it, too."""
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=dpi)
    if keep:
        keep.parent.mkdir(exist_ok=True)
        keep.write_bytes(data.getvalue())
    pyplot.close(figure)
    return f'<img src="data:image/png;base64,{base64.b64encode(data.getvalue()).decode()}" alt="">'


class Cell(str):
    """A td as HTML."""


def table(rows, head):
    """What is no Cell is a text, whatever it begins with."""
    def cell(value):
        return value if isinstance(value, Cell) else f"<td>{html.escape(str(value))}</td>"
    lines = ["<table><tr>" + "".join(f"<th>{html.escape(h)}</th>" for h in head) + "</tr>"]
    return "".join(lines + ["<tr>" + "".join(cell(c) for c in row) + "</tr>" for row in rows] + ["</table>"])


def interval(triple, factor=1, digits=2):
    middle, low, high = triple[:3]
    if middle is None:
        return "-"
    text = f"{factor * middle:.{digits}f}"
    if low == high:
        return text
    return Cell(f"<td>{text} <small>[{factor * low:.{digits}f}, {factor * high:.{digits}f}]</small></td>")


def place_name(place):
    return ", ".join(place)


def _figures(data, place):
    """The table of a place: a row a controller."""
    names = data.controllers(place)
    medians = {c: {key: data.median(place, c, key) for key, *_ in COLUMNS} for c in names}
    shown = [column for column in COLUMNS if any(medians[c][column[0]][0] is not None for c in names)]
    rows = [[c, len(data.by_place[place][c])] + [interval(medians[c][key], f, d) for key, _, f, d in shown]
            for c in names]
    return table(rows, ["controller", "seeds"] + [heading for _, heading, _, _ in shown])


def _key(data, place, controller, rule, key):
    """Its name in a row, where the job's first rule is not named."""
    first = next(iter(data.by_place[place][controller].values()))["lab"]["playout"].partition(",")[0]
    return key if rule == first else f"{rule} {key}"


def _playout(data, place, key, heading):
    """Medians under each playout rule."""
    rows = []
    for c in data.controllers(place):
        values = [data.median(place, c, _key(data, place, c, rule, key)) for rule in jobs.PLAYOUT]
        if any(v[0] is not None for v in values):
            rows.append([c] + [interval(v) for v in values])
    return table(rows, [f"{heading}, playout"] + list(jobs.PLAYOUT)) if rows else ""


def _marks(data, place):
    """Frames by their marks under each playout rule, as Evalvid draws them: a bar a controller, means over the seeds."""
    def parts(c, rule):
        runs = [data.values(place, c, _key(data, place, c, rule, f"mark_{mark}")).values() for mark in viewer.MARKS]
        return [100 * numpy.mean(list(run)) for run in runs] if all(v is not None for run in runs for v in run) else None

    names = [c for c in data.controllers(place) if parts(c, jobs.PLAYOUT[0])]
    if not names:
        return ""
    rules = [rule for rule in jobs.PLAYOUT if all(parts(c, rule) for c in names)]
    figure, axes = pyplot.subplots(1, len(rules), figsize=(WIDTH, 0.9 + 0.3 * len(names)), sharey=True, squeeze=False,
                                   constrained_layout=True)
    for axis, rule in zip(axes[0], rules):
        left = numpy.zeros(len(names))
        for mark, shade, of in zip(viewer.MARKS, MARK_COLOURS, zip(*(parts(c, rule) for c in names))):
            axis.barh(range(len(names)), of, left=left, color=shade, label=str(mark))
            left += of
        axis.set_title(rule, fontsize=9)
        axis.set_xlim(0, 100)
        axis.set_xlabel("frames, %", fontsize=9)
    axes[0][0].set_yticks(range(len(names)), [plain(c) for c in names], fontsize=9)
    axes[0][0].invert_yaxis()
    axes[0][-1].legend(title="mark", fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return png(figure, dpi=100)


def axes_plot(data, places, keep, columns=3, titles=()):
    """p95 delay against quality, a panel a place: up and left is better. titles: plain names of places."""
    places = [p for p in places if any(data.median(p, c, "delay_p95")[0] is not None for c in data.controllers(p))]
    if not places:
        return ""
    columns = min(columns, len(places))
    lines = -(-len(places) // columns)
    figure, axes = pyplot.subplots(lines, columns, figsize=(WIDTH, 2.3 * lines + 0.7), squeeze=False, constrained_layout=True)
    for axis in axes.ravel()[len(places):]:
        axis.set_visible(False)
    for axis, place in zip(axes.ravel(), places):
        _axes_panel(axis, data, place, dict(titles).get(place, " ".join(place[:3])))
    for axis in axes[:, 0]:
        axis.set_ylabel("PSNR, dB", fontsize=9)
    for axis in axes.ravel()[max(len(places) - columns, 0):]:
        axis.set_xlabel("capture to display, p95, ms", fontsize=9)
    one_legend(figure, axes)
    return png(figure, keep, dpi=100)


def _axes_panel(axis, data, place, title):
    names = data.controllers(place)
    for c in names:
        x, y = data.median(place, c, "delay_p95"), data.median(place, c, "psnr")
        if x[0] is None or y[0] is None:
            continue
        axis.errorbar(1e3 * x[0], y[0], xerr=[[1e3 * (x[0] - x[1])], [1e3 * (x[2] - x[0])]],
                      yerr=[[y[0] - y[1]], [y[2] - y[0]]], fmt="o", ms=5, color=colour(c, names), label=plain(c), capsize=2)
    axis.set_title(textwrap.fill(title, TITLE), fontsize=9.5)
    _widen(axis.get_xlim, axis.set_xlim, LEAST_DELAY)
    _widen(axis.get_ylim, axis.set_ylim, LEAST_QUALITY)
    axis.tick_params(labelsize=9)
    axis.grid(alpha=0.25)


def plain(name):
    """What a controller is called where it is drawn."""
    return NAMES.get(name) or (f"fixed rate, {name[6:-1]} {name[-1]}bit/s" if name.startswith("fixed:") else name)


def one_legend(figure, axes, columns=3):
    """Of all panels, below them."""
    found = {label: handle for axis in axes.ravel() for handle, label in zip(*axis.get_legend_handles_labels())}
    lines = -(-len(found) // columns)
    figure.legend(found.values(), found.keys(), loc="lower center", ncol=min(columns, len(found)), fontsize=10, frameon=False)
    inches = 0.28 * lines
    figure.set_constrained_layout_pads(w_pad=0.04, h_pad=0.04)
    figure.get_layout_engine().set(rect=(0, inches / figure.get_figheight(), 1, 1 - inches / figure.get_figheight()))


def _widen(get, put, least):
    """No axis is so short that it shows nothing as something."""
    low, high = get()
    if high - low < least:
        put((low + high - least) / 2, (low + high + least) / 2)


def _number(text):
    match = re.match(r"-?[0-9.]+", str(text))
    return float(match[0]) if match else None


def sweeps(found):
    """{(engine, clip, sweep, key, the other keys): {encoder: {controller: {x text: [row]}}}}"""
    groups = {}
    for r in collect.measured(found):
        set_to = collect.params(r)
        name = set_to.pop("sweep", None)
        if not name or r["job"].cell.params.get("sweep") != name:
            continue
        for key, value in set_to.items():
            others = tuple(sorted((k, v) for k, v in set_to.items() if k != key))
            place = groups.setdefault((r["lab"]["engine"], r["lab"]["clip"], name, key, others), {})
            by = place.setdefault(r["lab"]["encoder"], {}).setdefault(r["lab"]["controller"], {})
            by.setdefault(value, []).append(collect.row(r))
    return {g: v for g, v in groups.items() if len({x for e in v.values() for c in e.values() for x in c}) > 1}


def sweep_plot(group, place, key, label, factor, keep):
    figure, axes = pyplot.subplots(1, len(place), figsize=(WIDTH, 4.3), squeeze=False, sharey=True, constrained_layout=True)
    for axis, (encoder, by) in zip(axes[0], place.items()):
        ticks = sorted({x for c in by.values() for x in c}, key=lambda x: (_number(x) is None, _number(x) or 0, x))
        for c, values in by.items():
            medians = [(place, statistics.median([row.get(key) for row in values[x]]))
                       for place, x in enumerate(ticks) if x in values]
            xs = [place for place, m in medians if m[0] is not None]
            middle, low, high = ([factor * m[i] for _, m in medians if m[0] is not None] for i in range(3))
            axis.plot(xs, middle, "o-", ms=4, color=colour(c, by), label=plain(c))
            axis.fill_between(xs, low, high, color=colour(c, by), alpha=0.15)
        axis.set_xticks(range(len(ticks)), ticks)
        axis.set_title(encoder, fontsize=10)
        axis.set_xlabel(group[3])
        axis.grid(alpha=0.25)
    axes[0][0].set_ylabel(label)
    one_legend(figure, axes)
    return png(figure, keep, dpi=100)


def _file_name(*parts):
    return re.sub(r"[^A-Za-z0-9._-]+", "-", "-".join(p for p in parts if p)).strip("-") + ".png"


def _sweeps(found, figures):
    parts = []
    for group, place in sweeps(found).items():
        others = ", ".join(f"{k} {v}" for k, v in group[4])
        heading = f"{group[0]}, {group[1]}: {group[3]}" + (f" ({others})" if others else "")
        parts.append(f"<h3>{html.escape(heading)}</h3>")
        for key, label, factor in (("psnr", "PSNR-Y, dB (stale pictures as stale)", 1), ("frozen", "frozen, s", 1),
                                   ("delay_p95", "capture to display, p95, ms", 1e3)):
            name = _file_name(group[0], group[1], group[3], others, key)
            parts.append(sweep_plot(group, place, key, label, factor, figures / name))
    return "<h2>Sweeps</h2>" + "".join(parts) if parts else ""


def _pairs(data):
    """Ours against each other controller, paired by seed, and the count of cells won."""
    rows, score = [], {}
    for place in data.by_place:
        names = data.controllers(place)
        for ours in [c for c in names if c in controllers.OURS]:
            for rival in [c for c in names if c not in controllers.OURS and not controllers.is_neighbour(c)]:
                quality = data.difference(place, ours, rival, "psnr")
                delay = data.difference(place, ours, rival, "delay_p95")
                if quality[0] is None:
                    continue
                verdicts = [_verdict(quality, 1), _verdict(delay, -1)]
                for what, verdict in zip(("PSNR", "p95 delay"), verdicts):
                    score.setdefault((ours, rival, what), []).append(verdict)
                rows.append([place_name(place), ours, rival, quality[3], interval(quality), verdicts[0],
                             interval(delay, 1e3, 0), verdicts[1]])
    if not rows:
        return ""
    summary = [[*key, v.count("win"), v.count("tie"), v.count("loss")] for key, v in score.items()]
    return ("<h2>Paired by seed</h2><p>Median of the differences with its 95 % interval; a win or a loss is an "
            f"interval without 0, of {statistics.SURE} seeds or more.</p>"
            + table(summary, ["ours", "against", "by", "wins", "ties", "losses"])
            + table(rows, ["cell", "ours", "against", "seeds", "PSNR dB", "", "p95 delay ms", ""]))


def _verdict(difference, sign):
    middle, low, high, seeds = difference
    if seeds < statistics.SURE:
        return "too few seeds"
    if low <= 0 <= high:
        return "tie"
    return "win" if sign * middle > 0 else "loss"


def _over_time(data, place):
    names = [c for c in data.controllers(place) if data.by_place[place][c]]
    figure, axes = pyplot.subplots(3, 1, sharex=True, figsize=(11, 6), height_ratios=[3, 2, 2], constrained_layout=True)
    drawn = False
    for c in names:
        first = data.by_place[place][c][min(data.by_place[place][c])]
        for flow in first["flows"].values():
            series = flow["series"]
            if series["capacity"] and not drawn:
                axes[0].step(range(len(series["capacity"])), series["capacity"], color="k", lw=1.2, where="post")
                drawn = True
            style = dict(color=colour(c, names), lw=0.9, label=c if flow is list(first["flows"].values())[0] else None)
            axes[0].plot(series["rate"], **style)
            axes[1].plot([numpy.nan if v is None else v for v in series["queue"]], **style)
            axes[2].plot([numpy.nan if v is None else v for v in series["psnr"]], **style)
    for axis, label in zip(axes, ("received, kbit/s", "queue p95, ms", "PSNR-Y, dB")):
        axis.set_ylabel(label, fontsize=8)
        axis.grid(alpha=0.25)
    axes[0].legend(fontsize=8, ncol=4)
    axes[2].set_xlabel("s")
    return png(figure)


def _worst(found, count=8):
    pictures = sorted(((w[0], r, n, w) for r in collect.measured(found) for n, w in r["worst"].items()),
                      key=lambda w: w[0])
    parts, seen = [], set()
    for score, r, number, (_, frame, picture) in pictures:
        path = pathlib.Path(r["folder"]) / f"worst-{number}.jpg"
        kind = (r["lab"]["cell"], r["lab"]["controller"])
        if kind in seen or not path.exists() or len(parts) == count:
            continue
        seen.add(kind)
        data = base64.b64encode(path.read_bytes()).decode()
        stale = f", on the screen: frame {picture}" if picture != frame else ""
        parts.append(f'<figure><img src="data:image/jpeg;base64,{data}" alt=""><figcaption>{score:.1f} dB: original '
                     f"and screen, frame {frame}{stale}<br>{html.escape(r['lab']['name'])}</figcaption></figure>")
    return "<h2>Worst frames</h2>" + "".join(parts) if parts else ""


def _output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=20).stdout.strip().splitlines()[0]
    except (OSError, subprocess.SubprocessError, IndexError):
        return "-"


def versions():
    packages = ("libgstreamer1.0-0", "libx264-164", "libvpx7", "libns3.37", "gstreamer1.0-libav")
    found = {"date": time.strftime("%Y-%m-%d %H:%M"),
             "commit": _output("git", "-C", str(paths.TOP), "describe", "--always", "--dirty"),
             "machine": f"{os.cpu_count()} processors, {platform.machine()}, Linux {platform.release()}",
             "Python": platform.python_version(), "VMAF": vmaf.program() or vmaf.WHY_NOT}
    for package in packages:
        version = _output("dpkg-query", "-W", "-f", "${Version}", package)
        if version != "-":
            found[package] = version
    return found


def write(found, missing, gates, matrix, command, path):
    data = collect.Table(found)
    places = list(data.by_place)
    mark = {True: Cell('<td class="good">holds</td>'), False: Cell('<td class="bad">FAILS</td>')}
    parts = [f"<!DOCTYPE html><meta charset=utf-8><title>{html.escape(matrix.title)}</title><style>{STYLE}</style>",
             f"<h1>{html.escape(matrix.title)}</h1><p>{html.escape(matrix.text)}</p>",
             f"<p><code>{html.escape(command)}</code></p>",
             "<h2>Gates</h2>", table([[name, mark[bool(ok)], Cell(f'<td class="text">{html.escape(text)}</td>')]
                                      for name, ok, text in gates], ["gate", "", ""])]
    if missing:
        parts += ["<h2>Not run</h2>", table([[job.name, why] for job, why, _ in missing], ["job", "why"])]
    figures = pathlib.Path(path).parent / "figures"
    parts += [_sweeps(found, figures), "<h2>Delay against quality</h2><p>Up and left is better.</p>",
              axes_plot(data, places, figures / "delay-quality.png"),
              _pairs(data), "<h2>Cells</h2>"]
    titles = {r["lab"]["cell"]: r["lab"].get("title", "") for r in found}
    for place in places:
        parts += [f"<h3>{html.escape(place_name(place))}</h3><p>{html.escape(titles[place[1]])}</p>",
                  _figures(data, place),
                  _playout(data, place, "psnr", "PSNR-Y dB"), _playout(data, place, "mos", "MOS"), _marks(data, place),
                  _over_time(data, place)]
    cost = sum(r["wall"] for r in found)
    parts += [_worst(found), "<h2>Set-up</h2>", table([[k, v] for k, v in versions().items()], ["", ""]),
              f"<p>{len(found)} jobs, {cost:.0f} s of them in all.</p>"]
    pathlib.Path(path).write_text("".join(parts))
