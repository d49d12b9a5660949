/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fbqueue.h"
#include "cctest.h"

#include <string.h>

#define SSRC 0x11223344u

static const uint8_t sli[4] = {0, 0x08, 0x02, 0xc5};
static const uint8_t rpsi[4] = {1, 0x60, 0xb3, 0xc4};
static FbQueue q;

static bool
push (FbQueueKind kind, const uint8_t *bytes, unsigned size, CcDuration max_delay, CcTime now)
{
  return fb_queue_push (&q, kind, 0, SSRC, bytes, size, max_delay, now);
}

START_TEST (test_first_come_first_served)
{
  const FbQueued *e;

  fb_queue_init (&q);
  ck_assert_ptr_null (fb_queue_peek (&q, CC_SECOND));
  ck_assert (push (FB_QUEUE_SLI, sli, 4, CC_TIME_NONE, CC_SECOND));
  ck_assert (push (FB_QUEUE_RPSI, rpsi, 4, CC_TIME_NONE, 2 * CC_SECOND));
  e = fb_queue_peek (&q, 2 * CC_SECOND);
  ck_assert (e != NULL && e->kind == FB_QUEUE_SLI && e->media_ssrc == SSRC && e->t0 == CC_SECOND && e->size == 4);
  ck_assert_mem_eq (e->bytes, sli, 4);
  fb_queue_pop (&q);
  e = fb_queue_peek (&q, 2 * CC_SECOND);
  ck_assert (e != NULL && e->kind == FB_QUEUE_RPSI);
  fb_queue_pop (&q);
  ck_assert_ptr_null (fb_queue_peek (&q, 2 * CC_SECOND));
  fb_queue_pop (&q);
  ck_assert_uint_eq (q.n, 0);
}
END_TEST

/* Useful up to and at 1.1 s; the second, queued later, for less long. */
START_TEST (test_what_is_too_late_is_dropped)
{
  fb_queue_init (&q);
  ck_assert_uint_eq (fb_queue_next_timeout (&q), CC_TIME_NONE);
  ck_assert (push (FB_QUEUE_SLI, sli, 4, 100 * CC_MSECOND, CC_SECOND));
  ck_assert (push (FB_QUEUE_RPSI, rpsi, 4, 50 * CC_MSECOND, CC_SECOND));
  ck_assert (push (FB_QUEUE_AFB, sli, 4, CC_TIME_NONE, CC_SECOND));
  ck_assert_uint_eq (fb_queue_next_timeout (&q), CC_SECOND + 50 * CC_MSECOND + 1);
  ck_assert_int_eq (fb_queue_peek (&q, CC_SECOND + 100 * CC_MSECOND)->kind, FB_QUEUE_SLI);
  ck_assert_uint_eq (q.expired, 1);
  ck_assert_int_eq (fb_queue_peek (&q, CC_SECOND + 100 * CC_MSECOND + 1)->kind, FB_QUEUE_AFB);
  ck_assert_uint_eq (q.expired, 2);
  ck_assert_uint_eq (fb_queue_next_timeout (&q), CC_TIME_NONE);
}
END_TEST

START_TEST (test_refuses_what_is_no_fci)
{
  uint8_t bytes[FB_QUEUE_MAX_BYTES + 4] = {0};

  fb_queue_init (&q);
  ck_assert (!push (FB_QUEUE_AFB, bytes, 0, CC_TIME_NONE, 0));
  ck_assert (!push (FB_QUEUE_AFB, bytes, 6, CC_TIME_NONE, 0));
  ck_assert (!push (FB_QUEUE_AFB, bytes, FB_QUEUE_MAX_BYTES + 4, CC_TIME_NONE, 0));
  /* macroblock 0; two slices; padding past a word */
  ck_assert (!push (FB_QUEUE_SLI, bytes, 4, CC_TIME_NONE, 0));
  ck_assert (!push (FB_QUEUE_SLI, sli, 8, CC_TIME_NONE, 0));
  bytes[0] = 32;
  ck_assert (!push (FB_QUEUE_RPSI, bytes, 8, CC_TIME_NONE, 0));
  ck_assert (!fb_queue_push (&q, FB_QUEUE_APP, 32, 0, bytes, 8, CC_TIME_NONE, 0));
  ck_assert_uint_eq (q.n, 0);
  ck_assert_uint_eq (q.refused, 7);
  ck_assert (push (FB_QUEUE_AFB, bytes, FB_QUEUE_MAX_BYTES, CC_TIME_NONE, 0));
  ck_assert (fb_queue_push (&q, FB_QUEUE_APP, 31, 0, bytes, 4, CC_TIME_NONE, 0));
}
END_TEST

