/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What P-AQM costs per packet, arrival and departure together, from 1 to 100 000 flows; and its state. Prints a table;
   has no opinion. */
#include "paqm.h"

#include <stdio.h>
#include <time.h>

#define PACKETS 4000000
#define CAPACITY_BPS 125e6 /* 1 Gb/s */
#define PACKET_BYTES 1200

static double
ns_since (const struct timespec *start)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)(now.tv_sec - start->tv_sec) * 1e9 + (double)(now.tv_nsec - start->tv_nsec);
}

static PaqmArrival
arrival_of (uint32_t i, uint32_t flows)
{
  uint32_t flow = i * 2654435761u % flows;

  return (PaqmArrival){.cls = flow % 2 ? PAQM_ELASTIC : PAQM_MEDIA,
      .flow = (flow + 1) * 0x9e3779b97f4a7c15u,
      .size_bytes = PACKET_BYTES,
      .ect = true};
}

/* A link that is offered 1.05 times what it carries. All packets are of one size: the backlog tells what is queued. */
static double
ns_per_packet (uint32_t flows, PaqmDiscipline discipline)
{
  static Paqm paqm;
  PaqmParams params;
  CcPcg32 pcg;
  struct timespec start;
  CcTime now = CC_SECOND;
  uint32_t queued[PAQM_CLASSES] = {0, 0};
  double budget = 0;

  paqm_params_init (&params);
  params.capacity_Bps = CAPACITY_BPS;
  params.discipline = discipline;
  params.random = cc_pcg32_init (&pcg, 1);
  paqm_init (&paqm, &params);
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &start);
  for (uint32_t i = 0; i < PACKETS; i++) {
    PaqmArrival a = arrival_of (i, flows);

    if (paqm_on_arrival (&paqm, &a, now) != PAQM_DROP)
      queued[paqm_queue (&paqm, a.cls)]++;
    now += (CcDuration)(PACKET_BYTES / CAPACITY_BPS * 1e9 / 1.05);
    for (budget += PACKET_BYTES / 1.05; budget > 0; budget -= PACKET_BYTES) {
      uint32_t heads[PAQM_CLASSES] = {queued[0] ? PACKET_BYTES : 0, queued[1] ? PACKET_BYTES : 0};
      int queue = paqm_next (&paqm, heads);

      if (queue < 0)
        break;
      queued[queue]--;
      paqm_on_departure (&paqm, queue, PACKET_BYTES, now);
    }
    if (paqm_next_timeout (&paqm) <= now)
      paqm_on_timeout (&paqm, now);
  }
  return ns_since (&start) / PACKETS;
}

int
main (void)
{
  static const uint32_t flows[] = {1, 100, 1000, 10000, 100000};

  printf ("%-28s %10s\n", "P-AQM", "");
  for (size_t i = 0; i < sizeof flows / sizeof *flows; i++)
    printf ("%-9s %6u flows     %7.0f ns/packet\n", "p-aqm,", flows[i], ns_per_packet (flows[i], PAQM_DISCIPLINE_PAQM));
  printf ("%-28s %7.0f ns/packet\n", "fifo", ns_per_packet (100, PAQM_DISCIPLINE_FIFO));
  printf ("%-28s %7zu bytes\n", "Paqm", sizeof (Paqm));
  return 0;
}
