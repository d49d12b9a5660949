# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two controllers cell by cell."""
import contextlib
import csv
import io
import pathlib
import tempfile
import unittest

from lab import table


def run(controller, seed, psnr, delay, cell="rfc8867-5.1", **more):
    return {"engine": "sim", "cell": cell, "encoder": "x264enc", "clip": "clip", "controller": controller,
            "seed": str(seed), "psnr": str(psnr), "delay_p95": str(delay), "jain": "", **more}


ROWS = [run("low-delay", 1, 36, 0.10), run("low-delay", 2, 38, 0.12), run("gcc", 1, 35, 0.09), run("gcc", 2, 35, 0.09),
        run("gcc", 3, 10, 9), run("oracle", 1, 39, 0.1), run("low-delay", 1, 30, 0.2, "rfc8867-5.6"),
        run("gcc", 1, 31, 0.3, "rfc8867-5.6"), run("gcc", 1, 31, 0.3, "rfc8867-5.4")]


class Table(unittest.TestCase):
    def test_means_over_common_seeds_and_bold_where_lost(self):
        found = list(table.lines(ROWS, ["low-delay", "gcc"], "oracle"))
        self.assertEqual(found[0], "| case | seeds | PSNR-Y, dB | p95 | gain, dB | longer p95, ms |")
        self.assertEqual(found[2], "| 5.1 | 2 | 37.0 / 35.0 / 39.0 | **110** / 90 / 100 "
                                   "| +2.0 [+1.0, +3.0] | +20 [+10, +30] |")
        self.assertEqual(found[3], "| 5.6 | 1 | **30.0** / 31.0 | 200 / 300 | -1.0 | -100 |")
        self.assertEqual(len(found), 4)  # 5.4 has one of the two only

    def test_encoders_and_clips_are_cells_of_their_own(self):
        rows = [dict(row, encoder=encoder) for row in ROWS[:5] for encoder in ("x264enc", "vp8enc")]
        found = list(table.lines(rows, ["low-delay", "gcc"], "oracle"))
        self.assertEqual([line.split(" | ")[0] for line in found[2:]], ["| 5.1, x264enc", "| 5.1, vp8enc"])

    def test_another_file_is_refused(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()) as said:
            file = pathlib.Path(folder) / "other.csv"
            file.write_text("a,b\n1,2\n")
            self.assertEqual(table.main([str(file)]), 2)
        self.assertIn("other.csv is no results.csv", said.getvalue())

    def test_runs_of_other_lengths_are_not_mixed(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()) as said:
            files = []
            for duration in ("30", "60"):
                files.append(f"{folder}/{duration}.csv")
                with open(files[-1], "w", newline="") as file:
                    rows = [row | {"duration": duration} for row in ROWS[:1]]
                    writer = csv.DictWriter(file, rows[0])
                    writer.writeheader()
                    writer.writerows(rows)
            self.assertEqual(table.main(files), 2)
        self.assertIn("lasts 60 s, in a file before 30 s", said.getvalue())

    def test_without_pictures(self):
        rows = ROWS[:2] + [row | {"controller": "alone", "psnr": "", "delay_p95": ""} for row in ROWS[:2]]
        self.assertIn("no cell", table.summary(rows, ["low-delay", "alone"]))

    def test_the_median_cell(self):
        self.assertEqual(table.summary(ROWS, ["low-delay", "gcc"]),
                         "2 cells: PSNR above in 1, +0.5 dB in the median cell; p95 longer in 1, -40 ms and -6 % in the median cell")

    def test_the_summary_is_of_the_columns_of_the_table(self):
        # by means gcc's p95 is the longer, 100 ms for 95; by the median of the differences low-delay's, by 5 ms
        rows = [run("low-delay", seed, 36, 0.095) for seed in (1, 2, 3)]
        rows += [run("gcc", 1, 35, 0.09), run("gcc", 2, 36.04, 0.09), run("gcc", 3, 40, 0.12)]
        self.assertIn("| -0.0 [-4.0, +1.0] | +5 [-25, +5] |", list(table.lines(rows, ["low-delay", "gcc"], "oracle"))[2])
        self.assertEqual(table.summary(rows, ["low-delay", "gcc"]),
                         "1 cells: PSNR above in 0, -0.0 dB in the median cell; p95 longer in 1, +5 ms and +5 % in the median cell")

    def test_the_figure_is_a_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "figures" / "axes.png"
            table.draw(ROWS, ["low-delay", "gcc", "oracle"], file)
            self.assertEqual(file.read_bytes()[:4], b"\x89PNG")

    def test_nothing_in_common(self):
        self.assertIn("no cell", table.summary(ROWS[:2] + ROWS[4:5], ["low-delay", "gcc"]))

    def test_what_is_kept_gives_the_same_table(self):
        with tempfile.TemporaryDirectory() as folder:
            first, kept = (pathlib.Path(folder) / name for name in ("results.csv", "kept.csv"))
            with open(first, "w", newline="") as file:
                writer = csv.DictWriter(file, list(ROWS[0]) + ["wall"])
                writer.writeheader()
                writer.writerows(ROWS)
            printed = []
            for arguments in ([str(first), "--keep", str(kept)], [str(kept)], [str(first), str(kept)]):
                with contextlib.redirect_stdout(io.StringIO()) as out:
                    self.assertEqual(table.main(arguments), 0)
                printed.append(sorted(out.getvalue().splitlines()))
            self.assertEqual(printed[0], printed[1])
            self.assertEqual(printed[0], printed[2])


if __name__ == "__main__":
    unittest.main()
