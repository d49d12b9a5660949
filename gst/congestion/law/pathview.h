/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the path shows: measured, never decided. Nothing in here sets the rate; what may be sent is told to it, as
   trains and single packets say different things of it.

     q, slope      what stands in the queue and how fast it rises (standingqueue.h), over a base delay (queuedelay.h)
     noise         what jitter does to q
     c             what the bottleneck carries of this flow (bottleneckshare.h)
     served        what it serves while a queue of ours stands, gaps and all (backlog.h)
     received      what arrives, over 1 s and of late (receiverate.h)
     cross         whether anybody else is there (crosstraffic.h)
     filled        what the path was like when it was last full (filledpath.h)
     marks, words  when the path last marked a packet, when routers last told a rate

   Rates are bytes/s, 0: unknown; queues are s. */
#ifndef PATHVIEW_H
#define PATHVIEW_H

#include "backlog.h"
#include "bottleneckshare.h"
#include "crosstraffic.h"
#include "ecnmarks.h"
#include "filledpath.h"
#include "longwait.h"
#include "queuedelay.h"
#include "receiverate.h"
#include "routechange.h"
#include "routerword.h"
#include "standingqueue.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  uint64_t seq;               /* unwrapped */
  uint64_t counted;           /* the same without packets of which nothing is known; losses are gaps in it */
  CcTime sent_at, arrived_at; /* sender's and receiver's clock */
  uint32_t wire_bytes;        /* RTP packet + UDP + IP */
  uint32_t beside_bytes;      /* of what came since the last one beside it: what mends losses */
  uint32_t frame;             /* equal within a frame: the RTP timestamp */
  CcDuration R;               /* round-trip time carried by the packet, 0: unknown */
  ArrivalEcn ecn;
} PathPacket;

typedef struct {
  QueueDelay delay;
  StandingQueue queue;
  double long_share; /* of the time in which it is long for a path that marks, lately */
  BottleneckShare share;
  PacketPairs served; /* packets of which the second left before the first was through */
  ReceiveRate received;
  CrossTraffic cross;
  RouteChange route;
  EcnMarks marks;
  RouterWord word;
  bool started;
  bool rerouted;   /* just now: what waits in no queue is the new base delay */
  PathPacket last; /* newest in sequence */
  double waited;   /* s that it did */
  LongWait long_wait;
  double weight;                       /* of this call, as told */
  double rate_Bps, trail_Bps;          /* what may be sent, as told; the same as it shows here, later */
  double receive_Bps, receive_now_Bps; /* over 1 s; of late */
  FilledPath filled;                   /* when a queue was last met */
  bool met_limit;                      /* ever: a queue, or trains that were spread */
  CcDuration R;                        /* 0: unknown */
} PathView;

void path_view_init (PathView *v, double rate_Bps);
void path_view_on_rate (PathView *v, double rate_Bps);
void path_view_on_packet (PathView *v, const PathPacket *packet);
/* Whenever somebody is about to judge. */
void path_view_receive (PathView *v, CcTime now);
/* Once a period of T s. others_queue: the queue is somebody else's. There, and beside
   others, only trains tell of c. */
void path_view_update (PathView *v, bool others_queue, double T, CcTime now);
/* What of it a backlog is judged by (backlog.h). */
BacklogQueue path_view_backlog (PathView *v, CcTime now);
/* A jump is being answered: what arrives of late, c as it is now, and the waits begin anew. */
double path_view_jumped_to (PathView *v, CcTime now);
void path_view_take_capacity (PathView *v, double capacity_Bps); /* it has become that */
/* A queue that is there now has been met: growth is careful for a while. */
void path_view_meet_queue (PathView *v, CcTime now);
void path_view_note_limit (PathView *v, CcTime now); /* the same, where there is one */
void path_view_wait_anew (PathView *v);              /* waits of before do not count: they were somebody else's */
void path_view_forget_cross (PathView *v);           /* whether anybody else is there is open again */
void path_view_take_route (PathView *v);

/* Pure, all of them. */
double path_view_period (const PathView *v); /* s, how often to judge: a round trip, 50 to 100 ms */
double path_view_loop (const PathView *v);   /* s until a change of rate shows */
/* s that are no queue: what one packet more makes, as at low rates a queue of one or two is nothing to act upon, though
   no more than what makes a queue busy; or what jitter does. */
double path_view_no_queue (const PathView *v);
bool path_view_queue_stands (const PathView *v, CcTime now);     /* all the time */
bool path_view_queue_is_short (const PathView *v);               /* hardly one, whoever's business */
bool path_view_queue_is_outrun (const PathView *v);              /* more is sent into it than comes out */
bool path_view_singles_pass (const PathView *v);                 /* single packets are served as they come */
bool path_view_is_alone (const PathView *v, CcTime now);         /* nobody else to meet, no router shares out */
bool path_view_shows_limit (const PathView *v);                  /* trains or packets that were spread: c is one */
bool path_view_queue_has_jumped (const PathView *v, CcTime now); /* waits are long, and less arrives than is sent */

#ifdef __cplusplus
}
#endif
#endif
