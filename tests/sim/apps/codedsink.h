/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Real decoding in virtual time: packets that arrived are put in order, go through depayloader and decoder as real
   elements, and each picture that comes out is displayed at once and compared with the clip's. A gap holds what came
   behind it until the missing packet comes or is `latency` late (tfrcsrc's jitter buffer does the same), then the
   elements see the gap in the numbers.

   Leaves in its folder:
     received.csv  frame,displayed,psnr,stale     each picture displayed, and for each that never was (stale = 1, no
                   time) the one that stood in its place compared with it
     received.mkv  the stream as it came, where `record` is given */
#ifndef SIM_CODED_SINK_H
#define SIM_CODED_SINK_H

#include "codedclip.h"
#include "rtpmedia.h"
#include <memory>
#include <string>

namespace sim
{

struct CodedSinkSpec {
  std::shared_ptr<const CodedClip> clip;
  double fps = 30;
  std::string encoding_name; /* "H264" */
  std::string depay, decode; /* "rtph264depay request-keyframe=true", "avdec_h264 max-threads=1" */
  std::string record;        /* "h264parse": between depayloader and matroskamux; empty: nothing is recorded */
  double latency_s = 0.1;    /* how long a gap is waited for */
  std::function<bool (uint64_t frame)> captured; /* pictures that were to be shown; empty: all */
  std::string folder;
};

struct CodedSinkStats {
  uint64_t packets = 0, late = 0, gaps = 0, missing = 0; /* late: behind a gap given up; missing: packets given up */
  uint64_t shown = 0, stale = 0, key_units_asked = 0;
};

class CodedSink : public RtpSink
{
public:
  explicit CodedSink (const CodedSinkSpec &spec);
  ~CodedSink () override;
  void on_packet (const uint8_t *rtp, size_t size) override;
  void set_latency (double latency_s) override;
  void finish (uint64_t frames); /* the end; so many frame times have been */
  const CodedSinkStats &stats () const;

  struct Private;

private:
  std::unique_ptr<Private> p;
};

} // namespace sim
#endif
