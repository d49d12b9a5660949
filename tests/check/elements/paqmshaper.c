/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* paqmshaper on a test clock: what leaves when, what is told to whom. Packets are of 1000 bytes on the wire unless
   said: at 8 Mb/s one a ms. */
#ifdef HAVE_CONFIG_H
#include "clockadvance.h"
#include "config.h"
#endif

#include "erfextension.h"
#include "gstccrtcp.h"
#include "rtpextension.h"

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>
#include <gst/net/gstnetaddressmeta.h>
#include <gst/rtp/gstrtpbuffer.h>
#include <string.h>

#define START (100 * GST_SECOND)
#define WIRE_BYTES 1000
#define UDP_IP_BYTES 28
#define RTP_HEADER 12
#define RATE_ID 10
#define RTT_ID 9
#define RTP_CAPS "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96"

typedef struct {
  GstTestClock *clock;
  GstHarness *h, *more; /* sink_0 and src; sink_1 where a test wants it */
  GstElement *shaper;
  guint16 seq;
} Fixture;

static void
setup (Fixture *f)
{
  f->clock = GST_TEST_CLOCK (gst_test_clock_new_with_start_time (START));
  gst_system_clock_set_default (GST_CLOCK (f->clock));
  f->h = gst_harness_new_with_padnames ("paqmshaper", "sink_0", "src");
  f->shaper = f->h->element;
  gst_harness_set_src_caps_str (f->h, RTP_CAPS);
  g_object_set (f->shaper, "capacity", (guint64)8000000, NULL);
}

static void
second_pad (Fixture *f, const gchar *caps)
{
  f->more = gst_harness_new_with_element (f->shaper, "sink_1", NULL);
  gst_harness_set_src_caps_str (f->more, caps);
}

static void
teardown (Fixture *f)
{
  if (f->more != NULL)
    gst_harness_teardown (f->more);
  gst_harness_teardown (f->h);
  gst_system_clock_set_default (NULL);
  gst_object_unref (f->clock);
}

#define TEST(name)                                                                                                     \
  static void run_##name (Fixture *f);                                                                                 \
  GST_START_TEST (name)                                                                                                \
  {                                                                                                                    \
    Fixture f = {0};                                                                                                   \
    setup (&f);                                                                                                        \
    run_##name (&f);                                                                                                   \
    teardown (&f);                                                                                                     \
  }                                                                                                                    \
  GST_END_TEST;                                                                                                        \
  static void run_##name (Fixture *f)

/* ---- time ---- */

static GstClockTime
now_of (Fixture *f)
{
  return gst_clock_get_time (GST_CLOCK (f->clock));
}

/* The sending thread has done all it can do now. */
static void
settle (Fixture *f)
{
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
}

static void
advance (Fixture *f, GstClockTime by)
{
  clock_advance_to (f->clock, now_of (f) + by);
}

/* ---- packets ---- */

static GstBuffer *
rtp_packet (Fixture *f, guint32 ssrc, guint wire_bytes)
{
  guint payload = wire_bytes - UDP_IP_BYTES - RTP_HEADER;
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (payload, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_ssrc (&rtp, ssrc);
  gst_rtp_buffer_set_seq (&rtp, f->seq++);
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  memset (gst_rtp_buffer_get_payload (&rtp), 0, payload);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

static GstBuffer *
with_element (GstBuffer *buffer, guint id, const guint8 *data, guint size)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  fail_unless (gst_rtp_buffer_add_extension_onebyte_header (&rtp, (guint8)id, data, size));
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

static GstBuffer *
with_unset_rate (GstBuffer *buffer)
{
  guint8 data[ERF_EXTENSION_SIZE];

  erf_extension_write_unset (data);
  return with_element (buffer, RATE_ID, data, sizeof data);
}

static GstBuffer *
with_rate (GstBuffer *buffer, gdouble rate_Bps, guint16 hop)
{
  guint8 data[ERF_EXTENSION_SIZE];

  erf_extension_write (data, rate_Bps, hop);
  return with_element (buffer, RATE_ID, data, sizeof data);
}

/* FALSE: there is no such element. */
static gboolean
read_rate (GstBuffer *buffer, ErfExtension *value)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gboolean found;
  gpointer data;
  guint size;

  gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp);
  found = gst_rtp_buffer_get_extension_onebyte_header (&rtp, RATE_ID, 0, &data, &size) &&
          erf_extension_parse (data, size, value);
  gst_rtp_buffer_unmap (&rtp);
  return found;
}

/* Nothing that looks like RTP. */
static GstBuffer *
other_packet (guint wire_bytes)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, wire_bytes - UDP_IP_BYTES, NULL);

  gst_buffer_memset (buffer, 0, 0, wire_bytes - UDP_IP_BYTES);
  return buffer;
}

static GstBuffer *
from_address (GstBuffer *buffer, const gchar *host, guint16 port)
{
  GSocketAddress *address = g_inet_socket_address_new_from_string (host, port);

  gst_buffer_add_net_address_meta (buffer, address);
  g_object_unref (address);
  return buffer;
}

static void
push (GstHarness *h, GstBuffer *buffer)
{
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
}

static gboolean
is_media (GstBuffer *buffer)
{
  guint8 first = 0;

  gst_buffer_extract (buffer, 0, &first, 1);
  return first >> 6 == 2;
}

static guint32
ssrc_of (GstBuffer *buffer)
{
  guint8 bytes[4];

  gst_buffer_extract (buffer, 8, bytes, 4);
  return GST_READ_UINT32_BE (bytes);
}

static guint
drain (Fixture *f)
{
  GstBuffer *buffer;
  guint n = 0;

  while ((buffer = gst_harness_try_pull (f->h)) != NULL) {
    gst_buffer_unref (buffer);
    n++;
  }
  return n;
}

/* ---- statistics ---- */

static gdouble
number_of (const GValue *value)
{
  if (G_VALUE_HOLDS_UINT (value))
    return g_value_get_uint (value);
  return G_VALUE_HOLDS_UINT64 (value) ? (gdouble)g_value_get_uint64 (value) : g_value_get_double (value);
}

/* name: "explicit-rate", or of a class: "media.flows". */
static gdouble
stat (Fixture *f, const gchar *name)
{
  gchar **path = g_strsplit (name, ".", 2);
  const GstStructure *at;
  GstStructure *stats;
  gdouble number;

  g_object_get (f->shaper, "stats", &stats, NULL);
  at = path[1] != NULL ? gst_value_get_structure (gst_structure_get_value (stats, path[0])) : stats;
  fail_unless (gst_structure_has_field (at, path[path[1] != NULL]), "no %s", name);
  number = number_of (gst_structure_get_value (at, path[path[1] != NULL]));
  gst_structure_free (stats);
  g_strfreev (path);
  return number;
}

/* ---- traffic ---- */

#define MAX_FLOWS 32

typedef struct {
  guint media, elastic;    /* flows, SSRC 1 to media; elastic ones on the second pad */
  gdouble load[MAX_FLOWS]; /* bit/s of each media flow; 0: what it was told last in its packets */
  gdouble elastic_load;    /* bit/s of all of them together */
  GstClockTime span;
  /* what came of it */
  guint64 passed_media, passed_elastic, passed[MAX_FLOWS + 1], offered[MAX_FLOWS + 1]; /* bytes */
  gdouble told[MAX_FLOWS + 1];                                                         /* bit/s */
} Traffic;

static void
take_output (Fixture *f, Traffic *t)
{
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (f->h)) != NULL) {
    ErfExtension rate;
    guint32 ssrc = is_media (buffer) ? ssrc_of (buffer) : 0;

    if (ssrc == 0) {
      t->passed_elastic += WIRE_BYTES;
    } else {
      t->passed_media += WIRE_BYTES;
      t->passed[ssrc] += WIRE_BYTES;
      if (read_rate (buffer, &rate) && rate.set)
        t->told[ssrc] = rate.rate_Bps * 8;
    }
    gst_buffer_unref (buffer);
  }
}

/* Evenly spaced packets of WIRE_BYTES, with the extension; looks at what comes out once a ms. */
static void
run (Fixture *f, Traffic *t)
{
  gdouble due[MAX_FLOWS + 1] = {0}, elastic_due = 0;
  GstClockTime end = now_of (f) + t->span;
  guint i;

  while (now_of (f) < end) {
    for (i = 1; i <= t->media; i++) {
      gdouble load = t->load[i - 1] > 0 ? t->load[i - 1] : t->told[i] > 0 ? t->told[i] : 100000;

      for (due[i] += load / 8 * 1e-3; due[i] >= WIRE_BYTES; due[i] -= WIRE_BYTES) {
        t->offered[i] += WIRE_BYTES;
        push (f->h, with_unset_rate (rtp_packet (f, i, WIRE_BYTES - 12)));
      }
    }
    for (elastic_due += t->elastic_load / 8 * 1e-3; elastic_due >= WIRE_BYTES; elastic_due -= WIRE_BYTES)
      push (f->more, other_packet (WIRE_BYTES));
    advance (f, GST_MSECOND);
    take_output (f, t);
  }
}

