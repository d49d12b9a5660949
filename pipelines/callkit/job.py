# SPDX-License-Identifier: LGPL-2.1-or-later
"""A job of the quality lab with real elements in real time: `python3 -m callkit.job JOB.ini`. The key file is sim-lab's
(the head of tests/sim/lab.cc lists its groups and keys); every video flow of it is a pair of processes, all other traffic
is the emulated network's own. Leaves in the job's folder what sim-lab leaves, and a line of JSON on standard output."""
import configparser
import dataclasses
import json
import pathlib
import queue
import signal
import sys
import time

from . import controllers, measures, network, paths, units
from .session import Process

LEAD = 1.5  # s between the word to start and the start: Farstream opens its call only then
PATIENCE = 60  # s that processes may take to get ready
MOST_PROBLEMS = 20  # in the account, the last of them: how processes ended is said at the end


@dataclasses.dataclass
class Flow:
    number: int
    keys: dict
    start: float
    stop: float
    folder: pathlib.Path

    def rate(self, key):
        return units.rate(self.keys[key]) if key in self.keys else None

    def pause(self):
        """s of this flow's own time without pictures; None: always some."""
        if "pause" not in self.keys:
            return None
        return [float(t) - self.start for t in self.keys["pause"].split(",")]

    def settings(self, hop, job):
        """What sender and receiver are told."""
        keys = self.keys
        return {"out": str(self.folder), "clip": keys["clip"], "width": int(keys["width"]),
                "height": int(keys["height"]), "fps": int(keys["fps"]), "encoder": encoder_of(keys), "mode": "low-delay",
                "controller": keys["controller"], "capacity": hop.get("capacity"), "rates": keys.get("rates"),
                "oracle_share": 1.0, "delay": float(hop.get("delay", 0.05)), "queue": float(hop.get("queue", 0.3)),
                "loss": float(hop.get("loss", 0)), "seed": int(job.get("seed", 1)), "duration": self.stop - self.start,
                "start": self.rate("start-rate"), "min": self.rate("min"), "max": self.rate("max"),
                "latency": float(keys["latency"]) if "latency" in keys else None, "pause": self.pause(), "wait": True,
                "ecn": keys.get("ect") == "true", "weight": float(keys.get("weight", 0)), "send": keys.get("send"),
                "depay": keys.get("depay"), "decode": keys.get("decode"), "record": keys.get("record")}


def encoder_of(keys):
    return keys.get("encoder") or keys["send"].split()[0]


def read(path):
    ini = configparser.ConfigParser(interpolation=None, delimiters=("=",), comment_prefixes=("#",))
    ini.optionxform = str
    with open(path) as file:
        ini.read_file(file)
    return ini


def video_flows(ini):
    job = ini["job"]
    duration = float(job["duration"])
    found = []
    for group in (g for g in ini.sections() if g.startswith("flow ") and ini[g]["kind"] == "video"):
        keys, number = dict(ini[group]), int(group.split()[1])
        found.append(Flow(number, keys, float(keys.get("start", 0)), min(float(keys.get("stop", duration)), duration),
                          pathlib.Path(job["out"]) / f"flow-{number}"))
    return found


