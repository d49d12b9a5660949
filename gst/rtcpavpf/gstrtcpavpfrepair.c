/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpavpfrepair.h"

#include "gstccrandom.h"
#include "gstccrtcp.h"
#include "gstrtcpavpfprivate.h"
#include "rtcprepair.h"

#include <string.h>

#define FIRST_OFFER (250 * GST_MSECOND) /* again, twice as long each time it is not taken */
#define SLOW_OFFER (5 * GST_SECOND)
#define AGREED_OFFER (2 * GST_SECOND)
#define AGREEMENT_LIFE (10 * GST_SECOND) /* several of the peer's report intervals */
#define SOME_LOSS 0.002                  /* a packet every five seconds of 1 Mb/s */
#define PAYLOAD_TYPE 127                 /* the last one, or the one in front of it where the stream has that */
#define RTP_HEADER_BYTES 12
#define OSN_BYTES 2 /* RFC 4588 4 */

void
gst_rtcp_avpf_repair_init (GstRtcpAvpf *self)
{
  GstClockTime told = self->repair.told_wait;
  RepairPlanParams params;

  repair_plan_params_init (&params);
  self->repair = (GstRtcpAvpfRepair){.heard_at = GST_CLOCK_TIME_NONE, .offer_interval = FIRST_OFFER, .told_wait = told};
  repair_plan_init (&self->repair.plan, &params);
  gst_rtcp_avpf_repair_apply (self);
}

void
gst_rtcp_avpf_repair_apply (GstRtcpAvpf *self)
{
  repair_plan_set_limits (&self->repair.plan, self->settings.nack_latency, self->settings.repair_latency);
  if (!self->settings.repair)
    self->repair.ssrc = 0;
}

gboolean
gst_rtcp_avpf_repair_carries (GstRtcpAvpf *self, guint32 ssrc)
{
  return self->repair.ssrc != 0 && ssrc == self->repair.ssrc;
}

gboolean
gst_rtcp_avpf_repair_mends (GstRtcpAvpf *self, const AvpfSource *s)
{
  return self->repair.ssrc != 0 && self->repair.agreed && s->ssrc == self->repair.media;
}

/* ---- the agreement ---- */

/* Another stream, another offer. */
static void
offer_for (GstRtcpAvpf *self, const AvpfSource *s, GstClockTime now)
{
  GstRtcpAvpfRepair *r = &self->repair;

  if (r->ssrc != 0 && r->media == s->ssrc)
    return;
  gst_rtcp_avpf_repair_init (self);
  r->plan.params.clock_rate = self->clock_rate != 0 ? self->clock_rate : r->plan.params.clock_rate;
  r->media = s->ssrc;
  do
    r->ssrc = gst_cc_random32 ();
  while (r->ssrc == 0 || avpf_source_table_find (&self->table, r->ssrc) != NULL);
  r->payload_type = s->payload_type == PAYLOAD_TYPE ? PAYLOAD_TYPE - 1 : PAYLOAD_TYPE;
  r->offer_at = now;
}

gboolean
gst_rtcp_avpf_repair_add_offer (GstRtcpAvpf *self, RtcpWriter *rtcp, guint32 sender, GstClockTime now)
{
  GstRtcpAvpfRepair *r = &self->repair;
  RtcpRepair offer = {.kind = RTCP_REPAIR_RTX, .payload_type = r->payload_type, .ssrc = r->ssrc};
  guint8 fci[RTCP_REPAIR_SIZE];

  if (r->ssrc == 0 || now < r->offer_at)
    return FALSE;
  if (!rtcp_add_afb (rtcp, sender, r->media, fci, rtcp_repair_write (fci, sizeof fci, &offer)))
    return FALSE;
  r->offer_at = now + (r->agreed ? AGREED_OFFER : r->offer_interval);
  r->offer_interval = MIN (2 * r->offer_interval, SLOW_OFFER);
  return TRUE;
}

static void
end_agreement (GstRtcpAvpf *self)
{
  self->repair.agreed = FALSE;
  self->repair.offer_interval = FIRST_OFFER;
}

