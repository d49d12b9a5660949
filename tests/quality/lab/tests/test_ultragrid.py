# SPDX-License-Identifier: LGPL-2.1-or-later
import importlib.machinery
import importlib.util
import unittest

from lab import QUALITY, matrix


def command():
    loader = importlib.machinery.SourceFileLoader("ultragrid", str(QUALITY / "ultragrid"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("ultragrid", loader))
    loader.exec_module(module)
    return module


def result(**row):
    return {"lab": {"title": "20 ms", "encoder": "x264enc", "controller": "rfc5348"},
            "row": {"delay_p95": 0.14, "longest": 0.2, "stale": 0.01, "use": 0.9, "psnr": 36.04} | row}


class Ultragrid(unittest.TestCase):
    def setUp(self):
        self.ultragrid = command()

    def test_each_pair_has_both_laws_and_both_encoders(self):
        jobs = matrix.Matrix(matrix.find("ultragrid")).jobs
        self.assertEqual(len(jobs), 16)
        self.assertEqual({float(job.cell.hops[0]["delay"]) for job in jobs}, {0.00175, 0.01, 0.05, 0.1})
        self.assertEqual({job.cell.patience for job in jobs}, {0.15})

    def test_what_misses_is_bold(self):
        table, good = self.ultragrid.lines([result(), result(delay_p95=0.3, longest=0.7)])
        self.assertTrue(good)
        self.assertEqual(table[2], "| 20 ms | x264enc | rfc5348 | 140 | 0.20 | 1 | 90.0 | 36.0 |")
        self.assertIn("| **300** | **0.70** | 1 |", table[3])

    def test_what_is_not_known_fails(self):
        for row in ({"delay_p95": 0.5}, {"longest": 2}, {"stale": 0.4}, {"delay_p95": None}):
            self.assertFalse(self.ultragrid.lines([result(**row)])[1], row)
        self.assertFalse(self.ultragrid.lines([])[1])


if __name__ == "__main__":
    unittest.main()
