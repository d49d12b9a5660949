/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The whole loop in virtual time: a sender whose encoder does as it is told, a link of 1 Mb/s, 25 ms each way, with a
   queue of 300 ms, that swallows packets of more than 1000 bytes from some time on, and the receiver's law. What the
   sender proves of it goes to the payloader at once, and to the receiver with RTCP. Or the receiver tells of each
   packet, and the law runs at the sender. */
#include "ccreceiver.h"
#include "ccsenderpackets.h"
#include "pathmtu.h"
#include "cctest.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define RING 512
#define IN_FLIGHT 1024
#define STEP (250 * CC_USECOND)
#define FRAME (33 * CC_MSECOND)
#define ONE_WAY (25 * CC_MSECOND)
#define REPORT_GAP (50 * CC_MSECOND)
#define URGENT_GAP (20 * CC_MSECOND)
#define QUEUE (300 * CC_MSECOND)
#define LINK (1e6 / 8)
#define FULL 1200
#define SMALL 1000
#define STAMP 12
#define OVERHEAD 28
#define FLOW 0x1000
#define WARM_UP (20 * CC_SECOND)

typedef struct {
  CcTime at;
  CcArrival rtp;
} Packet;

typedef struct {
  bool pending;
  CcTime at;
  CcReport report;
  uint32_t highest;
  int32_t lost;
} Message;

#define TOLD 1024

static CcSender sender;
static CcPacketFeedback packets;
static CcToldPacket told_of[TOLD]; /* by number */
static bool each;                  /* packet is told of */
static uint32_t told_from;
static CcReceiver receiver;
static PathMtu mtu;
static CcPacket ring[RING];
static CcPcg32 pcg, chance;
static CcRandom random_of;
static Packet flying[IN_FLIGHT];
static unsigned head, tail;
static CcTime now, next_frame, link_free_at, reported_at, excuse_at;
static uint32_t frame, sent, heard; /* numbers */
static int32_t lost;
static bool wanted, excuses, told;
static unsigned path;         /* bytes that it takes, */
static CcTime fragments_from; /* unless in fragments */
static double at_random;      /* loss besides */
static Message message;
static PathMtuLoss excuse;
static double arrived[1200]; /* bytes in each 100 ms */

static void
begin_packets (void)
{
  CcPacketFeedbackParams params;

  cc_sender_packet_feedback_params (&sender, &params);
  cc_packet_feedback_init (&packets, &params);
  each = false;
  told_from = 65001;
}

static void
setup (uint64_t seed)
{
  CcSenderParams params;
  CcReceiverParams receives;

  cc_sender_params_init (&params);
  params.max_Bps = 1.5e6 / 8;
  params.random = cc_pcg32_init (&pcg, seed);
  random_of = cc_pcg32_init (&chance, seed + 100);
  now = 50 * CC_SECOND;
  cc_sender_init (&sender, &params, ring, RING, now);
  cc_receiver_params_init (&receives);
  cc_receiver_init (&receiver, &receives);
  path_mtu_init (&mtu);
  begin_packets ();
  head = tail = 0;
  next_frame = now + random_of.next (random_of.user) % FRAME;
  link_free_at = reported_at = now;
  excuse_at = CC_TIME_NONE;
  frame = 0;
  sent = heard = 65000;
  lost = 0;
  wanted = false;
  excuses = true;
  told = false;
  path = 1500;
  fragments_from = CC_TIME_NONE;
  at_random = 0;
  message.pending = false;
  memset (arrived, 0, sizeof arrived);
}

/* ---- the sender ---- */

/* Frames differ by a quarter. */
static void
encode (void)
{
  unsigned limit = path_mtu_limit (each ? &packets.mtu : &mtu, now), full = limit > 0 && limit < FULL ? limit : FULL;
  double by = 0.75 + 0.5 * random_of.next (random_of.user) / 4294967296.0;
  CcPacket packet = {.frame = ++frame, .captured_at = now};
  CcSenderStatus status;
  unsigned bytes;

  cc_sender_status (&sender, now, &status);
  for (bytes = (unsigned)(status.encoder_Bps * cc_seconds (FRAME) * by); bytes > 0; bytes -= packet.size_bytes) {
    packet.size_bytes = bytes < full ? bytes : full;
    packet.frame_end = bytes <= full;
    ck_assert (cc_sender_push (&sender, &packet, now));
  }
  next_frame += FRAME;
}

