/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_RTCP_AVPF_H
#define GST_RTCP_AVPF_H

#include <gst/gst.h>
#include <gst/rtp/rtp.h>

#include "gstratesenders.h"
#include "gstrtcpavpfturns.h"
#include "rtpparticipant.h"

G_BEGIN_DECLS

#define GST_TYPE_RTCP_AVPF (gst_rtcp_avpf_get_type ())
G_DECLARE_FINAL_TYPE (GstRtcpAvpf, gst_rtcp_avpf, GST, RTCP_AVPF, GstElement)

#define GST_TYPE_RTCP_AVPF_FEEDBACK (gst_rtcp_avpf_feedback_get_type ())
GType gst_rtcp_avpf_feedback_get_type (void);

typedef enum { GST_RTCP_AVPF_REPAIR_BY_RTX = 1 << 0, GST_RTCP_AVPF_REPAIR_BY_FEC = 1 << 1 } GstRtcpAvpfRepairBy;

#define GST_TYPE_RTCP_AVPF_REPAIR_BY (gst_rtcp_avpf_repair_by_get_type ())
GType gst_rtcp_avpf_repair_by_get_type (void);

/* The properties as they were set. */
typedef struct {
  GstRtcpAvpfTurns turns;
  gboolean reduced_size;
  GstStructure *sdes;

  RtpFeedback feedback;
  gboolean auto_pli, auto_nack;
  GstClockTime pli_interval, nack_latency;
  GstStructure *rtx_map; /* payload type -> payload type of its retransmissions; NULL: none */
  guint64 tmmbr_bitrate; /* bit/s; 0: the path rate */
  gboolean repair;
  GstRtcpAvpfRepairBy repair_by;
  GstClockTime repair_latency;

  guint extension_id, twcc_extension_id, rate_extension_id;
  gboolean use_timestamps;
  guint rtp_overhead, rtcp_overhead; /* bytes of a packet on the wire that the buffers do not have */
  guint max_members;
  gchar *peer_address;    /* NULL: whoever speaks first */
  gboolean single_stream; /* of several SSRCs one passes */
  GstClockTime stats_interval;
} GstRtcpAvpfSettings;

/* The pads send_rtp_sink and send_rtp_src, through which media of this end passes. */
typedef struct {
  GstPad *sinkpad, *srcpad; /* NULL: not requested */
  GstSegment segment;
  gboolean ended;       /* what is sent */
  guint clock_rate;     /* of caps; 0: unknown */
  GstClockTime latency; /* between running time and the wire */
  guint key_unit_count;
} GstRtcpAvpfMedia;

struct _GstRtcpAvpf {
  GstElement parent;

  GstPad *sinkpad, *srcpad, *rtcp_sinkpad, *rtcp_srcpad;
  GstClock *system_clock;

  GMutex lock;          /* all below; never held while pushing, posting or notifying */
  RtpParticipant *core; /* too large for an instance */
  GstRtcpAvpfSettings settings;
  RtpStreamInfo caps;    /* what arrives at sink */
  GstRateSenders relays; /* of what arrives */
  gboolean multicast;
  GstSegment segment;
  GstRtcpAvpfMedia media;

  GQueue outbox;
  GstClockID wait_id;
  GstClockTime wait_until;
  GstClockTime behind_since; /* what arrived waits in the socket, as this process was held up; NONE: no */
  GstClockTime stats_at;
  GstClockTime told_wait; /* as repair-wait was notified last */
  gboolean flushing, eos, receiving_ended, rtcp_started;
};

GST_ELEMENT_REGISTER_DECLARE (rtcpavpf);

G_END_DECLS
#endif
