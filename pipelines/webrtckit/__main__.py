# SPDX-License-Identifier: LGPL-2.1-or-later
"""A video call between webrtcbin and a browser on this machine. Open the address it prints; /watch shows the rate live.

Usage: pipelines/browser [options]"""
from callkit import early  # noqa: I001
import argparse
import ipaddress
import os
import subprocess
import sys

from callkit import paths, units

SOURCE = "videotestsrc is-live=true pattern=smpte horizontal-speed=5 ! video/x-raw,width=640,height=480,framerate=30/1"


def address(text):
    if (found := ipaddress.IPv4Address(text)).is_unspecified:
        raise ValueError("the one that browsers will ask for, so that Host can be checked")
    return str(found)


def options():
    p = argparse.ArgumentParser(prog="pipelines/browser", description=__doc__.split("\n\n")[0])
    p.add_argument("--codec", choices=("VP8", "H264"), default="VP8")
    p.add_argument("--source", default=SOURCE, help="raw video as gst-launch-1.0 takes it; v4l2src: the camera")
    p.add_argument("--receive", action="store_true", help="ask the browser for its camera too")
    p.add_argument("--leg", type=units.path_rate, help="what the browser sends goes on through paqmshaper to a link of this rate, "
                   "as in an SFU; the browser is told by REMB (with --receive)")
    p.add_argument("--element", default="rtptfrcbwe", help="what sets the rate; rtpgccbwe where it is installed")
    p.add_argument("--start", type=units.path_rate, default=300e3)
    p.add_argument("--max", type=units.path_rate, default=2.5e6)
    p.add_argument("--encoder-max", type=units.path_rate, help="what the encoder is good for, whatever the rate")
    p.add_argument("--by-notify", action="store_true", help="the program sets the encoder when estimated-bitrate notifies, as "
                   "with rtpgccbwe; without, ratecontrol does")
    p.add_argument("--capacity", type=units.path_schedule, help="puts a network in between, as 0:1.0M,20:0.5M,40:1.5M (s:bit/s)")
    p.add_argument("--delay", type=units.path_time, default=0.025, help="of that network, one way")
    p.add_argument("--queue", type=units.path_time, default=0.3, help="of that network")
    p.add_argument("--port", type=units.port, default=8080)
    p.add_argument("--listen", type=address, default="127.0.0.1", metavar="ADDRESS", help="one of this machine's, for "
                   "browsers elsewhere: whoever has the printed address, or reads it on the way, is in the call")
    o = p.parse_args()
    if o.leg and not o.receive:
        p.error("--leg is for what the browser sends: --receive asks for that")
    if o.start > o.max:
        p.error(f"--start is above --max, {units.show_rate(o.max)}")
    return o


def problem(gst, o):
    """Why there can be no call, with what helps; None: it can be. Else the first to know would be who opens the page."""
    if gst.ElementFactory.find("nicesink") is None:
        return "webrtcbin needs libnice's plug-in: apt-get install gstreamer1.0-nice gir1.2-gst-plugins-bad-1.0"
    if gst.ElementFactory.find(o.element) is None:
        return f"--element {o.element}: there is no such element; rtptfrcbwe is built here, tests/quality/rivals/build makes rtpgccbwe"
    try:
        gst.parse_launch(f"{o.source} ! fakesink")
    except RuntimeError as error:  # GLib.Error is one
        return f"--source {o.source}: {error}; \"gst-launch-1.0 SOURCE ! autovideosink\" should show it"
    return None


def serve(server, front, o):
    try:
        return server.serve(front, o.port, o.listen)
    except OSError as error:
        sys.exit(f"browser: no page at {o.listen}, TCP port {o.port}: {error.strerror}; --port takes another one, --listen an "
                 "address of this machine")


def main():
    o = options()
    early.listen()
    try:
        run(o)
    except KeyboardInterrupt:
        pass
    except subprocess.CalledProcessError:  # who builds has said why
        sys.exit(1)


def run(o):
    paths.require_build()
    os.environ.update(paths.environment())
    from callkit.gstio import end_when_a_callback_raises
    from gi.repository import GLib
    from . import desk, server
    end_when_a_callback_raises()
    desk.call.Gst.init(None)
    reason = problem(desk.call.Gst, o)
    if reason:
        sys.exit(f"browser: {reason}")
    front = desk.Desk(vars(o) | {"local": o.capacity is not None, "ratecontrol": not o.by_notify and o.element == "rtptfrcbwe"})
    url = serve(server, front, o).url
    print(f"open {url} in a browser; {url}watch shows the rate", flush=True)
    try:
        GLib.MainLoop().run()
    except KeyboardInterrupt:
        pass
    front.hang_up()


if __name__ == "__main__":
    main()
