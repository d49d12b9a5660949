/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers on the wire and those that packets came with, against plain arrays. */
#include "gsttfrcnumbering.h"

#include <gst/check/gstcheck.h>
#include <string.h>

#define FIRST 65000
#define PACKETS 150000
#define REQUESTS 1500 /* as far back as packets are asked for here */

typedef struct {
  GstTfrcNumbering n;
  gint *sent_as, *came_as; /* by number, from FIRST on; -1: never */
  gint newest;             /* on the wire */
} Model;

static void
model_open (Model *m)
{
  guint i;

  memset (&m->n, 0, sizeof m->n);
  m->sent_as = g_new (gint, PACKETS);
  m->came_as = g_new (gint, PACKETS);
  m->newest = FIRST - 1;
  for (i = 0; i < PACKETS; i++)
    m->sent_as[i] = m->came_as[i] = -1;
}

static void
model_close (Model *m)
{
  g_free (m->sent_as);
  g_free (m->came_as);
}

static void
model_send (Model *m, gint seq)
{
  guint16 offset = gst_tfrc_numbering_offset (&m->n, (guint16)seq);

  m->newest++;
  fail_unless_equals_int ((guint16)(seq - offset), (guint16)m->newest);
  m->sent_as[seq - FIRST] = m->newest;
  m->came_as[m->newest - FIRST] = seq;
}

static void
model_check_original (Model *m, gint sent)
{
  guint16 seq;

  fail_unless_equals_int (gst_tfrc_numbering_original (&m->n, (guint16)sent, &seq), sent >= FIRST);
  if (sent >= FIRST)
    fail_unless_equals_int (seq, (guint16)m->came_as[sent - FIRST]);
}

static void
model_check_sent (Model *m, gint seq)
{
  gint expected = seq < FIRST ? -1 : m->sent_as[seq - FIRST];
  guint16 sent;

  fail_unless_equals_int (gst_tfrc_numbering_sent (&m->n, (guint16)seq, &sent), expected >= 0);
  if (expected >= 0)
    fail_unless_equals_int (sent, (guint16)expected);
}

/* One in 300 is given up, in runs of one to three; 150000 numbers wrap twice. */
GST_START_TEST (test_numbers_lead_back)
{
  GRand *random = g_rand_new_with_seed (1);
  Model m;
  gint seq;

  model_open (&m);
  for (seq = FIRST; seq < FIRST + PACKETS; seq++) {
    if (seq > FIRST && g_rand_int_range (random, 0, 600) == 0) {
      gint run = g_rand_int_range (random, 1, 4);

      for (; run > 0 && seq + 1 < FIRST + PACKETS; run--)
        gst_tfrc_numbering_give_up (&m.n, (guint16)seq++);
    }
    model_send (&m, seq);
    if (seq % 4 != 0)
      continue;
    model_check_original (&m, m.newest - g_rand_int_range (random, 0, REQUESTS));
    model_check_sent (&m, seq - g_rand_int_range (random, 0, REQUESTS));
  }
  model_close (&m);
  g_rand_free (random);
}
GST_END_TEST;

/* What is ahead of the last one, and what is far behind, was not sent. */
GST_START_TEST (test_numbers_out_of_reach)
{
  guint16 found;
  Model m;
  gint seq;

  model_open (&m);
  fail_unless (!gst_tfrc_numbering_original (&m.n, 0, &found));
  fail_unless (!gst_tfrc_numbering_sent (&m.n, 0, &found));
  for (seq = FIRST; seq < FIRST + 100000; seq++)
    model_send (&m, seq);
  fail_unless (!gst_tfrc_numbering_original (&m.n, (guint16)seq, &found));
  fail_unless (!gst_tfrc_numbering_original (&m.n, (guint16)(seq - 1 - GST_TFRC_NUMBERING_REACH), &found));
  fail_unless (gst_tfrc_numbering_original (&m.n, (guint16)(seq - GST_TFRC_NUMBERING_REACH), &found));
  model_close (&m);
}
GST_END_TEST;

/* A payloader that starts over is followed. */
GST_START_TEST (test_numbers_start_over)
{
  GstTfrcNumbering n = {0};
  guint16 found;
  guint i;

  for (i = 0; i < 100; i++)
    gst_tfrc_numbering_offset (&n, (guint16)(1000 + i));
  for (i = 0; i < 100; i++)
    fail_unless_equals_int (gst_tfrc_numbering_offset (&n, (guint16)(40000 + i)), 0);
  fail_unless (gst_tfrc_numbering_original (&n, 40050, &found));
  fail_unless_equals_int (found, 40050);
  fail_unless (!gst_tfrc_numbering_original (&n, 1050, &found));
}
GST_END_TEST;

static Suite *
tfrcnumbering_suite (void)
{
  Suite *suite = suite_create ("tfrcnumbering");
  TCase *tcase = tcase_create ("tfrcnumbering");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_numbers_lead_back);
  tcase_add_test (tcase, test_numbers_out_of_reach);
  tcase_add_test (tcase, test_numbers_start_over);
  return suite;
}

GST_CHECK_MAIN (tfrcnumbering);