START_TEST (test_full_until_something_leaves)
{
  fb_queue_init (&q);
  for (unsigned i = 0; i < FB_QUEUE_SIZE; i++)
    ck_assert (push (FB_QUEUE_SLI, sli, 4, i == 3 ? CC_SECOND : CC_TIME_NONE, 0));
  ck_assert (!push (FB_QUEUE_SLI, sli, 4, CC_TIME_NONE, CC_SECOND));
  ck_assert (push (FB_QUEUE_SLI, sli, 4, CC_TIME_NONE, CC_SECOND + 1));
  ck_assert_uint_eq (q.expired, 1);
}
END_TEST

START_TEST (test_withdrawn)
{
  fb_queue_init (&q);
  ck_assert (push (FB_QUEUE_AFB, sli, 4, CC_TIME_NONE, 0));
  ck_assert (push (FB_QUEUE_SLI, sli, 4, CC_TIME_NONE, 0));
  ck_assert (push (FB_QUEUE_AFB, rpsi, 4, CC_TIME_NONE, 0));
  ck_assert (fb_queue_push (&q, FB_QUEUE_APP, 3, 0, sli, 4, CC_TIME_NONE, 0));
  fb_queue_withdraw (&q, FB_QUEUE_AFB, 0, SSRC + 1);
  fb_queue_withdraw (&q, FB_QUEUE_APP, 4, 0);
  ck_assert_uint_eq (q.n, 4);
  fb_queue_withdraw (&q, FB_QUEUE_AFB, 15, SSRC);
  ck_assert (q.n == 2 && q.entries[0].kind == FB_QUEUE_SLI && q.entries[1].kind == FB_QUEUE_APP);
  fb_queue_withdraw (&q, FB_QUEUE_APP, 3, SSRC);
  ck_assert (q.n == 1 && q.expired == 0);
}
END_TEST

/* The same words as a message of another member. */
START_TEST (test_items_match_what_is_heard)
{
  RtcpSli slice = {1, 11, 5};
  RtcpRpsi reference = {.payload_type = 96, .n_bits = 15, .bits = {0xb3, 0xc4}};
  const FbItem expected[] = {
      fb_item_sli (SSRC, &slice), fb_item_rpsi (SSRC, &reference), fb_item_application (SSRC, sli, 4)};
  const FbQueueKind kinds[] = {FB_QUEUE_SLI, FB_QUEUE_RPSI, FB_QUEUE_AFB};
  FbItem item;

  fb_queue_init (&q);
  for (unsigned i = 0; i < 3; i++) {
    ck_assert (push (kinds[i], i == 1 ? rpsi : sli, 4, CC_TIME_NONE, 0));
    ck_assert (fb_queue_item (&q.entries[i], &item));
    ck_assert (item.kind == expected[i].kind && item.ssrc == SSRC && item.detail == expected[i].detail);
  }
  ck_assert (push (FB_QUEUE_APP, sli, 4, CC_TIME_NONE, 0));
  ck_assert (!fb_queue_item (&q.entries[3], &item));
}
END_TEST

CC_TEST_MAIN ("fbqueue", test_first_come_first_served, test_what_is_too_late_is_dropped, test_refuses_what_is_no_fci,
    test_full_until_something_leaves, test_withdrawn, test_items_match_what_is_heard)
