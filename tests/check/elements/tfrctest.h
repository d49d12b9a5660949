/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of tfrcsink share: a socket on the loopback device that plays the receiver, packets for the sink, and
   its statistics. */
#ifndef TFRC_TEST_H
#define TFRC_TEST_H

#include "gstccrtcp.h"
#include <sys/socket.h>

#include <gio/gio.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/rtp/gstrtpbuffer.h>
#include <string.h>

/* ---- the peer ---- */

typedef struct {
  GSocket *socket;
  guint16 port;
  GSocketAddress *sender; /* of the last packet */
  guint8 data[70000];
  gsize size;
} Peer;

static G_GNUC_UNUSED void
peer_open_at (Peer *peer, const gchar *host, guint16 port)
{
  GSocketAddress *address = g_inet_socket_address_new_from_string (host, port), *bound;
  GError *error = NULL;

  memset (peer, 0, sizeof *peer);
  peer->socket =
      g_socket_new (g_socket_address_get_family (address), G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, &error);
  g_assert_no_error (error);
  g_socket_bind (peer->socket, address, FALSE, &error);
  g_assert_no_error (error);
  /* what comes while a slow machine does not read must not be lost here */
  if (!g_socket_set_option (peer->socket, SOL_SOCKET, SO_RCVBUFFORCE, 1 << 22, NULL))
    g_socket_set_option (peer->socket, SOL_SOCKET, SO_RCVBUF, 1 << 22, NULL);
  bound = g_socket_get_local_address (peer->socket, NULL);
  peer->port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound));
  g_object_unref (bound);
  g_object_unref (address);
}

static G_GNUC_UNUSED void
peer_open (Peer *peer)
{
  peer_open_at (peer, "127.0.0.1", 0);
}

static G_GNUC_UNUSED void
peer_close (Peer *peer)
{
  g_clear_object (&peer->socket);
  g_clear_object (&peer->sender);
}

/* Nobody listens there. */
static G_GNUC_UNUSED guint16
free_port (void)
{
  Peer peer;

  peer_open (&peer);
  peer_close (&peer);
  return peer.port;
}

/* FALSE: nothing came within the time. */
static G_GNUC_UNUSED gboolean
peer_receive (Peer *peer, guint timeout_ms)
{
  gssize size;

  if (!g_socket_condition_timed_wait (peer->socket, G_IO_IN, timeout_ms * G_GINT64_CONSTANT (1000), NULL, NULL))
    return FALSE;
  g_clear_object (&peer->sender);
  size = g_socket_receive_from (peer->socket, &peer->sender, (gchar *)peer->data, sizeof peer->data, NULL, NULL);
  fail_unless (size > 0);
  peer->size = (gsize)size;
  return TRUE;
}

static G_GNUC_UNUSED gboolean
peer_receive_kind (Peer *peer, gboolean rtcp, guint timeout_ms)
{
  gint64 end = g_get_monotonic_time () + timeout_ms * G_GINT64_CONSTANT (1000), now;

  while ((now = g_get_monotonic_time ()) < end)
    if (peer_receive (peer, (guint)((end - now) / 1000 + 1)) && rtcp_is_rtcp (peer->data, peer->size) == rtcp)
      return TRUE;
  return FALSE;
}

static G_GNUC_UNUSED gboolean
peer_receive_rtp (Peer *peer, guint timeout_ms)
{
  return peer_receive_kind (peer, FALSE, timeout_ms);
}

static G_GNUC_UNUSED guint16
peer_seq (const Peer *peer)
{
  return GST_READ_UINT16_BE (peer->data + 2);
}

static G_GNUC_UNUSED void
send_from (GSocket *socket, GSocketAddress *to, const guint8 *data, gsize size)
{
  fail_unless (g_socket_send_to (socket, to, (const gchar *)data, size, NULL, NULL) == (gssize)size);
}

/* To where the last packet came from; takes the buffer. */
static G_GNUC_UNUSED void
peer_send (Peer *peer, GstBuffer *buffer)
{
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  send_from (peer->socket, peer->sender, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
}

/* ---- the sink ---- */

static G_GNUC_UNUSED GstBuffer *
new_packet (guint32 ssrc, guint16 seq, guint32 timestamp, guint payload, gboolean marker)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (payload, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  gst_rtp_buffer_set_seq (&rtp, seq);
  gst_rtp_buffer_set_timestamp (&rtp, timestamp);
  gst_rtp_buffer_set_ssrc (&rtp, ssrc);
  gst_rtp_buffer_set_marker (&rtp, marker);
  memset (gst_rtp_buffer_get_payload (&rtp), 0x55, payload);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

static G_GNUC_UNUSED GstStructure *
stats_of (GstElement *sink)
{
  GstStructure *stats;

  g_object_get (sink, "stats", &stats, NULL);
  return stats;
}

static G_GNUC_UNUSED guint64
stat_of (GstElement *sink, const gchar *name)
{
  GstStructure *stats = stats_of (sink);
  guint64 value = 0;
  guint small;

  if (gst_structure_get_uint (stats, name, &small))
    value = small;
  else
    fail_unless (gst_structure_get_uint64 (stats, name, &value), "no %s in stats", name);
  gst_structure_free (stats);
  return value;
}

/* Two seconds at most. */
static G_GNUC_UNUSED gboolean
wait_stat (GstElement *sink, const gchar *name, guint64 at_least)
{
  guint i;

  for (i = 0; i < 400 && stat_of (sink, name) < at_least; i++)
    g_usleep (5000);
  return stat_of (sink, name) >= at_least;
}

static G_GNUC_UNUSED guint
bitrate_of (GstElement *sink)
{
  guint bitrate;

  g_object_get (sink, "estimated-bitrate", &bitrate, NULL);
  return bitrate;
}

/* The sink in a harness, towards the peer. */
typedef struct {
  GstHarness *h;
  GstElement *sink;
  Peer peer;
  guint16 seq;
  guint32 timestamp;
} Flow;

static G_GNUC_UNUSED void
flow_open (Flow *f, const gchar *caps, const gchar *first_property, ...)
{
  va_list args;

  memset (f, 0, sizeof *f);
  peer_open (&f->peer);
  f->sink = gst_element_factory_make ("tfrcsink", NULL);
  g_object_set (f->sink, "sync", FALSE, "async", FALSE, "host", "127.0.0.1", "port", f->peer.port, NULL);
  va_start (args, first_property);
  g_object_set_valist (G_OBJECT (f->sink), first_property, args);
  va_end (args);
  f->h = gst_harness_new_with_element (f->sink, "sink", NULL);
  gst_harness_set_src_caps_str (f->h, caps);
}

static G_GNUC_UNUSED void
flow_close (Flow *f)
{
  gst_harness_teardown (f->h);
  gst_object_unref (f->sink);
  peer_close (&f->peer);
}

/* One of 50 a second. */
static G_GNUC_UNUSED void
flow_push_frame (Flow *f, guint32 ssrc, guint packets, guint payload)
{
  guint i;

  for (i = 0; i < packets; i++)
    fail_unless_equals_int (
        gst_harness_push (f->h, new_packet (ssrc, f->seq++, f->timestamp, payload, i + 1 == packets)), GST_FLOW_OK);
  f->timestamp += 1800;
}

#endif
