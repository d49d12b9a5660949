/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SRTP by itself, two ends in one program: what opens, what does not, and who comes late. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccsrtp.h"

#include <gst/check/gstcheck.h>
#include <string.h>

#define SSRC 0x12345678u
#define PAYLOAD 100
#define HEAD 12
#define CAPACITY 1024

typedef struct {
  guint8 data[CAPACITY];
  gsize size;
} Packet;

static const GstCcSrtpPolicy policies[] = {{GST_CC_SRTP_CIPHER_AES_128_ICM, GST_CC_SRTP_AUTH_HMAC_SHA1_80},
    {GST_CC_SRTP_CIPHER_AES_128_ICM, GST_CC_SRTP_AUTH_HMAC_SHA1_32},
    {GST_CC_SRTP_CIPHER_AES_256_ICM, GST_CC_SRTP_AUTH_HMAC_SHA1_80},
    {GST_CC_SRTP_CIPHER_AES_128_GCM, GST_CC_SRTP_AUTH_NULL}, {GST_CC_SRTP_CIPHER_AES_256_GCM, GST_CC_SRTP_AUTH_NULL},
    {GST_CC_SRTP_CIPHER_NULL, GST_CC_SRTP_AUTH_HMAC_SHA1_80}};
static const gsize key_bytes[] = {30, 30, 46, 28, 44, 30};
static const guint tags[] = {10, 4, 10, 16, 16, 10};

static GstBuffer *
new_key (gsize size, guint8 byte)
{
  GstBuffer *key = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (key, 0, byte, size);
  return key;
}

/* One end of the i-th policy; peer_byte 0: one key for both ways. */
static GstCcSrtp *
new_end_of (guint i, guint8 byte, guint8 peer_byte)
{
  GstCcSrtpParams params;
  GError *error = NULL;
  GstCcSrtp *srtp;

  gst_cc_srtp_params_init (&params);
  params.rtp = params.rtcp = policies[i];
  params.key = new_key (key_bytes[i], byte);
  params.peer_key = peer_byte != 0 ? new_key (key_bytes[i], peer_byte) : NULL;
  srtp = gst_cc_srtp_new (&params, &error);
  g_assert_no_error (error);
  gst_cc_srtp_params_clear (&params);
  return srtp;
}

static GstCcSrtp *
new_end (guint8 byte)
{
  return new_end_of (0, byte, 0);
}

static void
fill_rtp (Packet *p, guint32 ssrc, guint16 seq)
{
  memset (p->data, 0x55, sizeof p->data);
  p->data[0] = 0x80;
  p->data[1] = 96;
  GST_WRITE_UINT16_BE (p->data + 2, seq);
  GST_WRITE_UINT32_BE (p->data + 4, 3000u * seq);
  GST_WRITE_UINT32_BE (p->data + 8, ssrc);
  p->size = HEAD + PAYLOAD;
}

/* An RR without blocks and something behind it. */
static void
fill_rtcp (Packet *p, guint32 ssrc)
{
  memset (p->data, 0x55, sizeof p->data);
  GST_WRITE_UINT32_BE (p->data, 0x80c90001);
  GST_WRITE_UINT32_BE (p->data + 4, ssrc);
  GST_WRITE_UINT32_BE (p->data + 8, 0x80cc0002);
  GST_WRITE_UINT32_BE (p->data + 12, ssrc);
  p->size = 20;
}

static void
send_rtp (GstCcSrtp *from, Packet *p, guint32 ssrc, guint16 seq)
{
  fill_rtp (p, ssrc, seq);
  fail_unless (gst_cc_srtp_protect_rtp (from, p->data, &p->size));
}

static void
send_rtcp (GstCcSrtp *from, Packet *p, guint32 ssrc)
{
  fill_rtcp (p, ssrc);
  fail_unless (gst_cc_srtp_protect_rtcp (from, p->data, &p->size));
}

static gboolean
opens_rtp (GstCcSrtp *at, const Packet *p)
{
  Packet copy = *p;

  return gst_cc_srtp_open_rtp (at, copy.data, &copy.size);
}

