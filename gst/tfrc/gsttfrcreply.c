/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcreply.h"

#include "gstccaddress.h"

#include <gst/net/gstnetaddressmeta.h>
#include <string.h>

/* ---- where packets arrive ---- */

typedef GSocketControlMessage GstTfrcArrivedAt;
typedef GSocketControlMessageClass GstTfrcArrivedAtClass;

static GType gst_tfrc_arrived_at_get_type (void);
G_DEFINE_TYPE (GstTfrcArrivedAt, gst_tfrc_arrived_at, G_TYPE_SOCKET_CONTROL_MESSAGE)

/* Of the datagram that this thread has read last. */
static _Thread_local GstTfrcLocal arrived_at;

/* No object for each packet. */
static GSocketControlMessage *
deserialize (int level, int type, gsize size, gpointer data)
{
  if (level == IPPROTO_IP && type == IP_ORIGDSTADDR && size >= sizeof arrived_at.v4)
    memcpy (&arrived_at.v4, data, sizeof arrived_at.v4);
  else if (level == IPPROTO_IPV6 && type == IPV6_ORIGDSTADDR && size >= sizeof arrived_at.v6)
    memcpy (&arrived_at.v6, data, sizeof arrived_at.v6);
  return NULL;
}

static void
gst_tfrc_arrived_at_class_init (GstTfrcArrivedAtClass *klass)
{
  klass->deserialize = deserialize;
}

static void
gst_tfrc_arrived_at_init (GstTfrcArrivedAt *self)
{
}

/* ---- who is answered from where ---- */

/* NULL: not among them. */
static GstTfrcReplyPath *
find (GstTfrcReplyPaths *p, const RtpAddress *peer)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (p->paths); i++)
    if (rtp_address_equal (&p->paths[i].peer, peer))
      return &p->paths[i];
  return NULL;
}

static GstTfrcReplyPath *
add (GstTfrcReplyPaths *p, const RtpAddress *peer)
{
  GstTfrcReplyPath *path = &p->paths[p->next++ % G_N_ELEMENTS (p->paths)];

  *path = (GstTfrcReplyPath){.peer = *peer};
  return path;
}

static gboolean
is_same (const GstTfrcLocal *a, const GstTfrcLocal *b)
{
  if (a->any.sa_family != b->any.sa_family)
    return FALSE;
  return a->any.sa_family == AF_INET ? a->v4.sin_addr.s_addr == b->v4.sin_addr.s_addr
                                     : memcmp (&a->v6.sin6_addr, &b->v6.sin6_addr, sizeof a->v6.sin6_addr) == 0;
}

/* Whoever forges the peer's address and sends to another one of ours does not move it while it is heard itself. */
static void
hear (GstTfrcReplyPath *path, const GstTfrcLocal *at, gint64 now)
{
  gboolean known = path->at.any.sa_family != AF_UNSPEC;

  if (known && !is_same (&path->at, at) && now - path->heard_at < GST_TFRC_REPLY_STAYS)
    return;
  path->at = *at;
  path->heard_at = now;
}

static GstPadProbeReturn
note_arrival (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstTfrcReply *r = user;
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (GST_PAD_PROBE_INFO_BUFFER (info));
  GstTfrcReplyPath *path;
  RtpAddress peer;

  if (meta == NULL || arrived_at.any.sa_family == AF_UNSPEC)
    return GST_PAD_PROBE_OK;
  peer = gst_cc_address_read (meta->addr);
  g_mutex_lock (&r->lock);
  path = find (&r->answered, &peer);
  if (path == NULL)
    path = find (&r->others, &peer);
  if (path == NULL)
    path = add (&r->others, &peer);
  hear (path, &arrived_at, g_get_monotonic_time ());
  g_mutex_unlock (&r->lock);
  arrived_at.any.sa_family = AF_UNSPEC;
  return GST_PAD_PROBE_OK;
}

/* The socket to be unreferenced; NULL: not known, routes choose. */
static GSocket *
choose (GstTfrcReply *r, GSocketAddress *to, GstTfrcLocal *from)
{
  RtpAddress peer = gst_cc_address_read (to);
  GstTfrcReplyPath *path, *heard;
  GSocket *socket;

  g_mutex_lock (&r->lock);
  path = find (&r->answered, &peer);
  if (path == NULL) {
    path = add (&r->answered, &peer);
    heard = find (&r->others, &peer);
    if (heard != NULL)
      *path = *heard;
  }
  *from = path->at;
  socket = r->socket != NULL && from->any.sa_family != AF_UNSPEC ? g_object_ref (r->socket) : NULL;
  g_mutex_unlock (&r->lock);
  return socket;
}

