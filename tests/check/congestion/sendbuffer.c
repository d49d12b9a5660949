/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sendbuffer.h"
#include "ccpacer.h"
#include "cctest.h"

#include <stddef.h>

#define START (1000 * CC_SECOND)
#define RING 2048

static CcPacket ring[RING];

static SendBuffer
buffer (uint32_t capacity)
{
  SendBufferParams params;
  SendBuffer b;

  send_buffer_params_init (&params);
  send_buffer_init (&b, &params, ring, capacity);
  return b;
}

/* n packets of 1000 bytes, the last one marked. Handles count the packets from 1. */
static void
push_frame (SendBuffer *b, uint32_t frame, unsigned n, bool key_unit, CcTime now)
{
  static uintptr_t handle;

  for (unsigned i = 0; i < n; i++) {
    CcPacket packet = {.handle = (void *)++handle,
        .size_bytes = 1000,
        .frame = frame,
        .captured_at = CC_TIME_NONE,
        .frame_end = i == n - 1,
        .key_unit = key_unit};
    ck_assert (send_buffer_push (b, &packet, now));
  }
}

static SendBufferVerdict
pull (SendBuffer *b, SendBufferPath path, CcTime now, CcPacket *packet)
{
  SendBufferVerdict verdict = send_buffer_head (b, &path, now, packet);

  send_buffer_pop (b, now);
  return verdict;
}

/* The frame of the next packet that is sent; n_discarded: packets thrown away before it. */
static uint32_t
next_sent (SendBuffer *b, SendBufferPath path, CcTime now, unsigned *n_discarded)
{
  CcPacket packet;
  SendBufferVerdict verdict;

  for (*n_discarded = 0; (verdict = pull (b, path, now, &packet)) == SEND_BUFFER_DISCARD; ++*n_discarded) {
  }
  return verdict == SEND_BUFFER_SEND ? packet.frame : UINT32_MAX;
}

START_TEST (test_in_time_everything_leaves_in_order)
{
  SendBuffer b = buffer (RING);
  SendBufferPath path = {.X_Bps = 1e6, .R = 20 * CC_MSECOND};
  CcPacket packet, last = {0};

  for (uint32_t f = 0; f < 4; f++)
    push_frame (&b, f, 10, f == 0, START);
  ck_assert_uint_eq (b.queued_bytes, 40000);
  for (unsigned i = 0; i < 40; i++) {
    ck_assert_int_eq (pull (&b, path, START, &packet), SEND_BUFFER_SEND);
    ck_assert (i == 0 || (uintptr_t)packet.handle == (uintptr_t)last.handle + 1);
    last = packet;
  }
  ck_assert_int_eq (pull (&b, path, START, &packet), SEND_BUFFER_EMPTY);
  ck_assert_uint_eq (b.queued_bytes, 0);
  ck_assert_uint_eq (b.frames_sent, 4);
  ck_assert_uint_eq (b.frames_late, 0);
}
END_TEST

/* 10 packets at 200 kB/s: L/X = 50 ms; R/2 = 10 ms; t_pbuf = 20 ms; so a frame may have waited for less than
   150 - 50 - 10 - 20 = 70 ms. */
START_TEST (test_transmission_condition)
{
  SendBufferPath path = {.X_Bps = 200e3, .R = 20 * CC_MSECOND};
  unsigned discarded;

  for (CcDuration waited = 69; waited <= 71; waited += 2) {
    SendBuffer b = buffer (RING);
    b.params.playout = 20 * CC_MSECOND;
    push_frame (&b, 1, 10, false, START);
    push_frame (&b, 2, 10, false, START + waited * CC_MSECOND);
    ck_assert_uint_eq (next_sent (&b, path, START + waited * CC_MSECOND, &discarded), waited < 70 ? 1 : 2);
    ck_assert_uint_eq (discarded, waited < 70 ? 0 : 10);
  }
}
END_TEST

START_TEST (test_capture_time_counts_where_it_is_known)
{
  SendBuffer b = buffer (RING);
  SendBufferPath path = {.X_Bps = 1e6};
  CcPacket packet = {.size_bytes = 1000, .frame = 1, .captured_at = START - CC_SECOND, .frame_end = true};
  unsigned discarded;

  send_buffer_push (&b, &packet, START);
  push_frame (&b, 2, 1, false, START);
  ck_assert_uint_eq (next_sent (&b, path, START, &discarded), 2);
  ck_assert_uint_eq (b.frames_dropped, 1);
  ck_assert_uint_eq (b.packets_dropped, 1);
}
END_TEST

