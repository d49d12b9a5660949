/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The watcher of a call offers to take lost packets once more; the test answers in the caller's place. */
#include "rtprepair.h"
#include "participantcall.h"
#include "cctest.h"
#include "rtcpwriter.h"

#define OSN 2

static Call call;

static RtpRepair *
repair (void)
{
  return &call.watcher.core.repair;
}

static RtpSource *
source (void)
{
  return rtp_sources_main (&call.watcher.core.sources);
}

static void
begin (bool wanted)
{
  RtpSettings caller, watcher;

  rtp_settings_init (&caller);
  strcpy (caller.cname, "caller");
  watcher = caller;
  strcpy (watcher.cname, "watcher");
  watcher.repair = wanted;
  watcher.reduced_size = true;
  watcher.nack_latency = 100 * CC_MSECOND;
  call_begin (&call, &caller, &watcher);
}

/* The stream of packets sent again speaks, or leaves. */
static void
speak (bool bye)
{
  uint8_t bytes[RTCP_MTU];
  uint32_t ssrc = repair ()->ssrc;
  RtcpWriter w;

  rtcp_writer_init (&w, bytes, sizeof bytes);
  rtcp_add_rr (&w, ssrc, NULL, 0);
  rtcp_add_cname (&w, ssrc, "caller");
  if (bye)
    rtcp_add_bye (&w, &ssrc, 1);
  call_hand_over (&call, &call.watcher, &call_caller, true, bytes, w.size);
}

static void
agree (void)
{
  begin (true);
  call_run (&call, CC_SECOND);
  speak (false);
  ck_assert (repair ()->agreed);
}

START_TEST (an_offer_is_repeated_ever_more_rarely)
{
  begin (true);
  call_run (&call, 10 * CC_SECOND);
  ck_assert_uint_eq (repair ()->media, CALL_MEDIA);
  ck_assert_uint_ne (repair ()->ssrc, 0);
  ck_assert_uint_eq (repair ()->payload_type, 127);
  ck_assert_uint_eq (repair ()->offer_interval, 5 * CC_SECOND);
  ck_assert (!repair ()->agreed && source ()->nack == NULL);
  call_clear (&call);
}
END_TEST

START_TEST (nobody_is_offered_anything_who_may_not_know_it)
{
  begin (false);
  call_run (&call, 3 * CC_SECOND);
  ck_assert_uint_eq (repair ()->ssrc, 0);
  call_clear (&call);
  begin (true);
  call.watcher.core.stream.stamp_id = CALL_STAMP_ID + 1; /* packets without send times, as far as is known */
  call_run (&call, 3 * CC_SECOND);
  ck_assert_uint_eq (repair ()->ssrc, 0);
  call_clear (&call);
}
END_TEST

START_TEST (gaps_are_asked_for_once_there_is_an_agreement)
{
  begin (true);
  call.lose_every = 20;
  call_run (&call, 3 * CC_SECOND);
  ck_assert_uint_eq (call.caller.told[RTP_EVENT_RESEND], 0);
  speak (false);
  ck_assert_uint_eq (call.watcher.told[RTP_EVENT_REPAIRED], 1);
  call_run (&call, 3 * CC_SECOND);
  ck_assert_uint_ge (call.caller.told[RTP_EVENT_RESEND], 6);
  ck_assert_uint_ge (repair ()->plan.rounds, 1);
  ck_assert_uint_gt (rtp_participant_repair_wait (&call.watcher.core), 100 * CC_MSECOND);
  call_clear (&call);
}
END_TEST

/* Its stream is the caller's too: nobody more takes part, and requests do not wait for dithering. */
START_TEST (two_ends_stay_two)
{
  const AvpfTiming *timing = &call.watcher.core.locals.locals[0].timing;
  double before;

  begin (true);
  call_run (&call, CC_SECOND);
  before = timing->params.rtcp_bw_Bps;
  for (unsigned i = 0; i < 3; i++) {
    speak (false);
    call_run (&call, CC_SECOND);
  }
  ck_assert_uint_eq (timing->members, 2);
  ck_assert_uint_eq (avpf_timing_dither_max (timing), 0);
  /* all but 1000 bytes/s of the whole, of which it has half */
  ck_assert_double_eq_tol (timing->params.rtcp_bw_Bps, 2 * (before - 1000), 1);
  call_clear (&call);
}
END_TEST

