/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "framegate.h"

#define MOST_HELD (500 * GST_MSECOND) /* of the stream: then one picture passes */

/* The probe has a reference of its own: it may be running when the gate is freed. */
struct _FrameGate {
  GMutex lock;
  gboolean closed;
  GstClockTime passed; /* the time stamp of the last picture that did */
  guint64 held, taken; /* as counted by frame_gate_take_held () */
  GstPad *pad;         /* of the encoder; NULL: none. With `probe` of the thread that calls frame_gate_watch () */
  gulong probe;
};

FrameGate *
frame_gate_new (void)
{
  FrameGate *gate = g_atomic_rc_box_new0 (FrameGate);

  g_mutex_init (&gate->lock);
  gate->passed = GST_CLOCK_TIME_NONE;
  return gate;
}

static void
clear (gpointer data)
{
  FrameGate *gate = data;

  g_mutex_clear (&gate->lock);
}

static void
release (gpointer gate)
{
  g_atomic_rc_box_release_full (gate, clear);
}

/* Time that goes back begins anew. */
static gboolean
is_held (const FrameGate *gate, GstClockTime time)
{
  return gate->closed && GST_CLOCK_TIME_IS_VALID (time) && GST_CLOCK_TIME_IS_VALID (gate->passed) &&
         time >= gate->passed && time - gate->passed < MOST_HELD;
}

static GstPadProbeReturn
on_picture (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  FrameGate *gate = data;
  GstClockTime time = GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info));
  gboolean held;

  g_mutex_lock (&gate->lock);
  held = is_held (gate, time);
  if (held)
    gate->held++;
  else
    gate->passed = time;
  g_mutex_unlock (&gate->lock);
  return held ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

static void
leave (FrameGate *gate)
{
  if (gate->pad)
    gst_pad_remove_probe (gate->pad, gate->probe);
  g_clear_object (&gate->pad);
}

void
frame_gate_watch (FrameGate *gate, GstElement *encoder)
{
  leave (gate);
  gate->pad = gst_element_get_static_pad (encoder, "sink");
  if (gate->pad)
    gate->probe =
        gst_pad_add_probe (gate->pad, GST_PAD_PROBE_TYPE_BUFFER, on_picture, g_atomic_rc_box_acquire (gate), release);
}

void
frame_gate_free (FrameGate *gate)
{
  leave (gate);
  release (gate);
}

void
frame_gate_close (FrameGate *gate, gboolean closed)
{
  g_mutex_lock (&gate->lock);
  gate->closed = closed;
  g_mutex_unlock (&gate->lock);
}

guint64
frame_gate_held (FrameGate *gate)
{
  guint64 held;

  g_mutex_lock (&gate->lock);
  held = gate->held;
  g_mutex_unlock (&gate->lock);
  return held;
}

gboolean
frame_gate_take_held (FrameGate *gate)
{
  gboolean any;

  g_mutex_lock (&gate->lock);
  any = gate->held > gate->taken;
  gate->taken = gate->held;
  g_mutex_unlock (&gate->lock);
  return any;
}
