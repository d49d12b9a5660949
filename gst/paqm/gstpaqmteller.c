/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpaqmteller.h"

#include "gstccrandom.h"
#include "gstccrtcp.h"

#include <gst/net/gstnetaddressmeta.h>
#include <math.h>

#define OVER_RTCP (GST_PAQM_SIGNAL_ERF | GST_PAQM_SIGNAL_ECF | GST_PAQM_SIGNAL_REMB | GST_PAQM_SIGNAL_TMMBR)

/* One round of RTCP. */
typedef struct {
  GArray *told; /* of PaqmTold; NULL: nobody */
  GstPaqmNews news;
  gboolean flush, start, eos;
} Telling;

void
gst_paqm_teller_init (GstPaqmTeller *t, GMutex *lock, guint64 stream_id)
{
  *t = (GstPaqmTeller){.hop = (guint16)g_random_int_range (1, G_MAXUINT16 + 1),
      .ssrc = gst_cc_random32 (),
      .cname = gst_cc_rtcp_new_cname (),
      .stream_id = stream_id,
      .lock = lock,
      .sources = paqm_sources_new ()};
  g_cond_init (&t->due);
}

void
gst_paqm_teller_finalize (GstPaqmTeller *t)
{
  g_clear_pointer (&t->told, g_array_unref);
  paqm_sources_free (t->sources);
  g_cond_clear (&t->due);
  g_free (t->cname);
}

void
gst_paqm_teller_reset (GstPaqmTeller *t)
{
  paqm_sources_clear (t->sources);
  g_clear_pointer (&t->told, g_array_unref);
  t->tagged = t->sent = 0;
  t->ended = FALSE;
}

gboolean
gst_paqm_teller_get_tag (
    const GstPaqmTeller *t, const GstPaqmSettings *settings, const GstPaqmPadCaps *caps, gdouble R_Bps, GstPaqmTag *tag)
{
  if (!(settings->signalling & GST_PAQM_SIGNAL_ERF_EXTENSION) || caps->encrypted)
    return FALSE;
  *tag = (GstPaqmTag){.rate_Bps = R_Bps,
      .hop = t->hop,
      .extension_id = caps->rate_id != 0 ? caps->rate_id : settings->extension_id,
      .add = settings->add_extension};
  return tag->extension_id != 0 && isfinite (tag->rate_Bps);
}

gboolean
gst_paqm_teller_tells_sources (const GstPaqmTeller *t, GstPaqmSignalling signalling)
{
  return t->active && (signalling & OVER_RTCP) != 0;
}

void
gst_paqm_teller_tell (GstPaqmTeller *t, const GstPaqmNews *news)
{
  if (!t->active || t->ended)
    return;
  t->news = *news;
  if (t->told == NULL)
    t->told = paqm_sources_tell (t->sources, news->life, news->at);
  /* a list of nobody must not stand in the next one's way until the thread has had its turn */
  if (t->told->len == 0)
    g_clear_pointer (&t->told, g_array_unref);
  else
    g_cond_signal (&t->due);
}

void
gst_paqm_teller_set_ended (GstPaqmTeller *t, gboolean ended)
{
  if (t->ended == ended)
    return;
  t->ended = ended;
  g_cond_signal (&t->due);
}

/* ---- packets ---- */

static void
add_path (const GstPaqmTeller *t, RtcpWriter *rtcp, guint32 media, RtcpPathKind kind, gdouble rate_Bps)
{
  RtcpPath path = {.kind = kind, .hop = t->hop, .rate_bps = (guint64)(rate_Bps * 8)};

  rtcp_add_path (rtcp, t->ssrc, media, &path);
}

/* The aggregate's change as the rate it means for this source. */
static gdouble
ecf_rate (const PaqmEcf *ecf, gdouble rate_Bps)
{
  return ecf->decrease ? rate_Bps * ecf->ratio : rate_Bps + ecf->increase_Bps;
}

static void
add_rates (const GstPaqmTeller *t, RtcpWriter *rtcp, const GstPaqmNews *news, const PaqmTold *told)
{
  RtcpRemb remb = {.n_ssrcs = 1, .ssrcs = {told->ssrc}};
  RtcpTmmb tmmb = {.ssrc = told->ssrc, .overhead_bytes = (guint16)(news->overhead_bytes + RTCP_TMMB_RTP_HEADER)};

  if ((news->signalling & GST_PAQM_SIGNAL_ECF) && news->feedback.valid && told->rate_Bps > 0)
    add_path (t, rtcp, told->ssrc, RTCP_PATH_ECF, ecf_rate (&news->feedback.ecf, told->rate_Bps));
  if (!isfinite (news->R_Bps))
    return;
  remb.bitrate_bps = tmmb.bitrate_bps = (guint64)(news->R_Bps * 8);
  if (news->signalling & GST_PAQM_SIGNAL_ERF)
    add_path (t, rtcp, told->ssrc, RTCP_PATH_ERF, news->R_Bps);
  if (news->signalling & GST_PAQM_SIGNAL_REMB)
    rtcp_add_remb (rtcp, t->ssrc, &remb);
  if (news->signalling & GST_PAQM_SIGNAL_TMMBR)
    rtcp_add_tmmbr (rtcp, t->ssrc, &tmmb, 1);
}

