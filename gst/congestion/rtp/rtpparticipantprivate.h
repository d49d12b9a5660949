/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of rtpparticipant.c, each of which uses those below it:

     rtpparticipant            the life: settings, turns, the end
     receive, rtcp, wishes     what arrives; what the host wants
     packet                    how it is said
     feedback                  what there is to say
     nack                      packets asked for again
     repair                    packets sent again
     fec                       redundancy
     members                   who takes part */
#ifndef RTPPARTICIPANTPRIVATE_H
#define RTPPARTICIPANTPRIVATE_H

#include "rtpparticipant.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RTP_SENT_HASHES (sizeof ((RtpParticipant *)0)->sent_hashes / sizeof (uint64_t))

/* rtpparticipant.c */
static inline void
rtp_participant_wake_before (RtpParticipant *p, CcTime when)
{
  p->wake_at = cc_time_min (p->wake_at, when);
}
/* A turn is asked for, of what is as new as ever when it is late. */
static inline void
rtp_participant_request_feedback (RtpParticipant *p, CcTime now)
{
  rtp_turns_request (&p->turns, CC_TIME_NONE, now);
}
/* What waits for a turn may need none any more: another has said it, or it is not worth saying. */
void rtp_participant_settle (RtpParticipant *p, CcTime now);
uint64_t rtp_participant_hash (const uint8_t *data, size_t size);

/* rtpparticipantmembers.c */
static inline uint32_t
rtp_participant_next_secret (const RtpParticipant *p)
{
  return p->params.secrets.next (p->params.secrets.user);
}
/* Who takes part or who of us sends has changed. */
void rtp_participant_update_members (RtpParticipant *p, CcTime now);
/* The same where a packet has. */
void rtp_participant_check_members (RtpParticipant *p, CcTime now);
/* What we send may be owed an answer, or a rate is to be told. */
void rtp_participant_check_media (RtpParticipant *p, CcTime now);
/* A member is there no more. */
void rtp_participant_on_gone (RtpParticipant *p, uint32_t ssrc, CcTime now);
/* A packet of somebody else with an SSRC of ours: true where it is to be ignored. */
bool rtp_participant_is_own (RtpParticipant *p, uint32_t ssrc, uint64_t host, SsrcCname cname, CcTime now);
/* Nobody's yet. */
uint32_t rtp_participant_fresh_ssrc (RtpParticipant *p);

/* rtpparticipantreceive.c. The source of that SSRC, a new one where there is none; NULL where there is no room. */
RtpSource *rtp_participant_source_of (RtpParticipant *p, uint32_t ssrc, const RtpAddress *address, CcTime now);

/* rtpparticipantfeedback.c */
static inline bool
rtp_participant_may_send (const RtpParticipant *p, RtpFeedback flag)
{
  return (p->settings.feedback & flag) != 0;
}
static inline bool
rtp_participant_may_ask_for_key_units (const RtpParticipant *p)
{
  return rtp_participant_may_send (p, RTP_FEEDBACK_PLI) || rtp_participant_may_send (p, RTP_FEEDBACK_FIR);
}
/* Whether the loss of a packet is a reason to ask. */
static inline bool
rtp_participant_auto_pli_for (const RtpParticipant *p, const RtpSource *source)
{
  return p->settings.auto_pli && p->stream.is_video && p->stream.codec != RTP_CODEC_INTRA && !source->retransmits &&
         !source->tells_pictures;
}
void rtp_participant_owed_init (RtpParticipant *p);
void rtp_participant_apply_feedback (RtpParticipant *p);
/* For an event that is due: asks for a turn and notes in *t0 that it did, unless that was noted before. */
void rtp_participant_request_once (RtpParticipant *p, CcTime *t0, CcTime now);
void rtp_participant_check_source (RtpParticipant *p, RtpSource *source, CcTime now);
void rtp_participant_request_flow_report (RtpParticipant *p, CcTime now);
void rtp_participant_note_explicit_rate (
    RtpParticipant *p, RtpSource *source, const ErfExtension *value, uint32_t seq, CcTime now);
/* What is told of a rate in bit/s, as much as 64 bits can: explicit rates come from the network. */
static inline uint64_t
rtp_participant_bps (double Bps)
{
  double bps = 8 * Bps;

  return bps > 0 ? bps < 0x1p64 ? (uint64_t)bps : UINT64_MAX : 0;
}
/* The lower of path rate and explicit rate, bytes/s with headers; 0: neither is known. */
double rtp_participant_allowed_rate (const RtpSource *source, CcTime now);
void rtp_participant_check_feedback (RtpParticipant *p, CcTime now);
CcTime rtp_participant_feedback_next (const RtpParticipant *p, CcTime now); /* later than now */
void rtp_participant_on_key_unit (RtpParticipant *p, RtpSource *source, uint32_t seq);
bool rtp_participant_asks_by_fir (const RtpParticipant *p, const RtpSource *source);
/* Drops what others have said. */
void rtp_participant_settle_feedback (RtpParticipant *p, CcTime now);
bool rtp_participant_has_feedback (RtpParticipant *p, CcTime now);
void rtp_participant_note_arrival (
    RtpParticipant *p, RtpSource *source, uint16_t seq, ArrivalEcn ecn, CcTime arrived_at);
