/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcendpoint.h"

#include "gsttfrcgroup.h"

#define DEFAULT_HOST "localhost"
#define DEFAULT_PORT 5004
#define DEFAULT_DSCP (-1)
#define DEFAULT_TTL_MC 1 /* this network alone, as RFC 1112 has it */
#define FIXED (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)
#define LIVE (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)

#define CURE                                                                                                           \
  "Set host to a name or unicast address that resolves and has a route, port to the receiver's, and bind-address and " \
  "bind-port to a free address of this machine. Only mode=burst-control takes a multicast group."

void
gst_tfrc_endpoint_init (GstTfrcEndpoint *e, GstElement *element)
{
  *e = (GstTfrcEndpoint){.element = element,
      .host = g_strdup (DEFAULT_HOST),
      .port = DEFAULT_PORT,
      .dscp = DEFAULT_DSCP,
      .ttl_mc = DEFAULT_TTL_MC};
}

void
gst_tfrc_endpoint_clear (GstTfrcEndpoint *e)
{
  g_clear_pointer (&e->host, g_free);
  g_clear_pointer (&e->used_host, g_free);
  g_clear_pointer (&e->bind_address, g_free);
  g_clear_pointer (&e->multicast_iface, g_free);
  g_clear_object (&e->given);
  g_clear_object (&e->socket);
}

/* ---- properties ---- */

void
gst_tfrc_endpoint_install_properties (GObjectClass *klass, guint first)
{
  g_object_class_install_property (klass, first + GST_TFRC_ENDPOINT_HOST,
      g_param_spec_string ("host", "Host",
          "Name or IP address of the receiver, with mode=burst-control also of a multicast group; a change is a new "
          "path",
          DEFAULT_HOST, LIVE));
  g_object_class_install_property (klass, first + GST_TFRC_ENDPOINT_PORT,
      g_param_spec_int ("port", "Port", "UDP port of the receiver, for RTP and RTCP", 1, 65535, DEFAULT_PORT, LIVE));
  g_object_class_install_property (klass, first + GST_TFRC_ENDPOINT_BIND_ADDRESS,
      g_param_spec_string (
          "bind-address", "Bind address", "Local IP address to send from (NULL: the system's choice)", NULL, FIXED));
  g_object_class_install_property (klass, first + GST_TFRC_ENDPOINT_BIND_PORT,
      g_param_spec_int ("bind-port", "Bind port", "Local UDP port (0: any free one)", 0, 65535, 0, FIXED));
  g_object_class_install_property (klass, first + GST_TFRC_ENDPOINT_SOCKET,
      g_param_spec_object ("socket", "Socket",
          "UDP socket to use instead of an own one; it is read from as well and never closed. Reads as the one in use",
          G_TYPE_SOCKET, FIXED));
  g_object_class_install_property (klass, first + GST_TFRC_ENDPOINT_DSCP,
      g_param_spec_int ("dscp", "DSCP", "Differentiated services code point of packets sent (-1: left as it is)", -1,
          63, DEFAULT_DSCP, LIVE));
  g_object_class_install_property (klass, first + GST_TFRC_ENDPOINT_MULTICAST_IFACE,
      g_param_spec_string ("multicast-iface", "Multicast interface",
          "Network interface by which a multicast group is joined and sent to (NULL: as routes have it)", NULL, FIXED));
  g_object_class_install_property (klass, first + GST_TFRC_ENDPOINT_TTL_MC,
      g_param_spec_int ("ttl-mc", "Multicast TTL", "Routers that packets to a multicast group may pass, and one", 1,
          255, DEFAULT_TTL_MC, FIXED));
}

static void
set_text (gchar **text, const GValue *value)
{
  g_free (*text);
  *text = g_value_dup_string (value);
}

gboolean
gst_tfrc_endpoint_set_property (GstTfrcEndpoint *e, guint which, const GValue *value)
{
  switch (which) {
  case GST_TFRC_ENDPOINT_HOST:
    set_text (&e->host, value);
    e->wishes++;
    return TRUE;
  case GST_TFRC_ENDPOINT_PORT:
    e->port = g_value_get_int (value);
    e->wishes++;
    return TRUE;
  case GST_TFRC_ENDPOINT_BIND_ADDRESS:
    set_text (&e->bind_address, value);
    return TRUE;
  case GST_TFRC_ENDPOINT_BIND_PORT:
    e->bind_port = g_value_get_int (value);
    return TRUE;
  case GST_TFRC_ENDPOINT_SOCKET:
    g_clear_object (&e->given);
    e->given = g_value_dup_object (value);
    return TRUE;
  case GST_TFRC_ENDPOINT_DSCP:
    e->dscp = g_value_get_int (value);
    return TRUE;
  case GST_TFRC_ENDPOINT_MULTICAST_IFACE:
    set_text (&e->multicast_iface, value);
    return TRUE;
  case GST_TFRC_ENDPOINT_TTL_MC:
    e->ttl_mc = g_value_get_int (value);
    return TRUE;
  default:
    return FALSE;
  }
}

