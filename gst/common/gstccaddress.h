/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_CC_ADDRESS_H
#define GST_CC_ADDRESS_H

#include <gio/gio.h>

G_BEGIN_DECLS

/* Whether both are the same address and port, or both NULL. */
gboolean gst_cc_address_equal (GSocketAddress *a, GSocketAddress *b);

G_END_DECLS
#endif
