# SPDX-License-Identifier: LGPL-2.1-or-later
import unittest

from callkit import units

from lab import cells, controllers, jobs, matrix


class Picture:
    path, width, height = "/no/such.i420", 352, 288


class Cells(unittest.TestCase):
    def setUp(self):
        self.book = cells.Book()

    def test_rfc8867_capacities(self):
        # Ratio times reference capacity: 5.2 has one of 2 Mb/s, 5.5 of 4, 6.3 ratios 1, 4 and 0.75 of 2.
        self.assertEqual(units.Schedule(self.book.get("rfc8867-5.1").hops[0]["capacity"]).steps,
                         [(0, 1e6), (40, 2.5e6), (60, 0.6e6), (80, 1e6)])
        self.assertEqual(units.Schedule(self.book.get("rfc8867-5.2").hops[0]["capacity"]).steps,
                         [(0, 4e6), (25, 2e6), (50, 3.5e6), (75, 1e6), (100, 2e6)])
        self.assertEqual(units.Schedule(self.book.get("rfc8867-5.3").reverse["capacity"]).steps,
                         [(0, 2e6), (35, 0.8e6), (70, 2e6)])
        self.assertEqual([h["capacity"] for h in self.book.get("rfc8867-6.3").hops], ["2.0M", "8.0M", "1.5M"])

    def test_rfc8867_traps(self):
        self.assertEqual([f.get("pause") for f in self.book.get("rfc8867-5.8").flows_of("video")], [None, "40,60", None])
        self.assertEqual([f["start"] for f in self.book.get("rfc8867-5.6").flows], [5, 5, 0])
        case = self.book.get("rfc8867-5.5")
        self.assertEqual([round(1e3 * (case.hops[0]["delay"] + f["access-delay"])) for f in case.flows_of("video")],
                         [10, 25, 50, 100, 150])
        for name in self.book.tables:
            if name.startswith("rfc8867"):
                case = self.book.get(name)
                self.assertEqual(case.limits["start-rate"], "150k")
                self.assertEqual(len(case.flows_of("video")), len(case.flows_of("audio")), name)
                self.assertTrue(case.hops[0]["jitter"] == 0.005 and not case.hops[0]["reorder"], name)
        # 5.1 (b): 4 Mb/s less the UDP is what (a) has.
        for udp in self.book.get("rfc8867-5.1b").flows_of("udp"):
            self.assertAlmostEqual(4e6 - units.rate(udp["rate"]),
                                   units.Schedule(self.book.get("rfc8867-5.1").hops[0]["capacity"]).at(udp["start"]))
        long_way = self.book.get("rfc8867-6.3")
        self.assertAlmostEqual(sum(h["delay"] for h in long_way.hops), 0.1)

    def test_inheritance_leaves_the_parent_alone(self):
        self.assertEqual(self.book.get("rfc8867-6.2-5.1").hops[0]["discipline"], "codel")
        self.assertEqual(self.book.get("rfc8867-5.1").hops[0]["discipline"], "droptail")

    def test_sweep_is_the_product(self):
        found = self.book.sweep("wide", "l-{loss}-b-{burst}", {"loss": ["0%", "5%"], "burst": [0, 4]})
        self.assertEqual([(c.name, c.hops[0]["loss"], c.hops[0]["burst"]) for c in found],
                         [("l-0%-b-0", 0, 0), ("l-0%-b-4", 0, 4), ("l-5%-b-0", 0.05, 0), ("l-5%-b-4", 0.05, 4)])
        self.assertEqual(found[2].params["loss"], "5%")

    def test_copies_start_one_after_the_other(self):
        self.book.add({"many": {"flows": [{"kind": "tcp", "start": 1, "every": "500ms", "copies": 3}, {"kind": "video"}]}})
        flows = self.book.get("many").flows
        self.assertEqual([(f["kind"], f.get("start")) for f in flows],
                         [("tcp", 1), ("tcp", 1.5), ("tcp", 2), ("video", None)])
        self.assertFalse({"copies", "every"} & set(flows[0]))  # no engine knows them

    def test_evalvid_has_its_flows(self):
        # Paper E, 6.3 and 6.5; the last of the 64 starts before 16 s.
        case = self.book.get("evalvid-64")
        videos = case.flows_of("video", "recorded")
        self.assertEqual(len(videos), 64)
        self.assertTrue(14 <= max(f["start"] for f in videos) <= 16)
        for count in (2, 16, 32, 64, 128):
            case = self.book.get(f"evalvid-mixed-{count}")
            self.assertEqual((len(case.flows_of("video", "recorded")), len(case.flows_of("tcp"))), (count, 32))
            self.assertEqual(sum(f["flows"] for f in case.flows_of("short-tcp")), 120)

    def test_recorded_flows_have_the_controller_and_no_pictures(self):
        self.book.add({"two": {"flows": [{"kind": "video"}, {"kind": "recorded"}], "max-delay": "2s"}})
        job = jobs.Job("sim", self.book.get("two"), "x264enc", "", "rfc5348", 1, 10)
        found, _ = jobs._flows(job, Picture)
        self.assertEqual([found[f"flow {n}"]["controller"] for n in (0, 1)], ["rfc5348", "rfc5348"])
        self.assertEqual([found[f"flow {n}"]["max-delay"] for n in (0, 1)], [2, 2])
        self.assertEqual(["send" in found[f"flow {n}"] for n in (0, 1)], [True, False])
        self.assertFalse(self.book.get("two").clean())

    def test_sweep_over_several_cells(self):
        names = [job.cell.name for job in matrix.Matrix(matrix.find("evalvid")).jobs]
        self.assertIn("evalvid-mixed-2-p-aqm", names)
        self.assertIn("evalvid-mixed-128-p-aqm", names)

    def test_a_key_unit_does_not_fit_a_short_queue(self):
        short, long = self.book.sweep("steps", "queue-{queue}", {"queue": ["50ms", "300ms"]})
        self.assertEqual((short.clean(), long.clean()), (False, True))

    def test_mistakes_are_named(self):
        for table in ({"capacitiy": "1M"}, {"discipline": "fifo"}, {"capacity": "fast"}, {"flows": [{"kind": "web"}]},
                      {"delay": -1}, {"duration": 0}, {"like": "mistaken"}, {"expect": {"rate": 0.5}}, {"expect": 1}):
            self.book.add({"mistaken": table})
            with self.assertRaises(ValueError):
                self.book.get("mistaken")


