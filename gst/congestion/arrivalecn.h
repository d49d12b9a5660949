/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ECN bits that a packet arrived with, as in the IP header (RFC 3168 5). */
#ifndef ARRIVALECN_H
#define ARRIVALECN_H

typedef enum { ARRIVAL_NOT_ECT = 0, ARRIVAL_ECT_1 = 1, ARRIVAL_ECT_0 = 2, ARRIVAL_CE = 3 } ArrivalEcn;

/* Sets of them. */
#define ARRIVAL_ECN_BIT(ecn) (1u << (ecn))
#define ARRIVAL_ECN_ALL 0xfu

#endif
