/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* paqmshaper's mode=ip: what it takes a packet for, and what it writes into one. */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <math.h>
#include <string.h>

#include "erfextension.h"
#include "paqmpacket.h"

#define RATE_ID 10
#define RTT_ID 3

static const GstPaqmPacketFuncs *const ip = &gst_paqm_packet_ip;
static const GstPaqmLook look_default = {.key = {1, 2}, .overhead_bytes = -1, .rtt_id = RTT_ID};
static const GstPaqmTag tag_default = {.rate_Bps = 125000, .hop = 0xcafe, .extension_id = RATE_ID, .add = TRUE};

/* The one's complement sum over even offsets; the last byte may stand alone. */
static guint32
sum (const guint8 *data, gsize size)
{
  guint32 total = 0;

  for (gsize i = 0; i < size; i++)
    total += i & 1 ? data[i] : (guint32)data[i] << 8;
  return total;
}

static guint
fold (guint32 total)
{
  while (total >> 16)
    total = (total & 0xffff) + (total >> 16);
  return total;
}

/* 0xffff where it is right: RFC 791 3.1 */
static guint
ip_sum (const guint8 *packet)
{
  return fold (sum (packet, 20));
}

/* 0xffff where it is right: RFC 768 */
static guint
udp_sum (const guint8 *packet)
{
  guint length = GST_READ_UINT16_BE (packet + 24);

  return fold (sum (packet + 12, 8) + 17 + length + sum (packet + 20, length));
}

#define IP_BYTES 20
#define BLOCK 16 /* rtt-sendts of 50 ms, the unset explicit rate */
#define RTP_BYTES (12 + 4 + BLOCK + 101)
#define PACKET_BYTES (IP_BYTES + 8 + RTP_BYTES)

/* ECT(0), 10.0.0.1:5000 to 10.0.0.2:5002, both checksums right. */
static void
write_rtp (guint8 packet[PACKET_BYTES], guint16 seq, guint32 ssrc)
{
  static const guint8 block[BLOCK] = {
      0x36, 0x00, 0xc3, 0x50, 0x12, 0x34, 0x56, 0x78, 0xa5, 0xff, 0xff, 0xff, 0, 0, 0x10};

  memset (packet, 0, PACKET_BYTES);
  packet[0] = 0x45;
  packet[1] = 2;
  GST_WRITE_UINT16_BE (packet + 2, PACKET_BYTES);
  packet[8] = 64;
  packet[9] = 17;
  GST_WRITE_UINT32_BE (packet + 12, 0x0a000001);
  GST_WRITE_UINT32_BE (packet + 16, 0x0a000002);
  GST_WRITE_UINT16_BE (packet + 10, (guint16)~ip_sum (packet));
  GST_WRITE_UINT16_BE (packet + 20, 5000);
  GST_WRITE_UINT16_BE (packet + 22, 5002);
  GST_WRITE_UINT16_BE (packet + 24, 8 + RTP_BYTES);
  packet[28] = 0x90;
  packet[29] = 96;
  GST_WRITE_UINT16_BE (packet + 30, seq);
  GST_WRITE_UINT32_BE (packet + 36, ssrc);
  GST_WRITE_UINT16_BE (packet + 40, 0xbede);
  GST_WRITE_UINT16_BE (packet + 42, BLOCK / 4);
  memcpy (packet + 44, block, BLOCK);
  memset (packet + 44 + BLOCK, 0x77, 101);
  GST_WRITE_UINT16_BE (packet + 26, (guint16)~udp_sum (packet));
}

#define IP6_BYTES 40
#define PACKET6_BYTES (IP6_BYTES + 8 + RTP_BYTES)

/* 0xffff where it is right: RFC 8200 8.1 */
static guint
udp6_sum (const guint8 *packet)
{
  guint length = GST_READ_UINT16_BE (packet + 44);

  return fold (sum (packet + 8, 32) + 17 + length + sum (packet + 40, length));
}

/* The same datagram from fd00::1 to fd00::2, ECT(0). */
static void
write_rtp6 (guint8 packet[PACKET6_BYTES], guint16 seq, guint32 ssrc)
{
  guint8 ipv4[PACKET_BYTES];

  write_rtp (ipv4, seq, ssrc);
  memset (packet, 0, IP6_BYTES);
  memcpy (packet + IP6_BYTES, ipv4 + IP_BYTES, PACKET_BYTES - IP_BYTES);
  packet[0] = 0x60;
  packet[1] = 0x20;
  GST_WRITE_UINT16_BE (packet + 4, 8 + RTP_BYTES);
  packet[6] = 17;
  packet[7] = 64;
  packet[8] = packet[24] = 0xfd;
  packet[23] = 1;
  packet[39] = 2;
  GST_WRITE_UINT16_BE (packet + 46, 0);
  GST_WRITE_UINT16_BE (packet + 46, (guint16)~udp6_sum (packet));
}

