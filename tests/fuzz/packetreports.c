/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: what becomes of each packet of two streams, and when a report leaves, of which kind, cut how, or forged. All
   that arrived in the history's window is told once by TWCC; whatever is told, the rate at the other end stays within
   its limits and p within [0, 1]. */
#include "ccpacketfeedback.h"
#include "fuzz.h"

const FuzzSeed fuzz_seeds[] = {
    {"\0\0\0\0\0\0\0\0\0\x40\0\0\0\x10\0\0\x40\0\0\0\x20\0\0\x50", 24},
    {"\0\x01\0\x02\x30\0\0\0\x50\0\0\0\0\0\x51\0\0\0\0\x60\x22\0\0\x41", 24},
    {"\0\0\0\0\x70\0\0\1\x80\x01\x70\xff\xff\xff\0\0\0\0\x52\0\0\0\0\x43", 24},
    {NULL, 0},
};

#define CLOCK (1000 * CC_SECOND)

static struct {
  ArrivalHistory streams[2], all;
  CcPacketFeedback feedback;
  CcPacketVerdict verdict;
  CcTime now;
  uint16_t seq[2];
  uint8_t fb_pkt_count;
  unsigned known, told; /* arrivals in the history of all, and those of them in messages */
  bool forged;
} m;

static void
check_verdict (bool is_new)
{
  const PathRateParams *limits = &m.feedback.path.params;

  FUZZ_CHECK (m.feedback.told >= m.feedback.known);
  if (!is_new)
    return;
  FUZZ_CHECK (m.verdict.tfrc.p >= 0 && m.verdict.tfrc.p <= 1);
  FUZZ_CHECK (m.verdict.tfrc.X_recv >= 0 && m.verdict.tfrc.X_recv < 1e12);
  FUZZ_CHECK (m.verdict.path.rate_Bps >= limits->min_Bps && m.verdict.path.rate_Bps <= limits->max_Bps);
  FUZZ_CHECK (m.verdict.tfrc.t_recvdata <= m.now);
}

static void
take_ccfb (const uint8_t *body, size_t size)
{
  RtcpCcfbReader reader;

  if (rtcp_ccfb_open (&reader, body, size))
    check_verdict (cc_packet_feedback_on_ccfb (&m.feedback, &reader, 50 * CC_MSECOND, 1000, m.now, &m.verdict));
}

static unsigned
take_twcc (const uint8_t *fci, size_t size)
{
  RtcpTwccReader reader, count;
  RtcpTwccStatus status;
  unsigned n = 0;

  if (!rtcp_twcc_open (&reader, fci, size))
    return 0;
  for (count = reader; rtcp_twcc_next (&count, &status);)
    n += status.received;
  check_verdict (cc_packet_feedback_on_twcc (&m.feedback, &reader, 50 * CC_MSECOND, 1000, m.now, &m.verdict));
  return n;
}

static void
send_packet (unsigned how)
{
  unsigned stream = how & 1;
  CcTime at = m.now + CLOCK - (how & 0x0e) * CC_MSECOND;
  ArrivalEcn ecn = (how & 0x0f) == 0x0f ? ARRIVAL_CE : ARRIVAL_NOT_ECT;

  if ((how & 0x30) != 0x30) {
    m.known += arrival_history_on_packet (&m.all, cc_packet_feedback_number (&m.feedback), ecn, at) == ARRIVAL_NEW;
    arrival_history_on_packet (&m.streams[stream], m.seq[stream], ecn, at);
  }
  cc_packet_feedback_on_sent (&m.feedback, stream, m.seq[stream]++, 100 + how * 8, (uint32_t)(m.now >> 24), m.now);
}

static void
report_ccfb (unsigned how)
{
  size_t capacity = how & 8 ? 24 : 1000;
  uint8_t *body = fuzz_exact (NULL, capacity);
  CcTime theirs = m.now + CLOCK;
  RtcpCcfbWriter writer;

  rtcp_ccfb_begin (&writer, body, capacity, theirs);
  if (rtcp_ccfb_add (&writer, 0, &m.streams[0]))
    rtcp_ccfb_add (&writer, 1, &m.streams[1]);
  take_ccfb (body, rtcp_ccfb_end (&writer, (uint32_t)((theirs << 16) / CC_SECOND)));
  free (body);
}

static void
report_twcc (unsigned how)
{
  size_t capacity = how & 8 ? 16 : 1000;
  uint8_t *fci = fuzz_exact (NULL, capacity);
  size_t size = rtcp_twcc_write (fci, capacity, &m.all, m.fb_pkt_count++);

  FUZZ_CHECK (size <= capacity);
  if (size > 0)
    m.told += take_twcc (fci, size);
  free (fci);
}

static void
forge (FuzzInput *in, bool twcc)
{
  uint8_t bytes[64];

  for (unsigned i = 0; i < sizeof bytes; i++)
    bytes[i] = (uint8_t)fuzz_take (in, 1);
  m.forged = true;
  if (twcc)
    take_twcc (bytes, sizeof bytes);
  else
    take_ccfb (bytes, 4 * (size_t)(bytes[63] % 16));
}

static void
operate (FuzzInput *in)
{
  unsigned op = fuzz_take (in, 1);

  switch (op >> 4) {
  case 4:
    m.now += (op & 0x0f) * (op & 0x0f) * 10 * CC_MSECOND;
    report_ccfb (op);
    break;
  case 5:
    m.now += (op & 0x0f) * (op & 0x0f) * 10 * CC_MSECOND;
    report_twcc (op);
    break;
  case 6:
    m.now += fuzz_take (in, 2) * CC_MSECOND;
    break;
  case 7:
    forge (in, op & 1);
    break;
  case 8:
    arrival_history_on_packet (&m.streams[op & 1], (uint16_t)fuzz_take (in, 2), ARRIVAL_ECT_0, m.now + CLOCK);
    break;
  default:
    m.now += (op >> 4) * CC_MSECOND;
    send_packet (op);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput in = {data, data + size};
  CcPacketFeedbackParams params;

  memset (&m, 0, sizeof m);
  m.now = 100 * CC_SECOND;
  for (unsigned i = 0; i < 2; i++)
    arrival_history_init (&m.streams[i], 16 * i);
  arrival_history_init (&m.all, 0);
  cc_packet_feedback_params_init (&params);
  cc_packet_feedback_init (&m.feedback, &params);
  while (in.at < in.end)
    operate (&in);
  for (unsigned i = 0; i < 4 * ARRIVAL_HISTORY_SLOTS && m.told < m.known; i++)
    report_twcc (0);
  FUZZ_CHECK (m.told + m.all.overrun >= m.known && m.told <= m.known);
  return 0;
}
