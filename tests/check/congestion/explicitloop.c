/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The whole loop in virtual time: senders with encoders that do as they are told, a P-AQM link of 2 Mb/s that marks
   packets with the explicit rate, receivers that return it beside their path rate, 20 ms each way; and, for one of the
   flows, a FIFO behind the router. */
#include "ccreceiver.h"
#include "ccsender.h"
#include "explicitrate.h"
#include "paqm.h"
#include "cctest.h"
#include <math.h>
#include <string.h>

#define FLOWS 4
#define RING 512
#define QUEUE 1024
#define IN_FLIGHT 1024
#define STEP (250 * CC_USECOND)
#define FRAME (40 * CC_MSECOND)
#define ONE_WAY (20 * CC_MSECOND)
#define REPORT_GAP (50 * CC_MSECOND)
#define URGENT_GAP (20 * CC_MSECOND)
#define PAYLOAD_MAX 1100
#define RTP_HEADER 24
#define OVERHEAD 28
#define HOP 77
#define bps(x) ((x) / 8.0)
#define LINK bps (2e6)
#define TARGET 0.95

typedef struct {
  unsigned flow;
  CcArrival rtp;
  uint8_t erf[ERF_EXTENSION_SIZE];
  CcTime at; /* into the queue; or at the other end */
} Packet;

typedef struct {
  Packet packets[QUEUE];
  unsigned head, tail;
} Fifo;

typedef struct {
  bool pending, has_explicit;
  CcReport report;
  double explicit_Bps;
  CcTime at;
} Message;

typedef struct {
  CcSender sender;
  CcPacket ring[RING];
  CcReceiver receiver;
  ExplicitRate explicit_rate;
  CcPcg32 pcg;
  uint16_t seq;
  uint32_t frame;
  CcTime next_frame, reported_at;
  bool wanted, running;
  Message message;
  double delivered;
} Flow;

static Flow flows[FLOWS];
static Paqm paqm;
static CcPcg32 pcg;
static Fifo queues[PAQM_CLASSES], fifo, flying;
static CcTime now, link_free_at, fifo_free_at;
static double fifo_Bps;   /* of flow 0's own bottleneck; 0: none */
static double forged_Bps; /* what is written over the router's rate in flow 0; 0: nothing */
static double queue_sum, fifo_sum, fifo_worst;
static unsigned queue_n, fifo_n, dropped;

static void
fifo_push (Fifo *q, const Packet *packet)
{
  ck_assert_uint_lt (q->tail - q->head, QUEUE);
  q->packets[q->tail++ % QUEUE] = *packet;
}

static Packet *
fifo_head (Fifo *q)
{
  return q->head < q->tail ? &q->packets[q->head % QUEUE] : NULL;
}

static void
setup (void)
{
  PaqmParams params;

  paqm_params_init (&params);
  params.capacity_Bps = LINK;
  params.random = cc_pcg32_init (&pcg, 5);
  params.outer.utilisation = TARGET;
  paqm_init (&paqm, &params);
  memset (flows, 0, sizeof flows);
  memset (queues, 0, sizeof queues);
  memset (&fifo, 0, sizeof fifo);
  memset (&flying, 0, sizeof flying);
  now = 50 * CC_SECOND;
  link_free_at = fifo_free_at = now;
  fifo_Bps = forged_Bps = 0;
}

static void
start (Flow *f, double start_Bps, CcDuration phase)
{
  CcSenderParams params;
  CcReceiverParams receiver;

  cc_sender_params_init (&params);
  params.start_Bps = start_Bps;
  params.probe = true;
  params.random = cc_pcg32_init (&f->pcg, 10 + (uint64_t)(f - flows));
  cc_sender_init (&f->sender, &params, f->ring, RING, now);
  cc_receiver_params_init (&receiver);
  cc_receiver_init (&f->receiver, &receiver);
  explicit_rate_init (&f->explicit_rate);
  f->next_frame = now + phase;
  f->reported_at = now;
  f->running = true;
}

static void
encode (Flow *f)
{
  CcSenderStatus status;
  CcPacket packet = {.frame = ++f->frame, .captured_at = now};
  unsigned n;

  cc_sender_status (&f->sender, now, &status);
  n = 1 + (unsigned)(status.encoder_Bps * cc_seconds (FRAME) / PAYLOAD_MAX);
  packet.size_bytes = (uint32_t)(RTP_HEADER + status.encoder_Bps * cc_seconds (FRAME) / n);
  for (unsigned i = 1; i <= n; i++) {
    packet.frame_end = i == n;
    ck_assert (cc_sender_push (&f->sender, &packet, now));
  }
  f->next_frame += FRAME;
}

