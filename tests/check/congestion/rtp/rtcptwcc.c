/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcptwcc.h"
#include "cctest.h"

#include <string.h>

#define MS CC_MSECOND
#define T0 (10 * CC_SECOND) /* 156.25 x 64 ms: reference 156 = 0x9c, and 16 ms = 64 ticks = 0x40 beyond it */
#define MISSING UINT64_MAX

static ArrivalHistory h;
static uint8_t fci[4096];

static void
arrive (unsigned seq, CcTime at)
{
  arrival_history_on_packet (&h, (uint16_t)seq, ARRIVAL_NOT_ECT, at);
}

static size_t
write_one (size_t capacity)
{
  memset (fci, 0xee, sizeof fci);
  return rtcp_twcc_write (fci, capacity, &h, 0);
}

/* at[i]: expected arrival of number first + i, MISSING where not received. */
static void
expect (const uint8_t *message, size_t size, uint16_t first, const CcTime *at, unsigned n)
{
  RtcpTwccReader r;
  RtcpTwccStatus status;

  ck_assert (rtcp_twcc_open (&r, message, size));
  ck_assert_uint_eq (r.base_seq, first);
  ck_assert_uint_eq (r.status_count, n);
  for (unsigned i = 0; i < n; i++) {
    ck_assert (rtcp_twcc_next (&r, &status));
    ck_assert_uint_eq (status.seq, (uint16_t)(first + i));
    ck_assert_int_eq (status.received, at[i] != MISSING);
    if (status.received)
      ck_assert_uint_eq (rtcp_twcc_arrival (&status, r.reference), at[i]);
  }
  ck_assert (!rtcp_twcc_next (&r, &status));
}

/* The vectors of this kind are what rtpsession of GStreamer 1.22.0 sent under a test clock (profile avpf, reduced size)
   for the arrivals given: the marker of the last packet makes it send. Here they are read, and written to the byte
   where its choice of chunks is the same as ours. */
static void
expect_rtpsession (const uint8_t *vector, size_t size, uint16_t first, const CcTime *at, unsigned n, bool same_chunks)
{
  expect (vector, size, first, at, n);
  if (!same_chunks)
    return;
  arrival_history_init (&h, 0);
  for (unsigned i = 0; i < n; i++)
    if (at[i] != MISSING)
      arrive (first + i, at[i]);
  ck_assert_uint_eq (write_one (sizeof fci), size);
  ck_assert_mem_eq (fci, vector, size);
}

/* 100 to 106, 10 ms = 40 ticks = 0x28 apart: a run of 7 small deltas, 0 01 0000000000111. */
START_TEST (test_rtpsession_run)
{
  static const uint8_t vector[] = {
      0, 0x64, 0, 7, 0, 0, 0x9c, 0, 0x20, 0x07, 0x40, 0x28, 0x28, 0x28, 0x28, 0x28, 0x28, 0, 0, 0};
  CcTime at[7];

  for (unsigned i = 0; i < 7; i++)
    at[i] = T0 + i * 10 * MS;
  expect_rtpsession (vector, sizeof vector, 100, at, 7, true);
}
END_TEST

/* 20 packets 2.1 ms apart: instants are rounded to ticks, deltas are their differences, 8 or 9. */
START_TEST (test_rtpsession_rounding)
{
  static const uint8_t vector[] = {
      0, 0x84, 0, 0x14, 0, 0, 0x9c, 0, 0x20, 0x14, 0x40, 8, 8, 9, 8, 9, 8, 8, 9, 8, 9, 8, 8, 9, 8, 9, 8, 8, 9, 8, 0, 0};
  CcTime at[20];

  for (unsigned i = 0; i < 20; i++)
    at[i] = T0 + (i * 2100 * CC_USECOND / RTCP_TWCC_TICK) * RTCP_TWCC_TICK;
  expect (vector, sizeof vector, 132, at, 20);
  arrival_history_init (&h, 0);
  for (unsigned i = 0; i < 20; i++)
    arrive (132 + i, T0 + i * 2100 * CC_USECOND);
  ck_assert_uint_eq (write_one (sizeof fci), sizeof vector);
  ck_assert_mem_eq (fci, vector, sizeof vector);
}
END_TEST

