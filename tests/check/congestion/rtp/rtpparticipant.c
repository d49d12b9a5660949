/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whole participants, one that sends and one that watches. What each part does is tested under its own name, and
   through the elements in tests/check/elements/rtcpavpf*.c. */
#include "participantcall.h"
#include "rtcpsizeloss.h"
#include "rtcpweight.h"
#include "cctest.h"

#include <math.h>

static Call call;
static RtpSettings settings;

static void
begin (void)
{
  rtp_settings_init (&settings);
  strcpy (settings.cname, "end");
  call_begin (&call, &settings, &settings);
}

static const RtpMediaStream *
media (void)
{
  return rtp_media_find (&call.caller.core.media, CALL_MEDIA);
}

START_TEST (a_call_reports)
{
  const RtpSource *s;

  begin ();
  call_run (&call, 20 * CC_SECOND);
  s = rtp_sources_main (&call.watcher.core.sources);
  ck_assert (s != NULL && s->ssrc == CALL_MEDIA && s->valid);
  ck_assert_uint_ge (call.watcher.played, 995);
  ck_assert_uint_eq (call.watcher.told[RTP_EVENT_SOURCE], 1);
  ck_assert_uint_ge (media ()->counts.report_blocks, 10);
  ck_assert (
      media ()->round_trip >= 2 * CALL_DELAY - CC_MSECOND && media ()->round_trip <= 2 * CALL_DELAY + CC_MSECOND);
  ck_assert_uint_ge (call.caller.told[RTP_EVENT_RATE], 10);
  ck_assert (call.caller.last[RTP_EVENT_RATE].rate.wire_bps > 100e3);
  ck_assert_uint_eq (call.caller.core.stats.bad_rtcp + call.watcher.core.stats.bad_rtcp, 0);
  call_clear (&call);
  ck_assert_uint_eq (call_memory, 0);
}
END_TEST

/* Who joins between two key units asks for one, and again while none comes. */
START_TEST (joining_asks_for_a_key_unit)
{
  begin ();
  call_run (&call, 5 * CC_SECOND);
  ck_assert_uint_ge (call.caller.told[RTP_EVENT_KEY_UNIT], 2);
  ck_assert_uint_eq (call.caller.last[RTP_EVENT_KEY_UNIT].ssrc, CALL_MEDIA);
  call_clear (&call);
}
END_TEST

START_TEST (what_is_missing_is_asked_for)
{
  begin ();
  call.watcher.core.settings.auto_nack = true;
  call.lose_every = 50;
  call_run (&call, 10 * CC_SECOND);
  ck_assert_uint_ge (call.caller.told[RTP_EVENT_RESEND], 9);
  ck_assert_uint_eq (call.caller.last[RTP_EVENT_RESEND].seq % 50, 49);
  call_clear (&call);
}
END_TEST

static double
watcher_p (void)
{
  return rtp_sources_main (&call.watcher.core.sources)->cc.tfrc.p;
}

/* The sender says that what was lost was too large, from its own address and from another's. */
START_TEST (what_was_too_large_is_no_congestion)
{
  uint8_t fci[RTCP_SIZE_LOSS_SIZE], forged[RTCP_MTU];
  RtcpSizeLoss loss = {.first = 100};
  RtpAppFeedback message = {.type = RTCP_PSFB,
      .fmt = RTCP_FB_FMT_AFB,
      .media = CALL_MEDIA,
      .fci = fci,
      .size = sizeof fci,
      .max_delay = CC_SECOND};
  RtcpWriter w;

  begin ();
  call.lose_every = 50;
  call_run (&call, 6 * CC_SECOND);
  call.lose_every = 0;
  ck_assert_double_gt (watcher_p (), 0);
  loss.last = (uint16_t)(call.seq - 1);
  rtcp_size_loss_write (fci, sizeof fci, &loss);
  rtcp_writer_init (&w, forged, sizeof forged);
  rtcp_add_rr (&w, 5, NULL, 0);
  rtcp_add_afb (&w, 5, CALL_MEDIA, fci, sizeof fci);
  call_hand_over (&call, &call.watcher, &call_stranger, true, forged, w.size);
  ck_assert_double_gt (watcher_p (), 0);
  ck_assert (rtp_participant_queue_feedback (&call.caller.core, &message, call.now));
  call_run (&call, CC_SECOND);
  ck_assert_double_eq (watcher_p (), 0);
  call_clear (&call);
}
END_TEST