/* Into the router. */
static void
arrive (Flow *f, const CcPacket *sent)
{
  Packet packet = {.flow = (unsigned)(f - flows), .at = now};
  PaqmArrival arrival = {.cls = PAQM_MEDIA, .flow = 1000 + packet.flow, .size_bytes = sent->size_bytes + OVERHEAD};

  packet.rtp = (CcArrival){.seq = f->seq++,
      .rtp_timestamp = sent->frame,
      .marker = sent->frame_end,
      .size_bytes = sent->size_bytes,
      .has_stamp = true};
  cc_sender_stamp (&f->sender, now, &packet.rtp.stamp);
  erf_extension_write_unset (packet.erf);
  if (packet.rtp.stamp.rtt > 0)
    paqm_on_rtt (&paqm, packet.rtp.stamp.rtt);
  if (paqm_on_arrival (&paqm, &arrival, now) == PAQM_DROP)
    dropped++;
  else
    fifo_push (&queues[paqm_queue (&paqm, PAQM_MEDIA)], &packet);
}

static void
send_packets (Flow *f)
{
  CcPacket packet;
  CcSenderVerdict verdict;

  if (now >= f->next_frame)
    encode (f);
  if (cc_sender_next_timeout (&f->sender) <= now)
    cc_sender_on_timeout (&f->sender, now);
  while ((verdict = cc_sender_pull (&f->sender, now, &packet)) != CC_SENDER_WAIT)
    if (verdict == CC_SENDER_SEND)
      arrive (f, &packet);
}

static void
fly (const Packet *packet, CcTime sent_at)
{
  Packet p = *packet;

  p.at = sent_at + ONE_WAY;
  if (p.flow == 0 && forged_Bps > 0)
    erf_extension_write (p.erf, forged_Bps, 1);
  fifo_push (&flying, &p);
}

static uint32_t
head_bytes (Fifo *q)
{
  return fifo_head (q) != NULL ? fifo_head (q)->rtp.size_bytes + OVERHEAD : 0;
}

static void
run_router (void)
{
  while (link_free_at <= now) {
    const uint32_t heads[PAQM_CLASSES] = {head_bytes (&queues[0]), head_bytes (&queues[1])};
    int from = paqm_next (&paqm, heads);
    PaqmFeedback feedback;
    Packet *packet;

    if (from == DEFICIT_RR_NONE)
      break;
    packet = fifo_head (&queues[from]);
    queue_sum += cc_seconds (now - packet->at);
    queue_n++;
    paqm_get_feedback (&paqm, &feedback);
    erf_extension_lower (packet->erf, sizeof packet->erf, feedback.R_Bps, HOP);
    link_free_at = (link_free_at + STEP > now ? link_free_at : now) + cc_duration (heads[from] / LINK);
    paqm_on_departure (&paqm, from, heads[from], now);
    packet->at = now;
    if (packet->flow == 0 && fifo_Bps > 0)
      fifo_push (&fifo, packet);
    else
      fly (packet, now);
    queues[from].head++;
  }
  if (paqm_next_timeout (&paqm) <= now)
    paqm_on_timeout (&paqm, now);
}

static void
run_fifo (void)
{
  Packet *packet;

  while (fifo_free_at <= now && (packet = fifo_head (&fifo)) != NULL) {
    double waited = cc_seconds (now - packet->at);

    fifo_sum += waited;
    fifo_n++;
    fifo_worst = fmax (fifo_worst, waited);
    fifo_free_at =
        (fifo_free_at + STEP > now ? fifo_free_at : now) + cc_duration ((packet->rtp.size_bytes + OVERHEAD) / fifo_Bps);
    fly (packet, fifo_free_at);
    fifo.head++;
  }
}

static void
receive (Packet *packet)
{
  Flow *f = &flows[packet->flow];
  ErfExtension erf;

  f->delivered += packet->rtp.size_bytes + OVERHEAD;
  packet->rtp.arrived_at = now;
  ck_assert (erf_extension_parse (packet->erf, sizeof packet->erf, &erf));
  explicit_rate_on_packet (&f->explicit_rate, &erf, packet->rtp.seq, now);
  cc_receiver_on_explicit_rate (&f->receiver, explicit_rate_current (&f->explicit_rate, now), now);
  f->wanted |= cc_receiver_on_packet (&f->receiver, &packet->rtp);
}

