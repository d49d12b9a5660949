/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcsocket.h"

#include "arrivalhistory.h"

#include <errno.h>
#include <netinet/in.h>
#include <linux/errqueue.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

static gboolean
has_route (GInetAddress *address)
{
  GSocketAddress *there = g_inet_socket_address_new (address, 9); /* discard; nothing is sent */
  gboolean has = gst_tfrc_socket_check_route (there, NULL);

  g_object_unref (there);
  return has;
}

static gboolean
suits (GInetAddress *address, GSocketFamily family)
{
  return (family == G_SOCKET_FAMILY_INVALID || g_inet_address_get_family (address) == family) && has_route (address);
}

/* localhost is ::1 first, also where IPv6 is switched off, or the socket is one of IPv4. */
static GInetAddress *
choose (GList *found, GSocketFamily family)
{
  GList *at = found;

  while (at != NULL && !suits (at->data, family))
    at = at->next;
  return g_object_ref (at != NULL ? at->data : found->data);
}

static GInetAddress *
lookup (const gchar *host, GSocketFamily family, GError **error)
{
  GResolver *resolver = g_resolver_get_default ();
  GList *found = g_resolver_lookup_by_name (resolver, host, NULL, error);
  GInetAddress *address = found != NULL ? choose (found, family) : NULL;

  g_resolver_free_addresses (found);
  g_object_unref (resolver);
  return address;
}

GSocketAddress *
gst_tfrc_socket_number (const gchar *address, guint16 port, GError **error)
{
  GSocketAddress *made = g_inet_socket_address_new_from_string (address, port);
  const gchar *interface = strchr (address, '%');

  if (made == NULL && interface != NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "there is no network interface %s", interface + 1);
  else if (made == NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "%s is no IP address", address);
  return made;
}

/* No name has a %. */
gboolean
gst_tfrc_socket_is_name (const gchar *host)
{
  GSocketAddress *number;

  if (host == NULL || *host == '\0' || strchr (host, '%') != NULL)
    return FALSE;
  number = gst_tfrc_socket_number (host, 0, NULL);
  if (number != NULL)
    g_object_unref (number);
  return number == NULL;
}

GSocketAddress *
gst_tfrc_socket_resolve (const gchar *host, guint16 port, GSocketFamily family, GError **error)
{
  GInetAddress *address;
  GSocketAddress *result;

  if (host == NULL || *host == '\0') {
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "no host is set");
    return NULL;
  }
  if (!gst_tfrc_socket_is_name (host))
    return gst_tfrc_socket_number (host, port, error);
  address = lookup (host, family, error);
  if (address == NULL)
    return NULL;
  result = g_inet_socket_address_new (address, port);
  g_object_unref (address);
  return result;
}

/* RFC 4007 6: each link has such addresses of its own. */
gboolean
gst_tfrc_socket_check_link (GSocketAddress *address, const gchar *interface, GError **error)
{
  GInetSocketAddress *inet = G_INET_SOCKET_ADDRESS (address);
  GInetAddress *ip = g_inet_socket_address_get_address (inet);
  gchar *text;

  if (g_inet_address_get_family (ip) != G_SOCKET_FAMILY_IPV6 || interface != NULL ||
      g_inet_socket_address_get_scope_id (inet) != 0 ||
      !(g_inet_address_get_is_link_local (ip) || g_inet_address_get_is_mc_link_local (ip)))
    return TRUE;
  text = g_inet_address_to_string (ip);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      "%s is of one link, and which is not said: name its interface, as in %s%%eth0", text, text);
  g_free (text);
  return FALSE;
}

/* What ICMP has to say reaches an unconnected socket only by the error queue. */
static void
want_errors (GSocket *socket)
{
  if (g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6)
    g_socket_set_option (socket, IPPROTO_IPV6, IPV6_RECVERR, 1, NULL);
  else
    g_socket_set_option (socket, IPPROTO_IP, IP_RECVERR, 1, NULL);
}

