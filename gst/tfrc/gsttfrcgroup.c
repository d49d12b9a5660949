/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcgroup.h"

#include <gst/net/gstnetaddressmeta.h>
#include <net/if.h>
#include <netinet/in.h>

gboolean
gst_tfrc_group_is (GSocketAddress *peer)
{
  return g_inet_address_get_is_multicast (g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (peer)));
}

gboolean
gst_tfrc_group_is_native (const GstTfrcAddress *to)
{
  const struct sockaddr_in *in = (const struct sockaddr_in *)&to->storage;
  const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&to->storage;

  return to->storage.ss_family == AF_INET ? IN_MULTICAST (g_ntohl (in->sin_addr.s_addr))
                                          : IN6_IS_ADDR_MULTICAST (&in6->sin6_addr);
}

void
gst_tfrc_group_restrict (GstTfrcSettings *settings)
{
  settings->mode = CC_MODE_BURST_CONTROL;
  settings->repair = GST_TFRC_REPAIR_NONE;
  settings->circuit_action = CIRCUIT_OFF;
}

static gboolean
set_interface (GSocket *socket, const gchar *interface, GError **error)
{
  gboolean v6 = g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6;
  struct ip_mreqn choice = {.imr_ifindex = interface != NULL ? (int)if_nametoindex (interface) : 0};
  int fd = g_socket_get_fd (socket);

  if (interface == NULL)
    return TRUE;
  if (choice.imr_ifindex == 0) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "there is no network interface %s", interface);
    return FALSE;
  }
  /* a socket of IPv6 may send to groups of IPv4 */
  if (setsockopt (fd, IPPROTO_IP, IP_MULTICAST_IF, &choice, sizeof choice) != 0 && !v6) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s takes no multicast", interface);
    return FALSE;
  }
  if (v6)
    setsockopt (fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, &choice.imr_ifindex, sizeof choice.imr_ifindex);
  return TRUE;
}

/* 0: none is said, or the group is one of IPv4. */
static guint
scope_of (GSocketAddress *group)
{
  return g_socket_address_get_family (group) == G_SOCKET_FAMILY_IPV6
             ? g_inet_socket_address_get_scope_id (G_INET_SOCKET_ADDRESS (group))
             : 0;
}

/* A group of IPv6 that is of one link is bound to on that (RFC 4007 6). */
static gboolean
bind_to (GSocket *socket, GSocketAddress *group, const gchar *interface, GError **error)
{
  GInetSocketAddress *inet = G_INET_SOCKET_ADDRESS (group);
  guint scope = scope_of (group);
  GSocketAddress *local;
  gboolean ok;

  if (scope == 0 && interface != NULL)
    scope = if_nametoindex (interface);
  local = g_object_new (G_TYPE_INET_SOCKET_ADDRESS, "address", g_inet_socket_address_get_address (inet), "port",
      (guint)g_inet_socket_address_get_port (inet), "scope-id", scope, NULL);
  ok = g_socket_bind (socket, local, TRUE, error);
  g_object_unref (local);
  return ok;
}

/* Bound to the group's own address it hears no other group; what it sends has the interface's. */
gboolean
gst_tfrc_group_join (GSocket *socket, GSocketAddress *group, const gchar *interface, GError **error)
{
  GInetSocketAddress *inet = G_INET_SOCKET_ADDRESS (group);
  guint scope = scope_of (group);
  gchar name[IF_NAMESIZE];

  if (interface == NULL && scope != 0)
    interface = if_indextoname (scope, name);
  return set_interface (socket, interface, error) && bind_to (socket, group, interface, error) &&
         g_socket_join_multicast_group (socket, g_inet_socket_address_get_address (inet), FALSE, interface, error);
}

GSocket *
gst_tfrc_group_open (GSocketAddress *group, const gchar *interface, gint ttl, GError **error)
{
  GSocket *socket =
      g_socket_new (g_socket_address_get_family (group), G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, error);

  if (socket != NULL && !gst_tfrc_group_join (socket, group, interface, error))
    g_clear_object (&socket);
  if (socket == NULL)
    return NULL;
  g_socket_set_blocking (socket, FALSE);
  g_socket_set_multicast_ttl (socket, (guint)ttl);
  return socket;
}

static GstPadProbeReturn
address_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstBuffer *buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));

  if (gst_buffer_get_net_address_meta (buffer) == NULL)
    gst_buffer_add_net_address_meta (buffer, user);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

gulong
gst_tfrc_group_address_buffers (GstPad *pad, GSocketAddress *group)
{
  return gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, address_buffer, g_object_ref (group), g_object_unref);
}
