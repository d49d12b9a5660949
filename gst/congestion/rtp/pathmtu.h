/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does the path swallow large packets? A router whose next link takes less says so by ICMP, and the system sends
   fragments from then on; where ICMP is filtered, or a bridge or tunnel drops, nobody says anything (RFC 8899 1.1: a
   black hole). Receiver reports show it: of the packets between two of them exactly the largest ones are missing, and
   between the next two again.

     sizes sent        ▁ █ █ ▃ █ █ ▅      the 4 largest are lost: what arrives is below ▆
     lost: 4             ✗ ✗   ✗ ✗

   Random loss and queues that overflow ask for no size: one packet that arrives and is not smaller than one that is
   lost ends the suspicion. What follows is a limit for the payloader, below which something has arrived; it ends by
   itself, as a path may have become another. Where the system has heard a limit by ICMP and as many packets larger than
   it were sent as are missing, that is proof enough. What was lost that way was no congestion, and the receiver is to
   know. After RFC 8899, for a stream that sends small and large packets anyway: they are its probes. For one stream, of
   consecutive numbers, and one receiver; where reports tell of each packet, for all that leaves. */
#ifndef PATHMTU_H
#define PATHMTU_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PATH_MTU_SENT 512               /* packets whose sizes are kept */
#define PATH_MTU_FLOOR 500              /* bytes: no limit is lower, as every path of IPv4 takes 576 with headers */
#define PATH_MTU_LIFE (600 * CC_SECOND) /* of a limit: PMTU_RAISE_TIMER of RFC 8899 5.1.1 */

/* What reports in a row say of the same sizes. */
#define PATH_MTU_TELL_FOR (1200 * CC_MSECOND) /* from then on: what was on its way is reported lost by then */
#define PATH_MTU_TELL_EVERY (200 * CC_MSECOND)

typedef struct {
  uint16_t before;        /* number of the last packet before them */
  unsigned losing;        /* of these reports, those with losses */
  unsigned lost;          /* packets */
  uint32_t arrived_bytes; /* of the largest that arrived; 0: none */
  uint32_t lost_bytes;    /* of the smallest that was lost; UINT32_MAX: none */
} PathMtuEvidence;

/* What one report says of packets of known sizes. Numbers as on the wire. */
typedef struct {
  uint16_t first, last; /* that it tells of, both included */
  unsigned lost;
  uint32_t lost_bytes, arrived_bytes; /* as in PathMtuEvidence */
} PathMtuReport;

/* Numbers as on the wire, both ends included: what is missing of them was too large. */
typedef struct {
  uint32_t ssrc;
  uint16_t first, last;
} PathMtuLoss;

typedef struct {
  uint32_t ssrc;
  uint16_t newest;               /* number sent */
  unsigned window;               /* up to it, numbers whose sizes are known */
  uint16_t sizes[PATH_MTU_SENT]; /* by number */
  uint32_t highest;              /* of the last report */
  int32_t lost;
  PathMtuEvidence evidence;
  uint32_t limit; /* bytes; 0: none */
  CcTime until;
  uint64_t limited; /* how often one was found */
  uint32_t heard;   /* what the system said; 0: nothing */
  CcTime heard_until;
  PathMtuLoss loss; /* by which the limit was found */
  CcTime tell_at, tell_until;
} PathMtu;

void path_mtu_init (PathMtu *m);
/* A packet leaves. bytes: as the payloader has made it; what is added on the way out is the same for all. */
void path_mtu_on_sent (PathMtu *m, uint32_t ssrc, uint16_t seq, uint32_t bytes);
/* The receiver reports on ssrc (RFC 3550 6.4.1): the highest number it has got, and what it has lost since it began. */
void path_mtu_on_report (PathMtu *m, uint32_t ssrc, uint32_t highest, int32_t lost, CcTime now);
/* The same where reports tell of each packet: in place of both. The numbers are those of all that leaves. */
void path_mtu_on_packets (PathMtu *m, const PathMtuReport *report, CcTime now);
/* The system has heard of a limit, bytes as they were counted. It holds as soon as packets are missing that may have
   been larger: a liar has none of them. */
void path_mtu_on_told (PathMtu *m, uint32_t limit, CcTime now);
/* True, again and again for a while after a limit was found: the receiver is to be told of these losses. */
bool path_mtu_take_loss (PathMtu *m, CcTime now, PathMtuLoss *loss);
/* Bytes of a packet at most, as they were counted; 0: there is no limit. Pure. */
uint32_t path_mtu_limit (const PathMtu *m, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
