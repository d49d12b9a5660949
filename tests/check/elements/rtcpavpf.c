/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtcpavpf on a test clock: RTP goes in through one harness, RTCP in and out through another. */
#include "rtcpavpftest.h"

TEST (test_rtp_passes_untouched)
{
  GstBuffer *in[3], *out;
  GstBufferList *list = gst_buffer_list_new ();
  guint i;

  for (i = 0; i < 3; i++)
    in[i] = rtp_packet (f, MEDIA, (guint16)(100 + i));
  push (f, in[0]);
  gst_buffer_list_add (list, in[1]);
  gst_buffer_list_add (list, in[2]);
  fail_unless_equals_int (gst_pad_push_list (f->rtp->srcpad, list), GST_FLOW_OK);
  for (i = 0; i < 3; i++) {
    out = gst_harness_pull (f->rtp);
    fail_unless (out == in[i]);
    gst_buffer_unref (out);
  }
}

/* 50 packets/s of 12 + 12 + 960 bytes (RTP header, extension block, payload) for 2 s, one lost of 100 expected in the
   RR's eyes. The report on the last packet echoes its send time; X_recv is 50 * 984 = 49200 bytes/s, give or take a
   packet at the edge of a window of 100 ms (5 packets). */
TEST (test_feedback_says_what_came)
{
  GstClockTime last;

  stream (f, 50);
  f->seq++;
  stream (f, 48);
  listen (f, heard);
  fail_unless (heard->tfrc.X_recv > 0.75 * 49200 && heard->tfrc.X_recv < 1.25 * 49200, "X_recv %f", heard->tfrc.X_recv);
  last = now_of (f) - PERIOD;
  advance (f, 2 * GST_SECOND);
  listen (f, heard);
  fail_unless (heard->tfrcs > 10);
  fail_unless_equals_int (heard->media, MEDIA);
  fail_unless_equals_int (heard->tfrc.t_i_us, (guint32)(last / GST_USECOND));
  fail_unless (heard->tfrc.t_delay <= 300 * GST_MSECOND);
  fail_unless (heard->tfrc.p > 0 && heard->tfrc.p < 0.1);
  fail_unless (heard->paths > 0 && heard->rembs > 0);
  fail_unless (heard->path.rate_bps > 0);
  fail_unless_equals_int (heard->path.kind, RTCP_PATH_END_TO_END);
  fail_unless_equals_int (heard->remb.n_ssrcs, 1);
  fail_unless_equals_int (heard->remb.ssrcs[0], MEDIA);
  fail_unless_equals_int (heard->block.ssrc, MEDIA);
  fail_unless_equals_int (heard->block.ext_highest_seq, 1098);
  fail_unless_equals_int (heard->block.packets_lost, 1);
  fail_unless_equals_int (heard->block.jitter, 0);
  fail_unless_equals_int (heard->cnames, heard->packets); /* reduced-size is off: every packet is compound */
}

/* A loss shows after three more packets (60 ms). Then a slot for early feedback is free at once, or, after an early
   packet, with the next regular one: two intervals of at most 1.23 Td, stretched by reconsideration; two members share
   5 % of 500 kb/s, so Td = 2 * 180 / 3125 = 0.115 s. In all within 60 + 340 ms, and not always with a regular packet.
 */
TEST (test_loss_events_are_reported_early)
{
  guint k;

  g_object_set (f->rtp->element, "auto-pli", FALSE, NULL);
  stream (f, 100);
  listen (f, heard);
  fail_unless (heard->tfrc.p == 0);
  f->seq++;
  for (k = 0; k < 20 && heard->tfrc.p == 0; k++) {
    stream (f, 1);
    listen (f, heard);
  }
  fail_unless (heard->tfrc.p > 0);
  fail_unless (stat (f, "early") > 0);
}

TEST (test_early_packets_may_be_of_reduced_size)
{
  g_object_set (f->rtp->element, "reduced-size", TRUE, NULL);
  stream (f, 200);
  listen (f, heard);
  fail_unless (heard->cnames > 2);
  fail_unless_equals_int (heard->packets - heard->cnames, stat (f, "early"));
  fail_unless (heard->packets > heard->cnames);
  /* REMB only where there is room for a second copy of the rate */
  fail_unless_equals_int (heard->rembs, heard->cnames);
}

