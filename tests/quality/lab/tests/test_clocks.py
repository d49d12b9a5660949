# SPDX-License-Identifier: LGPL-2.1-or-later
import types
import unittest

import numpy

from lab import measure


def screen(frame_delay, packet_delay, wait=0.0):
    packet = types.SimpleNamespace(sent=1.0, arrived=1.0 + packet_delay, queue_delay=wait)
    frames = numpy.array([0.0]), numpy.array([frame_delay])
    call = types.SimpleNamespace(packets=[packet], frame_delays=lambda: frames)
    return types.SimpleNamespace(call=call)


class Clocks(unittest.TestCase):
    """A path of 50 ms behind an access of 100."""

    def faults(self, *figures):
        return len(measure.clocks(screen(*figures), 0.05, 0.1))

    def test_possible(self):
        self.assertEqual(self.faults(0.16, 0.06), 0)
        self.assertEqual(self.faults(0.15, 0.05), 0)

    def test_impossible(self):
        self.assertEqual(self.faults(0.14, 0.06), 1)  # a frame through the access in no time
        self.assertEqual(self.faults(0.16, 0.04), 1)
        self.assertEqual(self.faults(0.16, 0.06, -0.001), 1)
        self.assertEqual(self.faults(-0.2, -0.1), 2)


if __name__ == "__main__":
    unittest.main()
