# SPDX-License-Identifier: LGPL-2.1-or-later
"""One call of webrtcbin with a browser: the offer is ours, the answer the browser's. GStreamer only."""
import collections
import math
import threading
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstWebRTC", "1.0")
gi.require_version("GstRtp", "1.0")
from gi.repository import GLib, Gst, GstRtp, GstWebRTC  # noqa: E402,F401

from . import signalling  # noqa: E402

TWCC = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
TWCC_ID = 1
PAYLOAD = 96
HISTORY = 600  # figures, one every TICK
TICK = 0.2  # s
START = 10  # s that the source may take

SCREEN = "decodebin ! videoconvert ! fakesink name=screen sync=false async=false"
# As in an SFU: a link behind us that the browser does not see. The shaper in front of it tells, the session takes it along.
LEG = ("shaper.sink_0 paqmshaper name=shaper capacity={} signalling=remb shaper.rtcp_src ! rtcpinject name=inject bin=webrtc "
       "shaper. !")

ENCODERS = {
    "VP8": ("vp8enc deadline=1 cpu-used=8 threads=1 end-usage=cbr keyframe-max-dist=3000 error-resilient=partitions "
            "target-bitrate=300000", "rtpvp8pay picture-id-mode=15-bit", "target-bitrate", 1),
    "H264": ("x264enc tune=zerolatency speed-preset=ultrafast threads=1 key-int-max=3000 vbv-buf-capacity=100 bitrate=300 ! "
             "video/x-h264,profile=constrained-baseline",
             "rtph264pay config-interval=-1 aggregate-mode=zero-latency", "bitrate", 1000),
}


def rtp_caps(codec):
    fmtp = ",packetization-mode=(string)1" if codec == "H264" else ""
    return (f"application/x-rtp,media=video,encoding-name={codec},payload={PAYLOAD},clock-rate=90000{fmtp},"
            "rtcp-fb-nack-pli=true,rtcp-fb-ccm-fir=true,rtcp-fb-transport-cc=true,rtcp-fb-goog-remb=true")


