# SPDX-License-Identifier: LGPL-2.1-or-later
"""The sending process that is Chromium: its own encoder, pacer and congestion control (libwebrtc's GCC), a clip's pictures
written into its call at their times by sender.html. webrtckit.receiver is the other end."""
import math
import pathlib
import time

from callkit import clips
from callkit.gstio import Table, say, wait_for_start
from callkit.sender import RATE_FIELDS

from . import signalling, web
from .browserend import End, main
from .exchange import PATIENCE, leave_file, wait_for_file
from .firstframe import frames_between

PAGE = pathlib.Path(__file__).with_name("sender.html")
QUICK = 20  # one in so many frames is encoded faster than this
LEAD = 0.2  # s before the first picture
RATES = {"start": 300e3, "min": 30e3, "max": 2.5e6}  # where nobody says; bit/s


class Sender(End):
    def __init__(self, settings):
        self.rates = {key: settings.get(key) or value for key, value in RATES.items()}
        clip = pathlib.Path(clips.Clip(settings["clip"], settings["width"], settings["height"], "clip").path)
        super().__init__(settings, PAGE, {"clip": web.Route("GET", lambda _: (clip.read_bytes(), web.BYTES))})

    def connect(self):
        offer = signalling.through(wait_for_file(self.folder / "offer.sdp"), self.s["port"])
        offer = signalling.with_rates(offer, self.rates["start"], self.rates["min"], self.rates["max"])
        told = {key: self.s[key] for key in ("width", "height", "fps")} | self.rates
        leave_file(self.folder / "answer.sdp", self.page.run("return answer (arguments[0], arguments[1])", offer, told))
        self.page.wait_for_peer(PATIENCE)

    def work(self):
        self.offset = self.page.run("return offset ()")
        begin = time.monotonic() + LEAD
        if self.s.get("wait"):
            say("sender", ready=True)
            begin = wait_for_start(LEAD)[1]
        self.page.run("play (arguments[0], arguments[1], arguments[2])", 1000 * begin - self.offset,
                      int(self.s["duration"] * self.s["fps"]), self.s.get("pause"))
        time.sleep(max(0.0, begin + self.s["duration"] + 1 - time.monotonic()))

    def finish(self):
        """What the page noted is in its own time."""
        if self.offset is None:
            return
        noted, offset = self.page.run("return noted"), self.offset
        captured = [(number, (at + offset) / 1e3) for number, at in noted["captured"]]
        encoded = [(stamp, (at + offset) / 1e3, size, key) for stamp, at, size, key in noted["encoded"]]
        self.table("captured.csv", ["frame", "captured"], captured)
        self.table("sent.csv", ["frame", "encoded", "bytes", "key"], numbered(encoded, captured, self.s["fps"]))
        rows = [((r["time"] + offset) / 1e3, r.get("target"), r.get("available"),
                 int(1e9 * r["rtt"]) if r.get("rtt") else None) for r in noted["rates"]]
        self.table("rates.csv", ["time"] + RATE_FIELDS, [r + (None,) * (1 + len(RATE_FIELDS) - len(r)) for r in rows])

    def table(self, name, columns, rows):
        table = Table(self.folder / name, columns)
        for row in rows:
            table.add(*row)
        table.close()


def numbered(encoded, captured, fps):
    """(frame, encoded, bytes, key) of what was encoded: (RTP time stamp, s, bytes, key). The stamps' origin is unknown, but
    frames are encoded after their capture, and most of the fast ones within a frame's time."""
    if not encoded:
        return []
    at = dict(captured)
    since = [frames_between(encoded[0][0], stamp, fps) for stamp, *_ in encoded]
    begin = captured[0][1] - captured[0][0] / fps
    ahead = sorted((when - begin) * fps - n for n, (_, when, *_) in zip(since, encoded))
    first = math.floor(ahead[len(ahead) // QUICK])
    return [(first + n, *rest) for n, (_, *rest) in zip(since, encoded) if first + n in at]


if __name__ == "__main__":
    main(Sender)
