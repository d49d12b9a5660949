/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tcprate.h"
#include <math.h>

#define SEGMENT 1460.0 /* bytes */
#define RECEIVED 2.0   /* x what arrives */
#define BREAKER 10.0   /* x TCP, RFC 8083 4.3 */
#define BELOW_BREAKER 0.8

static double
congestion_p (const TcpPath *path)
{
  return path->excused > 0 ? path->p * (1 - path->excused / path->loss) : path->p;
}

static double
throughput (const TcpPath *path, double p)
{
  double s = path->packet_bytes, segment = fmax (s, SEGMENT), virtual_p = p * segment / s;
  double reno =
      fmax (tfrc_throughput (s, path->R, p, path->rto), tfrc_throughput (segment, path->R, virtual_p, path->rto));

  return fmax (reno, cubic_throughput (segment, path->R, virtual_p));
}

double
tcp_rate_below_breaker (double breaker_Bps)
{
  return BELOW_BREAKER * breaker_Bps;
}

double
tcp_rate (const TcpPath *path)
{
  double p = fmax (path->p, path->excused);
  double breaker = BREAKER * path->packet_bytes / (path->R * sqrt (2 * p / 3));
  double tcp = fmin (throughput (path, congestion_p (path)), RECEIVED * path->X_recv);

  return fmin (tcp, tcp_rate_below_breaker (breaker));
}
