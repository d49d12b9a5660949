/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When rtcpavpf sends, whom it counts, and how it leaves. */
#include "../slowmachine.h"
#include "rtcpavpftest.h"

#include <gst/rtp/rtp.h>

#define TD(members, bytes, Bps) ((members) * (bytes) / (Bps)) /* s; RFC 3550 6.3.1, all in one pool */
#define LONGEST 1.2312                                        /* 1.5 / (e - 1.5): of a draw, in Td */
#define SHORTEST 0.4104

/* RR and CNAME of somebody. */
static GstBuffer *
report_of (guint32 ssrc, const gchar *cname)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);

  rtcp_add_rr (&rtcp, ssrc, NULL, 0);
  rtcp_add_cname (&rtcp, ssrc, cname);
  gst_cc_rtcp_close (&rtcp, buffer);
  return buffer;
}

static void
push_rtcp (Fixture *f, GstBuffer *buffer)
{
  fail_unless_equals_int (gst_harness_push (f->rtcp, buffer), GST_FLOW_OK);
}

static void
make_group (Fixture *f)
{
  gst_util_set_object_arg (G_OBJECT (f->rtp->element), "group", "group");
}

/* Each named twice, so that it counts. */
static void
join (Fixture *f, guint32 ssrc, guint members)
{
  guint i, k;

  for (k = 0; k < 2; k++)
    for (i = 0; i < members; i++)
      push_rtcp (f, report_of (ssrc + i, "somebody"));
}

static gboolean
flag (Fixture *f, const gchar *name)
{
  gboolean value = FALSE;
  GstStructure *stats;

  g_object_get (f->rtp->element, "stats", &stats, NULL);
  gst_structure_get_boolean (stats, name, &value);
  gst_structure_free (stats);
  return value;
}

static gchar *
text (Fixture *f, const gchar *name)
{
  GstStructure *stats;
  gchar *value;

  g_object_get (f->rtp->element, "stats", &stats, NULL);
  value = g_strdup (gst_structure_get_string (stats, name));
  gst_structure_free (stats);
  return value;
}

static void
quiet (Fixture *f)
{
  g_object_set (f->rtp->element, "auto-pli", FALSE, NULL);
  gst_util_set_object_arg (G_OBJECT (f->rtp->element), "feedback", "0");
}

static void
want_key_unit (Fixture *f)
{
  gst_harness_push_upstream_event (
      f->rtp, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, gst_structure_new_empty ("GstForceKeyUnit")));
}

/* Until an early packet might go (RFC 4585 3.5.2 (3), (4)). */
static void
wait_for_a_free_slot (Fixture *f)
{
  guint k;

  for (k = 0; k < 500 &&
              !(flag (f, "allow-early") && stat (f, "tn") > now_of (f) + stat (f, "t-dither-max") + 100 * GST_MSECOND);
       k++)
    stream (f, 1);
}

/* Streams for so long and notes when packets left. */
static guint
departures (Fixture *f, Heard *heard, GstClockTime span, GstClockTime *at, guint capacity)
{
  GstClockTime end = now_of (f) + span;
  guint n = 0, before;

  while (now_of (f) < end) {
    before = heard->packets;
    stream (f, 1);
    listen (f, heard);
    if (heard->packets > before && n < capacity)
      at[n++] = now_of (f);
  }
  return n;
}

static void
fail_unless_gaps_within (const GstClockTime *at, guint n, gdouble least, gdouble most)
{
  guint i;

  for (i = 1; i < n; i++) {
    gdouble gap = (gdouble)(at[i] - at[i - 1]) / GST_SECOND, slack = 2.0 * PERIOD / GST_SECOND;

    fail_unless (gap >= least - slack && gap <= most + slack, "gap %u: %f s", i, gap);
  }
}