/* 107, 109, 110, 113, 114, 115, 119, 120, 121, 123, each 5 ms after the one before: 1 says received,
   10 10110011100011 and 10 10100000000000. */
START_TEST (test_rtpsession_one_bit_vector)
{
  static const uint8_t vector[] = {0, 0x6b, 0, 0x11, 0, 0, 0x9c, 0, 0xac, 0xe3, 0xa8, 0, 0x40, 0x14, 0x14, 0x14, 0x14,
      0x14, 0x14, 0x14, 0x14, 0x14, 0, 0};
  static const unsigned came[] = {107, 109, 110, 113, 114, 115, 119, 120, 121, 123};
  CcTime at[17];

  for (unsigned i = 0; i < 17; i++)
    at[i] = MISSING;
  for (unsigned i = 0; i < 10; i++)
    at[came[i] - 107] = T0 + i * 5 * MS;
  expect_rtpsession (vector, sizeof vector, 107, at, 17, false);
  arrival_history_init (&h, 0);
  for (unsigned i = 0; i < 10; i++)
    arrive (came[i], T0 + i * 5 * MS);
  ck_assert_uint_eq (write_one (sizeof fci), sizeof vector);
  ck_assert_mem_eq (fci, vector, sizeof vector);
}
END_TEST

/* 124 at 0, 125 at 100, 127 at 110, 126 at 115, 128 at 116.25 ms. In the order of numbers: +100 ms = 400 = 0x0190,
   +15 ms = 60 = 0x3c, -5 ms = -20 = 0xffec, +6.25 ms = 25 = 0x19; symbols 1 2 1 2 1: 11 01 10 01 10 01 00 00. */
START_TEST (test_rtpsession_two_bit_vector)
{
  static const uint8_t vector[] = {
      0, 0x7c, 0, 5, 0, 0, 0x9c, 0, 0xd9, 0x90, 0x40, 0x01, 0x90, 0x3c, 0xff, 0xec, 0x19, 0, 0, 0};
  const CcTime at[] = {T0, T0 + 100 * MS, T0 + 115 * MS, T0 + 110 * MS, T0 + 116250 * CC_USECOND};

  expect_rtpsession (vector, sizeof vector, 124, at, 5, true);
}
END_TEST

/* 65534 to 1, 1 ms apart. */
START_TEST (test_rtpsession_wrap)
{
  static const uint8_t vector[] = {0xff, 0xfe, 0, 4, 0, 0, 0x9c, 0, 0x20, 0x04, 0x40, 4, 4, 4, 0, 0};
  const CcTime at[] = {T0, T0 + MS, T0 + 2 * MS, T0 + 3 * MS};

  expect_rtpsession (vector, sizeof vector, 65534, at, 4, true);
}
END_TEST

/* 1, and 40 another 70 ms = 280 = 0x118 later: vector of two bits, run of 32, vector of two bits. */
START_TEST (test_rtpsession_long_gap)
{
  static const uint8_t vector[] = {0, 1, 0, 0x28, 0, 0, 0x9c, 0, 0xd0, 0, 0, 0x20, 0xe0, 0, 0x40, 0x01, 0x18, 0, 0, 0};
  CcTime at[40];

  for (unsigned i = 0; i < 40; i++)
    at[i] = MISSING;
  at[0] = T0;
  at[39] = T0 + 70 * MS;
  expect_rtpsession (vector, sizeof vector, 1, at, 40, false);
}
END_TEST

/* The message counter is the caller's, and is the last byte of the reference's word. The reference is 24 bits: 2^24 x
   64 ms + 128 ms is 2. */
START_TEST (test_counter_and_reference)
{
  arrival_history_init (&h, 0);
  arrive (1, ((CcTime)1 << 24) * RTCP_TWCC_REFERENCE + 2 * RTCP_TWCC_REFERENCE);
  ck_assert_uint_eq (rtcp_twcc_write (fci, sizeof fci, &h, 255), 12);
  ck_assert_mem_eq (fci + 4, "\0\0\2\xff", 4);
}
END_TEST

