/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the host wants said: key units and packets that its decoder and its jitter buffer miss, feedback of its own. */
#include "rtpparticipantprivate.h"

/* What the source now has to ask for, and when it is to be looked at again. */
static void
follow (RtpParticipant *p, RtpSource *s, CcTime now)
{
  rtp_participant_check_source (p, s, now);
  rtp_participant_wake_before (p, rtp_source_next_timeout (s));
}

static RtpSource *
source_of (const RtpParticipant *p, bool has_ssrc, uint32_t ssrc)
{
  return has_ssrc ? rtp_sources_find (&p->sources, ssrc) : rtp_sources_main (&p->sources);
}

bool
rtp_participant_want_key_unit (RtpParticipant *p, bool has_ssrc, uint32_t ssrc, bool full, CcTime now)
{
  RtpSource *s;

  if (!rtp_participant_may_ask_for_key_units (p))
    return false;
  s = source_of (p, has_ssrc, ssrc);
  if (s == NULL)
    return true;
  key_request_want (&s->key, full);
  follow (p, s, now);
  return true;
}

bool
rtp_participant_want_packet (RtpParticipant *p, const RtpWantedPacket *w, CcTime now)
{
  RtpSource *s = source_of (p, w->has_ssrc, w->ssrc);

  if (s == NULL || !rtp_source_present (s) || !rtp_participant_miss_packet (p, s, w, now))
    return false;
  follow (p, s, now);
  return true;
}

static bool
kind_of (unsigned type, unsigned fmt, FbQueueKind *kind)
{
  if (type == RTCP_APP)
    *kind = FB_QUEUE_APP;
  else if (type == RTCP_PSFB && fmt == RTCP_FB_FMT_SLI)
    *kind = FB_QUEUE_SLI;
  else if (type == RTCP_PSFB && fmt == RTCP_FB_FMT_RPSI)
    *kind = FB_QUEUE_RPSI;
  else if (type == RTCP_PSFB && fmt == RTCP_FB_FMT_AFB)
    *kind = FB_QUEUE_AFB;
  else
    return false;
  return true;
}

bool
rtp_participant_queue_feedback (RtpParticipant *p, const RtpAppFeedback *fb, CcTime now)
{
  FbQueueKind kind;

  if (!kind_of (fb->type, fb->fmt, &kind) || !rtp_turns_run (&p->turns))
    return false;
  if (!fb_queue_push (
          &p->owed.queue, kind, (uint8_t)(fb->fmt & 0x1f), fb->media, fb->fci, (unsigned)fb->size, fb->max_delay, now))
    return false;
  rtp_turns_request (&p->turns, fb->max_delay, now);
  return true;
}

void
rtp_participant_withdraw_feedback (RtpParticipant *p, unsigned type, unsigned fmt, uint32_t media, CcTime now)
{
  FbQueueKind kind;

  if (!kind_of (type, fmt, &kind))
    return;
  fb_queue_withdraw (&p->owed.queue, kind, (uint8_t)(fmt & 0x1f), media);
  rtp_participant_settle (p, now);
}

bool
rtp_participant_tell_picture (RtpParticipant *p, const RtpAppFeedback *fb, CcTime now)
{
  RtpSource *s = rtp_sources_find (&p->sources, fb->media);

  if (s != NULL)
    s->tells_pictures = true;
  return rtp_participant_queue_feedback (p, fb, now);
}

bool
rtp_participant_request_report (RtpParticipant *p, CcTime max_delay, CcTime now)
{
  if (!rtp_turns_request (&p->turns, max_delay, now))
    return false;
  p->owed.report_wanted = true;
  return true;
}