static void
report (Flow *f)
{
  CcDuration age = cc_time_since (now, f->reported_at);

  if (cc_receiver_next_timeout (&f->receiver) <= now)
    f->wanted |= cc_receiver_on_timeout (&f->receiver, now);
  if (f->message.pending || !(f->wanted || f->explicit_rate.urgent) ||
      age < (f->receiver.urgent || f->explicit_rate.urgent ? URGENT_GAP : REPORT_GAP))
    return;
  if (!cc_receiver_report (&f->receiver, now, &f->message.report))
    return;
  f->message.explicit_Bps = explicit_rate_current (&f->explicit_rate, now);
  explicit_rate_told (&f->explicit_rate, now);
  f->message.pending = true;
  f->message.at = now + ONE_WAY;
  f->wanted = false;
  f->reported_at = now;
}

static void
take_message (Flow *f)
{
  if (!f->message.pending || f->message.at > now)
    return;
  f->message.pending = false;
  cc_sender_on_tfrc_report (&f->sender, &f->message.report.tfrc, now);
  cc_sender_on_path_report (&f->sender, &f->message.report.path, now);
  if (f->message.explicit_Bps > 0)
    cc_sender_on_router_rate (&f->sender, 9, f->message.explicit_Bps, now);
}

static void
run (CcDuration span)
{
  queue_sum = fifo_sum = fifo_worst = 0;
  queue_n = fifo_n = dropped = 0;
  for (unsigned i = 0; i < FLOWS; i++)
    flows[i].delivered = 0;
  for (CcTime until = now + span; now < until; now += STEP) {
    Packet *packet;

    /* packets of the FIFO's flow may be behind others that fly longer */
    for (; (packet = fifo_head (&flying)) != NULL && packet->at <= now; flying.head++)
      receive (packet);
    for (unsigned i = 0; i < FLOWS; i++)
      if (flows[i].running) {
        report (&flows[i]);
        take_message (&flows[i]);
        send_packets (&flows[i]);
      }
    run_router ();
    run_fifo ();
  }
}

/* x share: what arrived in the run before of `span`. */
static double
part (const Flow *f, double share_Bps, CcDuration span)
{
  return f->delivered / cc_seconds (span) / share_Bps;
}

/* Of the four within the span before, x their share of the utilised link or of what is left of it. */
static void
expect_shares (unsigned first, double share_Bps, CcDuration span)
{
  for (unsigned i = first; i < FLOWS; i++) {
    ck_assert_msg (fabs (part (&flows[i], share_Bps, span) - 1) < 0.05, "flow %u: %.3f of its share", i,
        part (&flows[i], share_Bps, span));
    ck_assert_int_eq (flows[i].sender.limit, CC_LIMIT_EXPLICIT_RATE);
  }
}

/* Frames of all flows at the same instant (0), or spread: who comes first in each frame's queue is luck. */
START_TEST (test_fair_shares_within_3_s)
{
  const CcDuration span = 5 * CC_SECOND;

  setup ();
  for (unsigned i = 0; i < FLOWS; i++)
    start (&flows[i], bps (300e3), i * (CcDuration)_i * CC_MSECOND);
  run (3 * CC_SECOND);
  run (span);
  expect_shares (0, TARGET * LINK / FLOWS, span);
  /* N* of the outer loop, 3500 bytes at 2 Mb/s, is 14 ms; a packet more takes 4.5 ms */
  ck_assert_double_le (queue_sum / queue_n, 0.0185);
  ck_assert_uint_eq (dropped, 0);
}
END_TEST

/* A flow that joins: its first packets tell it what the others leave, and they make room. */
START_TEST (test_newcomer)
{
  const CcDuration span = 5 * CC_SECOND;

  setup ();
  for (unsigned i = 1; i < FLOWS; i++)
    start (&flows[i], bps (300e3), i * 7 * CC_MSECOND);
  run (5 * CC_SECOND);
  expect_shares (1, TARGET * LINK / 3, 5 * CC_SECOND);
  start (&flows[0], bps (100e3), 0);
  run (3 * CC_SECOND);
  run (span);
  expect_shares (0, TARGET * LINK / FLOWS, span);
}
END_TEST

/* 300 kb/s behind the router for one: its own control holds it there, the others share the rest. 98 % is the path
   rate's own target (pathrate.c, ETA). */
