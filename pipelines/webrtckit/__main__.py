# SPDX-License-Identifier: LGPL-2.1-or-later
"""A video call between webrtcbin and a browser on this machine. Open the address it prints; /watch shows the rate live.

Usage: pipelines/browser [options]"""
import argparse
import ipaddress
import os
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
    p.add_argument("--leg", type=units.rate, help="what the browser sends goes on through paqmshaper to a link of this rate, "
                   "as in an SFU; the browser is told by REMB (with --receive)")
    p.add_argument("--element", default="rtptfrcbwe", help="what sets the rate; rtpgccbwe where it is installed")
    p.add_argument("--start", type=units.rate, default=300e3)
    p.add_argument("--max", type=units.rate, default=2.5e6)
    p.add_argument("--encoder-max", type=units.rate, help="what the encoder is good for, whatever the rate")
    p.add_argument("--by-notify", action="store_true", help="the program sets the encoder when estimated-bitrate notifies, as "
                   "with rtpgccbwe; without, ratecontrol does")
    p.add_argument("--capacity", help="puts a network in between, as 0:1.0M,20:0.5M,40:1.5M (s:bit/s)")
    p.add_argument("--delay", type=units.duration, default=0.025, help="of that network, one way")
    p.add_argument("--queue", type=units.duration, default=0.3, help="of that network")
    p.add_argument("--port", type=int, default=8080)
    p.add_argument("--listen", type=address, default="127.0.0.1", metavar="ADDRESS", help="one of this machine's, for "
                   "browsers elsewhere: whoever has the printed address, or reads it on the way, is in the call")
    return p.parse_args()


def main():
    o = options()
    paths.require_build()
    os.environ.update(paths.environment())
    from callkit.gstio import end_when_a_callback_raises
    from gi.repository import GLib
    from . import desk, server
    end_when_a_callback_raises()
    desk.call.Gst.init(None)
    if desk.call.Gst.ElementFactory.find("nicesink") is None:
        sys.exit("webrtcbin needs libnice's plug-in: apt-get install gstreamer1.0-nice gir1.2-gst-plugins-bad-1.0")
    front = desk.Desk(vars(o) | {"local": o.capacity is not None, "ratecontrol": not o.by_notify and o.element == "rtptfrcbwe"})
    url = server.serve(front, o.port, o.listen).url
    print(f"open {url} in a browser; {url}watch shows the rate", flush=True)
    try:
        GLib.MainLoop().run()
    except KeyboardInterrupt:
        pass
    front.hang_up()


if __name__ == "__main__":
    main()
