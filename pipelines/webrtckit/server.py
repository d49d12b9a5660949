# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page, the signalling and the figures of a call, for the browser of one user."""
import json
import pathlib
import threading

from . import web

PAGES = pathlib.Path(__file__).parent
TEXTS = ("state", "error", "sent_qualityLimitationReason")  # all else in what is seen is a number
MOST_NAMES, MOST_LETTERS, MOST_PAUSES = 64, 300, 1000
MOST_NUMBER = 1 << 53  # what a browser's numbers count to


def is_number(value):
    return value is None or isinstance(value, (int, float)) and abs(value) <= MOST_NUMBER


def is_pauses(value):
    return (isinstance(value, list) and len(value) <= MOST_PAUSES
            and all(isinstance(p, list) and len(p) == 2 and all(map(is_number, p)) for p in value))


def is_seen(message):
    """Is it what call.html tells of what it sees?"""
    def fits(name, value):
        if name in TEXTS:
            return isinstance(value, str) and len(value) <= MOST_LETTERS
        return is_pauses(value) if name == "pauses" else is_number(value) and len(name) <= MOST_LETTERS
    return isinstance(message, dict) and len(message) <= MOST_NAMES and all(fits(*item) for item in message.items())


class Signalling:
    """One offer or answer at a time; an answer is to the last offer, once."""

    def __init__(self, desk):
        self.desk, self.lock = desk, threading.Lock()
        self.offers, self.unanswered = 0, None

    def alone(self, run):
        if not self.lock.acquire(blocking=False):
            raise web.Refused(409)
        try:
            return run()
        finally:
            self.lock.release()

    def make_offer(self):
        self.unanswered = None
        sdp = self.desk.offer()
        self.offers += 1
        self.unanswered = self.offers
        return json.dumps({"sdp": sdp, "offer": self.offers}).encode(), web.JSON

    def take_answer(self, message):
        if self.unanswered is None or message.get("offer") != self.unanswered:
            raise web.Refused(409)
        self.unanswered = None
        self.desk.answer(message["sdp"])
        return b"{}", web.JSON

    def offer(self, _):
        return self.alone(self.make_offer)

    def answer(self, message):
        if not isinstance(message, dict) or not isinstance(message.get("sdp"), str):
            raise web.Refused(400)
        return self.alone(lambda: self.take_answer(message))

    def seen(self, message):
        if not is_seen(message):
            raise web.Refused(400)
        self.desk.seen(message)
        return b"{}", web.JSON

    def figures(self, _):
        return json.dumps(self.desk.figures()).encode(), web.JSON


def serve(desk, port, host="127.0.0.1"):
    """desk has offer (), answer (sdp), seen (message), figures (). Returns the server, which runs in a thread; its url is
    the page's address and leads whoever knows it into the call."""
    s = Signalling(desk)
    return web.Server({"": web.page(PAGES / "call.html"), "watch": web.page(PAGES / "watch.html"),
                       "offer": web.Route("POST", s.offer), "answer": web.Route("POST", s.answer),
                       "seen": web.Route("POST", s.seen), "figures": web.Route("GET", s.figures)}, port, host)
