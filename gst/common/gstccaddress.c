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