/* ---- the link ---- */

/* 300 packets at once at 8 Mb/s: one a ms, never more than 10 ms x 1000 bytes/ms and the grain and a packet. */
TEST (capacity_is_kept)
{
  GstClockTime times[300];
  guint sent = 0, tail = 0, i;

  g_object_set (f->shaper, "discipline", 1, NULL);
  for (i = 0; i < 300; i++)
    push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  for (i = 0; i < 3000; i++) {
    guint n = drain (f);

    for (; n > 0; n--)
      times[sent++] = now_of (f);
    advance (f, GST_MSECOND / 10);
  }
  fail_unless_equals_int (sent, 300);
  for (i = 0; i < sent; i++) {
    while (times[tail] + 10 * GST_MSECOND <= times[i])
      tail++;
    fail_unless (i - tail + 1 <= 12, "%u packets in 10 ms", i - tail + 1);
  }
  fail_unless (times[299] - times[0] >= 298 * GST_MSECOND && times[299] - times[0] <= 301 * GST_MSECOND);
}

/* Headers count: 972 bytes of payload are 1000 with UDP and IP, 1038 with Ethernet's as well, 1020 over IPv6. */
TEST (overhead_counts)
{
  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  settle (f);
  fail_unless_equals_float (stat (f, "media.arrived-bytes"), 1000);
  g_object_set (f->shaper, "link-overhead", 38, NULL);
  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  settle (f);
  fail_unless_equals_float (stat (f, "media.arrived-bytes"), 2038);
  g_object_set (f->shaper, "link-overhead", 0, NULL);
  push (f->h, from_address (rtp_packet (f, 1, WIRE_BYTES), "2001:db8::1", 5004));
  settle (f);
  fail_unless_equals_float (stat (f, "media.arrived-bytes"), 3058);
  g_object_set (f->shaper, "overhead", 0, NULL);
  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  settle (f);
  fail_unless_equals_float (stat (f, "media.arrived-bytes"), 4030);
}

/* 1000 bytes at 8 kb/s take a second; a link that becomes a thousand times as fast half way does the rest in 0.5 ms. */
TEST (capacity_changes_live)
{
  g_object_set (f->shaper, "capacity", (guint64)8000, NULL);
  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  settle (f);
  fail_unless_equals_int (drain (f), 1);
  advance (f, 500 * GST_MSECOND);
  fail_unless_equals_int (drain (f), 0);
  g_object_set (f->shaper, "capacity", (guint64)8000000, NULL);
  advance (f, 2 * GST_MSECOND);
  fail_unless_equals_int (drain (f), 1);
}

static GMutex link_closed;

static GstPadProbeReturn
on_slow_link (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  g_mutex_lock (&link_closed);
  gst_test_clock_advance_time (user, GST_MSECOND);
  g_mutex_unlock (&link_closed);
  return GST_PAD_PROBE_OK;
}

/* A link that takes 1 ms for 1000 bytes, 8 Mb/s, and says so by blocking only. The queue holds all there is before it
   opens: what leaves as it comes measures no link. */
TEST (capacity_is_measured)
{
  GstPad *src = gst_element_get_static_pad (f->shaper, "src");
  guint i;

  g_object_set (f->shaper, "capacity", (guint64)0, "media-limit", 2000000, NULL);
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BUFFER, on_slow_link, f->clock, NULL);
  gst_object_unref (src);
  g_mutex_lock (&link_closed);
  for (i = 0; i < 1000; i++)
    push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  g_mutex_unlock (&link_closed);
  settle (f);
  fail_unless (ABS (stat (f, "capacity") - 8e6) < 0.02 * 8e6, "%f", stat (f, "capacity"));
}

/* ---- queues ---- */

/* Three media flows and an elastic one, each wants all of 8 Mb/s: 6 and 2 Mb/s. Without strikes the three only lose. */
TEST (classes_share_by_flows)
{
  Traffic t = {.media = 3, .load = {4e6, 4e6, 4e6}, .elastic = 1, .elastic_load = 6e6, .span = 2 * GST_SECOND};

  second_pad (f, "application/x-anything");
  g_object_set (f->shaper, "strikes", FALSE, NULL);
  run (f, &t);
  fail_unless_equals_float (stat (f, "media.flows"), 3);
  fail_unless_equals_float (stat (f, "elastic.flows"), 1);
  memset (&t.passed_media, 0, sizeof t.passed_media);
  t.passed_elastic = 0;
  run (f, &t);
  fail_unless (ABS (t.passed_media * 8 / 2 - 6e6) < 0.03 * 6e6, "media %f", t.passed_media * 4.0);
  fail_unless (ABS (t.passed_elastic * 8 / 2 - 2e6) < 0.06 * 2e6, "elastic %f", t.passed_elastic * 4.0);
}

/* 1.3 times what the link carries: media waits for about its target, elastic for its own. */
TEST (targets_are_held)
{
  Traffic t = {.media = 2, .load = {3e6, 3e6}, .elastic = 2, .elastic_load = 6e6, .span = 2 * GST_SECOND};
  gdouble media = 0, elastic = 0;
  guint i;

  second_pad (f, "application/x-anything");
  g_object_set (f->shaper, "strikes", FALSE, "media-target-time", 20 * GST_MSECOND, "elastic-target-time",
      60 * GST_MSECOND, NULL);
  run (f, &t);
  t.span = GST_SECOND / 10;
  for (i = 0; i < 20; i++) {
    run (f, &t);
    media += stat (f, "media.delay") / 20e6;
    elastic += stat (f, "elastic.delay") / 20e6;
  }
  fail_unless (media > 16 && media < 26, "media waits %f ms", media);
  fail_unless (elastic > 50 && elastic < 75, "elastic packets wait %f ms", elastic);
}

/* In bytes: 10 kB are 10 ms at 8 Mb/s, 40 kB 40 ms, at any capacity; 1.3 times what the link carries. */
TEST (targets_may_be_bytes)
{
  static const guint targets[] = {10000, 40000};
  Traffic t = {.media = 2, .load = {5.2e6, 5.2e6}};
  guint i, k;

  g_object_set (f->shaper, "strikes", FALSE, "media-target-time", (guint64)0, NULL);
  for (k = 0; k < 2; k++) {
    gdouble wait = 0;

    g_object_set (f->shaper, "media-target", targets[k], NULL);
    t.span = GST_SECOND;
    run (f, &t);
    t.span = GST_SECOND / 20;
    for (i = 0; i < 20; i++) {
      run (f, &t);
      wait += stat (f, "media.backlog") / 20;
    }
    fail_unless (wait > 0.7 * targets[k] && wait < 1.4 * targets[k], "%f of %u bytes", wait, targets[k]);
  }
}

/* The same overload in one queue with tail drop: it stands full, 300 kB at 8 Mb/s are 300 ms. P-AQM: its target. */
TEST (fifo_waits_longer)
{
  Traffic t = {.media = 4, .load = {2.5e6, 2.5e6, 2.5e6, 2.5e6}, .span = 2 * GST_SECOND};

  g_object_set (f->shaper, "discipline", 1, "fifo-limit", 300000, "strikes", FALSE, NULL);
  run (f, &t);
  fail_unless (stat (f, "media.delay") > 290e6 && stat (f, "media.delay") < 301e6, "%f", stat (f, "media.delay"));
  fail_unless (stat (f, "media.tail-dropped") > 0);
  fail_unless_equals_float (stat (f, "explicit-rate"), 0);
  g_object_set (f->shaper, "discipline", 0, NULL);
  run (f, &t);
  fail_unless (stat (f, "media.delay") < 40e6, "%f", stat (f, "media.delay"));
  fail_unless (stat (f, "media.dropped") > 0);
}

/* Sources that send what they are told: each a quarter of 0.95 x 8 Mb/s, nothing lost, a queue of less than 10 ms. */
TEST (sources_that_follow_lose_nothing)
{
  Traffic t = {.media = 4, .span = 4 * GST_SECOND};
  gdouble lost;
  guint i;

  run (f, &t);
  lost = stat (f, "media.dropped");
  t.span = 2 * GST_SECOND;
  memset (t.passed, 0, sizeof t.passed);
  run (f, &t);
  for (i = 1; i <= 4; i++)
    fail_unless (ABS (t.passed[i] * 4.0 - 1.9e6) < 0.1 * 1.9e6, "flow %u: %f bit/s", i, t.passed[i] * 4.0);
  fail_unless_equals_float (stat (f, "media.dropped"), lost);
  fail_unless (stat (f, "media.delay") < 10e6);
}