/* RFC 3550 6.3.1: Tmin is 2.5 s before the first packet, 5 s then. No early packets, whatever is lost. */
TEST (test_avp)
{
  GstClockTime at[64], begin = now_of (f);
  gdouble before;
  guint n, i;

  gst_util_set_object_arg (G_OBJECT (f->rtp->element), "rtp-profile", "avp");
  for (i = 0, n = 0; i < 300; i++) {
    GstClockTime one[1];

    f->seq++; /* every second packet is lost */
    if (departures (f, heard, 10 * PERIOD, one, 1) > 0)
      at[n++] = one[0];
  }
  before = (gdouble)(at[0] - begin) / GST_SECOND;
  fail_unless (before >= 2.5 * SHORTEST && before <= 2.5 * LONGEST + 0.3, "first after %f s", before);
  /* looked at every 0.2 s */
  fail_unless_gaps_within (at, n, 5 * SHORTEST - 0.2, 5 * LONGEST + 0.2);
  fail_unless (n >= 9, "%u packets in a minute", n);
  fail_unless_equals_uint64 (stat (f, "early"), 0);
}

/* RFC 4585 3.5.3: between regular packets that carry nothing T_rr_interval (0.5 to 1.5 of it) and at most another
   interval pass; Td = 2 * 88 / 3125 = 0.06 s. 0 turns it off, while playing. */
TEST (test_trr_int)
{
  GstClockTime at[64];
  guint n;

  quiet (f);
  g_object_set (f->rtp->element, "trr-int", 2 * GST_SECOND, NULL);
  n = departures (f, heard, 60 * GST_SECOND, at, 64);
  fail_unless_gaps_within (at, n, 1, 3 + LONGEST * 0.1);
  fail_unless (n >= 20 && n <= 45, "%u", n);
  fail_unless (stat (f, "suppressed") > 100);
  g_object_set (f->rtp->element, "trr-int", G_GUINT64_CONSTANT (0), NULL);
  stream (f, 200); /* what was drawn with the interval before ends */
  listen (f, heard);
  heard->packets = 0;
  stream (f, 250);
  listen (f, heard);
  fail_unless (heard->packets > 30, "%u", heard->packets);
}

/* RFC 4585 3.5.2 (6): the early packet takes the next regular one's slot: tp moves ahead, tn by an interval at least,
   and no second early packet goes before that. */
TEST (test_an_early_packet_uses_the_next_slot)
{
  guint64 tn, early;

  quiet (f);
  g_object_set (f->rtp->element, "bandwidth", 20000, "trr-int", G_GUINT64_CONSTANT (0), NULL);
  gst_util_set_object_arg (G_OBJECT (f->rtp->element), "feedback", "pli");
  stream (f, 500);
  wait_for_a_free_slot (f);
  listen (f, heard);
  tn = stat (f, "tn");
  early = stat (f, "early");
  want_key_unit (f);
  heard->plis = 0;
  stream (f, 1);
  listen (f, heard);
  fail_unless_equals_int (heard->plis, 1);
  fail_unless_equals_uint64 (stat (f, "early"), early + 1);
  fail_if (flag (f, "allow-early"));
  fail_unless (stat (f, "tn") > tn);
  fail_unless (stat (f, "tp") > now_of (f));
}

/* RFC 3556: receivers without bandwidth send nothing, and are told so; with 2000 bit/s for all receivers and 38 more of
   them Td = 39 * 88 / 250 = 13.7 s. */
TEST (test_shares_of_the_bandwidth)
{
  gchar *reason;

  quiet (f);
  g_object_set (f->rtp->element, "rtcp-rr-bandwidth", 0, NULL);
  stream (f, 500);
  listen (f, heard);
  /* the sender has a quarter of the default; a receiver beside it has none */
  fail_unless_equals_int (heard->packets, 0);
  reason = text (f, "waits-for");
  fail_unless_equals_string (reason, "bandwidth");
  g_free (reason);
  g_object_set (f->rtp->element, "rtcp-rr-bandwidth", 2000, NULL);
  make_group (f);
  join (f, 0x1000, 38);
  fail_unless (stat (f, "interval") > 8 * GST_SECOND && stat (f, "interval") < 20 * GST_SECOND, "%" G_GUINT64_FORMAT,
      stat (f, "interval"));
  g_object_set (f->rtp->element, "rtcp-rr-bandwidth", 2000000, NULL);
  fail_unless (stat (f, "interval") <= GST_SECOND); /* Tmin before the first packet */
}

