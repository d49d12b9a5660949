/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcpfeedback.h"
#include "rtcpbytes.h"

#include <math.h>
#include <string.h>

#define PATH_VERSION 1
#define REMB_MANTISSA_BITS 18
#define PATH_MANTISSA_BITS 26
#define SHARE_ONE 4096.0
#define ECN_SHIFT 28 /* above the owner */
#define OWNER_MASK 0x0fffffff

/* Truncated; NaN and negative values are 0. */
static uint32_t
saturate_u32 (double value)
{
  if (!(value > 0))
    return 0;
  return value >= 4294967295.0 ? UINT32_MAX : (uint32_t)value;
}

static uint32_t
microseconds (CcDuration d)
{
  CcDuration us = d / CC_USECOND;

  return us > UINT32_MAX ? UINT32_MAX : (uint32_t)us;
}

size_t
rtcp_fb_tfrc_write (uint8_t *fci, size_t capacity, const TfrcReport *report)
{
  uint32_t p = saturate_u32 (report->p * 4294967296.0);

  if (capacity < RTCP_FB_TFRC_SIZE)
    return 0;
  rtcp_put_u32 (fci, report->t_i_us);
  rtcp_put_u32 (fci + 4, microseconds (report->t_delay));
  rtcp_put_u32 (fci + 8, saturate_u32 (floor (report->X_recv + 0.5)));
  rtcp_put_u32 (fci + 12, p == 0 && report->p > 0 ? 1 : p);
  return RTCP_FB_TFRC_SIZE;
}

bool
rtcp_fb_tfrc_parse (const uint8_t *fci, size_t size, TfrcReport *report)
{
  if (size != RTCP_FB_TFRC_SIZE)
    return false;
  report->t_i_us = rtcp_get_u32 (fci);
  report->t_delay = rtcp_get_u32 (fci + 4) * CC_USECOND;
  report->X_recv = rtcp_get_u32 (fci + 8);
  report->p = rtcp_get_u32 (fci + 12) / 4294967296.0;
  return true;
}

size_t
rtcp_fb_remb_write (uint8_t *fci, size_t capacity, const RtcpRemb *remb)
{
  unsigned n = remb->n_ssrcs < RTCP_FB_REMB_MAX_SSRCS ? remb->n_ssrcs : RTCP_FB_REMB_MAX_SSRCS;

  if (capacity < 8 + 4 * (size_t)n)
    return 0;
  memcpy (fci, "REMB", 4);
  rtcp_put_u32 (fci + 4, n << 24 | rtcp_pack_rate (remb->bitrate_bps, REMB_MANTISSA_BITS));
  for (unsigned i = 0; i < n; i++)
    rtcp_put_u32 (fci + 8 + 4 * i, remb->ssrcs[i]);
  return 8 + 4 * (size_t)n;
}

bool
rtcp_fb_remb_parse (const uint8_t *fci, size_t size, RtcpRemb *remb)
{
  unsigned n;

  if (size < 8 || memcmp (fci, "REMB", 4) != 0 || size < 8 + 4 * (size_t)fci[4])
    return false;
  n = fci[4] < RTCP_FB_REMB_MAX_SSRCS ? fci[4] : RTCP_FB_REMB_MAX_SSRCS;
  remb->bitrate_bps = rtcp_unpack_rate (rtcp_get_u32 (fci + 4) & 0xffffff, REMB_MANTISSA_BITS);
  remb->n_ssrcs = n;
  for (unsigned i = 0; i < n; i++)
    remb->ssrcs[i] = rtcp_get_u32 (fci + 8 + 4 * i);
  return true;
}

/* 12 bits. */
static uint32_t
share (double value)
{
  return value > 0 ? (uint32_t)fmin (value * SHARE_ONE + 0.5, SHARE_ONE - 1) : 0;
}

size_t
rtcp_fb_path_write (uint8_t *fci, size_t capacity, const RtcpPath *path)
{
  if (capacity < RTCP_FB_PATH_SIZE)
    return 0;
  memcpy (fci, "PATH", 4);
  rtcp_put_u32 (fci + 4, (uint32_t)PATH_VERSION << 28 | ((uint32_t)path->kind & 0x0f) << 24 | share (path->loss) << 12 |
                             share (path->excused));
  rtcp_put_u32 (
      fci + 8, path->kind == RTCP_PATH_END_TO_END ? path->ecn << ECN_SHIFT | (uint32_t)path->owner : path->hop);
  rtcp_put_u32 (fci + 12, rtcp_pack_rate (path->rate_bps, PATH_MANTISSA_BITS));
  rtcp_put_u32 (fci + 16, rtcp_pack_rate (path->capacity_bps, PATH_MANTISSA_BITS));
  rtcp_put_u32 (fci + 20, microseconds (path->queue_delay));
  return RTCP_FB_PATH_SIZE;
}

bool
rtcp_fb_path_parse (const uint8_t *fci, size_t size, RtcpPath *path)
{
  if (size != RTCP_FB_PATH_SIZE || memcmp (fci, "PATH", 4) != 0)
    return false;
  if (fci[4] >> 4 != PATH_VERSION || (fci[4] & 0x0f) > RTCP_PATH_ECF)
    return false;
  path->kind = (RtcpPathKind)(fci[4] & 0x0f);
  path->hop = path->kind == RTCP_PATH_END_TO_END ? 0 : rtcp_get_u32 (fci + 8);
  path->owner = RATE_OWNER_UNKNOWN;
  path->ecn = 0;
  if (path->kind == RTCP_PATH_END_TO_END) {
    path->owner = rate_owner_from_wire (rtcp_get_u32 (fci + 8) & OWNER_MASK);
    path->ecn = rtcp_get_u32 (fci + 8) >> ECN_SHIFT;
  }
  path->rate_bps = rtcp_unpack_rate (rtcp_get_u32 (fci + 12), PATH_MANTISSA_BITS);
  path->capacity_bps = rtcp_unpack_rate (rtcp_get_u32 (fci + 16), PATH_MANTISSA_BITS);
  path->queue_delay = rtcp_get_u32 (fci + 20) * CC_USECOND;
  path->loss = (double)(rtcp_get_u32 (fci + 4) >> 12 & 0xfff) / SHARE_ONE;
  path->excused = (double)(rtcp_get_u32 (fci + 4) & 0xfff) / SHARE_ONE;
  return true;
}
