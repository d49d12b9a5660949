# SPDX-License-Identifier: LGPL-2.1-or-later
"""A process of a call that is a page of Chromium: sender (webrtckit.sender) or receiver (webrtckit.browserreceiver)."""
import json
import pathlib
import signal
import sys
import tempfile

from callkit.gstio import say

from . import browser, web

SCRIPT = pathlib.Path(__file__).with_name("page.js")  # what both pages have


class End:
    def __init__(self, settings, page, routes):
        """page: file of HTML; routes: what else it asks for, by name."""
        self.s, self.folder = settings, pathlib.Path(settings["out"])
        self.offset = None  # ms to add to the page's time for CLOCK_MONOTONIC
        self.web = web.Server({"": web.page(page, SCRIPT), "clock": web.clock()} | routes, 0)

    def connect(self):
        """Until media can flow."""
        raise NotImplementedError

    def work(self):
        """Until it is through or told to end."""
        raise NotImplementedError

    def finish(self):
        """With the page still there."""
        raise NotImplementedError

    def run(self):
        with tempfile.TemporaryDirectory(prefix="chromium-") as folder:
            self.page = browser.Browser(folder)
            try:
                self.page.open(self.web.url)
                self.connect()
                self.work()
            except KeyboardInterrupt:
                pass
            except RuntimeError as error:
                say("error", text=str(error))
                return 1
            finally:
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                self.finish()
                self.page.close()
        return 0


def main(kind):
    """The program of a process; its settings are one JSON object."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(kind(json.loads(sys.argv[1])).run())
