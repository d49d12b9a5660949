/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_CC_ADDRESS_H
#define GST_CC_ADDRESS_H

#include <gio/gio.h>

#include "rtpaddress.h"

G_BEGIN_DECLS

/* Whether both are the same address and port, or both NULL. */
gboolean gst_cc_address_equal (GSocketAddress *a, GSocketAddress *b);

/* Unknown where it is NULL or no IP address. */
RtpAddress gst_cc_address_read (GSocketAddress *address);
GSocketAddress *gst_cc_address_new (const RtpAddress *address); /* full; not for an unknown one */

G_END_DECLS
#endif