/* Three minutes at 50 packets/s, every 37th lost, so that feedback is always wanted. Two members of whom one sends
   share the 5 % (RFC 3550 6.3.1: senders above a quarter): 2.5 % are this end's, and 5 % the bound whatever happens. */
TEST (test_rtcp_stays_within_its_share)
{
  const gdouble bandwidth = 300000, seconds = 180;
  GstClockTime begin = now_of (f);
  gdouble share;
  guint i;

  g_object_set (f->rtp->element, "bandwidth", (guint)bandwidth, NULL);
  for (i = 0; now_of (f) < begin + seconds * GST_SECOND; i++) {
    if (i % 37 == 0)
      f->seq++;
    stream (f, 1);
  }
  listen (f, heard);
  share = (heard->bytes + (gdouble)UDP_IP_BYTES * heard->packets) * 8 / (bandwidth * seconds);
  GST_INFO ("RTCP took %f of the session bandwidth", share);
  fail_unless (share <= 0.05 / 2 * 1.05, "share %f", share);
  fail_unless (share >= 0.01, "share %f", share);
  fail_unless_equals_uint64 (stat (f, "rtcp-bytes-sent"), heard->bytes + UDP_IP_BYTES * heard->packets);
}

/* Without the property it is 5 % of what is received, 500 kb/s at least: 50 packets/s of 984 + 28 bytes are 404.8 kb/s,
   1 packet/ms would be 8.1 Mb/s. */
TEST (test_bandwidth_follows_the_received_rate)
{
  guint i;

  stream (f, 150);
  fail_unless_equals_uint64 (stat (f, "rtcp-bandwidth"), 25000);
  for (i = 0; i < 3000; i++) {
    push (f, rtp_packet (f, MEDIA, f->seq++));
    advance (f, GST_MSECOND);
  }
  drop_output (f->rtp);
  fail_unless (stat (f, "rtcp-bandwidth") > 0.05 * 7.9e6 && stat (f, "rtcp-bandwidth") < 0.05 * 8.3e6);
  /* enough is enough: the timer must not tick for nothing */
  g_object_set (f->rtp->element, "bandwidth", G_MAXUINT, NULL);
  fail_unless_equals_uint64 (stat (f, "rtcp-bandwidth"), 500000);
}

/* LSR: the middle of the NTP time. The RR that leaves t after the SR arrived says DLSR = t * 65536. */
TEST (test_sender_reports_are_echoed)
{
  GstClockTime arrived, left = 0;
  GstBuffer *buffer;

  stream (f, 50);
  listen (f, heard);
  arrived = now_of (f);
  fail_unless_equals_int (
      gst_harness_push (f->rtcp, sender_report (MEDIA, G_GUINT64_CONSTANT (0x1111222233334444))), GST_FLOW_OK);
  heard->blocks = 0;
  while (heard->blocks == 0) {
    push (f, rtp_packet (f, MEDIA, f->seq++));
    advance (f, GST_MSECOND);
    if ((buffer = gst_harness_try_pull (f->rtcp)) != NULL) {
      left = now_of (f);
      hear (buffer, heard);
    }
  }
  fail_unless_equals_int (heard->block.lsr, 0x22223333);
  fail_unless (heard->block.dlsr <= gst_util_uint64_scale (left - arrived, 65536, GST_SECOND));
  fail_unless (heard->block.dlsr + 66 >= gst_util_uint64_scale (left - arrived, 65536, GST_SECOND)); /* 1 ms */
}

/* RFC 5761: what comes on the RTP pad with a type of 192 to 223 is RTCP and stays here. */
TEST (test_rtcp_among_the_rtp_is_taken_out)
{
  GstBufferList *list = gst_buffer_list_new ();
  guint64 known = stat (f, "rtcp-received");

  push (f, rtp_packet (f, MEDIA, f->seq++));
  push (f, sender_report (MEDIA, 1));
  gst_buffer_list_add (list, rtp_packet (f, MEDIA, f->seq++));
  gst_buffer_list_add (list, sender_report (MEDIA, 2));
  gst_buffer_list_add (list, rtp_packet (f, MEDIA, f->seq++));
  fail_unless_equals_int (gst_pad_push_list (f->rtp->srcpad, list), GST_FLOW_OK);
  list = gst_buffer_list_new ();
  gst_buffer_list_add (list, sender_report (MEDIA, 3));
  fail_unless_equals_int (gst_pad_push_list (f->rtp->srcpad, list), GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_buffers_received (f->rtp), 3);
  fail_unless_equals_uint64 (stat (f, "rtcp-received"), known + 3);
}

