# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures of a finished call, from the files it left: packets.csv, sent.csv, captured.csv, rates.csv, received.csv.
All times are seconds since the first packet; rates are bit/s of IP packets."""
import csv
import json
import pathlib

import numpy

from . import network

SETTLE = 5.0  # s after the start and each capacity step that do not count as steady
FREEZE = 0.5  # s
DROP = 0.8  # of the capacity before, at most, is left after what counts as a drop: a trace goes up and down all the time


def _column(path, *names):
    if not pathlib.Path(path).exists():
        return [[] for _ in names]
    with open(path) as file:
        rows = list(csv.DictReader(file))
    return [[row.get(name) or "" for row in rows] for name in names]


def _cpu(path):
    """s of processor time, user and system; None where nobody noted it."""
    return json.loads(path.read_text())["cpu"] if path.exists() else None


def _floats(values):
    return numpy.array([float(v) if v != "" else numpy.nan for v in values])


class Call:
    """The raw series of one call."""

    def __init__(self, folder, settings):
        folder = pathlib.Path(folder)
        self.settings, self.folder = settings, folder
        log = network.Log(folder / "packets.csv")
        packets = log.read() if (folder / "packets.csv").exists() else []
        self.packets = [p for p in packets if p.forward]
        self.reverse = [p for p in packets if not p.forward]
        number, captured = (_floats(c) for c in _column(folder / "captured.csv", "frame", "captured"))
        self.zero = log.zero if log.zero is not None else (captured[0] if len(captured) else 0.0)
        self.captured = dict(zip(number.astype(int), captured - self.zero))
        sent = _column(folder / "sent.csv", "frame", "encoded", "bytes", "key")
        self.sent_frame, self.sent_at, self.sent_bytes, self.key = (_floats(c) for c in sent)
        self.sent_at = self.sent_at - self.zero
        rates = _column(folder / "rates.csv", "time", "bitrate", "wire-bitrate", "rtt", "loss-event-rate")
        self.rate_at, self.allowed, self.wire, self.rtt, self.loss_events = (_floats(c) for c in rates)
        self.rate_at = self.rate_at - self.zero
        self.owner = _column(folder / "rates.csv", "owner")[0]
        shown = _column(folder / "received.csv", "frame", "displayed", "psnr", "stale")
        self.frame, self.displayed, self.psnr, self.stale = (_floats(c) for c in shown)
        self.displayed = self.displayed - self.zero
        self.end = max([p.sent for p in self.packets], default=0.0)
        self.cpu = {name: _cpu(folder / f"{name}-usage.json") for name in ("sender", "receiver")}

    def delivered(self):
        return [p for p in self.packets if p.fate == "delivered"]

    def received_rate(self, bin_s):
        """Times (middle of the bins) and bit/s that came out of the bottleneck."""
        good = self.delivered()
        edges = numpy.arange(0, self.end + bin_s, bin_s)
        sums, _ = numpy.histogram([p.arrived for p in good], edges, weights=[8 * p.size for p in good])
        return edges[:-1] + bin_s / 2, sums / bin_s

    def produced_rate(self, bin_s):
        edges = numpy.arange(0, max(self.end, bin_s) + bin_s, bin_s)
        sums, _ = numpy.histogram(self.sent_at, edges, weights=8 * self.sent_bytes)
        return edges[:-1] + bin_s / 2, sums / bin_s

    def frame_delays(self):
        """Capture to display of each frame shown, s."""
        times, delays = [], []
        for number, at in zip(self.frame, self.displayed):
            if not numpy.isnan(at) and int(number) in self.captured:
                times.append(self.captured[int(number)])
                delays.append(at - self.captured[int(number)])
        return numpy.array(times), numpy.array(delays)


    def blank_start(self):
        """s from the first picture captured to the first shown; None where none was."""
        shown = self.displayed[~numpy.isnan(self.displayed)]
        return float(shown.min() - min(self.captured.values())) if len(shown) and self.captured else None


def _percentile(values, share):
    return float(numpy.percentile(values, 100 * share)) if len(values) else None


def steady_parts(schedule, end):
    """[(from, to, capacity)] without the first seconds of each phase."""
    return [(a + SETTLE, b, c) for a, b, c in schedule.phases(end) if b - a > SETTLE + 1]


def _phase(call, begin, end, capacity, ceiling):
    inside = [p for p in call.packets if begin <= p.sent < end]
    arrived = [p for p in call.delivered() if begin <= p.arrived < end]
    possible = min(capacity, ceiling)
    delays = [p.queue_delay for p in inside if p.queue_delay is not None]
    return {"from": begin, "to": end, "capacity": capacity,
            "received": 8 * sum(p.size for p in arrived) / (end - begin),
            "use": 8 * sum(p.size for p in arrived) / (end - begin) / possible,
            "queue_p50": _percentile(delays, 0.5), "queue_p95": _percentile(delays, 0.95), "delays": delays}


def recovery(call, at, until, limit=0.1, quiet=1.0):
    """Seconds after `at` from which on, for `quiet` seconds, no queue drops a packet or holds it longer than `limit`."""
    late = [p.sent for p in call.packets
            if at <= p.sent < until and (p.fate == "queue" if p.queue_delay is None else p.queue_delay > limit)]
    since = at
    for t in late:
        if t - since > quiet:
            break
        since = t
    return since - at


def freezes(displayed):
    """Gaps over half a second, and by the rule of the W3C's getStats (gap >= max (3 d, d + 150 ms), d the mean)."""
    gaps = numpy.diff(numpy.sort(displayed[~numpy.isnan(displayed)]))
    long_gaps = gaps[gaps > FREEZE]
    w3c = 0
    for i, gap in enumerate(gaps):
        before = gaps[max(0, i - 30):i]
        if len(before) and gap >= max(3 * before.mean(), before.mean() + 0.15):
            w3c += 1
    return {"over_500ms": int(len(long_gaps)), "longest": float(gaps.max()) if len(gaps) else None, "w3c": w3c}


