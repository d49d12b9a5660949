# SPDX-License-Identifier: LGPL-2.1-or-later
import csv
import pathlib
import subprocess
import tempfile
import unittest

import numpy

from callkit import clips
from callkit.quality import mark, psnr, ssim

from lab import stamps, viewer

WIDTH, HEIGHT = 192, 144


def noise(seed, scale=1.0):
    base = numpy.add.outer(numpy.arange(HEIGHT), numpy.arange(WIDTH)) % 200
    return numpy.clip(base + scale * numpy.random.default_rng(seed).normal(0, 10, base.shape), 0, 255).astype(numpy.uint8)


class Quality(unittest.TestCase):
    def test_psnr(self):
        # A difference of 5 everywhere: 10 log10 (255^2 / 25) = 34.15 dB.
        a = numpy.full((16, 16), 100, numpy.uint8)
        self.assertAlmostEqual(psnr(a, a + 5), 34.1514, 3)
        self.assertEqual(psnr(a, a), 100)

    def test_marks_are_ohms(self):
        self.assertEqual([mark(db) for db in (19.9, 20.1, 25, 25.1, 31, 31.1, 37, 37.1, 100)], [1, 2, 2, 3, 3, 4, 4, 5, 5])

    def test_ssim_as_ffmpeg_has_it(self):
        a, b = noise(1), noise(2)
        with tempfile.TemporaryDirectory() as folder:
            for name, plane in (("a", a), ("b", b)):
                pathlib.Path(folder, name).write_bytes(plane.tobytes())
            raw = ["-f", "rawvideo", "-pix_fmt", "gray", "-s", f"{WIDTH}x{HEIGHT}"]
            try:
                run = subprocess.run(["ffmpeg", "-hide_banner", *raw, "-i", f"{folder}/a", *raw, "-i", f"{folder}/b", "-lavfi",
                                      "ssim", "-f", "null", "-"], capture_output=True, text=True)
            except OSError:
                self.skipTest("no ffmpeg")
        theirs = float(run.stderr.rpartition("All:")[2].split()[0])
        self.assertAlmostEqual(ssim(a, b), theirs, 3)
        self.assertAlmostEqual(ssim(a, a), 1.0, 6)


class StillClip:
    """Its frame n is noise of seed n; what is shown of it differs by a little more each frame."""
    width, height = WIDTH, HEIGHT

    @staticmethod
    def luma(number):
        return noise(number)


class Pairing(unittest.TestCase):
    CLIP = StillClip()

    def shown(self, number, wrong=False):
        return noise(number) ^ (1 + number % 7) if not wrong else noise(number) ^ 31

    def pair(self, pictures, rows):
        """Of each row, whether it got the picture it stands for."""
        rows = [(n, psnr(noise(n), self.shown(n))) for n in rows]
        found = list(viewer.paired(iter(pictures), rows, self.CLIP))
        self.assertEqual([n for n, _ in found], [n for n, _ in rows])
        return [luma is not None and bool((luma == self.shown(n)).all()) for n, luma in found]

    def test_one_each(self):
        self.assertTrue(all(self.pair([self.shown(n) for n in range(30)], range(30))))

    def test_pictures_that_were_not_shown(self):
        rows = [n for n in range(40) if n not in (5, 6, 7, 20)]
        self.assertTrue(all(self.pair([self.shown(n) for n in range(40)], rows)))

    def test_pictures_that_are_not_in_the_file(self):
        right = self.pair([self.shown(n) for n in range(40) if n not in (9, 10, 11)], range(40))
        self.assertEqual([n for n, r in enumerate(right) if not r], [9, 10, 11])

    def test_a_stretch_decoded_to_something_else(self):
        right = self.pair([self.shown(n, wrong=10 <= n < 50) for n in range(80)], range(80))
        self.assertEqual([n for n, r in enumerate(right) if not r], list(range(10, 50)))

    def test_many_that_one_decoder_left_out(self):
        right = self.pair([self.shown(n) for n in range(100) if not 20 <= n < 45], range(100))
        self.assertEqual([n for n, r in enumerate(right) if not r], list(range(20, 45)))
        rows = [n for n in range(100) if not 20 <= n < 45]
        right = self.pair([self.shown(n) for n in range(100)], rows)
        self.assertEqual([n for n, r in zip(rows, right) if not r], list(range(45, 50)))


