/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets asked for again: which, whether another member has asked already, and what comes back (RFC 4588). */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpavpfprivate.h"

gboolean
gst_rtcp_avpf_is_retransmission (GstRtcpAvpf *self, guint8 payload_type)
{
  const GstStructure *map = self->settings.rtx_map;
  gint i, fields = map != NULL ? gst_structure_n_fields (map) : 0;
  guint type;

  for (i = 0; i < fields; i++)
    if (gst_structure_get_uint (map, gst_structure_nth_field_name (map, i), &type) && type == payload_type)
      return TRUE;
  return FALSE;
}

static NackRequest *
nack_of (GstRtcpAvpf *self, AvpfSource *s, GstClockTime now)
{
  NackRequestParams params;

  if (s->nack != NULL)
    return s->nack;
  nack_request_params_init (&params);
  params.latency = self->settings.nack_latency;
  params.watch_gaps = self->settings.auto_nack || gst_rtcp_avpf_repair_mends (self, s);
  s->nack = g_new (NackRequest, 1);
  nack_request_init (s->nack, &params);
  if (s->key.rtt != 0)
    nack_request_set_rtt (s->nack, s->key.rtt);
  s->nack_failed = 0;
  if (s->reception.valid)
    nack_request_on_packet (s->nack, rtp_reception_highest (&s->reception), now);
  return s->nack;
}

gboolean
gst_rtcp_avpf_mends_by_nack (GstRtcpAvpf *self, const AvpfSource *s)
{
  return (self->settings.auto_nack || gst_rtcp_avpf_repair_mends (self, s)) &&
         gst_rtcp_avpf_may_send (self, AVPF_FEEDBACK_NACK) && !s->retransmits;
}

void
gst_rtcp_avpf_note_packet (GstRtcpAvpf *self, AvpfSource *s, guint16 seq, GstClockTime now)
{
  if (gst_rtcp_avpf_mends_by_nack (self, s) || s->nack != NULL)
    nack_request_on_packet (nack_of (self, s, now), avpf_source_extend (s, seq), now);
}

/* RFC 4588: the number it had stands in front of the payload. It is a packet of the source that misses it. */
gboolean
gst_rtcp_avpf_note_restored (GstRtcpAvpf *self, const AvpfSource *from, guint16 osn, GstClockTime now)
{
  guint i, k;

  for (i = 0; i < AVPF_MAX_SOURCES; i++) {
    AvpfSource *s = self->table.sources[i];
    guint32 seq;

    if (s == NULL || s == from || s->nack == NULL)
      continue;
    seq = avpf_source_extend (s, osn);
    for (k = 0; k < s->nack->n_missing; k++)
      if (s->nack->missing[k].seq == seq) {
        FbItem item = fb_item_nack (s->ssrc, osn);

        fb_retention_forget (&self->retention, &item);
        gst_rtcp_avpf_repair_on_restored (self, s, &s->nack->missing[k], now);
        nack_request_on_packet (s->nack, seq, now);
        return TRUE;
      }
  }
  return FALSE;
}

static gboolean
get_ms (const GstStructure *structure, const gchar *name, GstClockTime *span)
{
  guint ms;

  if (!gst_structure_get_uint (structure, name, &ms))
    return FALSE;
  *span = ms * GST_MSECOND;
  return TRUE;
}

/* RTPJitterBuffer's request: ssrc, seqnum, and in ms how long the packet is of use (deadline) and the RTT it measured.
 */
gboolean
gst_rtcp_avpf_on_retransmission_request (GstRtcpAvpf *self, const GstStructure *structure, GstClockTime now)
{
  GstClockTime deadline = GST_CLOCK_TIME_NONE, span;
  guint ssrc, seq;
  AvpfSource *s;

  if (!gst_rtcp_avpf_may_send (self, AVPF_FEEDBACK_NACK) || !gst_structure_get_uint (structure, "seqnum", &seq))
    return FALSE;
  if (gst_structure_get_uint (structure, "ssrc", &ssrc))
    s = avpf_source_table_find (&self->table, ssrc);
  else
    s = avpf_source_table_main (&self->table);
  if (s == NULL || !avpf_source_present (s))
    return FALSE;
  nack_of (self, s, now);
  if (get_ms (structure, "avg-rtt", &span) && span > 0 && s->key.rtt == 0)
    nack_request_set_rtt (s->nack, span);
  if (get_ms (structure, "deadline", &span) && span > 0)
    deadline = now + span;
  nack_request_want (s->nack, (guint16)seq, deadline, now);
  gst_rtcp_avpf_check_source (self, s, now);
  gst_rtcp_avpf_wake_before (self, avpf_source_next_timeout (s));
  return TRUE;
}

