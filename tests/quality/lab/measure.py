# SPDX-License-Identifier: LGPL-2.1-or-later
"""All figures of a finished job, whichever engine ran it."""
import json
import pathlib

import numpy

from callkit import units

from . import controllers, engines, viewer, wire

SLACK = 1e-3  # s that a delay may fall below the path's own, by rounding and clocks


def capacity_of(ini, links, direction):
    """[(s, bit/s)] of the narrowest constant hop, or of the first one that varies, in a direction; None: unlimited."""
    duration = float(ini["job"]["duration"])
    known = [links.capacity(n, direction) for n in range(len(links.hops))]
    if not known:
        hops = engines.hops_of(ini) if direction == "forward" else list(engines.reverse_hops(ini).values())
        known = [controllers.steps_of(hop, duration) for hop in hops]
    known = [steps for steps in known if steps]
    varying = [steps for steps in known if len(steps) > 1]
    return varying[0] if varying else min(known, key=lambda s: s[0][1], default=None)


def _settings(folder, flow, ini):
    settings = json.loads((folder / "call.json").read_text()) if (folder / "call.json").exists() else {}
    settings |= {"clip": flow["clip"], "width": int(flow["width"]), "height": int(flow["height"]),
                 "fps": int(flow["fps"]), "encoder": ini["lab"]["encoder"], "max": units.rate(flow["max"]),
                 "pause": flow.get("pause")}
    return settings


def _path_delay(ini, flow):
    """s one way over the hops, without queues."""
    hops = engines.hops_of(ini)
    if flow.get("direction") == "reverse":
        hops = [engines.reverse_hops(ini).get(n, hop) for n, hop in enumerate(hops)]
    part = hops[int(flow.get("enter", 0)): int(flow.get("leave", len(hops) - 1)) + 1]
    return sum(float(h["delay"]) for h in part)


def clocks(screen, hops, access):
    """What contradicts itself in a flow's times; an empty list where nothing does. Packets are noted from the first
    queue on, behind the sender's access; hops, access: s one way."""
    found, least = [], hops + access
    at, delays = screen.call.frame_delays()
    if len(delays) and delays.min() < least - SLACK:
        found.append(f"a frame was displayed {1e3 * delays.min():.1f} ms after its capture, over a path of "
                     f"{1e3 * least:.0f} ms")
    early = [p for p in screen.call.packets if p.arrived is not None and p.arrived - p.sent < hops - SLACK]
    if early:
        found.append(f"{len(early)} packets were faster than the path")
    if any(p.queue_delay is not None and p.queue_delay < 0 for p in screen.call.packets):
        found.append("negative queueing delays")
    return found


def _per_second(values, width=wire.BIN):
    span = round(1 / width)
    count = len(values) // span
    return [round(float(v), 1) for v in numpy.asarray(values[: count * span]).reshape(count, span).mean(1)]


def _series(call, series, steps, duration):
    """What the report draws, a value a second: kbit/s, ms, dB."""
    seconds = range(int(duration))
    waits, scores = [[] for _ in seconds], [[] for _ in seconds]
    for p in call.packets:
        if p.queue_delay is not None and 0 <= p.sent < len(waits):
            waits[int(p.sent)].append(p.queue_delay)
    for frame, score in zip(call.frame, call.psnr):
        at = call.captured.get(int(frame))
        if at is not None and 0 <= at < len(scores) and not numpy.isnan(score):
            scores[int(at)].append(score)
    capacity = _per_second(wire.capacity_series(steps, duration)) if steps else None
    return {"rate": [round(v / 1e3, 1) for v in _per_second(series)],
            "capacity": capacity and [round(v / 1e3, 1) for v in capacity],
            "queue": [round(1e3 * float(numpy.percentile(w, 95)), 1) if w else None for w in waits],
            "psnr": [round(float(numpy.mean(s)), 2) if s else None for s in scores]}


def video_flow(ini, folder, number, flow, links, rules, options):
    """(figures, Screen, rate in each bin) of one video flow."""
    settings = _settings(folder, flow, ini)
    figures, screen = viewer.measure(folder, settings, rules, options["vmaf"], options["stamps"])
    duration = float(ini["job"]["duration"])
    begin, end = float(flow.get("start") or 0), float(flow.get("stop") or duration)
    share = controllers.fair_share(engines.hops_of(ini), list(engines.reverse_hops(ini).values()),
                                   [f for _, f in engines.flows_of(ini)], number, duration)
    on_wire, series = wire.flow(screen.call, [(t, min(bps, settings["max"])) for t, bps in share], begin, end,
                                any("trace" in h for h in engines.hops_of(ini)))
    figures |= on_wire
    figures["clocks"] = clocks(screen, _path_delay(ini, flow), float(flow.get("access-delay", 0)))
    steps = capacity_of(ini, links, flow.get("direction", "forward"))
    figures["series"] = _series(screen.call, series, steps, end)
    return figures, screen, series


