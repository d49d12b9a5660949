/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a flow costs in the core: ns per packet at either end, µs for reports that name as much as they can, and bytes
   of state. Prints a table; has no opinion. */
#include "ccpacketfeedback.h"
#include "ccreceiver.h"
#include "ccsender.h"
#include "rtcpbytes.h"

#include <stdio.h>
#include <time.h>

#define PACKETS 2000000
#define RING 1024
#define REPORTS 1000
#define BLOCKS 5000

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

static CcPacketFeedback feedback;

/* More than are remembered. */
static CcTime
send_packets (void)
{
  CcPacketFeedbackParams params;
  CcTime now = CC_SECOND;

  cc_packet_feedback_params_init (&params);
  cc_packet_feedback_init (&feedback, &params);
  for (unsigned i = 0; i < 2 * TFRC_PACKET_REPORT_SLOTS; i++, now += 500 * CC_USECOND)
    cc_packet_feedback_on_sent (&feedback, 1, (uint16_t)i, 1200, i / 10 * 3000, now);
  return now;
}

/* 28 bytes that say of all numbers that none arrived. */
static double
twcc_us (void)
{
  uint8_t bytes[RTCP_TWCC_HEADER_SIZE + 18] = {0, 0, 0xff, 0xff};
  CcTime now = send_packets ();
  CcPacketVerdict verdict;
  struct timespec start;

  for (unsigned i = 0; i < 9; i++)
    rtcp_put_u16 (bytes + RTCP_TWCC_HEADER_SIZE + 2 * i, 8191);
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &start);
  for (unsigned i = 0; i < REPORTS; i++) {
    RtcpTwccReader reader;

    bytes[7] = (uint8_t)i;
    if (rtcp_twcc_open (&reader, bytes, sizeof bytes))
      cc_packet_feedback_on_twcc (&feedback, &reader, CC_MSECOND, 1200, now, &verdict);
  }
  return ns_since (&start) / 1000 / REPORTS;
}

/* 60 KB of blocks on one stream. */
static double
ccfb_us (void)
{
  static uint8_t bytes[12 * BLOCKS + 4];
  CcTime now = send_packets ();
  CcPacketVerdict verdict;
  struct timespec start;

  for (unsigned i = 0; i < BLOCKS; i++) {
    rtcp_put_u32 (bytes + 12 * i, 1);
    rtcp_put_u16 (bytes + 12 * i + 6, 2);
  }
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &start);
  for (unsigned i = 0; i < REPORTS; i++) {
    RtcpCcfbReader reader;

    if (rtcp_ccfb_open (&reader, bytes, sizeof bytes))
      cc_packet_feedback_on_ccfb (&feedback, &reader, CC_MSECOND, 1200, now, &verdict);
  }
  return ns_since (&start) / 1000 / REPORTS;
}

int
main (void)
{
  printf ("%-28s %10s\n", "core", "");
  printf ("%-28s %7.0f ns/packet\n", "sender, low-delay", sender_ns_per_packet (CC_MODE_LOW_DELAY));
  printf ("%-28s %7.0f ns/packet\n", "sender, rfc5348", sender_ns_per_packet (CC_MODE_RFC5348));
  printf ("%-28s %7.0f ns/packet\n", "sender, burst-control", sender_ns_per_packet (CC_MODE_BURST_CONTROL));
  printf ("%-28s %7.0f ns/packet\n", "receiver", receiver_ns_per_packet ());
  printf ("%-28s %7.0f us/report\n", "TWCC of 65535 numbers", twcc_us ());
  printf ("%-28s %7.0f us/report\n", "RFC 8888 of 5000 blocks", ccfb_us ());
  printf ("%-28s %7zu bytes\n", "CcSender", sizeof (CcSender));
  printf ("%-28s %7zu bytes\n", "CcPacket (per ring slot)", sizeof (CcPacket));
  printf ("%-28s %7zu bytes\n", "CcReceiver", sizeof (CcReceiver));
  return 0;
}
