/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lost packets sent again, agreed on in band (docs/wire-formats.md): REPR offers the peer a stream of its own for them,
   and an SSRC that speaks by that number has accepted. Then gaps are asked for as the plan (repairplan.h) has it, and
   what comes is made into the packets that were lost. Called with the element's lock held. */
#ifndef GST_RTCP_AVPF_REPAIR_H
#define GST_RTCP_AVPF_REPAIR_H

#include <gst/gst.h>
#include <gst/rtp/rtp.h>

#include "avpfsource.h"
#include "repairplan.h"
#include "rtcpwriter.h"

G_BEGIN_DECLS

typedef struct _GstRtcpAvpf GstRtcpAvpf;

/* self->repair */
typedef struct {
  guint32 media, ssrc; /* whose packets come again; in which stream; 0: none is offered */
  guint8 payload_type;
  gboolean agreed;
  GstClockTime heard_at;                 /* of that stream */
  GstClockTime offer_at, offer_interval; /* the next REPR is due */
  RepairPlan plan;
  guint64 unanswered; /* of nack's, how much the plan knows */
  guint64 restored;
  GstClockTime told_wait; /* as repair-wait was notified last */
} GstRtcpAvpfRepair;

void gst_rtcp_avpf_repair_init (GstRtcpAvpf *self);
/* After a change of the settings. */
void gst_rtcp_avpf_repair_apply (GstRtcpAvpf *self);
/* Whether gaps of this source are asked for. */
gboolean gst_rtcp_avpf_repair_mends (GstRtcpAvpf *self, const AvpfSource *source);
/* Whether it is the stream of packets sent again. */
gboolean gst_rtcp_avpf_repair_carries (GstRtcpAvpf *self, guint32 ssrc);
/* A packet of a source that counts. */
void gst_rtcp_avpf_repair_on_packet (GstRtcpAvpf *self, AvpfSource *source, GstRTPBuffer *rtp, GstClockTime now);
/* An SSRC of the peer speaks, in RTP or RTCP; says BYE. */
void gst_rtcp_avpf_repair_on_heard (GstRtcpAvpf *self, guint32 ssrc, GstClockTime now);
void gst_rtcp_avpf_repair_on_bye (GstRtcpAvpf *self, guint32 ssrc);
/* REPR where it is time to (again); FALSE: not, or no room. */
gboolean gst_rtcp_avpf_repair_add_offer (GstRtcpAvpf *self, RtcpWriter *rtcp, guint32 sender, GstClockTime now);
/* The packet that was lost in the place of the one that brings it; takes buffer. NULL: it brings none. */
GstBuffer *gst_rtcp_avpf_repair_restore (GstRtcpAvpf *self, GstBuffer *buffer);
/* What the requests of a source came to: in front of what is told to source->nack. */
void gst_rtcp_avpf_repair_on_restored (
    GstRtcpAvpf *self, const AvpfSource *source, const NackMissing *missing, GstClockTime now);
void gst_rtcp_avpf_repair_on_asked (
    GstRtcpAvpf *self, const AvpfSource *source, const guint16 *seqs, guint n, GstClockTime now);
/* Whether early packets are for requests, and reports of flows wait for the regular ones, which come all the time. */
gboolean gst_rtcp_avpf_repair_comes_first (GstRtcpAvpf *self);
/* How long whoever puts packets in order is to wait for one. */
GstClockTime gst_rtcp_avpf_repair_wait (GstRtcpAvpf *self);
/* Field `repair` of the statistics. */
void gst_rtcp_avpf_repair_append_stats (GstRtcpAvpf *self, GstStructure *structure);
/* Without the lock: notifies repair-wait where it has changed. */
void gst_rtcp_avpf_repair_notify (GstRtcpAvpf *self);

G_END_DECLS
#endif