SUMMED = ("delay_mean", "delay_p50", "delay_p95", "delay_p99", "delay_max", "blank_start", "rate", "use",
          "goodput", "loss_caused", "loss_random", "queue_p50", "queue_p95", "overhead", "feedback", "variation",
          "start_90", "back_90", "drained", "vmaf")


def _mean(values):
    values = [v for v in values if v is not None]
    return float(numpy.mean(values)) if values else None


def summary(flows, rules):
    """One row: means over the video flows, and the least PSNR of any."""
    row = {key: _mean([f.get(key) for f in flows]) for key in SUMMED}
    for rule in rules:
        of = [f["playout"][rule] for f in flows if f["playout"].get(rule)]
        prefix = "" if rule == rules[0] else f"{rule} "
        for key in ("psnr", "psnr_p5", "mos", "ssim", "stale", "blank", "freezes", "frozen", "freezes_200ms", "frozen_200ms",
                    "longest"):
            row[prefix + key] = _mean([q[key] for q in of])
        for n, mark in enumerate(viewer.MARKS):
            row[f"{prefix}mark_{mark}"] = _mean([q["marks"][n] for q in of])
    row["psnr_worst_flow"] = min((f["playout"][rules[0]]["psnr"] for f in flows if f["playout"].get(rules[0])),
                                 default=None)
    return row


def _keep_worst(screens, folder):
    """The worst picture of each flow beside its original, as worst-N.jpg."""
    from PIL import Image  # matplotlib's, without the second that matplotlib takes to load
    for number, screen in screens.items():
        if screen.worst:
            score, frame, picture, luma = screen.worst[0]
            both = numpy.concatenate([screen.clip.luma(frame), luma], axis=1)
            Image.fromarray(both).save(folder / f"worst-{number}.jpg", quality=85)


def measure(ini, folder):
    """The job's figures: {"row": one line, "flows": {number: figures}, "shares": ...}"""
    folder = pathlib.Path(folder)
    lab, duration = ini["lab"], float(ini["job"]["duration"])
    rules = lab["playout"].split(",")
    options = {"vmaf": lab.get("vmaf") == "true", "stamps": lab.get("purpose") in ("codec", "stamps")}
    links = wire.Links(folder, {n: controllers.steps_of(hop, duration) for n, hop in enumerate(engines.hops_of(ini))
                                if "trace" in hop})
    numbered = engines.flows_of(ini)
    flows, screens, series = {}, {}, {}
    for number, flow in numbered:
        if flow["kind"] == "video":
            flows[number], screens[number], series[number] = video_flow(ini, folder / f"flow-{number}", number, flow,
                                                                        links, rules, options)
    shares = wire.sharing(_with_notes(numbered, lab), _rates(links, series), duration)
    row = summary(list(flows.values()), rules)
    row |= {k: shares.get(k) for k in ("jain", "jain_all", "tcp_rate", "tcp_ratio")}
    row["tcp_queue_p95"] = _mean([links.queue_p95(n) for n, f in numbered if f["kind"] == "tcp"])
    if len(flows) > 1 or any(f["kind"] in ("tcp", "short-tcp") for _, f in numbered):
        row["use"] = links.use([f for _, f in numbered], duration)
    row["circuit_openings"] = links.circuit_openings()
    row["clocks"] = sum(len(f["clocks"]) for f in flows.values())
    _keep_worst(screens, folder)
    return {"row": row, "flows": flows, "shares": shares,
            "worst": {n: s.worst[0][:3] for n, s in screens.items() if s.worst}}


def _with_notes(numbered, lab):
    """The flows' keys with their weights, and without those TCP flows that stand in a video's place."""
    weights = dict(item.split("=") for item in lab.get("weights", "").split())
    in_place = lab.get("in-place", "").split()
    return [flow | ({"weight": weights[str(n)]} if str(n) in weights else {})
            | ({"in-place": True} if str(n) in in_place else {}) for n, flow in numbered]


def _rates(links, series):
    """bit/s of a flow between two times: by the bottleneck's account, or by the flow's own packets."""
    def rate(number, begin, end):
        if links.rows:
            return links.rate(number, begin, end)
        part = series.get(number, numpy.array([]))[round(begin / wire.BIN): round(end / wire.BIN)]
        return float(part.mean()) if len(part) else 0.0
    return rate