/* NULL: of any. */
static GSocketAddress *
local_address (const gchar *address, guint16 port, GSocketFamily family, GError **error)
{
  GSocketAddress *local;
  GInetAddress *any;

  if (address == NULL || *address == '\0') {
    any = g_inet_address_new_any (family);
    local = g_inet_socket_address_new (any, port);
    g_object_unref (any);
    return local;
  }
  local = gst_tfrc_socket_number (address, port, error);
  if (local != NULL && !gst_tfrc_socket_check_link (local, NULL, error))
    g_clear_object (&local);
  g_prefix_error (error, "bind-address %s: ", address);
  return local;
}

GSocket *
gst_tfrc_socket_open (const gchar *address, guint16 port, GSocketAddress *peer, GError **error)
{
  GSocketAddress *local = local_address (address, port, g_socket_address_get_family (peer), error);
  GSocket *socket;

  if (local == NULL)
    return NULL;
  socket = g_socket_new (g_socket_address_get_family (local), G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, error);
  if (socket != NULL && !g_socket_bind (socket, local, FALSE, error))
    g_clear_object (&socket);
  g_object_unref (local);
  if (socket == NULL)
    return NULL;
  g_socket_set_blocking (socket, FALSE);
  want_errors (socket);
  return socket;
}

gboolean
gst_tfrc_socket_check_usable (GSocket *socket, GError **error)
{
  GSocketFamily family = g_socket_get_family (socket);

  if (!g_socket_is_closed (socket) && g_socket_get_socket_type (socket) == G_SOCKET_TYPE_DATAGRAM &&
      (family == G_SOCKET_FAMILY_IPV4 || family == G_SOCKET_FAMILY_IPV6))
    return TRUE;
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "the socket given is no open UDP socket");
  return FALSE;
}

gboolean
gst_tfrc_socket_check_route (GSocketAddress *peer, GError **error)
{
  GSocket *probe =
      g_socket_new (g_socket_address_get_family (peer), G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, error);
  gboolean reachable;

  if (probe == NULL)
    return FALSE;
  reachable = g_socket_connect (probe, peer, NULL, error);
  g_object_unref (probe);
  return reachable;
}

static GSocketAddress *
map_to_ipv6 (GSocketAddress *peer)
{
  GInetSocketAddress *inet = G_INET_SOCKET_ADDRESS (peer);
  guint8 bytes[16] = {[10] = 0xff, [11] = 0xff};
  GInetAddress *mapped;
  GSocketAddress *result;

  memcpy (bytes + 12, g_inet_address_to_bytes (g_inet_socket_address_get_address (inet)), 4);
  mapped = g_inet_address_new_from_bytes (bytes, G_SOCKET_FAMILY_IPV6);
  result = g_inet_socket_address_new (mapped, g_inet_socket_address_get_port (inet));
  g_object_unref (mapped);
  return result;
}

gboolean
gst_tfrc_socket_native_address (GSocket *socket, GSocketAddress *peer, GstTfrcAddress *address, GError **error)
{
  GSocketFamily family = g_socket_address_get_family (peer);
  GSocketAddress *used;
  gboolean ok;

  if (family == G_SOCKET_FAMILY_IPV6 && g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV4) {
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "the socket is IPv4, the host's address IPv6");
    return FALSE;
  }
  if (family == G_SOCKET_FAMILY_IPV4 && g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6)
    used = map_to_ipv6 (peer);
  else
    used = g_object_ref (peer);
  memset (address, 0, sizeof *address);
  address->length = (socklen_t)g_socket_address_get_native_size (used);
  address->overhead = family == G_SOCKET_FAMILY_IPV6 ? GST_TFRC_OVERHEAD_V6 : GST_TFRC_OVERHEAD_V4;
  ok = g_socket_address_to_native (used, &address->storage, sizeof address->storage, error);
  g_object_unref (used);
  return ok;
}

