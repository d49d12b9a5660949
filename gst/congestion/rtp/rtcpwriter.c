/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcpwriter.h"

#include <string.h>

#include "rtcpbytes.h"
#include "rtcpccfb.h"
#include "rtcpnack.h"
#include "rtcptwcc.h"

#define HEADER_BYTES 4
#define SR_BYTES 28
#define RR_BYTES 8
#define BLOCK_BYTES 24
#define APP_BYTES 12
#define FEEDBACK_BYTES 12
#define MAX_COUNT 31
#define MAX_TEXT 255

/* The room for a packet of that many bytes behind what there is, all zeroes; NULL where it does not fit. */
static uint8_t *
add_packet (RtcpWriter *w, RtcpType type, unsigned count, size_t bytes)
{
  uint8_t *at = w->data + w->size;

  if (bytes > w->capacity - w->size)
    return NULL;
  memset (at, 0, bytes);
  at[0] = (uint8_t)(2 << 6 | count);
  at[1] = (uint8_t)type;
  rtcp_put_u16 (at + 2, (uint16_t)(bytes / 4 - 1));
  w->size += bytes;
  return at;
}

/* ---- reports ---- */

static unsigned
blocks_that_fit (const RtcpWriter *w, size_t header, unsigned n)
{
  size_t room = w->capacity - w->size, fit = room > header ? (room - header) / BLOCK_BYTES : 0;

  n = n < MAX_COUNT ? n : MAX_COUNT;
  return fit < n ? (unsigned)fit : n;
}

static int32_t
clamp_lost (int32_t lost)
{
  return lost < -0x800000 ? -0x800000 : lost > 0x7fffff ? 0x7fffff : lost;
}

static void
put_blocks (uint8_t *at, const RtcpReportBlock *blocks, unsigned n)
{
  unsigned i;

  for (i = 0; i < n; i++, at += BLOCK_BYTES) {
    const RtcpReportBlock *b = &blocks[i];

    rtcp_put_u32 (at, b->ssrc);
    rtcp_put_u32 (at + 4, (uint32_t)b->fraction_lost << 24 | ((uint32_t)clamp_lost (b->packets_lost) & 0xffffff));
    rtcp_put_u32 (at + 8, b->ext_highest_seq);
    rtcp_put_u32 (at + 12, b->jitter);
    rtcp_put_u32 (at + 16, b->lsr);
    rtcp_put_u32 (at + 20, b->dlsr);
  }
}

bool
rtcp_add_sr (RtcpWriter *w, const RtcpSenderInfo *info, const RtcpReportBlock *blocks, unsigned n_blocks)
{
  unsigned n = blocks_that_fit (w, SR_BYTES, n_blocks);
  uint8_t *at = add_packet (w, RTCP_SR, n, SR_BYTES + n * BLOCK_BYTES);

  if (at == NULL)
    return false;
  rtcp_put_u32 (at + 4, info->ssrc);
  rtcp_put_u32 (at + 8, (uint32_t)(info->ntp_time >> 32));
  rtcp_put_u32 (at + 12, (uint32_t)info->ntp_time);
  rtcp_put_u32 (at + 16, info->rtp_time);
  rtcp_put_u32 (at + 20, info->packet_count);
  rtcp_put_u32 (at + 24, info->octet_count);
  put_blocks (at + SR_BYTES, blocks, n);
  return true;
}

bool
rtcp_add_rr (RtcpWriter *w, uint32_t ssrc, const RtcpReportBlock *blocks, unsigned n_blocks)
{
  unsigned n = blocks_that_fit (w, RR_BYTES, n_blocks);
  uint8_t *at = add_packet (w, RTCP_RR, n, RR_BYTES + n * BLOCK_BYTES);

  if (at == NULL)
    return false;
  rtcp_put_u32 (at + 4, ssrc);
  put_blocks (at + RR_BYTES, blocks, n);
  return true;
}

/* ---- names ---- */