/* One of four sends 6 Mb/s whatever it is told: it gets its part, the others keep 0.9 of theirs. */
TEST (ill_flows_are_struck)
{
  Traffic t = {.media = 4, .load = {10e6}, .span = 6 * GST_SECOND};
  guint i;

  run (f, &t);
  fail_unless_equals_float (stat (f, "struck"), 1);
  t.span = 2 * GST_SECOND;
  memset (t.passed, 0, sizeof t.passed);
  run (f, &t);
  fail_unless (stat (f, "strike-dropped") > 0);
  fail_unless (t.passed[1] * 4.0 < 2.2e6, "the ill one has %f bit/s", t.passed[1] * 4.0);
  for (i = 2; i <= 4; i++)
    fail_unless (t.passed[i] * 4.0 > 0.9 * 1.9e6, "flow %u: %f bit/s", i, t.passed[i] * 4.0);
}

/* ---- flows ---- */

TEST (flows_are_told_apart_by_ssrc_and_pad)
{
  guint i, k;

  second_pad (f, RTP_CAPS);
  for (k = 0; k < 2; k++)
    for (i = 0; i < 20; i++) {
      push (f->h, rtp_packet (f, 100 + i, 100));
      push (f->more, rtp_packet (f, 100 + i, 100));
    }
  settle (f);
  fail_unless_equals_float (stat (f, "media.flows"), 40);
  fail_unless_equals_float (stat (f, "elastic.flows"), 0);
}

/* Two flows, one of which falls silent: after 0.3 s it is not counted where flows live for 0.2 s. */
TEST (flows_live_as_long_as_wanted)
{
  Traffic t = {.media = 2, .load = {800e3, 800e3}, .span = GST_SECOND / 10};

  g_object_set (f->shaper, "flow-life", 200 * GST_MSECOND, NULL);
  run (f, &t);
  fail_unless_equals_float (stat (f, "media.flows"), 2);
  t.media = 1;
  t.span = 3 * GST_SECOND / 10;
  run (f, &t);
  fail_unless_equals_float (stat (f, "media.flows"), 1);
}

/* 400 flows: exactly, or within a fifth, as live as the rest. */
TEST (flows_may_be_estimated)
{
  gdouble flows;
  guint i;

  for (i = 0; i < 400; i++)
    push (f->h, rtp_packet (f, i, 60));
  settle (f);
  fail_unless_equals_float (stat (f, "media.flows"), 400);
  gst_util_set_object_arg (G_OBJECT (f->shaper), "flow-counting", "estimate");
  flows = stat (f, "media.flows");
  fail_unless (flows != 400 && ABS (flows - 400) < 80, "%f flows", flows);
}

/* RTCP goes with the media and is no flow; what is neither is elastic, flows by where they come from. */
TEST (classes_are_found)
{
  guint8 rtcp[8] = {0x80, 201, 0, 1, 1, 2, 3, 4};

  second_pad (f, "application/x-anything");
  push (f->more, rtp_packet (f, 7, 100));
  push (f->more, gst_buffer_new_memdup (rtcp, sizeof rtcp));
  push (f->more, from_address (other_packet (100), "192.0.2.1", 1000));
  push (f->more, from_address (other_packet (100), "192.0.2.1", 1000));
  push (f->more, from_address (other_packet (100), "192.0.2.2", 1000));
  settle (f);
  fail_unless_equals_float (stat (f, "media.arrived"), 2);
  fail_unless_equals_float (stat (f, "media.flows"), 1);
  fail_unless_equals_float (stat (f, "elastic.arrived"), 3);
  fail_unless_equals_float (stat (f, "elastic.flows"), 2);
}

TEST (a_pad_has_a_class)
{
  GstPad *pad;

  second_pad (f, "application/x-anything");
  pad = gst_element_get_static_pad (f->shaper, "sink_1");
  gst_util_set_object_arg (G_OBJECT (pad), "class", "media");
  push (f->more, other_packet (100));
  gst_util_set_object_arg (G_OBJECT (pad), "class", "elastic");
  push (f->more, rtp_packet (f, 1, 100));
  gst_object_unref (pad);
  settle (f);
  fail_unless_equals_float (stat (f, "media.arrived"), 1);
  fail_unless_equals_float (stat (f, "elastic.arrived"), 1);
}

/* ---- explicit rates in packets ---- */

static ErfExtension
rate_after (Fixture *f, GstBuffer *buffer)
{
  ErfExtension value = {0};

  push (f->h, buffer);
  settle (f);
  advance (f, 5 * GST_MSECOND);
  buffer = gst_harness_pull (f->h);
  fail_unless (read_rate (buffer, &value));
  gst_buffer_unref (buffer);
  return value;
}

/* 18 bits of mantissa, rounded down. */
static void
assert_own_rate (Fixture *f, const ErfExtension *value)
{
  gdouble rate = stat (f, "explicit-rate") / 8;

  fail_unless (value->set);
  fail_unless_equals_int (value->hop, (gint)stat (f, "hop"));
  fail_unless (value->rate_Bps <= rate && value->rate_Bps > rate * (1 - 1e-4), "%f of %f", value->rate_Bps, rate);
}

TEST (rates_are_lowered_never_raised)
{
  ErfExtension value;

  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  advance (f, 5 * GST_MSECOND);
  drain (f);
  value = rate_after (f, with_unset_rate (rtp_packet (f, 1, WIRE_BYTES)));
  assert_own_rate (f, &value);
  value = rate_after (f, with_rate (rtp_packet (f, 1, WIRE_BYTES), 1e9, 0xbeef));
  assert_own_rate (f, &value);
  value = rate_after (f, with_rate (rtp_packet (f, 1, WIRE_BYTES), 1000, 0xbeef));
  fail_unless (value.set);
  fail_unless_equals_float (value.rate_Bps, 1000);
  fail_unless_equals_int (value.hop, 0xbeef);
  fail_unless_equals_float (stat (f, "tagged"), 2);
}

/* Two of one flow in front of each other: the lower one is told, whatever the order. */
TEST (rates_are_added_where_wanted)
{
  ErfExtension value;
  GstBuffer *buffer;

  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  advance (f, 5 * GST_MSECOND);
  buffer = gst_harness_pull (f->h);
  fail_if (read_rate (buffer, &value));
  gst_buffer_unref (buffer);
  drain (f);
  g_object_set (f->shaper, "add-extension", TRUE, NULL);
  value = rate_after (f, rtp_packet (f, 1, WIRE_BYTES));
  assert_own_rate (f, &value);
  /* the extension's head of 4, the element of 1 + 6, one to fill the word */
  fail_unless_equals_float (stat (f, "media.arrived-bytes"), 3000 + 12);
}

/* A buffer that others hold too is copied, theirs stays as it is. */
TEST (shared_buffers_are_not_touched)
{
  GstBuffer *buffer, *out;
  ErfExtension value;

  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  advance (f, 5 * GST_MSECOND);
  drain (f);
  buffer = with_unset_rate (rtp_packet (f, 1, WIRE_BYTES));
  push (f->h, gst_buffer_ref (buffer));
  advance (f, 5 * GST_MSECOND);
  out = gst_harness_pull (f->h);
  fail_unless (read_rate (out, &value) && value.set);
  fail_unless (read_rate (buffer, &value) && !value.set);
  gst_buffer_unref (out);
  gst_buffer_unref (buffer);
}

/* Header extensions are authenticated in SRTP: changed ones would be thrown away. */
TEST (srtp_is_left_alone)
{
  ErfExtension value;

  second_pad (f, "application/x-srtp,media=video,clock-rate=90000");
  push (f->more, rtp_packet (f, 1, WIRE_BYTES));
  advance (f, 5 * GST_MSECOND);
  drain (f);
  push (f->more, with_unset_rate (rtp_packet (f, 1, WIRE_BYTES)));
  advance (f, 5 * GST_MSECOND);
  {
    GstBuffer *buffer = gst_harness_pull (f->h);

    fail_unless (read_rate (buffer, &value) && !value.set);
    gst_buffer_unref (buffer);
  }
  fail_unless_equals_float (stat (f, "tagged"), 0);
}

/* Nor RTP that is to be treated as elastic. */
TEST (elastic_packets_are_not_told)
{
  GstPad *pad = gst_element_get_static_pad (f->shaper, "sink_0");
  GstBuffer *buffer;
  ErfExtension value;

  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  gst_util_set_object_arg (G_OBJECT (pad), "class", "elastic");
  gst_object_unref (pad);
  advance (f, 5 * GST_MSECOND);
  drain (f);
  push (f->h, with_unset_rate (rtp_packet (f, 1, WIRE_BYTES)));
  advance (f, 5 * GST_MSECOND);
  buffer = gst_harness_pull (f->h);
  fail_unless (read_rate (buffer, &value) && !value.set);
  gst_buffer_unref (buffer);
}

