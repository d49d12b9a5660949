/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "traffic.h"
#include <algorithm>
#include <cmath>
#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/tcp-bbr.h>
#include <ns3/tcp-cubic.h>
#include <ns3/tcp-linux-reno.h>
#include <ns3/tcp-prr-recovery.h>
#include <ns3/tcp-recovery-ops.h>

using namespace ns3;

namespace sim
{

static const uint16_t tcp_port = 5001, udp_port = 5002, web_port = 80;

static TypeId
type_of (TcpKind kind)
{
  switch (kind) {
  case TcpKind::cubic:
    return TcpCubic::GetTypeId ();
  case TcpKind::bbr:
    return TcpBbr::GetTypeId ();
  default:
    return TcpLinuxReno::GetTypeId ();
  }
}

static void
configure_tcp (Ptr<Node> node, const TcpSpec &spec)
{
  TypeId recovery = spec.prr ? TcpPrrRecovery::GetTypeId () : TcpClassicRecovery::GetTypeId ();
  Ptr<TcpL4Protocol> tcp = node->GetObject<TcpL4Protocol> ();

  tcp->SetAttribute ("SocketType", TypeIdValue (type_of (spec.kind)));
  tcp->SetAttribute ("RecoveryType", TypeIdValue (recovery));
}

static void
prepare_tcp (const HostPair &hosts, const TcpSpec &spec)
{
  /* ns-3's BBR takes its PROBE_RTT for a loss where the timer is shorter than RFC 6298 allows, and never recovers. */
  double min_rto_s = spec.kind == TcpKind::bbr ? 1 : spec.min_rto_s;

  Config::SetDefault ("ns3::TcpSocket::SegmentSize", UintegerValue (spec.segment_bytes));
  Config::SetDefault ("ns3::TcpSocket::SndBufSize", UintegerValue (spec.buffer_bytes));
  Config::SetDefault ("ns3::TcpSocket::RcvBufSize", UintegerValue (spec.buffer_bytes));
  Config::SetDefault ("ns3::TcpSocket::InitialCwnd", UintegerValue (spec.initial_segments));
  Config::SetDefault ("ns3::TcpSocket::DelAckCount", UintegerValue (spec.delayed_acks));
  Config::SetDefault ("ns3::TcpSocket::DelAckTimeout", TimeValue (Seconds (spec.delayed_ack_s)));
  Config::SetDefault ("ns3::TcpSocketBase::MinRto", TimeValue (Seconds (min_rto_s)));
  Config::SetDefault ("ns3::TcpSocketBase::ClockGranularity", TimeValue (Seconds (spec.tick_s)));
  Config::SetDefault ("ns3::TcpSocketBase::Sack", BooleanValue (spec.sack));
  Config::SetDefault ("ns3::TcpSocketBase::LimitedTransmit", BooleanValue (spec.limited_transmit));
  Config::SetDefault ("ns3::TcpSocket::ConnTimeout", TimeValue (Seconds (spec.connect_s)));
  Config::SetDefault ("ns3::TcpSocketBase::UseEcn",
      EnumValue (spec.ecn ? TcpSocketState::UseEcn_t::On : TcpSocketState::UseEcn_t::Off));
  configure_tcp (hosts.from, spec);
  configure_tcp (hosts.to, spec);
  PacketSinkHelper sink ("ns3::TcpSocketFactory", InetSocketAddress (Ipv4Address::GetAny (), tcp_port));
  sink.Install (hosts.to);
}

static BulkSendHelper
bulk_to (const HostPair &hosts, const TcpSpec &spec)
{
  BulkSendHelper bulk ("ns3::TcpSocketFactory", InetSocketAddress (hosts.to_address, tcp_port));

  bulk.SetAttribute ("MaxBytes", UintegerValue (spec.max_bytes));
  bulk.SetAttribute ("SendSize", UintegerValue (spec.segment_bytes));
  return bulk;
}

void
add_tcp (const HostPair &hosts, const TcpSpec &spec)
{
  prepare_tcp (hosts, spec);
  ApplicationContainer app = bulk_to (hosts, spec).Install (hosts.from);
  app.Start (Seconds (spec.start_s));
  app.Stop (Seconds (spec.stop_s));
}

void
add_tcp (Dumbbell &dumbbell, unsigned pair, const TcpSpec &spec)
{
  add_tcp (dumbbell.hosts (pair), spec);
}

/* Transfers one after the other, a connection each. */
class OnOffTransfers : public Application
{
public:
  HostPair hosts;
  ShortTcpSpec spec;
  bool begins_on = false;

private:
  void
  StartApplication () override
  {
    running = true;
    if (begins_on)
      transfer ();
    else
      rest ();
  }

