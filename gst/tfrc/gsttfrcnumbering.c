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

guint16
gst_tfrc_numbering_offset (GstTfrcNumbering *n, guint16 seq)
{
  while (n->n_gaps > 0 && is_before (n->gaps[0].from, seq)) {
    n->skipped += n->gaps[0].count;
    remove_gap (n, 0);
  }
  return n->skipped;
}
