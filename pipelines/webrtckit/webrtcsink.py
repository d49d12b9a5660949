# SPDX-License-Identifier: LGPL-2.1-or-later
"""The sending process that is webrtcsink of gst-plugins-rs as it comes: its own encoder settings, RTX, and rtpgccbwe or,
under that name, rtptfrcbwe. A clip's pictures go in at their times; webrtckit.receiver is the other end.
tests/quality/rivals/build makes webrtcsink and rtpgccbwe."""
import pathlib
import threading
import time

import gi

from callkit import clips, controllers, sender
from callkit.gcc import wire_rate
from callkit.gstio import GLib, Gst, Runner, Usage, main

gi.require_version("GstRtp", "1.0")
gi.require_version("GstWebRTC", "1.0")
from gi.repository import GstRtp, GstWebRTC  # noqa: E402,F401

from . import signalling
from .exchange import leave_file, wait_for_file
from .receiver import ORIGIN

SESSION, BWE = "session", "rtpgccbwe"
START = 20  # s until media flow
CAPS = {"VP8": "video/x-vp8", "H264": "video/x-h264"}


class Sender(sender.Sender):
    """Its signaller's signals are answered here: the first handler that returns true wins."""

    def build(self):
        if controllers.make(self.s["controller"]).ours:
            Gst.Element.register(None, BWE, Gst.Rank.PRIMARY, Gst.ElementFactory.find("rtptfrcbwe").load().get_element_type())
        if Gst.ElementFactory.find(BWE) is None:  # webrtcsink would do without any congestion control
            raise SystemExit(f"{BWE} is not installed: tests/quality/rivals/build makes it")
        if self.codec.encoding_name not in CAPS:
            raise SystemExit(f"webrtcsink sends VP8 or H.264, no {self.codec.encoding_name}: take another --encoder")
        limits = " ".join(f"{name}-bitrate={int(self.s[name])}" for name in ("start", "min", "max") if self.s.get(name))
        return Runner(f"{sender.source_description(self.s)} ! queue ! webrtcsink name=sink "
                      f"video-caps={CAPS[self.codec.encoding_name]} {limits}")

    def watch(self):
        self.folder = pathlib.Path(self.s["out"])
        self.webrtc, self.encodes, self.usage = None, False, Usage()
        sink = self.runner["sink"]
        sink.set_property("stun-server", None)
        self.signaller = sink.get_property("signaller")
        self.signaller.connect("start", self.on_start)
        for name in ("stop", "end-session", "send-ice"):  # where packets come from tells the other end all
            self.signaller.connect(name, lambda *_: True)
        self.signaller.connect("send-session-description", self.on_offer)
        sink.connect("consumer-added", self.on_consumer)
        sink.connect("payloader-setup", self.on_payloader)

    def on_start(self, _signaller):
        GLib.idle_add(lambda: self.signaller.emit("session-requested", SESSION, "receiver", None) and False)
        return True

    def on_offer(self, _signaller, _session, offer):
        leave_file(self.folder / "offer.sdp", signalling.through(offer.sdp.as_text(), None))
        threading.Thread(target=self.take_answer, daemon=True).start()
        return True

    def take_answer(self):
        text = signalling.through(wait_for_file(self.folder / "answer.sdp"), self.s["port"])
        self.signaller.emit("session-description", SESSION, signalling.described("answer", text))

    def on_consumer(self, _sink, _consumer, webrtc):
        self.webrtc = webrtc
        self.ice = webrtc.get_property("ice-agent")  # kept: its only reference is a floating one
        self.ice.emit("add-local-ip-address", "127.0.0.1")
        webrtc.connect("deep-element-added", self.on_element)

    def on_element(self, _webrtc, _bin, element):
        if element.get_factory() and element.get_factory().get_name() in (BWE, "rtptfrcbwe"):
            element.connect("notify::estimated-bitrate", lambda bwe, _: self.follow(bwe))

    def follow(self, bwe):
        estimate = bwe.get_property("estimated-bitrate")
        self.on_rate({"bitrate": estimate, "wire-bitrate": int(wire_rate(estimate))})

    def on_payloader(self, _sink, consumer, _pad, payloader):
        if consumer != "discovery":
            payloader.set_property("timestamp-offset", 0)
            payloader.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, self.on_frame)
        return False

    def on_frame(self, pad, info):
        self.encodes = True
        return super().on_frame(pad, info) if self.origin else Gst.PadProbeReturn.OK

    def begin(self):
        threading.Thread(target=self.play, daemon=True).start()

    def play(self):
        clip = clips.Clip(self.s["clip"], self.s["width"], self.s["height"], "clip")
        shown = self.connect(clip)
        begin = self.start_of_pictures()
        self.origin = self.time_of(shown)  # as if no time had passed: the encoder would save up bits in a pause
        leave_file(self.folder / ORIGIN, str(Gst.util_uint64_scale(self.origin, 90000, Gst.SECOND) & 0xFFFFFFFF))
        self.usage = Usage()
        sender.Feeder(self.runner["source"], clip, self.s, begin, self.on_captured, self.origin).run()

    def time_of(self, number):
        """A picture's time stamp, ns."""
        return Gst.util_uint64_scale(number, Gst.SECOND, self.s["fps"])

    def connected(self):
        state = self.webrtc and self.webrtc.get_property("connection-state")
        return state == GstWebRTC.WebRTCPeerConnectionState.CONNECTED

    def connect(self, clip):
        """Until media flow. It needs pictures to find its encoder by; still ones would leave its rate control at rest.
        Returns how many have been shown."""
        number, end = 0, time.monotonic() + START
        while not (self.encodes and self.connected()):
            if time.monotonic() > end:
                raise RuntimeError("webrtcsink does not begin to encode, as it does now and then: once more should do"
                                   if self.connected() else "webrtcsink does not connect")
            sender.push(self.runner["source"], clip.frame(number), self.time_of(number), self.s["fps"])
            number += 1
            time.sleep(1 / self.s["fps"])
        return number


if __name__ == "__main__":
    main(Sender)
