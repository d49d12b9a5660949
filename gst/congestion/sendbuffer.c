/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sendbuffer.h"

#include <stddef.h>

/* Key units asked for may take a quarter of the rate. */
#define KEY_UNIT_SPACING 4

static CcPacket *
at (const SendBuffer *b, uint32_t i)
{
  return &b->ring[((uint64_t)b->head + i) % b->capacity];
}

void
send_buffer_params_init (SendBufferParams *params)
{
  *params = (SendBufferParams){.max_delay = 150 * CC_MSECOND, .key_unit_interval = 500 * CC_MSECOND};
}

void
send_buffer_init (SendBuffer *b, const SendBufferParams *params, CcPacket *ring, uint32_t capacity)
{
  *b = (SendBuffer){.params = *params,
      .ring = ring,
      .capacity = capacity,
      .last_frame_sent_at = CC_TIME_NONE,
      .key_unit_wanted_at = CC_TIME_NONE};
}

static void
frame_leaves_queue (SendBuffer *b, const CcPacket *first)
{
  b->frames_waiting--;
  b->key_frames_waiting -= first->key_unit;
  b->head_packets = 0;
  b->head_bytes = 0;
}

/* The packets from the i-th to the end of its frame. Returns how many. */
static uint32_t
condemn_frame (SendBuffer *b, uint32_t i)
{
  uint32_t n = 0;

  if (at (b, i)->frame_begin)
    frame_leaves_queue (b, at (b, i));
  do {
    CcPacket *packet = at (b, i + n++);
    b->queued_bytes -= packet->condemned ? 0 : packet->size_bytes;
    packet->condemned = true;
  } while (i + n < b->count && !at (b, i + n)->frame_begin);
  if (i + n == b->count)
    b->tail_condemned = true;
  b->frames_dropped++;
  if (b->key_frames_waiting == 0)
    b->reference_lost = b->broken = true;
  return n;
}

static void
reverse (SendBuffer *b, uint32_t from, uint32_t to)
{
  for (; from + 1 < to; from++, to--) {
    CcPacket packet = *at (b, from);
    *at (b, from) = *at (b, to - 1);
    *at (b, to - 1) = packet;
  }
}

/* Packets of the open frame (k) and of a condemned one behind it (n) change places. */
static void
bring_forward (SendBuffer *b, uint32_t k, uint32_t n)
{
  reverse (b, 0, k);
  reverse (b, k, k + n);
  reverse (b, 0, k + n);
}

/* Packets that came for a frame condemned before they did. */
static uint32_t
count_late_comers (const SendBuffer *b, uint32_t i)
{
  uint32_t n = 0;

  while (i + n < b->count && at (b, i + n)->condemned)
    n++;
  return n;
}

static void
make_room (SendBuffer *b)
{
  uint32_t open = 0, out;

  if (b->count == 0 || at (b, 0)->condemned)
    return;
  while (open < b->count && !at (b, open)->frame_begin && !at (b, open)->condemned)
    open++;
  if (open == b->count) {
    condemn_frame (b, 0);
    b->frame_open = false;
    return;
  }
  out = count_late_comers (b, open);
  bring_forward (b, open, out > 0 ? out : condemn_frame (b, open));
}

static void
begin_tail (SendBuffer *b, CcPacket *packet, CcTime now)
{
  packet->frame_begin = true;
  b->tail_frame = packet->frame;
  b->tail_condemned = b->tail_key = false;
  b->tail_captured_at = packet->captured_at == CC_TIME_NONE ? now : packet->captured_at;
  b->frames_in++;
  b->frames_waiting++;
}

/* NULL: it has left. */
static CcPacket *
first_of_tail (SendBuffer *b)
{
  for (uint32_t i = b->count; i-- > 0;)
    if (at (b, i)->frame_begin && at (b, i)->frame == b->tail_frame)
      return at (b, i);
  return NULL;
}

/* Headers in front of a picture (H.264: AUD, SPS, PPS) do not say what it is. */
static void
tail_is_key (SendBuffer *b)
{
  CcPacket *first = first_of_tail (b);

  b->tail_key = true;
  b->key_bytes = 0;
  b->reference_lost = b->broken = false;
  if (first == NULL)
    return;
  first->key_unit = true;
  b->key_frames_waiting++;
}

static void
account (SendBuffer *b, const CcPacket *packet)
{
  if (b->tail_key)
    b->key_bytes += packet->size_bytes;
  if (packet->condemned)
    return;
  b->queued_bytes += packet->size_bytes;
  /* the head frame, already counted, grows */
  if (b->head_packets > 0 && b->head_packets == b->count - 1 && !packet->frame_begin) {
    b->head_packets++;
    b->head_bytes += packet->size_bytes;
  }
}

