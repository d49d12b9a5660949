/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP (rtcpwriter.h, rtcpwalk.h) where there are GStreamer's buffers, a wall clock and chance. */
#ifndef GST_CC_RTCP_H
#define GST_CC_RTCP_H

#include <gst/gst.h>

#include "rtcpwalk.h"
#include "rtcpwriter.h"

G_BEGIN_DECLS

/* A buffer that the writer fills, of `capacity` bytes; close cuts it to what was written. */
GstBuffer *gst_cc_rtcp_open (RtcpWriter *writer, gsize capacity);
void gst_cc_rtcp_close (RtcpWriter *writer, GstBuffer *buffer);

/* A per-session canonical name (RFC 7022 4.2): 96 random bits in base64. Free with g_free (). */
gchar *gst_cc_rtcp_new_cname (void);

/* Wall clock time in us since 1970 (g_get_real_time ()) to NTP 32.32. */
guint64 gst_cc_rtcp_ntp_time (gint64 real_time_us);

/* The same now: the wall clock when this was first asked for, and the monotonic clock since, so that a step of the wall
   clock is no round trip (RFC 3550 6.4.1 asks no more of SRs than that their times go on evenly). */
guint64 gst_cc_rtcp_ntp_now (void);

G_END_DECLS
#endif
