/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "codedvideo.h"
#include "rtpwire.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <ns3/simulator.h>
#include <random>

using namespace ns3;

namespace sim
{

static const double header_frames = 30; /* over which what headers take is averaged */

template <typename T>
static void
read (std::istream &in, std::vector<T> &values, size_t count)
{
  values.resize (count);
  for (T &value : values)
    in >> value;
}

static std::shared_ptr<CodedClips>
load (const char *path)
{
  std::ifstream in (path);
  auto clips = std::make_shared<CodedClips> ();
  size_t frames = 0, quantizers = 0, lags = 0;

  if (!(in >> clips->fps >> frames >> clips->gop >> quantizers >> lags))
    return nullptr;
  read (in, clips->qp, quantizers);
  read (in, clips->lags, lags);
  clips->frames.resize (frames);
  for (CodedClips::Frame &frame : clips->frames) {
    read (in, frame.bytes, quantizers);
    read (in, frame.mse, quantizers);
    read (in, frame.lag_mse, lags);
  }
  clips->real = true;
  return in ? clips : nullptr;
}

/* Twelve scenes of 120 frames, whose rates at one quantizer differ by up to a factor of 7. At QP 28 a P frame is of
   2400 bytes, a key frame four times that; six QP halve it and cost 3.6 dB. */
static std::shared_ptr<CodedClips>
model ()
{
  static const unsigned scenes = 12, scene_frames = 120;
  auto clips = std::make_shared<CodedClips> ();
  std::mt19937 random (1);
  std::normal_distribution<double> normal;

  for (int qp = 12; qp <= 48; qp += 2)
    clips->qp.push_back (qp);
  clips->lags = {1, 2, 4, 8, 15, 30, 90};
  for (unsigned scene = 0; scene < scenes; scene++) {
    double complexity = std::exp (2.2 * (scene * 5 % scenes) / scenes - 1.1);
    for (unsigned i = 0; i < scene_frames; i++) {
      CodedClips::Frame frame;
      double mean = 2400 * complexity * (i % clips->gop ? 1 : 4) * std::exp (0.2 * normal (random));
      for (int qp : clips->qp) {
        frame.bytes.push_back (std::max (mean * std::exp ((28 - qp) * 0.12), 60.0));
        frame.mse.push_back (65025 * std::pow (10, -(38 - 1.5 * std::log (complexity) - 0.6 * (qp - 28)) / 10));
      }
      for (unsigned lag : clips->lags)
        frame.lag_mse.push_back (std::min (60 * complexity * std::sqrt (lag), 4000.0));
      clips->frames.push_back (frame);
    }
  }
  return clips;
}

std::shared_ptr<const CodedClips>
coded_clips ()
{
  static std::shared_ptr<const CodedClips> clips;
  const char *path = getenv ("SIM_CODED_CLIPS");

  if (!clips)
    clips = load (path ? path : CODED_CLIPS);
  if (!clips) {
    fprintf (stderr, "no %s (coded-clips.py makes it): a model of video instead\n", path ? path : CODED_CLIPS);
    clips = model ();
  }
  return clips;
}

/* Values are indices. */
static QuantizerScale
scale_of (const CodedClips &clips)
{
  QuantizerScale scale = {};

  scale.last = clips.qp.size () - 1;
  for (int i = 0; i <= scale.last; i++)
    scale.step[i] = std::exp2 ((clips.qp[i] - 4) / 6.0);
  return scale;
}

CodedVideo::CodedVideo (const CodedVideoSpec &s, size_t first_group) : clips (coded_clips ()), spec (s)
{
  QuantizerScale scale = scale_of (*clips);
  RasvbrParams params;

  rasvbr_params_init (&params, &scale);
  params.interval = spec.interval;
  params.coupling = spec.coupling;
  params.decay = spec.decay;
  params.gop_frames = params.key_distance = clips->gop;
  params.frame_s = 1 / clips->fps;
  params.rate_Bps = spec.max_bps / 8;
  rasvbr_init (&rasvbr, &params);
  at = first_group * clips->gop % clips->frames.size ();
}

const CodedClips &
CodedVideo::source () const
{
  return *clips;
}

bool
CodedVideo::key () const
{
  return at % clips->gop == 0;
}

uint32_t
CodedVideo::next (double rate_bps, double backlog)
{
  bool is_key = key ();

  rasvbr_on_rate (&rasvbr, std::min (rate_bps, spec.max_bps) / 8, backlog);
  int quantizer = rasvbr_next (&rasvbr, is_key);
  uint32_t bytes = clips->frames[at].bytes[quantizer];
  rasvbr_on_frame (&rasvbr, bytes, is_key, quantizer, cc_duration (made.size () / clips->fps));
  made.push_back ({(uint32_t)at, (uint8_t)quantizer});
  at = (at + 1) % clips->frames.size ();
  return bytes;
}

double
CodedVideo::next_with_headers (double rate_bps)
{
  double payload_part = lately > 0 ? lately / lately_with_headers : 0.95;
  double bytes = next (rate_bps * payload_part, 0);
  double whole = bytes + udp_ip_bytes * std::ceil (bytes / spec.packet_bytes);

  lately += (bytes - lately) / header_frames;
  lately_with_headers += (whole - lately_with_headers) / header_frames;
  return whole;
}

CodedVideoSource::CodedVideoSource (std::shared_ptr<CodedVideo> v, double p) : video (v), part (p)
{
}

void
CodedVideoSource::start (CcSenderApplication *s)
{
  sender = s;
  frame ();
}

void
CodedVideoSource::frame ()
{
  CcSenderStatus status = sender->status ();
  bool key = video->key ();
  double packet = sender->configuration ().payload_bytes;

  next = Simulator::Schedule (Seconds (1 / video->source ().fps), &CodedVideoSource::frame, this);
  sender->push_frame (video->next (part * status.media_Bps * 8, status.backlog_bytes / packet), key);
}

static double
psnr (double mse)
{
  return 10 * std::log10 (65025 / std::max (mse, 0.01));
}

static double
mark_of (double psnr_db)
{
  return psnr_db > 37 ? 5 : psnr_db > 31 ? 4 : psnr_db > 25 ? 3 : psnr_db > 20 ? 2 : 1;
}

static double
lag_mse (const CodedClips &clips, size_t frame, unsigned lag)
{
  size_t i = 0;

  while (i + 1 < clips.lags.size () && clips.lags[i] < lag)
    i++;
  return clips.frames[frame].lag_mse[i];
}

/* The errors of coding and of standing still add up: they have nothing to do with each other. */
static double
shown_mse (const CodedVideo &video, size_t due, size_t shown)
{
  const CodedVideo::Made &made = video.made[shown];
  double mse = video.source ().frames[made.clip_frame].mse[made.quantizer];

  return due == shown ? mse : mse + lag_mse (video.source (), video.made[due].clip_frame, due - shown);
}

/* When each frame can be shown; HUGE_VAL: never. */
static std::vector<double>
decoded_at (const CodedVideo &video, const std::vector<FrameTime> &arrived)
{
  std::vector<double> at (video.made.size (), HUGE_VAL);

  for (const FrameTime &frame : arrived)
    at.at (frame.number) = frame.completed_s;
  for (size_t i = 1; i < at.size (); i++)
    if (video.made[i].clip_frame % video.source ().gop)
      at[i] = std::max (at[i], at[i - 1]);
  return at;
}

Quality
quality_of (
    const CodedVideo &video, const std::vector<FrameTime> &arrived, double playout_s, double from_s, double to_s)
{
  std::vector<double> at = decoded_at (video, arrived);
  Quality quality;
  double frames = 0;

  if (arrived.empty ())
    return quality;
  double began_s = arrived[0].captured_s - arrived[0].number / video.source ().fps;
  for (size_t due = 0, shown = 0; due < at.size (); due++) {
    double captured_s = began_s + due / video.source ().fps;
    for (size_t i = shown; i <= due; i++)
      if (at[i] <= captured_s + playout_s)
        shown = i;
    if (captured_s < from_s || captured_s >= to_s)
      continue;
    frames++;
    double db = psnr (shown_mse (video, due, shown));
    quality.psnr_db += db;
    quality.mos += mark_of (db);
    quality.late += shown != due;
  }
  quality.psnr_db /= std::max (frames, 1.0);
  quality.mos /= std::max (frames, 1.0);
  quality.late /= std::max (frames, 1.0);
  return quality;
}

std::vector<FrameTime>
frame_times (const PaqmFlow &flow)
{
  std::vector<FrameTime> times;

  for (const PaqmFrame &frame : flow.sink->frames)
    times.push_back ({frame.number, frame.captured_s, frame.completed_s});
  return times;
}

std::vector<FrameTime>
frame_times (const CcReceiverApplication &receiver)
{
  std::vector<FrameTime> times;

  for (const FrameArrival &frame : receiver.frames ())
    times.push_back ({frame.number, frame.captured_s, frame.completed_s});
  return times;
}

double
reference_psnr (const CodedVideoSpec &spec, double bps)
{
  CodedVideo video (spec, 0);
  double sum = 0;

  for (size_t i = 0; i < video.source ().frames.size (); i++) {
    video.next (bps, 0);
    sum += psnr (shown_mse (video, i, i));
  }
  return sum / video.made.size ();
}

} // namespace sim
