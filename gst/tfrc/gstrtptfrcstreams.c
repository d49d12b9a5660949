/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtptfrcstreams.h"

#include "gstccextension.h"
#include "rateshares.h"

#include <gst/rtp/gstrtpbuffer.h>
#include <math.h>
#include <string.h>

#define KEY_UNIT_BYTES 256
#define THIN_PACKET 400 /* bytes */
#define THIN_FRAMES 10
#define RECENT (2 * CC_SECOND)
#define MEASURE (500 * CC_MSECOND)
#define LEAST_SILENCE (50 * CC_MSECOND) /* of an SSRC that another takes the place of */
#define UDP_IP 28
#define OSN_SIZE 2
#define LEAST_WEIGHT 0.01
#define MOST_WEIGHT 100
#define MOST_MEDIA 0.96 /* packets of 1200 bytes */

static void
clear_stream (GstRtpTfrcStream *stream)
{
  guint i;

  for (i = 0; stream->held != NULL && i < stream->held->len; i++)
    gst_buffer_unref (g_array_index (stream->held, CcPacket, i).handle);
  g_clear_pointer (&stream->held, g_array_unref);
}

void
gst_rtp_tfrc_streams_clear (GstRtpTfrcStreams *s)
{
  guint i;

  for (i = 0; i < s->n; i++)
    clear_stream (&s->stream[i]);
  s->n = s->n_asked = 0;
  gst_rtp_tfrc_streams_forget_codecs (s);
  s->stream_id = s->announced_ssrc = 0;
  s->repairs = s->changed = FALSE;
  s->audio = s->tells_audio = s->tells_video = FALSE;
}

/* RFC 5109, 8627, 6015, 6682; SMPTE 2022-1. */
static gboolean
is_redundancy (const gchar *encoding_name)
{
  static const gchar *const names[] = {
      "ULPFEC", "FLEXFEC", "FLEXFEC-03", "PARITYFEC", "1D-INTERLEAVED-PARITYFEC", "RAPTORFEC", "SMPTE2022-1-FEC"};
  guint i;

  for (i = 0; i < G_N_ELEMENTS (names) && encoding_name != NULL; i++)
    if (g_ascii_strcasecmp (encoding_name, names[i]) == 0)
      return TRUE;
  return FALSE;
}

void
gst_rtp_tfrc_streams_set_stream_id (GstRtpTfrcStreams *s, const gchar *id)
{
  s->stream_id = g_str_hash (id) | 1;
  s->announced_ssrc = 0;
}

void
gst_rtp_tfrc_streams_set_caps (GstRtpTfrcStreams *s, const GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  const gchar *media = gst_structure_get_string (structure, "media");

  s->codec = rtp_codec_from_name (gst_structure_get_string (structure, "encoding-name"));
  s->repairs = is_redundancy (gst_structure_get_string (structure, "encoding-name"));
  s->announced_ssrc = 0;
  gst_structure_get_uint (structure, "ssrc", &s->announced_ssrc);
  s->audio = g_strcmp0 (media, "audio") == 0;
  s->tells_audio |= s->audio;
  s->tells_video |= g_strcmp0 (media, "video") == 0;
  s->stamp_id = gst_cc_extension_id_from_caps (caps);
}

void
gst_rtp_tfrc_streams_forget_codecs (GstRtpTfrcStreams *s)
{
  memset (s->codec_of, 0, sizeof s->codec_of);
  memset (s->repairs_of, 0, sizeof s->repairs_of);
}

void
gst_rtp_tfrc_streams_set_codec (GstRtpTfrcStreams *s, guint payload_type, const GstCaps *caps)
{
  const gchar *name = gst_structure_get_string (gst_caps_get_structure (caps, 0), "encoding-name");

  s->codec_of[payload_type % GST_RTP_TFRC_PAYLOAD_TYPES] = rtp_codec_from_name (name);
  s->repairs_of[payload_type % GST_RTP_TFRC_PAYLOAD_TYPES] = is_redundancy (name);
}

GstRtpTfrcStream *
gst_rtp_tfrc_streams_find (GstRtpTfrcStreams *s, guint32 ssrc)
{
  guint i;

  for (i = 0; i < s->n; i++)
    if (s->stream[i].ssrc == ssrc)
      return &s->stream[i];
  return NULL;
}

