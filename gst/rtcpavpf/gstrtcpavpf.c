/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-rtcpavpf
 *
 * Listens to RTP that passes through and answers with RTCP: receiver reports, TFRC reports, the path rate (REMB and
 * PATH) and key unit requests, at the times RFC 3550 and RFC 4585 allow.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpavpf.h"
#include "gstccextension.h"
#include "gstccrtcp.h"

#include <gst/net/gstnetaddressmeta.h>
#include <gst/rtp/gstrtpbuffer.h>

GST_DEBUG_CATEGORY_STATIC (rtcpavpf_debug);
#define GST_CAT_DEFAULT rtcpavpf_debug

#define RTCP_FRACTION 0.05 /* RFC 3550 6.2 */
#define BANDWIDTH_FLOOR 500000.0
#define IPV4_UDP_BYTES 28
#define IPV6_UDP_BYTES 48
#define HOUSEKEEPING_INTERVAL GST_SECOND
#define SENDER_TIMEOUT (10 * GST_SECOND) /* 2 T */
#define COLLISION_INTERVAL (10 * GST_SECOND)
#define SHORTEST_WAIT GST_MSECOND
#define LONGEST_WAIT (600 * GST_SECOND)
#define LONGEST_AGE (10 * GST_SECOND) /* a timestamp further back is no arrival time */
#define ONE_BYTE_IDS 14

#define DEFAULT_BANDWIDTH 0
#define DEFAULT_FEEDBACK (AVPF_FEEDBACK_TFRC | AVPF_FEEDBACK_REMB | AVPF_FEEDBACK_PATH)
#define DEFAULT_REDUCED_SIZE FALSE
#define DEFAULT_EXTENSION_ID 0
#define DEFAULT_AUTO_PLI TRUE
#define DEFAULT_PLI_INTERVAL (500 * GST_MSECOND)
#define DEFAULT_REPORT_INTERVAL GST_SECOND
#define DEFAULT_USE_TIMESTAMPS TRUE
#define DEFAULT_STATS_INTERVAL 0

enum {
  PROP_0,
  PROP_BANDWIDTH,
  PROP_FEEDBACK,
  PROP_REDUCED_SIZE,
  PROP_EXTENSION_ID,
  PROP_AUTO_PLI,
  PROP_PLI_INTERVAL,
  PROP_REPORT_INTERVAL,
  PROP_USE_TIMESTAMPS,
  PROP_SSRC,
  PROP_STATS,
  PROP_STATS_INTERVAL
};

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate rtcp_sink_template =
    GST_STATIC_PAD_TEMPLATE ("rtcp_sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtcp"));
static GstStaticPadTemplate rtcp_src_template =
    GST_STATIC_PAD_TEMPLATE ("rtcp_src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtcp"));

#define gst_rtcp_avpf_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRtcpAvpf, gst_rtcp_avpf, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (rtcpavpf_debug, "rtcpavpf", 0, "RTCP feedback of an RTP receiver"))
GST_ELEMENT_REGISTER_DEFINE (rtcpavpf, "rtcpavpf", GST_RANK_NONE, GST_TYPE_RTCP_AVPF)

GType
gst_rtcp_avpf_feedback_get_type (void)
{
  static const GFlagsValue values[] = {
      {AVPF_FEEDBACK_TFRC, "TFRC reports, once per round trip and at once on a new loss event", "tfrc"},
      {AVPF_FEEDBACK_REMB, "Path rate as REMB, which common senders obey", "remb"},
      {AVPF_FEEDBACK_PATH, "Path rate, capacity and queueing delay", "path"}, {0, NULL, NULL}};
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_flags_register_static ("GstRtcpAvpfFeedback", values));
  return type;
}

static uint32_t
next_random (void *user)
{
  return g_random_int ();
}

/* ---- time, called with the lock ---- */

static GstClockTime
time_now (GstRtcpAvpf *self)
{
  return gst_clock_get_time (self->system_clock);
}

/* Wakes the RTCP thread where it would sleep beyond `when`. */
static void
wake_before (GstRtcpAvpf *self, GstClockTime when)
{
  if (self->wait_id != NULL && when < self->wait_until)
    gst_clock_id_unschedule (self->wait_id);
}

/* How long ago the buffer arrived: the socket's time stamp travels as DTS, a running time. */
static GstClockTime
buffer_age (GstRtcpAvpf *self, GstBuffer *buffer, GstClockTime running_now)
{
  GstClockTime arrived;

  if (!self->use_timestamps || !GST_CLOCK_TIME_IS_VALID (running_now) || !GST_BUFFER_DTS_IS_VALID (buffer) ||
      self->segment.format != GST_FORMAT_TIME)
    return 0;
  arrived = gst_segment_to_running_time (&self->segment, GST_FORMAT_TIME, GST_BUFFER_DTS (buffer));
  if (!GST_CLOCK_TIME_IS_VALID (arrived) || arrived > running_now || running_now - arrived > LONGEST_AGE)
    return 0;
  return running_now - arrived;
}

/* ---- timing, called with the lock ---- */

static gdouble
session_bandwidth (GstRtcpAvpf *self)
{
  return self->bandwidth != 0 ? self->bandwidth : MAX (self->receive_bps, BANDWIDTH_FLOOR);
}

static gdouble
rtcp_bandwidth_Bps (GstRtcpAvpf *self)
{
  return session_bandwidth (self) / 8 * RTCP_FRACTION;
}

static void
update_members (GstRtcpAvpf *self, GstClockTime now)
{
  guint members, senders;

  avpf_source_table_count (&self->table, SENDER_TIMEOUT, now, &members, &senders);
  if (members > 0 && !self->timing_runs) {
    AvpfTimingParams params;

    avpf_timing_params_init (&params);
    params.rtcp_bw_Bps = rtcp_bandwidth_Bps (self);
    params.T_rr_interval = self->report_interval;
    params.random = (CcRandom){.next = next_random};
    avpf_timing_init (&self->timing, &params, now);
    self->timing_runs = TRUE;
    self->housekeeping_at = now + HOUSEKEEPING_INTERVAL;
    self->wire_bytes = 0;
  }
  self->timing_runs = members > 0;
  if (self->timing_runs)
    avpf_timing_set_members (&self->timing, 1 + members, senders, false, now);
}

