/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Traffic beside the flow under test, left to right over a pair of hosts of the dumbbell. */
#ifndef SIM_TRAFFIC_H
#define SIM_TRAFFIC_H

#include "dumbbell.h"
#include <ns3/application.h>
#include <ns3/socket.h>

namespace sim
{

/* newreno counts acknowledged segments in congestion avoidance (ns-3's TcpLinuxReno): with delayed ACKs ns-3's
   TcpNewReno grows by half a segment a round-trip, which is b = 2 of the throughput equation where RFC 5348 3.1 wants b
   = 1. */
enum class TcpKind { newreno, cubic, bbr };

struct TcpSpec {
  TcpKind kind = TcpKind::newreno;
  double start_s = 0, stop_s = 1e6;
  uint32_t segment_bytes = 1440; /* MSS */
  uint32_t buffer_bytes = 1u << 22;
  /* What today's systems use; RFC 6298 says 1 s, RFC 1122 at most 0.5 s. */
  double min_rto_s = 0.2, delayed_ack_s = 0.040;
  unsigned delayed_acks = 2;
  unsigned initial_segments = 10; /* RFC 6928 */
  uint64_t max_bytes = 0;         /* 0: no end */
  bool ecn = false;               /* RFC 3168; for all TCP flows of a run */
  bool sack = true, limited_transmit = true;
  bool prr = true;        /* RFC 6937; else RFC 6582's recovery */
  double tick_s = 0.001;  /* timeouts are multiples of it */
  double connect_s = 3.0; /* until the first SYN is sent again */
};

/* Call before Simulator::Run (). All flows of a run share the sizes and timers of the last call. */
void add_tcp (Dumbbell &dumbbell, unsigned pair, const TcpSpec &spec);
void add_tcp (const HostPair &hosts, const TcpSpec &spec);
/* Short TCP transfers, Poisson arrivals and Pareto sizes; the TCP of the last add_tcp (). */
struct WebSpec {
  double pages_per_s = 5, mean_bytes = 30000, shape = 1.35, max_bytes = 1e7;
  double start_s = 0, stop_s = 60; /* of the arrivals */
};
void add_web (Dumbbell &dumbbell, unsigned pair, const WebSpec &spec);
/* Bytes the receiving applications got. */
uint64_t tcp_goodput_bytes (const Dumbbell &dumbbell, unsigned pair);

/* Packets whose spacing and size are drawn from Pareto distributions (shape, scale); size_shape 0: size_scale bytes
   each. Larger packets than max_bytes are cut down to it: one datagram, one packet. */
struct ParetoSpec {
  double interval_shape = 1.3, interval_scale_s = 0.020;
  double size_shape = 0, size_scale_bytes = 1000;
  uint32_t max_bytes = 1472;
  double start_s = 0, stop_s = 1e6;
};
void add_pareto (Dumbbell &dumbbell, unsigned pair, const ParetoSpec &spec);

/* UDP at a constant rate, IP packets of packet_bytes. */
void add_udp (Dumbbell &dumbbell, unsigned pair, double bps, uint32_t packet_bytes, double start_s, double stop_s);
void add_udp (const HostPair &hosts, double bps, uint32_t packet_bytes, double start_s, double stop_s);

/* Connections that transfer and rest in turn (RFC 8868 5, RFC 8867 5.7): each moves a file of uniform size, then rests
   an exponential time. `on` of them begin at the start, the others with a rest. The TCP of the call. */
struct ShortTcpSpec {
  TcpSpec tcp; /* but max_bytes */
  unsigned flows = 10, on = 2;
  double least_bytes = 30000, most_bytes = 50000, idle_s = 10;
};
void add_short_tcp (const HostPair &hosts, const ShortTcpSpec &spec);

} // namespace sim
#endif
