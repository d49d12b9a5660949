# SPDX-License-Identifier: LGPL-2.1-or-later
"""A web server for one user's pages: who does not know the token in the address gets nothing, and neither does another
site's page in the browser of the one who knows it."""
import base64
import collections
import hashlib
import http.server
import json
import re
import secrets
import sys
import threading
import time

MOST_BYTES = 1 << 16  # of a request's body, where a route says nothing; an answer has some 5000
MOST_CONNECTIONS = 32  # a browser opens 6 to a server
PATIENCE = 5  # s for a request as a whole, and for each CHUNK of what is written
CHUNK = 1 << 20
JSON, HTML, BYTES = "application/json", "text/html; charset=utf-8", "application/octet-stream"
TOKEN_BYTES = 16
ALWAYS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
          "Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin"}
POLICY = "default-src 'none'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

# method: the only one; run: its argument is the request's body (None of a GET), parsed where it is JSON, and it returns
# (body, type) or raises Refused; kind: the only type of a request's body; most: bytes of it.
Route = collections.namedtuple("Route", "method run kind most", defaults=(JSON, MOST_BYTES))


class Refused(Exception):
    """status: HTTP's."""

    def __init__(self, status):
        super().__init__(status)
        self.status = status


def page(path, script=None):
    """A route to a file of HTML; script: a file that goes in front of what is in its script."""
    def run(_):
        own = path.read_bytes()
        return own.replace(b"<script>", b"<script>\n" + script.read_bytes(), 1) if script else own, HTML
    return Route("GET", run)


def clock():
    """A route to CLOCK_MONOTONIC, ms."""
    return Route("GET", lambda _: (b"%f" % (1000 * time.monotonic()), JSON))


def policy(body):
    """A Content-Security-Policy under which the page's own script and style run and nothing else."""
    def own(tag):
        texts = re.findall(rb"<%s>(.*?)</%s>" % (tag, tag), body, re.S)
        hashes = (base64.b64encode(hashlib.sha256(text).digest()).decode() for text in texts)
        return " ".join(f"'sha256-{h}'" for h in hashes) or "'none'"
    return f"{POLICY}; script-src {own(b'script')}; style-src {own(b'style')}"


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


class Handler(http.server.BaseHTTPRequestHandler):
    timeout = PATIENCE

    def log_message(self, *_):
        pass

    def reply(self, body=b"{}", kind=JSON, status=200, **headers):
        self.send_response(status)
        own = {"Content-Type": kind, "Content-Length": str(len(body)), "Content-Security-Policy":
               policy(body) if kind == HTML else POLICY}
        for name, value in (own | ALWAYS | headers).items():
            self.send_header(name, value)
        self.end_headers()
        for at in range(0, len(body), CHUNK):
            self.wfile.write(body[at:at + CHUNK])

    def send_error(self, code, *_):
        self.close_connection = True
        self.reply(status=int(code))

    def header(self, name):
        """None: not sent. Two of one name are nobody's honest request."""
        values = self.headers.get_all(name, [])
        if len(values) > 1:
            raise Refused(400)
        return values[0] if values else None

    def check_sender(self):
        """A name that leads here by DNS is in Host; a page of another site in Origin and Sec-Fetch-Site."""
        host, site = self.header("Host"), self.header("Sec-Fetch-Site")
        if host not in self.server.hosts or self.header("Origin") not in (None, f"http://{host}"):
            raise Refused(403)
        if site not in (None, "same-origin") and (site, self.command) != ("none", "GET"):
            raise Refused(403)

    def route(self):
        _, token, name = (self.path.split("?")[0].split("/", 2) + ["", ""])[:3]
        if not secrets.compare_digest(token.encode(errors="replace"), self.server.token.encode()):
            raise Refused(404)
        if name not in self.server.routes:
            raise Refused(404)
        route = self.server.routes[name]
        if route.method != self.command:
            raise Refused(405)
        return route

    def message(self, route):
        if (self.header("Content-Type") or "").split(";")[0].strip().lower() != route.kind:
            raise Refused(415)
        size = self.header("Content-Length") or ""
        if self.header("Transfer-Encoding") is not None or not re.fullmatch("[0-9]{1,9}", size):
            raise Refused(411)
        if int(size) > route.most:
            raise Refused(413)
        body = self.rfile.read(int(size))
        if route.kind != JSON:
            return body
        try:
            return json.loads(body, parse_constant=no_constant)
        except (ValueError, RecursionError):
            raise Refused(400) from None

    def answer(self):
        try:
            self.check_sender()
            route = self.route()
            message = self.message(route) if self.command == "POST" else None
            self.server.has_come(self.connection)
            body, kind = route.run(message)
        except Refused as refused:
            return self.reply(status=refused.status)
        except RuntimeError as error:
            print(error, file=sys.stderr)
            return self.reply(status=500)
        return self.reply(body, kind)

    do_GET = do_POST = answer


class Server(http.server.ThreadingHTTPServer):
    """routes: Route by the path behind the token. Runs in a thread until shutdown ()."""

    daemon_threads = True

    def __init__(self, routes, port, host="127.0.0.1"):
        self.routes, self.token = routes, secrets.token_urlsafe(TOKEN_BYTES)
        self.lock, self.open, self.ends = threading.Lock(), set(), {}  # ends: when a request has to have come
        super().__init__((host, port), Handler)
        port = self.server_address[1]
        names = [host] + ["localhost"] * host.startswith("127.")
        self.hosts = {f"{name}:{port}" for name in names} | (set(names) if port == 80 else set())
        self.url = f"http://{host}:{port}/{self.token}/"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def process_request(self, request, client_address):
        with self.lock:
            room = len(self.open) < MOST_CONNECTIONS
            if room:
                self.open.add(request)
                self.ends[request] = time.monotonic() + PATIENCE
        if room:
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def shutdown_request(self, request):
        with self.lock:
            self.open.discard(request)
            self.ends.pop(request, None)
        super().shutdown_request(request)

    def has_come(self, request):
        with self.lock:
            self.ends.pop(request, None)

    def service_actions(self):
        """A socket's own timeout begins anew with every byte; this one does not."""
        with self.lock:
            late = [request for request, end in self.ends.items() if time.monotonic() > end]
            for request in late:
                del self.ends[request]
        for request in late:
            try:
                request.shutdown(2)
            except OSError:
                pass  # gone by itself

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)
