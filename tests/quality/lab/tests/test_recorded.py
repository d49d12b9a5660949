# SPDX-License-Identifier: LGPL-2.1-or-later
"""Windows of recorded traces, and runs without the recordings."""
import contextlib
import io
import os
import pathlib
import tempfile
import unittest
from unittest import mock

from lab import __main__ as command
from lab import matrix, recorded, traces

WINDOW = "recorded:train.down@2+3"


class Recorded(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        patch = mock.patch.dict(os.environ, QUALITY_TRACES=self.folder.name)
        patch.start()
        self.addCleanup(patch.stop)

    def test_a_window_begins_at_0_and_lasts_as_long_as_it_says(self):
        self.assertEqual(recorded.cut([1000, 2000, 2001, 4500, 5000, 5001], 2, 3), [1, 2500, 3000])
        self.assertEqual(recorded.cut([1000, 2500, 9000], 2, 3), [500, 3000])
        self.assertEqual(recorded.cut([], 2, 3), [3000])

    def test_it_is_a_trace_like_others(self):
        (self.path / "train.down").write_text("1000\n2500\n9000\n")
        with mock.patch("callkit.paths.CACHE", self.path):
            self.assertEqual(traces.Trace.read(WINDOW).ms, [500, 3000])

    def test_rates_are_scaled_to_what_a_call_meets(self):
        samples = [(100, 20), (101, 0), (103, 40), (104, 20), (110, 20)]
        for begin, served_at_once in ((0, True), (2, False)):  # nothing from 1 to 3 s
            ms = recorded.chances(samples, begin, 4)
            self.assertAlmostEqual(len(ms), 1.5e6 * 4 / traces.PACKET_BITS, delta=1)
            self.assertFalse([t for t in ms if 1001 < t < 3000])
            self.assertTrue(begin * 1000 <= ms[0] and ms[-1] <= (begin + 4) * 1000)
            self.assertEqual(ms[0] < 1000, served_at_once)
        self.assertAlmostEqual(sum(3000 <= t < 4000 for t in ms), 2 * sum(4000 <= t < 5000 for t in ms), delta=3)

    def test_a_window_in_which_nothing_is_served(self):
        for name, text in (("empty", ""), ("silent", "0 0\n9 0\n")):
            (self.path / name).write_text(text)
            with mock.patch("callkit.paths.CACHE", self.path):
                self.assertEqual(traces.Trace.read(f"recorded:{name}@2+3").ms, [3000])

    def test_a_file_of_rates_is_a_trace_too(self):
        (self.path / "office.rates").write_text("0.5 30\n1.5 30\n\n9 30\n")
        with mock.patch("callkit.paths.CACHE", self.path):
            found = traces.Trace.read("recorded:office.rates@2+3")
        self.assertAlmostEqual(found.mean(), recorded.MEAN, delta=5000)
        self.assertEqual(found.ms[-1], 3000)

    def test_without_the_recordings_nothing_fails(self):
        self.assertTrue(recorded.absent(WINDOW))
        self.assertFalse(recorded.absent("/no/such.trace") or recorded.absent("wifi:1") or recorded.absent(None))
        m = matrix.Matrix(matrix.find("recorded"))
        self.assertEqual((m.jobs, len(m.absent)), ([], 10))
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(command.main(["recorded", "--out", self.folder.name]), 0)
        self.assertEqual(said.getvalue().count("skipped: 10 cells"), 1)

    def test_the_table_has_means_over_seeds_and_cells(self):
        keys = {key: "1" for _, key, *_ in recorded.COLUMNS}
        one = [keys | {"cell": "a", "psnr": p} for p in ("30", "32")] + [keys | {"cell": "b", "psnr": "35"}]
        other = [keys | {"cell": "a", "psnr": "33"}, keys | {"cell": "b", "psnr": "35"}, keys | {"cell": "c", "psnr": "1"}]
        found = list(recorded.lines([one, other]))
        self.assertIn("| a | 31.00 / 33.00 |", found[2])
        self.assertIn("| mean | 33.00 / 34.00 |", found[-1])
        self.assertEqual(len(found), 5)
