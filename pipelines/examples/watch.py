#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""An application that sends a test picture and watches what the network takes.   meson devenv -C build pipelines/examples/watch.py [HOST [PORT]]"""
import os
import sys

import gi

gi.require_version('Gst', '1.0')
from gi.repository import GLib, Gst  # noqa: E402


def on_estimate(sink, _pspec):
    print('the path takes %d kbit/s' % (sink.get_property('estimated-bitrate') // 1000))


def on_message(_bus, message, loop):
    if message.type == Gst.MessageType.ERROR:
        error, detail = message.parse_error()
        print(error.message, detail, file=sys.stderr)
        loop.quit()
    elif message.type == Gst.MessageType.ELEMENT and message.get_structure().has_name('application/x-tfrcsink-stats'):
        stats = message.get_structure()
        print('rtt %.1f ms, queue %.1f ms, loss events %.4f, limited by %s' % (
            stats.get_value('rtt') / 1e6, stats.get_value('queue-delay') / 1e6, stats.get_value('loss-event-rate'),
            stats.get_value('limit')))


def end(*raised):
    """PyGObject would go on behind a callback that raised."""
    sys.__excepthook__(*raised)
    os._exit(1)


def main():
    sys.excepthook = end
    Gst.init(None)
    pipeline = Gst.parse_launch(
        'videotestsrc is-live=true ! video/x-raw,format=I420,width=640,height=480,framerate=30/1 ! x264enc tune=zerolatency'
        ' ! ratecontrol ! rtph264pay ! tfrcsink name=sink stats-interval=1000000000')
    sink = pipeline.get_by_name('sink')
    sink.set_property('host', sys.argv[1] if len(sys.argv) > 1 else '127.0.0.1')
    sink.set_property('port', int(sys.argv[2]) if len(sys.argv) > 2 else 5004)
    sink.set_property('max-bitrate', 4000000)
    sink.connect('notify::estimated-bitrate', on_estimate)

    loop = GLib.MainLoop()
    pipeline.get_bus().add_signal_watch()
    pipeline.get_bus().connect('message', on_message, loop)
    pipeline.set_state(Gst.State.PLAYING)
    try:
        loop.run()
    except KeyboardInterrupt:
        pass
    pipeline.set_state(Gst.State.NULL)


main()