TEST (extension_id_comes_from_caps)
{
  guint8 data[ERF_EXTENSION_SIZE];
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  ErfExtension value;
  GstBuffer *buffer;
  gpointer found;
  guint size;

  second_pad (f, RTP_CAPS ",extmap-3=(string)" ERF_EXTENSION_URI);
  push (f->more, rtp_packet (f, 1, WIRE_BYTES));
  advance (f, 5 * GST_MSECOND);
  drain (f);
  erf_extension_write_unset (data);
  push (f->more, with_element (rtp_packet (f, 1, WIRE_BYTES), 3, data, sizeof data));
  advance (f, 5 * GST_MSECOND);
  buffer = gst_harness_pull (f->h);
  gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp);
  fail_unless (gst_rtp_buffer_get_extension_onebyte_header (&rtp, 3, 0, &found, &size));
  fail_unless (erf_extension_parse (found, size, &value) && value.set);
  gst_rtp_buffer_unmap (&rtp);
  gst_buffer_unref (buffer);
}

/* Where caps do not say; 0: none. */
TEST (extension_id_is_a_setting)
{
  ErfExtension value;

  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  advance (f, 5 * GST_MSECOND);
  drain (f);
  g_object_set (f->shaper, "extension-id", 7, NULL);
  value = rate_after (f, with_unset_rate (rtp_packet (f, 1, WIRE_BYTES)));
  fail_if (value.set);
  g_object_set (f->shaper, "extension-id", RATE_ID, NULL);
  value = rate_after (f, with_unset_rate (rtp_packet (f, 1, WIRE_BYTES)));
  fail_unless (value.set);
  g_object_set (f->shaper, "extension-id", 0, NULL);
  value = rate_after (f, with_unset_rate (rtp_packet (f, 1, WIRE_BYTES)));
  fail_if (value.set);
}

/* ---- over RTCP ---- */

typedef struct {
  guint rembs, tmmbrs, erfs, ecfs;
  RtcpRemb remb;
  RtcpTmmb tmmbr;
  RtcpPath erf, ecf;
  guint32 erf_media;
} Heard;

static void
on_remb (gpointer user, guint32 sender, const RtcpRemb *remb)
{
  ((Heard *)user)->remb = *remb;
  ((Heard *)user)->rembs++;
}

static void
on_tmmbr (gpointer user, guint32 sender, const RtcpTmmb *entry)
{
  ((Heard *)user)->tmmbr = *entry;
  ((Heard *)user)->tmmbrs++;
}

static void
on_path (gpointer user, guint32 sender, guint32 media, const RtcpPath *path)
{
  Heard *h = user;

  if (path->kind == RTCP_PATH_ERF) {
    h->erf = *path;
    h->erf_media = media;
    h->erfs++;
  } else {
    h->ecf = *path;
    h->ecfs++;
  }
}

static void
on_malformed (gpointer user, guint packet_type)
{
  fail ("malformed packet %u", packet_type);
}

static void
hear (GstBuffer *buffer, Heard *heard)
{
  static const RtcpHandlers ears = {.remb = on_remb, .tmmbr = on_tmmbr, .path = on_path, .malformed = on_malformed};
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  fail_unless (rtcp_walk (map.data, map.size, &ears, heard));
  gst_buffer_unmap (buffer, &map);
}

/* d = 0.1 + 0.5 s after the first packet, to each source at its address. */
TEST (sources_are_told_over_rtcp)
{
  GstHarness *rtcp = gst_harness_new_with_element (f->shaper, NULL, "rtcp_src");
  gboolean seen[3] = {FALSE};
  guint i, k;

  gst_util_set_object_arg (G_OBJECT (f->shaper), "signalling", "erf+ecf+remb+tmmbr");
  for (i = 0; i < 65; i++) {
    push (f->h, from_address (rtp_packet (f, 1, WIRE_BYTES), "192.0.2.1", 5001));
    push (f->h, from_address (rtp_packet (f, 2, WIRE_BYTES), "192.0.2.2", 5002));
    if (i < 3)
      push (f->h, from_address (rtp_packet (f, 3, WIRE_BYTES), "192.0.2.3", 5003));
    if (i < 4)
      push (f->h, from_address (rtp_packet (f, 4, 45), "192.0.2.4", 5004));
    advance (f, 10 * GST_MSECOND);
  }
  for (k = 0; k < 2; k++) {
    GstBuffer *buffer = gst_harness_pull (rtcp);
    GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
    Heard h = {0};
    guint ssrc;

    hear (buffer, &h);
    fail_unless_equals_int (h.rembs + h.tmmbrs + h.erfs + h.ecfs, 4);
    ssrc = h.erf_media;
    fail_unless (ssrc == 1 || ssrc == 2);
    seen[ssrc] = TRUE;
    fail_unless_equals_int (h.remb.ssrcs[0], ssrc);
    fail_unless_equals_int (h.tmmbr.ssrc, ssrc);
    fail_unless_equals_int (h.tmmbr.overhead_bytes, UDP_IP_BYTES + RTCP_TMMB_RTP_HEADER);
    fail_unless_equals_int (h.erf.hop, (guint)stat (f, "hop"));
    fail_unless (ABS (h.erf.rate_bps - stat (f, "explicit-rate")) < 0.01 * stat (f, "explicit-rate"));
    /* what the source sent, 800 kb/s, and its part of what the link has left */
    fail_unless (stat (f, "ecf-increase") > 1e6);
    fail_unless (ABS (h.ecf.rate_bps - 800e3 - stat (f, "ecf-increase")) < 20e3, "%f", (gdouble)h.ecf.rate_bps);
    fail_unless (ABS ((gdouble)h.remb.bitrate_bps - h.erf.rate_bps) < 1e-4 * h.erf.rate_bps);
    fail_unless (meta != NULL);
    fail_unless_equals_int (g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (meta->addr)), 5000 + ssrc);
    gst_buffer_unref (buffer);
  }
  /* three packets prove nobody, 180 bytes buy no packet of as many */
  fail_unless (seen[1] && seen[2]);
  fail_unless (gst_harness_try_pull (rtcp) == NULL);
  gst_harness_teardown (rtcp);
}

/* d = 50 + 200 ms: in 1.1 s four periods end, and with the defaults, 100 + 500 ms, one. */
TEST (period_is_of_rtt_and_tau2)
{
  Traffic t = {.media = 1, .load = {800e3}, .span = 1100 * GST_MSECOND};

  g_object_set (f->shaper, "tau2", 200 * GST_MSECOND, "rtt", 50 * GST_MSECOND, NULL);
  run (f, &t);
  fail_unless_equals_float (stat (f, "periods"), 4);
}

/* Alone: R is the part of 8 Mb/s that is asked for, or the least. */
TEST (utilisation_and_least_rate_hold)
{
  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  settle (f);
  fail_unless (ABS (stat (f, "explicit-rate") - 7.6e6) < 1);
  g_object_set (f->shaper, "utilisation", 0.5, NULL);
  fail_unless (ABS (stat (f, "explicit-rate") - 4e6) < 1);
  g_object_set (f->shaper, "min-rate", (guint64)6000000, NULL);
  push (f->h, rtp_packet (f, 2, WIRE_BYTES));
  settle (f);
  fail_unless (ABS (stat (f, "explicit-rate") - 6e6) < 1, "%f", stat (f, "explicit-rate"));
}

static void
send_for_a_period (Fixture *f)
{
  guint i;

  for (i = 0; i < 65; i++) {
    push (f->h, from_address (with_unset_rate (rtp_packet (f, 1, WIRE_BYTES)), "192.0.2.1", 5001));
    advance (f, 10 * GST_MSECOND);
  }
}

/* Nothing where nothing is wanted; then the one thing that is, as soon as it is. */
TEST (only_what_is_wanted_is_told)
{
  GstHarness *rtcp = gst_harness_new_with_element (f->shaper, NULL, "rtcp_src");
  GstBuffer *buffer;
  ErfExtension value;
  Heard h = {0};

  gst_util_set_object_arg (G_OBJECT (f->shaper), "signalling", "none");
  send_for_a_period (f);
  while ((buffer = gst_harness_try_pull (f->h)) != NULL) {
    fail_unless (read_rate (buffer, &value) && !value.set);
    gst_buffer_unref (buffer);
  }
  fail_unless (gst_harness_try_pull (rtcp) == NULL);
  gst_util_set_object_arg (G_OBJECT (f->shaper), "signalling", "tmmbr");
  send_for_a_period (f);
  buffer = gst_harness_pull (rtcp);
  hear (buffer, &h);
  gst_buffer_unref (buffer);
  fail_unless_equals_int (h.tmmbrs, 1);
  fail_unless_equals_int (h.rembs + h.erfs + h.ecfs, 0);
  gst_harness_teardown (rtcp);
}