static void
join_tail (SendBuffer *b, CcPacket *packet, CcTime now)
{
  if (!packet->repair && (!b->tail_open || packet->frame != b->tail_frame))
    begin_tail (b, packet, now);
  if (packet->key_unit && !packet->repair && !b->tail_key && !b->tail_condemned)
    tail_is_key (b);
  packet->condemned = b->tail_condemned;
  packet->key_unit = b->tail_key;
  packet->captured_at = b->tail_captured_at;
  if (!packet->repair)
    b->tail_open = !packet->frame_end;
}

/* Behind those that are sent again as well. */
static void
put_first (SendBuffer *b, const CcPacket *packet, CcTime now)
{
  uint32_t n = 0;

  b->head = (b->head + b->capacity - 1) % b->capacity;
  b->count++;
  for (; n + 1 < b->count && at (b, n + 1)->resent; n++)
    *at (b, n) = *at (b, n + 1);
  *at (b, n) = *packet;
  at (b, n)->frame_begin = at (b, n)->condemned = false;
  at (b, n)->captured_at = now;
  b->queued_bytes += packet->size_bytes;
  b->head_packets = 0;
  b->head_bytes = 0;
}

bool
send_buffer_goes_first (const SendBuffer *b)
{
  return b->count > 0 && b->ring[b->head].resent;
}

bool
send_buffer_push (SendBuffer *b, const CcPacket *packet, CcTime now)
{
  CcPacket *slot;

  if (b->count == b->capacity) {
    make_room (b);
    return false;
  }
  if (packet->resent) {
    put_first (b, packet, now);
    return true;
  }
  slot = at (b, b->count++);
  *slot = *packet;
  slot->frame_begin = false;
  join_tail (b, slot, now);
  account (b, slot);
  return true;
}

/* A frame of one packet, which waits. */
static bool
stands_alone (const SendBuffer *b, uint32_t i)
{
  const CcPacket *packet = at (b, i);

  return packet->frame_begin && packet->frame_end && !packet->condemned &&
         (i + 1 == b->count || at (b, i + 1)->frame_begin);
}

static void
move_ahead (SendBuffer *b, uint32_t from, uint32_t to)
{
  CcPacket packet = *at (b, from);

  frame_leaves_queue (b, &packet);
  b->frames_in--;
  for (; from > to; from--)
    *at (b, from) = *at (b, from - 1);
  packet.resent = true;
  packet.frame_begin = false;
  *at (b, to) = packet;
}

uint32_t
send_buffer_bring_ahead (SendBuffer *b, bool (*picks) (const CcPacket *packet, void *user), void *user, uint64_t *bytes)
{
  uint32_t first = 0, n = 0;

  *bytes = 0;
  while (first < b->count && at (b, first)->resent)
    first++;
  for (uint32_t i = first; i < b->count; i++)
    if (picks (at (b, i), user) && !stands_alone (b, i))
      return 0;
  for (uint32_t i = first; i < b->count; i++)
    if (picks (at (b, i), user)) {
      *bytes += at (b, i)->size_bytes;
      move_ahead (b, i, first + n++);
    }
  return n;
}

/* For waiting and for sending; gamma - R/2 - t_pbuf, but gamma/2 at least. */
static CcDuration
time_budget (const SendBuffer *b, CcDuration R, CcDuration *stretch)
{
  CcDuration gamma = b->params.max_delay;
  CcDuration path = cc_time_add (R / 2, b->params.playout);
  CcDuration budget = path < gamma ? gamma - path : 0;

  *stretch = budget < gamma / 2 ? gamma / 2 + (path > gamma ? path - gamma : 0) - budget : 0;
  return budget < gamma / 2 ? gamma / 2 : budget;
}

static uint64_t
frame_bytes (const SendBuffer *b, uint32_t i, uint32_t *packets)
{
  uint64_t bytes = 0;

  *packets = 0;
  do {
    bytes += at (b, i + (*packets)++)->size_bytes;
  } while (i + *packets < b->count && !at (b, i + *packets)->frame_begin);
  return bytes;
}

static void
count_head_frame (SendBuffer *b)
{
  if (b->head_packets == 0)
    b->head_bytes = frame_bytes (b, 0, &b->head_packets);
}

static CcDuration
key_unit_spacing (const SendBuffer *b, const SendBufferPath *path)
{
  CcDuration spacing = b->params.key_unit_interval;
  CcDuration cost = path->X_Bps > 0 ? cc_duration (KEY_UNIT_SPACING * (double)b->key_bytes / path->X_Bps) : 0;

  if (spacing < path->R)
    spacing = path->R;
  return spacing < cost ? cost : spacing;
}

/* Until the next key unit may be asked for. */
static CcDuration
key_unit_wait (const SendBuffer *b, const SendBufferPath *path, CcTime now)
{
  CcDuration spacing = key_unit_spacing (b, path);
  CcDuration since = b->key_unit_wanted_at == CC_TIME_NONE ? spacing : cc_time_since (now, b->key_unit_wanted_at);

  return since < spacing ? spacing - since : 0;
}