static void
force_key_unit (Fixture *f, gboolean all_headers)
{
  GstStructure *s = gst_structure_new ("GstForceKeyUnit", "all-headers", G_TYPE_BOOLEAN, all_headers, NULL);

  fail_unless (gst_harness_push_upstream_event (f->rtp, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, s)));
}

TEST (test_decoders_request_becomes_pli)
{
  f->nal = H264_IDR; /* joining needs no request then */
  stream (f, 50);
  f->nal = H264_SLICE;
  stream (f, 50);
  listen (f, heard);
  fail_unless_equals_int (heard->plis, 0);
  force_key_unit (f, FALSE);
  stream (f, 20);
  listen (f, heard);
  fail_unless_equals_int (heard->plis, 1);
  fail_unless_equals_int (heard->media, MEDIA);
  /* 500 ms apart (and the wait for a slot, 0.3 s), then 1 s, and none once a key unit has come */
  force_key_unit (f, FALSE);
  stream (f, 4);
  listen (f, heard);
  fail_unless_equals_int (heard->plis, 1);
  stream (f, 41);
  listen (f, heard);
  fail_unless_equals_int (heard->plis, 2);
  f->nal = H264_IDR;
  stream (f, 1);
  f->nal = H264_SLICE;
  stream (f, 200);
  listen (f, heard);
  fail_unless_equals_int (heard->plis, 2);
  force_key_unit (f, TRUE);
  stream (f, 20);
  listen (f, heard);
  fail_unless_equals_int (heard->firs, 1);
}

TEST (test_joining_in_the_middle_asks_for_a_key_unit)
{
  stream (f, 10);
  listen (f, heard);
  fail_unless_equals_int (heard->plis, 1);
}

/* A loss each 100 ms over 10 s, each answered with a key unit 60 ms later: one request per 500 ms, 21 at most; with
   auto-pli off none. */
TEST (test_automatic_pli_is_bounded)
{
  guint i;

  f->nal = H264_IDR;
  stream (f, 5);
  for (i = 0; i < 100; i++) {
    f->nal = H264_SLICE;
    f->seq++;
    stream (f, 4);
    f->nal = H264_IDR;
    stream (f, 1);
  }
  listen (f, heard);
  fail_unless (heard->plis >= 10 && heard->plis <= 21, "%u", heard->plis);
  heard->plis = 0;
  f->nal = H264_SLICE;
  g_object_set (f->rtp->element, "auto-pli", FALSE, NULL);
  f->seq++;
  stream (f, 100);
  listen (f, heard);
  fail_unless_equals_int (heard->plis, 0);
}

/* No use in asking one who sends nothing; who goes on is asked. */
TEST (test_a_silent_sender_is_not_asked)
{
  stream (f, 10);
  advance (f, 3 * GST_SECOND);
  listen (f, heard);
  heard->plis = 0;
  advance (f, 15 * GST_SECOND);
  listen (f, heard);
  fail_unless_equals_int (heard->plis, 0);
  stream (f, 20);
  listen (f, heard);
  fail_unless_equals_int (heard->plis, 1);
}

TEST (test_reordering_is_no_loss)
{
  f->nal = H264_IDR;
  stream (f, 5);
  f->nal = H264_SLICE;
  push (f, rtp_packet (f, MEDIA, (guint16)(f->seq + 1)));
  push (f, rtp_packet (f, MEDIA, (guint16)(f->seq + 2)));
  push (f, rtp_packet (f, MEDIA, f->seq));
  f->seq += 3;
  stream (f, 50);
  listen (f, heard);
  fail_unless_equals_int (heard->plis, 0);
  fail_unless_equals_int (heard->block.packets_lost, 0);
  fail_unless (heard->tfrc.p == 0);
}