static void
request_feedback (GstRtcpAvpf *self, GstClockTime now)
{
  if (!self->timing_runs)
    return;
  /* late feedback still carries the newest values, so it never goes stale */
  if (!avpf_timing_request_feedback (&self->timing, CC_TIME_NONE, now))
    self->feedback_discarded++;
  wake_before (self, avpf_timing_next_timeout (&self->timing));
}

static GstClockTime
source_timeout (const AvpfSource *s)
{
  return MIN (cc_receiver_next_timeout (&s->cc), key_request_next_timeout (&s->key));
}

/* ---- what arrives, called with the lock ---- */

static AvpfSource *
source_of (GstRtcpAvpf *self, guint32 ssrc, GSocketAddress *address, GstClockTime now)
{
  AvpfSourceParams params = {.clock_rate = self->clock_rate};

  cc_receiver_params_init (&params.cc);
  params.cc.overhead_bytes = IPV4_UDP_BYTES;
  if (address != NULL && g_socket_address_get_family (address) == G_SOCKET_FAMILY_IPV6)
    params.cc.overhead_bytes = IPV6_UDP_BYTES;
  key_request_params_init (&params.key);
  params.key.min_interval = self->pli_interval;
  params.key.repeat = rtp_codec_tells_key_units (self->codec);
  return avpf_source_table_get (&self->table, ssrc, &params, now);
}

static void
on_collision (GstRtcpAvpf *self)
{
  guint32 ssrc;

  do
    ssrc = g_random_int ();
  while (avpf_source_table_find (&self->table, ssrc) != NULL || ssrc == self->ssrc);
  GST_INFO_OBJECT (self, "somebody else has SSRC %08x, using %08x", self->ssrc, ssrc);
  self->ssrc = ssrc;
  self->collisions++;
}

static gboolean
parse_stamp (const guint8 *data, gsize size, guint16 profile, guint id, RtpRttSendts *stamp)
{
  size_t element_size;
  const uint8_t *element = id != 0 ? rtp_ext_find (profile, data, size, id, &element_size) : NULL;

  return element != NULL && rtp_ext_rtt_sendts_parse (element, element_size, stamp);
}

/* The id comes from caps, else from the property, else the usual one, else whichever element has the right size. */
static gboolean
read_stamp (GstRtcpAvpf *self, GstRTPBuffer *rtp, RtpRttSendts *stamp)
{
  guint16 profile;
  gpointer data;
  guint words, id = self->caps_extension_id != 0 ? self->caps_extension_id : self->extension_id;

  if (!gst_rtp_buffer_get_extension_data (rtp, &profile, &data, &words))
    return FALSE;
  if (id != 0)
    return parse_stamp (data, 4 * (gsize)words, profile, id, stamp);
  id = self->found_extension_id != 0 ? self->found_extension_id : GST_CC_EXTENSION_ID_DEFAULT;
  if (parse_stamp (data, 4 * (gsize)words, profile, id, stamp)) {
    self->found_extension_id = id;
    return TRUE;
  }
  for (id = 1; id <= ONE_BYTE_IDS && self->found_extension_id == 0; id++)
    if (parse_stamp (data, 4 * (gsize)words, profile, id, stamp)) {
      GST_INFO_OBJECT (self, "send times found in header extension %u", id);
      self->found_extension_id = id;
      return TRUE;
    }
  return FALSE;
}

static void
on_first_valid (GstRtcpAvpf *self, AvpfSource *s)
{
  GST_INFO_OBJECT (self, "source %08x", s->ssrc);
  s->valid = TRUE;
  if (s->first_is_key)
    key_request_on_key_unit (&s->key, rtp_reception_highest (&s->reception) - 1);
  else if (self->auto_pli && self->is_video && rtp_codec_tells_key_units (self->codec))
    key_request_want (&s->key, false);
}

static gboolean
feed_controller (GstRtcpAvpf *self, AvpfSource *s, GstRTPBuffer *rtp, GstClockTime arrived_at)
{
  CcArrival arrival = {.seq = gst_rtp_buffer_get_seq (rtp),
      .rtp_timestamp = gst_rtp_buffer_get_timestamp (rtp),
      .marker = gst_rtp_buffer_get_marker (rtp),
      .size_bytes = gst_rtp_buffer_get_packet_len (rtp),
      .arrived_at = arrived_at};

  arrival.has_stamp = read_stamp (self, rtp, &arrival.stamp);
  if (arrival.has_stamp) {
    s->stamped++;
    if (arrival.stamp.rtt != 0)
      key_request_set_rtt (&s->key, arrival.stamp.rtt);
  }
  return cc_receiver_on_packet (&s->cc, &arrival);
}

static void
look_for_key_unit (GstRtcpAvpf *self, AvpfSource *s, GstRTPBuffer *rtp, RtpReceptionVerdict verdict)
{
  guint size = gst_rtp_buffer_get_payload_len (rtp);

  if (size == 0 || !rtp_key_unit_starts (self->codec, gst_rtp_buffer_get_payload (rtp), size))
    return;
  if (verdict == RTP_RECEPTION_PROBATION)
    s->first_is_key = TRUE;
  else if (verdict == RTP_RECEPTION_NEWER || verdict == RTP_RECEPTION_RESTART)
    key_request_on_key_unit (&s->key, rtp_reception_highest (&s->reception));
}

static void
on_restart (GstRtcpAvpf *self, AvpfSource *s)
{
  GST_INFO_OBJECT (self, "source %08x started over", s->ssrc);
  s->key.has_key = FALSE;
  if (self->auto_pli && self->is_video && rtp_codec_tells_key_units (self->codec))
    key_request_want (&s->key, false);
}

