# SPDX-License-Identifier: LGPL-2.1-or-later
"""What sender and receiver share: lines of JSON on stdout, ending in order, GStreamer structures as dicts."""
import json
import os
import resource
import signal
import sys
import threading
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GLib", "2.0")
from gi.repository import GLib, Gst  # noqa: E402

NONE = 2 ** 64 - 1  # GST_CLOCK_TIME_NONE
_lock = threading.Lock()


def say(kind, **fields):
    with _lock:
        sys.stdout.write(json.dumps({"kind": kind, "t": time.monotonic(), **fields}) + "\n")
        sys.stdout.flush()


def structure_of(holder, *index):
    """A copy of an event's, query's or message's structure, or of one of caps; None where there is none. gst-python 1.26
    gives some inside a `with` only, and memory that ends with their holder."""
    structure = holder.get_structure(*index)
    if hasattr(structure, "__enter__"):
        with structure as inside:
            return inside and inside.copy()
    return structure and structure.copy()


def _on_raised(kind, error, trace):
    sys.__excepthook__(kind, error, trace)
    if not issubclass(kind, KeyboardInterrupt):
        say("error", text=f"{kind.__name__}: {error}", debug="")
    sys.stderr.flush()
    os._exit(1)


def end_when_a_callback_raises():
    """Or a thread: a pipeline would go on, uncontrolled; from here on the program ends with status 1 and says why."""
    sys.excepthook = _on_raised
    threading.excepthook = lambda raised: _on_raised(raised.exc_type, raised.exc_value, raised.exc_traceback)


def structure_to_dict(structure):
    fields = {}
    for i in range(structure.n_fields()):
        name = structure.nth_field_name(i)
        value = structure.get_value(name)
        if isinstance(value, (int, float, str, bool)):
            fields[name] = None if value == NONE else value
    return fields


class Table:
    """A CSV file that grows with the call, so that the process does not."""

    def __init__(self, path, columns):
        self.file = open(path, "w")
        self.file.write(",".join(columns) + "\n")

    def add(self, *values):
        texts = (f"{v:.6f}" if isinstance(v, float) else "" if v is None else str(v) for v in values)
        if not self.file.closed:
            self.file.write(",".join(texts) + "\n")

    def close(self):
        self.file.close()


class Usage:
    """Processor time of this process from here on, user and system, but for what only measuring takes."""

    def __init__(self):
        self.cpu, self.measuring = self._taken(), 0.0

    @staticmethod
    def _taken():
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime + usage.ru_stime

    def write(self, path):
        with open(path, "w") as file:
            json.dump({"cpu": self._taken() - self.cpu - self.measuring}, file)


def wait_for_start(lead=0.0):
    """Blocks until a line "start ZERO BEGIN" on standard input, and then until `lead` seconds before BEGIN. Both are s of
    CLOCK_MONOTONIC: what a job counts its times from, and when this process is to begin. Ends the process where nobody
    says it."""
    words = sys.stdin.readline().split()
    if len(words) != 3 or words[0] != "start":
        sys.exit("nobody said when to start")
    zero, begin = float(words[1]), float(words[2])
    time.sleep(max(0.0, begin - lead - time.monotonic()))
    return zero, begin


def main(kind):
    """The program of a process: kind (settings).run (). Words that it ends with are said, too."""
    Gst.init(None)
    try:
        status = kind(json.loads(sys.argv[1])).run()
    except SystemExit as end:
        if isinstance(end.code, str):
            say("error", text=end.code, debug="")
        raise
    sys.exit(status)


class Runner:
    """A pipeline and its main loop: ends on SIGTERM, SIGINT, end of stream or error."""

    def __init__(self, description):
        end_when_a_callback_raises()
        self.pipeline = Gst.parse_launch(description)
        self.loop = GLib.MainLoop()
        self.failed = False
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self._on_message)
        for number in (signal.SIGTERM, signal.SIGINT):
            GLib.unix_signal_add(GLib.PRIORITY_HIGH, number, self._on_signal)
        self.on_element_message = None
        self.expected = ()  # warnings that are nobody's mistake here: (domain, code)

    def __getitem__(self, name):
        return self.pipeline.get_by_name(name)

    def _on_message(self, _bus, message):
        if message.type == Gst.MessageType.ERROR:
            error, debug = message.parse_error()
            say("error", text=error.message, debug=debug or "")
            print(f"{message.src.get_name()}: {error.message}\n{debug or ''}", file=sys.stderr, flush=True)
            self.failed = True
            self.loop.quit()
        elif message.type == Gst.MessageType.WARNING:
            warning, debug = message.parse_warning()
            if not any(warning.matches(*what) for what in self.expected):
                say("warning", text=warning.message, debug=debug or "")
        elif message.type == Gst.MessageType.EOS:
            self.loop.quit()
        elif message.type == Gst.MessageType.LATENCY:
            self.pipeline.recalculate_latency()
        elif message.type == Gst.MessageType.ELEMENT and self.on_element_message:
            self.on_element_message(message)

    def _on_signal(self):
        self.finish()
        return GLib.SOURCE_REMOVE

    def _say_why(self):
        """The loop does not run yet, or no longer: what is on the bus is still to be said."""
        message = self.pipeline.get_bus().timed_pop_filtered(0, Gst.MessageType.ERROR)
        if message:
            self._on_message(None, message)

    def finish(self):
        """Lets what is under way go out, two seconds at most."""
        self.pipeline.send_event(Gst.Event.new_eos())
        GLib.timeout_add_seconds(2, self.loop.quit)

    def run(self, begin=None):
        """begin is called with everything set up and before the pipeline's clock runs."""
        if begin:
            self.pipeline.set_state(Gst.State.PAUSED)
            begin()
        if self.pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
            self.failed = True
            self._say_why()
        else:
            self.loop.run()
        self.pipeline.set_state(Gst.State.NULL)
        return 1 if self.failed else 0
