/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccaddress.h"

#include <string.h>

#define MAX_ADDRESS 128 /* bytes; a sockaddr_storage has as many */

gboolean
gst_cc_address_equal (GSocketAddress *a, GSocketAddress *b)
{
  guint8 bytes_a[MAX_ADDRESS], bytes_b[MAX_ADDRESS];
  gssize size;

  if (a == b || a == NULL || b == NULL)
    return a == b;
  size = g_socket_address_get_native_size (a);
  return size > 0 && size <= MAX_ADDRESS && size == g_socket_address_get_native_size (b) &&
         g_socket_address_to_native (a, bytes_a, sizeof bytes_a, NULL) &&
         g_socket_address_to_native (b, bytes_b, sizeof bytes_b, NULL) && memcmp (bytes_a, bytes_b, (gsize)size) == 0;
}

RtpAddress
gst_cc_address_read (GSocketAddress *address)
{
  RtpAddress read = {RTP_ADDRESS_UNKNOWN};
  GInetSocketAddress *inet;
  GInetAddress *ip;

  if (address == NULL || !G_IS_INET_SOCKET_ADDRESS (address))
    return read;
  inet = G_INET_SOCKET_ADDRESS (address);
  ip = g_inet_socket_address_get_address (inet);
  read.family = g_inet_address_get_family (ip) == G_SOCKET_FAMILY_IPV6 ? RTP_ADDRESS_IPV6 : RTP_ADDRESS_IPV4;
  memcpy (read.bytes, g_inet_address_to_bytes (ip), g_inet_address_get_native_size (ip));
  read.port = g_inet_socket_address_get_port (inet);
  if (read.family == RTP_ADDRESS_IPV6)
    read.scope = g_inet_socket_address_get_scope_id (inet);
  return read;
}

GSocketAddress *
gst_cc_address_new (const RtpAddress *address)
{
  GSocketFamily family = address->family == RTP_ADDRESS_IPV6 ? G_SOCKET_FAMILY_IPV6 : G_SOCKET_FAMILY_IPV4;
  GInetAddress *ip = g_inet_address_new_from_bytes (address->bytes, family);
  GSocketAddress *made = g_object_new (
      G_TYPE_INET_SOCKET_ADDRESS, "address", ip, "port", (guint)address->port, "scope-id", (guint)address->scope, NULL);

  g_object_unref (ip);
  return made;
}
