/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who takes part in a session and may be answered: the members (rtpmembers.h, whose table grows as they come), the peer
   where there is one (rtppeer.h), how much may be sent to whom (rtpanswers.h) and who has taken an SSRC of ours
   (ssrcconflict.h). docs/security.md says what each is for. */
#ifndef RTPATTENDANCE_H
#define RTPATTENDANCE_H

#include "ccmemory.h"
#include "ccrandom.h"
#include "rtpaddress.h"
#include "rtpanswers.h"
#include "rtpevents.h"
#include "rtplocals.h"
#include "rtpmembers.h"
#include "rtpnewcomers.h"
#include "rtppacket.h"
#include "rtppeer.h"
#include "ssrcconflict.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  RtpSessionKind kind;
  RtpAddress peer;      /* where it is known beforehand; port 0: only its host */
  uint32_t max_members; /* that are told apart; of more a sample is kept; default 65536 */
} RtpAttendanceParams;

typedef struct {
  uint32_t max_members;
  CcMemory memory;
  CcRandom secrets;
  RtpEvents events;
  uint64_t host_key[2]; /* rtp_address_host () */
  RtpAddress named;     /* the peer, by the user */
  RtpPeer peer;
  RtpAddress speaks_from; /* where the peer's RTCP comes from */
  RtpAnswers answers;
  RtpMembers members;
  void *members_memory;
  RtpNewcomers newcomers;
  CcTime expired_at;
  SsrcConflict conflict;
  bool changed; /* who takes part, or sends: the caller tells rtpturns.h and clears this */
} RtpAttendance;

/* secrets: chance that others cannot guess. False: no memory. */
bool rtp_attendance_init (RtpAttendance *a, const RtpAttendanceParams *params, const CcMemory *memory,
    const CcRandom *secrets, const RtpEvents *events, CcTime now);
void rtp_attendance_clear (RtpAttendance *a);

/* The user names another peer: the members of before are forgotten. */
void rtp_attendance_set_peer (RtpAttendance *a, const RtpAddress *peer, CcTime now);
/* The user has named the peer, and its port: nobody speaks in its name from elsewhere. */
static inline bool
rtp_attendance_is_named (const RtpAttendance *a)
{
  return a->named.family != RTP_ADDRESS_UNKNOWN && a->named.port != 0;
}
/* False: a stranger's, where the peer is named. */
bool rtp_attendance_may_be_peer (const RtpAttendance *a, const RtpAddress *from);
uint64_t rtp_attendance_host (const RtpAttendance *a, const RtpAddress *address);
/* An RTP packet: whether it is the peer's, or anybody's in a group. Where another participant takes the peer's place
   (RTP_EVENT_NEWCOMER) the members of before are forgotten. */
bool rtp_attendance_on_rtp (RtpAttendance *a, uint64_t host, const RtpPacket *packet, CcTime now);
/* Its sender, and in a group who contributed to it, as members; none of locals is. The address is its source's
   business. */
void rtp_attendance_count_rtp (RtpAttendance *a, RtpLocals *locals, const RtpPacket *packet, CcTime now);
/* Once an RTCP packet and SSRC. host 0: it is where its media comes from. named: with a CNAME. CANDIDATE: it is not to
   be obeyed yet, though in a group it may count already. */
RtpMemberVerdict rtp_attendance_on_rtcp (RtpAttendance *a, uint32_t ssrc, bool named, uint64_t host, CcTime now);
/* RTCP of a member: where there is no peer its host is the peer's. */
void rtp_attendance_on_member (RtpAttendance *a, const RtpAddress *from, CcTime now);
/* False: not believed. left: it was a member. */
bool rtp_attendance_on_bye (RtpAttendance *a, uint32_t ssrc, uint64_t host, CcTime now, bool *left);
/* Whether a packet of so many bytes may go there: to who takes part, and no more than what came from there allows. */
bool rtp_attendance_may_answer (RtpAttendance *a, const RtpAddress *address, unsigned bytes);
/* Others, as they count for the report interval. */
unsigned rtp_attendance_members (const RtpAttendance *a);
CcTime rtp_attendance_next_timeout (const RtpAttendance *a); /* pure */
/* One that is silent for too long, until false. */
bool rtp_attendance_expire (
    RtpAttendance *a, CcDuration member_timeout, CcDuration sender_timeout, CcTime now, uint32_t *gone);

#ifdef __cplusplus
}
#endif
#endif
