/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrclisten.h"

#include "gstccecn.h"
#include "gsttfrcgroup.h"

#include <sys/socket.h>

#define RECEIVE_BUFFER_BYTES (1 << 20)

/* The kernel must hold what comes while this process does not run. It grants what it allows. */
static void
enlarge_receive_buffer (GSocket *socket)
{
  if (g_socket_set_option (socket, SOL_SOCKET, SO_RCVBUF, RECEIVE_BUFFER_BYTES, NULL))
    g_socket_set_option (socket, SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER_BYTES, NULL);
}

static gboolean
is_any (GSocketAddress *local)
{
  return g_inet_address_get_is_any (g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (local)));
}

/* Where the system has no IPv6 at all, :: is all of IPv4. */
static GSocket *
new_socket (GSocketAddress **local, GError **error)
{
  GSocketFamily family = g_socket_address_get_family (*local);
  guint16 port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (*local));
  GInetAddress *any;
  GSocket *socket;

  if (family != G_SOCKET_FAMILY_IPV6 || !is_any (*local))
    return g_socket_new (family, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, error);
  socket = g_socket_new (family, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  if (socket != NULL)
    return socket;
  any = g_inet_address_new_any (G_SOCKET_FAMILY_IPV4);
  g_object_unref (*local);
  *local = g_inet_socket_address_new (any, port);
  g_object_unref (any);
  return g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, error);
}

/* Two unicast receivers on one port would each get some of the packets. */
static gboolean
bind_socket (GSocket *socket, GSocketAddress *local, const gchar *interface, GError **error)
{
  return gst_tfrc_group_is (local) ? gst_tfrc_group_join (socket, local, interface, error)
                                   : g_socket_bind (socket, local, FALSE, error);
}

GSocket *
gst_tfrc_listen_open (GSocketAddress *local, const gchar *interface, GError **error)
{
  GSocketAddress *bound;
  GSocket *socket;

  if (!gst_tfrc_socket_check_link (local, interface, error))
    return NULL;
  bound = g_object_ref (local);
  socket = new_socket (&bound, error);
  if (socket != NULL && !bind_socket (socket, bound, interface, error))
    g_clear_object (&socket);
  g_object_unref (bound);
  if (socket == NULL)
    return NULL;
  enlarge_receive_buffer (socket);
  gst_cc_ecn_watch_socket (socket);
  return socket;
}

const gchar *
gst_tfrc_listen_cure (const GError *error, gboolean group)
{
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE))
    return "Another program has it (\"ss -ulnp\" shows which): stop that, or set another port.";
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED))
    return "Ports below 1024 are for privileged programs: set another port.";
  if (group)
    return "Set multicast-iface to the network interface by which the group comes (\"ip link\" lists them).";
  return "Set address to one of this machine's own (\"ip address\" lists them; those of one link with their interface, "
         "as fe80::1%eth0), or to :: for all.";
}
