/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plainrtp.h"
#include <ns3/inet-socket-address.h>
#include <ns3/udp-socket-factory.h>

using namespace ns3;

namespace sim
{

NS_OBJECT_ENSURE_REGISTERED (PlainRtpSender);
NS_OBJECT_ENSURE_REGISTERED (PlainRtpReceiver);

TypeId
PlainRtpSender::GetTypeId ()
{
  static TypeId id = TypeId ("sim::PlainRtpSender").SetParent<Application> ().AddConstructor<PlainRtpSender> ();
  return id;
}

void
PlainRtpSender::StartApplication ()
{
  socket = Socket::CreateSocket (GetNode (), UdpSocketFactory::GetTypeId ());
  socket->Bind ();
  socket->Connect (InetSocketAddress (peer, port));
  source->start (this);
}

void
PlainRtpSender::StopApplication ()
{
  source->stop ();
}

void
PlainRtpSender::push_packets (std::vector<RtpPacket> packets)
{
  packets_sent += packets.size ();
  for (const RtpPacket &packet : packets)
    socket->Send (Create<Packet> (packet.bytes.data (), packet.bytes.size ()));
}

TypeId
PlainRtpReceiver::GetTypeId ()
{
  static TypeId id = TypeId ("sim::PlainRtpReceiver").SetParent<Application> ().AddConstructor<PlainRtpReceiver> ();
  return id;
}

void
PlainRtpReceiver::StartApplication ()
{
  socket = Socket::CreateSocket (GetNode (), UdpSocketFactory::GetTypeId ());
  socket->Bind (InetSocketAddress (Ipv4Address::GetAny (), port));
  socket->SetRecvCallback (MakeCallback (&PlainRtpReceiver::on_packet, this));
}

void
PlainRtpReceiver::on_packet (Ptr<Socket> from)
{
  Ptr<Packet> packet;

  while ((packet = from->Recv ())) {
    std::vector<uint8_t> bytes (packet->GetSize ());
    packet->CopyData (bytes.data (), bytes.size ());
    sink->on_packet (bytes.data (), bytes.size ());
  }
}

} // namespace sim
