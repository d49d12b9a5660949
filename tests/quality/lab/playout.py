# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which picture is on the screen when: the playout rules of Evalvid-RA (Lie & Klaue 2008) for any decoded sequence.

A slot is the time a frame is due. `none`: a frame is shown as soon as it is decoded; its slot waits for it or for the
one after it. `buffer-B`: the first picture waits for B, and all later ones keep that distance from their capture.
`deadline-D`: every frame is due D after its capture. What comes after its slot is not shown, though the decoder has it:
the slot shows the newest picture at hand, which is stale; before the first one the screen is blank."""
import dataclasses

import numpy

from callkit import units

BLANK = -1


@dataclasses.dataclass
class Shown:
    frames: numpy.ndarray  # numbers of the captured frames
    picture: numpy.ndarray  # number of the frame on the screen in each one's slot, or BLANK
    changes: numpy.ndarray  # s: times at which a new picture appears
    until: float = 0.0  # s: the last slot, where slots have times of their own

    def stale(self):
        return (self.picture != self.frames) & (self.picture != BLANK)

    def blank(self):
        return self.picture == BLANK


def _newest(numbers, at_most):
    """For each frame the place of the newest of the sorted `numbers` that is no newer; -1: none."""
    return numpy.searchsorted(numbers, at_most, "right") - 1


def shown(rule, frames, captured, decoded, decoded_at):
    """frames and their capture times; decoded: numbers of decoded frames, rising, and when."""
    frames, captured = numpy.asarray(frames, int), numpy.asarray(captured, float)
    decoded, decoded_at = numpy.asarray(decoded, int), numpy.asarray(decoded_at, float)
    if len(decoded) == 0 or len(frames) == 0:
        return Shown(frames, numpy.full(len(frames), BLANK), numpy.array([]))
    place = _newest(decoded, frames)
    kind, _, value = rule.partition("-")
    if kind == "none":
        picture = numpy.where(place >= 0, decoded[place], BLANK)
        return Shown(frames, picture, decoded_at[numpy.isin(decoded, picture)])
    if kind == "buffer":
        first = captured[min(numpy.searchsorted(frames, decoded[0]), len(frames) - 1)]
        slots = captured - first + decoded_at[0] + units.duration(value)
    elif kind == "deadline":
        slots = captured + units.duration(value)
    else:
        raise ValueError(f"no playout rule: {rule}")
    ready = numpy.maximum.accumulate(decoded_at)
    place = numpy.minimum(place, numpy.searchsorted(ready, slots, "right") - 1)
    picture = numpy.where(place >= 0, decoded[numpy.maximum(place, 0)], BLANK)
    new = (picture != BLANK) & (picture != numpy.concatenate([[BLANK], picture[:-1]]))
    return Shown(frames, picture, slots[new], float(slots[-1]))