static void
on_rtp_of (GstRtcpAvpf *self, AvpfSource *s, GstRTPBuffer *rtp, GstClockTime arrived_at, GstClockTime now)
{
  RtpReceptionVerdict verdict = rtp_reception_on_packet (
      &s->reception, gst_rtp_buffer_get_seq (rtp), gst_rtp_buffer_get_timestamp (rtp), arrived_at);
  gboolean joins, wanted;

  s->last_heard = now;
  s->packets++;
  if (verdict == RTP_RECEPTION_PROBATION)
    s->first_is_key = FALSE;
  if (verdict == RTP_RECEPTION_RESTART)
    on_restart (self, s);
  joins = s->reception.valid && !s->valid;
  if (joins)
    on_first_valid (self, s);
  look_for_key_unit (self, s, rtp, verdict);
  if (verdict == RTP_RECEPTION_PROBATION || verdict == RTP_RECEPTION_JUMP || verdict == RTP_RECEPTION_DUPLICATE)
    return;
  s->last_rtp = now;
  if (joins)
    update_members (self, now);
  s->bytes += gst_rtp_buffer_get_packet_len (rtp);
  wanted = feed_controller (self, s, rtp, arrived_at);
  if (s->reception.loss && self->auto_pli && self->is_video && self->codec != RTP_CODEC_INTRA)
    key_request_on_loss (&s->key, s->reception.lost_seq);
  if (wanted || key_request_next_timeout (&s->key) <= now)
    request_feedback (self, now);
  wake_before (self, source_timeout (s));
}

/* FALSE: no RTP. */
static gboolean
on_rtp (GstRtcpAvpf *self, GstBuffer *buffer, GstClockTime age, GstClockTime now)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  AvpfSource *s;
  guint32 ssrc;

  if (!gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp))
    return FALSE;
  ssrc = gst_rtp_buffer_get_ssrc (&rtp);
  if (ssrc == self->ssrc)
    on_collision (self);
  self->packets++;
  s = source_of (self, ssrc, meta != NULL ? meta->addr : NULL, now);
  if (s != NULL && GST_CLOCK_TIME_IS_VALID (s->bye_at)) {
    avpf_source_on_rtp_after_bye (s);
  } else if (s != NULL) {
    self->wire_bytes += gst_buffer_get_size (buffer) + s->cc.params.overhead_bytes;
    on_rtp_of (self, s, &rtp, age < now ? now - age : 0, now);
    if (avpf_source_present (s) && s->last_rtp == now && meta != NULL)
      avpf_source_set_address (s, meta->addr);
  }
  gst_rtp_buffer_unmap (&rtp);
  return TRUE;
}

typedef struct {
  GstRtcpAvpf *self;
  GSocketAddress *address;
  GstClockTime now, arrived_at;
} RtcpContext;

static void
on_sender_report (gpointer user, const GstCcSenderInfo *info)
{
  RtcpContext *c = user;
  AvpfSource *s = source_of (c->self, info->ssrc, c->address, c->now);

  if (s == NULL)
    return;
  s->last_heard = c->now;
  rtp_reception_on_sender_report (&s->reception, info->ntp_time, c->arrived_at);
}

static void
on_cname (gpointer user, guint32 ssrc, const gchar *cname)
{
  RtcpContext *c = user;
  AvpfSource *s;

  if (ssrc == c->self->ssrc) {
    if (g_strcmp0 (cname, c->self->cname) != 0)
      on_collision (c->self);
    return;
  }
  s = source_of (c->self, ssrc, c->address, c->now);
  if (s == NULL)
    return;
  s->last_heard = c->now;
  if (++s->rtcp_seen < RTP_RECEPTION_MIN_SEQUENTIAL || s->valid)
    return;
  s->valid = TRUE;
  avpf_source_set_address (s, c->address);
  update_members (c->self, c->now);
}

static void
on_bye (gpointer user, guint32 ssrc)
{
  RtcpContext *c = user;
  AvpfSource *s = avpf_source_table_find (&c->self->table, ssrc);

  if (s == NULL)
    return;
  GST_INFO_OBJECT (c->self, "source %08x says BYE", ssrc);
  avpf_source_on_bye (&c->self->table, s, c->now);
  update_members (c->self, c->now);
}

static void
on_malformed (gpointer user, guint packet_type)
{
  RtcpContext *c = user;

  c->self->bad_rtcp++;
}

static const GstCcRtcpHandlers rtcp_handlers = {
    .sr = on_sender_report, .cname = on_cname, .bye = on_bye, .malformed = on_malformed};

static void
on_rtcp (GstRtcpAvpf *self, GstBuffer *buffer, GstClockTime age, GstClockTime now)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  RtcpContext context = {
      .self = self, .address = meta != NULL ? meta->addr : NULL, .now = now, .arrived_at = age < now ? now - age : 0};
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return;
  if (!gst_cc_rtcp_walk (map.data, map.size, &rtcp_handlers, &context)) {
    self->bad_rtcp++;
  } else {
    self->rtcp_received++;
    if (self->timing_runs)
      avpf_timing_on_received (&self->timing, (uint32_t)map.size + IPV4_UDP_BYTES);
    wake_before (self, self->timing_runs ? avpf_timing_next_timeout (&self->timing) : CC_TIME_NONE);
  }
  gst_buffer_unmap (buffer, &map);
}

static gboolean
is_rtcp (GstBuffer *buffer)
{
  guint8 head[4];

  return gst_buffer_extract (buffer, 0, head, sizeof head) == sizeof head && gst_cc_rtcp_is_rtcp (head, sizeof head);
}

/* TRUE where the buffer is to travel on. */
static gboolean
on_buffer (GstRtcpAvpf *self, GstBuffer *buffer, GstClockTime running_now, GstClockTime now)
{
  GstClockTime age = buffer_age (self, buffer, running_now);

  if (is_rtcp (buffer)) {
    on_rtcp (self, buffer, age, now);
    return FALSE;
  }
  if (on_rtp (self, buffer, age, now))
    return TRUE;
  GST_DEBUG_OBJECT (
      self, "dropping %" G_GSIZE_FORMAT " bytes that are neither RTP nor RTCP", gst_buffer_get_size (buffer));
  self->bad_packets++;
  return FALSE;
}

