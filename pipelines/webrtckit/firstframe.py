# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which frame of the clip is the first that came, of a browser, whose RTP time stamps begin anywhere: the first pictures
tell."""
import numpy

from callkit.quality import psnr

CLOCK = 90000  # Hz, of RTP's time stamps
FIRST = 1  # s into the clip, at most, of the first frame
TELLING = 15  # pictures that tell
FINE = 4  # pixels from one that is compared to the next


def frames_between(first, stamp, fps):
    """From one RTP time stamp to another, which may be before it."""
    return round(((stamp - first + (1 << 31)) % (1 << 32) - (1 << 31)) * fps / CLOCK)


class FirstFrame:
    """Hands a callkit.display.Display pictures by their frame's number, from when it is known which the first one was."""

    def __init__(self, display, fps):
        self.display, self.first = display, 0
        self.likely = numpy.zeros(FIRST * fps)  # by the first one's number
        self.waiting = []  # (frames since the first, I420, when shown), until it is known

    def take(self, since, raw, now):
        if self.waiting is None:
            self.display.show(since + self.first, raw, now)
            return
        self.waiting.append((since, raw, now))
        self.compare(since, self.display.luma(raw)[::FINE, ::FINE])
        if len(self.waiting) == TELLING:
            self.tell()

    def compare(self, since, luma):
        for n in range(len(self.likely)):
            self.likely[n] += psnr(self.display.clip.luma(n + since)[::FINE, ::FINE], luma)

    def tell(self):
        """With what there is."""
        waiting, self.waiting = self.waiting or (), None
        if waiting:
            self.first = int(self.likely.argmax())
        for since, raw, now in waiting:
            self.display.show(since + self.first, raw, now)
