/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mediasource.h"
#include "ccsenderapplication.h"
#include <algorithm>
#include <cmath>
#include <ns3/simulator.h>

using namespace ns3;

namespace sim
{

void
MediaSource::stop ()
{
  next.Cancel ();
}

void
MediaSource::on_sent ()
{
}

void
GreedySource::start (CcSenderApplication *s)
{
  static const unsigned packets_ready = 4;

  sender = s;
  for (unsigned i = 0; i < packets_ready; i++)
    on_sent ();
}

void
GreedySource::on_sent ()
{
  sender->push_frame (sender->configuration ().payload_bytes, true);
}

CbrSource::CbrSource (double b, double f) : bps (b), fps (f)
{
}

void
CbrSource::start (CcSenderApplication *s)
{
  sender = s;
  frame ();
}

void
CbrSource::frame ()
{
  next = Simulator::Schedule (Seconds (1 / fps), &CbrSource::frame, this);
  owed_bytes += bps / 8 / fps;
  uint32_t bytes = owed_bytes;
  owed_bytes -= bytes;
  sender->push_frame (bytes, false);
}

VideoModelSource::VideoModelSource (const VideoModel &m)
    : model (m), random (CreateObject<UniformRandomVariable> ()), rate_bps (0), reacted_at_s (-1e9), burst_left (0)
{
}

void
VideoModelSource::start (CcSenderApplication *s)
{
  sender = s;
  frame ();
}

double
VideoModelSource::laplace (double scale)
{
  double u = random->GetValue (-0.5, 0.5);
  double magnitude = -scale * std::log (std::max (1 - 2 * std::fabs (u), 1e-12));

  return u < 0 ? -magnitude : magnitude;
}

void
VideoModelSource::follow_target ()
{
  double now = Simulator::Now ().GetSeconds ();
  double wanted = std::clamp (sender->status ().encoder_Bps * 8, model.min_bps, model.max_bps);
  bool first = rate_bps == 0;

  if (sender->take_key_unit_wanted () && !model.intra_only)
    burst_left = model.burst_frames;
  if (now - reacted_at_s < model.tau_v_s || wanted == rate_bps)
    return;
  if (model.intra_only)
    burst_left = 0;
  else if (first || std::fabs (wanted - rate_bps) > model.abrupt * rate_bps)
    burst_left = model.burst_frames;
  rate_bps = wanted;
  reacted_at_s = now;
}

void
VideoModelSource::frame ()
{
  double now = Simulator::Now ().GetSeconds ();

  if (now >= model.pause_from_s && now < model.pause_to_s) {
    next = Simulator::Schedule (Seconds (model.pause_to_s - now), &VideoModelSource::frame, this);
    return;
  }
  follow_target ();
  double mean_bytes = rate_bps / 8 / model.fps, bytes;
  double burst_bytes = mean_bytes * model.burst_ratio;
  bool key_unit = burst_left == model.burst_frames && burst_left > 0;

  if (key_unit)
    bytes = burst_bytes;
  else if (burst_left > 0)
    bytes = std::max ((model.burst_frames * mean_bytes - burst_bytes) / (model.burst_frames - 1), 0.0);
  else
    bytes = mean_bytes * (1 + laplace (model.scale_b));
  burst_left -= burst_left > 0;
  double interval = std::max (1 + laplace (model.scale_t), 0.1) / model.fps;
  next = Simulator::Schedule (Seconds (interval), &VideoModelSource::frame, this);
  if (model.obey_budget)
    bytes = std::min (bytes, (double)sender->status ().frame_budget_bytes);
  sender->push_frame (std::max (bytes, model.least_frame_bytes), key_unit || model.intra_only);
}

TraceSource::TraceSource (std::vector<uint32_t> bytes, double f, bool follow_rate, double min, double max)
    : sizes (std::move (bytes)), fps (f), min_bps (min), max_bps (max), follow (follow_rate)
{
  double sum = 0;

  for (uint32_t size : sizes)
    sum += size;
  mean_bps = sum * 8 * fps / sizes.size ();
}

void
TraceSource::start (CcSenderApplication *s)
{
  sender = s;
  frame ();
}

void
TraceSource::frame ()
{
  double wanted = std::clamp (sender->status ().encoder_Bps * 8, min_bps, max_bps);
  double scale = follow ? wanted / mean_bps : 1;
  bool first = at == 0;

  next = Simulator::Schedule (Seconds (1 / fps), &TraceSource::frame, this);
  sender->push_frame (std::max (sizes[at] * scale, 50.0), first);
  at = (at + 1) % sizes.size ();
}

} // namespace sim
