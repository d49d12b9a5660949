# SPDX-License-Identifier: LGPL-2.1-or-later
import importlib.machinery
import importlib.util
import unittest

from lab import QUALITY, matrix


def command():
    loader = importlib.machinery.SourceFileLoader("evalvid", str(QUALITY / "evalvid"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("evalvid", loader))
    loader.exec_module(module)
    return module


def result(cell, controller, **row):
    return {"lab": {"cell": cell, "controller": controller}, "row": row}


class Evalvid(unittest.TestCase):
    def setUp(self):
        self.evalvid = command()

    def test_every_figure_has_a_job(self):
        jobs = {(job.cell.name, job.controller) for job in matrix.Matrix(matrix.find("evalvid")).jobs}
        wanted = {(f"evalvid-64-{suffix}", controller) for _, suffix, controller, *_ in self.evalvid.TABLE if suffix}
        wanted |= {(f"evalvid-mixed-{n}-{suffix}", controller) for n in self.evalvid.COUNTS
                   for _, suffix, controller, _ in self.evalvid.REGIMES}
        wanted |= {("evalvid-alone", f"fixed:{rate}") for rate in self.evalvid.REFERENCE.values()}
        self.assertEqual(wanted - jobs, set())

    def test_published_beside_ours(self):
        found = [result("evalvid-64-p-aqm", "low-delay+erf", use=use, loss_caused=0.001, delay_mean=0.05, psnr=40.0)
                 for use in (0.8, 0.9)]
        rows = list(self.evalvid.table_rows(self.evalvid.Results(found)))
        self.assertEqual(rows[0][1:6], ["88.2 / 85.0", "0.00 / 0.10", "30 / 50", "104 / -", "35.0 / 40.0"])
        self.assertEqual(rows[1][1:4], ["89.9 / -", "0.00 / -", "212 / -"])  # no job stands for d_f 1000
        self.assertTrue(all(len(row) == len(self.evalvid.TABLE_HEAD) for row in rows))

    def test_less_the_reference_of_its_rate(self):
        psnr = {"deadline-150ms psnr": 36.0, "deadline-2s psnr": 37.5}
        found = [result("evalvid-mixed-64-p-aqm", "low-delay+erf", loss_caused=0.0, **psnr),
                 result("evalvid-alone", "fixed:392k", psnr=37.0), result("evalvid-alone", "fixed:1M", psnr=44.0)]
        rows = list(self.evalvid.figure_rows(self.evalvid.Results(found)))
        self.assertEqual([row[1:6] for row in rows], [["64", "36.0", "37.5", "-1.0", "+0.5"]])
        self.assertEqual(len(rows[0]), len(self.evalvid.FIGURE_HEAD))


if __name__ == "__main__":
    unittest.main()
