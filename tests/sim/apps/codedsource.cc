/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "codedsource.h"
#include "simtime.h"
#include "gstrateevent.h"
#include "scenario.h"
#include "stopwatch.h"
#include "syncpipeline.h"
#include "tablefile.h"
#include <algorithm>
#include <cmath>
#include <gst/video/video.h>
#include <ns3/abort.h>
#include <ns3/simulator.h>

namespace sim
{

struct CodedSource::Private {
  CodedSourceSpec spec;
  SyncPipeline pipeline;
  GstElement *control, *encoder;
  TableFile captured, sent, rates;
  RtpCarrier *carrier = nullptr;
  ns3::EventId next;
  double started_s = 0;
  std::vector<bool> taken; /* by frame: not in the pause */
  unsigned key_unit_count = 0;
  uint64_t coded_frame = 0; /* what the packets that come now are of */
  bool coded_key = false;
  std::vector<RtpPacket> packets; /* of the picture pushed last */

  explicit Private (const CodedSourceSpec &s);
  ~Private ();
  void take_frame (GstPad *pad, GstBuffer *buffer);
  void take_packet (GstBuffer *buffer);
  void tell_control (const RateNews &news);
  void set_knob (double bps);
  void record (const RateNews &news);
};

static std::string
raw_caps (const CodedSourceSpec &spec)
{
  return format ("video/x-raw,format=I420,width=%u,height=%u,framerate=%u/1000,colorimetry=bt601,"
                 "interlace-mode=progressive,pixel-aspect-ratio=1/1",
      spec.clip->width, spec.clip->height, (unsigned)std::lround (spec.fps * 1000));
}

static GstPadProbeReturn
on_coded (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  ((CodedSource::Private *)user)->take_frame (pad, gst_pad_probe_info_get_buffer (info));
  return GST_PAD_PROBE_OK;
}

static void
watch_coded (CodedSource::Private *p)
{
  GstElement *pay = p->pipeline.find ("pay");

  NS_ABORT_MSG_UNLESS (pay, "no element named pay in " << p->spec.pipeline);
  GstPad *pad = gst_element_get_static_pad (pay, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_coded, p, nullptr);
  gst_object_unref (pad);
  gst_object_unref (pay);
}

CodedSource::Private::Private (const CodedSourceSpec &s)
    : spec (s), pipeline (s.pipeline), captured (s.folder + "/captured.csv", "frame,captured"),
      sent (s.folder + "/sent.csv", "frame,encoded,bytes,key"),
      rates (s.folder + "/rates.csv",
          "time,bitrate,wire-bitrate,rtt,loss-event-rate,queue-delay,backlog,frame-budget,limit,owner")
{
  control = pipeline.find ("control");
  encoder = pipeline.find ("encoder");
  NS_ABORT_MSG_UNLESS (control || encoder, "no element named control or encoder in " << s.pipeline);
  pipeline.on_buffer = [this] (GstBuffer *buffer, GstCaps *) { take_packet (buffer); };
  watch_coded (this);
}

CodedSource::Private::~Private ()
{
  for (GstElement *element : {control, encoder})
    if (element)
      gst_object_unref (element);
}

CodedSource::CodedSource (const CodedSourceSpec &spec) : p (new Private (spec))
{
  GstCaps *caps = gst_caps_from_string (raw_caps (spec).c_str ());

  p->pipeline.set_caps (caps);
  gst_caps_unref (caps);
}

CodedSource::~CodedSource () = default;

bool
CodedSource::captured (uint64_t frame) const
{
  return frame < p->taken.size () && p->taken[frame];
}

uint64_t
CodedSource::frames () const
{
  return p->taken.size ();
}

void
CodedSource::start (RtpCarrier *carrier)
{
  p->carrier = carrier;
  p->started_s = seconds_now ();
  frame ();
}

void
CodedSource::stop ()
{
  p->next.Cancel ();
}

/* The encoder may move the segment: running time, not the time stamp itself, is the frame's. */
void
CodedSource::Private::take_frame (GstPad *pad, GstBuffer *buffer)
{
  GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;

  gst_event_parse_segment (event, &segment);
  GstClockTime running = gst_segment_to_running_time (segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  gst_event_unref (event);
  coded_frame = std::llround (running * spec.fps / GST_SECOND);
  coded_key = !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  sent.row ("%lu,%.6f,%lu,%d", (unsigned long)coded_frame, seconds_now (), (unsigned long)gst_buffer_get_size (buffer),
      coded_key);
}

void
CodedSource::Private::take_packet (GstBuffer *buffer)
{
  RtpPacket packet;

  packet.bytes.resize (gst_buffer_get_size (buffer));
  gst_buffer_extract (buffer, 0, packet.bytes.data (), packet.bytes.size ());
  NS_ABORT_MSG_IF (packet.bytes.size () < 12, "the payloader gave what is no RTP packet");
  packet.frame = coded_frame;
  packet.captured_s = started_s + coded_frame / spec.fps;
  packet.frame_end = packet.bytes[1] & 0x80;
  packet.key_unit = coded_key;
  packets.push_back (std::move (packet));
}

static GstBuffer *
wrap (const CodedClip &clip, uint64_t number, double fps)
{
  GstBuffer *buffer = gst_buffer_new_wrapped_full (
      GST_MEMORY_FLAG_READONLY, (gpointer)clip.frame (number), clip.frame_bytes, 0, clip.frame_bytes, nullptr, nullptr);

  GST_BUFFER_PTS (buffer) = std::llround (number * GST_SECOND / fps);
  GST_BUFFER_DURATION (buffer) = std::llround (GST_SECOND / fps);
  return buffer;
}

void
CodedSource::frame ()
{
  uint64_t number = p->taken.size ();
  bool paused = seconds_now () >= p->spec.pause_from_s && seconds_now () < p->spec.pause_to_s;

  /* Counted from the start, so that no rounding adds up. */
  p->next = ns3::Simulator::Schedule (
      ns3::Seconds (p->started_s + (number + 1) / p->spec.fps) - ns3::Simulator::Now (), &CodedSource::frame, this);
  p->taken.push_back (!paused);
  if (!paused)
    code (number);
}

void
CodedSource::code (uint64_t number)
{
  std::vector<RtpPacket> packets;

  p->captured.row ("%lu,%.6f", (unsigned long)number, seconds_now ());
  {
    Stopwatch running (Stopwatch::encode);
    p->pipeline.push (wrap (*p->spec.clip, number, p->spec.fps));
  }
  packets.swap (p->packets);
  if (!packets.empty ())
    p->carrier->push_packets (std::move (packets));
}

/* ---- the rate ---- */

static GstClockTime
clock_time (double s)
{
  return s < 0 ? GST_CLOCK_TIME_NONE : (GstClockTime)std::llround (s * GST_SECOND);
}

static guint
bit_rate (double bps)
{
  return bps >= G_MAXUINT ? G_MAXUINT : (guint)(bps + 0.5);
}

void
CodedSource::Private::tell_control (const RateNews &n)
{
  GstRateInfo info = {};

  info.bitrate = bit_rate (n.bitrate);
  info.wire_bitrate = bit_rate (n.wire_bitrate);
  info.rtt = clock_time (n.rtt_s);
  info.loss_event_rate = n.loss_event_rate;
  info.queue_delay = clock_time (n.queue_delay_s);
  info.backlog = n.backlog;
  info.frame_budget = n.frame_budget;
  info.limit = n.limit;
  info.owner = n.owner;
  info.pause = n.pause;
  pipeline.send_upstream (gst_rate_event_new (&info, NULL));
}

void
CodedSource::Private::set_knob (double bps)
{
  gst_util_set_object_arg (
      G_OBJECT (encoder), spec.knob.c_str (), format ("%.0f", std::floor (bps / spec.knob_unit)).c_str ());
}

static std::string
time_field (double s)
{
  return s < 0 ? "" : format ("%.0f", s * 1e9);
}

void
CodedSource::Private::record (const RateNews &n)
{
  rates.row ("%.6f,%.0f,%.0f,%s,%.6f,%s,%u,%u,%s,%s", seconds_now (), n.bitrate, n.wire_bitrate,
      time_field (n.rtt_s).c_str (), n.loss_event_rate, time_field (n.queue_delay_s).c_str (), n.backlog,
      n.frame_budget, n.limit, n.owner);
}

void
CodedSource::on_rate (const RateNews &news)
{
  p->record (news);
  if (p->control)
    p->tell_control (news);
  else if (!p->spec.knob.empty ())
    p->set_knob (news.bitrate);
}

void
CodedSource::want_key_unit ()
{
  p->pipeline.send_upstream (
      gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, TRUE, p->key_unit_count++));
}

} // namespace sim
