/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stateful, and what is asked is availability: a call between two honest ends, and in its middle three seconds of a
   stranger, who sends either of them what the input says, from addresses of his own. He may know every SSRC and number.
   Input: whether he comes before the call instead, then operations, each a byte that says which, followed by its
   numbers.

   Held against the same call undisturbed: all of its packets are played, its receiver reports no less than 90 % as
   often, the rate its sender is told is the same within 10 %; where he came first it is played five seconds later. No
   stranger is sent more than three times what he sent; memory stays bounded and comes back. */
#include "fuzz.h"
#include "participantcall.h"
#include "rtcpsizeloss.h"
#include "rtcpweight.h"

#define WARM_UP (3 * CC_SECOND)
#define ATTACK (3 * CC_SECOND)
#define AFTER CC_SECOND
#define CALL_AFTER (10 * CC_SECOND) /* where the stranger came first */
#define LEAST_PLAYED 240            /* of its 500 packets: a silent peer is waited for 5 s at most (rtppeer.c) */
#define MEMORY_MAX (8u << 20)
#define STRANGERS 4
#define SMALLEST_RTP 12
#define HEADERS 28

enum {
  OP_WAIT,
  OP_RTP,
  OP_CSRCS,
  OP_RTCP_BYTES,
  OP_REPORT,
  OP_BYE,
  OP_LIMIT,
  OP_REMB,
  OP_REQUEST,
  OP_NAME,
  OP_SIZES,
  OP_USER,
  OPS
};

#define SEED(bytes)                                                                                                    \
  {                                                                                                                    \
    bytes, sizeof (bytes) - 1                                                                                          \
  }

const FuzzSeed fuzz_seeds[] = {
    /* a stream of another SSRC, the media's SSRC from elsewhere, CSRCs */
    SEED ("\0\1\3\0\0\1\3\1\0\1\3\2\0\1\0\0\0\0\x10\1\0\1\0\2\x0f\3\0\0\2\x0f\3\1\0"),
    /* limits and requests about both SSRCs */
    SEED ("\0\6\1\0\0\0\0\6\1\0\0\0\x08\7\1\0\0\1\0\x08\1\0\0\1\x08\0\x20\5\1\0\0\0\0\x09\1\0\0\1\0"),
    /* RTCP as it comes: an RR with an APP behind it; before the call */
    SEED ("\1\3\x14\x80\xc9\0\1\0\0\0\1\x80\xcc\0\2\0\0\0\1"
          "abcd\0\0\x32\x0a\3"),
    /* a stream in sequence before the call */
    SEED ("\1\1\3\0\0\1\3\1\0\1\3\2\0\1\3\3\0\0\xff\1\3\4\0\1\3\5\0\0\xff\1\3\6\0\1\3\7\0"),
    SEED ("\0\x0b\0\x0b\1\x0b\2\x0b\3\0\x10"),
    /* losses excused that are none of his */
    SEED ("\0\x0a\0\0\1\x2c\0\x0a\0\1\0\x64\0\x0a\1\0\0\x32\x08"),
    {NULL, 0},
};

typedef struct {
  unsigned played, reports;
  double wire_bps;
} Outcome;

static Call call;
static uint64_t operations, bytes_in;

static void
say_operations (void)
{
  fprintf (stderr, "stat::operations: %llu\n", (unsigned long long)operations);
}

static void
begin (void)
{
  RtpSettings settings;

  rtp_settings_init (&settings);
  settings.auto_nack = settings.single_stream = settings.repair = true;
  strcpy (settings.cname, "honest");
  call_begin (&call, &settings, &settings);
  call.lose_every = 100;
  bytes_in = 0;
}

static Outcome
end (void)
{
  Outcome o = {.played = call.watcher.played,
      .reports = call.watcher.rtcp_sent,
      .wire_bps = call.caller.last[RTP_EVENT_RATE].rate.wire_bps};

  operations += call.caller.core.stats.rtcp_received + call.watcher.core.stats.packets +
                call.watcher.core.stats.rtcp_received + call.caller.core.stats.rtcp_sent + call.watcher.rtcp_sent;
  call_clear (&call);
  FUZZ_CHECK (call_memory == 0);
  return o;
}

