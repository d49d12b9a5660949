/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fbretention.h"

#define LEAST_RETENTION (2 * CC_SECOND)
#define FNV_BASIS 0xcbf29ce484222325u
#define FNV_PRIME 0x100000001b3u

static uint64_t
hash_bytes (uint64_t hash, const uint8_t *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ bytes[i]) * FNV_PRIME;
  return (hash ^ size) * FNV_PRIME;
}

FbItem
fb_item_nack (uint32_t media_ssrc, uint16_t seq)
{
  return (FbItem){.kind = FB_NACK, .ssrc = media_ssrc, .detail = seq};
}

FbItem
fb_item_pli (uint32_t media_ssrc)
{
  return (FbItem){.kind = FB_PLI, .ssrc = media_ssrc};
}

FbItem
fb_item_fir (uint32_t target_ssrc)
{
  return (FbItem){.kind = FB_FIR, .ssrc = target_ssrc};
}

FbItem
fb_item_sli (uint32_t media_ssrc, const RtcpSli *slice)
{
  return (FbItem){.kind = FB_SLI,
      .ssrc = media_ssrc,
      .detail = (uint64_t)slice->picture_id << 32 | (uint64_t)slice->first << 16 | slice->number};
}

FbItem
fb_item_rpsi (uint32_t media_ssrc, const RtcpRpsi *rpsi)
{
  const uint8_t head[] = {rpsi->payload_type, (uint8_t)(rpsi->n_bits >> 8), (uint8_t)rpsi->n_bits};
  uint64_t hash = hash_bytes (FNV_BASIS, head, sizeof head);

  return (FbItem){
      .kind = FB_RPSI, .ssrc = media_ssrc, .detail = hash_bytes (hash, rpsi->bits, ((size_t)rpsi->n_bits + 7) / 8)};
}

FbItem
fb_item_application (uint32_t media_ssrc, const uint8_t *fci, size_t size)
{
  return (FbItem){.kind = FB_APPLICATION, .ssrc = media_ssrc, .detail = hash_bytes (FNV_BASIS, fci, size)};
}

void
fb_retention_params_init (FbRetentionParams *params)
{
  *params = (FbRetentionParams){.T_retention = LEAST_RETENTION, .max_in_a_row = 4};
}

void
fb_retention_init (FbRetention *r, const FbRetentionParams *params)
{
  const FbHeard free_place = {.at = CC_TIME_NONE};

  *r = (FbRetention){.params = *params};
  if (r->params.T_retention < LEAST_RETENTION)
    r->params.T_retention = LEAST_RETENTION;
  for (unsigned i = 0; i < FB_RETENTION_SETS; i++)
    for (unsigned j = 0; j < FB_RETENTION_WAYS; j++)
      r->heard[i][j] = free_place;
  for (unsigned i = 0; i < FB_RETENTION_SLICES; i++)
    r->slices[i] = free_place;
}

typedef struct {
  FbHeard *places;
  unsigned n;
} Set;

/* Sequence numbers in a row lie in sets in a row, so that as many as there are places have one each. PLI and FIR of a
   source share a set. */
static Set
set_of (FbRetention *r, const FbItem *item)
{
  uint32_t start = item->ssrc * 2654435761u >> 16;

  if (item->kind == FB_SLI)
    return (Set){r->slices, FB_RETENTION_SLICES};
  return (Set){r->heard[(start + item->detail) % FB_RETENTION_SETS], FB_RETENTION_WAYS};
}

static uint32_t
slice_first (const FbItem *item)
{
  return item->detail >> 16 & 0xffff;
}

static uint32_t
slice_end (const FbItem *item)
{
  return slice_first (item) + (uint32_t)(item->detail & 0xffff);
}

static bool
same (const FbItem *a, const FbItem *b)
{
  return a->kind == b->kind && a->ssrc == b->ssrc && a->detail == b->detail;
}

static bool
superset (const FbItem *heard, const FbItem *mine)
{
  if (heard->kind == FB_FIR && mine->kind == FB_PLI)
    return heard->ssrc == mine->ssrc;
  if (heard->kind != FB_SLI || mine->kind != FB_SLI)
    return same (heard, mine);
  return heard->ssrc == mine->ssrc && heard->detail >> 32 == mine->detail >> 32 &&
         slice_first (heard) <= slice_first (mine) && slice_end (heard) >= slice_end (mine);
}

static FbHeard *
find_same (Set set, const FbItem *item)
{
  for (unsigned i = 0; i < set.n; i++)
    if (set.places[i].at != CC_TIME_NONE && same (&set.places[i].item, item))
      return &set.places[i];
  return NULL;
}

static FbHeard *
oldest (Set set)
{
  FbHeard *found = &set.places[0];

  for (unsigned i = 0; i < set.n; i++) {
    if (set.places[i].at == CC_TIME_NONE)
      return &set.places[i];
    if (set.places[i].at < found->at)
      found = &set.places[i];
  }
  return found;
}

void
fb_retention_on_received (FbRetention *r, const FbItem *item, CcTime now)
{
  Set set = set_of (r, item);
  FbHeard *h = find_same (set, item);

  r->received++;
  if (h == NULL || cc_time_since (now, h->at) > r->params.T_retention) {
    h = h != NULL ? h : oldest (set);
    *h = (FbHeard){.item = *item};
  }
  h->at = now;
}

/* What covers mine, one after the other; *at counts places from 0. NULL behind the last. */
static FbHeard *
next_covering (FbRetention *r, const FbItem *mine, unsigned *at)
{
  Set set = set_of (r, mine);

  while (*at < set.n) {
    FbHeard *h = &set.places[(*at)++];

    if (h->at != CC_TIME_NONE && superset (&h->item, mine))
      return h;
  }
  return NULL;
}

/* RFC 4585 3.5.2 (5): received in [t0 - T_retention, te] */
static bool
recent (const FbRetention *r, const FbHeard *h, CcTime t0)
{
  return cc_time_add (h->at, r->params.T_retention) >= t0;
}

bool
fb_retention_covers (const FbRetention *r, const FbItem *mine, CcTime t0)
{
  FbHeard *h;
  unsigned at = 0;

  while ((h = next_covering ((FbRetention *)r, mine, &at)) != NULL)
    if (recent (r, h, t0))
      return true;
  return false;
}

/* All that cover it are counted, so that saying it in ever new words does not make the row longer. */
bool
fb_retention_suppress (FbRetention *r, const FbItem *mine, CcTime t0)
{
  unsigned at = 0, row = 0;
  bool heard = false;
  FbHeard *h;

  while ((h = next_covering (r, mine, &at)) != NULL) {
    if (!recent (r, h, t0))
      continue;
    heard = true;
    row = h->believed > row ? h->believed : row;
    h->believed++;
  }
  if (!heard)
    return false;
  if (row >= r->params.max_in_a_row) {
    r->disbelieved++;
    return false;
  }
  r->suppressed++;
  return true;
}

void
fb_retention_on_sent (FbRetention *r, const FbItem *mine)
{
  unsigned at = 0;
  FbHeard *h;

  while ((h = next_covering (r, mine, &at)) != NULL)
    h->believed = 0;
}

void
fb_retention_forget (FbRetention *r, const FbItem *item)
{
  unsigned at = 0;
  FbHeard *h;

  while ((h = next_covering (r, item, &at)) != NULL)
    h->at = CC_TIME_NONE;
}
