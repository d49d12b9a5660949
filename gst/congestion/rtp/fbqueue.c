/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fbqueue.h"

#include <string.h>

#define APP_NAME_SIZE 4
#define APP_SUBTYPE_MAX 31

void
fb_queue_init (FbQueue *q)
{
  *q = (FbQueue){0};
}

static bool
parse_slice (const uint8_t *bytes, unsigned size, RtcpSli *slice)
{
  size_t n;

  return size == RTCP_SLI_ENTRY_SIZE && rtcp_sli_parse (bytes, size, slice, 1, &n) && n == 1;
}

static bool
well_formed (FbQueueKind kind, uint8_t subtype, const uint8_t *bytes, unsigned size)
{
  RtcpSli slice;
  RtcpRpsi rpsi;

  if (size == 0 || size % 4 != 0 || size > FB_QUEUE_MAX_BYTES)
    return false;
  switch (kind) {
  case FB_QUEUE_SLI:
    return parse_slice (bytes, size, &slice);
  case FB_QUEUE_RPSI:
    return rtcp_rpsi_parse (bytes, size, &rpsi);
  case FB_QUEUE_APP:
    return size >= APP_NAME_SIZE && subtype <= APP_SUBTYPE_MAX;
  default:
    return true;
  }
}

static bool
expired (const FbQueued *e, CcTime now)
{
  return e->deadline != CC_TIME_NONE && now > e->deadline;
}

static void
keep (FbQueue *q, unsigned *kept, unsigned i)
{
  if (*kept != i)
    q->entries[*kept] = q->entries[i];
  (*kept)++;
}

static void
drop_expired (FbQueue *q, CcTime now)
{
  unsigned kept = 0;

  for (unsigned i = 0; i < q->n; i++)
    if (!expired (&q->entries[i], now))
      keep (q, &kept, i);
  q->expired += q->n - kept;
  q->n = kept;
}

bool
fb_queue_push (FbQueue *q, FbQueueKind kind, uint8_t subtype, uint32_t media_ssrc, const uint8_t *bytes, unsigned size,
    CcDuration max_delay, CcTime now)
{
  FbQueued *e;

  drop_expired (q, now);
  if (q->n == FB_QUEUE_SIZE || !well_formed (kind, subtype, bytes, size)) {
    q->refused++;
    return false;
  }
  e = &q->entries[q->n++];
  *e = (FbQueued){.kind = kind,
      .subtype = subtype,
      .media_ssrc = media_ssrc,
      .t0 = now,
      .deadline = max_delay == CC_TIME_NONE ? CC_TIME_NONE : cc_time_add (now, max_delay),
      .size = size};
  memcpy (e->bytes, bytes, size);
  return true;
}

void
fb_queue_withdraw (FbQueue *q, FbQueueKind kind, uint8_t subtype, uint32_t media_ssrc)
{
  unsigned kept = 0;

  for (unsigned i = 0; i < q->n; i++) {
    const FbQueued *e = &q->entries[i];

    if (e->kind != kind || (kind == FB_QUEUE_APP ? e->subtype != subtype : e->media_ssrc != media_ssrc))
      keep (q, &kept, i);
  }
  q->n = kept;
}

const FbQueued *
fb_queue_peek (FbQueue *q, CcTime now)
{
  drop_expired (q, now);
  return q->n > 0 ? &q->entries[0] : NULL;
}

void
fb_queue_pop (FbQueue *q)
{
  if (q->n == 0)
    return;
  q->n--;
  memmove (&q->entries[0], &q->entries[1], q->n * sizeof *q->entries);
}

CcTime
fb_queue_next_timeout (const FbQueue *q)
{
  CcTime next = CC_TIME_NONE;

  for (unsigned i = 0; i < q->n; i++)
    next = cc_time_min (next, cc_time_add (q->entries[i].deadline, 1));
  return next;
}

bool
fb_queue_item (const FbQueued *entry, FbItem *item)
{
  RtcpSli slice;
  RtcpRpsi rpsi;

  switch (entry->kind) {
  case FB_QUEUE_SLI:
    if (!parse_slice (entry->bytes, entry->size, &slice))
      return false;
    *item = fb_item_sli (entry->media_ssrc, &slice);
    return true;
  case FB_QUEUE_RPSI:
    if (!rtcp_rpsi_parse (entry->bytes, entry->size, &rpsi))
      return false;
    *item = fb_item_rpsi (entry->media_ssrc, &rpsi);
    return true;
  case FB_QUEUE_AFB:
    *item = fb_item_application (entry->media_ssrc, entry->bytes, entry->size);
    return true;
  default:
    return false;
  }
}
