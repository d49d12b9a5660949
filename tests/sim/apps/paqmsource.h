/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Media sources that obey the explicit rates of P-AQM routers, and their receivers. Rates are bit/s of IP packets.

     Dumbbell net (spec);                                     queue.kind = QueueKind::paqm
     PaqmSourceSpec source;
     source.kind = PaqmSourceKind::vbr;
     source.follow = PaqmFollow::erf;
     PaqmFlow flow = add_paqm_flow (net, net.add_pair (10), source);
     Simulator::Run ();
     flow.sink->received.mean_bps (10, 60); flow.sink->transit.mean (10, 60); flow.loss ();

   In another topology: add_paqm_flow (from, to, address, source). Several flows of a pair take different ports.
   ERF: packets ask by an ErfTag, the receiver returns what the last one brought by a packet of its own: once per
   round-trip time, and at once where it has changed; or each feedback_s. ECF: flow.source->follow_ecf (disc, delay_s)
   once per router on the path; by the dumbbell's add_paqm_flow this is done. Either way the least of the hops' latest
   rates is sent (HopRates). */
#ifndef SIM_PAQM_SOURCE_H
#define SIM_PAQM_SOURCE_H

#include "dumbbell.h"
#include "hoprates.h"
#include "paqmqueue.h"
#include <ns3/application.h>
#include <ns3/event-id.h>
#include <functional>
#include <map>
#include <ns3/random-variable-stream.h>
#include <ns3/socket.h>

namespace sim
{

enum class PaqmSourceKind {
  cbr,     /* equal packets, evenly */
  poisson, /* equal packets, exponential intervals */
  vbr      /* frames in groups of pictures, or a trace */
};
enum class PaqmFollow { none, erf, ecf };

/* Groups of one I frame of i_ratio mean P frames and gop_frames - 1 P frames. Each frame's size varies about that by a
   log-normal factor of frame_sigma; the scene's demand by one of scene_sigma that changes every scene_s or so, and is
   held to the rate within hold_s, or a few groups, as the virtual leaky bucket of SVBR does. */
struct VbrModel {
  double fps = 30;
  unsigned gop_frames = 12;
  double i_ratio = 4;
  double frame_sigma = 0.25, scene_sigma = 0.3, scene_s = 4;
  bool adapt_per_gop = true;         /* else with each frame */
  double hold_s = 0;                 /* 0: two groups */
  double spread = 0;                 /* of the frame interval over which its packets leave; 0: at once */
  std::vector<uint32_t> trace_bytes; /* frame sizes of an encoding instead of the model, scaled to the rate; loops */
  std::function<double (double rate_bps)> coder; /* or whoever tells the bytes of the next frame, IP headers counted */
};

/* Simulcast or layers: rates in steps, ascending; empty: any rate. A lower one at once, a higher one once it has itself
   been allowed `margin` times over for hold_s. */
struct PaqmRungs {
  std::vector<double> bps;
  double margin = 1, hold_s = 0;
};

struct PaqmSourceSpec {
  PaqmSourceKind kind = PaqmSourceKind::cbr;
  PaqmFollow follow = PaqmFollow::erf;
  double initial_bps = 1e6, min_bps = 30e3, max_bps = 1e9;
  uint32_t packet_bytes = 1000; /* IP; the largest of vbr */
  VbrModel vbr;
  double start_s = 0, stop_s = 1e6;
  PaqmRungs rungs;
  double feedback_s = 0; /* of the receiver's reports, as RTCP has them; 0: per round-trip time and change */
  double probe_s = 0; /* at the start: a packet each that long, rate as initial_bps from the first report on; 0: none */
  bool ect = false;
  bool ask = true;   /* packets carry an ErfTag */
  uint16_t port = 0; /* 0: another for each flow */
};

/* A frame of vbr, whole. */
struct PaqmFrame {
  uint32_t number;
  double captured_s, completed_s;
};

class PaqmSource : public ns3::Application
{
public:
  static ns3::TypeId GetTypeId ();
  PaqmSource ();
  void configure (const PaqmSourceSpec &spec, ns3::Ipv4Address peer, uint16_t port);
  void follow_ecf (ns3::Ptr<PaqmQueueDisc> disc, double delay_s);
  double rate_bps () const; /* what it sends now */
  double rtt_s () const;    /* smoothed; 0: not yet known */
  const HopRates &hops () const;
  SampleSeries rates;                          /* each change */
  uint64_t packets = 0, bytes = 0, frames = 0; /* sent */

private:
  void StartApplication () override;
  void StopApplication () override;
  void on_feedback (ns3::Ptr<ns3::Socket> socket);
  void on_ecf (uint16_t hop, const PaqmFeedback &feedback);
  void take_rate (uint32_t hop, double rate_Bps);
  double rung_Bps (double allowed_Bps);
  void probe ();
  void begin ();
  void next_packet ();
  void next_frame ();
  double frame_bytes ();
  void send (uint32_t ip_bytes);
  void send_part (uint32_t ip_bytes, uint32_t frame, uint32_t parts, double captured_s);