START_TEST (test_a_frame_that_began_is_finished)
{
  SendBuffer b = buffer (RING);
  SendBufferPath path = {.X_Bps = 1e6};
  unsigned discarded;

  push_frame (&b, 1, 10, false, START);
  push_frame (&b, 2, 10, false, START);
  ck_assert_uint_eq (next_sent (&b, path, START, &discarded), 1);
  for (unsigned i = 1; i < 10; i++) {
    ck_assert_uint_eq (next_sent (&b, path, START + 10 * CC_SECOND, &discarded), 1);
    ck_assert_uint_eq (discarded, 0);
  }
  ck_assert (!b.frame_open);
}
END_TEST

/* A frame may arrive while it leaves. */
START_TEST (test_packets_of_the_open_frame_follow)
{
  SendBuffer b = buffer (RING);
  SendBufferPath path = {.X_Bps = 1e3};
  CcPacket packet = {.size_bytes = 1000, .frame = 1, .captured_at = START};
  unsigned discarded;

  for (unsigned i = 0; i < 5; i++) {
    ck_assert (send_buffer_push (&b, &packet, START));
    ck_assert_uint_eq (next_sent (&b, path, START + i * CC_SECOND, &discarded), 1);
  }
  ck_assert_uint_eq (b.frames_in, 1);
  ck_assert (b.frame_open);
}
END_TEST

/* U8: R/2 alone is over gamma; no frame would ever leave. */
START_TEST (test_deadline_gives_way_to_the_path)
{
  SendBuffer b = buffer (RING);
  SendBufferPath path = {.X_Bps = 1e6, .R = 400 * CC_MSECOND};
  unsigned discarded;

  for (uint32_t f = 0; f < 300; f++) {
    push_frame (&b, f, 4, f == 0, START + f * 33 * CC_MSECOND);
    for (unsigned i = 0; i < 4; i++)
      ck_assert_uint_eq (next_sent (&b, path, START + f * 33 * CC_MSECOND, &discarded), f);
  }
  ck_assert_uint_eq (b.frames_sent, 300);
  ck_assert_uint_eq (b.frames_dropped, 0);
  /* 200 ms of path + 75 ms - 150 ms */
  ck_assert_uint_eq (b.stretch, 125 * CC_MSECOND);
}
END_TEST

/* U8: half of gamma is left for waiting and sending however long the path, so that a frame is not given up for the next
   one that would be as late. */
START_TEST (test_a_long_path_leaves_half_of_the_deadline)
{
  SendBuffer b = buffer (RING);
  SendBufferPath path = {.X_Bps = 1e6, .R = 400 * CC_MSECOND};
  unsigned discarded;

  for (uint32_t f = 0; f < 3; f++)
    push_frame (&b, f, 4, false, START);
  ck_assert_uint_eq (next_sent (&b, path, START + 50 * CC_MSECOND, &discarded), 0);
  ck_assert_uint_eq (discarded, 0);
  for (unsigned i = 1; i < 4; i++)
    ck_assert_uint_eq (next_sent (&b, path, START + 50 * CC_MSECOND, &discarded), 0);
  ck_assert_uint_eq (next_sent (&b, path, START + 80 * CC_MSECOND, &discarded), 2);
  ck_assert_uint_eq (discarded, 4);
}
END_TEST

START_TEST (test_the_newest_frame_goes_however_late)
{
  SendBuffer b = buffer (RING);
  SendBufferPath path = {.X_Bps = 1e6};
  unsigned discarded;

  for (uint32_t f = 0; f < 10; f++)
    push_frame (&b, f, 3, false, START);
  ck_assert_uint_eq (next_sent (&b, path, START + 10 * CC_SECOND, &discarded), 9);
  ck_assert_uint_eq (discarded, 27);
  ck_assert_uint_eq (b.frames_late, 1);
}
END_TEST

START_TEST (test_key_units_go_before_delta_frames)
{
  SendBuffer b = buffer (RING);
  SendBufferPath path = {.X_Bps = 1e6};
  unsigned discarded;

  push_frame (&b, 0, 2, false, START);
  push_frame (&b, 1, 2, true, START);
  push_frame (&b, 2, 2, false, START);
  ck_assert_uint_eq (next_sent (&b, path, START + CC_SECOND, &discarded), 1);
  ck_assert_uint_eq (discarded, 2);
  /* nothing is lost that the key unit does not make good */
  ck_assert (!send_buffer_take_key_unit_wanted (&b));
}
END_TEST

