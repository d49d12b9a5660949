# SPDX-License-Identifier: LGPL-2.1-or-later
"""One run: calls and TCP flows from the sending to the receiving host through the router, and what became of them."""
import contextlib
import dataclasses
import json
import math
import pathlib
import queue
import subprocess
import sys
import time

import numpy

from callkit import clips, measures, paths, report, session, units

from . import bulk, capture, hosts, line

SETTLE = 8.0  # s from the first packet that do not count
CALL_PORT, TCP_PORT = 5004, 6000
TAIL = 2.0  # s that no packet needs to arrive in


@dataclasses.dataclass
class Run:
    name: str
    title: str
    router: dict  # of routerkit.line
    explicit: bool  # calls ask for explicit rates and follow them
    out: str
    capacity: float
    calls: list  # encoders, one a call
    tcp: list  # congestion controls
    duration: float
    clip: str = None
    size: str = "352x288"
    fps: int = 30
    max: float = 3e6
    ecn: bool = False


class Stream:
    """A call or TCP flow, by what was captured of it between begin and end."""

    def __init__(self, name, flow, begin, end):
        self.name, self.flow, self.end = name, flow, end
        came = (flow.arrived >= begin) & (flow.arrived < end)
        went = (flow.sent >= begin) & (flow.sent < end - TAIL)
        waits = (flow.arrived - flow.sent)[went]
        self.rate = 8 * float(flow.size[came].sum()) / (end - begin)
        self.packets = int(went.sum())
        self.loss = float(numpy.isnan(waits).mean()) if self.packets else math.nan
        self.waits = waits[~numpy.isnan(waits)]
        self.marked = float(flow.marked[came].mean()) if came.any() else 0.0

    def wait(self, percent):
        return float(numpy.percentile(self.waits, percent)) if len(self.waits) else math.nan

    def rates(self, bin_s, zero):
        edges = numpy.arange(zero, self.end + bin_s, bin_s)
        sums, _ = numpy.histogram(self.flow.arrived, edges, weights=8.0 * self.flow.size)
        return edges[:-1] - zero + bin_s / 2, sums / bin_s


class Result:
    def __init__(self, run, streams, zero, calls, stats, problems):
        self.run, self.zero, self.calls, self.stats, self.problems = run, zero, calls, stats, problems
        self.videos, self.tcp = streams[:len(run.calls)], streams[len(run.calls):]

    def video_wait(self, percent):
        waits = numpy.concatenate([s.waits for s in self.videos])
        return float(numpy.percentile(waits, percent)) if len(waits) else math.nan


def _start(stack, host, *words):
    """One of routerkit's programs on a host; ends with the stack."""
    process = host.popen([sys.executable, "-m", *words], env=paths.environment(), stdout=subprocess.PIPE, text=True)
    stack.callback(process.wait)
    stack.callback(process.terminate)
    return process


def _start_listening(stack, run, near, far, folder):
    started = [_start(stack, host, "routerkit.capture", hosts.DEVICE, direction, str(folder / f"{direction}.packets"))
               for host, direction in ((near, "out"), (far, "in"))]
    if run.tcp:
        started.append(_start(stack, far, "routerkit.bulk", "receive", str(TCP_PORT)))
    for process in started:
        if process.stdout.readline().strip() != "ready":
            raise RuntimeError(f"{' '.join(process.args)} did not start")


def _call_settings(run, k, folder):
    out = folder / f"{k + 1}-{run.calls[k]}"
    out.mkdir(parents=True, exist_ok=True)
    width, height = units.size(run.size)
    properties = "explicit-rate-extension-id=10" if run.explicit else ""
    s = session.Settings(out=str(out), encoder=run.calls[k], size=run.size, fps=run.fps, max=run.max,
                         capacity=str(run.capacity / (len(run.calls) + len(run.tcp))), duration=run.duration,
                         port=CALL_PORT + 2 * k, sink_properties=properties, source_properties=properties)
    return {**dataclasses.asdict(s), "width": width, "height": height,
            "clip": clips.load(run.clip, width, height).path}


class Call:
    """A receiving and a sending process; the receiver first, as nobody repeats what was sent before."""

    def __init__(self, settings, near, far):
        self.said, self.settings, self.near, self.far = queue.Queue(), settings, near, far
        self.receiver = session.Process("receiver", settings, self.said, settings["out"], None, far.enter([]))
        self.sender = None

    def send(self):
        """Once the receiver has said a word."""
        try:
            self.said.get(timeout=30)
        except queue.Empty:
            raise RuntimeError(f"the receiver did not start: see {self.settings['out']}/receiver.log") from None
        self.sender = session.Process("sender", {**self.settings, "host": self.far.address}, self.said,
                                      self.settings["out"], None, self.near.enter([]))

    def stop(self, problems):
        for each in filter(None, (self.sender, self.receiver)):
            if each.stop() != 0:
                problems.append(f"{each.name} failed: see {each.errors.name}")
        self.drain(problems)

    def drain(self, problems):
        while not self.said.empty():
            name, message = self.said.get()
            if message["kind"] in ("error", "warning"):
                problems.append(f"{name}: {message['text']}")