def summary(call, schedule):
    """The figures of the report's first table."""
    ceiling = call.settings.get("max") or 1e12
    lasted = call.end - min((p.sent for p in call.packets), default=call.end)
    phases = [_phase(call, a, b, c, ceiling) for a, b, c in steady_parts(schedule, call.end)]
    steady = [d for phase in phases for d in phase.pop("delays")]
    possible = sum(min(p["capacity"], ceiling) * (p["to"] - p["from"]) for p in phases)
    received = sum(p["received"] * (p["to"] - p["from"]) for p in phases)
    lost = [p for p in call.packets if p.fate != "delivered"]
    _, delays = call.frame_delays()
    bounds = schedule.phases(call.end)
    drops = [{"at": b[0], "to": b[2], "seconds": recovery(call, b[0], b[1])}
             for a, b in zip(bounds, bounds[1:]) if b[2] < DROP * a[2]]
    fresh = call.psnr[call.stale == 0] if len(call.psnr) else call.psnr
    result = {
        "duration": call.end, "packets": len(call.packets), "reports": len(call.reverse), "phases": phases,
        "use": received / possible if possible else None,
        "queue_p50": _percentile(steady, 0.5), "queue_p95": _percentile(steady, 0.95),
        "queue_p95_all": _percentile([p.queue_delay for p in call.packets if p.queue_delay is not None], 0.95),
        "loss": len(lost) / len(call.packets) if call.packets else None,
        "lost_in_queue": sum(p.fate == "queue" for p in lost), "lost_at_random": sum(p.fate == "random" for p in lost),
        "drops": drops, "freezes": freezes(call.displayed),
        "frames_captured": len(call.captured), "frames_encoded": len(call.sent_frame),
        "frames_shown": int(numpy.sum(~numpy.isnan(call.displayed))),
        "key_frames": int(numpy.sum(call.key)) if len(call.key) else 0,
        "psnr": float(numpy.nanmean(call.psnr)) if numpy.any(~numpy.isnan(call.psnr)) else None,
        "psnr_shown": float(numpy.nanmean(fresh)) if numpy.any(~numpy.isnan(fresh)) else None,
        "frame_delay_p50": _percentile(delays, 0.5), "frame_delay_p95": _percentile(delays, 0.95),
        "frame_delay_p99": _percentile(delays, 0.99), "blank_start": call.blank_start(),
        "cpu": {end: s / lasted if s is not None and lasted else None for end, s in call.cpu.items()},
    }
    return result
