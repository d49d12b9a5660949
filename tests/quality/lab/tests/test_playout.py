# SPDX-License-Identifier: LGPL-2.1-or-later
import unittest

from lab import playout
from lab.viewer import freezes

# Ten frames a second. Frame 2 is lost, 3 comes 400 ms after its capture, the others 100 ms after theirs.
FRAMES = list(range(6))
CAPTURED = [0.1 * n for n in FRAMES]
DECODED, AT = [0, 1, 3, 4, 5], [0.1, 0.2, 0.7, 0.71, 0.72]


def picture(rule):
    return playout.shown(rule, FRAMES, CAPTURED, DECODED, AT).picture.tolist()


class Playout(unittest.TestCase):
    def test_none_waits(self):
        self.assertEqual(picture("none"), [0, 1, 1, 3, 4, 5])

    def test_deadline(self):
        # Slots 150 ms after the capture: 0.15 0.25 0.35 0.45 0.55 0.65; frame 3 is there at 0.7 only.
        self.assertEqual(picture("deadline-150ms"), [0, 1, 1, 1, 1, 1])
        self.assertEqual(picture("deadline-2s"), [0, 1, 1, 3, 4, 5])

    def test_buffer_counts_from_the_first_picture(self):
        # Slots 0.1 + 0.15 + 0.1 n: 0.25 0.35 0.45 0.55 0.65 0.75; 5, with 3 and 4, is there at 0.72.
        self.assertEqual(picture("buffer-150ms"), [0, 1, 1, 1, 1, 5])
        self.assertEqual(picture("buffer-500ms"), [0, 1, 1, 3, 4, 5])

    def test_blank_until_the_first(self):
        shown = playout.shown("none", FRAMES, CAPTURED, [2, 3], [0.4, 0.5])
        self.assertEqual(shown.picture.tolist(), [-1, -1, 2, 3, 3, 3])
        self.assertEqual(shown.blank().sum(), 2)
        self.assertEqual(shown.stale().sum(), 2)
        shown = playout.shown("deadline-150ms", FRAMES, CAPTURED, [], [])
        self.assertTrue(shown.blank().all())

    def test_changes_are_slots(self):
        changes = playout.shown("deadline-2s", FRAMES, CAPTURED, DECODED, AT).changes
        self.assertEqual([round(t, 3) for t in changes], [2.0, 2.1, 2.3, 2.4, 2.5])

    def test_unknown_rule(self):
        with self.assertRaises(ValueError):
            picture("patience-1s")


class Freezes(unittest.TestCase):
    def test_w3c_and_200_ms(self):
        # 33 ms apart, then 150 (no freeze: below 33 + 150 = 183), then 190 (one: above 183 and 3 x 37 = 111; not over
        # 200), then 400 (both).
        times = [0.033 * n for n in range(31)]
        for gap in (0.15, 0.19, 0.4):
            times.append(times[-1] + gap)
        found = freezes(times)
        self.assertEqual((found["freezes"], found["freezes_200ms"]), (2, 1))
        self.assertAlmostEqual(found["frozen"], 0.59)
        self.assertAlmostEqual(found["longest"], 0.4)

    def test_end_and_pause(self):
        times = [0.1 * n for n in range(20)]
        self.assertEqual(freezes(times, end=3.0)["freezes"], 1)
        self.assertEqual(freezes([1.0], end=60.0)["frozen"], 59)
        self.assertEqual(freezes([], end=60.0, begin=0.0)["frozen"], 60)
        self.assertEqual(freezes(times + [5.0], pauses=[(1.95, 4.9)])["freezes_200ms"], 0)


if __name__ == "__main__":
    unittest.main()
