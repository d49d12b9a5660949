/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffers that are IPv4 or IPv6 packets, as a TUN device gives them. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "paqmpacket.h"

#include "ipexplicitrate.h"
#include "rtpextension.h"

#define IPV4_SOURCE 12
#define IPV6_SOURCE 8

static const guint64 no_key[2]; /* where the flow does not matter */

static void
look_at_bytes (const guint8 *data, gsize size, const GstPaqmLook *how, GstPaqmPacket *packet)
{
  RtpRttSendts stamp;
  const guint8 *element;
  gsize element_size;
  IpPacket ip;

  if (!ip_classify (data, size, how->key, &ip))
    return;
  packet->media |= ip.media;
  packet->rtp = ip.payload == IP_PAYLOAD_RTP;
  packet->ssrc = packet->rtp ? ip.ssrc : 0;
  packet->flow = ip.flow;
  packet->ect = ip.ecn != IP_ECN_NOT_ECT;
  packet->l4s = ip.ecn == IP_ECN_ECT1;
  element = how->rtt_id != 0 ? ip_rtp_element (data, &ip, how->rtt_id, &element_size) : NULL;
  if (element != NULL && rtp_ext_rtt_sendts_parse (element, element_size, &stamp))
    packet->rtt = stamp.rtt;
}

static void
look (GstBuffer *buffer, const GstPaqmLook *how, GstPaqmPacket *packet)
{
  GstMapInfo map;

  *packet = (GstPaqmPacket){.media = how->is_media, .size_bytes = (guint)gst_buffer_get_size (buffer)};
  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return;
  look_at_bytes (map.data, map.size, how, packet);
  gst_buffer_unmap (buffer, &map);
}

static GstBuffer *
mark (GstBuffer *buffer)
{
  GstMapInfo map;

  buffer = gst_buffer_make_writable (buffer);
  if (!gst_buffer_map (buffer, &map, GST_MAP_READWRITE))
    return buffer;
  ip_set_ce (map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* Whether there is something to do, before the buffer is copied to be written to. */
static gboolean
wants_tag (GstBuffer *buffer, const GstPaqmTag *tag, IpPacket *ip)
{
  GstMapInfo map;
  gboolean wanted;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return FALSE;
  wanted = ip_classify (map.data, map.size, no_key, ip) &&
           ip_explicit_rate_peek (map.data, ip, tag->extension_id, tag->rate_Bps) == ERF_LOWERED;
  gst_buffer_unmap (buffer, &map);
  return wanted;
}

/* tag->add does not count: a router must not let packets grow beyond the path's MTU. */
static GstBuffer *
set_tag (GstBuffer *buffer, const GstPaqmTag *tag, gboolean *changed)
{
  GstMapInfo map;
  IpPacket ip;

  *changed = FALSE;
  if (!wants_tag (buffer, tag, &ip))
    return buffer;
  buffer = gst_buffer_make_writable (buffer);
  if (!gst_buffer_map (buffer, &map, GST_MAP_READWRITE))
    return buffer;
  *changed = ip_explicit_rate_lower (map.data, &ip, tag->extension_id, tag->rate_Bps, tag->hop) == ERF_LOWERED;
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

static GSocketAddress *
sender (GstBuffer *buffer)
{
  GSocketAddress *address = NULL;
  GstMapInfo map;
  IpPacket ip;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return NULL;
  if (ip_classify (map.data, map.size, no_key, &ip) && ip.media) {
    gboolean v6 = ip.version == 6;
    GInetAddress *inet = g_inet_address_new_from_bytes (
        map.data + (v6 ? IPV6_SOURCE : IPV4_SOURCE), v6 ? G_SOCKET_FAMILY_IPV6 : G_SOCKET_FAMILY_IPV4);

    address = g_inet_socket_address_new (inet, ip.src_port);
    g_object_unref (inet);
  }
  gst_buffer_unmap (buffer, &map);
  return address;
}

const GstPaqmPacketFuncs gst_paqm_packet_ip = {.look = look, .mark = mark, .tag = set_tag, .sender = sender};