static gboolean
opens_rtcp (GstCcSrtp *at, const Packet *p)
{
  Packet copy = *p;

  return gst_cc_srtp_open_rtcp (at, copy.data, &copy.size);
}

/* What is opened is what was sent; on the wire it is as much longer as is told, and hidden but for the head. */
GST_START_TEST (test_there_and_back)
{
  GstCcSrtp *a = new_end_of (__i__, 1, 0), *b = new_end_of (__i__, 1, 0);
  gboolean hidden = policies[__i__].cipher != GST_CC_SRTP_CIPHER_NULL;
  Packet p, plain;

  fail_unless_equals_int (gst_cc_srtp_rtp_overhead (a), tags[__i__]);
  fail_unless_equals_int (gst_cc_srtp_rtcp_overhead (a), tags[__i__] + 4);
  fill_rtp (&plain, SSRC, 1);
  send_rtp (a, &p, SSRC, 1);
  fail_unless_equals_int (p.size, plain.size + tags[__i__]);
  fail_unless (memcmp (p.data, plain.data, HEAD) == 0);
  fail_unless_equals_int (memcmp (p.data + HEAD, plain.data + HEAD, PAYLOAD) != 0, hidden);
  fail_unless (gst_cc_srtp_open_rtp (b, p.data, &p.size));
  fail_unless (p.size == plain.size && memcmp (p.data, plain.data, p.size) == 0);

  fill_rtcp (&plain, SSRC);
  send_rtcp (a, &p, SSRC);
  fail_unless_equals_int (p.size, plain.size + tags[__i__] + 4);
  fail_unless_equals_int (memcmp (p.data + 8, plain.data + 8, 12) != 0, hidden);
  fail_unless (gst_cc_srtp_open_rtcp (b, p.data, &p.size));
  fail_unless (p.size == plain.size && memcmp (p.data, plain.data, p.size) == 0);
  fail_unless_equals_uint64 (gst_cc_srtp_counts (b).opened, 2);
  gst_cc_srtp_free (a);
  gst_cc_srtp_free (b);
}
GST_END_TEST;

/* Any byte changed, the head's too; cut short; not protected at all. */
GST_START_TEST (test_what_was_changed_is_refused)
{
  GstCcSrtp *a = new_end_of (__i__, 1, 0), *b = new_end_of (__i__, 1, 0);
  Packet p, q;
  gsize i;

  send_rtp (a, &p, SSRC, 7);
  for (i = 1; i < p.size; i++) {
    q = p;
    q.data[i] ^= 0x10;
    fail_if (opens_rtp (b, &q), "byte %u", (guint)i);
  }
  for (q = p; q.size > 0; q.size--)
    fail_if (q.size < p.size && opens_rtp (b, &q), "%u bytes", (guint)q.size);
  fill_rtp (&q, SSRC, 7);
  fail_if (opens_rtp (b, &q));
  fail_unless (opens_rtp (b, &p));
  send_rtcp (a, &p, SSRC);
  for (i = 4; i < p.size; i++) {
    q = p;
    q.data[i] ^= 0x10;
    fail_if (opens_rtcp (b, &q), "byte %u of RTCP", (guint)i);
  }
  fill_rtcp (&q, SSRC);
  fail_if (opens_rtcp (b, &q));
  fail_unless (opens_rtcp (b, &p));
  gst_cc_srtp_free (a);
  gst_cc_srtp_free (b);
}
GST_END_TEST;

GST_START_TEST (test_a_packet_opens_once)
{
  GstCcSrtp *a = new_end (1), *b = new_end (1);
  Packet oldest, p;
  guint i;

  send_rtp (a, &oldest, SSRC, 0);
  fail_unless (opens_rtp (b, &oldest));
  fail_if (opens_rtp (b, &oldest));
  for (i = 1; i < 3000; i++) {
    send_rtp (a, &p, SSRC, (guint16)i);
    fail_unless (opens_rtp (b, &p));
  }
  fail_if (opens_rtp (b, &oldest));
  send_rtcp (a, &p, SSRC);
  fail_unless (opens_rtcp (b, &p));
  fail_if (opens_rtcp (b, &p));
  fail_unless_equals_uint64 (gst_cc_srtp_counts (b).replayed, 3);
  fail_unless_equals_uint64 (gst_cc_srtp_counts (b).refused, 0);
  /* nor is a number used twice for what is sent */
  fill_rtp (&p, SSRC, 2999);
  fail_if (gst_cc_srtp_protect_rtp (a, p.data, &p.size));
  gst_cc_srtp_free (a);
  gst_cc_srtp_free (b);
}
GST_END_TEST;

