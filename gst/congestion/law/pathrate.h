/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path rate of mode=low-delay: the explicit-rate outer loop of P-AQM (Lie 2008, paper F eq. 3) run by the receiver
   on what the path shows, instead of by a router. docs/low-delay.md derives and measures it.

     R <- R + R (T/d) (alpha e - y beta max (q - q*, 0)/d),   every T, d = max (RTT + T, 200 ms)

   q   queueing delay, s: the least of each frame's packets: what stands in the queue, not the frame's own serialization
   e   relative rate mismatch: eta c/R - 1, slowed where positive, as others may be there, by a queue met lately, by
   the size of R, and about the rate at which the path was last full; a bounded step up where trains arrive as they
   left; no more than -dq/dt where a queue stands, which is (c - r)/c of all the flows together, and where most of it is
   others', that times y beside growth; never below a little where single packets are served as they come,
   or where the queue that c would have made is missing
   y   the part of c that R is: who has less yields less
   c   the bottleneck's share, bytes/s: sum (bytes)/sum (arrival spacing) of packet pairs within a train. The sender
   spaces trains at gain x R, so that c runs up to gain x R where the path has room. Without trains (single packets a
   frame): of pairs of which the second left before the first was through the queue

   Where nobody else is on the path (crosstraffic.h), what is served while a queue of ours stands is the capacity, and R
   follows it (backlog.h). Else:
   A queue that jumps while pairs arrive below R sets c to what arrives and R below it, at once; where R is a small part
   of c, R alone comes down, by what drains the queue if all do the same. A queue that stays
   although R backed off is somebody else's: it is left out, and R follows the share until the queue is gone. Where the
   path marks packets and R is a small part of c, growth is not slowed by the rate at which the path was full nor by
   the slope, and R comes down by its part of what drains the queue: marks keep the queue short, and the equation counts
   them. A delay that came at once and stands still while R goes down is the route's (routechange.h): it is the base
   from then on, and R what it was before. R never grows beyond 2 x the receive rate, less while a queue is met, and
   never shrinks because little was sent. */
#ifndef PATHRATE_H
#define PATHRATE_H

#include "backlog.h"
#include "crosstraffic.h"
#include "losscause.h"
#include "packetpairs.h"
#include "queuedelay.h"
#include "rateowner.h"
#include "routechange.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PATH_RATE_SLOTS 32

typedef struct {
  double start_Bps, min_Bps, max_Bps; /* wire bytes/s */
} PathRateParams;

typedef struct {
  uint64_t seq;               /* unwrapped */
  uint64_t counted;           /* the same without packets of which nothing is known; losses are gaps in it */
  CcTime sent_at, arrived_at; /* sender's and receiver's clock */
  uint32_t wire_bytes;        /* RTP packet + UDP + IP */
  uint32_t frame;             /* equal within a frame: the RTP timestamp */
  CcDuration R;               /* round-trip time carried by the packet, 0: unknown */
  bool marked;                /* CE, RFC 3168 */
} PathPacket;

typedef struct {
  double rate_Bps;     /* what the sender may send, wire bytes/s */
  double capacity_Bps; /* bottleneck estimate, 0: unknown */
  double receive_Bps;
  CcDuration queue_delay; /* smoothed */
  RateOwner owner;        /* who set rate_Bps */
  double loss, excused;   /* lost of the packets sent, lately, [0, 1]; the part that is no congestion (losscause.h) */
} PathReport;

typedef struct {
  PathRateParams params;
  QueueDelay delay;
  LossCause loss;
  RouteChange route;
  CrossTraffic cross;
  Backlog backlog;
  double rate_Bps, rate_lag, reported_Bps, capacity_Bps, receive_Bps;
  RateOwner owner;
  CcDuration R;
  bool started;
  PathPacket last; /* newest in sequence */
  CcDuration last_q;
  PacketPairs slow, busy, fast; /* within trains; between them; both, of late */
  CcDuration frame_delay;       /* the least of the frame that is arriving, beyond the base */
  /* of the frame that is arriving, and the standing queue in s */
  double frame_q, least_bytes, serial_Bps, standing, q_before_test, rate_before_test, rate_before_queue,
      rate_before_loss_test;
  double filled_Bps; /* what arrived when a queue was last met */
  double q, q_lag;
  double missing_queue; /* s */
  double long_share;    /* of the time in which q is long where marks should keep it short, lately, [0, 1] */
  CcTime next_at, updated_at, hold_until, busy_at, high_since, low_since, wary_until, test_at;
  bool jump, testing, met_limit, dispersed, trains;
  bool rerouted;  /* just now: what waits in no queue is the new base delay */
  bool competing; /* somebody else keeps the queue: it does not go when we back off */
  /* received bytes by time slot, newest at slot_head */
  struct {
    CcTime start;
    double bytes;
  } slots[PATH_RATE_SLOTS];
  unsigned slot_head, n_slots;
  uint64_t jumps;
  CcTime marked_at;   /* the last mark; CC_TIME_NONE: never */
  CcTime explicit_at; /* the last word of routers; CC_TIME_NONE: never */
  double start_word;  /* their first, bytes/s, waiting for the first trains; 0: none */
} PathRate;

void path_rate_params_init (PathRateParams *params);
void path_rate_init (PathRate *p, const PathRateParams *params);
/* What a packet says that routers allow. The first word takes the place of start_Bps where no packet has shown a limit
   yet: downwards at once, upwards when the first trains have shown how much comes through, and no further. For 2 s
   after each, 20 ms more of queue are left alone, and trains that arrive spread without a queue: routers that give
   rates keep a queue of their own, and share out. */
void path_rate_on_explicit_rate (PathRate *p, double rate_Bps, CcTime now);
void path_rate_on_packet (PathRate *p, const PathPacket *packet);
/* When the law wants to run next (once per period, sooner where the queue jumps); CC_TIME_NONE before the first packet.
 * Pure. */
CcTime path_rate_next_timeout (const PathRate *p);
/* Runs the law where it is due. Returns true when the rate changed enough to be worth an early report. */
bool path_rate_on_timeout (PathRate *p, CcTime now);
void path_rate_report (const PathRate *p, PathReport *report);

#ifdef __cplusplus
}
#endif
#endif
