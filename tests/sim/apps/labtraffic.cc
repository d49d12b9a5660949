/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "labtraffic.h"
#include <ns3/abort.h>

namespace sim
{

static const double audio_packet_s = 0.02;
static const unsigned headers = 20 + 8 + 12; /* IPv4, UDP, RTP */

static ShortTcpSpec
tcp_of (const LabFlow &flow)
{
  ShortTcpSpec tcp;

  tcp.tcp.kind = flow.tcp;
  tcp.tcp.ecn = flow.ect;
  tcp.tcp.start_s = flow.start_s;
  tcp.tcp.stop_s = flow.stop_s;
  tcp.flows = flow.short_flows;
  tcp.on = flow.short_on;
  tcp.idle_s = flow.short_idle_s;
  return tcp;
}

void
add_lab_traffic (const LabFlow &flow, const HostPair &hosts)
{
  if (flow.kind == LabKind::tcp)
    add_tcp (hosts, tcp_of (flow).tcp);
  else if (flow.kind == LabKind::short_tcp)
    add_short_tcp (hosts, tcp_of (flow));
  else if (flow.kind == LabKind::udp)
    add_udp (hosts, flow.rate_bps, flow.packet_bytes, flow.start_s, flow.stop_s);
  else if (flow.kind == LabKind::audio)
    add_udp (hosts, flow.rate_bps + headers * 8 / audio_packet_s, flow.rate_bps / 8 * audio_packet_s + headers,
        flow.start_s, flow.stop_s);
  else
    NS_ABORT_MSG ("flows of kind " << flow.kind_name << " can only be simulated");
}

} // namespace sim