/* 100 ms late among 10 000 packets/s. */
GST_START_TEST (test_late_packets)
{
  GstCcSrtp *a = new_end (1), *b = new_end (1);
  Packet late, later, p;
  guint i;

  send_rtp (a, &later, SSRC, 0);
  for (i = 1; i < 1100; i++) {
    send_rtp (a, i == 100 ? &late : &p, SSRC, (guint16)i);
    fail_unless (i == 100 || opens_rtp (b, &p));
  }
  fail_unless (opens_rtp (b, &late));
  fail_if (opens_rtp (b, &later));
  gst_cc_srtp_free (a);
  gst_cc_srtp_free (b);
}
GST_END_TEST;

/* A sender that starts again has another SSRC and may begin at any number. */
GST_START_TEST (test_a_sender_starts_again)
{
  GstCcSrtp *b = new_end (1);
  guint round, i;
  Packet p;

  for (round = 0; round < 3; round++) {
    GstCcSrtp *a = new_end (1);

    for (i = 0; i < 100; i++) {
      send_rtp (a, &p, SSRC + round, (guint16)(65500 + 7000 * round + i));
      fail_unless (opens_rtp (b, &p));
    }
    send_rtcp (a, &p, SSRC + round);
    fail_unless (opens_rtcp (b, &p));
    gst_cc_srtp_free (a);
  }
  gst_cc_srtp_free (b);
}
GST_END_TEST;

/* One key for both ways makes our own RTCP authentic; it is not the peer's all the same. Two keys tell them apart, and
   a peer that happens to have our SSRC is heard. */
GST_START_TEST (test_our_own_come_back)
{
  GstCcSrtp *a = new_end (1), *two = new_end_of (0, 1, 2), *peer = new_end_of (0, 2, 1);
  Packet p;
  guint i;

  /* as in a group, which hears itself before the others */
  for (i = 0; i < 20; i++) {
    send_rtcp (a, &p, SSRC);
    fail_if (opens_rtcp (a, &p));
    fail_if (gst_cc_srtp_take_suspicion (a));
  }
  send_rtcp (two, &p, SSRC);
  fail_if (opens_rtcp (two, &p));
  send_rtcp (peer, &p, SSRC);
  fail_unless (opens_rtcp (two, &p));
  gst_cc_srtp_free (a);
  gst_cc_srtp_free (two);
  gst_cc_srtp_free (peer);
}
GST_END_TEST;

/* Numbers have wrapped before the receiver comes: a few packets later it is in. Five do not open before it looks. */
GST_START_TEST (test_who_comes_late)
{
  static const guint wraps[] = {1, 16, 17, 200};
  GstCcSrtp *a = new_end_of (__i__, 1, 0);
  guint w, at = 0, i;
  Packet p;

  for (w = 0; w < G_N_ELEMENTS (wraps); w++) {
    GstCcSrtp *b = new_end_of (__i__, 1, 0);

    for (; at < wraps[w] << 16; at += 20000)
      send_rtp (a, &p, SSRC, (guint16)at);
    for (i = 0; i < 100; i++) {
      send_rtp (a, &p, SSRC, (guint16)at++);
      if (opens_rtp (b, &p))
        break;
    }
    fail_unless_equals_int (i, 5 + (wraps[w] - 1) / 16);
    for (i = 0; i < 70000; i += 100, at += 100) {
      send_rtp (a, &p, SSRC, (guint16)at);
      fail_unless (opens_rtp (b, &p));
      fail_if (opens_rtp (b, &p));
    }
    gst_cc_srtp_free (b);
  }
  gst_cc_srtp_free (a);
}
GST_END_TEST;

