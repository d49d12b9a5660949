/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtplocals.h"

#include <string.h>

#define SENDER_TIMEOUT (10 * CC_SECOND) /* 2 T, before there is a timing */

static RtpLocal *
append (RtpLocals *table, uint32_t ssrc)
{
  RtpLocal *local = &table->locals[table->n++];

  *local = (RtpLocal){.ssrc = ssrc, .last_rtp = CC_TIME_NONE, .rtp_time_at = CC_TIME_NONE};
  return local;
}

void
rtp_locals_init (RtpLocals *table, uint32_t ssrc)
{
  *table = (RtpLocals){0};
  append (table, ssrc);
}

RtpLocal *
rtp_locals_find (RtpLocals *table, uint32_t ssrc)
{
  unsigned i;

  for (i = 0; i < table->n; i++)
    if (table->locals[i].ssrc == ssrc)
      return &table->locals[i];
  return NULL;
}

/* The oldest owed BYE gives way: it would be nine at once. */
static void
owe_bye (RtpLocals *table, const RtpLocal *local)
{
  if (!local->known)
    return;
  if (table->n_leaving == RTP_LOCALS_MAX)
    memmove (table->leaving, table->leaving + 1, --table->n_leaving * sizeof table->leaving[0]);
  table->leaving[table->n_leaving++] = local->ssrc;
}

static void
drop (RtpLocals *table, RtpLocal *local)
{
  owe_bye (table, local);
  *local = table->locals[--table->n];
}

static RtpLocal *
silent_longest (RtpLocals *table)
{
  RtpLocal *oldest = NULL;
  unsigned i;

  for (i = 0; i < table->n; i++) {
    RtpLocal *l = &table->locals[i];

    if (!l->we_sent && (oldest == NULL || l->last_rtp < oldest->last_rtp))
      oldest = l;
  }
  return oldest;
}

/* Its timing goes on: there are as many of us as before. */
static RtpLocal *
replace (RtpLocals *table, RtpLocal *local, uint32_t ssrc)
{
  AvpfTiming timing = local->timing;
  bool timing_runs = local->timing_runs;

  drop (table, local);
  local = append (table, ssrc);
  local->timing = timing;
  local->timing_runs = timing_runs;
  return local;
}

/* This end goes on, as one that reports: it has spoken, and may say the BYE it owes (RFC 3550 6.3.7). */
static void
leave (RtpLocals *table, RtpLocal *local, uint32_t fresh)
{
  if (table->n == 1)
    replace (table, local, fresh);
  else
    drop (table, local);
}

static RtpLocal *
add_media (RtpLocals *table, uint32_t ssrc)
{
  RtpLocal *old = NULL;

  if (!table->locals[0].media)
    old = &table->locals[0];
  else if (table->n == RTP_LOCALS_MAX)
    old = silent_longest (table);
  else
    return append (table, ssrc);
  if (old != NULL)
    return replace (table, old, ssrc);
  table->refused++;
  return NULL;
}

RtpLocal *
rtp_locals_add (RtpLocals *table, uint32_t ssrc)
{
  RtpLocal *local = rtp_locals_find (table, ssrc);

  if (local == NULL)
    local = add_media (table, ssrc);
  if (local != NULL)
    local->media = true;
  return local;
}

RtpLocal *
rtp_locals_on_rtp (RtpLocals *table, const RtpLocalPacket *packet, CcTime now, bool *changed)
{
  RtpLocal *local = rtp_locals_add (table, packet->ssrc);

  *changed = false;
  if (local == NULL)
    return NULL;
  *changed = !local->we_sent;
  local->we_sent = local->known = true;
  local->packet_count++;
  local->octet_count += packet->payload_bytes;
  local->clock_rate = packet->clock_rate;
  local->rtp_time = packet->rtp_time;
  local->rtp_time_at = packet->due_at;
  local->last_rtp = now;
  return local;
}

static CcTime
sender_timeout (const RtpLocal *local)
{
  return local->timing_runs ? avpf_timing_sender_timeout (&local->timing) : SENDER_TIMEOUT;
}

unsigned
rtp_locals_expire (RtpLocals *table, CcTime now)
{
  unsigned i, gone = 0;

  for (i = 0; i < table->n; i++) {
    RtpLocal *l = &table->locals[i];

    if (l->we_sent && now >= l->last_rtp + sender_timeout (l)) {
      l->we_sent = false;
      gone++;
    }
  }
  return gone;
}

unsigned
rtp_locals_senders (const RtpLocals *table)
{
  unsigned i, n = 0;

  for (i = 0; i < table->n; i++)
    n += table->locals[i].we_sent ? 1 : 0;
  return n;
}

bool
rtp_locals_have_sent (const RtpLocals *table)
{
  unsigned i;

  for (i = 0; i < table->n; i++)
    if (table->locals[i].last_rtp != CC_TIME_NONE)
      return true;
  return false;
}

void
rtp_locals_remove (RtpLocals *table, uint32_t ssrc, uint32_t fresh)
{
  RtpLocal *local = rtp_locals_find (table, ssrc);

  if (local != NULL)
    leave (table, local, fresh);
}

void
rtp_locals_remove_media (RtpLocals *table, uint32_t fresh)
{
  unsigned i;

  for (i = table->n; i-- > 0;)
    if (table->locals[i].media)
      leave (table, &table->locals[i], fresh);
}

bool
rtp_locals_on_conflict (RtpLocals *table, uint32_t ssrc, uint32_t fresh)
{
  RtpLocal *local = rtp_locals_find (table, ssrc);
  bool media;

  if (local == NULL)
    return false;
  table->conflicts++;
  media = local->media;
  if (media) {
    rtp_locals_remove (table, ssrc, fresh);
  } else {
    replace (table, local, fresh);
  }
  return media;
}

/* Modulo 2^32. */
static uint32_t
ticks (CcDuration span, uint32_t clock_rate)
{
  return (uint32_t)(span / CC_SECOND * clock_rate + span % CC_SECOND * clock_rate / CC_SECOND);
}

static uint32_t
rtp_time_at (const RtpLocal *local, CcTime when)
{
  if (local->rtp_time_at == CC_TIME_NONE)
    return local->rtp_time;
  if (when >= local->rtp_time_at)
    return local->rtp_time + ticks (when - local->rtp_time_at, local->clock_rate);
  return local->rtp_time - ticks (local->rtp_time_at - when, local->clock_rate);
}

void
rtp_local_sender_info (const RtpLocal *local, uint64_t ntp_time, CcTime now, RtcpSenderInfo *info)
{
  *info = (RtcpSenderInfo){.ssrc = local->ssrc,
      .ntp_time = ntp_time,
      .rtp_time = rtp_time_at (local, now),
      .packet_count = local->packet_count,
      .octet_count = local->octet_count};
}
