#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""An end of a call, audio and video both ways in one pipeline; docs/two-way-call.md has it as lines for gst-launch-1.0.
Test picture and tone stand for camera and microphone.
pipelines/examples/two-way-call.py [HOST [PORT [ITS-PORT [SCREEN SPEAKER]]]]"""
import os
import sys

import gi

gi.require_version('Gst', '1.0')
from gi.repository import GLib, Gst  # noqa: E402

CAMERA = ('videotestsrc is-live=true pattern=smpte horizontal-speed=5'
          ' ! video/x-raw,format=I420,width=640,height=480,framerate=30/1')
MICROPHONE = 'audiotestsrc is-live=true wave=ticks ! audioconvert ! audioresample'
CALL = '''
    {camera} ! queue ! x264enc tune=zerolatency speed-preset=veryfast ! ratecontrol ! rtph264pay
        ! tfrcsink name=video-out host={host} port={to} max-bitrate=2000000
    {microphone} ! queue ! opusenc ! rtpopuspay ! tfrcsink host={host} port={to_audio}
    tfrcsrc port={at} encoding-name=H264 ! rtph264depay ! avdec_h264 ! videoconvert ! {screen} name=screen
    tfrcsrc port={at_audio} encoding-name=OPUS ! rtpopusdepay ! opusdec ! audioconvert ! {speaker}'''


def on_message(_bus, message, pipeline, loop):
    if message.type == Gst.MessageType.ERROR:
        error, detail = message.parse_error()
        print(error.message, detail, file=sys.stderr)
        loop.quit()
    elif message.type == Gst.MessageType.LATENCY:
        pipeline.recalculate_latency()


def end(*raised):
    """PyGObject would go on behind a callback that raised."""
    sys.__excepthook__(*raised)
    os._exit(1)


def main(host='127.0.0.1', at='5004', to=None, screen='autovideosink', speaker='autoaudiosink'):
    """Video at `at`, audio two ports above; the other end's are the same where `to` does not say."""
    sys.excepthook = end
    Gst.init(None)
    at, to = int(at), int(to or at)
    pipeline = Gst.parse_launch(CALL.format(camera=CAMERA, microphone=MICROPHONE, host=host, to=to, to_audio=to + 2, at=at,
                                            at_audio=at + 2, screen=screen, speaker=speaker))
    shown = [0]

    def on_picture(_pad, _info):
        shown[0] += 1
        return Gst.PadProbeReturn.OK

    def on_second():
        stats = pipeline.get_by_name('video-out').get_property('stats')
        print('%d packets sent, rate %d kbit/s, round trip %.1f ms, %d pictures shown' % (
            stats.get_value('packets-sent'), stats.get_value('wire-bitrate') // 1000, stats.get_value('rtt') / 1e6,
            shown[0]), flush=True)
        return True

    loop = GLib.MainLoop()
    pipeline.get_by_name('screen').get_static_pad('sink').add_probe(Gst.PadProbeType.BUFFER, on_picture)
    pipeline.get_bus().add_signal_watch()
    pipeline.get_bus().connect('message', on_message, pipeline, loop)
    GLib.timeout_add_seconds(1, on_second)
    pipeline.set_state(Gst.State.PLAYING)
    try:
        loop.run()
    except KeyboardInterrupt:
        pass
    pipeline.set_state(Gst.State.NULL)


main(*sys.argv[1:])
