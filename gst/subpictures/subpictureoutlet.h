/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The thread of the src pad: what is written down with the element's lock is pushed without it. */
#ifndef SUBPICTURE_OUTLET_H
#define SUBPICTURE_OUTLET_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Under the element's lock. */
typedef struct {
  GstPad *pad;
  GMutex *lock;
  GCond changed; /* of whatever anybody waits for with this lock */
  GQueue items;  /* buffers and events */
  gboolean active;
  GstFlowReturn result; /* GST_FLOW_OK: the thread runs */
  GstCaps *caps;        /* last put in */
  gboolean started, has_segment, ended;
} SubpictureOutlet;

void subpicture_outlet_init (SubpictureOutlet *o, GstPad *pad, GMutex *lock);
void subpicture_outlet_finalize (SubpictureOutlet *o);

/* ---- with the lock ---- */

void subpicture_outlet_put (SubpictureOutlet *o, GstCaps *caps, GstBuffer *buffer);
void subpicture_outlet_put_eos (SubpictureOutlet *o);
/* From the oldest buffer that waits to the newest. */
GstClockTime subpicture_outlet_span (const SubpictureOutlet *o);
void subpicture_outlet_wake (SubpictureOutlet *o);
/* Nothing is left of what was before. */
void subpicture_outlet_reset (SubpictureOutlet *o);
/* Once, where nobody comes any more to be told of a failure. */
gboolean subpicture_outlet_fails_unheard (SubpictureOutlet *o);

/* ---- without it ---- */

gboolean subpicture_outlet_set_active (SubpictureOutlet *o, gboolean active);
/* A new peer: what the old one, or none, has said is over. */
void subpicture_outlet_reconfigure (SubpictureOutlet *o);
/* The events are taken. */
void subpicture_outlet_flush_start (SubpictureOutlet *o, GstEvent *event);
void subpicture_outlet_flush_stop (SubpictureOutlet *o, GstEvent *event);

G_END_DECLS
#endif