/* Feedback stays with the address that sends, however many others claim the SSRC now and then. */
TEST (addresses_are_not_stolen)
{
  GstHarness *rtcp = gst_harness_new_with_element (f->shaper, NULL, "rtcp_src");
  GstBuffer *buffer;
  guint i;

  for (i = 0; i < 180; i++) {
    if (i % 52 == 50)
      push (f->h, from_address (rtp_packet (f, 1, WIRE_BYTES), "203.0.113.9", 9999));
    push (f->h, from_address (rtp_packet (f, 1, WIRE_BYTES), "192.0.2.1", 5001));
    advance (f, 10 * GST_MSECOND);
  }
  for (i = 0; i < 2; i++) {
    buffer = gst_harness_pull (rtcp);
    fail_unless_equals_int (
        g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (gst_buffer_get_net_address_meta (buffer)->addr)), 5001);
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (rtcp);
}

/* ---- streams ---- */

static void
push_event (GstHarness *h, GstEvent *event)
{
  fail_unless (gst_harness_push_event (h, event));
}

static guint
events_of (Fixture *f, GstEventType type)
{
  GstEvent *event;
  guint n = 0;

  while ((event = gst_harness_try_pull_event (f->h)) != NULL) {
    n += GST_EVENT_TYPE (event) == type;
    gst_event_unref (event);
  }
  return n;
}

/* Ten packets in the queue when both pads have ended: EOS behind the last of them. */
TEST (eos_waits_for_all_pads_and_packets)
{
  guint i;

  second_pad (f, RTP_CAPS);
  for (i = 0; i < 10; i++)
    push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  push_event (f->h, gst_event_new_eos ());
  advance (f, 50 * GST_MSECOND);
  fail_unless_equals_int (drain (f), 10);
  fail_unless_equals_int (events_of (f, GST_EVENT_EOS), 0);
  for (i = 0; i < 10; i++)
    push (f->more, rtp_packet (f, 1, WIRE_BYTES));
  push_event (f->more, gst_event_new_eos ());
  advance (f, 5 * GST_MSECOND);
  fail_unless (drain (f) < 8);
  fail_unless_equals_int (events_of (f, GST_EVENT_EOS), 0);
  advance (f, 50 * GST_MSECOND);
  drain (f);
  fail_unless_equals_int (events_of (f, GST_EVENT_EOS), 1);
}

/* A packet a ms until one arrives; FALSE: none does. */
static gboolean
something_arrives (Fixture *f, GstHarness *h)
{
  guint i, before = gst_harness_buffers_received (f->h);

  for (i = 0; i < 1000 && gst_harness_buffers_received (f->h) == before; i++) {
    GstClockID id;

    gst_harness_push (h, rtp_packet (f, 1, WIRE_BYTES));
    gst_test_clock_advance_time (f->clock, GST_MSECOND);
    id = gst_test_clock_process_next_clock_id (f->clock);
    if (id != NULL)
      gst_clock_id_unref (id);
    g_usleep (1000);
  }
  return gst_harness_buffers_received (f->h) > before;
}

TEST (a_pad_may_come_after_the_end)
{
  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  push_event (f->h, gst_event_new_eos ());
  advance (f, 50 * GST_MSECOND);
  fail_unless_equals_int (drain (f), 1);
  fail_unless_equals_int (events_of (f, GST_EVENT_EOS), 1);
  second_pad (f, RTP_CAPS);
  fail_unless (something_arrives (f, f->more));
  fail_unless_equals_int (events_of (f, GST_EVENT_STREAM_START), 1);
}

/* FALSE: none in a minute. */
static gboolean
waits_for (GstHarness *h, GstEventType type)
{
  GstEvent *event;
  gboolean is = FALSE;

  while (!is && (event = gst_harness_pull_event (h)) != NULL) {
    is = GST_EVENT_TYPE (event) == type;
    gst_event_unref (event);
  }
  return is;
}

/* Or a pipeline whose sinks have to end never would. A sink takes nothing after EOS unless it is flushed. */
TEST (rtcp_ends_with_the_packets)
{
  GstHarness *rtcp = gst_harness_new_with_element (f->shaper, NULL, "rtcp_src");

  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  push_event (f->h, gst_event_new_eos ());
  advance (f, 50 * GST_MSECOND);
  fail_unless_equals_int (events_of (f, GST_EVENT_EOS), 1);
  fail_unless (waits_for (rtcp, GST_EVENT_EOS));
  fail_unless_equals_int (gst_harness_buffers_received (rtcp), 0);
  push_event (f->h, gst_event_new_flush_start ());
  push_event (f->h, gst_event_new_flush_stop (TRUE));
  gst_harness_set_src_caps_str (f->h, RTP_CAPS);
  send_for_a_period (f);
  gst_buffer_unref (gst_harness_pull (rtcp));
  fail_unless (waits_for (rtcp, GST_EVENT_FLUSH_STOP));
  fail_unless (waits_for (rtcp, GST_EVENT_SEGMENT));
  push_event (f->h, gst_event_new_eos ());
  advance (f, 50 * GST_MSECOND);
  fail_unless (waits_for (rtcp, GST_EVENT_EOS));
  gst_harness_teardown (rtcp);
}

/* A pad that goes while packets of it wait takes none with it, and nobody waits for its end. */
TEST (pads_may_go_while_playing)
{
  guint i;

  second_pad (f, RTP_CAPS);
  for (i = 0; i < 10; i++)
    push (f->more, rtp_packet (f, 1, WIRE_BYTES));
  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  push_event (f->h, gst_event_new_eos ());
  gst_harness_teardown (f->more);
  f->more = NULL;
  advance (f, 50 * GST_MSECOND);
  fail_unless_equals_int (drain (f), 11);
  fail_unless_equals_int (events_of (f, GST_EVENT_EOS), 1);
}

TEST (flush_empties_the_queue)
{
  GstSegment segment;
  guint i;

  for (i = 0; i < 10; i++)
    push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  settle (f);
  drain (f);
  push_event (f->h, gst_event_new_flush_start ());
  push_event (f->h, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  push_event (f->h, gst_event_new_segment (&segment));
  advance (f, 50 * GST_MSECOND);
  fail_unless_equals_int (drain (f), 0);
  fail_unless_equals_float (stat (f, "media.backlog"), 0);
  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  advance (f, 5 * GST_MSECOND);
  fail_unless_equals_int (drain (f), 1);
  fail_unless_equals_int (events_of (f, GST_EVENT_FLUSH_STOP), 1);
}

static void
flush (GstHarness *h)
{
  GstSegment segment;

  push_event (h, gst_event_new_flush_start ());
  push_event (h, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  push_event (h, gst_event_new_segment (&segment));
}

/* One pad of two: what waits still leaves, downstream hears nothing. */
TEST (flush_of_one_pad_is_its_own)
{
  second_pad (f, RTP_CAPS);
  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  push_event (f->more, gst_event_new_eos ());
  flush (f->more);
  advance (f, 50 * GST_MSECOND);
  fail_unless_equals_int (drain (f), 2);
  fail_unless_equals_int (events_of (f, GST_EVENT_FLUSH_STOP), 0);
  push (f->more, rtp_packet (f, 1, WIRE_BYTES));
  settle (f);
  advance (f, 5 * GST_MSECOND);
  fail_unless_equals_float (stat (f, "media.sent"), 3);
}

/* As a sink does: after EOS nothing is taken until it is flushed. */
static GstPadProbeReturn
refuse_after_eos (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  gboolean *ended = user, is_event = GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_EVENT_BOTH;
  GstEventType type = is_event ? GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) : GST_EVENT_UNKNOWN;

  if (type == GST_EVENT_FLUSH_STOP)
    *ended = FALSE;
  if (*ended) {
    GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_EOS;
    gst_mini_object_unref (info->data);
    return GST_PAD_PROBE_HANDLED;
  }
  *ended |= type == GST_EVENT_EOS;
  return GST_PAD_PROBE_OK;
}

static void
sink_that_ends (Fixture *f, gboolean *ended)
{
  GstPad *src = gst_element_get_static_pad (f->shaper, "src");

  gst_pad_add_probe (src,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      refuse_after_eos, ended, NULL);
  gst_object_unref (src);
}

/* A pad that comes after the end makes a sink go on by a flush, as with funnel: before its first packet, or after that
   was refused. */
TEST (a_flush_passes_after_the_end)
{
  gboolean ended = FALSE;
  guint i;

  sink_that_ends (f, &ended);
  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  push_event (f->h, gst_event_new_eos ());
  advance (f, 50 * GST_MSECOND);
  second_pad (f, RTP_CAPS);
  fail_unless (ended);
  for (i = 0; i < 2; i++) {
    flush (f->more);
    fail_if (ended);
    fail_unless (something_arrives (f, f->more));
    push_event (f->more, gst_event_new_eos ());
    advance (f, 50 * GST_MSECOND);
    fail_unless (ended);
    push_event (f->more, gst_event_new_stream_start ("more"));
    gst_harness_set_src_caps_str (f->more, RTP_CAPS);
    fail_if (something_arrives (f, f->more));
  }
}

/* Caps go ahead of the packets they belong to, and only where they are others than before. */
TEST (caps_follow_the_packets)
{
  static const gchar *const expected[] = {"H264", "VP8", "H264"};
  guint n = 0, i;
  GstEvent *event;

  second_pad (f, "application/x-rtp,media=video,clock-rate=90000,encoding-name=VP8,payload=96");
  for (i = 0; i < 3; i++)
    push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  push (f->more, rtp_packet (f, 2, WIRE_BYTES));
  push (f->more, rtp_packet (f, 2, WIRE_BYTES));
  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  advance (f, 50 * GST_MSECOND);
  fail_unless_equals_int (drain (f), 6);
  while ((event = gst_harness_try_pull_event (f->h)) != NULL) {
    if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
      GstCaps *caps;

      gst_event_parse_caps (event, &caps);
      fail_unless (n < 3);
      fail_unless_equals_string (
          gst_structure_get_string (gst_caps_get_structure (caps, 0), "encoding-name"), expected[n++]);
    }
    gst_event_unref (event);
  }
  fail_unless_equals_int (n, 3);
}

