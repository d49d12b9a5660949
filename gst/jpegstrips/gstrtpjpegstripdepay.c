/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-rtpjpegstripdepay
 * @title: rtpjpegstripdepay
 *
 * JPEG out of RTP packets (RFC 2435). Where packets begin and end with restart intervals, as those of rtpjpegstrippay
 * do, a lost one costs its strip of the picture: the strip of the picture before stands in. Others make pictures where
 * all of their packets came, as with rtpjpegdepay.
 *
 * <!-- printed: on B, beside jpegstrips-sender -->
 * |[
 * gst-launch-1.0 tfrcsrc port=5004 encoding-name=JPEG repair=none ! rtpjpegstripdepay ! jpegdec ! videoconvert !
 * autovideosink
 * ]|
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtpjpegstripdepay.h"

#include <string.h>

GST_DEBUG_CATEGORY_STATIC (rtpjpegstripdepay_debug);
#define GST_CAT_DEFAULT rtpjpegstripdepay_debug

enum { PROP_0, PROP_STATS };

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-rtp, media = (string) video, clock-rate = (int) 90000, "
                     "encoding-name = (string) JPEG; "
                     "application/x-rtp, media = (string) video, payload = (int) 26, clock-rate = (int) 90000"));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("image/jpeg"));

G_DEFINE_TYPE_WITH_CODE (GstRtpJpegStripDepay, gst_rtp_jpeg_strip_depay, GST_TYPE_RTP_BASE_DEPAYLOAD,
    GST_DEBUG_CATEGORY_INIT (rtpjpegstripdepay_debug, "rtpjpegstripdepay", 0, "JPEG of strips"));
GST_ELEMENT_REGISTER_DEFINE (rtpjpegstripdepay, "rtpjpegstripdepay", GST_RANK_NONE, GST_TYPE_RTP_JPEG_STRIP_DEPAY);

static void
count (GstRtpJpegStripDepay *self, guint64 *counter, guint n)
{
  GST_OBJECT_LOCK (self);
  *counter += n;
  GST_OBJECT_UNLOCK (self);
}

/* ---- the picture ---- */

static void
forget_strips (GstRtpJpegStripDepay *self)
{
  for (guint i = 0; i < self->strips.n; i++)
    g_free (self->strips.strip[i].data);
  g_clear_pointer (&self->strips.strip, g_free);
  g_clear_pointer (&self->spans, g_free);
  self->strips.n = 0;
}

static void
begin (GstRtpJpegStripDepay *self)
{
  forget_strips (self);
  memset (self->tables, 0, sizeof self->tables);
  self->open = FALSE;
  self->width = self->height = 0;
  memset (&self->chunk, 0, sizeof self->chunk);
}

static void
set_src_caps (GstRtpJpegStripDepay *self)
{
  GstCaps *caps;

  if (self->width == self->form.width && self->height == self->form.height)
    return;
  self->width = self->form.width;
  self->height = self->form.height;
  caps = gst_caps_new_simple ("image/jpeg", "parsed", G_TYPE_BOOLEAN, TRUE, "width", G_TYPE_INT, self->width, "height",
      G_TYPE_INT, self->height, "framerate", GST_TYPE_FRACTION, 0, 1, NULL);
  gst_pad_set_caps (GST_RTP_BASE_DEPAYLOAD_SRCPAD (self), caps);
  gst_caps_unref (caps);
}

static GstBuffer *
write_picture (GstRtpJpegStripDepay *self)
{
  gsize n = JPEG_HEADER_BYTES, capacity;
  GstBuffer *buffer;
  guint8 *out = NULL;

  for (guint i = 0; i < self->strips.n; i++)
    n += self->strips.strip[i].size + 2;
  do {
    capacity = n;
    out = g_realloc (out, capacity);
    n = jpeg_strips_write (&self->strips, &self->form, out, capacity);
  } while (n > capacity);
  buffer = gst_buffer_new_wrapped_full ((GstMemoryFlags)0, out, capacity, 0, n, out, g_free);
  GST_BUFFER_PTS (buffer) = self->pts;
  return buffer;
}

