# SPDX-License-Identifier: LGPL-2.1-or-later
"""What has to hold before any figure of a run is believed. A gate gives a list of (name, holds, text)."""
import numpy

from . import controllers
from .collect import measured

CODEC = {"sim": 0.01, "real": 0.15}  # dB between an undamaged run and the codec alone; real encoders see real times
ORACLE = 0.5  # dB that any other may be above the oracle: it leaves a part of the capacity
STAMPS, CONCEALED = 0.5, 0.1  # of the stamps under loss have to be right, may be of an earlier picture; else: all right
LOST_PICTURES = 0.02  # of a job's pictures may fit no row of its receiver's
AGREE = {"psnr": 1.5, "use": 0.1, "delay_p95": 0.06}  # |simulated - real| of the medians
AGREE_TEST_PICTURE = {"psnr": 3.0}  # of callkit's clip `videotestsrc`, whose dB are steep in each frame's bits
USE, LOSS = 0.3, 0.15  # of a working controller where the cell says nothing


def codec(found):
    """An undamaged run has the codec's own PSNR."""
    for r in found:
        if r["lab"].get("purpose") == "codec":
            own, got, engine = r["codec"]["own"], r["codec"]["got"], r["lab"]["engine"]
            yield (f"codec: {engine} {r['lab']['encoder']}", got is not None and abs(got - own) <= CODEC[engine],
                   f"{got:.3f} dB undamaged, {own:.3f} dB without a network, within {CODEC[engine]} dB" if got
                   else "no picture")


def pairing(found):
    """Each picture shown is the one it is taken for: by its stamp, and by what the receiver measured."""
    for r in found:
        for number, flow in r["flows"].items():
            if "stamps" in flow:
                yield (f"pairing: {r['lab']['engine']} {r['lab']['encoder']} {r['lab']['cell']}",
                       *_stamps(flow["stamps"], r["lab"]["purpose"] == "codec"))
    worst = max(((f["pictures_lost"] / f["pictures"], r["lab"]["name"]) for r in found for f in r["flows"].values()
                 if f["pictures"]), default=None)
    if worst:
        yield "pairing: pictures of received.mkv", worst[0] <= LOST_PICTURES, \
            f"at most {100 * worst[0]:.1f} % fit no row of received.csv ({worst[1]})"


def _stamps(s, undamaged):
    total = sum(s.values())
    text = (f"{s['right']} stamps right, {s['wrong']} wrong, {s['concealed']} of a picture before, "
            f"{s['damaged']} damaged")
    if undamaged:
        return s["right"] == total > 0, text
    return s["wrong"] == 0 and s["concealed"] <= CONCEALED * total and s["right"] >= STAMPS * total > 0, text


def clocks(found):
    bad = [(r["lab"]["name"], text) for r in found for f in r["flows"].values() for text in f["clocks"]]
    yield ("clocks", not bad,
           "; ".join(f"{n}: {t}" for n, t in bad[:3]) or f"{len(found)} jobs, nothing before its cause")


def repeatable(found):
    for r in found:
        if "repeat" in r:
            differ = r["repeat"]["differ"]
            yield ("repeatable", not differ and r["repeat"]["files"] > 0,
                   f"differ: {', '.join(differ[:5])}" if differ else f"{r['repeat']['files']} files the same twice")


def _grouped(found):
    """{(engine, cell, encoder, clip): {controller: [row]}} and each place's lab keys"""
    places, labs = {}, {}
    for r in measured(found):
        lab = r["lab"]
        place = (lab["engine"], lab["cell"], lab["encoder"], lab["clip"])
        places.setdefault(place, {}).setdefault(lab["controller"], []).append(r["row"])
        labs[place] = lab
    return places, labs


def _median(rows, key):
    values = [r[key] for r in rows if r.get(key) is not None]
    return float(numpy.median(values)) if values else None


