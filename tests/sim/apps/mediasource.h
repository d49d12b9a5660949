/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a sender has to send. A source is started with its sender and pushes frames into it at simulated times. */
#ifndef SIM_MEDIA_SOURCE_H
#define SIM_MEDIA_SOURCE_H

#include <cstdint>
#include <memory>
#include <ns3/event-id.h>
#include <ns3/random-variable-stream.h>
#include <vector>

namespace sim
{

class CcSenderApplication;

class MediaSource
{
public:
  virtual ~MediaSource () = default;
  virtual void start (CcSenderApplication *sender) = 0;
  virtual void stop ();
  virtual void on_sent (); /* a packet left */

protected:
  CcSenderApplication *sender = nullptr;
  ns3::EventId next;
};

/* Always data: packets are ready whenever the sender may send one. Give the sender a max_delay of minutes. */
class GreedySource : public MediaSource
{
public:
  void start (CcSenderApplication *sender) override;
  void on_sent () override;
};

/* Frames of equal size at a fixed rate. bps counts RTP payload. */
class CbrSource : public MediaSource
{
public:
  CbrSource (double bps, double fps);
  void start (CcSenderApplication *sender) override;

private:
  void frame ();
  double bps, fps, owed_bytes = 0;
};

/* The statistical model of RFC 8593 section 5, following the sender's media rate. */
struct VideoModel {
  double fps = 30;
  double min_bps = 150e3, max_bps = 1.5e6; /* RTP payload */
  double tau_v_s = 0.2;                    /* reaction latency */
  unsigned burst_frames = 8;               /* K_d */
  double burst_ratio = 3.24;               /* K_B / B0: 13.5 KB at 1 Mb/s and 30 fps */
  double abrupt = 0.2;                     /* relative rate change that counts as abrupt and starts a transient */
  double scale_t = 0.15, scale_b = 0.15;   /* Laplace scales of interval and size */
  bool intra_only = false;                 /* every frame a key unit of like size, as M-JPEG: no transients */
  bool obey_budget = false;                /* no frame larger than the sender's frame budget (UltraGrid) */
  double least_frame_bytes = 50;           /* the encoder cannot do less */
  double pause_from_s = 1e9, pause_to_s = 1e9;
};

class VideoModelSource : public MediaSource
{
public:
  explicit VideoModelSource (const VideoModel &model);
  void start (CcSenderApplication *sender) override;

private:
  void frame ();
  double laplace (double scale);
  void follow_target ();
  VideoModel model;
  ns3::Ptr<ns3::UniformRandomVariable> random;
  double rate_bps, reacted_at_s;
  unsigned burst_left;
};

/* Frame sizes of a recorded encoding, scaled to the sender's media rate where follow is set; loops. */
class TraceSource : public MediaSource
{
public:
  TraceSource (std::vector<uint32_t> frame_bytes, double fps, bool follow, double min_bps, double max_bps);
  void start (CcSenderApplication *sender) override;

private:
  void frame ();
  std::vector<uint32_t> sizes;
  double fps, mean_bps, min_bps, max_bps;
  bool follow;
  size_t at = 0;
};

} // namespace sim
#endif