gboolean
gst_tfrc_endpoint_get_property (const GstTfrcEndpoint *e, guint which, GValue *value)
{
  switch (which) {
  case GST_TFRC_ENDPOINT_HOST:
    g_value_set_string (value, e->host);
    return TRUE;
  case GST_TFRC_ENDPOINT_PORT:
    g_value_set_int (value, e->port);
    return TRUE;
  case GST_TFRC_ENDPOINT_BIND_ADDRESS:
    g_value_set_string (value, e->bind_address);
    return TRUE;
  case GST_TFRC_ENDPOINT_BIND_PORT:
    g_value_set_int (value, e->bind_port);
    return TRUE;
  case GST_TFRC_ENDPOINT_SOCKET:
    g_value_set_object (value, e->given != NULL ? e->given : e->socket);
    return TRUE;
  case GST_TFRC_ENDPOINT_DSCP:
    g_value_set_int (value, e->dscp);
    return TRUE;
  case GST_TFRC_ENDPOINT_MULTICAST_IFACE:
    g_value_set_string (value, e->multicast_iface);
    return TRUE;
  case GST_TFRC_ENDPOINT_TTL_MC:
    g_value_set_int (value, e->ttl_mc);
    return TRUE;
  default:
    return FALSE;
  }
}

/* ---- the socket ---- */

/* A copy to work on without the lock; its socket is the one to use, where there is one. FALSE: it is not open. */
static gboolean
copy (GstTfrcEndpoint *e, GstTfrcEndpoint *made)
{
  gboolean open;

  GST_OBJECT_LOCK (e->element);
  *made = *e;
  made->host = g_strdup (e->host);
  made->used_host = NULL;
  made->bind_address = g_strdup (e->bind_address);
  made->multicast_iface = g_strdup (e->multicast_iface);
  if (e->given != NULL)
    g_object_ref (e->given);
  made->socket = e->given != NULL ? e->given : e->socket;
  if (made->socket != NULL)
    g_object_ref (made->socket);
  open = e->socket != NULL;
  GST_OBJECT_UNLOCK (e->element);
  return open;
}

static gboolean
reaches (const GstTfrcEndpoint *e, GSocketAddress *peer)
{
  return e->socket != NULL && (g_socket_get_family (e->socket) == g_socket_address_get_family (peer) ||
                                  g_socket_get_family (e->socket) == G_SOCKET_FAMILY_IPV6);
}

static gboolean
find_socket (GstTfrcEndpoint *e, GSocketAddress *peer, GError **error)
{
  if (e->given != NULL)
    return gst_tfrc_socket_check_usable (e->socket, error);
  if (reaches (e, peer))
    return TRUE;
  g_clear_object (&e->socket);
  e->socket = e->group ? gst_tfrc_group_open (peer, e->multicast_iface, e->ttl_mc, error)
                       : gst_tfrc_socket_open (e->bind_address, (guint16)e->bind_port, peer, error);
  return e->socket != NULL;
}

/* Packets would reach this machine by another address, from which nobody's reports were believed. */
static gboolean
check_names_one (const GstTfrcEndpoint *e, GSocketAddress *peer, GError **error)
{
  if (!g_inet_address_get_is_any (g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (peer))))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      "%s stands for all addresses of a machine and names no receiver", e->host);
  return FALSE;
}

static gboolean
check_kind (const GstTfrcEndpoint *e, gboolean may_be_group, GError **error)
{
  if (!e->group || may_be_group)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "%s is a multicast address", e->host);
  return FALSE;
}

/* The route to a group whose interface is named is that. */
static gboolean
check_route (const GstTfrcEndpoint *e, GSocketAddress *peer, GError **error)
{
  return (e->group && e->multicast_iface != NULL) || gst_tfrc_socket_check_route (peer, error);
}

/* Of whose addresses the receiver has to be. One of IPv6 that is bound to none of its own takes both. */
static GSocketFamily
family_of (const GstTfrcEndpoint *e)
{
  GInetAddress *bound = NULL;
  GSocketFamily family = G_SOCKET_FAMILY_INVALID;

  if (e->given != NULL)
    return g_socket_get_family (e->given) == G_SOCKET_FAMILY_IPV4 ? G_SOCKET_FAMILY_IPV4 : G_SOCKET_FAMILY_INVALID;
  if (e->bind_address != NULL)
    bound = g_inet_address_new_from_string (e->bind_address);
  if (bound == NULL)
    return family;
  if (g_inet_address_get_family (bound) == G_SOCKET_FAMILY_IPV4 || !g_inet_address_get_is_any (bound))
    family = g_inet_address_get_family (bound);
  g_object_unref (bound);
  return family;
}

static gboolean
connect_to (GstTfrcEndpoint *e, gboolean may_be_group, GError **error)
{
  GSocketAddress *peer = gst_tfrc_socket_resolve (e->host, (guint16)e->port, family_of (e), error);
  gboolean ok;

  if (peer == NULL)
    return FALSE;
  e->group = gst_tfrc_group_is (peer);
  ok = check_names_one (e, peer, error) && check_kind (e, may_be_group, error) &&
       gst_tfrc_socket_check_link (peer, e->group ? e->multicast_iface : NULL, error) && check_route (e, peer, error) &&
       find_socket (e, peer, error) && gst_tfrc_socket_native_address (e->socket, peer, &e->to, error);
  if (ok)
    gst_tfrc_socket_set_dscp (e->socket, e->dscp);
  g_object_unref (peer);
  return ok;
}

