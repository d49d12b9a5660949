/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A call through rtptfrcbwe in virtual time: the system's clock is a test clock, rtpsession and the network are here.
 */
#ifndef BWECALL_H
#define BWECALL_H

#include "gstrateevent.h"

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>
#include <gst/rtp/gstrtpbuffer.h>
#include <stdlib.h>
#include <string.h>

#define START (100 * GST_SECOND)
#define MS GST_MSECOND
#define FPS 30
#define PAYLOAD 1000
#define HEAD 20 /* RTP with an extension of 4 bytes */
#define WIRE_HEAD (HEAD + 28)
#define CAPS "application/x-rtp,media=video,clock-rate=90000,encoding-name=VP8,payload=96"
#define BUNDLE_CAPS "application/x-rtp,clock-rate=90000" /* as rtpfunnel has them: of any kind */
#define REMOTE (5000 * GST_SECOND)                       /* the receiver's clock is ahead by that */
#define VIDEO 0x1111
#define MEDIA_TYPE 96
#define MOST 4096
#define STREAMS 16

/* What rtpsession remembers of a packet that left, and what the network made of it. */
typedef struct {
  guint number;
  GstClockTime sent, arrived;
  guint payload;
  gboolean lost, told;
} Packet;

typedef struct Call {
  GstHarness *h;
  GstTestClock *clock;
  GstElement *element;
  Packet packet[MOST];
  guint sent, told; /* packets */
  guint numbers;    /* the session's numbers are ahead of `sent` by that */
  guint64 bytes;    /* that left, payload */
  double link_bps;  /* of the wire */
  GstClockTime free_at, delay, queue, worst_queue;
  guint dropped;
  guint lose_every;          /* packet, on the way; 0: none */
  GstClockTime stamped_late; /* the session's thread is held up before it stamps a packet */
  guint16 seq[STREAMS];
  guint32 frame;
  guint notified;
  guint threads;                                      /* that wait at the clock, 0: one */
  gint64 remote;                                      /* by how much the receiver's clock is ahead */
  void (*leaves) (struct Call *c, GstBuffer *buffer); /* NULL: nothing to look at */
} Call;

static inline GstClockTime
now_of (Call *c)
{
  return gst_clock_get_time (GST_CLOCK (c->clock));
}

static inline void
on_notify (GstElement *element, GParamSpec *spec, Call *c)
{
  c->notified++;
}

/* description: as gst-launch-1.0 takes it, with one rtptfrcbwe, called bwe; NULL: that alone. */
static inline Call *
call_of (double link_bps, const gchar *caps, const gchar *description)
{
  Call *c = g_new0 (Call, 1);

  c->clock = GST_TEST_CLOCK (gst_test_clock_new_with_start_time (START));
  gst_system_clock_set_default (GST_CLOCK (c->clock));
  c->h = description != NULL ? gst_harness_new_parse (description) : gst_harness_new ("rtptfrcbwe");
  c->element = description != NULL ? gst_bin_get_by_name (GST_BIN (c->h->element), "bwe")
                                   : GST_ELEMENT (gst_object_ref (c->h->element));
  c->link_bps = link_bps;
  c->delay = 30 * MS;
  c->queue = 300 * MS;
  g_signal_connect (c->element, "notify::estimated-bitrate", G_CALLBACK (on_notify), c);
  c->remote = REMOTE;
  gst_harness_set_src_caps_str (c->h, caps);
  return c;
}

static inline Call *
call_with (double link_bps, const gchar *caps)
{
  return call_of (link_bps, caps, NULL);
}

static inline Call *
call_new (double link_bps)
{
  return call_with (link_bps, CAPS);
}

static inline void
call_free (Call *c)
{
  gst_object_unref (c->element);
  gst_harness_teardown (c->h);
  gst_system_clock_set_default (NULL);
  gst_object_unref (c->clock);
  g_free (c);
}

static inline void
note_leaving (Call *c, GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size (buffer);
  Packet *p = &c->packet[c->sent % MOST];
  GstClockTime now = now_of (c), wait = c->free_at > now ? c->free_at - now : 0;

  *p = (Packet){
      .number = (c->numbers + c->sent++) & 0xffff, .sent = now + c->stamped_late, .payload = (guint)size - HEAD};
  c->bytes += p->payload;
  c->worst_queue = MAX (c->worst_queue, wait);
  p->lost = wait > c->queue;
  if (p->lost) {
    c->dropped++;
    return;
  }
  c->free_at = now + wait + (GstClockTime)(8 * (size + 28) / c->link_bps * GST_SECOND);
  p->arrived = c->free_at + c->delay;
  p->lost = c->lose_every > 0 && c->sent % c->lose_every == 0;
}

static inline void
take_output (Call *c)
{
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (c->h)) != NULL) {
    note_leaving (c, buffer);
    if (c->leaves != NULL)
      c->leaves (c, buffer);
    gst_buffer_unref (buffer);
  }
}

static inline GstClockTime
next_due (Call *c)
{
  GstClockTime at;
  GList *ids = NULL;
  GstClockID id;

  gst_test_clock_wait_for_multiple_pending_ids (c->clock, MAX (c->threads, 1), &ids);
  g_list_free_full (ids, gst_clock_id_unref);
  gst_test_clock_wait_for_next_pending_id (c->clock, &id);
  at = gst_clock_id_get_time (id);
  gst_clock_id_unref (id);
  return at;
}

/* Lets the task do all that is due. */
static inline void
run_to (Call *c, GstClockTime until)
{
  GstClockID id;

  for (;;) {
    GstClockTime at = next_due (c);

    take_output (c);
    if (at > until)
      break;
    if (at > now_of (c))
      gst_test_clock_set_time (c->clock, at);
    id = gst_test_clock_process_next_clock_id (c->clock);
    if (id != NULL)
      gst_clock_id_unref (id);
  }
  gst_test_clock_set_time (c->clock, until);
}

