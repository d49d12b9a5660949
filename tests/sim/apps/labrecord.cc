/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "labrecord.h"
#include "scenario.h"
#include <algorithm>
#include <ns3/simulator.h>

namespace sim
{

LabRecord::LabRecord (Chain &c) : chain (c)
{
  chain.on_event = [this] (const ChainEvent &event) { on_event (event); };
}

void
LabRecord::add_packets (unsigned flow, const std::string &path, bool forward, unsigned first_hop, double zero_s)
{
  packets[flow] = {std::make_unique<TableFile> (path, format ("# monotonic_s_at_zero=%.9f\n", zero_s) +
                                                          "direction,time_in,time_out,fate,size,queue_delay,capacity"),
      forward, first_hop};
}

void
LabRecord::flush ()
{
  for (auto &[flow, log] : packets)
    log.table->flush ();
}

void
LabRecord::on_event (const ChainEvent &event)
{
  if (event.fate != ChainFate::delivered)
    count (event);
  if (event.fate != ChainFate::sent)
    log (event);
}

void
LabRecord::count (const ChainEvent &e)
{
  uint32_t bin = ns3::Simulator::Now ().GetSeconds () / bin_s;
  Cell &cell = cells[{bin, e.hop, !e.forward, e.pair}];

  if (e.fate == ChainFate::sent) {
    cell.bytes += e.size;
    cell.packets++;
    cell.delay_sum += e.queue_delay_s;
    cell.delay_max = std::max (cell.delay_max, e.queue_delay_s);
  }
  cell.dropped += e.fate == ChainFate::queue;
  cell.lost += e.fate == ChainFate::random;
}

void
LabRecord::log (const ChainEvent &e)
{
  auto flow = packets.find (e.pair);

  if (flow == packets.end ())
    return;
  bool media = e.forward == flow->second.forward, delivered = e.fate == ChainFate::delivered;
  double now = ns3::Simulator::Now ().GetSeconds ();
  const char *fate = delivered ? "delivered" : e.fate == ChainFate::queue ? "queue" : "random";
  flow->second.table->row ("%s,%.6f,%s,%s,%u,%s,%.0f", media ? "forward" : "reverse", e.first_s,
      delivered ? format ("%.6f", now).c_str () : "", fate, e.size,
      delivered ? format ("%.6f", e.queue_delay_s).c_str () : "", chain.capacity (flow->second.first_hop, e.forward));
}

void
LabRecord::write_queues (const std::string &path) const
{
  TableFile table (path, "time,hop,direction,flow,bytes,packets,dropped,lost,delay,delay_max");

  for (const auto &[key, cell] : cells) {
    auto [bin, hop, backward, flow] = key;
    std::string mean = cell.packets ? format ("%.6f", cell.delay_sum / cell.packets) : "";
    std::string greatest = cell.packets ? format ("%.6f", cell.delay_max) : "";
    table.row ("%.1f,%u,%s,%u,%lu,%u,%u,%u,%s,%s", bin * bin_s, hop, backward ? "reverse" : "forward", flow,
        (unsigned long)cell.bytes, cell.packets, cell.dropped, cell.lost, mean.c_str (), greatest.c_str ());
  }
}

} // namespace sim