/* A group dithers: T_dither_max = l T_rr (RFC 4585 3.5.2 (2b)); two ends do not, and l = 0 turns it off. */
TEST (test_dithering)
{
  quiet (f);
  g_object_set (f->rtp->element, "bandwidth", 20000, NULL);
  stream (f, 100);
  fail_unless_equals_uint64 (stat (f, "t-dither-max"), 0);
  gst_util_set_object_arg (G_OBJECT (f->rtp->element), "group", "group");
  fail_unless_equals_uint64 (stat (f, "t-dither-max"), stat (f, "t-rr") / 2);
  g_object_set (f->rtp->element, "dither-factor", 2.0, NULL);
  fail_unless (stat (f, "t-dither-max") / 100 == 2 * stat (f, "t-rr") / 100);
  g_object_set (f->rtp->element, "dither-factor", 0.0, NULL);
  fail_unless_equals_uint64 (stat (f, "t-dither-max"), 0);
}

/* RFC 4585 3.5.2 (1), (4): what would be later than it is of use is not sent early. */
TEST (test_feedback_that_would_be_late)
{
  quiet (f);
  gst_util_set_object_arg (G_OBJECT (f->rtp->element), "feedback", "pli");
  gst_util_set_object_arg (G_OBJECT (f->rtp->element), "group", "group");
  g_object_set (f->rtp->element, "bandwidth", 20000, "max-feedback-delay", 50 * GST_MSECOND, NULL);
  stream (f, 300);
  wait_for_a_free_slot (f);
  listen (f, heard);
  want_key_unit (f);
  want_key_unit (f); /* the same event */
  fail_unless_equals_uint64 (stat (f, "feedback-discarded"), 1);
  fail_unless_equals_uint64 (stat (f, "early"), 0);
  stream (f, 300);
  listen (f, heard);
  fail_unless (heard->plis > 0); /* with a regular packet */
  fail_unless_equals_uint64 (stat (f, "early"), 0);
}

static gboolean
answer_uri (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_URI)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_uri (query, "udp://239.1.2.3:5004");
  return TRUE;
}

/* Whoever listens to a multicast address is in a group, though two are heard. */
TEST (test_multicast_is_a_group)
{
  gst_pad_set_query_function (f->rtp->srcpad, answer_uri);
  gst_harness_set_src_caps_str (f->rtp, CAPS ",width=(int)1");
  stream (f, 100);
  fail_unless_equals_uint64 (stat (f, "members"), 2);
  fail_unless (stat (f, "t-dither-max") > 0);
  gst_util_set_object_arg (G_OBJECT (f->rtp->element), "group", "point-to-point");
  fail_unless_equals_uint64 (stat (f, "t-dither-max"), 0);
}

TEST (test_sdes)
{
  GstStructure *sdes = gst_structure_new (
      "application/x-rtp-source-sdes", "tool", G_TYPE_STRING, "the tool", "name", G_TYPE_INT, 3, NULL);
  gchar *cname, *same;

  g_object_set (f->rtp->element, "cname", "me@example", "trr-int", G_GUINT64_CONSTANT (0), NULL);
  g_object_set (f->rtp->element, "sdes", sdes, NULL);
  gst_structure_free (sdes);
  g_object_get (f->rtp->element, "cname", &cname, "sdes", &sdes, NULL);
  fail_unless_equals_string (cname, "me@example");
  same = g_strdup (gst_structure_get_string (sdes, "cname"));
  fail_unless_equals_string (same, "me@example");
  stream (f, 200);
  listen (f, heard);
  fail_unless_equals_string (heard->tool, "the tool");
  gst_structure_free (sdes);
  g_free (cname);
  g_free (same);
}

