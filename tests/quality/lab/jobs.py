# SPDX-License-Identifier: LGPL-2.1-or-later
"""Jobs: one run each, written as a key file that the engines and `python3 -m lab.job` read (groups and keys: the head
of tests/sim/lab.cc; group [lab] is this package's own)."""
import configparser
import dataclasses
import pathlib
import re

from callkit import clips, codecs, units
from callkit import controllers as ends

from . import cells, controllers, stamps, traces, vmaf

# Frame-parallel encoders give other bits on other machines.
ONE_THREAD = {"x264enc": "threads=1", "openh264enc": "multi-thread=1"}
PLAYOUT = ("none", "buffer-150ms", "buffer-500ms", "deadline-150ms", "deadline-2s")


@dataclasses.dataclass
class Job:
    engine: str
    cell: cells.Cell
    encoder: str
    clip: str  # a file; empty: callkit's default; stamped: with frame numbers in the picture
    controller: str
    seed: int
    duration: float
    fps: int = 30
    size: str = "352x288"
    playout: tuple = PLAYOUT
    vmaf: bool = False
    purpose: str = ""  # a gate's: "codec" (undamaged), "stamps" (lossy), "repeat"; else a measurement

    @property
    def name(self):
        clip = pathlib.Path(self.clip).stem if self.clip else "default"
        parts = [self.engine, self.cell.name, self.encoder, clip, self.controller, f"seed-{self.seed}"]
        if self.purpose:
            parts.insert(0, f"gate-{self.purpose}")
        return "/".join(re.sub(r"[^A-Za-z0-9.+%_-]", "_", p) for p in parts)


def parser():
    p = configparser.ConfigParser(interpolation=None, delimiters=("=",), comment_prefixes=("#",))
    p.optionxform = str
    return p


def read(path):
    p = parser()
    with open(path) as file:
        p.read_file(file)
    return p


def write(groups, path):
    p = parser()
    for group, values in groups.items():
        p[group] = {k: _text(v) for k, v in values.items() if v is not None}
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w") as file:
        p.write(file, space_around_delimiters=False)


def _text(value):
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def send_text(encoder, controller, first=None):
    """Raw pictures to RTP packets: the pipeline a sender has, in one thread. JPEG has no rate of its own: its quality
    always goes through ratecontrol. An encoder without ratecontrol has its first rate (bit/s) from the start: one that
    is opened with another lays out its buffer for that."""
    codec = codecs.CODECS[encoder]
    controlled = controllers.adapts(controller) and controller not in controllers.BARE or not codec.unit
    parts = [codec.encoder, ONE_THREAD.get(encoder, ""), "name=encoder"] + ([] if controlled else [codec.live])
    if first and not controlled:
        parts.append(f"{codec.knob}={int(first / codec.unit)}")
    stages = [" ".join(p for p in parts if p)] + (["ratecontrol name=control"] if controlled else [])
    return " ! ".join(stages + [f"{codec.pay} name=pay mtu={codecs.MTU} timestamp-offset=0"])


def _first_rate(keys):
    """What an encoder without ratecontrol begins with, bit/s; None for others."""
    controller = keys["controller"]
    if controller in controllers.BARE:
        return units.rate(keys["start-rate"])
    if controller.startswith("fixed:"):
        return codecs.encoder_rate(units.rate(controller.partition(":")[2]), keys["fps"])
    return codecs.encoder_rate(units.Schedule(keys["rates"]).at(0), keys["fps"]) if "rates" in keys else None


def _codec_keys(encoder, keys):
    codec, controller = codecs.CODECS[encoder], keys["controller"]
    keys = {"send": send_text(encoder, controller, _first_rate(keys)), "encoding-name": codec.encoding_name,
            "depay": codec.depay, "decode": codec.decoder, "record": codec.muxable}
    keys["latency"] = latency(controller)
    return keys | ({"knob": codec.knob, "unit": codec.unit} if codec.unit else {})