/* Headers lead the key unit (H.264: AUD and SPS): the packet that tells comes behind them, when the first has left
   already or not. */
START_TEST (test_a_key_unit_behind_its_headers)
{
  SendBufferPath path = {.X_Bps = 1e6};
  unsigned discarded;
  CcPacket packet;

  for (unsigned left = 0; left < 2; left++) {
    CcPacket headers = {.size_bytes = 50, .frame = 1, .captured_at = CC_TIME_NONE};
    SendBuffer b = buffer (RING);

    push_frame (&b, 0, 2, false, START);
    ck_assert (send_buffer_push (&b, &headers, START));
    if (left == 1)
      while (b.count > 0)
        ck_assert_int_eq (pull (&b, path, START, &packet), SEND_BUFFER_SEND);
    push_frame (&b, 1, 2, true, START);
    ck_assert_uint_eq (b.key_frames_waiting, left == 1 ? 0 : 1);
    push_frame (&b, 2, 2, false, START);
    ck_assert_uint_eq (next_sent (&b, path, START + CC_SECOND, &discarded), 1);
    ck_assert_uint_eq (discarded, left == 1 ? 0 : 2);
    ck_assert (!send_buffer_take_key_unit_wanted (&b));
    ck_assert (!b.broken);
  }
}
END_TEST

START_TEST (test_a_newer_key_unit_replaces_an_older_one)
{
  SendBuffer b = buffer (RING);
  SendBufferPath path = {.X_Bps = 1e6};
  unsigned discarded;

  for (uint32_t f = 0; f < 5; f++)
    push_frame (&b, f, 2, true, START);
  ck_assert_uint_eq (next_sent (&b, path, START + CC_SECOND, &discarded), 4);
  ck_assert_uint_eq (discarded, 8);
  ck_assert (!send_buffer_take_key_unit_wanted (&b));
}
END_TEST

/* Every frame of a second of 30 fps is late and has a newer one behind it: requests at 0 and 500 ms, or at R = 900 ms:
   at 0 and 900 ms. */
START_TEST (test_key_unit_requests_are_spaced)
{
  for (int wide = 0; wide <= 1; wide++) {
    SendBuffer b = buffer (RING);
    SendBufferPath path = {.X_Bps = 1e6, .R = wide ? 900 * CC_MSECOND : 0};
    unsigned discarded, requests = 0;
    CcTime last = 0;

    b.params.max_delay = 0;
    for (uint32_t f = 0; f < 30; f++) {
      CcTime now = START + f * 33 * CC_MSECOND;
      push_frame (&b, 2 * f, 1, false, now);
      push_frame (&b, 2 * f + 1, 1, false, now);
      next_sent (&b, path, now, &discarded);
      if (send_buffer_take_key_unit_wanted (&b)) {
        ck_assert (requests++ == 0 || now - last >= (wide ? 900 : 500) * CC_MSECOND);
        last = now;
      }
      ck_assert (!send_buffer_take_key_unit_wanted (&b));
    }
    ck_assert_uint_eq (requests, 2);
  }
}
END_TEST

/* A frame is skipped at 200 ms and a key unit asked for; the next request may go at 700 ms. Two frames of captured_ms
   wait at now_ms: which one leaves? */
static uint32_t
leaves_after_request (bool key_came, unsigned captured_ms, unsigned now_ms)
{
  SendBuffer b = buffer (RING);
  SendBufferPath path = {.X_Bps = 1e9};
  unsigned discarded;

  push_frame (&b, 1, 1, false, START);
  push_frame (&b, 2, 1, false, START);
  ck_assert_uint_eq (next_sent (&b, path, START + 200 * CC_MSECOND, &discarded), 2);
  ck_assert (send_buffer_take_key_unit_wanted (&b));
  push_frame (&b, 3, 1, key_came, START + 220 * CC_MSECOND);
  ck_assert_uint_eq (next_sent (&b, path, START + 220 * CC_MSECOND, &discarded), 3);
  push_frame (&b, 4, 1, false, START + captured_ms * CC_MSECOND);
  push_frame (&b, 5, 1, false, START + captured_ms * CC_MSECOND);
  return next_sent (&b, path, START + now_ms * CC_MSECOND, &discarded);
}

