# SPDX-License-Identifier: LGPL-2.1-or-later
"""Chromium without a screen, steered through chromedriver's HTTP interface (W3C WebDriver), and calls with it."""
import base64
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

import interopkit

ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--mute-audio", "--disable-dev-shm-usage",
             "--autoplay-policy=no-user-gesture-required", "--allow-loopback-in-peer-connection",
             "--disable-features=WebRtcHideLocalIpsWithMdns", "--disable-background-networking", "--no-first-run",
             "--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--window-size=960,900"]
PROGRAMS = ("chromedriver", "chromium")
START = 60  # s


def prepare():
    """Skips where something is missing. Returns this module, with `desk` and `server` of webrtckit in it."""
    for program in PROGRAMS:
        if shutil.which(program) is None:
            interopkit.skip(f"{program} is not installed (chromium, chromium-driver)")
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "pipelines"))
    from callkit import paths
    os.environ.update(paths.environment())
    if not paths.BOTTLENECK.exists():
        interopkit.skip("the emulated network (tests/sim/bottleneck) is not built")
    global desk, server
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


class Browser:
    """folder: for its profile and log."""

    def __init__(self, folder):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.log = open(f"{folder}/chromedriver.log", "wb")
        self.driver = subprocess.Popen(["chromedriver", f"--port={self.port}"], stdout=self.log, stderr=self.log,
                                       env=os.environ | {"HOME": str(folder)})
        self.session = None
        try:
            self.wait_for_driver()
            options = {"args": [*ARGUMENTS, f"--user-data-dir={folder}/profile"]}
            reply = self.ask("POST", "", {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}})
            self.session = reply["sessionId"]
        except Exception:
            self.close()
            raise

    def wait_for_driver(self):
        end = time.monotonic() + START
        while time.monotonic() < end:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/status", timeout=5):
                    return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("chromedriver does not answer")

    def ask(self, method, path, body=None):
        url = f"http://127.0.0.1:{self.port}/session" + (f"/{self.session}" if self.session else "") + path
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=START) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode(errors="replace")) from error

    def open(self, url):
        self.ask("POST", "/url", {"url": url})

    def open_beside(self, url):
        """In a window of its own; what is open goes on."""
        self.ask("POST", "/window", {"handle": self.ask("POST", "/window/new", {"type": "tab"})["handle"]})
        self.open(url)

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("GET", "/screenshot")))

    def close(self):
        if self.session:
            try:
                self.ask("DELETE", "")
            except (OSError, RuntimeError):
                pass
        self.driver.terminate()
        self.driver.wait(10)
        self.log.close()


class Call:
    """A call while it is entered. settings: webrtckit.desk.Desk's."""

    def __init__(self, settings):
        self.folder = tempfile.TemporaryDirectory(prefix="browser-")
        self.log = f"{self.folder.name}/packets.csv"
        self.desk = desk.Desk(settings, log=self.log)
        self.web = server.serve(self.desk, 0)
        self.url = f"http://127.0.0.1:{self.web.server_address[1]}"
        self.browser = None

    def __enter__(self):
        self.browser = Browser(self.folder.name)
        self.browser.open(self.url)
        return self

    def __exit__(self, *_):
        self.browser.close()
        self.desk.hang_up()
        self.web.shutdown()
        self.web.server_close()

    def rows(self):
        with urllib.request.urlopen(f"{self.url}/figures", timeout=10) as reply:
            figures = json.load(reply)
        if figures["problems"]:
            sys.exit(figures["problems"][0])
        return figures["history"]
