/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "picturereport.h"

#define EXTENDED 0x80 /* X, first byte */
#define START 0x10    /* S */
#define PARTITION 0x07
#define HAS_ID 0x80 /* I, second byte */
#define LONG_ID 0x80

static size_t
parse_id (const uint8_t *p, size_t size, RtpVp8Head *head)
{
  head->id_bits = (p[0] & LONG_ID) != 0 ? 15 : 7;
  if (head->id_bits == 15 && size < 2)
    return 0;
  head->has_id = true;
  head->id = head->id_bits == 15 ? (uint16_t)((p[0] & 0x7f) << 8 | p[1]) : p[0] & 0x7f;
  return head->id_bits == 15 ? 2 : 1;
}

bool
rtp_vp8_head_parse (const uint8_t *payload, size_t size, RtpVp8Head *head)
{
  RtpVp8Head h = {.has_id = false};
  size_t at = 1, id_size;

  if (size < 2)
    return false;
  h.starts = (payload[0] & START) != 0 && (payload[0] & PARTITION) == 0;
  if ((payload[0] & EXTENDED) != 0) {
    uint8_t fields = payload[1];

    at = 2;
    if ((fields & HAS_ID) != 0) {
      id_size = at < size ? parse_id (payload + at, size - at, &h) : 0;
      if (id_size == 0)
        return false;
      at += id_size;
    }
    at += (fields & 0x40 ? 1u : 0u) + (fields & 0x30 ? 1u : 0u);
  }
  if (at >= size)
    return false;
  h.key = h.starts && (payload[at] & 0x01) == 0;
  *head = h;
  return true;
}

void
picture_report_init (PictureReport *r)
{
  *r = (PictureReport){.started = false};
}

static size_t
tell (PictureReport *r, uint16_t id, bool arrived, PictureReportItem *item)
{
  *item = (PictureReportItem){id, arrived};
  arrived ? r->arrived++ : r->lost++;
  return 1;
}

static size_t
tell_damaged (PictureReport *r, PictureReportItem *item)
{
  if (r->told)
    return 0;
  r->told = true;
  return tell (r, r->id, false, item);
}

static uint16_t
id_after (uint16_t id, unsigned bits)
{
  return (uint16_t)((id + 1u) & ((1u << bits) - 1));
}

/* Those between the picture before and this one. */
static size_t
tell_skipped (PictureReport *r, const RtpVp8Head *head, PictureReportItem *items)
{
  unsigned mask = (1u << head->id_bits) - 1, skipped = (head->id - id_after (r->id, head->id_bits)) & mask;
  size_t n = 0;

  if (skipped > PICTURE_REPORT_MAX)
    return 0;
  for (uint16_t id = id_after (r->id, head->id_bits); id != head->id; id = id_after (id, head->id_bits))
    n += tell (r, id, false, items + n);
  return n;
}

static void
open_picture (PictureReport *r, const RtpVp8Head *head)
{
  r->open = r->whole = true;
  r->told = false;
  r->id = head->id;
}

/* Packets until then: none, and none is missed. */
static bool
has_started (PictureReport *r, uint16_t seq, const RtpVp8Head *head)
{
  if (!r->started && head->key) {
    r->started = true;
    r->expected = seq;
    open_picture (r, head);
  }
  return r->started;
}

size_t
picture_report_on_packet (PictureReport *r, uint16_t seq, bool marker, const RtpVp8Head *head,
    PictureReportItem items[PICTURE_REPORT_MAX + 2])
{
  bool gap;
  size_t n = 0;

  r->without_id += !head->has_id;
  if (!head->has_id || !has_started (r, seq, head) || (int16_t)(seq - r->expected) < 0)
    return 0;
  gap = seq != r->expected;
  r->expected = (uint16_t)(seq + 1);
  if (r->open && head->id != r->id) {
    n += tell_damaged (r, items + n); /* its end is missing */
    r->open = false;
  }
  if (!r->open) {
    n += tell_skipped (r, head, items + n);
    open_picture (r, head);
    r->whole = head->starts;
  } else if (gap) {
    r->whole = false;
  }
  if (!r->whole)
    n += tell_damaged (r, items + n);
  else if (marker)
    n += tell (r, r->id, true, items + n);
  if (marker)
    r->open = false;
  return n;
}
