/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which RTP header extension id (RFC 8285) carries what in a stream. */
#ifndef GST_CC_EXTENSION_H
#define GST_CC_EXTENSION_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The id where nobody negotiated one. Both ends of a stream have to agree; low ids are what payloaders hand out first.
 */
#define GST_CC_EXTENSION_ID_DEFAULT 9

#define GST_CC_TWCC_URI "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"

/* The N of the caps field extmap-N that names the extension, 0 where there is none. */
guint gst_cc_extension_id_of (const GstCaps *caps, const gchar *uri);
/* The same for urn:ietf:params:rtp-hdrext:rtt-sendts. */
guint gst_cc_extension_id_from_caps (const GstCaps *caps);

G_END_DECLS
#endif