/* Of any type: who types "ssrc-1=2" has made an integer. */
static double
number_of (const GValue *value, double otherwise)
{
  GValue number = G_VALUE_INIT;
  double found = otherwise;

  g_value_init (&number, G_TYPE_DOUBLE);
  if (value != NULL && g_value_transform (value, &number) && !isnan (g_value_get_double (&number)))
    found = g_value_get_double (&number);
  g_value_unset (&number);
  return found;
}

static double
weight_named (const GstRtpTfrcStreams *s, guint32 ssrc, double otherwise)
{
  gchar name[sizeof "ssrc-4294967295"];
  double weight = otherwise;

  g_snprintf (name, sizeof name, "ssrc-%u", ssrc);
  if (s->weights != NULL)
    weight = number_of (gst_structure_get_value (s->weights, name), otherwise);
  return CLAMP (weight, LEAST_WEIGHT, MOST_WEIGHT);
}

static double
weight_of (const GstRtpTfrcStreams *s, const GstRtpTfrcStream *stream)
{
  return weight_named (s, stream->ssrc, weight_named (s, stream->weighed_as, 1));
}

static void
end_stream (GstRtpTfrcStreams *s, GstRtpTfrcStream *stream, CcTime now)
{
  stream->seen_at = now > RECENT ? now - RECENT : 0;
  stream->ended = TRUE;
  s->changed = TRUE;
}

void
gst_rtp_tfrc_streams_end (GstRtpTfrcStreams *s, guint32 ssrc, CcTime now)
{
  GstRtpTfrcStream *stream = gst_rtp_tfrc_streams_find (s, ssrc);

  if (stream != NULL)
    end_stream (s, stream, now);
}

static GstRtpTfrcStream *
add_stream (GstRtpTfrcStreams *s, guint32 ssrc, CcTime now)
{
  GstRtpTfrcStream *stream = &s->stream[0];
  guint i;

  if (s->n < GST_RTP_TFRC_STREAMS) {
    stream = &s->stream[s->n++];
  } else {
    for (i = 1; i < s->n; i++)
      if (s->stream[i].seen_at < stream->seen_at)
        stream = &s->stream[i];
    clear_stream (stream);
  }
  *stream = (GstRtpTfrcStream){.ssrc = ssrc, .weighed_as = ssrc, .began_at = now, .seen_at = now, .measured_at = now};
  stream->weight = weight_of (s, stream);
  s->changed = TRUE;
  return stream;
}

/* ---- an SSRC takes the place of another ---- */

static void
take_place (GstRtpTfrcStreams *s, GstRtpTfrcStream *stream, GstRtpTfrcStream *before, CcTime now)
{
  stream->weighed_as = before->weighed_as;
  stream->weight = weight_of (s, stream);
  end_stream (s, before, now);
}

/* It was only silent: who took its place has one of its own. */
static void
come_back (GstRtpTfrcStreams *s, GstRtpTfrcStream *stream)
{
  guint i;

  stream->ended = FALSE;
  s->changed = TRUE;
  for (i = 0; i < s->n; i++)
    if (&s->stream[i] != stream && s->stream[i].weighed_as == stream->weighed_as) {
      s->stream[i].weighed_as = s->stream[i].ssrc;
      s->stream[i].weight = weight_of (s, &s->stream[i]);
    }
}

/* By caps with its SSRC. */
static void
note_announced (GstRtpTfrcStreams *s, GstRtpTfrcStream *stream, CcTime now)
{
  guint i;

  if (stream->ssrc != s->announced_ssrc || stream->stream_id == s->stream_id)
    return;
  stream->stream_id = s->stream_id;
  for (i = 0; i < s->n && s->stream_id != 0; i++)
    if (&s->stream[i] != stream && s->stream[i].stream_id == s->stream_id) {
      s->stream[i].stream_id = 0;
      take_place (s, stream, &s->stream[i], now);
    }
}

static gboolean is_video (const GstRtpTfrcStreams *s, const GstRtpTfrcStream *stream, CcTime now);

/* A frame begins, not the first. */
static void
look_for_silent (GstRtpTfrcStreams *s, GstRtpTfrcStream *stream, CcTime now)
{
  guint i;

  if (cc_time_since (now, stream->began_at) >= RECENT)
    return;
  for (i = 0; i < s->n; i++) {
    GstRtpTfrcStream *other = &s->stream[i];

    if (other != stream && is_video (s, other, now) && other->payload_type == stream->payload_type &&
        other->seen_at < stream->began_at &&
        cc_time_since (now, other->seen_at) > MAX (LEAST_SILENCE, other->interval + other->interval / 2))
      take_place (s, stream, other, now);
  }
}