static size_t
text_bytes (const char *text)
{
  size_t length = strlen (text);

  return length < MAX_TEXT ? length : MAX_TEXT;
}

static size_t
round_up (size_t bytes)
{
  return (bytes + 3) & ~(size_t)3;
}

/* RFC 3550 6.5: the list of items ends with a zero at least, and fills a word. */
bool
rtcp_add_sdes (RtcpWriter *w, uint32_t ssrc, const RtcpSdesItem *items, unsigned n)
{
  size_t bytes = 0;
  uint8_t *at;
  unsigned i;

  for (i = 0; i < n; i++)
    bytes += 2 + text_bytes (items[i].text);
  at = add_packet (w, RTCP_SDES, 1, HEADER_BYTES + 4 + round_up (bytes + 1));
  if (at == NULL)
    return false;
  rtcp_put_u32 (at + 4, ssrc);
  for (i = 0, at += 8; i < n; i++, at += 2 + at[1]) {
    at[0] = (uint8_t)items[i].type;
    at[1] = (uint8_t)text_bytes (items[i].text);
    memcpy (at + 2, items[i].text, at[1]);
  }
  return true;
}

bool
rtcp_add_cname (RtcpWriter *w, uint32_t ssrc, const char *cname)
{
  RtcpSdesItem item = {RTCP_SDES_CNAME, cname};

  return rtcp_add_sdes (w, ssrc, &item, 1);
}

bool
rtcp_add_bye (RtcpWriter *w, const uint32_t *ssrcs, unsigned n_ssrcs)
{
  return rtcp_add_bye_with_reason (w, ssrcs, n_ssrcs, NULL);
}

/* RFC 3550 6.6: a length, the text, zeroes to a word. */
bool
rtcp_add_bye_with_reason (RtcpWriter *w, const uint32_t *ssrcs, unsigned n_ssrcs, const char *reason)
{
  size_t length = reason != NULL ? strlen (reason) : 0, bytes = HEADER_BYTES + 4 * (size_t)n_ssrcs;
  uint8_t *at;
  unsigned i;

  if (n_ssrcs > MAX_COUNT || length > MAX_TEXT)
    return false;
  at = add_packet (w, RTCP_BYE, n_ssrcs, bytes + (length > 0 ? round_up (1 + length) : 0));
  if (at == NULL)
    return false;
  for (i = 0; i < n_ssrcs; i++)
    rtcp_put_u32 (at + HEADER_BYTES + 4 * i, ssrcs[i]);
  if (length > 0) {
    at[bytes] = (uint8_t)length;
    memcpy (at + bytes + 1, reason, length);
  }
  return true;
}

bool
rtcp_add_app (RtcpWriter *w, uint32_t ssrc, uint8_t subtype, const char *name, const uint8_t *data, size_t size)
{
  uint8_t *at = NULL;

  if (subtype <= MAX_COUNT && strlen (name) == 4 && size % 4 == 0 && size <= RTCP_MTU)
    at = add_packet (w, RTCP_APP, subtype, APP_BYTES + size);
  if (at == NULL)
    return false;
  rtcp_put_u32 (at + 4, ssrc);
  memcpy (at + 8, name, 4);
  if (size > 0)
    memcpy (at + APP_BYTES, data, size);
  return true;
}

/* ---- feedback ---- */

static bool
add_feedback (RtcpWriter *w, RtcpType type, uint8_t fmt, uint32_t sender_ssrc, uint32_t media_ssrc, const uint8_t *fci,
    size_t size)
{
  uint8_t *at = size % 4 == 0 ? add_packet (w, type, fmt, FEEDBACK_BYTES + size) : NULL;

  if (at == NULL)
    return false;
  rtcp_put_u32 (at + 4, sender_ssrc);
  rtcp_put_u32 (at + 8, media_ssrc);
  if (size > 0)
    memcpy (at + FEEDBACK_BYTES, fci, size);
  return true;
}

