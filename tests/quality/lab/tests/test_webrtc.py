# SPDX-License-Identifier: LGPL-2.1-or-later
"""Senders of WebRTC, as far as no browser and no webrtcsink are needed."""
import contextlib
import http.client
import io
import math
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

import lab  # noqa: F401
import numpy
from callkit import clips, controllers, film, paths
from lab import controllers as labs
from lab import viewer

try:
    from callkit.gstio import Gst
    from callkit.receiver import Recorder
    from webrtckit import browserreceiver, firstframe, sender, signalling, web
except (ImportError, ValueError) as error:  # gir1.2-gst-plugins-bad-1.0
    raise unittest.SkipTest(str(error))

OFFER = "\r\n".join(["v=0", "m=video 9 UDP/TLS/RTP/SAVPF 96", "a=rtpmap:96 VP8/90000",
                     "a=candidate:1 1 UDP 2015363327 127.0.0.1 5004 typ host",
                     "a=candidate:2 1 TCP 1015021823 127.0.0.1 9 typ host tcptype active"]) + "\r\n"
FPS = 30


class Frames(unittest.TestCase):
    CAPTURED = [(n, 100 + n / FPS) for n in range(90)]

    def encoded(self, numbers, origin, late=0.01):
        return [((origin + round(90000 * n / FPS)) % (1 << 32), 100 + n / FPS + late, 500 + n, int(n == 0)) for n in numbers]

    def test_time_stamps_begin_anywhere_and_wrap(self):
        rows = sender.numbered(self.encoded(range(90), (1 << 32) - 40000), self.CAPTURED, FPS)
        self.assertEqual([row[0] for row in rows], list(range(90)))
        self.assertEqual(rows[7][2:], (507, 0))

    def test_frames_left_out_keep_the_others_numbers(self):
        numbers = [n for n in range(2, 90) if n % 7]
        self.assertEqual([r[0] for r in sender.numbered(self.encoded(numbers, 12345), self.CAPTURED, FPS)], numbers)

    def test_a_slow_frame_moves_none(self):
        encoded = self.encoded(range(90), 0)
        encoded[0] = (encoded[0][0], 100.3, *encoded[0][2:])
        self.assertEqual([r[0] for r in sender.numbered(encoded, self.CAPTURED, FPS)], list(range(90)))

    def test_nothing_encoded_is_nothing(self):
        self.assertEqual(sender.numbered([], self.CAPTURED, FPS), [])


class Shown:
    """In the place of callkit.display.Display."""

    def __init__(self, clip):
        self.clip, self.numbers = clip, []

    def luma(self, raw):
        return numpy.frombuffer(raw, numpy.uint8, self.clip.width * self.clip.height).reshape(self.clip.height, self.clip.width)

    def show(self, number, raw, now):
        self.numbers.append((number, now))


class FirstFrame(unittest.TestCase):
    def setUp(self):
        self.clip = clips.made("videotestsrc", clips.TEST_PICTURE, 64, 48)
        self.shown = Shown(self.clip)
        self.first = firstframe.FirstFrame(self.shown, FPS)

    def test_the_first_pictures_tell_it(self):
        for since in range(firstframe.TELLING + 5):
            self.first.take(since, self.clip.frame(7 + since).tobytes(), since / FPS)
        self.assertEqual(self.shown.numbers, [(7 + n, n / FPS) for n in range(firstframe.TELLING + 5)])

    def test_fewer_tell_it_at_the_end(self):
        self.first.tell()
        self.assertEqual(self.shown.numbers, [])
        self.first = firstframe.FirstFrame(self.shown, FPS)
        self.first.take(0, self.clip.frame(3).tobytes(), 0.0)
        self.assertEqual(self.shown.numbers, [])
        self.first.tell()
        self.first.tell()
        self.assertEqual(self.shown.numbers, [(3, 0.0)])

    def test_time_stamps_wrap_and_go_back(self):
        self.assertEqual(firstframe.frames_between((1 << 32) - 3000, 3000, FPS), 2)
        self.assertEqual(firstframe.frames_between(3000, (1 << 32) - 3000, FPS), -2)


class Relay(unittest.TestCase):
    def socket(self):
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(s.close)
        s.bind(("127.0.0.1", 0))
        s.settimeout(0.2)
        return s

    def test_each_end_hears_the_other_through_one_port(self):
        network, browser, between = self.socket(), self.socket(), self.socket()
        at = between.getsockname()
        between.close()
        relay = subprocess.Popen([sys.executable, "-m", "webrtckit.relay", str(at[1]), *map(str, browser.getsockname())],
                                 env=paths.environment(), stdin=subprocess.PIPE)
        self.addCleanup(relay.kill)
        self.assertEqual(self.first_to_arrive(network, browser, at), (b"to the browser", at))
        browser.sendto(b"back", at)
        self.assertEqual(network.recvfrom(100), (b"back", at))
        relay.stdin.close()
        self.assertEqual(relay.wait(5), 0)

    def first_to_arrive(self, network, browser, at):
        for _ in range(50):  # until it listens
            network.sendto(b"to the browser", at)
            try:
                return browser.recvfrom(100)
            except TimeoutError:
                pass
        return None


