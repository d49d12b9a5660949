/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "codedsink.h"
#include "simtime.h"
#include "ccserial.h"
#include "scenario.h"
#include "stopwatch.h"
#include "syncpipeline.h"
#include "tablefile.h"
#include <algorithm>
#include <cmath>
#include <gst/video/video.h>
#include <map>
#include <ns3/abort.h>
#include <ns3/simulator.h>

namespace sim
{

static const uint64_t rtp_clock = 90000;

struct CodedSink::Private {
  struct Held {
    std::vector<uint8_t> bytes;
    double arrived_s;
  };

  CodedSinkSpec spec;
  CodedSinkStats stats;
  SyncPipeline depay, decoder;
  TableFile received;
  CcUnwrap seq = {}, stamp = {};
  bool begun = false, broken = false;
  uint64_t expected = 0;         /* the next number to go on */
  std::map<uint64_t, Held> held; /* behind a gap */
  ns3::EventId gap_timer;
  GstVideoInfo shape;
  GstCaps *stream_caps = nullptr, *picture_caps = nullptr;
  GstCaps *record_caps = nullptr;
  GstBufferList *stream = gst_buffer_list_new (); /* to be recorded */
  int64_t shown = -1;                             /* number of the picture on display; -1: none yet */
  std::vector<uint8_t> luma;                      /* of it */