/* Audio and video of a sender, and a third of another, each with its own number of wraps, their packets in turn; forged
   ones of ever new SSRCs among them. */
GST_START_TEST (test_several_come_late)
{
  static const guint wraps[] = {3, 40, 100};
  GstCcSrtp *a = new_end (1), *other = new_end (9), *b = new_end (1);
  guint at[3], opened[3] = {0}, i, k;
  Packet p;

  for (k = 0; k < 3; k++)
    for (at[k] = 0; at[k] < wraps[k] << 16; at[k] += 20000)
      send_rtp (a, &p, SSRC + k, (guint16)at[k]);
  for (i = 0; i < 1000; i++) {
    send_rtp (other, &p, 7 * i, (guint16)i);
    fail_if (opens_rtp (b, &p));
    for (k = 0; k < 3; k++) {
      send_rtp (a, &p, SSRC + k, (guint16)at[k]++);
      opened[k] += opens_rtp (b, &p);
    }
  }
  for (k = 0; k < 3; k++)
    fail_unless (opened[k] > 700, "stream %u: %u of 1000", k, opened[k]);
  gst_cc_srtp_free (a);
  gst_cc_srtp_free (b);
  gst_cc_srtp_free (other);
}
GST_END_TEST;

/* Bytes of all lengths that others made up, with heads that claim more than there is. */
GST_START_TEST (test_noise)
{
  GstCcSrtp *b = new_end_of (__i__, 1, 0);
  GRand *rand = g_rand_new_with_seed (1);
  Packet p = {.size = 0};
  guint i, k;

  for (i = 0; i < 4000; i++) {
    for (k = 0; k < sizeof p.data; k += 4)
      GST_WRITE_UINT32_BE (p.data + k, g_rand_int (rand));
    p.data[0] = (guint8)(0x80 | (p.data[0] & 0x3f));
    if (i % 2)
      memset (p.data + 8, 0, 4); /* an SSRC that comes again */
    p.size = (gsize)g_rand_int_range (rand, 0, 300);
    fail_if (opens_rtp (b, &p));
    fail_if (opens_rtcp (b, &p));
  }
  fail_unless_equals_uint64 (gst_cc_srtp_counts (b).refused, 8000);
  g_rand_free (rand);
  gst_cc_srtp_free (b);
}
GST_END_TEST;

/* Forged packets in hundreds, of many SSRCs and of the one that begins then: it is heard at once. */
GST_START_TEST (test_looking_does_not_hinder)
{
  GstCcSrtp *a = new_end_of (__i__, 1, 0), *other = new_end_of (__i__, 9, 0), *b = new_end_of (__i__, 1, 0);
  guint i;
  Packet p;

  for (i = 0; i < 300; i++) {
    send_rtp (other, &p, SSRC + i % 3, (guint16)i);
    fail_if (opens_rtp (b, &p));
  }
  for (i = 0; i < 100; i++) {
    send_rtp (a, &p, SSRC + i % 3, (guint16)(1000 + i));
    fail_unless (opens_rtp (b, &p), "%u", i);
    fail_if (opens_rtp (b, &p));
  }
  gst_cc_srtp_free (a);
  gst_cc_srtp_free (b);
  gst_cc_srtp_free (other);
}
GST_END_TEST;

/* What has opened does not do so again because of what has been forged since. */
GST_START_TEST (test_looking_forgets_nothing)
{
  GstCcSrtp *a = new_end (1), *other = new_end (9), *b = new_end (1);
  Packet seen[50], p;
  guint i;

  for (i = 0; i < 50; i++) {
    send_rtp (a, &seen[i], SSRC, (guint16)i);
    fail_unless (opens_rtp (b, &seen[i]));
  }
  for (i = 0; i < 100; i++) {
    send_rtp (other, &p, SSRC + i % 2, (guint16)(1000 + i));
    fail_if (opens_rtp (b, &p));
    fail_if (opens_rtp (b, &seen[i % 50]));
  }
  send_rtp (a, &p, SSRC, 50);
  fail_unless (opens_rtp (b, &p));
  gst_cc_srtp_free (a);
  gst_cc_srtp_free (b);
  gst_cc_srtp_free (other);
}
GST_END_TEST;

