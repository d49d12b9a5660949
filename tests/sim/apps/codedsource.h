/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Real encoding in virtual time: at each frame time a picture of the clip goes through encoder, rate control and
   payloader as real elements, and the packets that come out go to the carrier at once. Picture k is captured k / fps
   after the start and has the RTP time stamp 90000 k / fps.

   Leaves in its folder, with times of the simulation:
     captured.csv  frame,captured
     sent.csv      frame,encoded,bytes,key        of each encoded frame
     rates.csv     time,bitrate,wire-bitrate,rtt,loss-event-rate,queue-delay,backlog,frame-budget,limit,owner   (rtt and
   queue delay in ns, empty where unknown) */
#ifndef SIM_CODED_SOURCE_H
#define SIM_CODED_SOURCE_H

#include "codedclip.h"
#include "rtpmedia.h"
#include <memory>
#include <ns3/event-id.h>
#include <string>
#include <utility>

namespace sim
{

struct CodedSourceSpec {
  std::shared_ptr<const CodedClip> clip;
  double fps = 30;
  /* Raw pictures to RTP packets, as for gst-launch: "x264enc ... name=encoder ! ratecontrol name=control ! rtph264pay
     ... name=pay timestamp-offset=0". */
  std::string pipeline;
  /* Where the pipeline has no element `control`: the property of `encoder` that sets its rate, and bit/s of one step.
   */
  std::string knob;
  double knob_unit = 1;
  double pause_from_s = 1e9, pause_to_s = 1e9; /* no pictures; since the simulation's start */
  std::string folder;
};

class CodedSource : public RtpSource
{
public:
  explicit CodedSource (const CodedSourceSpec &spec);
  ~CodedSource () override;
  void start (RtpCarrier *carrier) override;
  void stop () override;
  /* Told to `control` as the rate event, or set at `encoder`; recorded. */
  void on_rate (const RateNews &news) override;
  void want_key_unit () override;
  uint64_t frames () const;             /* frame times that have been */
  bool captured (uint64_t frame) const; /* false: in the pause, or not yet */

  struct Private;

private:
  void frame ();
  void code (uint64_t number);
  std::unique_ptr<Private> p;
};

} // namespace sim
#endif
