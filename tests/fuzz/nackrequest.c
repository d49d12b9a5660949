/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: what happens to one source, three bytes at a time: packets, wishes, requests of others, time. Whatever it is,
   the list stays sorted and bounded, no number is asked for too often or too soon, and waiting makes progress. */
#include "nackrequest.h"
#include "fuzz.h"

const FuzzSeed fuzz_seeds[] = {
    {"\0\0\1\0\0\1\0\0\3\0\0\1\0\0\1\5\0\1\6\0\0\5\0\x40\6\0\0", 27},
    {"\0\0\1\0\0\x20\1\0\4\2\0\5\3\0\6\5\0\x10\6\0\0\0\2\0\0\x7f\xff\5\2\0\6\0\0", 33},
    {"\0\0\1\0\1\xff\0\0\1\0\0\1\0\0\1\6\0\0\5\0\xff\6\0\0\7\0\0\0\0\1", 30},
    {NULL, 0},
};

static NackRequest n, again;
static uint16_t seqs[NACK_REQUEST_MAX_MISSING + 1];

static NackMissing *
entry_of (uint16_t seq)
{
  for (unsigned i = 0; i < n.n_missing; i++)
    if ((uint16_t)n.missing[i].seq == seq)
      return &n.missing[i];
  return NULL;
}

static void
check (CcTime now)
{
  FUZZ_CHECK (n.n_missing <= NACK_REQUEST_MAX_MISSING);
  for (unsigned i = 0; i < n.n_missing; i++) {
    FUZZ_CHECK (i == 0 || (int32_t)(n.missing[i].seq - n.missing[i - 1].seq) > 0);
    FUZZ_CHECK (n.missing[i].tries <= n.params.max_tries && n.missing[i].others <= n.params.max_others);
    FUZZ_CHECK (n.missing[i].at <= now);
  }
  /* what is kept is what a look at everything says */
  again = n;
  nack_request_set_rtt (&again, n.rtt);
  FUZZ_CHECK (again.next == n.next);
  FUZZ_CHECK ((nack_request_next_timeout (&n) == CC_TIME_NONE) == (n.n_missing == 0));
}

static void
ask (CcTime now, unsigned capacity)
{
  unsigned count;

  seqs[capacity] = 0xabcd;
  count = nack_request_take_due (&n, seqs, capacity, now);
  FUZZ_CHECK (count <= capacity && seqs[capacity] == 0xabcd);
  FUZZ_CHECK (count > 0 || capacity == 0 || nack_request_next_timeout (&n) > now);
  for (unsigned i = 0; i < count; i++) {
    const NackMissing *m = entry_of (seqs[i]);

    FUZZ_CHECK (m != NULL && m->tries < n.params.max_tries && m->deadline > now);
    FUZZ_CHECK (m->tries == 0 || now - m->at >= n.params.min_interval);
    FUZZ_CHECK (m->tries == 0 || now - m->at >= n.rtt);
    FUZZ_CHECK (now + n.rtt + n.rtcp_delay <= m->deadline);
  }
  nack_request_on_sent (&n, seqs, count, now);
}

static void
step (unsigned kind, uint32_t value, uint32_t *seq, CcTime *now)
{
  switch (kind) {
  case 0:
    *seq += (uint32_t)(int16_t)value;
    nack_request_on_packet (&n, *seq, *now);
    break;
  case 1:
    nack_request_want (&n, (uint16_t)(*seq + value), value & 1 ? CC_TIME_NONE : *now + value * CC_USECOND, *now);
    break;
  case 2:
    nack_request_on_asked_by_other (&n, (uint16_t)(*seq - value), *now);
    break;
  case 3:
    nack_request_set_rtt (&n, value * 10 * CC_USECOND);
    break;
  case 4:
    nack_request_set_rtcp_delay (&n, value * 10 * CC_USECOND);
    break;
  case 5:
    *now += value * 100 * CC_USECOND;
    break;
  case 6:
    ask (*now, value % (NACK_REQUEST_MAX_MISSING + 1));
    ask (*now, NACK_REQUEST_MAX_MISSING);
    break;
  default:
    if (value % 16 == 0)
      nack_request_restart (&n);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput in = {data, data + size};
  NackRequestParams params;
  uint32_t seq = fuzz_take (&in, 1) << 25;
  CcTime now = CC_SECOND;

  nack_request_params_init (&params);
  params.watch_gaps = size % 5 != 4;
  nack_request_init (&n, &params);
  while (in.at < in.end) {
    unsigned kind = fuzz_take (&in, 1) % 8;

    step (kind, fuzz_take (&in, 2), &seq, &now);
    check (now);
  }
  return 0;
}