/* ---- the RTCP thread ---- */

/* What one round sends: the same packet to every address media comes from. */
typedef struct {
  GstBuffer *buffer;
  GSocketAddress *addresses[AVPF_MAX_SOURCES];
  guint n_addresses;
  GstStructure *stats;
} Outgoing;

static gboolean
same_address (GSocketAddress *a, GSocketAddress *b)
{
  guint8 bytes_a[128], bytes_b[128];
  gssize size = g_socket_address_get_native_size (a);

  return a == b || (size > 0 && size <= (gssize)sizeof bytes_a && size == g_socket_address_get_native_size (b) &&
                       g_socket_address_to_native (a, bytes_a, sizeof bytes_a, NULL) &&
                       g_socket_address_to_native (b, bytes_b, sizeof bytes_b, NULL) &&
                       memcmp (bytes_a, bytes_b, (gsize)size) == 0);
}

static void
add_address (Outgoing *out, GSocketAddress *address)
{
  guint i;

  for (i = 0; i < out->n_addresses; i++)
    if (same_address (out->addresses[i], address))
      return;
  out->addresses[out->n_addresses++] = g_object_ref (address);
}

static void
collect_addresses (GstRtcpAvpf *self, Outgoing *out)
{
  guint i;

  for (i = 0; i < AVPF_MAX_SOURCES; i++) {
    AvpfSource *s = self->table.sources[i];

    if (s != NULL && s->valid && s->address != NULL)
      add_address (out, s->address);
  }
}

static guint
outgoing_bytes (const Outgoing *out)
{
  guint bytes = 0, i;

  for (i = 0; i < out->n_addresses; i++)
    bytes +=
        (guint)gst_buffer_get_size (out->buffer) +
        (g_socket_address_get_family (out->addresses[i]) == G_SOCKET_FAMILY_IPV6 ? IPV6_UDP_BYTES : IPV4_UDP_BYTES);
  return out->n_addresses > 0 ? bytes : (guint)gst_buffer_get_size (out->buffer) + IPV4_UDP_BYTES;
}

static AvpfPacketParams
packet_params (GstRtcpAvpf *self, gboolean early)
{
  return (AvpfPacketParams){
      .ssrc = self->ssrc, .cname = self->cname, .feedback = self->feedback, .reduced = early && self->reduced_size};
}

static guint
account (GstRtcpAvpf *self, Outgoing *out)
{
  guint bytes;

  collect_addresses (self, out);
  bytes = outgoing_bytes (out);
  self->rtcp_sent++;
  self->rtcp_bytes_sent += bytes;
  return bytes;
}

static void
run_sources (GstRtcpAvpf *self, GstClockTime now)
{
  guint i;

  for (i = 0; i < AVPF_MAX_SOURCES; i++) {
    AvpfSource *s = self->table.sources[i];
    gboolean wanted;

    if (s == NULL || !avpf_source_present (s))
      continue;
    wanted = cc_receiver_next_timeout (&s->cc) <= now && cc_receiver_on_timeout (&s->cc, now);
    if (wanted || key_request_next_timeout (&s->key) <= now)
      request_feedback (self, now);
  }
}

static void
keep_house (GstRtcpAvpf *self, GstClockTime now)
{
  GstClockTime since = now - (self->housekeeping_at - HOUSEKEEPING_INTERVAL);

  self->receive_bps = (gdouble)self->wire_bytes * 8 / cc_seconds (since);
  self->wire_bytes = 0;
  self->housekeeping_at = now + HOUSEKEEPING_INTERVAL;
  avpf_source_table_expire (&self->table, avpf_timing_member_timeout (&self->timing), now);
  update_members (self, now);
  avpf_timing_set_bandwidth (&self->timing, rtcp_bandwidth_Bps (self));
}

static void
run_timing (GstRtcpAvpf *self, GstClockTime now, Outgoing *out)
{
  AvpfVerdict verdict;
  AvpfPacketParams params;

  if (!self->timing_runs || avpf_timing_next_timeout (&self->timing) > now)
    return;
  verdict = avpf_timing_on_timeout (&self->timing, now);
  if (verdict == AVPF_NOTHING)
    return;
  params = packet_params (self, verdict == AVPF_SEND_EARLY);
  out->buffer = avpf_packet_build (&self->table, &params, now);
  avpf_timing_on_sent (&self->timing, verdict, account (self, out), now);
}

static GstStructure *take_stats (GstRtcpAvpf *self);

static void
run (GstRtcpAvpf *self, GstClockTime now, Outgoing *out)
{
  if (self->timing_runs && self->housekeeping_at <= now)
    keep_house (self, now);
  run_sources (self, now);
  run_timing (self, now, out);
  if (self->stats_interval != 0 && self->stats_at <= now) {
    self->stats_at = now + self->stats_interval;
    out->stats = take_stats (self);
  }
}

static void
earliest (GstClockTime *next, GstClockTime now, GstClockTime when)
{
  if (when > now)
    *next = MIN (*next, when);
}

/* Timeouts that lie behind have led to a request; the packet that answers it re-arms them. */
static GstClockTime
next_timeout (GstRtcpAvpf *self, GstClockTime now)
{
  GstClockTime next = now + LONGEST_WAIT;
  guint i;

  if (self->timing_runs) {
    next = MAX (avpf_timing_next_timeout (&self->timing), now + SHORTEST_WAIT);
    earliest (&next, now, self->housekeeping_at);
  }
  if (self->stats_interval != 0)
    earliest (&next, now, self->stats_at);
  for (i = 0; i < AVPF_MAX_SOURCES; i++)
    if (self->table.sources[i] != NULL && avpf_source_present (self->table.sources[i]))
      earliest (&next, now, source_timeout (self->table.sources[i]));
  return next;
}

