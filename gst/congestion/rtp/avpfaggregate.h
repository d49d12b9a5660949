/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several local SSRCs in one compound packet (RFC 8108 5.3). Each has its own AvpfTiming and is reconsidered alone;
   when one of them fires a regular packet, others' reports may ride in it, and their next ones come later for that. */
#ifndef AVPFAGGREGATE_H
#define AVPFAGGREGATE_H

#include "avpftiming.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  AvpfTiming *timing;
  uint32_t report_size; /* bytes its report would add to the compound packet: SR or RR, SDES, feedback */
  bool chosen;          /* goes into the packet, or went */
} AvpfReporter;

/* locals[first] is to send (AVPF_SEND_REGULAR). Sets `chosen` of first and of those that fit besides it, in the order
   of tn, into max_size bytes; what does not fit ends the choice. header_size: UDP and IP. SSRCs that are leaving or
   have no bandwidth never ride. Returns how many are chosen, 1 at least; first out of range: 0. */
unsigned avpf_aggregate_choose (
    AvpfReporter *locals, unsigned n, unsigned first, uint32_t header_size, uint32_t max_size);
/* The packet went at now, size_bytes with UDP/IP headers. Chosen: tp becomes the mean of the times reconsideration
   would have sent each at (first: now), tn is drawn anew. All of them take size/chosen into avg_rtcp_size. */
void avpf_aggregate_on_sent (AvpfReporter *locals, unsigned n, unsigned first, uint32_t size_bytes, CcTime now);
/* RFC 8108 5.3.1: size of a compound packet in which n SSRCs send SR or RR, per SSRC; 0 reports count as one. */
uint32_t avpf_aggregate_div_size (uint32_t size_bytes, unsigned n);
/* Index of the local whose timeout is first, n where none has any. */
unsigned avpf_aggregate_next (const AvpfReporter *locals, unsigned n);

#ifdef __cplusplus
}
#endif
#endif
