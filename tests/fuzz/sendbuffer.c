/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: ring size, then operations on a sending buffer and its pacer. Every packet comes out once, sent or discarded;
   frames leave in order, unmixed, and whole once they began; the sums agree. */
#include "sendbuffer.h"
#include "ccpacer.h"
#include "fuzz.h"

#define MAX_PACKETS 8192
#define MAX_RING 64

const FuzzSeed fuzz_seeds[] = {
    {"\x20\x01\x10\x01\x10\x01\x90\x04\x05\x08\x01\x10\x01\x90\x04\x05\x30\x04\x04", 19},
    {"\x04\x01\x10\x01\x10\x01\x90\x01\x20\x01\x20\x04\x01\x20\x01\xa0\x06\x40\x04\x04", 20},
    {"\x02\x01\x10\x01\x10\x04\x01\x10\x01\x10\x07\x01\xff\x03\x10\x04\x04", 17},
    {"\x10\x06\x01\x01\x50\x02\x01\x51\x05\xff\x02\x01\xd0\x04\x05\xff\x04\x04\x04", 19},
    {NULL, 0},
};

typedef enum { OUTSIDE, QUEUED, SENT, DISCARDED } State;

typedef struct {
  SendBuffer buffer;
  SendBufferPath path;
  CcPacer pacer;
  CcPacket ring[MAX_RING];
  CcTime now;
  uint32_t timestamp;
  bool tail_ended, key_unit;
  unsigned frame; /* of the packet pushed last */
  unsigned n, sent_frame;
  uintptr_t sent;
  struct {
    State state;
    unsigned frame;
  } packets[MAX_PACKETS];
  bool frame_sent[MAX_PACKETS], frame_dropped[MAX_PACKETS], frame_cut[MAX_PACKETS];
} Model;

static void
check_sums (const Model *m)
{
  const SendBuffer *b = &m->buffer;
  uint64_t bytes = 0;
  uint32_t frames = 0, keys = 0;

  FUZZ_CHECK (b->count <= b->capacity);
  for (uint32_t i = 0; i < b->count; i++) {
    const CcPacket *packet = &b->ring[(b->head + i) % b->capacity];
    if (packet->condemned)
      continue;
    bytes += packet->size_bytes;
    frames += packet->frame_begin;
    keys += packet->frame_begin && packet->key_unit;
  }
  FUZZ_CHECK (b->queued_bytes == bytes && b->frames_waiting == frames && b->key_frames_waiting == keys);
}

static void
leave (Model *m, const CcPacket *packet, State state)
{
  uintptr_t i = (uintptr_t)packet->handle;
  unsigned frame;

  FUZZ_CHECK (i < m->n && m->packets[i].state == QUEUED);
  m->packets[i].state = state;
  frame = m->packets[i].frame;
  if (state == DISCARDED) {
    FUZZ_CHECK (!m->frame_sent[frame] || m->frame_cut[frame]);
    m->frame_dropped[frame] = true;
    return;
  }
  FUZZ_CHECK (!m->frame_dropped[frame] && i >= m->sent && frame >= m->sent_frame);
  m->frame_sent[frame] = true;
  m->sent = i;
  m->sent_frame = frame;
}

/* false where the buffer is empty or the pacer says wait. */
static bool
pull (Model *m, bool paced)
{
  CcPacket packet;
  SendBufferVerdict verdict = send_buffer_head (&m->buffer, &m->path, m->now, &packet);

  if (verdict == SEND_BUFFER_EMPTY)
    FUZZ_CHECK (m->buffer.count == 0);
  if (verdict == SEND_BUFFER_EMPTY ||
      (verdict == SEND_BUFFER_SEND && paced && !cc_pacer_may_send (&m->pacer, m->path.R, m->now)))
    return false;
  send_buffer_pop (&m->buffer, m->now);
  leave (m, &packet, verdict == SEND_BUFFER_SEND ? SENT : DISCARDED);
  if (verdict == SEND_BUFFER_SEND) {
    CcDuration T = m->pacer.params.max_credit;
    cc_pacer_on_sent (&m->pacer, packet.size_bytes, m->path.R, m->now);
    FUZZ_CHECK (m->pacer.t_i < CC_TIME_NONE && m->pacer.t_i >= (m->now > T ? m->now - T : 0));
    FUZZ_CHECK (m->pacer.carry_ns >= 0 && m->pacer.carry_ns < 1);
    FUZZ_CHECK (cc_pacer_next (&m->pacer, m->path.R) <= m->pacer.t_i);
  }
  return true;
}

