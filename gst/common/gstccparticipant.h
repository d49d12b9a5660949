/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a participant (rtpparticipant.h) needs of GStreamer and GLib, and what it tells as the events that go upstream
   from there. */
#ifndef GST_CC_PARTICIPANT_H
#define GST_CC_PARTICIPANT_H

#include <gst/gst.h>

#include "rtpparticipant.h"

G_BEGIN_DECLS

/* memory, random and secrets are set here, the rest of params is the caller's. Times are of a monotonic clock. */
void gst_cc_participant_begin (
    RtpParticipant *p, const RtpParticipantParams *params, const RtpSettings *settings, CcTime now);

/* RTP_EVENT_KEY_UNIT: GstForceKeyUnit, with the SSRC. */
GstEvent *gst_cc_key_unit_event (const RtpEvent *event, guint count);
/* RTP_EVENT_RESEND, which rtprtxsend knows. seq: as upstream numbers it. */
GstEvent *gst_cc_resend_event (const RtpEvent *event, guint16 seq);
/* RTP_EVENT_MEDIA_COLLISION, which payloaders know. */
GstEvent *gst_cc_collision_event (const RtpEvent *event);

G_END_DECLS
#endif
