/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A video flow of the quality lab: real encoder and decoder, the sender and receiver of its controller between them. */
#ifndef SIM_LAB_VIDEO_H
#define SIM_LAB_VIDEO_H

#include "ccapplications.h"
#include "codedsink.h"
#include "codedsource.h"
#include "labjob.h"
#include "plainrtp.h"
#include <string>

namespace sim
{

class LabVideo
{
public:
  /* Clips that several flows play are shared. folder exists. */
  LabVideo (const LabFlow &flow, std::shared_ptr<const CodedClip> clip, const HostPair &hosts,
      const std::string &folder, uint64_t seed);
  void finish (); /* after the run */
  std::string stats_json () const;

private:
  void make_media ();
  bool has_option (const std::string &option) const; /* behind the controller's name: "+rtx" */
  void use_cc (const HostPair &hosts, CcMode mode);
  void use_hosted (const HostPair &hosts, const char *element);
  void use_plain (const HostPair &hosts);
  void follow (const std::vector<CapacityStep> &rates);
  void place (ns3::Ptr<ns3::Application> sender, ns3::Ptr<ns3::Application> receiver, const HostPair &hosts);

  LabFlow flow;
  std::shared_ptr<const CodedClip> clip;
  std::string folder;
  uint64_t seed;
  std::shared_ptr<CodedSource> source;
  std::shared_ptr<CodedSink> sink;
  ns3::Ptr<CcSenderApplication> cc_sender;
  ns3::Ptr<CcReceiverApplication> cc_receiver;
};

} // namespace sim
#endif
