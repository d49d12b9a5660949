/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who the other end of a unicast session is, where packets carry no proof of their origin (docs/security.md). The first
   source that sends in sequence is the peer, and its host alone is listened to. Another host takes its place where it
   goes on with the same stream (a translator chose another address: RFC 4787 4), or once the peer has been silent. In a
   group everybody takes part and nobody is latched. */
#ifndef RTPPEER_H
#define RTPPEER_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RTP_PEER_MAX_AHEAD 3000 /* RFC 3550 A.1, MAX_DROPOUT: how far on a stream may be that has moved */
#define RTP_PEER_SEQUENTIAL 2   /* packets in sequence, RFC 3550 A.1, MIN_SEQUENTIAL */
#define RTP_PEER_CANDIDATES 8   /* hosts that may be about to prove themselves */
#define RTP_PEER_SSRCS 8        /* of one host that count and have places: one for each stream an end of ours has */

typedef enum {
  RTP_SESSION_UNICAST,
  RTP_SESSION_GROUP /* multicast, or a relay that sends to all */
} RtpSessionKind;

typedef enum {
  RTP_PEER_NOBODY, /* not heard yet */
  RTP_PEER_BY_RTCP,
  RTP_PEER_BY_RTP,
  RTP_PEER_FIXED /* the user named its address */
} RtpPeerState;

typedef struct {
  RtpSessionKind kind;
  RtpPeerState state;
  uint64_t address; /* of the peer's host, as in rtpmembers.h; never 0 while there is a peer */
  CcTime latched_at, heard_at;
  struct {
    uint32_t ssrc;
    uint16_t newest; /* the last sequence number */
    CcTime at;
  } streams[RTP_PEER_SSRCS]; /* of the peer; of more the longest silent gives way */
  unsigned n_streams;
  struct {
    uint64_t address;
    uint32_t ssrc;
    uint16_t next;
    unsigned run; /* packets in sequence */
    CcTime at;
  } candidates[RTP_PEER_CANDIDATES]; /* one a host; of more the longest silent gives way */
  unsigned n_candidates;
  bool has_stream;
  uint32_t stream; /* the SSRC that is played where only one is */
  CcTime stream_at;
  CcDuration stream_gap; /* the longest between two of its packets, lately */
  uint64_t strangers;    /* packets refused */
  uint64_t moves;        /* changes of the peer's host */
  uint64_t newcomers;    /* of them, those of another participant: what is known of the one before is void */
} RtpPeer;

/* fixed: the peer's host if it is known beforehand, else 0. */
void rtp_peer_init (RtpPeer *p, RtpSessionKind kind, uint64_t fixed);
/* The session turns out to be of another kind; whoever is latched stays. */
void rtp_peer_set_kind (RtpPeer *p, RtpSessionKind kind);
/* An RTP packet. Whether the rest of the participant may look at it: of the peer, of a candidate while there is no
   peer, of anybody in a group. address 0: unknown, and not told from the peer's. */
bool rtp_peer_on_rtp (RtpPeer *p, uint64_t address, uint32_t ssrc, uint16_t seq, CcTime now);
/* The same of an RTCP packet. */
bool rtp_peer_on_rtcp (RtpPeer *p, uint64_t address, CcTime now);
/* A member has proved itself by RTCP (rtpmembers.h): where there is no peer it is one. */
void rtp_peer_on_member (RtpPeer *p, uint64_t address, CcTime now);
/* Whether what is sent may go there. */
bool rtp_peer_is (const RtpPeer *p, uint64_t address);
/* As many others as may count for the report interval, of `members` that were heard. */
unsigned rtp_peer_members (const RtpPeer *p, unsigned members);
/* Of a packet that has proved itself, where one stream is played: whether it is of that one. Another SSRC's turn comes
   when that has been silent. */
bool rtp_peer_is_stream (RtpPeer *p, uint32_t ssrc, CcTime now);
/* It said BYE. */
void rtp_peer_end_stream (RtpPeer *p, uint32_t ssrc);

#ifdef __cplusplus
}
#endif
#endif
