/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffers that are payloads of UDP. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "paqmpacket.h"

#include "erfextension.h"
#include "flowhash.h"
#include "rtpextension.h"

#include <gst/net/gstnetaddressmeta.h>
#include <gst/rtp/gstrtpbuffer.h>
#include <string.h>

#define IPV4_UDP_BYTES 28
#define IPV6_UDP_BYTES 48
#define FIXED_HEADER 12
#define RTCP_HEADER 8
#define EXTENSION_HEAD 4
#define EXTENSION_BIT 0x10
#define MAX_ADDRESS 128
#define HEAD_MAX 512

/* RFC 5761 4: payload types 64 to 95 are RTCP's packet types without the marker bit. */
static gboolean
is_rtp (const guint8 *data, gsize size)
{
  return size >= FIXED_HEADER && data[0] >> 6 == 2 && ((data[1] & 0x7f) < 64 || (data[1] & 0x7f) > 95);
}

static gboolean
is_rtcp (const guint8 *data, gsize size)
{
  return size >= RTCP_HEADER && data[0] >> 6 == 2 && data[1] >= 192 && data[1] <= 223;
}

static guint64
hash_sender (const GstPaqmLook *how, GSocketAddress *address)
{
  guint8 bytes[MAX_ADDRESS];
  gssize size = address != NULL ? g_socket_address_get_native_size (address) : 0;

  if (size <= 0 || size > (gssize)sizeof bytes || !g_socket_address_to_native (address, bytes, sizeof bytes, NULL))
    size = 0;
  return flow_hash (how->key, bytes, (gsize)size);
}

static CcDuration
read_rtt (const guint8 *data, gsize size, guint id)
{
  gsize at = FIXED_HEADER + 4 * (gsize)(data[0] & 0x0f), block_size, element_size;
  const guint8 *element;
  RtpRttSendts stamp;

  if (id == 0 || !(data[0] & EXTENSION_BIT) || at + EXTENSION_HEAD > size)
    return 0;
  block_size = 4 * (gsize)GST_READ_UINT16_BE (data + at + 2);
  if (at + EXTENSION_HEAD + block_size > size)
    return 0;
  element = rtp_ext_find (GST_READ_UINT16_BE (data + at), data + at + EXTENSION_HEAD, block_size, id, &element_size);
  return element != NULL && rtp_ext_rtt_sendts_parse (element, element_size, &stamp) ? stamp.rtt : 0;
}

static void
look_at_bytes (const guint8 *data, gsize size, const GstPaqmLook *how, GstPaqmPacket *packet)
{
  if (is_rtp (data, size)) {
    packet->media = packet->rtp = TRUE;
    packet->ssrc = GST_READ_UINT32_BE (data + 8);
    packet->flow = flow_hash (how->key, data + 8, 4);
    packet->rtt = read_rtt (data, size, how->rtt_id);
  } else if (is_rtcp (data, size)) {
    packet->media = packet->rtcp = TRUE;
  }
}

/* Bytes that hold the RTP header with its extension, as far as they can be told. */
static gsize
head_size (const guint8 *data, gsize size)
{
  gsize at;

  if (size < FIXED_HEADER || !(data[0] & EXTENSION_BIT))
    return FIXED_HEADER;
  at = FIXED_HEADER + 4 * (gsize)(data[0] & 0x0f) + EXTENSION_HEAD;
  return at <= size ? at + 4 * (gsize)GST_READ_UINT16_BE (data + at - 2) : at;
}

/* What came in one piece holds its header in the first memory; payloaders spread it over several, which are not worth
   joining. */
static void
look_at_head (GstBuffer *buffer, gsize size, const GstPaqmLook *how, GstPaqmPacket *packet)
{
  guint8 head[HEAD_MAX];
  GstMapInfo map;

  if (gst_buffer_n_memory (buffer) > 0 && gst_buffer_map_range (buffer, 0, 1, &map, GST_MAP_READ)) {
    gboolean enough = map.size == size || head_size (map.data, map.size) <= map.size;

    if (enough)
      look_at_bytes (map.data, map.size, how, packet);
    gst_buffer_unmap (buffer, &map);
    if (enough)
      return;
  }
  look_at_bytes (head, gst_buffer_extract (buffer, 0, head, sizeof head), how, packet);
}