void
gst_rtcp_avpf_repair_on_heard (GstRtcpAvpf *self, guint32 ssrc, GstClockTime now)
{
  if (!gst_rtcp_avpf_repair_carries (self, ssrc))
    return;
  if (!self->repair.agreed)
    GST_INFO_OBJECT (self, "lost packets of %08x come again as %08x", self->repair.media, ssrc);
  self->repair.agreed = TRUE;
  self->repair.heard_at = now;
}

void
gst_rtcp_avpf_repair_on_bye (GstRtcpAvpf *self, guint32 ssrc)
{
  if (gst_rtcp_avpf_repair_carries (self, ssrc))
    end_agreement (self);
}

/* ---- what is asked for ---- */

static void
run_plan (GstRtcpAvpf *self, AvpfSource *s, GstClockTime now)
{
  RepairPlan *plan = &self->repair.plan;

  if (s->nack == NULL)
    return;
  if (s->nack->unanswered > self->repair.unanswered)
    repair_plan_on_failure (plan, (guint)(s->nack->unanswered - self->repair.unanswered));
  self->repair.unanswered = s->nack->unanswered;
  repair_plan_set_rtt (plan, s->key.rtt);
  repair_plan_update (plan, now);
  s->nack->params.watch_gaps = TRUE;
  repair_plan_apply (plan, s->nack);
}

void
gst_rtcp_avpf_repair_on_packet (GstRtcpAvpf *self, AvpfSource *s, GstRTPBuffer *rtp, GstClockTime now)
{
  GstRtcpAvpfRepair *r = &self->repair;

  /* only who stamps packets may know REPR */
  if (!self->settings.repair || self->settings.rtx_map != NULL || s->retransmits || s->stamped == 0 || !s->valid ||
      s != avpf_source_table_main (&self->table))
    return;
  offer_for (self, s, now);
  repair_plan_on_packet (
      &r->plan, avpf_source_extend (s, gst_rtp_buffer_get_seq (rtp)), gst_rtp_buffer_get_timestamp (rtp), now);
  if (r->agreed && now > r->heard_at + AGREEMENT_LIFE)
    end_agreement (self);
  if (gst_rtcp_avpf_repair_mends (self, s))
    run_plan (self, s, now);
  else if (s->nack != NULL)
    s->nack->params.watch_gaps = self->settings.auto_nack;
}

static const NackMissing *
find_missing (const NackRequest *nack, guint16 seq)
{
  guint i;

  for (i = 0; i < nack->n_missing; i++)
    if ((guint16)nack->missing[i].seq == seq)
      return &nack->missing[i];
  return NULL;
}

void
gst_rtcp_avpf_repair_on_asked (GstRtcpAvpf *self, const AvpfSource *s, const guint16 *seqs, guint n, GstClockTime now)
{
  guint i;

  for (i = 0; i < n && gst_rtcp_avpf_repair_mends (self, s); i++) {
    const NackMissing *m = find_missing (s->nack, seqs[i]);

    if (m != NULL && m->tries == 0)
      repair_plan_on_asked (&self->repair.plan, cc_time_since (now, m->at));
  }
}

void
gst_rtcp_avpf_repair_on_restored (GstRtcpAvpf *self, const AvpfSource *s, const NackMissing *missing, GstClockTime now)
{
  if (gst_rtcp_avpf_repair_mends (self, s))
    repair_plan_on_answer (&self->repair.plan, missing->tries, cc_time_since (now, missing->at));
}

gboolean
gst_rtcp_avpf_repair_comes_first (GstRtcpAvpf *self)
{
  return self->repair.ssrc != 0 && self->repair.agreed && self->repair.plan.rounds > 0 &&
         self->repair.plan.loss > SOME_LOSS;
}

/* ---- what comes ---- */

static void
write_original (guint8 *data, const AvpfSource *s, guint16 osn)
{
  data[1] = (guint8)((data[1] & 0x80) | s->payload_type);
  GST_WRITE_UINT16_BE (data + 2, osn);
  GST_WRITE_UINT32_BE (data + 8, s->ssrc);
}

