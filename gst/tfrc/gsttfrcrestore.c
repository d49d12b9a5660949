/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcrestore.h"

#define REQUEST "GstRTPRetransmissionRequest"
#define HEADER_BYTES 12

static GstPadProbeReturn
note_packet (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstTfrcRestore *restore = user;
  guint8 header[HEADER_BYTES];

  (void)pad;
  if (gst_buffer_extract (GST_PAD_PROBE_INFO_BUFFER (info), 0, header, sizeof header) < sizeof header ||
      restore->is_rtx[header[1] & 0x7f])
    return GST_PAD_PROBE_OK;
  g_atomic_int_set (&restore->ssrc, (gint)GST_READ_UINT32_BE (header + 8));
  g_atomic_int_set (&restore->known, TRUE);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
name_source (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstTfrcRestore *restore = user;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

  (void)pad;
  if (!gst_event_has_name (event, REQUEST) || gst_structure_has_field (gst_event_get_structure (event), "ssrc") ||
      !g_atomic_int_get (&restore->known))
    return GST_PAD_PROBE_OK;
  event = gst_event_make_writable (event);
  gst_structure_set (
      gst_event_writable_structure (event), "ssrc", G_TYPE_UINT, (guint)g_atomic_int_get (&restore->ssrc), NULL);
  GST_PAD_PROBE_INFO_DATA (info) = event;
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
end_request (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  (void)pad;
  (void)user;
  return gst_event_has_name (GST_PAD_PROBE_INFO_EVENT (info), REQUEST) ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

void
gst_tfrc_restore_attach (GstTfrcRestore *restore, GstElement *rtxreceive)
{
  GstPad *sink = gst_element_get_static_pad (rtxreceive, "sink"), *src = gst_element_get_static_pad (rtxreceive, "src");

  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER, note_packet, restore, NULL);
  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, end_request, restore, NULL);
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, name_source, restore, NULL);
  gst_object_unref (sink);
  gst_object_unref (src);
}

void
gst_tfrc_restore_set_map (GstTfrcRestore *restore, const GstStructure *map)
{
  gint i, fields = map != NULL ? gst_structure_n_fields (map) : 0;
  guint type;

  *restore = (GstTfrcRestore){0};
  for (i = 0; i < fields; i++)
    if (gst_structure_get_uint (map, gst_structure_nth_field_name (map, i), &type) &&
        type < G_N_ELEMENTS (restore->is_rtx))
      restore->is_rtx[type] = TRUE;
}
