/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: what is sent and what a receiver says of it, four bytes at a time, sizes and claims as they please. Whatever
   it is: a limit is no lower than the floor, comes of a packet that was sent, ends in time, and only falls until then.
 */
#include "pathmtu.h"
#include "fuzz.h"

#define FLOW 1

/* Two of 1400 bytes, which are lost, one of 1000, and a report. */
#define LOSES "\0\0\5\x78\0\0\5\x78\0\0\3\xe8\1\0\0\2"

const FuzzSeed fuzz_seeds[] = {
    {LOSES LOSES LOSES LOSES LOSES LOSES LOSES LOSES "\3\0\xff\xff", 132},
    {"\0\0\5\x78\0\0\3\xe8\1\0\0\1\2\0\0\7\0\0\5\x78\1\1\0\0\3\0\xff\xff\1\0\xff\xff", 32},
    {"\0\0\xff\xff\1\0\0\0\4\0\0\0\0\0\2\0\1\0\0\1", 20},
    {NULL, 0},
};

static PathMtu m;

typedef struct {
  uint32_t seq;
  int32_t lost;
  CcTime now;
  uint32_t largest;
} Stream;

static void
step (Stream *s, const uint8_t op[4])
{
  uint32_t value = (uint32_t)op[2] << 8 | op[3];

  switch (op[0] % 7) {
  case 0:
    path_mtu_on_sent (&m, FLOW, (uint16_t)++s->seq, value);
    if (value > s->largest)
      s->largest = value;
    break;
  case 1: /* op[1]: how far the report is behind */
    s->lost = (int32_t)((uint32_t)s->lost + (uint32_t)(int16_t)value);
    path_mtu_on_report (&m, FLOW, s->seq - op[1], s->lost, s->now);
    break;
  case 2:
    path_mtu_on_report (&m, op[1] % 2 ? FLOW : FLOW + 1, s->seq + value, (int32_t)(value << 16), s->now);
    break;
  case 3:
    s->now += value * CC_MSECOND;
    break;
  case 4:
    s->seq += (uint32_t)(int16_t)value;
    break;
  case 5:
    path_mtu_on_told (&m, value, s->now);
    break;
  default:
    path_mtu_on_sent (&m, FLOW + op[1] % 2, (uint16_t)s->seq, value);
    if (value > s->largest)
      s->largest = value;
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  Stream s = {.seq = 65000, .now = CC_SECOND};

  path_mtu_init (&m);
  for (size_t i = 0; i + 4 <= size; i += 4) {
    uint32_t before = path_mtu_limit (&m, s.now), limit;
    PathMtuLoss loss;

    step (&s, data + i);
    limit = path_mtu_limit (&m, s.now);
    path_mtu_take_loss (&m, s.now, &loss);
    FUZZ_CHECK (limit == 0 || (limit >= PATH_MTU_FLOOR && limit < s.largest && m.until - s.now <= PATH_MTU_LIFE));
    FUZZ_CHECK (before == 0 || limit <= before);
    FUZZ_CHECK (m.window <= PATH_MTU_SENT && path_mtu_limit (&m, m.until) == 0);
  }
  return 0;
}
