/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTP over UDP without any control: a picture's packets leave at once, nothing comes back. */
#ifndef SIM_PLAIN_RTP_H
#define SIM_PLAIN_RTP_H

#include "rtpmedia.h"
#include <memory>
#include <ns3/application.h>
#include <ns3/ipv4-address.h>
#include <ns3/socket.h>

namespace sim
{

class PlainRtpSender : public ns3::Application, public RtpCarrier
{
public:
  static ns3::TypeId GetTypeId ();
  std::shared_ptr<RtpSource> source;
  ns3::Ipv4Address peer;
  uint16_t port = 5004;
  uint64_t packets_sent = 0;
  void push_packets (std::vector<RtpPacket> packets) override;

private:
  void StartApplication () override;
  void StopApplication () override;
  ns3::Ptr<ns3::Socket> socket;
};

class PlainRtpReceiver : public ns3::Application
{
public:
  static ns3::TypeId GetTypeId ();
  std::shared_ptr<RtpSink> sink;
  uint16_t port = 5004;

private:
  void StartApplication () override;
  void on_packet (ns3::Ptr<ns3::Socket> socket);
  ns3::Ptr<ns3::Socket> socket;
};

} // namespace sim
#endif
