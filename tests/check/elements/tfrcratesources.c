/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which addresses may lower a rate. */
#include "gsttfrcratesources.h"

#include <gst/check/gstcheck.h>
#include <netinet/in.h>
#include <string.h>

static GstTfrcAddress
address (const gchar *host, guint16 port)
{
  GSocketAddress *parsed = g_inet_socket_address_new_from_string (host, port);
  GstTfrcAddress native = {.length = sizeof native.storage};

  fail_unless (parsed != NULL);
  fail_unless (g_socket_address_to_native (parsed, &native.storage, sizeof native.storage, NULL));
  g_object_unref (parsed);
  return native;
}

static gboolean
matches (const gchar *text, const gchar *host, guint16 port)
{
  GstTfrcRateSources sources = {0};
  GstTfrcAddress from = address (host, port);

  fail_unless (gst_tfrc_rate_sources_parse (&sources, text, NULL), "%s", text);
  return gst_tfrc_rate_sources_match (&sources, &from);
}

GST_START_TEST (test_none)
{
  fail_if (matches (NULL, "10.0.0.1", 5));
  fail_if (matches ("", "10.0.0.1", 5));
  fail_if (matches (" , ", "::1", 5));
}

GST_END_TEST

GST_START_TEST (test_addresses)
{
  fail_unless (matches ("10.0.0.1", "10.0.0.1", 5));
  fail_if (matches ("10.0.0.1", "10.0.0.2", 5));
  fail_unless (matches ("10.0.0.1:5004", "10.0.0.1", 5004));
  fail_if (matches ("10.0.0.1:5004", "10.0.0.1", 5005));
  fail_unless (matches ("1.2.3.4, 10.0.0.1", "10.0.0.1", 5));
  fail_unless (matches ("1.2.3.4 2001:db8::1", "2001:db8::1", 5));
  fail_unless (matches ("[2001:db8::1]:5004", "2001:db8::1", 5004));
  fail_if (matches ("[2001:db8::1]:5004", "2001:db8::1", 5005));
  fail_unless (matches ("[2001:db8::1]", "2001:db8::1", 5005));
}

GST_END_TEST

/* 19 = 2 x 8 + 3 bits: of the third byte the upper three count. */
GST_START_TEST (test_networks)
{
  fail_unless (matches ("10.1.32.0/19", "10.1.63.255", 5));
  fail_if (matches ("10.1.32.0/19", "10.1.64.0", 5));
  fail_if (matches ("10.1.32.0/19", "10.1.31.0", 5));
  fail_unless (matches ("0.0.0.0/0", "10.1.31.0", 5));
  fail_if (matches ("0.0.0.0/0", "2001:db8::1", 5)); /* IPv4's all are not IPv6's */
  fail_unless (matches ("[2001:db8::/32]:7", "2001:db8:1::1", 7));
  fail_if (matches ("2001:db8::/32", "2001:db9::1", 7));
}

GST_END_TEST

/* A socket that speaks IPv6 gets IPv4 packets from mapped addresses. */
GST_START_TEST (test_mapped)
{
  struct sockaddr_in6 mapped = {.sin6_family = AF_INET6,
      .sin6_port = g_htons (5),
      .sin6_addr.s6_addr = {[10] = 0xff, [11] = 0xff, [12] = 10, [15] = 1}};
  GstTfrcAddress from = {.length = sizeof mapped};
  GstTfrcRateSources sources = {0};

  memcpy (&from.storage, &mapped, sizeof mapped);
  fail_unless (gst_tfrc_rate_sources_parse (&sources, "10.0.0.1:5", NULL));
  fail_unless (gst_tfrc_rate_sources_match (&sources, &from));
  fail_unless (gst_tfrc_rate_sources_parse (&sources, "11.0.0.0/8", NULL));
  fail_if (gst_tfrc_rate_sources_match (&sources, &from));
  fail_if (matches ("10.0.0.0/8", "::10.9.8.7", 5)); /* not mapped */
}

GST_END_TEST

GST_START_TEST (test_refused)
{
  const gchar *texts[] = {"localhost", "10.0.0.256", "10.0.0.1:", "10.0.0.1:0", "10.0.0.1:65536", "10.0.0.1/33",
      "10.0.0.1/8", "[2001:db8::1", "[2001:db8::1]x:5", "2001:db8::1/129", "10.0.0.1;10.0.0.2"};
  GString *many = g_string_new (NULL);
  GstTfrcRateSources sources = {0};
  GError *error = NULL;
  guint i;

  fail_unless (gst_tfrc_rate_sources_parse (&sources, "10.0.0.1", NULL));
  for (i = 0; i < G_N_ELEMENTS (texts); i++) {
    fail_if (gst_tfrc_rate_sources_parse (&sources, texts[i], &error), "%s", texts[i]);
    fail_unless (error != NULL);
    g_clear_error (&error);
  }
  for (i = 0; i <= GST_TFRC_MAX_RATE_SOURCES; i++)
    g_string_append_printf (many, "10.0.0.%u ", i);
  fail_if (gst_tfrc_rate_sources_parse (&sources, many->str, &error));
  g_clear_error (&error);
  g_string_free (many, TRUE);
  fail_unless_equals_int (sources.n, 1); /* as it was */
}

GST_END_TEST

/* Two routers that call themselves the same are two. */
GST_START_TEST (test_tellers)
{
  const guint64 key[2] = {1, 2};
  GstTfrcAddress a = address ("10.0.0.1", 5), b = address ("10.0.0.2", 5), c = address ("10.0.0.1", 6);
  guint32 of_a = gst_tfrc_rate_sources_teller (key, &a, 7);

  fail_unless_equals_int (gst_tfrc_rate_sources_teller (key, &a, 7), of_a);
  fail_if (gst_tfrc_rate_sources_teller (key, &b, 7) == of_a);
  fail_if (gst_tfrc_rate_sources_teller (key, &c, 7) == of_a);
  fail_if (gst_tfrc_rate_sources_teller (key, &a, 8) == of_a);
}

GST_END_TEST

static Suite *
tfrcratesources_suite (void)
{
  Suite *suite = suite_create ("tfrcratesources");
  TCase *tcase = tcase_create ("tfrcratesources");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_none);
  tcase_add_test (tcase, test_addresses);
  tcase_add_test (tcase, test_networks);
  tcase_add_test (tcase, test_mapped);
  tcase_add_test (tcase, test_refused);
  tcase_add_test (tcase, test_tellers);
  return suite;
}

GST_CHECK_MAIN (tfrcratesources);
