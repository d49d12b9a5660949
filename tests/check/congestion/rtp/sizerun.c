/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sizerun.h"
#include "ccrandom.h"
#include "cctest.h"
#include <stdio.h>

#define LARGE 1200
#define SMALL 700

static SizeRun run;
static uint64_t number;

static void
reset (void)
{
  run = (SizeRun){0};
  number = 0;
}

/* What is before a run. */
static void
arrive (unsigned packets)
{
  for (unsigned i = 0; i < packets; i++)
    ck_assert (!size_run_on_packet (&run, ++number, LARGE, true));
}

/* Large packets: L, lost: X; small ones: s, lost: x; a larger small one: S. The number of runs that were of size. */
static unsigned
runs_in (const char *packets)
{
  unsigned runs = 0;

  for (const char *c = packets; *c != '\0'; c++) {
    uint32_t bytes = *c == 'L' || *c == 'X' ? LARGE : *c == 'S' ? SMALL + 100 : SMALL;

    runs += size_run_on_packet (&run, ++number, bytes, *c != 'X' && *c != 'x');
  }
  return runs;
}

START_TEST (test_a_run_of_large_ones_is_told_when_it_is_over)
{
  reset ();
  arrive (SIZE_RUN_CLEAN);
  ck_assert_uint_eq (runs_in ("LsXXXsXXXsXX"), 0);
  ck_assert_uint_eq (runs_in ("LLs"), 1);
  ck_assert_uint_eq (run.first, SIZE_RUN_CLEAN + 3);
  ck_assert_uint_eq (run.last, SIZE_RUN_CLEAN + 12);
  ck_assert_uint_eq (runs_in ("LLsLLs"), 0);
}
END_TEST

START_TEST (test_few_or_all_in_a_row_are_any_losses)
{
  reset ();
  arrive (SIZE_RUN_CLEAN);
  ck_assert_uint_eq (runs_in ("LLsXsXsLL"), 0);
  arrive (SIZE_RUN_CLEAN);
  ck_assert_uint_eq (runs_in ("XXXXXXXXsLL"), 0); /* nothing small has come through between them */
}
END_TEST

START_TEST (test_what_is_as_large_as_one_that_arrived_is_no_part_of_it)
{
  const char *const none[] = {"LsXXLXXsXXLsL", "LXXXSXXxXXXsXL", "LxXXsXXXsLL"};

  reset ();
  for (unsigned i = 0; i < 3; i++) {
    arrive (SIZE_RUN_CLEAN);
    ck_assert_msg (runs_in (none[i]) == 0, "%s", none[i]);
  }
}
END_TEST

START_TEST (test_where_losses_are_about_it_is_any)
{
  reset ();
  arrive (SIZE_RUN_CLEAN);
  ck_assert_uint_eq (runs_in ("xLLsLLXsLLsLLsXXsXXsLL"), 0);
}
END_TEST

START_TEST (test_each_packet_counts_once)
{
  reset ();
  arrive (SIZE_RUN_CLEAN);
  ck_assert_uint_eq (runs_in ("LXXs"), 0);
  for (unsigned i = 0; i < 10; i++) {
    ck_assert (!size_run_on_packet (&run, number - 1, LARGE, false));
    ck_assert (!size_run_on_packet (&run, number, SMALL, true));
  }
  ck_assert_uint_eq (runs_in ("L"), 0);
  ck_assert_uint_eq (run.lost, 0);
}
END_TEST

/* Frames of two large packets and a small one, on a path that loses so much by chance. */
static unsigned
runs_by_chance (double loss, unsigned packets)
{
  CcPcg32 pcg;
  CcRandom chance = cc_pcg32_init (&pcg, 1);
  unsigned runs = 0;

  reset ();
  for (unsigned i = 0; i < packets; i++)
    runs += size_run_on_packet (
        &run, ++number, i % 3 == 2 ? SMALL : LARGE, chance.next (chance.user) / 4294967296.0 >= loss);
  return runs;
}

/* An hour of 1 Mb/s is 360 000 packets. */
START_TEST (test_by_chance_it_is_rare)
{
  const double losses[] = {0.005, 0.02, 0.05, 0.1, 0.2};

  for (unsigned i = 0; i < 5; i++) {
    double an_hour = runs_by_chance (losses[i], 3000000) / (3000000 / 360000.0);

    if (getenv ("SIZERUN") != NULL)
      printf ("%g %% lost: %.1f runs an hour\n", 100 * losses[i], an_hour);
    ck_assert_double_le (an_hour, 1);
  }
}
END_TEST

CC_TEST_MAIN ("sizerun", test_a_run_of_large_ones_is_told_when_it_is_over, test_few_or_all_in_a_row_are_any_losses,
    test_what_is_as_large_as_one_that_arrived_is_no_part_of_it, test_where_losses_are_about_it_is_any,
    test_each_packet_counts_once, test_by_chance_it_is_rare)
