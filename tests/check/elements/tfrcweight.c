/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsink's path-weight: the receiver is told while it is not 1, and of each change. */
#include "rtcpweight.h"
#include "tfrctest.h"

#define SSRC 0x11223344
#define CAPS "application/x-rtp, media=video, clock-rate=90000, encoding-name=VP8, payload=96"
#define WAIT_MS 6000

/* The FCI of a WGHT in what came, NULL: none. */
static const guint8 *
find_weight (const Peer *peer)
{
  gsize i;

  for (i = 0; rtcp_is_rtcp (peer->data, peer->size) && i + RTCP_WEIGHT_SIZE <= peer->size; i += 4)
    if (memcmp (peer->data + i, "WGHT", 4) == 0)
      return peer->data + i;
  return NULL;
}

/* Frames leave meanwhile. Returns what was told, 0: nothing within that time. */
static double
told (Flow *f, guint for_ms)
{
  gint64 end = g_get_monotonic_time () + for_ms * G_TIME_SPAN_MILLISECOND;
  double weight = 0;

  while (g_get_monotonic_time () < end) {
    flow_push_frame (f, SSRC, 1, 500);
    while (peer_receive (&f->peer, 20)) {
      const guint8 *fci = find_weight (&f->peer);

      if (fci == NULL)
        continue;
      fail_unless_equals_int (GST_READ_UINT32_BE (fci - 4), SSRC);
      fail_unless (rtcp_weight_parse (fci, RTCP_WEIGHT_SIZE, &weight));
      return weight;
    }
  }
  return 0;
}

GST_START_TEST (test_told_where_it_is_not_one_and_where_it_changes)
{
  double weight;
  Flow f;

  flow_open (&f, CAPS, "path-weight", 2.5, NULL);
  fail_unless_equals_float (told (&f, WAIT_MS), 2.5);
  fail_unless_equals_float (told (&f, 2 * WAIT_MS), 2.5); /* again */
  g_object_set (f.sink, "path-weight", 1.0, NULL);
  g_object_get (f.sink, "path-weight", &weight, NULL);
  fail_unless_equals_float (weight, 1);
  do
    weight = told (&f, WAIT_MS);
  while (weight == 2.5); /* what was on its way */
  fail_unless_equals_float (weight, 1);
  fail_unless_equals_float (told (&f, WAIT_MS), 0);
  flow_close (&f);
}
GST_END_TEST;

GST_START_TEST (test_nothing_is_told_of_one)
{
  Flow f;

  flow_open (&f, CAPS, NULL);
  fail_unless_equals_float (told (&f, 2000), 0);
  flow_close (&f);
}
GST_END_TEST;

static Suite *
tfrcweight_suite (void)
{
  Suite *s = suite_create ("tfrcweight");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_test (tc, test_told_where_it_is_not_one_and_where_it_changes);
  tcase_add_test (tc, test_nothing_is_told_of_one);
  return s;
}

GST_CHECK_MAIN (tfrcweight);
