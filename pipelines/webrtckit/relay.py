# SPDX-License-Identifier: LGPL-2.1-or-later
"""Between an emulated network, which sends to a port that is chosen beforehand, and a browser, which chooses its own:
`python3 -m webrtckit.relay PORT BROWSERS-ADDRESS BROWSERS-PORT`. What the browser sends goes to where the network's
first datagram came from. It ends with its standard input: not to outlive who started it."""
import os
import socket
import sys
import threading

LARGEST = 1 << 16


def relay(port, browser):
    own, network = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), None
    own.bind(("127.0.0.1", port))
    while True:
        data, source = own.recvfrom(LARGEST)
        if source[1] != browser[1]:  # of this machine's addresses it may take any
            network = network or source
            own.sendto(data, browser)
        elif network:
            own.sendto(data, network)


def end_with_input():
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=end_with_input, daemon=True).start()
    relay(int(sys.argv[1]), (sys.argv[2], int(sys.argv[3])))
