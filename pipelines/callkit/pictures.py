# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which pictures a receiver keeps for the report: what was on the screen when a frame was captured, after each fall of
the capacity and around the worst second. Files shown-NUMBER.i420, and worst.json, which names the worst second's."""
import collections
import json
import pathlib

import numpy

from . import units

AFTER_FALL = (0.5, 1.0, 2.0, 4.0)  # s
STEP = 0.5  # s between the pictures around the worst second
BEFORE, AFTER = 2, 3  # of them
START = 3.0  # s at the start, when every call is bad


def moments(s):
    """Numbers of the frames whose pictures are kept in any case."""
    if not s.get("capacity") or s.get("trace"):
        return set()
    steps = units.Schedule(s["capacity"]).steps
    falls = [at for (_, before), (at, after) in zip(steps, steps[1:]) if after < before]
    return {round((at + later) * s["fps"]) for at in falls for later in AFTER_FALL}


class OnScreen:
    """Told of every frame captured, in order, and what the screen showed at its time: (raw, dB)."""

    def __init__(self, s):
        self.fps, self.step, self.wanted = s["fps"], max(round(STEP * s["fps"]), 1), moments(s)
        self.kept = {}
        self.recent = collections.deque(maxlen=BEFORE)
        self.scores = collections.deque(maxlen=s["fps"])
        self.lowest, self.worst, self.open = numpy.inf, {}, 0

    def take(self, number, raw, score):
        if number in self.wanted:
            self.kept[number] = raw
        self.scores.append(score)
        if number % self.step:
            return
        mean = sum(self.scores) / len(self.scores)
        if number > START * self.fps and mean < self.lowest:
            self.lowest, self.worst, self.open = mean, dict(self.recent), AFTER
        if self.open:
            self.worst[number] = raw
            self.open -= 1
        self.recent.append((number, raw))

    def write(self, folder):
        for number, raw in (self.kept | self.worst).items():
            (pathlib.Path(folder) / f"shown-{number:05d}.i420").write_bytes(raw)
        (pathlib.Path(folder) / "worst.json").write_text(json.dumps(sorted(self.worst)))


def kept(folder):
    """{number: file} of the pictures on the screen."""
    return {int(path.stem.split("-")[1]): path for path in sorted(pathlib.Path(folder).glob("shown-*.i420"))}


def worst(folder):
    path = pathlib.Path(folder) / "worst.json"
    return json.loads(path.read_text()) if path.exists() else []


def to_rgb(raw, width, height):
    """I420 (BT.601) -> RGB"""
    luma = raw[: width * height].reshape(height, width).astype(numpy.float32)
    chroma = raw[width * height:].reshape(2, height // 2, width // 2).astype(numpy.float32)
    u, v = (plane.repeat(2, 0).repeat(2, 1) - 128 for plane in chroma)
    y = 1.164 * (luma - 16)
    rgb = numpy.stack([y + 1.596 * v, y - 0.392 * u - 0.813 * v, y + 2.017 * u], axis=-1)
    return numpy.clip(rgb, 0, 255).astype(numpy.uint8)


def from_rgb(rgb):
    """RGB -> I420 (BT.601), both sides even."""
    r, g, b = (rgb[..., k].astype(numpy.float32) for k in range(3))
    y = 16 + 0.257 * r + 0.504 * g + 0.098 * b
    u = 128 - 0.148 * r - 0.291 * g + 0.439 * b
    v = 128 + 0.439 * r - 0.368 * g - 0.071 * b
    half = [(c[0::2, 0::2] + c[1::2, 0::2] + c[0::2, 1::2] + c[1::2, 1::2]) / 4 for c in (u, v)]
    return numpy.concatenate([plane.ravel() for plane in (y, *half)]).round().astype(numpy.uint8)
