/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccrtcpprivate.h"

#define FIR_ENTRY_SIZE 8
#define FEEDBACK_SSRCS_SIZE 8

/* RFC 4585 6.1 */
typedef struct {
  guint32 sender, media;
  const guint8 *fci;
  gsize size;
} Message;

static gboolean
walk_tfrc (GstCcRtcpWalk *w, const Message *m)
{
  TfrcReport report;

  if (!rtcp_fb_tfrc_parse (m->fci, m->size, &report))
    return FALSE;
  if (w->handlers->tfrc != NULL)
    w->handlers->tfrc (w->user, m->sender, m->media, &report);
  return TRUE;
}

static gboolean
walk_nack (GstCcRtcpWalk *w, const Message *m)
{
  guint16 seqs[GST_CC_RTCP_MAX_NACKS];
  gsize n;

  if (!rtcp_nack_parse (m->fci, m->size, seqs, G_N_ELEMENTS (seqs), &n))
    return FALSE;
  if (w->handlers->nack != NULL)
    w->handlers->nack (w->user, m->sender, m->media, seqs, (guint)n);
  return TRUE;
}

static gboolean
walk_sli (GstCcRtcpWalk *w, const Message *m)
{
  RtcpSli slices[GST_CC_RTCP_MAX_SLICES];
  gsize n;

  if (!rtcp_sli_parse (m->fci, m->size, slices, G_N_ELEMENTS (slices), &n))
    return FALSE;
  if (n > 0 && w->handlers->sli != NULL)
    w->handlers->sli (w->user, m->sender, m->media, slices, (guint)n);
  return TRUE;
}

static gboolean
walk_rpsi (GstCcRtcpWalk *w, const Message *m)
{
  RtcpRpsi rpsi;

  if (!rtcp_rpsi_parse (m->fci, m->size, &rpsi))
    return FALSE;
  if (w->handlers->rpsi != NULL)
    w->handlers->rpsi (w->user, m->sender, m->media, &rpsi);
  return TRUE;
}

static gboolean
walk_pli (GstCcRtcpWalk *w, const Message *m)
{
  if (w->handlers->pli != NULL)
    w->handlers->pli (w->user, m->sender, m->media);
  return TRUE;
}

static gboolean
walk_fir (GstCcRtcpWalk *w, const Message *m)
{
  gsize at;

  if (m->size == 0 || m->size % FIR_ENTRY_SIZE != 0)
    return FALSE;
  for (at = 0; at < m->size && w->handlers->fir != NULL; at += FIR_ENTRY_SIZE)
    w->handlers->fir (w->user, m->sender, GST_READ_UINT32_BE (m->fci + at), m->fci[at + 4]);
  return TRUE;
}

/* Application feedback is whoever's: what is neither REMB nor PATH goes to afb as it is. */
static gboolean
walk_application_feedback (GstCcRtcpWalk *w, const Message *m)
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
  return TRUE;
}

static gboolean
walk_ccfb (GstCcRtcpWalk *w, const Message *m)
{
  RtcpCcfbReader reader;

  if (!rtcp_ccfb_open (&reader, m->fci - 4, m->size + 4))
    return FALSE;
  if (w->handlers->ccfb != NULL)
    w->handlers->ccfb (w->user, m->sender, &reader);
  return TRUE;
}

static gboolean
walk_twcc (GstCcRtcpWalk *w, const Message *m)
{
  RtcpTwccReader reader;

  if (!rtcp_twcc_open (&reader, m->fci, m->size))
    return FALSE;
  if (w->handlers->twcc != NULL)
    w->handlers->twcc (w->user, m->sender, m->media, &reader);
  return TRUE;
}

static gboolean
walk_tmmbr (GstCcRtcpWalk *w, const Message *m)
{
  guint i, n = rtcp_tmmb_count (m->size);

  for (i = 0; i < n && w->handlers->tmmbr != NULL; i++) {
    RtcpTmmb entry = rtcp_tmmb_entry (m->fci, i);
    w->handlers->tmmbr (w->user, m->sender, &entry);
  }
  return n > 0;
}

static gboolean
walk_tmmbn (GstCcRtcpWalk *w, const Message *m)
{
  RtcpTmmb entries[GST_CC_RTCP_MAX_TMMB];
  guint i, n = MIN (rtcp_tmmb_count (m->size), G_N_ELEMENTS (entries));

  if (m->size % RTCP_TMMB_ENTRY_SIZE != 0)
    return FALSE;
  for (i = 0; i < n; i++)
    entries[i] = rtcp_tmmb_entry (m->fci, i);
  if (w->handlers->tmmbn != NULL)
    w->handlers->tmmbn (w->user, m->sender, entries, n);
  return TRUE;
}

static gboolean
walk_rtpfb (GstCcRtcpWalk *w, const Message *m)
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
    return TRUE;
  }
}

static gboolean
walk_psfb (GstCcRtcpWalk *w, const Message *m)
{
  switch (w->count) {
  case GST_RTCP_PSFB_TYPE_PLI:
    return walk_pli (w, m);
  case RTCP_FB_FMT_SLI:
    return walk_sli (w, m);
  case RTCP_FB_FMT_RPSI:
    return walk_rpsi (w, m);
  case GST_RTCP_PSFB_TYPE_FIR:
    return walk_fir (w, m);
  case RTCP_FB_FMT_AFB:
    return walk_application_feedback (w, m);
  default:
    return TRUE;
  }
}

gboolean
gst_cc_rtcp_walk_feedback (GstCcRtcpWalk *w)
{
  const guint8 *body = gst_cc_rtcp_walk_body (w);
  Message m;

  if (w->body < FEEDBACK_SSRCS_SIZE)
    return FALSE;
  m = (Message){.sender = GST_READ_UINT32_BE (body),
      .media = GST_READ_UINT32_BE (body + 4),
      .fci = body + FEEDBACK_SSRCS_SIZE,
      .size = w->body - FEEDBACK_SSRCS_SIZE};
  gst_cc_rtcp_walk_speaks (w, m.sender);
  return w->type == GST_RTCP_TYPE_RTPFB ? walk_rtpfb (w, &m) : walk_psfb (w, &m);
}
