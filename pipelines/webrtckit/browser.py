# SPDX-License-Identifier: LGPL-2.1-or-later
"""Chromium without a screen, steered through chromedriver's HTTP interface (W3C WebDriver)."""
import base64
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--mute-audio", "--disable-dev-shm-usage",
             "--autoplay-policy=no-user-gesture-required", "--allow-loopback-in-peer-connection",
             "--disable-features=WebRtcHideLocalIpsWithMdns", "--disable-background-networking", "--no-first-run",
             "--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--window-size=960,900"]
PROGRAMS = ("chromedriver", "chromium")
START = 60  # s


def missing():
    """What is not installed, as text; None: nothing."""
    return next((f"{p} is not installed (chromium, chromium-driver)" for p in PROGRAMS if shutil.which(p) is None), None)


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

    def run(self, script, *arguments):
        """What the body of a JavaScript function returns; a promise is waited for."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def open(self, url):
        self.ask("POST", "/url", {"url": url})

    def open_beside(self, url):
        """In a window of its own; what is open goes on."""
        self.ask("POST", "/window", {"handle": self.ask("POST", "/window/new", {"type": "tab"})["handle"]})
        self.open(url)

    def wait_for_peer(self, patience):
        """Until the page's `peer`, an RTCPeerConnection, is connected; s."""
        end = time.monotonic() + patience
        while (state := self.run("return peer.connectionState")) != "connected":
            if state == "failed" or time.monotonic() > end:
                raise RuntimeError(f"the browser's connection is {state}")
            time.sleep(0.1)

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
