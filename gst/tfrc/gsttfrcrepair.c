/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcrepair.h"

#include "gstccrandom.h"
#include "rtcprepair.h"

#include <string.h>

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_sink_debug);
#define GST_CAT_DEFAULT gst_tfrc_sink_debug

#define AGREEMENT_LIFE (5 * CC_SECOND) /* two offers and a half: after that another receiver's counts */

void
gst_tfrc_repair_init (GstTfrcRepair *r, const GstTfrcRepairParams *params)
{
  memset (r, 0, sizeof *r);
  r->params = *params;
}

void
gst_tfrc_repair_clear (GstTfrcRepair *r)
{
  g_clear_pointer (&r->kept, g_free);
  gst_tfrc_fec_clear (&r->fec);
  r->agreed = r->by_rtx = FALSE;
}

gboolean
gst_tfrc_repair_is (const GstTfrcRepair *r, guint32 ssrc)
{
  return r->agreed && r->ssrc == ssrc;
}

/* ---- the agreement ---- */

/* A receiver that agreed asks twice in a row where it matters. */
static void
set_asker (GstTfrcRepair *r, gboolean agreed)
{
  RtpMediaStream *stream = rtp_media_find (&r->params.session->core->media, r->media);

  if (stream != NULL)
    stream->asker = (RtpMediaAsker){.agreed = agreed, .receiver = r->receiver, .interval = RESEND_LIMIT_PLANNED};
}

void
gst_tfrc_repair_end (GstTfrcRepair *r, CcTime now)
{
  if (!r->agreed)
    return;
  gst_tfrc_repair_clear (r);
  cc_sender_set_redundancy (r->params.sender, 0);
  set_asker (r, FALSE);
  rtp_participant_end_stream (r->params.session->core, r->ssrc, now);
  gst_tfrc_session_wake (r->params.session);
}

void
gst_tfrc_repair_note_bye (GstTfrcRepair *r, guint32 ssrc)
{
  r->left |= r->agreed && r->receiver == ssrc;
}

void
gst_tfrc_repair_note_feedback (GstTfrcRepair *r, const RtpFeedbackMessage *message)
{
  GstTfrcOffer offer = {.made = TRUE, .by = message->sender, .media = message->media};

  if (message->type != RTCP_PSFB || message->fmt != RTCP_FB_FMT_AFB ||
      !rtcp_repair_parse (message->fci, message->size, &offer.repair))
    return;
  r->offers[offer.repair.kind == RTCP_REPAIR_FEC] = offer;
}

/* One stream is repaired for one receiver. Who may limit may ask: it has shown that it receives. */
static gboolean
is_acceptable (GstTfrcRepair *r, guint32 sender, guint32 media, const RtcpRepair *offer)
{
  RtpParticipant *core = r->params.session->core;

  return rtp_media_is_flow (&core->media, media) && rtp_reporters_knows (&core->media.reporters, sender) &&
         offer->ssrc != 0 && r->ssrc_sent == media && offer->payload_type != r->type_sent &&
         rtp_locals_find (&core->locals, offer->ssrc) == NULL;
}

/* Its stream shows itself at once, in RTCP. */
static void
agree (GstTfrcRepair *r, guint32 sender, guint32 media, const RtcpRepair *offer, CcTime now)
{

  GST_INFO_OBJECT (
      r->params.element, "receiver %08x gets what it misses of %08x again as %08x", sender, media, offer->ssrc);
  r->agreed = TRUE;
  r->receiver = sender;
  r->media = media;
  if (r->ssrc != offer->ssrc)
    r->next = (guint16)gst_cc_random32 ();
  r->ssrc = offer->ssrc;
  r->heard_at = now;
  set_asker (r, TRUE);
  rtp_participant_announce_resends (r->params.session->core, r->ssrc, now);
  gst_tfrc_session_wake (r->params.session);
}

/* Where its SSRC had to make room it comes back. */
static void
go_on (GstTfrcRepair *r, CcTime now)
{
  r->heard_at = now;
  rtp_participant_announce_resends (r->params.session->core, r->ssrc, now);
  gst_tfrc_session_wake (r->params.session);
}

/* What the stream that was agreed on is used for. */
static void
take_terms (GstTfrcRepair *r, const RtcpRepair *offer, CcTime now)
{

  if (offer->kind == RTCP_REPAIR_FEC) {
    gst_tfrc_fec_on_request (&r->fec, offer, now);
    return;
  }
  r->by_rtx = TRUE;
  r->payload_type = offer->payload_type;
  if (r->kept == NULL)
    r->kept = g_new0 (GstTfrcKept, GST_TFRC_REPAIR_KEPT);
}

static gboolean
is_wanted (const GstTfrcRepair *r, const RtcpRepair *offer)
{
  return gst_tfrc_repair_allows (
      r->params.settings->repair, offer->kind == RTCP_REPAIR_FEC ? GST_TFRC_REPAIR_FEC : GST_TFRC_REPAIR_RTX);
}

