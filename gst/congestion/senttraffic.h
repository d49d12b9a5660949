/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What leaves: the rate on the wire by halves and quarters of a second, the part of it that leaves again, the size of a
 * packet. */
#ifndef SENTTRAFFIC_H
#define SENTTRAFFIC_H

#include "cctime.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double packet_bytes; /* RTP, smoothed */
  double Bps;          /* wire, over the last second or so */
  double now_Bps;      /* over the last half second alone */
  double late_Bps;     /* over the last quarter */
  double resent_Bps;
  CcTime window_at;
  uint64_t window_bytes, window_resent_bytes;
  CcTime late_at;
  uint64_t late_bytes;
  uint64_t packets, bytes;
} SentTraffic;

void sent_traffic_init (SentTraffic *t, CcTime now);
void sent_traffic_on_packet (SentTraffic *t, uint32_t packet_bytes, uint32_t wire_bytes, bool resent, CcTime now);
double sent_traffic_rate (const SentTraffic *t, CcTime now); /* Bps, also where nothing leaves any more. Pure */

#ifdef __cplusplus
}
#endif
#endif