/* What is neither RTP nor RTCP is dropped and counted; broken RTCP too; the flow goes on. */
TEST (test_malformed_packets_are_counted)
{
  static const guint8 bad[][16] = {
      {0},                                                   /* version 0 */
      {0x40, 96},                                            /* version 1 */
      {0x8f, 96},                                            /* 15 CSRCs in 16 bytes */
      {0x90, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 9},  /* extension cut off */
      {0xa0, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 99}, /* padding longer than the packet */
  };
  static const guint8 bad_rtcp[][8] = {
      {0x80, 200, 0, 99, 0, 0, 0, 1}, /* length beyond the end */
      {0x81, 201, 0, 1, 0, 0, 0, 1},  /* a block that is not there */
  };
  guint i;

  stream (f, 10);
  for (i = 0; i < G_N_ELEMENTS (bad); i++)
    push (f, gst_buffer_new_memdup (bad[i], sizeof bad[i]));
  push (f, gst_buffer_new_memdup (bad[0], 1));
  push (f, gst_buffer_new ());
  fail_unless_equals_uint64 (stat (f, "bad-packets"), G_N_ELEMENTS (bad) + 2);
  for (i = 0; i < G_N_ELEMENTS (bad_rtcp); i++) {
    push (f, gst_buffer_new_memdup (bad_rtcp[i], sizeof bad_rtcp[i]));
    fail_unless_equals_int (
        gst_harness_push (f->rtcp, gst_buffer_new_memdup (bad_rtcp[i], sizeof bad_rtcp[i])), GST_FLOW_OK);
  }
  fail_unless_equals_uint64 (stat (f, "bad-rtcp"), 2 * G_N_ELEMENTS (bad_rtcp));
  fail_unless_equals_int (gst_harness_buffers_in_queue (f->rtp), 0);
  stream (f, 50);
  listen (f, heard);
  fail_unless_equals_int (heard->block.packets_lost, 0);
}

/* 20 000 packets, RTP and RTCP with a few bytes changed or cut, and plain noise; replayable by the seed. Nothing but
   counters moves, and the flow is served as before. */
TEST (test_noise)
{
  GRand *rand = g_rand_new_with_seed (1);
  guint i, k;

  stream (f, 10);
  for (i = 0; i < 20000; i++) {
    GstBuffer *buffer = i % 2 ? rtp_packet (f, MEDIA, f->seq) : sender_report (g_rand_int (rand), 1);
    gsize size = (gsize)g_rand_int_range (rand, 0, 80);
    guint8 data[80];

    memset (data, 0, sizeof data);
    gst_buffer_extract (buffer, 0, data, i % 5 == 0 ? 0 : size);
    gst_buffer_unref (buffer);
    for (k = 0; k < 4 && size > 0; k++)
      data[g_rand_int_range (rand, 0, (gint32)size)] = (guint8)g_rand_int (rand);
    if (size >= 12 && GST_READ_UINT32_BE (data + 8) == MEDIA)
      data[8] ^= 1; /* not in the name of the flow itself */
    buffer = size > 0 ? gst_buffer_new_memdup (data, size) : gst_buffer_new ();
    fail_unless_equals_int (gst_harness_push (i % 3 ? f->rtp : f->rtcp, buffer), GST_FLOW_OK);
    if (i % 100 == 0)
      advance (f, GST_MSECOND);
  }
  drop_output (f->rtp);
  fail_unless (stat (f, "bad-packets") > 1000 && stat (f, "bad-rtcp") > 1000);
  advance (f, 60 * GST_SECOND);
  listen (f, heard);
  heard->tfrcs = 0;
  stream (f, 100);
  listen (f, heard);
  fail_unless (heard->tfrcs > 0);
  fail_unless_equals_int (heard->media, MEDIA);
  g_rand_free (rand);
}

static guint
sources_known (Fixture *f)
{
  GstStructure *stats;
  guint n;

  g_object_get (f->rtp->element, "stats", &stats, NULL);
  n = gst_value_array_get_size (gst_structure_get_value (stats, "sources"));
  gst_structure_free (stats);
  return n;
}

/* 200 invented SSRCs between any two real packets: no growth, the real flow is reported on as ever, and its RTCP comes
   no later, as none of them becomes a member. */
TEST (test_invented_ssrcs_cost_nothing)
{
  guint i, k;
  guint32 invented = 1;

  stream (f, 10);
  for (i = 0; i < 50; i++) {
    for (k = 0; k < 200; k++)
      push (f, rtp_packet (f, invented++, (guint16)k));
    stream (f, 1);
  }
  listen (f, heard);
  fail_unless (sources_known (f) <= 32);
  fail_unless_equals_int (stat (f, "members"), 2);
  fail_unless (stat (f, "evicted") > 9000);
  fail_unless_equals_int (heard->media, MEDIA);
  fail_unless_equals_int (heard->block.ssrc, MEDIA);
  fail_unless_equals_int (heard->block.packets_lost, 0);
  fail_unless (heard->tfrcs > 5);
}

