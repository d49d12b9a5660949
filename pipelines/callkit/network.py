# SPDX-License-Identifier: LGPL-2.1-or-later
"""The bottleneck as a process, and its packet log."""
import csv
import signal
import socket
import subprocess

from . import paths


def free_ports(count):
    """UDP ports nobody uses now; even ones, with the next one free too (RTP's custom)."""
    ports, held = [], []
    while len(ports) < count:
        first = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        first.bind(("127.0.0.1", 0))
        held.append(first)
        port = first.getsockname()[1]
        second = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        held.append(second)
        if port % 2 or port == 65534:
            continue
        try:
            second.bind(("127.0.0.1", port + 1))
        except OSError:
            continue
        ports.append(port)
    for each in held:
        each.close()
    return ports


class Bottleneck:
    """From a_port through the network to peer_port, and back; ends by itself after `duration`, should nobody stop it."""

    def __init__(self, peer_port, log, capacity, reverse, delay, queue, loss, seed, duration):
        self.a_port, b_port = free_ports(2)
        self.log = log
        command = [str(paths.BOTTLENECK), "--a-port", str(self.a_port), "--b-port", str(b_port), "--peer-port",
                   str(peer_port), "--forward", str(capacity), "--reverse", str(reverse), "--delay", f"{delay}s",
                   "--queue", f"{queue}s", "--loss", str(loss), "--seed", str(seed), "--duration", f"{duration}s",
                   "--log", str(log)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
        if self.process.stdout.readline().strip() != "ready":
            raise RuntimeError(f"the bottleneck did not start: {' '.join(command)}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(10)


class Chain:
    """The network of a job file, for its video flows: what is sent to a_ports[flow] goes to peers[flow], and back. It
    starts when it is told to."""

    def __init__(self, job, peers):
        ports = iter(free_ports(2 * len(peers)))
        self.a_ports, flows = {}, []
        for number, peer in peers.items():
            self.a_ports[number] = next(ports)
            flows += ["--flow", f"{number}:{self.a_ports[number]}:{next(ports)}:{peer}"]
        command = [str(paths.BOTTLENECK), "--job", str(job), *flows]
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
