# SPDX-License-Identifier: LGPL-2.1-or-later
"""Matrices, job files and the runner, with an engine that writes nothing but its result."""
import json
import pathlib
import tempfile
import textwrap
import types
import unittest
from unittest import mock

from lab import collect, jobs, matrix, runner, traces
from lab.__main__ import main

SMALL = """
title = "small"
controllers = ["low-delay", "oracle", "alone"]
cells = ["steady", "beside-cubic"]
seeds = 2
gates = false
"""


class Stub:
    """In place of `python3 -m lab.job`."""

    def __init__(self, path, script):
        self.path, self.script, self.pid = pathlib.Path(path), script, 0

    def wait(self):
        return self.script(self.path)


def succeed(path):
    ini = jobs.read(path)
    lab = dict(ini["lab"]) | {"seed": int(ini["job"]["seed"]), "duration": float(ini["job"]["duration"])}
    result = {"lab": lab, "row": {"psnr": 30.0, "tcp_rate": 1e6}, "flows": {}, "wall": 1.0, "memory_mb": 1, "engine": {}}
    (path.parent / "result.json").write_text(json.dumps(result))
    return 0


class Speed(unittest.TestCase):
    def test_learns(self):
        cell = types.SimpleNamespace(flows_of=lambda *_: ["one", "another"])
        job = types.SimpleNamespace(engine="sim", controller="low-delay", purpose="", duration=50.0, encoder="x", cell=cell)
        speed = runner.Speed()
        speed.known = {}
        for _ in range(200):
            speed.learn(job, {"wall": 21.0, "memory_mb": 100})
        # 20 s for two flows of 50 s.
        self.assertAlmostEqual(speed.seconds(job), 21.0)
        self.assertAlmostEqual(speed.seconds(types.SimpleNamespace(**{**vars(job), "purpose": "repeat"})), 41.0)


