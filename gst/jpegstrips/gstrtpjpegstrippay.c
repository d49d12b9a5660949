/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-rtpjpegstrippay
 * @title: rtpjpegstrippay
 *
 * JPEG in RTP packets that can each be decoded without the others (RFC 2435, types 64 and 65): pictures get restart
 * intervals, without loss, and packets begin and end with them. rtpjpegdepay takes them; with rtpjpegstripdepay a lost
 * packet costs its strip of the picture and no more.
 *
 * <!-- printed: on A, beside jpegstrips-receiver -->
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! jpegenc ! ratecontrol ! rtpjpegstrippay ! tfrcsink host=B port=5004
 * ]|
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtpjpegstrippay.h"

#include "rtpjpeg.h"

#include <gst/rtp/rtp.h>

GST_DEBUG_CATEGORY_STATIC (rtpjpegstrippay_debug);
#define GST_CAT_DEFAULT rtpjpegstrippay_debug

enum { PROP_0, PROP_RESTART_INTERVAL };

#define DEFAULT_RESTART_INTERVAL 0

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("image/jpeg"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (
        "application/x-rtp, media = (string) video, payload = (int) 26, clock-rate = (int) 90000, "
        "encoding-name = (string) JPEG; "
        "application/x-rtp, media = (string) video, payload = (int) [ 96, 127 ], clock-rate = (int) 90000, "
        "encoding-name = (string) JPEG"));

G_DEFINE_TYPE_WITH_CODE (GstRtpJpegStripPay, gst_rtp_jpeg_strip_pay, GST_TYPE_RTP_BASE_PAYLOAD,
    GST_DEBUG_CATEGORY_INIT (rtpjpegstrippay_debug, "rtpjpegstrippay", 0, "JPEG in strips"));
GST_ELEMENT_REGISTER_DEFINE (rtpjpegstrippay, "rtpjpegstrippay", GST_RANK_NONE, GST_TYPE_RTP_JPEG_STRIP_PAY);

/* ---- which pictures ---- */

static const gchar *
reason_of (JpegProblem problem)
{
  static const gchar *const reasons[] = {[JPEG_CUT_OFF] = "It is cut off.",
      [JPEG_NOT_BASELINE] = "It is not baseline.",
      [JPEG_SAMPLING] = "Its colour is neither 4:2:0 nor 4:2:2.",
      [JPEG_TABLES] = "Its tables are wrong."};

  return problem == JPEG_OK ? "It is larger than 2040x2040, or its scan is wrong." : reasons[problem];
}

static void
refuse (GstRtpJpegStripPay *self, JpegProblem problem)
{
  if (!self->warned)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("RTP cannot carry this JPEG picture. It takes baseline JPEG, 4:2:0 or 4:2:2, up to 2040x2040: put "
         "\"videoconvert ! video/x-raw,format=I420 ! jpegenc\" in front."),
        ("%s", reason_of (problem)));
  self->warned = TRUE;
}

/* ---- how long intervals are ---- */

/* A row of the picture, or as much of it as fits into a packet twice: packets are filled with whole intervals. Shorter
   ones only ever, as receivers have to begin anew. */
static void
choose_interval (GstRtpJpegStripPay *self, gsize size, gsize room)
{
  const JpegForm *form = &self->header.form;
  guint interval = jpeg_form_mcus_wide (form), mcus = jpeg_form_mcus (form);
  gboolean same = self->form.width == form->width && self->form.height == form->height &&
                  self->form.sampling == form->sampling && self->form.interval > 0;

  if (same)
    interval = self->form.interval;
  if (same && size * interval / mcus <= room)
    return;
  while (interval > 1 && size * interval / mcus > room / 2)
    interval = (interval + 1) / 2;
  self->form = *form;
  self->form.interval = interval;
}

/* ---- packets ---- */

