# SPDX-License-Identifier: LGPL-2.1-or-later
"""Controllers by name, the same on both engines, and what each is told."""
from callkit import controllers as callkit
from callkit import units

# By the plain name a user's call, which repairs as planned
OURS = ("low-delay", "rfc5348", "low-delay+norepair", "rfc5348+norepair", "low-delay+rtx", "low-delay+byrtx", "low-delay+byfec",
        "low-delay+window")
ROUTED = ("low-delay+erf",)  # P-AQM routers on the way are asked for a rate; simulated
# gcc+rtx: simulated; farstream, chromium and webrtcsink: real
RIVALS = ("gcc", "gcc+rtx", "rtptfrcbwe", "farstream", *callkit.WebRtc.NAMES)
BARE = ("gcc", "gcc+rtx")  # set the encoder's rate themselves, as their authors' senders do; the others have ratecontrol
# Not a sender but a comparison: `alone` leaves the video out, tcp:KIND puts a TCP flow into its place.
NEIGHBOURS = ("alone",)
ORACLE_SHARE = 0.95
UNLIMITED = 1e9  # bit/s: where no hop says otherwise
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


def pause_of(flow):
    """(from, to), s, or None"""
    return tuple(float(t) for t in flow["pause"].split(",")) if flow.get("pause") else None


def _active(flow, t, duration):
    begin, end = pause_of(flow) or (0, 0)
    return float(flow.get("start") or 0) <= t < float(flow.get("stop") or duration) and not begin <= t < end


def _crosses(flow, hop, last):
    return int(flow.get("enter", 0)) <= hop <= int(flow.get("leave", last))


def _share(capacity, here):
    """bit/s that each greedy one of the flows `here` may have of a hop, after the constant ones."""
    constant = sum(units.rate(f.get("rate", "20k")) for f in here if f["kind"] in ("audio", "udp"))
    greedy = sum(f["kind"] in ("video", "recorded", "tcp") for f in here)
    return max(capacity - constant, 0) / max(greedy, 1)


def fair_share(hops, back, flows, mine, duration):
    """[(s, bit/s)] of an equal share, for flow number `mine`, of the narrowest hop on its way, after constant flows; 0
    while it is not there. back: the hops of the way back that are limited."""
    flow, last = flows[mine], len(hops) - 1
    beside = [f for f in flows if f.get("direction", "forward") == flow.get("direction", "forward")]
    way = back if flow.get("direction") == "reverse" else hops
    steps = {n: steps_of(hop, duration) for n, hop in enumerate(way) if _crosses(flow, n, last)}
    times = ({0.0} | {t for s in steps.values() for t, _ in s} | {t for f in flows for t in pause_of(f) or ()}
             | {float(f[k]) for f in flows for k in ("start", "stop") if f.get(k)})
    found = []
    for t in sorted(t for t in times if t < duration):
        shares = [_share([bps for at, bps in hop_steps if at <= t][-1],
                         [f for f in beside if _crosses(f, n, last) and _active(f, t, duration)])
                  for n, hop_steps in steps.items()]
        found.append((t, min(shares, default=UNLIMITED) if _active(flow, t, duration) else 0.0))
    return found


def share_in(cell, mine, duration):
    return fair_share(cell.hops, [cell.reverse] if cell.reverse else [], cell.flows, mine, duration)


def oracle_rates(cell, mine, duration, least, most):
    """The schedule an oracle is told, as text."""
    return ",".join(f"{t:g}:{min(max(ORACLE_SHARE * bps, least), most):.0f}"
                    for t, bps in share_in(cell, mine, duration))


def grid(cell, duration, least, most):
    """Rates for fixed-best, bit/s."""
    first = next(i for i, f in enumerate(cell.flows) if f["kind"] == "video")
    steps = [(t, bps) for t, bps in share_in(cell, first, duration) if bps > 0]
    ends = [t for t, _ in steps[1:]] + [duration]
    mean = sum(bps * (end - t) for (t, bps), end in zip(steps, ends)) / duration
    low = min(bps for _, bps in steps)
    rates = {round(min(max(share * base, least), most), -4) for share in GRID for base in (low, mean)}
    return sorted(rates | {float(most)} if low > most else rates)