/* How late a frame may be rather than stop the picture that the last key unit has just mended. */
static CcDuration
grace (const SendBuffer *b, const SendBufferPath *path, CcTime now)
{
  CcDuration wait = b->broken ? 0 : key_unit_wait (b, path, now);

  return wait < b->params.max_delay ? wait : b->params.max_delay;
}

/* The frame that begins with the packet, of so many bytes. */
static bool
in_time (SendBuffer *b, const CcPacket *first, uint64_t bytes, const SendBufferPath *path, CcTime now)
{
  CcDuration budget = time_budget (b, path->R, &b->stretch) + grace (b, path, now);
  CcDuration waited = cc_time_since (now, first->captured_at);

  return cc_seconds (waited) + (double)bytes / path->X_Bps < cc_seconds (budget);
}

static bool
replaceable (const SendBuffer *b, const CcPacket *first)
{
  return first->key_unit ? b->key_frames_waiting > 1 : b->frames_waiting > 1;
}

static bool
may_be_skipped (const CcPacket *packet)
{
  return packet->frame_begin && !packet->condemned;
}

static void
judge_head (SendBuffer *b, const SendBufferPath *path, CcTime now)
{
  if (!may_be_skipped (at (b, 0)))
    return;
  count_head_frame (b);
  b->head_late = !in_time (b, at (b, 0), b->head_bytes, path, now);
  if (b->head_late && replaceable (b, at (b, 0)))
    condemn_frame (b, 0);
}

/* What is sent again is of no use after gamma; where it fills the path, no new picture would come for as long. */
static bool
give_up_resent (SendBuffer *b, CcTime now)
{
  CcPacket *head = at (b, 0);

  if (head->condemned || cc_time_since (now, head->captured_at) < b->params.max_delay)
    return head->condemned;
  b->queued_bytes -= head->size_bytes;
  return head->condemned = true;
}

/* A frame grows old behind packets that are sent again just as well. */
static void
judge_behind_resent (SendBuffer *b, const SendBufferPath *path, CcTime now)
{
  uint32_t i = 1, packets;
  uint64_t bytes;

  while (i < b->count && at (b, i)->resent)
    i++;
  if (i == b->count || give_up_resent (b, now) || !may_be_skipped (at (b, i)))
    return;
  bytes = frame_bytes (b, i, &packets);
  if (!in_time (b, at (b, i), bytes, path, now) && replaceable (b, at (b, i)))
    bring_forward (b, i, condemn_frame (b, i));
}

static void
raise_key_unit_wanted (SendBuffer *b, const SendBufferPath *path, CcTime now)
{
  if (!b->reference_lost || key_unit_wait (b, path, now) > 0)
    return;
  b->reference_lost = false;
  b->key_unit_wanted = true;
  b->key_unit_wanted_at = now;
}

SendBufferVerdict
send_buffer_head (SendBuffer *b, const SendBufferPath *path, CcTime now, CcPacket *packet)
{
  if (b->count > 0) {
    if (at (b, 0)->resent)
      judge_behind_resent (b, path, now);
    else
      judge_head (b, path, now);
    *packet = *at (b, 0);
  }
  raise_key_unit_wanted (b, path, now);
  if (b->count == 0)
    return SEND_BUFFER_EMPTY;
  return packet->condemned ? SEND_BUFFER_DISCARD : SEND_BUFFER_SEND;
}

void
send_buffer_pop (SendBuffer *b, CcTime now)
{
  const CcPacket *head;

  if (b->count == 0)
    return;
  head = at (b, 0);
  if (head->condemned) {
    b->packets_dropped++;
  } else {
    b->queued_bytes -= head->size_bytes;
    if (head->frame_begin) {
      frame_leaves_queue (b, head);
      b->frames_sent++;
      b->frames_late += b->head_late;
      b->last_frame_sent_at = now;
    }
    if (!head->resent && !head->repair)
      b->frame_open = !head->frame_end;
  }
  b->head = (b->head + 1) % b->capacity;
  b->count--;
}

void
send_buffer_clear (SendBuffer *b)
{
  for (uint32_t i = 0; i < b->count; i++) {
    if (!at (b, i)->condemned)
      i += condemn_frame (b, i) - 1;
  }
  b->tail_condemned = true;
  b->frame_open = false;
}

uint32_t
send_buffer_frame_budget (const SendBuffer *b, const SendBufferPath *path)
{
  CcDuration stretch;
  double L = cc_seconds (time_budget (b, path->R, &stretch)) * path->X_Bps - (double)b->queued_bytes;

  if (!(L > 0))
    return 0;
  return L >= (double)UINT32_MAX ? UINT32_MAX : (uint32_t)L;
}

bool
send_buffer_take_key_unit_wanted (SendBuffer *b)
{
  bool wanted = b->key_unit_wanted;

  b->key_unit_wanted = false;
  return wanted;
}