static GstBuffer *
make_packet (GstRtpJpegStripPay *self, GstBuffer *scan, const RtpJpegHead *head, gboolean last)
{
  guint8 bytes[RTP_JPEG_HEADER_BYTES];
  gsize n = rtp_jpeg_write (bytes, head);
  GstBuffer *packet = gst_rtp_base_payload_allocate_output_buffer (GST_RTP_BASE_PAYLOAD (self), (guint)n, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (packet, GST_MAP_WRITE, &rtp);
  memcpy (gst_rtp_buffer_get_payload (&rtp), bytes, n);
  gst_rtp_buffer_set_marker (&rtp, last);
  gst_rtp_buffer_unmap (&rtp);
  if (last)
    GST_BUFFER_FLAG_SET (packet, GST_BUFFER_FLAG_MARKER);
  packet = gst_buffer_append (packet, gst_buffer_copy_region (scan, GST_BUFFER_COPY_MEMORY, head->offset, head->size));
  GST_BUFFER_PTS (packet) = GST_BUFFER_PTS (scan);
  return packet;
}

static gsize
room_for_data (GstRtpJpegStripPay *self, const RtpJpegHead *head)
{
  guint8 bytes[RTP_JPEG_HEADER_BYTES];
  gsize room = gst_rtp_buffer_calc_payload_len (GST_RTP_BASE_PAYLOAD_MTU (self), 0, 0),
        n = rtp_jpeg_write (bytes, head);

  return room > n ? room - n : 1;
}

static void
add_chunk (GstRtpJpegStripPay *self, GstBufferList *list, GstBuffer *scan, RtpJpegHead *head, gsize end, gsize room)
{
  gsize all = gst_buffer_get_size (scan);

  for (head->F = true; head->offset < end; head->F = false) {
    head->size = MIN (room, end - head->offset);
    head->L = head->offset + head->size == end;
    gst_buffer_list_add (list, make_packet (self, scan, head, head->offset + head->size == all));
    head->offset += (guint32)head->size;
    room = room_for_data (self, head);
  }
}

static GstBufferList *
make_packets (GstRtpJpegStripPay *self, GstBuffer *scan)
{
  const gsize *ends = (const gsize *)(gpointer)self->ends->data;
  const JpegForm *form = &self->form;
  gint Q = jpeg_quantizers_find (&form->quantizers);
  RtpJpegHead head = {.type = (guint8)(RTP_JPEG_RESTART_TYPES + form->sampling),
      .Q = (guint8)(Q > 0 ? Q : RTP_JPEG_Q_ONCE),
      .width = form->width,
      .height = form->height,
      .interval = (guint16)form->interval,
      .tables = form->quantizers.table[0]};
  GstBufferList *list = gst_buffer_list_new ();
  guint intervals = jpeg_scan_intervals (form);

  for (guint first = 0, n; first < intervals; first += n) {
    gsize room = room_for_data (self, &head);

    n = rtp_jpeg_chunk_intervals (ends, intervals, first, room);
    head.count = (guint16)first;
    add_chunk (self, list, scan, &head, ends[first + n - 1], room);
  }
  return list;
}

/* ---- pictures ---- */

/* The scan in intervals; NULL: it is wrong. */
static GstBuffer *
cut_scan (GstRtpJpegStripPay *self, const guint8 *data, gsize size)
{
  const guint8 *scan = data + self->header.scan;
  gsize left = size - self->header.scan, capacity, n = left + left / 16 + 64;
  guint8 *out = NULL;

  g_array_set_size (self->ends, jpeg_scan_intervals (&self->form));
  do {
    capacity = n;
    out = g_realloc (out, capacity);
    n = jpeg_scan_cut (&self->header, scan, left, &self->form, out, capacity, (gsize *)(gpointer)self->ends->data);
  } while (n > capacity);
  if (n > 0 && n < 1 << 24)
    return gst_buffer_new_wrapped_full ((GstMemoryFlags)0, out, capacity, 0, n, out, g_free);
  g_free (out);
  return NULL;
}

static GstBuffer *
read_picture (GstRtpJpegStripPay *self, const guint8 *data, gsize size)
{
  JpegProblem problem = jpeg_header_parse (data, size, &self->header);
  const JpegForm *form = &self->header.form;
  GstBuffer *scan = NULL;

  if (problem == JPEG_OK && form->width <= RTP_JPEG_SIDE_MAX && form->height <= RTP_JPEG_SIDE_MAX) {
    RtpJpegHead head = {.type = RTP_JPEG_RESTART_TYPES, .offset = 1};

    choose_interval (self, size - self->header.scan, room_for_data (self, &head));
    if (self->interval > 0)
      self->form.interval = MIN (self->interval, jpeg_form_mcus (form));
    self->form.quantizers = form->quantizers;
    scan = cut_scan (self, data, size);
  }
  if (scan == NULL)
    refuse (self, problem);
  return scan;
}

static GstFlowReturn
handle_buffer (GstRTPBasePayload *payload, GstBuffer *buffer)
{
  GstRtpJpegStripPay *self = GST_RTP_JPEG_STRIP_PAY (payload);
  GstFlowReturn ret = GST_FLOW_OK;
  GstBuffer *scan = NULL;
  GstMapInfo map;

  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    scan = read_picture (self, map.data, map.size);
    gst_buffer_unmap (buffer, &map);
  }
  if (scan != NULL) {
    GST_BUFFER_PTS (scan) = GST_BUFFER_PTS (buffer);
    ret = gst_rtp_base_payload_push_list (payload, make_packets (self, scan));
    gst_buffer_unref (scan);
  }
  gst_buffer_unref (buffer);
  return ret;
}