static void
wait_until (GstRtcpAvpf *self, GstClockTime when)
{
  self->wait_id = gst_clock_new_single_shot_id (self->system_clock, when);
  self->wait_until = when;
  g_mutex_unlock (&self->lock);
  gst_clock_id_wait (self->wait_id, NULL);
  g_mutex_lock (&self->lock);
  gst_clock_id_unref (self->wait_id);
  self->wait_id = NULL;
}

static void
start_rtcp_stream (GstRtcpAvpf *self)
{
  GstSegment segment;
  GstCaps *caps = gst_caps_new_empty_simple ("application/x-rtcp");
  gchar *id = g_strdup_printf ("%s/rtcp/%08x", self->cname, g_random_int ());

  gst_pad_push_event (self->rtcp_srcpad, gst_event_new_stream_start (id));
  gst_pad_push_event (self->rtcp_srcpad, gst_event_new_caps (caps));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (self->rtcp_srcpad, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
  g_free (id);
}

static void
push_copy (GstRtcpAvpf *self, GstBuffer *buffer, GSocketAddress *address)
{
  GstBuffer *copy = gst_buffer_copy (buffer);
  GstFlowReturn flow;

  if (address != NULL)
    gst_buffer_add_net_address_meta (copy, address);
  flow = gst_pad_push (self->rtcp_srcpad, copy);
  if (flow != GST_FLOW_OK)
    GST_LOG_OBJECT (self, "RTCP went nowhere: %s", gst_flow_get_name (flow));
}

static void
send_out (GstRtcpAvpf *self, Outgoing *out)
{
  guint i;

  if (out->buffer != NULL) {
    if (!self->rtcp_started)
      start_rtcp_stream (self);
    self->rtcp_started = TRUE;
    for (i = 0; i < out->n_addresses; i++)
      push_copy (self, out->buffer, out->addresses[i]);
    if (out->n_addresses == 0)
      push_copy (self, out->buffer, NULL);
  }
  if (out->stats != NULL)
    gst_element_post_message (GST_ELEMENT (self), gst_message_new_element (GST_OBJECT (self), out->stats));
  for (i = 0; i < out->n_addresses; i++)
    g_object_unref (out->addresses[i]);
  gst_clear_buffer (&out->buffer);
}

/* BYE is for those who were told of us before (RFC 3550 6.3.7). Called with the lock. */
static void
build_bye (GstRtcpAvpf *self, Outgoing *out)
{
  AvpfPacketParams params = packet_params (self, FALSE);

  if (self->bye_sent || self->rtcp_sent == 0)
    return;
  out->buffer = avpf_packet_build_bye (&self->table, &params, time_now (self));
  account (self, out);
  self->bye_sent = TRUE;
}

static void
rtcp_loop (gpointer user)
{
  GstRtcpAvpf *self = user;
  Outgoing out = {0};
  GstClockTime now;
  gboolean end;

  g_mutex_lock (&self->lock);
  now = time_now (self);
  end = self->eos;
  if (end)
    build_bye (self, &out);
  else if (!self->flushing)
    run (self, now, &out);
  if (!end && !self->flushing && out.buffer == NULL && out.stats == NULL)
    wait_until (self, next_timeout (self, now));
  if (end || self->flushing)
    gst_pad_pause_task (self->rtcp_srcpad);
  g_mutex_unlock (&self->lock);
  send_out (self, &out);
  if (end) {
    if (!self->rtcp_started)
      start_rtcp_stream (self);
    gst_pad_push_event (self->rtcp_srcpad, gst_event_new_eos ());
  }
}

static gboolean
start_rtcp_thread (GstRtcpAvpf *self)
{
  g_mutex_lock (&self->lock);
  self->flushing = FALSE;
  g_mutex_unlock (&self->lock);
  return gst_pad_start_task (self->rtcp_srcpad, rtcp_loop, self, NULL);
}

static void
interrupt_rtcp_thread (GstRtcpAvpf *self, gboolean eos)
{
  g_mutex_lock (&self->lock);
  if (eos)
    self->eos = TRUE;
  else
    self->flushing = TRUE;
  wake_before (self, 0);
  g_mutex_unlock (&self->lock);
}

static gboolean
rtcp_src_activate_mode (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  if (active)
    return start_rtcp_thread (self);
  interrupt_rtcp_thread (self, FALSE);
  return gst_pad_stop_task (pad);
}

/* ---- pads ---- */

static GstClockTime
running_time_now (GstRtcpAvpf *self, GstClockTime system_now)
{
  GstClock *clock = gst_element_get_clock (GST_ELEMENT (self));
  GstClockTime base = gst_element_get_base_time (GST_ELEMENT (self)), now;

  if (clock == NULL)
    return GST_CLOCK_TIME_NONE;
  now = clock == self->system_clock ? system_now : gst_clock_get_time (clock);
  gst_object_unref (clock);
  return now >= base ? now - base : GST_CLOCK_TIME_NONE;
}

static GstFlowReturn
chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (parent);
  GstClockTime now = time_now (self), running = running_time_now (self, now);
  gboolean keep;

  g_mutex_lock (&self->lock);
  keep = on_buffer (self, buffer, running, now);
  g_mutex_unlock (&self->lock);
  if (keep)
    return gst_pad_push (self->srcpad, buffer);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

typedef struct {
  GstRtcpAvpf *self;
  GstClockTime now, running;
} ListContext;

static gboolean
on_list_buffer (GstBuffer **buffer, guint index, gpointer user)
{
  ListContext *c = user;

  if (!on_buffer (c->self, *buffer, c->running, c->now))
    gst_clear_buffer (buffer);
  return TRUE;
}

static GstFlowReturn
chain_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (parent);
  ListContext context = {.self = self, .now = time_now (self)};

  context.running = running_time_now (self, context.now);
  list = gst_buffer_list_make_writable (list);
  g_mutex_lock (&self->lock);
  gst_buffer_list_foreach (list, on_list_buffer, &context);
  g_mutex_unlock (&self->lock);
  if (gst_buffer_list_length (list) > 0)
    return gst_pad_push_list (self->srcpad, list);
  gst_buffer_list_unref (list);
  return GST_FLOW_OK;
}

