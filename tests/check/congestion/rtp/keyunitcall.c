/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whatever is lost, a picture comes: until a key unit is there that can be shown, one is asked for. Between two whole
   participants a camera that makes a key unit when it is asked, and a decoder that shows nothing but what it can. */
#include "participantcall.h"
#include "cctest.h"

#define PICTURE (66 * CC_MSECOND)
#define DELTA_PACKETS 2
#define KEY_PACKETS 8
#define DELTA 0xff
#define MARKER 0x80
#define NUMBER_AT 16 /* in the payload: which packet of a key unit it is */
#define NOTHING 0u
#define EVERYTHING 0xffffu
#define FROM(n) (EVERYTHING << (n)&EVERYTHING)
#define OTHER_MEDIA 0x66666666u

static Call call;
static RtpSettings settings;
static uint32_t ssrc;
static unsigned answered; /* requests so far */

/* ---- a decoder: needs parameter sets once, a whole key unit, and all that comes behind it ---- */

static struct {
  bool has_sets, shows;
  unsigned whole; /* packets of a key unit, from its first on */
  uint16_t next;
} decoder;

static void
decode (const RtpPacket *packet)
{
  unsigned number = packet->payload[NUMBER_AT];

  if (packet->seq != decoder.next) {
    decoder.shows = false;
    decoder.whole = 0;
  }
  decoder.next = (uint16_t)(packet->seq + 1);
  decoder.has_sets = decoder.has_sets || number == 1;
  /* an AUD and parameter sets in front are no part of the picture */
  if (number == 2)
    decoder.whole = 2;
  decoder.whole = number == decoder.whole ? number + 1 : 0;
  decoder.shows = decoder.shows || (decoder.whole == KEY_PACKETS && decoder.has_sets);
}

/* ---- a camera ---- */

/* AUD; SPS and PPS (STAP-A); two slices of an IDR picture in three fragments each (FU-A). */
static void
write_payload (uint8_t *at, unsigned number)
{
  static const uint8_t key_unit[KEY_PACKETS][10] = {{0x09}, {0x78, 0, 2, 0x67, 0x42, 0, 2, 0x68, 0xce},
      {0x7c, 0x85, 0x88}, {0x7c, 0x05}, {0x7c, 0x45}, {0x7c, 0x85, 0x48}, {0x7c, 0x05}, {0x7c, 0x45}};

  memset (at, 0, CALL_PAYLOAD);
  at[0] = 0x61;
  if (number < KEY_PACKETS)
    memcpy (at, key_unit[number], sizeof key_unit[number]);
  at[NUMBER_AT] = (uint8_t)number;
}

static void
send_packet (unsigned number, bool ends, bool lost)
{
  uint8_t bytes[RTCP_MTU];
  size_t size = call_write_rtp (bytes, ssrc, call.seq++, call.now);
  RtpPacket packet;

  write_payload (bytes + size - CALL_PAYLOAD, number);
  bytes[1] = (uint8_t)((bytes[1] & ~MARKER) | (ends ? MARKER : 0));
  rtp_packet_parse (&packet, bytes, size);
  rtp_participant_on_sent (&call.caller.core, &packet, 90000, false, call.now, call.now);
  if (!lost)
    call_put_on_path (&call, &call.watcher, false, bytes, size);
}

/* lost: its n-th packet is, where bit n is set. */
static void
send_picture (bool key, unsigned lost)
{
  unsigned i, n = key ? KEY_PACKETS : DELTA_PACKETS;

  for (i = 0; i < n; i++)
    send_packet (key ? i : DELTA, i + 1 == n, lost >> i & 1);
  call_run (&call, PICTURE);
}

/* What was asked for since the last picture is the next one. */
static bool
is_asked (void)
{
  bool asked = call.caller.told[RTP_EVENT_KEY_UNIT] > answered;

  answered = call.caller.told[RTP_EVENT_KEY_UNIT];
  return asked;
}

static void
film (CcDuration span)
{
  CcTime end = call.now + span;

  while (call.now < end)
    send_picture (is_asked (), NOTHING);
}

/* The first key unit that is asked for, of which so much is lost. */
static void
lose_of_the_answer (unsigned lost)
{
  while (!is_asked ())
    send_picture (false, NOTHING);
  send_picture (true, lost);
}

static void
begin (void)
{
  rtp_settings_init (&settings);
  settings.single_stream = true;
  strcpy (settings.cname, "end");
  call_begin (&call, &settings, &settings);
  call.silent = true;
  call.watcher.play = decode;
  ssrc = CALL_MEDIA;
  answered = 0;
  memset (&decoder, 0, sizeof decoder);
}