  void
  StopApplication () override
  {
    running = false;
    next.Cancel ();
  }

  void
  transfer ()
  {
    left = random->GetInteger (spec.least_bytes, spec.most_bytes);
    socket = Socket::CreateSocket (hosts.from, TcpSocketFactory::GetTypeId ());
    socket->Bind ();
    socket->SetConnectCallback (
        MakeCallback (&OnOffTransfers::on_connected, this), MakeCallback (&OnOffTransfers::on_failed, this));
    socket->SetCloseCallbacks (MakeNullCallback<void, Ptr<Socket>> (), MakeCallback (&OnOffTransfers::on_failed, this));
    socket->SetSendCallback (MakeCallback (&OnOffTransfers::fill, this));
    socket->Connect (InetSocketAddress (hosts.to_address, tcp_port));
  }

  void
  rest ()
  {
    if (running)
      next = Simulator::Schedule (Seconds (idle->GetValue (spec.idle_s, 0)), &OnOffTransfers::transfer, this);
  }

  void
  on_connected (Ptr<Socket> from)
  {
    fill (from, from->GetTxAvailable ());
  }

  /* Room is left with each acknowledgement; all of it, when the last byte has arrived. */
  void
  fill (Ptr<Socket> from, uint32_t available)
  {
    if (from != socket)
      return;
    while (left > 0 && available > 0) {
      int sent = from->Send (Create<Packet> (std::min ({left, available, spec.tcp.segment_bytes})));
      if (sent <= 0)
        return;
      left -= sent;
      available = from->GetTxAvailable ();
    }
    if (left == 0 && available >= spec.tcp.buffer_bytes)
      done ();
  }

  void
  on_failed (Ptr<Socket> from)
  {
    if (from == socket)
      done ();
  }

  /* Not from within the socket's own call. */
  void
  done ()
  {
    Simulator::ScheduleNow (&Socket::Close, socket);
    socket = nullptr;
    rest ();
  }

