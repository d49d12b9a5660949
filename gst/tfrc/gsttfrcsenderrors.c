/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcsenderrors.h"

#include <errno.h>

enum {
  WARNED_TOO_LARGE = 1 << 0,
  WARNED_REFUSED = 1 << 1,
  WARNED_UNREACHABLE = 1 << 2,
  WARNED_ERROR = 1 << 3,
  WARNED_UNPROTECTED = 1 << 4
};

void
gst_tfrc_send_errors_init (GstTfrcSendErrors *e, GstElement *element)
{
  *e = (GstTfrcSendErrors){.element = element};
}

static void
warn (GstTfrcSendErrors *e, guint kind, const gchar *text, const gchar *debug)
{
  if (e->warned & kind)
    return;
  e->warned |= kind;
  GST_ELEMENT_WARNING (e->element, RESOURCE, WRITE, ("%s", text), ("%s", debug));
}

static void
tell_kinds (GstTfrcSendErrors *e, const GstTfrcBatch *b)
{
  if (b->too_large > 0)
    warn (e, WARNED_TOO_LARGE, "Packets are too large for UDP and cannot be sent: set mtu=1200 on the payloader.",
        "EMSGSIZE");
  if (b->refused > 0)
    warn (e, WARNED_REFUSED,
        "The receiver's port is closed: nothing listens there. Sending goes on; start the receiver or correct host and "
        "port.",
        "ECONNREFUSED");
  if (b->unreachable > 0)
    warn (e, WARNED_UNREACHABLE,
        "The receiver cannot be reached at the moment. Sending goes on; check the network connection and the host "
        "property.",
        g_strerror (b->last_errno));
  if (b->errors > 0)
    warn (e, WARNED_ERROR,
        "The system refuses packets. Sending goes on; a firewall or a full device queue may be the cause.",
        g_strerror (b->last_errno));
  if (b->unprotected > 0)
    warn (e, WARNED_UNPROTECTED,
        "Packets have numbers that their SSRC has used with this key before, which would give the key away; they are "
        "dropped. Leave the payloader's ssrc to chance, or set another srtp-key.",
        "SRTP");
}

void
gst_tfrc_send_errors_tell (GstTfrcSendErrors *e, const GstTfrcBatch *b)
{
  guint64 failed = b->too_large + b->refused + b->unreachable + b->errors + b->unprotected;

  if (failed != e->failed)
    tell_kinds (e, b);
  e->failed = failed;
}

guint
gst_tfrc_send_errors_take (GstTfrcSendErrors *e, GstTfrcBatch *batch, int fd)
{
  guint i, path_mtu = 0;
  int error;

  for (i = 0; i < GST_TFRC_BATCH_SIZE && (error = gst_tfrc_socket_take_error (fd, &path_mtu)) != 0; i++) {
    batch->last_errno = error;
    if (error == ECONNREFUSED)
      batch->refused++;
    else if (error == EHOSTUNREACH || error == ENETUNREACH)
      batch->unreachable++;
  }
  gst_tfrc_send_errors_tell (e, batch);
  return path_mtu;
}
