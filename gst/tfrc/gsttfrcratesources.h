/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Addresses from which routers and relays may lower a sender's rate, beside the receiver's own. */
#ifndef GST_TFRC_RATE_SOURCES_H
#define GST_TFRC_RATE_SOURCES_H

#include "gsttfrcsocket.h"

G_BEGIN_DECLS

#define GST_TFRC_MAX_RATE_SOURCES 16

/* A plain copy is one: no memory of its own. */
typedef struct {
  guint n;
  struct {
    guint8 bytes[16]; /* network order; IPv4 as ::ffff:a.b.c.d */
    guint bits;       /* of them that count, 0 to 128 */
    guint16 port;     /* 0: any */
  } at[GST_TFRC_MAX_RATE_SOURCES];
} GstTfrcRateSources;

/* text: ADDRESS, ADDRESS/BITS, ADDRESS:PORT or [IPV6/BITS]:PORT, separated by commas or spaces; numbers, no names. NULL
   or empty: none. FALSE with error set, sources as they were, where it is something else or more than 16. */
gboolean gst_tfrc_rate_sources_parse (GstTfrcRateSources *sources, const gchar *text, GError **error);

gboolean gst_tfrc_rate_sources_match (const GstTfrcRateSources *sources, const GstTfrcAddress *from);

/* A number for who tells: of the address, the port and the SSRC he gives himself. */
guint32 gst_tfrc_rate_sources_teller (const guint64 key[2], const GstTfrcAddress *from, guint32 ssrc);

G_END_DECLS
#endif
