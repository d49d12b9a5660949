# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the interoperability tests share. Call prepare () before anything of GStreamer is loaded."""
import atexit
import ctypes
import errno
import fcntl
import os
import shutil
import socket
import struct
import sys
import tempfile

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCSIFFLAGS, IFF_UP, IFF_RUNNING = 0x8914, 0x1, 0x40
SKIP = 77


def skip(reason):
    print(f"skipped: {reason}", flush=True)
    sys.exit(SKIP)


def quiet_network():
    """A network of our own with nothing but a loopback device: ports are free, nothing leaves the machine."""
    libc = ctypes.CDLL(None, use_errno=True)
    uid, gid = os.getuid(), os.getgid()
    if libc.unshare(CLONE_NEWNET) != 0:
        if libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
            skip(f"no network namespace: {os.strerror(ctypes.get_errno())}")
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            fcntl.ioctl(s, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP | IFF_RUNNING))
        except OSError as error:
            skip(f"no loopback device in a new namespace: {errno.errorcode[error.errno]}")


def only_plugins(names):
    """Show these system plug-ins and no others, under a registry and cache of the test's own."""
    home = tempfile.mkdtemp(prefix="interop-")
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    system = next((d for d in ("/usr/lib/x86_64-linux-gnu/gstreamer-1.0", "/usr/lib/aarch64-linux-gnu/gstreamer-1.0",
                               "/usr/lib64/gstreamer-1.0", "/usr/lib/gstreamer-1.0") if os.path.isdir(d)), None)
    if system is None:
        skip("the system's GStreamer plug-ins were not found")
    os.mkdir(f"{home}/plugins")
    for name in names:
        if not os.path.exists(f"{system}/libgst{name}.so") and not os.path.exists(f"{system}/lib{name}.so"):
            skip(f"GStreamer plug-in {name} is not installed")
        file = f"libgst{name}.so" if os.path.exists(f"{system}/libgst{name}.so") else f"lib{name}.so"
        os.symlink(f"{system}/{file}", f"{home}/plugins/{file}")
    os.environ.update(GST_PLUGIN_SYSTEM_PATH_1_0=f"{home}/plugins", GST_REGISTRY_1_0=f"{home}/registry",
                      XDG_CACHE_HOME=home)


def end(*raised):
    """PyGObject would go on behind a callback that raised: a timer is gone then, and the loop waits for ever."""
    sys.__excepthook__(*raised)
    sys.stdout.flush()
    os._exit(1)


def prepare(plugins, own_network):
    """own_network: the peer binds more than the loopback device's address."""
    sys.excepthook = end
    if own_network:
        quiet_network()
    only_plugins(plugins)
    try:
        import gi
        gi.require_version("Gst", "1.0")
        from gi.repository import Gst
    except (ImportError, ValueError) as error:
        skip(f"python3-gi or gir1.2-gstreamer-1.0 is missing: {error}")
    Gst.init(None)
    for element in ("tfrcsink", "tfrcsrc"):
        if Gst.ElementFactory.find(element) is None:
            sys.exit(f"{element} was not found: run under meson test or meson devenv")
    return Gst


def lacks_srtp(Gst):
    """Whether the plug-ins were built without libsrtp2, which setting a key then tells."""
    sink = Gst.parse_launch("fakesrc ! tfrcsink host=127.0.0.1 srtp-key=" + 30 * "00")
    lacking = sink.set_state(Gst.State.READY) == Gst.StateChangeReturn.FAILURE
    sink.set_state(Gst.State.NULL)
    return lacking


class Checks:
    """Collects what does not hold, prints everything, ends with the verdict."""

    def __init__(self):
        self.failed = 0

    def that(self, holds, text):
        print("ok  " if holds else "FAIL", text, flush=True)
        self.failed += not holds

    def end(self):
        sys.stdout.flush()
        return 1 if self.failed else 0


def play(Gst, pipeline):
    if pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
        message = pipeline.get_bus().timed_pop_filtered(Gst.SECOND, Gst.MessageType.ERROR)
        sys.exit(f"{pipeline.get_name()} does not play: {message and message.parse_error()[0].message}")


def run_loop(seconds, tick, every):
    """Runs the main loop until tick () is true or the time is over."""
    from gi.repository import GLib
    loop = GLib.MainLoop()
    end = GLib.get_monotonic_time() + int(1e6 * seconds)

    def on_timer():
        if tick() or GLib.get_monotonic_time() >= end:
            loop.quit()
            return False
        return True

    GLib.timeout_add(int(1000 * every), on_timer)
    loop.run()


def watch(seconds, value):
    """Runs the main loop; returns what value () said every 0.2 s."""
    seen = []
    run_loop(seconds, lambda: seen.append(value()), 0.2)
    return seen


def wait(condition, seconds):
    """Runs the main loop until condition () or the time is over; returns whether it came."""
    run_loop(seconds, condition, 0.02)
    return bool(condition())
