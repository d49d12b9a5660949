# SPDX-License-Identifier: LGPL-2.1-or-later
"""A host: a network namespace with one TUN device, whose other end is a file descriptor here. Run as a program it is the
process that keeps the namespace."""
import errno
import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys

TUN = "/dev/net/tun"
TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
DEVICE = "link0"
MTU = 1500
INSIDE = "ROUTER_INSIDE"  # in the environment: root of a user namespace


class Unprivileged(Exception):
    """What is missing, for people to read."""


def _can(*command):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def require(argv):
    """Returns where namespaces and TUN devices can be made, starting the program anew as root of a user namespace where
    that helps; raises Unprivileged where not."""
    for tool, package in (("unshare", "util-linux"), ("nsenter", "util-linux"), ("ip", "iproute2")):
        if not shutil.which(tool):
            raise Unprivileged(f"needs {tool} (package {package})")
    if not os.path.exists(TUN):
        raise Unprivileged(f"needs {TUN}: modprobe tun, or give the container that device")
    if not os.access(TUN, os.R_OK | os.W_OK):
        raise Unprivileged(f"may not open {TUN}: needs root, or mode 0666 on it")
    if _can("unshare", "--net", "true").returncode == 0:
        return
    if INSIDE not in os.environ and _can("unshare", "--map-root-user", "--net", "true").returncode == 0:
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", "--map-root-user", "--net", sys.executable] + argv)
    raise Unprivileged("may not make network namespaces: needs root with CAP_SYS_ADMIN and CAP_NET_ADMIN, or user "
                       "namespaces (sysctl kernel.unprivileged_userns_clone=1)")


class Host:
    """number is the last part of its addresses; fd the other end of its link, one packet a read or write."""

    def __init__(self, name, number):
        self.name, self.address, self.address6 = name, f"10.99.0.{number}", f"fd99::{number}"
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.keeper = subprocess.Popen(
            ["unshare", "--net", sys.executable, os.path.abspath(__file__), str(theirs.fileno()), self.address,
             self.address6], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, start_new_session=True)
        theirs.close()
        said, fds, _, _ = socket.recv_fds(self.control, 400, 1)
        if not fds:
            self.keeper.wait()
            raise Unprivileged(f"{name}: {said.decode() or 'no TUN device'}")
        self.fd = fds[0]
        self.pid = self.keeper.pid

    def enter(self, command):
        """The command, as it runs on this host."""
        return ["nsenter", "--target", str(self.pid), "--net"] + command

    def enter_from_outside(self, command):
        """The same for another shell of the user's, who may be root only in here."""
        user = ["--user", "--preserve-credentials"] if INSIDE in os.environ else []
        return ["nsenter", "--target", str(self.pid), *user, "--net"] + command

    def popen(self, command, **options):
        return subprocess.Popen(self.enter(command), **options)

    def close(self):
        self.control.close()  # which the keeper takes for its end
        self.keeper.wait()
        os.close(self.fd)


def _open_tun():
    fd = os.open(TUN, os.O_RDWR)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", DEVICE.encode(), IFF_TUN | IFF_NO_PI))
    return fd


def _set_up(address, address6):
    for words in ("link set lo up", f"link set {DEVICE} mtu {MTU} up", f"address add {address}/24 dev {DEVICE}",
                  f"route add default dev {DEVICE}"):
        subprocess.run(["ip"] + words.split(), check=True)
    if os.path.exists("/proc/sys/net/ipv6"):
        subprocess.run(["ip", "address", "add", f"{address6}/64", "dev", DEVICE, "nodad"], check=False)


def keep(control, address, address6):
    try:
        fd = _open_tun()
        _set_up(address, address6)
    except (OSError, subprocess.CalledProcessError) as error:
        hint = " (the container has no right to the device)" if getattr(error, "errno", 0) == errno.EPERM else ""
        control.send(f"{error}{hint}".encode()[:400])
        return 1
    try:
        socket.send_fds(control, [b"up"], [fd])
    except BrokenPipeError:  # who wanted the host is gone: Ctrl-C
        return 1
    os.close(fd)
    control.recv(1)  # until the other end closes
    return 0


if __name__ == "__main__":
    sys.exit(keep(socket.socket(fileno=int(sys.argv[1])), sys.argv[2], sys.argv[3]))
