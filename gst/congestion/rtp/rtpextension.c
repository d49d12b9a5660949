/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpextension.h"
#include "rtcpbytes.h"

#include <string.h>

#define ONE_BYTE_PROFILE 0xBEDE
#define TWO_BYTE_PROFILE 0x1000
#define TWO_BYTE_MASK 0xFFF0
#define MAX_BLOCK_SIZE ((size_t)65535 * 4)

typedef struct {
  bool two_byte;
  const uint8_t *block;
  size_t size, offset;
} Walk;

typedef struct {
  unsigned id;
  const uint8_t *data;
  size_t size;
} Element;

typedef enum { WALK_ELEMENT, WALK_END, WALK_MALFORMED } WalkResult;

static bool
walk_init (Walk *w, uint16_t profile, const uint8_t *block, size_t size)
{
  *w = (Walk){.two_byte = (profile & TWO_BYTE_MASK) == TWO_BYTE_PROFILE, .block = block, .size = size};
  return w->two_byte || profile == ONE_BYTE_PROFILE || size == 0;
}

/* RFC 8285 4.2: id 15, and id 0 with a length, end the walk; what came before counts. */
static WalkResult
read_one_byte_head (Walk *w, Element *e)
{
  uint8_t head = w->block[w->offset++];

  e->id = head >> 4;
  e->size = (head & 0x0f) + 1u;
  return e->id == 0 || e->id == 15 ? WALK_END : WALK_ELEMENT;
}

static WalkResult
read_two_byte_head (Walk *w, Element *e)
{
  if (w->size - w->offset < 2)
    return WALK_MALFORMED;
  e->id = w->block[w->offset];
  e->size = w->block[w->offset + 1];
  w->offset += 2;
  return WALK_ELEMENT;
}

static WalkResult
walk_next (Walk *w, Element *e)
{
  WalkResult result;

  while (w->offset < w->size && w->block[w->offset] == 0)
    w->offset++;
  if (w->offset == w->size)
    return WALK_END;
  result = w->two_byte ? read_two_byte_head (w, e) : read_one_byte_head (w, e);
  if (result != WALK_ELEMENT)
    return result;
  if (e->size > w->size - w->offset)
    return WALK_MALFORMED;
  e->data = w->block + w->offset;
  w->offset += e->size;
  return WALK_ELEMENT;
}

/* To the end even when found: an element that runs past it invalidates the whole extension. */
const uint8_t *
rtp_ext_find (uint16_t profile, const uint8_t *block, size_t block_size, unsigned id, size_t *size)
{
  const uint8_t *found = NULL;
  WalkResult result;
  Element e;
  Walk w;

  if (!walk_init (&w, profile, block, block_size))
    return NULL;
  while ((result = walk_next (&w, &e)) == WALK_ELEMENT) {
    if (e.id == id && found == NULL) {
      found = e.data;
      *size = e.size;
    }
  }
  return result == WALK_MALFORMED ? NULL : found;
}

typedef struct {
  bool keep; /* the present elements; false where they are malformed */
  bool two_byte;
  size_t block_size;
} Plan;

static size_t
element_size (bool two_byte, size_t data_size)
{
  return data_size + (two_byte ? 2 : 1);
}

/* The block without `id` and with its new element, packed. */
static bool
plan_put (Plan *plan, uint16_t profile, const uint8_t *block, size_t block_size, unsigned id, size_t size)
{
  size_t elements = 1, bytes = size;
  WalkResult result;
  Element e;
  Walk w;

  if (id == 0 || id > 255 || size > 255 || !walk_init (&w, profile, block, block_size))
    return false;
  plan->two_byte = id > 14 || size == 0 || size > 16 || (w.two_byte && block_size > 0);
  while ((result = walk_next (&w, &e)) == WALK_ELEMENT) {
    if (e.id != id) {
      elements++;
      bytes += e.size;
    }
  }
  plan->keep = result == WALK_END;
  if (!plan->keep)
    bytes = size, elements = 1;
  plan->block_size = (bytes + elements * element_size (plan->two_byte, 0) + 3) & ~(size_t)3;
  return plan->block_size <= MAX_BLOCK_SIZE;
}

