/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A participant of an RTP session, whole but for sockets, buffers and clocks: RTP and RTCP go in as bytes, RTCP comes
   out as bytes when RFC 3550 and RFC 4585 let it leave, and what the host has to do is told as events (rtpevents.h).

     RTP  ──▶ rtp_participant_on_rtp ()  ─┬─▶ who takes part      rtpattendance
     RTCP ──▶ rtp_participant_on_rtcp () ─┼─▶ what is received    rtpsources      ─┐
     sent ──▶ rtp_participant_on_sent () ─┴─▶ what is sent        rtpmedia         ├─▶ what is to be told, rtpowed
                                                                                   │
     rtp_participant_run () ◀── when RTCP may leave, rtpturns ◀────────────────────┘

   One object, one caller at a time. Wake-ups: rtp_participant_next_timeout (), and `wake_at`, which an entry point sets
   where something became due earlier than was known. */
#ifndef RTPPARTICIPANT_H
#define RTPPARTICIPANT_H

#include "fbqueue.h"
#include "fbretention.h"
#include "rtcpwalk.h"
#include "rtcpwriter.h"
#include "rtpattendance.h"
#include "rtpfec.h"
#include "rtpkeyunit.h"
#include "rtpmedia.h"
#include "rtprepair.h"
#include "rtpsources.h"
#include "rtpturns.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What may be sent besides reports. */
typedef enum {
  RTP_FEEDBACK_TFRC = 1 << 0,
  RTP_FEEDBACK_REMB = 1 << 1,
  RTP_FEEDBACK_PATH = 1 << 2,
  RTP_FEEDBACK_NACK = 1 << 3,
  RTP_FEEDBACK_PLI = 1 << 4,
  RTP_FEEDBACK_FIR = 1 << 5,
  RTP_FEEDBACK_TWCC = 1 << 6,
  RTP_FEEDBACK_CCFB = 1 << 7,
  RTP_FEEDBACK_TMMBR = 1 << 8
} RtpFeedback;

#define RTP_SDES_ITEMS 6 /* besides CNAME: NAME to NOTE */
#define RTP_PAYLOAD_TYPES 128
#define RTP_MAX_CNAME 255

/* What a user sets; rtp_participant_apply () after a change. */
typedef struct {
  RtpTurnsParams turns;
  RtpAttendanceParams attendance;
  CcDuration max_feedback_delay; /* T_max_fb_delay; CC_TIME_NONE: feedback is never too late */
  bool reduced_size;             /* RFC 5506 */
  char cname[RTP_MAX_CNAME + 1];
  const char *sdes[RTP_SDES_ITEMS]; /* NAME to NOTE, the host's; NULL: not told */

  unsigned feedback; /* RtpFeedback */
  bool auto_pli, auto_nack;
  CcDuration pli_interval, nack_latency;
  CcDuration nack_interval;                /* at least, between requests for one packet, ours and others'; 0: 20 ms */
  bool repair;                             /* what is lost comes after all, where the sender agrees: */
  bool repair_rtx, repair_fec;             /* sent again, rtprepair.h, default true; by redundancy, rtpfec.h */
  CcDuration repair_latency;               /* the longest that is waited for them; nack_latency: the shortest */
  bool retransmissions[RTP_PAYLOAD_TYPES]; /* payload types of RFC 4588 */
  uint64_t tmmbr_bps;                      /* 0: the path rate */
  bool single_stream;                      /* of several SSRCs one passes */
  bool multicast;                          /* RTCP goes to the group, not to who is heard */
  /* bytes on the wire, beside UDP and IP, that the host takes off and puts on (SRTP's tags) */
  unsigned rtp_overhead_bytes, rtcp_overhead_bytes;
} RtpSettings;

/* What is known of the stream that is received. Ids of header extensions: 0: none. */
typedef struct {
  uint32_t clock_rate; /* Hz; 0: unknown */
  bool is_video;
  RtpCodec codec;
  unsigned stamp_id; /* of the send time; 0: it is looked for */
  unsigned twcc_id, rate_id;
} RtpStreamInfo;

