/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sending buffer (UltraGrid, Saurin 2006 6.3): frames wait for their turn, a frame that can no longer arrive in
   time is skipped whole, and the deadline gives way rather than starve. No allocation: the ring is the caller's.

   A frame whose first packet is due leaves when (now - captured) + L/X + R/2 + t_pbuf < gamma. Where that fails:
   - a delta frame is skipped if a newer frame waits, a key unit only if a newer key unit waits: the newest frame always
     goes, so that something leaves whenever the pacer has room;
   - gamma gives way where the path alone would use it up: a frame always has gamma/2 for waiting and L/X;
   - behind a key unit that was asked for, it gives way by as long as no other may be asked for, gamma at most: to skip
     there would stop the picture for that long;
   - frames behind a skipped one are still sent, and a key unit is asked for: decoders conceal better than they freeze,
     and an upstream that ignores the request costs no picture. One request a run of skipped frames, none while a key
     unit waits, and no closer than max (key_unit_interval, R, 4 x size of the last key unit / X).
   A frame that has begun to leave is finished. A packet that is sent again (RFC 4588) belongs to no frame: it is late
   already and leaves ahead of what waits. Where a frame waits behind it, it is given up after gamma: what a fall of the
   path has lost would else fill the path for seconds, and no new picture come. Every call is O(1) per packet,
   amortised, but for a full ring and for packets sent again or brought ahead, which are O (of those that wait). */
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
  bool key_unit;       /* of a frame that is decodable by itself: one packet that says so is enough */
  bool resent;         /* an old packet once more; frame, frame_end and key_unit say nothing then */
  bool repair;         /* redundancy over packets before it (RFC 5109): shares the fate of the frame in front; resent
                          as well: goes ahead of what waits */
  bool frame_begin;    /* set by the buffer */
  bool condemned;      /* set by the buffer: to be discarded */
} CcPacket;

typedef struct {
  CcDuration max_delay;         /* gamma: capture to display, default 150 ms */
  CcDuration playout;           /* t_pbuf, default 0 */
  CcDuration key_unit_interval; /* least span between two requests for a key unit, default 500 ms */
} SendBufferParams;

typedef struct {
  double X_Bps;
  CcDuration R;
} SendBufferPath; /* what the condition is evaluated with */

typedef struct {
  SendBufferParams params;
  CcPacket *ring;
  uint32_t capacity, head, count;
  uint64_t queued_bytes;                       /* theta, condemned packets left out */
  uint32_t frames_waiting, key_frames_waiting; /* not begun, not condemned */
  uint32_t head_packets;                       /* counted into head_bytes; 0: not counted yet */
  uint64_t head_bytes;                         /* L */
  bool head_late;                              /* the condition as last evaluated */
  bool tail_open;                              /* the frame pushed last may get more packets */
  bool tail_condemned, tail_key;
  uint32_t tail_frame;
  CcTime tail_captured_at;
  uint64_t key_bytes; /* of the key unit pushed last */
  bool frame_open;    /* the frame sent last has not ended */
  CcTime last_frame_sent_at;
  CcDuration stretch;  /* how far the deadline has given way to the path */
  bool reference_lost; /* a skipped frame may be referenced by later ones; a request is due */
  bool broken;         /* no key unit has come since such a frame was skipped */
  bool key_unit_wanted;
  CcTime key_unit_wanted_at;
  uint64_t frames_in, frames_sent, frames_dropped, packets_dropped;
  uint64_t frames_late; /* sent although the condition failed */
} SendBuffer;

typedef enum {
  SEND_BUFFER_EMPTY,
  SEND_BUFFER_SEND,   /* *packet is next to leave; it stays until send_buffer_pop () */
  SEND_BUFFER_DISCARD /* *packet belongs to a skipped frame: pop it and release it */
} SendBufferVerdict;

void send_buffer_params_init (SendBufferParams *params);
void send_buffer_init (SendBuffer *b, const SendBufferParams *params, CcPacket *ring, uint32_t capacity);

/* False when the ring is full: the oldest waiting frame is then condemned and comes out first; pop discards and push
   again. Where no frame waits (one frame fills the ring) the rest of the open frame is condemned, the only case in
   which a frame is cut. */
bool send_buffer_push (SendBuffer *b, const CcPacket *packet, CcTime now);
/* Waiting packets that `picks` names leave ahead of what waits from now on, in their order, as if they had come to be
   sent again. None does where one of them is not a frame of its own that may still leave whole: they would change
   places. Returns how many did, and their bytes. O (of those that wait). */
uint32_t send_buffer_bring_ahead (
    SendBuffer *b, bool (*picks) (const CcPacket *packet, void *user), void *user, uint64_t *bytes);
/* Evaluates the transmission condition when a frame is about to begin. L: the bytes of that frame queued so far. */
SendBufferVerdict send_buffer_head (SendBuffer *b, const SendBufferPath *path, CcTime now, CcPacket *packet);
/* The head is a packet that goes ahead of frames: `resent`. */
bool send_buffer_goes_first (const SendBuffer *b);
/* Takes the head out: sent, or released where it was a discard. */
void send_buffer_pop (SendBuffer *b, CcTime now);
/* Flush: condemn everything. */
void send_buffer_clear (SendBuffer *b);

/* Largest frame, bytes, that would still arrive in time: L < (gamma + stretch - R/2 - t_pbuf) X - theta; >= 0. */
uint32_t send_buffer_frame_budget (const SendBuffer *b, const SendBufferPath *path);
/* True once per run of skipped frames, see above: ask upstream for a key unit. */
bool send_buffer_take_key_unit_wanted (SendBuffer *b);
#ifdef __cplusplus
}
#endif
#endif