/* The picture that was coming, as far as it came. NULL: that is nothing, or strips of it have never been seen. */
static GstBuffer *
end_picture (GstRtpJpegStripDepay *self)
{
  guint missing = self->strips.n - self->strips.fresh;
  GstBuffer *buffer = NULL;

  if (jpeg_strips_ready (&self->strips)) {
    set_src_caps (self);
    buffer = write_picture (self);
  }
  count (self, buffer != NULL ? &self->stats.pictures : &self->stats.dropped, 1);
  if (buffer != NULL && missing > 0) {
    count (self, &self->stats.filled, 1);
    count (self, &self->stats.strips_missing, missing);
  }
  jpeg_strips_next (&self->strips);
  self->open = FALSE;
  return buffer;
}

/* ---- packets ---- */

/* A picture of another form has no use for the strips of those before. */
static void
take_form (GstRtpJpegStripDepay *self, const RtpJpegHead *head)
{
  JpegForm form = {.width = head->width, .height = head->height, .sampling = (JpegSampling)(head->type & 1)};
  guint n;

  form.interval = MIN (head->interval, jpeg_form_mcus (&form));
  if (self->strips.n > 0 && form.width == self->form.width && form.height == self->form.height &&
      form.sampling == self->form.sampling && form.interval == self->form.interval)
    return;
  forget_strips (self);
  self->form = form;
  n = jpeg_scan_intervals (&form);
  jpeg_strips_init (&self->strips, g_new (JpegStrip, n), n);
  self->spans = g_new (JpegSpan, n);
}

/* The tables come with the first packet, are known by their number, or are a number's by a formula. */
static void
take_quantizers (GstRtpJpegStripDepay *self, const RtpJpegHead *head)
{
  RtpJpegTables *known =
      head->Q >= RTP_JPEG_Q_TABLES && head->Q != RTP_JPEG_Q_ONCE ? &self->tables[head->Q - RTP_JPEG_Q_TABLES] : NULL;

  if (head->Q < RTP_JPEG_Q_TABLES) {
    jpeg_quantizers_of (head->Q, &self->form.quantizers);
    self->has_quantizers = TRUE;
  } else if (head->tables != NULL) {
    memcpy (&self->form.quantizers, head->tables, sizeof self->form.quantizers);
    self->has_quantizers = TRUE;
    if (known != NULL)
      *known = (RtpJpegTables){TRUE, self->form.quantizers};
  } else if (!self->has_quantizers && known != NULL && known->known) {
    self->form.quantizers = known->quantizers;
    self->has_quantizers = TRUE;
  }
}

static void
take_strip (GstRtpJpegStripDepay *self, guint number, const JpegSpan *span)
{
  const guint8 *data = self->bytes->data + span->begin;

  if (jpeg_scan_fits (&self->form, jpeg_scan_mcus_of (&self->form, number), data, span->size))
    g_free (jpeg_strips_put (&self->strips, number, g_memdup2 (data, span->size), span->size, &self->form.quantizers));
  else
    count (self, &self->stats.strips_wrong, 1);
}

static void
take_chunk (GstRtpJpegStripDepay *self, guint first)
{
  guint n = self->strips.n, found = 0;

  if (self->has_quantizers && first < n)
    found = jpeg_strips_split (self->bytes->data, self->bytes->len, first, self->spans, n - first);
  if (found == 0)
    count (self, &self->stats.strips_wrong, 1);
  for (guint i = 0; i < found; i++)
    take_strip (self, first + i, &self->spans[i]);
}

static void
take_data (GstRtpJpegStripDepay *self, const RtpJpegHead *head, gboolean marker)
{
  bool complete;
  RtpJpegPlace place = rtp_jpeg_chunk_place (&self->chunk, head, marker, &complete);

  if (place == RTP_JPEG_USELESS)
    return;
  if (place == RTP_JPEG_BEGINS)
    g_byte_array_set_size (self->bytes, 0);
  g_byte_array_append (self->bytes, head->data, (guint)head->size);
  if (complete)
    take_chunk (self, self->chunk.first);
}

static void
begin_picture (GstRtpJpegStripDepay *self, guint32 timestamp, GstClockTime pts)
{
  self->open = TRUE;
  self->has_quantizers = FALSE;
  self->timestamp = timestamp;
  self->pts = pts;
  memset (&self->chunk, 0, sizeof self->chunk);
}

