/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcpwalkprivate.h"

#include <string.h>

#define HEADER_SIZE 4
#define REPORT_BLOCK_SIZE 24

static size_t
packet_size (const uint8_t *packet)
{
  return 4 * ((size_t)rtcp_get_u16 (packet + 2) + 1);
}

size_t
rtcp_packet_at (const uint8_t *data, size_t size, size_t at)
{
  if (size - at < HEADER_SIZE || data[at] >> 6 != 2 || packet_size (data + at) > size - at)
    return 0;
  return packet_size (data + at);
}

/* RFC 3550 A.2 as RFC 5506 4.2.1 relaxes it: every version is 2 and the lengths add up; the first packet may be of any
   kind. GStreamer's gst_rtcp_buffer_validate_data_reduced () would refuse a whole compound for TWCC padded by single
   bytes, and its walk ends at a packet of a kind it does not know. */
static bool
is_compound (const uint8_t *data, size_t size)
{
  size_t at = 0, length;

  if (!rtcp_is_rtcp (data, size))
    return false;
  while ((length = rtcp_packet_at (data, size, at)) > 0)
    at += length;
  return at == size;
}

/* RFC 3550 6.4.1 has multiples of four; peers count the one to three bytes behind the deltas of TWCC as well. */
static bool
may_pad_bytes (const RtcpWalk *w)
{
  return w->type == RTCP_RTPFB && w->count == RTCP_FB_FMT_TWCC;
}

/* Takes the padding off. */
static bool
measure (RtcpWalk *w, const uint8_t *packet)
{
  size_t size = packet_size (packet), padding;

  w->packet = packet;
  w->type = (RtcpType)packet[1];
  w->count = packet[0] & 0x1f;
  w->body = size - HEADER_SIZE;
  if (!(packet[0] & 0x20))
    return true;
  padding = packet[size - 1];
  if (padding == 0 || padding > w->body || (padding % 4 != 0 && !may_pad_bytes (w)))
    return false;
  w->body -= padding;
  return true;
}

/* RFC 3550 6.4.1 */
static void
walk_report_blocks (RtcpWalk *w, uint32_t sender, const uint8_t *at)
{
  unsigned i;

  for (i = 0; i < w->count && w->handlers->report_block != NULL; i++, at += REPORT_BLOCK_SIZE) {
    RtcpReportBlock b = {.ssrc = rtcp_get_u32 (at),
        .fraction_lost = at[4],
        .packets_lost = (int32_t)rtcp_get_u24 (at + 5),
        .ext_highest_seq = rtcp_get_u32 (at + 8),
        .jitter = rtcp_get_u32 (at + 12),
        .lsr = rtcp_get_u32 (at + 16),
        .dlsr = rtcp_get_u32 (at + 20)};

    if (b.packets_lost >= 0x800000)
      b.packets_lost -= 0x1000000;
    w->handlers->report_block (w->user, sender, &b);
  }
}

static bool
walk_sr (RtcpWalk *w)
{
  const uint8_t *body = rtcp_walk_body (w);
  RtcpSenderInfo info;

  if (w->body < 24 + REPORT_BLOCK_SIZE * (size_t)w->count)
    return false;
  info = (RtcpSenderInfo){.ssrc = rtcp_get_u32 (body),
      .ntp_time = (uint64_t)rtcp_get_u32 (body + 4) << 32 | rtcp_get_u32 (body + 8),
      .rtp_time = rtcp_get_u32 (body + 12),
      .packet_count = rtcp_get_u32 (body + 16),
      .octet_count = rtcp_get_u32 (body + 20)};
  rtcp_walk_speaks (w, info.ssrc);
  if (w->handlers->sr != NULL)
    w->handlers->sr (w->user, &info);
  walk_report_blocks (w, info.ssrc, body + 24);
  return true;
}

static bool
walk_rr (RtcpWalk *w)
{
  const uint8_t *body = rtcp_walk_body (w);
  uint32_t sender;

  if (w->body < 4 + REPORT_BLOCK_SIZE * (size_t)w->count)
    return false;
  sender = rtcp_get_u32 (body);
  rtcp_walk_speaks (w, sender);
  walk_report_blocks (w, sender, body + 4);
  return true;
}

static void
hand_sdes_item (RtcpWalk *w, uint32_t ssrc, RtcpSdesType type, const uint8_t *text, size_t length)
{
  char copy[256] = {0};

  memcpy (copy, text, length);
  if (type == RTCP_SDES_CNAME && w->handlers->cname != NULL)
    w->handlers->cname (w->user, ssrc, copy);
  if (w->handlers->sdes != NULL)
    w->handlers->sdes (w->user, ssrc, type, copy);
}

