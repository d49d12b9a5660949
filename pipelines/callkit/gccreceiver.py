# SPDX-License-Identifier: LGPL-2.1-or-later
"""The receiving process of controllers that are an element in front of rtpbin: see callkit.gcc."""
import gi

from . import receiver
from .gcc import share_socket
from .gstio import Gst, main

gi.require_version("GstNet", "1.0")
from gi.repository import GstNet  # noqa: E402


class Receiver(receiver.Receiver):
    def __init__(self, settings):
        super().__init__(settings)
        share_socket(self.runner, "source", ("rtcp",))
        self.runner["source"].get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, self.on_datagram)

    def on_datagram(self, _pad, info):
        """Reports go to where the first packet came from."""
        address = GstNet.buffer_get_net_address_meta(info.get_buffer()).addr
        self.runner["rtcp"].set_property("host", address.get_address().to_string())
        self.runner["rtcp"].set_property("port", address.get_port())
        return Gst.PadProbeReturn.REMOVE


if __name__ == "__main__":
    main(Receiver)
