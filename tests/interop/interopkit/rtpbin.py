# SPDX-License-Identifier: LGPL-2.1-or-later
"""GStreamer's own rtpbin as a peer, with RTP and RTCP on two ports, knowing nothing of TFRC."""

PLUGINS = ["coreelements", "videotestsrc", "videoconvertscale", "x264", "libav", "rtp", "rtpmanager", "udp"]
CAPS = "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96"
PORTS = (f"rtpbin name=bin latency=50 "
         f"udpsrc name=rtp-in address=127.0.0.1 port=0 caps={CAPS} "
         f"udpsrc name=rtcp-in address=127.0.0.1 port=0 ! bin.recv_rtcp_sink_0 "
         f"bin.send_rtcp_src_0 ! udpsink name=rtcp-out sync=false async=false close-socket=false ")


def connect(Gst, pipeline, relay, outs):
    """What leaves does so from the port it is answered on. outs: udpsinks and the udpsrc whose port they use."""
    ports = {}
    for name in ("rtp-in", "rtcp-in"):
        source = pipeline.get_by_name(name)
        source.set_state(Gst.State.READY)
        ports[name] = source.get_property("port")
    for out, source in outs.items():
        sink = pipeline.get_by_name(out)
        sink.set_property("socket", pipeline.get_by_name(source).get_property("used-socket"))
        sink.set_property("host", "127.0.0.1")
        sink.set_property("port", relay.port)
    relay.split = ("127.0.0.1", ports["rtp-in"]), ("127.0.0.1", ports["rtcp-in"])


def source_stats(pipeline):
    """Stats of the RTP sources its session knows, by SSRC."""
    session = pipeline.get_by_name("bin").emit("get-internal-session", 0)
    found = [source.get_property("stats") for source in session.get_property("sources")]
    return {stats.get_value("ssrc"): stats for stats in found}