/* ---- the stranger ---- */

static uint32_t
some_ssrc (FuzzInput *in)
{
  switch (fuzz_take (in, 1) % 4) {
  case 0:
    return CALL_MEDIA;
  case 1:
    return call.watcher.core.locals.locals[0].ssrc;
  case 2:
    return fuzz_take (in, 2);
  default:
    return call.watcher.core.repair.ssrc; /* that was offered for packets sent again */
  }
}

static void
say (FuzzInput *in, bool rtcp, const uint8_t *bytes, size_t size)
{
  unsigned which = fuzz_take (in, 1);
  RtpAddress from = call_stranger;
  bool played;

  from.bytes[3] = (uint8_t)(from.bytes[3] + which % STRANGERS);
  from.port = (uint16_t)(from.port + which / 16);
  bytes_in += size + HEADERS;
  operations++;
  FUZZ_CHECK (call_memory <= MEMORY_MAX);
  played = call_hand_over (&call, which & 8 ? &call.caller : &call.watcher, &from, rtcp, bytes, size);
  FUZZ_CHECK (!played || call.silent); /* before the call he may be the caller */
}

static void
say_rtp (FuzzInput *in, unsigned csrcs)
{
  uint8_t bytes[SMALLEST_RTP + 4 * 15 + 1] = {0};
  uint32_t ssrc = some_ssrc (in);
  unsigned i;

  bytes[0] = (uint8_t)(0x80 | csrcs);
  bytes[1] = 96;
  rtcp_put_u16 (bytes + 2, (uint16_t)(call.seq + (int8_t)fuzz_take (in, 1)));
  rtcp_put_u32 (bytes + 8, ssrc);
  for (i = 0; i < csrcs; i++)
    rtcp_put_u32 (bytes + SMALLEST_RTP + 4 * i, ssrc + 1 + i);
  say (in, false, bytes, SMALLEST_RTP + 4 * csrcs + 1);
}

static void
say_bytes (FuzzInput *in)
{
  size_t size = fuzz_take (in, 1), left = (size_t)(in->end - in->at);
  const uint8_t *at = in->at;

  size = size < left ? size : left;
  in->at += size;
  say (in, true, at, size);
}

static void
say_rtcp (FuzzInput *in, unsigned op)
{
  uint8_t bytes[RTCP_MTU];
  uint32_t sender = some_ssrc (in), about = some_ssrc (in);
  RtcpTmmb limit = {.ssrc = about, .bitrate_bps = fuzz_take (in, 2), .overhead_bytes = 40};
  RtcpRemb remb = {.n_ssrcs = 1, .ssrcs = {about}, .bitrate_bps = limit.bitrate_bps};
  RtcpReportBlock blocks[31];
  RtcpWriter w;
  unsigned i;

  for (i = 0; i < 31; i++)
    blocks[i] = (RtcpReportBlock){.ssrc = about + i, .fraction_lost = 255, .ext_highest_seq = call.seq};
  rtcp_writer_init (&w, bytes, sizeof bytes);
  rtcp_add_rr (&w, sender, blocks, op == OP_REPORT ? 31 - 30 * (limit.bitrate_bps & 1) : 0);
  if (op == OP_NAME)
    rtcp_add_cname (&w, sender, limit.bitrate_bps & 1 ? "honest" : "stranger");
  if (op == OP_BYE)
    rtcp_add_bye (&w, &about, 1);
  if (op == OP_LIMIT)
    rtcp_add_tmmbr (&w, sender, &limit, 1);
  if (op == OP_REMB)
    rtcp_add_remb (&w, sender, &remb);
  if (op == OP_SIZES) {
    const RtcpSizeLoss loss = {(uint16_t)(call.seq - limit.bitrate_bps % 600), call.seq};
    uint8_t fci[RTCP_SIZE_LOSS_SIZE];

    rtcp_add_afb (&w, sender, about, fci, rtcp_size_loss_write (fci, sizeof fci, &loss));
    rtcp_add_afb (&w, sender, about, fci, rtcp_weight_write (fci, sizeof fci, limit.bitrate_bps / 256.0));
  }
  if (op == OP_REQUEST) {
    uint16_t seq = (uint16_t)(call.seq - 3);

    rtcp_add_pli (&w, sender, about);
    rtcp_add_fir (&w, sender, about, (uint8_t)limit.bitrate_bps);
    rtcp_add_nack (&w, sender, about, &seq, 1, NULL);
  }
  say (in, true, bytes, w.size);
}

