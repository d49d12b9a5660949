/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The media sources a participant hears and reports on: a table of fixed size, so that packets with invented SSRCs cost
   nothing but each other's places. A source counts once two packets in sequence have come from it. Who takes part
   without sending media is rtpmembers.h's business. */
#ifndef RTPSOURCES_H
#define RTPSOURCES_H

#include "arrivalhistory.h"
#include "ccmemory.h"
#include "ccreceiver.h"
#include "explicitrate.h"
#include "keyrequest.h"
#include "nackrequest.h"
#include "rtpaddress.h"
#include "rtpreception.h"
#include "tmmbrset.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RTP_SOURCES_MAX 32
#define RTP_SOURCES_MAX_OF_HOST 16 /* sources of one host, so that there is room for others */

typedef struct {
  uint32_t ssrc;
  uint64_t host; /* the one it was first heard from, 0: unknown */
  bool valid;
  bool tells_pictures;  /* the application tells what becomes of each: losses are mended without key units */
  bool retransmits;     /* what others sent (RFC 4588): nothing is asked of it */
  uint8_t payload_type; /* of the last packet */
  RtpAddress address;   /* where it sends from, lately */
  RtpReception reception;
  CcReceiver cc;
  ExplicitRate explicit_rate;
  KeyRequest key;
  NackRequest *nack;        /* NULL: nothing was asked for again */
  uint64_t nack_failed;     /* of what nack gave up, how much is known */
  ArrivalHistory *arrivals; /* NULL: no reports of every packet */
  TmmbrReceiver *tmmbr;     /* NULL: no limit was asked for */
  uint64_t limit_wanted;    /* bit/s, what TMMBR is to say; 0: nothing */
  uint64_t limit_asked;     /* what it said last; 0: nothing */
  CcTime key_t0, nack_t0;   /* the scheduler knows since then that a request is due; CC_TIME_NONE: it does not */
  bool first_is_key;        /* the packet seen on probation starts a key unit */
  bool joined;              /* its packets are passed on ... */
  uint32_t joined_seq;      /* ... from this one on, extended */
  bool has_parameter_sets;  /* they came since then */
  CcTime last_rtp, last_heard, bye_at; /* CC_TIME_NONE: never */
  unsigned after_bye;
  uint64_t packets, bytes, stamped;
  uint64_t key_suppressed;                     /* requests of others that stood for ours */
  uint64_t packets_in_rr, stamped_in_feedback; /* as of the last report of that kind */
} RtpSource;

typedef struct {
  CcMemory memory;
  RtpSource *sources[RTP_SOURCES_MAX];
  uint64_t evicted, refused;
} RtpSources;

/* What a new source starts with. */
typedef struct {
  CcReceiverParams cc;
  KeyRequestParams key;
  uint32_t clock_rate;
  uint64_t host;
} RtpSourceParams;

void rtp_sources_init (RtpSources *table, const CcMemory *memory);
void rtp_sources_clear (RtpSources *table);
/* Drops the sources of all hosts but that one. */
void rtp_sources_keep_host (RtpSources *table, uint64_t host);
RtpSource *rtp_sources_find (const RtpSources *table, uint32_t ssrc);
/* For an SSRC not yet in the table. Where that is full, or the host has its share, the longest silent source makes
 * room, one that is not valid before others; NULL (and counted) where all are valid and not silent. */
RtpSource *rtp_sources_add (RtpSources *table, uint32_t ssrc, const RtpSourceParams *params, CcTime now);
/* Drops the silent and, a while after, those that said BYE. */
void rtp_sources_expire (RtpSources *table, CcTime timeout, CcTime now);
/* No key unit requests to those that sent nothing for so long. */
void rtp_sources_hold_requests (RtpSources *table, CcTime silence, CcTime now);
/* Valid ones that have not left. */
unsigned rtp_sources_count (const RtpSources *table);
/* Whether any has sent RTP within that time and has not left. */
bool rtp_sources_is_alive (const RtpSources *table, CcTime within, CcTime now);
/* The source with the most bytes among those heard lately; NULL where there is none. */
RtpSource *rtp_sources_main (const RtpSources *table);

/* The extended number of a packet near the highest one. */
uint32_t rtp_source_extend (const RtpSource *source, uint16_t seq);
/* When its feedback, its request for packets or for a key unit is due, CC_TIME_NONE: never. */
CcTime rtp_source_next_timeout (const RtpSource *source);
/* Valid and not gone. */
bool rtp_source_present (const RtpSource *source);
void rtp_source_on_bye (RtpSource *source, CcTime now);
/* RTP after a BYE: stragglers are to be ignored, a stream that goes on takes the BYE back (true). */
bool rtp_source_on_rtp_after_bye (RtpSource *source);
/* What is kept of it where it is asked for: NULL where there is no memory. */
NackRequest *rtp_source_nack (RtpSources *table, RtpSource *source, const NackRequestParams *params);
ArrivalHistory *rtp_sources_new_history (const RtpSources *table);
TmmbrReceiver *rtp_source_tmmbr (RtpSources *table, RtpSource *source);

#ifdef __cplusplus
}
#endif
#endif