  explicit Private (const CodedSinkSpec &s);
  ~Private ();
  void release ();
  void give_up ();
  void pass_on (const std::vector<uint8_t> &bytes);
  void on_stream (GstBuffer *buffer, GstCaps *caps);
  void record ();
  void on_picture (GstBuffer *buffer, GstCaps *caps);
  void show (int64_t number, const GstVideoFrame &picture);
  void score_stale (int64_t until);
};

static bool
asks_key_unit (GstEvent *event)
{
  return GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_UPSTREAM && gst_event_has_name (event, "GstForceKeyUnit");
}

CodedSink::Private::Private (const CodedSinkSpec &s)
    : spec (s), depay (s.depay, "application/x-rtp,media=video,clock-rate=90000,encoding-name=" + s.encoding_name),
      decoder (s.decode), received (s.folder + "/received.csv", "frame,displayed,psnr,stale")
{
  depay.on_buffer = [this] (GstBuffer *buffer, GstCaps *caps) { on_stream (buffer, caps); };
  decoder.on_buffer = [this] (GstBuffer *buffer, GstCaps *caps) { on_picture (buffer, caps); };
  decoder.on_upstream = [this] (GstEvent *event) {
    if (asks_key_unit (event))
      depay.send_upstream (gst_event_ref (event));
  };
}

CodedSink::Private::~Private ()
{
  gap_timer.Cancel ();
  gst_clear_caps (&stream_caps);
  gst_clear_caps (&picture_caps);
  gst_clear_caps (&record_caps);
  gst_buffer_list_unref (stream);
}

CodedSink::CodedSink (const CodedSinkSpec &spec) : p (new Private (spec))
{
  p->depay.on_upstream = [this] (GstEvent *event) {
    if (!asks_key_unit (event))
      return;
    p->stats.key_units_asked++;
    if (key_unit_wanted)
      key_unit_wanted ();
  };
}

CodedSink::~CodedSink () = default;

const CodedSinkStats &
CodedSink::stats () const
{
  return p->stats;
}

/* ---- order ---- */

void
CodedSink::on_packet (const uint8_t *rtp, size_t size)
{
  NS_ABORT_MSG_IF (size < 12, "no RTP packet arrived");
  uint64_t seq = cc_unwrap (&p->seq, rtp[2] << 8 | rtp[3], 16);

  p->stats.packets++;
  if (!p->begun)
    p->expected = seq;
  p->begun = true;
  if (seq < p->expected) {
    p->stats.late++;
    return;
  }
  p->held[seq] = {std::vector<uint8_t> (rtp, rtp + size), seconds_now ()};
  p->release ();
}

void
CodedSink::set_latency (double latency_s)
{
  p->spec.latency_s = latency_s;
}

/* All that is in sequence, and a time limit for what is missing now. */
void
CodedSink::Private::release ()
{
  gap_timer.Cancel ();
  while (!held.empty () && held.begin ()->first == expected) {
    Held next = std::move (held.begin ()->second);
    held.erase (held.begin ());
    expected++;
    pass_on (next.bytes);
    broken = false;
  }
  if (held.empty ())
    return;
  double since = held.begin ()->second.arrived_s;
  for (const auto &entry : held)
    since = std::min (since, entry.second.arrived_s);
  gap_timer = ns3::Simulator::Schedule (
      ns3::Seconds (std::max (since + spec.latency_s - seconds_now (), 0.0)), &Private::give_up, this);
}

void
CodedSink::Private::give_up ()
{
  stats.gaps++;
  stats.missing += held.begin ()->first - expected;
  expected = held.begin ()->first;
  broken = true;
  release ();
}

void
CodedSink::Private::pass_on (const std::vector<uint8_t> &bytes)
{
  GstBuffer *buffer = gst_buffer_new_memdup (bytes.data (), bytes.size ());
  uint32_t raw = (uint32_t)bytes[4] << 24 | (uint32_t)bytes[5] << 16 | (uint32_t)bytes[6] << 8 | bytes[7];
  uint64_t ticks = cc_unwrap (&stamp, raw, 32) - (UINT64_C (1) << 32);
  Stopwatch running (Stopwatch::decode);

  GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (ticks, GST_SECOND, rtp_clock);
  if (broken)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  depay.push (buffer);
}

/* ---- the stream ---- */

void
CodedSink::Private::on_stream (GstBuffer *buffer, GstCaps *caps)
{
  if (caps && (!stream_caps || !gst_caps_is_equal (caps, stream_caps))) {
    gst_caps_replace (&stream_caps, caps);
    decoder.set_caps (caps);
  }
  if (!spec.record.empty () && caps) {
    if (!record_caps)
      record_caps = gst_caps_ref (caps);
    gst_buffer_list_add (stream, gst_buffer_ref (buffer));
  }
  decoder.push (gst_buffer_ref (buffer));
}

/* The muxer writes a date and identifiers made up; these are fixed by the property and by the seed of GLib. It has a
   thread of its own that draws them: so it runs at the end, when nobody else draws. */
void
CodedSink::Private::record ()
{
  SyncPipeline recorder (
      spec.record + " ! matroskamux name=mux ! filesink async=false location=\"" + spec.folder + "/received.mkv\"");
  GstElement *mux = recorder.find ("mux");
  GDateTime *epoch = g_date_time_new_from_unix_utc (0);

  g_object_set (mux, "creation-time", epoch, nullptr);
  g_date_time_unref (epoch);
  gst_object_unref (mux);
  recorder.set_caps (record_caps);
  for (unsigned n = 0; n < gst_buffer_list_length (stream); n++)
    recorder.push (gst_buffer_ref (gst_buffer_list_get (stream, n)));
  recorder.end ();
}

/* ---- pictures ---- */

void
CodedSink::Private::on_picture (GstBuffer *buffer, GstCaps *caps)
{
  Stopwatch running (Stopwatch::compare);
  GstVideoFrame picture;

  if (caps != picture_caps) {
    gst_caps_replace (&picture_caps, caps);
    NS_ABORT_MSG_UNLESS (caps && gst_video_info_from_caps (&shape, caps), "the decoder gives no pictures");
    NS_ABORT_MSG_UNLESS ((unsigned)shape.width == spec.clip->width && (unsigned)shape.height == spec.clip->height,
        "the decoder's pictures are of another size than the clip's");
  }
  int64_t number = std::llround (GST_BUFFER_PTS (buffer) * spec.fps / GST_SECOND);
  if (number <= shown || !gst_video_frame_map (&picture, &shape, buffer, GST_MAP_READ))
    return;
  show (number, picture);
  gst_video_frame_unmap (&picture);
}

void
CodedSink::Private::show (int64_t number, const GstVideoFrame &picture)
{
  const uint8_t *data = (const uint8_t *)GST_VIDEO_FRAME_PLANE_DATA (&picture, 0);
  size_t stride = GST_VIDEO_FRAME_PLANE_STRIDE (&picture, 0);
  unsigned width = spec.clip->width, height = spec.clip->height;

  if (shown >= 0)
    score_stale (number);
  double quality = psnr_y (spec.clip->frame (number), width, data, stride, width, height);
  received.row ("%ld,%.6f,%.6f,0", (long)number, seconds_now (), quality);
  luma.resize ((size_t)width * height);
  for (unsigned y = 0; y < height; y++)
    std::copy_n (data + y * stride, width, luma.begin () + (size_t)y * width);
  shown = number;
  stats.shown++;
}

/* Pictures that never came: the one on display in their time against them. */
void
CodedSink::Private::score_stale (int64_t until)
{
  unsigned width = spec.clip->width, height = spec.clip->height;

  for (int64_t number = shown + 1; number < until; number++) {
    if (spec.captured && !spec.captured (number))
      continue;
    received.row (
        "%ld,,%.6f,1", (long)number, psnr_y (spec.clip->frame (number), width, luma.data (), width, width, height));
    stats.stale++;
  }
}

void
CodedSink::finish (uint64_t frames)
{
  p->gap_timer.Cancel ();
  if (p->shown >= 0)
    p->score_stale (frames);
  if (p->record_caps)
    p->record ();
}

} // namespace sim