size_t
rtp_ext_growth (uint16_t profile, const uint8_t *block, size_t block_size, unsigned id, size_t size)
{
  size_t present;
  Plan plan;

  if (rtp_ext_find (profile, block, block_size, id, &present) != NULL && present == size)
    return 0;
  if (!plan_put (&plan, profile, block, block_size, id, size))
    return 0;
  if (block_size == 0)
    return plan.block_size + 4;
  return plan.block_size > block_size ? plan.block_size - block_size : 0;
}

static uint8_t *
write_element (uint8_t *out, bool two_byte, unsigned id, const uint8_t *data, size_t size)
{
  if (two_byte) {
    *out++ = (uint8_t)id;
    *out++ = (uint8_t)size;
  } else {
    *out++ = (uint8_t)(id << 4 | (size - 1));
  }
  if (size > 0)
    memcpy (out, data, size);
  return out + size;
}

static size_t
overwrite (const uint8_t *block, size_t block_size, const uint8_t *at, const uint8_t *data, size_t size, uint8_t *out,
    size_t capacity)
{
  if (capacity < block_size)
    return 0;
  memcpy (out, block, block_size);
  if (size > 0)
    memcpy (out + (at - block), data, size);
  return block_size;
}

static void
write_plan (const Plan *plan, Walk *w, unsigned id, const uint8_t *data, size_t size, uint8_t *out)
{
  uint8_t *end = out + plan->block_size;
  Element e;

  while (plan->keep && walk_next (w, &e) == WALK_ELEMENT) {
    if (e.id != id)
      out = write_element (out, plan->two_byte, e.id, e.data, e.size);
  }
  out = write_element (out, plan->two_byte, id, data, size);
  memset (out, 0, (size_t)(end - out));
}

size_t
rtp_ext_put (uint16_t profile, const uint8_t *block, size_t block_size, unsigned id, const uint8_t *data, size_t size,
    uint8_t *out, size_t capacity, uint16_t *out_profile)
{
  size_t present;
  const uint8_t *at = rtp_ext_find (profile, block, block_size, id, &present);
  Plan plan;
  Walk w;

  if (!plan_put (&plan, profile, block, block_size, id, size))
    return 0;
  *out_profile = profile;
  if (at != NULL && present == size)
    return overwrite (block, block_size, at, data, size, out, capacity);
  if (capacity < plan.block_size)
    return 0;
  walk_init (&w, profile, block, block_size);
  if (!plan.two_byte)
    *out_profile = ONE_BYTE_PROFILE;
  else if (!w.two_byte || block_size == 0)
    *out_profile = TWO_BYTE_PROFILE;
  write_plan (&plan, &w, id, data, size, out);
  return plan.block_size;
}

void
rtp_ext_rtt_sendts_write (uint8_t data[RTP_EXT_RTT_SENDTS_SIZE], const RtpRttSendts *value)
{
  CcDuration us = value->rtt / CC_USECOND;

  /* 0 says unknown */
  if (us == 0 && value->rtt > 0)
    us = 1;
  if (us > 0xffffff)
    us = 0xffffff;
  for (int i = 0; i < 3; i++)
    data[i] = (uint8_t)(us >> (16 - 8 * i));
  for (int i = 0; i < 4; i++)
    data[3 + i] = (uint8_t)(value->sent_at_us >> (24 - 8 * i));
}

bool
rtp_ext_rtt_sendts_parse (const uint8_t *data, size_t size, RtpRttSendts *value)
{
  if (size != RTP_EXT_RTT_SENDTS_SIZE)
    return false;
  value->rtt = ((CcDuration)data[0] << 16 | (CcDuration)data[1] << 8 | data[2]) * CC_USECOND;
  value->sent_at_us = (uint32_t)data[3] << 24 | (uint32_t)data[4] << 16 | (uint32_t)data[5] << 8 | data[6];
  return true;
}

void
rtp_ext_twcc_write (uint8_t data[RTP_EXT_TWCC_SIZE], uint16_t number)
{
  rtcp_put_u16 (data, number);
}

bool
rtp_ext_twcc_parse (const uint8_t *data, size_t size, uint16_t *number)
{
  if (size < RTP_EXT_TWCC_SIZE)
    return false;
  *number = rtcp_get_u16 (data);
  return true;
}
