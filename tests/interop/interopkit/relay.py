# SPDX-License-Identifier: LGPL-2.1-or-later
"""One UDP port between an end that has RTP and RTCP on one port and an end that has two, which reads what passes."""
import collections
import heapq
import select
import socket
import struct
import threading
import time

SR, RR = 200, 201
RTPFB, TFRC = 205, 2
PSFB, PLI = 206, 1
QUEUE = 0.3  # s
Report = collections.namedtuple("Report", "at compound media t_i t_delay X_recv p")
Stamp = collections.namedtuple("Stamp", "at ssrc seq rtt sent_at")


def is_rtcp(data):
    return len(data) >= 4 and data[0] >> 6 == 2 and 192 <= data[1] <= 223


def payload_type(rtp):
    return rtp[1] & 0x7f if len(rtp) > 1 else None


def rtcp_packets(data):
    while len(data) >= 4:
        size = 4 * (int.from_bytes(data[2:4], "big") + 1)
        yield data[:size]
        data = data[size:]


def tfrc_reports(data, at):
    """As Farstream takes them: type 205, format 2, length 6."""
    for packet in rtcp_packets(data):
        if packet[1] == RTPFB and packet[0] & 31 == TFRC and len(packet) == 28:
            media, t_i, t_delay, X_recv, p = struct.unpack(">5I", packet[8:])
            yield Report(at, data[1] in (SR, RR), media, t_i, t_delay / 1e6, X_recv, p / 0xffffffff)


def stamp(data, extension_id, at):
    """The one-byte form's element of exactly 7 bytes, None where there is none."""
    if len(data) < 16 or data[0] >> 6 != 2 or not data[0] & 0x10:  # version 2: DTLS passes here as well
        return None
    at_byte = 12 + 4 * (data[0] & 15)
    if len(data) < at_byte + 4:
        return None
    profile, words = struct.unpack(">HH", data[at_byte:at_byte + 4])
    block = data[at_byte + 4:at_byte + 4 + 4 * words]
    while profile == 0xbede and block:
        size = (block[0] & 15) + 1
        if block[0] == 0:
            block = block[1:]
        elif block[0] >> 4 == extension_id:
            if size != 7:
                return None
            return Stamp(at, int.from_bytes(data[8:12], "big"), int.from_bytes(data[2:4], "big"),
                         int.from_bytes(block[1:4], "big") / 1e6, int.from_bytes(block[4:8], "big"))
        else:
            block = block[1 + size:]
    return None


def is_idr(data):
    """A packet of RFC 6184 that starts a key unit: a NAL unit of type 5 or 7, or its first fragment."""
    at = 12 + 4 * (data[0] & 15)
    if data[0] & 0x10:
        at += 4 + 4 * int.from_bytes(data[at + 2:at + 4], "big")
    payload = data[at:]
    if len(payload) < 4:
        return False
    kind = payload[0] & 31
    if kind == 24:  # STAP-A
        kind = payload[3] & 31
    if kind == 28:  # FU-A
        kind = payload[1] & 31 if payload[1] & 0x80 else 0
    return kind in (5, 7)


class Relay(threading.Thread):
    """muxed: address of the one-port end, None until it speaks. split: (RTP, RTCP) addresses of the other. Packets
    take delay seconds either way."""

    def __init__(self, extension_id, delay):
        super().__init__(daemon=True)
        self.extension_id, self.delay = extension_id, delay
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.muxed, self.split, self.stopped = None, None, False
        self.lose_one_of = 0  # RTP packets; 0: none
        self.resend_type = None  # payload type of what is sent again
        self.rate = 0  # bit/s RTP passes at, UDP and IP headers counted, behind a queue of QUEUE s; 0: any
        self.free_at, self.queued = 0, []  # when the last packet is through; s each waited
        self.waiting, self.number, self.rtp_bytes = [], 0, 0
        self.counts = collections.Counter()  # by ("muxed" or "split", kind)
        self.stamps, self.reports, self.plis, self.idrs, self.rtcp = [], [], [], [], []

    def run(self):
        while not self.stopped:
            due = self.waiting[0][0] - time.monotonic() if self.waiting else 0.1
            if select.select([self.socket], [], [], min(max(due, 0), 0.1))[0]:
                try:
                    self.on_packet(*self.socket.recvfrom(65536))
                except ConnectionRefusedError:
                    pass
            while self.waiting and self.waiting[0][0] <= time.monotonic():
                _, _, data, to = heapq.heappop(self.waiting)
                self.socket.sendto(data, to)

    def on_packet(self, data, sender):
        now, rtcp = time.monotonic(), is_rtcp(data)
        side = "split" if self.split is not None and sender in self.split else "muxed"
        if side == "muxed" and self.muxed is None:
            self.muxed = sender
        to = self.muxed if side == "split" else self.split and self.split[rtcp]
        self.number += not rtcp
        self.counts[side, "rtcp" if rtcp else "rtp"] += 1
        if rtcp:
            self.note_rtcp(data, side, now)
        else:
            self.note_rtp(data, now)
        if not rtcp and self.lose_one_of and self.number % self.lose_one_of == 0:
            self.counts[side, "lost"] += 1
            self.counts[side, "resends lost"] += payload_type(data) == self.resend_type
        elif not rtcp and self.rate and self.free_at > now + QUEUE:
            self.counts[side, "dropped"] += 1
        elif to:
            passed = now
            if not rtcp and self.rate:
                self.queued.append(max(self.free_at - now, 0))
                self.free_at = passed = max(self.free_at, now) + 8 * (len(data) + 28) / self.rate
            heapq.heappush(self.waiting, (passed + self.delay, sum(self.counts.values()), data, to))

    def note_rtcp(self, data, side, now):
        self.reports.extend(tfrc_reports(data, now))
        for packet in rtcp_packets(data):
            self.rtcp.append((now, side, packet))
            self.counts[side, packet[1]] += 1
            if packet[1] == PSFB and packet[0] & 31 == PLI:
                self.plis.append(now)

    def note_rtp(self, data, now):
        self.rtp_bytes += len(data)
        found = stamp(data, self.extension_id, now)
        if found:
            self.stamps.append(found)
        if is_idr(data):
            self.idrs.append(now)

    def stop(self):
        self.stopped = True
        self.join()
        self.socket.close()
