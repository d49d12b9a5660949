/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpnewcomers.h"

void
rtp_newcomers_init (RtpNewcomers *n, CcTime now)
{
  *n = (RtpNewcomers){.since = now};
}

/* The place of a host, else a free one, else -1. */
static int
place_of (const RtpNewcomers *n, uint64_t host)
{
  int free_place = -1;

  for (int i = 0; i < RTP_NEWCOMERS_PLACES; i++) {
    if (n->places[i].count == 0)
      free_place = i;
    else if (n->places[i].host == host)
      return i;
  }
  return free_place;
}

static void
lower_all (RtpNewcomers *n)
{
  for (int i = 0; i < RTP_NEWCOMERS_PLACES; i++)
    n->places[i].count--;
}

bool
rtp_newcomers_take (RtpNewcomers *n, uint64_t host, CcTime now)
{
  int at;

  if (cc_time_since (now, n->since) >= RTP_NEWCOMERS_SPAN)
    rtp_newcomers_init (n, now);
  at = place_of (n, host);
  if (at < 0) {
    lower_all (n);
    return true;
  }
  if (n->places[at].count >= RTP_NEWCOMERS_AT_ONCE)
    return false;
  n->places[at].host = host;
  n->places[at].count++;
  return true;
}
