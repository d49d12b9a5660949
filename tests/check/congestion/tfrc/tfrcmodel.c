/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random runs: the loss history against one that starts from scratch at each packet, and sender and receiver over a
   network that loses, marks, delays, reorders, duplicates and forges. */
#include "ccrandom.h"
#include "cctest.h"
#include "tfrcreceiver.h"
#include "tfrcsender.h"

#include <math.h>
#include <string.h>

#define MS CC_MSECOND

static CcPcg32 pcg;
static CcRandom chance;

static double
uniform (double low, double high)
{
  return cc_random_uniform (&chance, low, high);
}

static bool
happens (double probability)
{
  return uniform (0, 1) < probability;
}

/* ---- The loss history ---- */

#define NUMBERS 600

typedef struct {
  unsigned seq;
  CcTime at;
  bool mark;
} Arrival;

static Arrival arrivals[NUMBERS];
static unsigned n_arrivals, highest;
static bool arrived[NUMBERS], marked[NUMBERS];
static CcTime arrived_at[NUMBERS];

/* Whether seq is lost or marked by RFC 5348 5.1, and its nominal time by 5.2, from all arrivals so far. A late mark
   counts where its packet was missed. */
static bool
is_loss (unsigned seq, CcTime *T)
{
  unsigned higher = 0, first = 0;
  bool mark_above = false;
  const Arrival *before, *after;

  *T = arrived_at[seq];
  if (arrived[seq] && !marked[seq])
    return false;
  for (unsigned i = 0; i < n_arrivals && arrivals[i].seq != seq; i++) {
    if (arrivals[i].seq < seq)
      continue;
    if (higher++ == 0)
      first = i;
    mark_above |= arrivals[i].mark;
  }
  if (higher == 0 || (!marked[seq] && higher < 3 && !mark_above))
    return marked[seq];
  before = &arrivals[first - 1];
  after = &arrivals[first];
  *T = before->at + (CcTime)((double)(after->at - before->at) * (seq - before->seq) / (after->seq - before->seq));
  return true;
}

typedef struct {
  unsigned seq;
  CcTime at;
} Event;

static unsigned
find_events (Event *events, CcDuration R, unsigned *lost)
{
  unsigned n = 0;
  CcTime T;

  *lost = 0;
  for (unsigned seq = arrivals[0].seq; seq <= highest; seq++) {
    if (!is_loss (seq, &T))
      continue;
    *lost += !arrived[seq];
    if (n == 0 || T > events[n - 1].at + R)
      events[n++] = (Event){seq, T};
  }
  return n;
}

static void
compare (const TfrcLossHistory *h, CcDuration R)
{
  static Event events[NUMBERS];
  unsigned lost, n = find_events (events, R, &lost);

  ck_assert_uint_eq (h->lost_packets, lost);
  ck_assert_uint_eq (h->loss_events, n);
  if (n == 0)
    ck_assert_double_eq (tfrc_loss_history_p (h), 0);
  for (unsigned i = 0; i < h->n_intervals && !h->intervals[i].synthetic; i++) {
    const Event *event = &events[n - 1 - i];
    ck_assert_uint_eq (h->intervals[i].start_seq, event->seq);
    ck_assert_uint_le (cc_time_since (h->intervals[i].start_at, event->at), 1);
    ck_assert_uint_le (cc_time_since (event->at, h->intervals[i].start_at), 1);
    ck_assert_double_eq (h->intervals[i].length, i == 0 ? highest - event->seq + 1 : events[n - i].seq - event->seq);
  }
}

static void
arrive (TfrcLossHistory *h, unsigned seq, CcTime at, CcDuration R, bool mark)
{
  tfrc_loss_history_on_packet (h, seq, at, R, mark);
  if (arrived[seq])
    return;
  arrived[seq] = true;
  marked[seq] = mark;
  arrived_at[seq] = at;
  arrivals[n_arrivals++] = (Arrival){seq, at, mark};
  if (seq > highest)
    highest = seq;
}

/* Only the last n + 1 events can change: from scratch a loss taken back in the oldest or before it might. */
static bool
is_forgotten (const TfrcLossHistory *h, unsigned seq)
{
  const TfrcInterval *oldest = h->n_intervals > 0 ? &h->intervals[h->n_intervals - 1] : NULL;

  return oldest && !oldest->synthetic && seq <= oldest->start_seq;
}

