# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is on a receiver's screen, scored against the clip as it comes: received.csv, and some pictures for the report."""
import collections
import time

import numpy

from . import clips, pictures
from .gstio import Table
from .quality import psnr


class Display:
    def __init__(self, settings):
        self.s = settings
        self.clip = None
        if settings.get("clip"):
            self.clip = clips.Clip(settings["clip"], settings["width"], settings["height"], "clip")
        self.table = Table(f"{settings['out']}/received.csv", ["frame", "displayed", "psnr", "stale"])
        self.recent = collections.deque(maxlen=2 * settings["fps"])  # (display time, dB)
        self.last = None  # (frame, luma, raw)
        self.pictures = {}
        self.screen = pictures.OnScreen(settings)

    def luma(self, raw):
        return numpy.frombuffer(raw, numpy.uint8, self.s["width"] * self.s["height"]).reshape(self.s["height"], self.s["width"])

    def show(self, number, raw, now):
        """raw: I420, where there is a clip to compare with; now: s of CLOCK_MONOTONIC."""
        if self.last and number <= self.last[0]:
            return
        luma = score = None
        if self.clip:
            luma = self.luma(raw)
            self.score_stale(number)
            score = psnr(self.clip.luma(number), luma)
            self.screen.take(number, raw, score)
            self.pictures.setdefault(number // self.picture_period(), (number, raw))
        self.table.add(number, now, score, 0)
        self.recent.append((now, score))
        self.last = (number, luma, raw)

    def picture_period(self):
        return max(int(self.s["duration"] * self.s["fps"] / 8), 1)

    def score_stale(self, until):
        """Frames that never came: the picture on display in their time against them."""
        if self.last:
            for number in range(self.last[0] + 1, until):
                score = psnr(self.clip.luma(number), self.last[1])
                self.table.add(number, None, score, 1)
                self.screen.take(number, self.last[2], score)

    def of_last_second(self):
        """Pictures shown, and their mean dB or None."""
        since = time.monotonic() - 1
        recent = [score for at, score in tuple(self.recent) if at > since]
        scores = [score for score in recent if score is not None]
        return len(recent), sum(scores) / len(scores) if scores else None

    def close(self):
        self.table.close()
        for number, raw in self.pictures.values():
            with open(f"{self.s['out']}/picture-{number:05d}.i420", "wb") as file:
                file.write(raw)
        if self.clip:
            self.screen.write(self.s["out"])
