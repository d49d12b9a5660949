/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: packets, each a byte of flags (1 marker; the others: how far time goes on), a byte of size and so many bytes.
 */
#include "rtppayloadfit.h"
#include "fuzz.h"

#define SEED(...)                                                                                                      \
  {                                                                                                                    \
    (const uint8_t[]){__VA_ARGS__}, sizeof ((const uint8_t[]){__VA_ARGS__})                                            \
  }

const FuzzSeed fuzz_seeds[] = {
    SEED (0, 2, 0x7c, 0x85, 1, 2, 0x7c, 0x45, 1, 2, 0x41, 0x9a),
    SEED (1, 3, 19 << 1, 1, 0, 1, 3, 49 << 1, 1, 0x93),
    SEED (1, 7, 0x10, 0x50, 0, 0, 0x9d, 0x01, 0x2a, 1, 5, 0x90, 0x80, 0x81, 0x01, 0x51),
    SEED (1, 10, 0x0a, 0x18, 1, 64, 0, 240, 1, 0x04, 0x01, 0x82, 1, 5, 0xdc, 0x01, 0x03, 0x02, 0x82),
    SEED (1, 4, 0x20, 0x02, 6 << 3, 0, 1, 2, 0x18, 1 << 3),
    SEED (0, 9, 0, 0, 0, 0, 1, 85, 40, 30, 0xff, 1, 9, 0, 0, 4, 0xb0, 1, 85, 40, 30, 0xff),
    {NULL, 0},
};

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput in = {data, data + size};
  RtpPayloadTally t = {0};
  uint32_t timestamp = 0;

  while (in.at < in.end) {
    unsigned flags = fuzz_take (&in, 1);
    size_t wanted = fuzz_take (&in, 1), left = (size_t)(in.end - in.at), n = wanted < left ? wanted : left;
    uint8_t *payload = fuzz_exact (in.at, n);

    timestamp += 480 * (flags >> 1);
    rtp_payload_tally_add (&t, payload, n, flags & 1, timestamp);
    free (payload);
    in.at += n;
  }
  for (int i = 0; i < RTP_PAYLOAD_FORMATS; i++) {
    FUZZ_CHECK (t.fit[i] <= t.packets && t.begins_fit[i] <= t.begins && t.begins_fit[i] <= t.fit[i]);
    FUZZ_CHECK (!rtp_payload_tally_refutes (&t, i) || rtp_payload_tally_guess (&t) != i);
  }
  FUZZ_CHECK (t.repeats + t.opus_steps <= t.packets);
  FUZZ_CHECK (rtp_payload_tally_guess (&t) < 0 || rtp_payload_tally_is_full (&t));
  return 0;
}
