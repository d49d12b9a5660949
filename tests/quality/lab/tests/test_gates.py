# SPDX-License-Identifier: LGPL-2.1-or-later
"""The gates themselves: each has to fail on the fault it is there for."""
import types
import unittest

from lab import gates


def result(controller, psnr=38.0, use=0.9, loss=0.0, engine="sim", cell="steady", purpose=None, delay=0.1, seed=1, **more):
    lab = {"engine": engine, "cell": cell, "encoder": "x264enc", "clip": "c", "controller": controller, "seed": seed,
           "name": f"{cell}/{controller}", "clean": "true", "expect": "use=0.5 loss=0.1"}
    if purpose:
        lab["purpose"] = purpose
    flow = {"clocks": [], "pictures": 100, "pictures_lost": 0}
    return {"lab": lab, "row": {"psnr": psnr, "use": use, "loss_caused": loss, "delay_p95": delay}, "flows": {"0": flow}} | more


def verdicts(checks):
    return [holds for _, holds, _ in checks]


class Gates(unittest.TestCase):
    def test_codec(self):
        for got, holds in ((38.05, True), (38.0, False), (38.1, False), (None, False)):
            r = result("fixed:800k", purpose="codec", codec={"own": 38.05, "got": got})
            self.assertEqual(verdicts(gates.codec([r])), [holds])

    def test_stamps(self):
        cases = (("stamps", 90, 0, 0, 10, True), ("stamps", 99, 1, 0, 0, False), ("stamps", 10, 0, 0, 90, False),
                 ("stamps", 0, 0, 0, 0, False), ("stamps", 85, 0, 15, 0, False), ("stamps", 95, 0, 5, 0, True),
                 ("codec", 100, 0, 0, 0, True), ("codec", 99, 0, 1, 0, False), ("codec", 99, 0, 0, 1, False))
        for purpose, right, wrong, concealed, damaged, holds in cases:
            r = result("low-delay", purpose=purpose)
            r["flows"]["0"]["stamps"] = {"right": right, "wrong": wrong, "concealed": concealed, "damaged": damaged}
            self.assertEqual(verdicts(gates.pairing([r]))[0], holds)

    def test_pictures_that_fit_nothing(self):
        r = result("low-delay")
        r["flows"]["0"]["pictures_lost"] = 10
        self.assertEqual(verdicts(gates.pairing([r])), [False])

    def test_they_count_without_gates_too(self):
        r = result("low-delay")
        r["flows"]["0"]["pictures_lost"] = 10
        found = gates.check([r], [], types.SimpleNamespace(gates=False))
        self.assertEqual([name for name, holds, _ in found if not holds], ["pairing: pictures of received.mkv"])

    def test_clocks(self):
        r = result("low-delay")
        self.assertEqual(verdicts(gates.clocks([r])), [True])
        r["flows"]["0"]["clocks"] = ["3 packets were faster than the path"]
        self.assertEqual(verdicts(gates.clocks([r])), [False])

    def test_repeatable(self):
        r = result("low-delay", purpose="repeat", repeat={"files": 6, "differ": []})
        self.assertEqual(verdicts(gates.repeatable([r])), [True])
        r["repeat"]["differ"] = ["flow-0/packets.csv"]
        self.assertEqual(verdicts(gates.repeatable([r])), [False])

    def test_oracle_is_the_bound(self):
        self.assertEqual(verdicts(gates.oracle([result("oracle", 40), result("low-delay", 39)])), [True])
        self.assertEqual(verdicts(gates.oracle([result("oracle", 40), result("low-delay", 40.3)])), [True])
        self.assertEqual(verdicts(gates.oracle([result("oracle", 38), result("low-delay", 39)])), [False])
        self.assertEqual(verdicts(gates.oracle([result("oracle", None), result("low-delay", 39)])), [False])

    def test_oracle_says_nothing_under_random_loss(self):
        pair = [result("oracle", 20), result("low-delay+rtx", 39)]
        for r in pair:
            r["lab"]["clean"] = "false"
        self.assertEqual(verdicts(gates.oracle(pair)), [])

    def test_stuck_at_the_start(self):
        self.assertEqual(verdicts(gates.working([result("low-delay")])), [True])
        self.assertEqual(verdicts(gates.working([result("low-delay"), result("gcc", use=0.15)])), [False])

    def test_deaf_to_loss(self):
        self.assertEqual(verdicts(gates.working([result("low-delay", loss=0.4)])), [False])

    def test_a_circuit_that_opens(self):
        r = result("low-delay")
        for openings, holds in ((None, True), (0, True), (1, False)):
            r["row"]["circuit_openings"] = openings
            self.assertEqual(verdicts(gates.working([r])), [holds])

    def test_fixed_rates_are_not_meant_to_work(self):
        self.assertEqual(verdicts(gates.working([result("fixed:150k", use=0.15), result("fixed:3M", loss=0.6)])), [True])

    def test_engines(self):
        sim, real = result("low-delay"), result("low-delay", psnr=37.2, use=0.87, delay=0.13, engine="real")
        self.assertEqual(verdicts(gates.engines_agree([sim, real])), [True])
        self.assertEqual(verdicts(gates.engines_agree([sim, result("low-delay", psnr=30, engine="real")])), [False])
        self.assertEqual(verdicts(gates.engines_agree([sim])), [])
        for clip, holds in (("c", False), ("videotestsrc", True)):
            pair = [result("low-delay"), result("low-delay", psnr=result("low-delay")["row"]["psnr"] - 2, engine="real")]
            for each in pair:
                each["lab"]["clip"] = clip
            self.assertEqual(verdicts(gates.engines_agree(pair)), [holds])

    def test_only_real_calls_of_a_failed_gate_are_made_again(self):
        jobs = [types.SimpleNamespace(engine=engine, purpose=purpose, cell=types.SimpleNamespace(name=cell),
                                      encoder="x264enc", controller="low-delay")
                for engine, purpose, cell in (("real", "", "steps"), ("real", "codec", "steps"), ("sim", "", "steps"),
                                              ("real", "", "other"))]
        failed = [("agree: steps x264enc low-delay", False, ""), ("working: sim other x264enc", False, "")]
        self.assertEqual(gates.doubted(jobs, failed), jobs[:1])
        self.assertEqual(gates.doubted(jobs, [("working: real steps x264enc", False, "")]), jobs[:1])
        self.assertEqual(gates.doubted(jobs, [(name, True, "") for name, *_ in failed]), [])

    def test_failed_jobs(self):
        job = types.SimpleNamespace(name="sim/steady")
        self.assertEqual(verdicts(gates.complete([])), [True])
        self.assertEqual(verdicts(gates.complete([(job, "no element", True)])), [True])
        self.assertEqual(verdicts(gates.complete([(job, "crashed", False)])), [False])


if __name__ == "__main__":
    unittest.main()
