/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a flow costs in the core: ns per packet at either end, and bytes of state. Prints a table; has no opinion. */
#include "ccreceiver.h"
#include "ccsender.h"

#include <stdio.h>
#include <time.h>

#define PACKETS 2000000
#define RING 1024

static double
ns_since (const struct timespec *start)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)(now.tv_sec - start->tv_sec) * 1e9 + (double)(now.tv_nsec - start->tv_nsec);
}

/* A sender that may send as fast as it likes: frames of ten packets go in and come out in virtual time. */
static double
sender_ns_per_packet (CcMode mode)
{
  static CcPacket ring[RING];
  CcSenderParams params;
  CcSender sender;
  CcPcg32 pcg;
  struct timespec start;
  CcTime now = CC_SECOND;
  unsigned sent = 0;

  cc_sender_params_init (&params);
  params.mode = mode;
  params.start_Bps = params.max_Bps = 1e8;
  params.random = cc_pcg32_init (&pcg, 1);
  cc_sender_init (&sender, &params, ring, RING, now);
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &start);
  for (uint32_t frame = 0; sent < PACKETS; frame++) {
    CcPacket packet;
    CcSenderVerdict verdict;

    for (int i = 0; i < 10; i++) {
      CcPacket in = {.handle = NULL, .size_bytes = 1200, .frame = frame, .captured_at = now, .frame_end = i == 9};
      cc_sender_push (&sender, &in, now);
    }
    for (int i = 0; i < 40; i++) {
      while ((verdict = cc_sender_pull (&sender, now, &packet)) != CC_SENDER_WAIT) {
        RtpRttSendts stamp;
        cc_sender_stamp (&sender, now, &stamp);
        sent++;
      }
      now = cc_time_add (now, 125 * CC_USECOND);
      cc_sender_on_timeout (&sender, now);
    }
  }
  return ns_since (&start) / sent;
}

static double
receiver_ns_per_packet (void)
{
  CcReceiverParams params;
  CcReceiver receiver;
  CcReport report;
  struct timespec start;
  CcTime now = CC_SECOND;

  cc_receiver_params_init (&params);
  cc_receiver_init (&receiver, &params);
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &start);
  for (uint32_t i = 0; i < PACKETS; i++) {
    CcArrival arrival = {.seq = (uint16_t)i,
        .rtp_timestamp = i / 10 * 3000,
        .marker = i % 10 == 9,
        .size_bytes = 1200,
        .has_stamp = true,
        .stamp = {.rtt = 50 * CC_MSECOND, .sent_at_us = (uint32_t)(now / 1000)},
        .arrived_at = now + 25 * CC_MSECOND};

    if (i % 997 == 0)
      continue;
    bool wanted = cc_receiver_on_packet (&receiver, &arrival);
    if (cc_receiver_next_timeout (&receiver) <= arrival.arrived_at)
      wanted |= cc_receiver_on_timeout (&receiver, arrival.arrived_at);
    if (wanted)
      cc_receiver_report (&receiver, arrival.arrived_at, &report);
    now = cc_time_add (now, 500 * CC_USECOND);
  }
  return ns_since (&start) / PACKETS;
}

int
main (void)
{
  printf ("%-28s %10s\n", "core", "");
  printf ("%-28s %7.0f ns/packet\n", "sender, low-delay", sender_ns_per_packet (CC_MODE_LOW_DELAY));
  printf ("%-28s %7.0f ns/packet\n", "sender, rfc5348", sender_ns_per_packet (CC_MODE_RFC5348));
  printf ("%-28s %7.0f ns/packet\n", "sender, burst-control", sender_ns_per_packet (CC_MODE_BURST_CONTROL));
  printf ("%-28s %7.0f ns/packet\n", "receiver", receiver_ns_per_packet ());
  printf ("%-28s %7zu bytes\n", "CcSender", sizeof (CcSender));
  printf ("%-28s %7zu bytes\n", "CcPacket (per ring slot)", sizeof (CcPacket));
  printf ("%-28s %7zu bytes\n", "CcReceiver", sizeof (CcReceiver));
  return 0;
}
