/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The dumbbell all scenarios share: pairs of hosts on both sides of one bottleneck.

     left 0 --.                                           .-- right 0      left hosts   10.1.i.2
     left 1 ---+-- left router ==== bottleneck ==== right router --+-- right 1      right hosts  10.2.i.2
        ...                                                   ...

   What runs on the hosts is the caller's business: simulated applications, or devices that lead out to real sockets
   (give left_router () or right_router () another interface; each router's default route leads over the bottleneck).
   Rates are bit/s on the wire (IP packet + 2 bytes PPP), delays one way, queue delays from arrival at the bottleneck to
   the first bit sent. Chance follows the run's seed (sim_seed ()). */
#ifndef SIM_DUMBBELL_H
#define SIM_DUMBBELL_H

#include "hostroutes.h"
#include "hostpair.h"
#include "impairedlink.h"
#include "paqmqueue.h"
#include "series.h"
#include <deque>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>
#include <ns3/traffic-control-module.h>
#include <vector>

namespace sim
{

enum class QueueKind { droptail, red, codel, fq_codel, pie, paqm };

/* Give one of ms, packets, bytes. ms means ms of the present capacity: the byte limit follows capacity steps. */
struct QueueSpec {
  QueueKind kind = QueueKind::droptail;
  double ms = 300;
  uint32_t packets = 0, bytes = 0;
  double red_min = 0, red_max = 0; /* packets; 0: a quarter and three quarters of the limit */
  bool adaptive = false;           /* red: max_p follows the mean, which is kept at half of the limit */
  bool ecn = false;                /* red, codel, fq_codel, pie: mark packets that are ECN capable */
  double l4s_ms = 0;               /* fq_codel: mark ECT(1) at once where it waits for longer (RFC 9331); 0: no */
  PaqmQueueSpec paqm;              /* has limits of its own */
};

struct CapacityStep {
  double at_s, bps;
};

/* One direction of the bottleneck. */
struct LinkSpec {
  double bps = 0; /* 0: as fast as the access links, a queue of 5000 packets */
  double delay_ms = 0;
  QueueSpec queue;
  std::vector<CapacityStep> schedule;
  LossSpec loss;
  double jitter_std_ms = 0; /* RFC 8868 4.5.2, without reordering; 0: none */
};

struct DumbbellSpec {
  LinkSpec forward, backward; /* the delay of both directions is forward.delay_ms unless backward.delay_ms is given */
  double access_bps = 1e9;
  uint16_t mtu = 1500;
};

class Dumbbell
{
public:
  explicit Dumbbell (const DumbbellSpec &spec);

  /* Adds a pair of hosts; access_delay_ms is the delay of either access link. jitter_std_ms: the left host's packets
     reach the router later by |N (0, std)|, in order. About one service time of the bottleneck takes away the phase
     effects of drop tail, where a paced flow always arrives just behind a departure. Returns the pair's index, from 0.
   */
  unsigned add_pair (double access_delay_ms = 0, double jitter_std_ms = 0);
  unsigned pairs () const;
  ns3::Ptr<ns3::Node> left (unsigned pair) const;
  ns3::Ptr<ns3::Node> right (unsigned pair) const;
  ns3::Ipv4Address left_address (unsigned pair) const;
  ns3::Ipv4Address right_address (unsigned pair) const;
  HostPair hosts (unsigned pair) const; /* left to right */
  /* What the sender's left host sends to a multicast group crosses the bottleneck once, to the right hosts of pairs
     first..last. */
  void route_group (ns3::Ipv4Address group, unsigned sender, unsigned first, unsigned last);
  ns3::Ptr<ns3::Node> left_router () const;
  ns3::Ptr<ns3::Node> right_router () const;

  void set_capacity (bool forward, double bps);
  ns3::Ptr<PaqmQueueDisc> paqm_disc (bool forward = true) const; /* null where the queue is another */
  unsigned waiting (bool forward = true) const;                  /* packets in the queue now */

  /* What the network saw. Per pair: bytes of IP packets that reached the right (left) host, packets the forward
     (backward) queue refused, and per packet the delay in the queue. */
  struct PairProbe {
    RateSeries received;
    uint64_t arrived = 0, dropped = 0; /* packets at the queue */
    SampleSeries queue_delay;          /* s */
  };
  struct LinkProbe {
    std::vector<PairProbe> pair;
    PairProbe all; /* received: bytes put on the bottleneck */
  };
  const LinkProbe &forward () const;
  const LinkProbe &backward () const;
  double base_rtt_s (unsigned pair) const; /* propagation only */
  double access_delay_s (unsigned pair) const;

private:
  struct Side {
    ns3::Ptr<ns3::Node> router;
    ns3::Ptr<HostRoutes> routes; /* of the router, to the hosts of both sides */
    std::vector<ns3::Ptr<ns3::Node>> hosts;
    std::vector<ns3::Ipv4Address> addresses;
    ns3::Ptr<ns3::PointToPointNetDevice> device;
    ns3::Ptr<ns3::QueueDisc> disc;
    LinkSpec link;
    LinkProbe probe;
    std::deque<std::pair<int, double>> in_device; /* pair and arrival of packets handed to the device */
    uint8_t far_net;                              /* second byte of the addresses this direction leads to */
  };

  void connect_routers ();
  void impair (Side *side);
  void install_queue (Side &side);
  void attach_host (Side &side, unsigned pair, double delay_ms, double jitter_std_ms, Side &other);
  int pair_of (const Side &side, ns3::Ptr<const ns3::QueueDiscItem> item) const;
  void on_enqueue (Side *side, ns3::Ptr<const ns3::QueueDiscItem> item);
  void count (Side *side, ns3::Ptr<const ns3::QueueDiscItem> item, bool arrived, bool dropped);
  void on_refused (Side *side, ns3::Ptr<const ns3::QueueDiscItem> item, const char *reason);
  void on_head_drop (Side *side, ns3::Ptr<const ns3::QueueDiscItem> item, const char *reason);
  void on_dequeue (Side *side, ns3::Ptr<const ns3::QueueDiscItem> item);
  void on_transmit (Side *side, ns3::Ptr<const ns3::Packet> packet);
  void on_received (Side *from, unsigned pair, ns3::Ptr<const ns3::Packet> packet);

  DumbbellSpec spec;
  Side left_side, right_side;
  std::vector<double> access_delay_ms;
};

/* A device with a queue of queue_limit ("1p" where a queue disc is to be put on it), without channel. */
ns3::Ptr<ns3::PointToPointNetDevice> make_device (ns3::Ptr<ns3::Node> node, uint16_t mtu, const char *queue_limit);

/* The queue of a link, and what changes in it with the link's capacity. */
ns3::Ptr<ns3::QueueDisc> make_disc (const QueueSpec &queue, double bps, double delay_ms);
void set_disc_capacity (ns3::Ptr<ns3::QueueDisc> disc, const QueueSpec &queue, double bps);
ns3::Ptr<LossModel> make_loss (const LossSpec &spec);

/* Gives the device an address in a /24 of its own. */
ns3::Ipv4Address add_address (ns3::Ptr<ns3::NetDevice> device, uint32_t address);
void set_default_route (ns3::Ptr<ns3::Node> node, ns3::Ipv4Address gateway, ns3::Ptr<ns3::NetDevice> device);

/* Seeds ns-3: call once before building anything. */
void sim_seed (uint64_t seed);

} // namespace sim
#endif
