/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccrandom.h"

#include <errno.h>
#include <sys/random.h>

/* Up to 256 bytes are given whole once the source is seeded, which it is since the machine started (getrandom (2)). */
void
gst_cc_random_bytes (gpointer data, gsize size)
{
  gssize got;

  do
    got = getrandom (data, size, 0);
  while (got < 0 && errno == EINTR);
  if (got != (gssize)size)
    g_error ("the system has no random source: %s", g_strerror (errno));
}

guint32
gst_cc_random32 (void)
{
  guint32 value;

  gst_cc_random_bytes (&value, sizeof value);
  return value;
}

guint64
gst_cc_random64 (void)
{
  guint64 value;

  gst_cc_random_bytes (&value, sizeof value);
  return value;
}