/* The sender says that it is worth three, and a stranger that it is worth four. */
START_TEST (only_the_sender_says_its_weight)
{
  uint8_t fci[RTCP_WEIGHT_SIZE], forged[RTCP_MTU];
  const RtpAppFeedback message = {.type = RTCP_PSFB,
      .fmt = RTCP_FB_FMT_AFB,
      .media = CALL_MEDIA,
      .fci = fci,
      .size = sizeof fci,
      .max_delay = CC_SECOND};
  const RtpSource *s;
  RtcpWriter w;

  begin ();
  call_run (&call, 2 * CC_SECOND);
  s = rtp_sources_main (&call.watcher.core.sources);
  rtcp_weight_write (fci, sizeof fci, 4);
  rtcp_writer_init (&w, forged, sizeof forged);
  rtcp_add_rr (&w, 5, NULL, 0);
  rtcp_add_afb (&w, 5, CALL_MEDIA, fci, sizeof fci);
  call_hand_over (&call, &call.watcher, &call_stranger, true, forged, w.size);
  ck_assert_double_eq (s->cc.path.view.weight, 1);
  rtcp_weight_write (fci, sizeof fci, 3);
  ck_assert (rtp_participant_queue_feedback (&call.caller.core, &message, call.now));
  call_run (&call, CC_SECOND);
  ck_assert_double_eq (s->cc.path.view.weight, 3);
  call_run (&call, CC_RECEIVER_WEIGHT_LIFE);
  ck_assert_double_eq (s->cc.path.view.weight, 1);
  call_clear (&call);
}
END_TEST

/* RFC 4585 3.5.2 (4a): without early packets the next one is seconds away, as late as feedback may be or later. */
START_TEST (what_would_be_too_late_is_not_said)
{
  static const CcDuration latest[] = {CC_TIME_NONE, CC_MSECOND};
  unsigned asked[2];

  for (unsigned i = 0; i < 2; i++) {
    begin ();
    call.watcher.core.turns.params.avpf = false;
    call.watcher.core.settings.feedback = RTP_FEEDBACK_NACK;
    call.watcher.core.settings.auto_nack = true;
    call.watcher.core.settings.nack_latency = CC_TIME_NONE / 2;
    call.watcher.core.settings.nack_interval = CC_TIME_NONE / 4;
    call.watcher.core.settings.max_feedback_delay = latest[i];
    call.lose_every = 50;
    call_run (&call, 60 * CC_SECOND);
    asked[i] = call.caller.told[RTP_EVENT_RESEND];
    call_clear (&call);
  }
  ck_assert (asked[0] >= 40 && asked[0] <= 60); /* each once */
  ck_assert_uint_le (asked[1], 1);
}
END_TEST

static const AvpfTiming *
watcher_timing (void)
{
  return &call.watcher.core.locals.locals[0].timing;
}

/* A group where an early packet waits for others to say the same. */
static void
begin_group (void)
{
  rtp_settings_init (&settings);
  settings.attendance.kind = RTP_SESSION_GROUP;
  settings.feedback = RTP_FEEDBACK_NACK;
  settings.auto_pli = false;
  settings.turns.T_rr_interval = 0;
  strcpy (settings.cname, "end");
  call_begin (&call, &settings, &settings);
  call_run (&call, 20 * CC_SECOND);
}

