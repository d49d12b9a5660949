# SPDX-License-Identifier: LGPL-2.1-or-later
"""Network cells: what a job's flows cross. Named ones are tables of tests/quality/cells/*.toml; a matrix makes further
ones by sweeping keys of a named one. Times are seconds, sizes of queues too; rates are texts such as 1.5M."""
import copy
import dataclasses
import itertools
import tomllib

from callkit import units

from . import QUALITY

HOP_KEYS = {"capacity": "1M", "trace": None, "delay": 0.05, "queue": 0.3, "discipline": "droptail", "ecn": False,
            "flow-life": None, "media-target-time": None, "loss": 0.0, "burst": 0.0, "jitter": 0.0, "reorder": False}
HOP_NUMBERS = ("delay", "queue", "flow-life", "media-target-time", "loss", "burst", "jitter")
DISCIPLINES = ("droptail", "red", "ared", "codel", "fq_codel", "pie", "p-aqm")
FLOW_KEYS = {"kind", "controller", "start", "stop", "pause", "access-delay", "enter", "leave", "direction", "min",
             "max", "start-rate", "weight", "tcp", "rate", "packet", "flows", "on", "idle", "access-rate", "ect",
             "copies", "every"}
KEY_UNIT = 0.1  # s of queue that a key unit of an encoder at its rate may take
KINDS = ("video", "recorded", "audio", "tcp", "short-tcp", "udp")


@dataclasses.dataclass
class Cell:
    name: str
    title: str = ""
    duration: float = 60.0
    hops: list = dataclasses.field(default_factory=lambda: [dict(HOP_KEYS)])
    reverse: dict = None  # None: unconstrained, the same delay
    flows: list = dataclasses.field(default_factory=lambda: [{"kind": "video"}])
    patience: float = None  # s: `max-delay` of the senders that have one; None: their default
    limits: dict = dataclasses.field(default_factory=lambda: {"start-rate": "300k", "min": "100k", "max": "1.5M"})
    expect: dict = dataclasses.field(default_factory=dict)  # what any working controller reaches here: use, loss
    params: dict = dataclasses.field(default_factory=dict)  # what a sweep set, as written

    def flows_of(self, *kinds):
        return [f for f in self.flows if f["kind"] in kinds]

    def clean(self):
        """Nothing is lost but in a queue that takes a key unit sent at once, and one video has the path to itself."""
        return (len(self.flows_of("video")) == 1 and not self.flows_of("recorded", "tcp", "short-tcp", "udp")
                and not any(h["loss"] or h["queue"] < KEY_UNIT for h in self.hops))

    def capacity(self):
        """The first hop's, as text; a trace has none."""
        return None if self.hops[0]["trace"] else str(self.hops[0]["capacity"])


def number(value):
    """Times and shares as people write them: 0.3, '300ms', '1%'."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    return units.share(value) if str(value).endswith("%") else units.duration(value)


def _hop(values, base):
    hop = dict(base)
    for key, value in values.items():
        if key not in HOP_KEYS:
            raise ValueError(f"no key of a hop: {key}")
        hop[key] = number(value) if key in HOP_NUMBERS else value
        if key in HOP_NUMBERS and hop[key] < 0:
            raise ValueError(f"{key} is 0 or more, not {value}")
    if hop["discipline"] not in DISCIPLINES:
        raise ValueError(f"no queueing discipline: {hop['discipline']}")
    if not hop["trace"]:
        units.Schedule(hop["capacity"])  # says what is wrong with it
    return hop


def _flows(values):
    """The flows of one entry: `copies` of it, each starting `every` seconds after the one before."""
    flow = {"kind": "video", **values}
    unknown = set(flow) - FLOW_KEYS
    if unknown or flow["kind"] not in KINDS:
        raise ValueError(f"no such flow: {values}")
    copies, every = int(flow.pop("copies", 1)), number(flow.pop("every", 0))
    if copies == 1:
        return [flow]
    return [flow | {"start": round(number(flow.get("start", 0)) + i * every, 6)} for i in range(copies)]


def _expectations(cell, value):
    if not isinstance(value, dict) or set(value) - {"use", "loss"}:
        raise ValueError(f"cell {cell.name}: expect is {{ use = 0.5, loss = 0.1 }} with shares of your own, not {value}")
    return {what: number(share) for what, share in value.items()}


def _apply(cell, values):
    """Sets the keys of a table; those of a hop stand for the first hop."""
    for key, value in values.items():
        if key == "title":
            cell.title = value
        elif key == "expect":
            cell.expect = _expectations(cell, value)
        elif key == "duration":
            cell.duration = number(value)
            if cell.duration <= 0:
                raise ValueError(f"cell {cell.name}: a duration is above 0, not {value}")
        elif key == "max-delay":
            cell.patience = number(value)
        elif key == "hops":
            cell.hops = [_hop(h, HOP_KEYS) for h in value]
        elif key == "reverse":
            cell.reverse = _hop(value, HOP_KEYS | {"delay": cell.hops[0]["delay"]}) if value else None
        elif key == "flows":
            cell.flows = [flow for entry in value for flow in _flows(entry)]
        elif key in cell.limits:
            units.rate(value)
            cell.limits[key] = value
        elif key in HOP_KEYS:
            cell.hops[0] = _hop({key: value}, cell.hops[0])
        elif key != "like":
            raise ValueError(f"cell {cell.name}: no such key: {key}")
    return cell


class Book:
    """All named cells."""

    def __init__(self, folder=QUALITY / "cells"):
        self.tables = {}
        for path in sorted(folder.glob("*.toml")):
            self.add(tomllib.loads(path.read_text()))

    def add(self, tables):
        self.tables |= tables

    def get(self, name, on_the_way=()):
        if name in on_the_way:
            raise ValueError(f"cell {name} is like itself: {', '.join([*on_the_way, name])}")
        if name not in self.tables:
            raise ValueError(f"no cell named {name}; there are: {', '.join(self.tables)}")
        table = self.tables[name]
        cell = self.get(table["like"], (*on_the_way, name)) if "like" in table else Cell(name)
        cell.name = name
        # A hop's list comes before single keys of its first.
        return _apply(cell, dict(sorted(table.items(), key=lambda item: item[0] != "hops")))

    def sweep(self, base, name, keys):
        """Every combination of the listed values; name is a format with the keys in braces."""
        found = []
        for values in itertools.product(*keys.values()):
            setting = dict(zip(keys, values))
            cell = copy.deepcopy(self.get(base))
            try:
                cell.name = name.format(base=base, **{k: str(v).replace("/", "_") for k, v in setting.items()})
            except (KeyError, IndexError, ValueError):
                raise ValueError(f"a sweep's name has its keys in braces: {', '.join(['base', *setting])}, not {name}") from None
            cell.params = {"sweep": name} | {k: str(v) for k, v in setting.items()}
            found.append(_apply(cell, setting))
        return found
