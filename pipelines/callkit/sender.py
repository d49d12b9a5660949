# SPDX-License-Identifier: LGPL-2.1-or-later
"""The sending process: a clip (or camera), encoder, ratecontrol, payloader, tfrcsink. Its settings are one JSON object;
with `wait` among them it begins when it is told to on its standard input (gstio.wait_for_start)."""
import collections
import threading
import time

from .gstio import GLib, Gst, Runner, Table, Usage, main, say, structure_of, structure_to_dict, wait_for_start
from . import clips, codecs, controllers, units

RATE_FIELDS = ["bitrate", "wire-bitrate", "rtt", "loss-event-rate", "queue-delay", "backlog", "frame-budget", "limit", "owner"]


def source_description(s):
    shape = f"format=I420,width={s['width']},height={s['height']},framerate={s['fps']}/1"
    if s.get("camera"):
        return f"v4l2src device={s['camera']} ! videoconvert ! videoscale ! videorate ! video/x-raw,{shape}"
    return ("appsrc name=source is-live=true format=time max-buffers=15 max-bytes=0 leaky-type=downstream "
            f"caps=video/x-raw,{shape},colorimetry=bt601,interlace-mode=progressive")


def description(s):
    codec = codecs.CODECS[s["encoder"]]
    controller = controllers.make(s["controller"])
    controlled = controller.adapts or (s["controller"] == "oracle" and not codec.unit)
    stages = [source_description(s),
              f"{codec.encoder} name=encoder" + ("" if controlled else " " + codec.live)]
    if controlled and s.get("scale"):
        stages.insert(1, "ratescale name=scale")
    if controlled:
        stages.append("ratecontrol name=control")
    stages += [f"{codec.pay} name=pay mtu={codecs.MTU} timestamp-offset=0"]
    if s.get("send"):  # the same, as a job has it for every engine
        stages = [source_description(s), s["send"]]
    return " ! ".join(stages + [controller.send(s)])


def push(source, picture, at, fps):
    """at: its time stamp, ns"""
    buffer = Gst.Buffer.new_wrapped(picture.tobytes())
    buffer.pts, buffer.duration = at, Gst.SECOND // fps
    return source.emit("push-buffer", buffer)


class Feeder(threading.Thread):
    """Plays the clip against the pipeline's clock; frame k has the time stamp origin + k/fps."""

    def __init__(self, source, clip, s, begin, on_captured, origin=0):
        """begin: when frame 0 is captured, CLOCK_MONOTONIC; origin: its time stamp, ns. s["pause"]: (from, to) in s of
        begin, without pictures."""
        super().__init__(daemon=True)
        self.source, self.clip, self.fps, self.frames = source, clip, s["fps"], int(s["duration"] * s["fps"])
        self.begin, self.pause, self.on_captured = begin, s.get("pause") or (0, 0), on_captured
        self.origin = origin

    def run(self):
        for number in range(self.frames):
            if self.pause[0] <= number / self.fps < self.pause[1]:
                continue
            time.sleep(max(0, self.begin + number / self.fps - time.monotonic()))
            self.on_captured(number, time.monotonic())
            at = self.origin + Gst.util_uint64_scale(number, Gst.SECOND, self.fps)
            if push(self.source, self.clip.frame(number), at, self.fps) != Gst.FlowReturn.OK:
                return
        self.source.emit("end-of-stream")