/* RFC 4585 3.5.2 (5): what another asks for meanwhile needs no early packet any more, nor has it one to wait for. */
START_TEST (what_another_says_cancels_the_early_packet)
{
  RtpWantedPacket wanted = {.has_ssrc = true, .ssrc = CALL_MEDIA, .deadline = CC_TIME_NONE};
  uint8_t bytes[RTCP_MTU];
  unsigned taken;
  RtcpWriter w;

  begin_group ();
  while (watcher_timing ()->te == CC_TIME_NONE || watcher_timing ()->te <= call.now + CC_MSECOND) {
    call_run (&call, 7 * CC_MSECOND);
    wanted.seq = (uint16_t)(call.seq - 10);
    rtp_participant_want_packet (&call.watcher.core, &wanted, call.now);
  }
  rtcp_writer_init (&w, bytes, sizeof bytes);
  rtcp_add_rr (&w, 5, NULL, 0);
  rtcp_add_nack (&w, 5, CALL_MEDIA, &wanted.seq, 1, &taken);
  call_hand_over (&call, &call.watcher, &call_stranger, true, bytes, w.size);
  ck_assert_uint_eq (watcher_timing ()->te, CC_TIME_NONE);
  ck_assert_uint_eq (rtp_sources_main (&call.watcher.core.sources)->nack->suppressed, 1);
  rtp_participant_want_packet (&call.watcher.core, &wanted, call.now);
  ck_assert_uint_eq (watcher_timing ()->te, CC_TIME_NONE);
  call_clear (&call);
}
END_TEST

START_TEST (what_is_withdrawn_is_not_said)
{
  static const uint8_t fci[4] = {1, 2, 3, 4};
  RtpAppFeedback fb = {
      .type = RTCP_PSFB, .fmt = RTCP_FB_FMT_AFB, .media = CALL_MEDIA, .fci = fci, .size = 4, .max_delay = CC_TIME_NONE};

  begin_group ();
  call.caller.told[RTP_EVENT_FEEDBACK] = 0;
  for (unsigned i = 0; i < 200; i++) {
    ck_assert (rtp_participant_queue_feedback (&call.watcher.core, &fb, call.now));
    ck_assert (watcher_timing ()->te != CC_TIME_NONE || watcher_timing ()->feedback_stored);
    rtp_participant_withdraw_feedback (&call.watcher.core, fb.type, fb.fmt, CALL_MEDIA, call.now);
    ck_assert (watcher_timing ()->te == CC_TIME_NONE && !watcher_timing ()->feedback_stored);
    call_run (&call, 10 * CC_MSECOND);
  }
  ck_assert_uint_eq (call.caller.told[RTP_EVENT_FEEDBACK], 0);
  call_clear (&call);
}
END_TEST

/* RFC 5104 4.2.2.2: whoever limits hears of it early. */
START_TEST (a_limit_is_notified_early)
{
  RtcpTmmb limit = {.ssrc = CALL_MEDIA, .bitrate_bps = 100000, .overhead_bytes = 40};
  uint8_t bytes[RTCP_MTU];
  RtcpWriter w;
  CcTime asked;

  begin ();
  call_run (&call, 20 * CC_SECOND);
  rtcp_writer_init (&w, bytes, sizeof bytes);
  rtcp_add_rr (&w, call.watcher.core.locals.locals[0].ssrc, NULL, 0);
  rtcp_add_tmmbr (&w, call.watcher.core.locals.locals[0].ssrc, &limit, 1);
  asked = call.now;
  call_hand_over (&call, &call.caller, &call_watcher, true, bytes, w.size);
  ck_assert (call.caller.last[RTP_EVENT_RATE].rate.payload_bps < 100000);
  ck_assert (rtp_media_owes (&call.caller.core.media, CALL_MEDIA));
  while (rtp_media_owes (&call.caller.core.media, CALL_MEDIA) && call.now < asked + 5 * CC_SECOND)
    call_run (&call, CC_MSECOND);
  ck_assert (call.now - asked < 50 * CC_MSECOND);
  call_clear (&call);
}
END_TEST

/* RFC 5104 4.2.1.2: who limits and is silent for five report intervals has left (RFC 3550 6.3.5). Whoever takes no part
   limits nothing: nobody would notice that it has left. */