static inline GstBuffer *
packet_new (Call *c, guint stream, guint32 timestamp, gboolean marker, guint payload)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (payload, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  const guint8 data[1] = {0};

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_ssrc (&rtp, VIDEO + stream);
  gst_rtp_buffer_set_payload_type (&rtp, MEDIA_TYPE);
  gst_rtp_buffer_set_seq (&rtp, c->seq[stream]++);
  gst_rtp_buffer_set_timestamp (&rtp, timestamp);
  gst_rtp_buffer_set_marker (&rtp, marker);
  gst_rtp_buffer_add_extension_onebyte_header (&rtp, 5, data, sizeof data);
  memset (gst_rtp_buffer_get_payload (&rtp), 0xff, payload);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

static inline void
push_frame (Call *c, guint stream, guint bytes)
{
  guint32 timestamp = c->frame++ * 3000;

  for (; bytes > PAYLOAD; bytes -= PAYLOAD)
    fail_unless_equals_int (gst_harness_push (c->h, packet_new (c, stream, timestamp, FALSE, PAYLOAD)), GST_FLOW_OK);
  gst_harness_push (c->h, packet_new (c, stream, timestamp, TRUE, MAX (bytes, 20)));
}

static inline void
add_told (Call *c, GValueArray *array, const Packet *p)
{
  GstStructure *s = gst_structure_new ("RTPTWCCPacket", "seqnum", G_TYPE_UINT, p->number, "local-ts", G_TYPE_UINT64,
      p->sent, "remote-ts", G_TYPE_UINT64, p->lost ? GST_CLOCK_TIME_NONE : p->arrived + c->remote, "payload-type",
      G_TYPE_UCHAR, 96, "size", G_TYPE_UINT, p->payload, "lost", G_TYPE_BOOLEAN, p->lost, NULL);
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value, s);
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  g_value_array_append (array, &value);
  G_GNUC_END_IGNORE_DEPRECATIONS
  g_value_unset (&value);
}

static inline GValueArray *
array_new (void)
{
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  return g_value_array_new (0);
  G_GNUC_END_IGNORE_DEPRECATIONS
}

static inline void
push_twcc (Call *c, GValueArray *array)
{
  GstStructure *s = gst_structure_new_empty ("RTPTWCCPackets");
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_VALUE_ARRAY);
  g_value_take_boxed (&value, array);
  gst_structure_take_value (s, "packets", &value);
  gst_harness_push_upstream_event (c->h, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, s));
}

/* What arrived, as it is known here a one-way delay later. */
static inline GValueArray *
make_report (Call *c)
{
  GstClockTime seen = now_of (c) - c->delay;
  GValueArray *array = array_new ();
  guint last = c->told;
  guint i;

  for (i = c->told; i < c->sent; i++)
    if (!c->packet[i % MOST].lost && c->packet[i % MOST].arrived <= seen)
      last = i + 1;
  while (c->told < last)
    add_told (c, array, &c->packet[c->told++ % MOST]);
  return array;
}

static inline void
report (Call *c)
{
  push_twcc (c, make_report (c));
}

static inline void
forget_report (Call *c)
{
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  g_value_array_free (make_report (c));
  G_GNUC_END_IGNORE_DEPRECATIONS
}

static inline guint
estimate (Call *c)
{
  guint value;

  g_object_get (c->element, "estimated-bitrate", &value, NULL);
  return value;
}

/* The last rate event for each stream. */
static inline void
read_shares (Call *c, guint bitrate[STREAMS])
{
  GstEvent *event;

  while ((event = gst_harness_try_pull_upstream_event (c->h)) != NULL) {
    GstRateInfo info;
    guint ssrc;

    if (gst_rate_event_parse (event, &info) &&
        gst_structure_get_uint (gst_event_get_structure (event), "ssrc", &ssrc) && ssrc - VIDEO < STREAMS)
      bitrate[ssrc - VIDEO] = info.bitrate;
    gst_event_unref (event);
  }
}

typedef void (*EachFrame) (Call *c);

/* A frame every 1/30 s, a report behind each. */
static inline void
run_call (Call *c, double seconds, EachFrame each)
{
  GstClockTime at = now_of (c);
  guint i;

  for (i = 0; i < seconds * FPS; i++) {
    each (c);
    at += GST_SECOND / FPS;
    run_to (c, at);
    report (c);
    gst_test_clock_wait_for_next_pending_id (c->clock, NULL);
  }
}

static inline void
frame_of_estimate (Call *c)
{
  push_frame (c, 0, estimate (c) / 8 / FPS);
}

static inline void
frame_of_600k (Call *c)
{
  push_frame (c, 0, 600000 / 8 / FPS);
}

static inline guint64
stat_of (Call *c, const gchar *name)
{
  GstStructure *stats;
  guint64 value = 0;

  g_object_get (c->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, name, &value), "no %s in the statistics", name);
  gst_structure_free (stats);
  return value;
}

static inline GstEventType
next_event (Call *c)
{
  GstEvent *event = gst_harness_try_pull_event (c->h);
  GstEventType type = event != NULL ? GST_EVENT_TYPE (event) : GST_EVENT_UNKNOWN;

  if (event != NULL)
    gst_event_unref (event);
  return type;
}

static inline guint32
ssrc_of (GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint32 ssrc;

  gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp);
  ssrc = gst_rtp_buffer_get_ssrc (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  return ssrc;
}

static inline guint16
seq_of (GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint16 seq;

  gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp);
  seq = gst_rtp_buffer_get_seq (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  return seq;
}

#endif
