# SPDX-License-Identifier: LGPL-2.1-or-later
"""A webrtcbin's offer and the answer to it, as texts with all candidates in them."""
import re
import threading

import gi

gi.require_version("GstWebRTC", "1.0")
gi.require_version("GstSdp", "1.0")
from gi.repository import Gst, GstSdp, GstWebRTC  # noqa: E402

START = 10  # s that addresses may take


def offer(webrtc):
    return describe(webrtc, "offer")


def describe(webrtc, what):
    """what: offer or answer."""
    done = threading.Event()

    def on_gathered(*_):
        if webrtc.get_property("ice-gathering-state") == GstWebRTC.WebRTCICEGatheringState.COMPLETE:
            done.set()

    webrtc.connect("notify::ice-gathering-state", on_gathered)
    created = Gst.Promise.new()
    webrtc.emit(f"create-{what}", None, created)
    created.wait()
    reply = created.get_reply()  # owns the description
    described = reply.get_value(what)
    taken = Gst.Promise.new()
    webrtc.emit("set-local-description", described, taken)
    taken.wait()
    if not done.wait(START):
        raise RuntimeError(f"no addresses were gathered within {START} s")
    return webrtc.get_property("local-description").sdp.as_text()


def described(what, text):
    """what: offer or answer."""
    _, sdp = GstSdp.SDPMessage.new_from_text(text)
    return GstWebRTC.WebRTCSessionDescription.new(getattr(GstWebRTC.WebRTCSDPType, what.upper()), sdp)


def take(webrtc, what, text):
    promise = Gst.Promise.new()
    webrtc.emit("set-remote-description", described(what, text), promise)
    promise.wait()


def take_answer(webrtc, text):
    take(webrtc, "answer", text)


def answer(webrtc, text):
    """To an offer."""
    take(webrtc, "offer", text)
    return describe(webrtc, "answer")


def address_of(sdp):
    """Address and port of the first UDP candidate, as texts."""
    return re.search(r"a=candidate:\S+ 1 udp \d+ (\S+) (\d+) typ host", sdp, re.I).groups()


def port_of(sdp):
    """The port of the first UDP candidate."""
    return int(address_of(sdp)[1])


def through(sdp, port, host="127.0.0.1"):
    """With one candidate, at this port of this machine, in place of all; None: with none."""
    lines, first = [], port is not None
    for line in sdp.splitlines():
        if not line.startswith("a=candidate:"):
            lines.append(line)
        elif first:
            lines.append(f"a=candidate:1 1 udp 2122252543 {host} {port} typ host")
            first = False
        if line.startswith("m="):
            first = port is not None
    return "\r\n".join(lines) + "\r\n"


def with_rates(sdp, start, least, most):
    """An offer that tells a sender of libwebrtc's its rates, bit/s."""
    rates = f"x-google-start-bitrate={start / 1e3:.0f};x-google-min-bitrate={least / 1e3:.0f};x-google-max-bitrate={most / 1e3:.0f}"
    payload = re.search(r"^m=video \d+ \S+ (\d+)", sdp, re.M).group(1)
    if re.search(rf"^a=fmtp:{payload} ", sdp, re.M):
        return re.sub(rf"^(a=fmtp:{payload} [^\r\n]*)", rf"\1;{rates}", sdp, flags=re.M)
    return re.sub(rf"^(a=rtpmap:{payload} [^\r\n]*)", rf"\1\r\na=fmtp:{payload} {rates}", sdp, flags=re.M)
