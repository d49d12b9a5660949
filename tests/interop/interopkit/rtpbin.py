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


FEEDBACK_CAPS = f"{CAPS},rtcp-fb-nack-pli=(boolean)true,rtcp-fb-ccm-fir=(boolean)true"
RTX_PAYLOAD = 97
RTX_MAP = f"map,96=(uint){RTX_PAYLOAD}"


def retransmit(Gst, bin_):
    """Packets that are lost come again, both ways (RFC 4588); to be called before pads are requested. Returns a
    dictionary in which its rtprtxsend and rtprtxreceive will be."""
    made = {}

    def aux(kind, session):
        element = Gst.ElementFactory.make(kind)
        element.set_property("payload-type-map", Gst.Structure.from_string(RTX_MAP)[0])
        made[kind] = element
        wrapped = Gst.Bin.new(None)
        wrapped.add(element)
        for name in ("sink", "src"):
            wrapped.add_pad(Gst.GhostPad.new(f"{name}_{session}", element.get_static_pad(name)))
        return wrapped

    def caps(_bin, _session, payload):
        text = FEEDBACK_CAPS if payload == 96 else \
            f"application/x-rtp,media=video,clock-rate=90000,encoding-name=RTX,payload={payload},apt=96"
        return Gst.Caps.from_string(text)

    bin_.connect("request-aux-sender", lambda _, session: aux("rtprtxsend", session))
    bin_.connect("request-aux-receiver", lambda _, session: aux("rtprtxreceive", session))
    bin_.connect("request-pt-map", caps)
    return made


def add(Gst, pipeline, **properties):
    """An rtpbin that retransmits, between the elements of the pipeline that are called rtp-arrives, rtcp-arrives,
    rtp-leaves, rtcp-leaves, camera-out and depay; it sends only where there is a camera. Returns it and what retransmit () returns."""
    bin_ = Gst.ElementFactory.make("rtpbin", "bin")
    for name, value in properties.items():
        Gst.util_set_object_arg(bin_, name.replace("_", "-"), value)
    made = retransmit(Gst, bin_)
    pipeline.add(bin_)
    get = pipeline.get_by_name
    get("rtp-arrives").link_pads("src", bin_, "recv_rtp_sink_0")
    get("rtcp-arrives").link_pads("src", bin_, "recv_rtcp_sink_0")
    if get("camera-out"):
        get("camera-out").link_pads("src", bin_, "send_rtp_sink_0")
        bin_.link_pads("send_rtp_src_0", get("rtp-leaves"), "sink")
    bin_.link_pads("send_rtcp_src_0", get("rtcp-leaves"), "sink")

    def on_pad(_bin, pad):
        sink = get("depay").get_static_pad("sink")
        if pad.get_name().startswith("recv_rtp_src_") and not sink.is_linked():
            pad.link(sink)

    bin_.connect("pad-added", on_pad)
    return bin_, made
