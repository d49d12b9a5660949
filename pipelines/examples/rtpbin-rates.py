#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A sender on rtpbin whose encoder obeys REMB and TMMBR, which rtpbin only hands on.   rtpbin-rates.py [HOST [PORT]]

Ports and the other end as for send-rtcp. RTP leaves from the port RTCP is read on, which is where routers that know no
other send it (paqmshaper's rtcp_src)."""
import os
import struct
import sys

import gi

gi.require_version('Gst', '1.0')
from gi.repository import GLib, Gst  # noqa: E402

HEADERS = 40 * 8  # bits a packet: RTP, UDP, IP
PACKET = 1200 * 8
LEAST, MOST = 50000, 4000000
RTPFB, PSFB, TMMBR, AFB = 205, 206, 3, 15


def remb(fci):
    if len(fci) >= 8 and fci[:4] == b'REMB':
        word = struct.unpack('>I', fci[4:8])[0]
        return (word & 0x3ffff) << (word >> 18 & 0x3f)
    return None


def tmmbr(fci):
    if len(fci) >= 8:
        word = struct.unpack('>I', fci[4:8])[0]
        return (word >> 9 & 0x1ffff) << (word >> 26)
    return None


def on_feedback(_session, kind, fmt, _sender, _media, fci, encoder):
    data = fci.extract_dup(0, fci.get_size()) if fci else b''
    rate = remb(data) if (kind, fmt) == (PSFB, AFB) else tmmbr(data) if (kind, fmt) == (RTPFB, TMMBR) else None
    if rate:
        rate = max(LEAST, min(rate * PACKET / (PACKET + HEADERS), MOST))
        encoder.set_property('bitrate', int(rate * 0.95) // 1000)


def build(host, port, rtcp_port):
    """rtcp_port: where RTCP is read, 0: any."""
    pipeline = Gst.parse_launch(
        'rtpbin name=bin rtp-profile=avpf videotestsrc is-live=true pattern=snow'
        ' ! video/x-raw,format=I420,width=640,height=480,framerate=30/1'
        ' ! x264enc name=encoder tune=zerolatency speed-preset=ultrafast bitrate=300 vbv-buf-capacity=200'
        ' ! rtph264pay mtu=1200 ! bin.send_rtp_sink_0'
        ' bin.send_rtp_src_0 ! udpsink name=rtp-out host=%s port=%d close-socket=false'
        ' bin.send_rtcp_src_0 ! udpsink host=%s port=%d sync=false async=false'
        ' udpsrc name=rtcp-in port=%d ! bin.recv_rtcp_sink_0' % (host, port, host, port + 1, rtcp_port))
    rtcp_in = pipeline.get_by_name('rtcp-in')
    rtcp_in.set_state(Gst.State.READY)
    pipeline.get_by_name('rtp-out').set_property('socket', rtcp_in.get_property('used-socket'))
    session = pipeline.get_by_name('bin').emit('get-internal-session', 0)
    session.connect('on-feedback-rtcp', on_feedback, pipeline.get_by_name('encoder'))
    return pipeline


def end(*raised):
    """PyGObject would go on behind a callback that raised."""
    sys.__excepthook__(*raised)
    os._exit(1)


def main():
    sys.excepthook = end
    host = sys.argv[1] if len(sys.argv) > 1 else '127.0.0.1'
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 5004
    Gst.init(None)
    pipeline = build(host, port, port + 3)
    pipeline.set_state(Gst.State.PLAYING)
    try:
        GLib.MainLoop().run()
    except KeyboardInterrupt:
        pass
    pipeline.set_state(Gst.State.NULL)


if __name__ == '__main__':
    main()
