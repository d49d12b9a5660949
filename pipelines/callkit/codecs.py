# SPDX-License-Identifier: LGPL-2.1-or-later
"""Encoders and what belongs to them, as parts of GStreamer pipelines."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Codec:
    encoder: str  # as a user would write it; `ratecontrol` sets what live control needs
    live: str  # the same settings by hand, where no ratecontrol is in the pipeline
    knob: str  # property of a fixed rate
    unit: float  # bit/s of one step of the knob; 0: a quality
    pay: str
    depay: str
    decoder: str
    encoding_name: str
    muxable: str  # between depayloader and matroskamux
    payload: int = 96  # the payloader's type


# A negative cpu-used is a fixed speed; a positive one lets the encoder change it, and with it the rate, whenever the
# machine is busy.
_VPX = "deadline=1 end-usage=cbr cpu-used=-6 threads=1 keyframe-max-dist=300 error-resilient=default"
_VPX_LIVE = ("buffer-size=100 buffer-initial-size=60 buffer-optimal-size=80 undershoot=95 overshoot=15 "
             "min-quantizer=2 max-quantizer=56 lag-in-frames=0 max-intra-bitrate=300")


def _newpred(mode):
    """VP8 repaired by the choice of references: nothing but newpredreport asks for anything."""
    return Codec("vp8enc " + _VPX, _VPX_LIVE, "target-bitrate", 1,
                 f"newpred name=newpred mode={mode} ! rtpvp8pay picture-id-mode=2", "newpredreport ! rtpvp8depay",
                 "vp8dec", "VP8", "identity")


CODECS = {
    "x264enc": Codec("x264enc tune=zerolatency speed-preset=veryfast key-int-max=300", "vbv-buf-capacity=100 aud=false",
                     "bitrate", 1000, "rtph264pay aggregate-mode=zero-latency config-interval=-1",
                     "rtph264depay request-keyframe=true", "avdec_h264 max-threads=1", "H264", "h264parse"),
    "openh264enc": Codec("openh264enc complexity=low gop-size=300", "rate-control=bitrate max-bitrate=20000000",
                         "bitrate", 1, "rtph264pay aggregate-mode=zero-latency config-interval=-1",
                         "rtph264depay request-keyframe=true", "avdec_h264 max-threads=1", "H264", "h264parse"),
    "vp8enc": Codec("vp8enc " + _VPX, _VPX_LIVE, "target-bitrate", 1, "rtpvp8pay picture-id-mode=2",
                    "rtpvp8depay request-keyframe=true", "vp8dec", "VP8", "identity"),
    "vp8enc-newpred": _newpred("auto"),
    "vp8enc-nack": _newpred("nack"),
    "vp8enc-ack": _newpred("ack"),
    "vp9enc": Codec("vp9enc " + _VPX.replace("cpu-used=-6", "cpu-used=8"), _VPX_LIVE, "target-bitrate", 1,
                    "rtpvp9pay picture-id-mode=2", "rtpvp9depay request-keyframe=true", "vp9dec", "VP9", "identity"),
    "jpegenc": Codec("jpegenc", "", "quality", 0, "rtpjpegpay", "rtpjpegdepay", "jpegdec", "JPEG", "identity", 26),
    "jpegenc-strips": Codec("jpegenc", "", "quality", 0, "rtpjpegstrippay", "rtpjpegstripdepay", "jpegdec", "JPEG",
                            "identity", 26),
}

MTU = 1200  # RTP packet, payload and RTP header
PACKET_OVERHEAD = 20 + 8 + 12  # IPv4, UDP, RTP


def encoder_rate(wire_rate, fps):
    """What an encoder may produce so that RTP/UDP/IP packets of its frames amount to wire_rate (both bit/s)."""
    frame = wire_rate / 8 / fps
    packets = -(-frame // (MTU + 28))
    return max(8 * fps * (frame - packets * PACKET_OVERHEAD), 8 * fps)
