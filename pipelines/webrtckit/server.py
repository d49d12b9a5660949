# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page, the signalling and the figures, over plain HTTP on this machine."""
import http.server
import json
import pathlib
import threading

PAGES = pathlib.Path(__file__).parent
MOST_BYTES = 1 << 20


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def reply(self, body, kind="application/json", status=200):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        desk = self.server.desk
        if self.path in ("/", "/watch"):
            self.reply((PAGES / ("watch.html" if self.path == "/watch" else "call.html")).read_bytes(), "text/html")
        elif self.path == "/offer":
            self.reply(json.dumps({"sdp": desk.offer()}).encode())
        elif self.path == "/figures":
            self.reply(json.dumps(desk.figures()).encode())
        else:
            self.reply(b"{}", status=404)

    def do_POST(self):
        size = int(self.headers.get("Content-Length") or 0)
        if not 0 < size <= MOST_BYTES:
            return self.reply(b"{}", status=413)
        try:
            message = json.loads(self.rfile.read(size))
        except ValueError:
            return self.reply(b"{}", status=400)
        if self.path == "/answer":
            self.server.desk.answer(message["sdp"])
        elif self.path == "/seen":
            self.server.desk.seen(message)
        return self.reply(b"{}")


def serve(desk, port):
    """desk has offer (), answer (sdp), seen (message), figures (). Returns the server, which runs in a thread."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.desk = desk
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
