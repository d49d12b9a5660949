# SPDX-License-Identifier: LGPL-2.1-or-later
"""The receiving process of senders of WebRTC (webrtckit.sender, webrtckit.webrtcsink): a webrtcbin that reports every
packet (TWCC), as GCC wants it, asks for key units and, where the controller repairs, for what is lost. Offer and answer
are files in the call's folder."""
import json
import pathlib
import sys
import threading

import gi

from callkit import codecs, receiver
from callkit.gstio import GLib, Gst, end_when_a_callback_raises, say

from . import call, signalling
from .exchange import leave_file, wait_for_file
from .firstframe import FirstFrame

gi.require_version("GstWebRTC", "1.0")
from gi.repository import GstWebRTC  # noqa: E402

ORIGIN = "origin.rtp"  # the file with the time stamp of webrtcsink's frame 0
NEVER = 1 << 40  # a time stamp


class Receiver(receiver.Receiver):
    def __init__(self, settings):
        super().__init__(settings)
        self.webrtc = self.runner["session"]
        self.ice = self.webrtc.get_property("ice-agent")  # kept: its only reference is a floating one
        self.ice.emit("add-local-ip-address", "127.0.0.1")
        for name in ("min-rtp-port", "max-rtp-port"):
            self.ice.set_property(name, settings["port"])
        name = codecs.CODECS[settings["encoder"]].encoding_name
        profile = ",profile-level-id=(string)42e01f" if name == "H264" else ""
        caps = Gst.Caps.from_string(f"{call.rtp_caps(name)}{profile},extmap-{call.TWCC_ID}=(string){call.TWCC}")
        transceiver = self.webrtc.emit("add-transceiver", GstWebRTC.WebRTCRTPTransceiverDirection.RECVONLY, caps)
        if self.controller.repairs:
            transceiver.set_property("do-nack", True)
            if self.controller.fec:
                transceiver.set_property("fec-type", GstWebRTC.WebRTCFECType.ULP_RED)
            self.webrtc.get_by_name("rtpbin").connect("new-jitterbuffer", self.on_jitterbuffer)

    @staticmethod
    def on_jitterbuffer(_rtpbin, buffer, _session, _ssrc):
        """As browsers do, it asks for what a gap shows, and not for what seems to be late."""
        buffer.set_property("rtx-next-seqnum", False)

    def exchange(self, folder):
        """Offer and answer, through files of the folder."""
        raise NotImplementedError

    def agree(self):
        try:
            self.exchange(pathlib.Path(self.s["out"]))
        except RuntimeError as error:
            say("error", text=str(error))
            self.runner.failed = True
            self.runner.loop.quit()

    def run(self):
        threading.Timer(0.2, self.agree).start()
        return super().run()


class FromSink(Receiver):
    """Of webrtcsink, whose sender tells frame 0's time stamp. What comes before are pictures that it needs to begin."""

    def __init__(self, settings):
        super().__init__(settings)
        self.told = pathlib.Path(settings["out"]) / ORIGIN
        self.numbers.origin = NEVER
        GLib.timeout_add(20, self.look_for_origin)

    def exchange(self, folder):
        offer = signalling.through(wait_for_file(folder / "offer.sdp"), None)
        leave_file(folder / "answer.sdp", signalling.answer(self.webrtc, offer))

    def look_for_origin(self):
        if not self.told.exists():
            return True
        self.numbers.origin = int(self.told.read_text())
        return False

    def number_of(self, buffer):
        number = super().number_of(buffer)
        return None if number is None or number < 0 else number


class FromBrowser(Receiver):
    """Of Chromium, whose time stamps begin anywhere."""

    def __init__(self, settings):
        super().__init__(settings)
        self.numbers.count_from_first()
        self.first = FirstFrame(self.display, settings["fps"])
        self.take = self.first.take

    def exchange(self, folder):
        leave_file(folder / "offer.sdp", signalling.offer(self.webrtc))
        signalling.take_answer(self.webrtc, signalling.through(wait_for_file(folder / "answer.sdp"), None))

    def ended(self):
        self.first.tell()
        super().ended()


if __name__ == "__main__":
    end_when_a_callback_raises()
    Gst.init(None)
    told = json.loads(sys.argv[1])
    sys.exit((FromSink if told["controller"].startswith("webrtcsink") else FromBrowser)(told).run())
