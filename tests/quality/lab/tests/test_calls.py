# SPDX-License-Identifier: LGPL-2.1-or-later
"""callkit's ends and network, as far as no process is needed."""
import contextlib
import io
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import lab  # noqa: F401
from callkit import __main__ as call, controllers, job, network, paths, receiver, units
from callkit.gstio import Gst, structure_of, structure_to_dict

SETTINGS = {"encoder": "x264enc", "host": "127.0.0.1", "port": 5004, "mode": "low-delay", "controller": "low-delay"}


class Controllers(unittest.TestCase):
    def test_a_mode_is_tfrcsinks(self):
        self.assertIn("mode=rfc5348", controllers.make("rfc5348").send(SETTINGS))
        self.assertNotIn("rtx", controllers.make("rfc5348").send(SETTINGS))

    def test_retransmission_is_at_both_ends_and_waits_longer(self):
        made = controllers.make("low-delay+rtx")
        told = SETTINGS | {"controller": "low-delay+rtx"}
        self.assertIn('rtprtxsend name=rtx payload-type-map="map,96=(uint)97"', made.send(told))
        self.assertIn('rtx-payload-type-map="map,96=(uint)97"', made.receive(told))
        self.assertIn("latency=250", made.receive(told))
        self.assertIn("latency=400", made.receive(told | {"latency": 0.4}))

    def test_repair(self):
        made, told = controllers.make("low-delay"), SETTINGS | {"controller": "low-delay"}
        self.assertNotIn("repair", made.send(told) + made.receive(told))
        self.assertNotIn("latency", made.receive(told))
        self.assertIn("latency=200", made.receive(told | {"latency": 0.2}))
        made = controllers.make("low-delay+norepair")
        self.assertIn("repair=none", made.send(told))
        self.assertIn("repair=none", made.receive(told))
        self.assertIn("latency=100", made.receive(told))

    def test_a_window_plays_in_time(self):
        told = SETTINGS | {"width": 352, "height": 288}
        self.assertIn("name=picture sync=false", receiver.description(told))
        self.assertIn("name=picture sync=true", receiver.description(told | {"controller": "low-delay+window"}))

    def test_a_weight_is_told_to_who_knows_weights(self):
        for name in ("low-delay", "rtptfrcbwe"):
            self.assertIn("path-weight=2.5", controllers.make(name).send(SETTINGS | {"weight": 2.5}), name)
        for name, weight in (("gcc", 2.5), ("low-delay", 0)):
            self.assertNotIn("weight", controllers.make(name).send(SETTINGS | {"weight": weight}), name)

    def test_who_repairs_as_planned_finds_its_own_wait(self):
        for name in ("low-delay", "rfc5348", "low-delay+byrtx", "low-delay+byfec", "low-delay+window"):
            self.assertIsNone(controllers.latency({"controller": name}), name)
        for name, wait in (("low-delay+norepair", 0.1), ("low-delay+rtx", 0.25), ("gcc", 0.1), ("oracle", 0.1)):
            self.assertEqual(controllers.latency({"controller": name}), wait, name)
            self.assertEqual(controllers.latency({"controller": name, "latency": 0.4}), 0.4, name)

    def test_jpeg_has_a_payload_type_of_its_own(self):
        told = SETTINGS | {"encoder": "jpegenc", "controller": "low-delay+rtx"}
        self.assertIn('"map,26=(uint)97"', controllers.make("low-delay+rtx").receive(told))

    def test_unknown_names_are_errors(self):
        for name in ("", "none", "low-delay+fec", "low-delay+byboth", "fixed:fast", "oracle:1M", "farstream+rtx"):
            with self.assertRaises(ValueError, msg=name):
                controllers.make(name)


FAILING_SENDER = """
import json, sys
from callkit import sender
from callkit.gstio import Gst
class Failing(sender.Sender):
    def on_event(self, pad, info):
        raise RuntimeError("what went wrong")
Gst.init(None)
sys.exit(Failing(json.loads(sys.argv[1])).run())
"""


