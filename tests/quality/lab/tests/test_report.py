# SPDX-License-Identifier: LGPL-2.1-or-later
"""The report of a call holds what it promises, and fetches nothing; from a made-up call whose seventh second is bad."""
import html.parser
import json
import pathlib
import re
import tempfile
import unittest
from unittest import mock

import numpy

from callkit import compare, measures, pictures, plots, report, units

SIZE, FPS, SECONDS = (16, 16), 10, 12
BAD = range(62, 74)  # frames that never came
NASTY = "<script>alert(1)</script>"


class Fetches(html.parser.HTMLParser):
    """Addresses that a page would load."""

    def __init__(self):
        super().__init__()
        self.found, self.text = [], []

    def handle_starttag(self, tag, attrs):
        self.found += [value for name, value in attrs if name in ("src", "href", "srcset", "poster", "data") and value]

    def handle_data(self, data):
        self.text.append(data)


def leave_call(folder, controller="ours"):
    """A call's files."""
    folder.mkdir()
    width, height = SIZE
    clip = folder / "clip.i420"
    rng = numpy.random.default_rng(1)
    clip.write_bytes(rng.integers(0, 256, FPS * SECONDS * width * height * 3 // 2, numpy.uint8).tobytes())
    settings = {"clip": str(clip), "width": width, "height": height, "fps": FPS, "duration": SECONDS, "encoder": "x264enc",
                "controller": controller, "mode": "low-delay", "capacity": "0:1M,6:400k", "trace": None, "max": 1.5e6, "out": NASTY}
    (folder / "call.json").write_text(json.dumps(settings))
    packets = ["# monotonic_s_at_zero=100.0", "direction,time_in,time_out,fate,size,queue_delay,capacity"]
    rates, sent, captured, received = (["time,bitrate,wire-bitrate,rtt,loss-event-rate,owner"], ["frame,encoded,bytes,key"],
                                       ["frame,captured"], ["frame,displayed,psnr,stale"])
    screen, raw = pictures.OnScreen(settings), bytes(width * height * 3 // 2)
    for n in range(FPS * SECONDS):
        t, bad = n / FPS, n in BAD
        packets.append(f"forward,{t:.3f},{'' if bad else f'{t + 0.06:.3f}'},{'queue' if bad else 'delivered'},1000,"
                       f"{'' if bad else '0.01'},1000000")
        rates.append(f"{100 + t},500000,550000,100000000,0,{'unmet' if n < 60 else 'own'}")
        sent.append(f"{n},{100 + t},1000,{int(n == 0)}")
        captured.append(f"{n},{100 + t}")
        received.append(f"{n},{'' if bad else 100 + t + 0.1},{15 if bad else 37},{int(bad)}")
        screen.take(n, raw, 15 if bad else 37)
    for name, lines in (("packets", packets), ("rates", rates), ("sent", sent), ("captured", captured), ("received", received)):
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    screen.write(folder)
    return settings


class Report(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.call = pathlib.Path(self.folder.name, "call")
        self.settings = leave_call(self.call)

    def tearDown(self):
        self.folder.cleanup()

    def page(self):
        call, schedule = measures.Call(self.call, self.settings), units.Schedule(self.settings["capacity"])
        report.write(call, schedule, measures.summary(call, schedule), self.call / "report.html")
        return (self.call / "report.html").read_text()

    def assert_offline(self, page):
        reader = Fetches()
        reader.feed(page)
        self.assertEqual([a for a in reader.found if not a.startswith("data:") and ("/" in a or ":" in a)], [])
        self.assertIn("default-src 'none'", page)
        self.assertNotIn("connect-src", page)
        return "".join(reader.text)

    def test_worst_second(self):
        numbers = pictures.worst(self.call)
        self.assertTrue(any(n in BAD for n in numbers), numbers)
        self.assertLessEqual(len(numbers), pictures.BEFORE + pictures.AFTER + 1)
        self.assertLessEqual(set(numbers), set(pictures.kept(self.call)))

    def test_moments_after_the_fall(self):
        self.assertEqual(pictures.moments(self.settings), {65, 70, 80, 100})

    def test_promises(self):
        page = self.page()
        text = self.assert_offline(page)
        for words in ("Camera to screen", "Short again after the fall", "Around the worst second", "an old picture stands"):
            self.assertIn(words, text)
        self.assertNotIn(NASTY, page)
        if plots.there():
            self.assertIn('"log": true', page)
            self.assertIn("new Dygraph", page)
            self.assertIn("own", re.search(r'"names": (\[.*?\])', page)[1])

    def test_without_the_library(self):
        with mock.patch.object(plots, "LIBRARY", pathlib.Path("/nowhere")):
            page = self.page()
        self.assertIn("libjs-dygraphs", page)
        self.assertIn("data:image/png", page)
        self.assertNotIn("new Dygraph", page)

    def test_delay_is_logarithmic(self):
        call = measures.Call(self.call, self.settings)
        panel = next(p for p in plots.panels(call, units.Schedule(self.settings["capacity"])) if p["title"].startswith("How late"))
        self.assertTrue(panel["log"])
        self.assertTrue(all(v is None or v >= plots.LEAST_DELAY for row in panel["rows"] for v in row[1:]))

    def test_two_calls(self):
        other = pathlib.Path(self.folder.name, "other")
        leave_call(other, "fixed:900k")
        a, b = compare.read(self.call), compare.read(other)
        out = pathlib.Path(self.folder.name, "both.html")
        compare.write(a, b, out)
        text = self.assert_offline(out.read_text())
        for words in ("x264enc, low-delay", "x264enc, a fixed rate of 900 kbit/s", "The same moments", "6.5 s"):
            self.assertIn(words, text)
        compare.picture(a, b, str(out.with_suffix(".jpg")))
        self.assertGreater(out.with_suffix(".jpg").stat().st_size, 10000)


if __name__ == "__main__":
    unittest.main()
