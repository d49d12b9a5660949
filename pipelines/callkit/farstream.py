# SPDX-License-Identifier: LGPL-2.1-or-later
"""The sending process of controller `farstream`: Farstream 0.2's conference with its TFRC, which sets its encoder's bit
rate itself. The other end is tfrcsrc, since Farstream's own receiver reports that nothing arrives (0.2.9 under GStreamer
1.x); its RTP and RTCP, two ports by its raw UDP transmitter, share one across the network."""
import select
import socket
import threading
import time

import gi

from . import codecs, sender
from .farstreamfixes import RTCP, RTP, let_link, set_extension
from .gstio import GLib, Gst, Runner, main, say, wait_for_start

LEAD = 1.2  # s before the pictures that its call is opened
READY = 10.0  # s that its transmitter may take


class Relay(threading.Thread):
    """Between Farstream's two ports and the one that the network knows."""

    def __init__(self, to):
        super().__init__(daemon=True)
        self.inside, self.outside = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
        for each in (self.inside, self.outside):
            each.bind(("127.0.0.1", 0))
        self.outside.connect(to)
        self.port = self.inside.getsockname()[1]
        self.farstream = {}  # component: port

    def run(self):
        while True:
            for ready in select.select([self.inside, self.outside], [], [])[0]:
                try:
                    self.pass_on(ready, ready.recv(65536))
                except ConnectionRefusedError:
                    pass

    def pass_on(self, ready, data):
        if ready is self.inside:
            self.outside.send(data)
            return
        component = RTCP if len(data) > 1 and 192 <= data[1] <= 223 else RTP
        if component in self.farstream:
            self.inside.sendto(data, ("127.0.0.1", self.farstream[component]))


def settings_of(description):
    """{property: text} of the first element of a gst-launch text."""
    return dict(word.split("=", 1) for word in description.split("!")[0].split() if "=" in word)


class Farstream(sender.Sender):
    """Sender.on_frame and the tables as for any other; pipeline, rate and start are Farstream's."""

    def __init__(self, settings):
        gi.require_version("Farstream", "0.2")
        from gi.repository import Farstream as fs
        self.fs = fs
        if settings["encoder"] != "x264enc":
            raise SystemExit("Farstream's TFRC is for the encoders that it knows: set x264enc")
        self.hide_srtp()
        self.told = None
        if settings.get("wait"):
            say("sender", ready=True)
            self.told = wait_for_start(LEAD)
        super().__init__(settings)

    @staticmethod
    def hide_srtp():
        """With it there Farstream 0.2.9 encrypts with no key and fails."""
        registry = Gst.Registry.get()
        plugin = registry.find_plugin("srtp")
        if plugin:
            registry.remove_plugin(plugin)

    def build(self):
        runner = Runner(sender.source_description(self.s) + " ! identity name=camera")
        self.conference = Gst.ElementFactory.make("fsrtpconference")
        if self.conference is None:
            raise SystemExit("fsrtpconference is not installed: package libfarstream-0.2-5")
        self.relay = Relay((self.s["host"], self.s["port"]))
        self.relay.start()
        self.notifier = self.fs.ElementAddedNotifier.new()
        self.notifier.set_default_properties(self.conference)
        self.notifier.connect("element-added", self.on_element)
        self.notifier.add(runner.pipeline)
        runner.pipeline.add(self.conference)
        self.session = self.conference.new_session(self.fs.MediaType.VIDEO)
        self.session.set_codec_preferences([self.codec_offered()])
        set_extension(self.session, b"rtp-header-extension-preferences")
        runner["camera"].get_static_pad("src").link(self.session.get_property("sink-pad"))
        if self.s.get("start"):
            self.session.set_property("send-bitrate", int(self.s["start"]))
        self.stream = self.session.new_stream(self.conference.new_participant(), self.fs.StreamDirection.BOTH)
        runner.on_element_message = self.on_conference
        return runner

    def codec_offered(self):
        codec = self.fs.Codec.new(self.codec.payload, self.codec.encoding_name, self.fs.MediaType.VIDEO, 90000)
        codec.add_feedback_parameter("tfrc", "", "")
        codec.add_feedback_parameter("nack", "pli", "")
        codec.minimum_reporting_interval = 0  # ms; its own 5 s starve TFRC
        return codec

    def watch(self):
        """Its elements come later: on_element."""

    def on_element(self, _notifier, _bin, element):
        factory = element.get_factory().get_name() if element.get_factory() else ""
        wanted = {}
        if factory == "x264enc":
            wanted = settings_of(f"{self.codec.encoder} {self.codec.live}")
        elif factory == "rtph264pay":
            wanted = settings_of(self.codec.pay) | {"mtu": str(codecs.MTU), "timestamp-offset": "0"}
            element.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, self.on_frame)
        elif factory == "rtpmux" or factory == "rtpdtmfmux":
            wanted = {"timestamp-offset": "0"}
        elif element.get_name().startswith("fsrtppacketmodder"):
            let_link(element.get_static_pad("src"))
        for name, value in wanted.items():
            Gst.util_set_object_arg(element, name, value)

    def on_conference(self, message):
        structure = message.get_structure()
        if structure.get_name() == "farstream-new-local-candidate":
            candidate = structure.get_value("candidate").copy()
            self.relay.farstream[candidate.component_id] = candidate.port
        elif structure.get_name() == "farstream-error":
            say("error", text=structure.get_string("error-msg"))

    def connect(self):
        """Once the pipeline plays."""
        self.stream.set_transmitter_ht("rawudp", {"upnp-mapping": False, "upnp-discovery": False})
        new = self.fs.Candidate.new
        self.stream.force_remote_candidates([
            new("remote", component, self.fs.CandidateType.HOST, self.fs.NetworkProtocol.UDP, "127.0.0.1",
                self.relay.port) for component in (RTP, RTCP)])

    def negotiate(self):
        """From here on it sends, and chooses a frame rate by what its control allows."""
        set_extension(self.stream, b"rtp-header-extensions")
        self.stream.set_remote_codecs([self.codec_offered()])
        return GLib.SOURCE_REMOVE

    def wait_until(self, done):
        context = GLib.MainContext.default()
        while not done():
            context.iteration(False)
            time.sleep(0.005)

    def report(self):
        bitrate = self.session.get_property("send-bitrate")
        if bitrate:
            self.on_rate({"bitrate": bitrate})
        return super().report()

    def start_of_pictures(self):
        self.zero, begin = self.told or (None, time.monotonic())
        return begin

    def begin(self):
        super().begin()
        self.runner.pipeline.set_start_time(0)  # its clock begins with the pictures, not with the transmitter
        GLib.idle_add(self.negotiate)

    def run(self):
        """Its transmitter needs a pipeline that plays; one that then pauses for long gets few of the pictures through."""
        self.runner.pipeline.set_state(Gst.State.PLAYING)
        self.connect()
        limit = time.monotonic() + READY
        self.wait_until(lambda: len(self.relay.farstream) == 2 or time.monotonic() > limit)
        if self.told:
            self.wait_until(lambda: time.monotonic() >= self.told[1])
        return super().run()


if __name__ == "__main__":
    main(Farstream)
