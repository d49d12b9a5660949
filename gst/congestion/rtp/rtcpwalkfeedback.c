/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcpwalkprivate.h"

#include "rtcpnack.h"

#define FEEDBACK_SSRCS_SIZE 8

/* RFC 4585 6.1 */
typedef struct {
  uint32_t sender, media;
  const uint8_t *fci;
  size_t size;
} Message;

static bool
walk_tfrc (RtcpWalk *w, const Message *m)
{
  TfrcReport report;

  if (!rtcp_fb_tfrc_parse (m->fci, m->size, &report))
    return false;
  if (w->handlers->tfrc != NULL)
    w->handlers->tfrc (w->user, m->sender, m->media, &report);
  return true;
}

static bool
walk_nack (RtcpWalk *w, const Message *m)
{
  uint16_t seqs[RTCP_WALK_MAX_NACKS];
  size_t n;

  if (!rtcp_nack_parse (m->fci, m->size, seqs, sizeof seqs / sizeof seqs[0], &n))
    return false;
  if (w->handlers->nack != NULL)
    w->handlers->nack (w->user, m->sender, m->media, seqs, (unsigned)n);
  return true;
}

static bool
walk_sli (RtcpWalk *w, const Message *m)
{
  RtcpSli slices[RTCP_WALK_MAX_SLICES];
  size_t n;

  if (!rtcp_sli_parse (m->fci, m->size, slices, sizeof slices / sizeof slices[0], &n))
    return false;
  if (n > 0 && w->handlers->sli != NULL)
    w->handlers->sli (w->user, m->sender, m->media, slices, (unsigned)n);
  return true;
}

static bool
walk_rpsi (RtcpWalk *w, const Message *m)
{
  RtcpRpsi rpsi;

  if (!rtcp_rpsi_parse (m->fci, m->size, &rpsi))
    return false;
  if (w->handlers->rpsi != NULL)
    w->handlers->rpsi (w->user, m->sender, m->media, &rpsi);
  return true;
}

static bool
walk_pli (RtcpWalk *w, const Message *m)
{
  if (w->handlers->pli != NULL)
    w->handlers->pli (w->user, m->sender, m->media);
  return true;
}

static bool
walk_fir (RtcpWalk *w, const Message *m)
{
  size_t at;

  if (m->size == 0 || m->size % RTCP_FIR_ENTRY_BYTES != 0)
    return false;
  for (at = 0; at < m->size && w->handlers->fir != NULL; at += RTCP_FIR_ENTRY_BYTES)
    w->handlers->fir (w->user, m->sender, rtcp_get_u32 (m->fci + at), m->fci[at + 4]);
  return true;
}

/* Application feedback is whoever's: what is neither REMB nor PATH goes to afb as it is. */
static bool
walk_application_feedback (RtcpWalk *w, const Message *m)
{
  RtcpRemb remb;
  RtcpPath path;

  if (rtcp_fb_remb_parse (m->fci, m->size, &remb)) {
    if (w->handlers->remb != NULL)
      w->handlers->remb (w->user, m->sender, &remb);
  } else if (rtcp_fb_path_parse (m->fci, m->size, &path)) {
    if (w->handlers->path != NULL)
      w->handlers->path (w->user, m->sender, m->media, &path);
  } else if (w->handlers->afb != NULL) {
    w->handlers->afb (w->user, m->sender, m->media, m->fci, m->size);
  }
  return true;
}

static bool
walk_ccfb (RtcpWalk *w, const Message *m)
{
  RtcpCcfbReader reader;

  if (!rtcp_ccfb_open (&reader, m->fci - 4, m->size + 4))
    return false;
  if (w->handlers->ccfb != NULL)
    w->handlers->ccfb (w->user, m->sender, &reader);
  return true;
}

static bool
walk_twcc (RtcpWalk *w, const Message *m)
{
  RtcpTwccReader reader;

  if (!rtcp_twcc_open (&reader, m->fci, m->size))
    return false;
  if (w->handlers->twcc != NULL)
    w->handlers->twcc (w->user, m->sender, m->media, &reader);
  return true;
}

static bool
walk_tmmbr (RtcpWalk *w, const Message *m)
{
  unsigned i, n = rtcp_tmmb_count (m->size);

  for (i = 0; i < n && w->handlers->tmmbr != NULL; i++) {
    RtcpTmmb entry = rtcp_tmmb_entry (m->fci, i);
    w->handlers->tmmbr (w->user, m->sender, &entry);
  }
  return n > 0;
}

static bool
walk_tmmbn (RtcpWalk *w, const Message *m)
{
  RtcpTmmb entries[RTCP_WALK_MAX_TMMB];
  unsigned i, n = rtcp_tmmb_count (m->size);

  if (m->size % RTCP_TMMB_ENTRY_SIZE != 0)
    return false;
  n = n < RTCP_WALK_MAX_TMMB ? n : RTCP_WALK_MAX_TMMB;
  for (i = 0; i < n; i++)
    entries[i] = rtcp_tmmb_entry (m->fci, i);
  if (w->handlers->tmmbn != NULL)
    w->handlers->tmmbn (w->user, m->sender, entries, n);
  return true;
}

static bool
walk_rtpfb (RtcpWalk *w, const Message *m)
{
  switch (w->count) {
  case RTCP_FB_FMT_NACK:
    return walk_nack (w, m);
  case RTCP_FB_FMT_TFRC:
    return walk_tfrc (w, m);
  case RTCP_FB_FMT_TMMBR:
    return walk_tmmbr (w, m);
  case RTCP_FB_FMT_TMMBN:
    return walk_tmmbn (w, m);
  case RTCP_FB_FMT_CCFB:
    return walk_ccfb (w, m);
  case RTCP_FB_FMT_TWCC:
    return walk_twcc (w, m);
  default:
    return true;
  }
}

static bool
walk_psfb (RtcpWalk *w, const Message *m)
{
  switch (w->count) {
  case RTCP_FB_FMT_PLI:
    return walk_pli (w, m);
  case RTCP_FB_FMT_SLI:
    return walk_sli (w, m);
  case RTCP_FB_FMT_RPSI:
    return walk_rpsi (w, m);
  case RTCP_FB_FMT_FIR:
    return walk_fir (w, m);
  case RTCP_FB_FMT_AFB:
    return walk_application_feedback (w, m);
  default:
    return true;
  }
}

bool
rtcp_walk_feedback (RtcpWalk *w)
{
  const uint8_t *body = rtcp_walk_body (w);
  Message m;

  if (w->body < FEEDBACK_SSRCS_SIZE)
    return false;
  m = (Message){.sender = rtcp_get_u32 (body),
      .media = rtcp_get_u32 (body + 4),
      .fci = body + FEEDBACK_SSRCS_SIZE,
      .size = w->body - FEEDBACK_SSRCS_SIZE};
  rtcp_walk_speaks (w, m.sender);
  return w->type == RTCP_RTPFB ? walk_rtpfb (w, &m) : walk_psfb (w, &m);
}
