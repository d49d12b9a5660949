/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "paqmsource.h"
#include "ns3compat.h"
#include "simtime.h"
#include "structtag.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <ns3/core-module.h>

using namespace ns3;

namespace sim
{

static const uint32_t udp_ip_size = 28, feedback_size = 64;
static const double least_report_s = 0.01, blind_report_s = 0.1;
static const double rtt_gain = 0.125;

/* What an RTP header would tell. */
struct Stamp {
  double sent_s = 0, captured_s = 0;
  uint32_t seq = 0, frame = 0, parts = 0; /* parts: packets of the frame; 0: of none */

  static const char *
  tag_name ()
  {
    return "sim::StampTag";
  }
};

using StampTag = StructTag<Stamp>;

TypeId
PaqmSource::GetTypeId ()
{
  static TypeId id = TypeId ("sim::PaqmSource").SetParent<Application> ().AddConstructor<PaqmSource> ();
  return id;
}

PaqmSource::PaqmSource ()
    : exponential (CreateObject<ExponentialRandomVariable> ()), normal (CreateObject<NormalRandomVariable> ()),
      uniform (CreateObject<UniformRandomVariable> ())
{
}

void
PaqmSource::configure (const PaqmSourceSpec &s, Ipv4Address to, uint16_t to_port)
{
  HopRatesParams params;

  spec = s;
  peer = to;
  port = to_port;
  hop_rates_params_init (&params);
  params.floor_Bps = spec.min_bps / 8;
  params.ceiling_Bps = std::max (spec.max_bps, spec.min_bps) / 8;
  hop_rates_init (&hop_rates, &params);
  rate = gop_rate = spec.initial_bps / 8;
  const auto &trace = spec.vbr.trace_bytes;
  if (!trace.empty ())
    trace_mean = std::accumulate (trace.begin (), trace.end (), 0.0) / trace.size ();
  SetStartTime (Seconds (spec.start_s));
  SetStopTime (Seconds (spec.stop_s));
}

void
PaqmSource::follow_ecf (Ptr<PaqmQueueDisc> disc, double delay_s)
{
  disc->subscribe (delay_s, [this] (uint16_t hop, const PaqmFeedback &feedback) { on_ecf (hop, feedback); });
}

double
PaqmSource::rate_bps () const
{
  return rate * 8;
}

double
PaqmSource::rtt_s () const
{
  return srtt;
}

const HopRates &
PaqmSource::hops () const
{
  return hop_rates;
}

void
PaqmSource::StartApplication ()
{
  running = true;
  socket = Socket::CreateSocket (GetNode (), UdpSocketFactory::GetTypeId ());
  socket->Bind ();
  socket->Connect (InetSocketAddress (peer, port));
  socket->SetRecvCallback (MakeCallback (&PaqmSource::on_feedback, this));
  if (spec.ect)
    socket->SetIpTos (Ipv4Header::ECN_ECT0);
  rates.add (seconds_now (), rate * 8);
  if (spec.probe_s > 0)
    probe ();
  else
    begin ();
}

void
PaqmSource::StopApplication ()
{
  running = false;
  timer.Cancel ();
  prober.Cancel ();
}

void
PaqmSource::probe ()
{
  send (feedback_size);
  prober = Simulator::Schedule (Seconds (spec.probe_s), &PaqmSource::probe, this);
}

/* Somewhere within the first interval, so that flows that start together do not march in step. */
void
PaqmSource::begin ()
{
  bool vbr = spec.kind == PaqmSourceKind::vbr;
  double interval = vbr ? 1 / spec.vbr.fps : spec.packet_bytes / rate;

  if (sending)
    return;
  sending = true;
  prober.Cancel ();
  if (vbr && spec.vbr.trace_bytes.size () > 1)
    trace_at = uniform->GetValue (0, spec.vbr.trace_bytes.size () - 1);
  timer = Simulator::Schedule (Seconds (uniform->GetValue (0, std::min (interval, 0.1))),
      vbr ? &PaqmSource::next_frame : &PaqmSource::next_packet, this);
}

void
PaqmSource::send (uint32_t ip_bytes)
{
  send_part (ip_bytes, 0, 0, seconds_now ());
}

void
PaqmSource::send_part (uint32_t ip_bytes, uint32_t frame, uint32_t parts, double captured_s)
{
  Ptr<Packet> packet = Create<Packet> (std::max (ip_bytes, udp_ip_size + 1) - udp_ip_size);
  StampTag stamp;
  ErfTag erf;

  if (!running)
    return;
  stamp.sent_s = seconds_now ();
  stamp.captured_s = captured_s;
  stamp.seq = seq++;
  stamp.frame = frame;
  stamp.parts = parts;
  packet->AddPacketTag (stamp);
  erf.rtt_s = srtt;
  if (spec.ask)
    packet->AddPacketTag (erf);
  socket->Send (packet);
  packets++;
  bytes += packet->GetSize () + udp_ip_size;
}

void
PaqmSource::next_packet ()
{
  double interval = spec.packet_bytes / rate;

  send (spec.packet_bytes);
  if (spec.kind == PaqmSourceKind::poisson)
    interval = exponential->GetValue (interval, 0);
  timer = Simulator::Schedule (Seconds (interval), &PaqmSource::next_packet, this);
}

static double
log_normal (Ptr<NormalRandomVariable> normal, double sigma)
{
  return std::exp (sigma * normal->GetValue (0, 1) - sigma * sigma / 2);
}

double
PaqmSource::frame_bytes ()
{
  const VbrModel &model = spec.vbr;
  bool key = frame_of_gop == 0;

  frame_of_gop = (frame_of_gop + 1) % std::max (model.gop_frames, 1u);
  if (model.coder)
    return model.coder (rate * 8);
  if (key || !model.adapt_per_gop)
    gop_rate = rate;
  if (trace_mean > 0) {
    double bytes = model.trace_bytes[trace_at] * gop_rate / model.fps / trace_mean;
    trace_at = (trace_at + 1) % model.trace_bytes.size ();
    return bytes;
  }
  if (uniform->GetValue (0, 1) < 1 / (model.scene_s * model.fps))
    scene = log_normal (normal, model.scene_sigma);
  double group = gop_rate * model.gop_frames / model.fps;
  double mean = group * (key ? model.i_ratio : 1) / (model.i_ratio + model.gop_frames - 1);
  double bucket = model.hold_s > 0 ? gop_rate * model.hold_s : 2 * group;
  double held = std::min (std::max (1 - ahead_bytes / bucket, 0.3), 2.0);
  double bytes = mean * scene * held * log_normal (normal, model.frame_sigma);
  ahead_bytes += bytes - mean;
  return bytes;
}

void
PaqmSource::next_frame ()
{
  uint32_t bytes = std::max (frame_bytes (), 60.0);
  uint32_t count = (bytes + spec.packet_bytes - 1) / spec.packet_bytes;
  double gap = spec.vbr.spread / spec.vbr.fps / count;

  uint32_t number = frames++;
  for (uint32_t i = 0; i < count; i++)
    if (i == 0 || gap <= 0)
      send_part (bytes / count, number, count, seconds_now ());
    else
      Simulator::Schedule (
          Seconds (i * gap), &PaqmSource::send_part, this, bytes / count, number, count, seconds_now ());
  timer = Simulator::Schedule (Seconds (1 / spec.vbr.fps), &PaqmSource::next_frame, this);
}

double
PaqmSource::rung_Bps (double allowed_Bps)
{
  const PaqmRungs &rungs = spec.rungs;
  double now_s = seconds_now (), next_bps = rungs.bps.front ();

  allowed_since_s.resize (rungs.bps.size (), HUGE_VAL);
  for (size_t i = 0; i < rungs.bps.size (); i++) {
    bool ample = rungs.bps[i] * rungs.margin <= allowed_Bps * 8, higher = rungs.bps[i] > rate * 8;
    allowed_since_s[i] = ample ? std::min (allowed_since_s[i], now_s) : HUGE_VAL;
    if (higher ? now_s >= allowed_since_s[i] + rungs.hold_s : rungs.bps[i] <= allowed_Bps * 8)
      next_bps = rungs.bps[i];
  }
  return next_bps / 8;
}

void
PaqmSource::take_rate (uint32_t hop, double rate_Bps)
{
  hop_rates_on_rate (&hop_rates, hop, rate_Bps, HOP_RATES_UNORDERED, time_now ());
  double least = hop_rates_minimum (&hop_rates, time_now (), nullptr);
  if (std::isfinite (least) && !spec.rungs.bps.empty ())
    least = rung_Bps (least);
  if (std::isfinite (least) && least != rate) {
    rate = least;
    rates.add (seconds_now (), rate * 8);
  }
}

void
PaqmSource::on_feedback (Ptr<Socket> from)
{
  while (Ptr<Packet> packet = from->Recv ()) {
    StampTag stamp;
    ErfTag erf;
    if (!running || !packet->PeekPacketTag (stamp) || !packet->PeekPacketTag (erf))
      continue;
    double sample = seconds_now () - stamp.sent_s;
    srtt += (srtt > 0 ? rtt_gain : 1) * (sample - srtt);
    if (spec.follow == PaqmFollow::erf && erf.rate_Bps > 0)
      take_rate (erf.hop, erf.rate_Bps);
    begin ();
  }
}

void
PaqmSource::on_ecf (uint16_t hop, const PaqmFeedback &feedback)
{
  if (!running || !feedback.valid || spec.follow != PaqmFollow::ecf)
    return;
  take_rate (hop, feedback.ecf.decrease ? rate * feedback.ecf.ratio : rate + feedback.ecf.increase_Bps);
}

TypeId
PaqmSink::GetTypeId ()
{
  static TypeId id = TypeId ("sim::PaqmSink").SetParent<Application> ().AddConstructor<PaqmSink> ();
  return id;
}

void
PaqmSink::configure (const PaqmSourceSpec &s, uint16_t at_port)
{
  spec = s;
  port = at_port;
}

void
PaqmSink::StartApplication ()
{
  socket = Socket::CreateSocket (GetNode (), UdpSocketFactory::GetTypeId ());
  socket->Bind (InetSocketAddress (Ipv4Address::GetAny (), port));
  socket->SetRecvCallback (MakeCallback (&PaqmSink::on_packet, this));
}

void
PaqmSink::StopApplication ()
{
  timer.Cancel ();
}

void
PaqmSink::on_packet (Ptr<Socket> from)
{
  Address sender;

  while (Ptr<Packet> packet = from->RecvFrom (sender)) {
    StampTag stamp;
    ErfTag erf;
    if (!packet->PeekPacketTag (stamp))
      continue;
    packet->PeekPacketTag (erf);
    peer = sender;
    packets++;
    received.add (seconds_now (), packet->GetSize () + udp_ip_size);
    transit.add (seconds_now (), seconds_now () - stamp.sent_s);
    if (stamp.seq > next_seq)
      lost.add (seconds_now (), stamp.seq - next_seq);
    next_seq = std::max (next_seq, stamp.seq + 1);
    if (stamp.parts)
      count_frame (stamp.frame, stamp.parts, stamp.captured_s);
    stamped_s = stamp.sent_s;
    stamped_at_s = seconds_now ();
    rtt_s = erf.rtt_s;
    rate_Bps = erf.rate_Bps;
    hop = erf.hop;
    fresh = true;
    if (!is_pending (timer) || (spec.feedback_s <= 0 && differs ()))
      report ();
  }
}

void
PaqmSink::count_frame (uint32_t number, uint32_t parts, double captured_s)
{
  auto missing = parts_missing.emplace (number, parts).first;

  if (--missing->second == 0) {
    frames.push_back ({number, captured_s, seconds_now ()});
    parts_missing.erase (missing);
  } else if (parts_missing.size () > 64)
    parts_missing.erase (parts_missing.begin ());
}

/* By more than a hundredth from what was told last. */
bool
PaqmSink::differs () const
{
  return std::fabs (rate_Bps - told_Bps) > 0.01 * told_Bps || hop != told_hop;
}

void
PaqmSink::report ()
{
  Ptr<Packet> packet = Create<Packet> (feedback_size - udp_ip_size);
  StampTag stamp;
  ErfTag erf;
  double interval =
      spec.feedback_s > 0 ? spec.feedback_s : std::max (rtt_s > 0 ? rtt_s : blind_report_s, least_report_s);

  timer.Cancel ();
  if (!fresh)
    return;
  fresh = false;
  /* without the time the stamp was held here */
  stamp.sent_s = stamped_s + (seconds_now () - stamped_at_s);
  erf.rate_Bps = told_Bps = rate_Bps;
  erf.hop = told_hop = hop;
  packet->AddPacketTag (stamp);
  packet->AddPacketTag (erf);
  socket->SendTo (packet, 0, peer);
  reports++;
  told.add (seconds_now (), rate_Bps * 8);
  timer = Simulator::Schedule (Seconds (interval), &PaqmSink::report, this);
}

double
PaqmFlow::loss () const
{
  return source->packets ? 1 - (double)sink->packets / source->packets : 0;
}

double
PaqmFlow::loss (double from_s, double to_s) const
{
  double lost = 0, got = 0;

  for (const auto &sample : sink->lost.samples ())
    lost += sample.at_s >= from_s && sample.at_s < to_s ? sample.value : 0;
  for (const auto &sample : sink->transit.samples ())
    got += sample.at_s >= from_s && sample.at_s < to_s;
  return lost + got > 0 ? lost / (lost + got) : 0;
}

PaqmFlow
add_paqm_flow (Ptr<Node> from, Ptr<Node> to, Ipv4Address address, const PaqmSourceSpec &spec)
{
  static uint16_t ports = 20000;
  PaqmFlow flow = {CreateObject<PaqmSource> (), CreateObject<PaqmSink> ()};
  uint16_t port = spec.port ? spec.port : ports++;

  if (ports > 60000)
    ports = 20000;
  flow.source->configure (spec, address, port);
  flow.sink->configure (spec, port);
  from->AddApplication (flow.source);
  to->AddApplication (flow.sink);
  return flow;
}

PaqmFlow
add_paqm_flow (Dumbbell &dumbbell, unsigned pair, const PaqmSourceSpec &spec)
{
  PaqmFlow flow = add_paqm_flow (dumbbell.left (pair), dumbbell.right (pair), dumbbell.right_address (pair), spec);

  if (spec.follow == PaqmFollow::ecf && dumbbell.paqm_disc ())
    flow.source->follow_ecf (dumbbell.paqm_disc (), dumbbell.access_delay_s (pair));
  return flow;
}

Link
make_link (Ptr<Node> a, Ptr<Node> b, double bps, double delay_ms, bool shallow)
{
  static uint8_t links;
  Ptr<PointToPointChannel> channel =
      CreateObjectWithAttributes<PointToPointChannel> ("Delay", TimeValue (MicroSeconds (delay_ms * 1000)));
  const char *queue = shallow ? "1p" : "5000p";
  Link link = {make_device (a, 1500, queue), make_device (b, 1500, queue), {}, {}};
  uint32_t net = 0x0ac80000 | (uint32_t)links++ << 8;

  for (auto &device : {link.a, link.b}) {
    device->SetDataRate (DataRate (bps));
    device->Attach (channel);
  }
  link.a_address = add_address (link.a, net | 1);
  link.b_address = add_address (link.b, net | 2);
  return link;
}

} // namespace sim