static GstFlowReturn
rtcp_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (parent);
  GstClockTime now = time_now (self), running = running_time_now (self, now);

  g_mutex_lock (&self->lock);
  on_rtcp (self, buffer, buffer_age (self, buffer, running), now);
  g_mutex_unlock (&self->lock);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static void
on_caps (GstRtcpAvpf *self, GstCaps *caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  const gchar *media = gst_structure_get_string (s, "media");
  gint clock_rate = 0;
  guint i;

  gst_structure_get_int (s, "clock-rate", &clock_rate);
  g_mutex_lock (&self->lock);
  self->clock_rate = clock_rate > 0 ? (guint)clock_rate : 0;
  self->codec = rtp_codec_from_name (gst_structure_get_string (s, "encoding-name"));
  self->is_video = media != NULL ? g_str_equal (media, "video") : self->codec != RTP_CODEC_UNKNOWN;
  self->caps_extension_id = gst_cc_extension_id_from_caps (caps);
  self->found_extension_id = 0;
  for (i = 0; i < AVPF_MAX_SOURCES; i++)
    if (self->table.sources[i] != NULL) {
      self->table.sources[i]->reception.clock_rate = self->clock_rate;
      self->table.sources[i]->key.params.repeat = rtp_codec_tells_key_units (self->codec);
    }
  g_mutex_unlock (&self->lock);
}

static void
reset (GstRtcpAvpf *self)
{
  avpf_source_table_clear (&self->table);
  self->table.evicted = self->table.refused = self->table.byes = self->table.timeouts = 0;
  self->timing_runs = self->eos = self->bye_sent = self->rtcp_started = FALSE;
  self->ssrc = g_random_int ();
  self->receive_bps = 0;
  self->wire_bytes = 0;
  self->packets = self->bad_packets = self->bad_rtcp = self->rtcp_received = 0;
  self->rtcp_sent = self->rtcp_bytes_sent = self->feedback_discarded = self->collisions = 0;
  self->found_extension_id = 0;
  self->stats_at = 0;
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
}

/* A stream that goes on after its end is a new participant's. */
static void
on_flush_stop (GstRtcpAvpf *self)
{
  gboolean ended;

  g_mutex_lock (&self->lock);
  ended = self->eos;
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  g_mutex_unlock (&self->lock);
  if (!ended)
    return;
  gst_pad_stop_task (self->rtcp_srcpad);
  g_mutex_lock (&self->lock);
  reset (self);
  g_mutex_unlock (&self->lock);
  gst_pad_push_event (self->rtcp_srcpad, gst_event_new_flush_start ());
  gst_pad_push_event (self->rtcp_srcpad, gst_event_new_flush_stop (TRUE));
  start_rtcp_thread (self);
}

static gboolean
sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (parent);
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_CAPS:
    gst_event_parse_caps (event, &caps);
    on_caps (self, caps);
    break;
  case GST_EVENT_SEGMENT:
    g_mutex_lock (&self->lock);
    gst_event_copy_segment (event, &self->segment);
    g_mutex_unlock (&self->lock);
    break;
  case GST_EVENT_EOS:
    interrupt_rtcp_thread (self, TRUE);
    break;
  case GST_EVENT_FLUSH_STOP:
    on_flush_stop (self);
    break;
  default:
    break;
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
rtcp_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

/* The decoder's request becomes a PLI (a FIR where all headers are wanted). */
static void
on_force_key_unit (GstRtcpAvpf *self, const GstStructure *structure)
{
  gboolean all_headers = FALSE;
  GstClockTime now = time_now (self);
  AvpfSource *s;
  guint ssrc;

  gst_structure_get_boolean (structure, "all-headers", &all_headers);
  g_mutex_lock (&self->lock);
  if (gst_structure_get_uint (structure, "ssrc", &ssrc))
    s = avpf_source_table_find (&self->table, ssrc);
  else
    s = avpf_source_table_main (&self->table);
  if (s != NULL) {
    key_request_want (&s->key, all_headers);
    if (key_request_next_timeout (&s->key) <= now)
      request_feedback (self, now);
    wake_before (self, source_timeout (s));
  }
  g_mutex_unlock (&self->lock);
}

static gboolean
src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  const GstStructure *structure = gst_event_get_structure (event);

  if (GST_EVENT_TYPE (event) != GST_EVENT_CUSTOM_UPSTREAM || structure == NULL ||
      !gst_structure_has_name (structure, "GstForceKeyUnit"))
    return gst_pad_event_default (pad, parent, event);
  on_force_key_unit (GST_RTCP_AVPF (parent), structure);
  gst_event_unref (event);
  return TRUE;
}

/* Nothing of the media pads is linked to the RTCP pads. */
static GstIterator *
iterate_internal_links (GstPad *pad, GstObject *parent)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (parent);
  GValue value = G_VALUE_INIT;
  GstIterator *it;

  if (pad != self->sinkpad && pad != self->srcpad)
    return gst_iterator_new_single (GST_TYPE_PAD, NULL);
  g_value_init (&value, GST_TYPE_PAD);
  g_value_set_object (&value, pad == self->sinkpad ? self->srcpad : self->sinkpad);
  it = gst_iterator_new_single (GST_TYPE_PAD, &value);
  g_value_unset (&value);
  return it;
}

/* ---- element ---- */

static void
say_bye (GstRtcpAvpf *self)
{
  Outgoing out = {0};

  interrupt_rtcp_thread (self, FALSE);
  gst_pad_stop_task (self->rtcp_srcpad);
  g_mutex_lock (&self->lock);
  build_bye (self, &out);
  g_mutex_unlock (&self->lock);
  send_out (self, &out);
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (element);

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    g_mutex_lock (&self->lock);
    reset (self);
    g_mutex_unlock (&self->lock);
  } else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    say_bye (self);
  }
  return GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
}

