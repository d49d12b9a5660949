/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_RTCP_AVPF_H
#define GST_RTCP_AVPF_H

#include <gst/gst.h>
#include <gst/rtp/rtp.h>

#include "avpflocal.h"
#include "avpfsource.h"
#include "avpftiming.h"
#include "fbqueue.h"
#include "fbretention.h"
#include "gstrtcpavpfmedia.h"
#include "gstrtcpavpfrepair.h"
#include "rtpkeyunit.h"
#include "rtpanswers.h"
#include "rtpmembers.h"
#include "rtppeer.h"
#include "ssrcconflict.h"

G_BEGIN_DECLS

#define GST_TYPE_RTCP_AVPF (gst_rtcp_avpf_get_type ())
G_DECLARE_FINAL_TYPE (GstRtcpAvpf, gst_rtcp_avpf, GST, RTCP_AVPF, GstElement)

typedef enum {
  AVPF_FEEDBACK_TFRC = 1 << 0,
  AVPF_FEEDBACK_REMB = 1 << 1,
  AVPF_FEEDBACK_PATH = 1 << 2,
  AVPF_FEEDBACK_NACK = 1 << 3,
  AVPF_FEEDBACK_PLI = 1 << 4,
  AVPF_FEEDBACK_FIR = 1 << 5,
  AVPF_FEEDBACK_TWCC = 1 << 6,
  AVPF_FEEDBACK_CCFB = 1 << 7,
  AVPF_FEEDBACK_TMMBR = 1 << 8
} AvpfFeedback;

#define GST_TYPE_RTCP_AVPF_FEEDBACK (gst_rtcp_avpf_feedback_get_type ())
GType gst_rtcp_avpf_feedback_get_type (void);

typedef enum {
  GST_RTCP_AVPF_GROUP_AUTO,
  GST_RTCP_AVPF_GROUP_POINT_TO_POINT,
  GST_RTCP_AVPF_GROUP_GROUP
} GstRtcpAvpfGroup;

#define GST_TYPE_RTCP_AVPF_GROUP (gst_rtcp_avpf_group_get_type ())
GType gst_rtcp_avpf_group_get_type (void);
#define GST_TYPE_RTCP_AVPF_RECONSIDERATION (gst_rtcp_avpf_reconsideration_get_type ())
GType gst_rtcp_avpf_reconsideration_get_type (void);

/* The properties as they were set. */
typedef struct {
  GstRTPProfile profile;
  guint bandwidth;
  gdouble rtcp_fraction;
  gint rs_bandwidth, rr_bandwidth; /* bit/s, -1: of the fraction */
  GstClockTime trr_int, max_feedback_delay;
  gdouble dither_factor;
  GstRtcpAvpfGroup group;
  AvpfReconsideration reconsideration;
  gboolean reduced_size;
  GstStructure *sdes;

  AvpfFeedback feedback;
  gboolean auto_pli, auto_nack;
  GstClockTime pli_interval, nack_latency;
  GstStructure *rtx_map; /* payload type -> payload type of its retransmissions; NULL: none */
  guint64 tmmbr_bitrate; /* bit/s; 0: the path rate */
  gboolean repair;
  GstClockTime repair_latency;

  guint extension_id, twcc_extension_id, rate_extension_id;
  gboolean use_timestamps;
  guint max_members;
  gchar *peer_address;    /* NULL: whoever speaks first */
  gboolean single_stream; /* of several SSRCs one passes */
  GstClockTime stats_interval;
} GstRtcpAvpfSettings;

struct _GstRtcpAvpf {
  GstElement parent;

  GstPad *sinkpad, *srcpad, *rtcp_sinkpad, *rtcp_srcpad;
  GstClock *system_clock;

  GMutex lock; /* all below; never held while pushing, posting or notifying */
  GQueue outbox;
  GstClockID wait_id;
  GstClockTime wait_until;
  GstClockTime behind_since; /* what arrived waits in the socket, as this process was held up; NONE: no */
  gboolean flushing, eos, bye_sent, rtcp_started;
  GstRtcpAvpfSettings settings;

  AvpfLocalTable locals;
  SsrcConflict conflict;
  RtpPeer peer;
  RtpAnswers answers;
  RtpMembers members;
  gpointer members_memory;
  GstClockTime expired_at;
  AvpfSourceTable table;
  GstRtcpAvpfRepair repair;
  GstRtcpAvpfMedia *media;

  FbRetention retention;
  FbQueue queue;
  ArrivalHistory *twcc; /* NULL: no transport-wide numbers have come */
  guint8 twcc_count;
  GstClockTime packet_report_at; /* the last one */
  gboolean packet_report_told, report_wanted;
  guint blocks_from, sdes_turn;
  guint64 sent_hashes[4]; /* of the last packets sent */

  gboolean leaving; /* bye waits for its time */
  GstBuffer *bye;
  GstClockTime leave_until;

  GstSegment segment;
  guint clock_rate, caps_extension_id, found_extension_id, caps_twcc_extension_id, caps_rate_extension_id;
  gboolean is_video, multicast;
  RtpCodec codec;

  gdouble receive_bps, requests_per_s;
  guint64 wire_bytes, requests, housekept_requests; /* wire_bytes: since housekept_at */
  GstClockTime housekept_at, stats_at;
  guint64 packets, bad_packets, unproven, bad_rtcp, rtcp_received, rtcp_sent, rtcp_bytes_sent;
  guint64 looped; /* packets of ours that came back, and of those that have another's SSRC */
};

GST_ELEMENT_REGISTER_DECLARE (rtcpavpf);

G_END_DECLS
#endif
