/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the network did in a job: packets.csv of the video flows, queue.csv of all (formats: lab.cc). A flow's number is
   its pair's. */
#ifndef SIM_LAB_RECORD_H
#define SIM_LAB_RECORD_H

#include "chain.h"
#include "tablefile.h"
#include <map>
#include <memory>
#include <tuple>

namespace sim
{

class LabRecord
{
public:
  static constexpr double bin_s = 0.1;
  explicit LabRecord (Chain &chain); /* observes it; must live as long */
  /* forward: the direction of its media; first_hop: where that begins; zero_s: CLOCK_MONOTONIC at time 0, where time is
     real. */
  void add_packets (unsigned flow, const std::string &path, bool forward, unsigned first_hop, double zero_s = 0);
  void flush (); /* for readers of packets.csv beside */
  void write_queues (const std::string &path) const;

private:
  struct Packets {
    std::unique_ptr<TableFile> table;
    bool forward;
    unsigned first_hop;
  };
  struct Cell {
    uint64_t bytes = 0;
    unsigned packets = 0, dropped = 0, lost = 0;
    double delay_sum = 0, delay_max = 0;
  };
  void on_event (const ChainEvent &event);
  void count (const ChainEvent &event);
  void log (const ChainEvent &event);
  Chain &chain;
  std::map<unsigned, Packets> packets;                                  /* by flow */
  std::map<std::tuple<uint32_t, unsigned, bool, unsigned>, Cell> cells; /* bin, hop, backward, flow */
};

} // namespace sim
#endif