/* ---- who takes part ---- */

static guint
ssrc_of (Fixture *f)
{
  guint ssrc;

  g_object_get (f->rtp->element, "ssrc", &ssrc, NULL);
  return ssrc;
}

static void
count_signal (GstElement *element, guint ssrc, gpointer user)
{
  guint *seen = user;

  seen[0]++;
  seen[1] = ssrc;
}

TEST (test_members_are_told)
{
  guint valid[2] = {0}, bye[2] = {0}, timeout[2] = {0};

  g_signal_connect (f->rtp->element, "on-ssrc-validated", G_CALLBACK (count_signal), valid);
  g_signal_connect (f->rtp->element, "on-bye-ssrc", G_CALLBACK (count_signal), bye);
  g_signal_connect (f->rtp->element, "on-timeout", G_CALLBACK (count_signal), timeout);
  stream (f, 10);
  join (f, 0x1000, 3);
  fail_unless_equals_int (valid[0], 4);
  fail_unless_equals_int (valid[1], 0x1002);
  fail_unless_equals_uint64 (stat (f, "members"), 5);
  push_rtcp (f, bye_of (0x1001));
  fail_unless_equals_int (bye[0], 1);
  fail_unless_equals_int (bye[1], 0x1001);
  fail_unless_equals_uint64 (stat (f, "members"), 4);
  advance (f, 40 * GST_SECOND);
  fail_unless_equals_int (timeout[0], 3); /* the sender and two */
}

/* RFC 3550 6.3.4: the next packet comes forward as members leave: 60 of 120, and the interval is half of it. */
TEST (test_reverse_reconsideration)
{
  guint64 tn, now;
  guint i;

  quiet (f);
  g_object_set (f->rtp->element, "bandwidth", 50000, NULL);
  stream (f, 20);
  make_group (f);
  join (f, 0x1000, 118);
  stream (f, 1000);
  fail_unless_equals_uint64 (stat (f, "members"), 120);
  now = now_of (f);
  tn = stat (f, "tn");
  for (i = 0; i < 60; i++)
    push_rtcp (f, bye_of (0x1000 + i));
  fail_unless_equals_uint64 (stat (f, "members"), 60);
  fail_unless (ABS ((gdouble)(stat (f, "tn") - now) - 0.5 * (gdouble)(tn - now)) < 2e7, "%f s, then %f s",
      (gdouble)(tn - now) / 1e9, (gdouble)(stat (f, "tn") - now) / 1e9);
}

/* RFC 3550 6.2.1: those that a mixer names take part in a group; between two ends they share no RTCP. */
static void
push_contributors (Fixture *f, gboolean group)
{
  guint i;

  for (i = 0; i < 20; i++) {
    GstBuffer *buffer = gst_rtp_buffer_new_allocate (100, 0, 2);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

    gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
    gst_rtp_buffer_set_ssrc (&rtp, MEDIA);
    gst_rtp_buffer_set_seq (&rtp, (guint16)i);
    gst_rtp_buffer_set_payload_type (&rtp, 96);
    gst_rtp_buffer_set_csrc (&rtp, 0, 0x2000);
    gst_rtp_buffer_set_csrc (&rtp, 1, 0x2001);
    memset (gst_rtp_buffer_get_payload (&rtp), 0, 100);
    gst_rtp_buffer_unmap (&rtp);
    push (f, buffer);
  }
  fail_unless_equals_uint64 (stat (f, "members"), group ? 4 : 2);
  fail_unless_equals_uint64 (stat (f, "senders"), 1);
}

TEST (test_contributors_of_a_group_are_members)
{
  make_group (f);
  push_contributors (f, TRUE);
}

TEST (test_contributors_of_two_ends_are_not)
{
  push_contributors (f, FALSE);
}

