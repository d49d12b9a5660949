# SPDX-License-Identifier: LGPL-2.1-or-later
"""The emulated network as a process, what crosses it beside a call, and its packet log."""
import csv
import itertools
import math
import os
import signal
import socket
import subprocess

from . import paths, units

FIRST_PORT, PORTS = 20000, 12000  # below those that systems give to who names none
STRETCH = 64  # ports apart that processes begin to look
_steps = itertools.count()


def is_free(port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as tried:
        try:
            tried.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_ports(count):
    """UDP ports nobody uses now; even ones, with the next one free too (RTP's custom). Each process looks in a stretch of
    its own, each time further on: calls that begin together take seconds to bind what they were given."""
    steps = itertools.islice(_steps, PORTS // 2)
    own = (FIRST_PORT + (STRETCH * os.getpid() + 2 * step) % PORTS for step in steps)
    ports = list(itertools.islice((port for port in own if is_free(port) and is_free(port + 1)), count))
    if len(ports) < count:
        raise OSError(f"no UDP ports are free from {FIRST_PORT} to {FIRST_PORT + PORTS}")
    return ports


DISCIPLINES = ("droptail", "red", "codel", "fq_codel", "pie", "p-aqm")
TCP = ("cubic", "newreno", "bbr")


def traffic(text):
    """What crosses the network beside a call, as keys of a job's flow: cubic, newreno, bbr, short-tcp, udp:RATE or
    audio, each from @FROM or @FROM-TO seconds on."""
    what, _, when = text.partition("@")
    kind, _, rate = what.partition(":")
    keys = {"kind": "tcp", "tcp": kind} if kind in TCP else {"kind": kind}
    if kind not in (*TCP, "short-tcp", "udp", "audio") or (kind == "udp") != bool(rate):
        raise ValueError(f"no traffic: {text} (cubic, newreno, bbr, short-tcp, udp:RATE, audio, each with @FROM-TO)")
    if rate:
        keys["rate"] = f"{units.rate(rate):.0f}"
    if when:
        begin, _, end = when.partition("-")
        keys |= {"start": units.duration(begin)} | ({"stop": units.duration(end)} if end else {})
    if keys.get("rate") == "0" or keys.get("stop", math.inf) <= keys.get("start", 0):
        raise ValueError(f"{text} sends nothing: a rate above 0, an end behind the beginning (udp:200k@10-20)")
    return keys


def write_job(path, groups):
    """A key file as sim-lab and the emulated network read it (the head of tests/sim/lab.cc)."""
    with open(path, "w") as file:
        for group, keys in groups.items():
            file.write(f"[{group}]\n")
            file.writelines(f"{k}={str(v).lower() if isinstance(v, bool) else v}\n" for k, v in keys.items())


class Chain:
    """The network of a job file, for its video flows: what is sent to a_ports[flow] goes to peers[flow], and back. Its
    time starts when it is told to, or (start="datagram") with the first datagram. log: a flow's packets, where not in
    the job's folder. It ends by itself some time after the job's end, should nobody stop it."""

    def __init__(self, job, peers, start="told", log=None):
        ports = iter(free_ports(2 * len(peers)))
        self.a_ports, flows = {}, []
        for number, peer in peers.items():
            self.a_ports[number] = next(ports)
            flows += ["--flow", f"{number}:{self.a_ports[number]}:{next(ports)}:{peer}"]
        command = [str(paths.BOTTLENECK), "--job", str(job), *flows, "--start", start]
        command += ["--log", str(log)] if log else []
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        start_new_session=True)
        if self.process.stdout.readline().strip() != "ready":
            raise RuntimeError(f"the network did not start: {' '.join(command)}")

    def start(self, zero):
        """zero: CLOCK_MONOTONIC, what the job's times count from."""
        self.process.stdin.write(f"start {zero:.6f}\n")
        self.process.stdin.flush()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(10)


class Packet:
    __slots__ = ("forward", "sent", "arrived", "fate", "size", "queue_delay", "capacity")

    def __init__(self, row):
        self.forward = row[0] == "forward"
        self.sent = float(row[1])
        self.arrived = float(row[2]) if row[2] else None
        self.fate = row[3]
        self.size = int(row[4])
        self.queue_delay = float(row[5]) if row[5] else None
        self.capacity = int(row[6])


class Log:
    """Reads a packet log, also while it grows. Times are seconds since the first packet."""

    def __init__(self, path):
        self.path, self.file, self.rest = path, None, ""
        self.zero = None  # CLOCK_MONOTONIC of the first packet

    def read(self):
        """The packets since the last call."""
        if self.file is None:
            try:
                self.file = open(self.path)
            except OSError:
                return []
        lines = (self.rest + self.file.read()).split("\n")
        self.rest = lines.pop()
        if self.zero is None and lines:
            self.zero = float(lines[0].split("=")[1])
            lines = lines[2:]
        return [Packet(row) for row in csv.reader(lines)]