class Call:
    """settings: codec, source (gst-launch text of raw video), element (of the rate), start, max (bit/s), encoder_max
    (bit/s that the encoder is good for; none: all), ratecontrol (whether that sets the encoder, not this program), receive (whether the browser is asked for its camera), local (only
    addresses of this machine), leg (bit/s of a link that what the browser sends goes on to)."""

    def __init__(self, settings):
        self.s = settings
        self.history = collections.deque(maxlen=HISTORY)
        self.problems = []
        self.shown = {"received": 0}
        self.bwe = self.theirs = None
        self.began = time.monotonic()
        self.produced = self.produced_before = 0
        self.pipeline = Gst.Pipeline.new("call")
        self.webrtc = Gst.ElementFactory.make("webrtcbin", "webrtc")
        self.webrtc.set_property("bundle-policy", GstWebRTC.WebRTCBundlePolicy.MAX_BUNDLE)
        self.webrtc.set_property("latency", 50)
        self.webrtc.connect("request-aux-sender", self.on_aux_sender)
        self.webrtc.connect("pad-added", self.on_pad)
        self.pipeline.add(self.webrtc)
        self.media = self.add_media()
        if settings.get("local"):
            self.ice = self.webrtc.get_property("ice-agent")  # kept: its only reference is a floating one
            self.ice.emit("add-local-ip-address", "127.0.0.1")
        if settings.get("receive"):
            self.add_receiver()
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message::error", self.on_error)
        self.pipeline.set_state(Gst.State.PLAYING)
        self.timer = GLib.timeout_add(int(1000 * TICK), self.on_tick)

    def add_media(self):
        encoder, pay, knob, unit = ENCODERS[self.s["codec"]]
        control = f"ratecontrol max-bitrate={int(self.s.get('encoder_max') or 4e9)} ! " if self.s.get("ratecontrol") else ""
        media = Gst.parse_bin_from_description(
            f"{self.s['source']} ! videoconvert ! videoscale ! queue max-size-buffers=2 leaky=downstream ! "
            f"{encoder.replace('enc ', 'enc name=encoder ', 1)} ! {control}identity name=produced ! "
            f"{pay} name=pay pt={PAYLOAD} mtu=1200 ! capsfilter caps=\"{rtp_caps(self.s['codec'])}\"", True)
        extension = Gst.ElementFactory.make("rtphdrexttwcc")
        extension.set_id(TWCC_ID)
        media.get_by_name("pay").emit("add-extension", extension)
        self.encoder, self.knob, self.unit = media.get_by_name("encoder"), knob, unit
        media.get_by_name("produced").get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, self.on_produced)
        self.pipeline.add(media)
        pad = self.webrtc.request_pad_simple("sink_0")
        pad.get_property("transceiver").set_property("direction", GstWebRTC.WebRTCRTPTransceiverDirection.SENDONLY)
        self.has_caps = threading.Event()
        pad.connect("notify::caps", lambda *_: self.has_caps.set())  # the offer is made of them
        media.get_static_pad("src").link(pad)
        return media

    def on_produced(self, _pad, info):
        self.produced += info.get_buffer().get_size()
        return Gst.PadProbeReturn.OK

    def add_receiver(self):
        profile = ",profile-level-id=(string)42e01f" if self.s["codec"] == "H264" else ""
        caps = Gst.Caps.from_string(f"{rtp_caps(self.s['codec'])}{profile},extmap-{TWCC_ID}=(string){TWCC}")
        self.webrtc.emit("add-transceiver", GstWebRTC.WebRTCRTPTransceiverDirection.RECVONLY, caps)

    def on_aux_sender(self, _webrtc, _transport):
        """Where a program for rtpgccbwe says so, this one says rtptfrcbwe."""
        self.bwe = Gst.ElementFactory.make(self.s["element"], "bwe")
        self.bwe.set_property("max-bitrate", int(self.s["max"]))
        self.bwe.set_property("min-bitrate", 50000)
        self.bwe.set_property("estimated-bitrate", int(self.s["start"]))
        if not self.s.get("ratecontrol"):
            self.bwe.connect("notify::estimated-bitrate", self.on_estimate)
        return self.bwe

    def on_estimate(self, bwe, _spec):
        rate = min(bwe.get_property("estimated-bitrate"), self.s.get("encoder_max") or math.inf)
        self.encoder.set_property(self.knob, max(1, int(rate // self.unit)))

    def on_pad(self, _webrtc, pad):
        if pad.get_direction() != Gst.PadDirection.SRC:
            return
        leg = LEG.format(int(self.s["leg"])) if self.s.get("leg") else ""
        sink = Gst.parse_bin_from_description(f"queue name=in ! {leg} {SCREEN}", False)
        sink.add_pad(Gst.GhostPad.new("sink", sink.get_by_name("in").get_static_pad("sink")))
        self.theirs = sink
        self.pipeline.add(sink)
        sink.sync_state_with_parent()
        pad.link(sink.get_static_pad("sink"))

    def on_error(self, _bus, message):
        error, debug = message.parse_error()
        self.problems.append(f"{error.message} ({debug})")

    # ---- signalling ----

    def offer(self):
        if not self.has_caps.wait(START):
            raise RuntimeError(f"nothing came from the source within {START} s: {self.s['source']}")
        return signalling.offer(self.webrtc)

    def take_answer(self, text):
        signalling.take_answer(self.webrtc, text)

    # ---- figures ----

    def figures(self):
        now = {"time": round(time.monotonic() - self.began, 2),
               "produced": int(8 * (self.produced - self.produced_before) / TICK)}
        self.produced_before = self.produced
        if self.bwe:
            now["estimate"] = self.bwe.get_property("estimated-bitrate")
            if self.bwe.find_property("stats"):
                stats = self.bwe.get_property("stats")
                for name in ("wire-bitrate", "sent-bitrate", "rtt", "queue-delay", "loss-event-rate", "limit", "owner", "backlog", "frames-dropped", "frames-sent"):
                    now[name] = stats.get_value(name)
        return now

    def on_tick(self):
        self.history.append(self.figures() | {"browser": dict(self.shown), "leg": self.of_browser()})
        return True

    def of_browser(self):
        """What came of the browser's pictures; {} before the first."""
        if not self.theirs:
            return {}
        now = {"pictures": self.theirs.get_by_name("screen").get_property("stats").get_value("rendered")}
        if self.s.get("leg"):
            stats = self.theirs.get_by_name("shaper").get_property("stats")
            media = stats.get_value("media")
            now |= {"told": stats.get_value("explicit-rate"), "waits": media.get_value("delay-mean") / 1e9,
                    "remb": self.theirs.get_by_name("inject").get_property("sent"),
                    "dropped": media.get_value("dropped") + media.get_value("tail-dropped")}
        return now

    def close(self):
        GLib.source_remove(self.timer)
        self.pipeline.set_state(Gst.State.NULL)
