/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcratesources.h"

#include "flowhash.h"

#include <netinet/in.h>
#include <string.h>

#define SEPARATORS ", \t\n"
#define MAPPED_BITS 96 /* of ::ffff:0:0/96 */

static const guint8 mapped[12] = {[10] = 0xff, [11] = 0xff};

/* The address as 16 bytes, and the port. */
static void
normalize (const GstTfrcAddress *address, guint8 bytes[16], guint16 *port)
{
  if (address->storage.ss_family == AF_INET) {
    const struct sockaddr_in *in = (const struct sockaddr_in *)&address->storage;

    memcpy (bytes, mapped, sizeof mapped);
    memcpy (bytes + sizeof mapped, &in->sin_addr, 4);
    *port = g_ntohs (in->sin_port);
  } else {
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&address->storage;

    memcpy (bytes, &in6->sin6_addr, 16);
    *port = g_ntohs (in6->sin6_port);
  }
}

/* Takes the port off the end of text. A colon means one where it follows ']' or is the only one. */
static gboolean
split_port (gchar *text, guint64 *port)
{
  gchar *colon = strrchr (text, ':'), *end = strchr (text, ']');

  *port = 0;
  if (text[0] == '[') {
    if (end == NULL || (end[1] != 0 && end + 1 != colon))
      return FALSE;
    *end = 0;
    memmove (text, text + 1, strlen (text));
    if (end + 1 != colon)
      return TRUE;
  } else if (colon == NULL || strchr (text, ':') != colon) {
    return TRUE;
  }
  *colon = 0;
  return g_ascii_string_to_unsigned (colon + 1, 10, 1, G_MAXUINT16, port, NULL);
}

/* GLib complains aloud of more bits than there can be. */
static GInetAddressMask *
parse_mask (const gchar *text)
{
  const gchar *slash = strchr (text, '/');
  guint64 bits;

  if (slash != NULL && !g_ascii_string_to_unsigned (slash + 1, 10, 0, 128, &bits, NULL))
    return NULL;
  return g_inet_address_mask_new_from_string (text, NULL);
}

static gboolean
add (GstTfrcRateSources *sources, gchar *text)
{
  GInetAddressMask *mask;
  gboolean v4;
  guint64 port;
  guint i = sources->n;

  if (i == GST_TFRC_MAX_RATE_SOURCES || !split_port (text, &port))
    return FALSE;
  mask = parse_mask (text);
  if (mask == NULL)
    return FALSE;
  v4 = g_inet_address_mask_get_family (mask) == G_SOCKET_FAMILY_IPV4;
  memcpy (sources->at[i].bytes, mapped, sizeof mapped);
  memcpy (sources->at[i].bytes + (v4 ? sizeof mapped : 0),
      g_inet_address_to_bytes (g_inet_address_mask_get_address (mask)), v4 ? 4 : 16);
  sources->at[i].bits = g_inet_address_mask_get_length (mask) + (v4 ? MAPPED_BITS : 0);
  sources->at[i].port = (guint16)port;
  sources->n++;
  g_object_unref (mask);
  return TRUE;
}

gboolean
gst_tfrc_rate_sources_parse (GstTfrcRateSources *sources, const gchar *text, GError **error)
{
  GstTfrcRateSources parsed = {0};
  gchar **words = g_strsplit_set (text != NULL ? text : "", SEPARATORS, -1);
  gboolean ok = TRUE;
  guint i;

  for (i = 0; ok && words[i] != NULL; i++) {
    gchar *word = g_strdup (words[i]);

    ok = word[0] == 0 || add (&parsed, word);
    if (!ok)
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "%s",
          parsed.n == GST_TFRC_MAX_RATE_SOURCES ? "there are more than 16" : words[i]);
    g_free (word);
  }
  if (ok)
    *sources = parsed;
  g_strfreev (words);
  return ok;
}

static gboolean
same_bits (const guint8 *a, const guint8 *b, guint bits)
{
  guint8 rest = (guint8)(0xff00 >> bits % 8);

  return memcmp (a, b, bits / 8) == 0 && (bits % 8 == 0 || ((a[bits / 8] ^ b[bits / 8]) & rest) == 0);
}

gboolean
gst_tfrc_rate_sources_match (const GstTfrcRateSources *sources, const GstTfrcAddress *from)
{
  guint8 bytes[16];
  guint16 port;
  guint i;

  if (sources->n == 0)
    return FALSE;
  normalize (from, bytes, &port);
  for (i = 0; i < sources->n; i++)
    if ((sources->at[i].port == 0 || sources->at[i].port == port) &&
        same_bits (sources->at[i].bytes, bytes, sources->at[i].bits))
      return TRUE;
  return FALSE;
}

guint32
gst_tfrc_rate_sources_teller (const guint64 key[2], const GstTfrcAddress *from, guint32 ssrc)
{
  guint8 bytes[22];
  guint16 port;

  normalize (from, bytes, &port);
  memcpy (bytes + 16, &port, sizeof port);
  memcpy (bytes + 18, &ssrc, sizeof ssrc);
  return (guint32)flow_hash (key, bytes, sizeof bytes);
}
