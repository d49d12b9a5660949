# SPDX-License-Identifier: LGPL-2.1-or-later
"""Senders of WebRTC, as far as no browser and no webrtcsink are needed."""
import unittest

import lab  # noqa: F401
from callkit import controllers, paths
from lab import controllers as labs

try:
    from webrtckit import sender, signalling
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


class Signalling(unittest.TestCase):
    def test_one_candidate_stands_for_all(self):
        told = signalling.through(OFFER, 7000)
        self.assertEqual(told.count("a=candidate:"), 1)
        self.assertEqual(signalling.port_of(told), 7000)
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

    def test_there_are_no_others(self):
        for name in ("chromium:1", "chromium+rtx", "webrtcsink+"):
            self.assertRaises(ValueError, controllers.make, name)

    def test_the_lab_knows_them(self):
        for name in controllers.WebRtc.NAMES:
            self.assertEqual(labs.check(name), name)
