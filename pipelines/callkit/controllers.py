# SPDX-License-Identifier: LGPL-2.1-or-later
"""Controllers by name: what follows the payloader at the sender, and what stands in front of the depayloader at the
receiver. A rival of another make is a class more, registered in KINDS."""
from . import codecs, units

RTX_PAYLOAD = 97
RTX_HISTORY = 1000  # ms that a sender keeps packets for
# s that a receiver waits for a missing packet. One sent again takes a round trip and what its loss takes to show.
LATENCY, RTX_LATENCY = 0.1, 0.25
REPAIR_LATENCY = 0.4  # of a rival that repairs by itself: what tfrcsrc waits at most (repair-latency)
TWCC, TWCC_ID = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01", 1
MODES = ("low-delay", "rfc5348", "burst-control")


def rtx_map(encoder):
    return f'"map,{codecs.CODECS[encoder].payload}=(uint){RTX_PAYLOAD}"'


def latency(s, controller=None):
    """s that the receiver waits for a missing packet; None: it finds its own wait, which grows where repair needs it."""
    return s["latency"] if s.get("latency") is not None else (controller or make(s["controller"])).latency


def in_time(s):
    """Whether pictures are shown at their time, as in a window, and those that are late not; else as they are decoded."""
    return getattr(make(s["controller"]), "in_time", False)


REPAIRS = {"norepair": "none", "byrtx": "rtx", "byfec": "fec"}


class Ours:
    """tfrcsink and tfrcsrc: `low-delay`, `rfc5348`, `burst-control`, or `ours` with the mode beside. They repair what
    they lose by themselves; `+norepair`: not, `+byrtx`, `+byfec`: so alone, `+rtx`: rtprtxsend does, as told by hand.
    `+window`: their pictures are shown in time."""

    adapts = True
    stats = True  # both ends have them
    modules = {"sender": "callkit.sender", "receiver": "callkit.receiver"}

    def __init__(self, name):
        base, plus, option = name.partition("+")
        if base not in (*MODES, "ours") or plus and option not in ("rtx", "window", *REPAIRS):
            raise ValueError(f"no such controller: {name}")
        self.mode, self.rtx = base if base != "ours" else None, option == "rtx"
        self.repair = f" repair={REPAIRS[option]}" if option in REPAIRS else ""
        self.in_time = option == "window"
        self.latency = {"rtx": RTX_LATENCY, "norepair": LATENCY}.get(option)

    def send(self, s):
        parts = [f"tfrcsink name=sink host={s['host']} port={s['port']} mode={self.mode or s['mode']}"]
        for name in ("start", "min", "max"):
            if s.get(name):
                parts.append(f"{name}-bitrate={int(s[name])}")
        if s.get("ecn"):
            parts.append("ecn=classic")
        if s.get("weight"):
            parts.append(f"path-weight={s['weight']:g}")
        sink = " ".join(parts + [s.get("sink_properties", "")]) + self.repair
        if not self.rtx:
            return sink
        return (f"rtprtxsend name=rtx payload-type-map={rtx_map(s['encoder'])} max-size-packets=0 "
                f"max-size-time={RTX_HISTORY} ! {sink}")

    def receive(self, s):
        rtx = f"rtx-payload-type-map={rtx_map(s['encoder'])}" if self.rtx else ""
        wait = latency(s, self)  # one that is told does not grow
        told = f"latency={round(1000 * wait)}" if wait is not None else ""
        return (f"tfrcsrc name=source port={s['port']} encoding-name={codecs.CODECS[s['encoder']].encoding_name} "
                f"{told} {rtx} {s.get('source_properties', '')}{self.repair}")


class Told:
    """Plain UDP at a rate that somebody gives: `fixed:RATE`, and `oracle`, which is told the capacity."""

    adapts = False
    stats = False
    latency = LATENCY
    modules = Ours.modules

    def __init__(self, name):
        kind, _, rate = name.partition(":")
        if kind == "fixed":
            units.rate(rate)
        elif rate:
            raise ValueError(f"no such controller: {name}")

    def send(self, s):
        return f"udpsink name=sink host={s['host']} port={s['port']} sync=false"

    def receive(self, s):
        codec = codecs.CODECS[s["encoder"]]
        return (f"udpsrc name=source port={s['port']} buffer-size=1000000 caps=application/x-rtp,media=video,"
                f"clock-rate=90000,encoding-name={codec.encoding_name},payload={codec.payload} ! "
                f"rtpjitterbuffer latency={round(1000 * latency(s))}")


class Farstream:
    """Farstream's TFRC (callkit.farstream) to tfrcsrc. It knows no limits; `start` is its first rate."""

    adapts = True
    stats = False
    latency = LATENCY
    modules = {"sender": "callkit.farstream", "receiver": "callkit.receiver"}

    def __init__(self, name):
        if name != "farstream":
            raise ValueError(f"no such controller: {name}")

    def receive(self, s):
        # it takes TFRC's reports from compound packets only
        return Ours("rfc5348").receive(s | {"source_properties": "reduced-size=false"})