class Stamps(unittest.TestCase):
    def test_every_number_comes_back(self):
        for number in (0, 1, 299, 2730, 4095):
            plane = noise(number)
            stamps.write(plane, number)
            self.assertEqual(stamps.read(noise(5) // 16 + plane // 16 * 15), number)

    def test_damage_is_no_number(self):
        plane = noise(1)
        self.assertIsNone(stamps.read(plane // 4 + 96))
        stamps.write(plane, 77)
        plane[:16, :16] = 255 - plane[:16, :16]  # one bit of the number, not of its hash
        self.assertIsNone(stamps.read(plane))

    def test_a_difference_upon_the_wrong_picture_is_no_number(self):
        # Frame 6 coded as its difference to 4, decoded upon 5: as sharp as a stamp, and 4 ^ 5 ^ 6 = 7 in a linear code.
        planes = [noise(1), noise(1), noise(1)]
        for plane, number in zip(planes, (5, 4, 6)):
            stamps.write(plane, number)
        base, old, new = (plane.astype(int) for plane in planes)
        self.assertIsNone(stamps.read(numpy.clip(base - old + new, 0, 255).astype(numpy.uint8)))


def make_call(folder, shown, at, clip, score=None):
    """callkit's files of a call at 30 pictures a second whose decoder showed frames `shown` at times `at`."""
    folder.mkdir()
    (folder / "packets.csv").write_text("# monotonic_s_at_zero=0.0\ndirection,time_in,time_out,fate,size,queue_delay,capacity\n"
                                        "forward,0.0,0.05,delivered,1000,0.0,1000000\n")
    count = 180
    with open(folder / "captured.csv", "w") as file:
        file.write("frame,captured\n" + "".join(f"{n},{n / 30:.6f}\n" for n in range(count)))
    with open(folder / "sent.csv", "w") as file:
        file.write("frame,encoded,bytes,key\n" + "".join(f"{n},{n / 30:.6f},1000,0\n" for n in range(count)))
    with open(folder / "received.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["frame", "displayed", "psnr", "stale"])
        for n, t in zip(shown, at):
            rows.writerow([n, f"{t:.6f}", f"{score(n) if score else 100.0:.6f}", 0])


class Viewer(unittest.TestCase):
    """A screen whose pictures are the clip's own: fresh ones score 100 dB, stale ones what the clip's neighbours
    differ."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(self.folder.name, "clip.i420")
        with open(path, "wb") as file:
            for n in range(40):
                file.write(noise(n).tobytes() + bytes(WIDTH * HEIGHT // 2))
        self.clip = clips.Clip(path, WIDTH, HEIGHT, "clip")
        self.settings = {"clip": str(path), "width": WIDTH, "height": HEIGHT, "encoder": "x264enc", "max": 1e6}

    def tearDown(self):
        self.folder.cleanup()

    def measure(self, shown, at, rules=("none",), score=None, pictures=None):
        folder = pathlib.Path(self.folder.name, "flow")
        make_call(folder, shown, at, self.clip, score)
        original = viewer.decoded
        viewer.decoded = lambda *_: (self.clip.luma(n) for n in (pictures or shown))
        try:
            return viewer.measure(folder, self.settings, rules)[0]
        finally:
            viewer.decoded = original

    def test_all_shown(self):
        found = self.measure(range(180), [n / 30 + 0.1 for n in range(180)])
        none = found["playout"]["none"]
        self.assertEqual((none["psnr"], none["stale"], none["freezes"], found["pictures_lost"]), (100, 0, 0, 0))
        self.assertEqual(found["frames"], 180 - round(viewer.TAIL * 30))
        self.assertAlmostEqual(found["delay_p95"], 0.1, 3)

    def test_stale_pictures_score_as_stale(self):
        shown = list(range(0, 180, 3))
        none = self.measure(shown, [n / 30 + 0.1 for n in shown])["playout"]["none"]
        self.assertAlmostEqual(none["stale"], 2 / 3, 2)
        expected = numpy.mean([psnr(self.clip.luma(n), self.clip.luma(n // 3 * 3)) for n in range(105)])
        self.assertAlmostEqual(none["psnr"], expected, 3)

    def test_blank_counts(self):
        shown = list(range(60, 180))
        found = self.measure(shown, [n / 30 + 0.1 for n in shown])
        self.assertAlmostEqual(found["playout"]["none"]["blank"], 60 / 105)
        self.assertAlmostEqual(found["blank_start"], 2.1, 3)
        self.assertLess(found["playout"]["none"]["psnr_p5"], 15)
        self.assertEqual(found["playout"]["none"]["marks"], [60 / 105, 0, 0, 0, 45 / 105])  # black, and as captured
        self.assertAlmostEqual(found["playout"]["none"]["mos"], (60 * 1 + 45 * 5) / 105)

    def test_late_frames_are_stale_under_a_deadline(self):
        at = [n / 30 + (0.1 if n < 90 else 0.3) for n in range(180)]
        found = self.measure(range(180), at, ("none", "deadline-150ms"))["playout"]
        self.assertEqual(found["none"]["stale"], 0)
        # Frames 90 to 104 of those scored: their slots show what came 200 ms before, by and by nothing new for 6
        # frames.
        self.assertAlmostEqual(found["deadline-150ms"]["stale"], 15 / 105)

    def test_a_wrong_pairing_is_noticed(self):
        found = self.measure(range(180), [n / 30 + 0.1 for n in range(180)], pictures=[n + 1 for n in range(180)])
        self.assertGreater(found["pictures_lost"], 0)

    def test_lost_pictures_have_the_receivers_psnr(self):
        found = self.measure(range(180), [n / 30 + 0.1 for n in range(180)],
                             pictures=[0 if 30 <= n < 60 else n for n in range(180)])
        self.assertEqual((found["pictures_lost"], found["playout"]["none"]["psnr"]), (30, 100))


if __name__ == "__main__":
    unittest.main()