/* The draft's sentence has the symbols of this vector the other way round; its examples do not: 1 is received. */
START_TEST (test_polarity)
{
  static const uint8_t message[] = {0, 0, 0, 2, 0, 0, 1, 0, 0xa0, 0, 4, 0};
  const CcTime at[] = {65 * MS, MISSING};

  expect (message, sizeof message, 0, at, 2);
}
END_TEST

/* Deltas reach from -8192 to 8191.75 ms: 32767 ticks go into the message, 32768 into the next. */
START_TEST (test_a_jump_begins_a_new_message)
{
  const CcTime first[] = {T0, MISSING, T0 + 32767 * RTCP_TWCC_TICK, MISSING}, next[] = {T0 + 65535 * RTCP_TWCC_TICK};
  size_t size;

  arrival_history_init (&h, 0);
  arrive (1, first[0]);
  arrive (3, first[2]);
  arrive (5, next[0]);
  size = write_one (sizeof fci);
  expect (fci, size, 1, first, 4);
  size = write_one (sizeof fci);
  expect (fci, size, 5, next, 1);
  ck_assert_uint_eq (write_one (sizeof fci), 0);
  /* backwards */
  arrive (6, T0 + 100 * CC_SECOND);
  arrive (7, T0 + 100 * CC_SECOND - 32768 * RTCP_TWCC_TICK);
  arrive (8, T0 + 100 * CC_SECOND - 65537 * RTCP_TWCC_TICK);
  ck_assert_uint_gt (write_one (sizeof fci), 0);
  ck_assert_uint_eq (fci[3], 2);
  ck_assert_uint_gt (write_one (sizeof fci), 0);
  ck_assert_uint_eq (fci[3], 1);
}
END_TEST

/* What arrived late is told alone: what was told before is "not received" this time. */
START_TEST (test_arrivals_are_told_once)
{
  const CcTime at[] = {T0 + 100 * MS, MISSING, MISSING, T0 + 101 * MS};
  size_t size;

  arrival_history_init (&h, 0);
  arrive (1, T0);
  arrive (3, T0 + MS);
  arrive (4, T0 + 2 * MS);
  ck_assert_uint_gt (write_one (sizeof fci), 0);
  arrive (2, at[0]);
  arrive (5, at[3]);
  size = write_one (sizeof fci);
  expect (fci, size, 2, at, 4);
  ck_assert_uint_eq (write_one (sizeof fci), 0);
}
END_TEST

/* Whatever the pattern and the room, all arrivals are told once, in order, and nothing is written beyond the room. */
START_TEST (test_round_trips)
{
  uint32_t seed = 1;

  for (unsigned round = 0; round < (unsigned)scaled (2000); round++) {
    static CcTime at[600];
    unsigned n = 1 + round % 600, told = 0, arrived = 0;
    size_t capacity = 11 + (round * 7) % 300, size;
    CcTime now = T0 + round * CC_SECOND;

    arrival_history_init (&h, 0);
    for (unsigned i = 0; i < n; i++) {
      seed = seed * 1664525 + 1013904223;
      now += seed >> 28 ? seed >> 12 : 80 * MS;
      at[i] = (seed >> 20 & 7) < round % 8 && i > 0 ? MISSING : now;
      arrived += at[i] != MISSING;
      if (at[i] != MISSING)
        arrive (60000 + i, now);
    }
    while ((size = write_one (capacity)) > 0) {
      RtcpTwccReader r;
      RtcpTwccStatus status;

      ck_assert (size <= capacity && size % 4 == 0);
      ck_assert_uint_eq (fci[capacity], 0xee);
      ck_assert (rtcp_twcc_open (&r, fci, size));
      while (rtcp_twcc_next (&r, &status)) {
        CcTime expected = at[(uint16_t)(status.seq - 60000)];

        ck_assert_int_eq (status.received, expected != MISSING);
        told += status.received;
        if (status.received)
          ck_assert_uint_eq (rtcp_twcc_arrival (&status, r.reference), expected / RTCP_TWCC_TICK * RTCP_TWCC_TICK);
      }
    }
    ck_assert_uint_eq (told, capacity < 12 ? 0 : arrived);
  }
}
END_TEST