GST_START_TEST (test_another_key_is_suspicious_once)
{
  GstCcSrtp *a = new_end (1), *b = new_end (2), *c = new_end (1);
  guint i, told = 0, told_late = 0;
  Packet p;

  for (i = 0; i < 400; i++) {
    send_rtp (a, &p, SSRC, (guint16)i);
    fail_if (opens_rtp (b, &p));
    told += gst_cc_srtp_take_suspicion (b);
    fail_unless_equals_int (told, i >= 199);
    /* who is understood has the right key, whatever else comes */
    fail_unless (opens_rtp (c, &p));
    send_rtp (b, &p, SSRC + 1, (guint16)i);
    fail_if (opens_rtp (c, &p));
    told_late += gst_cc_srtp_take_suspicion (c);
  }
  fail_unless_equals_int (told_late, 0);
  gst_cc_srtp_free (a);
  gst_cc_srtp_free (b);
  gst_cc_srtp_free (c);
}
GST_END_TEST;

static void
check_refused (GstCcSrtpParams *params, const gchar *word)
{
  GError *error = NULL;

  fail_unless (gst_cc_srtp_new (params, &error) == NULL);
  fail_unless (error != NULL && strstr (error->message, word) != NULL, "%s", error->message);
  g_clear_error (&error);
}

GST_START_TEST (test_errors_name_the_cure)
{
  GstCcSrtpParams params;

  gst_cc_srtp_params_init (&params);
  params.peer_key = new_key (30, 1);
  check_refused (&params, "srtp-key");
  params.key = new_key (16, 1);
  check_refused (&params, "60 hexadecimal digits");
  gst_buffer_unref (params.key);
  params.key = new_key (30, 1);
  params.rtp.auth = GST_CC_SRTP_AUTH_NULL;
  check_refused (&params, "hmac-sha1-80");
  params.rtp.auth = GST_CC_SRTP_AUTH_HMAC_SHA1_80;
  params.rtcp.auth = GST_CC_SRTP_AUTH_NULL;
  check_refused (&params, "srtcp-auth");
  gst_cc_srtp_params_clear (&params);
  params.rtcp.auth = GST_CC_SRTP_AUTH_HMAC_SHA1_80;
}
GST_END_TEST;

GST_START_TEST (test_without_the_library)
{
  GstCcSrtpParams params;

  gst_cc_srtp_params_init (&params);
  params.key = new_key (30, 1);
  check_refused (&params, "libsrtp2-dev");
  gst_cc_srtp_params_clear (&params);
}
GST_END_TEST;

static Suite *
ccsrtp_suite (void)
{
  Suite *s = suite_create ("ccsrtp");
  TCase *tc = tcase_create ("general");
  const int n = G_N_ELEMENTS (policies);

  suite_add_tcase (s, tc);
  if (!gst_cc_srtp_is_available ()) {
    tcase_add_test (tc, test_without_the_library);
    return s;
  }
  tcase_add_loop_test (tc, test_there_and_back, 0, n);
  tcase_add_loop_test (tc, test_what_was_changed_is_refused, 0, n);
  tcase_add_test (tc, test_a_packet_opens_once);
  tcase_add_test (tc, test_late_packets);
  tcase_add_test (tc, test_a_sender_starts_again);
  tcase_add_test (tc, test_our_own_come_back);
  tcase_add_loop_test (tc, test_who_comes_late, 0, n);
  tcase_add_loop_test (tc, test_looking_does_not_hinder, 0, n);
  tcase_add_test (tc, test_several_come_late);
  tcase_add_loop_test (tc, test_noise, 0, n);
  tcase_add_test (tc, test_looking_forgets_nothing);
  tcase_add_test (tc, test_another_key_is_suspicious_once);
  tcase_add_test (tc, test_errors_name_the_cure);
  return s;
}

GST_CHECK_MAIN (ccsrtp)
