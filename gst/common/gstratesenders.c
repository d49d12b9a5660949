/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstratesenders.h"

#define LIFE (2 * CC_SECOND)

void
gst_rate_senders_init (GstRateSenders *s)
{
  s->n = 0;
}

static gboolean
is_gone (const GstRateSender *sender, CcTime now)
{
  return cc_time_since (now, sender->at) > LIFE;
}

/* The sender's own, a new one, or that of who was silent for longest. */
static GstRateSender *
place_of (GstRateSenders *s, guint key, guint32 ssrc)
{
  GstRateSender *oldest = &s->sender[0];

  for (guint i = 0; i < s->n; i++) {
    if (s->sender[i].key == key && s->sender[i].ssrc == ssrc)
      return &s->sender[i];
    if (s->sender[i].at < oldest->at)
      oldest = &s->sender[i];
  }
  return s->n < GST_RATE_SENDERS_MOST ? &s->sender[s->n++] : oldest;
}

static gboolean
counts_before (const GstRateInfo *a, const GstRateInfo *b)
{
  return a->pause == b->pause ? a->bitrate < b->bitrate : !a->pause;
}

GstRateInfo
gst_rate_senders_on_rate (GstRateSenders *s, const GstRateInfo *info, guint32 ssrc, CcTime now)
{
  guint key = info->sender ? g_str_hash (info->sender) : 0;
  GstRateSender *least = place_of (s, key, ssrc);

  *least = (GstRateSender){key, ssrc, *info, now};
  least->info.sender = NULL; /* which goes with the event */
  for (guint i = 0; i < s->n; i++)
    if (s->sender[i].ssrc == ssrc && !is_gone (&s->sender[i], now) && counts_before (&s->sender[i].info, &least->info))
      least = &s->sender[i];
  return least->info;
}

guint
gst_rate_senders_count (const GstRateSenders *s, CcTime now)
{
  guint known = 0;

  for (guint i = 0; i < s->n; i++)
    known += !is_gone (&s->sender[i], now);
  return known;
}