/* Where nothing tells, none is: a key unit too many is asked for rather than none. */
static gboolean
is_key_unit (const GstRtpTfrcStreams *s, const GstRtpTfrcStream *stream, GstBuffer *buffer, const GstTfrcHead *head)
{
  RtpCodec codec = rtp_codec_tells_key_units (s->codec) ? s->codec : s->codec_of[head->payload_type];
  guint8 payload[KEY_UNIT_BYTES];

  if (!rtp_codec_tells_key_units (codec))
    return stream->audio || (stream->flags_deltas && !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT));
  return rtp_key_unit_starts (codec, payload, gst_buffer_extract (buffer, head->head_size, payload, sizeof payload));
}

static void
begin_frame (GstRtpTfrcStream *stream, guint32 timestamp, CcTime now)
{
  CcDuration gap = cc_time_since (now, stream->frame_at);

  if (stream->frames++ > 0)
    stream->interval = stream->interval > 0 ? (3 * stream->interval + gap) / 4 : gap;
  stream->frame_at = now;
  if (stream->frame_packets == 1 && stream->frame_bytes <= THIN_PACKET)
    stream->thin_frames++;
  stream->timestamp = timestamp;
  stream->open = TRUE;
  stream->is_key = FALSE;
  stream->frame_packets = stream->frame_bytes = 0;
}

static double
smooth (double before, double fresh)
{
  return before > 0 ? (before + fresh) / 2 : fresh;
}

static void
measure (GstRtpTfrcStream *stream, gsize size, gsize head_size, gboolean repair, CcTime now)
{
  CcDuration span = cc_time_since (now, stream->measured_at);

  if (span >= MEASURE) {
    stream->sent_Bps = smooth (stream->sent_Bps, stream->bytes / cc_seconds (span));
    stream->payload_Bps = smooth (stream->payload_Bps, stream->payload_bytes / cc_seconds (span));
    stream->repair_Bps = smooth (stream->repair_Bps, stream->repair_bytes / cc_seconds (span));
    stream->measured_at = now;
    stream->bytes = stream->payload_bytes = stream->repair_bytes = 0;
  }
  stream->bytes += size + UDP_IP;
  stream->payload_bytes += size - head_size;
  stream->repair_bytes += repair ? size - head_size : 0;
  stream->seen_at = now;
  stream->packets++;
}

gboolean
gst_rtp_tfrc_streams_is_urgent (const GstRtpTfrcStreams *s, const GstRtpTfrcStream *stream)
{
  if (stream->resends || !stream->media)
    return TRUE;
  if (s->tells_audio || s->tells_video)
    return stream->audio && s->tells_video; /* alone it has nobody to overtake */
  return stream->thin_frames >= THIN_FRAMES;
}

/* FEC over packets before it: by its name, or as rtpulpfecenc makes it, under the SSRC and the timestamp of a frame
   that has ended. */
static gboolean
is_repair (const GstRtpTfrcStreams *s, const GstRtpTfrcStream *stream, GstBuffer *buffer, const GstTfrcHead *head)
{
  return s->repairs || s->repairs_of[head->payload_type] ||
         GST_BUFFER_FLAG_IS_SET (buffer, GST_RTP_BUFFER_FLAG_REDUNDANT) ||
         (stream->frames > 0 && !stream->open && stream->timestamp == head->timestamp);
}

static void
note_media (GstRtpTfrcStreams *s, GstRtpTfrcStream *stream, GstBuffer *buffer, const GstTfrcHead *head, CcTime now)
{
  gsize size = gst_buffer_get_size (buffer);

  stream->media = TRUE;
  stream->payload_type = head->payload_type;
  if (!stream->open || stream->timestamp != head->timestamp) {
    begin_frame (stream, head->timestamp, now);
    if (stream->frames > 1)
      look_for_silent (s, stream, now);
  }
  stream->is_key = stream->is_key || is_key_unit (s, stream, buffer, head);
  stream->frame_packets++;
  stream->frame_bytes += (guint)size;
  if (stream->frame_packets > 1 || size > THIN_PACKET)
    stream->thin_frames = 0;
  stream->open = !head->marker;
}

