# SPDX-License-Identifier: LGPL-2.1-or-later
"""One call from start to figures: processes started, watched, ended; files left in its folder."""
import dataclasses
import glob
import json
import os
import pathlib
import queue
import subprocess
import sys
import threading
import time

from . import clips, codecs, controllers, measures, network, paths, report, units

START = 15  # s that the ends may take to begin, longer than they last: the network's time begins with the first packet
MOST_SAID = 10  # problems; all are in summary.json
RFC8867_5_1 = "0:1.0M,40:2.5M,60:0.6M,80:1.0M"


@dataclasses.dataclass
class Settings:
    out: str
    clip: str = None  # a video file; None: the default
    camera: str = None
    size: str = "352x288"
    fps: int = 30
    encoder: str = "x264enc"
    scale: bool = False  # ratescale in front of it
    mode: str = "low-delay"
    controller: str = "ours"  # or another name of callkit.controllers
    capacity: str = "0:1.0M,20:2.0M,35:0.5M,50:1.0M"
    reverse: str = None  # capacity of the way back; None: as forward
    delay: float = 0.050
    queue: float = 0.300
    trace: str = None  # a file in mahimahi's format, instead of `capacity`
    discipline: str = "droptail"  # of network.DISCIPLINES
    loss: float = 0.0
    burst: float = 0.0  # mean packets lost in a row; 0: independent losses
    jitter: float = 0.0  # s, standard deviation
    reorder: bool = False  # jitter may
    beside: tuple = ()  # other traffic, texts for network.traffic
    latency: float = None  # s the receiver waits for a missing packet; None: what the controller needs
    seed: int = 1
    duration: float = 60
    start: float = None
    min: float = None
    max: float = 1.5e6
    window: bool = False
    remote: str = None  # host: send there, no bottleneck, no receiver
    receive: int = None  # port: receive there only
    port: int = 5004
    source_properties: str = ""  # more of tfrcsrc's and its children's, as gst-launch-1.0 takes them
    sink_properties: str = ""  # of tfrcsink's
    oracle_share: float = 0.95


def require_camera(device):
    """Raises RuntimeError, with what helps, where there is no such device or it may not be opened."""
    if not os.path.exists(device):
        others = ", ".join(sorted(glob.glob("/dev/video*")))
        raise RuntimeError(f"there is no camera {device}: connect one"
                           + (f", or name another device (--camera DEVICE; there are {others})" if others else "")
                           + "; without --camera a clip is sent")
    if not os.access(device, os.R_OK | os.W_OK):
        raise RuntimeError(f"the camera {device} may not be opened: \"sudo usermod -aG video $USER\" and a new login let "
                           "you; without --camera a clip is sent")


class Process:
    """A sender or receiver; what it says goes into a queue of (name, message). enter: the command that starts it
    elsewhere."""

    def __init__(self, name, settings, said, folder, env, enter=(), module=None):
        self.name = name
        self.errors = open(f"{folder}/{name}.log", "w")
        command = [*enter, sys.executable, "-m", module or f"callkit.{name}", json.dumps(settings)]
        self.process = subprocess.Popen(command,
                                        stdin=subprocess.PIPE if settings.get("wait") else subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=self.errors, text=True,
                                        env=paths.environment() | (env or {}), start_new_session=True)
        paths.pass_priority(self.process.pid)
        threading.Thread(target=self._listen, args=(said,), daemon=True).start()

    def _listen(self, said):
        for line in self.process.stdout:
            try:
                said.put((self.name, json.loads(line)))
            except ValueError:
                print(line, end="", file=self.errors, flush=True)

    def start(self, zero, begin):
        """For one that waits: both are CLOCK_MONOTONIC (gstio.wait_for_start)."""
        self.process.stdin.write(f"start {zero:.6f} {begin:.6f}\n")
        self.process.stdin.flush()

    def stop(self, patience=8):
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.errors.close()
        return self.process.returncode


