# SPDX-License-Identifier: LGPL-2.1-or-later
"""The receiving process: tfrcsrc, depayloader, decoder; shows what comes (callkit.display) and keeps the stream in
received.mkv. Its settings are one JSON object."""
import collections
import time

from .gstio import GLib, Gst, Runner, Usage, main, say, structure_to_dict
from . import codecs, controllers, film
from .display import Display

import gi

gi.require_version("GstRtp", "1.0")
gi.require_version("GstApp", "1.0")
from gi.repository import GstApp, GstRtp  # noqa: E402,F401

RTP_CLOCK = 90000
# What shows pictures: as they are decoded, or in time as a GstVideoSink does, which drops those that are late.
SCREEN = {False: "sync=false", True: "sync=true max-lateness=5000000 processing-deadline=15000000 qos=true"}


def description(s):
    codec = codecs.CODECS[s["encoder"]]
    depay, decoder, muxable = (s.get("depay") or codec.depay, s.get("decode") or codec.decoder,
                               s.get("record") or codec.muxable)
    raw = f"video/x-raw,format=I420,width={s['width']},height={s['height']}"
    show = "tee name=shown ! queue ! autovideosink sync=false shown. ! " if s.get("window") else ""
    return (f"{controllers.make(s['controller']).receive(s)} ! {depay} name=depay ! tee name=stream "
            f"stream. ! {decoder} name=decoder ! {show}videoconvert ! videoscale ! {raw} ! "
            f"appsink name=picture {SCREEN[controllers.in_time(s)]} async=false emit-signals=true "
            f"stream. ! {muxable} ! appsink name=record sync=false async=false emit-signals=true")


class Recorder:
    """Writes a stream as it came. On its own: a failure here is no failure of the call."""

    def __init__(self, path):
        self.path, self.pipeline, self.last_pts = path, None, 0

    def push(self, caps, buffer):
        if self.pipeline is None:
            self.pipeline = Gst.parse_launch("appsrc name=in format=time ! matroskamux ! filesink name=file")
            self.pipeline.get_by_name("file").set_property("location", self.path)
            self.source = self.pipeline.get_by_name("in")
            self.source.set_property("caps", caps)
            self.pipeline.set_state(Gst.State.PLAYING)
        self.source.emit("push-buffer", self.with_time(buffer))

    def with_time(self, buffer):
        """A parser takes the time from a frame whose time is that of the one before, as where the jitter buffer's clock
        would go back; a muxer drops what has none, and the parser of whoever plays it takes a time that stands twice."""
        if buffer.pts == Gst.CLOCK_TIME_NONE:
            buffer = buffer.copy_deep()  # copy () is a reference only, in Python
            buffer.pts = self.last_pts + Gst.MSECOND
        self.last_pts = buffer.pts
        return buffer

    def close(self):
        if self.pipeline is None:
            return
        self.source.emit("end-of-stream")
        self.pipeline.get_bus().timed_pop_filtered(
            3 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        self.pipeline.set_state(Gst.State.NULL)


class FrameNumbers:
    """Frame numbers of decoded pictures: the depayloader hands on a packet's time stamp, and the packet's RTP time
    stamp is k/fps in units of 1/90000 s."""

    def __init__(self, pad, fps):
        self.fps = fps
        self.by_pts = collections.OrderedDict()
        self.unwrapped = None
        self.origin = 0  # time stamp of frame 0; None: of the first packet
        self.misses = 0
        pad.add_probe(Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST, self.on_packets)

    def count_from_first(self):
        """For a sender whose time stamps begin anywhere: numbers from the first packet's frame on."""
        self.origin = None

    def on_packets(self, _pad, info):
        if info.type & Gst.PadProbeType.BUFFER_LIST:
            packets = info.get_buffer_list()
            for i in range(packets.length()):
                self.note(packets.get(i))
        else:
            self.note(info.get_buffer())
        return Gst.PadProbeReturn.OK

    def note(self, buffer):
        header = buffer.extract_dup(0, 12)
        if len(header) < 12:
            return
        stamp = int.from_bytes(header[4:8], "big")
        if self.unwrapped is None:
            self.unwrapped = stamp if stamp < 1 << 31 else stamp - (1 << 32)
        else:
            self.unwrapped += ((stamp - self.unwrapped + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)
        if self.origin is None:
            self.origin = self.unwrapped
        self.by_pts[buffer.pts] = round((self.unwrapped - self.origin) * self.fps / RTP_CLOCK)
        while len(self.by_pts) > 2000:
            self.by_pts.popitem(last=False)

    def of(self, pts):
        number = self.by_pts.get(pts)
        if number is None:
            self.misses += 1
            earlier = [n for at, n in self.by_pts.items() if at <= pts]
            number = earlier[-1] if earlier else None
        return number


class Receiver:
    def __init__(self, settings):
        self.s = settings
        self.controller = controllers.make(settings["controller"])
        self.runner = Runner(description(settings))
        if settings.get("wait"):  # it plays long before its flow begins
            self.runner.expected = [(Gst.resource_error_quark(), Gst.ResourceError.READ)]
        self.usage = Usage()
        self.display = Display(settings)
        self.take = self.display.show  # (number, I420, now)
        self.numbers = FrameNumbers(self.runner["depay"].get_static_pad("sink"), settings["fps"])
        self.recorder = Recorder(f"{settings['out']}/{film.RECEIVED}")
        self.runner["picture"].connect("new-sample", self.on_picture)
        self.runner["record"].connect("new-sample", self.on_record)
        GLib.timeout_add(200, self.report)
        GLib.timeout_add(int(1000 * (settings["duration"] + 60)), self.runner.finish)  # should nobody stop it

    def on_record(self, sink):
        sample = sink.emit("pull-sample")
        self.recorder.push(sample.get_caps(), sample.get_buffer())
        return Gst.FlowReturn.OK

    def number_of(self, buffer):
        """The frame that a decoded picture is; None where nothing tells."""
        return self.numbers.of(buffer.pts)

    def on_picture(self, sink):
        now = time.monotonic()
        self.take_picture(sink.emit("pull-sample").get_buffer(), now)
        return Gst.FlowReturn.OK

    def take_picture(self, buffer, now):
        number = self.number_of(buffer)
        if number is None:
            return
        measuring = time.thread_time()
        self.take(number, buffer.extract_dup(0, buffer.get_size()) if self.display.clip else None, now)
        self.usage.measuring += time.thread_time() - measuring

    def report(self):
        fps, score = self.display.of_last_second()
        stats = {}
        if self.controller.stats:
            structure = self.runner["source"].get_property("stats")
            stats = structure_to_dict(structure) if structure else {}
        say("receiver", fps=fps, psnr=score, stats=stats)
        return True

    def ended(self):
        self.recorder.close()
        self.display.close()
        self.usage.write(f"{self.s['out']}/receiver-usage.json")
        if self.numbers.misses:
            say("warning", text=f"{self.numbers.misses} pictures had no packet's time stamp")

    def run(self):
        status = self.runner.run()
        self.ended()
        return status


if __name__ == "__main__":
    main(Receiver)
