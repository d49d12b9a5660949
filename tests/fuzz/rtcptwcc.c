/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: the FCI of a transport-wide feedback message. What the reader takes is told again by the writer. */
#include "rtcptwcc.h"
#include "fuzz.h"

const FuzzSeed fuzz_seeds[] = {
    {"\0\x64\0\7\0\0\x9c\0\x20\7\x40\x28\x28\x28\x28\x28\x28\0\0", 20},
    {"\0\x6b\0\x11\0\0\x9c\0\xac\xe3\xa8\0\x40\x14\x14\x14\x14\x14\x14\x14\x14\x14\0\0", 24},
    {"\0\x7c\0\5\0\0\x9c\0\xd9\x90\x40\1\x90\x3c\xff\xec\x19\0\0\0", 20},
    {"\0\1\0\x28\xff\xff\xff\1\xd0\0\0\x20\xe0\0\x40\1\x18\0\0\0", 20},
    {NULL, 0},
};

#define CYCLE ((uint64_t)1 << 24) /* so that no instant lies before zero */

static ArrivalHistory history;

/* Numbers rise, so nothing is late: one range. */
static bool
note (const RtcpTwccReader *message)
{
  RtcpTwccReader r = *message;
  RtcpTwccStatus status;
  unsigned n = 0;

  arrival_history_init (&history, 0);
  for (; rtcp_twcc_next (&r, &status); n++) {
    FUZZ_CHECK (status.seq == (uint16_t)(r.base_seq + n));
    if (status.received && n < ARRIVAL_HISTORY_SLOTS)
      arrival_history_on_packet (
          &history, status.seq, ARRIVAL_NOT_ECT, rtcp_twcc_arrival (&status, CYCLE + r.reference));
  }
  FUZZ_CHECK (n == r.status_count);
  return n <= ARRIVAL_HISTORY_SLOTS && history.jumps == 0;
}

static void
check_told_again (const RtcpTwccReader *message)
{
  RtcpTwccReader r = *message, again;
  RtcpTwccStatus status, told = {0};
  uint8_t *out = NULL;
  size_t written = 0;
  bool more = false;
  int64_t apart;

  while (rtcp_twcc_next (&r, &status)) {
    if (!status.received)
      continue;
    while (!more || !told.received) {
      more = out != NULL && rtcp_twcc_next (&again, &told);
      if (more)
        continue;
      free (out);
      out = fuzz_exact (NULL, 600);
      written = rtcp_twcc_write (out, 600, &history, 7);
      FUZZ_CHECK (written > 0 && written <= 600 && written % 4 == 0);
      FUZZ_CHECK (rtcp_twcc_open (&again, out, written));
      told.received = false;
      more = true;
    }
    FUZZ_CHECK (told.seq == status.seq);
    apart = (int64_t)(rtcp_twcc_arrival (&told, again.reference) - rtcp_twcc_arrival (&status, r.reference));
    FUZZ_CHECK (apart % (int64_t)(CYCLE * RTCP_TWCC_REFERENCE) == 0);
    told.received = false;
  }
  free (out);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  uint8_t *fci = fuzz_exact (data, size);
  RtcpTwccReader r;

  if (rtcp_twcc_open (&r, fci, size) && note (&r))
    check_told_again (&r);
  free (fci);
  return 0;
}