class Progress:
    """What is going on, in one line."""

    def __init__(self, schedule):
        self.schedule = schedule
        self.latest = {"sender": {}, "receiver": {}}
        self.recent = []

    def add(self, name, message):
        if message["kind"] == name:
            self.latest[name] = message

    def network(self, packets):
        self.recent += [p for p in packets if p.forward]
        if self.recent:
            self.recent = [p for p in self.recent if p.sent > self.recent[-1].sent - 1]

    def line(self, t):
        sender, receiver = self.latest["sender"], self.latest["receiver"]
        rate = sender.get("rate") or {}
        parts = [f"{t:5.1f} s"]
        if self.schedule:
            parts.append(f"capacity {units.show_rate(self.schedule.at(t))}")
        if rate.get("wire-bitrate"):
            parts.append(f"allowed {units.show_rate(rate['wire-bitrate'])}")
        if "produced" in sender:
            parts.append(f"produced {units.show_rate(sender['produced'])}")
        if self.recent:
            got = 8 * sum(p.size for p in self.recent if p.fate == "delivered")
            waits = [p.queue_delay for p in self.recent if p.queue_delay is not None]
            lost = sum(p.fate != "delivered" for p in self.recent)
            parts += [f"received {units.show_rate(got)}", f"queue {1e3 * max(waits, default=0):3.0f} ms",
                      f"lost {lost}"]
        if rate.get("rtt"):
            parts.append(f"rtt {rate['rtt'] / 1e6:.0f} ms")
        if "fps" in receiver:
            parts.append(f"{receiver['fps']} fps")
        if receiver.get("psnr"):
            parts.append(f"{receiver['psnr']:.1f} dB")
        return "  ".join(parts)