/* ---- sending ---- */

static void
write_source (struct msghdr *message, const GstTfrcLocal *from)
{
  struct cmsghdr *head = CMSG_FIRSTHDR (message);
  struct in_pktinfo v4 = {.ipi_spec_dst = from->v4.sin_addr};
  struct in6_pktinfo v6 = {.ipi6_addr = from->v6.sin6_addr, .ipi6_ifindex = from->v6.sin6_scope_id};
  gboolean is_v4 = from->any.sa_family == AF_INET;
  gsize size = is_v4 ? sizeof v4 : sizeof v6;

  head->cmsg_level = is_v4 ? IPPROTO_IP : IPPROTO_IPV6;
  head->cmsg_type = is_v4 ? IP_PKTINFO : IPV6_PKTINFO;
  head->cmsg_len = CMSG_LEN (size);
  memcpy (CMSG_DATA (head), is_v4 ? (const void *)&v4 : (const void *)&v6, size);
  message->msg_controllen = CMSG_SPACE (size);
}

/* FALSE where the address is gone, or one of many (broadcast): routes know better then. */
static gboolean
send_from (GSocket *socket, const GstTfrcLocal *from, GSocketAddress *peer, const GstMapInfo *map)
{
  union {
    struct cmsghdr head;
    guint8 bytes[CMSG_SPACE (sizeof (struct in6_pktinfo))];
  } control = {.bytes = {0}};
  struct iovec data = {map->data, map->size};
  struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  GstTfrcAddress to;

  if (!gst_tfrc_socket_native_address (socket, peer, &to, NULL))
    return FALSE;
  message.msg_name = &to.storage;
  message.msg_namelen = to.length;
  write_source (&message, from);
  return sendmsg (g_socket_get_fd (socket), &message, MSG_DONTWAIT | MSG_NOSIGNAL) == (gssize)map->size;
}

static GstPadProbeReturn
answer (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  gboolean sent = FALSE;
  GstTfrcLocal from;
  GSocket *socket;
  GstMapInfo map;

  if (meta == NULL)
    return GST_PAD_PROBE_OK;
  socket = choose (user, meta->addr, &from);
  if (socket != NULL && gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    sent = send_from (socket, &from, meta->addr, &map);
    gst_buffer_unmap (buffer, &map);
  }
  g_clear_object (&socket);
  return sent ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

/* ---- life ---- */

void
gst_tfrc_reply_attach (GstTfrcReply *r, GstPad *in, GstPad *out)
{
  g_mutex_init (&r->lock);
  g_type_ensure (gst_tfrc_arrived_at_get_type ());
  gst_pad_add_probe (in, GST_PAD_PROBE_TYPE_BUFFER, note_arrival, r, NULL);
  gst_pad_add_probe (out, GST_PAD_PROBE_TYPE_BUFFER, answer, r, NULL);
}

static gboolean
hears_all (GSocket *socket)
{
  GSocketAddress *local = g_socket_get_local_address (socket, NULL);
  gboolean all =
      local != NULL && g_inet_address_get_is_any (g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (local)));

  g_clear_object (&local);
  return all;
}

void
gst_tfrc_reply_use (GstTfrcReply *r, GSocket *socket)
{
  GSocket *watched = socket != NULL && hears_all (socket) ? socket : NULL;

  if (watched != NULL && g_socket_get_family (watched) == G_SOCKET_FAMILY_IPV6)
    g_socket_set_option (watched, IPPROTO_IPV6, IPV6_RECVORIGDSTADDR, 1, NULL);
  /* IPv4 packets of an IPv6 socket go by this one */
  if (watched != NULL)
    g_socket_set_option (watched, IPPROTO_IP, IP_RECVORIGDSTADDR, 1, NULL);
  g_mutex_lock (&r->lock);
  g_set_object (&r->socket, watched);
  memset (&r->answered, 0, sizeof r->answered);
  memset (&r->others, 0, sizeof r->others);
  g_mutex_unlock (&r->lock);
}

void
gst_tfrc_reply_clear (GstTfrcReply *r)
{
  g_clear_object (&r->socket);
  g_mutex_clear (&r->lock);
}