/* Next number: in order, after a jump, or an old one. */
static unsigned
pick (double reorder, double jump)
{
  unsigned next = highest + 1;

  if (happens (reorder))
    return (unsigned)uniform (arrivals[0].seq, highest + 1);
  if (happens (jump))
    next += (unsigned)exp (uniform (0, 4));
  return next;
}

START_TEST (test_history_equals_one_from_scratch)
{
  TfrcLossHistoryParams params = {.history_discounting = _i % 2};
  TfrcLossHistory h;
  CcTime now = CC_SECOND;
  CcDuration R;
  double reorder, jump, mark;

  chance = cc_pcg32_init (&pcg, (uint64_t)_i);
  R = (CcDuration)uniform (1e5, 1e8);
  reorder = uniform (0, 0.5);
  jump = uniform (0, 0.3);
  mark = happens (0.5) ? uniform (0, 0.2) : 0;
  n_arrivals = highest = 0;
  memset (arrived, 0, sizeof arrived);
  memset (marked, 0, sizeof marked);
  tfrc_loss_history_init (&h, &params);
  arrive (&h, 10, now, R, false);
  for (int i = 0; i < 100; i++) {
    unsigned seq = pick (reorder, jump);
    if (seq >= NUMBERS || is_forgotten (&h, seq))
      break;
    now += (CcDuration)uniform (1e3, 2e7);
    arrive (&h, seq, now, R, happens (mark));
    if (h.n_holes == TFRC_MAX_HOLES)
      break;
    compare (&h, R);
    ck_assert_double_ge (tfrc_loss_history_p (&h), 0);
    ck_assert_double_le (tfrc_loss_history_p (&h), 1);
  }
}
END_TEST

/* ---- Sender and receiver ---- */

#define FLIGHT 256

typedef struct {
  CcTime due; /* CC_TIME_NONE: empty */
  TfrcPacket packet;
  CcTime sent_at;
} Data;

typedef struct {
  CcTime due;
  TfrcReport report;
} Report;

typedef struct {
  double loss, mark, reorder, duplicate, report_loss, forge;
  CcDuration delay;
  double media_Bps; /* HUGE_VAL: always something to send; 0: idle */
  CcTime until;
} Conditions;

typedef struct {
  TfrcSender sender;
  TfrcReceiver receiver;
  Data data[FLIGHT];
  Report reports[FLIGHT];
  Conditions c;
  uint64_t seq, steps;
  CcTime now, send_at, report_at;
  bool loss_free; /* so far */
} World;

static void
change_conditions (World *w)
{
  bool bad = happens (0.3);

  w->c.loss = bad ? uniform (0, 1) : happens (0.5) ? uniform (0, 0.05) : 0;
  w->c.mark = happens (0.2) ? uniform (0, 0.1) : 0;
  w->c.reorder = happens (0.3) ? uniform (0, 0.2) : 0;
  w->c.duplicate = happens (0.2) ? 0.05 : 0;
  w->c.report_loss = happens (0.2) ? uniform (0, 1) : 0;
  w->c.forge = happens (0.3) ? 0.05 : 0;
  w->c.delay = (CcDuration)exp (uniform (log (2e4), log (4e8)));
  w->c.media_Bps = happens (0.4) ? HUGE_VAL : happens (0.3) ? 0 : uniform (1e3, 1e6);
  w->c.until = w->now + (CcDuration)uniform (5e7, 5e9);
}

static void
check_invariants (const World *w)
{
  const TfrcSender *t = &w->sender;
  const TfrcLossHistory *h = &w->receiver.history;

  ck_assert (isfinite (t->X) && isfinite (t->X_inst));
  ck_assert_double_ge (t->X, 100.0 / 64); /* the smallest packet here, each t_mbi */
  ck_assert_double_ge (t->X_inst, 100.0 / 64);
  ck_assert (t->p >= 0 && t->p <= 1 && w->receiver.p >= 0 && w->receiver.p <= 1);
  ck_assert (t->R == 0 || (t->R >= 100 * CC_USECOND && t->R <= 10 * CC_SECOND));
  ck_assert_uint_le (t->n_X_recv, TFRC_X_RECV_SET);
  ck_assert_uint_le (h->n_holes, TFRC_MAX_HOLES);
  ck_assert_uint_le (h->n_intervals, TFRC_INTERVALS + 1);
  for (unsigned i = 1; i < h->n_holes; i++)
    ck_assert_uint_gt (h->holes[i].first_seq, h->holes[i - 1].last_seq);
  for (unsigned i = 0; i < h->n_intervals; i++)
    ck_assert_double_ge (h->intervals[i].length, 1);
}

