/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a flow goes: opened, moved, and left where it was when the new place is not to be had. */
#include "gsttfrcendpoint.h"
#include "gsttfrcgroup.h"

#include <gst/check/gstcheck.h>
#include <net/if.h>
#include <netinet/in.h>

static GstElement *element;
static GstBus *bus;
static GstTfrcEndpoint endpoint;

static void
setup (void)
{
  element = gst_bin_new ("sender");
  bus = gst_bus_new ();
  gst_element_set_bus (element, bus);
  gst_tfrc_endpoint_init (&endpoint, element);
}

static void
teardown (void)
{
  gst_tfrc_endpoint_clear (&endpoint);
  gst_element_set_bus (element, NULL);
  gst_clear_object (&bus);
  gst_clear_object (&element);
}

static void
set_text (guint which, const gchar *text)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_STRING);
  g_value_set_string (&value, text);
  fail_unless (gst_tfrc_endpoint_set_property (&endpoint, which, &value));
  g_value_unset (&value);
}

static void
set_number (guint which, gint number)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_INT);
  g_value_set_int (&value, number);
  fail_unless (gst_tfrc_endpoint_set_property (&endpoint, which, &value));
  g_value_unset (&value);
}

static guint
messages (GstMessageType type)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, type)) != NULL) {
    gst_message_unref (message);
    n++;
  }
  return n;
}

/* 0: it is not open. */
static guint
port_in_use (void)
{
  GstTfrcAddress to;
  GSocket *socket = gst_tfrc_endpoint_get (&endpoint, &to);

  if (socket == NULL)
    return 0;
  g_object_unref (socket);
  return gst_tfrc_address_read (&to).port;
}

GST_START_TEST (test_open_and_closed)
{
  fail_unless_equals_int (port_in_use (), 0);
  set_text (GST_TFRC_ENDPOINT_HOST, "127.0.0.1");
  set_number (GST_TFRC_ENDPOINT_PORT, 5010);
  fail_unless (gst_tfrc_endpoint_open (&endpoint, FALSE));
  fail_unless_equals_int (port_in_use (), 5010);
  gst_tfrc_endpoint_close (&endpoint);
  fail_unless_equals_int (port_in_use (), 0);
  fail_unless (gst_tfrc_endpoint_open (&endpoint, FALSE)); /* again */
  fail_unless_equals_int (messages (GST_MESSAGE_ANY), 0);
}
GST_END_TEST;

GST_START_TEST (test_what_cannot_be_opened)
{
  set_text (GST_TFRC_ENDPOINT_HOST, "224.1.1.1");
  fail_if (gst_tfrc_endpoint_open (&endpoint, FALSE));
  fail_unless_equals_int (messages (GST_MESSAGE_ERROR), 1);
  set_text (GST_TFRC_ENDPOINT_HOST, "127.0.0.1");
  set_text (GST_TFRC_ENDPOINT_BIND_ADDRESS, "nowhere");
  fail_if (gst_tfrc_endpoint_open (&endpoint, FALSE));
  fail_unless_equals_int (messages (GST_MESSAGE_ERROR), 1);
  fail_unless_equals_int (port_in_use (), 0);
}
GST_END_TEST;

/* localhost is ::1 first where there is IPv6. */
GST_START_TEST (test_a_name_of_both_families)
{
  set_text (GST_TFRC_ENDPOINT_HOST, "localhost");
  set_text (GST_TFRC_ENDPOINT_BIND_ADDRESS, "127.0.0.1");
  fail_unless (gst_tfrc_endpoint_open (&endpoint, FALSE));
  fail_unless_equals_int (messages (GST_MESSAGE_ANY), 0);
  gst_tfrc_endpoint_close (&endpoint);
  set_text (GST_TFRC_ENDPOINT_BIND_ADDRESS, "::");
  fail_unless (gst_tfrc_endpoint_open (&endpoint, FALSE));
}
GST_END_TEST;

static gchar *
error_message (void)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  GError *error;
  gchar *text;

  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  text = g_strdup (error->message);
  g_error_free (error);
  gst_message_unref (message);
  return text;
}

/* A receiver's own address may say all; where to send has to be one. */
GST_START_TEST (test_all_addresses_are_none)
{
  static const gchar *const hosts[] = {"0.0.0.0", "::"};
  gchar *text;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (hosts); i++) {
    set_text (GST_TFRC_ENDPOINT_HOST, hosts[i]);
    fail_if (gst_tfrc_endpoint_open (&endpoint, FALSE));
    text = error_message ();
    fail_unless (strstr (text, "names no receiver") != NULL, "%s", text);
    g_free (text);
  }
}
GST_END_TEST;

