#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A relay in front of a thin link: what arrives on PORT goes on through paqmshaper, what comes back goes to the sender,
and so do the shaper's rates. Either end sees one address.   relay.py PORT HOST HOSTPORT [BIT/S]

For example, each in a shell of its own (meson devenv -C build):
  pipelines/examples/receive 5006
  pipelines/examples/relay.py 5004 127.0.0.1 5006 600000
  pipelines/examples/send 127.0.0.1 5004"""
import os
import sys

import gi

gi.require_version('Gst', '1.0')
gi.require_version('GstNet', '1.0')
from gi.repository import Gio, GLib, Gst, GstNet  # noqa: E402


def follow_sender(_pad, info, back):
    """What comes back goes to where packets come from."""
    meta = GstNet.buffer_get_net_address_meta(info.get_buffer())
    if meta is not None and isinstance(meta.addr, Gio.InetSocketAddress):
        host, port = meta.addr.get_address().to_string(), meta.addr.get_port()
        if (host, port) != (back.get_property('host'), back.get_property('port')):
            back.set_property('host', host)
            back.set_property('port', port)
    return Gst.PadProbeReturn.OK


def share_socket(pipeline, source, sinks):
    """What sinks send leaves from the port that source reads, as both ends expect it."""
    source = pipeline.get_by_name(source)
    source.set_state(Gst.State.READY)
    for name in sinks:
        pipeline.get_by_name(name).set_property('socket', source.get_property('used-socket'))


def build(port, host, host_port, capacity, properties='', tell_from_own_port=False):
    """tell_from_own_port: as gst-launch would have it, where no two elements share a socket; the sender has to be told
    (tfrcsink: rate-sources)."""
    pipeline = Gst.parse_launch(
        f'udpsrc name=front port={port} ! application/x-rtp ! s.sink_0'
        f' paqmshaper name=s capacity={capacity} {properties}'
        f' ! udpsink name=forward host={host} port={host_port} sync=false async=false close-socket=false'
        ' udpsrc name=behind port=0 ! udpsink name=back host=127.0.0.1 port=9 sync=false async=false close-socket=false'
        ' s.rtcp_src ! dynudpsink name=tell sync=false async=false close-socket=false')
    share_socket(pipeline, 'front', ['back'] if tell_from_own_port else ['back', 'tell'])
    share_socket(pipeline, 'behind', ['forward'])
    pipeline.get_by_name('front').get_static_pad('src').add_probe(
        Gst.PadProbeType.BUFFER, follow_sender, pipeline.get_by_name('back'))
    return pipeline


def print_rate(shaper):
    stats = shaper.get_property('stats')
    media = stats.get_value('media')
    print('explicit rate %d kbit/s, media waits %.1f ms, %d packets dropped' % (
        stats.get_value('explicit-rate') / 1e3, media.get_value('delay') / 1e6,
        media.get_value('dropped') + media.get_value('tail-dropped')))
    return True


def end(*raised):
    """PyGObject would go on behind a callback that raised."""
    sys.__excepthook__(*raised)
    os._exit(1)


def main():
    sys.excepthook = end
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    Gst.init(None)
    pipeline = build(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 600000)
    pipeline.set_state(Gst.State.PLAYING)
    GLib.timeout_add_seconds(1, print_rate, pipeline.get_by_name('s'))
    try:
        GLib.MainLoop().run()
    except KeyboardInterrupt:
        pass
    pipeline.set_state(Gst.State.NULL)


if __name__ == '__main__':
    main()
