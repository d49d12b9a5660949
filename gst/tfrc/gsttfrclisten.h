/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The socket by which tfrcsrc hears: of one host, or a member of a multicast group. */
#ifndef GST_TFRC_LISTEN_H
#define GST_TFRC_LISTEN_H

#include <gio/gio.h>

G_BEGIN_DECLS

/* A bound socket with room for what comes while the process does not run; with error set NULL. local: with the port, 0:
   one that is free. interface: by which a multicast group is joined, NULL: as routes have it. */
GSocket *gst_tfrc_listen_open (GSocketAddress *local, const gchar *interface, GError **error);

/* What a user does about error, a sentence. */
const gchar *gst_tfrc_listen_cure (const GError *error, gboolean group);

G_END_DECLS
#endif
