# SPDX-License-Identifier: LGPL-2.1-or-later
"""Packets as they pass a host's link, by the kernel's time stamps. As a program: writes them to a file until SIGTERM."""
import pathlib
import signal
import socket
import struct
import sys

import numpy

HEAD = 60  # bytes of a packet that are kept
RECORD = numpy.dtype([("at", "<i8"), ("size", "<u4"), ("head", "u1", HEAD)])
SO_TIMESTAMPNS, SO_RCVBUFFORCE = 35, 33
ETH_P_ALL, PACKET_OUTGOING = 3, 4
TCP, UDP = 6, 17


def record(device, direction, path):
    """direction: out or in."""
    s = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
    s.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    try:
        s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 16 << 20)
    except PermissionError:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 << 20)
    s.bind((device, ETH_P_ALL))
    s.settimeout(0.2)
    ended = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    with open(path, "wb") as file:
        print("ready", flush=True)
        while not ended:
            try:
                head, extra, _, address = s.recvmsg(HEAD, 64, socket.MSG_TRUNC)
            except TimeoutError:
                continue
            if (address[2] == PACKET_OUTGOING) != (direction == "out") or head[0] >> 4 != 4:
                continue
            size = struct.unpack(">H", head[2:4])[0]
            seconds, nanoseconds = struct.unpack("qq", extra[0][2][:16])
            file.write(struct.pack("<qI", seconds * 10 ** 9 + nanoseconds, size) + head[:HEAD].ljust(HEAD, b"\0"))
    dropped = struct.unpack("II", s.getsockopt(263, 6, 8))[1]  # SOL_PACKET, PACKET_STATISTICS
    return f"the capture missed {dropped} packets" if dropped else None


class Flow:
    """What one flow sent, and what of it arrived: arrays of times in s; arrived is NaN where a packet was lost."""

    def __init__(self, sent, arrived, size, marked):
        self.sent, self.arrived, self.size, self.marked = (numpy.array(a) for a in (sent, arrived, size, marked))


def _word(heads, at):
    return heads[:, at].astype(numpy.uint64) << numpy.uint64(8) | heads[:, at + 1]


def _keys(records):
    """(flow, packet) of each record: protocol and ports; what tells it from the flow's others: TCP has numbers in the IP
    header, RTP sequence number and SSRC, RTCP its time. Headers are of 20 bytes, as the kernel writes them here."""
    heads = records["head"]
    protocol = heads[:, 9].astype(numpy.uint64)
    flow = protocol << numpy.uint64(32) | _word(heads, 20) << numpy.uint64(16) | _word(heads, 22)
    first, third, fourth = (_word(heads, at) << numpy.uint64(16) | _word(heads, at + 2) for at in (28, 36, 40))
    packet = numpy.where(protocol == UDP, first << numpy.uint64(32) | third ^ fourth, _word(heads, 4))
    return flow, packet


def _numbered(flow, packet):
    """Dictionary keys; a packet sent twice has a count as well."""
    seen, keys = {}, []
    for pair in zip(flow.tolist(), packet.tolist()):
        seen[pair] = seen.get(pair, -1) + 1
        keys.append(pair + (seen[pair],))
    return keys


def flows(sent_path, received_path):
    """{(protocol, source port, destination port): Flow}, by what the sender's and the receiver's capture hold."""
    sent, received = (numpy.fromfile(pathlib.Path(p), RECORD) for p in (sent_path, received_path))
    arrivals = {key: (at, ce) for key, at, ce in zip(
        _numbered(*_keys(received)), received["at"] * 1e-9, received["head"][:, 1] & 3 == 3)}
    found = {}
    for key, at, size in zip(_numbered(*_keys(sent)), sent["at"] * 1e-9, sent["size"]):
        arrived, marked = arrivals.get(key, (numpy.nan, False))
        entry = found.setdefault((key[0] >> 32, key[0] >> 16 & 0xFFFF, key[0] & 0xFFFF), ([], [], [], []))
        for column, value in zip(entry, (at, arrived, size, marked)):
            column.append(value)
    return {key: Flow(*columns) for key, columns in found.items()}


if __name__ == "__main__":
    sys.exit(record(*sys.argv[1:4]))