def latency(controller):
    """s a receiver waits for a missing packet, on either engine as callkit's ends do; None: it is told nothing."""
    if controller == "gcc+rtx":
        return ends.REPAIR_LATENCY
    try:
        return ends.latency({"controller": controller})
    except ValueError:  # a comparison, or not one of callkit's
        return None


def clip_of(job):
    width, height = units.size(job.size)
    if job.purpose in ("codec", "stamps"):
        return stamps.stamped(clips.load(job.clip or None, width, height))
    return clips.load(job.clip or None, width, height)


def _video(job, flow, number, clip):
    limits = {k: flow.get(k, job.cell.limits[k]) for k in ("start-rate", "min", "max")}
    controller = flow.get("controller", job.controller)
    keys = {"kind": flow["kind"], "controller": controller, "fps": job.fps, "max-delay": job.cell.patience,
            "ect": any(h["ecn"] for h in job.cell.hops) or None, "weight": flow.get("weight")} | limits
    if controller == "oracle":
        keys["rates"] = controllers.oracle_rates(job.cell, number, job.duration, units.rate(limits["min"]),
                                                 units.rate(limits["max"]))
    if flow["kind"] == "recorded":
        return keys
    keys |= {"clip": clip.path, "width": clip.width, "height": clip.height}
    return keys | _codec_keys(job.encoder, keys)


def _flows(job, clip):
    """The job's flows, {group: keys}, and what [lab] says of them. A comparison without video leaves a TCP flow in its
    place, or nothing."""
    found, notes = [], {"weights": {}, "in-place": []}
    for number, flow in enumerate(job.cell.flows):
        stop = min(float(flow.get("stop") or job.duration), job.duration)
        if float(flow.get("start", 0)) >= stop:
            continue
        other = {k: v for k, v in flow.items() if k not in ("controller", "start-rate", "min", "max", "weight")}
        if flow["kind"] in ("video", "recorded") and controllers.is_neighbour(job.controller):
            if job.controller == "alone":
                continue
            other = {k: v for k, v in other.items() if k != "pause"}
            other |= {"kind": "tcp", "tcp": job.controller.partition(":")[2]}
            notes["in-place"].append(len(found))
        elif flow["kind"] in ("video", "recorded"):
            other |= _video(job, flow, number, clip)
            if "weight" in flow:
                notes["weights"][len(found)] = flow["weight"]
        found.append(other | {"stop": stop})
    return {f"flow {n}": keys for n, keys in enumerate(found)}, {
        "weights": _pairs(notes["weights"]), "in-place": " ".join(map(str, notes["in-place"])) or None}


def _pairs(values):
    return " ".join(f"{k}={v}" for k, v in values.items()) or None


def groups(job, folder):
    """The key file's groups for a job whose files go to `folder`."""
    clip = clip_of(job)
    found = {"job": {"seed": job.seed, "duration": job.duration, "out": str(folder)}, "lab": {}}
    for n, hop in enumerate(job.cell.hops):
        keys = dict(hop)
        if keys["trace"]:
            found["lab"][f"trace {n}"] = traces.Trace.read(keys["trace"]).digest()
            keys["trace"] = str(traces.find(keys["trace"]))
            del keys["capacity"]
        found[f"hop {n}"] = keys
    if job.cell.reverse:
        found["reverse"] = {k: v for k, v in job.cell.reverse.items() if v is not None}
    flows, notes = _flows(job, clip)
    found |= flows
    found["lab"] |= {"name": job.name, "engine": job.engine, "cell": job.cell.name, "title": job.cell.title,
                     "encoder": job.encoder, "clip": clip.name, "controller": job.controller, "size": job.size,
                     "playout": ",".join(job.playout), "vmaf": job.vmaf and vmaf.program() is not None,
                     "purpose": job.purpose or None,
                     "clean": job.cell.clean(), "expect": _pairs(job.cell.expect), "params": _pairs(job.cell.params)}
    found["lab"] |= notes
    if job.controller == "fixed-best":
        limits = job.cell.limits
        found["lab"]["grid"] = ",".join(f"{r:.0f}" for r in controllers.grid(
            job.cell, job.duration, units.rate(limits["min"]), units.rate(limits["max"])))
    return found
