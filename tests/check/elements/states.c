/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every element through all its states, alone. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "everyelement.h"

static void
walk (GstElement *element, const GstState *states, guint n)
{
  guint i;

  for (i = 0; i < n; i++) {
    fail_if (gst_element_set_state (element, states[i]) == GST_STATE_CHANGE_FAILURE, "%s to %s",
        GST_ELEMENT_NAME (element), gst_element_state_get_name (states[i]));
    gst_element_get_state (element, NULL, NULL, 10 * GST_MSECOND);
  }
}

GST_START_TEST (test_states)
{
  static const GstState states[] = {GST_STATE_READY, GST_STATE_NULL, GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_READY,
      GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_READY, GST_STATE_NULL,
      GST_STATE_PLAYING, GST_STATE_NULL};
  GstElement *element = every_element_make (__i__);

  walk (element, states, G_N_ELEMENTS (states));
  ASSERT_OBJECT_REFCOUNT (element, every_element[__i__], 1);
  gst_object_unref (element);
}
GST_END_TEST;

static Suite *
states_suite (void)
{
  Suite *suite = suite_create ("states");
  TCase *tcase = tcase_create ("states");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_states, 0, G_N_ELEMENTS (every_element));
  return suite;
}

GST_CHECK_MAIN (states);
