/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What RTCP says of the media this end sends, and what is owed for it: reports, key units (RFC 4585 6.3.1, RFC 5104
   4.3.1), packets sent again (RFC 4588), limits (RFC 5104 4.2, REMB, PATH). One stream for each SSRC that sends. */
#ifndef RTPMEDIA_H
#define RTPMEDIA_H

#include "fircommands.h"
#include "keyanswer.h"
#include "resendlimit.h"
#include "rtcpccfb.h"
#include "rtcpfeedback.h"
#include "rtcpwriter.h"
#include "rtpevents.h"
#include "rtplocals.h"
#include "rtpmediareports.h"
#include "rtpreporters.h"
#include "tmmbrset.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a limit that lasts is obeyed. */
typedef enum {
  RTP_BELIEF_NONE,     /* its owner takes no part, so that nobody would notice that it has left */
  RTP_BELIEF_IF_SHOWN, /* where its owner has reported a number sent lately */
  RTP_BELIEF_FULL
} RtpMediaBelief;

typedef struct {
  uint64_t report_blocks, pli, fir, fir_repeated; /* repeated: under a number obeyed before */
  uint64_t nack, granted, refused;                /* packets asked for; of them those to be sent again, and the rest */
  uint64_t tfrc, path, remb, tmmbr, tmmbn;
} RtpMediaCounts;

/* One that asks for packets by an agreement (docs/repair.md) knows when an answer can be there. */
typedef struct {
  bool agreed;
  uint32_t receiver;
  CcDuration interval; /* between two requests for one packet, in place of a round trip */
} RtpMediaAsker;

/* How RTCP about one of our SSRCs is answered. */
typedef struct {
  uint32_t ssrc;
  bool in_use;
  bool resends;    /* carries packets sent again (RFC 4588): its rate and loss are not the flow's */
  uint16_t newest; /* number sent */
  RtpMediaAsker asker;
  ResendLimit resend;
  TmmbrSender tmmbr;
  CcTime rises_at; /* the limit, by itself, or it is time to tell of it; CC_TIME_NONE: not */
  CcTime told_at;  /* of the rate; CC_TIME_NONE: never */
  KeyAnswer key;
  RtpMediaReports reports;
  CcDuration round_trip;   /* the last one measured; 0: unknown */
  uint64_t packets_window; /* since window_at */
  CcTime window_at;
  double packet_rate; /* per s; 0: unknown */
  RtpMediaCounts counts;
} RtpMediaStream;

typedef struct {
  RtpLocals *locals; /* whose SSRCs these are: one that has left makes room */
  RtpEvents events;
  uint32_t clock_rate;   /* of the timestamps, Hz; 0: unknown */
  bool owes;             /* a TMMBN since the caller last looked: it clears this and asks for a turn */
  CcDuration round_trip; /* the host's, where it measures better than reports do; 0: it does not */
  FirCommands fir;
  RtpReporters reporters; /* who has shown that it receives */
  RtpMediaStream streams[RTP_LOCALS_MAX];
  RtpMediaCounts past; /* of streams whose places were taken */
  uint64_t elsewhere;  /* items about SSRCs that are none of ours */
  uint64_t unproven;   /* TMMBR not believed */
} RtpMedia;

void rtp_media_init (RtpMedia *m, RtpLocals *locals, const RtpEvents *events);
/* A packet of a local leaves; resends: it was sent before. */
void rtp_media_on_sent (RtpMedia *m, uint32_t ssrc, uint16_t seq, bool resends, CcTime now);
RtpMediaStream *rtp_media_find (RtpMedia *m, uint32_t ssrc);    /* NULL: nothing was sent with it */
void rtp_media_counts (const RtpMedia *m, RtpMediaCounts *sum); /* of all that were sent */
/* Whether ssrc is one of ours, and of the flow: none that carries packets sent again. Counted where it is not ours. */
bool rtp_media_is_flow (RtpMedia *m, uint32_t ssrc);
/* The same of what REMB names: one of ours will do. */
bool rtp_media_is_named (RtpMedia *m, const RtcpRemb *remb);
/* A local that has sent nothing yet is going to send packets again. */
void rtp_media_expect_resends (RtpMedia *m, uint32_t ssrc, CcTime now);
/* This end itself wants key units of all that it sends, as after a pause; asked for as for a FIR. False: it sends
   nothing yet. */
bool rtp_media_want_key_units (RtpMedia *m, CcTime now);

/* RTCP that arrived. sender: who says it; media, target: about whom. What is not about an SSRC of ours is ignored, and
   counted, so every item may be handed over. ntp_now: of now, on the clock of our SRs. True: of ours, and of the flow:
   whoever makes its rate is to know. */
bool rtp_media_on_report_block (
    RtpMedia *m, uint32_t sender, const RtcpReportBlock *block, uint64_t ntp_now, CcTime now);
bool rtp_media_on_remb (RtpMedia *m, uint32_t sender, const RtcpRemb *remb, CcTime now);
bool rtp_media_on_path (RtpMedia *m, uint32_t sender, uint32_t media, const RtcpPath *path, CcTime now);
bool rtp_media_on_tfrc (RtpMedia *m, uint32_t media);
bool rtp_media_on_ccfb (RtpMedia *m, const RtcpCcfbReader *report);
/* Its numbers are the transport's: any of ours will do, and none, as long as it names nobody else. */
bool rtp_media_on_twcc (RtpMedia *m, uint32_t media);
void rtp_media_on_pli (RtpMedia *m, uint32_t media, CcTime now);
void rtp_media_on_fir (RtpMedia *m, uint32_t sender, uint32_t target, uint8_t seq, CcTime now);
void rtp_media_on_nack (RtpMedia *m, uint32_t sender, uint32_t media, const uint16_t *seqs, unsigned n, CcTime now);
/* One entry, its ssrc being the target. */
void rtp_media_on_tmmbr (RtpMedia *m, uint32_t sender, const RtcpTmmb *entry, RtpMediaBelief belief, CcTime now);
/* What TMMBR lets the flow send, bytes/s with overhead_bytes of headers a packet; infinity: nobody limits. One rate for
   all its SSRCs: the lowest. */
double rtp_media_limit_Bps (const RtpMedia *m, unsigned overhead_bytes, CcTime now);
/* A packet of a participant came. */
void rtp_media_on_heard (RtpMedia *m, uint32_t ssrc, CcTime now);
/* TMMBR of those that were not heard for so long are void: of a large group not all are remembered as members. */
void rtp_media_remove_unheard (RtpMedia *m, CcDuration timeout, CcTime now);
/* A participant has said BYE or timed out: what it asked for is void. */
void rtp_media_on_gone (RtpMedia *m, uint32_t ssrc, CcTime now);
/* Another participant has taken the peer's place: what that one asked for and reported is void. */
void rtp_media_on_newcomer (RtpMedia *m, CcTime now);

/* RTCP to send: TMMBN owed by this SSRC; true where one was added. */
bool rtp_media_owes (RtpMedia *m, uint32_t ssrc);
bool rtp_media_add_owed (RtpMedia *m, RtcpWriter *rtcp, uint32_t ssrc, CcTime now);
/* A rise of the rate or a key unit that had to wait; CC_TIME_NONE: none. Pure. */
CcTime rtp_media_next_timeout (const RtpMedia *m);
void rtp_media_on_timeout (RtpMedia *m, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
