/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "traincredit.h"
#include "cctest.h"

static const TrainPath known = {.rate_Bps = 100e3,
    .gain = 1.5,
    .told = true,
    .capacity_Bps = 100e3,
    .queue_delay = 50 * CC_MSECOND,
    .frame_interval = 33 * CC_MSECOND,
    .packet_bytes = 1000,
    .last_bytes = 1000};

/* Bytes/s over `packets` of 1000, each as early as it may leave. */
static double
send_all (TrainCredit *t, const TrainPath *path, unsigned packets)
{
  CcTime now = t->credit_at, began = now;

  for (unsigned i = 0; i < packets; i++) {
    train_credit_refill (t, path, now);
    train_credit_on_sent (t, path, 1000);
    now += cc_duration (1000 / train_credit_rate (t, path));
  }
  return packets * 1000 / cc_seconds (now - began);
}

START_TEST (test_a_frame_leaves_at_the_gain)
{
  TrainCredit t;

  train_credit_init (&t, CC_SECOND);
  ck_assert_double_lt (train_credit_rate (&t, &known), 150e3);
  train_credit_refill (&t, &known, 2 * CC_SECOND);
  ck_assert_double_eq_tol (t.credit_bytes, 1.5 * 3300, 1);
  ck_assert_double_eq_tol (send_all (&t, &known, 3), 33. / (33 - 8) * 100e3, 1e3);
}
END_TEST

START_TEST (test_what_has_piled_up_leaves_at_the_rate)
{
  TrainCredit t;

  train_credit_init (&t, CC_SECOND);
  ck_assert_double_eq_tol (send_all (&t, &known, 200), 100e3, 3e3);
}
END_TEST

START_TEST (test_no_debt_beyond_a_second)
{
  TrainCredit t;

  train_credit_init (&t, CC_SECOND);
  for (unsigned i = 0; i < 1000; i++)
    train_credit_on_sent (&t, &known, 1000);
  ck_assert_double_ge (t.credit_bytes, -101e3);
}
END_TEST

START_TEST (test_faster_beside_others)
{
  TrainCredit t;
  TrainPath path = known;

  train_credit_init (&t, CC_SECOND);
  train_credit_refill (&t, &path, 2 * CC_SECOND);
  path.capacity_Bps = 140e3;
  ck_assert_double_eq_tol (train_credit_rate (&t, &path), 33. / (33 - 8) * 140e3, 1);
  path.capacity_Bps = 400e3;
  ck_assert_double_eq_tol (train_credit_rate (&t, &path), 200e3, 1);
  path.shared_out = true;
  ck_assert_double_eq_tol (train_credit_rate (&t, &path), 150e3, 1);
  path.shared_out = false;
  path.told = false;
  ck_assert_double_eq_tol (train_credit_rate (&t, &path), 150e3, 1);
}
END_TEST

/* A path with room for more lends a train what is beyond its credit: a second of the rate where that is more than is
   allowed, and as much as it likes where it is not. */
START_TEST (test_no_more_than_is_allowed_for_long)
{
  TrainPath path = known;
  TrainCredit t;

  path.queue_delay = 0;
  path.capacity_Bps = 400e3;
  path.carried = true;
  path.queued_bytes = 3000;
  train_credit_init (&t, CC_SECOND);
  ck_assert_double_eq_tol (send_all (&t, &path, 1000), 200e3, 1e3);
  path.most_Bps = 100e3;
  train_credit_init (&t, CC_SECOND);
  ck_assert_double_eq_tol (send_all (&t, &path, 120), 200e3, 2e3);
  send_all (&t, &path, 200);
  ck_assert_double_eq_tol (send_all (&t, &path, 1000), 100e3, 1e3);
}
END_TEST

/* Whatever the number of frames a second, one that fills its interval makes a queue of 8 ms. */
START_TEST (test_few_frames_leave_hardly_faster_than_the_path)
{
  static const double rates_Bps[] = {100e3, 99e3, 110e3};

  for (unsigned fps = 5; fps <= 30; fps += 5)
    for (unsigned i = 0; i < 3; i++) {
      TrainCredit t;
      TrainPath path = known;
      double gain_Bps;

      path.rate_Bps = rates_Bps[i];
      path.frame_interval = CC_SECOND / fps;
      train_credit_init (&t, CC_SECOND);
      train_credit_refill (&t, &path, 2 * CC_SECOND);
      gain_Bps = train_credit_rate (&t, &path);
      ck_assert_double_ge (gain_Bps, path.rate_Bps);
      if (gain_Bps > path.rate_Bps)
        ck_assert_double_eq_tol ((1 - 100e3 / gain_Bps) / fps, 0.008, 1e-6);
    }
}
END_TEST

/* What the path carries is not known, or no frame has come: as ever. */
START_TEST (test_an_unknown_path_or_interval_bounds_no_train)
{
  TrainCredit t;
  TrainPath path = known;

  train_credit_init (&t, CC_SECOND);
  train_credit_refill (&t, &path, 2 * CC_SECOND);
  path.capacity_Bps = 0;
  ck_assert_double_eq_tol (train_credit_rate (&t, &path), 150e3, 1);
  path.capacity_Bps = 100e3;
  path.frame_interval = 0;
  ck_assert_double_eq_tol (train_credit_rate (&t, &path), 200e3, 1);
}
END_TEST

START_TEST (test_a_backlog_leaves_sooner_where_there_is_room)
{
  TrainCredit t;
  TrainPath path = known;

  path.queue_delay = 5 * CC_MSECOND;
  path.carried = true;
  path.queued_bytes = 2000;
  train_credit_init (&t, CC_SECOND);
  ck_assert_double_eq_tol (send_all (&t, &path, 200), 120e3, 4e3);
  path.queued_bytes = 20e3; /* a key frame */
  train_credit_init (&t, CC_SECOND);
  ck_assert_double_eq_tol (send_all (&t, &path, 200), 100e3, 3e3);
  train_credit_init (&t, CC_SECOND);
  train_credit_on_sent (&t, &path, 5000);
  path.capacity_Bps = 140e3; /* a path that is known to carry it */
  ck_assert_double_eq_tol (train_credit_rate (&t, &path), 0.95 * 140e3, 1);
}
END_TEST

START_TEST (test_evenly_where_a_train_would_be_marked)
{
  TrainPath path = known;
  TrainCredit t;

  path.even = true;
  path.capacity_Bps = 200e3;
  train_credit_init (&t, CC_SECOND);
  train_credit_refill (&t, &path, 2 * CC_SECOND);
  ck_assert_double_eq (train_credit_rate (&t, &path), 103e3);
  ck_assert_double_eq_tol (send_all (&t, &path, 200), 103e3, 1e3);
}
END_TEST

CC_TEST_MAIN ("traincredit", test_a_frame_leaves_at_the_gain, test_what_has_piled_up_leaves_at_the_rate,
    test_no_debt_beyond_a_second, test_faster_beside_others, test_no_more_than_is_allowed_for_long,
    test_few_frames_leave_hardly_faster_than_the_path, test_an_unknown_path_or_interval_bounds_no_train,
    test_a_backlog_leaves_sooner_where_there_is_room, test_evenly_where_a_train_would_be_marked)