/* Each link has such addresses of its own: the interface belongs to them, and who leaves it out is told. */
GST_START_TEST (test_addresses_of_one_link)
{
  static const struct {
    const gchar *host, *told;
  } wrong[] = {{"fe80::1", "name its interface, as in fe80::1%eth0"}, {"ff02::1", "name its interface"},
      {"fe80::1%nowhere0", "there is no network interface nowhere0"}};
  GSocketAddress *peer = gst_tfrc_socket_resolve ("fe80::1%lo", 5004, G_SOCKET_FAMILY_INVALID, NULL);
  gchar *text;
  guint i;

  fail_unless (peer != NULL);
  fail_unless_equals_int (g_inet_socket_address_get_scope_id (G_INET_SOCKET_ADDRESS (peer)), if_nametoindex ("lo"));
  g_object_unref (peer);
  for (i = 0; i < G_N_ELEMENTS (wrong); i++) {
    set_text (GST_TFRC_ENDPOINT_HOST, wrong[i].host);
    fail_if (gst_tfrc_endpoint_open (&endpoint, TRUE));
    text = error_message ();
    fail_unless (strstr (text, wrong[i].told) != NULL, "%s", text);
    g_free (text);
  }
}
GST_END_TEST;

/* A group of one link, whose interface stands in the address or beside it. */
GST_START_TEST (test_groups_of_one_link)
{
  static const gchar *const hosts[] = {"ff02::4c0a%lo", "ff02::4c0a"};
  GSocket *probe = g_socket_new (G_SOCKET_FAMILY_IPV6, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  gboolean available = probe != NULL;
  guint i;

  g_clear_object (&probe);
  for (i = 0; available && i < G_N_ELEMENTS (hosts); i++) {
    GSocketAddress *group = gst_tfrc_socket_resolve (hosts[i], 0, G_SOCKET_FAMILY_INVALID, NULL);
    GError *error = NULL;
    GSocket *member;

    fail_unless (group != NULL);
    member = gst_tfrc_group_open (group, i == 0 ? NULL : "lo", 1, &error);
    g_assert_no_error (error);
    g_object_unref (member);
    g_object_unref (group);
  }
}
GST_END_TEST;

/* From the same socket, where that speaks its family; else where it was. */
GST_START_TEST (test_it_moves)
{
  GSocket *before;
  GstTfrcAddress to;

  set_text (GST_TFRC_ENDPOINT_HOST, "127.0.0.1");
  fail_if (gst_tfrc_endpoint_move (&endpoint, endpoint.wishes)); /* before it is open: nothing to move */
  fail_unless (gst_tfrc_endpoint_open (&endpoint, FALSE));
  before = gst_tfrc_endpoint_get (&endpoint, &to);
  set_number (GST_TFRC_ENDPOINT_PORT, 5012);
  fail_unless (gst_tfrc_endpoint_move (&endpoint, endpoint.wishes));
  fail_unless_equals_int (port_in_use (), 5012);
  fail_unless (endpoint.socket == before);
  set_text (GST_TFRC_ENDPOINT_HOST, "224.1.1.1");
  set_number (GST_TFRC_ENDPOINT_PORT, 5014);
  fail_if (gst_tfrc_endpoint_move (&endpoint, endpoint.wishes));
  fail_unless_equals_int (port_in_use (), 5012);
  fail_unless_equals_string (endpoint.host, "127.0.0.1"); /* what properties read is what holds */
  fail_unless_equals_int (endpoint.port, 5012);
  set_number (GST_TFRC_ENDPOINT_PORT, 5016);
  fail_unless (gst_tfrc_endpoint_move (&endpoint, endpoint.wishes));
  fail_unless_equals_int (port_in_use (), 5016);
  fail_unless_equals_int (messages (GST_MESSAGE_WARNING), 1);
  fail_unless_equals_int (messages (GST_MESSAGE_ERROR), 0);
  g_object_unref (before);
}
GST_END_TEST;

/* Names alone are asked for, and each wish is fulfilled once: not after another, nor when it was closed. */
GST_START_TEST (test_one_move_a_wish)
{
  guint early, wish;

  set_text (GST_TFRC_ENDPOINT_HOST, "localhost");
  fail_if (gst_tfrc_endpoint_must_ask (&endpoint, &wish)); /* nobody waits: it is not open */
  set_text (GST_TFRC_ENDPOINT_HOST, "127.0.0.1");
  fail_unless (gst_tfrc_endpoint_open (&endpoint, FALSE));
  fail_if (gst_tfrc_endpoint_must_ask (&endpoint, &wish));
  set_text (GST_TFRC_ENDPOINT_HOST, "localhost");
  fail_unless (gst_tfrc_endpoint_must_ask (&endpoint, &early));
  set_number (GST_TFRC_ENDPOINT_PORT, 5012);
  fail_unless (gst_tfrc_endpoint_must_ask (&endpoint, &wish));
  fail_if (gst_tfrc_endpoint_move (&endpoint, early));
  fail_unless_equals_int (port_in_use (), 5004);
  fail_unless (gst_tfrc_endpoint_move (&endpoint, wish));
  fail_unless_equals_int (port_in_use (), 5012);
  fail_if (gst_tfrc_endpoint_move (&endpoint, wish));
  set_text (GST_TFRC_ENDPOINT_HOST, "127.0.0.1");
  gst_tfrc_endpoint_must_ask (&endpoint, &wish);
  gst_tfrc_endpoint_close (&endpoint);
  fail_if (gst_tfrc_endpoint_move (&endpoint, wish));
  fail_unless (endpoint.socket == NULL);
  fail_unless_equals_int (messages (GST_MESSAGE_ANY), 0);
}
GST_END_TEST;

/* What a run begins with. */
GST_START_TEST (test_what_is_set_is_settled)
{
  set_text (GST_TFRC_ENDPOINT_HOST, "127.0.0.1");
  fail_unless (gst_tfrc_endpoint_open (&endpoint, FALSE));
  set_text (GST_TFRC_ENDPOINT_HOST, "localhost");
  set_number (GST_TFRC_ENDPOINT_PORT, 5012);
  gst_tfrc_endpoint_settle (&endpoint);
  fail_unless_equals_int (port_in_use (), 5012);
  fail_unless_equals_string (endpoint.used_host, "localhost");
  gst_tfrc_endpoint_settle (&endpoint);
  fail_unless_equals_int (messages (GST_MESSAGE_ANY), 0);
}
GST_END_TEST;

GST_START_TEST (test_a_socket_that_is_given)
{
  GSocket *given = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  GValue value = G_VALUE_INIT, read = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_SOCKET);
  g_value_init (&read, G_TYPE_SOCKET);
  g_value_set_object (&value, given);
  fail_unless (gst_tfrc_endpoint_set_property (&endpoint, GST_TFRC_ENDPOINT_SOCKET, &value));
  set_text (GST_TFRC_ENDPOINT_HOST, "127.0.0.1");
  fail_unless (gst_tfrc_endpoint_open (&endpoint, FALSE));
  fail_unless (endpoint.socket == given);
  fail_unless (gst_tfrc_endpoint_get_property (&endpoint, GST_TFRC_ENDPOINT_SOCKET, &read));
  fail_unless (g_value_get_object (&read) == given);
  gst_tfrc_endpoint_close (&endpoint);
  fail_if (g_socket_is_closed (given));
  g_socket_close (given, NULL);
  fail_if (gst_tfrc_endpoint_open (&endpoint, FALSE)); /* closed by its owner */
  fail_unless_equals_int (messages (GST_MESSAGE_ERROR), 1);
  g_value_unset (&read);
  g_value_unset (&value);
  g_object_unref (given);
}
GST_END_TEST;

