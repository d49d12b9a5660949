/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccecn.h"
#include "gstccextension.h"
#include "gstccrtcp.h"
#include "gstrtcpavpfmedia.h"
#include "gstrtcpavpfprivate.h"

#include <gst/net/gstnetaddressmeta.h>

#define LONGEST_AGE (10 * GST_SECOND) /* a timestamp further back is no arrival time */
#define PROBATION (2 * GST_SECOND)
#define ALIVE (500 * GST_MSECOND)
#define ONE_BYTE_IDS 14
#define RTP_HEADER_BYTES 12

/* How long ago the buffer arrived: the socket's time stamp travels as DTS, a running time. */
GstClockTime
gst_rtcp_avpf_buffer_age (GstRtcpAvpf *self, GstBuffer *buffer, GstClockTime running_now)
{
  GstClockTime arrived;

  if (!self->settings.use_timestamps || !GST_CLOCK_TIME_IS_VALID (running_now) || !GST_BUFFER_DTS_IS_VALID (buffer) ||
      self->segment.format != GST_FORMAT_TIME)
    return 0;
  arrived = gst_segment_to_running_time (&self->segment, GST_FORMAT_TIME, GST_BUFFER_DTS (buffer));
  if (!GST_CLOCK_TIME_IS_VALID (arrived) || arrived > running_now || running_now - arrived > LONGEST_AGE)
    return 0;
  return running_now - arrived;
}

AvpfSource *
gst_rtcp_avpf_source_of (GstRtcpAvpf *self, guint32 ssrc, GSocketAddress *address, GstClockTime now)
{
  AvpfSource *known = avpf_source_table_find (&self->table, ssrc);
  AvpfSourceParams params = {.clock_rate = self->clock_rate};

  if (known != NULL)
    return known;
  cc_receiver_params_init (&params.cc);
  params.host = gst_rtcp_avpf_host_id (address);
  params.cc.overhead_bytes = RTCP_AVPF_IPV4_UDP_BYTES;
  if (address != NULL && g_socket_address_get_family (address) == G_SOCKET_FAMILY_IPV6)
    params.cc.overhead_bytes = RTCP_AVPF_IPV6_UDP_BYTES;
  key_request_params_init (&params.key);
  params.key.min_interval = self->settings.pli_interval;
  params.key.repeat = rtp_codec_tells_key_units (self->codec);
  gst_rtcp_avpf_wake_before (self, now + GST_SECOND);
  return avpf_source_table_add (&self->table, ssrc, &params, now);
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
  guint words, id = self->caps_extension_id != 0 ? self->caps_extension_id : self->settings.extension_id;

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
    gst_rtcp_avpf_on_key_unit (self, s, rtp_reception_highest (&s->reception) - 1);
  else if (gst_rtcp_avpf_auto_pli_for (self, s) && rtp_codec_tells_key_units (self->codec))
    key_request_want (&s->key, false);
}

static void
set_rtt (AvpfSource *s, GstClockTime rtt)
{
  key_request_set_rtt (&s->key, rtt);
  if (s->nack != NULL)
    nack_request_set_rtt (s->nack, rtt);
}

/* What routers let the flow have, where its packets say so. */
static void
read_explicit_rate (GstRtcpAvpf *self, AvpfSource *s, GstRTPBuffer *rtp, GstClockTime now)
{
  guint id = self->caps_rate_extension_id != 0 ? self->caps_rate_extension_id : self->settings.rate_extension_id;
  guint16 profile;
  gpointer data;
  guint words;
  size_t size;
  const guint8 *element;
  ErfExtension value;

  if (id == 0 || s->retransmits || !gst_rtp_buffer_get_extension_data (rtp, &profile, &data, &words))
    return;
  element = rtp_ext_find (profile, data, 4 * (gsize)words, id, &size);
  if (element == NULL || !erf_extension_parse (element, size, &value))
    return;
  gst_rtcp_avpf_note_explicit_rate (self, s, &value, avpf_source_extend (s, gst_rtp_buffer_get_seq (rtp)), now);
}