def _follow(run, router, calls, problems, show):
    """Until the calls end; the router's stats twice a second."""
    series, begin = [], time.monotonic()
    while any(c.sender.process.poll() is None for c in calls) and time.monotonic() < begin + run.duration + 15:
        time.sleep(0.5)
        series.append((time.time(), router.stats()))
        for call in calls:
            call.drain(problems)
        error = router.error()
        if error:
            raise RuntimeError(f"the router: {error}")
        show(time.monotonic() - begin, series[-1][1])
    return series


def _set_up(stack, run):
    near, far = hosts.Host("sender", 1), hosts.Host("receiver", 2)
    for host in (near, far):
        stack.callback(host.close)
        if run.ecn:
            subprocess.run(host.enter(["sh", "-c", "echo 1 >/proc/sys/net/ipv4/tcp_ecn"]), check=True)
    router = line.Router(run.router, near, far)
    router.start()
    stack.callback(router.stop)
    return router, near, far


def execute(run, show):
    """Runs it; the files are in run.out."""
    folder = pathlib.Path(run.out) / run.name
    folder.mkdir(parents=True, exist_ok=True)
    paths.pass_priority("self")
    settings = [_call_settings(run, k, folder) for k in range(len(run.calls))]
    problems, calls = [], []
    with contextlib.ExitStack() as stack:  # ends the TCP flows first, then the calls, the captures, the hosts
        router, near, far = _set_up(stack, run)
        _start_listening(stack, run, near, far, folder)
        for s in settings:
            calls.append(Call(s, near, far))
            stack.callback(calls[-1].stop, problems)
        for call in calls:
            call.send()
        if run.tcp:
            _start(stack, near, "routerkit.bulk", "send", far.address, str(TCP_PORT), ",".join(run.tcp))
        series = _follow(run, router, calls, problems, show)
    (folder / "stats.json").write_text(json.dumps(series, default=str))
    return _result(run, folder, settings, series, problems)


def _result(run, folder, settings, series, problems):
    flows = capture.flows(folder / "out.packets", folder / "in.packets")
    calls = {f[2]: flow for f, flow in flows.items() if f[0] == capture.UDP and f[2] >= CALL_PORT}
    tcp = {f[1]: flow for f, flow in flows.items() if f[0] == capture.TCP and f[2] == TCP_PORT}
    zero = max(flow.sent[0] for flow in calls.values())
    begin, end = zero + min(SETTLE, run.duration / 3), min(flow.sent[-1] for flow in calls.values())
    streams = [Stream(f"{k + 1} {run.calls[k]}", calls[s["port"]], begin, end) for k, s in enumerate(settings)]
    streams += [Stream(f"{k + 1} {name}", tcp[TCP_PORT + 1 + k], begin, end) for k, name in enumerate(run.tcp)]
    summaries = [_summary(s, calls[s["port"]]) for s in settings]
    return Result(run, streams, zero, summaries, series, problems)


def _summary(settings, flow):
    """callkit's figures and page of one call, with its packets as the captures have them."""
    folder = pathlib.Path(settings["out"])
    zero, realtime = float(flow.sent[0]), time.time() - time.monotonic()
    share = int(float(settings["capacity"]))
    with open(folder / "packets.csv", "w") as file:
        file.write(f"# monotonic_s_at_zero={zero - realtime:.9f}\n"
                   "direction,time_in,time_out,fate,size,queue_delay,capacity\n")
        for sent, arrived, size in zip(flow.sent, flow.arrived, flow.size):
            came = not numpy.isnan(arrived)
            file.write(f"forward,{sent - zero:.6f},{f'{arrived - zero:.6f}' if came else ''},"
                       f"{'delivered' if came else 'queue'},{size},{f'{arrived - sent:.6f}' if came else ''},{share}\n")
    schedule = units.Schedule(settings["capacity"])
    call = measures.Call(folder, settings)
    result = measures.summary(call, schedule)
    report.write(call, schedule, result, folder / "report.html")
    return result


def algorithms(wanted):
    """Of those wanted the ones there are, cubic or the first there is for the others."""
    there = bulk.available()
    return [name if name in there else there[0] for name in wanted] if there else []
