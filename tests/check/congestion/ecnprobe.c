/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ecnprobe.h"
#include "cctest.h"

#define NOW (100 * CC_SECOND)
#define SEEN(ecn) ARRIVAL_ECN_BIT (ARRIVAL_##ecn)

static unsigned
left_as (EcnProbe *p, ArrivalEcn ecn, unsigned packets)
{
  unsigned n = 0;

  for (unsigned i = 0; i < packets; i++)
    n += ecn_probe_next (p) == ecn;
  return n;
}

START_TEST (test_every_second_packet_until_one_has_come)
{
  EcnProbe p;

  ecn_probe_init (&p, ARRIVAL_ECT_1);
  ck_assert_int_eq (p.state, ECN_PROBE_TRYING);
  ck_assert_uint_eq (left_as (&p, ARRIVAL_ECT_1, 100), 50);
  ck_assert (!ecn_probe_is_l4s (&p, NOW));
  ecn_probe_on_report (&p, SEEN (NOT_ECT) | SEEN (ECT_1), NOW);
  ck_assert_int_eq (p.state, ECN_PROBE_CAPABLE);
  ck_assert_uint_eq (left_as (&p, ARRIVAL_ECT_1, 100), 100);
  ck_assert (!ecn_probe_is_l4s (&p, NOW)); /* nobody has marked */
  ecn_probe_on_report (&p, SEEN (CE), NOW);
  ck_assert (ecn_probe_is_l4s (&p, NOW));
  ck_assert (!ecn_probe_is_l4s (&p, NOW + 21 * CC_SECOND));
}
END_TEST

/* Bleached, made ECT(0), taken away, and a receiver that does not say. */
START_TEST (test_a_path_that_is_not_good_for_it)
{
  const unsigned seen[] = {SEEN (NOT_ECT), SEEN (NOT_ECT) | SEEN (ECT_0), SEEN (ECT_1) | SEEN (ECT_0), 0};

  for (unsigned i = 0; i < sizeof seen / sizeof *seen; i++) {
    EcnProbe p;

    ecn_probe_init (&p, ARRIVAL_ECT_1);
    for (unsigned k = 0; k < 9; k++)
      ecn_probe_on_report (&p, seen[i], NOW);
    ck_assert_int_eq (p.state, ECN_PROBE_TRYING);
    ecn_probe_on_report (&p, seen[i], NOW);
    ck_assert_int_eq (p.state, ECN_PROBE_REFUSED);
    ck_assert_uint_eq (left_as (&p, ARRIVAL_NOT_ECT, 100), 100);
    ecn_probe_on_report (&p, SEEN (ECT_1), NOW);
    ck_assert_int_eq (p.state, ECN_PROBE_REFUSED);
  }
}
END_TEST

START_TEST (test_a_path_that_changes)
{
  EcnProbe p;

  ecn_probe_init (&p, ARRIVAL_ECT_1);
  ecn_probe_on_report (&p, SEEN (ECT_1), NOW);
  for (unsigned k = 0; k < 100; k++) /* a report now and then of packets that left before: no reason */
    ecn_probe_on_report (&p, k % 10 == 9 ? SEEN (ECT_1) : SEEN (NOT_ECT), NOW);
  ck_assert_int_eq (p.state, ECN_PROBE_CAPABLE);
  for (unsigned k = 0; k < 10; k++)
    ecn_probe_on_report (&p, SEEN (NOT_ECT), NOW);
  ck_assert_int_eq (p.state, ECN_PROBE_REFUSED);
}
END_TEST

START_TEST (test_without_a_report)
{
  EcnProbe p;

  ecn_probe_init (&p, ARRIVAL_ECT_1);
  ck_assert_uint_eq (left_as (&p, ARRIVAL_ECT_1, 5000), 501);
  ck_assert_int_eq (p.state, ECN_PROBE_REFUSED);
  ecn_probe_init (&p, ARRIVAL_NOT_ECT);
  ck_assert_uint_eq (left_as (&p, ARRIVAL_NOT_ECT, 100), 100);
}
END_TEST

/* RFC 5348's receivers answer marks and do not say what has come. */
START_TEST (test_ect_0_takes_silence_for_consent)
{
  EcnProbe p;

  ecn_probe_init (&p, ARRIVAL_ECT_0);
  for (unsigned k = 0; k < 100; k++)
    ecn_probe_on_report (&p, 0, NOW);
  ck_assert_uint_eq (left_as (&p, ARRIVAL_ECT_0, 5000), 5000);
  for (unsigned k = 0; k < 10; k++)
    ecn_probe_on_report (&p, SEEN (NOT_ECT), NOW);
  ck_assert_int_eq (p.state, ECN_PROBE_REFUSED);
}
END_TEST

START_TEST (test_every_state_has_a_name)
{
  ck_assert_str_eq (ecn_probe_state_name (ECN_PROBE_TRYING), "trying");
  ck_assert_str_eq (ecn_probe_state_name (ECN_PROBE_REFUSED), "refused");
  ck_assert_str_eq (ecn_probe_state_name ((EcnProbeState)77), "off");
}
END_TEST

CC_TEST_MAIN ("ecnprobe", test_every_second_packet_until_one_has_come, test_a_path_that_is_not_good_for_it,
    test_a_path_that_changes, test_without_a_report, test_ect_0_takes_silence_for_consent, test_every_state_has_a_name)
