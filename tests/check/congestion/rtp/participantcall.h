/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Participants in virtual time: a caller that sends stamped video, and one that watches, a path of a delay between
   them, and memory that counts. */
#ifndef PARTICIPANT_CALL_H
#define PARTICIPANT_CALL_H

#include "rtcpbytes.h"
#include "rtpextension.h"
#include "rtpparticipant.h"

#include <stdlib.h>
#include <string.h>

#define CALL_START (1000 * CC_SECOND)
#define CALL_PERIOD (20 * CC_MSECOND)
#define CALL_DELAY (30 * CC_MSECOND)
#define CALL_PAYLOAD 400
#define CALL_STAMP_ID 9
#define CALL_IN_FLIGHT 64

static const RtpAddress call_caller = {.family = RTP_ADDRESS_IPV4, .bytes = {10, 0, 0, 1}, .port = 5004};
static const RtpAddress call_watcher = {.family = RTP_ADDRESS_IPV4, .bytes = {10, 0, 0, 2}, .port = 5004};
static const RtpAddress call_stranger = {.family = RTP_ADDRESS_IPV4, .bytes = {10, 0, 0, 66}, .port = 6666};

typedef struct CallEnd {
  RtpParticipant core;
  CcPcg32 pcg;
  unsigned told[RTP_EVENTS];
  RtpEvent last[RTP_EVENTS];
  RtpAddress address;
  struct CallEnd *other;
  void (*play) (const RtpPacket *packet); /* of what is to be played; may be NULL */
  uint64_t bytes_to[3];                   /* of RTCP: to the caller, the watcher, anybody else */
  unsigned played, rtcp_sent;
} CallEnd;

typedef struct {
  CcTime at;
  CallEnd *to;
  bool rtcp;
  size_t size;
  uint8_t bytes[RTCP_MTU];
} CallPacket;

typedef struct {
  CallEnd caller, watcher;
  CcTime now, next_rtp;
  uint16_t seq;
  bool silent;         /* the caller sends no media */
  bool gone;           /* nor anything else */
  unsigned lose_every; /* 0: none is lost */
  bool deaf;           /* the caller hears nothing of what the watcher says */
  CallPacket path[CALL_IN_FLIGHT];
  unsigned n_path;
} Call;

static size_t call_memory;

static inline void *
call_get_memory (void *user, size_t size)
{
  size_t *block = malloc (size + 16);

  *block = size;
  call_memory += size;
  return (uint8_t *)block + 16;
}

static inline void
call_put_memory (void *user, void *memory)
{
  size_t *block = memory != NULL ? (size_t *)(void *)((uint8_t *)memory - 16) : NULL;

  call_memory -= block != NULL ? *block : 0;
  free (block);
}

static inline void
call_tell (void *user, const RtpEvent *event)
{
  CallEnd *end = user;

  end->told[event->type]++;
  end->last[event->type] = *event;
}

static inline void
call_end_init (CallEnd *end, const RtpAddress *address, const RtpSettings *settings, uint64_t seed)
{
  RtpParticipantParams params = {.memory = {call_get_memory, call_put_memory, NULL},
      .events = {call_tell, end},
      .ntp_at_zero = (uint64_t)3900000000u << 32};

  memset (end, 0, sizeof *end);
  end->address = *address;
  params.random = params.secrets = cc_pcg32_init (&end->pcg, seed);
  if (!rtp_participant_init (&end->core, &params, settings, CALL_START))
    abort ();
}

static inline void
call_begin (Call *c, const RtpSettings *caller, const RtpSettings *watcher)
{
  RtpStreamInfo video = {.clock_rate = 90000, .is_video = true, .codec = RTP_CODEC_H264, .stamp_id = CALL_STAMP_ID};

  memset (c, 0, sizeof *c);
  call_memory = 0;
  call_end_init (&c->caller, &call_caller, caller, 1);
  call_end_init (&c->watcher, &call_watcher, watcher, 2);
  rtp_participant_set_stream (&c->watcher.core, &video);
  c->caller.other = &c->watcher;
  c->watcher.other = &c->caller;
  c->now = c->next_rtp = CALL_START;
  c->seq = 100;
}

static inline void
call_clear (Call *c)
{
  rtp_participant_clear (&c->caller.core);
  rtp_participant_clear (&c->watcher.core);
}

/* Stamped, of a slice that starts no key unit. */
static inline size_t
call_write_rtp (uint8_t *at, uint32_t ssrc, uint16_t seq, CcTime now)
{
  RtpRttSendts stamp = {.rtt = 2 * CALL_DELAY, .sent_at_us = (uint32_t)(now / CC_USECOND)};
  size_t head = RTP_HEADER_BYTES + 4 + 8;

  memset (at, 0, head + CALL_PAYLOAD);
  at[0] = 0x90;
  at[1] = 0x80 | 96;
  rtcp_put_u16 (at + 2, seq);
  rtcp_put_u32 (at + 4, (uint32_t)(now / 1000 * 9 / 100));
  rtcp_put_u32 (at + 8, ssrc);
  rtcp_put_u16 (at + 12, 0xbede);
  rtcp_put_u16 (at + 14, 2);
  at[16] = CALL_STAMP_ID << 4 | (RTP_EXT_RTT_SENDTS_SIZE - 1);
  rtp_ext_rtt_sendts_write (at + 17, &stamp);
  at[head] = 0x61;
  return head + CALL_PAYLOAD;
}