/* gamma is 150 ms: it gives way by 150 ms, later by what is left of the wait. */
START_TEST (test_the_key_unit_asked_for_is_not_wasted)
{
  ck_assert_uint_eq (leaves_after_request (true, 230, 529), 4);
  ck_assert_uint_eq (leaves_after_request (true, 230, 531), 5);
  ck_assert_uint_eq (leaves_after_request (true, 530, 689), 4);
  ck_assert_uint_eq (leaves_after_request (true, 530, 692), 5);
  ck_assert_uint_eq (leaves_after_request (true, 750, 901), 5);
  ck_assert_uint_eq (leaves_after_request (false, 230, 379), 4);
  ck_assert_uint_eq (leaves_after_request (false, 230, 381), 5);
}
END_TEST

/* A key unit of 50 kB takes 1 s at 50 kB/s: the next request waits for 4 s, or the link would carry nothing else. */
START_TEST (test_key_unit_requests_have_a_bounded_cost)
{
  SendBuffer b = buffer (RING);
  SendBufferPath path = {.X_Bps = 50e3};
  unsigned discarded, requests = 0;

  push_frame (&b, 1000, 50, true, START);
  for (unsigned i = 0; i < 50; i++)
    next_sent (&b, path, START, &discarded);
  b.params.max_delay = 0;
  for (uint32_t f = 0; f < 90; f++) {
    CcTime now = START + f * 100 * CC_MSECOND;
    push_frame (&b, 2 * f, 1, false, now);
    push_frame (&b, 2 * f + 1, 1, false, now);
    next_sent (&b, path, now, &discarded);
    requests += send_buffer_take_key_unit_wanted (&b);
  }
  /* at 0, 4 and 8 of 9 s */
  ck_assert_uint_eq (requests, 3);
}
END_TEST

START_TEST (test_full_ring_condemns_the_oldest_waiting_frame)
{
  SendBuffer b = buffer (8);
  SendBufferPath path = {.X_Bps = 1e9};
  CcPacket packet = {.size_bytes = 1000, .frame = 9};
  unsigned discarded;

  push_frame (&b, 1, 4, false, START);
  push_frame (&b, 2, 4, false, START);
  ck_assert (!send_buffer_push (&b, &packet, START));
  ck_assert (!send_buffer_push (&b, &packet, START));
  ck_assert_uint_eq (b.frames_dropped, 1);
  ck_assert_uint_eq (next_sent (&b, path, START, &discarded), 2);
  ck_assert_uint_eq (discarded, 4);
  ck_assert (send_buffer_push (&b, &packet, START));
}
END_TEST

/* The open frame stays whole; the one behind it comes out. */
START_TEST (test_full_ring_with_an_open_frame)
{
  SendBuffer b = buffer (8);
  SendBufferPath path = {.X_Bps = 1e9};
  CcPacket packet = {.size_bytes = 1000, .frame = 4};
  unsigned discarded;
  uintptr_t before;

  push_frame (&b, 1, 4, false, START);
  next_sent (&b, path, START, &discarded);
  push_frame (&b, 2, 3, false, START);
  push_frame (&b, 3, 2, false, START);
  before = (uintptr_t)ring[1].handle;
  ck_assert (!send_buffer_push (&b, &packet, START));
  for (unsigned i = 0; i < 3; i++)
    ck_assert_int_eq (pull (&b, path, START, &packet), SEND_BUFFER_DISCARD);
  for (unsigned i = 0; i < 3; i++) {
    ck_assert_int_eq (pull (&b, path, START, &packet), SEND_BUFFER_SEND);
    ck_assert_uint_eq ((uintptr_t)packet.handle, before + i);
  }
  ck_assert_uint_eq (next_sent (&b, path, START, &discarded), 3);
  ck_assert_uint_eq (b.queued_bytes, 1000);
}
END_TEST

