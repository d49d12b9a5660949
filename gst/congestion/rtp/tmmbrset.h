/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose limit holds: the bounding set of TMMBR (RFC 5104 3.5.4). A tuple (MxTBR B bit/s, overhead OH bytes) allows a
   net rate of B - 8 OH PR at a packet rate of PR; the bounding set holds the tuples that are the lowest at some PR. */
#ifndef TMMBRSET_H
#define TMMBRSET_H

#include "cctime.h"
#include "rtcptmmb.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMMBR_SET_TUPLES 64 /* requests kept of one media sender; beyond, those that do not limit make room */

/* RFC 5104 3.5.4.2. smaxpr: highest packet rate in use, per s; 0: unbounded. set: room for n tuples, in the order in
   which they limit as the packet rate rises. Returns how many. Of equal tuples the first stays. n at most
   2 TMMBR_SET_TUPLES. */
unsigned tmmbr_bounding_set (const RtcpTmmb *tuples, unsigned n, double smaxpr, RtcpTmmb *set);
/* The net rate (RTP payload, bit/s) the tuples allow at a packet rate, >= 0; infinity where n is 0. */
double tmmbr_net_rate (const RtcpTmmb *tuples, unsigned n, double packet_rate);

/* The media sender: collects what was asked of one of its SSRCs and says what it owes. A limit that falls holds at
   once, one that rises 2 R + T_dither_max after the TMMBN that tells (RFC 5104 4.2.1.2). */
typedef struct {
  RtcpTmmb tuples[TMMBR_SET_TUPLES]; /* ssrc: who asked */
  CcTime heard_at[TMMBR_SET_TUPLES]; /* of who asked for the tuple of that place */
  unsigned n_tuples;
  RtcpTmmb set[TMMBR_SET_TUPLES];
  unsigned n_set;
  RtcpTmmb held[TMMBR_SET_TUPLES]; /* what limited before, in force until rise_at */
  unsigned n_held;
  CcTime rise_at;             /* CC_TIME_NONE: not before the TMMBN has left */
  bool owes_tmmbn;            /* cleared by tmmbr_sender_notification () */
  uint64_t requests, dropped; /* dropped: no room */
} TmmbrSender;

void tmmbr_sender_init (TmmbrSender *s);
/* A TMMBR entry for our SSRC came from owner. A TMMBN is owed, whether it changes the set or not. */
void tmmbr_sender_on_request (
    TmmbrSender *s, uint32_t owner, uint64_t bitrate_bps, uint16_t overhead_bytes, CcTime now);
/* A packet of ssrc came, whether it owns a tuple or not. */
void tmmbr_sender_on_heard (TmmbrSender *s, uint32_t ssrc, CcTime now);
/* The owner said BYE or timed out. Returns whether the set changed, so that a TMMBN is owed. */
bool tmmbr_sender_remove (TmmbrSender *s, uint32_t owner, CcTime now);
/* Those have that were not heard for so long. */
bool tmmbr_sender_remove_unheard (TmmbrSender *s, CcDuration timeout, CcTime now);
/* All have. */
bool tmmbr_sender_remove_all (TmmbrSender *s, CcTime now);
/* The TMMBN that leaves now: its entries (room for TMMBR_SET_TUPLES), 0 for an empty one. R: round-trip time. */
unsigned tmmbr_sender_notification (
    TmmbrSender *s, CcDuration R, CcDuration T_dither_max, CcTime now, RtcpTmmb *entries);
/* What may be sent now, bit/s with `overhead_bytes` of headers per packet counted, at a packet rate per s; infinity
   where nobody limits. */
double tmmbr_sender_limit (const TmmbrSender *s, double packet_rate, unsigned overhead_bytes, CcTime now);
/* When the limit rises by itself, CC_TIME_NONE: not. Pure. */
CcTime tmmbr_sender_next_timeout (const TmmbrSender *s, CcTime now);

/* The media receiver: may it ask? One for each media sender. */
typedef struct {
  RtcpTmmb set[TMMBR_SET_TUPLES]; /* of the last TMMBN; ssrc: owner */
  unsigned n_set;
  bool notified; /* a TMMBN was seen */
} TmmbrReceiver;

void tmmbr_receiver_init (TmmbrReceiver *r);
/* A TMMBN of the media sender, whole. */
void tmmbr_receiver_on_notification (TmmbrReceiver *r, const RtcpTmmb *entries, unsigned n);
/* RFC 5104 3.5.4.2: no TMMBN seen yet; we own a tuple of the set and ours changed; we do not, and ours would enter it.
 */
bool tmmbr_receiver_may_ask (const TmmbrReceiver *r, uint32_t own_ssrc, uint64_t bitrate_bps, uint16_t overhead_bytes);
bool tmmbr_receiver_is_owner (const TmmbrReceiver *r, uint32_t own_ssrc);
#ifdef __cplusplus
}
#endif
#endif
