# SPDX-License-Identifier: LGPL-2.1-or-later
"""Between an emulated network, which sends to a port that is chosen beforehand, and a browser, which chooses its own:
`python3 -m webrtckit.relay PORT BROWSERS-ADDRESS BROWSERS-PORT`. What the browser sends goes to where the network's
first datagram came from."""
import socket
import sys

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


if __name__ == "__main__":
    relay(int(sys.argv[1]), (sys.argv[2], int(sys.argv[3])))