/* RFC 3550 8.2: somebody else has our SSRC: BYE for it, and another one. Once in an interval, whoever insists. */
TEST (test_collision)
{
  guint collided[2] = {0}, before, after;

  g_signal_connect (f->rtp->element, "on-ssrc-collision", G_CALLBACK (count_signal), collided);
  stream (f, 100);
  before = ssrc_of (f);
  push_rtcp (f, report_of (before, "another"));
  after = ssrc_of (f);
  fail_unless (after != before);
  fail_unless_equals_int (collided[0], 1);
  fail_unless_equals_int (collided[1], before);
  stream (f, 50);
  listen (f, heard);
  fail_unless_equals_int (heard->byes, 1);
  fail_unless_equals_int (heard->bye, before);
  fail_unless_equals_int (heard->speaker, after);
  push_rtcp (f, report_of (after, "another"));
  fail_unless_equals_int (ssrc_of (f), after);
  fail_unless_equals_int (collided[0], 1);
}

/* What we sent comes back (multicast with loop): no collision. */
TEST (test_own_packets_that_come_back)
{
  guint before, i;

  stream (f, 100);
  before = ssrc_of (f);
  listen (f, heard);
  for (i = 0; i < 5; i++) {
    GstBuffer *buffer;

    stream (f, 10);
    if ((buffer = gst_harness_try_pull (f->rtcp)) != NULL)
      push_rtcp (f, buffer);
    listen (f, heard);
  }
  fail_unless (stat (f, "looped") > 0);
  fail_unless_equals_int (ssrc_of (f), before);
  fail_unless_equals_uint64 (stat (f, "members"), 2);
}

/* RFC 3550 8.2: of two that have one SSRC the first is heard; a stream that moved is followed when it is silent where
   it was. */
TEST (test_third_party_collision)
{
  guint i;

  make_group (f);
  for (i = 0; i < 20; i++) {
    push (f, from_address (rtp_packet (f, MEDIA, f->seq++), "192.0.2.1", 5004));
    advance (f, PERIOD);
  }
  drop_output (f->rtp);
  push (f, from_address (rtp_packet (f, MEDIA, 7), "192.0.2.2", 5004));
  fail_unless (gst_harness_try_pull (f->rtp) == NULL);
  fail_unless_equals_uint64 (stat (f, "looped"), 1);
  advance (f, GST_SECOND);
  push (f, from_address (rtp_packet (f, MEDIA, f->seq++), "192.0.2.2", 5004));
  push (f, from_address (rtp_packet (f, MEDIA, f->seq++), "192.0.2.2", 5004));
  drop_output (f->rtp);
  fail_unless_equals_uint64 (stat (f, "looped"), 1);
}

/* RFC 3550 6.2, RFC 4585: sizes count UDP and IP headers of the family they travel in: 20 bytes more with IPv6. */
static gdouble
size_after (Fixture *f, guint32 ssrc, const gchar *host)
{
  GstStructure *stats;
  gdouble size;
  guint i;

  make_group (f);
  stream (f, 10);
  for (i = 0; i < 200; i++)
    push_rtcp (f, from_address (report_of (ssrc, "x"), host, 5005));
  g_object_get (f->rtp->element, "stats", &stats, NULL);
  gst_structure_get_double (stats, "avg-rtcp-size", &size);
  gst_structure_free (stats);
  return size;
}

/* 8 bytes of RR, 4 + 4 + 3 + 1 of SDES: 20, and 28 or 48; (15/16)^200 = 2e-6 of what was before. */
TEST (test_size_counts_headers)
{
  fail_unless (ABS (size_after (f, 0x1000, "192.0.2.1") - 48) < 0.01);
  fail_unless (ABS (size_after (f, 0x1001, "2001:db8::1") - 68) < 0.01);
}

/* SRTP's, which srtpdec in front has taken away: RTCP's 14 bytes in its interval, RTP's 10 in the rate that is
   received, 50 packets/s of 984 + 28 + 10 bytes. */
