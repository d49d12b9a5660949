# SPDX-License-Identifier: LGPL-2.1-or-later
import types
import unittest

import numpy

from callkit import codecs
from lab import statistics, traces, wire


def packet(sent, fate="delivered", size=1250, wait=0.0):
    return types.SimpleNamespace(sent=sent, arrived=sent + 0.05 if fate == "delivered" else None, fate=fate, size=size,
                                 queue_delay=wait if fate == "delivered" else None)


class Rates(unittest.TestCase):
    def test_a_rate(self):
        # 1250 bytes every 10 ms are 1 Mb/s.
        series = wire.rate_series([packet(0.01 * n) for n in range(1000)], 10)
        self.assertAlmostEqual(series[5:95].mean(), 1e6, delta=2e4)

    def test_time_back_to_90_percent(self):
        series = numpy.concatenate([numpy.full(100, 0.5e6), numpy.linspace(0.5e6, 1e6, 50), numpy.full(50, 1e6)])
        # From 10 s on the rate rises by 0.1 Mb/s a second: a mean of 0.9 over the next second begins at 13.5 s.
        self.assertAlmostEqual(wire.came_back(series, 1e6, 10.0, 20.0), 3.5, delta=0.2)
        self.assertIsNone(wire.came_back(series, 2e6, 10.0, 20.0))

    def test_start_up(self):
        series = numpy.concatenate([numpy.zeros(20), numpy.linspace(0, 1e6, 50), numpy.full(50, 1e6)])
        # 0.1 Mb/s in 0.5 s from 2 s on: a mean of 0.9 over the next second begins at 2 + 4 s.
        self.assertAlmostEqual(wire.start_up(series, [(0, 1e6)], 2.0, 12.0), 4.0, delta=0.2)
        self.assertEqual(wire.start_up(series, [(0, 1e6), (3, 1e6), (4, 2e6)], 2.0, 12.0), 2.0)

    def test_rises_and_drops_are_those_of_the_flow(self):
        # 20 s: another flow comes, which changes nothing for this one; 5 s: this one does.
        possible = [(0, 0), (5, 1e6), (10, 1.5e6), (20, 1.5e6), (30, 0.5e6)]
        self.assertEqual(wire.rises_and_drops(possible, 5, 40), [(10, 1e6, 1.5e6, 30), (30, 1.5e6, 0.5e6, 40)])

    def test_capacity_between_bins(self):
        series = wire.capacity_series([(0, 1e6), (0.05, 3e6)], 0.2)
        self.assertEqual(series.tolist(), [2e6, 3e6])


