/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "senttraffic.h"
#include <math.h>

#define WINDOW (500 * CC_MSECOND)
#define OF_LATE (250 * CC_MSECOND)
#define FIRST_PACKET 1000.0 /* bytes, until one has left */
#define PACKETS 16          /* that a size is the mean of */
#define IDLE 1.0            /* s: a window that long is none */

void
sent_traffic_init (SentTraffic *t, CcTime now)
{
  *t = (SentTraffic){.packet_bytes = FIRST_PACKET, .window_at = now, .late_at = now};
}

static void
end_window (SentTraffic *t, double elapsed, CcTime now)
{
  double fresh = (double)t->window_bytes / elapsed;

  t->Bps = t->Bps > 0 ? 0.5 * (t->Bps + fresh) : fresh;
  t->now_Bps = fresh;
  t->resent_Bps = 0.5 * (t->resent_Bps + (double)t->window_resent_bytes / elapsed);
  t->window_at = now;
  t->window_bytes = t->window_resent_bytes = 0;
}

static void
count_of_late (SentTraffic *t, uint32_t wire_bytes, CcTime now)
{
  CcDuration elapsed = cc_time_since (now, t->late_at);

  if (elapsed >= OF_LATE) {
    t->late_Bps = (double)t->late_bytes / cc_seconds (elapsed);
    t->late_at = now;
    t->late_bytes = 0;
  }
  t->late_bytes += wire_bytes;
}

void
sent_traffic_on_packet (SentTraffic *t, uint32_t packet_bytes, uint32_t wire_bytes, bool resent, CcTime now)
{
  CcDuration elapsed = cc_time_since (now, t->window_at);

  t->packet_bytes += (fmax (packet_bytes, 12) - t->packet_bytes) / (t->packets ? PACKETS : 1);
  if (elapsed >= WINDOW)
    end_window (t, cc_seconds (elapsed), now);
  count_of_late (t, wire_bytes, now);
  t->window_bytes += wire_bytes;
  if (resent)
    t->window_resent_bytes += wire_bytes;
  t->packets++;
  t->bytes += wire_bytes;
}

double
sent_traffic_rate (const SentTraffic *t, CcTime now)
{
  double idle = cc_seconds (cc_time_since (now, t->window_at));

  return idle > IDLE ? (double)t->window_bytes / idle : t->Bps;
}
