/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: an FCI, handed to each parser; what a parser takes is written and parsed again. */
#include "rtcpfeedback.h"
#include "rtcprepair.h"
#include "fuzz.h"

const FuzzSeed fuzz_seeds[] = {
    {"\xde\xad\xbe\xef\0\0\x4e\x20\0\x01\xe8\x48\x04\0\0\0", 16},
    {"REMB\1\x0b\xd0\x90\x11\x22\x33\x44", 12},
    {"REMB\2\xff\xff\xff\x11\x22\x33\x44\x55\x66\x77\x88", 16},
    {"PATH\x11\0\0\0\xca\xfe\0\1\x17\xb9\xac\xa0\x02\xfa\xf0\x80\0\0\x75\x30", 24},
    {"REPR\x11\x7f\0\0\xca\xfe\0\1", 12},
    {"REPR\x12\x7e\0\0\xca\xfe\0\1\0\x40\1\x2c", 16},
    {NULL, 0},
};

static void
check_tfrc (const uint8_t *fci, size_t size)
{
  TfrcReport report;
  uint8_t out[RTCP_FB_TFRC_SIZE];

  if (!rtcp_fb_tfrc_parse (fci, size, &report))
    return;
  FUZZ_CHECK (report.p >= 0 && report.p <= 1 && report.X_recv >= 0);
  FUZZ_CHECK (rtcp_fb_tfrc_write (out, sizeof out - 1, &report) == 0);
  FUZZ_CHECK (rtcp_fb_tfrc_write (out, sizeof out, &report) == sizeof out);
  FUZZ_CHECK (memcmp (out, fci, sizeof out) == 0);
}

static void
check_repair (const uint8_t *fci, size_t size)
{
  RtcpRepair repair, back;
  uint8_t out[RTCP_REPAIR_SIZE_MAX];

  if (!rtcp_repair_parse (fci, size, &repair))
    return;
  FUZZ_CHECK (rtcp_repair_payload_type_is_usable (repair.payload_type));
  FUZZ_CHECK (rtcp_repair_write (out, size - 1, &repair) == 0);
  FUZZ_CHECK (rtcp_repair_write (out, size, &repair) == size);
  FUZZ_CHECK (rtcp_repair_parse (out, size, &back));
  FUZZ_CHECK (back.kind == repair.kind && back.ssrc == repair.ssrc && back.payload_type == repair.payload_type);
  FUZZ_CHECK (back.share == repair.share && back.span == repair.span);
}

static void
check_remb (const uint8_t *fci, size_t size)
{
  RtcpRemb remb, back;
  size_t written;
  uint8_t *out;

  if (!rtcp_fb_remb_parse (fci, size, &remb))
    return;
  FUZZ_CHECK (remb.n_ssrcs <= RTCP_FB_REMB_MAX_SSRCS);
  written = 8 + 4 * (size_t)remb.n_ssrcs;
  out = fuzz_exact (NULL, written);
  FUZZ_CHECK (rtcp_fb_remb_write (out, written - 1, &remb) == 0);
  FUZZ_CHECK (rtcp_fb_remb_write (out, written, &remb) == written);
  FUZZ_CHECK (rtcp_fb_remb_parse (out, written, &back));
  /* a value past 64 bits saturates once, to what 18 bits of mantissa hold */
  FUZZ_CHECK (back.bitrate_bps == (remb.bitrate_bps == UINT64_MAX ? 0x3ffffull << 46 : remb.bitrate_bps));
  FUZZ_CHECK (back.n_ssrcs == remb.n_ssrcs && memcmp (back.ssrcs, remb.ssrcs, 4 * remb.n_ssrcs) == 0);
  free (out);
}

static uint64_t
holdable (uint64_t rate)
{
  return rate == UINT64_MAX ? 0x3ffffffull << 38 : rate;
}

static void
check_path (const uint8_t *fci, size_t size)
{
  RtcpPath path, back;
  uint8_t out[RTCP_FB_PATH_SIZE];

  if (!rtcp_fb_path_parse (fci, size, &path))
    return;
  FUZZ_CHECK (rtcp_fb_path_write (out, sizeof out - 1, &path) == 0);
  FUZZ_CHECK (rtcp_fb_path_write (out, sizeof out, &path) == sizeof out);
  FUZZ_CHECK (rtcp_fb_path_parse (out, sizeof out, &back));
  FUZZ_CHECK (back.kind == path.kind && back.hop == path.hop && back.owner == path.owner &&
              back.queue_delay == path.queue_delay);
  FUZZ_CHECK (back.rate_bps == holdable (path.rate_bps) && back.capacity_bps == holdable (path.capacity_bps));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  uint8_t *fci = fuzz_exact (data, size);

  check_tfrc (fci, size);
  check_remb (fci, size);
  check_path (fci, size);
  check_repair (fci, size);
  free (fci);
  return 0;
}