/* Those that take the trouble of two packets fill the table at most. */
TEST (test_full_table_refuses)
{
  guint i;

  for (i = 0; i < 50; i++) {
    push (f, rtp_packet (f, 1000 + i, 1));
    push (f, rtp_packet (f, 1000 + i, 2));
  }
  drop_output (f->rtp);
  fail_unless_equals_int (sources_known (f), 32);
  fail_unless_equals_uint64 (stat (f, "refused"), 2 * 18);
  advance (f, 60 * GST_SECOND);
  fail_unless_equals_int (sources_known (f), 0);
  fail_unless_equals_uint64 (stat (f, "timeouts"), 50); /* those not reported on take part all the same */
  stream (f, 10);
  fail_unless_equals_int (sources_known (f), 1);
}

/* Three members: the first packet may take 1.23 s (minimum of 1 s), the others come every 0.2 s. */
TEST (test_two_flows_are_both_reported)
{
  guint i;

  for (i = 0; i < 200; i++) {
    push (f, rtp_packet (f, 1, (guint16)i));
    push (f, rtp_packet (f, 2, (guint16)i));
    advance (f, PERIOD);
  }
  drop_output (f->rtp);
  listen (f, heard);
  fail_unless_equals_int (heard->media_bits, 1 << 1 | 1 << 2);
  fail_unless_equals_int (heard->remb.n_ssrcs, 2);
  fail_unless_equals_int (stat (f, "members"), 3);
  fail_unless_equals_int (stat (f, "senders"), 2);
}

TEST (test_new_ssrc_takes_over)
{
  stream (f, 50);
  for (f->seq = 7; f->seq < 107; f->seq++) {
    push (f, rtp_packet (f, 77, f->seq));
    advance (f, PERIOD);
  }
  drop_output (f->rtp);
  advance (f, 2 * GST_SECOND);
  listen (f, heard);
  fail_unless_equals_int (heard->media, 77);
  fail_unless_equals_int (heard->block.ssrc, 77);
  fail_unless_equals_int (heard->block.ext_highest_seq, 106);
  fail_unless_equals_uint64 (stat (f, "ssrc"), 77);
}

/* The sender starts over with the same SSRC and a number far away. */
/* RFC 3550 A.1: beside a living source a new one has to bring two packets in sequence, and so has a jump. */
TEST (test_strangers_prove_themselves)
{
  static const struct {
    guint32 ssrc;
    guint16 seq;
    gboolean passes;
  } table[] = {{MEDIA + 1, 7, FALSE}, {MEDIA + 2, 7, FALSE}, {MEDIA + 1, 8, TRUE}, {MEDIA, 40000, FALSE},
      {MEDIA, 50000, FALSE}, {MEDIA, 50001, TRUE}};
  guint i;

  stream (f, 20);
  for (i = 0; i < G_N_ELEMENTS (table); i++) {
    GstBuffer *out;

    push (f, rtp_packet (f, table[i].ssrc, table[i].seq));
    out = gst_harness_try_pull (f->rtp);
    fail_unless_equals_int (out != NULL, table[i].passes);
    gst_clear_buffer (&out);
  }
  fail_unless_equals_uint64 (stat (f, "unproven"), 4);
  /* where nobody else is left, the first packet counts */
  advance (f, 600 * GST_MSECOND);
  push (f, rtp_packet (f, MEDIA + 3, 7));
  fail_unless (gst_harness_buffers_in_queue (f->rtp) == 1);
}

TEST (test_bye_of_another_host_is_not_believed)
{
  guint i;

  for (i = 0; i < 20; i++) {
    push (f, from_address (rtp_packet (f, MEDIA, f->seq++), "192.0.2.1", 5004));
    advance (f, PERIOD);
  }
  push (f, from_address (bye_of (MEDIA), "192.0.2.2", 5004));
  fail_unless_equals_uint64 (stat (f, "byes"), 0);
  push (f, from_address (bye_of (MEDIA), "192.0.2.1", 5005));
  fail_unless_equals_uint64 (stat (f, "byes"), 1);
}

TEST (test_restarted_sender)
{
  stream (f, 50);
  f->seq = 50000;
  f->rtt_us = 0;
  stream (f, 100);
  advance (f, 2 * GST_SECOND);
  listen (f, heard);
  fail_unless_equals_int (heard->block.ext_highest_seq, 50099);
  fail_unless_equals_int (heard->block.packets_lost, 0);
  fail_unless (heard->tfrc.p == 0);
}