TEST (equal_caps_are_said_once)
{
  guint i;

  second_pad (f, RTP_CAPS);
  for (i = 0; i < 3; i++) {
    push (f->h, rtp_packet (f, 1, WIRE_BYTES));
    push (f->more, rtp_packet (f, 1, WIRE_BYTES));
  }
  advance (f, 50 * GST_MSECOND);
  fail_unless_equals_int (drain (f), 6);
  fail_unless_equals_int (events_of (f, GST_EVENT_CAPS), 1);
}

/* Behind two packets of the same pad that wait. */
TEST (serialized_events_keep_their_place)
{
  guint i;

  for (i = 0; i < 3; i++)
    push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  push_event (f->h, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty ("mark")));
  settle (f);
  fail_unless_equals_int (events_of (f, GST_EVENT_CUSTOM_DOWNSTREAM), 0);
  advance (f, 5 * GST_MSECOND);
  fail_unless_equals_int (drain (f), 3);
  fail_unless_equals_int (events_of (f, GST_EVENT_CUSTOM_DOWNSTREAM), 1);
}

TEST (lists_are_packets)
{
  GstBufferList *list = gst_buffer_list_new ();
  ErfExtension value;
  GstBuffer *buffer;
  guint i;

  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  advance (f, 5 * GST_MSECOND);
  drain (f);
  for (i = 0; i < 5; i++)
    gst_buffer_list_add (list, with_unset_rate (rtp_packet (f, 1, WIRE_BYTES - 12)));
  fail_unless_equals_int (gst_pad_push_list (f->h->srcpad, list), GST_FLOW_OK);
  settle (f);
  fail_unless_equals_float (stat (f, "media.arrived"), 6);
  advance (f, 2 * GST_MSECOND);
  fail_unless (gst_harness_buffers_in_queue (f->h) <= 3);
  advance (f, 10 * GST_MSECOND);
  fail_unless_equals_int (gst_harness_buffers_in_queue (f->h), 5);
  buffer = gst_harness_pull (f->h);
  fail_unless (read_rate (buffer, &value) && value.set);
  gst_buffer_unref (buffer);
}

/* media-limit at media's part: half before there are flows, all of it with media alone. 100 kB at 4 and 8 Mb/s. */
TEST (latency_is_the_longest_wait)
{
  gst_harness_set_upstream_latency (f->h, 0);
  fail_unless_equals_uint64 (gst_harness_query_latency (f->h), 200 * GST_MSECOND);
  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  fail_unless_equals_uint64 (gst_harness_query_latency (f->h), 100 * GST_MSECOND);
  g_object_set (f->shaper, "media-limit", 50000, NULL);
  fail_unless_equals_uint64 (gst_harness_query_latency (f->h), 50 * GST_MSECOND);
}

static guint
latency_messages (GstBus *bus)
{
  GstMessage *message;
  guint n = 0;

  for (; (message = gst_bus_pop_filtered (bus, GST_MESSAGE_LATENCY)) != NULL; n++)
    gst_message_unref (message);
  return n;
}

/* Each 10 ms of a second a packet of media, and one of each of so many elastic flows. */
static void
send_beside (Fixture *f, guint flows)
{
  guint i, j;

  for (i = 0; i < 100; i++) {
    push (f->h, rtp_packet (f, 1, WIRE_BYTES));
    for (j = 0; j < flows; j++)
      push (f->more, from_address (other_packet (WIRE_BYTES), "192.0.2.9", (guint16)(5001 + j)));
    advance (f, 10 * GST_MSECOND);
  }
}

/* Beside three elastic flows media has a quarter of the link: whoever asked before is told, once; not again for as many
   or fewer. */
TEST (latency_that_grows_is_told)
{
  GstBus *bus = gst_bus_new ();

  second_pad (f, "application/octet-stream");
  gst_harness_set_upstream_latency (f->h, 0);
  gst_element_set_bus (f->shaper, bus);
  send_beside (f, 3);
  fail_unless_equals_int (latency_messages (bus), 0); /* nobody has asked */
  send_beside (f, 0);
  send_beside (f, 0);
  send_beside (f, 0);
  fail_unless_equals_uint64 (gst_harness_query_latency (f->h), 100 * GST_MSECOND);
  send_beside (f, 3);
  fail_unless_equals_int (latency_messages (bus), 1);
  fail_unless_equals_uint64 (gst_harness_query_latency (f->h), 400 * GST_MSECOND);
  send_beside (f, 3);
  send_beside (f, 1);
  send_beside (f, 0);
  send_beside (f, 3);
  fail_unless_equals_int (latency_messages (bus), 0);
  gst_element_set_bus (f->shaper, NULL);
  gst_object_unref (bus);
}

/* ---- settings ---- */

/* Of media that follows: 40 packets within 10 ms, and as many as leave for the next 100 ms: 30 kB wait. */
static gdouble
lost_of_key_frame (Fixture *f, gdouble burst)
{
  Traffic calm = {.media = 1, .load = {800e3}, .span = 2 * GST_SECOND};
  Traffic key = {.media = 1, .load = {32e6}, .span = 10 * GST_MSECOND};
  Traffic after = {.media = 1, .load = {8e6}, .span = 100 * GST_MSECOND};
  gdouble before;

  g_object_set (f->shaper, "burst", burst, NULL);
  run (f, &calm);
  before = stat (f, "media.dropped");
  run (f, &key);
  run (f, &after);
  return stat (f, "media.dropped") - before;
}

/* N* is 20 kB, 10 kB pass in 10 ms: as published u is (10 + 0.3 (20 - 30))/10 = 0.7 until ten packets are lost, which
   would all of 90 miss once in 10^14 runs. Two N* are 40 kB: u is 1. */
TEST (burst_is_live)
{
  fail_unless_equals_float (lost_of_key_frame (f, 2), 0);
  fail_unless (lost_of_key_frame (f, 1) > 0);
  fail_unless_equals_float (lost_of_key_frame (f, 4), 0);
  fail_unless_equals_float (stat (f, "strike-dropped"), 0);
}

/* The reason, if there was a warning: full. */
static gchar *
refusal_on (GstBus *bus)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  GError *error;
  gchar *reason;

  if (message == NULL)
    return NULL;
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS), "%s", error->message);
  reason = g_strdup (error->message);
  g_error_free (error);
  gst_message_unref (message);
  return reason;
}

static void
assert_refused (GstBus *bus, const gchar *because)
{
  gchar *reason = refusal_on (bus);

  fail_unless (reason != NULL && strstr (reason, because) != NULL, "%s", reason);
  g_free (reason);
}

/* Paper F figure 7: alpha 0.1 with beta 0.4 oscillates. Together with a beta that suits it, it is taken. */
TEST (unstable_loops_are_refused)
{
  GstBus *bus = gst_bus_new ();
  gdouble alpha;

  gst_element_set_bus (f->shaper, bus);
  g_object_set (f->shaper, "alpha", 0.1, "beta", 0.4, NULL);
  assert_refused (bus, "alpha");
  g_object_get (f->shaper, "alpha", &alpha, NULL);
  fail_unless_equals_float (alpha, 0.75);
  g_object_set (f->shaper, "alpha", 0.4, "beta", 0.1, NULL);
  fail_unless (refusal_on (bus) == NULL);
  g_object_get (f->shaper, "alpha", &alpha, NULL);
  fail_unless_equals_float (alpha, 0.4);
  gst_element_set_bus (f->shaper, NULL);
  gst_object_unref (bus);
}