START_TEST (a_limit_goes_with_its_owner)
{
  RtcpTmmb limit = {.ssrc = CALL_MEDIA, .bitrate_bps = 100000, .overhead_bytes = 40};
  RtcpReportBlock block = {.ssrc = CALL_MEDIA};
  uint8_t bytes[RTCP_MTU];
  RtcpWriter w;

  begin ();
  call_run (&call, 5 * CC_SECOND);
  for (unsigned i = 0; i < 2; i++) {
    block.ext_highest_seq = call.seq - 1u;
    rtcp_writer_init (&w, bytes, sizeof bytes);
    rtcp_add_rr (&w, 77, &block, 1);
    rtcp_add_cname (&w, 77, "third");
    rtcp_add_tmmbr (&w, 77, &limit, 1);
    ck_assert (isinf (rtp_media_limit_Bps (&call.caller.core.media, 40, call.now)));
    call_hand_over (&call, &call.caller, &call_watcher, true, bytes, w.size);
  }
  ck_assert_uint_eq (call.caller.core.media.unproven, 1);
  call_run (&call, 3 * CC_SECOND);
  ck_assert (isfinite (rtp_media_limit_Bps (&call.caller.core.media, 40, call.now)));
  call_run (&call, 30 * CC_SECOND);
  ck_assert (isinf (rtp_media_limit_Bps (&call.caller.core.media, 40, call.now)));
  call_clear (&call);
}
END_TEST

static void
hand_over_limit (uint32_t owner, uint64_t bitrate_bps)
{
  RtcpTmmb limit = {.ssrc = CALL_MEDIA, .bitrate_bps = bitrate_bps, .overhead_bytes = 40};
  uint8_t bytes[RTCP_MTU];
  RtcpWriter w;

  rtcp_writer_init (&w, bytes, sizeof bytes);
  rtcp_add_rr (&w, owner, NULL, 0);
  rtcp_add_cname (&w, owner, "one of many");
  if (bitrate_bps != 0)
    rtcp_add_tmmbr (&w, owner, &limit, 1);
  call_hand_over (&call, &call.caller, &call_watcher, true, bytes, w.size);
}

static bool
is_told_apart (uint32_t ssrc)
{
  return rtp_members_state (&call.caller.core.attendance.members, ssrc) != RTP_MEMBER_STATE_FREE;
}

static bool
is_limited (void)
{
  return isfinite (rtp_media_limit_Bps (&call.caller.core.media, 40, call.now));
}

static CcDuration
member_timeout (void)
{
  return rtp_turns_member_timeout (&call.caller.core.turns);
}

/* All but that one speak, so that the report interval stays as it is. */
static void
hear_the_others (uint32_t first, uint32_t end, uint32_t but)
{
  for (uint32_t ssrc = first; ssrc < end; ssrc++)
    if (ssrc != but)
      hand_over_limit (ssrc, 0);
}

/* Of a group of which a sample is remembered, also one that is not in it has left when it is silent. */
START_TEST (a_limit_goes_with_an_owner_that_is_not_remembered)
{
  enum { FIRST = 1000, END = 1400 };
  uint32_t owner = END - 1;

  rtp_settings_init (&settings);
  settings.attendance.kind = RTP_SESSION_GROUP;
  settings.attendance.max_members = 256;
  strcpy (settings.cname, "end");
  call_begin (&call, &settings, &settings);
  call_run (&call, CC_SECOND);
  for (unsigned i = 0; i < 2; i++)
    hear_the_others (FIRST, END, 0);
  while (is_told_apart (owner))
    ck_assert_uint_gt (owner--, FIRST);
  hand_over_limit (owner, 100000);
  for (unsigned half = 0; half < 8; half++) {
    call_run (&call, member_timeout () / 2);
    ck_assert (is_limited ());
    hear_the_others (FIRST, END, half < 7 ? 0 : owner);
  }
  ck_assert (!is_told_apart (owner));
  call_run (&call, 5 * member_timeout ()); /* also until a TMMBN has told it */
  ck_assert (!is_limited ());
  call_clear (&call);
}
END_TEST

