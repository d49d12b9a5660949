/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* In front of the encoder: while the sender is not answered it takes no pictures, but for two a second. What is coded
   after that refers to what was sent; frames made and skipped would leave a hole that only a key unit mends. For
   encoders whose rate control counts frames: to one that goes by time (libvpx) few frames are a reason to make each
   larger.
   frame_gate_watch () and frame_gate_free () by one thread at a time, the others by any. */
#ifndef GST_FRAME_GATE_H
#define GST_FRAME_GATE_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _FrameGate FrameGate;

FrameGate *frame_gate_new (void);
void frame_gate_free (FrameGate *gate);
/* Another encoder than before; one without a pad `sink` is never kept from anything. */
void frame_gate_watch (FrameGate *gate, GstElement *encoder);
void frame_gate_close (FrameGate *gate, gboolean closed);
guint64 frame_gate_held (FrameGate *gate); /* pictures not taken */
/* Whether there were any since it was asked last. */
gboolean frame_gate_take_held (FrameGate *gate);

G_END_DECLS
#endif
