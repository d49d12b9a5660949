# SPDX-License-Identifier: LGPL-2.1-or-later
"""The two ends of a call of webrtcbins for tests/quality/accidents: rtptfrcbwe is the aux sender of one, the other only
receives and reports every packet. Offer and answer are files in the call's folder; either end knows the relay as the
only address of the other. A module of its own, as it needs GStreamer's nice, dtls and srtp plug-ins."""
import pathlib
import threading

import gi

from callkit import codecs, gcc, sender
from callkit.gstio import Gst, Runner
from webrtckit import call, signalling
from webrtckit.exchange import leave_file, wait_for_file

gi.require_version("GstWebRTC", "1.0")
from gi.repository import GstWebRTC  # noqa: E402

def find(runner):
    """The webrtcbin, which has no address but this machine's."""
    webrtc = runner["session"]
    webrtc.ice = webrtc.get_property("ice-agent")  # kept: its only reference is a floating one
    webrtc.ice.emit("add-local-ip-address", "127.0.0.1")
    return webrtc


class Sender(gcc.Sender):
    def build(self):
        s, codec = self.s, codecs.CODECS[self.s["encoder"]]
        runner = Runner(
            f"{sender.source_description(s)} ! {codec.encoder} name=encoder ! ratecontrol name=control ! "
            f"{codec.pay} name=pay mtu={codecs.MTU} timestamp-offset=0 ! capsfilter name=caps "
            f'caps="{call.rtp_caps(codec.encoding_name)}" ! webrtcbin name=session bundle-policy=max-bundle')
        extension = Gst.ElementFactory.make("rtphdrexttwcc")
        extension.set_id(call.TWCC_ID)
        runner["pay"].emit("add-extension", extension)
        self.webrtc, self.bwe, self.bare = find(runner), None, False
        self.webrtc.connect("request-aux-sender", self.on_aux_sender)
        runner["caps"].get_static_pad("src").connect("notify::caps", self.on_caps)  # the offer is made of them
        return runner

    def on_aux_sender(self, _webrtc, _transport):
        self.bwe = Gst.ElementFactory.make("rtptfrcbwe", "bwe")
        self.bwe.set_property("max-bitrate", int(self.s["max"]))
        return self.bwe

    def stats(self):
        return {}

    def on_caps(self, pad, _spec):
        pad.disconnect_by_func(self.on_caps)
        threading.Thread(target=self.agree, daemon=True).start()

    def agree(self):
        folder = pathlib.Path(self.s["out"])
        leave_file(folder / "offer.sdp", signalling.offer(self.webrtc))
        answer = wait_for_file(folder / "answer.sdp")
        signalling.take_answer(self.webrtc, signalling.through(answer, self.s["port"], self.s["host"]))


def answer(runner, settings):
    """From now on, when there is an offer."""
    webrtc = find(runner)
    for name in ("min-rtp-port", "max-rtp-port"):
        webrtc.ice.set_property(name, settings["port"])

    def agree():
        folder = pathlib.Path(settings["out"])
        offer = signalling.through(wait_for_file(folder / "offer.sdp"), settings["back"])
        leave_file(folder / "answer.sdp", signalling.answer(webrtc, offer))

    webrtc.emit("add-transceiver", GstWebRTC.WebRTCRTPTransceiverDirection.RECVONLY,
                Gst.Caps.from_string(f"{call.rtp_caps('H264')},extmap-{call.TWCC_ID}=(string){call.TWCC}"))
    threading.Thread(target=agree, daemon=True).start()