static void
append_source_stats (GstRtcpAvpf *self, GstStructure *s)
{
  GValue list = G_VALUE_INIT;
  guint i;

  g_value_init (&list, GST_TYPE_ARRAY);
  for (i = 0; i < AVPF_MAX_SOURCES; i++)
    if (self->table.sources[i] != NULL) {
      GValue value = G_VALUE_INIT;

      g_value_init (&value, GST_TYPE_STRUCTURE);
      g_value_take_boxed (&value, avpf_source_stats (self->table.sources[i]));
      gst_value_array_append_and_take_value (&list, &value);
    }
  gst_structure_take_value (s, "sources", &list);
}

static void
append_timing_stats (GstRtcpAvpf *self, GstStructure *s)
{
  const AvpfTiming *t = &self->timing;

  if (!self->timing_runs)
    return;
  gst_structure_set (s, "tp", G_TYPE_UINT64, (guint64)t->tp, "tn", G_TYPE_UINT64, (guint64)t->tn, "t-rr", G_TYPE_UINT64,
      (guint64)t->T_rr, "members", G_TYPE_UINT, t->members, "senders", G_TYPE_UINT, t->senders, "avg-rtcp-size",
      G_TYPE_DOUBLE, t->avg_rtcp_size, "regular", G_TYPE_UINT64, (guint64)t->regular_sent, "early", G_TYPE_UINT64,
      (guint64)t->early_sent, "suppressed", G_TYPE_UINT64, (guint64)t->suppressed, "deferred", G_TYPE_UINT64,
      (guint64)t->deferred, NULL);
}

static void
append_main_stats (GstRtcpAvpf *self, GstStructure *s)
{
  AvpfSource *source = avpf_source_table_main (&self->table);
  GstStructure *main_stats = source != NULL ? avpf_source_stats (source) : NULL;
  static const gchar *const fields[] = {
      "ssrc", "lost", "duplicates", "rtt", "x-recv", "loss-event-rate", "queue-delay", "path-rate", "capacity", NULL};
  guint i;

  for (i = 0; main_stats != NULL && fields[i] != NULL; i++)
    gst_structure_set_value (s, fields[i], gst_structure_get_value (main_stats, fields[i]));
  g_clear_pointer (&main_stats, gst_structure_free);
}