START_TEST (test_tighter_fifo)
{
  const CcDuration span = 5 * CC_SECOND;

  setup ();
  fifo_Bps = bps (300e3);
  for (unsigned i = 0; i < FLOWS; i++)
    start (&flows[i], bps (300e3), i * (CcDuration)_i * CC_MSECOND);
  run (6 * CC_SECOND);
  run (span);
  ck_assert_double_ge (part (&flows[0], fifo_Bps, span), 0.93);
  ck_assert_double_le (part (&flows[0], fifo_Bps, span), 1.005);
  ck_assert_int_eq (flows[0].sender.limit, CC_LIMIT_DELAY);
  expect_shares (1, (TARGET * LINK - fifo_Bps) / 3, span);
  /* a frame's second packet waits 26 ms for the first one */
  ck_assert_double_le (fifo_sum / fifo_n, 0.035);
  ck_assert_double_le (fifo_worst, 0.1);
}
END_TEST

/* From 300 kb/s to what the link gives within two round trips and the first law, 50 ms: 8 x as much could be. */
START_TEST (test_start_is_what_routers_say)
{
  setup ();
  start (&flows[0], bps (300e3), 0);
  run (200 * CC_MSECOND);
  ck_assert_double_eq_tol (flows[0].sender.rate_Bps, TARGET * LINK, 0.02 * LINK);
  /* down, too */
  setup ();
  start (&flows[0], bps (6e6), 0);
  run (200 * CC_MSECOND);
  ck_assert_double_eq_tol (flows[0].sender.rate_Bps, TARGET * LINK, 0.02 * LINK);
}
END_TEST

/* Somebody behind the router writes what is not true into packets whose way leads through 600 kb/s. Absurdly high: the
   trains of the first packets, then the queue, tell what really is there. */
START_TEST (test_forged_rate_does_not_inflate)
{
  const double forged[] = {1e12, 1e18, bps (5e6)};

  for (unsigned i = 0; i < sizeof forged / sizeof *forged; i++) {
    setup ();
    fifo_Bps = bps (600e3);
    forged_Bps = forged[i];
    start (&flows[0], bps (300e3), 0);
    run (5 * CC_SECOND);
    ck_assert_double_le (flows[0].sender.rate_Bps, 1.2 * fifo_Bps);
    ck_assert_double_le (fifo_worst, 0.08);
    run (5 * CC_SECOND);
    ck_assert_double_le (flows[0].sender.rate_Bps, 1.2 * fifo_Bps);
    ck_assert_double_ge (part (&flows[0], fifo_Bps, 5 * CC_SECOND), 0.9);
    ck_assert_double_le (fifo_worst, 0.08);
  }
}
END_TEST

/* Absurdly low: never below min_Bps, and over when it stops. */
START_TEST (test_forged_rate_does_not_starve)
{
  setup ();
  fifo_Bps = bps (600e3);
  start (&flows[0], bps (300e3), 0);
  run (5 * CC_SECOND);
  forged_Bps = 1;
  run (5 * CC_SECOND);
  ck_assert_double_eq (flows[0].sender.rate_Bps, flows[0].sender.params.min_Bps);
  ck_assert_uint_gt (flows[0].sender.bounds.explicit_rates.low, 0);
  ck_assert_double_ge (flows[0].delivered, 0.9 * 5 * flows[0].sender.params.min_Bps);
  forged_Bps = 0;
  run (10 * CC_SECOND);
  run (5 * CC_SECOND);
  ck_assert_double_ge (part (&flows[0], fifo_Bps, 5 * CC_SECOND), 0.85);
}
END_TEST

int
main (void)
{
  Suite *suite = suite_create ("explicitloop");
  TCase *tcase = tcase_create ("explicitloop");
  SRunner *runner;
  int failed;

  tcase_set_timeout (tcase, 60);
  tcase_add_loop_test (tcase, test_fair_shares_within_3_s, 0, long_tests () ? 11 : 1);
  tcase_add_test (tcase, test_newcomer);
  tcase_add_loop_test (tcase, test_tighter_fifo, 0, long_tests () ? 11 : 1);
  tcase_add_test (tcase, test_start_is_what_routers_say);
  tcase_add_test (tcase, test_forged_rate_does_not_inflate);
  tcase_add_test (tcase, test_forged_rate_does_not_starve);
  suite_add_tcase (suite, tcase);
  runner = srunner_create (suite);
  srunner_run_all (runner, CK_ENV);
  failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