static gboolean
feed_controller (GstRtcpAvpf *self, AvpfSource *s, GstRTPBuffer *rtp, GstClockTime arrived_at)
{
  CcArrival arrival = {.seq = gst_rtp_buffer_get_seq (rtp),
      .rtp_timestamp = gst_rtp_buffer_get_timestamp (rtp),
      .marker = gst_rtp_buffer_get_marker (rtp),
      .size_bytes = gst_rtp_buffer_get_packet_len (rtp),
      .ce = gst_cc_ecn_of (rtp->buffer) == ARRIVAL_CE,
      .arrived_at = arrived_at};

  arrival.has_stamp = read_stamp (self, rtp, &arrival.stamp);
  if (arrival.has_stamp) {
    s->stamped++;
    if (arrival.stamp.rtt != 0)
      set_rtt (s, arrival.stamp.rtt);
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
    gst_rtcp_avpf_on_key_unit (self, s, rtp_reception_highest (&s->reception));
}

static void
on_restart (GstRtcpAvpf *self, AvpfSource *s)
{
  GST_INFO_OBJECT (self, "source %08x started over", s->ssrc);
  s->key.has_key = FALSE;
  if (s->nack != NULL)
    nack_request_restart (s->nack);
  if (gst_rtcp_avpf_auto_pli_for (self, s) && rtp_codec_tells_key_units (self->codec))
    key_request_want (&s->key, false);
}

/* RFC 3550 A.1: packets of a source on probation, and those far off its sequence, are not believed. The first ones of a
   call are let through all the same; beside a source that is alive they are a stranger's until they prove otherwise.
   What brings a packet that is missed needs no other proof: such sources are silent for long. */
static gboolean
is_believed (GstRtcpAvpf *self, AvpfSource *s, RtpReceptionVerdict verdict, GstClockTime now)
{
  if (verdict == RTP_RECEPTION_PROBATION && avpf_source_table_is_alive (&self->table, ALIVE, now)) {
    s->first_is_key = FALSE;
    return FALSE;
  }
  return verdict != RTP_RECEPTION_JUMP;
}

/* GST_READ_UINT16_BE () wants an even address where the sanitizer looks. */
static guint16
read16 (const guint8 *data)
{
  return (guint16)(data[0] << 8 | data[1]);
}

/* The number of the packet among all of the transport (TWCC), where it has one. */
static void
read_transport_number (GstRtcpAvpf *self, GstRTPBuffer *rtp, GstClockTime arrived_at)
{
  guint id = self->caps_twcc_extension_id != 0 ? self->caps_twcc_extension_id : self->settings.twcc_extension_id;
  guint16 profile;
  gpointer data;
  guint words;
  size_t size;
  const uint8_t *element;

  if (id == 0 || !(self->settings.feedback & AVPF_FEEDBACK_TWCC) ||
      !gst_rtp_buffer_get_extension_data (rtp, &profile, &data, &words))
    return;
  element = rtp_ext_find (profile, data, 4 * (gsize)words, id, &size);
  if (element != NULL && size >= 2)
    gst_rtcp_avpf_note_transport_arrival (self, read16 (element), arrived_at);
}

/* RFC 4588 4: what is sent again says in front what it was. TRUE: it is missed here. */
static gboolean
look_for_retransmission (GstRtcpAvpf *self, AvpfSource *s, GstRTPBuffer *rtp, GstClockTime now)
{
  s->payload_type = gst_rtp_buffer_get_payload_type (rtp);
  s->retransmits = gst_rtcp_avpf_is_retransmission (self, s->payload_type);
  return s->retransmits && gst_rtp_buffer_get_payload_len (rtp) >= 2 &&
         gst_rtcp_avpf_note_restored (self, s, read16 (gst_rtp_buffer_get_payload (rtp)), now);
}

/* A packet that counts: neither the first one of a source nor a copy. */
static void
on_packet_of (GstRtcpAvpf *self, AvpfSource *s, GstRTPBuffer *rtp, GstClockTime arrived_at, GstClockTime now)
{
  guint16 seq = gst_rtp_buffer_get_seq (rtp);

  s->last_rtp = now;
  s->bytes += gst_rtp_buffer_get_packet_len (rtp);
  self->wire_bytes += gst_rtp_buffer_get_packet_len (rtp) + s->cc.params.overhead_bytes;
  gst_rtcp_avpf_note_packet (self, s, seq, now);
  gst_rtcp_avpf_note_arrival (self, s, seq, gst_cc_ecn_of (rtp->buffer), arrived_at);
  read_explicit_rate (self, s, rtp, now);
  if (feed_controller (self, s, rtp, arrived_at))
    gst_rtcp_avpf_request_flow_report (self, now);
  if (s->reception.loss && gst_rtcp_avpf_auto_pli_for (self, s) && !gst_rtcp_avpf_mends_by_nack (self, s))
    key_request_on_loss (&s->key, s->reception.lost_seq);
  gst_rtcp_avpf_check_source (self, s, now);
  gst_rtcp_avpf_wake_before (self, MIN (avpf_source_next_timeout (s), gst_rtcp_avpf_packet_report_due_at (self)));
}

/* Two packets of noise may well have the same SSRC (0) and, by chance, numbers in sequence: a stream goes on at once
   and with the same payload type. */
static void
check_probation (AvpfSource *s, GstRTPBuffer *rtp, GstClockTime now)
{
  if (s->reception.valid || s->packets == 0 ||
      (s->payload_type == gst_rtp_buffer_get_payload_type (rtp) && now < s->last_heard + PROBATION))
    return;
  rtp_reception_init (&s->reception, s->reception.clock_rate);
}

/* Whoever plays one stream gets one SSRC's packets, and what brings them once more. */
static gboolean
is_played (GstRtcpAvpf *self, const AvpfSource *s, GstClockTime now)
{
  if (!self->settings.single_stream || s->retransmits || !s->valid || rtp_peer_is_stream (&self->peer, s->ssrc, now))
    return TRUE;
  self->unproven++;
  return FALSE;
}

/* FALSE: not to be passed on. */
static gboolean
on_rtp_of (GstRtcpAvpf *self, AvpfSource *s, GstRTPBuffer *rtp, GstClockTime arrived_at, GstClockTime now)
{
  RtpReceptionVerdict verdict;
  gboolean missed;

  check_probation (s, rtp, now);
  verdict = rtp_reception_on_packet (
      &s->reception, gst_rtp_buffer_get_seq (rtp), gst_rtp_buffer_get_timestamp (rtp), arrived_at);
  s->last_heard = now;
  s->packets++;
  missed = look_for_retransmission (self, s, rtp, now);
  if (verdict == RTP_RECEPTION_PROBATION)
    s->first_is_key = FALSE;
  if (verdict == RTP_RECEPTION_RESTART)
    on_restart (self, s);
  if (s->reception.valid && !GST_CLOCK_TIME_IS_VALID (s->last_rtp))
    on_first_valid (self, s);
  look_for_key_unit (self, s, rtp, verdict);
  if (!missed && !is_believed (self, s, verdict, now)) {
    self->unproven++;
    return FALSE;
  }
  if (verdict != RTP_RECEPTION_PROBATION && verdict != RTP_RECEPTION_DUPLICATE)
    on_packet_of (self, s, rtp, arrived_at, now);
  return missed || is_played (self, s, now);
}

/* RFC 3550 8.2: another one's SSRC is that of whoever has it already. A stream that moved is followed once the old
   address is silent; where there is a peer, rtppeer.h has decided. */
static gboolean
is_impostor (GstRtcpAvpf *self, const AvpfSource *s, GSocketAddress *address, GstClockTime now)
{
  if (self->peer.kind == RTP_SESSION_UNICAST && self->peer.state != RTP_PEER_NOBODY)
    return FALSE;
  return avpf_source_present (s) && !avpf_source_is_from (s, address) && GST_CLOCK_TIME_IS_VALID (s->last_rtp) &&
         now < s->last_rtp + ALIVE;
}

/* FALSE: a stranger's. Another participant in the peer's place begins anew: nobody of before is counted or told. */
static gboolean
is_of_peer (GstRtcpAvpf *self, GstRTPBuffer *rtp, guint64 host, GstClockTime now)
{
  guint64 newcomers = self->peer.newcomers;

  if (!rtp_peer_on_rtp (&self->peer, host, gst_rtp_buffer_get_ssrc (rtp), gst_rtp_buffer_get_seq (rtp), now))
    return FALSE;
  if (self->peer.newcomers == newcomers)
    return TRUE;
  GST_INFO_OBJECT (self, "another participant takes the place of the one that was silent");
  avpf_source_table_keep_host (&self->table, host);
  gst_rtcp_avpf_members_init (self, now);
  gst_rtcp_avpf_media_on_newcomer (self, now);
  gst_rtcp_avpf_update_members (self, now);
  return TRUE;
}

/* TRUE: to be passed on. */
static gboolean
on_rtp_from (GstRtcpAvpf *self, GstRTPBuffer *rtp, GSocketAddress *address, GstClockTime arrived_at, GstClockTime now)
{
  guint32 ssrc = gst_rtp_buffer_get_ssrc (rtp);
  guint64 host = gst_rtcp_avpf_host_id (address);
  gboolean keep;
  AvpfSource *s;

  rtp_answers_on_received (
      &self->answers, host, gst_rtp_buffer_get_packet_len (rtp) + gst_rtcp_avpf_udp_ip_bytes (address), now);
  if (!is_of_peer (self, rtp, host, now))
    return FALSE;
  if (gst_rtcp_avpf_members_is_own (self, ssrc, address, SSRC_CNAME_NONE, now)) {
    self->looped++;
    return FALSE;
  }
  s = gst_rtcp_avpf_source_of (self, ssrc, address, now);
  if (s != NULL && is_impostor (self, s, address, now)) {
    self->looped++;
    return FALSE;
  }
  read_transport_number (self, rtp, arrived_at);
  gst_rtcp_avpf_members_on_rtp (self, rtp, now);
  if (s == NULL)
    return FALSE;
  if (GST_CLOCK_TIME_IS_VALID (s->bye_at) && !avpf_source_on_rtp_after_bye (s))
    return TRUE;
  keep = on_rtp_of (self, s, rtp, arrived_at, now);
  if (avpf_source_present (s) && s->last_rtp == now)
    avpf_source_set_address (s, address);
  return keep;
}

/* FALSE: no RTP. keep: whether it is to travel on. */
static gboolean
on_rtp (GstRtcpAvpf *self, GstBuffer *buffer, GstClockTime age, GstClockTime now, gboolean *keep)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);

  if (gst_buffer_get_size (buffer) < RTP_HEADER_BYTES || !gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp))
    return FALSE;
  self->packets++;
  gst_rtcp_avpf_note_age (self, age, now);
  *keep = on_rtp_from (self, &rtp, meta != NULL ? meta->addr : NULL, age < now ? now - age : 0, now);
  gst_rtp_buffer_unmap (&rtp);
  return TRUE;
}

static gboolean
is_rtcp (GstBuffer *buffer)
{
  guint8 head[4];

  return gst_buffer_extract (buffer, 0, head, sizeof head) == sizeof head && rtcp_is_rtcp (head, sizeof head);
}

gboolean
gst_rtcp_avpf_receive (GstRtcpAvpf *self, GstBuffer *buffer, GstClockTime running_now, GstClockTime now)
{
  GstClockTime age = gst_rtcp_avpf_buffer_age (self, buffer, running_now);
  gboolean keep;

  if (is_rtcp (buffer)) {
    gst_rtcp_avpf_receive_rtcp (self, buffer, age, now);
    return FALSE;
  }
  if (on_rtp (self, buffer, age, now, &keep))
    return keep;
  GST_DEBUG_OBJECT (
      self, "dropping %" G_GSIZE_FORMAT " bytes that are neither RTP nor RTCP", gst_buffer_get_size (buffer));
  self->bad_packets++;
  return FALSE;
}
