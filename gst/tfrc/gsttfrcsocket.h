/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The UDP socket of a flow: names to addresses, opening, type of service, errors that ICMP brought. */
#ifndef GST_TFRC_SOCKET_H
#define GST_TFRC_SOCKET_H

#include <gio/gio.h>
#include <gst/gst.h>
#include <sys/socket.h>

#include "rtpaddress.h"

G_BEGIN_DECLS

/* Bytes of UDP and IP headers per packet. */
#define GST_TFRC_OVERHEAD_V4 28
#define GST_TFRC_OVERHEAD_V6 48

typedef struct {
  struct sockaddr_storage storage;
  socklen_t length;
  guint overhead; /* of the address's own family, also where it is mapped */
} GstTfrcAddress;

/* An address that is a number, of IPv6 also with the interface it is of behind a %. NULL with error set else. */
GSocketAddress *gst_tfrc_socket_number (const gchar *address, guint16 port, GError **error);

/* Whether host has to be looked up: it is not empty and no number. */
gboolean gst_tfrc_socket_is_name (const gchar *host);

/* An address for host, a name or a number; the first the resolver gives that is of `family`, G_SOCKET_FAMILY_INVALID:
   either, and has a route. May take seconds for a name. NULL with error set where there is none. */
GSocketAddress *gst_tfrc_socket_resolve (const gchar *host, guint16 port, GSocketFamily family, GError **error);

/* FALSE with error set where address is of one link and neither it nor interface says which. */
gboolean gst_tfrc_socket_check_link (GSocketAddress *address, const gchar *interface, GError **error);

/* A bound UDP socket of peer's family. address NULL: any; port 0: one that is free. */
GSocket *gst_tfrc_socket_open (const gchar *address, guint16 port, GSocketAddress *peer, GError **error);

/* FALSE with error set where a socket from outside is closed or not UDP. */
gboolean gst_tfrc_socket_check_usable (GSocket *socket, GError **error);

/* FALSE with error set where the routing table knows no way to peer. */
gboolean gst_tfrc_socket_check_route (GSocketAddress *peer, GError **error);

/* How peer is addressed through socket: an IPv4 peer is mapped where the socket speaks IPv6. */
gboolean gst_tfrc_socket_native_address (
    GSocket *socket, GSocketAddress *peer, GstTfrcAddress *address, GError **error);

/* A mapped IPv4 address is one of IPv4. */
RtpAddress gst_tfrc_address_read (const GstTfrcAddress *address);

/* dscp: 0 to 63, negative: leave the system's. */
void gst_tfrc_socket_set_dscp (GSocket *socket, gint dscp);

/* The traffic class of what socket sends, as IP_TOS has it. */
gint gst_tfrc_socket_class (GSocket *socket);

/* Waits for a packet, for room where `room`, for wakeup_fd, an eventfd, which is read, or for so long; CC_TIME_NONE:
   for ever. FALSE: the socket is gone. events: of the socket, as poll () has them. */
gboolean gst_tfrc_socket_wait (int fd, int wakeup_fd, gboolean room, CcDuration timeout, short *events);

/* Takes one pending error off the socket. Returns its errno, 0 where there is none. path_mtu: where it is EMSGSIZE and
   ICMP brought it, the IP packet that would get through; untouched else. */
int gst_tfrc_socket_take_error (int fd, guint *path_mtu);

G_END_DECLS
#endif