START_TEST (test_malformed)
{
  uint8_t run[16] = {0, 0, 0, 4, 0, 0, 1, 0, 0x20, 0x04, 1, 1, 1, 1};
  RtcpTwccReader r;
  RtcpTwccStatus status;

  ck_assert (!rtcp_twcc_open (&r, run, 7));
  ck_assert (!rtcp_twcc_open (&r, run, 8));  /* no chunk */
  ck_assert (!rtcp_twcc_open (&r, run, 13)); /* a delta is missing */
  ck_assert (rtcp_twcc_open (&r, run, 14));
  ck_assert (rtcp_twcc_open (&r, run, 16));
  run[8] = 0x60; /* reserved symbol */
  ck_assert (!rtcp_twcc_open (&r, run, 16));
  run[8] = 0xd7; /* 11 01 01 11 .. */
  ck_assert (!rtcp_twcc_open (&r, run, 16));
  /* a run longer than the count, and reserved symbols behind it, are nobody's business */
  run[8] = 0x3f;
  ck_assert (rtcp_twcc_open (&r, run, 16));
  run[3] = 1;
  run[8] = 0xdf;
  run[9] = 0xff;
  ck_assert (rtcp_twcc_open (&r, run, 16));
  ck_assert (rtcp_twcc_next (&r, &status) && !rtcp_twcc_next (&r, &status));
  /* runs of none */
  run[3] = 2;
  run[8] = run[9] = 0;
  ck_assert (!rtcp_twcc_open (&r, run, 10));
  run[10] = 0xa0;
  ck_assert (rtcp_twcc_open (&r, run, 16));
  ck_assert (rtcp_twcc_next (&r, &status) && status.received);
  ck_assert (rtcp_twcc_next (&r, &status) && !status.received);
  ck_assert (!rtcp_twcc_next (&r, &status));
  /* no status at all */
  run[3] = 0;
  ck_assert (rtcp_twcc_open (&r, run, 8));
  ck_assert (!rtcp_twcc_next (&r, &status));
}
END_TEST

/* Two of a run of seven, the rest of it, nothing of the vector behind. */
START_TEST (test_runs_are_passed_over)
{
  static const uint8_t message[] = {0, 100, 0, 10, 0, 0, 1, 0, 0x00, 0x07, 0x98, 0x00, 4, 8};
  RtcpTwccReader r;
  RtcpTwccStatus status;

  ck_assert (rtcp_twcc_open (&r, message, sizeof message));
  ck_assert_uint_eq (rtcp_twcc_skip (&r, 2), 2);
  ck_assert (rtcp_twcc_next (&r, &status));
  ck_assert_uint_eq (status.seq, 102);
  ck_assert (!status.received);
  ck_assert_uint_eq (rtcp_twcc_skip (&r, 1000), 4);
  ck_assert_uint_eq (rtcp_twcc_skip (&r, 1000), 0);
  for (unsigned seq = 107; seq < 110; seq++) {
    ck_assert (rtcp_twcc_next (&r, &status));
    ck_assert_uint_eq (status.seq, seq);
    ck_assert_int_eq (status.received, seq > 107);
  }
  ck_assert_int_eq (status.at, 3 * MS);
  ck_assert_uint_eq (rtcp_twcc_skip (&r, 1000), 0);
  ck_assert (!rtcp_twcc_next (&r, &status));
}
END_TEST

CC_TEST_MAIN ("rtcptwcc", test_rtpsession_run, test_rtpsession_rounding, test_rtpsession_one_bit_vector,
    test_rtpsession_two_bit_vector, test_rtpsession_wrap, test_rtpsession_long_gap, test_counter_and_reference,
    test_polarity, test_a_jump_begins_a_new_message, test_arrivals_are_told_once, test_round_trips, test_malformed,
    test_runs_are_passed_over)
