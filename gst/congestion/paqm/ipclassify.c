/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ipclassify.h"
#include "flowhash.h"
#include "inetchecksum.h"
#include "rtcpbytes.h"

#include <string.h>

#define IPV4_HEADER 20
#define IPV6_HEADER 40
#define UDP_HEADER 8
#define RTP_HEADER 12
#define RTCP_HEADER 8
#define ECN_MASK 3
#define FIRST_USER_PORT 1024
#define MAX_FLOW_BYTES 48

/* Assigned Internet protocol numbers */
enum {
  HOP_BY_HOP = 0,
  TCP = 6,
  UDP = 17,
  DCCP = 33,
  ROUTING = 43,
  FRAGMENT = 44,
  AUTHENTICATION = 51,
  DESTINATION = 60,
  SCTP = 132,
  MOBILITY = 135,
  UDP_LITE = 136,
  HIP = 139,
  SHIM6 = 140
};

/* A packet as far as it has been looked at. */
typedef struct {
  const uint8_t *packet;
  size_t end; /* bytes that both are there and belong to it */
  size_t addresses, address_size;
  size_t transport;
  bool whole;  /* nothing of it is missing */
  bool opaque; /* what follows is not the transport's header */
} View;

static size_t
left (const View *v)
{
  return v->end - v->transport;
}

static void
bound (View *v, size_t size, size_t claimed)
{
  v->whole = claimed <= size;
  v->end = v->whole ? claimed : size;
}

static bool
view_ipv4 (View *v, size_t size, IpPacket *p)
{
  size_t header = (size_t)(v->packet[0] & 0x0f) * 4, total;

  if (header < IPV4_HEADER || header > size)
    return false;
  total = rtcp_get_u16 (v->packet + 2);
  bound (v, size, total > header ? total : header);
  v->addresses = 12;
  v->address_size = 4;
  v->transport = header;
  p->ecn = (IpEcn)(v->packet[1] & ECN_MASK);
  p->protocol = v->packet[9];
  /* more fragments, or an offset */
  p->fragment = (rtcp_get_u16 (v->packet + 6) & 0x3fff) != 0;
  return true;
}

/* RFC 6564, RFC 4302 2.2 for the length of an authentication header */
static size_t
extension_size (uint8_t kind, const uint8_t *header)
{
  switch (kind) {
  case HOP_BY_HOP:
  case ROUTING:
  case DESTINATION:
  case MOBILITY:
  case HIP:
  case SHIM6:
    return ((size_t)header[1] + 1) * 8;
  case AUTHENTICATION:
    return ((size_t)header[1] + 2) * 4;
  case FRAGMENT:
    return 8;
  default:
    return 0;
  }
}

static bool
is_extension (uint8_t kind)
{
  const uint8_t none[2] = {0, 0};

  return extension_size (kind, none) > 0;
}

static void
walk_extensions (View *v, IpPacket *p)
{
  for (int i = 0; is_extension (p->protocol) && !p->fragment; i++) {
    const uint8_t *header = v->packet + v->transport;
    size_t size = left (v) >= 8 ? extension_size (p->protocol, header) : SIZE_MAX;

    if (i == IP_CLASSIFY_MAX_HEADERS || size > left (v)) {
      v->opaque = true;
      return;
    }
    /* the whole datagram in one "fragment" (RFC 6946) is none */
    p->fragment = p->protocol == FRAGMENT && (rtcp_get_u16 (header + 2) & 0xfff9) != 0;
    p->protocol = header[0];
    v->transport += size;
  }
}

static bool
view_ipv6 (View *v, size_t size, IpPacket *p)
{
  if (size < IPV6_HEADER)
    return false;
  bound (v, size, IPV6_HEADER + (size_t)rtcp_get_u16 (v->packet + 4));
  v->addresses = 8;
  v->address_size = 16;
  v->transport = IPV6_HEADER;
  p->ecn = (IpEcn)(v->packet[1] >> 4 & ECN_MASK);
  p->protocol = v->packet[6];
  walk_extensions (v, p);
  return true;
}

static bool
view (View *v, size_t size, IpPacket *p)
{
  unsigned version = size > 0 ? v->packet[0] >> 4 : 0;

  if (version == 4 ? !view_ipv4 (v, size, p) : version != 6 || !view_ipv6 (v, size, p))
    return false;
  p->version = (uint8_t)version;
  return true;
}