static bool
is_through (unsigned wire)
{
  return (wire <= path || now >= fragments_from) && random_of.next (random_of.user) / 4294967296.0 >= at_random &&
         (link_free_at < now || link_free_at - now <= QUEUE);
}

static void
leave (const CcPacket *packet)
{
  unsigned wire = packet->size_bytes + STAMP + OVERHEAD;
  CcArrival rtp = {.seq = (uint16_t)++sent,
      .rtp_timestamp = packet->frame,
      .marker = packet->frame_end,
      .size_bytes = packet->size_bytes + STAMP,
      .has_stamp = true};

  cc_sender_stamp (&sender, now, &rtp.stamp);
  told_of[sent % TOLD] = (CcToldPacket){
      .number = (uint16_t)sent, .sent_at = now, .size_bytes = packet->size_bytes, .frame = packet->frame};
  path_mtu_on_sent (&mtu, FLOW, (uint16_t)sent, packet->size_bytes);
  if (!is_through (wire))
    return;
  link_free_at = (link_free_at > now ? link_free_at : now) + cc_duration (wire / LINK);
  ck_assert_uint_lt (tail - head, IN_FLIGHT);
  flying[tail++ % IN_FLIGHT] = (Packet){link_free_at + ONE_WAY, rtp};
}

/* What the sender knows goes along with RTCP. */
static void
tell_losses (void)
{
  if (excuses && path_mtu_take_loss (&mtu, now, &excuse))
    excuse_at = now + ONE_WAY;
  if (excuse_at > now)
    return;
  excuse_at = CC_TIME_NONE;
  wanted |= cc_receiver_excuse (&receiver, excuse.first, excuse.last, now);
}

static void
run_sender (void)
{
  CcSenderVerdict verdict;
  CcPacket packet;

  if (now >= next_frame)
    encode ();
  if (cc_sender_next_timeout (&sender) <= now)
    cc_sender_on_timeout (&sender, now);
  while ((verdict = cc_sender_pull (&sender, now, &packet)) != CC_SENDER_WAIT)
    if (verdict == CC_SENDER_SEND)
      leave (&packet);
  tell_losses ();
}

/* ---- the receiver ---- */

static void
receive (Packet *packet)
{
  uint32_t number = heard + (uint16_t)(packet->rtp.seq - (uint16_t)heard);

  lost += (int32_t)(number - heard - 1);
  heard = number;
  packet->rtp.arrived_at = now;
  told_of[number % TOLD].received = true;
  told_of[number % TOLD].arrived_at = now;
  arrived[(now - 50 * CC_SECOND) / (100 * CC_MSECOND)] += packet->rtp.size_bytes + OVERHEAD;
  wanted |= cc_receiver_on_packet (&receiver, &packet->rtp);
}

static void
report (void)
{
  if (cc_receiver_next_timeout (&receiver) <= now)
    wanted |= cc_receiver_on_timeout (&receiver, now);
  if (message.pending || !wanted || cc_time_since (now, reported_at) < (receiver.urgent ? URGENT_GAP : REPORT_GAP) ||
      !cc_receiver_report (&receiver, now, &message.report))
    return;
  message.highest = heard;
  message.lost = lost;
  message.pending = true;
  message.at = now + ONE_WAY;
  wanted = false;
  reported_at = now;
}

/* Those up to the highest one that arrived. */
static void
take_packets (void)
{
  CcToldPacket told_now[TOLD];
  unsigned n = 0;

  for (; told_from <= message.highest; told_from++)
    told_now[n++] = told_of[told_from % TOLD];
  cc_sender_on_told (&sender, &packets, told_now, n, now);
}

static void
take_message (void)
{
  if (!message.pending || message.at > now)
    return;
  message.pending = false;
  if (each) {
    take_packets ();
    return;
  }
  cc_sender_on_tfrc_report (&sender, &message.report.tfrc, now);
  cc_sender_on_path_report (&sender, &message.report.path, now);
  path_mtu_on_report (&mtu, FLOW, message.highest, message.lost, now);
  if (told)
    path_mtu_on_told (&mtu, path - OVERHEAD - STAMP, now);
}