static size_t
write_again (uint8_t *out, const uint8_t *lost, size_t size, uint16_t seq)
{
  size_t head = size - CALL_PAYLOAD;

  memcpy (out, lost, head);
  rtcp_put_u16 (out + head, rtcp_get_u16 (lost + 2));
  memcpy (out + head + OSN, lost + head, size - head);
  out[1] = (uint8_t)((lost[1] & 0x80) | repair ()->payload_type);
  rtcp_put_u16 (out + 2, seq);
  rtcp_put_u32 (out + 8, repair ()->ssrc);
  return size + OSN;
}

/* A gap of one, asked for, and what comes: the same bytes as were lost; a second copy is none. */
START_TEST (what_comes_is_what_was_lost)
{
  uint8_t lost[RTCP_MTU], again[RTCP_MTU], restored[RTCP_MTU];
  size_t size;
  RtpPacket packet;
  unsigned i;

  agree ();
  call_run (&call, CC_SECOND);
  size = call_write_rtp (lost, CALL_MEDIA, call.seq, call.now);
  call.lose_every = call.seq + 1u;
  call_run (&call, 100 * CC_MSECOND);
  ck_assert_uint_eq (source ()->nack->n_missing, 1);
  for (i = 0; i < 2; i++) {
    size_t got = write_again (again, lost, size, (uint16_t)(7 + i));

    ck_assert (call_hand_over (&call, &call.watcher, &call_caller, false, again, got) == (i == 0));
    ck_assert (rtp_packet_parse (&packet, again, got));
    ck_assert_uint_eq (rtp_participant_restore (&call.watcher.core, &packet, again, restored), size);
    ck_assert_mem_eq (restored, lost, size);
  }
  ck_assert_uint_eq (source ()->nack->n_missing, 0);
  ck_assert_uint_eq (source ()->nack->recovered, 1);
  /* without a number in front there is nothing to restore; and what is not sent again is what it is */
  size = call_write_rtp (again, repair ()->ssrc, 9, call.now) - CALL_PAYLOAD + 1;
  ck_assert (rtp_packet_parse (&packet, again, size));
  ck_assert_uint_eq (rtp_participant_restore (&call.watcher.core, &packet, again, restored), 0);
  size = call_write_rtp (again, CALL_MEDIA, 9, call.now);
  ck_assert (rtp_packet_parse (&packet, again, size));
  ck_assert_uint_eq (rtp_participant_restore (&call.watcher.core, &packet, again, restored), 0);
  call_clear (&call);
}
END_TEST

/* By BYE, by silence, by the user; the next offer is of another stream. */
START_TEST (agreements_end)
{
  uint32_t before;

  agree ();
  before = repair ()->ssrc;
  speak (true);
  ck_assert (!repair ()->agreed);
  call_run (&call, CC_SECOND);
  ck_assert (repair ()->ssrc != 0 && repair ()->ssrc != before);
  speak (false);
  ck_assert (repair ()->agreed);
  call_run (&call, 9 * CC_SECOND);
  ck_assert (repair ()->agreed);
  call_run (&call, 2 * CC_SECOND);
  ck_assert (!repair ()->agreed);
  speak (false);
  ck_assert (repair ()->agreed);
  call.watcher.core.settings.repair = false;
  rtp_participant_apply (&call.watcher.core);
  ck_assert (!repair ()->agreed && repair ()->ssrc == 0);
  ck_assert_uint_eq (rtp_participant_repair_wait (&call.watcher.core), 100 * CC_MSECOND);
  call_clear (&call);
}
END_TEST

CC_TEST_MAIN ("rtprepair", an_offer_is_repeated_ever_more_rarely, nobody_is_offered_anything_who_may_not_know_it,
    gaps_are_asked_for_once_there_is_an_agreement, two_ends_stay_two, what_comes_is_what_was_lost, agreements_end)
