/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcfec.h"

#include "gstccrandom.h"
#include "gsttfrcrepair.h"

#define REQUEST_LIFE (3 * CC_SECOND) /* it is repeated every second */
#define HEADER_BYTES 12
#define MOST_BYTES 1500 /* of a packet that is protected: longer ones do not fit a sum */

void
gst_tfrc_fec_clear (GstTfrcFec *fec)
{
  g_clear_pointer (&fec->encoder, g_free);
  fec_dose_init (&fec->dose);
}

void
gst_tfrc_fec_on_request (GstTfrcFec *fec, const RtcpRepair *request, CcTime now)
{
  if (fec->encoder == NULL && request->share > 0) {
    fec->encoder = g_new (FecEncoder, 1);
    fec_encoder_init (fec->encoder, request->span, (guint16)gst_cc_random32 ());
    fec_dose_init (&fec->dose);
  }
  if (fec->encoder == NULL)
    return;
  fec_encoder_set_span (fec->encoder, request->span);
  fec_dose_set_share (&fec->dose, request->share);
  fec->payload_type = request->payload_type;
  fec->asked_at = now;
}

/* RFC 3550 5.1: with the time of the packet it follows. */
static GstBuffer *
sum_packet (GstTfrcRepair *r, guint32 timestamp, CcTime now)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, HEADER_BYTES + FEC_HEAD_BYTES + FEC_SYMBOL_MAX, NULL);
  GstMapInfo map;
  gsize size;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  map.data[0] = 2 << 6;
  map.data[1] = r->fec.payload_type;
  GST_WRITE_UINT16_BE (map.data + 2, r->next);
  GST_WRITE_UINT32_BE (map.data + 4, timestamp);
  GST_WRITE_UINT32_BE (map.data + 8, r->ssrc);
  size = fec_encoder_repair (r->fec.encoder, map.data + HEADER_BYTES, map.size - HEADER_BYTES, now);
  gst_buffer_unmap (buffer, &map);
  if (size == 0) {
    gst_buffer_unref (buffer);
    return NULL;
  }
  r->next++;
  gst_buffer_set_size (buffer, (gssize)(HEADER_BYTES + size));
  return buffer;
}

static void
send_sum (GstTfrcRepair *r, guint32 timestamp, CcTime now)
{
  GstTfrcElements elements = {.id = r->params.settings->extension_id,
      .twcc_id = r->params.settings->twcc_extension_id,
      .rate_id = r->params.settings->rate_extension_id};
  CcPacket packet = {.captured_at = now, .frame = timestamp, .resent = true, .repair = true};
  guint8 header[HEADER_BYTES];
  GstTfrcHead head;
  gsize size;

  packet.handle = sum_packet (r, timestamp, now);
  if (packet.handle == NULL)
    return;
  size = gst_buffer_get_size (packet.handle);
  gst_buffer_extract (packet.handle, 0, header, sizeof header);
  gst_tfrc_head_parse (header, sizeof header, size, &head);
  packet.size_bytes = (guint32)(size + gst_tfrc_head_growth (&head, header, &elements));
  r->sums++;
  r->params.push (r->params.user, &packet, now);
}

/* On the wire; growth: of headers, as the packets have it. */
static guint32
sum_bytes (GstTfrcFec *fec, gsize growth, CcTime now)
{
  gsize size = fec_encoder_size (fec->encoder, now);

  return (guint32)(size > 0 ? HEADER_BYTES + size + growth : 0);
}

void
gst_tfrc_fec_on_sent (GstTfrcRepair *r, const CcPacket *packet, const GstTfrcHead *head, guint16 seq, CcTime now)
{
  GstTfrcFec *fec = &r->fec;
  FecDosePacket what = {.frame_end = head->marker,
      .key_unit = packet->key_unit,
      .rate_Bps = r->params.sender->rate_Bps,
      .sent_Bps = r->params.sender->sent.Bps,
      .size_bytes = packet->size_bytes,
      .room_bytes = cc_sender_room (r->params.sender)};
  guint8 data[MOST_BYTES];
  gsize size = gst_buffer_get_size (packet->handle), growth = packet->size_bytes > size ? packet->size_bytes - size : 0;
  guint sums;

  if (fec->encoder == NULL)
    return;
  if (cc_time_since (now, fec->asked_at) > REQUEST_LIFE ||
      !gst_tfrc_repair_allows (r->params.settings->repair, GST_TFRC_REPAIR_FEC))
    fec_dose_set_share (&fec->dose, 0);
  size = size <= sizeof data ? gst_buffer_extract (packet->handle, 0, data, size) : 0;
  fec_encoder_on_packet (fec->encoder, data, size, seq, now);
  what.sum_bytes = sum_bytes (fec, growth, now);
  for (sums = fec_dose_on_packet (&fec->dose, &what); sums > 0; sums--)
    send_sum (r, head->timestamp, now);
  cc_sender_set_redundancy (r->params.sender, fec_dose_redundancy (&fec->dose));
}
