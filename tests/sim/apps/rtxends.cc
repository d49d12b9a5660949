/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtxends.h"
#include <algorithm>

namespace sim
{

static const size_t most_kept = 1024;
static const unsigned most_tries = 10;
static const double answer_gain = 1.0 / 8; /* RFC 6298 */

static uint16_t
number_of (const std::vector<uint8_t> &rtp)
{
  return rtcp_get_u16 (&rtp[2]);
}

void
RtxKeeper::keep (const std::vector<uint8_t> &rtp)
{
  kept.push_back (rtp);
  if (kept.size () > most_kept)
    kept.pop_front ();
}

std::vector<std::vector<uint8_t>>
RtxKeeper::answer (const RtcpMessage &message)
{
  std::vector<std::vector<uint8_t>> packets;
  uint16_t numbers[NACK_REQUEST_MAX_MISSING];
  size_t n = 0;

  if (!rtcp_nack_parse (message.fci (), message.fci_size (), numbers, NACK_REQUEST_MAX_MISSING, &n))
    return packets;
  for (size_t i = 0; i < n; i++) {
    auto found = std::find_if (
        kept.rbegin (), kept.rend (), [&] (const std::vector<uint8_t> &rtp) { return number_of (rtp) == numbers[i]; });
    if (found == kept.rend ())
      continue;
    packets.push_back (rtx_make (*found, numbers[i]));
    rtcp_put_u16 (&packets.back ()[2], seq++);
  }
  return packets;
}

void
RtxAsker::start (double latency_s)
{
  NackRequestParams params;

  nack_request_params_init (&params);
  params.latency = cc_duration (latency_s);
  params.reorder_packets = 1;
  params.max_tries = most_tries;
  nack_request_init (&nack, &params);
  on = latency_s > 0;
}

uint32_t
RtxAsker::media_ssrc () const
{
  return rtcp_get_u32 (header + 8);
}

uint32_t
RtxAsker::extend (uint16_t number) const
{
  return highest + (int16_t)(number - (uint16_t)highest);
}

void
RtxAsker::on_packet (const uint8_t *rtp, CcTime now)
{
  uint16_t number = rtcp_get_u16 (rtp + 2);
  uint32_t seq = started ? extend (number) : 65536u + number;

  std::copy_n (rtp, rtp_fixed_bytes, header);
  highest = started ? std::max (highest, seq) : seq;
  started = true;
  if (on)
    nack_request_on_packet (&nack, seq, now);
}

/* Karn's rule: of a second request nobody knows which one was answered. */
void
RtxAsker::note_answer (uint16_t number, CcTime now)
{
  const NackMissing *missing = nack_request_missing (&nack, number);

  if (missing == NULL || missing->tries != 1)
    return;
  double sample_s = cc_seconds (cc_time_since (now, missing->at));
  answer_s += answer_s > 0 ? answer_gain * (sample_s - answer_s) : sample_s;
  nack_request_set_rtt (&nack, cc_duration (answer_s));
}

std::vector<uint8_t>
RtxAsker::restore (const uint8_t *rtp, size_t head, size_t size, CcTime now)
{
  if (!started || size < head + rtx_osn_bytes)
    return {};
  std::vector<uint8_t> original = rtx_restore (rtp, head, size, header);

  note_answer (number_of (original), now);
  nack_request_on_packet (&nack, extend (number_of (original)), now);
  return original;
}

CcTime
RtxAsker::next_timeout () const
{
  return on ? nack_request_next_timeout (&nack) : CC_TIME_NONE;
}

size_t
RtxAsker::write (uint8_t *fci, size_t capacity, CcTime now)
{
  uint16_t due[NACK_REQUEST_MAX_MISSING];
  unsigned n = on ? nack_request_take_due (&nack, due, NACK_REQUEST_MAX_MISSING, now) : 0;
  size_t taken = 0, size = n > 0 ? rtcp_nack_write (fci, capacity, due, n, &taken) : 0;

  nack_request_on_sent (&nack, due, taken, now);
  return size;
}

} // namespace sim
