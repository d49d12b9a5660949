#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A call of two webrtcbins, both ends in this process; rtptfrcbwe governs what either sends, and ratecontrol obeys. What
is a message between two machines is a function call here.   meson devenv -C build pipelines/examples/webrtc-call.py [SINK]"""
import os
import sys

import gi

gi.require_version('Gst', '1.0')
gi.require_version('GstRtp', '1.0')
gi.require_version('GstWebRTC', '1.0')
from gi.repository import GLib, Gst, GstRtp, GstWebRTC  # noqa: E402,F401

CAMERA = ('videotestsrc is-live=true pattern=smpte horizontal-speed=5 ! video/x-raw,width=320,height=240,framerate=30/1'
          ' ! vp8enc deadline=1 end-usage=cbr error-resilient=partitions keyframe-max-dist=3000 ! ratecontrol'
          ' ! rtpvp8pay name=pay pt=96 mtu=1200 picture-id-mode=15-bit'
          ' ! capsfilter caps="application/x-rtp,media=video,encoding-name=VP8,payload=96,clock-rate=90000,'
          'rtcp-fb-nack-pli=true,rtcp-fb-transport-cc=true"')


class Party:
    def __init__(self, pipeline, name, sink):
        self.pipeline, self.sink, self.bwe = pipeline, sink, None
        self.webrtc = Gst.ElementFactory.make('webrtcbin', name)
        self.webrtc.set_property('bundle-policy', GstWebRTC.WebRTCBundlePolicy.MAX_BUNDLE)
        self.webrtc.connect('request-aux-sender', self.on_request_aux_sender)
        self.webrtc.connect('pad-added', self.on_pad_added)
        pipeline.add(self.webrtc)
        camera = Gst.parse_bin_from_description(CAMERA, True)
        extension = Gst.ElementFactory.make('rtphdrexttwcc')
        extension.set_id(1)
        camera.get_by_name('pay').emit('add-extension', extension)
        pipeline.add(camera)
        camera.link(self.webrtc)

    def on_request_aux_sender(self, _webrtc, _transport):
        self.bwe = Gst.ElementFactory.make('rtptfrcbwe')
        self.bwe.set_property('max-bitrate', 2000000)
        return self.bwe

    def on_pad_added(self, _webrtc, pad):
        if pad.get_direction() != Gst.PadDirection.SRC:
            return
        screen = Gst.parse_bin_from_description(f'queue name=entry ! decodebin ! videoconvert ! {self.sink}', False)
        screen.add_pad(Gst.GhostPad.new('sink', screen.get_by_name('entry').get_static_pad('sink')))
        self.pipeline.add(screen)
        screen.sync_state_with_parent()
        pad.link(screen.get_static_pad('sink'))

    def create(self, what, then):
        """what: offer or answer"""
        def on_reply(promise, *_):
            self.reply = promise.get_reply()  # owns the description
            then(self.reply.get_value(what))
        self.webrtc.emit(f'create-{what}', None, Gst.Promise.new_with_change_func(on_reply))

    def line(self):
        stats = self.bwe.get_property('stats')
        return '%d packets sent, rate %d kbit/s, limited by %s' % (
            stats.get_value('packets-sent'), stats.get_value('wire-bitrate') // 1000, stats.get_value('limit'))


def call(caller, callee):
    def on_answer(answer):
        callee.webrtc.emit('set-local-description', answer, None)
        caller.webrtc.emit('set-remote-description', answer, None)

    def on_offer(offer):
        caller.webrtc.emit('set-local-description', offer, None)
        callee.webrtc.emit('set-remote-description', offer, None)
        callee.create('answer', on_answer)

    caller.webrtc.connect('on-ice-candidate', lambda _, line, text: callee.webrtc.emit('add-ice-candidate', line, text))
    callee.webrtc.connect('on-ice-candidate', lambda _, line, text: caller.webrtc.emit('add-ice-candidate', line, text))
    caller.webrtc.connect('on-negotiation-needed', lambda _: caller.create('offer', on_offer))


def end(*raised):
    """PyGObject would go on behind a callback that raised."""
    sys.__excepthook__(*raised)
    os._exit(1)


def main():
    sys.excepthook = end
    Gst.init(None)
    pipeline = Gst.Pipeline.new(None)
    parties = [Party(pipeline, name, sys.argv[1] if len(sys.argv) > 1 else 'autovideosink') for name in ('caller', 'callee')]
    call(*parties)

    def on_second():
        for party in parties:
            print(party.line() if party.bwe else 'connecting', flush=True)
        return True

    GLib.timeout_add_seconds(1, on_second)
    pipeline.set_state(Gst.State.PLAYING)
    try:
        GLib.MainLoop().run()
    except KeyboardInterrupt:
        pass
    pipeline.set_state(Gst.State.NULL)


if __name__ == '__main__':
    main()