static inline void
call_put_on_path (Call *c, CallEnd *to, bool rtcp, const uint8_t *bytes, size_t size)
{
  CallPacket *p = &c->path[c->n_path];

  if (c->n_path == CALL_IN_FLIGHT)
    abort ();
  *p = (CallPacket){.at = c->now + CALL_DELAY, .to = to, .rtcp = rtcp, .size = size};
  memcpy (p->bytes, bytes, size);
  c->n_path++;
}

#define CALL_MEDIA 0x77777777u

static inline void
call_send_rtp (Call *c)
{
  uint8_t bytes[RTCP_MTU];
  size_t size = call_write_rtp (bytes, CALL_MEDIA, c->seq++, c->now);
  RtpPacket packet;

  c->next_rtp += CALL_PERIOD;
  rtp_packet_parse (&packet, bytes, size);
  rtp_participant_on_sent (&c->caller.core, &packet, 90000, false, c->now, c->now);
  if (c->lose_every == 0 || c->seq % c->lose_every != 0)
    call_put_on_path (c, &c->watcher, false, bytes, size);
}

/* From the other end, or a stranger. */
static inline bool
call_hand_over (Call *c, CallEnd *to, const RtpAddress *from, bool rtcp, const uint8_t *bytes, size_t size)
{
  RtpPacket packet;
  bool played = false;

  if (rtcp)
    rtp_participant_on_rtcp (&to->core, bytes, size, from, c->now, c->now);
  else if (rtp_packet_parse (&packet, bytes, size))
    played = rtp_participant_on_rtp (&to->core, &packet, from, ARRIVAL_NOT_ECT, c->now, c->now);
  to->core.wake_at = to->core.turns.wake_at = CC_TIME_NONE;
  to->played += played && packet.ssrc == CALL_MEDIA;
  if (played && to->play != NULL)
    to->play (&packet);
  return played;
}

/* Where there is no address the host knows one: the other end's. */
static inline void
call_send_rtcp (Call *c, CallEnd *end, const RtpOutgoing *out)
{
  unsigned i;

  end->rtcp_sent += out->size > 0;
  if (c->deaf && end == &c->watcher)
    return;
  if (out->size > 0 && out->n_addresses == 0 && !out->withheld)
    call_put_on_path (c, end->other, true, out->bytes, out->size);
  for (i = 0; out->size > 0 && i < out->n_addresses; i++) {
    const RtpAddress *to = &out->addresses[i];
    unsigned whom = rtp_address_equal (to, &call_caller) ? 0 : rtp_address_equal (to, &call_watcher) ? 1 : 2;

    end->bytes_to[whom] += out->size + rtp_address_overhead_bytes (to);
    if (rtp_address_equal (to, &end->other->address))
      call_put_on_path (c, end->other, true, out->bytes, out->size);
  }
}

static inline void
call_run_end (Call *c, CallEnd *end)
{
  RtpOutgoing out;

  do {
    rtp_participant_run (&end->core, c->now, &out);
    call_send_rtcp (c, end, &out);
  } while (out.size > 0);
  end->core.wake_at = end->core.turns.wake_at = CC_TIME_NONE;
}

static inline void
call_deliver (Call *c)
{
  unsigned i, n = 0;

  for (i = 0; i < c->n_path; i++) {
    CallPacket *p = &c->path[i];

    if (p->at > c->now)
      c->path[n++] = *p;
    else
      call_hand_over (c, p->to, &p->to->other->address, p->rtcp, p->bytes, p->size);
  }
  c->n_path = n;
}

static inline CcTime
call_next (const Call *c)
{
  CcTime next = cc_time_min (
      rtp_participant_next_timeout (&c->caller.core, c->now), rtp_participant_next_timeout (&c->watcher.core, c->now));
  unsigned i;

  if (!c->silent)
    next = cc_time_min (next, c->next_rtp);
  for (i = 0; i < c->n_path; i++)
    next = cc_time_min (next, c->path[i].at);
  return next;
}

static inline void
call_run_until (Call *c, CcTime end)
{
  while (c->now < end) {
    if (!c->silent && c->next_rtp <= c->now)
      call_send_rtp (c);
    call_deliver (c);
    if (!c->gone)
      call_run_end (c, &c->caller);
    call_run_end (c, &c->watcher);
    c->now = cc_time_min (cc_time_max (call_next (c), c->now + 1), end);
  }
}

static inline void
call_run (Call *c, CcDuration span)
{
  call_run_until (c, c->now + span);
}

#endif
