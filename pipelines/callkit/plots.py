# SPDX-License-Identifier: LGPL-2.1-or-later
"""The curves of calls as numbers on one grid of time, and the page's part that draws them: Debian's libjs-dygraphs and
plots.js, both inside the page."""
import html
import json
import pathlib

import numpy

LIBRARY = pathlib.Path("/usr/share/javascript/dygraphs")
SCRIPT = pathlib.Path(__file__).with_name("plots.js")
BINS = (0.1, 0.25, 0.5, 1, 2, 5, 10)  # s
MOST_BINS = 1500
SMOOTH = 0.4  # s that a rate is the mean of
LEAST_DELAY = 1.0  # ms: a logarithmic axis has no 0


def grid(end):
    width = next((b for b in BINS if end / b <= MOST_BINS), BINS[-1])
    return numpy.arange(0, max(end, width) + width, width)


def _binned(edges, at, values, how):
    """how (the values of a bin), NaN where there is none."""
    found = numpy.full(len(edges) - 1, numpy.nan)
    at, values = numpy.asarray(at, float), numpy.asarray(values, float)
    known = ~(numpy.isnan(at) | numpy.isnan(values))
    at, values = at[known], values[known]
    place = numpy.digitize(at, edges) - 1
    order = numpy.argsort(place, kind="stable")
    starts = numpy.flatnonzero(numpy.diff(place[order], prepend=-2))
    for group in numpy.split(order, starts[1:]) if len(order) else ():
        if 0 <= place[group[0]] < len(found):
            found[place[group[0]]] = how(values[group])
    return found


def _rate(edges, at, sizes):
    """bit/s, the mean of SMOOTH."""
    sums, _ = numpy.histogram(at, edges, weights=8 * numpy.asarray(sizes, float))
    width = edges[1] - edges[0]
    window = max(round(SMOOTH / width), 1)
    return numpy.convolve(sums / width, numpy.ones(window) / window, "same")


def _held(edges, at, values):
    """What held at the end of each bin."""
    if not len(at):
        return numpy.full(len(edges) - 1, numpy.nan)
    place = numpy.searchsorted(at, edges[1:], "right") - 1
    return numpy.where(place >= 0, numpy.asarray(values, float)[numpy.maximum(place, 0)], numpy.nan)


def rates(call, schedule, edges):
    good = call.delivered()
    allowed = numpy.where(numpy.isnan(call.wire), call.allowed, call.wire) if len(call.wire) else call.wire
    found = {"the path carries": numpy.array([schedule.at(t) for t in edges[:-1]]),
             "allowed to send": _held(edges, call.rate_at, allowed),
             "made by the encoder": _rate(edges, call.sent_at, call.sent_bytes),
             "arrived": _rate(edges, [p.arrived for p in good], [p.size for p in good])}
    return {name: values / 1e6 for name, values in found.items()}


def delays(call, edges):
    at, seen = call.frame_delays()
    waits = [(p.sent, p.queue_delay) for p in call.packets if p.queue_delay is not None]
    sent, waited = numpy.array(waits).T if waits else ((), ())
    found = {"camera to screen, worst picture": _binned(edges, at, seen, numpy.max),
             "camera to screen": _binned(edges, at, seen, numpy.median),
             "of it in the queue, worst packet": _binned(edges, sent, waited, numpy.max)}
    return {name: numpy.maximum(1e3 * values, LEAST_DELAY) for name, values in found.items()}


def lost(call, edges):
    found = {}
    for fate, name in (("queue", "dropped by the full queue"), ("random", "lost on the way")):
        found[name], _ = numpy.histogram([p.sent for p in call.packets if p.fate == fate], edges)
    return found


def quality(call, edges):
    at = numpy.array([call.captured.get(int(n), numpy.nan) for n in call.frame])
    found = {}
    for name, which in (("picture on time", call.stale == 0), ("an old picture still stood", call.stale == 1)):
        found[name] = _binned(edges, at[which], call.psnr[which], numpy.min) if len(at) else numpy.full(len(edges) - 1, numpy.nan)
    return found


def owners(call, edges):
    """Whose rule set the rate: ([name], place of the bin's in them)."""
    names = sorted({name for name in call.owner if name})
    return names, _held(edges, call.rate_at, [names.index(o) if o else numpy.nan for o in call.owner])


def _rows(edges, columns):
    def number(value):
        return None if value is None or numpy.isnan(value) else round(float(value), 4)
    middle = (edges[:-1] + edges[1:]) / 2
    return [[round(float(t), 3)] + [number(c[i]) for c in columns] for i, t in enumerate(middle)]


def _panel(title, unit, edges, found, **more):
    return {"title": title, "unit": unit, "labels": ["s", *found], "rows": _rows(edges, list(found.values()))} | more


def panels(call, schedule):
    edges = grid(call.end)
    found = [_panel("How much is sent", "Mbit/s", edges, rates(call, schedule, edges), steps=["the path carries", "allowed to send"]),
             _panel("How late it is (logarithmic)", "ms", edges, delays(call, edges), log=True),
             _panel("How true the pictures are", "dB", edges, quality(call, edges),
                    points=["an old picture still stood"]),
             _panel(f"What is lost per {edges[1] - edges[0]:g} s", "packets", edges, lost(call, edges), bars=True)]
    names, held = owners(call, edges)
    if names:
        found.append(_panel("Whose rule sets the rate", "", edges, {"rule": held}, names=names))
    return found


def both(a, b, names):
    """Panels with the curves of two calls: (call, schedule) each."""
    found = []
    edges = grid(max(a[0].end, b[0].end))
    found.append(_panel("What arrives", "Mbit/s", edges, {
        "the path carries": rates(*a, edges)["the path carries"]} | {
        name: rates(*of, edges)["arrived"] for name, of in zip(names, (a, b))}, steps=["the path carries"], pair=True))
    for title, unit, series, key, more in (
            ("How late it is: camera to screen, worst picture (logarithmic)", "ms", delays, 0, {"log": True}),
            ("How true the picture on the screen is", "dB", quality, None, {})):
        columns = {}
        for name, of in zip(names, (a, b)):
            values = list(series(of[0], edges).values())
            columns[name] = values[key] if key is not None else numpy.fmin(*values)
        found.append(_panel(title, unit, edges, columns, pair=True, **more))
    return found


def there():
    return (LIBRARY / "dygraph.min.js").exists()


def as_json(value):
    """For a script inside a page: nothing in it ends the script."""
    return json.dumps(value).replace("<", "\\u003c")


def head():
    """The library, for the page's head."""
    return (f"<style>{(LIBRARY / 'dygraph.min.css').read_text()}</style>"
            f"<script>{(LIBRARY / 'dygraph.min.js').read_text().replace('</script', '<' + chr(92) + '/script')}</script>")


def body(found, film_offset=0.0):
    """The panels, and what draws them."""
    def heading(panel):
        return html.escape(", ".join(filter(None, (panel["title"], panel["unit"]))))
    places = "".join(f"<h3>{heading(p)}</h3><div class=plot id=plot{n}></div><div class=legend id=legend{n}></div>"
                     for n, p in enumerate(found))
    return (f"{places}<p class=hint>Point at a curve for its figures, drag across to zoom in, double click to see all again; "
            "a click moves the video there.</p>"
            f"<script>const PANELS = {as_json(found)}, FILM_OFFSET = {film_offset:.3f};\n{SCRIPT.read_text()}</script>")
