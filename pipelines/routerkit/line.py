# SPDX-License-Identifier: LGPL-2.1-or-later
"""The router: paqmshaper from one host to the other, a delay on the way back."""
import warnings

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

READ = 2048  # bytes, more than a packet: each read takes one


def shaper(settings):
    """The element as gst-launch-1.0 takes it. settings: capacity in bit/s, discipline, queue in s, properties."""
    words = [f"paqmshaper name=shaper mode=ip capacity={int(settings['capacity'])}"]
    if settings["discipline"] == "fifo":
        words.append(f"discipline=fifo fifo-limit={int(settings['queue'] * settings['capacity'] / 8)}")
    return " ".join(words + [settings.get("properties") or ""]).strip()


def description(settings, near, far):
    """fdsink writes the packets of a list as one, which is no packet: identity takes lists apart."""
    return (f"fdsrc fd={near} blocksize={READ} ! {shaper(settings)} ! identity silent=true ! "
            f"fdsink fd={far} sync=false async=false",
            f"fdsrc name=back fd={far} blocksize={READ} do-timestamp=true ! "
            "queue max-size-buffers=0 max-size-bytes=0 max-size-time=0 ! "
            f"clocksync ts-offset={int(settings['delay'] * 1e9)} ! fdsink fd={near} sync=false async=false")


def _in_time(pad, info):
    """fdsrc counts bytes; clocksync waits by time."""
    event = info.get_event()
    if event.type != Gst.EventType.SEGMENT or event.parse_segment().format == Gst.Format.TIME:
        return Gst.PadProbeReturn.OK
    segment = Gst.Segment()
    segment.init(Gst.Format.TIME)
    pad.push_event(Gst.Event.new_segment(segment))
    return Gst.PadProbeReturn.DROP


def parse(text):
    """The pipeline. GStreamer only grumbles at a value that a property does not take, and goes on without."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        pipeline = Gst.parse_launch(text)
    if said:
        raise RuntimeError(f"{said[0].message}: \"gst-inspect-1.0 paqmshaper\" tells what each takes")
    return pipeline


class Router:
    def __init__(self, settings, near, far):
        Gst.init(None)
        self.lines = description(settings, near.fd, far.fd)
        self.pipeline = parse(" ".join(self.lines))
        self.shaper = self.pipeline.get_by_name("shaper")
        self.back = self.pipeline.get_by_name("back")
        self.back.get_static_pad("src").add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, _in_time)
        self.back.set_locked_state(True)
        self.bus = self.pipeline.get_bus()

    def start(self):
        """The way back reads last: it stamps what comes, and before the pipeline's base time is set the stamps are those of
        the clock, hours ahead; the delay would wait for them."""
        self.pipeline.set_state(Gst.State.PLAYING)
        self.pipeline.get_state(Gst.CLOCK_TIME_NONE)
        self.back.set_locked_state(False)
        self.back.set_base_time(self.pipeline.get_base_time())
        self.back.sync_state_with_parent()

    def error(self, warn=lambda text: None):
        """What has gone wrong since the last call; None: nothing. warn is called with each warning."""
        while message := self.bus.pop_filtered(Gst.MessageType.ERROR | Gst.MessageType.WARNING):
            if message.type == Gst.MessageType.ERROR:
                return "{0.message} ({1})".format(*message.parse_error())
            warn("{0.message} ({1})".format(*message.parse_warning()))
        return None

    def stats(self):
        return read(self.shaper.get_property("stats"))

    def stop(self):
        self.pipeline.set_state(Gst.State.NULL)


def read(structure):
    """Nested structures as nested dicts."""
    fields = {}
    for i in range(structure.n_fields()):
        value = structure.get_value(structure.nth_field_name(i))
        fields[structure.nth_field_name(i)] = read(value) if isinstance(value, Gst.Structure) else value
    return fields
