/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcnumbers.h"

#include <string.h>

void
gst_tfrc_numbers_init (GstTfrcNumbers *n)
{
  memset (n, 0, sizeof *n);
}

guint32
gst_tfrc_numbers_only (const GstTfrcNumbers *n)
{
  return n->n_ssrcs == 1 ? n->ssrcs[0].ssrc : 0;
}

static GstTfrcNumbered *
find (GstTfrcNumbers *n, guint32 ssrc)
{
  guint i;

  for (i = 0; i < n->n_ssrcs; i++)
    if (n->ssrcs[i].ssrc == ssrc)
      return &n->ssrcs[i];
  return NULL;
}

static GstTfrcNumbered *
longest_silent (GstTfrcNumbers *n)
{
  GstTfrcNumbered *oldest = &n->ssrcs[0];
  guint i;

  for (i = 1; i < n->n_ssrcs; i++)
    if (n->ssrcs[i].used_at < oldest->used_at)
      oldest = &n->ssrcs[i];
  return oldest;
}

static GstTfrcNumbered *
find_or_add (GstTfrcNumbers *n, guint32 ssrc, CcTime now)
{
  GstTfrcNumbered *s = find (n, ssrc);

  if (s == NULL) {
    s = n->n_ssrcs < GST_TFRC_NUMBERS_SSRCS ? &n->ssrcs[n->n_ssrcs++] : longest_silent (n);
    memset (s, 0, sizeof *s);
    s->ssrc = ssrc;
  }
  s->used_at = now;
  return s;
}

void
gst_tfrc_numbers_give_up (GstTfrcNumbers *n, guint32 ssrc, guint16 seq, CcTime now)
{
  gst_tfrc_numbering_give_up (&find_or_add (n, ssrc, now)->numbering, seq);
}

guint16
gst_tfrc_numbers_offset (GstTfrcNumbers *n, guint32 ssrc, guint16 seq, CcTime now)
{
  return gst_tfrc_numbering_offset (&find_or_add (n, ssrc, now)->numbering, seq);
}

gboolean
gst_tfrc_numbers_ask (GstTfrcNumbers *n, guint32 ssrc, guint16 sent, guint16 *seq)
{
  GstTfrcNumbered *s = find (n, ssrc);

  if (s == NULL || !gst_tfrc_numbering_original (&s->numbering, sent, seq)) {
    n->unknown++;
    return FALSE;
  }
  n->asked[n->n_asked++ % GST_TFRC_NUMBERS_ASKED] = (GstTfrcAsked){ssrc, *seq};
  return TRUE;
}

/* RFC 4588 5.3: which SSRC a packet belongs to is told by what was asked for. */
static GstTfrcNumbered *
original_of (GstTfrcNumbers *n, GstTfrcNumbered *s, guint16 osn)
{
  guint i;

  for (i = 1; !s->knows_which && i <= MIN (n->n_asked, GST_TFRC_NUMBERS_ASKED); i++) {
    const GstTfrcAsked *a = &n->asked[(n->n_asked - i) % GST_TFRC_NUMBERS_ASKED];

    if (a->seq == osn) {
      s->knows_which = TRUE;
      s->resends_of = a->ssrc;
    }
  }
  return s->knows_which ? find (n, s->resends_of) : NULL;
}

gboolean
gst_tfrc_numbers_resent (GstTfrcNumbers *n, guint32 ssrc, guint16 *osn)
{
  GstTfrcNumbered *s = find (n, ssrc), *original = s != NULL ? original_of (n, s, *osn) : NULL;

  if (original != NULL && gst_tfrc_numbering_sent (&original->numbering, *osn, osn)) {
    n->resent++;
    return TRUE;
  }
  n->lost++;
  return FALSE;
}