/* Where one frame fills the ring it may be cut. */
static void
excuse_cut (Model *m)
{
  unsigned frame = MAX_PACKETS;

  for (unsigned i = 0; i < m->n; i++) {
    if (m->packets[i].state != QUEUED)
      continue;
    if (frame != MAX_PACKETS && m->packets[i].frame != frame)
      return;
    frame = m->packets[i].frame;
  }
  m->frame_cut[frame] = true;
}

static void
push (Model *m, unsigned how)
{
  CcPacket packet = {.handle = (void *)(uintptr_t)m->n,
      .size_bytes = 1 + (how & 0x3f) * 24,
      .frame = m->timestamp,
      .captured_at = how & 0x40 ? m->now : CC_TIME_NONE,
      .frame_end = (how & 0x80) != 0,
      .key_unit = m->key_unit};
  unsigned tries = 0;

  if (m->n == MAX_PACKETS)
    return;
  if (m->buffer.count == m->buffer.capacity)
    excuse_cut (m);
  while (!send_buffer_push (&m->buffer, &packet, m->now)) {
    check_sums (m);
    FUZZ_CHECK (tries++ == 0 && pull (m, true));
  }
  m->packets[m->n].state = QUEUED;
  m->packets[m->n++].frame = m->frame;
}

/* A new timestamp, or the same behind a marker, begins a frame. */
static void
push_packet (Model *m, unsigned how)
{
  if (m->tail_ended)
    m->frame++;
  m->tail_ended = false;
  push (m, how);
  m->tail_ended = (how & 0x80) != 0;
}

static void
next_frame (Model *m, unsigned how)
{
  m->timestamp += 1 + how % 3;
  m->key_unit = (how & 0x80) != 0;
  m->tail_ended = true;
}

static void
clear (Model *m)
{
  send_buffer_clear (&m->buffer);
  for (unsigned i = 0; i < m->n; i++)
    m->frame_cut[m->packets[i].frame] |= m->packets[i].state == QUEUED;
  m->frame_cut[m->frame] = true;
}

static void
operate (Model *m, FuzzInput *in)
{
  unsigned op = fuzz_take (in, 1) % 9;

  switch (op) {
  case 0:
  case 1:
    push_packet (m, fuzz_take (in, 1));
    break;
  case 2:
    next_frame (m, fuzz_take (in, 1));
    break;
  case 3:
    m->path.X_Bps = 1 + fuzz_take (in, 1) * 1e4;
    cc_pacer_set_rate (&m->pacer, m->path.X_Bps);
    break;
  case 4:
    while (pull (m, true)) {
    }
    break;
  case 5:
    m->now += fuzz_take (in, 1) * CC_MSECOND;
    break;
  case 6:
    m->path.R = fuzz_take (in, 1) * 2 * CC_MSECOND;
    break;
  case 7:
    if (fuzz_take (in, 1) > 0xe0)
      clear (m);
    break;
  default:
    m->now = m->now < cc_pacer_next (&m->pacer, m->path.R) && m->pacer.t_i - m->now < 100 * CC_SECOND
                 ? cc_pacer_next (&m->pacer, m->path.R)
                 : m->now;
    pull (m, true);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static Model m;
  FuzzInput in = {data, data + size};
  SendBufferParams params;
  CcPacerParams pacer_params;

  memset (&m, 0, sizeof m);
  m.now = CC_SECOND;
  m.path = (SendBufferPath){.X_Bps = 1e5};
  send_buffer_params_init (&params);
  send_buffer_init (&m.buffer, &params, m.ring, 1 + fuzz_take (&in, 1) % MAX_RING);
  cc_pacer_params_init (&pacer_params);
  cc_pacer_init (&m.pacer, &pacer_params, m.now);
  while (in.at < in.end) {
    operate (&m, &in);
    check_sums (&m);
    send_buffer_frame_budget (&m.buffer, &m.path);
    send_buffer_take_key_unit_wanted (&m.buffer);
  }
  while (pull (&m, false)) {
  }
  for (unsigned i = 0; i < m.n; i++)
    FUZZ_CHECK (m.packets[i].state == SENT || m.packets[i].state == DISCARDED);
  FUZZ_CHECK (m.buffer.queued_bytes == 0);
  return 0;
}