/* Its head without the number in front of the payload (RFC 4588 4). */
static GstBuffer *
original_of (GstBuffer *buffer, const AvpfSource *s)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstBuffer *original = NULL;
  GstMapInfo map;
  guint head;
  guint16 osn;

  if (!gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp))
    return NULL;
  head = gst_rtp_buffer_get_header_len (&rtp);
  if (gst_rtp_buffer_get_payload_len (&rtp) >= OSN_BYTES &&
      gst_buffer_extract (buffer, head, &osn, sizeof osn) == sizeof osn)
    original = gst_buffer_new_allocate (NULL, gst_buffer_get_size (buffer) - OSN_BYTES, NULL);
  gst_rtp_buffer_unmap (&rtp);
  if (original == NULL)
    return NULL;
  gst_buffer_map (original, &map, GST_MAP_WRITE);
  gst_buffer_extract (buffer, 0, map.data, head);
  gst_buffer_extract (buffer, head + OSN_BYTES, map.data + head, map.size - head);
  write_original (map.data, s, GUINT16_FROM_BE (osn));
  gst_buffer_unmap (original, &map);
  gst_buffer_copy_into (original, buffer, GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_META, 0, -1);
  return original;
}

GstBuffer *
gst_rtcp_avpf_repair_restore (GstRtcpAvpf *self, GstBuffer *buffer)
{
  AvpfSource *s = avpf_source_table_find (&self->table, self->repair.media);
  guint8 header[RTP_HEADER_BYTES];
  GstBuffer *original;

  if (self->repair.ssrc == 0 || s == NULL || gst_buffer_extract (buffer, 0, header, sizeof header) < sizeof header ||
      GST_READ_UINT32_BE (header + 8) != self->repair.ssrc)
    return buffer;
  original = original_of (buffer, s);
  gst_buffer_unref (buffer);
  if (original != NULL)
    self->repair.restored++;
  return original;
}

/* ---- what is told ---- */

GstClockTime
gst_rtcp_avpf_repair_wait (GstRtcpAvpf *self)
{
  return self->repair.agreed ? self->repair.plan.wait : self->settings.nack_latency;
}

void
gst_rtcp_avpf_repair_append_stats (GstRtcpAvpf *self, GstStructure *structure)
{
  const GstRtcpAvpfRepair *r = &self->repair;
  GstStructure *s;

  if (r->ssrc == 0)
    return;
  s = gst_structure_new ("application/x-repair-stats", "agreed", G_TYPE_BOOLEAN, r->agreed, "ssrc", G_TYPE_UINT,
      r->ssrc, "restored", G_TYPE_UINT64, r->restored, "wait", G_TYPE_UINT64, (guint64)r->plan.wait, "rounds",
      G_TYPE_UINT, r->plan.rounds, "copies", G_TYPE_UINT, r->plan.copies, "loss", G_TYPE_DOUBLE, r->plan.loss, "burst",
      G_TYPE_DOUBLE, r->plan.burst, "answer-time", G_TYPE_UINT64, (guint64)cc_duration (r->plan.answer.mean),
      "notice-time", G_TYPE_UINT64, (guint64)cc_duration (r->plan.notice.mean), "lateness", G_TYPE_UINT64,
      (guint64)cc_duration (r->plan.lateness.mean), "frame-loss", G_TYPE_DOUBLE, r->plan.frame_loss, NULL);
  gst_structure_set (structure, "repair", GST_TYPE_STRUCTURE, s, NULL);
  gst_structure_free (s);
}

void
gst_rtcp_avpf_repair_notify (GstRtcpAvpf *self)
{
  gboolean changed;

  g_mutex_lock (&self->lock);
  changed = self->repair.told_wait != gst_rtcp_avpf_repair_wait (self);
  self->repair.told_wait = gst_rtcp_avpf_repair_wait (self);
  g_mutex_unlock (&self->lock);
  if (changed)
    g_object_notify (G_OBJECT (self), "repair-wait");
}