static void
end (void)
{
  ck_assert (decoder.shows);
  call_clear (&call);
}

/* ---- what may happen ---- */

START_TEST (who_joins_in_the_middle_sees)
{
  begin ();
  film (CC_SECOND);
  end ();
}
END_TEST

/* Repeated 0.5, 0.5, 1, 2 and 4 s apart: after 6 s of silence within 4 more, and the round trip. */
START_TEST (requests_that_are_lost_are_repeated)
{
  begin ();
  call.deaf = true;
  film (6 * CC_SECOND);
  ck_assert_uint_eq (answered, 0);
  call.deaf = false;
  film (5 * CC_SECOND);
  end ();
}
END_TEST

START_TEST (answers_that_are_lost_are_asked_for_again)
{
  begin ();
  for (unsigned i = 0; i < 4; i++)
    lose_of_the_answer (EVERYTHING);
  film (5 * CC_SECOND);
  end ();
}
END_TEST

/* Any one packet of the answer; without its AUD it is whole. */
START_TEST (answers_that_lack_a_packet_are_asked_for_again)
{
  for (unsigned i = 0; i < KEY_PACKETS; i++) {
    begin ();
    lose_of_the_answer (1u << i);
    film (3 * CC_SECOND);
    end ();
  }
}
END_TEST

/* The first packet heard is the n-th of a key unit; nothing is missing after that. */
START_TEST (who_joins_within_a_key_unit_sees)
{
  for (unsigned n = 0; n < KEY_PACKETS; n++) {
    begin ();
    send_picture (true, ~FROM (n));
    film (3 * CC_SECOND);
    end ();
  }
}
END_TEST

/* The sender pauses for 5 s before it has heard the request. */
START_TEST (a_pause_forgets_no_request)
{
  begin ();
  call.deaf = true;
  film (CC_SECOND);
  call_run (&call, 5 * CC_SECOND);
  call.deaf = false;
  film (5 * CC_SECOND);
  end ();
}
END_TEST

/* A picture in two seconds. */
START_TEST (slides_are_shown)
{
  begin ();
  for (unsigned i = 0; i < 8; i++) {
    send_picture (is_asked (), NOTHING);
    call_run (&call, 2 * CC_SECOND);
  }
  end ();
}
END_TEST

/* The new stream's key unit comes before its turn (rtppeer.h), and nobody gets to see it. */
START_TEST (a_key_unit_before_the_streams_turn_is_none)
{
  begin ();
  film (3 * CC_SECOND);
  ssrc = OTHER_MEDIA;
  call.seq += 5000;
  send_picture (true, NOTHING);
  film (3 * CC_SECOND);
  end ();
}
END_TEST

/* The stream goes on far ahead, in a key unit's n-th packet. */
START_TEST (a_stream_that_jumps_is_shown)
{
  for (unsigned n = 0; n < KEY_PACKETS; n++) {
    begin ();
    film (3 * CC_SECOND);
    call.seq += 5000;
    send_picture (true, ~FROM (n));
    film (3 * CC_SECOND);
    end ();
  }
}
END_TEST

/* 4 s of losses, deafness and pauses, then 10 s of peace. */
START_TEST (after_any_losses_a_picture_comes)
{
  for (unsigned seed = 0; seed < (unsigned)scaled (500); seed++) {
    CcPcg32 pcg;
    CcRandom random = cc_pcg32_init (&pcg, seed);
    double loss;

    begin ();
    loss = cc_random_uniform (&random, 0, 1);
    for (unsigned i = 0; i < 60; i++) {
      unsigned lost = 0;

      for (unsigned n = 0; n < KEY_PACKETS; n++)
        lost |= (cc_random_uniform (&random, 0, 1) < loss) << n;
      call.deaf = cc_random_uniform (&random, 0, 1) < loss;
      send_picture (is_asked (), lost);
      if (cc_random_uniform (&random, 0, 1) < 0.02)
        call_run (&call, 2 * CC_SECOND);
    }
    call.deaf = false;
    film (10 * CC_SECOND);
    ck_assert_msg (decoder.shows, "seed %u", seed);
    end ();
  }
}
END_TEST

CC_TEST_MAIN ("keyunitcall", who_joins_in_the_middle_sees, requests_that_are_lost_are_repeated,
    answers_that_are_lost_are_asked_for_again, answers_that_lack_a_packet_are_asked_for_again,
    who_joins_within_a_key_unit_sees, a_pause_forgets_no_request, slides_are_shown,
    a_key_unit_before_the_streams_turn_is_none, a_stream_that_jumps_is_shown, after_any_losses_a_picture_comes)
