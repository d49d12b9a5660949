# SPDX-License-Identifier: LGPL-2.1-or-later
"""The codec without any network: the same clip through encoder and decoder in one pipeline. Without the payloader, too,
which would ask the encoder for its own default profile where the caps after it say nothing."""
import numpy

from callkit import codecs
from callkit.quality import psnr


def scores(encoder, send, rate, clip, fps, frames):
    """PSNR-Y of each frame at a fixed wire rate; `send` is the sender's pipeline text."""
    from callkit.gstio import Gst
    Gst.init(None)
    codec = codecs.CODECS[encoder]
    encode = send.rpartition(" ! ")[0]
    pipeline = Gst.parse_launch(
        f"appsrc name=in format=time caps=video/x-raw,format=I420,width={clip.width},height={clip.height},"
        f"framerate={fps}/1,colorimetry=bt601,interlace-mode=progressive ! {encode} ! {codec.decoder} ! "
        "videoconvert ! video/x-raw,format=I420 ! appsink name=out sync=false")
    pipeline.get_by_name("encoder").set_property(codec.knob, int(codecs.encoder_rate(rate, fps) / codec.unit))
    pipeline.set_state(Gst.State.PLAYING)
    for number in range(frames):
        buffer = Gst.Buffer.new_wrapped(clip.frame(number).tobytes())
        buffer.pts = Gst.util_uint64_scale(number, Gst.SECOND, fps)
        buffer.duration = Gst.SECOND // fps
        pipeline.get_by_name("in").emit("push-buffer", buffer)
    pipeline.get_by_name("in").emit("end-of-stream")
    found = []
    while sample := pipeline.get_by_name("out").emit("pull-sample"):
        buffer = sample.get_buffer()
        luma = numpy.frombuffer(buffer.extract_dup(0, clip.width * clip.height), numpy.uint8)
        found.append(psnr(clip.luma(len(found)), luma.reshape(clip.height, clip.width)))
    pipeline.set_state(Gst.State.NULL)
    return found
