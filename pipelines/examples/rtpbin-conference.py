#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""One member of a conference on rtpbin: audio and video in one session, which share what the path takes. rtpfunnel makes
one stream of packets of them, rtptfrcbwe stands in front of the session: audio leaves first, video gets the rest.
  meson devenv -C build pipelines/examples/rtpbin-conference.py PORT HOST HOSTPORT [VIDEOSINK [AUDIOSINK]]

RTP has PORT and RTCP the next one. On one port rtpbin takes long TWCC feedback for RTP of payload type 77.

For example, each in a shell of its own:
  rtpbin-conference.py 5004 127.0.0.1 5006
  rtpbin-conference.py 5006 127.0.0.1 5004"""
import os
import sys

import gi

gi.require_version('Gst', '1.0')
gi.require_version('GstRtp', '1.0')
from gi.repository import GLib, Gst, GstRtp  # noqa: E402,F401

TWCC = 'http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01'
CAPS = {96: 'media=video,encoding-name=H264,clock-rate=90000', 97: 'media=audio,encoding-name=OPUS,clock-rate=48000'}
COMMON = f'rtcp-fb-transport-cc=(boolean)true,extmap-1=(string){TWCC}'
PIPELINE = '''rtpbin name=bin rtp-profile=avpf latency=100
  rtpfunnel name=funnel ! rtptfrcbwe name=bwe max-bitrate=2000000 ! bin.send_rtp_sink_0
  videotestsrc is-live=true pattern=smpte horizontal-speed=5 ! video/x-raw,format=I420,width=640,height=480,framerate=30/1
    ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=300 ! ratecontrol ! rtph264pay name=vpay pt=96 mtu=1200
    ! funnel.
  audiotestsrc is-live=true wave=ticks ! opusenc bitrate=32000 ! rtpopuspay name=apay pt=97 ! funnel.
  bin.send_rtp_src_0 ! udpsink name=rtp-out sync=false async=false close-socket=false
  bin.send_rtcp_src_0 ! udpsink name=rtcp-out sync=false async=false close-socket=false
  udpsrc name=rtp-in ! application/x-rtp ! bin.recv_rtp_sink_0
  udpsrc name=rtcp-in ! application/x-rtcp ! bin.recv_rtcp_sink_0'''


def caps_of(_bin, _session, payload_type):
    return Gst.Caps.from_string(f'application/x-rtp,payload={payload_type},{CAPS[payload_type]},{COMMON}')


def on_pad_added(_bin, pad, pipeline, sinks):
    """recv_rtp_src_SESSION_SSRC_PAYLOADTYPE"""
    if not pad.get_name().startswith('recv_rtp_src_'):
        return
    kind = int(pad.get_name().split('_')[-1])
    text = ('rtph264depay name=entry ! avdec_h264 ! videoconvert' if kind == 96 else
            'rtpopusdepay name=entry ! opusdec ! audioconvert ! audioresample')
    member = Gst.parse_bin_from_description(f'{text} ! {sinks[kind]}', False)
    member.add_pad(Gst.GhostPad.new('sink', member.get_by_name('entry').get_static_pad('sink')))
    pipeline.add(member)
    member.sync_state_with_parent()
    pad.link(member.get_static_pad('sink'))


def build(port, host, host_port, video_sink='autovideosink', audio_sink='autoaudiosink'):
    pipeline = Gst.parse_launch(PIPELINE)
    bin_ = pipeline.get_by_name('bin')
    for pay in ('vpay', 'apay'):
        extension = Gst.ElementFactory.make('rtphdrexttwcc')
        extension.set_id(1)
        pipeline.get_by_name(pay).emit('add-extension', extension)
    bin_.connect('request-pt-map', caps_of)
    bin_.connect('pad-added', on_pad_added, pipeline, {96: video_sink, 97: audio_sink})
    for offset, kind in enumerate(('rtp', 'rtcp')):
        into, out = pipeline.get_by_name(f'{kind}-in'), pipeline.get_by_name(f'{kind}-out')
        into.set_property('port', port + offset)
        into.set_state(Gst.State.READY)
        out.set_property('socket', into.get_property('used-socket'))
        out.set_property('host', host)
        out.set_property('port', host_port + offset)
    return pipeline


def line(pipeline):
    stats = pipeline.get_by_name('bwe').get_property('stats')
    return '%d packets of %d streams sent, rate %d kbit/s, round trip %.0f ms, limited by %s' % (
        stats.get_value('packets-sent'), stats.get_value('streams'), stats.get_value('wire-bitrate') // 1000,
        stats.get_value('rtt') / 1e6, stats.get_value('limit'))


def end(*raised):
    """PyGObject would go on behind a callback that raised."""
    sys.__excepthook__(*raised)
    os._exit(1)


def main():
    sys.excepthook = end
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    Gst.init(None)
    pipeline = build(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), *sys.argv[4:6])
    GLib.timeout_add_seconds(1, lambda: print(line(pipeline), flush=True) or True)
    pipeline.set_state(Gst.State.PLAYING)
    try:
        GLib.MainLoop().run()
    except KeyboardInterrupt:
        pass
    pipeline.set_state(Gst.State.NULL)


if __name__ == '__main__':
    main()
