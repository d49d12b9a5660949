# SPDX-License-Identifier: LGPL-2.1-or-later
"""Calls of webrtcbin with Chromium."""
import json
import os
import pathlib
import signal
import sys
import tempfile
import threading
import urllib.request

import interopkit

browser = desk = server = None  # of webrtckit, by prepare ()


def prepare():
    """Skips where something is missing. Returns this module, with `desk` and `server` of webrtckit in it."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "pipelines"))
    from callkit import paths
    global browser, desk, server
    from webrtckit import browser
    if missing := browser.missing():
        interopkit.skip(missing)
    os.environ.update(paths.environment())
    if not paths.BOTTLENECK.exists():
        interopkit.skip("the emulated network (tests/sim/bottleneck) is not built")
    try:
        from webrtckit import desk, server
        from gi.repository import GLib
    except (ImportError, ValueError) as error:
        interopkit.skip(f"gir1.2-gst-plugins-bad-1.0 is missing: {error}")
    desk.call.Gst.init(None)
    for element in ("webrtcbin", "nicesink", "vp8enc", "x264enc"):
        if desk.call.Gst.ElementFactory.find(element) is None:
            interopkit.skip(f"{element} is not installed (gstreamer1.0-plugins-bad, gstreamer1.0-nice)")
    threading.Thread(target=GLib.MainLoop().run, daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and the browser with us
    return sys.modules[__name__]


class Call:
    """A call while it is entered. settings: webrtckit.desk.Desk's."""

    def __init__(self, settings):
        self.folder = tempfile.TemporaryDirectory(prefix="browser-")
        self.log = f"{self.folder.name}/packets.csv"
        self.desk = desk.Desk(settings, log=self.log)
        self.web = server.serve(self.desk, 0)
        self.url = self.web.url
        self.browser = None

    def __enter__(self):
        self.browser = browser.Browser(self.folder.name)
        self.browser.open(self.url)
        return self

    def __exit__(self, *_):
        self.browser.close()
        self.desk.hang_up()
        self.web.shutdown()
        self.web.server_close()

    def rows(self):
        with urllib.request.urlopen(f"{self.url}figures", timeout=10) as reply:
            figures = json.load(reply)
        if figures["problems"]:
            sys.exit(figures["problems"][0])
        return figures["history"]
