# SPDX-License-Identifier: LGPL-2.1-or-later
"""The sending process of controllers that are an element in front of rtpbin: gst-plugins-rs' rtpgccbwe (`gcc`), its
estimate set at the encoder as webrtcsink does, and rtptfrcbwe. The other end, callkit.gccreceiver, is an rtpbin that
reports every packet (TWCC) and asks for key units. tests/quality/rivals/build makes rtpgccbwe."""
import gi

from . import codecs, controllers, sender
from .gstio import Gst, Runner, main, structure_to_dict

gi.require_version("GstRtp", "1.0")
from gi.repository import GstRtp  # noqa: E402,F401  so that extensions have an identity to set

EXTENSION = 8  # bytes a packet


def wire_rate(payload_rate):
    """IP packets of the largest size for so much RTP payload, bit/s."""
    return payload_rate * (codecs.MTU + EXTENSION + 28) / (codecs.MTU - 12)


def share_socket(runner, source, sinks):
    """One port for both ways, and for RTP and RTCP."""
    runner[source].set_state(Gst.State.READY)
    for name in sinks:
        runner[name].set_property("socket", runner[source].get_property("used-socket"))


class Sender(sender.Sender):
    def build(self):
        controller = controllers.make(self.s["controller"])
        if not controller.adapts and not self.codec.unit:
            raise SystemExit(f"{self.s['encoder']} has no bit rate to set")
        if Gst.ElementFactory.find(controller.element) is None:
            raise SystemExit(controller.missing())
        runner = Runner(sender.description(self.s))
        extension = Gst.ElementFactory.make("rtphdrexttwcc")
        extension.set_id(controllers.TWCC_ID)
        runner["pay"].emit("add-extension", extension)
        share_socket(runner, "source-rtcp", ("sink", "sink-rtcp"))
        self.bare = not controller.adapts
        if self.bare:
            runner["bwe"].connect("notify::estimated-bitrate", lambda element, _: self.follow(element))
        return runner

    def watch(self):
        super().watch()
        if self.bare:
            self.follow(self.runner["bwe"])

    def stats(self):
        return {} if self.bare else structure_to_dict(self.runner["bwe"].get_property("stats"))

    def follow(self, bwe):
        estimate = bwe.get_property("estimated-bitrate")
        self.runner["encoder"].set_property(self.codec.knob, max(1, int(estimate / self.codec.unit)))
        self.on_rate({"bitrate": estimate, "wire-bitrate": int(wire_rate(estimate))})


if __name__ == "__main__":
    main(Sender)