/* Media is heard as well. */
START_TEST (a_limit_stays_while_its_owner_sends)
{
  enum { OWNER = 77 };
  uint8_t bytes[RTCP_MTU];
  CcTime end;

  begin_group ();
  hand_over_limit (OWNER, 0);
  hand_over_limit (OWNER, 100000);
  end = call.now + 2 * member_timeout ();
  for (uint16_t seq = 0; call.now < end; seq++) {
    call_hand_over (&call, &call.caller, &call_watcher, false, bytes, call_write_rtp (bytes, OWNER, seq, call.now));
    call_run (&call, CC_SECOND);
  }
  ck_assert (is_limited ());
  call_run (&call, 2 * member_timeout ());
  ck_assert (!is_limited ());
  call_clear (&call);
}
END_TEST

/* Nothing is kept of, or sent to, a caller whose place another has taken. */
START_TEST (a_newcomer_has_the_place_alone)
{
  uint8_t bytes[RTCP_MTU];
  uint64_t sent;

  begin ();
  call_run (&call, 5 * CC_SECOND);
  call.silent = call.gone = true;
  call_run (&call, 6 * CC_SECOND);
  for (uint16_t seq = 1; seq < 100; seq++) {
    size_t size = call_write_rtp (bytes, 5, seq, call.now);

    call_hand_over (&call, &call.watcher, &call_stranger, false, bytes, size);
    call_run (&call, CALL_PERIOD);
  }
  ck_assert_uint_eq (call.watcher.told[RTP_EVENT_NEWCOMER], 1);
  ck_assert (rtp_sources_find (&call.watcher.core.sources, CALL_MEDIA) == NULL);
  ck_assert (rtp_sources_find (&call.watcher.core.sources, 5) != NULL);
  sent = call.watcher.bytes_to[0];
  call_run (&call, 2 * CC_SECOND);
  ck_assert_uint_eq (call.watcher.bytes_to[0], sent);
  ck_assert_uint_gt (call.watcher.bytes_to[2], 0);
  call_clear (&call);
}
END_TEST

START_TEST (the_end_says_bye)
{
  RtpOutgoing out;

  begin ();
  call_run (&call, 5 * CC_SECOND);
  ck_assert_int_eq (rtp_participant_leave (&call.caller.core, call.now), AVPF_LEAVE_NOW);
  rtp_participant_take_bye (&call.caller.core, &out);
  ck_assert_uint_gt (out.size, 0);
  call_hand_over (&call, &call.watcher, &call_caller, true, out.bytes, out.size);
  ck_assert_uint_eq (call.watcher.told[RTP_EVENT_BYE], 1);
  ck_assert (rtp_sources_main (&call.watcher.core.sources) == NULL);
  rtp_participant_take_bye (&call.caller.core, &out);
  ck_assert_uint_eq (out.size, 0);
  call_clear (&call);
}
END_TEST

/* next_timeout () changes nothing, and whatever an entry point made due earlier it says. */
START_TEST (wake_ups_are_told)
{
  RtpParticipant before;
  CcTime next;
  unsigned i;

  begin ();
  for (i = 0; i < 2000; i++) {
    call_run (&call, 7 * CC_MSECOND);
    before = call.watcher.core;
    next = rtp_participant_next_timeout (&call.watcher.core, call.now);
    ck_assert (next > call.now);
    ck_assert (memcmp (&before, &call.watcher.core, sizeof before) == 0);
  }
  call_clear (&call);
}
END_TEST

/* A participant without memory to be had counts what it refuses, and goes on. */
static void *
no_memory (void *user, size_t size)
{
  return NULL;
}

START_TEST (no_memory_is_no_harm)
{
  begin ();
  call.watcher.core.sources.memory.get = no_memory;
  call.watcher.core.attendance.memory.get = no_memory;
  call_run (&call, 5 * CC_SECOND);
  ck_assert_uint_gt (call.watcher.core.sources.refused, 200);
  ck_assert_uint_eq (call.watcher.told[RTP_EVENT_SOURCE], 0);
  call_clear (&call);
}
END_TEST

/* ---- an end whose rate is made elsewhere ---- */

static unsigned blocks, tfrcs, paths;

static void
count_block (void *user, uint32_t sender, const RtcpReportBlock *block)
{
  ck_assert (user == &blocks && block->ssrc == CALL_MEDIA);
  blocks++;
}

