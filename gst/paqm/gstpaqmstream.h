/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sticky events of a sink pad as they were when a packet arrived: they go ahead of it, where downstream does not
   know them yet. Packets refer to them. The element says itself when a stream starts and ends. */
#ifndef GST_PAQM_STREAM_H
#define GST_PAQM_STREAM_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  gint refs; /* atomic */
  guint n;
  GstEvent **events;
} GstPaqmStream;

/* As they are now, in the pad's streaming thread. */
GstPaqmStream *gst_paqm_stream_new (GstPad *pad);
GstPaqmStream *gst_paqm_stream_ref (GstPaqmStream *stream);
void gst_paqm_stream_unref (GstPaqmStream *stream); /* NULL is allowed */
/* What is new to downstream of the source pad. */
void gst_paqm_stream_push (const GstPaqmStream *stream, GstPad *srcpad);
/* element: random, none other has it. */
GstEvent *gst_paqm_stream_start (guint64 element, const gchar *name);

G_END_DECLS
#endif