static void
note_packet (GstRtpTfrcStreams *s, GstRtpTfrcStream *stream, GstBuffer *buffer, CcTime now)
{
  if (stream->ended)
    come_back (s, stream);
  stream->audio = s->audio;
  stream->flags_deltas |= GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  stream->resends = GST_BUFFER_FLAG_IS_SET (buffer, GST_RTP_BUFFER_FLAG_RETRANSMISSION);
  note_announced (s, stream, now);
}

gboolean
gst_rtp_tfrc_streams_packet (
    GstRtpTfrcStreams *s, GstBuffer *buffer, CcTime now, CcPacket *packet, GstRtpTfrcStream **owner, gsize *head_size)
{
  gsize size = gst_buffer_get_size (buffer);
  GstRtpTfrcStream *stream;
  GstTfrcHead head;
  gboolean repair;

  if (!gst_tfrc_head_of (buffer, &head))
    return FALSE;
  stream = gst_rtp_tfrc_streams_find (s, head.ssrc);
  if (stream == NULL)
    stream = add_stream (s, head.ssrc, now);
  note_packet (s, stream, buffer, now);
  repair = is_repair (s, stream, buffer, &head);
  if (!repair)
    note_media (s, stream, buffer, &head, now);
  measure (stream, size, head.head_size, repair, now);
  *packet = (CcPacket){.handle = buffer,
      .size_bytes = (guint32)size,
      .frame = head.timestamp ^ head.ssrc, /* streams may have the same timestamps */
      .captured_at = now,
      .frame_end = head.marker || repair,
      .key_unit = stream->is_key,
      .repair = repair,
      .resent = gst_rtp_tfrc_streams_is_urgent (s, stream) && stream->waiting == 0};
  stream->waiting += !packet->resent;
  *owner = stream;
  *head_size = head.head_size;
  return TRUE;
}

static gboolean
is_video (const GstRtpTfrcStreams *s, const GstRtpTfrcStream *stream, CcTime now)
{
  return !gst_rtp_tfrc_streams_is_urgent (s, stream) && cc_time_since (now, stream->seen_at) < RECENT;
}

gboolean
gst_rtp_tfrc_streams_take_turns (const GstRtpTfrcStreams *s, const GstRtpTfrcStream *stream, CcTime now)
{
  guint i;

  for (i = 0; i < s->n; i++)
    if (&s->stream[i] != stream && is_video (s, &s->stream[i], now))
      return TRUE;
  return FALSE;
}

/* The number of the original in a packet that is sent again, as that was sent. */
static void
renumber_original (GstRtpTfrcStreams *s, GstRTPBuffer *rtp)
{
  guint8 *payload = gst_rtp_buffer_get_payload (rtp);
  guint i, most = MIN (s->n_asked, GST_RTP_TFRC_ASKED);
  guint16 osn, sent;

  if (payload == NULL || gst_rtp_buffer_get_payload_len (rtp) < OSN_SIZE)
    return;
  osn = GST_READ_UINT16_BE (payload);
  for (i = 1; i <= most; i++) {
    const GstRtpTfrcAsked *asked = &s->asked[(s->n_asked - i) % GST_RTP_TFRC_ASKED];
    GstRtpTfrcStream *stream = asked->seq == osn ? gst_rtp_tfrc_streams_find (s, asked->ssrc) : NULL;

    if (stream != NULL && gst_tfrc_numbering_sent (&stream->numbering, osn, &sent)) {
      GST_WRITE_UINT16_BE (payload, sent);
      return;
    }
  }
}

static gboolean
is_renumbered (const GstRtpTfrcStreams *s)
{
  guint i;

  for (i = 0; i < s->n; i++)
    if (s->stream[i].numbering.n_steps > 1 || s->stream[i].numbering.skipped != 0)
      return TRUE;
  return FALSE;
}

/* NULL: nobody's any more. */
static GstRtpTfrcStream *
owner_of (GstRtpTfrcStreams *s, const CcPacket *packet, GstTfrcHead *head)
{
  GstRtpTfrcStream *stream = gst_tfrc_head_of (packet->handle, head) ? gst_rtp_tfrc_streams_find (s, head->ssrc) : NULL;

  if (stream != NULL && !packet->resent && stream->waiting > 0)
    stream->waiting--;
  return stream;
}