/* One chunk: SSRC, items, a zero, padding to a word. Returns the bytes taken, 0 where it runs over the end. */
static size_t
walk_sdes_chunk (RtcpWalk *w, const uint8_t *chunk, size_t size)
{
  uint32_t ssrc = rtcp_get_u32 (chunk);
  size_t at = 4;

  rtcp_walk_speaks (w, ssrc);
  while (at < size && chunk[at] != RTCP_SDES_END) {
    size_t length;

    if (at + 2 > size || at + 2 + chunk[at + 1] > size)
      return 0;
    length = chunk[at + 1];
    if (chunk[at] <= RTCP_SDES_NOTE)
      hand_sdes_item (w, ssrc, (RtcpSdesType)chunk[at], chunk + at + 2, length);
    at += 2 + length;
  }
  return at < size ? (at + 4) & ~(size_t)3 : 0;
}

static bool
walk_sdes (RtcpWalk *w)
{
  const uint8_t *body = rtcp_walk_body (w);
  size_t at = 0;
  unsigned i;

  for (i = 0; i < w->count; i++) {
    size_t taken = at + 8 <= w->body ? walk_sdes_chunk (w, body + at, w->body - at) : 0;

    if (taken == 0)
      return false;
    at += taken;
  }
  return true;
}

/* RFC 3550 6.6: behind the SSRCs an optional length and as many bytes of text. */
static bool
walk_bye_reason (RtcpWalk *w, const uint8_t *at, size_t size, uint32_t ssrc)
{
  char reason[256] = {0};

  if (size == 0)
    return true;
  if (1 + (size_t)at[0] > size)
    return false;
  if (at[0] > 0 && w->handlers->bye_reason != NULL) {
    memcpy (reason, at + 1, at[0]);
    w->handlers->bye_reason (w->user, ssrc, reason);
  }
  return true;
}

static bool
walk_bye (RtcpWalk *w)
{
  const uint8_t *body = rtcp_walk_body (w);
  size_t ssrcs = 4 * (size_t)w->count;
  unsigned i;

  if (w->body < ssrcs)
    return false;
  if (w->count > 0 && !walk_bye_reason (w, body + ssrcs, w->body - ssrcs, rtcp_get_u32 (body)))
    return false;
  for (i = 0; i < w->count && w->handlers->bye != NULL; i++)
    w->handlers->bye (w->user, rtcp_get_u32 (body + 4 * i));
  return true;
}

/* RFC 3550 6.7 */
static bool
walk_app (RtcpWalk *w)
{
  const uint8_t *body = rtcp_walk_body (w);
  uint32_t ssrc;

  if (w->body < 8)
    return false;
  ssrc = rtcp_get_u32 (body);
  rtcp_walk_speaks (w, ssrc);
  if (w->handlers->app != NULL)
    w->handlers->app (w->user, ssrc, (uint8_t)w->count, body + 4, body + 8, w->body - 8);
  return true;
}

/* RFC 3611 2, 3: blocks of a type, a byte of its own, a length in words and as many words. */
static bool
walk_xr (RtcpWalk *w)
{
  const uint8_t *body = rtcp_walk_body (w);
  uint32_t ssrc;
  size_t at = 4, length;

  if (w->body < 4)
    return false;
  ssrc = rtcp_get_u32 (body);
  rtcp_walk_speaks (w, ssrc);
  for (; at + 4 <= w->body; at += 4 + length) {
    length = 4 * (size_t)rtcp_get_u16 (body + at + 2);
    if (length > w->body - at - 4)
      return false;
    if (w->handlers->xr_block != NULL)
      w->handlers->xr_block (w->user, ssrc, body[at], body[at + 1], body + at + 4, length);
  }
  return true;
}

static bool
walk_packet (RtcpWalk *w)
{
  switch (w->type) {
  case RTCP_SR:
    return walk_sr (w);
  case RTCP_RR:
    return walk_rr (w);
  case RTCP_SDES:
    return walk_sdes (w);
  case RTCP_BYE:
    return walk_bye (w);
  case RTCP_APP:
    return walk_app (w);
  case RTCP_RTPFB:
  case RTCP_PSFB:
    return rtcp_walk_feedback (w);
  case RTCP_XR:
    return walk_xr (w);
  default:
    return true;
  }
}

bool
rtcp_walk (const uint8_t *data, size_t size, const RtcpHandlers *handlers, void *user)
{
  RtcpWalk w = {.handlers = handlers, .user = user};
  size_t at;

  if (!is_compound (data, size))
    return false;
  for (at = 0; at < size; at += packet_size (data + at))
    if (!(measure (&w, data + at) && walk_packet (&w)) && handlers->malformed != NULL)
      handlers->malformed (user, w.type);
  return true;
}