static void
run (CcDuration span)
{
  for (CcTime until = now + span; now < until; now += STEP) {
    for (; head < tail && flying[head % IN_FLIGHT].at <= now; head++)
      receive (&flying[head % IN_FLIGHT]);
    report ();
    take_message ();
    run_sender ();
  }
}

/* bytes/s of wire that arrived in the second from then on. */
static double
second (CcTime from)
{
  unsigned first = (unsigned)((from - 50 * CC_SECOND) / (100 * CC_MSECOND));
  double sum = 0;

  for (unsigned i = first; i < first + 10; i++)
    sum += arrived[i];
  return sum;
}

/* bytes/s in the five seconds before the accident. */
static double
have_accident (void)
{
  double before = 0;

  run (WARM_UP);
  for (unsigned i = 1; i <= 5; i++)
    before += second (now - i * CC_SECOND) / 5;
  ck_assert_double_gt (before, 0.75 * LINK);
  path = SMALL;
  return before;
}

/* s after it to the first second with 90 % of the rate before. */
static double
back_after (void)
{
  double before = have_accident ();
  CcTime accident = now;

  run (20 * CC_SECOND);
  for (unsigned i = 0; i < 190; i++)
    if (second (accident + i * 100 * CC_MSECOND) >= 0.9 * before)
      return i / 10.0;
  return 20;
}

/* What there is of it. */
typedef struct {
  bool excuses; /* the receiver is told which losses were of size */
  bool told;    /* the system tells the sender */
  bool each;    /* packet is told of */
} Help;

static double
worst_of_all (Help help)
{
  double worst = 0;

  for (unsigned seed = 1; seed <= (unsigned)scaled (20); seed++) {
    double s;

    setup (seed);
    excuses = help.excuses;
    told = help.told;
    each = help.each;
    s = back_after ();
    if (getenv ("MTUFALL") != NULL)
      printf ("seed %u: %.1f s\n", seed, s);
    worst = fmax (worst, s);
  }
  return worst;
}

START_TEST (test_the_rate_is_back_soon)
{
  ck_assert_double_le (worst_of_all ((Help){.excuses = true}), 3);
}
END_TEST

/* What the telling is good for. */
START_TEST (test_without_being_told_the_receiver_takes_it_for_congestion)
{
  ck_assert_double_gt (worst_of_all ((Help){.excuses = false}), 3);
}
END_TEST

START_TEST (test_where_the_system_knows)
{
  ck_assert_double_le (worst_of_all ((Help){.excuses = true, .told = true}), 2);
}
END_TEST

/* The law knows without being told. */
START_TEST (test_where_each_packet_is_told_of)
{
  ck_assert_double_le (worst_of_all ((Help){.each = true}), 3);
}
END_TEST

/* The socket is somebody else's: what is lost is over before its size shows in reports. No second has less than three
   quarters of the rate before. */
START_TEST (test_where_the_system_mends_it_and_does_not_say_so)
{
  for (unsigned seed = 1; seed <= (unsigned)scaled (20); seed++) {
    double before, least = INFINITY;
    CcTime accident;

    setup (seed);
    each = true;
    before = have_accident ();
    accident = now;
    fragments_from = now + 4 * ONE_WAY;
    run (6 * CC_SECOND);
    for (unsigned i = 0; i < 50; i++)
      least = fmin (least, second (accident + i * 100 * CC_MSECOND) / before);
    if (getenv ("MTUFALL") != NULL)
      printf ("seed %u: %.2f\n", seed, least);
    ck_assert_double_ge (least, 0.75);
  }
}
END_TEST

CC_TEST_MAIN ("mtufall", CC_TEST_LONG (test_the_rate_is_back_soon),
    test_without_being_told_the_receiver_takes_it_for_congestion, test_where_the_system_knows,
    CC_TEST_LONG (test_where_each_packet_is_told_of), test_where_the_system_mends_it_and_does_not_say_so)
