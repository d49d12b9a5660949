/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpsources.h"

#include <string.h>

#define BYE_RETENTION (2 * CC_SECOND)
#define BYE_STRAGGLERS 3
#define LATELY (500 * CC_MSECOND)

void
rtp_sources_init (RtpSources *table, const CcMemory *memory)
{
  memset (table, 0, sizeof *table);
  table->memory = *memory;
}

static RtpSource *
source_new (const RtpSources *table, uint32_t ssrc, const RtpSourceParams *params, CcTime now)
{
  RtpSource *s = cc_memory_get (&table->memory, sizeof *s);

  if (s == NULL)
    return NULL;
  memset (s, 0, sizeof *s);
  s->ssrc = ssrc;
  s->host = params->host;
  rtp_reception_init (&s->reception, params->clock_rate);
  cc_receiver_init (&s->cc, &params->cc);
  explicit_rate_init (&s->explicit_rate);
  key_request_init (&s->key, &params->key);
  s->last_rtp = s->bye_at = s->key_t0 = s->nack_t0 = CC_TIME_NONE;
  s->last_heard = now;
  return s;
}

static void
source_free (const RtpSources *table, RtpSource **place)
{
  RtpSource *s = *place;

  *place = NULL;
  if (s == NULL)
    return;
  cc_memory_put (&table->memory, s->nack);
  cc_memory_put (&table->memory, s->arrivals);
  cc_memory_put (&table->memory, s->tmmbr);
  cc_memory_put (&table->memory, s);
}

NackRequest *
rtp_source_nack (RtpSources *table, RtpSource *s, const NackRequestParams *params)
{
  if (s->nack != NULL)
    return s->nack;
  s->nack = cc_memory_get (&table->memory, sizeof *s->nack);
  if (s->nack == NULL)
    return NULL;
  nack_request_init (s->nack, params);
  if (s->key.rtt != 0)
    nack_request_set_rtt (s->nack, s->key.rtt);
  s->nack_failed = 0;
  return s->nack;
}

ArrivalHistory *
rtp_sources_new_history (const RtpSources *table)
{
  ArrivalHistory *history = cc_memory_get (&table->memory, sizeof *history);

  if (history != NULL)
    arrival_history_init (history, 0);
  return history;
}

TmmbrReceiver *
rtp_source_tmmbr (RtpSources *table, RtpSource *s)
{
  if (s->tmmbr != NULL)
    return s->tmmbr;
  s->tmmbr = cc_memory_get (&table->memory, sizeof *s->tmmbr);
  if (s->tmmbr != NULL)
    tmmbr_receiver_init (s->tmmbr);
  return s->tmmbr;
}

void
rtp_sources_clear (RtpSources *table)
{
  unsigned i;

  for (i = 0; i < RTP_SOURCES_MAX; i++)
    source_free (table, &table->sources[i]);
}

void
rtp_sources_keep_host (RtpSources *table, uint64_t host)
{
  unsigned i;

  for (i = 0; i < RTP_SOURCES_MAX; i++)
    if (table->sources[i] != NULL && table->sources[i]->host != host)
      source_free (table, &table->sources[i]);
}

RtpSource *
rtp_sources_find (const RtpSources *table, uint32_t ssrc)
{
  unsigned i;

  for (i = 0; i < RTP_SOURCES_MAX; i++)
    if (table->sources[i] != NULL && table->sources[i]->ssrc == ssrc)
      return table->sources[i];
  return NULL;
}

static unsigned
count_of_host (const RtpSources *table, uint64_t host)
{
  unsigned i, n = 0;

  for (i = 0; i < RTP_SOURCES_MAX; i++)
    n += table->sources[i] != NULL && table->sources[i]->host == host ? 1 : 0;
  return n;
}

static bool
gives_way_before (const RtpSource *a, const RtpSource *b)
{
  return a->valid != b->valid ? !a->valid : a->last_heard < b->last_heard;
}

/* Of that host alone where it is not 0. */
static RtpSource **
evict (RtpSources *table, uint64_t host, CcTime now)
{
  RtpSource **first = NULL;
  unsigned i;

  for (i = 0; i < RTP_SOURCES_MAX; i++) {
    RtpSource *s = table->sources[i];

    if (s == NULL || (host != 0 && s->host != host) || (s->valid && now < s->last_heard + LATELY))
      continue;
    if (first == NULL || gives_way_before (s, *first))
      first = &table->sources[i];
  }
  if (first == NULL)
    return NULL;
  source_free (table, first);
  table->evicted++;
  return first;
}