def call_of(frames, shown, payload, encoder="x264enc"):
    """A call of frames of 1000 bytes in 10 s, of which `payload` bytes left in packets of 1000."""
    packets = [packet(10 * n * 1000 / payload, size=1000 + codecs.PACKET_OVERHEAD) for n in range(payload // 1000)]
    return types.SimpleNamespace(packets=packets, reverse=[], frame=numpy.arange(shown), stale=numpy.zeros(shown),
                                 sent_frame=numpy.arange(frames), sent_bytes=numpy.full(frames, 1000.0),
                                 settings={"encoder": encoder})


class OneFlow(unittest.TestCase):
    def test_goodput_is_what_was_shown(self):
        # Ten of 100 frames were skipped before they left: 90 are shown.
        found, _ = wire.flow(call_of(100, 90, 90000), [(0, 1e6)], 0, 10)
        self.assertAlmostEqual(found["goodput"], 8 * 90000 / 10)
        self.assertAlmostEqual(found["overhead"], 1 - 90000 / (90 * (1000 + codecs.PACKET_OVERHEAD)))

    def test_headers_that_stay_at_home_are_none(self):
        found, _ = wire.flow(call_of(100, 100, 60000, "jpegenc"), [(0, 1e6)], 0, 10)
        self.assertAlmostEqual(found["goodput"], 8 * 60000 / 10)

    def test_use_of_what_could_be_had(self):
        # 96 kb/s of 100 and then of 300.
        call = call_of(110, 110, 10 * 12000 * 1000 // (1000 + codecs.PACKET_OVERHEAD) // 1000 * 1000)
        found, series = wire.flow(call, [(0, 1e5), (5, 3e5)], 0, 10)
        self.assertAlmostEqual(found["use"], series.mean() / 2e5)


class Use(unittest.TestCase):
    def test_a_trace_is_not_its_mean(self):
        links = wire.Links("/nowhere", {0: [(0, 1e6), (5, 3e6)]})
        links.hops = [{"forward": {"capacity": [[0, 2e6]]}}]
        self.assertEqual(links.capacity(), [(0, 1e6), (5, 3e6)])

    def test_the_least_used_bottleneck(self):
        # Two videos of at most 1 Mb/s over 1.5, 8 and 1 Mb/s: one crosses all hops, one the first only. The second hop
        # is wide, the third as wide as what crosses it.
        links = wire.Links("/nowhere")
        links.hops = [{"forward": {"capacity": [[0, bps]]}} for bps in (1.5e6, 8e6, 0.8e6)]
        flows = [{"kind": "video", "max": "1M"}, {"kind": "video", "max": "1M", "leave": "0"}]
        row = {"direction": "forward", "flow": "0", "packets": "1", "dropped": "0"}
        links.rows = [row | {"time": f"{n / 10:.6f}", "hop": str(hop), "bytes": str(octets)}
                      for n in range(100) for hop, octets in ((0, 15000), (1, 7500), (2, 7500))]
        # 1.2 of 1.5 Mb/s and 0.6 of 0.8.
        self.assertAlmostEqual(links.use(flows, 10), 0.75)
        # Nothing is narrow for a video of at most 0.6 Mb/s: the least of 1.2, 0.6 and 0.6 over 0.6.
        self.assertAlmostEqual(links.use([flows[0] | {"max": "0.6M"}], 10), 1)

    def test_tcp_wants_all(self):
        self.assertGreater(wire._wanted([{"kind": "tcp", "start": "5"}], 10)[60], 1e9)
        self.assertEqual(wire._wanted([{"kind": "video", "max": "1M", "pause": "2,4"}], 10)[30], 0)


class Circuit(unittest.TestCase):
    def test_openings_of_those_that_count_them(self):
        links = wire.Links("/nowhere")
        for stats, openings in (([], None), ([{}], None), ([{"circuit_openings": 0}], 0),
                                ([{"circuit_openings": 1}, {}, {"circuit_openings": 2}], 3)):
            links.flows = [{"stats": each} for each in stats]
            self.assertEqual(links.circuit_openings(), openings)


class Sharing(unittest.TestCase):
    def test_jain(self):
        self.assertAlmostEqual(wire.jain([1, 1, 1]), 1)
        self.assertAlmostEqual(wire.jain([1, 0, 0]), 1 / 3)
        self.assertIsNone(wire.jain([0, 0]))

    def test_ratio_and_priorities(self):
        flows = [{"kind": "video", "weight": "2"}, {"kind": "video"}, {"kind": "tcp"}, {"kind": "audio"}]
        found = wire.sharing(flows, lambda n, _a, _b: [2e6, 1e6, 3e6, 1e3][n], 60)
        self.assertAlmostEqual(found["jain"], 1)
        self.assertAlmostEqual(found["tcp_ratio"], 0.5)
        flows.append({"kind": "video", "direction": "reverse"})
        self.assertAlmostEqual(wire.sharing(flows, lambda n, _a, _b: [2e6, 1e6, 3e6, 1e3, 9e6][n], 60)["jain"], 1)

    def test_jain_of_all(self):
        # Two videos of 1, two TCP of 3: (1 + 1 + 3 + 3)^2 / (4 (1 + 1 + 9 + 9)) = 0.8; the videos alone are even.
        flows = [{"kind": "video"}, {"kind": "recorded"}, {"kind": "tcp"}, {"kind": "tcp"}]
        found = wire.sharing(flows, lambda n, _a, _b: [1e6, 1e6, 3e6, 3e6][n], 60)
        self.assertAlmostEqual(found["jain"], 1)
        self.assertAlmostEqual(found["jain_all"], 0.8)

    def test_only_while_all_are_there(self):
        flows = [{"kind": "video", "start": "20", "stop": "100"}, {"kind": "tcp", "stop": "90"}]
        self.assertEqual(wire.together(flows, 120), [(30, 90)])
        flows[0]["pause"] = "40,60"
        self.assertEqual(wire.together(flows, 120), [(30, 40), (70, 90)])
        flows[0]["pause"] = "25,85"
        self.assertEqual(wire.together(flows, 120), [(89, 90)])

    def test_a_pause_is_not_unfair(self):
        flows = [{"kind": "video"}, {"kind": "video", "pause": "40,60"}]
        found = wire.sharing(flows, lambda n, a, b: 0.5e6 if b <= 40 or a >= 60 else 1e6 * (1 - n), 120)
        self.assertAlmostEqual(found["jain"], 1)


class Medians(unittest.TestCase):
    def test_interval(self):
        middle, low, high = statistics.median([1, 2, 3, 4, None, 5])
        self.assertEqual(middle, 3)
        self.assertTrue(1 <= low < 3 < high <= 5)
        self.assertEqual(statistics.median([]), (None, None, None))
        self.assertEqual(statistics.median([7]), (7, 7, 7))

    def test_pairs(self):
        # Between the seeds lie 10, between the controllers 1: only pairs show it.
        ours = {s: 10 * s + 1 for s in range(8)}
        middle, low, high, count = statistics.paired(ours, {s: 10 * s for s in range(1, 9)})
        self.assertEqual((middle, low, high, count), (1, 1, 1, 7))


class Traces(unittest.TestCase):
    def test_as_documented(self):
        for name, kind in traces.KINDS.items():
            values = numpy.array([r for seed in range(8) for r in traces.rates(kind, 300, seed)])
            if kind.outage_share == 0:
                out = float((values == 0).mean())
                expected = kind.outage_length / (kind.outage_length + kind.outage_every)
                self.assertAlmostEqual(out, expected, delta=0.5 * expected + 0.005, msg=name)
                values = values[values > 0]
                self.assertAlmostEqual(numpy.median(values) / kind.median, 1, delta=0.25, msg=name)
                self.assertAlmostEqual(numpy.log(values).std(), kind.sigma, delta=0.15 * kind.sigma, msg=name)
            one = numpy.log(numpy.maximum([r for r in traces.rates(kind, 2000, 1)], 1))
            self.assertEqual(len(one), 2000 / traces.STEP, name)

    def test_memory(self):
        kind = traces.Kind(1e6, 0.5, 2.0, 1e9, 1, 0, 0)
        x = numpy.log(traces.rates(kind, 4000, 3))
        x -= x.mean()
        lag = round(kind.memory / traces.STEP)
        self.assertAlmostEqual((x[:-lag] * x[lag:]).mean() / x.var(), 1 / numpy.e, delta=0.08)

    def test_trace_has_the_rate_and_repeats(self):
        trace = traces.generate("cellular", 1, 60)
        self.assertEqual(trace.ms, traces.generate("cellular", 1, 60).ms)
        self.assertNotEqual(trace.ms, traces.generate("cellular", 2, 60).ms)
        self.assertAlmostEqual(trace.mean() / numpy.mean(traces.rates(traces.KINDS["cellular"], 60, 1)), 1, delta=0.01)
        steps = trace.steps(120, 0.5)
        self.assertAlmostEqual(numpy.mean([b for _, b in steps]) / trace.mean(), 1, delta=0.01)

    def test_turns(self):
        trace = traces.turns(100, 40)
        self.assertAlmostEqual(trace.mean() / (0.6 * traces.TURN_PEAK), 1, delta=0.01)
        self.assertEqual({ms // 100 for ms in trace.ms} | {600}, set(range(601)))
        self.assertTrue(all(ms % 100 == 0 or ms % 100 > 40 for ms in trace.ms))
        self.assertEqual(traces.Trace.read("turns:100/40").ms, trace.ms)
        for gap in (0, 100):
            with self.assertRaises(ValueError):
                traces.turns(100, gap)

    def test_nonsense(self):
        for ms in ([], [5, 3], [0]):
            with self.assertRaises(ValueError):
                traces.Trace(ms)


if __name__ == "__main__":
    unittest.main()
