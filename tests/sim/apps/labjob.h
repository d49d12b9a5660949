/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A job of the quality lab, read from its key file (described in lab.cc). */
#ifndef SIM_LAB_JOB_H
#define SIM_LAB_JOB_H

#include "chain.h"
#include "traffic.h"
#include <string>
#include <vector>

namespace sim
{

enum class LabKind { video, recorded, tcp, short_tcp, udp, audio };

/* Fields of other kinds than the flow's are unused. */
struct LabFlow {
  LabKind kind;
  std::string kind_name;
  double start_s, stop_s;
  ChainPairSpec place;
  bool forward;
  bool ect; /* packets may be marked */
  /* video; of recorded the controller and rates */
  std::string controller, clip, send, knob, encoding_name, depay, decode, record;
  unsigned width, height;
  double fps, knob_unit, min_bps, max_bps, start_bps, max_delay_s, weight, latency_s, pause_from_s, pause_to_s;
  std::vector<CapacityStep> rates;
  /* the others */
  TcpKind tcp;
  unsigned short_flows, short_on;
  double short_idle_s, rate_bps;
  unsigned packet_bytes;
};

struct LabJob {
  uint64_t seed;
  double duration_s;
  std::string out;
  std::vector<ChainHopSpec> hops;
  std::vector<LabFlow> flows;
};

/* Ends the program with a text where the file is not a job. */
LabJob read_lab_job (const std::string &path);

} // namespace sim
#endif
