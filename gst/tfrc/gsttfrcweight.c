/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcweight.h"

#include "rtcpweight.h"

#define TELL_EVERY (CC_RECEIVER_WEIGHT_LIFE / 3)

void
gst_tfrc_weight_init (GstTfrcWeight *w)
{
  *w = (GstTfrcWeight){.told = 1};
}

static void
tell (GstTfrcSession *session, guint32 ssrc, double weight, CcTime now)
{
  guint8 fci[RTCP_WEIGHT_SIZE];
  const RtpAppFeedback message = {.type = RTCP_FB_PSFB,
      .fmt = RTCP_FB_FMT_AFB,
      .media = ssrc,
      .fci = fci,
      .size = rtcp_weight_write (fci, sizeof fci, weight),
      .max_delay = TELL_EVERY};

  rtp_participant_queue_feedback (session->core, &message, now);
}

void
gst_tfrc_weight_run (GstTfrcWeight *w, GstTfrcSession *session, double weight, CcTime now)
{
  const RtpMediaStream *streams = session->core->media.streams;
  gboolean sends = FALSE;
  guint i;

  if (weight == w->told && (weight == 1 || cc_time_since (now, w->told_at) < TELL_EVERY))
    return;
  for (i = 0; i < RTP_LOCALS_MAX; i++) {
    if (!streams[i].in_use || streams[i].resends)
      continue;
    tell (session, streams[i].ssrc, weight, now);
    sends = TRUE;
  }
  if (!sends)
    return;
  *w = (GstTfrcWeight){.told = weight, .told_at = now};
  gst_tfrc_session_wake (session);
}