/* The honest receiver's application at the same time. */
static void
use (FuzzInput *in)
{
  static const uint8_t fci[8] = {0, 8, 2, 0xc5, 1, 2, 3, 4};
  RtpAppFeedback fb = {.type = RTCP_PSFB, .fmt = 2, .media = CALL_MEDIA, .fci = fci, .size = 4, .max_delay = CC_SECOND};
  RtpWantedPacket wanted = {.seq = (uint16_t)(call.seq - 5), .deadline = call.now + CC_SECOND};

  operations++;
  switch (fuzz_take (in, 1) % 4) {
  case 0:
    rtp_participant_want_key_unit (&call.watcher.core, false, 0, true, call.now);
    break;
  case 1:
    rtp_participant_want_packet (&call.watcher.core, &wanted, call.now);
    break;
  case 2:
    rtp_participant_queue_feedback (&call.watcher.core, &fb, call.now);
    break;
  default:
    rtp_participant_request_report (&call.watcher.core, CC_SECOND, call.now);
  }
}

static void
operate (FuzzInput *in)
{
  unsigned op = fuzz_take (in, 1) % OPS;

  switch (op) {
  case OP_WAIT:
    call_run (&call, fuzz_take (in, 1) * CC_MSECOND / 2);
    break;
  case OP_RTP:
    say_rtp (in, 0);
    break;
  case OP_CSRCS:
    say_rtp (in, fuzz_take (in, 1) % 16);
    break;
  case OP_RTCP_BYTES:
    say_bytes (in);
    break;
  case OP_USER:
    use (in);
    break;
  default:
    say_rtcp (in, op);
  }
}

static void
run_before (FuzzInput *in)
{
  CcTime attack_ends = CALL_START + ATTACK;

  begin ();
  call.silent = true;
  while (in->at < in->end && call.now < attack_ends)
    operate (in);
  call_run_until (&call, attack_ends);
  FUZZ_CHECK (call.caller.bytes_to[2] + call.watcher.bytes_to[2] <= 3 * bytes_in);
  call.silent = false;
  call.next_rtp = call.now;
  call_run (&call, CALL_AFTER);
  FUZZ_CHECK (end ().played >= LEAST_PLAYED);
}

static Outcome
run (FuzzInput *in)
{
  CcTime attack_ends = CALL_START + WARM_UP + ATTACK;

  begin ();
  call_run_until (&call, CALL_START + WARM_UP);
  while (in->at < in->end && call.now < attack_ends)
    operate (in);
  call_run_until (&call, attack_ends + AFTER);
  FUZZ_CHECK (call.caller.bytes_to[2] + call.watcher.bytes_to[2] <= 3 * bytes_in);
  return end ();
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static Outcome undisturbed;
  FuzzInput in = {data, data + size}, nothing = {data, data};
  Outcome o;

  if (undisturbed.played == 0) {
    atexit (say_operations);
    undisturbed = run (&nothing);
  }
  if (fuzz_take (&in, 1) & 1) {
    run_before (&in);
    return 0;
  }
  o = run (&in);
  FUZZ_CHECK (o.played >= undisturbed.played);
  FUZZ_CHECK (10 * o.reports >= 9 * undisturbed.reports);
  FUZZ_CHECK (o.wire_bps > 0.9 * undisturbed.wire_bps && o.wire_bps < 1.1 * undisturbed.wire_bps);
  return 0;
}
