# SPDX-License-Identifier: LGPL-2.1-or-later
"""What flows did on the wire: rates, loss, queue, how fast they came back, and how they shared. Rates are bit/s of IP
packets, times seconds since the job's start."""
import csv
import json
import pathlib

import numpy

from callkit import codecs, measures, units

from . import controllers

BIN = 0.1
BACK = 0.9  # of what was possible is "back"
BACK_FOR = 1.0  # s that it has to last
QUIET = 0.1  # s of queue that count as drained
SETTLE = 10.0  # s after the last flow's start that do not count for sharing


def rate_series(packets, duration, width=BIN):
    """bit/s delivered in each bin of `width` s."""
    good = [p for p in packets if p.fate == "delivered" and p.arrived is not None]
    edges = numpy.arange(0, duration + width / 2, width)
    sums, _ = numpy.histogram([p.arrived for p in good], edges, weights=[8 * p.size for p in good])
    return sums / width


def capacity_series(steps, duration, width=BIN):
    """The mean capacity of each bin; steps: [(s, bit/s)]."""
    fine = numpy.arange(0, duration, width / 10)
    at = numpy.array([t for t, _ in steps])
    values = numpy.array([bps for _, bps in steps], float)[numpy.searchsorted(at, fine, "right") - 1]
    count = len(fine) // 10
    return values[: 10 * count].reshape(count, 10).mean(1)


def came_back(series, possible, begin, end, width=BIN):
    """s after `begin` from which on the mean over BACK_FOR is BACK of `possible` (bit/s); None: not before `end`."""
    span = round(BACK_FOR / width)
    first, last = round(begin / width), min(round(end / width), len(series))
    for place in range(first, last - span + 1):
        if series[place:place + span].mean() >= BACK * possible:
            return place * width - begin
    return None


def rises_and_drops(possible, begin, end):
    """[(s, from, to, until)] of each change of what is possible, the first value behind begin aside."""
    changes = [(t, bps) for n, (t, bps) in enumerate(possible) if t < end and (n == 0 or bps != possible[n - 1][1])]
    ends = [t for t, _ in changes[1:]] + [end]
    return [(t, before, now, until) for (_, before), (t, now), until in zip(changes, changes[1:], ends[1:])
            if t > begin]


def recoveries(call, series, possible, begin, end):
    """After each rise: until 90 % of what is possible is used; after each drop: until the queue is drained. Where it
    does not come about before the next change, the time until then."""
    rise, drop = [], []
    for at, before, now, until in rises_and_drops(possible, begin, end):
        if until - at < 2 * BACK_FOR:
            continue
        if now > before:
            back = came_back(series, now, at, until)
            rise.append(until - at if back is None else back)
        else:
            drop.append(measures.recovery(call, at, until, QUIET))
    return {"back_90": max(rise, default=None), "drained": max(drop, default=None)}


def start_up(series, possible, begin, end):
    """s from a flow's start until a second's mean is BACK of what is possible then; the time until that changes where
    it is not."""
    now = [bps for t, bps in possible if t <= begin][-1]
    until = min([t for t, bps in possible if t > begin and bps != now] + [end])
    back = came_back(series, now, begin, until)
    return until - begin if back is None else back