/* Packets that come for a condemned frame share its fate. */
START_TEST (test_late_packets_of_a_condemned_frame)
{
  SendBuffer b = buffer (4);
  SendBufferPath path = {.X_Bps = 1e9};
  CcPacket packet = {.size_bytes = 1000, .frame = 1}, out;

  for (unsigned i = 0; i < 4; i++)
    ck_assert (send_buffer_push (&b, &packet, START));
  ck_assert (!send_buffer_push (&b, &packet, START));
  for (unsigned i = 0; i < 4; i++)
    ck_assert_int_eq (pull (&b, path, START, &out), SEND_BUFFER_DISCARD);
  packet.frame_end = true;
  ck_assert (send_buffer_push (&b, &packet, START));
  ck_assert_int_eq (pull (&b, path, START, &out), SEND_BUFFER_DISCARD);
  ck_assert_uint_eq (b.queued_bytes, 0);
  /* the same timestamp behind the marker is another frame */
  ck_assert (send_buffer_push (&b, &packet, START));
  ck_assert_int_eq (pull (&b, path, START, &out), SEND_BUFFER_SEND);
}
END_TEST

START_TEST (test_clear)
{
  SendBuffer b = buffer (RING);
  SendBufferPath path = {.X_Bps = 1e9};
  unsigned discarded;

  push_frame (&b, 1, 5, false, START);
  push_frame (&b, 2, 5, true, START);
  next_sent (&b, path, START, &discarded);
  send_buffer_clear (&b);
  ck_assert_uint_eq (b.queued_bytes, 0);
  push_frame (&b, 3, 5, false, START);
  ck_assert_uint_eq (next_sent (&b, path, START, &discarded), 3);
  ck_assert_uint_eq (discarded, 9);
}
END_TEST

/* L < (150 - 10 - 20 ms) x 100 kB/s - 5000 = 7000 bytes. R = 1 s: gamma/2 is left, 7500 - 5000. */
START_TEST (test_frame_budget)
{
  SendBuffer b = buffer (RING);
  SendBufferPath path = {.X_Bps = 100e3, .R = 20 * CC_MSECOND};

  b.params.playout = 20 * CC_MSECOND;
  push_frame (&b, 1, 5, false, START);
  ck_assert_uint_eq (send_buffer_frame_budget (&b, &path), 7000);
  path.R = CC_SECOND;
  ck_assert_double_eq_tol (
      send_buffer_frame_budget (&b, &path), 2499.5, 1); /* 0.075 s x R: a byte by how it is rounded */
  path.X_Bps = 1;
  ck_assert_uint_eq (send_buffer_frame_budget (&b, &path), 0);
  path.X_Bps = 1e30;
  ck_assert_uint_eq (send_buffer_frame_budget (&b, &path), UINT32_MAX);
}
END_TEST

typedef struct {
  double rate_Bps, source_Bps, fps;
  CcDuration R, longest_run, longest_gap;
} Run;

/* A source at source_Bps behind a paced link; the encoder knows nothing of the rate. Records the longest span of
   capture time without a frame sent, less the frame interval, and the longest span between two frames that begin. */
static void
run (Run *r)
{
  SendBuffer b = buffer (RING);
  SendBufferPath path = {.X_Bps = r->rate_Bps, .R = r->R};
  CcDuration interval = cc_duration (1 / r->fps);
  unsigned packets = (unsigned)(r->source_Bps / r->fps / 1000);
  uint32_t frame = 0, last = 0;
  CcTime began = START;
  CcPacerParams params;
  CcPacket packet;
  CcPacer p;

  cc_pacer_params_init (&params);
  cc_pacer_init (&p, &params, START);
  cc_pacer_set_rate (&p, r->rate_Bps);
  for (CcTime now = START; now < START + (slow_machine () ? 10 : 60) * CC_SECOND; now += CC_MSECOND) {
    SendBufferVerdict verdict = SEND_BUFFER_SEND;
    if (now >= START + frame * interval)
      push_frame (&b, frame, packets > 0 ? packets : 1, frame == 0, now), frame++;
    while (cc_pacer_may_send (&p, r->R, now) && verdict != SEND_BUFFER_EMPTY) {
      verdict = pull (&b, path, now, &packet);
      if (verdict != SEND_BUFFER_SEND)
        continue;
      cc_pacer_on_sent (&p, packet.size_bytes, r->R, now);
      if (!packet.frame_begin)
        continue;
      if (packet.frame > last && (packet.frame - last - 1) * interval > r->longest_run)
        r->longest_run = (packet.frame - last - 1) * interval;
      if (now - began > r->longest_gap)
        r->longest_gap = now - began;
      last = packet.frame;
      began = now;
    }
  }
}

