/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What media sources are told: a rate in their packets, which the receiver returns, and over RTCP, sent to where each
   source's packets come from by a thread of its own, so that a full link delays it not. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccrtcp.h"
#include "gstpaqmprivate.h"

#include <gst/net/gstnetaddressmeta.h>
#include <math.h>

#define OVER_RTCP (GST_PAQM_SIGNAL_ERF | GST_PAQM_SIGNAL_ECF | GST_PAQM_SIGNAL_REMB | GST_PAQM_SIGNAL_TMMBR)

/* One round of RTCP. */
typedef struct {
  GArray *told; /* of PaqmTold */
  GstPaqmSignalling signalling;
  gdouble R_Bps;
  PaqmFeedback feedback;
  guint overhead;
  gboolean start;
} Telling;

/* The core's rate counts what the link adds; those who follow it count UDP and IP. */
gdouble
gst_paqm_shaper_told_rate (GstPaqmShaper *self)
{
  PaqmFeedback feedback;

  paqm_get_feedback (self->paqm, &feedback);
  return self->link_bytes > self->ip_bytes ? feedback.R_Bps * self->ip_bytes / self->link_bytes : feedback.R_Bps;
}

gboolean
gst_paqm_shaper_get_tag (GstPaqmShaper *self, const GstPaqmPad *pad, GstPaqmTag *tag)
{
  if (!(self->applied.signalling & GST_PAQM_SIGNAL_ERF_EXTENSION) || pad->caps.encrypted)
    return FALSE;
  *tag = (GstPaqmTag){.rate_Bps = gst_paqm_shaper_told_rate (self),
      .hop = self->hop,
      .extension_id = pad->caps.rate_id != 0 ? pad->caps.rate_id : self->applied.extension_id,
      .add = self->applied.add_extension};
  return tag->extension_id != 0 && isfinite (tag->rate_Bps);
}

gboolean
gst_paqm_shaper_tells_sources (GstPaqmShaper *self)
{
  return self->rtcp_active && (self->applied.signalling & OVER_RTCP) != 0;
}

/* ---- packets ---- */

static void
add_path (GstPaqmShaper *self, RtcpWriter *rtcp, guint32 media, RtcpPathKind kind, gdouble rate_Bps)
{
  RtcpPath path = {.kind = kind, .hop = self->hop, .rate_bps = (guint64)(rate_Bps * 8)};

  rtcp_add_path (rtcp, self->ssrc, media, &path);
}

/* The aggregate's change as the rate it means for this source. */
static gdouble
ecf_rate (const PaqmEcf *ecf, gdouble rate_Bps)
{
  return ecf->decrease ? rate_Bps * ecf->ratio : rate_Bps + ecf->increase_Bps;
}

static void
add_rates (GstPaqmShaper *self, RtcpWriter *rtcp, const Telling *t, const PaqmTold *told)
{
  RtcpRemb remb = {.n_ssrcs = 1, .ssrcs = {told->ssrc}};
  RtcpTmmb tmmb = {.ssrc = told->ssrc, .overhead_bytes = (guint16)(t->overhead + RTCP_TMMB_RTP_HEADER)};

  if ((t->signalling & GST_PAQM_SIGNAL_ECF) && t->feedback.valid && told->rate_Bps > 0)
    add_path (self, rtcp, told->ssrc, RTCP_PATH_ECF, ecf_rate (&t->feedback.ecf, told->rate_Bps));
  if (!isfinite (t->R_Bps))
    return;
  remb.bitrate_bps = tmmb.bitrate_bps = (guint64)(t->R_Bps * 8);
  if (t->signalling & GST_PAQM_SIGNAL_ERF)
    add_path (self, rtcp, told->ssrc, RTCP_PATH_ERF, t->R_Bps);
  if (t->signalling & GST_PAQM_SIGNAL_REMB)
    rtcp_add_remb (rtcp, self->ssrc, &remb);
  if (t->signalling & GST_PAQM_SIGNAL_TMMBR)
    rtcp_add_tmmbr (rtcp, self->ssrc, &tmmb, 1);
}

static GstBuffer *
build (GstPaqmShaper *self, const Telling *t, const PaqmTold *told)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);

  rtcp_add_rr (&rtcp, self->ssrc, NULL, 0);
  rtcp_add_cname (&rtcp, self->ssrc, self->cname);
  add_rates (self, &rtcp, t, told);
  gst_cc_rtcp_close (&rtcp, buffer);
  if (told->address != NULL)
    gst_buffer_add_net_address_meta (buffer, told->address);
  return buffer;
}

/* ---- the thread ---- */

/* With the lock. FALSE: the thread ends. */
static gboolean
wait_to_tell (GstPaqmShaper *self, Telling *t)
{
  while (self->rtcp_active && !self->tell_due)
    g_cond_wait (&self->tell, &self->lock);
  if (!self->rtcp_active)
    return FALSE;
  self->tell_due = FALSE;
  *t = (Telling){.signalling = self->applied.signalling,
      .R_Bps = gst_paqm_shaper_told_rate (self),
      .overhead = self->applied.overhead >= 0 ? (guint)self->applied.overhead : 28,
      .start = !self->rtcp_started};
  paqm_get_feedback (self->paqm, &t->feedback);
  t->told = paqm_sources_tell (self->sources, self->applied.flow_life, gst_paqm_shaper_now (self));
  if (!(t->signalling & OVER_RTCP) || (!t->feedback.valid && !isfinite (t->R_Bps)))
    g_array_set_size (t->told, 0);
  self->rtcp_started |= t->told->len > 0;
  self->rtcp_sent += t->told->len;
  return TRUE;
}

static void
push_start (GstPaqmShaper *self, GstPad *pad)
{
  GstCaps *caps = gst_caps_new_empty_simple ("application/x-rtcp");
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_paqm_shaper_new_stream_start (self, "rtcp"));
  gst_pad_push_event (pad, gst_event_new_caps (caps));
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

static void
rtcp_loop (gpointer user)
{
  GstPad *pad = user;
  GstPaqmShaper *self = gst_pad_get_element_private (pad);
  gboolean goes_on;
  Telling t;
  guint i;

  g_mutex_lock (&self->lock);
  goes_on = wait_to_tell (self, &t);
  g_mutex_unlock (&self->lock);
  if (!goes_on) {
    gst_pad_pause_task (pad);
    return;
  }
  if (t.start && t.told->len > 0)
    push_start (self, pad);
  for (i = 0; i < t.told->len; i++)
    gst_pad_push (pad, build (self, &t, &g_array_index (t.told, PaqmTold, i)));
  g_array_unref (t.told);
}

static gboolean
activate_mode (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstPaqmShaper *self = gst_pad_get_element_private (pad);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  g_mutex_lock (&self->lock);
  self->rtcp_active = active;
  self->rtcp_started = self->tell_due = FALSE;
  g_cond_signal (&self->tell);
  g_mutex_unlock (&self->lock);
  return active ? gst_pad_start_task (pad, rtcp_loop, pad, NULL) : gst_pad_stop_task (pad);
}

GstPad *
gst_paqm_shaper_new_rtcp_pad (GstPaqmShaper *self, GstPadTemplate *templ)
{
  GstPad *pad = gst_pad_new_from_template (templ, "rtcp_src");

  /* it is activated before it is the element's */
  gst_pad_set_element_private (pad, self);
  gst_pad_set_activatemode_function (pad, activate_mode);
  gst_pad_use_fixed_caps (pad);
  return pad;
}
