/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The media sources an rtcpavpf hears and reports on: a table of fixed size, so that packets with invented SSRCs cost
   nothing but each other's places. A source counts once two packets in sequence have come from it. Who takes part
   without sending media is rtpmembers.h's business. */
#ifndef GST_AVPF_SOURCE_H
#define GST_AVPF_SOURCE_H

#include <gio/gio.h>
#include <gst/gst.h>

#include "arrivalhistory.h"
#include "ccreceiver.h"
#include "explicitrate.h"
#include "keyrequest.h"
#include "nackrequest.h"
#include "rtpreception.h"
#include "tmmbrset.h"

G_BEGIN_DECLS

#define AVPF_MAX_SOURCES 32
#define AVPF_MAX_OF_HOST 16 /* sources of one host, so that there is room for others */

typedef struct {
  guint32 ssrc;
  guint64 host; /* the one it was first heard from, 0: unknown */
  gboolean valid;
  gboolean retransmits;    /* what others sent (RFC 4588): nothing is asked of it */
  guint8 payload_type;     /* of the last packet */
  GSocketAddress *address; /* where it sends from, NULL: unknown */
  RtpReception reception;
  CcReceiver cc;
  ExplicitRate explicit_rate;
  KeyRequest key;
  NackRequest *nack;        /* NULL: nothing was asked for again */
  guint64 nack_failed;      /* of what nack gave up, how much is known */
  ArrivalHistory *arrivals; /* NULL: no reports of every packet */
  TmmbrReceiver *tmmbr;     /* NULL: no limit was asked for */
  guint64 limit_wanted;     /* bit/s, what TMMBR is to say; 0: nothing */
  guint64 limit_asked;      /* what it said last; 0: nothing */
  GstClockTime key_t0,
      nack_t0;           /* the scheduler knows since then that a request is due; GST_CLOCK_TIME_NONE: it does not */
  gboolean first_is_key; /* the packet seen on probation starts a key unit */
  GstClockTime last_rtp, last_heard, bye_at; /* GST_CLOCK_TIME_NONE: never */
  guint after_bye;
  guint64 packets, bytes, stamped;
  guint64 key_suppressed;                     /* requests of others that stood for ours */
  guint64 packets_in_rr, stamped_in_feedback; /* as of the last report of that kind */
} AvpfSource;

typedef struct {
  AvpfSource *sources[AVPF_MAX_SOURCES];
  guint64 evicted, refused;
} AvpfSourceTable;

/* What a new source starts with. */
typedef struct {
  CcReceiverParams cc;
  KeyRequestParams key;
  guint32 clock_rate;
  guint64 host;
} AvpfSourceParams;

void avpf_source_table_clear (AvpfSourceTable *table);
/* Drops the sources of all hosts but that one. */
void avpf_source_table_keep_host (AvpfSourceTable *table, guint64 host);
AvpfSource *avpf_source_table_find (AvpfSourceTable *table, guint32 ssrc);
/* For an SSRC not yet in the table. Where that is full, or the host has its share, the longest silent source makes
 * room, one that is not valid before others; NULL (and counted) where all are valid and not silent. */
AvpfSource *avpf_source_table_add (
    AvpfSourceTable *table, guint32 ssrc, const AvpfSourceParams *params, GstClockTime now);
/* Drops the silent and, a while after, those that said BYE. */
void avpf_source_table_expire (AvpfSourceTable *table, GstClockTime timeout, GstClockTime now);
/* No key unit requests to those that sent nothing for so long. */
void avpf_source_table_cancel_requests (AvpfSourceTable *table, GstClockTime silence, GstClockTime now);
/* Valid ones that have not left. */
guint avpf_source_table_count (const AvpfSourceTable *table);
/* Whether any has sent RTP within that time and has not left. */
gboolean avpf_source_table_is_alive (const AvpfSourceTable *table, GstClockTime within, GstClockTime now);
/* The source with the most bytes among those heard lately; NULL where there is none. */
AvpfSource *avpf_source_table_main (AvpfSourceTable *table);

/* The extended number of a packet near the highest one. */
guint32 avpf_source_extend (const AvpfSource *source, guint16 seq);
/* When its feedback, its request for packets or for a key unit is due, GST_CLOCK_TIME_NONE: never. */
GstClockTime avpf_source_next_timeout (const AvpfSource *source);
/* Valid and not gone. */
gboolean avpf_source_present (const AvpfSource *source);
void avpf_source_set_address (AvpfSource *source, GSocketAddress *address);
/* Whether address may be the source's: the same host, whatever the port; TRUE where one of them is unknown. */
gboolean avpf_source_is_from (const AvpfSource *source, GSocketAddress *address);
void avpf_source_on_bye (AvpfSource *source, GstClockTime now);
/* RTP after a BYE: stragglers are to be ignored, a stream that goes on takes the BYE back (TRUE). */
gboolean avpf_source_on_rtp_after_bye (AvpfSource *source);
GstStructure *avpf_source_stats (const AvpfSource *source, GstClockTime now);

G_END_DECLS
#endif
