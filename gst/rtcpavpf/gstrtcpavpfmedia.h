/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Media that this end sends: it passes from send_rtp_sink to send_rtp_src untouched, its SSRCs become ours
   (self->locals), and what RTCP says about them travels upstream on send_rtp_sink as GStreamer's usual events. What has
   no other remark is called with the element's lock held; events go to the outbox. */
#ifndef GST_RTCP_AVPF_MEDIA_H
#define GST_RTCP_AVPF_MEDIA_H

#include <gst/gst.h>

#include "avpflocal.h"
#include "fircommands.h"
#include "gstccrtcp.h"
#include "resendlimit.h"
#include "tmmbrset.h"

G_BEGIN_DECLS

typedef struct _GstRtcpAvpf GstRtcpAvpf;

#define GST_RTCP_AVPF_MEDIA_REPORTS 8 /* receivers whose last report is kept */

typedef enum {
  GST_RTCP_AVPF_RATE_REMB,
  GST_RTCP_AVPF_RATE_PATH,   /* end to end */
  GST_RTCP_AVPF_RATE_ROUTER, /* ERF, ECF */
  GST_RTCP_AVPF_RATES
} GstRtcpAvpfRate;

/* What one receiver last said of one of our SSRCs. */
typedef struct {
  guint32 receiver;
  GstClockTime at; /* GST_CLOCK_TIME_NONE: free */
  gdouble fraction_lost;
  gint packets_lost;
  GstClockTime jitter, round_trip; /* round_trip 0: unknown */
  struct {
    guint64 bps; /* 0: nothing */
    GstClockTime at;
  } rates[GST_RTCP_AVPF_RATES];
} GstRtcpAvpfMediaReport;

/* How RTCP about one of our SSRCs is answered. */
typedef struct {
  guint32 ssrc;
  gboolean in_use;
  gboolean resends; /* carries packets sent again (RFC 4588) */
  ResendLimit resend;
  TmmbrSender tmmbr;
  GstClockTime rises_at;    /* the limit, by itself, or it is time to tell of it; GST_CLOCK_TIME_NONE: not */
  GstClockTime told_at;     /* upstream, of the rate; GST_CLOCK_TIME_NONE: never */
  GstClockTime key_unit_at; /* of the last request pushed upstream, GST_CLOCK_TIME_NONE: never */
  GstRtcpAvpfMediaReport reports[GST_RTCP_AVPF_MEDIA_REPORTS];
  GstClockTime reported_at; /* by anybody, GST_CLOCK_TIME_NONE: never */
  GstClockTime round_trip;  /* the last one measured; 0: unknown */
  guint64 packets_window;   /* since window_at */
  GstClockTime window_at;
  gdouble packet_rate; /* per s; 0: unknown */
  guint64 report_blocks, pli, fir, nack, key_unit_requests, key_unit_refused, tfrc, path, remb;
} GstRtcpAvpfMediaAnswer;

/* self->media */
typedef struct {
  GstPad *sinkpad, *srcpad; /* NULL: not requested */
  GstSegment segment;
  gboolean ended, receiving_ended; /* what is sent, what arrives at sink */
  guint clock_rate;                /* of caps; 0: unknown */
  GstClockTime latency;            /* between running time and the wire */
  guint key_unit_count;
  FirCommands fir;
  GstRtcpAvpfMediaAnswer answers[AVPF_MAX_LOCALS];
} GstRtcpAvpfMedia;

/* Pad templates, request_new_pad and release_pad; new and free need no lock. */
void gst_rtcp_avpf_media_class_init (GstElementClass *klass);
GstRtcpAvpfMedia *gst_rtcp_avpf_media_new (void);
void gst_rtcp_avpf_media_free (GstRtcpAvpfMedia *media);
void gst_rtcp_avpf_media_reset (GstRtcpAvpf *self);
/* Whether send_rtp_sink was requested: then the element lives on without anything arriving at sink. */
gboolean gst_rtcp_avpf_media_is_on (GstRtcpAvpf *self);
/* And has not come to its end: then the end of what is received is not this end's BYE. */
gboolean gst_rtcp_avpf_media_goes_on (GstRtcpAvpf *self);

/* Of a packet that leaves; NULL where there is no room. */
GstRtcpAvpfMediaAnswer *gst_rtcp_avpf_media_answer (GstRtcpAvpf *self, guint32 ssrc, GstClockTime now);

/* gstrtcpavpfanswer.c: RTCP that arrived. sender: who says it; media, target: about whom. What is not about an SSRC of
 * ours is ignored, so every item may be handed over. */
void gst_rtcp_avpf_media_on_report_block (
    GstRtcpAvpf *self, guint32 sender, const RtcpReportBlock *block, GstClockTime now);
void gst_rtcp_avpf_media_on_pli (GstRtcpAvpf *self, guint32 sender, guint32 media, GstClockTime now);
void gst_rtcp_avpf_media_on_fir (GstRtcpAvpf *self, guint32 sender, guint32 target, guint8 seq, GstClockTime now);
void gst_rtcp_avpf_media_on_nack (
    GstRtcpAvpf *self, guint32 sender, guint32 media, const guint16 *seqs, guint n, GstClockTime now);
/* One entry, its ssrc being the target. Asks the scheduler for a TMMBN. */
void gst_rtcp_avpf_media_on_tmmbr (GstRtcpAvpf *self, guint32 sender, const RtcpTmmb *entry, GstClockTime now);
void gst_rtcp_avpf_media_on_remb (GstRtcpAvpf *self, guint32 sender, const RtcpRemb *remb, GstClockTime now);
void gst_rtcp_avpf_media_on_path (
    GstRtcpAvpf *self, guint32 sender, guint32 media, const RtcpPath *path, GstClockTime now);
void gst_rtcp_avpf_media_on_tfrc (
    GstRtcpAvpf *self, guint32 sender, guint32 media, const TfrcReport *report, GstClockTime now);
/* A participant has said BYE or timed out: what it asked for is void. */
void gst_rtcp_avpf_media_on_gone (GstRtcpAvpf *self, guint32 ssrc, GstClockTime now);
/* Another participant has taken the peer's place: what that one asked for and reported is void. */
void gst_rtcp_avpf_media_on_newcomer (GstRtcpAvpf *self, GstClockTime now);
/* RFC 3550 8.2: somebody else has an SSRC of ours: it gets another name, or the payloader is told. TRUE where it was
 * ours. */
gboolean gst_rtcp_avpf_media_on_conflict (GstRtcpAvpf *self, guint32 ssrc, guint32 fresh, GstClockTime now);

/* RTCP to send. TMMBN owed by this SSRC is added; TRUE where something was. */
gboolean gst_rtcp_avpf_media_owes (GstRtcpAvpf *self, guint32 ssrc);
gboolean gst_rtcp_avpf_media_add_owed (GstRtcpAvpf *self, RtcpWriter *rtcp, guint32 ssrc, GstClockTime now);
/* A rise of the rate that had to wait; GST_CLOCK_TIME_NONE: none. */
GstClockTime gst_rtcp_avpf_media_next_timeout (GstRtcpAvpf *self);
void gst_rtcp_avpf_media_on_timeout (GstRtcpAvpf *self, GstClockTime now);

/* Field `local`: an array of structures, one for each SSRC of ours. */
void gst_rtcp_avpf_media_append_stats (GstRtcpAvpf *self, GstStructure *structure, GstClockTime now);

G_END_DECLS
#endif