TEST (test_size_counts_tags)
{
  guint64 sent;

  g_object_set (f->rtp->element, "rtp-overhead", 10, "rtcp-overhead", 14, NULL);
  stream (f, 150);
  fail_unless (ABS ((gdouble)stat (f, "receive-bitrate") - 50 * (984 + 38) * 8) < 8 * 20, "%" G_GUINT64_FORMAT,
      stat (f, "receive-bitrate"));
  listen (f, heard);
  sent = stat (f, "rtcp-bytes-sent");
  fail_unless_equals_uint64 (sent, heard->bytes + (UDP_IP_BYTES + 14) * heard->packets);
  fail_unless (ABS (size_after (f, 0x1000, "192.0.2.1") - 62) < 0.01);
}

/* ---- leaving ---- */

static gboolean
has_ended (Fixture *f)
{
  GstEvent *event;
  gboolean ended = FALSE;

  while ((event = gst_harness_try_pull_event (f->rtcp)) != NULL) {
    ended |= GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
  return ended;
}

/* RFC 3550 6.3.7: of more than 50, who leaves waits; but not for longer than 5 s. */
TEST (test_bye_of_many_backs_off)
{
  quiet (f);
  stream (f, 100);
  make_group (f);
  join (f, 0x1000, 100);
  listen (f, heard);
  heard->byes = 0;
  fail_unless (gst_harness_push_event (f->rtp, gst_event_new_eos ()));
  advance (f, 2 * PERIOD);
  listen (f, heard);
  fail_unless_equals_int (heard->byes, 0);
  fail_if (has_ended (f));
}

/* The back-off begins with one member (BYEs heard count), Td = Tmin of 1 s: it ends after 0.41 to 1.23 s, longer with
   the BYEs of 300 others in between, and after 5 s in any case. */
TEST (test_bye_back_off_ends)
{
  GstClockTime end;
  guint i;

  quiet (f);
  stream (f, 100);
  make_group (f);
  join (f, 0x1000, 100);
  fail_unless (gst_harness_push_event (f->rtp, gst_event_new_eos ()));
  for (i = 0; i < 100; i++)
    push_rtcp (f, bye_of (0x1000 + i));
  end = now_of (f) + 5200 * GST_MSECOND;
  while (now_of (f) < end && !has_ended (f)) {
    GstClockID id;

    gst_test_clock_set_time (f->clock, now_of (f) + 50 * GST_MSECOND);
    if (gst_test_clock_peek_next_pending_id (f->clock, &id)) {
      gst_clock_id_unref (id);
      id = gst_test_clock_process_next_clock_id (f->clock);
      if (id != NULL)
        gst_clock_id_unref (id);
    }
    g_usleep (2000);
  }
  listen (f, heard);
  fail_unless (now_of (f) < end);
  fail_unless (heard->byes <= 1);
}

/* Stopping must not wait: who would have to, leaves silently. */
TEST (test_stopping_among_many_is_silent)
{
  quiet (f);
  stream (f, 100);
  make_group (f);
  join (f, 0x1000, 100);
  listen (f, heard);
  gst_element_set_state (f->rtp->element, GST_STATE_READY);
  listen (f, heard);
  fail_unless_equals_int (heard->byes, 0);
}

/* ---- flood ---- */

#define FLOOD 1000000
#define FLOOD_SECONDS 10
#define FLOOD_TIMEOUT 160 /* s, of a processor that others use too */
#define REAL 40

/* A million SSRCs in 10 s, half by RTP, half by RTCP, while 40 members report each second and the media goes on: memory
   is what EXACT_CAPACITY of gstrtcpavpfmembers.c takes (64 bytes each), nobody real is forgotten, and packets leave no
   later than 1.2312 Td after one another (reconsideration draws again: twice that at most), with Td = 42 * 100 / 3125
   s, twice that after an early packet. */
TEST (test_flood)
{
  const guint slice = (guint)scaled (FLOOD) / (FLOOD_SECONDS * (GST_SECOND / PERIOD));
  gint64 begun = g_get_monotonic_time ();
  GstClockTime last, longest = 0;
  guint64 bytes = 0;
  guint32 stranger = 0x10000000;
  guint i, k, tick;

  g_object_set (f->rtp->element, "trr-int", G_GUINT64_CONSTANT (0), NULL);
  stream (f, 20);
  make_group (f);
  join (f, 0x1000, REAL);
  stream (f, 50);
  listen (f, heard);
  last = now_of (f);
  for (tick = 0; tick < FLOOD_SECONDS * (GST_SECOND / PERIOD); tick++) {
    for (i = 0; i < slice; i += 2) {
      push (f, rtp_packet (f, stranger, (guint16)stranger));
      push_rtcp (f, report_of (stranger + 1, "stranger"));
      stranger += 2;
    }
    if (tick % (GST_SECOND / PERIOD) == 0)
      for (k = 0; k < REAL; k++)
        push_rtcp (f, report_of (0x1000 + k, "somebody"));
    heard->packets = 0;
    stream (f, 1);
    listen (f, heard);
    if (heard->packets > 0) {
      longest = MAX (longest, now_of (f) - last);
      last = now_of (f);
    }
    bytes = MAX (bytes, stat (f, "member-bytes"));
  }
  g_printerr ("%u SSRCs in %.2f s, %" G_GUINT64_FORMAT " bytes of members, longest gap %" GST_TIME_FORMAT "\n",
      (guint)scaled (FLOOD), (gdouble)(g_get_monotonic_time () - begun) / 1e6, bytes, GST_TIME_ARGS (longest));
  fail_unless (bytes <= 64 * 4096, "%" G_GUINT64_FORMAT, bytes);
  /* of one host a few count at their first packet: RTP_NEWCOMERS_AT_ONCE */
  fail_unless (stat (f, "members") <= REAL + 2 + 8);
  fail_unless (stat (f, "members") >= REAL + 2);
  fail_unless_equals_uint64 (stat (f, "timeouts"), 0);
  fail_unless (longest < (GstClockTime)(4 * LONGEST * TD (REAL + 2, 120.0, 3125.0) * GST_SECOND), "%f s",
      (gdouble)longest / GST_SECOND);
}

static Suite *
rtcpavpftiming_suite (void)
{
  Suite *suite = suite_create ("rtcpavpftiming");
  TCase *tcase = tcase_create ("general"), *flood = tcase_create ("flood");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_avp);
  tcase_add_test (tcase, test_trr_int);
  tcase_add_test (tcase, test_an_early_packet_uses_the_next_slot);
  tcase_add_test (tcase, test_shares_of_the_bandwidth);
  tcase_add_test (tcase, test_dithering);
  tcase_add_test (tcase, test_feedback_that_would_be_late);
  tcase_add_test (tcase, test_multicast_is_a_group);
  tcase_add_test (tcase, test_sdes);
  tcase_add_test (tcase, test_members_are_told);
  tcase_add_test (tcase, test_reverse_reconsideration);
  tcase_add_test (tcase, test_contributors_of_a_group_are_members);
  tcase_add_test (tcase, test_contributors_of_two_ends_are_not);
  tcase_add_test (tcase, test_collision);
  tcase_add_test (tcase, test_own_packets_that_come_back);
  tcase_add_test (tcase, test_third_party_collision);
  tcase_add_test (tcase, test_size_counts_headers);
  tcase_add_test (tcase, test_size_counts_tags);
  tcase_add_test (tcase, test_bye_of_many_backs_off);
  tcase_add_test (tcase, test_bye_back_off_ends);
  tcase_add_test (tcase, test_stopping_among_many_is_silent);
  suite_add_tcase (suite, flood);
  tcase_set_timeout (flood, FLOOD_TIMEOUT);
  tcase_add_test (flood, test_flood);
  return suite;
}

GST_CHECK_MAIN (rtcpavpftiming)