class InRtpbin:
    """An element in front of the sender's rtpbin, another rtpbin at the receiver (callkit.gcc); nothing is sent again.
    `gcc`: gst-plugins-rs' rtpgccbwe, without ratecontrol. `rtptfrcbwe`: ours in its place, whose rate events
    ratecontrol takes."""

    ELEMENTS = {"gcc": "rtpgccbwe", "rtptfrcbwe": "rtptfrcbwe"}
    stats = False
    latency = LATENCY
    modules = {"sender": "callkit.gcc", "receiver": "callkit.gccreceiver"}

    def __init__(self, name):
        if name not in self.ELEMENTS:
            raise ValueError(f"no such controller: {name}")
        self.element, self.adapts = self.ELEMENTS[name], name != "gcc"

    def missing(self):
        """What helps where the element is not installed."""
        if self.element == "rtpgccbwe":
            return ("the controller gcc needs the element rtpgccbwe, which is not installed: tests/quality/rivals/build makes "
                    "it (a Rust compiler, some minutes); rtptfrcbwe, in its place, is built already")
        return f"the element {self.element} is not installed: pipelines/setup builds it"

    def send(self, s):
        limits = " ".join(f"{key}-bitrate={int(s[name])}" for name, key in
                          (("max", "max"), ("min", "min"), ("start", "estimated")) if s.get(name))
        if self.adapts and s.get("weight"):
            limits += f" path-weight={s['weight']:g}"
        sink = f"host={s['host']} port={s['port']} sync=false async=false close-socket=false"
        return (f"{self.element} name=bwe {limits} ! session.send_rtp_sink_0 rtpbin name=session rtp-profile=avpf "
                f"session.send_rtp_src_0 ! udpsink name=sink {sink} "
                f"session.send_rtcp_src_0 ! udpsink name=sink-rtcp {sink} "
                "udpsrc name=source-rtcp address=127.0.0.1 port=0 ! session.recv_rtcp_sink_0")

    def receive(self, s):
        codec = codecs.CODECS[s["encoder"]]
        caps = (f"application/x-rtp,media=video,clock-rate=90000,encoding-name={codec.encoding_name},"
                f"payload={codec.payload},rtcp-fb-transport-cc=(boolean)true,rtcp-fb-nack-pli=(boolean)true,"
                f"extmap-{TWCC_ID}=(string){TWCC}")
        return (f"rtpbin name=session rtp-profile=avpf latency={round(1000 * latency(s))} do-retransmission=false "
                f"udpsrc name=source port={s['port']} buffer-size=1000000 caps=\"{caps}\" "
                "! session.recv_rtp_sink_0 session.send_rtcp_src_0 ! "
                "udpsink name=rtcp host=127.0.0.1 sync=false async=false close-socket=false session.")


class WebRtc:
    """A sender of WebRTC with its own encoder of the codec, to webrtcbin (webrtckit.receiver): `chromium`, Chromium's own,
    and `webrtcsink` of gst-plugins-rs, with `+rtptfrcbwe` in place of rtpgccbwe. The receiver asks for what is lost and has
    a player's patience; with `+norepair` it does not, with `+fec` it agrees on RED and ULPFEC as well. With `+browser` the
    receiver is a Chromium, too, as it comes (webrtckit.browserreceiver)."""

    SENDERS = {"chromium": "webrtckit.sender", "webrtcsink": "webrtckit.webrtcsink"}
    NEEDS = {"chromium": ("nicesink", "install gstreamer1.0-nice"),
             "webrtcsink": ("webrtcsink", "tests/quality/rivals/build webrtcsink makes it (a Rust compiler, some minutes)")}
    NAMES = ("chromium", "chromium+norepair", "chromium+fec", "chromium+browser", "webrtcsink", "webrtcsink+norepair", "webrtcsink+rtptfrcbwe")
    adapts = True
    stats = False
    camera = False  # they play a clip

    def __init__(self, name):
        if name not in self.NAMES:
            raise ValueError(f"no such controller: {name}")
        base, _, option = name.partition("+")
        self.ours, self.repairs, self.fec = option == "rtptfrcbwe", option != "norepair", option == "fec"
        self.latency = REPAIR_LATENCY if self.repairs else LATENCY
        self.modules = {"sender": self.SENDERS[base],
                        "receiver": "webrtckit.browserreceiver" if option == "browser" else "webrtckit.receiver"}
        self.name, (self.element, self.cure) = name, self.NEEDS[base]

    def missing(self):
        return f"the controller {self.name} needs the element {self.element}, which is not installed: {self.cure}"

    def receive(self, s):
        return f"webrtcbin name=session bundle-policy=max-bundle latency={round(1000 * latency(s))} session."


KINDS = {"chromium": WebRtc, "farstream": Farstream, "fixed": Told, "gcc": InRtpbin, "oracle": Told,
         "rtptfrcbwe": InRtpbin, "webrtcsink": WebRtc}
KINDS |= {mode: Ours for mode in ("ours", *MODES)}


def make(name):
    """ValueError where there is none of this name."""
    kind = name.partition("+")[0].partition(":")[0]
    if kind not in KINDS:
        raise ValueError(f"no such controller: {name}")
    return KINDS[kind](name)