class Sender:
    def __init__(self, settings):
        self.s = settings
        self.codec = codecs.CODECS[settings["encoder"]]
        self.runner = self.build()
        self.captured = Table(f"{settings['out']}/captured.csv", ["frame", "captured"])
        self.encoded = Table(f"{settings['out']}/sent.csv", ["frame", "encoded", "bytes", "key"])
        self.rates = Table(f"{settings['out']}/rates.csv", ["time"] + RATE_FIELDS)
        self.rate = {}  # the latest
        self.recent = collections.deque(maxlen=2 * settings["fps"])  # (time, bytes) of encoded frames
        self.watch()
        self.started = self.zero = None
        self.origin = 0  # frame 0's time, ns
        self.controller = controllers.make(settings["controller"])
        if settings["controller"] == "oracle":
            GLib.timeout_add(20, self.follow_capacity)
        elif settings["controller"].startswith("fixed:"):
            self.set_rate(units.rate(settings["controller"][6:]))
        GLib.timeout_add(200, self.report)

    def build(self):
        return Runner(description(self.s))

    def watch(self):
        pay = self.runner["pay"]
        pay.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, self.on_frame)
        pay.get_static_pad("src").add_probe(Gst.PadProbeType.EVENT_UPSTREAM, self.on_event)

    def on_frame(self, _pad, info):
        buffer = info.get_buffer()
        key = not buffer.has_flags(Gst.BufferFlags.DELTA_UNIT)
        now = time.monotonic()
        if self.started is None:
            self.started = now
        # The encoder may move the segment: running time, not the time stamp itself, is the frame's.
        segment = _pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
        running = segment.to_running_time(Gst.Format.TIME, buffer.pts)
        number = round((running - self.origin) * self.s["fps"] / Gst.SECOND)
        if self.s.get("camera"):
            self.on_captured(number, now)
        self.encoded.add(number, now, buffer.get_size(), int(key))
        self.recent.append((now, buffer.get_size()))
        return Gst.PadProbeReturn.OK

    def on_event(self, _pad, info):
        structure = structure_of(info.get_event())
        if structure and structure.get_name() == "GstCongestionRate":
            self.on_rate(structure_to_dict(structure))
        return Gst.PadProbeReturn.OK

    def on_captured(self, number, at):
        self.captured.add(number, at)

    def on_rate(self, fields):
        self.rate = fields
        self.rates.add(time.monotonic(), *(fields.get(name) for name in RATE_FIELDS))

    def set_rate(self, wire_rate):
        rate = codecs.encoder_rate(wire_rate, self.s["fps"])
        if self.codec.unit:
            self.runner["encoder"].set_property(self.codec.knob, int(rate / self.codec.unit))
        else:
            self.tell_ratecontrol(wire_rate, rate)
        self.on_rate({"bitrate": int(rate), "wire-bitrate": int(wire_rate)})

    def tell_ratecontrol(self, wire_rate, rate):
        """The event that a sender which knew the capacity would send."""
        structure = Gst.Structure.new_from_string(
            f"GstCongestionRate, bitrate=(uint){int(rate)}, wire-bitrate=(uint){int(wire_rate)}, rtt=(guint64)100000000, "
            "loss-event-rate=(double)0, queue-delay=(guint64)0, backlog=(uint)0, "
            f"frame-budget=(uint){int(rate / 8 * 0.2)}, limit=(string)explicit-rate, owner=(string)router")
        self.runner["pay"].get_static_pad("sink").push_event(
            Gst.Event.new_custom(Gst.EventType.CUSTOM_UPSTREAM, structure))

    def oracle_rate(self):
        if self.s.get("rates"):
            return units.Schedule(self.s["rates"]).at(time.monotonic() - self.zero if self.zero else 0)
        t = time.monotonic() - self.started if self.started else 0
        return min(self.s["oracle_share"] * units.Schedule(self.s["capacity"]).at(t), self.s.get("max") or 1e12)

    def follow_capacity(self):
        rate = self.oracle_rate()
        if self.rate.get("wire-bitrate") != int(rate):
            self.set_rate(rate)
        return True

    def report(self):
        produced = 8 * sum(size for at, size in tuple(self.recent) if at > time.monotonic() - 1)
        say("sender", produced=produced, rate=self.rate, stats=self.stats())
        return True

    def stats(self):
        stats = self.runner["sink"].get_property("stats") if self.controller.stats else None
        return structure_to_dict(stats) if stats else {}

    def start_of_pictures(self):
        """Now, or when somebody says so."""
        begin = time.monotonic()
        if self.s.get("wait"):
            say("sender", ready=True)
            self.zero, begin = wait_for_start()
        return begin

    def begin(self):
        begin = self.start_of_pictures()
        self.usage = Usage()
        if self.s.get("camera"):
            GLib.timeout_add(int(1000 * self.s["duration"]), lambda: self.runner.finish() or False)
            return
        clip = clips.Clip(self.s["clip"], self.s["width"], self.s["height"], "clip")
        Feeder(self.runner["source"], clip, self.s, begin, self.on_captured).start()

    def run(self):
        status = self.runner.run(self.begin)
        for table in (self.captured, self.encoded, self.rates):
            table.close()
        self.usage.write(f"{self.s['out']}/sender-usage.json")
        return status


if __name__ == "__main__":
    main(Sender)
