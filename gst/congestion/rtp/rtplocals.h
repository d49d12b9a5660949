/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The SSRCs of this end. Where it sends no media it has one, which only reports; the first media SSRC takes that one's
   place, further ones join it (several streams, retransmissions). What RFC 3550 6.4.1 says of them, and whether each
   counts as a sender. Its timing stands here but is run by the scheduler. */
#ifndef RTPLOCALS_H
#define RTPLOCALS_H

#include "avpftiming.h"
#include "rtcppackets.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RTP_LOCALS_MAX 8

typedef struct {
  uint32_t ssrc;
  bool media;   /* RTP of it has been sent */
  bool we_sent; /* and lately (RFC 3550 6.3.8): it gets an SR */
  bool known;   /* RTP or RTCP of it has left, so a BYE is owed (RFC 3550 6.3.7) */

  AvpfTiming timing; /* the scheduler's, where timing_runs */
  bool timing_runs;

  uint32_t packet_count, octet_count; /* modulo 2^32; payload octets */
  uint32_t clock_rate, rtp_time;      /* 0: unknown, SR then says the last packet's time; of the last packet */
  CcTime rtp_time_at;                 /* when rtp_time is or was due on the wire */
  CcTime last_rtp;                    /* CC_TIME_NONE: never */
} RtpLocal;

typedef struct {
  RtpLocal locals[RTP_LOCALS_MAX];  /* places change where one leaves */
  unsigned n;                       /* >= 1 */
  uint32_t leaving[RTP_LOCALS_MAX]; /* SSRCs given up whose BYE is to be sent */
  unsigned n_leaving;
  uint64_t conflicts, refused; /* media SSRCs that found no room */
} RtpLocals;

/* What one RTP packet says; clock_rate 0: unknown. due_at: when it is to leave. */
typedef struct {
  uint32_t ssrc, rtp_time, payload_bytes, clock_rate;
  CcTime due_at;
} RtpLocalPacket;

/* One SSRC that reports. */
void rtp_locals_init (RtpLocals *table, uint32_t ssrc);
RtpLocal *rtp_locals_find (RtpLocals *table, uint32_t ssrc); /* NULL: none of ours */

/* A packet leaves. Its SSRC becomes ours: in place of one that only reports, else beside the others; where there is no
 * room in place of the longest silent that is no sender any more. NULL, and counted, where all are senders. changed:
 * whether an SSRC or a sender is new, so that the timing must be told. */
RtpLocal *rtp_locals_on_rtp (RtpLocals *table, const RtpLocalPacket *packet, CcTime now, bool *changed);

/* One that is going to send media: it reports until then. NULL, and counted, where there is no room. */
RtpLocal *rtp_locals_add (RtpLocals *table, uint32_t ssrc);

/* RFC 3550 6.3.8: those that sent nothing for 2 T (T with its minimum of 5 s) are senders no more. Returns how many. */
unsigned rtp_locals_expire (RtpLocals *table, CcTime now);
unsigned rtp_locals_senders (const RtpLocals *table);
bool rtp_locals_have_sent (const RtpLocals *table); /* media, lately or not */

/* One leaves: its BYE is noted in `leaving` if it is known to others. The last one's place is taken by one that only
 * reports, with the SSRC `fresh`. */
void rtp_locals_remove (RtpLocals *table, uint32_t ssrc, uint32_t fresh);
/* All that have sent media leave (end of the stream). */
void rtp_locals_remove_media (RtpLocals *table, uint32_t fresh);
/* RFC 3550 8.2: somebody else has it. A reporting one goes on as `fresh`; a media one leaves and, as its SSRC is the
 * payloader's choice, true is returned: the payloader must be told. */
bool rtp_locals_on_conflict (RtpLocals *table, uint32_t ssrc, uint32_t fresh);

/* RFC 3550 6.4.1; ntp_time is that of now. */
void rtp_local_sender_info (const RtpLocal *local, uint64_t ntp_time, CcTime now, RtcpSenderInfo *info);

#ifdef __cplusplus
}
#endif
#endif
