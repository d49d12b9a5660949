/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Addresses compared by what they say, not by who made them. */
#include "gstccaddress.h"

#include <gst/check/gstcheck.h>

static gboolean
equal (const gchar *host_a, guint16 port_a, const gchar *host_b, guint16 port_b)
{
  GSocketAddress *a = g_inet_socket_address_new_from_string (host_a, port_a);
  GSocketAddress *b = g_inet_socket_address_new_from_string (host_b, port_b);
  gboolean is = gst_cc_address_equal (a, b);

  fail_unless_equals_int (gst_cc_address_equal (b, a), is);
  fail_unless (gst_cc_address_equal (a, a));
  fail_if (gst_cc_address_equal (a, NULL) || gst_cc_address_equal (NULL, a));
  g_object_unref (a);
  g_object_unref (b);
  return is;
}

GST_START_TEST (test_equal)
{
  fail_unless (gst_cc_address_equal (NULL, NULL));
  fail_unless (equal ("10.0.0.1", 5, "10.0.0.1", 5));
  fail_if (equal ("10.0.0.1", 5, "10.0.0.2", 5));
  fail_if (equal ("10.0.0.1", 5, "10.0.0.1", 6));
  fail_unless (equal ("2001:db8::1", 5, "2001:db8:0:0::1", 5));
  fail_if (equal ("2001:db8::1", 5, "2001:db8::2", 5));
}

GST_END_TEST

static Suite *
ccaddress_suite (void)
{
  Suite *suite = suite_create ("ccaddress");
  TCase *tcase = tcase_create ("ccaddress");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_equal);
  return suite;
}

GST_CHECK_MAIN (ccaddress);
