/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets leave by the element's source pad, in a thread of its own, with the events that go ahead of them and the end
   of the stream behind. What has no other remark is called with the lock held, which is the element's. */
#ifndef GST_PAQM_OUTLET_H
#define GST_PAQM_OUTLET_H

#include "gstpaqmqueues.h"

G_BEGIN_DECLS

typedef struct {
  GstPad *pad; /* the element's */
  GstClock *clock;
  GMutex *lock;
  guint64 stream_id;

  GstFlowReturn result;              /* FLUSHING: inactive or flushing */
  gboolean relinked;                 /* since the push that is under way began */
  GstPaqmStream *stream;             /* whose events went ahead last */
  gboolean started, ended, eos_sent; /* ended: nothing more will come in */
  GstClockID wait_id;                /* of the thread that sleeps now */
  GstClockTime wait_until;
} GstPaqmOutlet;

/* pad, clock, lock, stream_id are set. */
void gst_paqm_outlet_reset (GstPaqmOutlet *outlet); /* as if nothing had ever left */
void gst_paqm_outlet_clear (GstPaqmOutlet *outlet); /* what went ahead last is forgotten */
void gst_paqm_outlet_open (GstPaqmOutlet *outlet);
void gst_paqm_outlet_close (GstPaqmOutlet *outlet);
void gst_paqm_outlet_set_ended (GstPaqmOutlet *outlet, gboolean ended);
/* TRUE: the thread is to be started, as what stopped it was that nothing was linked. */
gboolean gst_paqm_outlet_on_link (GstPaqmOutlet *outlet);
/* After its end a stream begins anew. */
void gst_paqm_outlet_begin_anew (GstPaqmOutlet *outlet);
/* TRUE: downstream has had the end, or takes nothing more, and only a flush makes it listen again. */
gboolean gst_paqm_outlet_is_over (const GstPaqmOutlet *outlet);
/* The thread, if it sleeps, looks again no later than at `at`. */
void gst_paqm_outlet_wake_before (GstPaqmOutlet *outlet, GstClockTime at);
/* One round of the thread: what may leave now, or a sleep until something may, `wake_at` at the latest. The lock is
   free while it pushes or sleeps. */
void gst_paqm_outlet_run (GstPaqmOutlet *outlet, GstPaqmQueues *queues, GstClockTime now, GstClockTime wake_at);
/* TRUE, once: downstream takes nothing more, and nobody upstream will come to hear of it, as all have ended. */
gboolean gst_paqm_outlet_fails_unheard (GstPaqmOutlet *outlet);

static inline gboolean
gst_paqm_outlet_sleeps (const GstPaqmOutlet *outlet)
{
  return outlet->wait_id != NULL;
}

G_END_DECLS
#endif
