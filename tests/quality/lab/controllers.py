# SPDX-License-Identifier: LGPL-2.1-or-later
"""Controllers by name, the same on both engines, and what each is told."""
from callkit import units

OURS = ("low-delay", "rfc5348", "low-delay+rtx")
ROUTED = ("low-delay+erf",)  # P-AQM routers on the way are asked for a rate; simulated
RIVALS = ("gcc", "rtptfrcbwe", "farstream", "chromium")
BARE = ("gcc",)  # set the encoder's rate themselves, as their authors' senders do; the others have ratecontrol
# Not a sender but a comparison: `alone` leaves the video out, tcp:KIND puts a TCP flow into its place.
NEIGHBOURS = ("alone",)
ORACLE_SHARE = 0.95
GRID = (0.6, 0.8, 0.95)  # of the least and of the mean capacity: rates that fixed-best tries


def check(name):
    if name in OURS + ROUTED + RIVALS + NEIGHBOURS + ("oracle", "fixed-best"):
        return name
    kind, _, value = name.partition(":")
    if kind == "fixed":
        units.rate(value)
    elif kind != "tcp" or value not in ("cubic", "newreno", "bbr"):
        raise ValueError(f"no such controller: {name}")
    return name


def adapts(name):
    """Is it meant to find the rate by itself?"""
    return name in OURS + ROUTED + RIVALS


def is_neighbour(name):
    return name in NEIGHBOURS or name.startswith("tcp:")


def steps_of(hop, duration):
    """[(s, bit/s)] of a hop's capacity."""
    from . import traces
    if hop.get("trace"):
        return traces.Trace.read(hop["trace"]).steps(duration, 0.5)
    return [(at, bps) for at, bps in units.Schedule(hop["capacity"]).steps if at < duration]


def _active(flow, t, duration):
    return float(flow.get("start", 0)) <= t < float(flow.get("stop") or duration)


def _crosses(flow, hop, last):
    return int(flow.get("enter", 0)) <= hop <= int(flow.get("leave", last))


def fair_share(cell, mine, duration):
    """[(s, bit/s)] of an equal share, for flow number `mine`, of the narrowest hop on its way, after constant flows."""
    last = len(cell.hops) - 1
    flow = cell.flows[mine]
    hops = cell.hops
    if flow.get("direction") == "reverse":
        hops = [cell.reverse] if cell.reverse else []
    steps = {n: steps_of(hop, duration) for n, hop in enumerate(hops) if _crosses(flow, n, last)}
    times = sorted({0.0} | {t for s in steps.values() for t, _ in s}
                   | {float(f.get(k) or 0) for f in cell.flows for k in ("start", "stop") if f.get(k)})
    found = []
    for t in (t for t in times if t < duration):
        shares = []
        for n, hop_steps in steps.items():
            capacity = [bps for at, bps in hop_steps if at <= t][-1]
            here = [f for f in cell.flows if _crosses(f, n, last) and _active(f, t, duration)
                    and f.get("direction", "forward") == flow.get("direction", "forward")]
            constant = sum(units.rate(f.get("rate", "20k")) for f in here if f["kind"] in ("audio", "udp"))
            greedy = sum(f["kind"] in ("video", "recorded", "tcp") for f in here) or 1
            shares.append(max(capacity - constant, 0) / greedy)
        found.append((t, min(shares, default=1e9)))
    return found


def oracle_rates(cell, mine, duration, least, most):
    """The schedule an oracle is told, as text."""
    return ",".join(f"{t:g}:{min(max(ORACLE_SHARE * bps, least), most):.0f}"
                    for t, bps in fair_share(cell, mine, duration))


def grid(cell, duration, least, most):
    """Rates for fixed-best, bit/s."""
    steps = fair_share(cell, next(i for i, f in enumerate(cell.flows) if f["kind"] == "video"), duration)
    ends = [t for t, _ in steps[1:]] + [duration]
    mean = sum(bps * (end - t) for (t, bps), end in zip(steps, ends)) / duration
    low = min(bps for _, bps in steps)
    rates = {round(min(max(share * base, least), most), -4) for share in GRID for base in (low, mean)}
    return sorted(rates | {float(most)} if low > most else rates)