static GstBuffer *
build (const GstPaqmTeller *t, const GstPaqmNews *news, const PaqmTold *told)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);

  rtcp_add_rr (&rtcp, t->ssrc, NULL, 0);
  rtcp_add_cname (&rtcp, t->ssrc, t->cname);
  add_rates (t, &rtcp, news, told);
  gst_cc_rtcp_close (&rtcp, buffer);
  if (told->address != NULL)
    gst_buffer_add_net_address_meta (buffer, told->address);
  return buffer;
}

/* ---- the thread ---- */

static gboolean
says_something (const GstPaqmNews *news)
{
  return (news->signalling & OVER_RTCP) && (news->feedback.valid || isfinite (news->R_Bps));
}

static gboolean
end_is_due (const GstPaqmTeller *t)
{
  return t->ended && t->stream != GST_PAQM_TELLER_OVER;
}

/* With the lock. A sink takes nothing after EOS unless it is flushed. */
static void
go_on (GstPaqmTeller *t, Telling *telling)
{
  guint n = telling->told != NULL ? telling->told->len : 0;

  telling->eos = end_is_due (t);
  telling->start = t->stream != GST_PAQM_TELLER_BEGUN && (n > 0 || telling->eos);
  telling->flush = telling->start && t->stream == GST_PAQM_TELLER_OVER;
  if (telling->eos)
    t->stream = GST_PAQM_TELLER_OVER;
  else if (telling->start)
    t->stream = GST_PAQM_TELLER_BEGUN;
  t->sent += n;
}

/* With the lock. FALSE: the thread ends. */
static gboolean
wait_to_tell (GstPaqmTeller *t, Telling *telling)
{
  while (t->active && t->told == NULL && !end_is_due (t))
    g_cond_wait (&t->due, t->lock);
  if (!t->active)
    return FALSE;
  *telling = (Telling){.told = g_steal_pointer (&t->told), .news = t->news};
  if (!says_something (&t->news))
    g_clear_pointer (&telling->told, g_array_unref);
  go_on (t, telling);
  return TRUE;
}

static void
push_flush (GstPad *pad)
{
  gst_pad_push_event (pad, gst_event_new_flush_start ());
  gst_pad_push_event (pad, gst_event_new_flush_stop (TRUE));
}

static void
push_start (const GstPaqmTeller *t, GstPad *pad)
{
  GstCaps *caps = gst_caps_new_empty_simple ("application/x-rtcp");
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_paqm_stream_start (t->stream_id, "rtcp"));
  gst_pad_push_event (pad, gst_event_new_caps (caps));
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

static void
loop (gpointer user)
{
  GstPad *pad = user;
  GstPaqmTeller *t = gst_pad_get_element_private (pad);
  gboolean goes_on;
  Telling telling;
  guint i;

  g_mutex_lock (t->lock);
  goes_on = wait_to_tell (t, &telling);
  g_mutex_unlock (t->lock);
  if (!goes_on) {
    gst_pad_pause_task (pad);
    return;
  }
  if (telling.flush)
    push_flush (pad);
  if (telling.start)
    push_start (t, pad);
  for (i = 0; telling.told != NULL && i < telling.told->len; i++)
    gst_pad_push (pad, build (t, &telling.news, &g_array_index (telling.told, PaqmTold, i)));
  if (telling.eos)
    gst_pad_push_event (pad, gst_event_new_eos ());
  g_clear_pointer (&telling.told, g_array_unref);
}

static gboolean
activate_mode (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstPaqmTeller *t = gst_pad_get_element_private (pad);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  g_mutex_lock (t->lock);
  t->active = active;
  t->stream = GST_PAQM_TELLER_SILENT;
  g_clear_pointer (&t->told, g_array_unref);
  g_cond_signal (&t->due);
  g_mutex_unlock (t->lock);
  return active ? gst_pad_start_task (pad, loop, pad, NULL) : gst_pad_stop_task (pad);
}

GstPad *
gst_paqm_teller_new_pad (GstPaqmTeller *t, GstPadTemplate *templ)
{
  GstPad *pad = gst_pad_new_from_template (templ, "rtcp_src");

  /* it is activated before it is the element's */
  gst_pad_set_element_private (pad, t);
  gst_pad_set_activatemode_function (pad, activate_mode);
  gst_pad_use_fixed_caps (pad);
  return pad;
}
