/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccecn.h"

#include <gst/net/net.h>
#include <netinet/in.h>
#include <string.h>

#define ECN_BITS ARRIVAL_CE

/* IP_TOS of one packet, or what stood in its IPV6_TCLASS: what the bits mean is the same. */
typedef struct {
  GSocketControlMessage parent;
  guint8 value;
} GstCcTrafficClass;

typedef GSocketControlMessageClass GstCcTrafficClassClass;

static GType gst_cc_traffic_class_get_type (void);
G_DEFINE_TYPE (GstCcTrafficClass, gst_cc_traffic_class, G_TYPE_SOCKET_CONTROL_MESSAGE)

/* Of the datagram that this thread has read last. */
static _Thread_local guint8 last_ecn;

static int
type_of (int level)
{
  return level == IPPROTO_IP ? IP_TOS : IPV6_TCLASS;
}

/* The kernel sends a byte for IPv4, an int for IPv6. */
static gsize
size_of (int level)
{
  return level == IPPROTO_IP ? 1 : sizeof (int);
}

static gsize
get_size (GSocketControlMessage *message)
{
  return size_of (IPPROTO_IP);
}

static int
get_level (GSocketControlMessage *message)
{
  return IPPROTO_IP;
}

static int
get_message_type (GSocketControlMessage *message)
{
  return type_of (IPPROTO_IP);
}

static void
serialize (GSocketControlMessage *message, gpointer data)
{
  *(guint8 *)data = ((GstCcTrafficClass *)message)->value;
}

static gboolean
parse (int level, int type, gsize size, gconstpointer data, int *value)
{
  guint8 byte;

  if ((level != IPPROTO_IP && level != IPPROTO_IPV6) || type != type_of (level) || size < size_of (level))
    return FALSE;
  if (level == IPPROTO_IPV6) {
    memcpy (value, data, sizeof *value);
    return TRUE;
  }
  memcpy (&byte, data, sizeof byte);
  *value = byte;
  return TRUE;
}

/* No object for each packet: udpsrc would not know it either. */
static GSocketControlMessage *
deserialize (int level, int type, gsize size, gpointer data)
{
  int value;

  if (parse (level, type, size, data, &value))
    last_ecn = (guint8)(value & ECN_BITS);
  return NULL;
}

static void
gst_cc_traffic_class_class_init (GstCcTrafficClassClass *klass)
{
  klass->get_size = get_size;
  klass->get_level = get_level;
  klass->get_type = get_message_type;
  klass->serialize = serialize;
  klass->deserialize = deserialize;
}

static void
gst_cc_traffic_class_init (GstCcTrafficClass *self)
{
}

void
gst_cc_ecn_watch_socket (GSocket *socket)
{
  g_type_ensure (gst_cc_traffic_class_get_type ());
  if (g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6)
    g_socket_set_option (socket, IPPROTO_IPV6, IPV6_RECVTCLASS, 1, NULL);
  /* IPv4 packets of an IPv6 socket go by this one */
  g_socket_set_option (socket, IPPROTO_IP, IP_RECVTOS, 1, NULL);
}

static GstPadProbeReturn
mark_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstCcTrafficClass *message;
  GstBuffer *buffer;
  guint8 ecn = last_ecn;

  last_ecn = 0;
  if (ecn == 0)
    return GST_PAD_PROBE_OK;
  message = g_object_new (gst_cc_traffic_class_get_type (), NULL);
  message->value = ecn;
  buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  gst_buffer_add_net_control_message_meta (buffer, G_SOCKET_CONTROL_MESSAGE (message));
  g_object_unref (message);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

void
gst_cc_ecn_mark_buffers (GstPad *pad)
{
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, mark_buffer, NULL, NULL);
}

ArrivalEcn
gst_cc_ecn_of (GstBuffer *buffer)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state, GST_NET_CONTROL_MESSAGE_META_API_TYPE)) != NULL) {
    GSocketControlMessage *message = ((GstNetControlMessageMeta *)meta)->message;
    int level = g_socket_control_message_get_level (message), value = 0;
    guint8 data[64];
    gsize size = g_socket_control_message_get_size (message);

    if (size > sizeof data)
      continue;
    g_socket_control_message_serialize (message, data);
    if (parse (level, g_socket_control_message_get_msg_type (message), size, data, &value))
      return (ArrivalEcn)(value & ECN_BITS);
  }
  return ARRIVAL_NOT_ECT;
}
