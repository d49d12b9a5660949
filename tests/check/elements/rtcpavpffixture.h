/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtcpavpf on a test clock: RTP through one harness, RTCP through another. */
#ifndef RTCP_AVPF_FIXTURE_H
#define RTCP_AVPF_FIXTURE_H

#include "clockadvance.h"

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>

#define MEDIA 0x1234abcd
#define START (100 * GST_SECOND)
#define PERIOD (20 * GST_MSECOND)
#define CAPS "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96"

typedef struct {
  GstTestClock *clock;
  GstHarness *rtp, *rtcp;
  guint16 seq;
  guint extension_id;
  guint rtt_us;
  guint8 nal;
} Fixture;

static inline void
fixture_open (Fixture *f, const gchar *sink, const gchar *src)
{
  f->clock = GST_TEST_CLOCK (gst_test_clock_new_with_start_time (START));
  gst_system_clock_set_default (GST_CLOCK (f->clock));
  f->rtp = gst_harness_new_with_padnames ("rtcpavpf", sink, src);
  f->rtcp = gst_harness_new_with_element (f->rtp->element, "rtcp_sink", "rtcp_src");
  gst_harness_use_systemclock (f->rtp);
  gst_harness_set_src_caps_str (f->rtp, CAPS);
  gst_harness_set_src_caps_str (f->rtcp, "application/x-rtcp");
  f->seq = 1000;
}

/* What a source sends ahead of another stream's first packet. */
static inline void
fixture_begin_stream (GstHarness *h, const gchar *id)
{
  GstCaps *caps = gst_caps_from_string (CAPS);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (h, gst_event_new_stream_start (id)));
  fail_unless (gst_harness_push_event (h, gst_event_new_caps (caps)));
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  gst_caps_unref (caps);
}

static inline void
teardown (Fixture *f)
{
  gst_harness_teardown (f->rtcp);
  gst_harness_teardown (f->rtp);
  gst_system_clock_set_default (NULL);
  gst_object_unref (f->clock);
}

static inline GstClockTime
now_of (Fixture *f)
{
  return gst_clock_get_time (GST_CLOCK (f->clock));
}

static inline void
advance (Fixture *f, GstClockTime by)
{
  clock_advance_to (f->clock, now_of (f) + by);
}

#endif