  bool running = false;
  EventId next;
  Ptr<Socket> socket; /* of the transfer under way */
  uint32_t left = 0;
  Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable> ();
  Ptr<ExponentialRandomVariable> idle = CreateObject<ExponentialRandomVariable> ();
};

void
add_short_tcp (const HostPair &hosts, const ShortTcpSpec &spec)
{
  prepare_tcp (hosts, spec.tcp);
  for (unsigned i = 0; i < spec.flows; i++) {
    Ptr<OnOffTransfers> transfers = CreateObject<OnOffTransfers> ();
    transfers->hosts = hosts;
    transfers->spec = spec;
    transfers->begins_on = i < spec.on;
    transfers->SetStartTime (Seconds (spec.tcp.start_s));
    transfers->SetStopTime (Seconds (spec.tcp.stop_s));
    hosts.from->AddApplication (transfers);
  }
}

void
add_web (Dumbbell &dumbbell, unsigned pair, const WebSpec &spec)
{
  Ptr<ExponentialRandomVariable> interval = CreateObject<ExponentialRandomVariable> ();
  Ptr<ParetoRandomVariable> size = CreateObject<ParetoRandomVariable> ();
  BulkSendHelper bulk ("ns3::TcpSocketFactory", InetSocketAddress (dumbbell.right_address (pair), web_port));
  PacketSinkHelper sink ("ns3::TcpSocketFactory", InetSocketAddress (Ipv4Address::GetAny (), web_port));

  sink.Install (dumbbell.right (pair));
  for (double at_s = spec.start_s; at_s < spec.stop_s; at_s += interval->GetValue (1 / spec.pages_per_s, 0)) {
    double scale = spec.mean_bytes * (spec.shape - 1) / spec.shape;
    bulk.SetAttribute ("MaxBytes", UintegerValue (1 + (uint64_t)size->GetValue (scale, spec.shape, spec.max_bytes)));
    bulk.Install (dumbbell.left (pair)).Start (Seconds (at_s));
  }
}

uint64_t
tcp_goodput_bytes (const Dumbbell &dumbbell, unsigned pair)
{
  Ptr<Node> node = dumbbell.right (pair);
  uint64_t bytes = 0;

  for (unsigned i = 0; i < node->GetNApplications (); i++) {
    Ptr<PacketSink> sink = DynamicCast<PacketSink> (node->GetApplication (i));
    bytes += sink ? sink->GetTotalRx () : 0;
  }
  return bytes;
}

class ParetoApplication : public Application
{
public:
  ParetoSpec spec;
  Ipv4Address peer;

private:
  void
  StartApplication () override
  {
    socket = Socket::CreateSocket (GetNode (), UdpSocketFactory::GetTypeId ());
    socket->Bind ();
    socket->Connect (InetSocketAddress (peer, udp_port));
    send ();
  }

  void
  StopApplication () override
  {
    next.Cancel ();
  }

  double
  pareto (double shape, double scale)
  {
    return scale / std::pow (std::max (1 - random->GetValue (), 1e-9), 1 / shape);
  }

  void
  send ()
  {
    double bytes = spec.size_shape > 0 ? pareto (spec.size_shape, spec.size_scale_bytes) : spec.size_scale_bytes;

    socket->Send (Create<Packet> ((uint32_t)std::min (bytes, (double)spec.max_bytes)));
    next = Simulator::Schedule (
        Seconds (pareto (spec.interval_shape, spec.interval_scale_s)), &ParetoApplication::send, this);
  }

  Ptr<Socket> socket;
  EventId next;
  Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable> ();
};

void
add_pareto (Dumbbell &dumbbell, unsigned pair, const ParetoSpec &spec)
{
  Ptr<ParetoApplication> app = CreateObject<ParetoApplication> ();

  app->spec = spec;
  app->peer = dumbbell.right_address (pair);
  app->SetStartTime (Seconds (spec.start_s));
  app->SetStopTime (Seconds (spec.stop_s));
  dumbbell.left (pair)->AddApplication (app);
  PacketSinkHelper ("ns3::UdpSocketFactory", InetSocketAddress (Ipv4Address::GetAny (), udp_port))
      .Install (dumbbell.right (pair));
}

void
add_udp (Dumbbell &dumbbell, unsigned pair, double bps, uint32_t packet_bytes, double start_s, double stop_s)
{
  add_udp (dumbbell.hosts (pair), bps, packet_bytes, start_s, stop_s);
}

void
add_udp (const HostPair &hosts, double bps, uint32_t packet_bytes, double start_s, double stop_s)
{
  OnOffHelper udp ("ns3::UdpSocketFactory", InetSocketAddress (hosts.to_address, udp_port));
  uint32_t payload = packet_bytes - 28;

  udp.SetConstantRate (DataRate (bps * payload / packet_bytes), payload);
  ApplicationContainer app = udp.Install (hosts.from);
  app.Start (Seconds (start_s));
  app.Stop (Seconds (stop_s));
  PacketSinkHelper ("ns3::UdpSocketFactory", InetSocketAddress (Ipv4Address::GetAny (), udp_port)).Install (hosts.to);
}

} // namespace sim