/* Each wish has one answer. The caller holds the lock. */
static gboolean
is_wished (GstTfrcEndpoint *e, const GstTfrcEndpoint *made)
{
  if (e->wishes != made->wishes)
    return FALSE;
  e->wishes++;
  return TRUE;
}

static gboolean
adopt (GstTfrcEndpoint *e, const GstTfrcEndpoint *made)
{
  gboolean wished;

  GST_OBJECT_LOCK (e->element);
  wished = is_wished (e, made);
  if (wished) {
    g_set_object (&e->socket, made->socket);
    g_free (e->used_host);
    e->used_host = g_strdup (made->host);
    e->used_port = made->port;
    e->to = made->to;
    e->group = made->group;
  }
  GST_OBJECT_UNLOCK (e->element);
  return wished;
}

gboolean
gst_tfrc_endpoint_open (GstTfrcEndpoint *e, gboolean may_be_group)
{
  GstTfrcEndpoint made;
  GError *error = NULL;
  gboolean ok;

  copy (e, &made);
  ok = connect_to (&made, may_be_group, &error);
  if (ok && !adopt (e, &made)) /* set anew meanwhile */
    ok = gst_tfrc_endpoint_open (e, may_be_group);
  else if (!ok)
    GST_ELEMENT_ERROR (e->element, RESOURCE, OPEN_WRITE,
        ("Cannot send to %s:%d: %s. " CURE, made.host, made.port, error->message), ("%s", error->message));
  g_clear_error (&error);
  gst_tfrc_endpoint_clear (&made);
  return ok;
}

void
gst_tfrc_endpoint_close (GstTfrcEndpoint *e)
{
  GST_OBJECT_LOCK (e->element);
  g_clear_object (&e->socket);
  e->group = FALSE;
  e->wishes++;
  GST_OBJECT_UNLOCK (e->element);
}

/* Properties read what holds. */
static gboolean
refuse (GstTfrcEndpoint *e, const GstTfrcEndpoint *made)
{
  gboolean wished;

  GST_OBJECT_LOCK (e->element);
  wished = is_wished (e, made);
  if (wished) {
    g_free (e->host);
    e->host = g_strdup (e->used_host);
    e->port = e->used_port;
  }
  GST_OBJECT_UNLOCK (e->element);
  return wished;
}

/* A group is joined by a socket of its own. */
static gboolean
may_move (const GstTfrcEndpoint *e, GError **error)
{
  if (e->group)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "a multicast group is left in NULL");
  return !e->group;
}

gboolean
gst_tfrc_endpoint_must_ask (GstTfrcEndpoint *e, guint *wish)
{
  gboolean must;

  GST_OBJECT_LOCK (e->element);
  must = e->socket != NULL && gst_tfrc_socket_is_name (e->host);
  *wish = e->wishes;
  GST_OBJECT_UNLOCK (e->element);
  return must;
}

static gboolean
try_move (GstTfrcEndpoint *e, GstTfrcEndpoint *made)
{
  GError *error = NULL;
  gboolean ok = may_move (made, &error) && connect_to (made, FALSE, &error);

  if (ok)
    ok = adopt (e, made);
  else if (refuse (e, made))
    GST_ELEMENT_WARNING (e->element, RESOURCE, OPEN_WRITE,
        ("Cannot send to %s:%d: %s. The receiver stays the one before. " CURE, made->host, made->port, error->message),
        (NULL));
  g_clear_error (&error);
  return ok;
}

gboolean
gst_tfrc_endpoint_move (GstTfrcEndpoint *e, guint wish)
{
  GstTfrcEndpoint made;
  gboolean ok = copy (e, &made) && made.wishes == wish && try_move (e, &made);

  gst_tfrc_endpoint_clear (&made);
  return ok;
}

void
gst_tfrc_endpoint_settle (GstTfrcEndpoint *e)
{
  gboolean settled;
  guint wish;

  GST_OBJECT_LOCK (e->element);
  wish = e->wishes;
  settled = e->port == e->used_port && g_strcmp0 (e->host, e->used_host) == 0;
  GST_OBJECT_UNLOCK (e->element);
  if (!settled)
    gst_tfrc_endpoint_move (e, wish);
}

void
gst_tfrc_endpoint_apply_dscp (GstTfrcEndpoint *e)
{
  GST_OBJECT_LOCK (e->element);
  if (e->socket != NULL)
    gst_tfrc_socket_set_dscp (e->socket, e->dscp);
  GST_OBJECT_UNLOCK (e->element);
}

GSocket *
gst_tfrc_endpoint_get (GstTfrcEndpoint *e, GstTfrcAddress *to)
{
  GSocket *socket;

  GST_OBJECT_LOCK (e->element);
  socket = e->socket != NULL ? g_object_ref (e->socket) : NULL;
  *to = e->to;
  GST_OBJECT_UNLOCK (e->element);
  return socket;
}