static void
take_offer (GstTfrcRepair *r, const GstTfrcOffer *o, CcTime now)
{

  if (!is_wanted (r, &o->repair))
    return;
  if (r->agreed && r->receiver == o->by && r->media == o->media && r->ssrc == o->repair.ssrc) {
    go_on (r, now);
    take_terms (r, &o->repair, now);
    return;
  }
  if (r->agreed && r->receiver != o->by && cc_time_since (now, r->heard_at) < AGREEMENT_LIFE)
    return;
  if (!is_acceptable (r, o->by, o->media, &o->repair))
    return;
  gst_tfrc_repair_end (r, now);
  agree (r, o->by, o->media, &o->repair, now);
  take_terms (r, &o->repair, now);
}

void
gst_tfrc_repair_settle (GstTfrcRepair *r, CcTime now)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (r->offers); i++) {
    if (r->offers[i].made)
      take_offer (r, &r->offers[i], now);
    r->offers[i].made = FALSE;
  }
  if (r->left)
    gst_tfrc_repair_end (r, now);
  r->left = FALSE;
}

/* ---- packets ---- */

static void
keep (GstTfrcRepair *r, GstBuffer *buffer, guint16 seq)
{
  gsize size = gst_buffer_get_size (buffer);
  GstTfrcKept *kept = &r->kept[seq % GST_TFRC_REPAIR_KEPT];

  kept->ssrc = r->media;
  kept->seq = seq;
  kept->again_at = CC_TIME_NONE;
  kept->size = (guint16)(size <= sizeof kept->data ? gst_buffer_extract (buffer, 0, kept->data, size) : 0);
}

void
gst_tfrc_repair_on_sent (GstTfrcRepair *r, const CcPacket *packet, const GstTfrcHead *head, guint16 seq, CcTime now)
{

  if (gst_tfrc_repair_is (r, head->ssrc))
    return;
  r->ssrc_sent = head->ssrc;
  r->type_sent = head->payload_type;
  if (!r->agreed || head->ssrc != r->media)
    return;
  if (r->kept != NULL)
    keep (r, packet->handle, seq);
  gst_tfrc_fec_on_sent (r, packet, head, seq, now);
}

/* RFC 4588 4: the number it had stands in front of the payload. */
static GstBuffer *
resent_packet (GstTfrcRepair *r, const GstTfrcKept *kept, const GstTfrcHead *head)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, kept->size + GST_TFRC_OSN_SIZE, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  memcpy (map.data, kept->data, head->head_size);
  map.data[1] = (guint8)((map.data[1] & 0x80) | r->payload_type);
  GST_WRITE_UINT16_BE (map.data + 2, r->next);
  GST_WRITE_UINT32_BE (map.data + 8, r->ssrc);
  GST_WRITE_UINT16_BE (map.data + head->head_size, kept->seq);
  memcpy (map.data + head->head_size + GST_TFRC_OSN_SIZE, kept->data + head->head_size, kept->size - head->head_size);
  gst_buffer_unmap (buffer, &map);
  r->next++;
  return buffer;
}

static void
send_again (GstTfrcRepair *r, GstTfrcKept *kept, CcTime now)
{
  GstTfrcElements elements = {.id = r->params.settings->extension_id,
      .twcc_id = r->params.settings->twcc_extension_id,
      .rate_id = r->params.settings->rate_extension_id};
  CcPacket packet = {.captured_at = now, .resent = true};
  GstTfrcHead head;

  if (!gst_tfrc_head_parse (kept->data, kept->size, kept->size, &head))
    return;
  packet.frame = head.timestamp;
  packet.size_bytes = (guint32)(kept->size + GST_TFRC_OSN_SIZE + gst_tfrc_head_growth (&head, kept->data, &elements));
  if (kept->again_at != CC_TIME_NONE &&
      !cc_sender_may_repeat (r->params.sender, packet.size_bytes, cc_time_since (now, kept->again_at)))
    return;
  packet.handle = resent_packet (r, kept, &head);
  kept->again_at = now;
  r->resent++;
  r->params.push (r->params.user, &packet, now);
}

gboolean
gst_tfrc_repair_answer (GstTfrcRepair *r, const RtpEvent *resend, CcTime now)
{
  GstTfrcKept *kept;

  if (!r->agreed || !r->by_rtx || !gst_tfrc_repair_allows (r->params.settings->repair, GST_TFRC_REPAIR_RTX) ||
      resend->receiver != r->receiver || resend->ssrc != r->media)
    return FALSE;
  kept = &r->kept[resend->seq % GST_TFRC_REPAIR_KEPT];
  if (kept->size == 0 || kept->ssrc != r->media || kept->seq != resend->seq)
    r->unknown++;
  else
    send_again (r, kept, now);
  return TRUE;
}
