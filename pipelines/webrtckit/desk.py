# SPDX-License-Identifier: LGPL-2.1-or-later
"""Between the page and the call; with a bottleneck, where one is asked for, in the middle of the path."""
import subprocess
import time

from callkit import network, paths, units

from . import call, signalling


class Desk:
    """settings: those of call.Call; capacity, delay, queue: of a network to be put in between (capacity None: none)."""

    def __init__(self, settings, log=None):
        self.settings, self.log = settings, log
        self.call = self.net = None
        self.schedule = units.Schedule(settings["capacity"]) if settings.get("capacity") else None
        self.began = None  # when the network began
        self.ports = network.free_ports(2) if self.schedule else None

    def offer(self):
        self.hang_up()
        self.call = call.Call(self.settings)
        sdp = self.call.offer()
        return signalling.through(sdp, self.ports[1]) if self.schedule else sdp

    def answer(self, sdp):
        if self.schedule:
            self.start_network(signalling.port_of(sdp))
            sdp = signalling.through(sdp, self.ports[0])
        self.call.take_answer(sdp)

    def start_network(self, peer):
        s = self.settings
        command = [str(paths.BOTTLENECK), "--a-port", str(self.ports[0]), "--b-port", str(self.ports[1]), "--peer-port",
                   str(peer), "--forward", str(self.schedule), "--delay", f"{s['delay']}s", "--queue", f"{s['queue']}s"]
        command += ["--log", str(self.log)] if self.log else []
        self.net = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.net.stdout.readline()
        self.began = time.monotonic()

    def seen(self, message):
        if self.call:
            self.call.shown = message

    def figures(self):
        call, began = self.call, self.began  # another thread may hang up
        rows = [dict(row) for row in call.history] if call else []
        if call and began:
            offset = began - call.began
            for row in rows:
                row["capacity"] = self.schedule.at(row["time"] - offset) if row["time"] >= offset else None
        return {"history": rows, "problems": call.problems if call else []}

    def hang_up(self):
        if self.call:
            self.call.close()
        if self.net:
            self.net.terminate()
            self.net.wait(10)
        self.call = self.net = self.began = None
