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

from . import clips, film as films, pictures, plots  # noqa: E402
from .units import rate, show_rate, words_of_rate  # noqa: E402

BIN = 0.25  # s of the rate curves
POLICY = ("<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; img-src data:; media-src data: 'self' file:; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">")
STYLE = """body{font:15px/1.45 sans-serif;margin:2em auto;max-width:60em;padding:0 1em;color:#222}table{border-collapse:collapse}
td,th{padding:.2em .9em;text-align:right;border-bottom:1px solid #ddd}td:first-child,th:first-child
{text-align:left}.told td:nth-child(2){white-space:nowrap}.two td:nth-child(3){white-space:nowrap}.told td:last-child{min-width:19em}.told td:last-child,
.told th:last-child{text-align:left;white-space:normal;color:#555}h3{font-size:1em;margin:1.2em 0 .2em}
img,video{max-width:100%}video{min-width:50%}figure{display:inline-block;margin:.3em}figcaption{font-size:85%;color:#555}
.strip{display:flex}.strip figure{flex:1;margin:.1em}.plot{width:100%;height:190px}.legend{font-size:13px;min-height:1.4em}
.hint{color:#555}.pair{display:grid;grid-template-columns:1fr 1fr;gap:.6em}.triple{display:grid;
grid-template-columns:1fr 1fr 1fr;gap:.4em}.bad{color:#b00;font-weight:bold}.good{color:#060}"""


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


def _plot_queue(axes, call):
    waiting = [(p.sent, p.queue_delay) for p in call.packets if p.queue_delay is not None]
    if waiting:
        at, delay = numpy.array(waiting).T
        axes.plot(at, 1e3 * delay, ".", ms=1.5, color="tab:blue")
    axes.axhline(100, color="0.6", ls=":", lw=1)
    axes.set_ylabel("in the queue, ms")
    axes.set_yscale("symlog", linthresh=10)
    axes.set_yticks([0, 5, 10, 50, 100, 500], ["0", "5", "10", "50", "100", "500"])
    axes.set_ylim(0, 1000)


def jpeg(rgb):
    """As a data: address."""
    data = io.BytesIO()
    pyplot.imsave(data, rgb, format="jpeg", pil_kwargs={"quality": 92})
    return f"data:image/jpeg;base64,{base64.b64encode(data.getvalue()).decode()}"


def original(s):
    return clips.Clip(s["clip"], s["width"], s["height"], "clip") if s.get("clip") else None


def rgb_of(s, path):
    return pictures.to_rgb(numpy.fromfile(path, numpy.uint8), s["width"], s["height"])


def score_of(call, number):
    """(dB, whether an older picture stood) of what the screen showed for a frame; (None, False) where nobody knows."""
    at = numpy.flatnonzero(call.frame == number)
    return (float(call.psnr[at[0]]), bool(call.stale[at[0]])) if len(at) else (None, False)


def _figure(rgb, caption):
    return f'<figure><img src="{jpeg(rgb)}" alt=""><figcaption>{html.escape(caption)}</figcaption></figure>'


def _now_and_then(call):
    """Original and received picture side by side, some times a call."""
    s, clip, found = call.settings, original(call.settings), []
    for path in sorted(pathlib.Path(call.folder).glob("picture-*.i420")):
        number = int(path.stem.split("-")[1])
        both = [pictures.to_rgb(clip.frame(number), s["width"], s["height"])] if clip else []
        found.append(_figure(numpy.concatenate([*both, rgb_of(s, path)], axis=1),
                             f"{number / s['fps']:.1f} s: sent, received"))
    return "".join(found)


def _worst_moment(call):
    s, clip, kept = call.settings, original(call.settings), pictures.kept(call.folder)
    found = []
    for number in (n for n in pictures.worst(call.folder) if n in kept and clip):
        score, stale = score_of(call, number)
        both = numpy.concatenate([pictures.to_rgb(clip.frame(number), s["width"], s["height"]), rgb_of(s, kept[number])])
        found.append(_figure(both, f"{number / s['fps']:.1f} s: {decibel(score)}" + (", an old picture stands" if stale else "")))
    return f'<div class=strip>{"".join(found)}</div>' if found else ""


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
    rows += [(f"queue below 100 ms after the drop to {words_of_rate(d['to'])}", f"{d['seconds']:.1f} s")
             for d in result["drops"]]
    return rows + [(what, f"{figure}: {meaning}") for what, figure, meaning in busy(result)]


def _table(rows, head=None, kind=""):
    parts = [f'<table class="{kind or "plain"}">']
    if head:
        parts.append("<tr>" + "".join(f"<th>{html.escape(str(c))}</th>" for c in head) + "</tr>")
    for row in rows:
        parts.append("<tr>" + "".join(f"<td>{html.escape(str(c))}</td>" for c in row) + "</tr>")
    return "".join(parts) + "</table>"


def explained(result):
    """[(what, figure, what it means)] for a page."""
    drops = [(f"Short again after the fall to {words_of_rate(d['to'])}", f"{d['seconds']:.1f} s",
              "from then on nobody waits longer than 0.1 s in the queue") for d in result["drops"]]
    gap = result["freezes"]
    return [
        ("Camera to screen", " / ".join(ms(result[f"frame_delay_p{n}"]) for n in (50, 95, 99)),
         "half, 95 % and 99 % of the pictures are there after this time; below 150 ms people do not notice"),
        ("Of it in the queue", f"{ms(result['queue_p50'])} / {ms(result['queue_p95'])}",
         "half and 95 % of the packets wait no longer at the bottleneck while its capacity stays as it is"),
        *drops,
        ("Use of the path", percent(result["use"]),
         "of what it carries, or of the greatest rate wanted where that is less; while the capacity stays as it is"),
        ("Lost packets", f"{percent(result['loss'])} of {result['packets']}",
         "dropped by the full queue or lost on the way; before any is sent again"),
        ("Pictures shown", f"{result['frames_shown']} of {result['frames_captured']}", "the others came too late or never"),
        ("The screen stood still", f"{gap['over_500ms']} times, longest {ms(gap['longest'])}", "for more than half a second"),
        ("Picture quality", decibel(result["psnr"]),
         "PSNR of the screen against the camera, old pictures counted: 30 is poor, 35 good, 40 hardly to be told apart"),
        ("First picture", ms(result["blank_start"]), "after the start"),
        ("Processor", " / ".join(percent(result["cpu"][end]) for end in ("sender", "receiver")),
         "of one core, sender and receiver with their codecs"),
        *busy(result)]


def busy(result):
    """A machine with more work than processors is late by itself."""
    load, processors = result.get("load", 0), result.get("processors", 1)
    return [("Machine", f"{load:.1f} programs for {processors} processors",
             "it had more to do than it could: what is late, skipped or jerky may be its own, not the network's")] * (load > processors)


def _phases(result):
    rows = [(f"{p['from']:.0f}-{p['to']:.0f} s", show_rate(p["capacity"]), show_rate(p["received"]),
             percent(p["use"]), ms(p["queue_p50"]), ms(p["queue_p95"])) for p in result["phases"]]
    return _table(rows, ("while the capacity stays", "capacity", "received", "use", "in the queue, half below", "95 % below"))


def film(call):
    """The received video as the page has it, '' where there is none."""
    made = films.make(call.folder, call.settings["encoder"])
    if not made:
        return ""
    source = made.name
    if made.stat().st_size <= films.MOST_INSIDE:
        source = f"data:video/{made.suffix[1:]};base64,{base64.b64encode(made.read_bytes()).decode()}"
        made.unlink()
    return f'<video controls muted playsinline src="{source}"></video>'


def film_offset(call):
    """When the film begins, s of the call."""
    shown = call.frame[~numpy.isnan(call.displayed)]
    return call.captured.get(int(shown[0]), 0.0) if len(shown) else 0.0


def curves(found, fallback, offset=0.0):
    if plots.there():
        return plots.body(found, offset)
    return f"{fallback}<p>With the package libjs-dygraphs installed this page has curves to point at and zoom into.</p>"


def page(title, body):
    """Nothing in it is fetched from anywhere: the policy forbids what nobody wrote."""
    return (f"<!DOCTYPE html><html lang=en><meta charset=utf-8>{POLICY}<title>{html.escape(title)}</title><style>{STYLE}</style>"
            f"{plots.head() if plots.there() else ''}<h1>{html.escape(title)}</h1>{body}</html>")


def name_of(s):
    """What a call is called in headings."""
    kind, _, fixed = s["controller"].partition(":")
    controller = f"a fixed rate of {words_of_rate(rate(fixed))}" if kind == "fixed" else s["mode"] if kind == "ours" else kind
    return f"{s['encoder']}, {controller}"


def write(call, schedule, result, path):
    s = call.settings
    played, worst = film(call), _worst_moment(call)
    still = io.BytesIO()
    if not plots.there():
        picture(call, schedule, still)
    parts = [_table(explained(result), kind="told"),
             f"<h2>What was received</h2>{played}" if played else "",
             "<h2>Over time</h2>", curves(plots.panels(call, schedule), f'<img src="data:image/png;base64,{base64.b64encode(still.getvalue()).decode()}" alt="">', film_offset(call)),
             f"<h2>Around the worst second</h2><p>Above what was sent, below what the screen showed.</p>{worst}" if worst else "",
             f"<h2>Now and then</h2><details><summary>Pictures sent and received</summary>{_now_and_then(call)}</details>",
             f"<h2>While the capacity stays as it is</h2>{_phases(result)}",
             "<h2>Set-up</h2>", _table([(k, v) for k, v in s.items() if v not in (None, "", False)])]
    pathlib.Path(path).write_text(page(f"A call of {call.end:.0f} s: {name_of(s)}", "".join(parts)))


def picture(call, schedule, path):
    """The rates and the queue alone, small enough for a README."""
    figure, axes = pyplot.subplots(2, 1, sharex=True, figsize=(10, 5), height_ratios=[3, 2], constrained_layout=True)
    _plot_rates(axes[0], call, schedule)
    _plot_queue(axes[1], call)
    axes[1].set_xlabel("s")
    axes[0].set_xlim(0, max(call.end, 1))
    for each in axes:
        each.grid(alpha=0.25)
    figure.savefig(path, format="png", dpi=100)
    pyplot.close(figure)
