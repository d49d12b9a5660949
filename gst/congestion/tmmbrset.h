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

#define TMMBR_SET_TUPLES 64 /* requests kept of one media sender; of more, the ones that limit most */

/* RFC 5104 3.5.4.2. SMAXPR: highest packet rate in use, per s; 0: unbounded. set: room for n tuples, in the
   order in which they limit as the packet rate rises. Returns how many; intersection, where given, gets the packet rate
   from which on each one limits. n at most TMMBR_SET_TUPLES. */
unsigned tmmbr_bounding_set (const RtcpTmmb *tuples, unsigned n, double smaxpr, RtcpTmmb *set, double *intersection);
/* The net rate (RTP payload, bit/s) the tuples allow at a packet rate, >= 0; infinity where n is 0. */
double tmmbr_net_rate (const RtcpTmmb *tuples, unsigned n, double packet_rate);

/* The media sender: collects what was asked of one of its SSRCs and says what it owes. */
typedef struct {
  RtcpTmmb tuples[TMMBR_SET_TUPLES]; /* ssrc: who asked */
  unsigned n_tuples;
  RtcpTmmb set[TMMBR_SET_TUPLES];
  unsigned n_set;
  RtcpTmmb held[TMMBR_SET_TUPLES]; /* what limited before, until a rise is allowed */
  unsigned n_held;
  CcTime rise_at;  /* CC_TIME_NONE: no rise is pending */
  bool owes_tmmbn; /* cleared by tmmbr_sender_notification () */
  bool rise_pending;
  uint64_t requests, dropped; /* dropped: no room */
} TmmbrSender;

void tmmbr_sender_init (TmmbrSender *s);
/* A TMMBR entry for our SSRC came from owner. A TMMBN is owed, whether it changes the set or not. */
void tmmbr_sender_on_request (TmmbrSender *s, uint32_t owner, uint64_t bitrate_bps, uint16_t overhead_bytes);
/* The owner said BYE or timed out. Returns whether the set changed, so that a TMMBN is owed. */
bool tmmbr_sender_remove (TmmbrSender *s, uint32_t owner);
/* The TMMBN that leaves now: its entries (room for TMMBR_SET_TUPLES), 0 for an empty one. Where the set allows more
   than what limited before, the rate may rise 2 R + T_dither_max from now (RFC 5104 4.2.1.2). */
unsigned tmmbr_sender_notification (
    TmmbrSender *s, CcDuration R, CcDuration T_dither_max, CcTime now, RtcpTmmb *entries);
/* bit/s with the headers `overhead_bytes` per packet counted, at a packet rate, as the limits stand now; infinity where
   nobody limits. */
double tmmbr_sender_limit (const TmmbrSender *s, double packet_rate, unsigned overhead_bytes, CcTime now);
CcTime tmmbr_sender_next_timeout (const TmmbrSender *s); /* when a rise is allowed; pure */

/* The media receiver: may it ask? One for each media sender. */
typedef struct {
  RtcpTmmb set[TMMBR_SET_TUPLES]; /* of the last TMMBN; ssrc: owner */
  unsigned n_set;
  bool notified; /* a TMMBN was seen */
  RtcpTmmb asked;
  bool has_asked;
} TmmbrReceiver;

void tmmbr_receiver_init (TmmbrReceiver *r);
/* A TMMBN of the media sender, complete. */
void tmmbr_receiver_on_notification (TmmbrReceiver *r, const RtcpTmmb *entries, unsigned n);
/* RFC 5104 3.5.4.2: no TMMBN seen yet; we own a tuple of the set and ours changed; we do not, and ours would enter it.
 */
bool tmmbr_receiver_may_ask (const TmmbrReceiver *r, uint32_t own_ssrc, uint64_t bitrate_bps, uint16_t overhead_bytes);
bool tmmbr_receiver_is_owner (const TmmbrReceiver *r, uint32_t own_ssrc);
#ifdef __cplusplus
}
#endif
#endif