static RtpSource **
find_room (RtpSources *table, uint64_t host, CcTime now)
{
  unsigned i;

  if (host != 0 && count_of_host (table, host) >= RTP_SOURCES_MAX_OF_HOST)
    return evict (table, host, now);
  for (i = 0; i < RTP_SOURCES_MAX; i++)
    if (table->sources[i] == NULL)
      return &table->sources[i];
  return evict (table, 0, now);
}

RtpSource *
rtp_sources_add (RtpSources *table, uint32_t ssrc, const RtpSourceParams *params, CcTime now)
{
  RtpSource **room = find_room (table, params->host, now);

  if (room != NULL)
    *room = source_new (table, ssrc, params, now);
  if (room == NULL || *room == NULL) {
    table->refused++;
    return NULL;
  }
  return *room;
}

static bool
has_expired (const RtpSource *s, CcTime timeout, CcTime now)
{
  if (s->bye_at != CC_TIME_NONE)
    return now >= s->bye_at + BYE_RETENTION;
  return now >= s->last_heard + timeout;
}

void
rtp_sources_expire (RtpSources *table, CcTime timeout, CcTime now)
{
  unsigned i;

  for (i = 0; i < RTP_SOURCES_MAX; i++)
    if (table->sources[i] != NULL && has_expired (table->sources[i], timeout, now))
      source_free (table, &table->sources[i]);
}

void
rtp_sources_hold_requests (RtpSources *table, CcTime silence, CcTime now)
{
  unsigned i;

  for (i = 0; i < RTP_SOURCES_MAX; i++) {
    RtpSource *s = table->sources[i];

    if (s != NULL && s->last_rtp != CC_TIME_NONE && now >= s->last_rtp + silence) {
      key_request_set_silent (&s->key, true);
      s->key_t0 = CC_TIME_NONE;
    }
  }
}

unsigned
rtp_sources_count (const RtpSources *table)
{
  unsigned i, n = 0;

  for (i = 0; i < RTP_SOURCES_MAX; i++)
    if (table->sources[i] != NULL && rtp_source_present (table->sources[i]))
      n++;
  return n;
}

static bool
sends (const RtpSource *s)
{
  return s != NULL && rtp_source_present (s) && s->last_rtp != CC_TIME_NONE;
}

bool
rtp_sources_is_alive (const RtpSources *table, CcTime within, CcTime now)
{
  unsigned i;

  for (i = 0; i < RTP_SOURCES_MAX; i++)
    if (sends (table->sources[i]) && now < table->sources[i]->last_rtp + within)
      return true;
  return false;
}

RtpSource *
rtp_sources_main (const RtpSources *table)
{
  RtpSource *best = NULL;
  CcTime newest = 0;
  unsigned i;

  for (i = 0; i < RTP_SOURCES_MAX; i++)
    if (sends (table->sources[i]))
      newest = cc_time_max (newest, table->sources[i]->last_rtp);
  for (i = 0; i < RTP_SOURCES_MAX; i++) {
    RtpSource *s = table->sources[i];

    if (sends (s) && s->last_rtp + LATELY >= newest && (best == NULL || s->bytes > best->bytes))
      best = s;
  }
  return best;
}

CcTime
rtp_source_next_timeout (const RtpSource *s)
{
  CcTime next = cc_time_min (cc_receiver_next_timeout (&s->cc), key_request_next_timeout (&s->key));

  return s->nack != NULL ? cc_time_min (next, nack_request_next_timeout (s->nack)) : next;
}

uint32_t
rtp_source_extend (const RtpSource *s, uint16_t seq)
{
  uint32_t highest = rtp_reception_highest (&s->reception);

  return highest + (uint32_t)(int16_t)(seq - (uint16_t)highest);
}

bool
rtp_source_present (const RtpSource *source)
{
  return source->valid && source->bye_at == CC_TIME_NONE;
}

void
rtp_source_on_bye (RtpSource *source, CcTime now)
{
  if (!rtp_source_present (source))
    return;
  source->bye_at = now;
  source->after_bye = 0;
}

bool
rtp_source_on_rtp_after_bye (RtpSource *source)
{
  if (++source->after_bye <= BYE_STRAGGLERS)
    return false;
  source->bye_at = CC_TIME_NONE;
  return true;
}