def flow(call, possible, begin, end, traced=False):
    """Figures of one video flow that is there from begin to end; possible: [(s, bit/s)] that it could have had."""
    inside = [p for p in call.packets if begin <= p.sent < end]
    waits = [p.queue_delay for p in inside if p.queue_delay is not None]
    series = rate_series(call.packets, end)
    span = slice(round(begin / BIN), None)
    most = capacity_series(possible, end)
    usable = min(len(series), len(most))
    most = float(most[span.start:usable].sum())
    shown = set(call.frame[call.stale == 0].astype(int).tolist()) if len(call.frame) else set()
    useful = sum(b for f, b in zip(call.sent_frame, call.sent_bytes) if int(f) in shown)
    sent = sum(p.size for p in inside)
    payload = sum(p.size - codecs.PACKET_OVERHEAD for p in call.packets)
    coded = float(call.sent_bytes.sum())
    # JPEG's own headers stay at home: a frame is more than what is sent of it.
    share_sent = min(1.0, payload / coded) if call.settings.get("encoder") == "jpegenc" and coded else 1.0
    caused = sum(p.fate == "queue" for p in inside)
    found = {
        "rate": float(series[span.start:usable].mean()) if usable > span.start else 0.0,
        "use": float(series[span.start:usable].sum()) / most if most else None,
        "goodput": 8 * share_sent * float(useful) / (end - begin), "packets": len(inside),
        "loss_caused": caused / len(inside) if inside else None,
        "loss_random": sum(p.fate == "random" for p in inside) / len(inside) if inside else None,
        "queue_p50": float(numpy.percentile(waits, 50)) if waits else None,
        "queue_p95": float(numpy.percentile(waits, 95)) if waits else None,
        "overhead": 1 - min(payload, coded) / sent if sent else None,
        "feedback": sum(p.size for p in call.reverse) / sent if sent else None,
        "variation": _variation(series[span.start:usable]),
    }
    if traced:
        return found | {"start_90": None, "back_90": None, "drained": None}, series
    found["start_90"] = start_up(series, possible, begin, end)
    found |= recoveries(call, series, possible, begin, end)
    return found, series


def _variation(series):
    """Coefficient of variation of the rate over seconds."""
    count = len(series) // 10
    seconds = series[: 10 * count].reshape(count, 10).mean(1) if count else numpy.array([])
    return float(seconds.std() / seconds.mean()) if len(seconds) and seconds.mean() > 0 else None


def jain(values):
    values = numpy.asarray(values, float)
    return float(values.sum() ** 2 / (len(values) * (values ** 2).sum())) if len(values) and values.any() else None


class Links:
    """links.json and queue.csv of a job: what each flow got at each hop. varying: {hop: [(s, bit/s)]} of those that
    follow a trace, of which links.json has the mean."""

    def __init__(self, folder, varying=None):
        folder = pathlib.Path(folder)
        self.varying = varying or {}
        self.hops, self.flows, self.rows = [], [], []
        if (folder / "links.json").exists():
            data = json.loads((folder / "links.json").read_text())
            self.hops, self.flows = data["hops"], data["flows"]
        if (folder / "queue.csv").exists():
            with open(folder / "queue.csv") as file:
                self.rows = list(csv.DictReader(file))
        self.ahead = {}  # forward, by flow: there may be hundreds
        for row in self.rows:
            if row["direction"] == "forward":
                self.ahead.setdefault(int(row["flow"]), []).append(row)

    def capacity(self, hop=0, direction="forward"):
        """[(s, bit/s)] or None: no limit."""
        if hop >= len(self.hops):
            return None
        if direction == "forward" and hop in self.varying:
            return self.varying[hop]
        steps = self.hops[hop][direction]["capacity"]
        return [(t, bps) for t, bps in steps] if steps else None

    def circuit_openings(self):
        """Of all flows whose engine counts them; None: none does."""
        known = [flow.get("stats", {}).get("circuit_openings") for flow in self.flows]
        known = [openings for openings in known if openings is not None]
        return sum(known) if known else None

    def rate(self, flow, begin, end, hop=None):
        """bit/s of a flow that goes forward out of the last hop it appears at, between two times."""
        mine = [r for r in self.ahead.get(flow, []) if begin <= float(r["time"]) < end]
        last = max((int(r["hop"]) for r in mine), default=None) if hop is None else hop
        octets = sum(int(r["bytes"]) for r in mine if int(r["hop"]) == last)
        return 8 * octets / (end - begin) if end > begin else 0.0

    def carried(self, hop, duration):
        """bit/s forward through a hop in each bin, all flows."""
        sums = numpy.zeros(round(duration / BIN))
        for r in self.rows:
            place = round(float(r["time"]) / BIN)
            if int(r["hop"]) == hop and r["direction"] == "forward" and place < len(sums):
                sums[place] += 8 * int(r["bytes"]) / BIN
        return sums

    def use(self, flows, duration):
        """Share of what all flows together could have carried forward that they did, at the hop where it is least. Hops
        that are wider than what crosses them may ask for count only where all are. flows: their keys."""
        narrow, wide = [], []
        for hop in range(len(self.hops)):
            steps = self.capacity(hop)
            crossing = [f for f in flows if f.get("direction", "forward") == "forward"
                        and int(f.get("enter", 0)) <= hop <= int(f.get("leave", len(self.hops) - 1))]
            wanted = _wanted(crossing, duration)
            capacity = capacity_series(steps, duration) if steps else None
            if capacity is None or not wanted.any():
                continue
            possible = numpy.minimum(capacity, wanted[: len(capacity)])
            used = float(self.carried(hop, duration)[: len(capacity)].sum() / possible.sum())
            (narrow if (wanted[: len(capacity)] > capacity).any() else wide).append(used)
        return min(narrow or wide, default=None)

    def queue_p95(self, flow):
        """s that a flow's packets waited in all queues forward, p95 over the bins; None: no account of it."""
        waits = {}
        for r in self.ahead.get(flow, []):
            if r.get("delay"):
                waits[r["time"]] = waits.get(r["time"], 0.0) + float(r["delay"])
        return float(numpy.percentile(list(waits.values()), 95)) if waits else None