/* U7, U8: the pairs of RTT and bandwidth of the thesis, the source at 0.9, 1.5 and 2.5 times the link. */
START_TEST (test_discard_runs_are_short)
{
  static const struct {
    double R_ms, kbps;
  } pairs[] = {{3.5, 8000}, {20, 3000}, {100, 600}, {200, 200}, {100, 8000}, {200, 3000}, {200, 1500}};
  static const double overload[] = {0.9, 1.5, 2.5};

  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    for (size_t j = 0; j < 3; j++) {
      Run r = {.rate_Bps = pairs[i].kbps * 125, .fps = 10, .R = cc_duration (pairs[i].R_ms / 1000)};
      r.source_Bps = r.rate_Bps * overload[j];
      run (&r);
      ck_assert_msg (r.longest_run < 300 * CC_MSECOND && r.longest_gap <= 500 * CC_MSECOND,
          "%g ms %g kb/s x %g: run %g s, gap %g s", pairs[i].R_ms, pairs[i].kbps, overload[j],
          cc_seconds (r.longest_run), cc_seconds (r.longest_gap));
    }
  }
}
END_TEST

static void
push_resent (SendBuffer *b, uintptr_t handle)
{
  CcPacket packet = {.handle = (void *)handle, .size_bytes = 500, .captured_at = START, .resent = true};

  ck_assert (send_buffer_push (b, &packet, START));
}

/* They go first, in their order, also within a frame, and no frame is counted for them. */
START_TEST (test_packets_sent_again)
{
  SendBuffer b = buffer (RING);
  SendBufferPath path = {.X_Bps = 1e6, .R = 20 * CC_MSECOND};
  CcPacket packet;

  push_frame (&b, 0, 2, true, START);
  push_frame (&b, 1, 3, false, START);
  ck_assert_int_eq (pull (&b, path, START, &packet), SEND_BUFFER_SEND);
  push_resent (&b, 91);
  push_resent (&b, 92);
  ck_assert_uint_eq (b.queued_bytes, 4000 + 1000);
  ck_assert_int_eq (pull (&b, path, START, &packet), SEND_BUFFER_SEND);
  ck_assert_uint_eq ((uintptr_t)packet.handle, 91);
  push_resent (&b, 93);
  for (uintptr_t expected = 92; expected <= 93; expected++) {
    ck_assert_int_eq (pull (&b, path, START, &packet), SEND_BUFFER_SEND);
    ck_assert_uint_eq ((uintptr_t)packet.handle, expected);
  }
  for (unsigned i = 0; i < 4; i++) {
    ck_assert_int_eq (pull (&b, path, START, &packet), SEND_BUFFER_SEND);
    ck_assert_uint_eq (packet.frame, i > 0);
    ck_assert (!packet.resent);
  }
  push_resent (&b, 94);
  ck_assert_int_eq (pull (&b, path, START, &packet), SEND_BUFFER_SEND);
  ck_assert_int_eq (pull (&b, path, START, &packet), SEND_BUFFER_EMPTY);
  ck_assert_uint_eq (b.frames_in, 2);
  ck_assert_uint_eq (b.frames_sent, 2);
  ck_assert_uint_eq (b.queued_bytes, 0);
}
END_TEST

/* The size of the frame behind one is measured anew: it takes 99 of its 140 ms (150 - R/2), and grows meanwhile to more
   than it has, so that it gives way to the next one. */
START_TEST (test_the_condition_behind_a_packet_sent_again)
{
  SendBuffer b = buffer (RING);
  SendBufferPath path = {.X_Bps = 1e5, .R = 20 * CC_MSECOND};
  CcPacket packet = {.size_bytes = 4950, .frame = 1, .captured_at = CC_TIME_NONE};
  unsigned n_discarded;

  ck_assert (send_buffer_push (&b, &packet, START));
  ck_assert (send_buffer_push (&b, &packet, START));
  ck_assert_int_eq (send_buffer_head (&b, &path, START, &packet), SEND_BUFFER_SEND);
  push_resent (&b, 91);
  packet.frame_end = true;
  ck_assert (send_buffer_push (&b, &packet, START));
  push_frame (&b, 2, 1, false, START);
  for (n_discarded = 0; pull (&b, path, START, &packet) == SEND_BUFFER_DISCARD; n_discarded++)
    ck_assert_uint_eq (packet.frame, 1);
  ck_assert_uint_eq (n_discarded, 3);
  ck_assert_uint_eq ((uintptr_t)packet.handle, 91);
  ck_assert_uint_eq (next_sent (&b, path, START, &n_discarded), 2);
  ck_assert_uint_eq (n_discarded, 0);
}
END_TEST