/* A target beyond the limit; nothing else of the same call is taken. */
TEST (targets_beyond_limits_are_refused)
{
  GstBus *bus = gst_bus_new ();
  guint target;

  gst_element_set_bus (f->shaper, bus);
  g_object_set (f->shaper, "media-target-time", (guint64)0, "media-target", 40000, "media-limit", 30000, NULL);
  assert_refused (bus, "within its limit");
  g_object_get (f->shaper, "media-target", &target, NULL);
  fail_unless_equals_int (target, 35000);
  gst_element_set_bus (f->shaper, NULL);
  gst_object_unref (bus);
}

/* What was set before the start is judged there, and the element starts with what it had. */
TEST (refused_settings_do_not_stop_the_start)
{
  GstElement *shaper = gst_element_factory_make ("paqmshaper", NULL);
  GstBus *bus = gst_bus_new ();
  gdouble alpha;

  gst_element_set_bus (shaper, bus);
  g_object_set (shaper, "alpha", 0.1, "beta", 0.4, NULL);
  fail_unless (refusal_on (bus) == NULL);
  fail_unless_equals_int (gst_element_set_state (shaper, GST_STATE_PAUSED), GST_STATE_CHANGE_SUCCESS);
  assert_refused (bus, "alpha");
  g_object_get (shaper, "alpha", &alpha, NULL);
  fail_unless_equals_float (alpha, 0.75);
  gst_element_set_state (shaper, GST_STATE_NULL);
  gst_element_set_bus (shaper, NULL);
  gst_object_unref (bus);
  gst_object_unref (shaper);
}

/* Something else than it is, that goes with all else as it is. */
static void
other_value (const GParamSpec *pspec, GValue *v)
{
  if (G_VALUE_HOLDS_BOOLEAN (v))
    g_value_set_boolean (v, !g_value_get_boolean (v));
  else if (G_VALUE_HOLDS_INT (v))
    g_value_set_int (v, g_value_get_int (v) + 1);
  else if (G_VALUE_HOLDS_UINT (v))
    g_value_set_uint (v, g_value_get_uint (v) + 1);
  else if (G_VALUE_HOLDS_UINT64 (v))
    g_value_set_uint64 (v, g_value_get_uint64 (v) + 10000000);
  else if (G_VALUE_HOLDS_DOUBLE (v))
    g_value_set_double (v, g_value_get_double (v) * 1.01);
  else if (G_VALUE_HOLDS_ENUM (v))
    g_value_set_enum (v, 1 - g_value_get_enum (v));
  else if (G_VALUE_HOLDS_FLAGS (v))
    g_value_set_flags (v, g_value_get_flags (v) ^ 2);
  else
    fail ("%s: what is it?", pspec->name);
}

/* Each may be set while PLAYING, holds, asks for the latency anew, and goes back. */
TEST (properties_are_live)
{
  GstBus *bus = gst_bus_new ();
  guint n, i, live = 0;
  GParamSpec **all = g_object_class_list_properties (G_OBJECT_GET_CLASS (f->shaper), &n);

  gst_element_set_bus (f->shaper, bus);
  for (i = 0; i < n; i++) {
    GValue was = G_VALUE_INIT, set = G_VALUE_INIT, is = G_VALUE_INIT;
    GstMessage *message;

    if (!(all[i]->flags & GST_PARAM_MUTABLE_PLAYING))
      continue;
    live++;
    g_value_init (&was, all[i]->value_type);
    g_value_init (&set, all[i]->value_type);
    g_value_init (&is, all[i]->value_type);
    g_object_get_property (G_OBJECT (f->shaper), all[i]->name, &was);
    g_value_copy (&was, &set);
    other_value (all[i], &set);
    g_object_set_property (G_OBJECT (f->shaper), all[i]->name, &set);
    g_object_get_property (G_OBJECT (f->shaper), all[i]->name, &is);
    fail_unless (g_param_values_cmp (all[i], &is, &set) == 0, "%s does not hold", all[i]->name);
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING | GST_MESSAGE_LATENCY);
    fail_unless (message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_LATENCY, "%s", all[i]->name);
    gst_message_unref (message);
    g_object_set_property (G_OBJECT (f->shaper), all[i]->name, &was);
    gst_bus_set_flushing (bus, TRUE);
    gst_bus_set_flushing (bus, FALSE);
    g_value_unset (&was);
    g_value_unset (&set);
    g_value_unset (&is);
  }
  fail_unless_equals_int (live, 26);
  g_free (all);
  gst_element_set_bus (f->shaper, NULL);
  gst_object_unref (bus);
}

/* Every 100 ms of a second. */
TEST (statistics_are_posted)
{
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  guint n = 0;

  gst_element_set_bus (f->shaper, bus);
  g_object_set (f->shaper, "stats-interval", 100 * GST_MSECOND, NULL);
  settle (f);
  advance (f, GST_SECOND);
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT)) != NULL) {
    fail_unless (gst_message_has_name (message, "application/x-paqmshaper-stats"));
    gst_message_unref (message);
    n++;
  }
  fail_unless (n >= 10 && n <= 11, "%u messages", n);
  gst_element_set_bus (f->shaper, NULL);
  gst_object_unref (bus);
}

/* ---- whatever comes ---- */

TEST (noise_is_survived)
{
  GRand *rand = g_rand_new_with_seed (1);
  guint i, k;

  second_pad (f, "application/x-anything");
  g_object_set (f->shaper, "add-extension", TRUE, "capacity", (guint64)1000000000, NULL);
  for (i = 0; i < 5000; i++) {
    guint size = g_rand_int_range (rand, 0, 80);
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
    GstMapInfo map;

    gst_buffer_map (buffer, &map, GST_MAP_WRITE);
    for (k = 0; k < size; k++)
      map.data[k] = (guint8)g_rand_int (rand);
    if (size > 0 && i % 2 == 0)
      map.data[0] = (guint8)(0x80 | (map.data[0] & 0x3f));
    if (size > 16 && i % 4 == 0) {
      map.data[0] = 0x90;
      GST_WRITE_UINT16_BE (map.data + 12, i % 8 == 0 ? 0xbede : 0x1000);
      GST_WRITE_UINT16_BE (map.data + 14, (guint16)(size / 4 - 4 + i % 3));
    }
    gst_buffer_unmap (buffer, &map);
    push (i % 3 == 0 ? f->more : f->h, buffer);
    if (i % 100 == 0)
      advance (f, 10 * GST_MSECOND);
  }
  advance (f, GST_SECOND);
  fail_unless_equals_float (stat (f, "media.arrived") + stat (f, "elastic.arrived"), 5000);
  fail_unless (drain (f) > 2500);
  g_rand_free (rand);
}

/* No round trip longer than 5 s is believed, and none that a packet does not tell. */
TEST (absurd_round_trips_are_ignored)
{
  RtpRttSendts stamp = {.rtt = 16 * GST_SECOND, .sent_at_us = 1};
  guint8 data[RTP_EXT_RTT_SENDTS_SIZE];

  rtp_ext_rtt_sendts_write (data, &stamp);
  push (f->h, with_element (rtp_packet (f, 1, WIRE_BYTES), RTT_ID, data, sizeof data));
  settle (f);
  fail_unless_equals_float (stat (f, "ignored-rtts"), 1);
  fail_unless_equals_float (stat (f, "tau1"), 100e6);
  stamp.rtt = 30 * GST_MSECOND;
  rtp_ext_rtt_sendts_write (data, &stamp);
  push (f->h, with_element (rtp_packet (f, 1, WIRE_BYTES), RTT_ID, data, sizeof data));
  settle (f);
  fail_unless_equals_float (stat (f, "tau1"), 30e6);
}

/* What downstream says reaches upstream. */
static GstPadProbeReturn
refuse (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  gst_mini_object_unref (GST_MINI_OBJECT_CAST (GST_PAD_PROBE_INFO_DATA (info)));
  GST_PAD_PROBE_INFO_DATA (info) = NULL;
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_ERROR;
  return GST_PAD_PROBE_HANDLED;
}

TEST (errors_go_upstream)
{
  GstFlowReturn ret = GST_FLOW_OK;
  guint i;

  gst_pad_add_probe (f->h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, refuse, NULL, NULL);
  for (i = 0; i < 1000 && ret == GST_FLOW_OK; i++) {
    ret = gst_harness_push (f->h, rtp_packet (f, 1, WIRE_BYTES));
    g_usleep (1000);
  }
  fail_unless_equals_int (ret, GST_FLOW_ERROR);
}

static GstPadProbeReturn
say_not_linked_and_link (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  gst_pad_push_event (pad, gst_event_new_reconfigure ());
  gst_mini_object_unref (GST_MINI_OBJECT_CAST (GST_PAD_PROBE_INFO_DATA (info)));
  GST_PAD_PROBE_INFO_DATA (info) = NULL;
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_NOT_LINKED;
  gst_pad_remove_probe (pad, GST_PAD_PROBE_INFO_ID (info));
  return GST_PAD_PROBE_HANDLED;
}