TEST (test_bye_of_the_sender_ends_reports)
{
  stream (f, 50);
  fail_unless_equals_int (gst_harness_push (f->rtcp, bye_of (MEDIA)), GST_FLOW_OK);
  fail_unless_equals_uint64 (stat (f, "byes"), 1);
  listen (f, heard);
  heard->packets = 0;
  advance (f, 10 * GST_SECOND);
  listen (f, heard);
  fail_unless_equals_int (heard->packets, 0);
}

/* A BYE that somebody else made up stops nothing for long. */
TEST (test_bye_is_taken_back_by_a_stream_that_goes_on)
{
  stream (f, 50);
  listen (f, heard);
  fail_unless_equals_int (gst_harness_push (f->rtcp, bye_of (MEDIA)), GST_FLOW_OK);
  heard->tfrcs = 0;
  stream (f, 25);
  listen (f, heard);
  fail_unless (heard->tfrcs > 0);
}

TEST (test_unstamped_flow_gets_receiver_reports_only)
{
  f->extension_id = 0;
  stream (f, 250);
  listen (f, heard);
  fail_unless (heard->blocks >= 3);
  fail_unless_equals_int (heard->tfrcs + heard->paths + heard->rembs, 0);
}

TEST (test_feedback_kinds_can_be_chosen)
{
  gst_util_set_object_arg (G_OBJECT (f->rtp->element), "feedback", "remb");
  stream (f, 50);
  listen (f, heard);
  fail_unless (heard->rembs > 0);
  fail_unless_equals_int (heard->tfrcs + heard->paths, 0);
}

/* Caps name the id; without, it is found by its size; a two-byte id only where it is told. */
TEST (test_extension_id)
{
  gst_harness_set_src_caps_str (f->rtp, CAPS ",extmap-3=(string)" RTP_EXT_RTT_SENDTS_URI);
  f->extension_id = 3;
  stream (f, 20);
  listen (f, heard);
  fail_unless (heard->tfrcs > 0);
  f->extension_id = 9;
  stream (f, 30);
  listen (f, heard);
  heard->tfrcs = 0;
  stream (f, 50);
  listen (f, heard);
  fail_unless_equals_int (heard->tfrcs, 0);
  gst_harness_set_src_caps_str (f->rtp, CAPS);
  f->extension_id = 5;
  stream (f, 50);
  listen (f, heard);
  fail_unless (heard->tfrcs > 0);
  g_object_set (f->rtp->element, "extension-id", 40, NULL);
  heard->tfrcs = 0;
  f->extension_id = 40;
  stream (f, 50);
  listen (f, heard);
  fail_unless (heard->tfrcs > 0);
}

static CcDuration
first_delay (Fixture *f, Heard *heard, GstClockTime age)
{
  GstBuffer *buffer;

  heard->tfrcs = 0;
  while (heard->tfrcs == 0) {
    buffer = rtp_packet (f, MEDIA, f->seq++);
    GST_BUFFER_DTS (buffer) -= age;
    push (f, buffer);
    advance (f, PERIOD);
    listen (f, heard);
  }
  return heard->tfrc.t_delay;
}

/* A packet that waited 30 ms in the socket, as its DTS tells, is reported as arrived then: t_delay is longer by that.
 */
TEST (test_arrival_is_the_sockets_time_stamp)
{
  stream (f, 50);
  listen (f, heard);
  fail_unless (first_delay (f, heard, 30 * GST_MSECOND) >= 30 * GST_MSECOND);
  g_object_set (f->rtp->element, "use-timestamps", FALSE, NULL);
  first_delay (f, heard, 30 * GST_MSECOND);
  fail_unless (first_delay (f, heard, 30 * GST_MSECOND) < 30 * GST_MSECOND);
}

/* The process stands still for 300 ms, then the RTCP thread wakes before the packets of that time are read from the
   socket. X_recv is what came, a packet each PERIOD, not what was read so far (nothing). */
