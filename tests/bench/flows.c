/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What each part that looks at flows costs per packet, from 1 to 100 000 flows; and its state. Prints a table; has no
   opinion. */
#include "erfextension.h"
#include "flowcount.h"
#include "flowstrikes.h"
#include "hoprates.h"
#include "ipclassify.h"
#include "linkcapacity.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define PACKETS 4000000
#define PACKET_BYTES 1200
#define SPACING 9600 /* ns: 1 Gb/s */
#define PERIOD 62500 /* packets: 0.6 s */

static double
ns_since (const struct timespec *start)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)(now.tv_sec - start->tv_sec) * 1e9 + (double)(now.tv_nsec - start->tv_nsec);
}

static uint64_t
flow_of (uint32_t i, uint32_t flows)
{
  return i * 2654435761u % flows * 0x9e3779b97f4a7c15u;
}

static double
count_ns (uint32_t flows, FlowCountMode mode)
{
  static FlowCount count;
  FlowCountParams params;
  struct timespec start;

  flow_count_params_init (&params);
  params.mode = mode;
  flow_count_init (&count, &params);
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &start);
  for (uint32_t i = 0; i < PACKETS; i++)
    flow_count_on_packet (&count, flow_of (i, flows), (CcTime)i * SPACING);
  return ns_since (&start) / PACKETS;
}

static double
strikes_ns (uint32_t flows)
{
  static FlowStrikes strikes;
  FlowStrikesParams params;
  struct timespec start;

  flow_strikes_params_init (&params);
  flow_strikes_init (&strikes, &params);
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &start);
  for (uint32_t i = 0; i < PACKETS; i++) {
    flow_strikes_on_packet (&strikes, flow_of (i, flows), PACKET_BYTES, (CcTime)i * SPACING);
    if (i % PERIOD == PERIOD - 1)
      flow_strikes_on_period (&strikes, 125e6 / flows, (CcTime)i * SPACING);
  }
  return ns_since (&start) / PACKETS;
}

static double
capacity_ns (void)
{
  LinkCapacityParams params;
  LinkCapacity capacity;
  struct timespec start;

  link_capacity_params_init (&params);
  link_capacity_init (&capacity, &params);
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &start);
  for (uint32_t i = 0; i < PACKETS; i++)
    link_capacity_on_departure (&capacity, PACKET_BYTES, i % 7 != 0, (CcTime)i * SPACING);
  return ns_since (&start) / PACKETS;
}

/* RTP over UDP, 1200 bytes in all. */
static size_t
make_packet (uint8_t packet[PACKET_BYTES], bool ipv6)
{
  const uint8_t ipv4_header[20] = {0x45, 2, 0x04, 0xb0, 0, 1, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2};
  const uint8_t ipv6_header[40] = {0x60, 0x20, 0, 0, 0x04, 0x88, 17, 64, 0x20, 1, 0x0d, 0xb8};
  size_t header = ipv6 ? sizeof ipv6_header : sizeof ipv4_header, udp = PACKET_BYTES - header;
  const uint8_t rest[10] = {0x13, 0x88, 0x13, 0x8a, (uint8_t)(udp >> 8), (uint8_t)udp, 0, 0, 0x80, 96};

  memset (packet, 0, PACKET_BYTES);
  memcpy (packet, ipv6 ? ipv6_header : ipv4_header, header);
  memcpy (packet + header, rest, sizeof rest);
  return header + 8;
}

static double
classify_ns (bool ipv6)
{
  const uint64_t key[2] = {1, 2};
  uint8_t packet[PACKET_BYTES];
  size_t rtp = make_packet (packet, ipv6);
  struct timespec start;
  uint32_t media = 0;
  IpPacket p;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &start);
  for (uint32_t i = 0; i < PACKETS; i++) {
    memcpy (packet + rtp + 8, &i, sizeof i);
    ip_classify (packet, sizeof packet, key, &p);
    media += p.media;
  }
  return media == PACKETS ? ns_since (&start) / PACKETS : -1;
}

static double
set_ce_ns (void)
{
  uint8_t packet[PACKET_BYTES];
  struct timespec start;

  make_packet (packet, false);
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &start);
  for (uint32_t i = 0; i < PACKETS; i++) {
    packet[1] = IP_ECN_ECT0;
    ip_set_ce (packet, sizeof packet);
  }
  return ns_since (&start) / PACKETS;
}

static double
lower_ns (void)
{
  uint8_t block[8] = {ERF_EXTENSION_ID << 4 | (ERF_EXTENSION_SIZE - 1)};
  struct timespec start;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &start);
  for (uint32_t i = 0; i < PACKETS; i++) {
    erf_extension_write_unset (block + 1);
    erf_extension_lower_in_block (0xBEDE, block, sizeof block, ERF_EXTENSION_ID, 1e5 + i, 1);
  }
  return ns_since (&start) / PACKETS;
}

int
main (void)
{
  static const uint32_t flows[] = {1, 100, 1000, 10000, 100000};

  printf ("%-28s %12s %12s %12s  ns/packet\n", "flows", "exact", "estimated", "strikes");
  for (size_t i = 0; i < sizeof flows / sizeof *flows; i++)
    printf ("%-28u %12.1f %12.1f %12.1f\n", flows[i], count_ns (flows[i], FLOW_COUNT_EXACT),
        count_ns (flows[i], FLOW_COUNT_ESTIMATED), strikes_ns (flows[i]));
  printf ("%-28s %12.1f ns/packet\n", "capacity", capacity_ns ());
  printf ("%-28s %12.1f ns/packet\n", "classify, IPv4", classify_ns (false));
  printf ("%-28s %12.1f ns/packet\n", "classify, IPv6", classify_ns (true));
  printf ("%-28s %12.1f ns/packet\n", "set CE, IPv4", set_ce_ns ());
  printf ("%-28s %12.1f ns/packet\n", "lower the explicit rate", lower_ns ());
  printf ("%-28s %12zu bytes\n", "FlowCount", sizeof (FlowCount));
  printf ("%-28s %12zu bytes\n", "FlowStrikes", sizeof (FlowStrikes));
  printf ("%-28s %12zu bytes\n", "LinkCapacity", sizeof (LinkCapacity));
  printf ("%-28s %12zu bytes\n", "HopRates", sizeof (HopRates));
  return 0;
}