/* What asking again did not mend, a key unit has to. */
static void
check_failures (GstRtcpAvpf *self, AvpfSource *s)
{
  guint64 failed = s->nack->given_up + s->nack->hopeless;
  guint32 lost =
      s->nack->n_missing > 0 ? s->nack->missing[0].seq - 1 : rtp_reception_highest (&s->reception) - KEY_REQUEST_MARGIN;

  if (failed > s->nack_failed && gst_rtcp_avpf_auto_pli_for (self, s))
    key_request_on_loss (&s->key, lost);
  s->nack_failed = failed;
}

void
gst_rtcp_avpf_check_nack (GstRtcpAvpf *self, AvpfSource *s, GstClockTime now)
{
  const AvpfTiming *timing = &self->locals.locals[0].timing;
  guint16 seqs[NACK_REQUEST_MAX_MISSING];

  if (s->nack == NULL || !gst_rtcp_avpf_may_send (self, AVPF_FEEDBACK_NACK))
    return;
  if (nack_request_next_timeout (s->nack) > now) {
    s->nack_t0 = GST_CLOCK_TIME_NONE;
    return;
  }
  if (gst_rtcp_avpf_timing_runs (self))
    nack_request_set_rtcp_delay (s->nack, timing->allow_early && timing->params.avpf
                                              ? avpf_timing_dither_max (timing) / 2
                                              : cc_time_since (timing->tn, now));
  if (nack_request_take_due (s->nack, seqs, G_N_ELEMENTS (seqs), now) > 0)
    gst_rtcp_avpf_request_once (self, &s->nack_t0, now);
  check_failures (self, s);
}

void
gst_rtcp_avpf_on_others_nack (GstRtcpAvpf *self, guint32 media, const guint16 *seqs, guint n, GstClockTime now)
{
  AvpfSource *s = avpf_source_table_find (&self->table, media);
  guint i;

  if (s == NULL)
    return;
  for (i = 0; i < n; i++) {
    FbItem item = fb_item_nack (media, seqs[i]);

    fb_retention_on_received (&self->retention, &item, now);
    if (s->nack != NULL)
      nack_request_on_asked_by_other (s->nack, seqs[i], now);
  }
}

static gboolean
is_first_request (const NackRequest *nack, guint16 seq)
{
  guint i;

  for (i = 0; i < nack->n_missing; i++)
    if ((guint16)nack->missing[i].seq == seq)
      return nack->missing[i].tries == 0 && nack->missing[i].others == 0;
  return FALSE;
}

/* What others asked for after it was missed here, nack_request_on_asked_by_other () has seen to. */
void
gst_rtcp_avpf_settle_nack (GstRtcpAvpf *self, AvpfSource *s, GstClockTime now)
{
  guint16 seqs[NACK_REQUEST_MAX_MISSING];
  guint i, n;

  if (s->nack == NULL || !GST_CLOCK_TIME_IS_VALID (s->nack_t0))
    return;
  n = nack_request_take_due (s->nack, seqs, G_N_ELEMENTS (seqs), now);
  for (i = 0; i < n; i++) {
    FbItem item = fb_item_nack (s->ssrc, seqs[i]);

    if (is_first_request (s->nack, seqs[i]) && fb_retention_suppress (&self->retention, &item, s->nack_t0))
      nack_request_on_asked_by_other (s->nack, seqs[i], now);
  }
  if (nack_request_take_due (s->nack, seqs, 1, now) == 0)
    s->nack_t0 = GST_CLOCK_TIME_NONE;
}
