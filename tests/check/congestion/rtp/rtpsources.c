/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpsources.h"
#include "cctest.h"

#include <stdlib.h>

#define START (1000 * CC_SECOND)

static RtpSources table;

static void *
get (void *user, size_t size)
{
  return malloc (size);
}

static void
put (void *user, void *memory)
{
  free (memory);
}

static void
begin (void)
{
  CcMemory memory = {get, put, NULL};

  rtp_sources_init (&table, &memory);
}

static RtpSource *
add (uint32_t ssrc, uint64_t host, CcTime now)
{
  RtpSourceParams params = {.clock_rate = 90000, .host = host};

  cc_receiver_params_init (&params.cc);
  key_request_params_init (&params.key);
  return rtp_sources_add (&table, ssrc, &params, now);
}

/* Valid, and heard by RTP. */
static void
speak (RtpSource *s, CcTime now)
{
  s->valid = true;
  s->last_heard = s->last_rtp = now;
}

START_TEST (one_host_has_half_of_the_places)
{
  uint32_t i;

  begin ();
  for (i = 0; i < RTP_SOURCES_MAX_OF_HOST; i++)
    speak (add (i, 1, START), START);
  ck_assert (add (100, 1, START) == NULL);
  ck_assert_uint_eq (table.refused, 1);
  ck_assert (add (200, 2, START) != NULL);
  rtp_sources_clear (&table);
}
END_TEST

START_TEST (the_silent_make_room_who_is_not_valid_first)
{
  uint32_t i;

  begin ();
  for (i = 0; i < RTP_SOURCES_MAX; i++)
    speak (add (i, 1 + i, START), START + i);
  rtp_sources_find (&table, 9)->valid = false;
  ck_assert (add (100, 100, START + CC_SECOND) != NULL);
  ck_assert (rtp_sources_find (&table, 9) == NULL && table.evicted == 1);
  speak (rtp_sources_find (&table, 100), START + CC_SECOND);
  ck_assert (add (101, 101, START + CC_SECOND) != NULL);
  ck_assert (rtp_sources_find (&table, 0) == NULL);
  rtp_sources_clear (&table);
}
END_TEST

START_TEST (the_main_one_brings_the_most_lately)
{
  RtpSource *a, *b;

  begin ();
  a = add (1, 1, START);
  b = add (2, 1, START);
  ck_assert (rtp_sources_main (&table) == NULL);
  speak (a, START);
  speak (b, START);
  a->bytes = 1000;
  b->bytes = 100;
  ck_assert (rtp_sources_main (&table) == a);
  b->last_rtp = START + CC_SECOND;
  ck_assert (rtp_sources_main (&table) == b);
  ck_assert (rtp_sources_is_alive (&table, CC_SECOND / 2, START + CC_SECOND));
  ck_assert (!rtp_sources_is_alive (&table, CC_SECOND / 2, START + 2 * CC_SECOND));
  rtp_sources_keep_host (&table, 2);
  ck_assert (rtp_sources_main (&table) == NULL);
  rtp_sources_clear (&table);
}
END_TEST

/* Stragglers behind a BYE do not take it back, a stream that goes on does. */
START_TEST (a_bye_and_what_comes_after)
{
  RtpSource *s;

  begin ();
  s = add (1, 1, START);
  speak (s, START);
  rtp_source_on_bye (s, START);
  ck_assert (!rtp_source_present (s) && rtp_sources_count (&table) == 0);
  ck_assert (!rtp_source_on_rtp_after_bye (s) && !rtp_source_on_rtp_after_bye (s) && !rtp_source_on_rtp_after_bye (s));
  ck_assert (rtp_source_on_rtp_after_bye (s) && rtp_source_present (s));
  rtp_source_on_bye (s, START);
  rtp_sources_expire (&table, 25 * CC_SECOND, START + CC_SECOND);
  ck_assert (rtp_sources_find (&table, 1) == s);
  rtp_sources_expire (&table, 25 * CC_SECOND, START + 2 * CC_SECOND);
  ck_assert (rtp_sources_find (&table, 1) == NULL);
  rtp_sources_clear (&table);
}
END_TEST

CC_TEST_MAIN ("rtpsources", one_host_has_half_of_the_places, the_silent_make_room_who_is_not_valid_first,
    the_main_one_brings_the_most_lately, a_bye_and_what_comes_after)