static GstBuffer *
buffer_of (const guint8 *packet, gsize size)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_fill (buffer, 0, packet, size);
  return buffer;
}

static GstBuffer *
new_rtp (void)
{
  guint8 packet[PACKET_BYTES];

  write_rtp (packet, 1, 0x11223344);
  return buffer_of (packet, sizeof packet);
}

static GstPaqmPacket
looked_at (GstBuffer *buffer)
{
  GstPaqmPacket packet;

  ip->look (buffer, &look_default, &packet);
  gst_buffer_unref (buffer);
  return packet;
}

GST_START_TEST (test_rtp_is_media)
{
  GstPaqmPacket packet = looked_at (new_rtp ());

  fail_unless (packet.media && packet.rtp && packet.ect);
  fail_unless_equals_int (packet.ssrc, 0x11223344);
  fail_unless_equals_int (packet.size_bytes, PACKET_BYTES);
  fail_unless_equals_uint64 (packet.rtt, 50 * GST_MSECOND);
  fail_unless (packet.flow != 0);
}
GST_END_TEST;

GST_START_TEST (test_ect_1_is_marked_at_once)
{
  guint8 packet[PACKET_BYTES];

  fail_unless (!looked_at (new_rtp ()).l4s);
  write_rtp (packet, 1, 0x11223344);
  packet[1] = 1;
  fail_unless (looked_at (buffer_of (packet, sizeof packet)).l4s);
  packet[1] = 3;
  fail_unless (!looked_at (buffer_of (packet, sizeof packet)).l4s);
}
GST_END_TEST;

/* The same bytes with one thing changed, each: what it is not. */
GST_START_TEST (test_all_else_is_elastic)
{
  static const struct {
    guint at, value;
    const gchar *what;
  } change[] = {{9, 6, "TCP"}, {9, 253, "unknown protocol"}, {6, 0x20, "first fragment"}, {7, 1, "later fragment"},
      {28, 0x50, "version 1 of RTP"}, {20, 0, "from a port below 1024"}, {0, 0x4f, "options, the ports within them"},
      {0, 0x55, "IP version 5"}, {43, 200, "an extension beyond the end"}};
  guint8 packet[PACKET_BYTES];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (change); i++) {
    GstPaqmPacket seen;

    write_rtp (packet, 1, 2);
    packet[change[i].at] = change[i].value;
    seen = looked_at (buffer_of (packet, sizeof packet));
    fail_if (seen.media || seen.rtp, "%s", change[i].what);
    fail_unless_equals_int (seen.size_bytes, PACKET_BYTES);
  }
  write_rtp (packet, 1, 2);
  for (i = 0; i < PACKET_BYTES; i++)
    fail_if (looked_at (buffer_of (packet, i)).media, "cut short to %u", i);
}
GST_END_TEST;

/* As a router may do to one of which others hold a reference: theirs stays as it was. */
GST_START_TEST (test_marks_in_place)
{
  GstBuffer *mine = new_rtp (), *marked = ip->mark (gst_buffer_ref (mine));
  guint8 before[PACKET_BYTES], after[PACKET_BYTES];

  gst_buffer_extract (mine, 0, before, sizeof before);
  gst_buffer_extract (marked, 0, after, sizeof after);
  fail_unless_equals_int (before[1], 2);
  fail_unless_equals_int (after[1], 3);
  fail_unless_equals_int (ip_sum (after), 0xffff);
  fail_unless (memcmp (before + 12, after + 12, PACKET_BYTES - 12) == 0);
  gst_buffer_unref (marked);
  gst_buffer_unref (mine);
}
GST_END_TEST;

