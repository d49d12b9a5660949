# SPDX-License-Identifier: LGPL-2.1-or-later
"""TCP flows without end, each with a congestion control of the kernel's.
  bulk receive PORT | bulk send HOST PORT cubic,reno,bbr"""
import pathlib
import select
import socket
import sys

AVAILABLE = pathlib.Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
CHUNK = bytes(64 << 10)


def available():
    return AVAILABLE.read_text().split() if AVAILABLE.exists() else []


def receive(port):
    listener = socket.create_server(("", port), backlog=64)
    print("ready", flush=True)
    open_sockets = [listener]
    while True:
        for each in select.select(open_sockets, [], [])[0]:
            if each is listener:
                open_sockets.append(listener.accept()[0])
            elif not each.recv(1 << 16):
                open_sockets.remove(each)
                each.close()


def send(host, port, algorithms):
    """Flow k comes from port + 1 + k."""
    flows = []
    for k, algorithm in enumerate(algorithms.split(",")):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, algorithm.encode())
        s.bind(("", port + 1 + k))
        s.connect((host, port))
        s.setblocking(False)
        flows.append(s)
    while True:
        for each in select.select([], flows, [])[1]:
            each.send(CHUNK)


if __name__ == "__main__":
    if sys.argv[1] == "receive":
        receive(int(sys.argv[2]))
    else:
        send(sys.argv[2], int(sys.argv[3]), sys.argv[4])
