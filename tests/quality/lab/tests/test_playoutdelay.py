# SPDX-License-Identifier: LGPL-2.1-or-later
"""What tests/quality/playoutdelay makes of a call."""
import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

QUALITY = pathlib.Path(__file__).resolve().parents[2]


def script():
    loader = importlib.machinery.SourceFileLoader("playoutdelay", str(QUALITY / "playoutdelay"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("playoutdelay", loader))
    loader.exec_module(module)
    return module


class PlayoutDelay(unittest.TestCase):
    """20 s of pictures, 50 ms on their way; one never came, and each hundredth and the three behind it were late."""

    def setUp(self):
        self.script = script()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        folder = pathlib.Path(self.folder.name)
        late = lambda n: max(0, 0.13 - n % 100 / 30) if n >= 100 else 0  # noqa: E731
        (folder / "captured.csv").write_text("frame,captured\n" + "".join(f"{n},{100 + n / 30:.6f}\n" for n in range(600)))
        (folder / "received.csv").write_text("frame,displayed,psnr,stale\n" + "".join(
            f"{n},,30,1\n" if n == 77 else f"{n},{100.05 + n / 30 + late(n):.6f},40,0\n" for n in range(600)))
        self.measured = dict(zip(self.script.RULES, self.script.measure(folder)))

    def test_as_decoded(self):
        p50, p95, gaps, _, left_out, longest = self.measured["as decoded"]
        self.assertAlmostEqual(p50, 50, 1)
        self.assertAlmostEqual(p95, 50, 1)
        self.assertEqual((gaps, left_out), (0, 0))
        self.assertAlmostEqual(longest, 1 / 30 + 0.13, 3)

    def test_a_fixed_delay_leaves_out_what_is_later(self):
        p50, p95, _, _, left_out, longest = self.measured["100 ms"]
        self.assertAlmostEqual(p50, 150, 1)
        self.assertAlmostEqual(p95, 150, 1)
        self.assertAlmostEqual(left_out, 100 * 5 / 599, 3)
        self.assertAlmostEqual(longest, 2 / 30, 3)

    def test_a_longer_one_leaves_out_nothing(self):
        _, p95, _, deviation, left_out, _ = self.measured["200 ms"]
        self.assertAlmostEqual(p95, 250, 1)
        self.assertEqual(left_out, 0)
        self.assertLess(deviation, self.measured["as decoded"][3])

    def test_the_core_decides(self):
        """100 ms at first, then a step."""
        p50, p95, _, _, left_out, _ = self.measured["adaptive"]
        self.assertAlmostEqual(p50, 70, 1)
        self.assertLess(p95, 151)
        self.assertEqual(left_out, 0)
        self.assertGreater(self.measured["E 3 s"][0], p50)
