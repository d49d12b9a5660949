/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpictureevent.h"

#define SLI_BITS 6
#define WHOLE_PICTURE 8191 /* macroblocks: as many as there can be */
#define MAX_SLICES 32

GstEvent *
gst_picture_event_new (const GstPictureInfo *info)
{
  GstStructure *s = gst_structure_new (GST_PICTURE_EVENT_NAME, "ssrc", G_TYPE_UINT, (guint)info->ssrc, "payload",
      G_TYPE_UINT, (guint)info->payload, "picture-id", G_TYPE_UINT, info->id, "bits", G_TYPE_UINT, info->bits,
      "arrived", G_TYPE_BOOLEAN, info->arrived, NULL);

  return gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, s);
}

gboolean
gst_picture_event_parse (GstEvent *event, GstPictureInfo *info)
{
  const GstStructure *s = gst_event_get_structure (event);
  guint ssrc, payload, id, bits;
  gboolean arrived;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CUSTOM_UPSTREAM || s == NULL ||
      !gst_structure_has_name (s, GST_PICTURE_EVENT_NAME) ||
      !gst_structure_get (s, "ssrc", G_TYPE_UINT, &ssrc, "payload", G_TYPE_UINT, &payload, "picture-id", G_TYPE_UINT,
          &id, "bits", G_TYPE_UINT, &bits, "arrived", G_TYPE_BOOLEAN, &arrived, NULL) ||
      payload > 127 || bits == 0 || bits > 15 || id >> bits != 0)
    return FALSE;
  *info = (GstPictureInfo){ssrc, (guint8)payload, id, bits, arrived};
  return TRUE;
}

gsize
gst_picture_info_to_fci (const GstPictureInfo *info, guint8 fci[GST_PICTURE_FCI_SIZE], guint *fmt)
{
  guint left_aligned = info->id << (16 - info->bits);
  RtcpRpsi rpsi = {.payload_type = info->payload,
      .n_bits = (guint16)info->bits,
      .bits = {(guint8)(left_aligned >> 8), (guint8)left_aligned}};
  RtcpSli sli = {1, WHOLE_PICTURE, info->id & ((1 << SLI_BITS) - 1)};

  *fmt = info->arrived ? RTCP_FB_FMT_RPSI : RTCP_FB_FMT_SLI;
  return info->arrived ? rtcp_rpsi_write (fci, GST_PICTURE_FCI_SIZE, &rpsi)
                       : rtcp_sli_write (fci, GST_PICTURE_FCI_SIZE, &sli, 1);
}

/* The string is the PictureID; who writes whole bytes has zeros, or the flag of its length, in front. */
void
gst_picture_event_push_rpsi (GstPad *sink_pad, guint32 media, const RtcpRpsi *rpsi)
{
  GstPictureInfo info = {.ssrc = media, .payload = rpsi->payload_type, .arrived = TRUE};

  if (rpsi->n_bits > 16)
    return;
  info.bits = rpsi->n_bits % 8 == 0 ? rpsi->n_bits - 1u : rpsi->n_bits;
  info.id = ((guint)rpsi->bits[0] << 8 | rpsi->bits[1]) >> (16 - rpsi->n_bits) & ((1u << info.bits) - 1);
  gst_pad_push_event (sink_pad, gst_picture_event_new (&info));
}

void
gst_picture_event_push_sli (GstPad *sink_pad, guint32 media, const RtcpSli *slices, guint n)
{
  for (guint i = 0; i < n; i++) {
    GstPictureInfo info = {.ssrc = media, .id = slices[i].picture_id, .bits = SLI_BITS};

    gst_pad_push_event (sink_pad, gst_picture_event_new (&info));
  }
}

void
gst_picture_event_push_fci (GstPad *sink_pad, guint32 media, guint fmt, const guint8 *fci, gsize size)
{
  RtcpSli slices[MAX_SLICES];
  RtcpRpsi rpsi;
  size_t n = 0;

  if (fmt == RTCP_FB_FMT_RPSI && rtcp_rpsi_parse (fci, size, &rpsi))
    gst_picture_event_push_rpsi (sink_pad, media, &rpsi);
  else if (fmt == RTCP_FB_FMT_SLI && rtcp_sli_parse (fci, size, slices, MAX_SLICES, &n))
    gst_picture_event_push_sli (sink_pad, media, slices, (guint)n);
}
