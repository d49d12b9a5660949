# SPDX-License-Identifier: LGPL-2.1-or-later
"""The receiving process of controllers that are an element in front of rtpbin: see callkit.gcc."""
import gi

from . import receiver
from .gcc import share_socket
from .gstio import Gst, main

gi.require_version("GstNet", "1.0")
from gi.repository import GstNet  # noqa: E402


def answer_the_first(runner):
    """Reports go to where the first packet came from."""
    def on_datagram(_pad, info):
        address = GstNet.buffer_get_net_address_meta(info.get_buffer()).addr
        runner["rtcp"].set_property("host", address.get_address().to_string())
        runner["rtcp"].set_property("port", address.get_port())
        return Gst.PadProbeReturn.REMOVE

    runner["source"].get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, on_datagram)


class Receiver(receiver.Receiver):
    def __init__(self, settings):
        super().__init__(settings)
        share_socket(self.runner, "source", ("rtcp",))
        answer_the_first(self.runner)


if __name__ == "__main__":
    main(Receiver)