/* After 150 ms, but only where a frame waits: a queue that a fall of the path has lost does not hold the next one up.
 */
START_TEST (test_a_packet_sent_again_is_given_up_for_a_frame)
{
  SendBuffer b = buffer (RING);
  SendBufferPath path = {.X_Bps = 1e4, .R = 20 * CC_MSECOND};
  CcTime now = START + 150 * CC_MSECOND;
  CcPacket packet;

  push_resent (&b, 91);
  push_resent (&b, 92);
  ck_assert_int_eq (pull (&b, path, now, &packet), SEND_BUFFER_SEND);
  push_frame (&b, 1, 1, false, now);
  ck_assert_int_eq (pull (&b, path, now, &packet), SEND_BUFFER_DISCARD);
  ck_assert_uint_eq ((uintptr_t)packet.handle, 92);
  ck_assert_int_eq (pull (&b, path, now, &packet), SEND_BUFFER_SEND);
  ck_assert_uint_eq (packet.frame, 1);
  ck_assert_uint_eq (b.queued_bytes, 0);
  ck_assert_uint_eq (b.frames_dropped, 0);
}
END_TEST

/* However many of them come, what waits behind does not pile up: of two frames that are late the newest stays. */
START_TEST (test_frames_grow_old_behind_packets_sent_again)
{
  SendBuffer b = buffer (RING);
  SendBufferPath path = {.X_Bps = 1e5, .R = 20 * CC_MSECOND};
  CcTime now = START + 149 * CC_MSECOND;
  CcPacket packet;

  push_frame (&b, 1, 3, false, START);
  push_frame (&b, 2, 2, false, START);
  push_resent (&b, 91);
  push_resent (&b, 92);
  for (unsigned i = 0; i < 3; i++) {
    ck_assert_int_eq (send_buffer_head (&b, &path, now, &packet), SEND_BUFFER_DISCARD);
    ck_assert_uint_eq (packet.frame, 1);
    send_buffer_pop (&b, now);
  }
  for (uintptr_t expected = 91; expected <= 92; expected++) {
    ck_assert_int_eq (pull (&b, path, now, &packet), SEND_BUFFER_SEND);
    ck_assert_uint_eq ((uintptr_t)packet.handle, expected);
  }
  ck_assert_int_eq (pull (&b, path, now, &packet), SEND_BUFFER_SEND);
  ck_assert_uint_eq (packet.frame, 2);
  ck_assert_uint_eq (b.frames_dropped, 1);
}
END_TEST

static void
push_repair (SendBuffer *b, uint32_t frame)
{
  CcPacket packet = {.size_bytes = 500, .frame = frame, .captured_at = CC_TIME_NONE, .repair = true};

  ck_assert (send_buffer_push (b, &packet, START));
}

/* Redundancy behind the end of its frame is no frame: it leaves behind that, alone where that has left, goes with it
   where that is skipped, and does not replace it. */
START_TEST (test_repair_packets)
{
  SendBuffer b = buffer (RING);
  SendBufferPath path = {.X_Bps = 1e4, .R = 20 * CC_MSECOND};
  CcPacket packet;
  unsigned n_discarded;

  push_frame (&b, 1, 2, true, START);
  push_repair (&b, 1);
  ck_assert_uint_eq (b.queued_bytes, 2500);
  ck_assert_uint_eq (b.frames_in, 1);
  /* 2500 bytes at 10 kB/s are late, yet nothing newer waits: it goes, and what comes behind its last packet too */
  for (unsigned i = 0; i < 3; i++)
    ck_assert_uint_eq (next_sent (&b, path, START, &n_discarded), 1);
  push_repair (&b, 1);
  ck_assert_uint_eq (next_sent (&b, path, START, &n_discarded), 1);
  ck_assert_uint_eq (n_discarded, 0);
  push_frame (&b, 2, 2, false, START);
  push_repair (&b, 2);
  push_frame (&b, 3, 1, false, START);
  ck_assert_int_eq (send_buffer_head (&b, &path, START, &packet), SEND_BUFFER_DISCARD);
  ck_assert_uint_eq (next_sent (&b, path, START, &n_discarded), 3);
  ck_assert_uint_eq (n_discarded, 3);
  ck_assert_int_eq (pull (&b, path, START, &packet), SEND_BUFFER_EMPTY);
  ck_assert_uint_eq (b.frames_dropped, 1);
  ck_assert_uint_eq (b.queued_bytes, 0);
}
END_TEST