static void
read_ports (const View *v, IpPacket *p)
{
  switch (p->protocol) {
  case TCP:
  case UDP:
  case DCCP:
  case SCTP:
  case UDP_LITE:
    if (left (v) < 4)
      return;
    p->src_port = rtcp_get_u16 (v->packet + v->transport);
    p->dst_port = rtcp_get_u16 (v->packet + v->transport + 2);
  }
}

static bool
is_rtcp (const uint8_t *data, size_t size)
{
  return size >= RTCP_HEADER && ((size_t)rtcp_get_u16 (data + 2) + 1) * 4 <= size;
}

static bool
is_rtp (const uint8_t *data, size_t size)
{
  size_t header = RTP_HEADER + (size_t)(data[0] & 0x0f) * 4, payload_type = data[1] & 0x7f;

  if (payload_type >= 64 && payload_type <= 95)
    return false;
  if (header > size)
    return false;
  if (!(data[0] & 0x10))
    return true;
  return size - header >= 4 && (size_t)rtcp_get_u16 (data + header + 2) * 4 <= size - header - 4;
}

/* RFC 5761 4 */
static IpPayload
recognise (const uint8_t *data, size_t size)
{
  if (size < RTCP_HEADER || data[0] >> 6 != 2)
    return IP_PAYLOAD_OTHER;
  if (data[1] >= 192 && data[1] <= 223)
    return is_rtcp (data, size) ? IP_PAYLOAD_RTCP : IP_PAYLOAD_OTHER;
  return is_rtp (data, size) ? IP_PAYLOAD_RTP : IP_PAYLOAD_OTHER;
}

static void
look_into_udp (const View *v, IpPacket *p)
{
  const uint8_t *udp = v->packet + v->transport;
  size_t size;

  if (!v->whole || left (v) < UDP_HEADER || p->src_port < FIRST_USER_PORT || p->dst_port < FIRST_USER_PORT)
    return;
  size = rtcp_get_u16 (udp + 4);
  if (size < UDP_HEADER || size > left (v))
    return;
  p->payload = recognise (udp + UDP_HEADER, size - UDP_HEADER);
  p->media = p->payload != IP_PAYLOAD_OTHER;
  if (!p->media)
    return;
  p->payload_offset = v->transport + UDP_HEADER;
  p->payload_size = size - UDP_HEADER;
  p->ssrc = rtcp_get_u32 (udp + UDP_HEADER + (p->payload == IP_PAYLOAD_RTP ? 8 : 4));
}

static uint64_t
hash (const View *v, const IpPacket *p, const uint64_t key[2])
{
  uint16_t mask = p->media ? 0xfffe : 0xffff;
  uint8_t bytes[MAX_FLOW_BYTES] = {p->version, p->protocol};
  size_t size = 2;

  memcpy (bytes + size, v->packet + v->addresses, 2 * v->address_size);
  size += 2 * v->address_size;
  rtcp_put_u16 (bytes + size, p->src_port & mask);
  rtcp_put_u16 (bytes + size + 2, p->dst_port & mask);
  rtcp_put_u32 (bytes + size + 4, p->ssrc);
  return flow_hash (key, bytes, size + 8);
}

bool
ip_classify (const uint8_t *packet, size_t size, const uint64_t key[2], IpPacket *result)
{
  View v = {.packet = packet};

  *result = (IpPacket){0};
  if (!view (&v, size, result)) {
    *result = (IpPacket){0};
    return false;
  }
  if (!result->fragment && !v.opaque)
    read_ports (&v, result);
  if (!result->fragment && !v.opaque && result->protocol == UDP)
    look_into_udp (&v, result);
  result->flow = hash (&v, result, key);
  return true;
}

bool
ip_set_ce (uint8_t *packet, size_t size)
{
  View v = {.packet = packet};
  IpPacket p = {0};
  uint8_t before[2];

  if (!view (&v, size, &p) || p.ecn == IP_ECN_NOT_ECT)
    return false;
  if (p.ecn == IP_ECN_CE)
    return true;
  if (p.version == 6) {
    packet[1] |= IP_ECN_CE << 4;
    return true;
  }
  memcpy (before, packet, sizeof before);
  packet[1] |= IP_ECN_CE;
  rtcp_put_u16 (packet + 10, inet_checksum_update (rtcp_get_u16 (packet + 10), before, packet, sizeof before));
  return true;
}
