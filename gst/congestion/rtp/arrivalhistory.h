/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver notes of every packet of one numbering space, for reports of every packet: the RTP sequence numbers
   of one SSRC (RFC 8888) or the transport-wide numbers of a transport (TWCC). Unwrapped number -> arrival of the first
   copy and ECN (CE where any copy was, RFC 8888 3.1), in a ring of the last ARRIVAL_HISTORY_SLOTS numbers.

     arrival_history_on_packet (...);                              for each packet
     while (arrival_history_range (h, &range)) { write as much of it as fits; arrival_history_reported (h, taken); }

   A range begins behind the last one, or earlier: at a packet that came late, or `overlap` numbers before. */
#ifndef ARRIVALHISTORY_H
#define ARRIVALHISTORY_H

#include "arrivalecn.h"
#include "ccserial.h"
#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ARRIVAL_HISTORY_SLOTS 2048
#define ARRIVAL_HISTORY_MAX_JUMP 3000 /* numbers; two packets in a row beyond: the numbering has begun anew */

typedef struct {
  CcTime at;         /* first copy; CC_TIME_NONE: not arrived */
  uint8_t ecn;       /* ArrivalEcn */
  uint8_t announced; /* in a report already */
} Arrival;

typedef struct {
  uint64_t begin; /* unwrapped; the number on the wire is its low 16 bits */
  unsigned count;
} ArrivalRange;

typedef enum {
  ARRIVAL_NEW,
  ARRIVAL_DUPLICATE,
  ARRIVAL_LATE,   /* older than the ring or the first one; ignored */
  ARRIVAL_JUMP,   /* too far to be believed yet; ignored */
  ARRIVAL_RESTART /* the second one in a row there: all is forgotten, the packet is the first */
} ArrivalVerdict;

typedef struct {
  CcUnwrap number;
  unsigned overlap;        /* numbers repeated in each range */
  uint64_t first, highest; /* first: nothing before it is reported */
  uint64_t next;           /* behind the last range */
  uint64_t late;           /* the lowest arrival below next that no report has, UINT64_MAX: none */
  uint64_t resume;         /* where a range that was too long goes on, UINT64_MAX: none does */
  uint16_t jumped_to;      /* what a jump would go on with */
  bool has_jumped;
  Arrival ring[ARRIVAL_HISTORY_SLOTS];
  uint64_t packets, duplicates, too_late, jumps, restarts;
  uint64_t overrun; /* numbers that fell out of the ring before any report had them */
} ArrivalHistory;

/* overlap: at most ARRIVAL_HISTORY_SLOTS / 2; 0 for TWCC. */
void arrival_history_init (ArrivalHistory *h, unsigned overlap);
ArrivalVerdict arrival_history_on_packet (ArrivalHistory *h, uint16_t number, ArrivalEcn ecn, CcTime arrived_at);
/* The numbers the next report is to cover, up to the highest one seen. False where nothing new has arrived. */
bool arrival_history_range (const ArrivalHistory *h, ArrivalRange *range);
/* The present range's first `taken` numbers are in a report. */
void arrival_history_reported (ArrivalHistory *h, unsigned taken);
/* NULL for numbers outside of the ring. */
const Arrival *arrival_history_get (const ArrivalHistory *h, uint64_t number);
#ifdef __cplusplus
}
#endif
#endif
