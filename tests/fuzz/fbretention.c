/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: what others say and what we want to say, four bytes at a time. Nothing is suppressed that nobody has said in
   time, and nothing for longer than a row. */
#include "fbretention.h"
#include "fuzz.h"

#define MAX_HEARD 2048

const FuzzSeed fuzz_seeds[] = {
    {"\0\0\0\5\1\0\0\5\2\0\0\0\1\0\0\5\3\0\0\5\1\0\0\5", 24},
    {"\0\3\x11\x22\1\3\x12\x21\0\3\x10\x28\1\3\x12\x21\1\3\x12\x21\1\3\x12\x21\1\3\x12\x21\1\3\x12\x21", 32},
    {"\0\2\0\0\1\1\0\0\4\1\0\0\1\1\0\0\2\0\x50\0\1\2\0\0\0\4\1\2\0\5\1\2\1\4\1\2", 36},
    {NULL, 0},
};

static FbRetention r;
static FbHeard heard[MAX_HEARD];
static unsigned n_heard;

static FbItem
item_of (unsigned kind, uint8_t a, uint8_t b)
{
  const RtcpSli slice = {(uint16_t)(1 + (a >> 4)), (uint16_t)(1 + (b >> 4)), (uint8_t)(a & 1)};
  const RtcpRpsi rpsi = {.payload_type = 96, .n_bits = (uint16_t)(1 + a % 16), .bits = {b, b}};
  const uint8_t bytes[] = {a, b, 0, 0};

  switch (kind % 6) {
  case FB_NACK:
    return fb_item_nack (a & 3, b);
  case FB_PLI:
    return fb_item_pli (a & 3);
  case FB_FIR:
    return fb_item_fir (a & 3);
  case FB_SLI:
    return fb_item_sli (b & 1, &slice);
  case FB_RPSI:
    return fb_item_rpsi (b & 1, &rpsi);
  default:
    return fb_item_application (a & 3, bytes, 1 + b % 4);
  }
}

static bool
said (const FbItem *mine, CcTime t0)
{
  for (unsigned i = 0; i < n_heard; i++) {
    const FbItem *h = &heard[i].item;
    bool inside = h->ssrc == mine->ssrc && h->kind == mine->kind;

    if (h->kind == FB_SLI)
      inside &=
          h->detail >> 32 == mine->detail >> 32 && (h->detail >> 16 & 0xffff) <= (mine->detail >> 16 & 0xffff) &&
          (h->detail >> 16 & 0xffff) + (h->detail & 0xffff) >= (mine->detail >> 16 & 0xffff) + (mine->detail & 0xffff);
    else
      inside &= h->detail == mine->detail;
    inside |= h->kind == FB_FIR && mine->kind == FB_PLI && h->ssrc == mine->ssrc;
    if (inside && heard[i].at + r.params.T_retention >= t0)
      return true;
  }
  return false;
}

static void
want (const FbItem *mine, CcTime t0)
{
  bool covers = fb_retention_covers (&r, mine, t0);

  FUZZ_CHECK (!covers || said (mine, t0));
  for (unsigned i = 0; i < r.params.max_in_a_row; i++)
    FUZZ_CHECK (!fb_retention_suppress (&r, mine, t0) || covers);
  FUZZ_CHECK (!fb_retention_suppress (&r, mine, t0));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput in = {data, data + size};
  FbRetentionParams params;
  CcTime now = CC_SECOND;

  fb_retention_params_init (&params);
  fb_retention_init (&r, &params);
  n_heard = 0;
  while (in.at < in.end && n_heard < MAX_HEARD) {
    unsigned what = fuzz_take (&in, 1) % 5, kind = fuzz_take (&in, 1);
    uint8_t a = (uint8_t)fuzz_take (&in, 1), b = (uint8_t)fuzz_take (&in, 1);
    FbItem item = item_of (kind, a, b);

    if (what == 0) {
      fb_retention_on_received (&r, &item, now);
      heard[n_heard++] = (FbHeard){.item = item, .at = now};
      FUZZ_CHECK (fb_retention_covers (&r, &item, now));
    } else if (what == 1) {
      want (&item, now);
    } else if (what == 2) {
      now += (CcTime)(a << 8 | b) * CC_MSECOND / 16;
    } else if (what == 3) {
      fb_retention_on_sent (&r, &item);
    } else {
      fb_retention_forget (&r, &item);
      FUZZ_CHECK (!fb_retention_covers (&r, &item, 0));
    }
  }
  return 0;
}
