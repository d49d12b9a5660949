/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The watcher of a call that loses packets asks for redundancy; the test sends it in the caller's place. */
#include "rtpfec.h"
#include "cctest.h"
#include "fecencoder.h"
#include "participantcall.h"

static Call call;
static FecEncoder encoder;

static RtpFec *
fec (void)
{
  return &call.watcher.core.fec;
}

static void
begin (bool by_rtx, bool by_fec)
{
  RtpSettings caller, watcher;

  rtp_settings_init (&caller);
  strcpy (caller.cname, "caller");
  watcher = caller;
  strcpy (watcher.cname, "watcher");
  watcher.repair = true;
  watcher.repair_rtx = by_rtx;
  watcher.repair_fec = by_fec;
  watcher.reduced_size = true;
  watcher.nack_latency = 100 * CC_MSECOND;
  call_begin (&call, &caller, &watcher);
}

START_TEST (nothing_is_asked_for_where_nothing_is_lost)
{
  begin (true, true);
  call_run (&call, 5 * CC_SECOND);
  ck_assert_double_eq (fec ()->plan.share, 0);
  ck_assert_double_eq (fec ()->told, 0);
  ck_assert_ptr_null (fec ()->decoder);
  call_clear (&call);
}
END_TEST

/* Until it is told so once; with the stream that packets sent again would have. */
START_TEST (losses_are_worth_redundancy)
{
  begin (false, true);
  call.lose_every = 12;
  call_run (&call, 5 * CC_SECOND);
  ck_assert_uint_ne (call.watcher.core.repair.ssrc, 0);
  ck_assert_double_gt (fec ()->told, 0.05);
  ck_assert_ptr_nonnull (fec ()->decoder);
  call.watcher.core.settings.repair_fec = false;
  rtp_participant_apply (&call.watcher.core);
  ck_assert_ptr_null (fec ()->decoder);
  call_clear (&call);
}
END_TEST

START_TEST (who_does_not_want_it_asks_for_none)
{
  begin (true, false);
  call.lose_every = 12;
  call_run (&call, 5 * CC_SECOND);
  ck_assert_double_eq (fec ()->told, 0);
  ck_assert_ptr_null (fec ()->decoder);
  call_clear (&call);
}
END_TEST

/* A packet lost, and a sum over it and the one in front of it that came: it is there, once, as it was but for its
   extension; and nobody need wait for what a sender of sums mends. */
START_TEST (sums_become_packets)
{
  uint8_t before[RTCP_MTU], lost[RTCP_MTU], sum[RTCP_MTU], out[RTCP_MTU];
  RtpParticipant *core = &call.watcher.core;
  size_t size, head = RTP_HEADER_BYTES + 4 + 8;

  begin (false, true);
  call.lose_every = 12;
  call_run (&call, 5 * CC_SECOND);
  call.lose_every = 0;
  call_run (&call, CC_SECOND);
  fec_encoder_init (&encoder, CC_SECOND, 1);
  size = call_write_rtp (before, CALL_MEDIA, call.seq, call.now);
  fec_encoder_on_packet (&encoder, before, size, call.seq, call.now);
  ck_assert (call_hand_over (&call, &call.watcher, &call_caller, false, before, size));
  size = call_write_rtp (lost, CALL_MEDIA, (uint16_t)(call.seq + 1), call.now);
  fec_encoder_on_packet (&encoder, lost, size, (uint16_t)(call.seq + 1), call.now);
  memset (sum, 0, RTP_HEADER_BYTES);
  sum[0] = 0x80;
  sum[1] = (uint8_t)(core->repair.payload_type - 1);
  rtcp_put_u32 (sum + 8, core->repair.ssrc);
  size = fec_encoder_repair (&encoder, sum + RTP_HEADER_BYTES, sizeof sum - RTP_HEADER_BYTES, call.now);
  ck_assert (!call_hand_over (&call, &call.watcher, &call_caller, false, sum, RTP_HEADER_BYTES + size));
  ck_assert_uint_eq (rtp_participant_take_mended (core, out, sizeof out, call.now), RTP_HEADER_BYTES + CALL_PAYLOAD);
  ck_assert_uint_eq (out[0], 0x80);
  ck_assert_mem_eq (out + 1, lost + 1, RTP_HEADER_BYTES - 1);
  ck_assert_mem_eq (out + RTP_HEADER_BYTES, lost + head, CALL_PAYLOAD);
  ck_assert_uint_eq (rtp_participant_take_mended (core, out, sizeof out, call.now), 0);
  ck_assert_uint_eq (fec ()->decoder->restored, 1);
  call_clear (&call);
  ck_assert_uint_eq (call_memory, 0);
}
END_TEST

CC_TEST_MAIN ("rtpfec", nothing_is_asked_for_where_nothing_is_lost, losses_are_worth_redundancy,
    who_does_not_want_it_asks_for_none, sums_become_packets)
