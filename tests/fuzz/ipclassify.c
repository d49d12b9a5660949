/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: a raw IP packet. */
#include "ipclassify.h"
#include "fuzz.h"

#define SEED(...)                                                                                                      \
  {                                                                                                                    \
    (const uint8_t[]){__VA_ARGS__}, sizeof ((const uint8_t[]){__VA_ARGS__})                                            \
  }
#define UDP_RTP                                                                                                        \
  0x13, 0x88, 0x13, 0x8a, 0, 32, 0, 0, 0x80, 96, 0, 1, 0, 0, 0, 0, 0x11, 0x22, 0x33, 0x44, 1, 2, 3, 4, 5, 6, 7, 8, 9,  \
      10, 11, 12
#define UDP_RTCP 0x13, 0x89, 0x13, 0x8b, 0, 16, 0, 0, 0x80, 201, 0, 1, 0x11, 0x22, 0x33, 0x44
#define ADDRESSES4 10, 0, 0, 1, 10, 0, 0, 2
#define ADDRESSES6                                                                                                     \
  0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2

const FuzzSeed fuzz_seeds[] = {
    SEED (0x45, 0, 0, 52, 0, 1, 0x40, 0, 64, 17, 0, 0, ADDRESSES4, UDP_RTP),
    SEED (0x46, 2, 0, 56, 0, 1, 0, 0, 64, 17, 0, 0, ADDRESSES4, 1, 1, 1, 1, UDP_RTP),
    SEED (0x45, 1, 0, 36, 0, 1, 0, 0, 64, 17, 0, 0, ADDRESSES4, UDP_RTCP),
    SEED (0x45, 3, 0, 40, 0, 1, 0x20, 0, 64, 6, 0, 0, ADDRESSES4, UDP_RTCP, 1, 2, 3, 4),
    SEED (0x60, 0x20, 0, 0, 0, 32, 17, 64, ADDRESSES6, UDP_RTP),
    SEED (0x60, 0, 0, 0, 0, 24, 0, 64, ADDRESSES6, 17, 0, 1, 4, 0, 0, 0, 0, UDP_RTCP),
    SEED (0x60, 0x10, 0, 0, 0, 32, 44, 64, ADDRESSES6, 51, 0, 0, 0, 0, 0, 0, 1, 17, 0, 0, 0, 0, 0, 0, 0, UDP_RTCP),
    SEED (0x60, 0, 0, 0, 0, 24, 44, 64, ADDRESSES6, 17, 0, 0, 1, 0, 0, 0, 7, UDP_RTCP),
    {NULL, 0},
};

static const uint64_t key[2] = {1, 2};

/* The ones' complement sum over the header; 0xffff where the checksum is right. */
static uint32_t
header_sum (const uint8_t *packet)
{
  uint32_t sum = 0;

  for (size_t i = 0; i < (packet[0] & 15u) * 4; i += 2)
    sum += (uint32_t)(packet[i] << 8 | packet[i + 1]);
  while (sum >> 16)
    sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

static void
check_result (const IpPacket *p, size_t size)
{
  FUZZ_CHECK (p->version == 4 || p->version == 6);
  FUZZ_CHECK (p->media == (p->payload != IP_PAYLOAD_OTHER));
  FUZZ_CHECK (!p->media || (p->protocol == 17 && !p->fragment && p->payload_offset >= 28 && p->payload_size >= 8));
  FUZZ_CHECK (p->payload_offset <= size && p->payload_size <= size - p->payload_offset);
  FUZZ_CHECK (p->media || (p->payload_size == 0 && p->ssrc == 0));
}

/* Congestion experienced, the same packet otherwise, its checksum as right or wrong as before. */
static void
check_ce (uint8_t *packet, size_t size, const IpPacket *before)
{
  uint32_t sum = before->version == 4 ? header_sum (packet) : 0, sum_after;
  IpPacket after;

  FUZZ_CHECK (ip_set_ce (packet, size) == (before->ecn != IP_ECN_NOT_ECT));
  FUZZ_CHECK (ip_classify (packet, size, key, &after));
  FUZZ_CHECK (after.ecn == (before->ecn == IP_ECN_NOT_ECT ? IP_ECN_NOT_ECT : IP_ECN_CE));
  FUZZ_CHECK (after.flow == before->flow && after.media == before->media && after.payload == before->payload);
  if (before->version != 4)
    return;
  sum_after = header_sum (packet);
  FUZZ_CHECK (sum % 0xffff == sum_after % 0xffff);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  uint8_t *packet = fuzz_exact (data, size);
  IpPacket p;

  if (ip_classify (packet, size, key, &p)) {
    check_result (&p, size);
    check_ce (packet, size, &p);
  } else {
    FUZZ_CHECK (p.version == 0 && p.flow == 0 && !p.media);
    FUZZ_CHECK (!ip_set_ce (packet, size));
  }
  free (packet);
  return 0;
}
