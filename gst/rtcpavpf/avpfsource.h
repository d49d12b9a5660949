/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The participants an rtcpavpf hears: a table of fixed size, so that packets with invented SSRCs cost nothing but each
   other's places. A source counts once two packets in sequence (or two named RTCP packets) have come from it. */
#ifndef GST_AVPF_SOURCE_H
#define GST_AVPF_SOURCE_H

#include <gio/gio.h>
#include <gst/gst.h>

#include "ccreceiver.h"
#include "keyrequest.h"
#include "rtpreception.h"

G_BEGIN_DECLS

#define AVPF_MAX_SOURCES 32

typedef struct {
  guint32 ssrc;
  gboolean valid;
  guint rtcp_seen;
  GSocketAddress *address; /* where it sends from, NULL: unknown */
  RtpReception reception;
  CcReceiver cc;
  KeyRequest key;
  gboolean first_is_key;                     /* the packet seen on probation starts a key unit */
  GstClockTime last_rtp, last_heard, bye_at; /* GST_CLOCK_TIME_NONE: never */
  guint after_bye;
  guint64 packets, bytes, stamped;
  guint64 packets_in_rr, stamped_in_feedback; /* as of the last report of that kind */
} AvpfSource;

typedef struct {
  AvpfSource *sources[AVPF_MAX_SOURCES];
  guint64 evicted, refused, byes, timeouts;
} AvpfSourceTable;

/* What a new source starts with. */
typedef struct {
  CcReceiverParams cc;
  KeyRequestParams key;
  guint32 clock_rate;
} AvpfSourceParams;

void avpf_source_table_clear (AvpfSourceTable *table);
AvpfSource *avpf_source_table_find (AvpfSourceTable *table, guint32 ssrc);
/* For an SSRC not yet in the table. Where that is full the longest silent source that is not valid makes room; NULL
 * (and counted) where all are valid. */
AvpfSource *avpf_source_table_add (
    AvpfSourceTable *table, guint32 ssrc, const AvpfSourceParams *params, GstClockTime now);
/* Drops the silent and, a while after, those that said BYE. Returns how many valid ones went. */
guint avpf_source_table_expire (AvpfSourceTable *table, GstClockTime timeout, GstClockTime now);
/* No key unit requests to those that sent nothing for so long. */
void avpf_source_table_cancel_requests (AvpfSourceTable *table, GstClockTime silence, GstClockTime now);
/* Valid participants and those that sent RTP within sender_timeout; this end is not in them. */
void avpf_source_table_count (
    const AvpfSourceTable *table, GstClockTime sender_timeout, GstClockTime now, guint *members, guint *senders);
/* Whether any has sent RTP within that time and has not left. */
gboolean avpf_source_table_is_alive (const AvpfSourceTable *table, GstClockTime within, GstClockTime now);
/* The source with the most bytes among those heard lately; NULL where there is none. */
AvpfSource *avpf_source_table_main (AvpfSourceTable *table);

/* When its feedback or its key unit request is due, GST_CLOCK_TIME_NONE: never. */
GstClockTime avpf_source_next_timeout (const AvpfSource *source);
/* Valid and not gone. */
gboolean avpf_source_present (const AvpfSource *source);
void avpf_source_set_address (AvpfSource *source, GSocketAddress *address);
/* Whether address may be the source's: the same host, whatever the port; TRUE where one of them is unknown. */
gboolean avpf_source_is_from (const AvpfSource *source, GSocketAddress *address);
void avpf_source_on_bye (AvpfSourceTable *table, AvpfSource *source, GstClockTime now);
/* RTP after a BYE: stragglers are to be ignored, a stream that goes on takes the BYE back (TRUE). */
gboolean avpf_source_on_rtp_after_bye (AvpfSource *source);
GstStructure *avpf_source_stats (const AvpfSource *source);

G_END_DECLS
#endif
