/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Real frames in simulations of many flows (Lie 2008, paper E: Evalvid-RA): clips coded once per quantizer by
   coded-clips.py, RA-SVBR choosing among them as the flow's rate changes, and the quality of what arrives in time.

   Where that file is missing a model stands for it: scenes of different complexity, log-normal frame sizes. */
#ifndef SIM_CODED_VIDEO_H
#define SIM_CODED_VIDEO_H

#include "ccreceiverapplication.h"
#include "ccsenderapplication.h"
#include "paqmsource.h"
#include "rasvbr.h"
#include <memory>
#include <vector>

namespace sim
{

struct CodedClips {
  double fps = 30;
  unsigned gop = 12; /* frames from key to key */
  std::vector<int> qp;
  std::vector<unsigned> lags;
  struct Frame {
    std::vector<double> bytes, mse; /* per quantizer; luma, against the original */
    std::vector<double> lag_mse;    /* of the original so many frames earlier, against this one */
  };
  std::vector<Frame> frames;
  bool real = false;
};

/* $SIM_CODED_CLIPS, else out/coded-clips.txt of the source tree, else the model. Read once. */
std::shared_ptr<const CodedClips> coded_clips ();

struct CodedVideoSpec {
  double max_bps = 1e6; /* r of RA-SVBR where the network allows more; of coded frames */
  RasvbrInterval interval = RASVBR_PER_GOP;
  RasvbrCoupling coupling = RASVBR_DIRECT;
  double decay = 100;           /* d_f, for RASVBR_BACKLOG */
  unsigned packet_bytes = 1000; /* payload */
};

/* One flow's encoder. It begins with any group of the sequence, which then repeats. */
class CodedVideo
{
public:
  struct Made {
    uint32_t clip_frame;
    uint8_t quantizer; /* index */
  };

  CodedVideo (const CodedVideoSpec &spec, size_t first_group);
  /* Bytes of the next frame, at the rate allowed for coded frames. */
  uint32_t next (double rate_bps, double backlog_packets);
  /* The same with rate and result counting 28 bytes of headers a packet: PaqmSource's coder. */
  double next_with_headers (double rate_bps);
  bool key () const; /* of the next */
  const CodedClips &source () const;
  std::vector<Made> made; /* by frame number of the flow */

private:
  std::shared_ptr<const CodedClips> clips;
  CodedVideoSpec spec;
  Rasvbr rasvbr;
  size_t at;
  double lately = 0, lately_with_headers = 0; /* bytes of next_with_headers () */
};

/* Under an end-to-end controller. */
class CodedVideoSource : public MediaSource
{
public:
  CodedVideoSource (std::shared_ptr<CodedVideo> video, double part = 1);
  void start (CcSenderApplication *sender) override;

private:
  void frame ();
  std::shared_ptr<CodedVideo> video;
  double part; /* of the rate allowed */
};

/* PSNR of what is on the screen when each frame is due, playout_s after its capture: the frame itself, or the newest
   that can be shown by then. A frame can be decoded once it is whole and all of its group before it are. */
struct Quality {
  double psnr_db = 0; /* mean over frames */
  double mos = 0;     /* the same of each frame's mark, 1 to 5, by its PSNR: Ohm's table, as Evalvid has it */
  double late = 0;    /* part of the frames not shown themselves */
};
struct FrameTime {
  uint32_t number;
  double captured_s, completed_s;
};
Quality quality_of (const CodedVideo &video, const std::vector<FrameTime> &arrived, double playout_s, double from_s = 0,
    double to_s = 1e9);
std::vector<FrameTime> frame_times (const PaqmFlow &flow);
std::vector<FrameTime> frame_times (const CcReceiverApplication &receiver);
/* What the sequence is worth at that rate (coded frames), all arriving: a whole round. */
double reference_psnr (const CodedVideoSpec &spec, double bps);

} // namespace sim
#endif