GstBuffer *
gst_rtp_tfrc_streams_renumber (GstRtpTfrcStreams *s, const CcPacket *packet)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstBuffer *buffer = packet->handle;
  GstRtpTfrcStream *stream;
  GstTfrcHead head;
  gboolean resent;
  guint16 skipped;

  stream = owner_of (s, packet, &head);
  if (stream == NULL)
    return buffer;
  skipped = gst_tfrc_numbering_offset (&stream->numbering, head.seq);
  resent = packet->resent && stream->resends && is_renumbered (s);
  if (skipped == 0 && !resent)
    return buffer;
  buffer = gst_buffer_make_writable (buffer);
  if (!gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp))
    return buffer;
  gst_rtp_buffer_set_seq (&rtp, (guint16)(head.seq - skipped));
  if (resent)
    renumber_original (s, &rtp);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

void
gst_rtp_tfrc_streams_give_up (GstRtpTfrcStreams *s, const CcPacket *packet)
{
  GstTfrcHead head;
  GstRtpTfrcStream *stream = owner_of (s, packet, &head);

  if (stream != NULL)
    gst_tfrc_numbering_give_up (&stream->numbering, head.seq);
  gst_buffer_unref (packet->handle);
}

/* What streams of the last two seconds send, bytes per second. */
typedef struct {
  double wire, payload, video, audio, repairs, resends;
} Sent;

static Sent
sent_now (const GstRtpTfrcStreams *s, CcTime now)
{
  Sent sent = {0};
  guint i;

  for (i = 0; i < s->n; i++) {
    const GstRtpTfrcStream *stream = &s->stream[i];
    double media = stream->payload_Bps - stream->repair_Bps;

    if (cc_time_since (now, stream->seen_at) >= RECENT)
      continue;
    sent.wire += stream->sent_Bps;
    sent.payload += stream->payload_Bps;
    sent.repairs += stream->repair_Bps;
    if (stream->resends)
      sent.resends += media;
    else if (is_video (s, stream, now))
      sent.video += media;
    else
      sent.audio += media;
  }
  return sent;
}

double
gst_rtp_tfrc_streams_media (const GstRtpTfrcStreams *s, double wire_Bps, double media_Bps, CcTime now)
{
  Sent sent = sent_now (s, now);
  RateTraffic traffic = {sent.video + sent.audio, sent.repairs, sent.resends};
  double headers = sent.wire - sent.payload;

  if (!(sent.wire > 0))
    return media_Bps;
  if (sent.wire > wire_Bps)
    headers *= wire_Bps / sent.wire;
  return rate_shares_media (&traffic, MAX (media_Bps, MIN (wire_Bps - headers, MOST_MEDIA * wire_Bps)));
}

/* Lately, or in the running measurement where that is more already: who comes back is seen before it ends. */
static double
used_Bps (const GstRtpTfrcStream *stream)
{
  double media = stream->payload_Bps - stream->repair_Bps;
  double fresh = (stream->payload_bytes - stream->repair_bytes) / cc_seconds (MEASURE);

  return stream->payload_Bps > 0 ? MAX (media, fresh) : -1;
}

guint
gst_rtp_tfrc_streams_share (
    GstRtpTfrcStreams *s, double media_Bps, CcTime now, GstRtpTfrcShare shares[GST_RTP_TFRC_STREAMS])
{
  RateTraffic traffic = {.ahead_Bps = sent_now (s, now).audio};
  RateShare parts[GST_RTP_TFRC_STREAMS];
  guint i, n = 0;

  for (i = 0; i < s->n; i++) {
    const GstRtpTfrcStream *stream = &s->stream[i];

    if (!is_video (s, stream, now))
      continue;
    parts[n] = (RateShare){.weight = stream->weight, .sent_Bps = used_Bps (stream)};
    shares[n++].ssrc = stream->ssrc;
  }
  rate_shares_divide (parts, n, rate_shares_media (&traffic, media_Bps));
  for (i = 0; i < n; i++)
    shares[i].bitrate = 8 * parts[i].share_Bps;
  return n;
}

void
gst_rtp_tfrc_streams_set_weights (GstRtpTfrcStreams *s, const GstStructure *weights)
{
  guint i;

  g_clear_pointer (&s->weights, gst_structure_free);
  if (weights != NULL)
    s->weights = gst_structure_copy (weights);
  for (i = 0; i < s->n; i++)
    s->stream[i].weight = weight_of (s, &s->stream[i]);
  s->changed = TRUE;
}