TEST (test_held_up)
{
  GstBuffer *waiting[300 * GST_MSECOND / PERIOD];
  double sent_Bps;
  guint i;

  stream (f, 100);
  listen (f, heard);
  heard->tfrcs = 0;
  for (i = 0; i < G_N_ELEMENTS (waiting); i++) {
    gst_test_clock_set_time (f->clock, now_of (f) + PERIOD);
    waiting[i] = rtp_packet (f, MEDIA, f->seq++);
  }
  sent_Bps = (double)gst_buffer_get_size (waiting[0]) * GST_SECOND / PERIOD;
  advance (f, GST_MSECOND);
  listen (f, heard);
  fail_unless_equals_int (heard->tfrcs, 0);
  for (i = 0; i < G_N_ELEMENTS (waiting); i++)
    push (f, waiting[i]);
  advance (f, 30 * GST_MSECOND);
  listen (f, heard);
  fail_unless (heard->tfrcs > 0);
  fail_unless (heard->tfrc.X_recv > 0.85 * sent_Bps, "%g of %g", heard->tfrc.X_recv, sent_Bps);
}

TEST (test_feedback_goes_where_the_media_comes_from)
{
  GSocketAddress *address = g_inet_socket_address_new_from_string ("192.0.2.7", 5678);
  guint i;

  for (i = 0; i < 20; i++) {
    GstBuffer *buffer = rtp_packet (f, MEDIA, f->seq++);

    gst_buffer_add_net_address_meta (buffer, address);
    push (f, buffer);
    advance (f, PERIOD);
  }
  drop_output (f->rtp);
  listen (f, heard);
  fail_unless (heard->packets > 0 && heard->address != NULL);
  fail_unless_equals_int (g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (heard->address)), 5678);
  g_object_unref (address);
}

