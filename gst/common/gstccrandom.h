/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a stranger must not guess comes from the system's random source (RFC 4086, RFC 7022 4.2): SSRCs, CNAMEs, keys.
 */
#ifndef GST_CC_RANDOM_H
#define GST_CC_RANDOM_H

#include <glib.h>

G_BEGIN_DECLS

void gst_cc_random_bytes (gpointer data, gsize size); /* size at most 256: the system gives that many at once */
guint32 gst_cc_random32 (void);
guint64 gst_cc_random64 (void);

G_END_DECLS
#endif