/* Something behind is linked while it says that it is not. */
TEST (a_link_made_during_a_push_counts)
{
  gst_pad_add_probe (f->h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, say_not_linked_and_link, NULL, NULL);
  fail_unless (something_arrives (f, f->h));
}

static gint may_link;

static GstBusSyncReply
link_on_stats (GstBus *bus, GstMessage *message, gpointer user)
{
  Fixture *f = user;
  GstPad *src = gst_element_get_static_pad (f->shaper, "src");

  if (g_atomic_int_compare_and_exchange (&may_link, TRUE, FALSE))
    fail_unless_equals_int (gst_pad_link (src, f->h->sinkpad), GST_PAD_LINK_OK);
  gst_object_unref (src);
  return GST_BUS_PASS;
}

/* Statistics are due in the round in which src turns out to be not linked; their reader links it at once. */
TEST (a_link_made_as_the_thread_stops_counts)
{
  GstPad *src = gst_element_get_static_pad (f->shaper, "src");
  GstBus *bus = gst_bus_new ();
  GstClockID id;

  gst_element_set_bus (f->shaper, bus);
  gst_bus_set_sync_handler (bus, link_on_stats, f, NULL);
  g_object_set (f->shaper, "stats-interval", 100 * GST_MSECOND, NULL);
  settle (f);
  gst_pad_unlink (src, f->h->sinkpad);
  g_atomic_int_set (&may_link, TRUE);
  gst_test_clock_advance_time (f->clock, 100 * GST_MSECOND);
  push (f->h, rtp_packet (f, 1, WIRE_BYTES));
  id = gst_test_clock_process_next_clock_id (f->clock);
  fail_unless (id != NULL);
  gst_clock_id_unref (id);
  fail_unless (something_arrives (f, f->h));
  fail_if (g_atomic_int_get (&may_link));
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  gst_element_set_bus (f->shaper, NULL);
  gst_object_unref (bus);
  gst_object_unref (src);
}

/* ---- threads ---- */

#define WORKERS 3
#define ROUNDS 25

typedef struct {
  GstElement *shaper;
  guint number;
  guint64 pushed;
} Worker;

static void
start_stream (GstPad *pad)
{
  GstCaps *caps = gst_caps_from_string (RTP_CAPS);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_stream_start ("worker"));
  gst_pad_push_event (pad, gst_event_new_caps (caps));
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

/* Pads that come, send a little, end, flush or not, and go. */
static gpointer
work (gpointer user)
{
  Worker *w = user;
  Fixture f = {0};
  guint round, i;

  for (round = 0; round < ROUNDS; round++) {
    GstPad *to = gst_element_request_pad_simple (w->shaper, "sink_%u");
    GstPad *from = gst_pad_new ("from", GST_PAD_SRC);

    fail_unless_equals_int (gst_pad_link (from, to), GST_PAD_LINK_OK);
    gst_pad_set_active (from, TRUE);
    start_stream (from);
    for (i = 0; i < 40; i++)
      w->pushed += gst_pad_push (from, with_unset_rate (rtp_packet (&f, w->number, 200))) == GST_FLOW_OK;
    if (round % 3 == 0) {
      gst_pad_push_event (from, gst_event_new_eos ());
    } else if (round % 3 == 1) {
      gst_pad_push_event (from, gst_event_new_flush_start ());
      gst_pad_push_event (from, gst_event_new_flush_stop (TRUE));
    }
    g_usleep (500);
    gst_pad_unlink (from, to);
    gst_element_release_request_pad (w->shaper, to);
    gst_object_unref (to);
    gst_object_unref (from);
  }
  return NULL;
}

/* By the real clock: threads, states and settings that change all at once. */
GST_START_TEST (everything_at_once)
{
  static const GstState states[] = {GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_READY, GST_STATE_PLAYING};
  GstElement *pipeline = gst_parse_launch (
      "paqmshaper name=s stats-interval=10000000 s.src ! fakesink async=false s.rtcp_src ! fakesink async=false", NULL);
  GstElement *shaper = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  Worker workers[WORKERS];
  GThread *threads[WORKERS];
  guint64 pushed = 0;
  guint i;

  /* READY takes from a pad what its stream is, between two packets of a thread that is no element and does not know. */
  gst_check_add_log_filter ("GStreamer", G_LOG_LEVEL_WARNING,
      g_regex_new ("<s:sink_[0-9]+> Got data flow before (stream-start|segment) event", 0, 0, NULL), NULL, NULL, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (i = 0; i < WORKERS; i++) {
    workers[i] = (Worker){.shaper = shaper, .number = i + 1};
    threads[i] = g_thread_new ("worker", work, &workers[i]);
  }
  for (i = 0; i < 40; i++) {
    GstStructure *stats;

    g_object_set (shaper, "capacity", (guint64)(i % 3) * 20000000, "discipline", i % 5 == 0, NULL);
    g_object_get (shaper, "stats", &stats, NULL);
    gst_structure_free (stats);
    gst_element_set_state (pipeline, states[i % 4]);
    g_usleep (2000);
  }
  for (i = 0; i < WORKERS; i++) {
    g_thread_join (threads[i]);
    pushed += workers[i].pushed;
  }
  fail_unless (pushed > 0);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_check_clear_log_filter ();
  gst_object_unref (shaper);
  gst_object_unref (pipeline);
}
GST_END_TEST;

static Suite *
paqmshaper_suite (void)
{
  Suite *suite = suite_create ("paqmshaper");
  TCase *tcase = tcase_create ("paqmshaper");

  tcase_add_test (tcase, capacity_is_kept);
  tcase_add_test (tcase, overhead_counts);
  tcase_add_test (tcase, capacity_changes_live);
  tcase_add_test (tcase, capacity_is_measured);
  tcase_add_test (tcase, classes_share_by_flows);
  tcase_add_test (tcase, targets_are_held);
  tcase_add_test (tcase, targets_may_be_bytes);
  tcase_add_test (tcase, fifo_waits_longer);
  tcase_add_test (tcase, sources_that_follow_lose_nothing);
  tcase_add_test (tcase, ill_flows_are_struck);
  tcase_add_test (tcase, flows_are_told_apart_by_ssrc_and_pad);
  tcase_add_test (tcase, flows_live_as_long_as_wanted);
  tcase_add_test (tcase, flows_may_be_estimated);
  tcase_add_test (tcase, classes_are_found);
  tcase_add_test (tcase, a_pad_has_a_class);
  tcase_add_test (tcase, rates_are_lowered_never_raised);
  tcase_add_test (tcase, rates_are_added_where_wanted);
  tcase_add_test (tcase, shared_buffers_are_not_touched);
  tcase_add_test (tcase, srtp_is_left_alone);
  tcase_add_test (tcase, elastic_packets_are_not_told);
  tcase_add_test (tcase, extension_id_comes_from_caps);
  tcase_add_test (tcase, extension_id_is_a_setting);
  tcase_add_test (tcase, sources_are_told_over_rtcp);
  tcase_add_test (tcase, period_is_of_rtt_and_tau2);
  tcase_add_test (tcase, utilisation_and_least_rate_hold);
  tcase_add_test (tcase, only_what_is_wanted_is_told);
  tcase_add_test (tcase, addresses_are_not_stolen);
  tcase_add_test (tcase, eos_waits_for_all_pads_and_packets);
  tcase_add_test (tcase, a_pad_may_come_after_the_end);
  tcase_add_test (tcase, rtcp_ends_with_the_packets);
  tcase_add_test (tcase, pads_may_go_while_playing);
  tcase_add_test (tcase, flush_empties_the_queue);
  tcase_add_test (tcase, flush_of_one_pad_is_its_own);
  tcase_add_test (tcase, a_flush_passes_after_the_end);
  tcase_add_test (tcase, caps_follow_the_packets);
  tcase_add_test (tcase, equal_caps_are_said_once);
  tcase_add_test (tcase, serialized_events_keep_their_place);
  tcase_add_test (tcase, lists_are_packets);
  tcase_add_test (tcase, latency_is_the_longest_wait);
  tcase_add_test (tcase, latency_that_grows_is_told);
  tcase_add_test (tcase, burst_is_live);
  tcase_add_test (tcase, unstable_loops_are_refused);
  tcase_add_test (tcase, targets_beyond_limits_are_refused);
  tcase_add_test (tcase, refused_settings_do_not_stop_the_start);
  tcase_add_test (tcase, properties_are_live);
  tcase_add_test (tcase, statistics_are_posted);
  tcase_add_test (tcase, noise_is_survived);
  tcase_add_test (tcase, absurd_round_trips_are_ignored);
  tcase_add_test (tcase, errors_go_upstream);
  tcase_add_test (tcase, a_link_made_during_a_push_counts);
  tcase_add_test (tcase, a_link_made_as_the_thread_stops_counts);
  tcase_add_test (tcase, everything_at_once);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (paqmshaper);
