# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two calls side by side: figures, curves, films that play together, and the same moments of both. The command line of
`pipelines/compare`, installed gst-congestion-compare."""
from . import early  # noqa: I001
import argparse
import dataclasses
import html
import json
import pathlib
import sys

import numpy
from matplotlib import pyplot

from . import clips, measures, paths, pictures, plots, report, session, units

FALL = "0:1.0M,10:0.4M,20:1.0M"
FIXED = "fixed:900k"
NO_FILM = "<p>No film: what was received cannot be put in a form that browsers play.</p>"
MOMENT = 4.0  # s after the first fall, of the picture


@dataclasses.dataclass
class One:
    """A finished call."""
    name: str
    call: measures.Call
    schedule: units.Schedule
    result: dict

    @property
    def settings(self):
        return self.call.settings

    def shown(self, number):
        return report.rgb_of(self.settings, pictures.kept(self.call.folder)[number])


def read(folder, name=None):
    try:
        settings = json.loads((pathlib.Path(folder) / "call.json").read_text())
    except (OSError, ValueError):
        raise ValueError(f"{folder} is no folder that {paths.PROGRAM} left: it has no call.json") from None
    schedule = (units.trace_schedule(settings["trace"], settings["duration"]) if settings.get("trace")
                else units.Schedule(settings["capacity"]))
    call = measures.Call(folder, settings)
    told = pathlib.Path(folder) / "summary.json"  # what only the call itself could know
    before = json.loads(told.read_text()) if told.exists() else {}
    return One(name or report.name_of(settings), call, schedule, before | measures.summary(call, schedule))


def make(out, options):
    """The two calls, one after the other."""
    made = []
    for name, controller, plain in (("fixed", FIXED, "a fixed rate of 900 kbit/s"), ("ours", "ours", "this project")):
        settings = session.Settings(out=str(out / name), clip=options.clip, size=options.size, capacity=options.capacity,
                                    duration=options.duration, controller=controller)
        print(f"{plain}:", flush=True)
        session.Session(settings, show=True).run()
        made.append(read(out / name, plain))
    return made


def common(a, b):
    """Frames whose pictures both calls kept."""
    return sorted(set(pictures.kept(a.call.folder)) & set(pictures.kept(b.call.folder)))


def caption(one, number):
    score, stale = report.score_of(one.call, number)
    return f"{one.name}: {report.decibel(score)}" + (", an old picture stands" if stale else "")


def _moments(a, b):
    clip, found = report.original(a.settings), []
    if not clip or (a.settings["width"], a.settings["height"]) != (b.settings["width"], b.settings["height"]):
        return ""
    for number in common(a, b):
        shown = [("sent", pictures.to_rgb(clip.frame(number), a.settings["width"], a.settings["height"])),
                 *((caption(one, number), one.shown(number)) for one in (a, b))]
        found.append(f"<h3>{number / a.settings['fps']:.1f} s</h3><div class=triple>"
                     + "".join(report._figure(rgb, text) for text, rgb in shown) + "</div>")
    return "<h2>The same moments</h2>" + "".join(found) if found else ""


def _figures(a, b):
    told = [{what: (figure, means) for what, figure, means in report.explained(one.result)} for one in (a, b)]
    rows = [(what, *(each.get(what, ("-",))[0] for each in told), (told[0].get(what) or told[1][what])[1])
            for what in dict.fromkeys([*told[0], *told[1]])]  # a fall or a busy machine may be one call's only
    return report._table(rows, ("", a.name, b.name, "what it is"), "told two")


def write(a, b, path):
    films = "".join(f"<figure>{film or NO_FILM}<figcaption>{html.escape(one.name)}</figcaption></figure>"
                    for one, film in ((one, report.film(one.call)) for one in (a, b)))
    play = ("<p><button onclick=\"for (const v of document.querySelectorAll ('video')) v.paused ? v.play () : v.pause ()\">"
            "Play or pause both</button></p>") if "<video" in films else ""
    found = plots.both((a.call, a.schedule), (b.call, b.schedule), (a.name, b.name) if a.name != b.name else
                       (f"1 {a.name}", f"2 {b.name}"))
    body = [_figures(a, b), "<h2>What was received</h2>", play, f"<div class=pair>{films}</div>", "<h2>Over time</h2>",
            report.curves(found, ""), _moments(a, b)]
    pathlib.Path(path).write_text(report.page(f"Two calls: {a.name} and {b.name}", "".join(body)))


def _still(axes, one, number):
    score, _ = report.score_of(one.call, number)
    axes.imshow(one.shown(number))
    axes.set_title(f"{one.name}: {score:.0f} dB", fontsize=12)
    axes.set_axis_off()


def _curves(axes, ones, at):
    edges = plots.grid(max(one.call.end for one in ones))
    middle = (edges[:-1] + edges[1:]) / 2
    for axis, unit in zip(axes, ("arrives, Mbit/s", "camera to screen, ms")):
        axis.set_ylabel(unit)
        axis.axvline(at, color="0.4", ls=":", lw=1)
        axis.grid(alpha=0.25)
    axes[0].step(edges[:-1], plots.rates(ones[0].call, ones[0].schedule, edges)["the path carries"], "k-", where="post", lw=1.6,
                 label="the path carries")
    for one, colour in zip(ones, ("tab:red", "tab:blue")):
        axes[0].plot(middle, plots.rates(one.call, one.schedule, edges)["arrived"], color=colour, lw=1.4, label=one.name)
        axes[1].plot(middle, list(plots.delays(one.call, edges).values())[0], color=colour, lw=1.4)
    axes[0].set_ylim(bottom=0)
    axes[1].set_yscale("log")
    axes[1].set_yticks([50, 100, 200, 500], ["50", "100", "200", "500"])
    axes[1].minorticks_off()
    axes[1].set_xlabel("s")
    axes[0].set_xlim(0, edges[-1])
    axes[0].legend(loc="lower right", ncol=3, fontsize=9)


def first_fall(schedule):
    """s"""
    steps = schedule.steps
    falls = [at for (_, before), (at, after) in zip(steps, steps[1:]) if after < before]
    if not falls:
        raise ValueError(f"--picture shows a fall of the capacity, and {schedule} has none (0:1M,10:400k)")
    return falls[0]


def picture(a, b, path):
    """The same moment of both after the fall, and the curves around it: wide enough for a README."""
    number = round((first_fall(a.schedule) + MOMENT) * a.settings["fps"])
    if number not in common(a, b):
        raise ValueError(f"no picture of {MOMENT:g} s after the fall: both calls have to last until then")
    figure = pyplot.figure(figsize=(10, 9), dpi=100, constrained_layout=True)
    upper, lower = figure.subfigures(2, 1, height_ratios=[5, 4])
    upper.suptitle(f"The screen {MOMENT:g} s after the capacity fell", fontsize=12)
    for axes, one in zip(upper.subplots(1, 2), (a, b)):
        _still(axes, one, number)
    _curves(lower.subplots(2, 1, sharex=True), (a, b), number / a.settings["fps"])
    figure.savefig(path, format=pathlib.Path(path).suffix[1:], **(
        {"pil_kwargs": {"quality": 88}} if path.endswith(("jpg", "jpeg")) else {}))
    pyplot.close(figure)


def parse(arguments):
    p = argparse.ArgumentParser(prog=paths.PROGRAM.replace("call", "compare"), description=__doc__)
    p.add_argument("calls", nargs="*", metavar="FOLDER", help="two that pipelines/call left; none: two calls are made, "
                   f"{FIXED} and ours, through --capacity")
    p.add_argument("--out", default=str(paths.COMPARED), metavar="DIR", help="default %(default)s")
    p.add_argument("--picture", metavar="FILE", help="the moment after the fall as one picture, too")
    p.add_argument("--clip", default=clips.PORTRAIT, metavar="FILE", help="of calls made here, default %(default)s")
    p.add_argument("--size", type=units.size_text, default="480x480", help="default %(default)s")
    p.add_argument("--capacity", type=units.path_schedule, default=FALL, metavar="SCHEDULE", help="default %(default)s")
    p.add_argument("--duration", type=units.span, default=30, metavar="TIME", help="default 30s")
    options = p.parse_args(arguments)
    if len(options.calls) not in (0, 2):
        p.error("two folders, or none")
    if options.picture and pathlib.Path(options.picture).suffix[1:] not in pyplot.figure().canvas.get_supported_filetypes():
        p.error(f"--picture is a file of a known kind, as fall.png or fall.jpg: {options.picture}")
    if options.picture and not options.calls:
        try:
            if first_fall(units.Schedule(options.capacity)) + MOMENT >= options.duration:
                p.error(f"--picture is of {MOMENT:g} s after the fall: --duration has to be longer")
        except ValueError as error:
            p.error(str(error))
    return options


def main():
    options = parse(sys.argv[1:])
    out = pathlib.Path(options.out)
    early.listen()
    try:
        paths.make_out(out)
        a, b = [read(folder) for folder in options.calls] or make(out, options)
        write(a, b, out / "report.html")
        if options.picture:
            picture(a, b, options.picture)
    except (RuntimeError, ValueError, OSError, KeyError) as error:
        print(f"compare: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("compare: interrupted before its report was written", file=sys.stderr)
        return 130
    print(f"\n{out}/report.html   both calls side by side")
    return 0


if __name__ == "__main__":
    sys.exit(main())
