/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcnumbering.h"

#include <string.h>

static gboolean
is_before (guint16 a, guint16 b)
{
  return (gint16)(guint16)(a - b) < 0;
}

static void
remove_gap (GstTfrcNumbering *n, guint i)
{
  n->n_gaps--;
  memmove (&n->gaps[i], &n->gaps[i + 1], (n->n_gaps - i) * sizeof n->gaps[0]);
}

static void
insert_gap (GstTfrcNumbering *n, guint i, guint16 seq)
{
  memmove (&n->gaps[i + 1], &n->gaps[i], (n->n_gaps - i) * sizeof n->gaps[0]);
  n->gaps[i].from = seq;
  n->gaps[i].count = 1;
  n->n_gaps++;
}

/* i: the first gap that begins behind seq. */
static gboolean
extend (GstTfrcNumbering *n, guint i, guint16 seq)
{
  gboolean below = i > 0 && (guint16)(n->gaps[i - 1].from + n->gaps[i - 1].count) == seq;
  gboolean above = i < n->n_gaps && n->gaps[i].from == (guint16)(seq + 1);

  if (below) {
    n->gaps[i - 1].count++;
    if (above) {
      n->gaps[i - 1].count += n->gaps[i].count;
      remove_gap (n, i);
    }
  } else if (above) {
    n->gaps[i].from = seq;
    n->gaps[i].count++;
  }
  return below || above;
}

void
gst_tfrc_numbering_give_up (GstTfrcNumbering *n, guint16 seq)
{
  guint i = 0;

  while (i < n->n_gaps && !is_before (seq, n->gaps[i].from))
    i++;
  if (extend (n, i, seq))
    return;
  /* so many separate gaps do not come of frames that wait in one queue: one may show */
  if (n->n_gaps < GST_TFRC_NUMBERING_GAPS)
    insert_gap (n, i, seq);
}

static void
remove_step (GstTfrcNumbering *n)
{
  memmove (&n->steps[0], &n->steps[1], --n->n_steps * sizeof n->steps[0]);
}

static guint16
behind (const GstTfrcNumbering *n, guint16 sent)
{
  return (guint16)(n->newest - sent);
}

/* Numbers out of reach would be mistaken for those of the next round. */
static void
forget_old_steps (GstTfrcNumbering *n)
{
  while (n->n_steps > 1 && behind (n, n->steps[1].from) >= GST_TFRC_NUMBERING_REACH)
    remove_step (n);
  if (behind (n, n->steps[0].from) >= GST_TFRC_NUMBERING_REACH)
    n->steps[0].from = (guint16)(n->newest - GST_TFRC_NUMBERING_REACH + 1);
}

static void
note_sent (GstTfrcNumbering *n, guint16 sent)
{
  guint16 ahead = (guint16)(sent - n->newest);

  if (n->n_steps == 0 || (ahead >= GST_TFRC_NUMBERING_REACH && behind (n, sent) >= GST_TFRC_NUMBERING_REACH)) {
    n->n_steps = 0;
    n->newest = sent;
  } else if (ahead < GST_TFRC_NUMBERING_REACH) {
    n->newest = sent;
  }
  if (n->n_steps == 0 || n->steps[n->n_steps - 1].skipped != n->skipped) {
    if (n->n_steps == GST_TFRC_NUMBERING_STEPS)
      remove_step (n);
    n->steps[n->n_steps].from = sent;
    n->steps[n->n_steps++].skipped = n->skipped;
  }
  forget_old_steps (n);
}

guint16
gst_tfrc_numbering_offset (GstTfrcNumbering *n, guint16 seq)
{
  while (n->n_gaps > 0 && is_before (n->gaps[0].from, seq)) {
    n->skipped += n->gaps[0].count;
    remove_gap (n, 0);
  }
  note_sent (n, (guint16)(seq - n->skipped));
  return n->skipped;
}

/* The step that `sent` was sent in, -1: none that is remembered. */
static gint
step_of (const GstTfrcNumbering *n, guint16 sent)
{
  gint i = (gint)n->n_steps - 1;

  if (n->n_steps == 0 || behind (n, sent) >= GST_TFRC_NUMBERING_REACH)
    return -1;
  while (i >= 0 && behind (n, sent) > behind (n, n->steps[i].from))
    i--;
  return i;
}

gboolean
gst_tfrc_numbering_original (const GstTfrcNumbering *n, guint16 sent, guint16 *seq)
{
  gint i = step_of (n, sent);

  if (i >= 0)
    *seq = (guint16)(sent + n->steps[i].skipped);
  return i >= 0;
}

gboolean
gst_tfrc_numbering_sent (const GstTfrcNumbering *n, guint16 seq, guint16 *sent)
{
  guint i;

  for (i = n->n_steps; i-- > 0;) {
    guint16 candidate = (guint16)(seq - n->steps[i].skipped);

    if (step_of (n, candidate) == (gint)i) {
      *sent = candidate;
      return TRUE;
    }
  }
  return FALSE;
}