static gboolean
set_caps (GstRTPBasePayload *payload, GstCaps *caps)
{
  gst_rtp_base_payload_set_options (payload, "video", payload->pt != GST_RTP_PAYLOAD_JPEG, "JPEG", 90000);
  return gst_rtp_base_payload_set_outcaps (payload, NULL);
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstRtpJpegStripPay *self = GST_RTP_JPEG_STRIP_PAY (element);

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    self->form.interval = 0;
    self->warned = FALSE;
  }
  return GST_ELEMENT_CLASS (gst_rtp_jpeg_strip_pay_parent_class)->change_state (element, transition);
}

/* ---- properties ---- */

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_RESTART_INTERVAL)
    GST_RTP_JPEG_STRIP_PAY (object)->interval = g_value_get_uint (value);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_RESTART_INTERVAL)
    g_value_set_uint (value, GST_RTP_JPEG_STRIP_PAY (object)->interval);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
finalize (GObject *object)
{
  g_array_unref (GST_RTP_JPEG_STRIP_PAY (object)->ends);
  G_OBJECT_CLASS (gst_rtp_jpeg_strip_pay_parent_class)->finalize (object);
}

static void
gst_rtp_jpeg_strip_pay_class_init (GstRtpJpegStripPayClass *klass)
{
  GObjectClass *gobject = G_OBJECT_CLASS (klass);
  GstElementClass *element = GST_ELEMENT_CLASS (klass);

  gobject->set_property = set_property;
  gobject->get_property = get_property;
  gobject->finalize = finalize;
  element->change_state = change_state;
  GST_RTP_BASE_PAYLOAD_CLASS (klass)->set_caps = set_caps;
  GST_RTP_BASE_PAYLOAD_CLASS (klass)->handle_buffer = handle_buffer;
  g_object_class_install_property (gobject, PROP_RESTART_INTERVAL,
      g_param_spec_uint ("restart-interval", "Restart interval",
          "MCUs (blocks of 16 pixels' width) of a strip; 0: a row of the picture, less where that fills a packet", 0,
          G_MAXUINT16, DEFAULT_RESTART_INTERVAL,
          (GParamFlags)(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)));
  gst_element_class_add_static_pad_template (element, &sink_template);
  gst_element_class_add_static_pad_template (element, &src_template);
  gst_element_class_set_static_metadata (element, "RTP JPEG payloader, in strips", "Codec/Payloader/Network/RTP",
      "JPEG in RTP packets that can each be decoded without the others (RFC 2435, restart markers)",
      "GStreamer congestion control developers");
}

static void
gst_rtp_jpeg_strip_pay_init (GstRtpJpegStripPay *self)
{
  GST_RTP_BASE_PAYLOAD_PT (self) = GST_RTP_PAYLOAD_JPEG;
  self->interval = DEFAULT_RESTART_INTERVAL;
  self->ends = g_array_new (FALSE, FALSE, sizeof (gsize));
}