class Matrices(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.out = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def matrix(self, text):
        path = self.out / "m.toml"
        path.write_text(textwrap.dedent(text))
        return matrix.Matrix(path)

    def prepare(self, m):
        return runner.prepare(m, runner.places(m.jobs, self.out))

    def test_product(self):
        m = self.matrix(SMALL)
        names = [j.name for j in m.jobs]
        # Two cells x two controllers x two seeds, and `alone` where there is a TCP flow to be alone.
        self.assertEqual(len(names), 10)
        self.assertIn("sim/beside-cubic/x264enc/default/alone/seed-2", names)
        self.assertNotIn("sim/steady/x264enc/default/alone/seed-1", names)

    def test_all_that_are_there_can_be_read(self):
        for path in (pathlib.Path(matrix.__file__).parents[1] / "matrices").glob("*.toml"):
            m = matrix.Matrix(path)
            self.assertTrue(m.jobs or m.absent, path)  # recordings may be missing

    def test_mistakes(self):
        for text in ("contollers = []", 'cells = ["nowhere"]', SMALL + 'playout = ["patience-1s"]\n', 'cells=["steady"]\n'
                     'controllers=["magic"]', '[[sweep]]\nname = "x"\n', 'seeds = "many"\ncells=["steady"]',
                     'cells=["steady"]\n[[also]]\ncells=["steady"]\nfps=15\n',
                     '[[sweep]]\nbase="wide"\nname="all the same"\nloss=["0%", "5%"]\n',
                     '[[sweep]]\nbase="wide"\nname="l-{los}"\nloss=["0%"]\n'):
            with self.assertRaises(ValueError):
                self.matrix(text)

    def test_values_that_a_key_does_not_take(self):
        for line in ('controllers = "low-delay"', 'controllers = []', 'cells = "steady"', 'seeds = 0', 'seeds = ["a"]', 'fps = 0',
                     'fps = "30"', 'size = 352', 'size = "0x0"', 'duration = "60s"', 'duration = -5', 'playout = []', 'vmaf = "yes"',
                     'gates = "no"', 'tolerance = "x"', 'again = -1', 'title = 3', '[agree]\nspeed = 1', '[encoder.x264enc]\nrate = 1',
                     '[encoder.x265]\nfps = 15', '[sweep]\nbase = "wide"', '[[also]]\nfps = 0'):
            with self.assertRaises(ValueError, msg=line) as said:
                self.matrix(line)
            self.assertIn("m.toml: ", str(said.exception))

    def test_nothing_to_do_is_said(self):
        (self.out / "m.toml").write_text('controllers = ["low-delay"]\n')
        self.assertEqual(main([str(self.out / "m.toml"), "--out", str(self.out)]), 2)
        (self.out / "m.toml").write_text(SMALL)
        self.assertEqual(main([str(self.out / "m.toml"), "--out", str(self.out), "--engine", "real"]), 2)

    def test_job_file(self):
        m = self.matrix(SMALL)
        path = self.prepare(m)[0][1]
        ini = jobs.read(path)
        self.assertEqual(ini["hop 0"]["capacity"], "1M")
        self.assertIn("ratecontrol", ini["flow 0"]["send"])
        self.assertIn("threads=1", ini["flow 0"]["send"])
        self.assertEqual(ini["job"]["out"], str(path.parent))

    def test_a_users_call_is_told_no_wait(self):
        wait = {"low-delay": None, "rfc5348": None, "low-delay+byrtx": None, "low-delay+norepair": "0.1",
                "low-delay+rtx": "0.25", "oracle": "0.1"}
        for engine in ("sim", "real"):
            m = self.matrix(f'engines=["{engine}"]\ncells=["steady"]\ngates=false\ncontrollers={json.dumps(list(wait))}\n')
            found = {job.controller: jobs.read(path)["flow 0"].get("latency") for job, path in self.prepare(m)}
            self.assertEqual(found, wait, engine)

    def test_a_rival_that_sends_again_waits_as_long_as_ours_may(self):
        m = self.matrix('engines=["sim"]\ncells=["steady"]\ngates=false\ncontrollers=["gcc", "gcc+rtx"]\n')
        found = {job.controller: jobs.read(path)["flow 0"] for job, path in self.prepare(m)}
        self.assertEqual({name: flow["latency"] for name, flow in found.items()}, {"gcc": "0.1", "gcc+rtx": "0.4"})
        self.assertNotIn("ratecontrol", found["gcc+rtx"]["send"])

    def run_all(self, m, script):
        prepared = self.prepare(m)
        crew = runner.Runner(prepared, 2, say=lambda _text: None)
        with mock.patch.object(runner.Runner, "_start", lambda _self, path: Stub(path, script)), \
                mock.patch.object(runner.Speed, "save", lambda _self: None):
            crew.run()
        return prepared, crew

    def test_real_calls_at_once(self):
        m = self.matrix('engines=["real"]\ncells=["steady"]\ncontrollers=["low-delay"]\nseeds=4\ngates=false\n')
        one, four = (runner.Runner(self.prepare(m), 2, calls) for calls in (1, 4))
        self.assertAlmostEqual(one.expected(one.waiting()), 4 * four.expected(four.waiting()))

    def test_a_failure_stays_alone_and_a_run_goes_on(self):
        m = self.matrix(SMALL)
        started = []

        def sometimes(path):
            started.append(path)
            return 1 if "oracle" in str(path) else succeed(path)

        prepared, crew = self.run_all(m, sometimes)
        self.assertEqual(len(started), 10)
        self.assertEqual(len(crew.failed), 4)
        found, missing = collect.results(prepared)
        self.assertEqual((len(found), len(missing)), (6, 4))
        started.clear()
        self.run_all(m, lambda path: started.append(path) or succeed(path))
        self.assertEqual(len(started), 4)  # only those without a result

    def test_a_changed_job_is_run_again(self):
        prepared, _ = self.run_all(self.matrix(SMALL), succeed)
        self.assertTrue(all(runner.finished(p) for _, p in prepared))
        prepared = self.prepare(self.matrix(SMALL + "duration = 20\n"))
        self.assertFalse(any(runner.finished(p) for _, p in prepared))

    def test_further_calls_have_seeds_of_their_own(self):
        m = self.matrix('engines=["real"]\ncells=["steady"]\ncontrollers=["low-delay"]\nseeds=2\ngates=false\nagain=2\n')
        self.assertEqual([job.seed for job in m.further(m.jobs)], [3, 4])
        self.assertEqual(m.further([]), [])

    def test_parts_leave_each_other_alone(self):
        m = self.matrix(SMALL)
        first, second = runner.places(m.jobs, self.out)[0::2], runner.places(m.jobs, self.out)[1::2]
        runner.prepare(m, first)
        self.assertFalse(any(path.exists() for _, path in second))
        for _, path in first:
            succeed(path)
        runner.prepare(m, second)
        self.assertTrue(all(runner.finished(path) for _, path in first))
        self.assertFalse([p for p in self.out.rglob("job.*") if p.name != "job.ini"])

    def test_another_trace_in_the_same_file_is_another_job(self):
        trace = self.out / "train.up"
        text = f'gates=false\n[[sweep]]\nbase="traced"\nname="x-{{loss}}"\ntrace=["{trace}"]\nloss=["0%"]\n'
        trace.write_text("10\n20\n")
        prepared, _ = self.run_all(self.matrix(text), succeed)
        trace.write_text("10\n30\n")
        traces.Trace.read.cache_clear()
        self.assertTrue(all(runner.finished(p) for _, p in prepared))
        self.prepare(self.matrix(text))
        self.assertFalse(any(runner.finished(p) for _, p in prepared))
        trace.write_text("# comments are none of the format\n10\n")
        traces.Trace.read.cache_clear()
        with self.assertRaisesRegex(ValueError, "train.up"):
            self.prepare(self.matrix(text))

    def test_the_longest_of_what_is_included(self):
        (self.out / "long.toml").write_text(SMALL)
        (self.out / "short.toml").write_text(SMALL + "duration = 5\n")
        m = self.matrix(f'include = ["{self.out}/short.toml", "{self.out}/long.toml"]\ngates = false\n')
        self.assertEqual(len(m.jobs), 10)
        self.assertTrue(all(job.duration > 5 for job in m.jobs))

    def test_harm(self):
        prepared, _ = self.run_all(self.matrix(SMALL), succeed)
        found, _ = collect.results(prepared)
        for r in found:
            r["row"]["tcp_rate"] = {"alone": 2e6}.get(r["lab"]["controller"], 0.5e6)
            r["row"]["tcp_queue_p95"] = {"alone": 0.1}.get(r["lab"]["controller"], 0.2)
        collect.add_harm(found)
        harm = {r["lab"]["controller"]: r.get("harm") for r in found if r["lab"]["cell"] == "beside-cubic"}
        self.assertEqual(harm, {"low-delay": 0.75, "oracle": 0.75, "alone": None})
        self.assertEqual({r.get("harm_queue") for r in found if r["lab"]["cell"] == "beside-cubic"}, {0.5, None})


if __name__ == "__main__":
    unittest.main()