static void
count_tfrc (void *user, uint32_t sender, uint32_t media, const TfrcReport *report)
{
  tfrcs++;
}

static void
count_path (void *user, uint32_t sender, uint32_t media, const RtcpPath *path)
{
  paths++;
}

static const RtcpHandlers counters = {.report_block = count_block, .tfrc = count_tfrc, .path = count_path};

static void
begin_with_rate_maker (void)
{
  begin ();
  blocks = tfrcs = paths = 0;
  call.caller.core.params.rate_maker = &counters;
  call.caller.core.params.rate_maker_user = &blocks;
}

START_TEST (whoever_makes_the_rate_is_told)
{
  begin_with_rate_maker ();
  call_run (&call, 10 * CC_SECOND);
  ck_assert_uint_eq (blocks, media ()->counts.report_blocks);
  ck_assert_uint_eq (tfrcs, media ()->counts.tfrc);
  ck_assert_uint_eq (paths, media ()->counts.path);
  ck_assert (blocks >= 5 && tfrcs >= 5 && paths >= 5);
  call_clear (&call);
}
END_TEST

static uint64_t explicit_bps;

static void
note_explicit (void *user, uint32_t sender, uint32_t media, const RtcpPath *path)
{
  if (path->kind == RTCP_PATH_ERF)
    explicit_bps = path->rate_bps;
}

/* A router's word of more than 64 bits of bit/s is told as the most that these say, not as nothing. */
START_TEST (rates_beyond_all_bounds_are_told)
{
  static const RtcpHandlers notes = {.path = note_explicit};

  begin ();
  call.caller.core.params.rate_maker = &notes;
  explicit_bps = 0;
  call_run (&call, 5 * CC_SECOND);
  ck_assert (rtp_participant_on_relay (&call.watcher.core, CALL_MEDIA, 0x1p61, call.now));
  call_run (&call, 2 * CC_SECOND);
  ck_assert_uint_gt (explicit_bps, UINT64_MAX / 2);
  call_clear (&call);
}
END_TEST

/* PATH of an SSRC that was never heard before, in a packet of its own. */
static bool
says_path (const RtpAddress *from)
{
  RtcpPath path = {.rate_bps = 1000000};
  uint8_t bytes[RTCP_MTU];
  unsigned before = paths;
  RtcpWriter w;

  rtcp_writer_init (&w, bytes, sizeof bytes);
  rtcp_add_path (&w, 77, CALL_MEDIA, &path);
  call_hand_over (&call, &call.caller, from, true, bytes, w.size);
  return paths > before;
}

/* A peer named with its port needs no proof, and nobody else is listened to; of one that is not named the first packet
   limits nothing. */
START_TEST (a_named_peer_is_believed_at_once)
{
  RtpAddress elsewhere = call_watcher, nobody = {.family = RTP_ADDRESS_UNKNOWN};

  begin_with_rate_maker ();
  call_run (&call, CC_SECOND);
  ck_assert (!says_path (&call_watcher));
  rtp_participant_set_peer (&call.caller.core, &call_watcher, call.now);
  ck_assert (says_path (&call_watcher));
  ck_assert (!says_path (&call_stranger));
  elsewhere.port++;
  ck_assert (!says_path (&elsewhere));
  rtp_participant_set_peer (&call.caller.core, &call_stranger, call.now);
  ck_assert (says_path (&call_stranger) && !says_path (&call_watcher));
  rtp_participant_set_peer (&call.caller.core, &nobody, call.now);
  ck_assert (!says_path (&call_stranger));
  call_clear (&call);
}
END_TEST

/* No packet of it arrives, nor does it hear anybody, and sends none any more (RFC 8083 4.5): it goes on with RTCP, and
   is answered where that arrives. */
START_TEST (whoever_is_silent_is_answered)
{
  uint64_t before;

  begin ();
  call.lose_every = 1;
  call.deaf = true;
  call_run (&call, 20 * CC_SECOND);
  call.silent = true;
  call_run (&call, 120 * CC_SECOND);
  call.deaf = false;
  before = call.caller.core.stats.rtcp_received;
  call_run (&call, 10 * CC_SECOND);
  ck_assert_uint_eq (call.watcher.core.stats.packets, 0);
  ck_assert_uint_ge (call.caller.core.stats.rtcp_received, before + 4);
  ck_assert_uint_gt (call.watcher.bytes_to[0], 0);
  ck_assert_uint_eq (call.watcher.bytes_to[2], 0);
  call_clear (&call);
}
END_TEST