def oracle(found, tolerance=ORACLE):
    """Where nothing but the capacity matters, nobody beats the one who knows it."""
    places, labs = _grouped(found)
    for place, by in places.items():
        if labs[place].get("clean") != "true" or "oracle" not in by:
            continue
        bound = _median(by["oracle"], "psnr")
        others = {c: _median(rows, "psnr") for c, rows in by.items() if c != "oracle"}
        over = {c: v for c, v in others.items() if v is not None and (bound is None or v > bound + tolerance)}
        yield (f"oracle: {' '.join(place[:3])}", not over and bound is not None,
               (f"{bound:.2f} dB" if bound is not None else "nothing")
               + "".join(f"; {c} has {v:.2f} dB, more than {tolerance} above" for c, v in over.items()))


def _expected(lab):
    said = (item.split("=") for item in lab.get("expect", "").split())
    return {"use": USE, "loss": LOSS} | {k: float(v) for k, v in said}


def working(found):
    """In cells that say what any working controller reaches, nobody stays at his start rate, floods the queue or gives
    the path up (RFC 8083)."""
    places, labs = _grouped(found)
    for place, by in places.items():
        if not labs[place].get("expect"):
            continue
        expected = _expected(labs[place])
        bad = []
        for controller, rows in by.items():
            if not controllers.adapts(controller):
                continue
            use, loss = _median(rows, "use"), _median(rows, "loss_caused")
            if use is None or use < expected["use"]:
                bad.append(f"{controller} uses {100 * (use or 0):.0f} % of what is there: stuck?")
            if loss is None or loss > expected["loss"]:
                lost = "all" if loss is None else f"{100 * loss:.0f} %"
                bad.append(f"{controller} loses {lost} in the queue: deaf to loss?")
            if any(row.get("circuit_openings") for row in rows):
                bad.append(f"{controller} opens its circuit, as on a path without hope")
        yield (f"working: {' '.join(place[:3])}", not bad,
               "; ".join(bad) or f"use >= {100 * expected['use']:.0f} %, loss caused <= {100 * expected['loss']:.0f} %")


def engines_agree(found, bounds=None):
    """Cells that both engines ran have the same figures, within bounds."""
    wanted = bounds or {}
    places, _ = _grouped(found)
    for (engine, *rest), by in places.items():
        other = places.get(("real", *rest))
        if engine != "sim" or not other:
            continue
        bounds = AGREE | (AGREE_TEST_PICTURE if rest[-1] == "videotestsrc" else {}) | wanted
        for controller in sorted(set(by) & set(other)):
            texts, holds = [], True
            for key, bound in bounds.items():
                a, b = _median(by[controller], key), _median(other[controller], key)
                near = a is not None and b is not None and abs(a - b) <= bound
                holds = holds and near
                texts.append(f"{key} {_show(a)} / {_show(b)} (+- {bound:g})")
            yield f"agree: {rest[0]} {rest[1]} {controller}", holds, "simulated / real: " + ", ".join(texts)


def doubted(jobs, checked):
    """The real calls whose median a failed gate judged: a stall of the machine fails it as a fault does."""
    failed = {name for name, holds, _ in checked if not holds}
    return [job for job in jobs if job.engine == "real" and not job.purpose and failed & {
        f"agree: {job.cell.name} {job.encoder} {job.controller}", f"working: real {job.cell.name} {job.encoder}"}]


def _show(value):
    return "-" if value is None else f"{value:.3g}"


def complete(missing):
    """A job that failed is a gate of its own; one that this machine cannot run is only said."""
    bad = [(job.name, why) for job, why, unsupported in missing if not unsupported]
    return [("complete", not bad, "; ".join(f"{n}: {w}" for n, w in bad[:3]) or "every job has its result")]


def check(found, missing, matrix):
    """All gates of a run: [(name, holds, text)]; without those that need jobs or controllers of their own where the matrix
    wants none."""
    checks = [clocks(found), pairing(found)]
    if matrix.gates:
        checks += [codec(found), repeatable(found), oracle(found, matrix.tolerance), working(found),
                   engines_agree(found, matrix.agree)]
    return complete(missing) + [verdict for check_ in checks for verdict in check_]
