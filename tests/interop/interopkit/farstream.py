# SPDX-License-Identifier: LGPL-2.1-or-later
"""A Farstream video call of one stream, H.264 over its rawudp transmitter, with TFRC switched on."""
import pathlib
import sys

from . import skip

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "pipelines"))
from callkit.farstreamfixes import EXTENSION_ID, RTCP, RTP, let_link, set_extension  # noqa: E402,F401

PAYLOAD = 96

# libgstsrtp.so is not among them: with it there Farstream 0.2.9 encrypts with no key and fails.
PLUGINS = ["coreelements", "app", "autoconvert", "videotestsrc", "videoconvertscale", "videorate", "videoparsersbad", "x264",
           "libav", "rtp", "rtpmanager", "udp", "typefindfunctions", "fsrtpconference", "fsvideoanyrate"]


def load():
    import gi
    try:
        gi.require_version("Farstream", "0.2")
        from gi.repository import Farstream
    except ValueError:
        skip("gir1.2-farstream-0.2 is not installed")
    return Farstream


class Farstream:
    """Speaks to the relay, which learns its ports. on_stream (pad) is told of what arrives."""

    def __init__(self, Gst, pipeline, relay, on_stream=None):
        self.Gst, self.fs = Gst, load()
        self.relay, self.ports, self.on_stream, self.errors = relay, {}, on_stream, []
        self.conference = Gst.ElementFactory.make("fsrtpconference")
        if self.conference is None:
            skip("fsrtpconference is not installed (libfarstream-0.2-5)")
        self.notifier = self.fs.ElementAddedNotifier.new()
        self.notifier.set_default_properties(self.conference)
        self.notifier.add(pipeline)
        self.bus = pipeline.get_bus()
        self.bus.add_signal_watch()
        self.bus.connect("message", self.on_message)
        self.conference.connect("element-added", self.on_element)
        pipeline.add(self.conference)
        self.session = self.conference.new_session(self.fs.MediaType.VIDEO)
        self.session.set_codec_preferences([self.codec()])
        set_extension(self.session, b"rtp-header-extension-preferences")
        self.stream = self.session.new_stream(
            self.conference.new_participant(), self.fs.StreamDirection.BOTH)
        self.stream.connect("src-pad-added", self.on_pad)

    def codec(self):
        codec = self.fs.Codec.new(PAYLOAD, "H264", self.fs.MediaType.VIDEO, 90000)
        codec.add_feedback_parameter("tfrc", "", "")
        codec.add_feedback_parameter("nack", "pli", "")
        codec.minimum_reporting_interval = 0  # ms; its own 5 s starve TFRC
        return codec

    def start(self):
        """Once the pipeline plays."""
        self.stream.set_transmitter_ht("rawudp", {"upnp-mapping": False, "upnp-discovery": False})
        new = self.fs.Candidate.new
        self.stream.force_remote_candidates([
            new("remote", component, self.fs.CandidateType.HOST, self.fs.NetworkProtocol.UDP, "127.0.0.1",
                self.relay.port)
            for component in (RTP, RTCP)])
        set_extension(self.stream, b"rtp-header-extensions")
        self.stream.set_remote_codecs([self.codec()])

    def on_element(self, _bin, element):
        if element.get_name().startswith("fsrtppacketmodder"):
            let_link(element.get_static_pad("src"))

    def on_pad(self, _stream, pad, _codec):
        if self.on_stream:
            self.on_stream(pad)

    def on_message(self, _bus, message):
        if message.type == self.Gst.MessageType.ERROR:
            self.errors.append(message.parse_error()[0].message)
            return
        structure = message.get_structure() if message.type == self.Gst.MessageType.ELEMENT else None
        if structure is None:
            return
        if structure.get_name() == "farstream-new-local-candidate":
            candidate = structure.get_value("candidate").copy()
            self.ports[candidate.component_id] = candidate.port
        elif structure.get_name() == "farstream-error":
            self.errors.append(structure.get_string("error-msg"))
        if len(self.ports) == 2:
            self.relay.split = ("127.0.0.1", self.ports[RTP]), ("127.0.0.1", self.ports[RTCP])
