/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpturns.h"
#include "cctest.h"

#define START (1000 * CC_SECOND)

static RtpLocals locals;
static RtpTurns turns;
static RtpTurnsParams params;
static CcPcg32 pcg;

static void
begin (void)
{
  CcRandom random = cc_pcg32_init (&pcg, 1);

  rtp_locals_init (&locals, 1);
  rtp_turns_init (&turns, &params, &random, &locals);
}

/* Who hears nobody has nobody to tell. */
START_TEST (runs_while_anybody_is_there)
{
  rtp_turns_params_init (&params);
  begin ();
  rtp_turns_set_members (&turns, 0, 0, START);
  ck_assert (!rtp_turns_run (&turns) && rtp_turns_next_timeout (&turns) == CC_TIME_NONE);
  ck_assert (!rtp_turns_request (&turns, CC_TIME_NONE, START));
  ck_assert_uint_eq (turns.requests, 0);
  rtp_turns_set_members (&turns, 1, 1, START);
  ck_assert (rtp_turns_run (&turns));
  ck_assert (turns.wake_at == rtp_turns_next_timeout (&turns) && turns.wake_at != CC_TIME_NONE);
  ck_assert (rtp_turns_request (&turns, CC_TIME_NONE, START + 1));
  ck_assert_uint_eq (turns.requests, 1);
  rtp_turns_set_members (&turns, 0, 0, START);
  ck_assert (!rtp_turns_run (&turns));
}
END_TEST

/* Until its BYE, also where nobody answers and nothing is sent any more. */
START_TEST (whoever_has_sent_goes_on)
{
  const RtpLocalPacket packet = {.ssrc = 5, .payload_bytes = 100, .clock_rate = 90000};
  bool changed;

  rtp_turns_params_init (&params);
  begin ();
  rtp_locals_on_rtp (&locals, &packet, START, &changed);
  rtp_turns_set_members (&turns, 0, 0, START);
  ck_assert (rtp_turns_run (&turns));
  rtp_locals_expire (&locals, START + 60 * CC_SECOND);
  ck_assert_uint_eq (rtp_locals_senders (&locals), 0);
  rtp_turns_set_members (&turns, 0, 0, START + 60 * CC_SECOND);
  ck_assert (rtp_turns_run (&turns));
  rtp_locals_remove_media (&locals, 6);
  rtp_turns_set_members (&turns, 0, 0, START + 61 * CC_SECOND);
  ck_assert (!rtp_turns_run (&turns));
}
END_TEST

/* RFC 3550 6.2: 5 % of the session; RFC 3556: as they are given; a report every 3 ms at most. */
START_TEST (bandwidth_by_share_and_by_modifier)
{
  rtp_turns_params_init (&params);
  params.session_bps = 1e6;
  begin ();
  ck_assert_double_eq_tol (rtp_turns_bandwidth_Bps (&turns), 0.05 * 1e6 / 8, 1e-6);
  turns.params.session_bps = 0;
  ck_assert_double_eq_tol (rtp_turns_bandwidth_Bps (&turns), 0.05 * 500e3 / 8, 1e-6);
  rtp_turns_set_received (&turns, 2e6);
  ck_assert_double_eq_tol (rtp_turns_bandwidth_Bps (&turns), 0.05 * 2e6 / 8, 1e-6);
  turns.params.senders_bps = 8000;
  turns.params.receivers_bps = 0;
  ck_assert_double_eq_tol (rtp_turns_bandwidth_Bps (&turns), 1000, 1e-6);
  turns.params.receivers_bps = 80e6;
  ck_assert_double_eq_tol (rtp_turns_bandwidth_Bps (&turns), 62500, 1e-3);
}
END_TEST

START_TEST (settings_reach_what_runs)
{
  rtp_turns_params_init (&params);
  begin ();
  rtp_turns_set_members (&turns, 1, 1, START);
  turns.params.T_rr_interval = 3 * CC_SECOND;
  turns.params.group = true;
  rtp_turns_apply (&turns);
  ck_assert (locals.locals[0].timing.params.T_rr_interval == 3 * CC_SECOND);
  ck_assert (locals.locals[0].timing.T_rr_current_interval == 3 * CC_SECOND);
  ck_assert (locals.locals[0].timing.params.group);
}
END_TEST

/* RFC 8108 5.3.1: what arrives counts by the reports in it. */
START_TEST (received_packets_count_by_report)
{
  double before;

  rtp_turns_params_init (&params);
  begin ();
  rtp_turns_set_members (&turns, 1, 1, START);
  before = locals.locals[0].timing.avg_rtcp_size;
  rtp_turns_on_received (&turns, 400, 4, false);
  ck_assert_double_eq_tol (locals.locals[0].timing.avg_rtcp_size, before + (100 - before) / 16, 1e-9);
}
END_TEST

START_TEST (timeouts_before_there_is_a_session)
{
  rtp_turns_params_init (&params);
  begin ();
  ck_assert (rtp_turns_member_timeout (&turns) == 25 * CC_SECOND);
  ck_assert (rtp_turns_sender_timeout (&turns) == 10 * CC_SECOND);
}
END_TEST

CC_TEST_MAIN ("rtpturns", runs_while_anybody_is_there, whoever_has_sent_goes_on, bandwidth_by_share_and_by_modifier,
    settings_reach_what_runs, received_packets_count_by_report, timeouts_before_there_is_a_session)
