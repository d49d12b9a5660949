/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rateshares.h"
#include "ccrandom.h"
#include "cctest.h"

#include <math.h>

#define UNKNOWN (-1.0)

static void
expect (const RateShare *streams, unsigned n, const double *shares)
{
  for (unsigned i = 0; i < n; i++)
    ck_assert_double_eq_tol (streams[i].share_Bps, shares[i], 1e-6);
}

START_TEST (test_by_weight)
{
  RateShare streams[] = {{1, UNKNOWN, 0}, {2, UNKNOWN, 0}, {5, NAN, 0}};

  rate_shares_divide (streams, 3, 800);
  expect (streams, 3, (const double[]){100, 200, 500});
  rate_shares_divide (streams, 1, 800);
  expect (streams, 1, (const double[]){800});
}
END_TEST

/* Parts are 300 each. The first sends 60 and desires 120: of the 780 left each of the others has 390; the second sends
   170 and desires 340, less than that: the third has the other 440. */
START_TEST (test_what_is_left_goes_to_the_others)
{
  RateShare streams[] = {{1, 60, 0}, {1, 170, 0}, {1, 500, 0}};

  rate_shares_divide (streams, 3, 900);
  expect (streams, 3, (const double[]){120, 340, 440});
}
END_TEST

/* One that sends nothing keeps a quarter of its part, 75 of 300; what it leaves is shared by weight, 825 as 1 to 2. */
START_TEST (test_a_silent_stream_keeps_a_quarter)
{
  RateShare streams[] = {{1.5, 0, 0}, {1, UNKNOWN, 0}, {2, UNKNOWN, 0}};

  rate_shares_divide (streams, 3, 900);
  expect (streams, 3, (const double[]){75, 275, 550});
}
END_TEST

/* It comes back: told 2 x what it sends each time, it has its half of 1000 after as many steps as doublings from a
   quarter of that: 2. */
START_TEST (test_a_stream_comes_back)
{
  RateShare streams[] = {{1, 0, 0}, {1, 500, 0}};

  rate_shares_divide (streams, 2, 1000);
  expect (streams, 2, (const double[]){125, 875});
  for (unsigned i = 0; i < 2; i++) {
    streams[0].sent_Bps = streams[0].share_Bps;
    rate_shares_divide (streams, 2, 1000);
  }
  expect (streams, 2, (const double[]){500, 500});
}
END_TEST

/* Nobody desires the rate: each has what it desires, and of the other 600 its part by weight. */
START_TEST (test_more_than_is_desired)
{
  RateShare streams[] = {{1, 100, 0}, {2, 100, 0}};

  rate_shares_divide (streams, 2, 1000);
  expect (streams, 2, (const double[]){200 + 600 / 3.0, 200 + 600 / 1.5});
}
END_TEST

START_TEST (test_nonsense)
{
  const double rates[] = {0, -5, NAN};
  RateShare bad[] = {{0, 1, 9}, {-1, 1, 9}, {NAN, 1, 9}, {INFINITY, 1, 9}};
  RateShare streams[] = {{1, 50, 0}, {NAN, 50, 0}};

  rate_shares_divide (bad, 4, 1000);
  expect (bad, 4, (const double[]){0, 0, 0, 0});
  for (unsigned i = 0; i < 3; i++) {
    rate_shares_divide (streams, 2, rates[i]);
    expect (streams, 2, (const double[]){0, 0});
    ck_assert_double_eq (rate_shares_media (&(RateTraffic){.media_Bps = 1}, rates[i]), 0);
  }
  rate_shares_divide (streams, 0, 1000);
}
END_TEST

/* Whatever streams there are: the sum is the rate; nobody who could use more is below its part, and two who could are
   alike by weight. */
START_TEST (test_any_streams)
{
  CcPcg32 pcg;
  CcRandom random = cc_pcg32_init (&pcg, 7);

  for (int round = scaled (500); round > 0; round--) {
    RateShare streams[64];
    unsigned n = 1 + (unsigned)(63 * cc_random_uniform (&random, 0, 1));
    double rate = 1e6 * cc_random_uniform (&random, 0, 1), weights = 0, sum = 0, per_weight = -1;

    for (unsigned i = 0; i < n; i++) {
      bool unknown = cc_random_uniform (&random, 0, 1) < 0.2;

      streams[i] = (RateShare){.weight = 0.01 + 10 * cc_random_uniform (&random, 0, 1),
          .sent_Bps = unknown ? UNKNOWN : 2 * rate / n * cc_random_uniform (&random, 0, 1)};
      weights += streams[i].weight;
    }
    rate_shares_divide (streams, n, rate);
    for (unsigned i = 0; i < n; i++) {
      double share = streams[i].share_Bps, part = rate * streams[i].weight / weights;
      bool wants_more = streams[i].sent_Bps < 0 || share < 0.999 * fmax (2 * streams[i].sent_Bps, part / 4);

      sum += share;
      ck_assert_double_ge (share, 0.249 * part);
      if (!wants_more)
        continue;
      ck_assert_double_ge (share, 0.999 * part);
      if (per_weight < 0)
        per_weight = share / streams[i].weight;
      ck_assert_double_eq_tol (share / streams[i].weight / per_weight, 1, 1e-6);
    }
    ck_assert_double_eq_tol (sum / rate, 1, 1e-9);
  }
}
END_TEST

/* 1000: 100 go first; 300 of 1200 sent are redundancy, so 0.75 of the rest is media's: what it sends and a third more
   fill the rest. */
START_TEST (test_what_media_may_have)
{
  RateTraffic t = {.media_Bps = 900, .repairs_Bps = 300, .ahead_Bps = 100};
  double media = rate_shares_media (&t, 1000);

  ck_assert_double_eq_tol (media, 675, 1e-9);
  ck_assert_double_eq_tol (media + media * t.repairs_Bps / t.media_Bps + t.ahead_Bps, 1000, 1e-9);
  t.ahead_Bps = 990;
  ck_assert_double_eq_tol (rate_shares_media (&t, 1000), 250, 1e-9);
  t = (RateTraffic){.repairs_Bps = 300, .ahead_Bps = 100}; /* nothing to compare redundancy with yet */
  ck_assert_double_eq_tol (rate_shares_media (&t, 1000), 900, 1e-9);
}
END_TEST

CC_TEST_MAIN ("rateshares", test_by_weight, test_what_is_left_goes_to_the_others, test_a_silent_stream_keeps_a_quarter,
    test_a_stream_comes_back, test_more_than_is_desired, test_nonsense, test_any_streams, test_what_media_may_have)
