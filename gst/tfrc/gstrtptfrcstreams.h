/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The streams of a session that share one rate: what each SSRC sends, whether it goes first, and its part of the rate.

   Frames of streams that take turns are held together until they are whole, so that the sending buffer sees one frame
   after the other. Streams of small single packets (audio beside video), packets sent again and redundancy under an
   SSRC of its own leave ahead of what waits. The rate is divided by rateshares.h.

   A stream whose SSRC changes is one stream: the new SSRC has the old one's part and weight as soon as caps announce it
   on the same stream-id, or its second frame begins and nothing has come under the old one, of the same payload type,
   since before its first packet. A collision or a BYE frees the part of the SSRC it names. */
#ifndef GST_RTP_TFRC_STREAMS_H
#define GST_RTP_TFRC_STREAMS_H

#include "gsttfrccircuit.h"
#include "gsttfrcnumbering.h"
#include "gsttfrcpacket.h"
#include "rtpkeyunit.h"
#include "ccpacketfeedback.h"
#include "sendbuffer.h"

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_RTP_TFRC_STREAMS CC_PACKET_FEEDBACK_STREAMS
#define GST_RTP_TFRC_ASKED 256
#define GST_RTP_TFRC_PAYLOAD_TYPES 128

typedef struct {
  guint32 ssrc;
  guint32 weighed_as;    /* its own SSRC, or the one whose place it took */
  guint8 payload_type;   /* of its media */
  gboolean ended;        /* its part has gone to another */
  guint stream_id;       /* hash, of the stream-start whose caps announced it; 0: none did */
  gboolean resends;      /* RFC 4588 */
  gboolean media;        /* not all of it is redundancy */
  gboolean audio;        /* by the caps it came with */
  gboolean flags_deltas; /* its packets have had GST_BUFFER_FLAG_DELTA_UNIT */
  guint thin_frames;     /* in a row: one small packet each */
  gboolean open, is_key; /* a frame has begun and not ended */
  guint32 timestamp;
  guint frame_packets, frame_bytes;
  guint frames;        /* begun */
  CcTime frame_at;     /* the last one */
  CcDuration interval; /* of frames, smoothed; 0: not known */
  GArray *held;        /* CcPacket: the open frame, where streams take turns; NULL: none yet */
  guint waiting;       /* packets here that do not go first: none of the same stream may overtake them */
  GstTfrcNumbering numbering;
  GstTfrcReported reported;
  guint64 packets; /* that came */
  CcTime began_at, seen_at, measured_at;
  guint64 bytes; /* since measured_at, wire */
  guint64 payload_bytes, repair_bytes;
  double sent_Bps, payload_Bps, repair_Bps; /* payload: with redundancy in it */
  double weight;
} GstRtpTfrcStream;

typedef struct {
  guint32 ssrc;
  guint16 seq; /* as it came */
} GstRtpTfrcAsked;

typedef struct {
  GstRtpTfrcStream stream[GST_RTP_TFRC_STREAMS];
  guint n;
  GstRtpTfrcAsked asked[GST_RTP_TFRC_ASKED];
  guint n_asked;
  RtpCodec codec; /* of the caps */
  RtpCodec codec_of[GST_RTP_TFRC_PAYLOAD_TYPES];
  gboolean repairs; /* by the caps */
  gboolean repairs_of[GST_RTP_TFRC_PAYLOAD_TYPES];
  guint stream_id, announced_ssrc;   /* by stream-start, hash, and caps; 0: none */
  gboolean changed;                  /* who shares: to be told at once; the reader resets it */
  gboolean audio;                    /* by the caps in force */
  gboolean tells_audio, tells_video; /* what caps have said by now; neither: small packets tell audio */
  guint stamp_id;                    /* of the send time's header extension, by the caps; 0: none */
  GstStructure *weights;             /* NULL: all alike */
} GstRtpTfrcStreams;

typedef struct {
  guint32 ssrc;
  double bitrate; /* bit/s for its encoder */
} GstRtpTfrcShare;

/* What the session says of a payload type, for streams whose caps do not tell. */
void gst_rtp_tfrc_streams_set_codec (GstRtpTfrcStreams *s, guint payload_type, const GstCaps *caps);
void gst_rtp_tfrc_streams_forget_codecs (GstRtpTfrcStreams *s); /* what the session has said */
void gst_rtp_tfrc_streams_clear (GstRtpTfrcStreams *s);
void gst_rtp_tfrc_streams_set_stream_id (GstRtpTfrcStreams *s, const gchar *id);
void gst_rtp_tfrc_streams_set_caps (GstRtpTfrcStreams *s, const GstCaps *caps);
GstRtpTfrcStream *gst_rtp_tfrc_streams_find (GstRtpTfrcStreams *s, guint32 ssrc); /* NULL: not known */
/* It will send no more: its part of the rate is free. */
void gst_rtp_tfrc_streams_end (GstRtpTfrcStreams *s, guint32 ssrc, CcTime now);
/* Makes a core packet of the buffer (not taken) and says whose it is. FALSE: no RTP. */
gboolean gst_rtp_tfrc_streams_packet (
    GstRtpTfrcStreams *s, GstBuffer *buffer, CcTime now, CcPacket *packet, GstRtpTfrcStream **stream, gsize *head_size);
/* Its packets leave ahead of what waits, but behind those of its own that wait. */
gboolean gst_rtp_tfrc_streams_is_urgent (const GstRtpTfrcStreams *s, const GstRtpTfrcStream *stream);
/* Whether a frame of `stream` has to be held until it is whole. */
gboolean gst_rtp_tfrc_streams_take_turns (const GstRtpTfrcStreams *s, const GstRtpTfrcStream *stream, CcTime now);
/* The packet leaves, or was given up: its buffer, renumbered, so that what was given up leaves no gap. */
GstBuffer *gst_rtp_tfrc_streams_renumber (GstRtpTfrcStreams *s, const CcPacket *packet);
void gst_rtp_tfrc_streams_give_up (GstRtpTfrcStreams *s, const CcPacket *packet);
/* What of wire_Bps is left for media when headers are as frequent as they are now; media_Bps, which takes them for a
   part of each packet, at least. Small packets have more of them the less there is to send: with their part taken off,
   a rate would shrink for being small. What is sent again, and redundancy in its proportion, is then taken off. */
double gst_rtp_tfrc_streams_media (const GstRtpTfrcStreams *s, double wire_Bps, double media_Bps, CcTime now);
/* What encoders may produce, media_Bps being theirs in sum: audio is taken off, the rest is shared by weight among the
   video streams of the last two seconds. Returns how many there are. */
guint gst_rtp_tfrc_streams_share (
    GstRtpTfrcStreams *s, double media_Bps, CcTime now, GstRtpTfrcShare shares[GST_RTP_TFRC_STREAMS]);
/* weights: ssrc-N=(double)W for each SSRC N, 1 where missing; NULL: all alike. */
void gst_rtp_tfrc_streams_set_weights (GstRtpTfrcStreams *s, const GstStructure *weights);

G_END_DECLS
#endif