GST_START_TEST (test_dscp)
{
  set_text (GST_TFRC_ENDPOINT_HOST, "127.0.0.1");
  set_number (GST_TFRC_ENDPOINT_DSCP, 34);
  gst_tfrc_endpoint_apply_dscp (&endpoint); /* of nothing */
  fail_unless (gst_tfrc_endpoint_open (&endpoint, FALSE));
  fail_unless_equals_int (gst_tfrc_socket_class (endpoint.socket), 34 << 2);
  set_number (GST_TFRC_ENDPOINT_DSCP, 46);
  gst_tfrc_endpoint_apply_dscp (&endpoint);
  fail_unless_equals_int (gst_tfrc_socket_class (endpoint.socket), 46 << 2);
}
GST_END_TEST;

GST_START_TEST (test_properties_of_others)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_INT);
  fail_if (gst_tfrc_endpoint_set_property (&endpoint, GST_TFRC_ENDPOINT_PROPERTIES, &value));
  fail_if (gst_tfrc_endpoint_get_property (&endpoint, GST_TFRC_ENDPOINT_PROPERTIES, &value));
  g_value_unset (&value);
}
GST_END_TEST;

static Suite *
tfrcendpoint_suite (void)
{
  Suite *suite = suite_create ("tfrcendpoint");
  TCase *tc = tcase_create ("tfrcendpoint");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, test_open_and_closed);
  tcase_add_test (tc, test_what_cannot_be_opened);
  tcase_add_test (tc, test_a_name_of_both_families);
  tcase_add_test (tc, test_all_addresses_are_none);
  tcase_add_test (tc, test_addresses_of_one_link);
  tcase_add_test (tc, test_groups_of_one_link);
  tcase_add_test (tc, test_it_moves);
  tcase_add_test (tc, test_one_move_a_wish);
  tcase_add_test (tc, test_what_is_set_is_settled);
  tcase_add_test (tc, test_a_socket_that_is_given);
  tcase_add_test (tc, test_dscp);
  tcase_add_test (tc, test_properties_of_others);
  return suite;
}

GST_CHECK_MAIN (tfrcendpoint);
