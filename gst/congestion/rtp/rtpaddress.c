/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpaddress.h"

#include <string.h>

#include "flowhash.h"

#define IPV4_BYTES 4
#define IPV6_BYTES 16
#define MAPPED_BYTES 12

static size_t
native_bytes (const RtpAddress *a)
{
  return a->family == RTP_ADDRESS_IPV6 ? IPV6_BYTES : IPV4_BYTES;
}

static bool
same_ip (const RtpAddress *a, const RtpAddress *b)
{
  return a->family == b->family && memcmp (a->bytes, b->bytes, native_bytes (a)) == 0;
}

bool
rtp_address_equal (const RtpAddress *a, const RtpAddress *b)
{
  if (a->family == RTP_ADDRESS_UNKNOWN || b->family == RTP_ADDRESS_UNKNOWN)
    return a->family == b->family;
  return same_ip (a, b) && a->port == b->port && a->scope == b->scope;
}

bool
rtp_address_same_host (const RtpAddress *a, const RtpAddress *b)
{
  return a->family == RTP_ADDRESS_UNKNOWN || b->family == RTP_ADDRESS_UNKNOWN || same_ip (a, b);
}

uint64_t
rtp_address_host (const RtpAddress *address, const uint64_t key[2])
{
  static const uint8_t mapped[MAPPED_BYTES] = {[10] = 0xff, [11] = 0xff};
  size_t size = native_bytes (address), skip = 0;
  uint64_t id;

  if (address->family == RTP_ADDRESS_UNKNOWN)
    return 0;
  if (size == IPV6_BYTES && memcmp (address->bytes, mapped, MAPPED_BYTES) == 0)
    skip = MAPPED_BYTES;
  id = flow_hash (key, address->bytes + skip, size - skip);
  return id != 0 ? id : 1;
}

unsigned
rtp_address_overhead_bytes (const RtpAddress *address)
{
  return address->family == RTP_ADDRESS_IPV6 ? RTP_IPV6_UDP_BYTES : RTP_IPV4_UDP_BYTES;
}