def _wanted(flows, duration):
    """bit/s that flows may ask for in each bin: their greatest rate; TCP all there is while it lasts."""
    total = numpy.zeros(round(duration / BIN))
    for flow in flows:
        span = slice(round(float(flow.get("start") or 0) / BIN), round(float(flow.get("stop") or duration) / BIN))
        rate = {"video": flow.get("max"), "recorded": flow.get("max"), "tcp": "1000G",
                "audio": flow.get("rate", "20k"), "udp": flow.get("rate")}
        total[span] += units.rate(rate.get(flow["kind"]) or 0)
        if pause := controllers.pause_of(flow):
            begin, end = (round(t / BIN) for t in pause)
            total[begin:end] -= units.rate(flow["max"])
    return total


def together(flows, duration):
    """The times in which all of the flows are there, but for the first seconds of the last one and behind a pause:
    [(from, to)]; the last second where there is no such time."""
    begin = max((float(f.get("start") or 0) for f in flows), default=0.0) + SETTLE
    end = min((float(f.get("stop") or duration) for f in flows), default=duration)
    parts = []
    for away, back in [*sorted(filter(None, map(controllers.pause_of, flows))), (end, end)]:
        if begin < min(away, end):
            parts.append((begin, min(away, end)))
        begin = max(begin, back + SETTLE)
    return parts or [(end - 1, end)]


def sharing(flows, rates, duration):
    """flows: their keys; rates(number, begin, end): bit/s. Jain over the video flows, and with the long TCP flows; mean
    video beside mean TCP."""
    long = {n: f for n, f in enumerate(flows)
            if f["kind"] in ("video", "recorded", "tcp") and f.get("direction", "forward") == "forward"}
    video = [n for n, f in long.items() if f["kind"] in ("video", "recorded")]
    tcp = [n for n, f in long.items() if f["kind"] == "tcp" and not f.get("in-place")]
    if not video and not tcp:
        return {}
    parts = together(list(long.values()), duration)
    seconds = sum(end - begin for begin, end in parts)
    got = {n: sum(rates(n, begin, end) * (end - begin) for begin, end in parts) / seconds for n in long}
    weights = {n: float(flows[n].get("weight", 1)) for n in video}
    found = {"shared": parts}
    if len(video) > 1:
        found["jain"] = jain([got[n] / weights[n] for n in video])
        found["jain_all"] = jain([got[n] / weights.get(n, 1) for n in video + tcp])
    if tcp:
        found["tcp_rate"] = float(numpy.mean([got[n] for n in tcp]))
        if video and found["tcp_rate"]:
            found["tcp_ratio"] = float(numpy.mean([got[n] for n in video])) / found["tcp_rate"]
    return found
