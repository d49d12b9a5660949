# SPDX-License-Identifier: LGPL-2.1-or-later
"""report.html of a call: one self-contained page with the figures, plots and pictures."""
import base64
import html
import io
import pathlib

import matplotlib

matplotlib.use("Agg")
import numpy  # noqa: E402
from matplotlib import pyplot  # noqa: E402

from . import clips  # noqa: E402
from .units import show_rate  # noqa: E402

BIN = 0.25  # s of the rate curves
STYLE = """body{font:15px/1.45 sans-serif;margin:2em auto;max-width:64em;color:#222}table{border-collapse:collapse}
td,th{padding:.2em .9em;text-align:right;border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left}
img{max-width:100%}figure{display:inline-block;margin:.3em}figcaption{font-size:85%;color:#555}
.bad{color:#b00;font-weight:bold}.good{color:#060}"""


def _png(figure):
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=100)
    pyplot.close(figure)
    return data.getvalue()


def _steps(schedule, end):
    """Corners of the capacity curve."""
    x, y = [], []
    for begin, until, bps in schedule.phases(end):
        x += [begin, until]
        y += [bps, bps]
    return x, numpy.array(y)


def _plot_rates(axes, call, schedule):
    x, y = _steps(schedule, call.end)
    axes.plot(x, y / 1e6, "k-", lw=1.6, label="capacity")
    if call.settings.get("max"):
        axes.axhline(call.settings["max"] / 1e6, color="0.6", ls=":", lw=1, label="max-bitrate")
    if len(call.rate_at):
        axes.step(call.rate_at, call.wire / 1e6, where="post", color="tab:green", lw=1, label="allowed, on the wire")
    at, produced = call.produced_rate(BIN)
    axes.plot(at, produced / 1e6, color="tab:orange", lw=0.8, label="produced by the encoder")
    at, received = call.received_rate(BIN)
    axes.plot(at, received / 1e6, color="tab:blue", lw=1.2, label="received, on the wire")
    axes.set_ylabel("Mbit/s")
    axes.set_ylim(0, 1.15 * max(max(y) / 1e6, numpy.max(received / 1e6, initial=0)))
    axes.legend(loc="upper right", fontsize=8, ncol=2)


def _plot_owners(axes, call):
    """Whose rule set the rate: a line an owner."""
    names = sorted({name for name in call.owner if name})
    for height, name in enumerate(names):
        until = numpy.append(call.rate_at[1:], call.end)
        spans = [(a, b - a) for a, b, owner in zip(call.rate_at, until, call.owner) if owner == name]
        axes.broken_barh(spans, (height - 0.4, 0.8), color="tab:green")
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.set_ylabel("rate set by")


def _plot_queue(axes, call):
    waiting = [(p.sent, p.queue_delay) for p in call.packets if p.queue_delay is not None]
    if waiting:
        at, delay = numpy.array(waiting).T
        axes.plot(at, 1e3 * delay, ".", ms=1.5, color="tab:blue")
    axes.axhline(100, color="0.6", ls=":", lw=1)
    axes.set_ylabel("queueing delay, ms")
    axes.set_ylim(bottom=0)


def _plot_loss(axes, call):
    for fate, color in (("queue", "tab:red"), ("random", "tab:purple")):
        at = [p.sent for p in call.packets if p.fate == fate]
        if at:
            axes.hist(at, numpy.arange(0, call.end + 1, 1), color=color, label=f"dropped, {fate}")
    axes.set_ylabel("packets lost per s")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper right", fontsize=8)
    else:
        axes.set_ylim(0, 1)
        axes.text(0.5, 0.5, "none", transform=axes.transAxes, ha="center", color="0.5")


def _plot_psnr(axes, call):
    at = numpy.array([call.captured.get(int(n), numpy.nan) for n in call.frame])
    if len(at) and numpy.any(~numpy.isnan(call.psnr)):
        fresh = call.stale == 0
        axes.plot(at[fresh], call.psnr[fresh], "-", lw=0.8, color="tab:blue", label="shown")
        if numpy.any(~fresh):
            axes.plot(at[~fresh], call.psnr[~fresh], ".", ms=3, color="tab:red", label="stale picture on display")
        axes.legend(loc="lower right", fontsize=8)
    axes.set_ylabel("PSNR-Y, dB")


def _plot_frame_delay(axes, call):
    at, delay = call.frame_delays()
    axes.plot(at, 1e3 * delay, ".", ms=2, color="tab:blue")
    axes.set_ylabel("capture to display, ms")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("s")


def plot(call, schedule):
    figure, axes = pyplot.subplots(6, 1, sharex=True, figsize=(11, 15.5), height_ratios=[3, 1, 2, 1, 2, 2],
                                   constrained_layout=True)
    _plot_rates(axes[0], call, schedule)
    _plot_owners(axes[1], call)
    _plot_queue(axes[2], call)
    _plot_loss(axes[3], call)
    _plot_psnr(axes[4], call)
    _plot_frame_delay(axes[5], call)
    axes[0].set_xlim(0, max(call.end, 1))
    for each in axes:
        each.grid(alpha=0.25)
    return _png(figure)