bool
rtcp_add_tfrc (RtcpWriter *w, uint32_t sender_ssrc, uint32_t media_ssrc, const TfrcReport *report)
{
  uint8_t fci[RTCP_FB_TFRC_SIZE];
  size_t size = rtcp_fb_tfrc_write (fci, sizeof fci, report);

  return size > 0 && add_feedback (w, RTCP_RTPFB, RTCP_FB_FMT_TFRC, sender_ssrc, media_ssrc, fci, size);
}

bool
rtcp_add_remb (RtcpWriter *w, uint32_t sender_ssrc, const RtcpRemb *remb)
{
  uint8_t fci[8 + 4 * RTCP_FB_REMB_MAX_SSRCS];
  size_t size = rtcp_fb_remb_write (fci, sizeof fci, remb);

  return size > 0 && add_feedback (w, RTCP_PSFB, RTCP_FB_FMT_AFB, sender_ssrc, 0, fci, size);
}

bool
rtcp_add_path (RtcpWriter *w, uint32_t sender_ssrc, uint32_t media_ssrc, const RtcpPath *path)
{
  uint8_t fci[RTCP_FB_PATH_SIZE];
  size_t size = rtcp_fb_path_write (fci, sizeof fci, path);

  return size > 0 && add_feedback (w, RTCP_PSFB, RTCP_FB_FMT_AFB, sender_ssrc, media_ssrc, fci, size);
}

bool
rtcp_add_pli (RtcpWriter *w, uint32_t sender_ssrc, uint32_t media_ssrc)
{
  return add_feedback (w, RTCP_PSFB, RTCP_FB_FMT_PLI, sender_ssrc, media_ssrc, NULL, 0);
}

bool
rtcp_add_fir (RtcpWriter *w, uint32_t sender_ssrc, uint32_t media_ssrc, uint8_t seq)
{
  uint8_t fci[RTCP_FIR_ENTRY_BYTES] = {0};

  rtcp_put_u32 (fci, media_ssrc);
  fci[4] = seq;
  /* RFC 5104 4.3.1.2: the media SSRC of the header is unused, 0 */
  return add_feedback (w, RTCP_PSFB, RTCP_FB_FMT_FIR, sender_ssrc, 0, fci, sizeof fci);
}

/* What the FCI of one more message may take, `most` at most. */
static size_t
room (const RtcpWriter *w, size_t most)
{
  size_t left = w->capacity - w->size;

  left = left > FEEDBACK_BYTES ? left - FEEDBACK_BYTES : 0;
  return left < most ? left : most;
}

bool
rtcp_add_nack (
    RtcpWriter *w, uint32_t sender_ssrc, uint32_t media_ssrc, const uint16_t *seqs, unsigned n, unsigned *taken)
{
  uint8_t fci[RTCP_MTU];
  size_t done, size = rtcp_nack_write (fci, room (w, sizeof fci), seqs, n, &done);

  if (size == 0 || !add_feedback (w, RTCP_RTPFB, RTCP_FB_FMT_NACK, sender_ssrc, media_ssrc, fci, size))
    return false;
  if (taken != NULL)
    *taken = (unsigned)done;
  return true;
}

bool
rtcp_add_sli (RtcpWriter *w, uint32_t sender_ssrc, uint32_t media_ssrc, const RtcpSli *slices, unsigned n)
{
  uint8_t fci[RTCP_MTU];
  size_t size = rtcp_sli_write (fci, sizeof fci, slices, n);

  return size > 0 && add_feedback (w, RTCP_PSFB, RTCP_FB_FMT_SLI, sender_ssrc, media_ssrc, fci, size);
}

bool
rtcp_add_rpsi (RtcpWriter *w, uint32_t sender_ssrc, uint32_t media_ssrc, const RtcpRpsi *rpsi)
{
  uint8_t fci[RTCP_RPSI_MAX_SIZE];
  size_t size = rtcp_rpsi_write (fci, sizeof fci, rpsi);

  return size > 0 && add_feedback (w, RTCP_PSFB, RTCP_FB_FMT_RPSI, sender_ssrc, media_ssrc, fci, size);
}

