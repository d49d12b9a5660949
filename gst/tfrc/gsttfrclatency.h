/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The latency that tfrcsrc tells live sinks: as long as the jitter buffer waits for what is missing, or, of video whose
   latency nobody has set, enough for nearly all pictures to be there (playoutdelay.h). A picture that comes later still
   gets a time at which a sink shows it, instead of leaving it out, and the decoder the next ones: so the packets of a
   picture leave when all of them are there, which is when a depayloader passes them on. */
#ifndef GST_TFRC_LATENCY_H
#define GST_TFRC_LATENCY_H

#include "inorder.h"
#include "latepicture.h"
#include "playoutdelay.h"

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  GstElement *element, *jitterbuffer; /* tfrcsrc and its child */
  GstPad *ghost;                      /* what it leaves by */
  GMutex lock;                        /* of what is below; not held while anything is posted or pushed */
  gboolean adaptive;
  InOrder packets;
  PlayoutDelay delay;
  GstClockTime pipeline; /* sinks play so long after running time; GST_CLOCK_TIME_NONE: not known */
  /* of the streaming thread */
  GQueue picture;     /* GstBuffer, of one time, that wait for the rest */
  GstClockTime ready; /* the last of them */
  LatePicture late;
  gboolean marked; /* the last picture's end was */
} GstTfrcLatency;

/* Looks at what comes to the jitter buffer and leaves by the pad from here on. */
void gst_tfrc_latency_init (GstTfrcLatency *l, GstElement *element, GstElement *jitterbuffer, GstPad *ghost);
void gst_tfrc_latency_clear (GstTfrcLatency *l);
/* A new run; first, longest: ms. */
void gst_tfrc_latency_start (GstTfrcLatency *l, gboolean adaptive, guint first, guint longest);
/* The answer to a latency query, with the jitter buffer's in it. */
void gst_tfrc_latency_answer (GstTfrcLatency *l, GstQuery *query);
/* Now, ns; GST_CLOCK_TIME_NONE: as long as the jitter buffer waits. */
GstClockTime gst_tfrc_latency_now (GstTfrcLatency *l);

G_END_DECLS
#endif