class Run:
    """All processes of one job."""

    def __init__(self, path):
        self.path, self.ini = path, read(path)
        self.job = self.ini["job"]
        self.flows = video_flows(self.ini)
        self.said, self.problems = queue.Queue(), []
        self.net, self.senders, self.receivers, self.ready = None, {}, {}, set()

    def prepare(self):
        """Everything up but the clock."""
        for flow in self.flows:
            controllers.make(flow.keys["controller"])
            flow.folder.mkdir(parents=True, exist_ok=True)
            for left in [*flow.folder.glob("*.sdp"), *flow.folder.glob("*.rtp")]:  # what an interrupted run said
                left.unlink()
        pathlib.Path(self.job["out"]).mkdir(parents=True, exist_ok=True)
        peers = dict(zip((f.number for f in self.flows), network.free_ports(len(self.flows))))
        self.net = network.Chain(self.path, peers)
        hop = self.ini["hop 0"]
        for flow in self.flows:
            told = flow.settings(hop, self.job)
            (flow.folder / "call.json").write_text(json.dumps(told, indent=1))
            modules = controllers.make(flow.keys["controller"]).modules
            self.receivers[flow.number] = self.process("receiver", flow, modules, told | {"port": peers[flow.number]})
            self.senders[flow.number] = self.process("sender", flow, modules, told | {
                "host": "127.0.0.1", "port": self.net.a_ports[flow.number]})
        self.wait_until_ready()

    def process(self, end, flow, modules, told):
        return Process(f"{end}-{flow.number}", told, self.said, flow.folder, None, module=modules[end])

    def everyone(self):
        return [*self.senders.values(), *self.receivers.values()]

    def wait_until_ready(self):
        limit = time.monotonic() + PATIENCE
        while len(self.ready) < len(self.everyone()):
            self.drain()
            self.check()
            if time.monotonic() > limit:
                raise RuntimeError("processes do not get ready: see *.log")
            time.sleep(0.05)

    def drain(self):
        while not self.said.empty():
            name, message = self.said.get()
            if message["kind"] in ("error", "warning"):
                self.problems.append(f"{name}: {message['text']}")
            else:
                self.ready.add(name)

    def check(self):
        for process in self.everyone():
            if process.process.poll():
                self.drain()
                raise RuntimeError(f"{process.name} ended with status {process.process.returncode}: "
                                   f"{'; '.join(self.problems) or f'see {process.name}.log'}")
        if self.net.process.poll() is not None:
            raise RuntimeError(f"the network ended with status {self.net.process.returncode}")

    def go(self):
        zero = time.monotonic() + LEAD
        self.net.start(zero)
        for flow in self.flows:
            self.senders[flow.number].start(zero, zero + flow.start)
        end = zero + float(self.job["duration"])
        while time.monotonic() < end + 1:
            time.sleep(0.1)
            self.drain()
            self.check()

    def stop(self):
        """The senders first: their last packets are still to arrive."""
        for process in self.senders.values():
            self.ended(process)
        time.sleep(0.3)
        for process in self.receivers.values():
            self.ended(process)
        if self.net and self.net.stop() != 0:
            self.problems.append("the network failed")
        self.drain()

    def ended(self, process):
        status = process.stop()
        if status != 0:
            self.problems.append(f"{process.name} ended with status {status}: see {process.name}.log")

    def schedule(self):
        """The first hop's capacity."""
        hop = self.ini["hop 0"]
        if "trace" in hop:
            return units.trace_schedule(hop["trace"], float(self.job["duration"]))
        return units.Schedule(hop.get("capacity", "1G"))

    def figures(self):
        """{flow: summary}, also left as summary.json of each flow."""
        found = {}
        for flow in self.flows:
            told = json.loads((flow.folder / "call.json").read_text())
            result = measures.summary(measures.Call(flow.folder, told), self.schedule())
            (flow.folder / "summary.json").write_text(json.dumps(result, indent=1))
            found[flow.number] = result
        return found


def run(path):
    """Runs the job; its account for standard output."""
    paths.require_build()
    begun, job = time.monotonic(), Run(path)
    try:
        job.prepare()
        job.go()
    finally:
        job.stop()
    figures = job.figures()
    scores = [f["psnr"] for f in figures.values() if f["psnr"] is not None]
    return {"simulated": float(job.job["duration"]), "wall": time.monotonic() - begun,
            "psnr": sum(scores) / len(scores) if scores else None, "problems": job.problems[-MOST_PROBLEMS:],
            "cpu": {n: f["cpu"] for n, f in figures.items()}}


def main():
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        account = run(sys.argv[1])
    except (RuntimeError, ValueError, OSError, KeyError, configparser.Error, KeyboardInterrupt) as error:
        print(f"job: {error!r}", file=sys.stderr)
        return 1
    print(json.dumps(account))
    return 1 if any("status" in p or "failed" in p for p in account["problems"]) else 0


if __name__ == "__main__":
    sys.exit(main())
