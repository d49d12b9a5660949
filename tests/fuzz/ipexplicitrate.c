/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: an extension id and a rate, then a raw IP packet. */
#include "fuzz.h"
#include "ipexplicitrate.h"

#define HEAD 4
#define SEED(...)                                                                                                      \
  {                                                                                                                    \
    (const uint8_t[]){__VA_ARGS__}, sizeof ((const uint8_t[]){__VA_ARGS__})                                            \
  }
#define RTP_UNSET 0x90, 96, 0, 1, 0, 0, 0, 0, 0x11, 0x22, 0x33, 0x44
#define IPV4(total) 0x45, 0, 0, total, 0, 1, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2
#define UDP(length) 0x13, 0x88, 0x13, 0x8a, 0, length, 0x12, 0x34

const FuzzSeed fuzz_seeds[] = {
    SEED (10, 0, 0x10, 0, IPV4 (52), UDP (32), RTP_UNSET, 0xbe, 0xde, 0, 2, 0xa5, 0xff, 0xff, 0xff, 0, 0, 0x10, 0),
    SEED (10, 0, 0x10, 0, IPV4 (52), UDP (32), RTP_UNSET, 0x10, 0, 0, 2, 10, 6, 0xff, 0xff, 0xff, 0, 0, 0x10),
    SEED (10, 0, 0, 1, 0x60, 0, 0, 0, 0, 32, 17, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 2, UDP (32), RTP_UNSET, 0xbe, 0xde, 0, 2, 0xa5, 0x0b, 0xd0, 0x90, 0xca, 0xfe, 0x10,
        0),
    {NULL, 0},
};

/* Of the datagram's bytes, odd last one included. */
static uint32_t
sum_of (const uint8_t *bytes, size_t size)
{
  uint32_t sum = 0;

  for (size_t i = 0; i < size; i++)
    sum += i & 1 ? bytes[i] : (uint32_t)bytes[i] << 8;
  return sum;
}

static void
lower (uint8_t *packet, size_t size, const IpPacket *p, unsigned id, double rate)
{
  uint8_t *before = fuzz_exact (packet, size), *udp = packet + p->payload_offset - 8;
  bool none = p->media && udp[6] == 0 && udp[7] == 0;
  ErfVerdict foreseen = ip_explicit_rate_peek (packet, p, id, rate), verdict;

  FUZZ_CHECK (memcmp (packet, before, size) == 0);
  verdict = ip_explicit_rate_lower (packet, p, id, rate, 0xcafe);
  FUZZ_CHECK (verdict == foreseen);
  FUZZ_CHECK (verdict == ERF_LOWERED || memcmp (packet, before, size) == 0);
  FUZZ_CHECK (verdict != ERF_LOWERED || ip_explicit_rate_peek (packet, p, id, rate) == ERF_KEPT);
  if (verdict == ERF_LOWERED && !none)
    FUZZ_CHECK (
        sum_of (udp, p->payload_size + 8) % 0xffff == sum_of (before + (udp - packet), p->payload_size + 8) % 0xffff);
  if (verdict == ERF_LOWERED && none)
    FUZZ_CHECK (udp[6] == 0 && udp[7] == 0);
  free (before);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const uint64_t key[2] = {1, 2};
  uint8_t *packet;
  IpPacket p;

  if (size < HEAD)
    return 0;
  packet = fuzz_exact (data + HEAD, size - HEAD);
  if (ip_classify (packet, size - HEAD, key, &p))
    lower (packet, size - HEAD, &p, data[0], (double)(data[1] << 16 | data[2] << 8 | data[3]) * 64);
  free (packet);
  return 0;
}