  PaqmSourceSpec spec;
  ns3::Ipv4Address peer;
  uint16_t port = 0;
  HopRates hop_rates;
  ns3::Ptr<ns3::Socket> socket;
  ns3::Ptr<ns3::ExponentialRandomVariable> exponential;
  ns3::Ptr<ns3::NormalRandomVariable> normal;
  ns3::Ptr<ns3::UniformRandomVariable> uniform;
  ns3::EventId timer, prober;
  double rate = 0, gop_rate = 0, srtt = 0, scene = 1, ahead_bytes = 0;
  double trace_mean = 0;
  std::vector<double> allowed_since_s; /* each rung, with its margin; HUGE_VAL: it is not */
  unsigned frame_of_gop = 0;
  size_t trace_at = 0;
  uint32_t seq = 0;
  bool running = false, sending = false;
};

class PaqmSink : public ns3::Application
{
public:
  static ns3::TypeId GetTypeId ();
  void configure (const PaqmSourceSpec &spec, uint16_t port);
  RateSeries received;  /* IP bytes */
  SampleSeries transit; /* one-way delay of each packet, s */
  SampleSeries told;    /* bit/s, explicit rate of each report; 0: none yet */
  SampleSeries lost;    /* packets found missing, at the time */
  std::vector<PaqmFrame> frames;
  uint64_t packets = 0, reports = 0;

private:
  void StartApplication () override;
  void StopApplication () override;
  void on_packet (ns3::Ptr<ns3::Socket> socket);
  void count_frame (uint32_t number, uint32_t parts, double captured_s);
  void report ();
  bool differs () const;

  PaqmSourceSpec spec;
  uint16_t port = 0;
  ns3::Ptr<ns3::Socket> socket;
  ns3::Address peer;
  ns3::EventId timer;
  double rtt_s = 0, rate_Bps = 0, told_Bps = 0, stamped_s = 0, stamped_at_s = 0; /* of the last packet */
  uint16_t hop = 0, told_hop = 0;
  std::map<uint32_t, uint32_t> parts_missing; /* of the frames that have begun to arrive, the latest 64 */
  uint32_t next_seq = 0;
  bool fresh = false; /* packets since the last report */
};

struct PaqmFlow {
  ns3::Ptr<PaqmSource> source;
  ns3::Ptr<PaqmSink> sink;
  double loss () const; /* part of the packets sent that did not arrive; those on the way at the end count as such */
  double loss (double from_s, double to_s) const;
};

PaqmFlow add_paqm_flow (
    ns3::Ptr<ns3::Node> from, ns3::Ptr<ns3::Node> to, ns3::Ipv4Address to_address, const PaqmSourceSpec &spec);
/* Left to right; ECF comes from the forward queue. */
PaqmFlow add_paqm_flow (Dumbbell &dumbbell, unsigned pair, const PaqmSourceSpec &spec);

/* A link between any two nodes with internet stacks, for other topologies than the dumbbell. Addresses 10.200.n.1 (a)
   and .2 (b). shallow: its devices have queues of one packet and want queue discs (install_paqm ()); else of 5000. Then
   Ipv4GlobalRoutingHelper::PopulateRoutingTables (). */
struct Link {
  ns3::Ptr<ns3::PointToPointNetDevice> a, b;
  ns3::Ipv4Address a_address, b_address;
};
Link make_link (ns3::Ptr<ns3::Node> a, ns3::Ptr<ns3::Node> b, double bps, double delay_ms, bool shallow);

} // namespace sim
#endif
