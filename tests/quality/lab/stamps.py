# SPDX-License-Identifier: LGPL-2.1-or-later
"""Clips whose pictures carry their own number: proof of which original a received picture belongs to. The number is the
picture's index in the clip, twelve bits, each a square of 16 x 16 pixels in the top rows, then twelve bits of its hash.

Behind a loss a decoder adds the difference of two pictures to a third: each bit becomes a - b + c. The inverse of the
number, or any linear code, would pass that; a hash does not."""
import hashlib
import os
import pathlib

import numpy

from callkit import clips

BITS = 12
SIDE = 16
DARK, LIGHT = 32, 224
CERTAIN = 48  # of the mean luma from the middle


def _places(width):
    """Top left corners of the squares: first the number's, then its hash's."""
    per_row = width // SIDE
    return [(SIDE * (i // per_row), SIDE * (i % per_row)) for i in range(2 * BITS)]


def _with_hash(number):
    """The bits of a stamp as a number."""
    digest = hashlib.sha1(number.to_bytes(2, "big")).digest()
    return number | (int.from_bytes(digest[:2], "big") & (1 << BITS) - 1) << BITS


def write(luma, number):
    """Stamps a picture (rows x columns) in place."""
    stamp = _with_hash(number)
    for i, (row, column) in enumerate(_places(luma.shape[1])):
        luma[row:row + SIDE, column:column + SIDE] = LIGHT if stamp >> i & 1 else DARK


def read(luma):
    """The number, or None where the stamp is damaged."""
    stamp = 0
    for i, (row, column) in enumerate(_places(luma.shape[1])):
        mean = float(luma[row + 3:row + SIDE - 3, column + 3:column + SIDE - 3].mean())
        if abs(mean - 128) < CERTAIN:
            return None
        stamp |= int(mean > 128) << i
    number = stamp & (1 << BITS) - 1
    return number if stamp == _with_hash(number) else None


def stamped(clip):
    """A copy of the clip with stamps, kept beside it."""
    path = pathlib.Path(clip.path)
    path = path.with_name(f"{path.stem}-numbered.i420")
    if not path.exists():
        part = path.with_suffix(f".{os.getpid()}.part")
        with open(part, "wb") as file:
            for index in range(min(clip.frames, 1 << BITS)):
                frame = numpy.array(clip.data[index])
                write(frame[: clip.width * clip.height].reshape(clip.height, clip.width), index)
                file.write(frame.tobytes())
        part.rename(path)
    return clips.Clip(path, clip.width, clip.height, f"{clip.name}-stamped")
