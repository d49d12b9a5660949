/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: the FCI of TMMBR or TMMBN. Written and read again it is the same; the bounding set allows what all entries
   together do; a sender asked for them one by one limits as they say. */
#include "tmmbrset.h"
#include "fuzz.h"
#include <math.h>

const FuzzSeed fuzz_seeds[] = {
    {"\x11\x22\x33\x44\x0f\xd0\x90\x28\x55\x66\x77\x88\x01\x11\x71\xff", 16},
    {"\0\0\0\1\x01\x11\x70\x28\0\0\0\2\x01\x38\x80\x3c", 16},
    {"\0\0\0\1\xff\xff\xfe\0\0\0\0\2\xfc\0\0\1", 16},
    {NULL, 0},
};

#define MOST (2 * TMMBR_SET_TUPLES)

static void
check_round_trip (const RtcpTmmb *entry)
{
  uint8_t out[RTCP_TMMB_ENTRY_SIZE];
  RtcpTmmb back;

  FUZZ_CHECK (rtcp_tmmb_write (out, sizeof out - 1, entry, 1) == 0);
  FUZZ_CHECK (rtcp_tmmb_write (out, sizeof out, entry, 1) == sizeof out);
  back = rtcp_tmmb_entry (out, 0);
  FUZZ_CHECK (back.ssrc == entry->ssrc && back.overhead_bytes == entry->overhead_bytes);
  FUZZ_CHECK (back.bitrate_bps == rtcp_tmmb_rounded (entry->bitrate_bps));
}

static bool
same (double a, double b)
{
  return a == b || fabs (a - b) <= 1e-6 * fmax (fabs (a), fabs (b)) + 1e-3;
}

static void
check_set (const RtcpTmmb *entries, unsigned n)
{
  static const double packet_rates[] = {0, 0.1, 1, 10, 31.25, 50, 100, 1000, 1e4, 1e6};
  RtcpTmmb set[MOST];
  unsigned n_set = tmmbr_bounding_set (entries, n, 0, set);

  FUZZ_CHECK (n_set <= n && (n == 0) == (n_set == 0));
  for (unsigned i = 0; i < sizeof packet_rates / sizeof *packet_rates; i++)
    FUZZ_CHECK (same (tmmbr_net_rate (set, n_set, packet_rates[i]), tmmbr_net_rate (entries, n, packet_rates[i])));
}

static void
check_sender (const RtcpTmmb *entries, unsigned n)
{
  RtcpTmmb out[TMMBR_SET_TUPLES];
  TmmbrReceiver receiver;
  TmmbrSender s;
  CcTime now = 0;

  tmmbr_sender_init (&s);
  tmmbr_receiver_init (&receiver);
  for (unsigned i = 0; i < n; i++, now += entries[i - 1].ssrc % 300 * CC_MSECOND) {
    double before = tmmbr_sender_limit (&s, 30, 0, now);
    bool removes = entries[i].overhead_bytes % 8 == 7;

    if (removes)
      tmmbr_sender_remove (&s, entries[i].ssrc, now);
    else
      tmmbr_sender_on_request (&s, entries[i].ssrc, entries[i].bitrate_bps, entries[i].overhead_bytes, now);
    FUZZ_CHECK (s.n_tuples <= TMMBR_SET_TUPLES && s.n_set <= s.n_tuples && s.n_held <= TMMBR_SET_TUPLES);
    /* no change lets the rate rise there and then */
    FUZZ_CHECK (tmmbr_sender_limit (&s, 30, 0, now) <= before * (1 + 1e-9) + 1e-3);
    if (s.owes_tmmbn)
      tmmbr_receiver_on_notification (
          &receiver, out, tmmbr_sender_notification (&s, 50 * CC_MSECOND, 20 * CC_MSECOND, now, out));
    FUZZ_CHECK (!s.owes_tmmbn);
    tmmbr_receiver_may_ask (&receiver, entries[i].ssrc, entries[i].bitrate_bps, entries[i].overhead_bytes);
  }
  now += 200 * CC_MSECOND;
  FUZZ_CHECK (same (tmmbr_sender_limit (&s, 30, 0, now), tmmbr_net_rate (s.tuples, s.n_tuples, 30)));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  uint8_t *fci = fuzz_exact (data, size);
  RtcpTmmb entries[MOST];
  unsigned n = rtcp_tmmb_count (size);

  n = n < MOST ? n : MOST;
  for (unsigned i = 0; i < n; i++) {
    entries[i] = rtcp_tmmb_entry (fci, i);
    check_round_trip (&entries[i]);
  }
  check_set (entries, n);
  check_sender (entries, n);
  free (fci);
  return 0;
}