/* What there is to say besides reports, and whose turn it is to be told about. */
typedef struct {
  FbRetention retention;
  FbQueue queue;
  ArrivalHistory *twcc; /* NULL: no transport-wide numbers have come */
  uint8_t twcc_count;
  CcTime packet_report_at; /* the last one */
  bool packet_report_told, report_wanted;
  unsigned blocks_from, sdes_turn;
} RtpOwed;

/* The end of this participant (RFC 3550 6.3.7). */
typedef struct {
  bool begun, said;
  uint8_t bye[RTCP_MTU];
  size_t size; /* 0: there is none */
  CcTime until;
} RtpLeaving;

typedef struct {
  uint64_t packets, bad_packets, unproven, bad_rtcp, rtcp_received, rtcp_sent, rtcp_bytes_sent;
  uint64_t looped; /* packets of ours that came back, and of those that have another's SSRC */
} RtpParticipantStats;

typedef struct {
  CcMemory memory;
  CcRandom random;      /* for the timing */
  CcRandom secrets;     /* that others cannot guess: SSRCs, keys */
  uint64_t ntp_at_zero; /* NTP time, 32.32, of CcTime 0 */
  RtpEvents events;
  /* Whoever makes the rate of what is sent: report_block, tfrc, remb, path, ccfb and twcc about it, of those who are
     believed, during rtp_participant_on_rtcp (). NULL: nobody. */
  const RtcpHandlers *rate_maker;
  void *rate_maker_user;
} RtpParticipantParams;

typedef struct {
  RtpParticipantParams params;
  RtpSettings settings;
  RtpStreamInfo stream;
  unsigned found_stamp_id;
  RtpLocals locals;
  RtpTurns turns;
  RtpAttendance attendance;
  RtpSources sources;
  RtpMedia media;
  RtpOwed owed;
  RtpRepair repair;
  RtpFec fec;
  RtpLeaving leaving;
  uint64_t sent_hashes[4]; /* of the last packets sent */
  CcTime housekept_at;
  uint64_t received_bytes, housekept_requests; /* received_bytes: since then, with headers */
  double requests_per_s;
  RtpParticipantStats stats;
  CcTime wake_at; /* CC_TIME_NONE: nothing became due earlier than was known; the host clears it */
} RtpParticipant;

/* A packet to send: to these addresses; where there are none, and it is not withheld, where the host knows. */
typedef struct {
  uint8_t bytes[RTCP_MTU];
  size_t size; /* 0: none */
  RtpAddress addresses[RTP_SOURCES_MAX];
  unsigned n_addresses;
  bool withheld; /* where it would go nothing, or too little, has come from */
} RtpOutgoing;

void rtp_settings_init (RtpSettings *settings);
/* False: no memory. */
bool rtp_participant_init (
    RtpParticipant *p, const RtpParticipantParams *params, const RtpSettings *settings, CcTime now);
void rtp_participant_clear (RtpParticipant *p);
/* p->settings have changed: timing, what is asked for. */
void rtp_participant_apply (RtpParticipant *p);
/* Caps: all that is received is of this kind from now on. */
void rtp_participant_set_stream (RtpParticipant *p, const RtpStreamInfo *stream);
/* Whether the session is a group. */
void rtp_participant_set_kind (RtpParticipant *p, RtpSessionKind kind);
/* The user names another peer: nobody of before counts. */
void rtp_participant_set_peer (RtpParticipant *p, const RtpAddress *peer, CcTime now);
uint64_t rtp_participant_ntp (const RtpParticipant *p, CcTime now);

/* An RTP packet came, arrived_at (<= now) at the socket. True: it is to be played. */
bool rtp_participant_on_rtp (
    RtpParticipant *p, const RtpPacket *packet, const RtpAddress *from, ArrivalEcn ecn, CcTime arrived_at, CcTime now);
/* False: ignored, being no RTCP, our own come back, or a stranger's. */
bool rtp_participant_on_rtcp (
    RtpParticipant *p, const uint8_t *data, size_t size, const RtpAddress *from, CcTime arrived_at, CcTime now);
