/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-newpredreport
 * @title: newpredreport
 *
 * Tells the sender which VP8 pictures have come whole and which have not, by RPSI and SLI (RFC 4585, RFC 7741), so that
 * its encoder predicts from a picture that is here. It stands behind the jitter buffer; tfrcsrc and rtcpavpf send what
 * it says.
 *
 * <!-- printed: on B, beside newpred-sender -->
 * |[
 * gst-launch-1.0 tfrcsrc port=5004 encoding-name=VP8 ! newpredreport ! rtpvp8depay ! vp8dec ! videoconvert !
 * autovideosink
 * ]|
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstnewpredreport.h"

#include "gstpictureevent.h"

#include <gst/rtp/gstrtpbuffer.h>

GST_DEBUG_CATEGORY_STATIC (newpredreport_debug);
#define GST_CAT_DEFAULT newpredreport_debug

enum { PROP_0, PROP_STATS };

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp, encoding-name = (string) VP8"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp, encoding-name = (string) VP8"));

G_DEFINE_TYPE_WITH_CODE (GstNewpredReport, gst_newpred_report, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (newpredreport_debug, "newpredreport", 0, "Reports of pictures"));
GST_ELEMENT_REGISTER_DEFINE (newpredreport, "newpredreport", GST_RANK_NONE, GST_TYPE_NEWPRED_REPORT);

static void
begin (GstNewpredReport *self)
{
  picture_report_init (&self->report);
  self->has_ssrc = FALSE;
}

/* Another source numbers its pictures anew. */
static void
follow_ssrc (GstNewpredReport *self, guint32 ssrc)
{
  if (self->has_ssrc && self->ssrc == ssrc)
    return;
  begin (self);
  self->ssrc = ssrc;
  self->has_ssrc = TRUE;
}

static void
push_items (GstNewpredReport *self, const PictureReportItem *items, gsize n, guint8 payload, guint bits)
{
  for (gsize i = 0; i < n; i++) {
    GstPictureInfo info = {self->ssrc, payload, items[i].id, bits, items[i].arrived};

    GST_LOG_OBJECT (self, "picture %u %s", info.id, info.arrived ? "arrived" : "is lost");
    gst_pad_push_event (self->sinkpad, gst_picture_event_new (&info));
  }
  GST_OBJECT_LOCK (self);
  self->arrived = self->report.arrived;
  self->lost = self->report.lost;
  GST_OBJECT_UNLOCK (self);
}

static void
warn_without_id (GstNewpredReport *self)
{
  if (!self->warned)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("The pictures that arrive have no numbers, so nothing can be said of them. The sender needs \"vp8enc ! "
         "newpred "
         "! rtpvp8pay\"; without newpred, picture-id-mode=15-bit of its payloader."),
        (NULL));
  self->warned = TRUE;
}

static void
look_at (GstNewpredReport *self, GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  PictureReportItem items[PICTURE_REPORT_MAX + 2];
  RtpVp8Head head;
  guint8 payload;
  gsize n;

  if (!gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp))
    return;
  if (!rtp_vp8_head_parse (gst_rtp_buffer_get_payload (&rtp), gst_rtp_buffer_get_payload_len (&rtp), &head)) {
    gst_rtp_buffer_unmap (&rtp);
    return;
  }
  follow_ssrc (self, gst_rtp_buffer_get_ssrc (&rtp));
  payload = gst_rtp_buffer_get_payload_type (&rtp);
  n = picture_report_on_packet (
      &self->report, gst_rtp_buffer_get_seq (&rtp), gst_rtp_buffer_get_marker (&rtp), &head, items);
  gst_rtp_buffer_unmap (&rtp);
  if (!head.has_id)
    warn_without_id (self);
  if (n > 0)
    push_items (self, items, n, payload, head.id_bits);
}

static GstFlowReturn
chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstNewpredReport *self = GST_NEWPRED_REPORT (parent);

  look_at (self, buffer);
  return gst_pad_push (self->srcpad, buffer);
}

static gboolean
sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    begin (GST_NEWPRED_REPORT (parent));
  return gst_pad_event_default (pad, parent, event);
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstNewpredReport *self = GST_NEWPRED_REPORT (element);

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    begin (self);
    self->warned = FALSE;
  }
  return GST_ELEMENT_CLASS (gst_newpred_report_parent_class)->change_state (element, transition);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstNewpredReport *self = GST_NEWPRED_REPORT (object);

  if (id != PROP_STATS) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    return;
  }
  GST_OBJECT_LOCK (self);
  g_value_take_boxed (value, gst_structure_new ("application/x-newpredreport-stats", "arrived", G_TYPE_UINT64,
                                 self->arrived, "lost", G_TYPE_UINT64, self->lost, NULL));
  GST_OBJECT_UNLOCK (self);
}

static void
gst_newpred_report_class_init (GstNewpredReportClass *klass)
{
  GObjectClass *gobject = G_OBJECT_CLASS (klass);
  GstElementClass *element = GST_ELEMENT_CLASS (klass);

  gobject->get_property = get_property;
  element->change_state = change_state;
  g_object_class_install_property (gobject, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics", "Pictures told: arrived and lost", GST_TYPE_STRUCTURE,
          (GParamFlags)(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
  gst_element_class_add_static_pad_template (element, &sink_template);
  gst_element_class_add_static_pad_template (element, &src_template);
  gst_element_class_set_static_metadata (element, "Report of pictures", "Filter/Network/RTP",
      "Tells the sender which VP8 pictures arrived and which did not, by RPSI and SLI, so that its encoder predicts "
      "from "
      "one that did",
      "GStreamer congestion control developers");
}

static void
gst_newpred_report_init (GstNewpredReport *self)
{
  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_chain_function (self->sinkpad, chain);
  gst_pad_set_event_function (self->sinkpad, sink_event);
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  GST_PAD_SET_PROXY_ALLOCATION (self->sinkpad);
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}
