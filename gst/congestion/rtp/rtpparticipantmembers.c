/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who takes part has changed, or who of us: the turns and what is owed hear of it. */
#include "rtpparticipantprivate.h"

#define INTERVALS_OF_SILENCE 5 /* RFC 3550 6.3.5 */

void
rtp_participant_update_members (RtpParticipant *p, CcTime now)
{
  unsigned members = rtp_attendance_members (&p->attendance), senders = rtp_members_senders (&p->attendance.members);

  /* the stream of packets sent again is the peer's as well: it neither shares the bandwidth nor makes a group of two */
  members -= members > 1 && p->repair.agreed ? 1 : 0;
  senders -= senders > 1 && p->repair.agreed ? 1 : 0;
  p->attendance.changed = false;
  rtp_turns_set_members (&p->turns, members, senders, now);
}

void
rtp_participant_check_members (RtpParticipant *p, CcTime now)
{
  if (p->attendance.changed)
    rtp_participant_update_members (p, now);
}

void
rtp_participant_check_media (RtpParticipant *p, CcTime now)
{
  rtp_participant_wake_before (p, rtp_media_next_timeout (&p->media));
  if (!p->media.owes)
    return;
  p->media.owes = false;
  rtp_participant_request_feedback (p, now);
}

void
rtp_participant_on_gone (RtpParticipant *p, uint32_t ssrc, CcTime now)
{
  rtp_media_on_gone (&p->media, ssrc, now);
  rtp_participant_check_media (p, now);
}

uint32_t
rtp_participant_fresh_ssrc (RtpParticipant *p)
{
  uint32_t ssrc;

  do
    ssrc = rtp_participant_next_secret (p);
  while (rtp_sources_find (&p->sources, ssrc) != NULL || rtp_locals_find (&p->locals, ssrc) != NULL ||
         rtp_members_state (&p->attendance.members, ssrc) != RTP_MEMBER_STATE_FREE);
  return ssrc;
}

/* RFC 3550 8.2: it gets another name, or whoever chose it is told. */
static void
give_up (RtpParticipant *p, uint32_t ssrc, CcTime now)
{
  rtp_events_tell_ssrc (&p->params.events, RTP_EVENT_COLLISION, ssrc);
  if (rtp_locals_on_conflict (&p->locals, ssrc, rtp_participant_fresh_ssrc (p)))
    rtp_events_tell_ssrc (&p->params.events, RTP_EVENT_MEDIA_COLLISION, ssrc);
  rtp_participant_update_members (p, now);
  if (p->locals.n_leaving > 0)
    rtp_participant_request_feedback (p, now);
}

bool
rtp_participant_is_own (RtpParticipant *p, uint32_t ssrc, uint64_t host, SsrcCname cname, CcTime now)
{
  CcDuration interval = rtp_turns_member_timeout (&p->turns) / INTERVALS_OF_SILENCE;

  if (rtp_locals_find (&p->locals, ssrc) == NULL)
    return false;
  if (ssrc_conflict_on_packet (&p->attendance.conflict, host, cname, interval, now) != SSRC_CONFLICT_CHANGE)
    return true;
  give_up (p, ssrc, now);
  return false;
}
