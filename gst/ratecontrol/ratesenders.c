/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "ratesenders.h"

#define LIFE (2 * CC_SECOND)

void
rate_senders_init (RateSenders *s)
{
  s->n = 0;
}

static gboolean
is_gone (const RateSender *sender, CcTime now)
{
  return cc_time_since (now, sender->at) > LIFE;
}

/* The sender's own, a new one, or that of who was silent for longest. */
static RateSender *
place_of (RateSenders *s, guint key)
{
  RateSender *oldest = &s->sender[0];

  for (guint i = 0; i < s->n; i++) {
    if (s->sender[i].key == key)
      return &s->sender[i];
    if (s->sender[i].at < oldest->at)
      oldest = &s->sender[i];
  }
  return s->n < RATE_SENDERS_MOST ? &s->sender[s->n++] : oldest;
}

static gboolean
counts_before (const GstRateInfo *a, const GstRateInfo *b)
{
  return a->pause == b->pause ? a->bitrate < b->bitrate : !a->pause;
}

GstRateInfo
rate_senders_on_rate (RateSenders *s, const GstRateInfo *info, CcTime now)
{
  guint key = info->sender ? g_str_hash (info->sender) : 0;
  RateSender *least = place_of (s, key);

  *least = (RateSender){key, *info, now};
  least->info.sender = NULL; /* which goes with the event */
  for (guint i = 0; i < s->n; i++)
    if (!is_gone (&s->sender[i], now) && counts_before (&s->sender[i].info, &least->info))
      least = &s->sender[i];
  return least->info;
}

guint
rate_senders_count (const RateSenders *s, CcTime now)
{
  guint known = 0;

  for (guint i = 0; i < s->n; i++)
    known += !is_gone (&s->sender[i], now);
  return known;
}