void rtp_participant_note_transport_arrival (RtpParticipant *p, uint16_t number, CcTime arrived_at);
CcTime rtp_participant_packet_report_due_at (const RtpParticipant *p); /* CC_TIME_NONE: nothing new */

/* rtpparticipantnack.c: packets asked for again. */
void rtp_participant_note_packet (RtpParticipant *p, RtpSource *source, uint16_t seq, CcTime now);
/* osn: the number that a retransmission has restored. True: it was missed. */
bool rtp_participant_note_restored (RtpParticipant *p, const RtpSource *from, uint16_t osn, CcTime now);
/* Whether lost packets are asked for again before a key unit is. */
bool rtp_participant_mends_by_nack (const RtpParticipant *p, const RtpSource *source);
void rtp_participant_check_nack (RtpParticipant *p, RtpSource *source, CcTime now);
void rtp_participant_on_others_nack (RtpParticipant *p, uint32_t media, const uint16_t *seqs, unsigned n, CcTime now);
/* The host misses a packet of the source, which is present. False: nothing is asked for. */
bool rtp_participant_miss_packet (RtpParticipant *p, RtpSource *source, const RtpWantedPacket *wanted, CcTime now);
void rtp_participant_settle_nack (RtpParticipant *p, RtpSource *source, CcTime now);

/* rtpparticipantrepair.c: lost packets sent again as agreed on in band. */
void rtp_participant_repair_init (RtpParticipant *p);
void rtp_participant_apply_repair (RtpParticipant *p);
void rtp_participant_repair_on_packet (RtpParticipant *p, RtpSource *source, const RtpPacket *packet, CcTime now);
/* An SSRC of the peer speaks, in RTP or RTCP; says BYE. */
void rtp_participant_on_repair_heard (RtpParticipant *p, uint32_t ssrc, CcTime now);
void rtp_participant_on_repair_bye (RtpParticipant *p, uint32_t ssrc);
/* REPR where it is time to (again); false: not, or no room. */
bool rtp_participant_add_repair_offer (RtpParticipant *p, RtcpWriter *rtcp, uint32_t sender, CcTime now);
/* What the requests of a source came to: in front of what is told to source->nack. */
void rtp_participant_repair_on_restored (
    RtpParticipant *p, const RtpSource *source, const NackMissing *missing, CcTime now);
void rtp_participant_repair_on_asked (
    RtpParticipant *p, const RtpSource *source, const uint16_t *seqs, unsigned n, CcTime now);
/* Whether early packets are for requests, and reports of flows wait for the regular ones, which come all the time. */
bool rtp_participant_repair_comes_first (const RtpParticipant *p);

/* rtpparticipantfec.c: redundancy, as agreed on in band. */
void rtp_participant_fec_init (RtpParticipant *p); /* also anew: another stream */
void rtp_participant_fec_clear (RtpParticipant *p);
bool rtp_participant_fec_carries (const RtpParticipant *p, uint32_t ssrc, uint8_t payload_type);
void rtp_participant_fec_on_packet (RtpParticipant *p, const RtpSource *source, const RtpPacket *packet, CcTime now);
/* Of the stream that carries them. */
void rtp_participant_on_sum (RtpParticipant *p, const RtpPacket *packet, CcTime now);
/* A packet was sent again: as it was. */
void rtp_participant_fec_on_restored (RtpParticipant *p, const uint8_t *packet, size_t size);
/* REPR where it is time to (again); false: not, or no room. */
bool rtp_participant_add_fec_request (RtpParticipant *p, RtcpWriter *rtcp, uint32_t sender, CcTime now);

/* rtpparticipantpacket.c: packets to send; the size. */
typedef struct {
  unsigned first, chosen; /* indices of the locals: who gives feedback; a bit each for those that report */
  bool regular, full;     /* full: not only the name of SDES */
  bool reduced;           /* leave SR, RR and SDES out where there is feedback (RFC 5506) */
} RtpPlan;
size_t rtp_participant_build (RtpParticipant *p, const RtpPlan *plan, uint8_t packet[RTCP_MTU], CcTime now);
/* For all of ours that others know; 0: none. */
size_t rtp_participant_build_bye (RtpParticipant *p, uint8_t packet[RTCP_MTU], CcTime now);
unsigned rtp_participant_report_size (const RtpParticipant *p);

#ifdef __cplusplus
}
#endif
#endif