class Pictures(unittest.TestCase):
    def test_bytes_of_one_size_at_most_are_taken(self):
        got = []
        server = web.Server({"picture": web.Route("POST", lambda body: (got.append(body), (b"{}", web.JSON))[1], web.BYTES, 8)}, 0)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        answers = [self.post(server, body, kind) for body, kind in
                   ((b"\x00\xff1234", web.BYTES), (b"9 of them", web.BYTES), (b"{}", web.JSON))]
        self.assertEqual((answers, got), ([200, 413, 415], [b"\x00\xff1234"]))

    @staticmethod
    def post(server, body, kind):
        url = urllib.parse.urlsplit(server.url)
        asked = http.client.HTTPConnection(url.hostname, url.port, timeout=5)
        asked.request("POST", url.path + "picture", body, {"Content-Type": kind})
        return asked.getresponse().status

    def test_what_is_no_picture_of_the_call_is_told(self):
        Gst.init(None)
        clip = clips.made("videotestsrc", clips.TEST_PICTURE, 64, 48)
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
            end = browserreceiver.Receiver({"out": folder, "clip": clip.path, "width": 64, "height": 48, "fps": FPS, "duration": 1})
            self.addCleanup(end.web.server_close)
            self.addCleanup(end.web.shutdown)
            for stamp, raw in ((3000, b"short"), (math.nan, clip.frame(0).tobytes())):
                self.assertRaises(web.Refused, end.on_picture, browserreceiver.HEAD.pack(1.0, stamp) + raw)
            self.assertIsNone(end.begin)
        self.assertIn("a picture of 5 bytes, not 4608", said.getvalue())
        self.assertIn("install a newer one", said.getvalue())

    def test_pictures_kept_as_they_were_are_read_again(self):
        Gst.init(None)
        clip = clips.made("videotestsrc", clips.TEST_PICTURE, 64, 48)
        with tempfile.TemporaryDirectory() as folder:
            self.assertIsNone(film.kept(folder))
            recorder = Recorder(str(pathlib.Path(folder) / film.SHOWN))
            caps = Gst.Caps.from_string("video/x-raw,format=I420,width=64,height=48,framerate=30/1")
            for n in range(5):
                buffer = Gst.Buffer.new_wrapped(clip.frame(n).tobytes())
                buffer.pts = n * Gst.SECOND // FPS
                recorder.push(caps, buffer)
            recorder.close()
            lumas = list(viewer.decoded(folder, "vp8enc"))
        self.assertEqual(len(lumas), 5)
        self.assertTrue(all((luma == clip.luma(n)).all() for n, luma in enumerate(lumas)))


class Signalling(unittest.TestCase):
    def test_one_candidate_stands_for_all(self):
        told = signalling.through(OFFER, 7000)
        self.assertEqual(told.count("a=candidate:"), 1)
        self.assertEqual(signalling.port_of(told), 7000)
        self.assertEqual(signalling.address_of(OFFER), ("127.0.0.1", "5004"))
        self.assertNotIn("candidate", signalling.through(OFFER, None))

    def test_rates_are_kilobits(self):
        rates = "x-google-start-bitrate=300;x-google-min-bitrate=150;x-google-max-bitrate=1500"
        self.assertIn(f"a=fmtp:96 {rates}\r\n", signalling.with_rates(OFFER, 300e3, 150e3, 1.5e6))
        other = OFFER + "a=fmtp:96 packetization-mode=1\r\n"
        self.assertIn(f"a=fmtp:96 packetization-mode=1;{rates}\r\n", signalling.with_rates(other, 300e3, 150e3, 1.5e6))


class Controllers(unittest.TestCase):
    def received(self, name):
        return controllers.make(name).receive({"controller": name, "encoder": "vp8enc"})

    def test_they_repair_unless_told_not_to(self):
        for name in ("chromium", "webrtcsink"):
            self.assertTrue(controllers.make(name).repairs)
            self.assertFalse(controllers.make(f"{name}+norepair").repairs)
            self.assertIn("webrtcbin name=session bundle-policy=max-bundle latency=400", self.received(name))
            self.assertIn("latency=100", self.received(f"{name}+norepair"))

    @unittest.skipUnless(paths.PLUGINS and paths.PLUGINS[0].exists(), "nothing is built")
    def test_elements_are_found_whatever_their_plugins_version(self):
        self.assertTrue(paths.has_element("tfrcsink"))  # 0.x, as libnice's and Rust's
        self.assertFalse(paths.has_element("tfrcsunk"))

    def test_one_has_a_browser_at_either_end(self):
        self.assertEqual(controllers.make("chromium+browser").modules["receiver"], "webrtckit.browserreceiver")
        self.assertEqual(controllers.make("chromium").modules["receiver"], "webrtckit.receiver")
        self.assertRaises(ValueError, controllers.make, "webrtcsink+browser")

    def test_there_are_no_others(self):
        for name in ("chromium:1", "chromium+rtx", "webrtcsink+"):
            self.assertRaises(ValueError, controllers.make, name)

    def test_the_lab_knows_them(self):
        for name in controllers.WebRtc.NAMES:
            self.assertEqual(labs.check(name), name)