/* RTP of ours leaves at due_at; resends: it was sent before. */
void rtp_participant_on_sent (
    RtpParticipant *p, const RtpPacket *packet, uint32_t clock_rate, bool resends, CcTime due_at, CcTime now);
/* An SSRC of ours is about to send packets again, and shows itself in RTCP before the first. */
void rtp_participant_announce_resends (RtpParticipant *p, uint32_t ssrc, CcTime now);
/* One of ours sends no more: it says BYE. */
void rtp_participant_end_stream (RtpParticipant *p, uint32_t ssrc, CcTime now);
/* A packet that was let through and brings a lost one: that one, into out, which has room for packet->size. data: the
   bytes that were parsed. 0: it is what it is. */
size_t rtp_participant_restore (RtpParticipant *p, const RtpPacket *packet, const uint8_t *data, uint8_t *out);
/* After each packet, until it returns 0: one that was lost and that redundancy has made known, whole, into out. 0 also
   where out has no room. */
size_t rtp_participant_take_mended (RtpParticipant *p, uint8_t *out, size_t capacity, CcTime now);
/* How long whoever puts packets in order is to wait for one. */
CcDuration rtp_participant_repair_wait (const RtpParticipant *p);
/* No more media of ours comes. */
void rtp_participant_end_media (RtpParticipant *p, CcTime now);

/* The decoder wants a key unit of ssrc, or of the main source where has_ssrc is false. False: nothing is sent for it.
 */
bool rtp_participant_want_key_unit (RtpParticipant *p, bool has_ssrc, uint32_t ssrc, bool full, CcTime now);
/* Who sends what comes of that source on, as it is, may send so many bytes/s of RTP payload: its sender is told as by a
   router. To be said again some times a second (explicitrate.h). False: no such source. */
bool rtp_participant_on_relay (RtpParticipant *p, uint32_t ssrc, double payload_Bps, CcTime now);
/* The jitter buffer wants a packet, as long as it comes before the deadline; rtt: it measured, 0: unknown. */
typedef struct {
  bool has_ssrc;
  uint32_t ssrc;
  uint16_t seq;
  CcTime deadline; /* CC_TIME_NONE: whenever */
  CcDuration rtt;
} RtpWantedPacket;
bool rtp_participant_want_packet (RtpParticipant *p, const RtpWantedPacket *wanted, CcTime now);

/* Feedback of the application: PSFB (SLI, RPSI, AFB) or APP. False: of another kind, too late, or nobody is there. */
typedef struct {
  unsigned type, fmt; /* APP: the subtype */
  uint32_t media;
  const uint8_t *fci; /* APP: name and data */
  size_t size;
  CcDuration max_delay;
} RtpAppFeedback;
bool rtp_participant_queue_feedback (RtpParticipant *p, const RtpAppFeedback *fb, CcTime now);
/* What waits of that kind about that source need not be said any more. */
void rtp_participant_withdraw_feedback (RtpParticipant *p, unsigned type, unsigned fmt, uint32_t media, CcTime now);
/* The same for an RPSI or SLI of a picture: from now on no key unit is asked for of its source but on the decoder's
   wish. */
bool rtp_participant_tell_picture (RtpParticipant *p, const RtpAppFeedback *fb, CcTime now);
bool rtp_participant_request_report (RtpParticipant *p, CcDuration max_delay, CcTime now);

/* What has become due, and a packet at most. */
void rtp_participant_run (RtpParticipant *p, CcTime now, RtpOutgoing *out);
CcTime rtp_participant_next_timeout (const RtpParticipant *p, CcTime now); /* pure; later than now */

/* This end leaves: NOW: rtp_participant_take_bye () has the packet. BACKED_OFF: it has to wait. */
AvpfLeave rtp_participant_leave (RtpParticipant *p, CcTime now);
void rtp_participant_take_bye (RtpParticipant *p, RtpOutgoing *out);
/* Instead of run () once this end is to leave; true: it has. */
bool rtp_participant_run_leave (RtpParticipant *p, CcTime now, RtpOutgoing *out);
CcTime rtp_participant_leave_next (const RtpParticipant *p, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