class Callbacks(unittest.TestCase):
    def ends(self, program):
        program = "from callkit.gstio import GLib, Gst, Runner\nGst.init(None)\n" + program
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=20,
                             env=paths.environment())
        self.assertEqual(run.returncode, 1)
        self.assertIn("RuntimeError: what went wrong", json.loads(run.stdout.splitlines()[-1])["text"])
        self.assertIn("Traceback", run.stderr)

    def test_a_probe_that_raises_ends_the_program(self):
        self.ends("""
runner = Runner("videotestsrc is-live=true ! fakesink name=sink")
def probe(pad, info):
    raise RuntimeError("what went wrong")
runner["sink"].get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, probe)
runner.run()
""")

    def test_a_signal_that_raises_ends_the_program(self):
        self.ends("""
runner = Runner("videotestsrc is-live=true ! fakesink name=sink signal-handoffs=true")
def handoff(*_):
    raise RuntimeError("what went wrong")
runner["sink"].connect("handoff", handoff)
runner.run()
""")

    def test_a_message_that_raises_ends_the_program(self):
        self.ends("""
runner = Runner("videotestsrc is-live=true ! fakesink name=sink")
def on_message(message):
    raise RuntimeError("what went wrong")
runner.on_element_message = on_message
runner.pipeline.post_message(Gst.Message.new_element(runner.pipeline, Gst.Structure.new_empty("a")))
runner.run()
""")

    def test_a_thread_that_raises_ends_the_program(self):
        self.ends("""
import threading
runner = Runner("videotestsrc is-live=true ! fakesink")
def feed():
    raise RuntimeError("what went wrong")
threading.Thread(target=feed, daemon=True).start()
runner.run()
""")

    @unittest.skipUnless(paths.BOTTLENECK.exists(), "without ns-3 there is no bottleneck")
    def test_a_sender_that_raises_ends_the_call_with_its_message(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "failingsender.py").write_text(FAILING_SENDER)
            (folder / "grey.i420").write_bytes(bytes([128]) * (64 * 64 * 3 // 2))
            found = paths.environment()
            found["PYTHONPATH"] = f"{folder}:{found['PYTHONPATH']}"
            words = ["call", "--clip", str(folder / "grey.i420"), "--size", "64x64", "--duration", "5", "--out",
                     str(folder / "out")]
            said = io.StringIO()
            with (mock.patch.object(controllers.Ours, "modules", controllers.Ours.modules | {"sender": "failingsender"}),
                  mock.patch.object(paths, "environment", lambda: found), mock.patch.object(sys, "argv", words),
                  contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO())):
                status = call.main()
        self.assertEqual(status, 1)
        self.assertIn("sender: RuntimeError: what went wrong", said.getvalue())


RAISING_LOOP = """
import runpy, sys
from gi.repository import GLib
def fail():
    raise RuntimeError("what went wrong")
run = GLib.MainLoop.run
def with_one_that_raises(loop):
    GLib.timeout_add(200, fail)
    run(loop)
GLib.MainLoop.run = with_one_that_raises
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
EXAMPLES = {"relay": ["0", "127.0.0.1", "9"], "watch": ["127.0.0.1", "9"], "rtpbin-rates": ["127.0.0.1", "9"],
            "rtpbin-conference": ["0", "127.0.0.1", "9", "fakesink", "fakesink"], "webrtc-call": ["fakesink"]}


class CallbacksOfOthers(unittest.TestCase):
    """Programs that have no Runner: without their hook they go on until the time is over."""

    def ends(self, *command):
        run = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=20, env=paths.environment())
        self.assertEqual(run.returncode, 1)
        self.assertIn("RuntimeError: what went wrong", run.stderr)

    def test_the_examples_end(self):
        Gst.init(None)
        for name, words in EXAMPLES.items():
            if name == "webrtc-call" and not Gst.ElementFactory.find("nicesink"):
                continue
            with self.subTest(name):
                self.ends("-c", RAISING_LOOP, str(paths.TOP / f"pipelines/examples/{name}.py"), *words)

    def test_the_interoperability_tests_end(self):
        self.ends("-c", f"""
import sys
sys.path.insert(0, {str(paths.TOP / 'tests/interop')!r})
import interopkit
interopkit.prepare(["coreelements", "rtpmanager"], own_network=False)
def tick():
    raise RuntimeError("what went wrong")
interopkit.run_loop(60, tick, 0.02)
""")


class Structures(unittest.TestCase):
    def test_are_read_on_every_version(self):
        Gst.init(None)
        event = Gst.Event.new_custom(Gst.EventType.CUSTOM_UPSTREAM, Gst.Structure.from_string("rate, bitrate=(uint)7")[0])
        self.assertEqual(structure_to_dict(structure_of(event)), {"bitrate": 7})
        self.assertIsNone(structure_of(Gst.Event.new_flush_start()))

    def test_outlive_their_holder(self):
        Gst.init(None)
        found = structure_of(Gst.Caps("video/x-raw,width=16"), 0)
        others = [Gst.Caps(f"audio/x-raw,rate={n}") for n in range(50)]  # take what is free
        self.assertEqual((found.get_name(), found.get_value("width"), len(others)), ("video/x-raw", 16, 50))


class Recording(unittest.TestCase):
    def test_frames_without_a_time_are_kept(self):
        Gst.init(None)
        times = [0, 20, Gst.CLOCK_TIME_NONE, Gst.CLOCK_TIME_NONE, 30]
        with tempfile.TemporaryDirectory() as folder:
            recorder = receiver.Recorder(f"{folder}/a file.mkv")
            for at in times:
                buffer = Gst.Buffer.new_wrapped(b"frame")
                buffer.pts = at if at == Gst.CLOCK_TIME_NONE else at * Gst.MSECOND
                recorder.push(Gst.Caps("video/x-vp8,width=16,height=16"), buffer)
            recorder.close()
            read = Gst.parse_launch("filesrc name=file ! matroskademux ! appsink name=out sync=false")
            read.get_by_name("file").set_property("location", recorder.path)
            read.set_state(Gst.State.PLAYING)
            found = 0
            while read.get_by_name("out").emit("pull-sample"):
                found += 1
            read.set_state(Gst.State.NULL)
        self.assertEqual(found, len(times))


    def test_a_frame_without_a_time_has_one_of_its_own_and_the_callers_none(self):
        Gst.init(None)
        untimed = Gst.Buffer.new_wrapped(b"frame")
        recorder = receiver.Recorder("unused")
        recorder.last_pts = 7
        self.assertEqual((recorder.with_time(untimed).pts, untimed.pts), (7 + Gst.MSECOND, Gst.CLOCK_TIME_NONE))


class Ports(unittest.TestCase):
    def test_calls_that_begin_together_get_others(self):
        given = network.free_ports(3) + network.free_ports(3)
        with mock.patch("os.getpid", lambda: os.getppid()):
            given += network.free_ports(3)
        self.assertEqual(len(set(given)), 9)
        self.assertTrue(all(port % 2 == 0 and port < 32768 for port in given))

    def test_what_is_taken_is_not_given(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            port = network.free_ports(1)[0] + 3  # the upper one of the next pair
            taken.bind(("127.0.0.1", port))
            self.assertNotIn(port - 1, network.free_ports(2))


class Network(unittest.TestCase):
    def test_traffic(self):
        self.assertEqual(network.traffic("cubic"), {"kind": "tcp", "tcp": "cubic"})
        self.assertEqual(network.traffic("bbr@10-20"), {"kind": "tcp", "tcp": "bbr", "start": 10.0, "stop": 20.0})
        self.assertEqual(network.traffic("udp:500k@3"), {"kind": "udp", "rate": "500000", "start": 3.0})

    def test_traffic_that_is_none(self):
        for text in ("reno", "udp", "cubic:1M", "cubic@x", "short-tcp:3"):
            with self.assertRaises(ValueError, msg=text):
                network.traffic(text)

    def test_a_trace_repeats(self):
        # 4 chances of 12000 bits in the first half second of each second, 1 in the other: 96 and 24 kb/s.
        with tempfile.NamedTemporaryFile("w", suffix=".trace") as file:
            file.write("100\n200\n300\n400\n1000\n")
            file.flush()
            steps = units.trace_schedule(file.name, 2.0).steps
        # the chance at 1.0 s falls into the half second that begins there
        self.assertEqual(steps, [(0.0, 96e3), (0.5, 0.0), (1.0, 120e3), (1.5, 0.0)])


class Job(unittest.TestCase):
    def test_flows_and_their_own_times(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "job.ini"
            video = {"kind": "video", "controller": "low-delay", "clip": "c.i420", "width": 352, "height": 288, "fps": 30,
                     "send": "jpegenc name=encoder ! rtpjpegpay name=pay", "start": 5, "stop": 90, "pause": "20,25",
                     "max": "1.5M"}
            network.write_job(path, {"job": {"seed": 3, "duration": 60, "out": folder}, "hop 0": {"capacity": "1M"},
                                     "flow 0": {"kind": "tcp"}, "flow 1": video})
            ini = job.read(path)
            flow, = job.video_flows(ini)
            told = flow.settings(ini["hop 0"], ini["job"])
        self.assertEqual((flow.number, flow.start, flow.stop), (1, 5.0, 60.0))
        self.assertEqual(told["pause"], [15.0, 20.0])
        self.assertEqual((told["encoder"], told["duration"], told["max"], told["seed"]), ("jpegenc", 55.0, 1.5e6, 3))


class CommandLine(unittest.TestCase):
    def refused(self, *arguments):
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit, msg=arguments) as ended:
            call.parse(arguments)
        self.assertEqual(ended.exception.code, 2)
        return said.getvalue().splitlines()[-1]

    def test_a_port_that_is_none(self):
        for option in ("--receive", "--port"):
            for port in ("99999", "65536", "0", "-1", "rtp"):
                self.assertIn(f"{option}: no port: {port} (1 to 65535", self.refused(f"{option}={port}"))
        self.assertEqual((call.parse(["--receive", "65535"]).receive, call.parse(["--port", "1"]).port), (65535, 1))

    def test_a_rate_without_its_unit(self):
        for option, value in (("--capacity", "5"), ("--capacity", "0:1M,10:5"), ("--reverse", "5"), ("--max", "5"), ("--start", "5")):
            said = self.refused(option, value)
            self.assertIn("is 5 bit/s", said)
            self.assertIn("600k is 600 kbit/s", said)
        self.assertEqual(call.parse(["--capacity", "0:1M,10:10k"]).capacity, "0:1M,10:10k")

    def test_a_time_without_its_unit(self):
        for option in ("--delay", "--queue", "--jitter", "--latency"):
            self.assertIn("50 is 50 s: 5 s at most (50ms is 50 milliseconds", self.refused(option, "50"))
            self.assertEqual(vars(call.parse([option, "5s"]))[option[2:]], 5)

    def test_what_cannot_be_read_says_how_it_is_written(self):
        for option, value, cure in (("--loss", "200%", "0..1 or 0..100%"), ("--loss", "much", "0..1 or 0..100%"),
                                    ("--delay", "5x", "50ms"), ("--max", "1.2.3M", "1.5M"), ("--capacity", "10:1M", "0:1M,20:400k")):
            self.assertIn(cure, self.refused(option, value))

    def test_an_interrupted_report_is_one_line(self):
        with mock.patch("sys.argv", ["call"]), mock.patch.object(call.session, "Session") as made, \
             mock.patch.object(call.early, "listen"), contextlib.redirect_stderr(io.StringIO()) as said:
            made.return_value.run.side_effect = KeyboardInterrupt
            self.assertEqual(call.main(), 130)
        self.assertEqual(said.getvalue(), "call: interrupted before its report was written\n")


if __name__ == "__main__":
    unittest.main()
