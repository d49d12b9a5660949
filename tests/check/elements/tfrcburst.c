/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsink's mode=burst-control as it looks on the wire: when the kernel hands a frame's packets to the receiver. Time
   is real and the machine may be busy, so medians over frames are judged, and by a quarter. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "ccsender.h"
#include "tfrctest.h"

#include <time.h>

#define CAPS "application/x-rtp, media=(string)video, clock-rate=(int)90000, encoding-name=(string)X-TEST"
#define FRAMES 30
#define LEARNING 6 /* frames until their period is known */
#define PACKETS 10
#define PERIOD (40 * GST_MSECOND)

/* The kernel notes when each packet arrives. */
static void
burst_open (Flow *f, gdouble duty, guint batch)
{
  int on = 1;

  flow_open (f, CAPS, "mode", CC_MODE_BURST_CONTROL, "start-bitrate", 20000000, "max-delay", GST_SECOND, "duty", duty,
      "batch", batch, NULL);
  fail_unless (setsockopt (g_socket_get_fd (f->peer.socket), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) == 0);
}

static void
send_frames (Flow *f)
{
  struct timespec at;
  guint frame;

  clock_gettime (CLOCK_MONOTONIC, &at);
  for (frame = 0; frame < FRAMES; frame++) {
    flow_push_frame (f, 1, PACKETS, 500);
    at.tv_nsec += PERIOD;
    at.tv_sec += at.tv_nsec / GST_SECOND;
    at.tv_nsec %= GST_SECOND;
    clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
  }
  g_usleep (PERIOD / GST_USECOND);
}

/* The next RTP packet's arrival by the kernel's clock, its number in *seq. */
static GstClockTime
receive_at (Flow *f, guint16 *seq)
{
  guint8 data[2000], control[256];
  struct iovec iov = {data, sizeof data};
  struct timespec at;

  for (;;) {
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    gssize size = recvmsg (g_socket_get_fd (f->peer.socket), &msg, MSG_DONTWAIT);

    fail_unless (size > 0, "packets are missing");
    if (rtcp_is_rtcp (data, (gsize)size))
      continue;
    *seq = GST_READ_UINT16_BE (data + 2);
    memcpy (&at, CMSG_DATA (CMSG_FIRSTHDR (&msg)), sizeof at);
    return GST_TIMESPEC_TO_TIME (at);
  }
}

static int
by_value (const void *a, const void *b)
{
  GstClockTime x = *(const GstClockTime *)a, y = *(const GstClockTime *)b;

  return (x > y) - (x < y);
}

/* gaps[i]: the median, over frames, of what lies between packets i and i + 1; the last one: between first and last. */
static void
median_gaps (Flow *f, GstClockTime gaps[PACKETS])
{
  GstClockTime of[PACKETS][FRAMES], at[PACKETS];
  guint frame, i;
  guint16 seq;

  for (frame = 0; frame < FRAMES; frame++) {
    for (i = 0; i < PACKETS; i++) {
      at[i] = receive_at (f, &seq);
      fail_unless_equals_int (seq % PACKETS, i);
      if (i > 0)
        of[i - 1][frame] = at[i] - at[i - 1];
    }
    of[PACKETS - 1][frame] = at[PACKETS - 1] - at[0];
  }
  for (i = 0; i < PACKETS; i++) {
    qsort (of[i] + LEARNING, FRAMES - LEARNING, sizeof of[i][0], by_value);
    gaps[i] = of[i][LEARNING + (FRAMES - LEARNING) / 2];
  }
}

static void
assert_near (GstClockTime value, GstClockTime wanted)
{
  fail_unless (value > wanted - wanted / 4 && value < wanted + wanted / 4, "%" GST_TIME_FORMAT " for %" GST_TIME_FORMAT,
      GST_TIME_ARGS (value), GST_TIME_ARGS (wanted));
}

/* Ten packets in as many steps over `duty` of 40 ms: nine steps from the first to the last, all alike. */
GST_START_TEST (test_duty_on_the_wire)
{
  static const gdouble duties[] = {0.95, 0.4};
  GstClockTime gaps[PACKETS], step;
  guint i, k;
  Flow f;

  for (k = 0; k < G_N_ELEMENTS (duties); k++) {
    step = (GstClockTime)(duties[k] * PERIOD / PACKETS);
    burst_open (&f, duties[k], 1);
    send_frames (&f);
    median_gaps (&f, gaps);
    assert_near (gaps[PACKETS - 1], (PACKETS - 1) * step);
    for (i = 0; i + 1 < PACKETS; i++)
      assert_near (gaps[i], step);
    flow_close (&f);
  }
}
GST_END_TEST

/* Five at a time: two steps of 20 ms each, and within them no time at all. */
GST_START_TEST (test_batch_on_the_wire)
{
  GstClockTime gaps[PACKETS];
  guint i;
  Flow f;

  burst_open (&f, 1, 5);
  send_frames (&f);
  median_gaps (&f, gaps);
  for (i = 0; i + 1 < PACKETS; i++)
    if (i == 4)
      assert_near (gaps[i], PERIOD / 2);
    else
      fail_unless (gaps[i] < GST_MSECOND);
  flow_close (&f);
}
GST_END_TEST

/* Half of the flow at one duty, half at another. */
GST_START_TEST (test_duty_is_live)
{
  GstClockTime gaps[PACKETS];
  gdouble duty;
  guint batch;
  Flow f;

  burst_open (&f, 1, 1);
  send_frames (&f);
  median_gaps (&f, gaps);
  assert_near (gaps[PACKETS - 1], 36 * GST_MSECOND);
  g_object_set (f.sink, "duty", 0.5, "batch", 1, NULL);
  g_object_get (f.sink, "duty", &duty, "batch", &batch, NULL);
  fail_unless (duty == 0.5 && batch == 1);
  send_frames (&f);
  median_gaps (&f, gaps);
  assert_near (gaps[PACKETS - 1], 18 * GST_MSECOND);
  flow_close (&f);
}
GST_END_TEST

static Suite *
tfrcburst_suite (void)
{
  Suite *s = suite_create ("tfrcburst");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_duty_on_the_wire);
  tcase_add_test (tc, test_batch_on_the_wire);
  tcase_add_test (tc, test_duty_is_live);
  return s;
}

GST_CHECK_MAIN (tfrcburst);
