# SPDX-License-Identifier: LGPL-2.1-or-later
"""What routers say by ICMP, as measurements need it; only root may."""
import socket
import struct


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total >> 16) + (total & 0xffff)
    return ~(total + (total >> 16)) & 0xffff


def say_too_large(sender, to, bytes_sent, mtu):
    """To the sender of a UDP packet, which a next hop does not take (RFC 1191). Addresses as (host, port); PermissionError
    where that is not allowed."""
    udp = struct.pack("!HHHH", sender[1], to[1], 8 + bytes_sent, 0)
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + 8 + bytes_sent, 0, 0x4000, 64, socket.IPPROTO_UDP, 0,
                     socket.inet_aton(sender[0]), socket.inet_aton(to[0]))
    message = struct.pack("!BBHHH", 3, 4, 0, 0, mtu) + ip + udp
    message = message[:2] + struct.pack("!H", checksum(message)) + message[4:]
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as raw:
        raw.sendto(message, (sender[0], 0))