class Shares(unittest.TestCase):
    def test_oracle_of_5_1(self):
        cell = cells.Book().get("rfc8867-5.1")
        # 0.95 of the capacity less 20 kb/s of audio, at most 1.5 Mb/s.
        self.assertEqual(controllers.oracle_rates(cell, 0, 99, 150e3, 1.5e6), "0:931000,40:1500000,60:551000,80:931000")

    def test_beside_tcp_half(self):
        cell = cells.Book().get("rfc8867-5.6")
        share = dict(controllers.share_in(cell, 0, 120))
        self.assertAlmostEqual(share[5.0], (2e6 - 20e3) / 2)

    def test_what_a_pause_leaves(self):
        cell = cells.Book().get("rfc8867-5.8")
        flows = [n for n, f in enumerate(cell.flows) if f["kind"] == "video"]
        paused = next(n for n in flows if "pause" in cell.flows[n])
        share = {n: dict(controllers.share_in(cell, n, 119)) for n in flows}
        begin, end = controllers.pause_of(cell.flows[paused])
        self.assertEqual(share[paused][begin], 0)
        self.assertGreater(share[paused][end], 0)
        other = next(n for n in flows if n != paused)
        self.assertAlmostEqual(share[other][begin] / share[other][end], 1.5)

    def test_constant_traffic_is_not_there_to_be_had(self):
        share = dict(controllers.share_in(cells.Book().get("rfc8867-5.1b"), 0, 99))
        self.assertEqual([round(share[t]) for t in (0, 40, 60, 80)], [980000, 2480000, 580000, 980000])

    def test_two_bottlenecks(self):
        share = dict(controllers.share_in(cells.Book().get("rfc8867-6.3"), 0, 300))
        self.assertAlmostEqual(share[0.0], (1.5e6 - 2 * 20e3) / 2)  # the last hop is the narrow one

    def test_names(self):
        for name in ("low-delay", "fixed:1M", "tcp:bbr", "alone", "oracle", "fixed-best"):
            controllers.check(name)
        for name in ("fixed", "fixed:fast", "tcp:vegas", "magic"):
            with self.assertRaises(ValueError):
                controllers.check(name)