bool
rtcp_add_afb (RtcpWriter *w, uint32_t sender_ssrc, uint32_t media_ssrc, const uint8_t *fci, size_t size)
{
  return add_feedback (w, RTCP_PSFB, RTCP_FB_FMT_AFB, sender_ssrc, media_ssrc, fci, size);
}

bool
rtcp_add_ccfb (RtcpWriter *w, uint32_t sender_ssrc, const RtcpCcfbStream *streams, unsigned n, CcTime now, uint32_t rts)
{
  /* the body begins where the SSRC of a media source stands in other messages */
  uint8_t body[RTCP_MTU + 4];
  RtcpCcfbWriter writer;
  ArrivalRange range;
  unsigned i;
  size_t size;

  rtcp_ccfb_begin (&writer, body, room (w, RTCP_MTU) + 4, now);
  for (i = 0; i < n; i++)
    if (arrival_history_range (streams[i].history, &range) &&
        !rtcp_ccfb_add (&writer, streams[i].ssrc, streams[i].history))
      break;
  if (writer.size == 0)
    return false;
  size = rtcp_ccfb_end (&writer, rts);
  return add_feedback (w, RTCP_RTPFB, RTCP_FB_FMT_CCFB, sender_ssrc, rtcp_get_u32 (body), body + 4, size - 4);
}

bool
rtcp_add_twcc (RtcpWriter *w, uint32_t sender_ssrc, uint32_t media_ssrc, ArrivalHistory *history, uint8_t *fb_pkt_count)
{
  uint8_t fci[RTCP_MTU];
  size_t size = rtcp_twcc_write (fci, room (w, sizeof fci), history, *fb_pkt_count);

  if (size == 0 || !add_feedback (w, RTCP_RTPFB, RTCP_FB_FMT_TWCC, sender_ssrc, media_ssrc, fci, size))
    return false;
  (*fb_pkt_count)++;
  return true;
}

/* RFC 5104 4.2.1.2, 4.2.2.2: the media SSRC of the header is unused, 0. */
static bool
add_tmmb (RtcpWriter *w, uint8_t fmt, uint32_t sender_ssrc, const RtcpTmmb *entries, unsigned n)
{
  uint8_t fci[RTCP_MTU];
  size_t size = rtcp_tmmb_write (fci, sizeof fci, entries, n);

  return (size > 0 || n == 0) && add_feedback (w, RTCP_RTPFB, fmt, sender_ssrc, 0, fci, size);
}

bool
rtcp_add_tmmbr (RtcpWriter *w, uint32_t sender_ssrc, const RtcpTmmb *entries, unsigned n)
{
  return n > 0 && add_tmmb (w, RTCP_FB_FMT_TMMBR, sender_ssrc, entries, n);
}

bool
rtcp_add_tmmbn (RtcpWriter *w, uint32_t sender_ssrc, const RtcpTmmb *entries, unsigned n)
{
  return add_tmmb (w, RTCP_FB_FMT_TMMBN, sender_ssrc, entries, n);
}

bool
rtcp_add_queued (RtcpWriter *w, uint32_t sender_ssrc, const FbQueued *queued)
{
  static const uint8_t fmts[] = {
      [FB_QUEUE_SLI] = RTCP_FB_FMT_SLI, [FB_QUEUE_RPSI] = RTCP_FB_FMT_RPSI, [FB_QUEUE_AFB] = RTCP_FB_FMT_AFB};
  char name[5] = {0};

  if (queued->kind != FB_QUEUE_APP)
    return add_feedback (
        w, RTCP_PSFB, fmts[queued->kind], sender_ssrc, queued->media_ssrc, queued->bytes, queued->size);
  memcpy (name, queued->bytes, 4);
  return rtcp_add_app (w, sender_ssrc, queued->subtype, name, queued->bytes + 4, queued->size - 4);
}
