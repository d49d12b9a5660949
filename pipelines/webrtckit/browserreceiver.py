# SPDX-License-Identifier: LGPL-2.1-or-later
"""The receiving process that is Chromium: its own jitter buffer, requests, redundancy and decoder (receiver.html), with
Chromium at the other end (webrtckit.sender). The pictures it would show are kept as they are in shown.mkv."""
import json
import math
import pathlib
import struct
import subprocess
import sys
import time

from callkit import codecs, film, paths
from callkit.display import Display
from callkit.gstio import Gst, say
from callkit.receiver import Recorder

from . import signalling, web
from .browserend import End, main
from .exchange import PATIENCE, leave_file, wait_for_file
from .firstframe import FirstFrame, frames_between

PAGE = pathlib.Path(__file__).with_name("receiver.html")
HEAD = struct.Struct("<dd")  # when a picture was there, ms of the page's time; its RTP time stamp
LAST = 5  # s until the last pictures are here
MOST_BYTES = 1 << 24  # of a picture and its head


class Receiver(End):
    def __init__(self, settings):
        super().__init__(settings, PAGE, {"picture": web.Route("POST", self.on_picture, web.BYTES, MOST_BYTES)})
        self.display = Display(settings)
        self.first = FirstFrame(self.display, settings["fps"])
        self.recorder = Recorder(str(self.folder / film.SHOWN))
        self.caps = Gst.Caps.from_string("video/x-raw,format=I420,width={width},height={height},framerate={fps}/1".format_map(settings))
        self.size = settings["width"] * settings["height"] * 3 // 2
        self.begin = self.stamp = None  # of the first picture: ms, RTP time stamp
        self.relay = None

    def on_picture(self, body):
        at, stamp = HEAD.unpack_from(body)
        raw = body[HEAD.size:]
        if len(raw) != self.size:
            say("error", text=f"the browser has a picture of {len(raw)} bytes, not {self.size}")
            raise web.Refused(400)
        if math.isnan(stamp):
            say("error", text="this Chromium does not tell which frame a picture is (VideoFrame.metadata().rtpTimestamp): "
                              "install a newer one")
            raise web.Refused(400)
        if self.begin is None:
            self.begin, self.stamp = at, int(stamp)
        buffer = Gst.Buffer.new_wrapped(raw)
        buffer.pts = int(1e6 * (at - self.begin))
        self.recorder.push(self.caps, buffer)
        self.first.take(frames_between(self.stamp, int(stamp), self.s["fps"]), raw, (at + self.offset) / 1e3)
        return b"{}", web.JSON

    def connect(self):
        """The relay is the only address that either end is told of the other."""
        self.offset = self.page.run("return offset ()")
        offer = self.page.run("return offer (arguments[0])", codecs.CODECS[self.s["encoder"]].encoding_name)
        self.relay = subprocess.Popen([sys.executable, "-m", "webrtckit.relay", str(self.s["port"]), *signalling.address_of(offer)],
                                      env=paths.environment(), stdin=subprocess.PIPE)
        leave_file(self.folder / "offer.sdp", offer)
        say("receiver", ready=True)  # senders begin when it does
        answer = signalling.through(wait_for_file(self.folder / "answer.sdp"), self.s["port"])
        self.page.run("return answer (arguments[0])", answer)
        self.page.wait_for_peer(PATIENCE)

    def work(self):
        while True:
            time.sleep(1)

    def last_pictures(self):
        end = time.monotonic() + LAST
        while self.page.run("return waiting.length") and time.monotonic() < end:
            time.sleep(0.05)
        (self.folder / "counted.json").write_text(json.dumps(self.page.run("return counted ()"), indent=1))

    def finish(self):
        if self.begin is not None:
            self.last_pictures()
        if self.relay:
            self.relay.stdin.close()
            self.relay.wait()
        self.first.tell()
        self.display.close()
        self.recorder.close()


if __name__ == "__main__":
    Gst.init(None)
    main(Receiver)