static GstBuffer *
process (GstRTPBaseDepayload *depayload, GstRTPBuffer *rtp)
{
  GstRtpJpegStripDepay *self = GST_RTP_JPEG_STRIP_DEPAY (depayload);
  guint32 timestamp = gst_rtp_buffer_get_timestamp (rtp);
  gboolean marker = gst_rtp_buffer_get_marker (rtp);
  RtpJpegHead head;

  if (!rtp_jpeg_parse (gst_rtp_buffer_get_payload (rtp), gst_rtp_buffer_get_payload_len (rtp), &head)) {
    count (self, &self->stats.packets_refused, 1);
    return NULL;
  }
  if (self->open && timestamp != self->timestamp) { /* its last packet was lost */
    GstBuffer *before = end_picture (self);

    if (before != NULL)
      gst_rtp_base_depayload_push (depayload, before);
  }
  if (!self->open)
    begin_picture (self, timestamp, GST_BUFFER_PTS (rtp->buffer));
  take_form (self, &head);
  take_quantizers (self, &head);
  take_data (self, &head, marker);
  return marker ? end_picture (self) : NULL;
}

/* ---- the stream ---- */

static gboolean
handle_event (GstRTPBaseDepayload *depayload, GstEvent *event)
{
  GstRtpJpegStripDepay *self = GST_RTP_JPEG_STRIP_DEPAY (depayload);

  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS && self->open) {
    GstBuffer *last = end_picture (self);

    if (last != NULL)
      gst_rtp_base_depayload_push (depayload, last);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    begin (self);
  }
  return GST_RTP_BASE_DEPAYLOAD_CLASS (gst_rtp_jpeg_strip_depay_parent_class)->handle_event (depayload, event);
}

static gboolean
set_caps (GstRTPBaseDepayload *depayload, GstCaps *caps)
{
  depayload->clock_rate = 90000;
  return TRUE;
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstRtpJpegStripDepay *self = GST_RTP_JPEG_STRIP_DEPAY (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    memset (&self->stats, 0, sizeof self->stats);
  ret = GST_ELEMENT_CLASS (gst_rtp_jpeg_strip_depay_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    begin (self);
  return ret;
}

/* ---- properties ---- */

static GstStructure *
make_stats (GstRtpJpegStripDepay *self)
{
  RtpJpegStripStats s;

  GST_OBJECT_LOCK (self);
  s = self->stats;
  GST_OBJECT_UNLOCK (self);
  return gst_structure_new ("application/x-rtpjpegstripdepay-stats", "pictures", G_TYPE_UINT64, s.pictures, "filled",
      G_TYPE_UINT64, s.filled, "dropped", G_TYPE_UINT64, s.dropped, "strips-missing", G_TYPE_UINT64, s.strips_missing,
      "strips-wrong", G_TYPE_UINT64, s.strips_wrong, "packets-refused", G_TYPE_UINT64, s.packets_refused, NULL);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_STATS)
    g_value_take_boxed (value, make_stats (GST_RTP_JPEG_STRIP_DEPAY (object)));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
finalize (GObject *object)
{
  GstRtpJpegStripDepay *self = GST_RTP_JPEG_STRIP_DEPAY (object);

  forget_strips (self);
  g_byte_array_unref (self->bytes);
  G_OBJECT_CLASS (gst_rtp_jpeg_strip_depay_parent_class)->finalize (object);
}

static void
gst_rtp_jpeg_strip_depay_class_init (GstRtpJpegStripDepayClass *klass)
{
  GObjectClass *gobject = G_OBJECT_CLASS (klass);
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  GstRTPBaseDepayloadClass *depayload = GST_RTP_BASE_DEPAYLOAD_CLASS (klass);

  gobject->get_property = get_property;
  gobject->finalize = finalize;
  element->change_state = change_state;
  depayload->process_rtp_packet = process;
  depayload->handle_event = handle_event;
  depayload->set_caps = set_caps;
  g_object_class_install_property (gobject, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics", "Pictures put out and left out, strips that were missing or wrong",
          GST_TYPE_STRUCTURE, (GParamFlags)(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
  gst_element_class_add_static_pad_template (element, &sink_template);
  gst_element_class_add_static_pad_template (element, &src_template);
  gst_element_class_set_static_metadata (element, "RTP JPEG depayloader, of strips", "Codec/Depayloader/Network/RTP",
      "JPEG out of RTP packets; a strip that is lost is that of the picture before (RFC 2435, restart markers)",
      "GStreamer congestion control developers");
}

static void
gst_rtp_jpeg_strip_depay_init (GstRtpJpegStripDepay *self)
{
  self->bytes = g_byte_array_new ();
}
