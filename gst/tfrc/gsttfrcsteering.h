/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What moves the rate of a sending flow: what its receiver reports, once the participant believes it, and what routers
   and relays tell from addresses of their own (rate-sources), which only lowers it. For the sending thread only. */
#ifndef GST_TFRC_STEERING_H
#define GST_TFRC_STEERING_H

#include "ccsender.h"
#include "gsttfrccircuit.h"
#include "gsttfrcratesources.h"
#include "gsttfrcmtu.h"
#include "rtpparticipant.h"

G_BEGIN_DECLS

#define GST_TFRC_STEERING_REPORTED 8 /* SSRCs whose last report is kept */

typedef struct {
  guint64 reports, path_reports, explicit_rates, remb;
  guint64 tmmbr, malformed;       /* of rate-sources; messages of theirs that are none */
  guint32 explicit_hop;           /* of the last ERF or ECF; 0: none came */
  GstClockTime rr_rtt, rr_jitter; /* of the last report block; GST_CLOCK_TIME_NONE: none */
  gdouble rr_fraction_lost;
  gint rr_packets_lost;
} GstTfrcSteeringCounts;

typedef struct {
  CcSender *sender;
  CcPacketFeedback *packets; /* what left, for reports of every packet */
  RtpParticipant *core;      /* whose SSRCs these are */
  GstTfrcMtu *mtu;
  gboolean numbered;     /* packets carry transport-wide numbers */
  CcTime now;            /* of the packet at hand */
  guint32 path_teller;   /* SSRC whose path rate is followed */
  guint32 router_teller; /* SSRC that told explicit rates and no path rate; 0: none */
  guint64 teller_key[2];
  const GstTfrcAddress *from; /* of the packet of a router's at hand */
  struct {
    guint32 ssrc;
    GstTfrcReported reported;
  } reported[GST_TFRC_STEERING_REPORTED];
  guint n_reported; /* modulo GST_TFRC_STEERING_REPORTED the next place */
  GstTfrcSteeringCounts counts;
} GstTfrcSteering;

/* sender, packets: initialized by their owner before anything is reported. core, mtu: set by the caller once there are.
 */
void gst_tfrc_steering_init (GstTfrcSteering *s, CcSender *sender, CcPacketFeedback *packets);
/* For RtpParticipantParams.rate_maker, with the steering as its user: report_block, tfrc, remb, path, ccfb, twcc.
   s->now is set before. */
extern const RtcpHandlers gst_tfrc_steering_handlers;
/* A packet of one in rate-sources. FALSE: no RTCP that can be read. */
gboolean gst_tfrc_steering_bound (
    GstTfrcSteering *s, const guint8 *data, gsize size, const GstTfrcAddress *from, CcTime now);

G_END_DECLS
#endif
