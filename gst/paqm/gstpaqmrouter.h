/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shaper's works: its parts, and one lock for all of them.

     receive () ──▶ intake ──▶ queues ──▶ outlet ──▶ source pad
                      │          │ periods
                      └──────▶ teller ──▶ RTCP pad

   What has no other remark is called without the lock. */
#ifndef GST_PAQM_ROUTER_H
#define GST_PAQM_ROUTER_H

#include "gstpaqmoutlet.h"
#include "gstpaqmteller.h"

G_BEGIN_DECLS

typedef struct {
  GstClock *clock; /* the system's */
  guint64 key[2];  /* random: of flow ids and stream ids */

  GMutex lock; /* all below; never held while pushing, posting or notifying */
  GstPaqmSettings settings;
  GstPaqmQueues queues;
  GstPaqmTeller teller;
  GstPaqmOutlet outlet;
  GstClockTime stats_at;
  GstClockTime answered_wait; /* of media, to whom asked for the latency; NONE: nobody has */
  gboolean waits_longer;      /* than that, by now */
} GstPaqmRouter;

/* What one round has brought besides packets. */
typedef struct {
  GstStructure *stats;   /* full, where they are due; else NULL */
  gboolean unheard;      /* all have ended, so that nobody upstream will come to hear of the error */
  gboolean waits_longer; /* the latency is more than was answered */
} GstPaqmRound;

void gst_paqm_router_init (GstPaqmRouter *router, GstPad *srcpad);
void gst_paqm_router_finalize (GstPaqmRouter *router);

/* With the lock: as if nothing had ever passed. */
void gst_paqm_router_reset (GstPaqmRouter *router);
/* With the lock: what waits is thrown away. */
void gst_paqm_router_clear (GstPaqmRouter *router);
/* With the lock: these settings hold from now on, NULL; or the last good ones stay, and the reason is returned. */
const gchar *gst_paqm_router_apply (GstPaqmRouter *router, const GstPaqmSettings *settings);
/* With the lock. */
GstStructure *gst_paqm_router_get_stats (const GstPaqmRouter *router);

/* In the pad's streaming thread; what comes: full. */
GstFlowReturn gst_paqm_router_receive (GstPaqmRouter *router, GstPaqmPad *pad, GstBuffer *buffer);
GstFlowReturn gst_paqm_router_receive_list (GstPaqmRouter *router, GstPaqmPad *pad, GstBufferList *list);
/* Serialised and not sticky: waits behind the pad's packets. */
gboolean gst_paqm_router_receive_event (GstPaqmRouter *router, GstPaqmPad *pad, GstEvent *event);

/* One round of the source pad's thread: OK, or no more are wanted, and it pauses. */
GstFlowReturn gst_paqm_router_run (GstPaqmRouter *router, GstPaqmRound *round);
/* What a packet of media waits at most, as things are: for who asks for the latency. */
GstClockTime gst_paqm_router_answer_wait (GstPaqmRouter *router);

G_END_DECLS
#endif
