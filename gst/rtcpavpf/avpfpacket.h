/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The RTCP packets an rtcpavpf sends, made from the table of sources. */
#ifndef GST_AVPF_PACKET_H
#define GST_AVPF_PACKET_H

#include "avpfsource.h"

G_BEGIN_DECLS

typedef enum { AVPF_FEEDBACK_TFRC = 1 << 0, AVPF_FEEDBACK_REMB = 1 << 1, AVPF_FEEDBACK_PATH = 1 << 2 } AvpfFeedback;

typedef struct {
  guint32 ssrc; /* this end's */
  const gchar *cname;
  AvpfFeedback feedback;
  gboolean reduced; /* leave RR and SDES out where there is feedback (RFC 5506) */
} AvpfPacketParams;

/* RR (blocks for the sources heard since the last one), CNAME, then feedback: PLI or FIR where due; TFRC, PATH and REMB
 * for flows that carry send times and sent something since. Starts the next reporting interval. */
GstBuffer *avpf_packet_build (AvpfSourceTable *table, const AvpfPacketParams *params, GstClockTime now);
/* RR, CNAME, BYE. */
GstBuffer *avpf_packet_build_bye (AvpfSourceTable *table, const AvpfPacketParams *params, GstClockTime now);

G_END_DECLS
#endif
