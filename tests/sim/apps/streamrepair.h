/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tfrcsink and tfrcsrc do about lost packets of a simulated stream: asked for as repairplan.h has it, and sums
   over what has left (fecencoder.h), as many as fecplan.h finds worth their rate. The offer is left out: who is told to
   repair knows the other's streams, and REPR names the share of sums alone. */
#ifndef SIM_STREAM_REPAIR_H
#define SIM_STREAM_REPAIR_H

#include "ccsender.h"
#include "fecdecoder.h"
#include "fecdose.h"
#include "fecencoder.h"
#include "fecplan.h"
#include "nackrequest.h"
#include "repairplan.h"
#include "rtcprepair.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace sim
{

struct RepairSpec {
  bool planned = false; /* by the plan; else requests within a fixed latency, or nothing */
  bool rtx = true, fec = false;
  double least_s = 0.1, most_s = 0.4; /* that the player waits */
};

/* The sender's part: how many sums follow a packet, and those. */
class SumSource
{
public:
  void on_request (const RtcpRepair &request, CcTime now);
  /* A packet of the stream has left with number seq. Payloads of packets of sums that follow it now. */
  std::vector<std::vector<uint8_t>> on_sent (
      const std::vector<uint8_t> &rtp, uint16_t seq, const CcPacket &packet, const CcSender &cc, CcTime now);

  double redundancy () const;

private:
  FecEncoder encoder = {};
  FecDose dose = {};
  bool asked = false;
  CcTime asked_at = 0;
};

struct StreamPath {
  CcDuration rtt;
  bool queued; /* a queue stands */
};

/* The receiver's part, beside its NackRequest. */
class StreamRepair
{
public:
  void start (const RepairSpec &spec);
  /* A packet of the stream as it came; then the plan is nack's. */
  void on_packet (const uint8_t *rtp, size_t size, uint32_t seq, const StreamPath &path, NackRequest *nack, CcTime now);
  void on_restored (const uint8_t *rtp, size_t size, const NackMissing *missing, CcTime now);
  void on_asked (const NackRequest &nack, const uint16_t *seqs, size_t n, CcTime now);
  void on_sum (const uint8_t *payload, size_t size, CcTime now);
  std::vector<uint8_t> take_mended ();                              /* empty: none */
  size_t write_request (uint8_t *fci, size_t capacity, CcTime now); /* 0: there is none to make */
  double wait_s () const;
  const RepairPlan &plan () const;
  const FecPlan &sums () const;
  bool requests_come_first () const; /* early feedback is theirs */

private:
  void plan_sums (CcTime now);
  RepairSpec spec;
  RepairPlan repair = {};
  FecPlan fec = {};
  std::unique_ptr<FecDecoder> decoder;
  uint64_t unanswered = 0;
  CcTime plan_at = 0, ask_at = 0, heard_at = CC_TIME_NONE;
  double told = 0;
};

} // namespace sim
#endif