static void *
empty_slot (void *slots, size_t size)
{
  for (size_t i = 0; i < FLIGHT; i++) {
    char *slot = (char *)slots + i * size;
    if (*(CcTime *)(void *)slot == CC_TIME_NONE)
      return slot;
  }
  return NULL;
}

static void
send_one (World *w)
{
  TfrcSender *t = &w->sender;
  uint32_t size = (uint32_t)uniform (100, 1461);
  Data *data = empty_slot (w->data, sizeof *w->data);
  double rate = fmin (tfrc_sender_pace_rate (t), w->c.media_Bps);

  tfrc_sender_on_sent (t, size, w->c.media_Bps > tfrc_sender_pace_rate (t), w->now);
  w->seq++;
  w->send_at = rate > 0 ? w->now + (CcDuration)fmin (size / fmin (rate, 2e6) * 1e9, 1e11) : CC_TIME_NONE;
  if (!data || happens (w->c.loss))
    return;
  data->packet = (TfrcPacket){.seq = w->seq, .size_bytes = size, .R = t->R, .ce = happens (w->c.mark)};
  data->packet.t_i_us = (uint32_t)(w->now / CC_USECOND);
  data->due = w->now + w->c.delay + (happens (w->c.reorder) ? (CcDuration)uniform (0, 5e7) : 0);
}

static void
maybe_report (World *w)
{
  Report *report = empty_slot (w->reports, sizeof *w->reports);

  if (!tfrc_receiver_report_due (&w->receiver) || !report)
    return;
  ck_assert (tfrc_receiver_report (&w->receiver, w->now, &report->report));
  ck_assert (report->report.X_recv >= 0 && isfinite (report->report.X_recv));
  ck_assert (!tfrc_receiver_report_due (&w->receiver));
  if (!happens (w->c.report_loss))
    report->due = w->now + w->c.delay;
}

static void
deliver (World *w, Data *data)
{
  data->packet.arrived_at = w->now;
  tfrc_receiver_on_packet (&w->receiver, &data->packet);
  if (happens (w->c.duplicate))
    data->due = w->now + MS;
  else
    data->due = CC_TIME_NONE;
  maybe_report (w);
}

/* What a report may do to X. */
static void
check_feedback (const TfrcSender *before, const TfrcSender *t, TfrcFeedbackResult result)
{
  double max = 0;

  if (result != TFRC_FEEDBACK_OK) {
    ck_assert_double_eq (before->X, t->X);
    ck_assert_double_eq (before->X_inst, t->X_inst);
    ck_assert_uint_eq (before->nofeedback_at, t->nofeedback_at);
    return;
  }
  if (before->R == 0)
    return;
  for (unsigned i = 0; i < t->n_X_recv; i++)
    max = fmax (max, t->X_recv_set[i].value);
  if (t->X_recv_infinite)
    max = HUGE_VAL;
  if (t->p > 0)
    ck_assert_double_le (t->X, fmax (fmin (t->X_Bps, 2 * max), t->s / 64) * (1 + 1e-12));
  else
    ck_assert_double_le (t->X, fmax (fmin (2 * before->X, 2 * max), fmax (t->initial_rate, before->X)) * (1 + 1e-12));
}

static void
receive_report (World *w, Report *report)
{
  TfrcSender before = w->sender;
  /* The echo wraps at 32 bits of microseconds, more than an hour: these runs are shorter. */
  TfrcFeedback f = {.received_at = w->now,
      .t_recvdata = (CcTime)report->report.t_i_us * CC_USECOND,
      .t_delay = report->report.t_delay,
      .X_recv = report->report.X_recv,
      .p = report->report.p};
  TfrcFeedbackResult result = tfrc_sender_on_feedback (&w->sender, &f);

  report->due = CC_TIME_NONE;
  ck_assert_int_ne (result, TFRC_FEEDBACK_INVALID);
  check_feedback (&before, &w->sender, result);
  ck_assert_uint_gt (tfrc_sender_next_timeout (&w->sender), w->now);
}

static double
forged_number (void)
{
  static const double odd[] = {NAN, -1, HUGE_VAL, -HUGE_VAL, 1e300, 1.0000001, -1e-300, 1e10, 0, 1};

  return odd[(unsigned)uniform (0, sizeof odd / sizeof *odd)];
}

