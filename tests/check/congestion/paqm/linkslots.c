/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cctest.h"
#include "linkslots.h"

#include <math.h>

#define CAPACITY 1e6 /* bytes/s: 1000 bytes a ms */

/* A host that always has packets and wakes when it is told, `late` later. Returns the bytes sent from `from` to `to`;
 *most: in any window of 10 ms. */
static double
send_all (LinkSlots *s, uint32_t bytes, CcDuration late, CcTime from, CcTime to, double *most)
{
  static struct {
    CcTime at;
    double sum;
  } log[200000];
  unsigned n = 0, tail = 0;
  double sum = 0;

  *most = 0;
  for (CcTime now = from; now < to; now = link_slots_next (s) + late)
    while (link_slots_may_send (s, now)) {
      link_slots_on_departure (s, bytes, now);
      log[n].at = now;
      log[n++].sum = sum;
      sum += bytes;
      while (log[tail].at + 10 * CC_MSECOND <= now)
        tail++;
      *most = fmax (*most, sum - log[tail].sum);
    }
  return sum;
}

/* 1 s at 1 MB/s; 10 ms and the grain of 1 ms: 11 000 bytes and a packet. */
START_TEST (the_capacity_and_no_more)
{
  static const uint32_t sizes[] = {40, 100, 1200, 9000};
  double most, sent;

  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    LinkSlots s;

    link_slots_init (&s, CAPACITY);
    sent = send_all (&s, sizes[i], 0, CC_SECOND, 2 * CC_SECOND, &most);
    ck_assert_double_ge (sent, CAPACITY - 1100 - sizes[i]);
    ck_assert_double_le (sent, CAPACITY + 1000 + sizes[i]);
    ck_assert_double_le (most, 11000 + sizes[i]);
  }
}
END_TEST

/* A timer that is always 0.05 or 3 ms late: after the first wake-ups nothing is lost, bursts are as long as it is late
   with the grain. */
START_TEST (late_wakeups_cost_nothing)
{
  static const CcDuration late[] = {CC_MSECOND / 20, 3 * CC_MSECOND};

  for (int i = 0; i < 2; i++) {
    double bursts = 1000 + (double)(late[i] / CC_USECOND), most, sent;
    LinkSlots s;

    link_slots_init (&s, CAPACITY);
    sent = send_all (&s, 100, late[i], CC_SECOND, 3 * CC_SECOND, &most);
    ck_assert_double_ge (sent, 2 * CAPACITY - 2 * bursts - 100);
    ck_assert_double_le (sent, 2 * CAPACITY + bursts + 100);
    ck_assert_double_le (most, 10000.0 * 8 / 7 + 2 * bursts);
  }
}
END_TEST

/* Held up for 20 ms once: 19 ms are owed and paid by an eighth, in 19 x 7 = 133 ms at the latest. */
START_TEST (what_is_owed_comes_slowly)
{
  LinkSlots s;
  double most, sent, before;

  link_slots_init (&s, CAPACITY);
  before = send_all (&s, 100, 0, CC_SECOND, CC_SECOND + 100 * CC_MSECOND, &most);
  sent = send_all (&s, 100, 0, CC_SECOND + 120 * CC_MSECOND, CC_SECOND + 300 * CC_MSECOND, &most);
  ck_assert_double_ge (before + sent, 0.3 * CAPACITY - 1200);
  ck_assert_double_le (before + sent, 0.3 * CAPACITY + 1200);
  ck_assert_double_le (most, 10000.0 * 8 / 7 + 1200);
}
END_TEST

/* Held up for ever: 200 ms are owed, no more. */
START_TEST (little_is_owed)
{
  LinkSlots s;
  double most;

  link_slots_init (&s, CAPACITY);
  send_all (&s, 100, 0, CC_SECOND, 2 * CC_SECOND, &most);
  ck_assert_double_le (send_all (&s, 100, 0, 100 * CC_SECOND, 104 * CC_SECOND, &most), 4.2 * CAPACITY + 1200);
}
END_TEST

START_TEST (idle_saves_nothing)
{
  LinkSlots s;

  link_slots_init (&s, CAPACITY);
  link_slots_on_departure (&s, 1000, CC_SECOND);
  link_slots_on_idle (&s);
  link_slots_on_departure (&s, 1000, 2 * CC_SECOND);
  ck_assert (!link_slots_may_send (&s, 2 * CC_SECOND));
  ck_assert_uint_eq (link_slots_next (&s), 2 * CC_SECOND + CC_MSECOND);
  ck_assert (link_slots_may_send (&s, 2 * CC_SECOND + CC_MSECOND));
}
END_TEST

/* 1000 bytes at 1 kB/s take 1 s; halfway the link becomes 1000 times as fast: half a ms is left. */
START_TEST (a_new_capacity_holds_at_once)
{
  LinkSlots s;

  link_slots_init (&s, 1000);
  link_slots_on_departure (&s, 1000, CC_SECOND);
  link_slots_set_capacity (&s, CAPACITY, CC_SECOND + CC_SECOND / 2);
  ck_assert (!link_slots_may_send (&s, CC_SECOND + CC_SECOND / 2));
  ck_assert (link_slots_may_send (&s, CC_SECOND + CC_SECOND / 2 + CC_MSECOND / 2));
}
END_TEST

START_TEST (without_capacity_all_goes_at_once)
{
  static const double none[] = {0, -1, NAN};

  for (int i = 0; i < 3; i++) {
    LinkSlots s;

    link_slots_init (&s, none[i]);
    link_slots_on_departure (&s, 1500, CC_SECOND);
    ck_assert (link_slots_may_send (&s, CC_SECOND));
  }
}
END_TEST

CC_TEST_MAIN ("linkslots", the_capacity_and_no_more, late_wakeups_cost_nothing, what_is_owed_comes_slowly,
    little_is_owed, idle_saves_nothing, a_new_capacity_holds_at_once, without_capacity_all_goes_at_once)
