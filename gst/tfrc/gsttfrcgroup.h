/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A multicast group in the receiver's place. Each receiver has a path of its own, and no rate is right for all: only
   mode=burst-control sends to a group, which asks nothing of anybody. RTCP of all goes to the group itself, so that
   each hears the others (RFC 3550 6.2): who sends joins it too. */
#ifndef GST_TFRC_GROUP_H
#define GST_TFRC_GROUP_H

#include "gsttfrcsettings.h"
#include "gsttfrcsocket.h"

G_BEGIN_DECLS

gboolean gst_tfrc_group_is (GSocketAddress *peer);
gboolean gst_tfrc_group_is_native (const GstTfrcAddress *to);

/* What of a user's settings a group can have: repair and a circuit breaker are for two ends (RFC 8083). */
void gst_tfrc_group_restrict (GstTfrcSettings *settings);

/* A member of the group on interface, NULL: the system's choice, that hears what is sent to it on its port. ttl: of
   what leaves, 1 to 255. */
GSocket *gst_tfrc_group_open (GSocketAddress *group, const gchar *interface, gint ttl, GError **error);

/* Makes socket, not bound yet, a member that hears nothing but its group, and sends by interface. */
gboolean gst_tfrc_group_join (GSocket *socket, GSocketAddress *group, const gchar *interface, GError **error);

/* Buffers that pass pad and name no receiver are for group, until the probe that is returned is removed. */
gulong gst_tfrc_group_address_buffers (GstPad *pad, GSocketAddress *group);

G_END_DECLS
#endif
