/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sending buffer (UltraGrid, Saurin 2006 6.3): frames wait for their turn, a frame that can no longer arrive in
   time is skipped whole, and the deadline gives way rather than starve. No allocation: the ring is the caller's. */
#ifndef SENDBUFFER_H
#define SENDBUFFER_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  void *handle;        /* the caller's, handed back untouched */
  uint32_t size_bytes; /* RTP packet */
  uint32_t frame;      /* equal within a frame: the RTP timestamp */
  CcTime captured_at;  /* of the frame; CC_TIME_NONE: the time of its first packet */
  bool frame_end;      /* RTP marker */
  bool key_unit;       /* decodable by itself */
  bool condemned;      /* set by the buffer: to be discarded */
} CcPacket;

typedef struct {
  CcDuration max_delay; /* gamma: capture to display, default 150 ms */
  CcDuration playout;   /* t_pbuf, default 0 */
  CcDuration max_gap;   /* at least one frame leaves per this span whatever the condition says; default 500 ms (U8) */
} SendBufferParams;

typedef struct {
  double X_Bps;
  CcDuration R;
} SendBufferPath; /* what the condition is evaluated with */

typedef struct {
  SendBufferParams params;
  CcPacket *ring;
  uint32_t capacity, head, count;
  uint32_t queued_bytes; /* theta */
  bool frame_open;       /* the head frame has begun to leave and will be finished */
  uint32_t open_frame;
  CcTime last_frame_sent_at;
  CcTime first_queued_at;
  CcDuration stretch;   /* how far the deadline has given way */
  bool key_unit_wanted; /* a dropped frame may be referenced by later ones */
  uint64_t frames_in, frames_sent, frames_dropped, packets_dropped;
} SendBuffer;

typedef enum {
  SEND_BUFFER_EMPTY,
  SEND_BUFFER_SEND,   /* *packet is next to leave; it stays until send_buffer_pop () */
  SEND_BUFFER_DISCARD /* *packet belongs to a skipped frame: pop it and release it */
} SendBufferVerdict;

void send_buffer_params_init (SendBufferParams *params);
void send_buffer_init (SendBuffer *b, const SendBufferParams *params, CcPacket *ring, uint32_t capacity);

/* False when the ring is full: the oldest waiting frame is then condemned; pop discards and push again. */
bool send_buffer_push (SendBuffer *b, const CcPacket *packet, CcTime now);
/* Evaluates the transmission condition when a frame is about to begin: (now - captured) + L/X + R/2 + t_pbuf < gamma.
   L: the bytes of that frame queued so far. */
SendBufferVerdict send_buffer_head (SendBuffer *b, const SendBufferPath *path, CcTime now, CcPacket *packet);
void send_buffer_pop (SendBuffer *b, CcTime now);
/* Flush: condemn everything. */
void send_buffer_clear (SendBuffer *b);

/* Largest frame, bytes, that would still arrive in time: L < (gamma - R/2 - t_pbuf) X - theta; >= 0. */
uint32_t send_buffer_frame_budget (const SendBuffer *b, const SendBufferPath *path);
/* True once per dropped reference: ask upstream for a key unit. */
bool send_buffer_take_key_unit_wanted (SendBuffer *b);
#ifdef __cplusplus
}
#endif
#endif
