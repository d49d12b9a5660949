/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A real encoder inside the simulation: at each simulated frame time one picture is encoded through GStreamer at the
   sender's media rate of that instant, and a frame of the encoded size is sent. Wall-clock time does not matter. */
#ifndef SIM_ENCODER_SOURCE_H
#define SIM_ENCODER_SOURCE_H

#include "mediasource.h"
#include "series.h"
#include <string>

typedef struct _GstElement GstElement;

namespace sim
{

struct EncoderSpec {
  std::string encoder = "x264"; /* or "vp8" */
  /* A gst-launch description of the pictures; it starts anew at its end. */
  std::string pictures = "videotestsrc pattern=smpte horizontal-speed=3";
  double fps = 25;
  unsigned width = 352, height = 288;
  double min_bps = 50e3, max_bps = 5e6;
};

class EncoderSource : public MediaSource
{
public:
  explicit EncoderSource (const EncoderSpec &spec);
  ~EncoderSource () override;
  static bool available (const std::string &encoder); /* is the plug-in installed? */
  void start (CcSenderApplication *sender) override;
  SampleSeries asked_bps, frame_bytes; /* by frame */
  uint64_t key_units = 0;

private:
  double wanted_bps () const;
  void frame ();
  void set_bitrate (double bps);
  struct Pipelines;
  EncoderSpec spec;
  std::unique_ptr<Pipelines> gst;
  double bitrate_bps = 0;
  uint64_t number = 0;
};

} // namespace sim
#endif
