/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* P-AQM as a queue discipline of ns-3: a shell around Paqm with two FIFOs. UDP is media, all else elastic, UDP to one
   of elastic_ports too (TFRC); flows are told apart by addresses, protocol and ports.

     PaqmQueueSpec spec;
     spec.params.outer.utilisation = 1;                       all of Paqm's parameters, set to their defaults
     auto disc = install_paqm (device, spec);                 on any device; capacity: the device's, if 0
     DumbbellSpec d; d.forward.queue.kind = QueueKind::paqm;  or as the dumbbell's queue: queue.paqm is the spec,
     auto disc = net.paqm_disc ();                            capacity the link's

   ERF: packets with an ErfTag have it lowered to R by each disc as they leave, so that the lowest wins. ECF: whoever
   has subscribed is called once per period, delay_s after the router has computed it. Marks CE where Paqm says so. */
#ifndef SIM_PAQM_QUEUE_H
#define SIM_PAQM_QUEUE_H

#include "paqm.h"
#include "series.h"
#include "structtag.h"
#include <functional>
#include <ns3/net-device.h>
#include <ns3/queue-disc.h>
#include <ns3/random-variable-stream.h>
#include <set>
#include <vector>

namespace sim
{

/* What ErfExtension and rtt-sendts carry in RTP packets, as a packet tag. */
struct ErfMark {
  double rate_Bps = 0; /* 0: no router has set it */
  uint16_t hop = 0;    /* which one did */
  double rtt_s = 0;    /* as the sender measured it; 0: not yet */

  static const char *
  tag_name ()
  {
    return "sim::ErfTag";
  }
};

using ErfTag = StructTag<ErfMark>;

struct PaqmQueueSpec {
  PaqmQueueSpec ();
  PaqmParams params;                /* paqm_params_init (); capacity_Bps 0: the link's */
  bool measure_capacity = false;    /* capacity from departures, although the link's is known */
  uint16_t hop = 0;                 /* as signalled; 0: one of its own is given */
  std::set<uint16_t> elastic_ports; /* UDP destination ports that are elastic */
  uint32_t link_bytes = 2;          /* counted with each packet: PPP's */
  double sample_s = 0;              /* spacing of rows (); 0: none */
  bool tell = true;                 /* false: no ERF into the packets */
};

/* bit/s, bytes, s */
struct PaqmRow {
  double at_s, R_bps, r_media_bps, r_elastic_bps, media_bytes, elastic_bytes, survival, flows_media, flows_elastic;
};

class PaqmQueueDisc : public ns3::QueueDisc
{
public:
  using Listener = std::function<void (uint16_t hop, const PaqmFeedback &feedback)>;

  static ns3::TypeId GetTypeId ();
  PaqmQueueDisc ();
  void configure (const PaqmQueueSpec &spec);         /* once, before the simulation runs */
  void subscribe (double delay_s, Listener listener); /* ECF, see PaqmSource::follow_ecf () */
  void set_capacity (double bps);
  const Paqm &core () const;
  PaqmStats stats () const;
  uint16_t hop () const;
  const std::vector<PaqmRow> &rows () const;
  SampleSeries delay[PAQM_CLASSES]; /* s in the queue, per packet sent */
  SampleSeries R_bps;               /* one per outer period */
  SampleSeries drops[PAQM_CLASSES]; /* one per packet dropped; value: bytes */

private:
  struct Subscriber {
    double delay_s;
    Listener listener;
  };

  bool DoEnqueue (ns3::Ptr<ns3::QueueDiscItem> item) override;
  ns3::Ptr<ns3::QueueDiscItem> DoDequeue () override;
  bool CheckConfig () override;
  void InitializeParams () override;
  PaqmArrival arrival_of (ns3::Ptr<ns3::QueueDiscItem> item) const;
  uint32_t head_bytes (int queue);
  void signal (ns3::Ptr<ns3::Packet> packet);
  void arm ();
  void tick ();
  void tell ();
  void sample ();
  static uint32_t draw (void *user);

  PaqmQueueSpec spec;
  Paqm paqm;
  ns3::Ptr<ns3::UniformRandomVariable> random;
  ns3::EventId timer;
  CcTime timer_at = CC_TIME_NONE;
  std::vector<Subscriber> subscribers;
  std::vector<PaqmRow> row_list;
};

/* The device needs a NetDeviceQueueInterface and a short queue of its own, as the dumbbell's have: make_link () of
   paqmsource.h sees to that. */
ns3::Ptr<PaqmQueueDisc> install_paqm (ns3::Ptr<ns3::NetDevice> device, const PaqmQueueSpec &spec);
/* For those who install it themselves. bps: of the link. */
ns3::Ptr<PaqmQueueDisc> make_paqm (const PaqmQueueSpec &spec, double bps);

} // namespace sim
#endif
