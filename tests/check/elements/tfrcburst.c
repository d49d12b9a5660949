/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsink's mode=burst-control as it looks on the wire: when the kernel hands a frame's packets to the receiver. Time
   is real, and where the machine is busy the sending thread wakes late: a third of the frames has to come out as asked,
   to a quarter of each gap. Of a duty that is not obeyed none does. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "ccsender.h"
#include "tfrctest.h"

#include <time.h>

#define CAPS "application/x-rtp, media=(string)video, clock-rate=(int)90000, encoding-name=(string)X-TEST"
#define FRAMES 40
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
    gssize size;

    /* the sender may be held up, at a second of the frames' deadline */
    g_socket_condition_timed_wait (f->peer.socket, G_IO_IN, G_USEC_PER_SEC, NULL, NULL);
    size = recvmsg (g_socket_get_fd (f->peer.socket), &msg, MSG_DONTWAIT);

    fail_unless (size > 0, "packets are missing");
    if (rtcp_is_rtcp (data, (gsize)size))
      continue;
    *seq = GST_READ_UINT16_BE (data + 2);
    memcpy (&at, CMSG_DATA (CMSG_FIRSTHDR (&msg)), sizeof at);
    return GST_TIMESPEC_TO_TIME (at);
  }
}

static gboolean
is_near (GstClockTime value, GstClockTime wanted)
{
  return value > wanted - wanted / 4 && value < wanted + wanted / 4;
}

/* Packets of a frame in steps of `batch`, `step` apart, and those of a step together. */
static gboolean
is_as_asked (const GstClockTime at[PACKETS], guint batch, GstClockTime step)
{
  guint i, steps = PACKETS / batch - 1, together = 0;

  for (i = 1; i < PACKETS; i++)
    if (i % batch != 0 && at[i] - at[i - 1] < GST_MSECOND)
      together++;
  return is_near (at[PACKETS - 1] - at[0], steps * step) && together == PACKETS - 1 - steps;
}

static void
assert_as_asked (Flow *f, guint batch, gdouble duty)
{
  GstClockTime at[PACKETS], step = (GstClockTime)(duty * PERIOD * batch / PACKETS);
  guint frame, i, good = 0;
  guint16 seq;

  for (frame = 0; frame < FRAMES; frame++) {
    for (i = 0; i < PACKETS; i++) {
      at[i] = receive_at (f, &seq);
      fail_unless_equals_int (seq % PACKETS, i);
    }
    good += frame >= LEARNING && is_as_asked (at, batch, step);
  }
  fail_unless (good >= (FRAMES - LEARNING) / 3, "%u of %u frames in steps of %" GST_TIME_FORMAT, good,
      FRAMES - LEARNING, GST_TIME_ARGS (step));
}

/* Ten packets in as many steps over `duty` of 40 ms. */
GST_START_TEST (test_duty_on_the_wire)
{
  static const gdouble duties[] = {0.95, 0.4};
  guint k;
  Flow f;

  for (k = 0; k < G_N_ELEMENTS (duties); k++) {
    burst_open (&f, duties[k], 1);
    send_frames (&f);
    assert_as_asked (&f, 1, duties[k]);
    flow_close (&f);
  }
}
GST_END_TEST

/* Five at a time: two steps, 20 ms apart. */
GST_START_TEST (test_batch_on_the_wire)
{
  Flow f;

  burst_open (&f, 1, 5);
  send_frames (&f);
  assert_as_asked (&f, 5, 1);
  flow_close (&f);
}
GST_END_TEST

/* A flow at one duty, then at another. */
GST_START_TEST (test_duty_is_live)
{
  gdouble duty;
  guint batch;
  Flow f;

  burst_open (&f, 1, 1);
  send_frames (&f);
  assert_as_asked (&f, 1, 1);
  g_object_set (f.sink, "duty", 0.5, "batch", 2, NULL);
  g_object_get (f.sink, "duty", &duty, "batch", &batch, NULL);
  fail_unless (duty == 0.5 && batch == 2);
  send_frames (&f);
  assert_as_asked (&f, 2, 0.5);
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