/* Two packets make it the peer where there is none, and draw three times their bytes. */
START_TEST (rtcp_alone_draws_little)
{
  uint8_t bytes[RTCP_MTU];
  RtcpWriter w;
  uint64_t came;

  begin ();
  call.silent = true;
  rtcp_writer_init (&w, bytes, sizeof bytes);
  rtcp_add_rr (&w, 5, NULL, 0);
  rtcp_add_cname (&w, 5, "stranger");
  came = 2 * (w.size + RTP_IPV4_UDP_BYTES);
  for (unsigned i = 0; i < 2; i++)
    call_hand_over (&call, &call.watcher, &call_stranger, true, bytes, w.size);
  call_run (&call, 20 * CC_SECOND);
  ck_assert_uint_gt (call.watcher.bytes_to[2], 0);
  ck_assert_uint_le (call.watcher.bytes_to[2], 3 * came);
  ck_assert_uint_gt (call.watcher.core.attendance.answers.withheld, 0);
  call_clear (&call);
}
END_TEST

/* A stream for packets sent again shows itself before the first, and says BYE when it ends. */
START_TEST (a_stream_is_announced_and_ends)
{
  begin ();
  call_run (&call, 5 * CC_SECOND);
  rtp_participant_announce_resends (&call.caller.core, 5, call.now);
  ck_assert (rtp_media_find (&call.caller.core.media, 5)->resends);
  call_run (&call, 100 * CC_MSECOND);
  ck_assert (rtp_members_state (&call.watcher.core.attendance.members, 5) != RTP_MEMBER_STATE_FREE);
  call_run (&call, 5 * CC_SECOND);
  rtp_participant_end_stream (&call.caller.core, 5, call.now);
  ck_assert (rtp_locals_find (&call.caller.core.locals, 5) == NULL);
  call_run (&call, CC_SECOND);
  ck_assert_uint_eq (call.watcher.told[RTP_EVENT_BYE], 1);
  ck_assert_uint_eq (call.watcher.last[RTP_EVENT_BYE].ssrc, 5);
  call_clear (&call);
}
END_TEST

/* Whoever sends again after its BYE is back, and may say another. */
START_TEST (who_sends_again_is_back)
{
  RtpOutgoing out;

  begin ();
  call_run (&call, 5 * CC_SECOND);
  for (unsigned i = 0; i < 2; i++) {
    ck_assert_int_eq (rtp_participant_leave (&call.caller.core, call.now), AVPF_LEAVE_NOW);
    rtp_participant_take_bye (&call.caller.core, &out);
    ck_assert_uint_gt (out.size, 0);
    call_run (&call, 2 * CC_SECOND);
  }
  ck_assert_uint_ge (call.caller.rtcp_sent, 5);
  call_clear (&call);
}
END_TEST

CC_TEST_MAIN ("rtpparticipant", a_limit_goes_with_its_owner,
    CC_TEST_LONG (a_limit_goes_with_an_owner_that_is_not_remembered), a_limit_stays_while_its_owner_sends,
    whoever_makes_the_rate_is_told, rates_beyond_all_bounds_are_told, a_named_peer_is_believed_at_once,
    whoever_is_silent_is_answered, rtcp_alone_draws_little, a_stream_is_announced_and_ends, who_sends_again_is_back,
    a_call_reports, joining_asks_for_a_key_unit, what_is_missing_is_asked_for, what_was_too_large_is_no_congestion,
    only_the_sender_says_its_weight, what_would_be_too_late_is_not_said, what_another_says_cancels_the_early_packet,
    what_is_withdrawn_is_not_said, a_limit_is_notified_early, a_newcomer_has_the_place_alone, the_end_says_bye,
    CC_TEST_LONG (wake_ups_are_told), no_memory_is_no_harm)
