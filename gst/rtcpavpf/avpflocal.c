/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "avpflocal.h"

#include <string.h>

#define SENDER_TIMEOUT (10 * GST_SECOND) /* 2 T, before there is a timing */

static AvpfLocal *
append (AvpfLocalTable *table, guint32 ssrc)
{
  AvpfLocal *local = &table->locals[table->n++];

  *local = (AvpfLocal){.ssrc = ssrc, .last_rtp = GST_CLOCK_TIME_NONE, .rtp_time_at = GST_CLOCK_TIME_NONE};
  return local;
}

void
avpf_local_table_init (AvpfLocalTable *table, guint32 ssrc)
{
  *table = (AvpfLocalTable){0};
  append (table, ssrc);
}

AvpfLocal *
avpf_local_table_find (AvpfLocalTable *table, guint32 ssrc)
{
  guint i;

  for (i = 0; i < table->n; i++)
    if (table->locals[i].ssrc == ssrc)
      return &table->locals[i];
  return NULL;
}

/* The oldest owed BYE gives way: it would be nine at once. */
static void
owe_bye (AvpfLocalTable *table, const AvpfLocal *local)
{
  if (!local->known)
    return;
  if (table->n_leaving == AVPF_MAX_LOCALS)
    memmove (table->leaving, table->leaving + 1, --table->n_leaving * sizeof table->leaving[0]);
  table->leaving[table->n_leaving++] = local->ssrc;
}

static void
drop (AvpfLocalTable *table, AvpfLocal *local)
{
  owe_bye (table, local);
  *local = table->locals[--table->n];
}

static AvpfLocal *
silent_longest (AvpfLocalTable *table)
{
  AvpfLocal *oldest = NULL;
  guint i;

  for (i = 0; i < table->n; i++) {
    AvpfLocal *l = &table->locals[i];

    if (!l->we_sent && (oldest == NULL || l->last_rtp < oldest->last_rtp))
      oldest = l;
  }
  return oldest;
}

/* Its timing goes on: there are as many of us as before. */
static AvpfLocal *
replace (AvpfLocalTable *table, AvpfLocal *local, guint32 ssrc)
{
  AvpfTiming timing = local->timing;
  gboolean timing_runs = local->timing_runs;

  drop (table, local);
  local = append (table, ssrc);
  local->timing = timing;
  local->timing_runs = timing_runs;
  return local;
}

/* This end goes on, as one that reports: it has spoken, and may say the BYE it owes (RFC 3550 6.3.7). */
static void
leave (AvpfLocalTable *table, AvpfLocal *local, guint32 fresh)
{
  if (table->n == 1)
    replace (table, local, fresh);
  else
    drop (table, local);
}

static AvpfLocal *
add_media (AvpfLocalTable *table, guint32 ssrc)
{
  AvpfLocal *old = NULL;

  if (!table->locals[0].media)
    old = &table->locals[0];
  else if (table->n == AVPF_MAX_LOCALS)
    old = silent_longest (table);
  else
    return append (table, ssrc);
  if (old != NULL)
    return replace (table, old, ssrc);
  table->refused++;
  return NULL;
}

AvpfLocal *
avpf_local_table_on_rtp (AvpfLocalTable *table, const AvpfLocalPacket *packet, GstClockTime now, gboolean *changed)
{
  AvpfLocal *local = avpf_local_table_find (table, packet->ssrc);

  *changed = FALSE;
  if (local == NULL)
    local = add_media (table, packet->ssrc);
  if (local == NULL)
    return NULL;
  *changed = !local->we_sent;
  local->media = local->we_sent = local->known = TRUE;
  local->packet_count++;
  local->octet_count += packet->payload_bytes;
  local->clock_rate = packet->clock_rate;
  local->rtp_time = packet->rtp_time;
  local->rtp_time_at = packet->due_at;
  local->last_rtp = now;
  return local;
}

static GstClockTime
sender_timeout (const AvpfLocal *local)
{
  return local->timing_runs ? avpf_timing_sender_timeout (&local->timing) : SENDER_TIMEOUT;
}

guint
avpf_local_table_expire (AvpfLocalTable *table, GstClockTime now)
{
  guint i, gone = 0;

  for (i = 0; i < table->n; i++) {
    AvpfLocal *l = &table->locals[i];

    if (l->we_sent && now >= l->last_rtp + sender_timeout (l)) {
      l->we_sent = FALSE;
      gone++;
    }
  }
  return gone;
}

guint
avpf_local_table_senders (const AvpfLocalTable *table)
{
  guint i, n = 0;

  for (i = 0; i < table->n; i++)
    n += table->locals[i].we_sent ? 1 : 0;
  return n;
}

void
avpf_local_table_remove (AvpfLocalTable *table, guint32 ssrc, guint32 fresh)
{
  AvpfLocal *local = avpf_local_table_find (table, ssrc);

  if (local != NULL)
    leave (table, local, fresh);
}

void
avpf_local_table_remove_media (AvpfLocalTable *table, guint32 fresh)
{
  guint i;

  for (i = table->n; i-- > 0;)
    if (table->locals[i].media)
      leave (table, &table->locals[i], fresh);
}

gboolean
avpf_local_table_on_conflict (AvpfLocalTable *table, guint32 ssrc, guint32 fresh)
{
  AvpfLocal *local = avpf_local_table_find (table, ssrc);
  gboolean media;

  if (local == NULL)
    return FALSE;
  table->conflicts++;
  media = local->media;
  if (media) {
    avpf_local_table_remove (table, ssrc, fresh);
  } else {
    replace (table, local, fresh);
  }
  return media;
}

static guint32
rtp_time_at (const AvpfLocal *local, GstClockTime when)
{
  if (!GST_CLOCK_TIME_IS_VALID (local->rtp_time_at))
    return local->rtp_time;
  if (when >= local->rtp_time_at)
    return local->rtp_time + (guint32)gst_util_uint64_scale (when - local->rtp_time_at, local->clock_rate, GST_SECOND);
  return local->rtp_time - (guint32)gst_util_uint64_scale (local->rtp_time_at - when, local->clock_rate, GST_SECOND);
}

void
avpf_local_sender_info (const AvpfLocal *local, guint64 ntp_time, GstClockTime now, RtcpSenderInfo *info)
{
  *info = (RtcpSenderInfo){.ssrc = local->ssrc,
      .ntp_time = ntp_time,
      .rtp_time = rtp_time_at (local, now),
      .packet_count = local->packet_count,
      .octet_count = local->octet_count};
}