/* Called with the lock. */
static GstStructure *
take_stats (GstRtcpAvpf *self)
{
  GstStructure *s = gst_structure_new ("application/x-rtcpavpf-stats", "packets", G_TYPE_UINT64, self->packets,
      "bad-packets", G_TYPE_UINT64, self->bad_packets, "bad-rtcp", G_TYPE_UINT64, self->bad_rtcp, "rtcp-received",
      G_TYPE_UINT64, self->rtcp_received, "rtcp-sent", G_TYPE_UINT64, self->rtcp_sent, "rtcp-bytes-sent", G_TYPE_UINT64,
      self->rtcp_bytes_sent, "feedback-discarded", G_TYPE_UINT64, self->feedback_discarded, "collisions", G_TYPE_UINT64,
      self->collisions, "evicted", G_TYPE_UINT64, self->table.evicted, "refused", G_TYPE_UINT64, self->table.refused,
      "byes", G_TYPE_UINT64, self->table.byes, "timeouts", G_TYPE_UINT64, self->table.timeouts, "receive-bitrate",
      G_TYPE_UINT64, (guint64)self->receive_bps, "rtcp-bandwidth", G_TYPE_UINT64,
      (guint64)(rtcp_bandwidth_Bps (self) * 8), NULL);

  append_timing_stats (self, s);
  append_main_stats (self, s);
  append_source_stats (self, s);
  return s;
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (object);

  g_mutex_lock (&self->lock);
  switch (id) {
  case PROP_BANDWIDTH:
    self->bandwidth = g_value_get_uint (value);
    break;
  case PROP_FEEDBACK:
    self->feedback = (AvpfFeedback)g_value_get_flags (value);
    break;
  case PROP_REDUCED_SIZE:
    self->reduced_size = g_value_get_boolean (value);
    break;
  case PROP_EXTENSION_ID:
    self->extension_id = g_value_get_uint (value);
    break;
  case PROP_AUTO_PLI:
    self->auto_pli = g_value_get_boolean (value);
    break;
  case PROP_PLI_INTERVAL:
    self->pli_interval = g_value_get_uint64 (value);
    break;
  case PROP_REPORT_INTERVAL:
    self->report_interval = g_value_get_uint64 (value);
    break;
  case PROP_USE_TIMESTAMPS:
    self->use_timestamps = g_value_get_boolean (value);
    break;
  case PROP_STATS_INTERVAL:
    self->stats_interval = g_value_get_uint64 (value);
    wake_before (self, 0);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  g_mutex_unlock (&self->lock);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (object);

  g_mutex_lock (&self->lock);
  switch (id) {
  case PROP_BANDWIDTH:
    g_value_set_uint (value, self->bandwidth);
    break;
  case PROP_FEEDBACK:
    g_value_set_flags (value, self->feedback);
    break;
  case PROP_REDUCED_SIZE:
    g_value_set_boolean (value, self->reduced_size);
    break;
  case PROP_EXTENSION_ID:
    g_value_set_uint (value, self->extension_id);
    break;
  case PROP_AUTO_PLI:
    g_value_set_boolean (value, self->auto_pli);
    break;
  case PROP_PLI_INTERVAL:
    g_value_set_uint64 (value, self->pli_interval);
    break;
  case PROP_REPORT_INTERVAL:
    g_value_set_uint64 (value, self->report_interval);
    break;
  case PROP_USE_TIMESTAMPS:
    g_value_set_boolean (value, self->use_timestamps);
    break;
  case PROP_SSRC:
    g_value_set_uint (value, self->ssrc);
    break;
  case PROP_STATS:
    g_value_take_boxed (value, take_stats (self));
    break;
  case PROP_STATS_INTERVAL:
    g_value_set_uint64 (value, self->stats_interval);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  g_mutex_unlock (&self->lock);
}

static void
finalize (GObject *object)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (object);

  avpf_source_table_clear (&self->table);
  gst_object_unref (self->system_clock);
  g_free (self->cname);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_rtcp_avpf_init (GstRtcpAvpf *self)
{
  g_mutex_init (&self->lock);
  self->system_clock = gst_system_clock_obtain ();
  self->cname = gst_cc_rtcp_new_cname ();
  self->bandwidth = DEFAULT_BANDWIDTH;
  self->feedback = DEFAULT_FEEDBACK;
  self->reduced_size = DEFAULT_REDUCED_SIZE;
  self->extension_id = DEFAULT_EXTENSION_ID;
  self->auto_pli = DEFAULT_AUTO_PLI;
  self->pli_interval = DEFAULT_PLI_INTERVAL;
  self->report_interval = DEFAULT_REPORT_INTERVAL;
  self->use_timestamps = DEFAULT_USE_TIMESTAMPS;
  self->stats_interval = DEFAULT_STATS_INTERVAL;
  reset (self);

  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, chain);
  gst_pad_set_chain_list_function (self->sinkpad, chain_list);
  gst_pad_set_event_function (self->sinkpad, sink_event);
  gst_pad_set_iterate_internal_links_function (self->sinkpad, iterate_internal_links);
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  GST_PAD_SET_PROXY_ALLOCATION (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_event_function (self->srcpad, src_event);
  gst_pad_set_iterate_internal_links_function (self->srcpad, iterate_internal_links);
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);

  self->rtcp_sinkpad = gst_pad_new_from_static_template (&rtcp_sink_template, "rtcp_sink");
  gst_pad_set_chain_function (self->rtcp_sinkpad, rtcp_chain);
  gst_pad_set_event_function (self->rtcp_sinkpad, rtcp_sink_event);
  gst_pad_set_iterate_internal_links_function (self->rtcp_sinkpad, iterate_internal_links);
  gst_element_add_pad (GST_ELEMENT (self), self->rtcp_sinkpad);

  self->rtcp_srcpad = gst_pad_new_from_static_template (&rtcp_src_template, "rtcp_src");
  gst_pad_set_activatemode_function (self->rtcp_srcpad, rtcp_src_activate_mode);
  gst_pad_set_iterate_internal_links_function (self->rtcp_srcpad, iterate_internal_links);
  gst_pad_use_fixed_caps (self->rtcp_srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->rtcp_srcpad);
}

static void
install_properties (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  g_object_class_install_property (klass, PROP_BANDWIDTH,
      g_param_spec_uint ("bandwidth", "Bandwidth",
          "Session bandwidth in bit/s, of which RTCP takes 5 % at most; 0: the rate that is received, 500 kbit/s at "
          "least",
          0, G_MAXUINT, DEFAULT_BANDWIDTH, flags | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, PROP_FEEDBACK,
      g_param_spec_flags ("feedback", "Feedback",
          "What to report to senders that stamp their packets with the send time, besides receiver reports",
          GST_TYPE_RTCP_AVPF_FEEDBACK, DEFAULT_FEEDBACK, flags | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, PROP_REDUCED_SIZE,
      g_param_spec_boolean ("reduced-size", "Reduced size",
          "Send early feedback without receiver report and name (RFC 5506); the sender has to agree",
          DEFAULT_REDUCED_SIZE, flags | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, PROP_EXTENSION_ID,
      g_param_spec_uint ("extension-id", "Extension id",
          "Header extension id of " RTP_EXT_RTT_SENDTS_URI
          " where caps have no extmap for it; 0: find it by its size, trying 9 first",
          0, 255, DEFAULT_EXTENSION_ID, flags | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (klass, PROP_AUTO_PLI,
      g_param_spec_boolean ("auto-pli", "Automatic PLI",
          "Ask for a key unit on loss of video packets and when joining between two of them, without a decoder's "
          "request",
          DEFAULT_AUTO_PLI, flags | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, PROP_PLI_INTERVAL,
      g_param_spec_uint64 ("pli-interval", "PLI interval",
          "Least time between two key unit requests to a source in ns (and never below two round trips)", 0,
          3600 * GST_SECOND, DEFAULT_PLI_INTERVAL, flags | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (klass, PROP_REPORT_INTERVAL,
      g_param_spec_uint64 ("report-interval", "Report interval",
          "Least mean time between regular RTCP packets that carry no feedback in ns (trr-int of RFC 4585); 0: as "
          "often as "
          "the bandwidth allows",
          0, G_MAXINT64, DEFAULT_REPORT_INTERVAL, flags | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (klass, PROP_USE_TIMESTAMPS,
      g_param_spec_boolean ("use-timestamps", "Use timestamps",
          "Take the arrival time from the buffer's DTS (udpsrc socket-timestamp=realtime puts the kernel's there); "
          "FALSE: "
          "the time the buffer gets here",
          DEFAULT_USE_TIMESTAMPS, flags | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, PROP_SSRC,
      g_param_spec_uint ("ssrc", "SSRC", "SSRC of the RTCP sent; new at every start", 0, G_MAXUINT, 0,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "State of timing and reception; times in ns, rates in bit/s, x-recv in bytes/s", GST_TYPE_STRUCTURE,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, PROP_STATS_INTERVAL,
      g_param_spec_uint64 ("stats-interval", "Statistics interval",
          "Post stats as an element message every so many ns; 0: never", 0, G_MAXINT64, DEFAULT_STATS_INTERVAL,
          flags | GST_PARAM_MUTABLE_PLAYING));
}

static void
gst_rtcp_avpf_class_init (GstRtcpAvpfClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  element_class->change_state = change_state;
  install_properties (object_class);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_add_static_pad_template (element_class, &rtcp_sink_template);
  gst_element_class_add_static_pad_template (element_class, &rtcp_src_template);
  gst_element_class_set_static_metadata (element_class, "RTCP feedback", "Filter/Network/RTP",
      "Answers RTP with receiver reports, TFRC and path rate feedback and key unit requests (RFC 3550, 4585, 5348)",
      "gst-plugins-congestion");
  gst_type_mark_as_plugin_api (GST_TYPE_RTCP_AVPF_FEEDBACK, 0);
}