TEST (test_eos_says_bye)
{
  GstEvent *event;
  gboolean ended = FALSE;

  stream (f, 50);
  listen (f, heard);
  fail_unless (gst_harness_push_event (f->rtp, gst_event_new_eos ()));
  while (!ended) {
    event = gst_harness_pull_event (f->rtcp);
    fail_unless (event != NULL);
    ended = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
  listen (f, heard);
  fail_unless_equals_int (heard->byes, 1);
}

TEST (test_stopping_says_bye_once)
{
  stream (f, 50);
  gst_element_set_state (f->rtp->element, GST_STATE_READY);
  listen (f, heard);
  fail_unless_equals_int (heard->byes, 1);
  gst_element_set_state (f->rtp->element, GST_STATE_NULL);
  listen (f, heard);
  fail_unless_equals_int (heard->byes, 1);
}

/* RFC 3550 6.3.7: who never said anything leaves without a word. */
TEST (test_no_bye_of_the_silent)
{
  push (f, rtp_packet (f, MEDIA, 1));
  gst_element_set_state (f->rtp->element, GST_STATE_NULL);
  listen (f, heard);
  fail_unless_equals_int (heard->packets, 0);
}

static void
flush (Fixture *f)
{
  GstSegment segment;

  fail_unless (gst_harness_push_event (f->rtp, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (f->rtp, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (f->rtp, gst_event_new_segment (&segment)));
}

TEST (test_flush)
{
  stream (f, 50);
  flush (f);
  listen (f, heard);
  heard->tfrcs = 0;
  stream (f, 50);
  listen (f, heard);
  fail_unless (heard->tfrcs > 0);
}

TEST (test_flush_after_the_end_starts_anew)
{
  guint before, after;

  stream (f, 50);
  g_object_get (f->rtp->element, "ssrc", &before, NULL);
  gst_harness_push_event (f->rtp, gst_event_new_eos ());
  flush (f);
  listen (f, heard);
  heard->tfrcs = 0;
  stream (f, 50);
  listen (f, heard);
  g_object_get (f->rtp->element, "ssrc", &after, NULL);
  fail_unless (heard->tfrcs > 0);
  fail_unless (before != after);
}

/* The end of one stream is a BYE also where the next one follows at once. */
TEST (test_stream_after_the_end_starts_anew)
{
  guint before, after;

  stream (f, 50);
  g_object_get (f->rtp->element, "ssrc", &before, NULL);
  gst_harness_push_event (f->rtp, gst_event_new_eos ());
  fixture_begin_stream (f->rtp, "next");
  listen (f, heard);
  fail_unless_equals_int (heard->byes, 1);
  heard->tfrcs = 0;
  stream (f, 50);
  listen (f, heard);
  g_object_get (f->rtp->element, "ssrc", &after, NULL);
  fail_unless (heard->tfrcs > 0);
  fail_unless_equals_int (heard->byes, 1);
  fail_unless (before != after);
}

TEST (test_own_ssrc_used_by_another)
{
  guint before, after;

  g_object_get (f->rtp->element, "ssrc", &before, NULL);
  push (f, rtp_packet (f, before, 1));
  g_object_get (f->rtp->element, "ssrc", &after, NULL);
  fail_unless (before != after);
  fail_unless_equals_uint64 (stat (f, "collisions"), 1);
}

/* Every order of states, with data in between, linked or not. */
TEST (test_states)
{
  static const GstState order[] = {GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_READY,
      GST_STATE_NULL, GST_STATE_PLAYING, GST_STATE_NULL, GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_PLAYING};
  GstElement *alone = gst_element_factory_make ("rtcpavpf", NULL);
  guint i, k;

  for (k = 0; k < 20; k++)
    for (i = 0; i < G_N_ELEMENTS (order); i++) {
      fail_unless_equals_int (gst_element_set_state (alone, order[i]), GST_STATE_CHANGE_SUCCESS);
      gst_element_set_state (f->rtp->element, order[i]);
    }
  gst_element_set_state (alone, GST_STATE_NULL);
  gst_object_unref (alone);
}

TEST (test_stats_are_posted)
{
  GstBus *bus = gst_bus_new ();
  GstMessage *message;

  gst_element_set_bus (f->rtp->element, bus);
  g_object_set (f->rtp->element, "stats-interval", (guint64)GST_SECOND, NULL);
  stream (f, 160);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL);
  fail_unless (gst_message_has_name (message, "application/x-rtcpavpf-stats"));
  gst_message_unref (message);
  gst_element_set_bus (f->rtp->element, NULL);
  gst_object_unref (bus);
}

static Suite *
rtcpavpf_suite (void)
{
  Suite *suite = suite_create ("rtcpavpf");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_rtp_passes_untouched);
  tcase_add_test (tcase, test_feedback_says_what_came);
  tcase_add_test (tcase, test_loss_events_are_reported_early);
  tcase_add_test (tcase, test_early_packets_may_be_of_reduced_size);
  tcase_add_test (tcase, test_rtcp_stays_within_its_share);
  tcase_add_test (tcase, test_bandwidth_follows_the_received_rate);
  tcase_add_test (tcase, test_sender_reports_are_echoed);
  tcase_add_test (tcase, test_rtcp_among_the_rtp_is_taken_out);
  tcase_add_test (tcase, test_decoders_request_becomes_pli);
  tcase_add_test (tcase, test_joining_in_the_middle_asks_for_a_key_unit);
  tcase_add_test (tcase, test_automatic_pli_is_bounded);
  tcase_add_test (tcase, test_a_silent_sender_is_not_asked);
  tcase_add_test (tcase, test_reordering_is_no_loss);
  tcase_add_test (tcase, test_malformed_packets_are_counted);
  tcase_add_test (tcase, test_noise);
  tcase_add_test (tcase, test_invented_ssrcs_cost_nothing);
  tcase_add_test (tcase, test_full_table_refuses);
  tcase_add_test (tcase, test_two_flows_are_both_reported);
  tcase_add_test (tcase, test_new_ssrc_takes_over);
  tcase_add_test (tcase, test_strangers_prove_themselves);
  tcase_add_test (tcase, test_bye_of_another_host_is_not_believed);
  tcase_add_test (tcase, test_restarted_sender);
  tcase_add_test (tcase, test_bye_of_the_sender_ends_reports);
  tcase_add_test (tcase, test_bye_is_taken_back_by_a_stream_that_goes_on);
  tcase_add_test (tcase, test_unstamped_flow_gets_receiver_reports_only);
  tcase_add_test (tcase, test_feedback_kinds_can_be_chosen);
  tcase_add_test (tcase, test_extension_id);
  tcase_add_test (tcase, test_arrival_is_the_sockets_time_stamp);
  tcase_add_test (tcase, test_held_up);
  tcase_add_test (tcase, test_feedback_goes_where_the_media_comes_from);
  tcase_add_test (tcase, test_eos_says_bye);
  tcase_add_test (tcase, test_stopping_says_bye_once);
  tcase_add_test (tcase, test_no_bye_of_the_silent);
  tcase_add_test (tcase, test_flush);
  tcase_add_test (tcase, test_flush_after_the_end_starts_anew);
  tcase_add_test (tcase, test_stream_after_the_end_starts_anew);
  tcase_add_test (tcase, test_own_ssrc_used_by_another);
  tcase_add_test (tcase, test_states);
  tcase_add_test (tcase, test_stats_are_posted);
  return suite;
}

GST_CHECK_MAIN (rtcpavpf)
