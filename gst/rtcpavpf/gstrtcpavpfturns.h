/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When RTCP may leave, as a user sets it: the properties, and what the participant is told of them (rtpturns.h). */
#ifndef GST_RTCP_AVPF_TURNS_H
#define GST_RTCP_AVPF_TURNS_H

#include <gst/rtp/rtp.h>

#include "rtpattendance.h"
#include "rtpturns.h"

G_BEGIN_DECLS

typedef enum {
  GST_RTCP_AVPF_GROUP_AUTO,
  GST_RTCP_AVPF_GROUP_POINT_TO_POINT,
  GST_RTCP_AVPF_GROUP_GROUP
} GstRtcpAvpfGroup;

#define GST_TYPE_RTCP_AVPF_GROUP (gst_rtcp_avpf_group_get_type ())
GType gst_rtcp_avpf_group_get_type (void);
#define GST_TYPE_RTCP_AVPF_RECONSIDERATION (gst_rtcp_avpf_reconsideration_get_type ())
GType gst_rtcp_avpf_reconsideration_get_type (void);

typedef struct {
  GstRTPProfile profile;
  guint bandwidth; /* bit/s; 0: by what is received */
  gdouble rtcp_fraction;
  gint rs_bandwidth, rr_bandwidth; /* bit/s, -1: of the fraction */
  GstClockTime trr_int, max_feedback_delay;
  gdouble dither_factor;
  GstRtcpAvpfGroup group;
  AvpfReconsideration reconsideration;
} GstRtcpAvpfTurns;

void gst_rtcp_avpf_turns_init (GstRtcpAvpfTurns *turns);
/* Whether more than two may take part; multicast: what is received comes by it. */
RtpSessionKind gst_rtcp_avpf_turns_kind (const GstRtcpAvpfTurns *turns, gboolean multicast);
RtpTurnsParams gst_rtcp_avpf_turns_params (const GstRtcpAvpfTurns *turns);

/* index: of its properties. */
#define GST_RTCP_AVPF_TURNS_PROPERTIES 10
void gst_rtcp_avpf_install_turns (GObjectClass *klass, guint first); /* from that id on */
void gst_rtcp_avpf_turns_set (GstRtcpAvpfTurns *turns, guint index, const GValue *value);
void gst_rtcp_avpf_turns_get (const GstRtcpAvpfTurns *turns, guint index, GValue *value);

G_END_DECLS
#endif