def _to_rgb(raw, width, height):
    """I420 (BT.601) -> RGB"""
    luma = raw[: width * height].reshape(height, width).astype(numpy.float32)
    chroma = raw[width * height:].reshape(2, height // 2, width // 2).astype(numpy.float32)
    u, v = (plane.repeat(2, 0).repeat(2, 1) - 128 for plane in chroma)
    y = 1.164 * (luma - 16)
    rgb = numpy.stack([y + 1.596 * v, y - 0.392 * u - 0.813 * v, y + 2.017 * u], axis=-1)
    return numpy.clip(rgb, 0, 255).astype(numpy.uint8)


def pictures(call):
    """[(frame number, PNG of the original and the received picture side by side)]"""
    s = call.settings
    clip = clips.Clip(s["clip"], s["width"], s["height"], "clip") if s.get("clip") else None
    found = []
    for path in sorted(pathlib.Path(call.folder).glob("picture-*.i420")):
        number = int(path.stem.split("-")[1])
        both = [_to_rgb(numpy.fromfile(path, numpy.uint8), s["width"], s["height"])]
        if clip:
            both.insert(0, _to_rgb(clip.frame(number), s["width"], s["height"]))
        data = io.BytesIO()
        pyplot.imsave(data, numpy.concatenate(both, axis=1))
        found.append((number, data.getvalue()))
    return found


def _img(png):
    return f'<img src="data:image/png;base64,{base64.b64encode(png).decode()}" alt="">'


def ms(seconds):
    return "-" if seconds is None else f"{1e3 * seconds:.0f} ms"


def percent(value):
    return "-" if value is None else f"{100 * value:.1f} %"


def decibel(value):
    return "-" if value is None else f"{value:.2f} dB"


def lines(result):
    """[(what, figure)] of a summary, for terminal and page."""
    rows = [("use of min(capacity, max), steady", percent(result["use"])),
            ("queueing delay, steady, p50 / p95", f"{ms(result['queue_p50'])} / {ms(result['queue_p95'])}"),
            ("packets lost", f"{percent(result['loss'])} of {result['packets']}"),
            ("freezes over 500 ms / by the W3C's rule",
             f"{result['freezes']['over_500ms']} / {result['freezes']['w3c']}, longest gap "
             f"{ms(result['freezes']['longest'])}"),
            ("frames shown / captured", f"{result['frames_shown']} / {result['frames_captured']}"),
            ("PSNR-Y, stale pictures counted / shown only",
             f"{decibel(result['psnr'])} / {decibel(result['psnr_shown'])}"),
            ("capture to display, p50 / p95 / p99", " / ".join(ms(result[f"frame_delay_p{n}"]) for n in (50, 95, 99))),
            ("first picture after", ms(result["blank_start"])),
            ("processor, sender / receiver", " / ".join(percent(result["cpu"][end]) for end in ("sender", "receiver")))]
    rows += [(f"queue below 100 ms after the drop to {show_rate(d['to'])}bit/s", f"{d['seconds']:.1f} s")
             for d in result["drops"]]
    return rows


def _table(rows, head=None):
    parts = ["<table>"]
    if head:
        parts.append("<tr>" + "".join(f"<th>{html.escape(str(c))}</th>" for c in head) + "</tr>")
    for row in rows:
        parts.append("<tr>" + "".join(f"<td>{html.escape(str(c))}</td>" for c in row) + "</tr>")
    return "".join(parts) + "</table>"


def _phases(result):
    rows = [(f"{p['from']:.0f}-{p['to']:.0f} s", show_rate(p["capacity"]), show_rate(p["received"]),
             percent(p["use"]), ms(p["queue_p50"]), ms(p["queue_p95"])) for p in result["phases"]]
    return _table(rows, ("steady part", "capacity", "received", "use", "queue p50", "queue p95"))


def write(call, schedule, result, path):
    s = call.settings
    title = f"A call: {s['encoder']}, {s['controller']}" + (f", {s['mode']}" if s["controller"] == "ours" else "")
    figures = "".join(f"<figure>{_img(png)}<figcaption>frame {number}: original, received</figcaption></figure>"
                      for number, png in pictures(call))
    setup = _table([(k, v) for k, v in s.items() if v not in (None, "", False)])
    pathlib.Path(path).write_text(
        f"<!DOCTYPE html><meta charset=utf-8><title>{html.escape(title)}</title><style>{STYLE}</style>"
        f"<h1>{html.escape(title)}</h1>{_table(lines(result))}<h2>Over time</h2>{_img(plot(call, schedule))}"
        f"<h2>Steady parts</h2>{_phases(result)}<h2>Pictures</h2>{figures}<h2>Set-up</h2>{setup}")


def picture(call, schedule, path):
    """The rates and the queue alone, small enough for a README."""
    figure, axes = pyplot.subplots(2, 1, sharex=True, figsize=(10, 5), height_ratios=[3, 2], constrained_layout=True)
    _plot_rates(axes[0], call, schedule)
    _plot_queue(axes[1], call)
    axes[1].set_xlabel("s")
    axes[0].set_xlim(0, max(call.end, 1))
    for each in axes:
        each.grid(alpha=0.25)
    pathlib.Path(path).write_bytes(_png(figure))
