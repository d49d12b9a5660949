/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The SSRCs of this end. Where it sends no media it has one, which only reports; the first media SSRC takes that one's
   place, further ones join it (several streams, retransmissions). What RFC 3550 6.4.1 says of them, and whether each
   counts as a sender. Its timing stands here but is run by the scheduler. */
#ifndef GST_AVPF_LOCAL_H
#define GST_AVPF_LOCAL_H

#include <gst/gst.h>

#include "avpftiming.h"
#include "gstccrtcp.h"

G_BEGIN_DECLS

#define AVPF_MAX_LOCALS 8

typedef struct {
  guint32 ssrc;
  gboolean media;   /* RTP of it has been sent */
  gboolean we_sent; /* and lately (RFC 3550 6.3.8): it gets an SR */
  gboolean known;   /* RTP or RTCP of it has left, so a BYE is owed (RFC 3550 6.3.7) */

  AvpfTiming timing; /* the scheduler's, where timing_runs */
  gboolean timing_runs;

  guint32 packet_count, octet_count; /* modulo 2^32; payload octets */
  guint32 clock_rate, rtp_time;      /* 0: unknown, SR then says the last packet's time; of the last packet */
  GstClockTime rtp_time_at;          /* when rtp_time is or was due on the wire */
  GstClockTime last_rtp;             /* GST_CLOCK_TIME_NONE: never */
} AvpfLocal;

typedef struct {
  AvpfLocal locals[AVPF_MAX_LOCALS]; /* places change where one leaves */
  guint n;                           /* >= 1 */
  guint32 leaving[AVPF_MAX_LOCALS];  /* SSRCs given up whose BYE is to be sent */
  guint n_leaving;
  guint64 conflicts, refused; /* media SSRCs that found no room */
} AvpfLocalTable;

/* What one RTP packet says; clock_rate 0: unknown. due_at: when it is to leave. */
typedef struct {
  guint32 ssrc, rtp_time, payload_bytes, clock_rate;
  GstClockTime due_at;
} AvpfLocalPacket;

/* One SSRC that reports. */
void avpf_local_table_init (AvpfLocalTable *table, guint32 ssrc);
AvpfLocal *avpf_local_table_find (AvpfLocalTable *table, guint32 ssrc); /* NULL: none of ours */

/* A packet leaves. Its SSRC becomes ours: in place of one that only reports, else beside the others; where there is no
 * room in place of the longest silent that is no sender any more. NULL, and counted, where all are senders. changed:
 * whether an SSRC or a sender is new, so that the timing must be told. */
AvpfLocal *avpf_local_table_on_rtp (
    AvpfLocalTable *table, const AvpfLocalPacket *packet, GstClockTime now, gboolean *changed);

/* RFC 3550 6.3.8: those that sent nothing for 2 T (T with its minimum of 5 s) are senders no more. Returns how many. */
guint avpf_local_table_expire (AvpfLocalTable *table, GstClockTime now);
guint avpf_local_table_senders (const AvpfLocalTable *table);

/* One leaves: its BYE is noted in `leaving` if it is known to others. The last one's place is taken by one that only
 * reports, with the SSRC `fresh`. */
void avpf_local_table_remove (AvpfLocalTable *table, guint32 ssrc, guint32 fresh);
/* All that have sent media leave (end of the stream). */
void avpf_local_table_remove_media (AvpfLocalTable *table, guint32 fresh);
/* RFC 3550 8.2: somebody else has it. A reporting one goes on as `fresh`; a media one leaves and, as its SSRC is the
 * payloader's choice, TRUE is returned: the payloader must be told. */
gboolean avpf_local_table_on_conflict (AvpfLocalTable *table, guint32 ssrc, guint32 fresh);

/* RFC 3550 6.4.1; ntp_time is that of now. */
void avpf_local_sender_info (const AvpfLocal *local, guint64 ntp_time, GstClockTime now, RtcpSenderInfo *info);

G_END_DECLS
#endif