RtpAddress
gst_tfrc_address_read (const GstTfrcAddress *address)
{
  const struct sockaddr_in *in = (const struct sockaddr_in *)&address->storage;
  const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&address->storage;
  RtpAddress read = {.family = RTP_ADDRESS_IPV4};

  if (address->storage.ss_family == AF_INET) {
    memcpy (read.bytes, &in->sin_addr, sizeof in->sin_addr);
    read.port = g_ntohs (in->sin_port);
    return read;
  }
  read.port = g_ntohs (in6->sin6_port);
  if (IN6_IS_ADDR_V4MAPPED (&in6->sin6_addr)) {
    memcpy (read.bytes, in6->sin6_addr.s6_addr + 12, sizeof in->sin_addr);
    return read;
  }
  read.family = RTP_ADDRESS_IPV6;
  memcpy (read.bytes, &in6->sin6_addr, sizeof in6->sin6_addr);
  read.scope = IN6_IS_ADDR_LINKLOCAL (&in6->sin6_addr) ? in6->sin6_scope_id : 0;
  return read;
}

void
gst_tfrc_socket_set_dscp (GSocket *socket, gint dscp)
{
  if (dscp < 0)
    return;
  if (g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6)
    g_socket_set_option (socket, IPPROTO_IPV6, IPV6_TCLASS, dscp << 2, NULL);
  /* mapped IPv4 packets of an IPv6 socket go by this one */
  g_socket_set_option (socket, IPPROTO_IP, IP_TOS, dscp << 2, NULL);
}

gint
gst_tfrc_socket_class (GSocket *socket)
{
  gboolean v6 = g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6;
  gint tos = 0;

  g_socket_get_option (socket, v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_TCLASS : IP_TOS, &tos, NULL);
  return tos;
}

static gboolean
is_from_the_path (const struct sock_extended_err *error)
{
  return error->ee_errno == EMSGSIZE &&
         (error->ee_origin == SO_EE_ORIGIN_ICMP || error->ee_origin == SO_EE_ORIGIN_ICMP6);
}

static int
take_queued_error (int fd, guint *path_mtu)
{
  guint8 control[512];
  struct msghdr message = {.msg_control = control, .msg_controllen = sizeof control};
  struct cmsghdr *c;

  if (recvmsg (fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
    return 0;
  for (c = CMSG_FIRSTHDR (&message); c != NULL; c = CMSG_NXTHDR (&message, c)) {
    struct sock_extended_err error;

    if (!(c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_RECVERR) &&
        !(c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_RECVERR))
      continue;
    memcpy (&error, CMSG_DATA (c), sizeof error);
    if (is_from_the_path (&error))
      *path_mtu = error.ee_info;
    return error.ee_errno != 0 ? (int)error.ee_errno : EIO;
  }
  return EIO;
}

int
gst_tfrc_socket_take_error (int fd, guint *path_mtu)
{
  int error = take_queued_error (fd, path_mtu);
  socklen_t length = sizeof error;

  if (error != 0)
    return error;
  return getsockopt (fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : EBADF;
}

gboolean
gst_tfrc_socket_wait (int fd, int wakeup_fd, gboolean room, CcDuration timeout, short *events)
{
  struct pollfd fds[2] = {{fd, (short)(POLLIN | (room ? POLLOUT : 0)), 0}, {wakeup_fd, POLLIN, 0}};
  struct timespec span = {(time_t)(timeout / CC_SECOND), (long)(timeout % CC_SECOND)};
  guint64 count;

  *events = 0;
  if (ppoll (fds, 2, &span, NULL) <= 0)
    return TRUE;
  if ((fds[1].revents & POLLIN) && read (wakeup_fd, &count, sizeof count) < 0)
    GST_TRACE ("no wake-up to take");
  *events = fds[0].revents;
  return !(*events & POLLNVAL);
}
