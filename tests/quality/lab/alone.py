# SPDX-License-Identifier: LGPL-2.1-or-later
"""The codec without any network: the same clip through encoder and payloader, then depayloader and decoder. Two
pipelines, as a network leaves them: in one, a payloader would ask the encoder for the profile its depayloader's caps
name, and a depayloader would ask for key units."""
import numpy

from callkit import codecs
from callkit.quality import psnr


def _samples(pipeline, sink):
    from callkit.gstio import Gst
    while sample := pipeline.get_by_name(sink).emit("pull-sample"):
        yield sample
    pipeline.set_state(Gst.State.NULL)


def packets(send, knob, value, clip, fps, frames):
    """Samples of RTP packets; knob is the encoder's property for a fixed rate."""
    from callkit.gstio import Gst
    pipeline = Gst.parse_launch(
        f"appsrc name=in format=time caps=video/x-raw,format=I420,width={clip.width},height={clip.height},"
        f"framerate={fps}/1,colorimetry=bt601,interlace-mode=progressive,pixel-aspect-ratio=1/1 ! {send} ! "
        "appsink name=out sync=false buffer-list=false")
    pipeline.get_by_name("encoder").set_property(knob, value)
    pipeline.set_state(Gst.State.PLAYING)
    for number in range(frames):
        buffer = Gst.Buffer.new_wrapped(clip.frame(number).tobytes())
        buffer.pts = Gst.util_uint64_scale(number, Gst.SECOND, fps)
        buffer.duration = Gst.SECOND // fps
        pipeline.get_by_name("in").emit("push-buffer", buffer)
    pipeline.get_by_name("in").emit("end-of-stream")
    return list(_samples(pipeline, "out"))


def scores(encoder, send, rate, clip, fps, frames):
    """PSNR-Y of each frame at a fixed wire rate; `send` is the sender's pipeline text."""
    from callkit.gstio import Gst
    Gst.init(None)
    codec = codecs.CODECS[encoder]
    coded = packets(send, codec.knob, int(codecs.encoder_rate(rate, fps) / codec.unit), clip, fps, frames)
    pipeline = Gst.parse_launch(f"appsrc name=in format=time ! {codec.depay} ! {codec.decoder} ! videoconvert ! "
                                "video/x-raw,format=I420 ! appsink name=out sync=false")
    source = pipeline.get_by_name("in")
    source.set_property("caps", coded[0].get_caps())
    pipeline.set_state(Gst.State.PLAYING)
    for sample in coded:
        source.emit("push-buffer", sample.get_buffer())
    source.emit("end-of-stream")
    found = []
    for sample in _samples(pipeline, "out"):
        buffer = sample.get_buffer()
        luma = numpy.frombuffer(buffer.extract_dup(0, clip.width * clip.height), numpy.uint8)
        found.append(psnr(clip.luma(len(found)), luma.reshape(clip.height, clip.width)))
    return found
