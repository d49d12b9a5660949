/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a TCP would have at this loss: RFC 5348 3.1, or RFC 9438 5.1, whichever is more. Its packets are larger: between
   two loss events of a path it counts fewer of them (the virtual packets of Widmer, Boutremans & Le Boudec 2004). Where
   p is so large that time-outs rule, that were less than RFC 5348 has by the packets as they are.

   Of the loss, what is no congestion is excused: no further than twice what arrives, and well below where the circuit
   breaker of RFC 8083 4.3 would stop the flow for the rest of it. Congestion comes and goes, a TCP's queue overflows
   for a second in ten, and the breaker counts what lasts. */
#ifndef TCPRATE_H
#define TCPRATE_H

#include "tfrcequation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double packet_bytes; /* s of RFC 5348 */
  double R;            /* s */
  double p;            /* loss event rate */
  TfrcRto rto;
  double loss, excused; /* of the packets; the part that does not count */
  double X_recv;        /* bytes/s */
} TcpPath;

double tcp_rate (const TcpPath *path); /* bytes/s */
/* bytes/s: the share of the circuit breaker's rate that a call keeps below, as a call with less is better than none. */
double tcp_rate_below_breaker (double breaker_Bps);

#ifdef __cplusplus
}
#endif
#endif