static void
look (GstBuffer *buffer, const GstPaqmLook *how, GstPaqmPacket *packet)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  gboolean ipv6 = meta != NULL && g_socket_address_get_family (meta->addr) == G_SOCKET_FAMILY_IPV6;
  gsize size = gst_buffer_get_size (buffer);
  gint overhead = how->overhead_bytes >= 0 ? how->overhead_bytes : ipv6 ? IPV6_UDP_BYTES : IPV4_UDP_BYTES;

  *packet = (GstPaqmPacket){.media = how->is_media, .size_bytes = (guint)size + (guint)overhead};
  look_at_head (buffer, size, how, packet);
  if (!packet->rtp && !packet->rtcp)
    packet->flow = hash_sender (how, meta != NULL ? meta->addr : NULL);
}

/* A datagram's payload has no ECN bits. */
static GstBuffer *
mark (GstBuffer *buffer)
{
  return buffer;
}

/* The element as it stands in the packet; FALSE: none, or the packet is broken. */
static gboolean
read_rate (GstRTPBuffer *rtp, guint id, ErfExtension *value)
{
  const guint8 *element;
  gpointer block;
  guint16 profile;
  gsize size;
  guint words;

  if (!gst_rtp_buffer_get_extension_data (rtp, &profile, &block, &words))
    return FALSE;
  element = rtp_ext_find (profile, block, 4 * (gsize)words, id, &size);
  return element != NULL && erf_extension_parse (element, size, value);
}

static gboolean
lower_rate (GstRTPBuffer *rtp, const GstPaqmTag *tag)
{
  gpointer block;
  guint16 profile;
  guint words;

  return gst_rtp_buffer_get_extension_data (rtp, &profile, &block, &words) &&
         erf_extension_lower_in_block (profile, block, 4 * (gsize)words, tag->extension_id, tag->rate_Bps, tag->hop) ==
             ERF_LOWERED;
}

static gboolean
has_other_element (GstRTPBuffer *rtp, guint id)
{
  gpointer block;
  guint16 profile;
  gsize size;
  guint words;

  return gst_rtp_buffer_get_extension_data (rtp, &profile, &block, &words) &&
         rtp_ext_find (profile, block, 4 * (gsize)words, id, &size) != NULL;
}

static gboolean
add_rate (GstRTPBuffer *rtp, const GstPaqmTag *tag)
{
  guint8 data[ERF_EXTENSION_SIZE], id = (guint8)tag->extension_id;

  if (has_other_element (rtp, id))
    return FALSE;
  erf_extension_write (data, tag->rate_Bps, tag->hop);
  return (id <= 14 && gst_rtp_buffer_add_extension_onebyte_header (rtp, id, data, sizeof data)) ||
         gst_rtp_buffer_add_extension_twobytes_header (rtp, 0, id, data, sizeof data);
}

/* Whether there is something to do, before the buffer is copied to be written to. */
static gboolean
wants_tag (GstBuffer *buffer, const GstPaqmTag *tag, gboolean *has)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  ErfExtension value;
  gboolean wanted;

  if (!gst_rtp_buffer_map (buffer, (GstMapFlags)(GST_MAP_READ | GST_RTP_BUFFER_MAP_FLAG_SKIP_PADDING), &rtp))
    return FALSE;
  *has = read_rate (&rtp, tag->extension_id, &value);
  wanted = *has ? !value.set || value.rate_Bps > tag->rate_Bps : tag->add;
  gst_rtp_buffer_unmap (&rtp);
  return wanted;
}

static GstBuffer *
set_tag (GstBuffer *buffer, const GstPaqmTag *tag, gboolean *changed)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint flags = GST_MAP_READWRITE;
  gboolean has;

  *changed = FALSE;
  if (!(tag->rate_Bps < G_MAXDOUBLE) || !wants_tag (buffer, tag, &has))
    return buffer;
  /* to add an element the packet is mapped anew on the way, its padding checked: it must be right before */
  if (has)
    flags |= GST_RTP_BUFFER_MAP_FLAG_SKIP_PADDING;
  buffer = gst_buffer_make_writable (buffer);
  if (!gst_rtp_buffer_map (buffer, (GstMapFlags)flags, &rtp))
    return buffer;
  *changed = has ? lower_rate (&rtp, tag) : add_rate (&rtp, tag);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

static GSocketAddress *
sender (GstBuffer *buffer)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);

  return meta != NULL ? g_object_ref (meta->addr) : NULL;
}

const GstPaqmPacketFuncs gst_paqm_packet_rtp = {.look = look, .mark = mark, .tag = set_tag, .sender = sender};