static void
forge (World *w)
{
  TfrcSender before = w->sender;
  TfrcFeedback f = {.received_at = w->now,
      .t_recvdata = happens (0.5) ? w->now + (CcTime)uniform (1e4, 1e12) : (CcTime)uniform (0, 1.8e19),
      .t_delay = happens (0.5) ? 0 : (CcDuration)uniform (0, 1.8e19),
      .X_recv = forged_number (),
      .p = forged_number ()};

  check_feedback (&before, &w->sender, tfrc_sender_on_feedback (&w->sender, &f));
}

static void
sender_timeout (World *w)
{
  double X = tfrc_sender_rate (&w->sender);

  tfrc_sender_on_timeout (&w->sender, w->now);
  /* s may have grown since X reached the floor: 1461/64 at most. */
  ck_assert_double_le (tfrc_sender_rate (&w->sender), fmax (X, 1461.0 / 64));
  ck_assert_uint_gt (tfrc_sender_next_timeout (&w->sender), w->now);
}

static CcTime
next_event (const World *w)
{
  CcTime next = cc_time_min (w->c.until, w->send_at);

  next = cc_time_min (next, tfrc_sender_next_timeout (&w->sender));
  next = cc_time_min (next, tfrc_receiver_next_timeout (&w->receiver));
  for (int i = 0; i < FLIGHT; i++)
    next = cc_time_min (next, cc_time_min (w->data[i].due, w->reports[i].due));
  return next;
}

static void
step (World *w)
{
  CcTime next = next_event (w);

  ck_assert_uint_ge (next, w->now);
  w->now = next;
  if (w->c.until <= next) {
    change_conditions (w);
    if (w->send_at == CC_TIME_NONE || w->send_at > w->now + CC_SECOND)
      w->send_at = w->c.media_Bps > 0 ? w->now : CC_TIME_NONE;
  }
  for (int i = 0; i < FLIGHT; i++) {
    if (w->data[i].due <= next)
      deliver (w, &w->data[i]);
    if (w->reports[i].due <= next)
      receive_report (w, &w->reports[i]);
  }
  if (tfrc_receiver_next_timeout (&w->receiver) <= next) {
    tfrc_receiver_on_timeout (&w->receiver, next);
    ck_assert_uint_gt (tfrc_receiver_next_timeout (&w->receiver), next);
    maybe_report (w);
  }
  if (tfrc_sender_next_timeout (&w->sender) <= next)
    sender_timeout (w);
  if (w->send_at <= next)
    send_one (w);
  if (happens (w->c.forge))
    forge (w);
}

START_TEST (test_sender_and_receiver)
{
  static World w;
  TfrcSenderParams sender;
  TfrcReceiverParams receiver;

  memset (&w, 0, sizeof w);
  for (int i = 0; i < FLIGHT; i++)
    w.data[i].due = w.reports[i].due = CC_TIME_NONE;
  chance = cc_pcg32_init (&pcg, 1000 + (uint64_t)_i);
  tfrc_sender_params_init (&sender);
  tfrc_receiver_params_init (&receiver);
  sender.rto = receiver.rto = _i % 3 == 0 ? TFRC_RTO_AT_LEAST_1S : TFRC_RTO_4R;
  sender.initial_Bps = _i % 4 == 0 ? 40e3 : 0;
  sender.oscillation_prevention = _i % 5 != 0;
  receiver.min_window = _i % 2 ? 120 * MS : 0;
  w.now = w.send_at = w.c.until = CC_SECOND;
  tfrc_sender_init (&w.sender, &sender, w.now);
  tfrc_receiver_init (&w.receiver, &receiver);
  for (w.steps = 0; w.steps < 4000 && w.now < 3600 * CC_SECOND; w.steps++) {
    step (&w);
    check_invariants (&w);
  }
  ck_assert_uint_gt (w.now, CC_SECOND);
}
END_TEST

int
main (void)
{
  Suite *suite = suite_create ("tfrcmodel");
  TCase *tcase = tcase_create ("tfrcmodel");
  SRunner *runner = srunner_create (suite);
  int failed;

  tcase_set_timeout (tcase, 60);
  tcase_add_loop_test (tcase, test_history_equals_one_from_scratch, 0, scaled (300));
  tcase_add_loop_test (tcase, test_sender_and_receiver, 0, scaled (40));
  suite_add_tcase (suite, tcase);
  srunner_run_all (runner, CK_ENV);
  failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
