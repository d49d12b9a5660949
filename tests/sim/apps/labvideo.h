/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A video flow of the quality lab: real encoder and decoder, or frames recorded before and nobody who looks at them;
   the sender and receiver of its controller between them. */
#ifndef SIM_LAB_VIDEO_H
#define SIM_LAB_VIDEO_H

#include "ccreceiverapplication.h"
#include "ccsenderapplication.h"
#include "codedsink.h"
#include "codedsource.h"
#include "labjob.h"
#include "plainrtp.h"
#include "recordedsource.h"
#include <string>

namespace sim
{

class LabVideo
{
public:
  /* Clips that several flows play are shared. folder exists. A recorded flow needs neither. */
  LabVideo (const LabFlow &flow, std::shared_ptr<const CodedClip> clip, const HostPair &hosts,
      const std::string &folder, uint64_t seed);
  void finish (); /* after the run */
  std::string stats_json () const;

private:
  void make_media ();
  void make_recorded ();
  bool has_option (const std::string &option) const; /* behind the controller's name: "+rtx" */
  RepairSpec repair () const;
  void use_cc (const HostPair &hosts, CcMode mode);
  void use_hosted (const HostPair &hosts, const char *element);
  void use_plain (const HostPair &hosts);
  void follow (const std::vector<CapacityStep> &rates);
  void place (ns3::Ptr<ns3::Application> sender, ns3::Ptr<ns3::Application> receiver, const HostPair &hosts);

  LabFlow flow;
  std::shared_ptr<const CodedClip> clip;
  std::string folder;
  uint64_t seed;
  std::shared_ptr<RtpSource> source;
  std::shared_ptr<RtpSink> sink;
  std::shared_ptr<CodedSource> coded; /* null: recorded, as is shown */
  std::shared_ptr<CodedSink> shown;
  ns3::Ptr<CcSenderApplication> cc_sender;
  ns3::Ptr<CcReceiverApplication> cc_receiver;
};

} // namespace sim
#endif
