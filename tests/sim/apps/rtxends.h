/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lost packets sent again by rule alone, as a browser and rtprtxsend do it: the receiver asks at once for what is
   missing, again when a round trip has passed, for as long as its player waits; the sender keeps the last packets and
   answers whatever it is asked for. No plan and no redundancy: those are streamrepair.h. */
#ifndef SIM_RTX_ENDS_H
#define SIM_RTX_ENDS_H

#include "nackrequest.h"
#include "rtcpnack.h"
#include "rtxwire.h"
#include <deque>

namespace sim
{

class RtxKeeper
{
public:
  void keep (const std::vector<uint8_t> &rtp);                        /* of plain header */
  std::vector<std::vector<uint8_t>> answer (const RtcpMessage &nack); /* numbered */

private:
  std::deque<std::vector<uint8_t>> kept;
  uint16_t seq = 0;
};

class RtxAsker
{
public:
  void start (double latency_s);
  void on_packet (const uint8_t *rtp, CcTime now); /* of the stream */
  /* One that was sent again; empty: of what is not known. */
  std::vector<uint8_t> restore (const uint8_t *rtp, size_t header, size_t size, CcTime now);
  CcTime next_timeout () const;
  size_t write (uint8_t *fci, size_t capacity, CcTime now); /* 0: nothing to ask for */
  uint32_t media_ssrc () const;

private:
  void note_answer (uint16_t number, CcTime now);
  uint32_t extend (uint16_t number) const;
  NackRequest nack = {};
  uint8_t header[rtp_fixed_bytes] = {}; /* of the last packet of the stream */
  uint32_t highest = 0;
  double answer_s = 0; /* smoothed; 0: not known */
  bool started = false, on = false;
};

} // namespace sim
#endif