GST_START_TEST (test_lowers_the_rate)
{
  GstBuffer *buffer = new_rtp ();
  guint8 after[PACKET_BYTES];
  GstPaqmTag tag = tag_default;
  gboolean changed;
  ErfExtension value;

  buffer = ip->tag (buffer, &tag, &changed);
  fail_unless (changed);
  gst_buffer_extract (buffer, 0, after, sizeof after);
  fail_unless (erf_extension_parse (after + 53, ERF_EXTENSION_SIZE, &value));
  fail_unless (value.set && value.rate_Bps == 125000 && value.hop == 0xcafe);
  fail_unless_equals_int (udp_sum (after), 0xffff);
  fail_unless_equals_int (ip_sum (after), 0xffff);
  tag.rate_Bps = 250000;
  buffer = ip->tag (buffer, &tag, &changed);
  fail_if (changed);
  tag.rate_Bps = HUGE_VAL;
  buffer = ip->tag (buffer, &tag, &changed);
  fail_if (changed);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

/* Neither grows, nor is copied. */
GST_START_TEST (test_adds_nothing)
{
  GstPaqmTag tag = tag_default;
  GstBuffer *buffer = new_rtp (), *tagged;
  gboolean changed;

  tag.extension_id = 11;
  tagged = ip->tag (gst_buffer_ref (buffer), &tag, &changed);
  fail_if (changed);
  fail_unless (tagged == buffer);
  gst_buffer_unref (tagged);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

GST_START_TEST (test_knows_the_sender)
{
  GstBuffer *buffer = new_rtp ();
  GInetSocketAddress *from = G_INET_SOCKET_ADDRESS (ip->sender (buffer));
  gchar *text = g_inet_address_to_string (g_inet_socket_address_get_address (from));

  fail_unless_equals_string (text, "10.0.0.1");
  fail_unless_equals_int (g_inet_socket_address_get_port (from), 5000);
  g_free (text);
  g_object_unref (from);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

/* Looked at, marked in the traffic class (RFC 3168 5), told, and the sender known. */
GST_START_TEST (test_over_ipv6)
{
  guint8 packet[PACKET6_BYTES], after[PACKET6_BYTES];
  GstPaqmPacket seen;
  GstBuffer *buffer;
  GInetSocketAddress *from;
  ErfExtension value;
  gboolean changed;
  gchar *text;

  write_rtp6 (packet, 1, 0x11223344);
  seen = looked_at (buffer_of (packet, sizeof packet));
  fail_unless (seen.media && seen.rtp && seen.ect);
  fail_unless_equals_int (seen.ssrc, 0x11223344);
  fail_unless_equals_int (seen.size_bytes, PACKET6_BYTES);
  buffer = ip->tag (ip->mark (buffer_of (packet, sizeof packet)), &tag_default, &changed);
  fail_unless (changed);
  gst_buffer_extract (buffer, 0, after, sizeof after);
  fail_unless_equals_int (after[1], 0x30);
  fail_unless (erf_extension_parse (after + 73, ERF_EXTENSION_SIZE, &value));
  fail_unless (value.set && value.rate_Bps == 125000);
  fail_unless_equals_int (udp6_sum (after), 0xffff);
  from = G_INET_SOCKET_ADDRESS (ip->sender (buffer));
  text = g_inet_address_to_string (g_inet_socket_address_get_address (from));
  fail_unless_equals_string (text, "fd00::1");
  g_free (text);
  g_object_unref (from);
  gst_buffer_unref (buffer);
  packet[6] = 44; /* a fragment */
  fail_if (looked_at (buffer_of (packet, sizeof packet)).media);
}
GST_END_TEST;

/* ---- the element ---- */

static guint64
of_class (GstHarness *h, const gchar *cls, const gchar *field)
{
  GstStructure *stats;
  const GValue *value;
  guint64 n;

  g_object_get (h->element, "stats", &stats, NULL);
  value = gst_structure_get_value (stats, cls);
  fail_unless (gst_structure_get_uint64 (gst_value_get_structure (value), field, &n));
  gst_structure_free (stats);
  return n;
}

/* RTP beyond its part of a thin link for as long as it takes the outer loop to say so: rates in packets, checksums
   right; and beside it what is no RTP, byte for byte as it came. */
GST_START_TEST (test_through_the_element)
{
  GstElement *element = gst_element_factory_make ("paqmshaper", NULL);
  GstHarness *h;
  guint8 packet[PACKET_BYTES], out[PACKET_BYTES];
  guint lowered = 0, elastic = 0, i;
  gint64 end = g_get_monotonic_time () + 3 * G_TIME_SPAN_SECOND;

  gst_util_set_object_arg (G_OBJECT (element), "mode", "ip");
  gst_util_set_object_arg (G_OBJECT (element), "signalling", "erf-extension");
  g_object_set (element, "capacity", G_GUINT64_CONSTANT (1000000), "tau2", 100 * GST_MSECOND, NULL);
  h = gst_harness_new_with_element (element, "sink_0", "src");
  gst_harness_set_src_caps_str (h, "application/x-ip");
  for (i = 0; lowered < 20 && g_get_monotonic_time () < end; i++) {
    GstBuffer *got;

    write_rtp (packet, (guint16)i, 7);
    gst_harness_push (h, buffer_of (packet, sizeof packet));
    if (i % 10 == 0) {
      packet[9] = 253;
      gst_harness_push (h, buffer_of (packet, sizeof packet));
    }
    g_usleep (2000);
    while ((got = gst_harness_try_pull (h)) != NULL) {
      ErfExtension value;

      gst_buffer_extract (got, 0, out, sizeof out);
      if (out[9] == 253) {
        elastic++;
        fail_unless (memcmp (out + 44, packet + 44, PACKET_BYTES - 44) == 0);
      } else {
        fail_unless_equals_int (udp_sum (out), 0xffff);
        fail_unless (erf_extension_parse (out + 53, ERF_EXTENSION_SIZE, &value));
        lowered += value.set;
        fail_if (value.set && value.rate_Bps * 8 > 1000000);
      }
      gst_buffer_unref (got);
    }
  }
  fail_unless (lowered >= 20);
  fail_unless (elastic > 0);
  fail_unless (of_class (h, "media", "arrived") >= 20);
  fail_unless (of_class (h, "elastic", "arrived") >= elastic);
  gst_harness_teardown (h);
  gst_object_unref (element);
}
GST_END_TEST;

/* Packets, ECT(0), as fast as may be until some are marked, and then what waits at once: as many as were counted are
   CE, none was dropped. cls: "elastic": TCP. */
static void
check_marks (const gchar *ecn, const gchar *cls)
{
  GstElement *element = gst_element_factory_make ("paqmshaper", NULL);
  gboolean elastic = g_str_equal (cls, "elastic");
  GstHarness *h;
  guint8 packet[PACKET_BYTES], out[PACKET_BYTES];
  guint64 ce = 0, n, i;
  gint64 end = g_get_monotonic_time () + 20 * G_TIME_SPAN_SECOND;

  gst_util_set_object_arg (G_OBJECT (element), "mode", "ip");
  gst_util_set_object_arg (G_OBJECT (element), "ecn", ecn);
  g_object_set (element, "capacity", G_GUINT64_CONSTANT (100000), "elastic-target-time", 20 * GST_MSECOND, "burst", 1.0,
      "strikes", FALSE, "media-limit", 1000000, NULL);
  h = gst_harness_new_with_element (element, "sink_0", "src");
  gst_harness_set_src_caps_str (h, "application/x-ip");
  for (i = 0; of_class (h, cls, "marked") < 20 && g_get_monotonic_time () < end; i++) {
    write_rtp (packet, (guint16)i, 7);
    packet[9] = elastic ? 6 : 17;
    gst_harness_push (h, buffer_of (packet, sizeof packet));
    g_usleep (200);
  }
  fail_unless (of_class (h, cls, "marked") >= 20);
  fail_unless_equals_uint64 (of_class (h, cls, "dropped") + of_class (h, cls, "tail-dropped"), 0);
  g_object_set (element, "capacity", G_GUINT64_CONSTANT (1000000000), NULL);
  for (n = 0; n < i; n++) {
    GstBuffer *got = gst_harness_pull (h);

    gst_buffer_extract (got, 0, out, sizeof out);
    ce += (out[1] & 3) == 3;
    gst_buffer_unref (got);
  }
  fail_unless_equals_uint64 (ce, of_class (h, cls, "marked"));
  gst_harness_teardown (h);
  gst_object_unref (element);
}

GST_START_TEST (test_elastic_is_marked)
{
  check_marks ("elastic", "elastic");
}
GST_END_TEST;

GST_START_TEST (test_media_is_marked_where_wanted)
{
  check_marks ("elastic+media", "media");
}
GST_END_TEST;

static Suite *
paqmip_suite (void)
{
  Suite *suite = suite_create ("paqmip");
  TCase *tcase = tcase_create ("paqmip");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_rtp_is_media);
  tcase_add_test (tcase, test_ect_1_is_marked_at_once);
  tcase_add_test (tcase, test_all_else_is_elastic);
  tcase_add_test (tcase, test_marks_in_place);
  tcase_add_test (tcase, test_lowers_the_rate);
  tcase_add_test (tcase, test_adds_nothing);
  tcase_add_test (tcase, test_knows_the_sender);
  tcase_add_test (tcase, test_over_ipv6);
  tcase_add_test (tcase, test_through_the_element);
  tcase_add_test (tcase, test_elastic_is_marked);
  tcase_add_test (tcase, test_media_is_marked_where_wanted);
  return suite;
}

GST_CHECK_MAIN (paqmip);
