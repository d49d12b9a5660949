/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Farstream 0.2.9's TFRC receiver asks for the length of a packet it has just unmapped. With GStreamer 1.x that is 0,
   so that it measures no rate and sends hardly a report. Loaded ahead of it, this answers with the length the packet
   had. */
#include <dlfcn.h>
#include <gst/rtp/gstrtpbuffer.h>

static _Thread_local guint unmapped_length;

static gpointer
original (const gchar *name)
{
  static gpointer library;

  if (library == NULL)
    library = dlopen ("libgstrtp-1.0.so.0", RTLD_NOW);
  return dlsym (library, name);
}

void
gst_rtp_buffer_unmap (GstRTPBuffer *rtp)
{
  static void (*unmap) (GstRTPBuffer *);

  if (unmap == NULL)
    *(gpointer *)&unmap = original ("gst_rtp_buffer_unmap");
  unmapped_length = (guint)gst_buffer_get_size (rtp->buffer);
  unmap (rtp);
}

guint
gst_rtp_buffer_get_packet_len (GstRTPBuffer *rtp)
{
  return rtp->buffer != NULL ? (guint)gst_buffer_get_size (rtp->buffer) : unmapped_length;
}