static bool
is_small (const CcPacket *packet, void *user)
{
  return packet->size_bytes == *(uint32_t *)user;
}

static void
push_small (SendBuffer *b, uint32_t frame, bool frame_end)
{
  CcPacket packet = {.size_bytes = 100, .frame = frame, .captured_at = CC_TIME_NONE, .frame_end = frame_end};

  ck_assert (send_buffer_push (b, &packet, START));
}

/* Behind the packet that is sent again and the frame that has begun there are two to be brought ahead: they keep their
   order and are no frames any more, and the others leave as they would have. */
START_TEST (test_packets_brought_ahead)
{
  static const uint32_t order[] = {9, 12, 14, 1, 3, 3};
  SendBuffer b = buffer (RING);
  SendBufferPath path = {.X_Bps = 1e6, .R = 20 * CC_MSECOND};
  CcPacket packet, again = {.size_bytes = 1000, .frame = 9, .resent = true};
  uint32_t size = 100;
  uint64_t bytes;

  push_frame (&b, 1, 2, true, START);
  push_small (&b, 12, true);
  push_frame (&b, 3, 2, false, START);
  push_small (&b, 14, true);
  ck_assert_int_eq (pull (&b, path, START, &packet), SEND_BUFFER_SEND);
  ck_assert (send_buffer_push (&b, &again, START));
  ck_assert_uint_eq (send_buffer_bring_ahead (&b, is_small, &size, &bytes), 2);
  ck_assert_uint_eq (bytes, 200);
  ck_assert_uint_eq (b.frames_waiting, 1);
  ck_assert_uint_eq (b.queued_bytes, 4200);
  for (unsigned i = 0; i < sizeof order / sizeof *order; i++) {
    ck_assert_int_eq (pull (&b, path, START, &packet), SEND_BUFFER_SEND);
    ck_assert_uint_eq (packet.frame, order[i]);
    ck_assert (packet.resent == (i < 3));
  }
  ck_assert_int_eq (pull (&b, path, START, &packet), SEND_BUFFER_EMPTY);
  ck_assert_uint_eq (b.frames_in, 2);
  ck_assert_uint_eq (b.frames_sent, 2);
  ck_assert_uint_eq (b.queued_bytes, 0);
}
END_TEST

/* Nor is one brought ahead of another that cannot be: of a longer frame, with redundancy behind it, or condemned. */
START_TEST (test_packets_that_stay_in_their_place)
{
  uint32_t size = 100;
  uint64_t bytes;

  for (unsigned what = 0; what < 3; what++) {
    SendBuffer b = buffer (RING);

    push_frame (&b, 1, 2, true, START);
    push_small (&b, 2, what != 0);
    if (what == 0)
      push_small (&b, 2, true);
    else if (what == 1)
      push_repair (&b, 2);
    else
      send_buffer_clear (&b);
    push_small (&b, 3, true);
    ck_assert_uint_eq (send_buffer_bring_ahead (&b, is_small, &size, &bytes), 0);
    ck_assert_uint_eq (bytes, 0);
  }
}
END_TEST

CC_TEST_MAIN ("sendbuffer", test_in_time_everything_leaves_in_order, test_transmission_condition,
    test_capture_time_counts_where_it_is_known, test_a_frame_that_began_is_finished,
    test_packets_of_the_open_frame_follow, test_deadline_gives_way_to_the_path,
    test_a_long_path_leaves_half_of_the_deadline, test_the_newest_frame_goes_however_late,
    test_key_units_go_before_delta_frames, test_a_key_unit_behind_its_headers,
    test_a_newer_key_unit_replaces_an_older_one, test_key_unit_requests_are_spaced,
    test_the_key_unit_asked_for_is_not_wasted, test_key_unit_requests_have_a_bounded_cost,
    test_full_ring_condemns_the_oldest_waiting_frame, test_full_ring_with_an_open_frame,
    test_late_packets_of_a_condemned_frame, test_clear, test_packets_sent_again,
    test_the_condition_behind_a_packet_sent_again, test_frames_grow_old_behind_packets_sent_again,
    test_a_packet_sent_again_is_given_up_for_a_frame, test_packets_brought_ahead, test_packets_that_stay_in_their_place,
    test_repair_packets, test_frame_budget, CC_TEST_LONG (test_discard_runs_are_short))