class Session:
    """watch, where given, is called four times a second with (s, {process: pid}, Progress); env is added to the
    processes' environment."""

    def __init__(self, settings, show=True, watch=None, env=None):
        self.s, self.show, self.watch, self.env = settings, show, watch, env
        self.folder = pathlib.Path(settings.out)
        paths.make_out(self.folder)
        for old in ("*.csv", "*.i420", "*.log", "*.sdp", "*.rtp", "*-usage.json", "network.ini", "links.json", "received.*",
                    "worst.json", "report.html", "call.png"):
            for path in self.folder.glob(old):
                path.unlink()
        if settings.trace:
            self.schedule = units.trace_schedule(settings.trace, settings.duration)
        else:
            self.schedule = units.Schedule(settings.capacity)
        self.said = queue.Queue()
        self.problems = []
        self.interrupted = False  # by Ctrl-C; the result is of what ran
        self.next_line = 0.0

    def settings(self):
        """What the processes are told."""
        s = dataclasses.asdict(self.s)
        s["out"] = str(self.folder)
        s["width"], s["height"] = units.size(self.s.size)
        s["clip"] = None
        if not self.s.camera and not self.s.receive:
            s["clip"] = clips.load(self.s.clip, s["width"], s["height"]).path
        return s

    def network(self):
        """The call's network as a job's groups."""
        s, codec = self.s, codecs.CODECS[self.s.encoder]
        hop = {"delay": s.delay, "queue": s.queue, "discipline": s.discipline, "loss": s.loss, "burst": s.burst,
               "jitter": s.jitter, "reorder": s.reorder}
        hop |= {"trace": pathlib.Path(s.trace).resolve()} if s.trace else {"capacity": self.schedule}
        back = units.Schedule(s.reverse) if s.reverse else None if s.trace else self.schedule
        call = {"kind": "video", "controller": s.controller, "clip": s.clip or "default", "send": codec.encoder,
                "encoding-name": codec.encoding_name, "depay": codec.depay, "decode": codec.decoder}
        groups = {"job": {"seed": s.seed, "duration": s.duration, "out": self.folder}, "hop 0": hop}
        groups["reverse"] = {"delay": s.delay, "queue": s.queue} | ({"capacity": back} if back else {})
        for n, keys in enumerate([call] + [network.traffic(text) for text in s.beside]):
            groups[f"flow {n}"] = keys
        return groups

    def check(self):
        """Raises RuntimeError, with what helps, where something that is asked for is not there."""
        if self.s.camera and not self.s.receive:
            require_camera(self.s.camera)
        controller = controllers.make(self.s.controller)
        if self.s.camera and not getattr(controller, "camera", True):
            raise RuntimeError(f"{self.s.controller} sends a clip: leave out --camera, or the controller")
        if getattr(controller, "element", None) and not self.s.receive and not paths.has_element(controller.element):
            raise RuntimeError(controller.missing())

    def run(self):
        """Runs until the end, Ctrl-C or SIGTERM; the processes have sessions of their own, so that they end in order.
        Returns the summary; None where there was no bottleneck to measure."""
        paths.require_build()
        self.check()
        s = self.settings()
        (self.folder / "call.json").write_text(json.dumps(s, indent=1))
        processes, net = [], None
        try:
            if self.s.receive:
                processes.append(Process("receiver", {**s, "port": self.s.receive}, self.said, self.folder, self.env))
            elif self.s.remote:
                processes.append(Process("sender", {**s, "host": self.s.remote}, self.said, self.folder, self.env))
            else:
                peer, = network.free_ports(1)
                network.write_job(self.folder / "network.ini", self.network())
                net = network.Chain(self.folder / "network.ini", {0: peer}, "datagram", self.folder / "packets.csv")
                modules = controllers.make(self.s.controller).modules
                processes.append(Process("receiver", {**s, "port": peer}, self.said, self.folder, self.env,
                                         module=modules["receiver"]))
                self.wait_for("receiver", processes[0])
                processes.append(Process("sender", {**s, "host": "127.0.0.1", "port": net.a_ports[0]}, self.said,
                                         self.folder, self.env, module=modules["sender"]))
            self.follow(processes, net)
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            for process in reversed(processes):  # the sender first: its last packets are still to arrive
                status = process.stop()
                if status != 0:
                    self.note(f"{process.name} ended with status {status}: see {process.name}.log")
                if process.name == "sender":
                    time.sleep(self.s.delay + 0.5)
            if net and net.stop() != 0:
                self.note("the bottleneck failed")
            self.drain()
        return self.figures(s) if net else None

    def figures(self, settings):
        """finish (), or why an end that broke leaves nothing to measure."""
        try:
            return self.finish(settings)
        except (ValueError, IndexError, OSError) as error:
            if not self.problems:
                raise
            raise RuntimeError("nothing of this call can be measured" if self.show else "; ".join(self.problems)) from error

    def note(self, problem):
        """Said at once where somebody looks on: a receiver may wait for its sender for a day."""
        self.problems.append(problem)
        if self.show and len(self.problems) <= MOST_SAID:
            print(("\n" if sys.stdout.isatty() else "") + f"call: {problem}", file=sys.stderr, flush=True)

    def wait_for(self, name, process):
        """Until it has said a word, so that nothing sent is missed."""
        end = time.monotonic() + 20
        while time.monotonic() < end and process.process.poll() is None:
            try:
                who, message = self.said.get(timeout=0.2)
            except queue.Empty:
                continue
            self.said.put((who, message))
            if who == name:
                return
        raise RuntimeError(f"the {name} did not start: see {self.folder}/{name}.log")

    def drain(self, progress=None):
        while not self.said.empty():
            name, message = self.said.get()
            if message["kind"] in ("error", "warning"):
                self.note(f"{name}: {message['text']}")
            elif progress:
                progress.add(name, message)

    def follow(self, processes, net):
        progress = Progress(self.schedule if net else None)
        log = network.Log(self.folder / "packets.csv") if net else None
        begin = time.monotonic()
        end = begin + (START if log else 0)
        while all(p.process.poll() is None for p in processes) and time.monotonic() < end + self.s.duration + 15:
            time.sleep(0.25)
            self.drain(progress)
            if log:
                progress.network(log.read())
                end = log.zero or begin + START
            zero = log.zero if log and log.zero else begin
            if self.show:
                self.show_line(progress.line(time.monotonic() - zero))
            if self.watch:
                self.watch(time.monotonic() - zero, {p.name: p.process.pid for p in processes}
                           | ({"bottleneck": net.process.pid} if net else {}), progress)
        if self.show and sys.stdout.isatty():
            print()

    def show_line(self, line):
        """In place on a terminal, else a line every five seconds."""
        if sys.stdout.isatty():
            print("\r\033[K" + line, end="", flush=True)
        elif time.monotonic() > self.next_line:
            self.next_line = time.monotonic() + 5
            print(line, flush=True)

    def finish(self, settings):
        call = measures.Call(self.folder, settings)
        result = measures.summary(call, self.schedule)
        result["problems"] = self.problems
        result["load"], result["processors"] = os.getloadavg()[0], os.cpu_count()
        (self.folder / "summary.json").write_text(json.dumps(result, indent=1))
        report.write(call, self.schedule, result, self.folder / "report.html")
        report.picture(call, self.schedule, self.folder / "call.png")
        return result
