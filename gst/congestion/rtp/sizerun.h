/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Losses that asked for size, and are over. Where a route changes to one that takes less, packets above that are lost
   for a round trip; then the system has heard of it by ICMP, and sends them in fragments. Whoever does not own the
   socket hears nothing, and by receiver reports the losses are any (pathmtu.h needs them to stay). Where reports tell
   of each packet it shows in their order:

     sizes sent     █ █ ▃ █ █ █ ▅ █ █ █ ▃ █ █     a run: large ones are lost, what arrives between them is smaller
     arrived        █ █ ▃       ▅       ▃ █ █     than any of them, until one of their size arrives again

   After a time without any loss, so that what a path loses at any rate is none of it; a queue that overflows and lets
   only small ones in shows delay. For packets in the order of their numbers, 1 the least. */
#ifndef SIZERUN_H
#define SIZERUN_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIZE_RUN_LOST 3    /* at least */
#define SIZE_RUN_CLEAN 100 /* packets in front of it, at least, of which none was lost */

typedef struct {
  uint64_t newest;        /* number that was told of */
  uint64_t first, last;   /* of those that were lost */
  unsigned clean;         /* have arrived in front of it */
  unsigned lost;          /* 0: no run */
  unsigned parts;         /* with smaller ones that arrived between */
  uint32_t lost_bytes;    /* of the smallest that was lost, */
  uint32_t arrived_bytes; /* and of the largest that arrived; 0: none */
  bool parted;            /* something has arrived since the last loss */
} SizeRun;

/* A packet has arrived or is lost; one that was told of before is passed over. True: it ends a run whose losses were of
   size, first to last. */
bool size_run_on_packet (SizeRun *r, uint64_t number, uint32_t bytes, bool received);

#ifdef __cplusplus
}
#endif
#endif
