/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "encodersource.h"
#include "ccsenderapplication.h"
#include "scenario.h"
#include <algorithm>
#include <cmath>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <ns3/abort.h>
#include <ns3/simulator.h>

namespace sim
{

struct EncoderSource::Pipelines {
  GstElement *pictures, *raw;             /* pictures come out of raw */
  GstElement *coder, *in, *encoder, *out; /* go into in, come encoded out of out */
};

static const char *
factory_of (const std::string &encoder)
{
  return encoder == "vp8" ? "vp8enc" : "x264enc";
}

bool
EncoderSource::available (const std::string &encoder)
{
  gst_init (nullptr, nullptr);
  GstElementFactory *factory = gst_element_factory_find (factory_of (encoder));

  if (factory)
    gst_object_unref (factory);
  return factory != nullptr;
}

static GstElement *
pipeline_of (const std::string &description)
{
  GError *error = nullptr;
  GstElement *pipeline = gst_parse_launch (description.c_str (), &error);

  NS_ABORT_MSG_IF (error, "pipeline " << description << ": " << error->message);
  return pipeline;
}

/* Settings of live control: no look-ahead, a buffer of a few frames, key units only when asked for. A negative cpu-used
   is a fixed speed; with a positive one VP8 chooses its speed by how long pictures take on this machine. */
static std::string
encoder_description (const EncoderSpec &spec)
{
  if (spec.encoder == "vp8")
    return "vp8enc name=encoder deadline=1 cpu-used=-5 end-usage=cbr keyframe-max-dist=100000 buffer-size=200 "
           "buffer-initial-size=100 buffer-optimal-size=150 undershoot=95 threads=1 dropframe-threshold=0";
  return "x264enc name=encoder tune=zerolatency speed-preset=superfast key-int-max=100000 vbv-buf-capacity=200 "
         "threads=1 sliced-threads=false";
}

EncoderSource::EncoderSource (const EncoderSpec &s) : spec (s), gst (new Pipelines)
{
  std::string caps = format ("video/x-raw,format=I420,width=%u,height=%u,framerate=%u/1000", spec.width, spec.height,
      (unsigned)std::lround (spec.fps * 1000));

  gst_init (nullptr, nullptr);
  gst->pictures = pipeline_of (spec.pictures + " ! videoconvert ! videoscale ! videorate ! " + caps +
                               " ! appsink name=raw sync=false max-buffers=2");
  gst->coder = pipeline_of ("appsrc name=in format=time caps=\"" + caps + "\" ! " + encoder_description (spec) +
                            " ! appsink name=out sync=false");
  gst->raw = gst_bin_get_by_name (GST_BIN (gst->pictures), "raw");
  gst->in = gst_bin_get_by_name (GST_BIN (gst->coder), "in");
  gst->encoder = gst_bin_get_by_name (GST_BIN (gst->coder), "encoder");
  gst->out = gst_bin_get_by_name (GST_BIN (gst->coder), "out");
  gst_element_set_state (gst->pictures, GST_STATE_PLAYING);
}

EncoderSource::~EncoderSource ()
{
  for (GstElement *pipeline : {gst->pictures, gst->coder})
    gst_element_set_state (pipeline, GST_STATE_NULL);
  for (GstElement *element : {gst->raw, gst->in, gst->encoder, gst->out, gst->pictures, gst->coder})
    gst_object_unref (element);
}

void
EncoderSource::start (CcSenderApplication *s)
{
  sender = s;
  /* Only then: appsrc's thread makes the encoder ready as soon as it plays, and one that is made with another rate than
     it is told afterwards has other buffers. */
  set_bitrate (wanted_bps ());
  gst_element_set_state (gst->coder, GST_STATE_PLAYING);
  frame ();
}

double
EncoderSource::wanted_bps () const
{
  return std::clamp (sender->status ().media_Bps * 8, spec.min_bps, spec.max_bps);
}

void
EncoderSource::set_bitrate (double bps)
{
  if (std::fabs (bps - bitrate_bps) < 0.01 * bitrate_bps)
    return;
  bitrate_bps = bps;
  if (spec.encoder == "vp8")
    g_object_set (gst->encoder, "target-bitrate", (int)bps, nullptr);
  else
    g_object_set (gst->encoder, "bitrate", (guint)std::max (bps / 1000, 1.0), nullptr);
}

static GstSample *
next_picture (GstElement *pipeline, GstElement *raw)
{
  GstSample *sample = gst_app_sink_pull_sample (GST_APP_SINK (raw));

  if (sample)
    return sample;
  gst_element_seek_simple (pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0);
  return gst_app_sink_pull_sample (GST_APP_SINK (raw));
}

void
EncoderSource::frame ()
{
  double now_s = ns3::Simulator::Now ().GetSeconds ();
  double wanted = wanted_bps ();

  next = ns3::Simulator::Schedule (ns3::Seconds (1 / spec.fps), &EncoderSource::frame, this);
  set_bitrate (wanted);
  if (sender->take_key_unit_wanted ())
    gst_element_send_event (
        gst->encoder, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
                          gst_structure_new ("GstForceKeyUnit", "all-headers", G_TYPE_BOOLEAN, TRUE, nullptr)));
  GstSample *picture = next_picture (gst->pictures, gst->raw);
  NS_ABORT_MSG_UNLESS (picture, "no pictures from " << spec.pictures);
  GstBuffer *buffer = gst_buffer_copy (gst_sample_get_buffer (picture));
  GST_BUFFER_PTS (buffer) = number * GST_SECOND / spec.fps;
  GST_BUFFER_DURATION (buffer) = GST_SECOND / spec.fps;
  gst_sample_unref (picture);
  number++;
  gst_app_src_push_buffer (GST_APP_SRC (gst->in), buffer);
  GstSample *coded = gst_app_sink_try_pull_sample (GST_APP_SINK (gst->out), 10 * GST_SECOND);
  NS_ABORT_MSG_UNLESS (coded, "the encoder gave nothing within 10 s");
  GstBuffer *data = gst_sample_get_buffer (coded);
  uint32_t bytes = gst_buffer_get_size (data);
  bool key_unit = !GST_BUFFER_FLAG_IS_SET (data, GST_BUFFER_FLAG_DELTA_UNIT);
  gst_sample_unref (coded);
  key_units += key_unit;
  asked_bps.add (now_s, wanted);
  frame_bytes.add (now_s, bytes);
  sender->push_frame (bytes, key_unit);
}

} // namespace sim
