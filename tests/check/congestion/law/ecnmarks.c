/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ecnmarks.h"
#include "cctest.h"

#define NOW (100 * CC_SECOND)

static void
arrive (EcnMarks *m, ArrivalEcn ecn, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    ecn_marks_on_packet (m, ecn, NOW);
}

START_TEST (test_marks_of_ect_1_are_counted)
{
  EcnMarks m;

  ecn_marks_init (&m);
  arrive (&m, ARRIVAL_ECT_1, 15);
  ck_assert (!ecn_marks_is_loss (&m, ARRIVAL_CE));
  arrive (&m, ARRIVAL_CE, 5);
  ck_assert (!ecn_marks_is_loss (&m, ARRIVAL_CE));
  ecn_marks_update (&m);
  ck_assert_double_eq (m.fraction, 0.25);
  arrive (&m, ARRIVAL_NOT_ECT, 5); /* while the sender tries */
  arrive (&m, ARRIVAL_ECT_1, 1);
  arrive (&m, ARRIVAL_NOT_ECT, 5);
  ck_assert (!ecn_marks_is_loss (&m, ARRIVAL_CE));
  arrive (&m, ARRIVAL_CE, 1);
  ecn_marks_update (&m);
  ck_assert_double_eq (m.fraction, 0.5);
  ck_assert (ecn_marks_is_scalable (&m, NOW));
  ck_assert (!ecn_marks_is_classic (&m, NOW));
  /* all marked: by nothing else is it known that they left as ECT(1) */
  arrive (&m, ARRIVAL_CE, 7);
  ecn_marks_update (&m);
  ck_assert_double_eq (m.fraction, 1);
  ecn_marks_update (&m); /* nothing has come */
  ck_assert_double_eq (m.fraction, 0);
  ck_assert (ecn_marks_is_scalable (&m, NOW + 19 * CC_SECOND));
  ck_assert (!ecn_marks_is_scalable (&m, NOW + 21 * CC_SECOND));
}
END_TEST

START_TEST (test_marks_of_others_are_losses)
{
  EcnMarks m;

  ecn_marks_init (&m);
  ck_assert (ecn_marks_is_loss (&m, ARRIVAL_CE)); /* nothing is known */
  arrive (&m, ARRIVAL_ECT_0, 10);
  ck_assert (ecn_marks_is_loss (&m, ARRIVAL_CE));
  ck_assert (!ecn_marks_is_loss (&m, ARRIVAL_ECT_0));
  arrive (&m, ARRIVAL_CE, 5);
  ecn_marks_update (&m);
  ck_assert_double_eq (m.fraction, 0);
  ck_assert (ecn_marks_is_classic (&m, NOW));
  ck_assert (!ecn_marks_is_classic (&m, NOW + 21 * CC_SECOND));
  ck_assert (!ecn_marks_is_scalable (&m, NOW));
}
END_TEST

/* The path begins to make ECT(0) of ECT(1). */
START_TEST (test_remarked_ones_are_what_they_have_become)
{
  EcnMarks m;

  ecn_marks_init (&m);
  arrive (&m, ARRIVAL_ECT_1, 1);
  ck_assert (!ecn_marks_is_loss (&m, ARRIVAL_CE));
  arrive (&m, ARRIVAL_ECT_0, 1);
  ck_assert (ecn_marks_is_loss (&m, ARRIVAL_CE));
  ck_assert_uint_eq (m.seen, ARRIVAL_ECN_BIT (ARRIVAL_ECT_1) | ARRIVAL_ECN_BIT (ARRIVAL_ECT_0));
  ecn_marks_reported (&m);
  ck_assert_uint_eq (m.seen, 0);
}
END_TEST

CC_TEST_MAIN ("ecnmarks", test_marks_of_ect_1_are_counted, test_marks_of_others_are_losses,
    test_remarked_ones_are_what_they_have_become)
